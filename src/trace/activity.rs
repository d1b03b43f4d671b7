//! What a device or stream was busy with, in a form that answers for any window at once.
//!
//! An [`Activity`] is the partition of time by the three kernel classes. It is built once when a
//! trace is loaded; metrics read its measures and the timeline draws its intervals, so both always
//! speak of the same instants.

use super::class::KernelClass;
use crate::interval::{Interval, Measure, Member, Partition, Parts};
use crate::time::{DurNs, Ns, Window};

/// Bit masks of the partition: which classes are active.
///
/// `C` is computation, `M` communication, `Y` memory; see the definitions in `docs/metrics.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

impl Busy {
    /// Computation.
    pub const C: u8 = 1 << KernelClass::Computation as u8;
    /// Communication.
    pub const M: u8 = 1 << KernelClass::Communication as u8;
    /// Copies and memsets.
    pub const Y: u8 = 1 << KernelClass::Memory as u8;

    /// The bit of a class.
    #[must_use]
    pub fn bit(class: KernelClass) -> u8 {
        1 << class as u8
    }
}

/// Time of one device or stream, cut by what ran.
#[derive(Clone, Debug, Default)]
pub struct Activity(Partition);

impl Activity {
    /// Builds from `(start, end, class)` of kernels in any order.
    #[must_use]
    pub fn new(kernels: &[(Ns, Ns, KernelClass)]) -> Self {
        Self(Partition::new(kernels.iter().map(
            |&(start, end, class)| Member {
                start,
                end,
                group: class as u8,
            },
        )))
    }

    /// Time per subset of active classes inside a window; mask 0 is idle.
    #[must_use]
    pub fn measure(&self, window: Window) -> Parts {
        self.0.measure(window)
    }

    /// The same with the number of kernels and the sum of their clipped durations.
    #[must_use]
    pub fn measure_all(&self, window: Window) -> Measure {
        self.0.measure_all(window)
    }

    /// The same for the windows between neighbours of a sorted list of instants.
    pub fn measure_columns(&self, edges: &[Ns], found: impl FnMut(Window, Parts)) {
        self.0.measure_columns(edges, found);
    }

    /// Number of kernels with time inside a window, and zero-length ones that start inside.
    #[must_use]
    pub fn kernels(&self, window: Window) -> u64 {
        self.0.measure_all(window).count
    }

    /// Sum of the kernels' clipped durations; kernels side by side count each for themselves.
    #[must_use]
    pub fn duration_sum(&self, window: Window) -> DurNs {
        self.0.measure_all(window).sum
    }

    /// Number of kernels that began before an instant and end behind it.
    #[must_use]
    pub fn across(&self, at: Ns) -> u64 {
        self.0.across(at)
    }

    /// The intervals inside a window in which the set of active classes satisfies a predicate.
    pub fn intervals<'a>(
        &'a self,
        window: Window,
        accepts: impl Fn(u8) -> bool + 'a,
    ) -> impl Iterator<Item = Interval> + 'a {
        self.0.intervals(window, accepts)
    }

    /// Moves everything by a length of time.
    pub(super) fn move_by(&mut self, by: DurNs) {
        self.0.move_by(by);
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}
