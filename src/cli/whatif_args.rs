//! The arguments of `overlane whatif`. A contract: others script against these names.
//!
//! Every quantity is typed with its unit; only counts and factors are bare numbers.

use super::args::{Format, TimeSelectors};
use super::select::StepArgument;
use crate::time::{DurNs, TimeRange};
use crate::trace::class::CollectiveKind;
use crate::whatif::{Bandwidth, parse_bandwidth, parse_intensity, parse_size, parse_time};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(arg_required_else_help = false)]
pub(super) struct WhatifArguments {
    #[command(subcommand)]
    pub(super) model: ModelArguments,
}

/// Where inputs that are not typed come from.
#[derive(Debug, Args)]
pub(super) struct FromArguments {
    /// Measure the inputs that are not typed in this trace; what is typed wins. May be repeated, once a
    /// file or folder.
    #[arg(long, value_name = "PATH")]
    pub(super) from: Vec<PathBuf>,
    /// The window of the trace, such as 5ms..7.5ms from its start or @NS..@NS for absolute times.
    #[arg(
        long,
        value_name = "START..END",
        allow_hyphen_values = true,
        requires = "from"
    )]
    pub(super) window: Option<TimeRange>,
    /// The step of the trace: the number in its name, or N#2 for the second of that number.
    #[arg(long, value_name = "N", conflicts_with = "window", requires = "from")]
    pub(super) step: Option<StepArgument>,
    /// The rank of the trace (default: the first).
    #[arg(long, value_name = "R", requires = "from")]
    pub(super) rank: Option<u32>,
    /// The device of the trace (default: the first).
    #[arg(
        long,
        value_name = "D",
        allow_negative_numbers = true,
        requires = "from"
    )]
    pub(super) device: Option<i64>,
}

impl FromArguments {
    /// The same as the selectors of other commands.
    pub(super) fn selectors(&self) -> TimeSelectors {
        TimeSelectors {
            window: self.window.clone(),
            step: self.step,
            rank: self.rank,
            device: self.device,
            ..TimeSelectors::default()
        }
    }
}

/// How the answer is written.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// The points of the model's curve instead of its answer.
    #[arg(long)]
    pub(super) sweep: bool,
    /// How the table is written.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
    /// The file to write instead of standard output; never one of the inputs.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum ModelArguments {
    /// One computation and one communication: serial, synchronised, overlapped.
    Streams(StreamsArguments),
    /// Gradients in buckets: which bucket size exposes least.
    Buckets(BucketsArguments),
    /// A matrix product and its collective in chunks.
    Chunks(ChunksArguments),
    /// Sharded layers gathered ahead of their computation.
    Prefetch(PrefetchArguments),
    /// Computation and communication that slow each other.
    Contention(ContentionArguments),
    /// Alpha and bus bandwidth from measured collectives that nobody waited for.
    Fit(FitArguments),
}

impl ModelArguments {
    /// Where inputs come from.
    pub(super) fn from(&self) -> &FromArguments {
        match self {
            Self::Streams(asked) => &asked.from,
            Self::Buckets(asked) => &asked.from,
            Self::Chunks(asked) => &asked.from,
            Self::Prefetch(asked) => &asked.from,
            Self::Contention(asked) => &asked.from,
            Self::Fit(asked) => &asked.from,
        }
    }

    /// The traces that are read.
    pub(super) fn traces(&self) -> Vec<PathBuf> {
        let baseline = match self {
            Self::Contention(asked) => &asked.baseline[..],
            _ => &[],
        };
        self.from().from.iter().chain(baseline).cloned().collect()
    }
}

#[derive(Debug, Args)]
pub(super) struct StreamsArguments {
    /// Computation alone, such as 40ms.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present = "from")]
    pub(super) computation: Option<DurNs>,
    /// Communication alone.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present = "from")]
    pub(super) communication: Option<DurNs>,
    #[command(flatten)]
    pub(super) from: FromArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(super) struct BucketsArguments {
    /// Length of the backward pass, such as 100ms.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present = "from")]
    pub(super) backward: Option<DurNs>,
    /// All gradients, such as 500MB, ready at a constant rate.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, required_unless_present_any = ["parameters", "ready", "from"], conflicts_with_all = ["parameters", "ready"])]
    pub(super) size: Option<u64>,
    /// Parameters in the order in which their gradients are ready, such as 6MB,1MB,8MB; none is
    /// split over buckets.
    #[arg(long, value_name = "SIZES", value_parser = parse_size, value_delimiter = ',', conflicts_with = "ready")]
    pub(super) parameters: Vec<u64>,
    /// A CSV of buckets as they were sent: when each was ready (`ready_us`, or `ready` with units) and
    /// its size (`size_bytes`, or `size` with units).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bucket_size", "first_bucket", "sweep", "timeline"])]
    pub(super) ready: Option<PathBuf>,
    /// Bucket sizes to predict, such as 25MiB or 1MB,25MB,100MB.
    #[arg(long, value_name = "SIZES", value_parser = parse_size, value_delimiter = ',')]
    pub(super) bucket_size: Vec<u64>,
    /// A size of its own for the first bucket, such as 1MiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(super) first_bucket: Option<u64>,
    /// Time of the step that is neither backward pass nor exposed, so that 1 % is of the whole step
    /// (default: as measured with --from, else 0ns).
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) rest: Option<DurNs>,
    /// Latency of a collective, such as 5us.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present_any = ["samples", "from"], conflicts_with = "samples")]
    pub(super) alpha: Option<DurNs>,
    /// Bus bandwidth as nccl-tests tells it, such as 60GB/s.
    #[arg(long, value_name = "RATE", value_parser = parse_bandwidth, required_unless_present_any = ["samples", "from"], conflicts_with = "samples")]
    pub(super) bus_bandwidth: Option<Bandwidth>,
    /// Fit alpha and bus bandwidth from this CSV, as the model fit does.
    #[arg(long, value_name = "FILE")]
    pub(super) samples: Option<PathBuf>,
    /// Ranks that take part.
    #[arg(long, value_name = "P", required_unless_present = "from")]
    pub(super) ranks: Option<u32>,
    /// What is sent of a bucket (default: as measured with --from, else all-reduce).
    #[arg(long, value_enum)]
    pub(super) collective: Option<CollectiveArgument>,
    /// What is exposed now, measured, to stand beside the prediction.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) measured_exposed: Option<DurNs>,
    /// The buckets of one bucket size one by one.
    #[arg(long, conflicts_with = "sweep")]
    pub(super) timeline: bool,
    #[command(flatten)]
    pub(super) from: FromArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

/// Collectives that gradients and parameters are moved by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CollectiveArgument {
    /// 2(p-1)/p of the buffer over the bus.
    AllReduce,
    /// (p-1)/p of the full buffer.
    ReduceScatter,
    /// (p-1)/p of the full buffer.
    AllGather,
}

impl From<CollectiveArgument> for CollectiveKind {
    fn from(typed: CollectiveArgument) -> Self {
        match typed {
            CollectiveArgument::AllReduce => Self::AllReduce,
            CollectiveArgument::ReduceScatter => Self::ReduceScatter,
            CollectiveArgument::AllGather => Self::AllGather,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct ChunksArguments {
    /// The matrix product as one kernel, such as 20ms.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present = "from")]
    pub(super) gemm: Option<DurNs>,
    /// Its collective as one.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present = "from")]
    pub(super) comm: Option<DurNs>,
    /// Numbers of chunks.
    #[arg(
        long,
        value_name = "K",
        value_delimiter = ',',
        default_value = "1,2,4,8"
    )]
    pub(super) chunks: Vec<u32>,
    /// Latency of a collective, part of --comm: every chunk pays it.
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "0ns")]
    pub(super) alpha: DurNs,
    /// Cost of launching a kernel, part of --gemm: every chunk pays it.
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "0ns")]
    pub(super) launch: DurNs,
    /// A ring exchange that begins with the local chunk.
    #[arg(long)]
    pub(super) ring: bool,
    #[command(flatten)]
    pub(super) from: FromArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

/// Which pass prefetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PassArgument {
    /// Gathers and computations.
    Forward,
    /// And reduce-scatters of gradients.
    Backward,
}

/// A layer as it is typed: `GATHER:COMPUTE` or `GATHER:COMPUTE:SCATTER`.
pub(super) fn parse_layer(text: &str) -> Result<crate::whatif::Layer, String> {
    let times: Vec<&str> = text.split(':').collect();
    let time = |text: &str| parse_time(text).map_err(|error| error.to_string());
    let (gather, compute, scatter) = match times.as_slice() {
        [gather, compute] => (gather, compute, None),
        [gather, compute, scatter] => (gather, compute, Some(scatter)),
        _ => {
            return Err(format!(
                "'{text}' is no layer; write gather and compute time, like 4ms:3ms"
            ));
        }
    };
    Ok(crate::whatif::Layer {
        gather: time(gather)?,
        compute: time(compute)?,
        scatter: scatter.map_or(Ok(DurNs::ZERO), |text| time(text))?,
    })
}

#[derive(Debug, Args)]
pub(super) struct PrefetchArguments {
    /// All-gather of a layer, such as 4ms; all layers are equal.
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires_all = ["compute", "layers"], required_unless_present_any = ["sequence", "layer_times", "from"], conflicts_with_all = ["sequence", "layer_times"])]
    pub(super) gather: Option<DurNs>,
    /// Computation of a layer.
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "gather")]
    pub(super) compute: Option<DurNs>,
    /// Reduce-scatter of a layer's gradients, with --pass backward.
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "gather")]
    pub(super) reduce_scatter: Option<DurNs>,
    /// How many equal layers.
    #[arg(long, value_name = "N", requires = "gather")]
    pub(super) layers: Option<u32>,
    /// Layers one by one in the order in which they run, as gather:compute, such as 4ms:3ms,1ms:3ms;
    /// with a third time, gather:compute:reduce-scatter.
    #[arg(long, value_name = "TIMES", value_parser = parse_layer, value_delimiter = ',', conflicts_with = "layer_times")]
    pub(super) sequence: Vec<crate::whatif::Layer>,
    /// A CSV of layers in the order in which they run: `gather_us`, `compute_us` and, if any,
    /// `reduce_scatter_us`; or without `_us` and with units.
    #[arg(long, value_name = "FILE")]
    pub(super) layer_times: Option<PathBuf>,
    /// How many layers ahead are gathered.
    #[arg(long, value_name = "D", value_delimiter = ',', default_value = "1,2")]
    pub(super) depth: Vec<u32>,
    /// Which pass.
    #[arg(long, value_enum, default_value = "forward")]
    pub(super) pass: PassArgument,
    /// Gathers and reduce-scatters queue on one stream.
    #[arg(long)]
    pub(super) shared_stream: bool,
    /// Unsharded parameters of a layer, such as 400MB, for the extra memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, requires = "ranks")]
    pub(super) layer_size: Option<u64>,
    /// Unsharded gradients of a layer (default: as its parameters).
    #[arg(long, value_name = "SIZE", value_parser = parse_size, requires = "layer_size")]
    pub(super) gradient_size: Option<u64>,
    /// Ranks over which parameters are sharded.
    #[arg(long, value_name = "P", requires = "layer_size")]
    pub(super) ranks: Option<u32>,
    /// What is exposed now, measured, to stand beside the prediction.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) measured_exposed: Option<DurNs>,
    #[command(flatten)]
    pub(super) from: FromArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(super) struct ContentionArguments {
    /// Computation alone, such as 50ms.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present = "from")]
    pub(super) computation: Option<DurNs>,
    /// Communication alone.
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present = "from")]
    pub(super) communication: Option<DurNs>,
    /// How many times as long computation takes beside communication.
    #[arg(
        long,
        value_name = "K",
        required_unless_present_any = ["gamma", "from"],
        conflicts_with = "gamma"
    )]
    pub(super) k_comp: Option<f64>,
    /// How many times as long communication takes beside computation.
    #[arg(long, value_name = "K", required_unless_present = "from")]
    pub(super) k_comm: Option<f64>,
    /// Factors that are not typed are found with this trace of the same run without overlap. May be
    /// repeated, once a file or folder.
    #[arg(long, value_name = "PATH", requires = "from")]
    pub(super) baseline: Vec<PathBuf>,
    /// Instead of --k-comp: what computation loses for a byte taken from it, such as 100FLOP/byte.
    #[arg(long, value_name = "RATIO", value_parser = parse_intensity, requires_all = ["intensity", "comm_memory_bandwidth", "peak_memory_bandwidth"])]
    pub(super) gamma: Option<f64>,
    /// Arithmetic intensity of the computation, such as 50FLOP/byte.
    #[arg(long, value_name = "RATIO", value_parser = parse_intensity, requires = "gamma")]
    pub(super) intensity: Option<f64>,
    /// Memory bandwidth that communication takes, such as 300GB/s.
    #[arg(long, value_name = "RATE", value_parser = parse_bandwidth, requires = "gamma")]
    pub(super) comm_memory_bandwidth: Option<Bandwidth>,
    /// Memory bandwidth of the device, such as 3TB/s.
    #[arg(long, value_name = "RATE", value_parser = parse_bandwidth, requires = "gamma")]
    pub(super) peak_memory_bandwidth: Option<Bandwidth>,
    #[command(flatten)]
    pub(super) from: FromArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

impl ContentionArguments {
    /// Whether a factor is to be measured.
    pub(super) fn lacks_factors(&self) -> bool {
        self.k_comm.is_none() || (self.k_comp.is_none() && self.gamma.is_none())
    }
}

#[derive(Debug, Args)]
pub(super) struct FitArguments {
    /// A CSV of one process group and one kind: sizes of the full buffer (`size_bytes` or `bytes`, or
    /// `size` with units) and times that nobody waited in (`time_us` or `transfer_us`, or `time` with
    /// units).
    #[arg(long, value_name = "FILE", required_unless_present = "from")]
    pub(super) samples: Option<PathBuf>,
    /// Ranks of the group.
    #[arg(long, value_name = "P", required_unless_present = "from")]
    pub(super) ranks: Option<u32>,
    /// The collective (default: as measured with --from, else all-reduce).
    #[arg(long, value_enum)]
    pub(super) collective: Option<CollectiveArgument>,
    #[command(flatten)]
    pub(super) from: FromArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}
