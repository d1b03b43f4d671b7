//! Findings: what keeps a device from its work, how much time that is, and what to try.
//!
//! Each rule looks for one reason and claims the instants of the window that it explains. What is
//! claimed is gone: later rules get only what is left, so no nanosecond is at stake twice.
//!
//! ```text
//! window    |cc|oo|ee|mm|..|..|        c compute only, o overlap, e exposed, m memory, . idle
//! straggler       |e |                 claims a part of what is exposed
//! stream            e|                 gets the rest
//! sync                    |. |
//! ```
//!
//! Contention claims from the overlap, all other rules from what no computation hides. The order of
//! the rules, their thresholds and where those are from: `docs/overlap.md`.

mod buckets;
mod case;
mod collectives;
mod contention;
mod depth;
mod host;
mod kind;
mod waits;

pub(super) use case::whole_steps;
pub use kind::{FindingKind, Severity};

use super::overlap::{Evidence, FigureSource, Observed, OverlapAnalysis};
use super::{GroupLabel, Ratio};
use crate::interval::IntervalSet;
use crate::time::{DurNs, Window};
use crate::trace::{DeviceId, RankId};
use case::Case;
use std::borrow::Cow;

/// One reason for lost time on a device in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The window.
    pub window: Window,
    /// How much of the window is at stake, in words.
    pub severity: Severity,
    /// What was found.
    pub kind: FindingKind,
    /// The same in words, with what makes this one special.
    pub title: String,
    /// The time at stake in the window: what could be won at most.
    pub at_stake: DurNs,
    /// The same of a mean whole step; `None` where the window holds none.
    pub per_step: Option<DurNs>,
    /// How many whole steps the window holds.
    pub steps: u64,
    /// Where the time comes from.
    pub source: FigureSource,
    /// How many events it rests on.
    pub count: u64,
    /// The share of what it speaks of that it rests on.
    pub coverage: Option<Ratio>,
    /// What is held in memory for nothing, where that and no time is at stake.
    pub held: Option<Held>,
    /// An event to look at.
    pub evidence: Option<Evidence>,
    /// What to try.
    pub advice: &'static str,
    /// What it means here, and its limits.
    pub note: Cow<'static, str>,
    /// The instants that it claims: no other finding of the device has any of them.
    pub claimed: IntervalSet,
}

/// Memory that is held longer than is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// How long a buffer waits for its use, in the median.
    pub waits: DurNs,
    /// Bytes that are held beyond what is needed, where sizes are known.
    pub bytes: Option<u64>,
}

/// What was found on each device that was analysed, the gravest first. `labels` say what process
/// groups are for, where that is known.
///
/// Linear in the kernels and host slices of the window, so a window asks a worker.
#[must_use]
pub fn findings(
    observed: &Observed<'_>,
    analyses: &[OverlapAnalysis],
    labels: &[GroupLabel],
) -> Vec<Finding> {
    let of = |analysis| of_device(observed, analysis, labels).unwrap_or_default();
    analyses.iter().flat_map(of).collect()
}

fn of_device(
    observed: &Observed<'_>,
    analysis: &OverlapAnalysis,
    labels: &[GroupLabel],
) -> Option<Vec<Finding>> {
    let mut case = Case::new(observed, analysis, labels)?;
    // What is exact comes before what is likely, and what is special before what is general.
    waits::stragglers(&mut case);
    collectives::no_independent_stream(&mut case);
    host::allocations(&mut case);
    waits::blocked_host(&mut case);
    waits::unpinned_copies(&mut case);
    collectives::small(&mut case);
    buckets::all(&mut case);
    collectives::no_prefetch(&mut case);
    depth::deeper_than_useful(&mut case);
    collectives::rest(&mut case);
    contention::memory_bound(&mut case);
    contention::channels(&mut case);
    host::launches(&mut case);
    host::late(&mut case);
    host::idle(&mut case);
    let mut found = case.found;
    found.sort_by_key(|f| std::cmp::Reverse((f.severity, f.at_stake)));
    Some(found)
}
