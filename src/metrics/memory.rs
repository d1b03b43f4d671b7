//! What allocators held: the figures of a window and of each step, from the `[memory]` events.
//!
//! Allocations happen on the host, so a step is its annotation there, whatever basis other tables
//! have, and without a selection the window is all that the rank recorded, events of allocators
//! beyond its slices included.

mod alive;
mod leak;
mod profile;
mod slope;

pub use alive::{Holding, holdings};
pub use leak::{Grower, LEAST_STEPS, Leak, LeakVerdict, StepBaseline, WARM_UP, leak, leak_rows};
pub use profile::{ProfilePiece, memory_profile};
pub use slope::Slope;
use slope::slope;

use super::window::{Scope, clip, clip_to};
use super::{Query, Selection};
use crate::memory::Extreme;
use crate::time::{DurNs, Ns, Window};
use crate::trace::{
    DeviceId, MemoryPlace, MemorySource, MemorySums, MemoryTrack, Rank, RankId, StepLabel, Trace,
    cached_free,
};

/// What to do where a trace has no allocator events.
pub const NOT_RECORDED: &str =
    "the trace has no [memory] events; record with profile_memory=True to see what allocators held";

/// One line of the table of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRow {
    /// The rank.
    pub rank: RankId,
    /// The device, by the number that its allocator has; -1 for the host.
    pub device: DeviceId,
    /// The step that the window is of.
    pub step: Option<String>,
    /// The window; `None` where there is none.
    pub window: Option<Window>,
    /// The figures; `None` where the rank recorded nothing of the window.
    pub figures: Option<MemoryFigures>,
    /// Where the values come from.
    pub source: MemorySource,
}

/// Figures of one allocator in one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFigures {
    /// Allocated bytes right before the window.
    pub start: i64,
    /// Allocated bytes at its end.
    pub end: i64,
    /// The least of all that it held in between.
    pub min: i64,
    /// The most.
    pub peak: i64,
    /// When that was first reached; the window's start where it was held before.
    pub peak_at: Ns,
    /// The event that reached it; `None` where it was held before.
    pub peak_event: Option<usize>,
    /// The innermost CPU op of that event.
    pub peak_op: Option<String>,
    /// The most reserved bytes.
    pub reserved_peak: Option<i64>,
    /// Reserved bytes at the end.
    pub reserved_end: Option<i64>,
    /// How much was allocated and freed.
    pub sums: MemorySums,
}

impl MemoryFigures {
    /// By how much allocated bytes grew.
    #[must_use]
    pub fn growth(&self) -> i128 {
        i128::from(self.end) - i128::from(self.start)
    }

    /// Reserved bytes that nobody uses at the end.
    #[must_use]
    pub fn cached_free_end(&self) -> Option<i64> {
        cached_free(self.reserved_end?, self.end)
    }
}

/// The window that the figures of a rank's allocators are of.
#[must_use]
pub fn memory_scope(rank: &Rank, selection: Selection) -> Scope {
    match selection {
        Selection::None => {
            let known = rank.memory_window();
            known.map_or(Scope::NoData(None), Scope::Covered)
        }
        Selection::Window(asked) => clip_to(rank.memory_window(), asked),
        Selection::Step { label, .. } => {
            let step = rank.host_steps.iter().find(|s| s.label == label);
            step.map_or(Scope::NoData(None), |s| clip(rank, s.window))
        }
    }
}

/// Steps that `--step` can name, over the ranks that are asked for.
#[must_use]
pub fn memory_step_labels(trace: &Trace, query: &Query) -> Vec<StepLabel> {
    let steps = ranks(trace, query).flat_map(|rank| &rank.host_steps);
    let mut labels: Vec<StepLabel> = steps.map(|s| s.label).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Devices that `--device` can name, over the ranks that are asked for.
#[must_use]
pub fn memory_devices(trace: &Trace, query: &Query) -> Vec<DeviceId> {
    let tracks = ranks(trace, query).flat_map(|rank| &rank.memory);
    let mut devices: Vec<DeviceId> = tracks.map(|t| t.place.device()).collect();
    devices.sort_unstable();
    devices.dedup();
    devices
}

fn ranks<'t>(trace: &'t Trace, query: &Query) -> impl Iterator<Item = &'t Rank> {
    let wanted = query.rank;
    let all = trace.ranks.iter();
    all.filter(move |rank| wanted.is_none_or(|id| rank.id == id))
}

/// The allocators that are asked for.
pub(super) fn tracks<'t>(
    trace: &'t Trace,
    query: &Query,
) -> impl Iterator<Item = (&'t Rank, &'t MemoryTrack)> {
    let wanted = query.device;
    let all = ranks(trace, query).flat_map(|rank| rank.memory.iter().map(move |t| (rank, t)));
    all.filter(move |(_, memory)| wanted.is_none_or(|id| memory.place.device() == id))
}

/// One row for each allocator: its figures in the window.
#[must_use]
pub fn memory_rows(trace: &Trace, query: &Query) -> Vec<MemoryRow> {
    let row = |(rank, memory): (&Rank, &MemoryTrack)| {
        memory_row(trace, rank, memory, memory_scope(rank, query.selection))
    };
    tracks(trace, query).map(row).collect()
}

/// One row for each allocator and each step, in the order of the steps. A window leaves the steps
/// that share time with it, whole.
#[must_use]
pub fn memory_step_rows(trace: &Trace, query: &Query) -> Vec<MemoryRow> {
    let mut rows = Vec::new();
    for (rank, memory) in tracks(trace, query) {
        let steps = rank.host_steps.iter().filter(|s| match query.selection {
            Selection::None => true,
            Selection::Window(asked) => s.window.clip(asked).is_some_and(|w| !w.is_empty()),
            Selection::Step { label, .. } => s.label == label,
        });
        rows.extend(steps.map(|step| MemoryRow {
            step: Some(step.label.to_string()),
            ..memory_row(trace, rank, memory, clip(rank, step.window))
        }));
    }
    rows
}

/// The figures of one allocator.
#[must_use]
pub fn memory_row(trace: &Trace, rank: &Rank, memory: &MemoryTrack, scope: Scope) -> MemoryRow {
    let step = None;
    MemoryRow {
        rank: rank.id,
        device: memory.place.device(),
        step,
        window: scope.window(),
        figures: scope
            .covered()
            .map(|window| figures(trace, rank, memory, window)),
        source: memory.source,
    }
}

/// A window with the last instant of the recording in it, which belongs to it as it does elsewhere.
/// Nothing is loaded from the end of a range on, so nothing is counted by two ranges.
fn closed(rank: &Rank, window: Window) -> Window {
    let known = rank.memory_window();
    let is_last = known.is_some_and(|k| k.end() == window.end());
    let end = window.end() + DurNs(i64::from(is_last));
    Window::new(window.start(), end)
}

fn figures(trace: &Trace, rank: &Rank, memory: &MemoryTrack, window: Window) -> MemoryFigures {
    let window = closed(rank, window);
    let start = memory.allocated_before(window.start());
    let held = Extreme {
        bytes: start,
        at: window.start(),
        index: usize::MAX,
    };
    // A point at the very start replaces what was held before, but that is what it begins with.
    let found = memory.allocated.extremes(window);
    let min = found.map_or(start, |f| f.min.bytes.min(start));
    let peak = match found {
        Some(found) if found.max.bytes > start => found.max,
        _ => held,
    };
    let inside = memory.allocated.indices(window);
    let peak_event = Some(peak.index).filter(|index| inside.contains(index));
    let op = peak_event.and_then(|index| rank.allocating_op(memory, index));
    let name = op.and_then(|op| rank.slices.get(op));
    let reserved = memory.reserved.as_ref();
    MemoryFigures {
        start,
        end: memory.allocated_before(window.end()),
        min,
        peak: peak.bytes,
        peak_at: peak.at,
        peak_event,
        peak_op: name.map(|op| trace.names.get(op.name()).to_owned()),
        reserved_peak: reserved.and_then(|curve| Some(curve.extremes(window)?.max.bytes)),
        reserved_end: memory.reserved_before(window.end()),
        sums: memory
            .sums_before(inside.end)
            .since(memory.sums_before(inside.start)),
    }
}

/// The allocator whose figures go with a device: the one of that number, else the only one of a GPU,
/// since processes may number visible devices anew; else that of the host where no GPU has one. Of
/// several with other numbers none goes with it. Without a device it is the first.
#[must_use]
pub fn memory_place(rank: &Rank, device: Option<DeviceId>) -> Option<MemoryPlace> {
    let is_gpu = |place: &MemoryPlace| matches!(place, MemoryPlace::Device(_));
    let places = || rank.memory.iter().map(|memory| memory.place);
    let same = device.and_then(|id| places().find(|p| *p == MemoryPlace::Device(id)));
    let mut of_gpus = places().filter(is_gpu);
    match (same, device, of_gpus.next()) {
        (Some(same), _, _) => Some(same),
        (None, Some(_), Some(gpu)) => of_gpus.next().is_none().then_some(gpu),
        (None, _, gpu) => gpu.or_else(|| places().next()),
    }
}
