//! [`Given`]: each input of a model as it was typed, else as a trace shows it, else still to be set.
//!
//! The window and the command line both ask here, so that what is measured, and how, is told once.

mod answer;
mod links;
mod measured;
mod slowing;
mod stored;

pub(super) use answer::Rows;
pub use answer::{Filled, Unanswered};
pub use links::{LinkFit, link_fits};
pub use measured::{measured, measured_samples};
pub use slowing::Slowing;

use super::Bandwidth;
use super::number::{float, nanoseconds, real, whole};
use super::table::Source;
use crate::metrics::Prefill;
use crate::time::DurNs;
use std::collections::BTreeMap;

/// A model whose inputs a trace can give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Serial, synchronised, overlapped.
    #[default]
    Streams,
    /// Gradients in buckets.
    Buckets,
    /// A product and its collective in chunks.
    Chunks,
    /// Sharded layers gathered ahead.
    Prefetch,
    /// Both slowing each other.
    Contention,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Streams,
        Self::Buckets,
        Self::Chunks,
        Self::Prefetch,
        Self::Contention,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Streams => "streams",
            Self::Buckets => "buckets",
            Self::Chunks => "chunks",
            Self::Prefetch => "prefetch",
            Self::Contention => "contention",
        }
    }

    /// Its inputs, in the order in which they are shown.
    #[must_use]
    pub fn fields(self) -> &'static [Field] {
        use Field as F;
        match self {
            Self::Streams => &[F::Computation, F::Communication],
            Self::Buckets => &[
                F::BucketSize,
                F::Backward,
                F::Rest,
                F::Size,
                F::Alpha,
                F::Bus,
                F::Ranks,
            ],
            Self::Chunks => &[F::Chunks, F::Gemm, F::Comm, F::ChunkAlpha, F::Launch],
            Self::Prefetch => &[
                F::Depth,
                F::Gather,
                F::Compute,
                F::Scatter,
                F::Layers,
                F::LayerSize,
                F::Ranks,
            ],
            Self::Contention => &[F::KComp, F::KComm, F::Computation, F::Communication],
        }
    }
}

/// One input of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Computation alone.
    Computation,
    /// Communication alone.
    Communication,
    /// Length of the backward pass.
    Backward,
    /// What of the step is neither backward pass nor exposed.
    Rest,
    /// Bytes of all gradients.
    Size,
    /// The cap of a bucket.
    BucketSize,
    /// Latency of a collective.
    Alpha,
    /// Bus bandwidth.
    Bus,
    /// Ranks that take part.
    Ranks,
    /// The product as one kernel.
    Gemm,
    /// Its collective as one.
    Comm,
    /// Latency that each chunk pays again.
    ChunkAlpha,
    /// Launch cost that each chunk pays again.
    Launch,
    /// How many chunks.
    Chunks,
    /// All-gather of a layer.
    Gather,
    /// Computation of a layer.
    Compute,
    /// Reduce-scatter of a layer.
    Scatter,
    /// How many equal layers.
    Layers,
    /// How many layers ahead are gathered.
    Depth,
    /// Unsharded parameters of a layer.
    LayerSize,
    /// How many times as long computation takes beside communication.
    KComp,
    /// How many times as long communication takes beside computation.
    KComm,
}

impl Field {
    /// Its name in the table of inputs, with the unit as its suffix.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation_us",
            Self::Communication => "communication_us",
            Self::Backward => "backward_us",
            Self::Rest => "rest_us",
            Self::Size => "size_bytes",
            Self::BucketSize => "bucket_size_bytes",
            Self::Alpha | Self::ChunkAlpha => "alpha_us",
            Self::Bus => "bus_bandwidth_gb_per_s",
            Self::Ranks => "ranks",
            Self::Gemm => "gemm_us",
            Self::Comm => "comm_us",
            Self::Launch => "launch_us",
            Self::Chunks => "chunks",
            Self::Gather => "gather_us",
            Self::Compute => "compute_us",
            Self::Scatter => "reduce_scatter_us",
            Self::Layers => "layers",
            Self::Depth => "depth",
            Self::LayerSize => "layer_size_bytes",
            Self::KComp => "k_comp",
            Self::KComm => "k_comm",
        }
    }

    /// The flag of the command line that types it.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::Computation => "--computation",
            Self::Communication => "--communication",
            Self::Backward => "--backward",
            Self::Rest => "--rest",
            Self::Size => "--size",
            Self::BucketSize => "--bucket-size",
            Self::Alpha | Self::ChunkAlpha => "--alpha",
            Self::Bus => "--bus-bandwidth",
            Self::Ranks => "--ranks",
            Self::Gemm => "--gemm",
            Self::Comm => "--comm",
            Self::Launch => "--launch",
            Self::Chunks => "--chunks",
            Self::Gather => "--gather",
            Self::Compute => "--compute",
            Self::Scatter => "--reduce-scatter",
            Self::Layers => "--layers",
            Self::Depth => "--depth",
            Self::LayerSize => "--layer-size",
            Self::KComp => "--k-comp",
            Self::KComm => "--k-comm",
        }
    }

    /// What it is called on screen.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Computation => "Computation",
            Self::Communication => "Communication",
            Self::Backward => "Backward pass",
            Self::Rest => "Rest of the step",
            Self::Size => "All gradients",
            Self::BucketSize => "Bucket size",
            Self::Alpha => "Alpha",
            Self::Bus => "Bus bandwidth",
            Self::Ranks => "Ranks",
            Self::Gemm => "Product",
            Self::Comm => "Collective",
            Self::ChunkAlpha => "Alpha a chunk",
            Self::Launch => "Launch a chunk",
            Self::Chunks => "Chunks",
            Self::Gather => "Gather a layer",
            Self::Compute => "Compute a layer",
            Self::Scatter => "Scatter a layer",
            Self::Layers => "Layers",
            Self::Depth => "Depth",
            Self::LayerSize => "Layer size",
            Self::KComp => "k comp",
            Self::KComm => "k comm",
        }
    }

    /// What holds while it is neither typed nor measured. Where it is a choice or a cost that may be
    /// left out, that is an answer; anything else stands there only to be set.
    #[must_use]
    pub fn starter(self) -> (Quantity, bool) {
        let ms = |n: i64| Quantity::Time(DurNs(n * 1_000_000));
        match self {
            Self::Rest | Self::ChunkAlpha | Self::Launch | Self::Scatter => (ms(0), true),
            Self::BucketSize => (Quantity::Size(25 << 20), true),
            Self::Chunks => (Quantity::Count(4), true),
            Self::Depth => (Quantity::Count(1), true),
            Self::KComp | Self::KComm => (Quantity::Factor(1.0), true),
            Self::Backward => (ms(100), false),
            Self::Size => (Quantity::Size(500_000_000), false),
            Self::LayerSize => (Quantity::Size(100_000_000), false),
            Self::Alpha => (Quantity::Time(DurNs(10_000)), false),
            Self::Bus => (
                Bandwidth::from_gb_per_s(50.0).map_or(Quantity::Count(0), Quantity::Rate),
                false,
            ),
            Self::Ranks => (Quantity::Count(8), false),
            Self::Layers => (Quantity::Count(32), false),
            Self::Computation
            | Self::Communication
            | Self::Gemm
            | Self::Comm
            | Self::Gather
            | Self::Compute => (ms(1), false),
        }
    }
}

/// A value with its dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// A length of time.
    Time(DurNs),
    /// Bytes.
    Size(u64),
    /// A rate of data.
    Rate(Bandwidth),
    /// How many times as much.
    Factor(f64),
    /// A number of things.
    Count(u32),
}

impl Quantity {
    /// The number in ns, bytes, GB/s or as it is, for a slider.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Time(time) => float(time),
            Self::Size(bytes) => real(bytes),
            Self::Rate(rate) => rate.gb_per_s(),
            Self::Factor(factor) => factor,
            Self::Count(count) => f64::from(count),
        }
    }

    /// The same quantity with another number; `None` where that cannot be. Factors below 1, which
    /// would speed up, become 1.
    #[must_use]
    pub fn with_number(self, number: f64) -> Option<Self> {
        match self {
            Self::Time(_) => nanoseconds(number, "the time").ok().map(Self::Time),
            Self::Size(_) => whole(number, "the size").ok().map(Self::Size),
            Self::Rate(_) => Bandwidth::from_gb_per_s(number).map(Self::Rate),
            Self::Factor(_) => number.is_finite().then(|| Self::Factor(number.max(1.0))),
            Self::Count(_) => {
                let count = whole(number, "the count").ok()?;
                u32::try_from(count).ok().map(Self::Count)
            }
        }
    }
}

/// One input, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Its value.
    pub value: Quantity,
    /// Where it comes from; `None` for one that nobody set yet.
    pub source: Option<Source>,
    /// How it was measured, or why it was not.
    pub how: String,
}

/// What a model is asked with: what was typed, and what a trace shows.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What was typed.
    pub typed: &'a BTreeMap<Field, Quantity>,
    /// What a trace shows, where there is one.
    pub prefill: Option<&'a Prefill>,
    /// What a verdict on overlap says of *contention*, where there is one.
    pub slowing: Option<Slowing>,
    /// Of *prefetch*: the backward pass and not the forward one.
    pub backward: bool,
}

impl Asked<'_> {
    /// One input: typed wins over measured, and that over what it starts from.
    #[must_use]
    pub fn get(&self, field: Field) -> Given {
        let found = match (self.prefill, self.slowing) {
            (_, Some(slowing)) if matches!(field, Field::KComp | Field::KComm) => {
                slowing.measured(field)
            }
            (Some(prefill), _) => measured(prefill, field, self.backward),
            (None, _) => Err("there is no trace".to_owned()),
        };
        if let Some(value) = self.typed.get(&field) {
            let how = match found {
                Ok((_, _, how)) => format!("typed in place of what was measured: {how}"),
                Err(why) => format!("typed; not measured: {why}"),
            };
            return Given {
                value: *value,
                source: Some(Source::Typed),
                how,
            };
        }
        match found {
            Ok((value, source, how)) => Given {
                value,
                source: Some(source),
                how,
            },
            Err(why) => {
                let (value, holds) = field.starter();
                Given {
                    value,
                    source: holds.then_some(Source::Typed),
                    how: format!("not measured: {why}"),
                }
            }
        }
    }

    fn is_typed(&self, field: Field) -> bool {
        self.typed.contains_key(&field)
    }
}
