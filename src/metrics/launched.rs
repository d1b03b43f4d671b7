//! What a host call put the GPU to: the difference between a clock around the call and the work
//! that it started.

use crate::interval::{Interval, IntervalSet};
use crate::time::{DurNs, Window};
use crate::trace::{Rank, SliceId};

/// The GPU work that was launched inside of a host slice on its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Number of kernels, copies and fills.
    pub kernels: u64,
    /// From the first start to the last end of them.
    pub window: Window,
    /// Time in which at least one of them runs.
    pub busy: DurNs,
    /// Sum of their lengths; those that run side by side count each.
    pub sum: DurNs,
    /// What a clock of the CPU around the call measures: its own length.
    pub host: DurNs,
    /// How long the GPU worked on it after the call had returned; zero where the call waited.
    pub after_return: DurNs,
}

/// Measures the GPU work of a host slice; `None` where it launched nothing. What another thread
/// launched for it, as the backward pass does, is not among it.
///
/// O(n log n) for n slices inside.
#[must_use]
pub fn launched_by(rank: &Rank, id: SliceId) -> Option<Launched> {
    let call = rank.slices.get(id)?;
    rank.thread_of(id)?;
    let work: Vec<Interval> = rank
        .launched_inside(id)
        .map(|(_, kernel)| Interval::from(kernel.window()))
        .collect();
    let whole = work.iter().map(|i| Window::new(i.start, i.end));
    let window = whole.reduce(Window::hull)?;
    Some(Launched {
        kernels: u64::try_from(work.len()).unwrap_or(u64::MAX),
        window,
        sum: work.iter().map(|i| i.len()).sum(),
        busy: IntervalSet::merge(work).total(),
        host: call.dur(),
        after_return: (window.end() - call.end()).max(DurNs::ZERO),
    })
}
