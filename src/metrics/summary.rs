//! [`Summary`]: every figure of one device or stream in one window.
//!
//! All of them are sums of the parts that [`Activity::measure`] returns, so the temporal breakdown
//! and the five-way split both add up to the window exactly, in integer ns, for every window.

use super::Ratio;
use crate::time::{DurNs, Window};
use crate::trace::{Activity, Busy, Device};

/// Figures of one device or stream in one window, in ns. `C`, `M`, `Y` are the unions of
/// computation, communication and memory kernels clipped to the window; `N = M | Y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Summary {
    /// The window that the figures are of.
    pub window: Window,
    /// Kernels with time inside, and zero-length ones that start inside.
    pub kernels: u64,
    /// Length of the window.
    pub kernel_time: DurNs,
    /// `|C | M | Y|`: at least one kernel runs.
    pub kernel_run_time: DurNs,
    /// `kernel_time - non_compute_time - idle_time`; always equals `comp`.
    pub compute_time: DurNs,
    /// `|N| - |C & N|`: communication or memory runs and no computation.
    pub non_compute_time: DurNs,
    /// No kernel of any class runs.
    pub idle_time: DurNs,
    /// `|C|`.
    pub comp: DurNs,
    /// `|M|`.
    pub comm: DurNs,
    /// `|Y|`.
    pub memory: DurNs,
    /// `|C & M|`: communication that computation hides.
    pub overlap: DurNs,
    /// `|C \ M|`.
    pub compute_only: DurNs,
    /// `|M \ C|`: communication that no computation hides.
    pub exposed_comm: DurNs,
    /// `|Y \ (C | M)|`: copies and fills that nothing hides.
    pub exposed_memory: DurNs,
    /// Plain sum of the kernels' clipped durations; kernels side by side count each for
    /// themselves, so it may exceed the window.
    pub duration_sum: DurNs,
}

/// Share of the window by what ran, each instant under the first class that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DutySplit {
    /// `|C|` of the window.
    pub computation: Option<Ratio>,
    /// `|M \ C|` of the window.
    pub communication_only: Option<Ratio>,
    /// `|Y \ (C | M)|` of the window.
    pub memory_only: Option<Ratio>,
}

/// The figures of a device or stream in a window. O(log n), without allocation.
#[must_use]
pub fn summary(activity: &Activity, window: Window) -> Summary {
    let measure = activity.measure_all(window);
    let parts = measure.parts;
    let has = |mask: u8, bit: u8| mask & bit != 0;
    let kernel_time = window.len();
    let idle_time = parts.exactly(0);
    let non_compute_time = parts.sum(|m| m != 0 && !has(m, Busy::C));
    Summary {
        window,
        kernels: measure.count,
        kernel_time,
        kernel_run_time: kernel_time - idle_time,
        compute_time: kernel_time - non_compute_time - idle_time,
        non_compute_time,
        idle_time,
        comp: parts.sum(|m| has(m, Busy::C)),
        comm: parts.sum(|m| has(m, Busy::M)),
        memory: parts.sum(|m| has(m, Busy::Y)),
        overlap: parts.sum(|m| has(m, Busy::C) && has(m, Busy::M)),
        compute_only: parts.sum(|m| has(m, Busy::C) && !has(m, Busy::M)),
        exposed_comm: parts.sum(|m| has(m, Busy::M) && !has(m, Busy::C)),
        exposed_memory: parts.exactly(Busy::Y),
        duration_sum: measure.sum,
    }
}

impl Summary {
    /// A time as a share of the window.
    #[must_use]
    pub fn share(&self, part: DurNs) -> Option<Ratio> {
        Ratio::new(part, self.kernel_time)
    }

    /// Busy share of the window, never over 100 %.
    #[must_use]
    pub fn busy_share(&self) -> Option<Ratio> {
        self.share(self.kernel_run_time)
    }

    /// `overlap / (comp + comm - overlap)`.
    #[must_use]
    pub fn overlap_of_union(&self) -> Option<Ratio> {
        Ratio::new(self.overlap, self.comp + self.comm - self.overlap)
    }

    /// `overlap / comm`: how much of the communication computation hides.
    #[must_use]
    pub fn comm_hidden_by_comp(&self) -> Option<Ratio> {
        Ratio::new(self.overlap, self.comm)
    }

    /// Computation, communication only and memory only as shares of the window.
    #[must_use]
    pub fn duty_split(&self) -> DutySplit {
        DutySplit {
            computation: self.share(self.comp),
            communication_only: self.share(self.exposed_comm),
            memory_only: self.share(self.exposed_memory),
        }
    }

    /// The five-way split in its order: compute only, overlap, exposed communication, exposed
    /// memory, idle. Sums to the window exactly.
    #[must_use]
    pub fn five_way(&self) -> [DurNs; 5] {
        [
            self.compute_only,
            self.overlap,
            self.exposed_comm,
            self.exposed_memory,
            self.idle_time,
        ]
    }
}

/// Busy time of a device as recorded and with suspicious kernels clipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunTotals {
    /// `kernel_run_time` of the kernels as the file has them.
    pub as_recorded: DurNs,
    /// `kernel_run_time` with each suspicious kernel cut at the next start of its stream.
    pub clipped: DurNs,
}

/// Both busy times of a device in a window; `None` where no kernel of it is suspicious.
#[must_use]
pub fn run_totals(device: &Device, window: Window) -> Option<RunTotals> {
    let clipped = device.clipped.as_ref()?;
    Some(RunTotals {
        as_recorded: summary(&device.activity, window).kernel_run_time,
        clipped: summary(clipped, window).kernel_run_time,
    })
}
