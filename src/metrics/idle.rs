//! Why a device was idle: every gap with one cause, told by the kernel that ended it.
//!
//! A gap is a maximal part of the rank's capture in which no kernel of any class runs on a device.
//! What kept the device from work is asked of the next kernel that starts on it: where its launch
//! call was while the device stood still, and what the launching thread did before it.
//!
//! ```text
//! GPU    [kernel]...........gap...........[next]
//! host     [sync      ][op  ][launch]              blocked in a synchronisation: it is the cause
//! host   [launch]                                  launched before: queue or dependency
//! host              [op           ][launch]        host late, by the op
//! host                            [launch]         host idle too
//! ```
//!
//! A gap has its cause whatever window is asked for, so the parts of two windows that touch add up.
//! In every window the parts of a device sum to its idle time exactly. A communication kernel that
//! waits for another rank occupies the device; that is no gap.

mod gaps;
mod judge;
mod rows;
mod thread;

pub use gaps::IdleGaps;
pub use rows::{IdleGapRow, IdleLengthRow, longest_gaps, rows_by_length};

use super::window::scope;
use super::{Query, Ratio};
use crate::time::{DurNs, Window};
use crate::trace::{Device, DeviceId, Rank, RankId, SliceId, Trace};
use gaps::Sum;

/// Why a device stood still; of several that fit, the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleCause {
    /// The launching thread was blocked in a synchronisation, a barrier or a collective, for at
    /// least half of the time that the launch came late by.
    HostSync,
    /// The same in a copy.
    HostCopy,
    /// The launch call was over when the gap began: the kernel waited for its stream or for others.
    Queued,
    /// The launch call had begun when the gap began, or takes at least half of it.
    Launch,
    /// The launching thread was at work, for at least half of the time that the launch came late by.
    HostLate,
    /// The launching thread did nothing that was recorded, or waited for data, a lock or others.
    HostIdle,
    /// Nothing in the trace tells.
    Unknown,
}

impl IdleCause {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 7] = [
        Self::HostSync,
        Self::HostCopy,
        Self::Queued,
        Self::Launch,
        Self::HostLate,
        Self::HostIdle,
        Self::Unknown,
    ];

    /// The word in tables and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HostSync => "host_sync",
            Self::HostCopy => "host_copy",
            Self::Queued => "queued",
            Self::Launch => "launch",
            Self::HostLate => "host_late",
            Self::HostIdle => "host_idle",
            Self::Unknown => "unknown",
        }
    }

    /// The same for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::HostSync => "host blocked in a synchronisation",
            Self::HostCopy => "host blocked in a copy",
            Self::Queued => "launched before: queue or dependency",
            Self::Launch => "launch call",
            Self::HostLate => "host late",
            Self::HostIdle => "host idle too",
            Self::Unknown => "unknown",
        }
    }

    /// The same where there is little room.
    #[must_use]
    pub fn short_label(self) -> &'static str {
        match self {
            Self::HostSync => "blocked in a sync",
            Self::HostCopy => "blocked in a copy",
            Self::Queued => "queue, dependency",
            other => other.label(),
        }
    }

    /// What to look at next.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::HostSync => {
                "The host waited and could not launch ahead. Look for .item(), .cpu(), printing of tensors, barriers."
            }
            Self::HostCopy => {
                "The host waited for a copy. Pinned memory and non_blocking=True let it go on."
            }
            Self::Queued => {
                "The kernel was ready in time and waited: for its stream, an event of another stream, or the GPU's own start-up of a kernel."
            }
            Self::Launch => {
                "Launching took the time. CUDA graphs, fewer and larger kernels; a long first launch loads a module."
            }
            Self::HostLate => {
                "The host did not launch fast enough. Fewer small ops, CUDA graphs, torch.compile; the named call is where the time went."
            }
            Self::HostIdle => {
                "Neither side worked. Look at data loading, locks, files, page faults and other ranks: py-spy, strace, perf, NVTX ranges."
            }
            Self::Unknown => "The trace does not tell; record CPU activity and launches.",
        }
    }
}

/// Why nothing can be told of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdleDoubt {
    /// No kernel starts on the device after it.
    NoNext,
    /// The next kernel has no launch call in the trace.
    NoLaunch,
    /// Of the launching thread only calls of the runtime are known.
    NoHostRows,
}

impl IdleDoubt {
    /// A short phrase.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NoNext => "no kernel follows",
            Self::NoLaunch => "no launch call recorded",
            Self::NoHostRows => "no CPU work of the launching thread recorded",
        }
    }
}

/// One gap of a device and its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleGap {
    /// When the device stood still; the whole of it, inside the capture.
    pub window: Window,
    /// Why.
    pub cause: IdleCause,
    /// The kernel that ended it.
    pub next: Option<SliceId>,
    /// The host call that is to blame, where one can be named.
    pub blamed: Option<SliceId>,
    /// Why nothing can be told, for [`IdleCause::Unknown`].
    pub doubt: Option<IdleDoubt>,
}

/// What of a device's idle time in a window has one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The cause.
    pub cause: IdleCause,
    /// The window, half-open.
    pub window: Window,
    /// Gaps with time inside.
    pub gaps: u64,
    /// What of them lies inside.
    pub total: DurNs,
    /// All idle time of the device in the window.
    pub idle: DurNs,
    /// The longest part of a gap inside.
    pub longest: DurNs,
    /// The profiler's own options that slow the host down, where the host was late.
    pub inflated_by: Option<&'static str>,
}

impl IdleRow {
    /// The total as a share of the idle time.
    #[must_use]
    pub fn share_of_idle(&self) -> Option<Ratio> {
        Ratio::new(self.total, self.idle)
    }

    /// The total as a share of the window.
    #[must_use]
    pub fn share_of_window(&self) -> Option<Ratio> {
        Ratio::new(self.total, self.window.len())
    }
}

/// One row a cause, in the order in which causes are tried; `gaps` are all gaps of the device.
#[must_use]
pub fn rows_by_cause(
    rank: &Rank,
    device: &Device,
    gaps: &IdleGaps,
    window: Window,
) -> Vec<IdleRow> {
    let sums = gaps.sums(window);
    let idle = sums.idle();
    let row = |(cause, sum): (IdleCause, &Sum)| IdleRow {
        rank: rank.id,
        device: device.id,
        cause,
        window,
        gaps: sum.gaps,
        total: sum.total,
        idle,
        longest: sum.longest,
        inflated_by: (cause == IdleCause::HostLate)
            .then(|| rank.recorded_with.slows_the_host())
            .flatten(),
    };
    IdleCause::ALL
        .into_iter()
        .zip(&sums.by_cause)
        .map(row)
        .collect()
}

/// One row for each (rank, device, cause). None for a device whose rank recorded nothing of the
/// window.
#[must_use]
pub fn idle_rows(trace: &Trace, query: &Query) -> Vec<IdleRow> {
    let mut rows = Vec::new();
    for (rank, device) in query.devices(trace) {
        let scope = scope(rank, device, query.selection, query.clip_suspicious);
        if let Some(window) = scope.covered() {
            let gaps = IdleGaps::of(trace, rank, device, query.clip_suspicious);
            rows.extend(rows_by_cause(rank, device, &gaps, window));
        }
    }
    rows
}
