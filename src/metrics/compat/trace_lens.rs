//! TraceLens: the GPU timeline of one rank, all of its devices together.

use super::{CompatRow, Frame, Tool, time};
use crate::interval::{Interval, IntervalSet};
use crate::metrics::FigureValue;
use crate::metrics::rows::Row;
use crate::trace::class::KernelClass;
use crate::trace::{Rank, Slice, Trace};

const ADMITTED: &str = "TraceLens takes fills for computation, tells communication by nccl, rccl or cross_device_reduce in the name, and puts all devices of a file together";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Communication,
    Copy,
    Computation,
}

/// Copies that older ROCm profilers write as kernels.
const COPY_KERNELS: [&str; 2] = ["memory_copy_", "__amd_rocclr_copybuffer"];

fn kind(name: &str, slice: &Slice<'_>) -> Kind {
    let name = name.to_ascii_lowercase();
    let is_fill = name.contains("memset") || name.contains("fillbuffer");
    let is_copy = slice.class() == Some(KernelClass::Memory) && !is_fill;
    if is_copy || COPY_KERNELS.iter().any(|copy| name.starts_with(copy)) {
        Kind::Copy
    } else if ["rccl", "nccl", "cross_device_reduce"]
        .iter()
        .any(|word| name.contains(word))
    {
        Kind::Communication
    } else {
        Kind::Computation
    }
}

/// Its figures of a rank.
pub(super) fn rows(trace: &Trace, rank: &Rank, ours: Option<&Row>) -> Vec<CompatRow> {
    let frame = Frame {
        rank,
        tool: Tool::TraceLens,
        ours,
    };
    let streams = rank.devices.iter().flat_map(|d| &d.streams);
    let kernels: Vec<(Kind, Interval)> = streams
        .flat_map(|s| rank.slices.range(s.slices.clone()))
        .filter(|s| s.class().is_some())
        .map(|s| {
            let kind = kind(trace.names.get(s.name()), &s);
            (kind, Interval::from(s.window()))
        })
        .collect();
    let of = |wanted: Kind| -> IntervalSet {
        let found = kernels.iter().filter(|(kind, _)| *kind == wanted);
        found.map(|(_, interval)| *interval).collect()
    };
    let (computation, communication, copies) = (
        of(Kind::Computation),
        of(Kind::Communication),
        of(Kind::Copy),
    );
    let exposed_comm = communication.subtract(&computation);
    let exposed_copies = copies.subtract(&computation).subtract(&communication);
    let busy = computation.union(&communication).union(&copies);
    let starts = kernels.iter().map(|(_, i)| i.start).min();
    let ends = kernels.iter().map(|(_, i)| i.end).max();
    let whole = starts.zip(ends).map(|(first, last)| last - first);
    let figure = |part: &IntervalSet| whole.map(|_| FigureValue::Time(part.total()));
    vec![
        frame.row(
            ("total_time", "last end less first start", ADMITTED),
            whole.map(FigureValue::Time),
            |s| time(s.kernel_time),
        ),
        frame.row(
            (
                "computation_time",
                "merged time of what it takes for computation",
                ADMITTED,
            ),
            figure(&computation),
            |s| time(s.comp),
        ),
        frame.row(
            (
                "exposed_comm_time",
                "communication that no computation hides",
                ADMITTED,
            ),
            figure(&exposed_comm),
            |s| time(s.exposed_comm),
        ),
        frame.row(
            (
                "exposed_memcpy_time",
                "copies that neither computation nor communication hides",
                ADMITTED,
            ),
            figure(&exposed_copies),
            |s| time(s.exposed_memory),
        ),
        frame.row(
            ("busy_time", "merged time of all", ADMITTED),
            figure(&busy),
            |s| time(s.kernel_run_time),
        ),
        frame.row(
            ("idle_time", "total less busy", ADMITTED),
            whole.map(|whole| FigureValue::Time(whole - busy.total())),
            |s| time(s.idle_time),
        ),
    ]
}
