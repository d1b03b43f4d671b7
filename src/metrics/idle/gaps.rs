//! [`IdleGaps`]: all gaps of a device, summed up so that any window is answered at once.

use super::judge::{self, Judge};
use super::rows::LENGTHS;
use super::{IdleCause, IdleGap};
use crate::time::{DurNs, Window};
use crate::trace::{Device, Rank, Trace};
use rayon::prelude::*;

/// How many gaps share one row of sums.
const BLOCK: usize = 512;

/// All gaps of a device in order of time, each with its cause. Independent of any window: made once,
/// then asked for any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdleGaps {
    gaps: Vec<IdleGap>,
    /// Of each block of gaps, whole.
    blocks: Vec<Sums>,
}

/// Some gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) gaps: u64,
    pub(super) total: DurNs,
    pub(super) longest: DurNs,
}

impl Sum {
    fn add(&mut self, len: DurNs) {
        self.gaps += 1;
        self.total = self.total + len;
        self.longest = self.longest.max(len);
    }

    fn add_all(&mut self, other: &Self) {
        self.gaps += other.gaps;
        self.total = self.total + other.total;
        self.longest = self.longest.max(other.longest);
    }
}

/// Gaps by cause, and by the magnitude of their length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) by_cause: [Sum; IdleCause::ALL.len()],
    pub(super) by_length: [Sum; LENGTHS.len()],
}

impl Sums {
    fn add(&mut self, cause: IdleCause, len: DurNs) {
        let mut causes = IdleCause::ALL.into_iter().zip(&mut self.by_cause);
        if let Some((_, sum)) = causes.find(|(known, _)| *known == cause) {
            sum.add(len);
        }
        let mut lengths = LENGTHS.iter().zip(&mut self.by_length).rev();
        if let Some((_, sum)) = lengths.find(|(least, _)| **least <= len.0) {
            sum.add(len);
        }
    }

    fn add_all(&mut self, other: &Self) {
        for (sum, other) in self.by_cause.iter_mut().zip(&other.by_cause) {
            sum.add_all(other);
        }
        for (sum, other) in self.by_length.iter_mut().zip(&other.by_length) {
            sum.add_all(other);
        }
    }

    /// All of them together.
    pub(super) fn idle(&self) -> DurNs {
        self.by_cause.iter().map(|sum| sum.total).sum()
    }

    fn longest(&self) -> DurNs {
        let longest = self.by_cause.iter().map(|sum| sum.longest).max();
        longest.unwrap_or_default()
    }
}

impl IdleGaps {
    /// Finds the gaps of a device and judges each. O(gaps · log n), in parallel, and a pass over the
    /// slices of the rank's threads.
    #[must_use]
    pub fn of(trace: &Trace, rank: &Rank, device: &Device, clip_suspicious: bool) -> Self {
        let judge = Judge::new(trace, rank);
        let found = judge::gaps(rank, device, clip_suspicious);
        let gaps: Vec<IdleGap> = found
            .into_par_iter()
            .map(|(window, next)| judge.judge(window, next))
            .collect();
        let sums = |gaps: &[IdleGap]| {
            let mut sums = Sums::default();
            for gap in gaps {
                sums.add(gap.cause, gap.window.len());
            }
            sums
        };
        let blocks = gaps.par_chunks(BLOCK).map(sums).collect();
        Self { gaps, blocks }
    }

    /// All of them by time.
    #[must_use]
    pub fn all(&self) -> &[IdleGap] {
        &self.gaps
    }

    /// Sums of what lies inside a window. Blocks inside of it count whole.
    pub(super) fn sums(&self, window: Window) -> Sums {
        let mut sums = Sums::default();
        for (gaps, block) in self.blocks_in(window) {
            if is_inside(gaps, window) {
                sums.add_all(block);
            } else {
                for (gap, inside) in clipped(gaps, window) {
                    sums.add(gap.cause, inside.len());
                }
            }
        }
        sums
    }

    /// The longest parts of gaps inside a window, the longest first, of equal ones the earliest; all
    /// of them without a limit.
    pub(super) fn longest(&self, window: Window, limit: Option<usize>) -> Vec<(&IdleGap, Window)> {
        let order = |a: &(&IdleGap, Window), b: &(&IdleGap, Window)| {
            let key = |x: &(&IdleGap, Window)| (x.1.len(), std::cmp::Reverse(x.1.start()));
            key(b).cmp(&key(a))
        };
        let mut found: Vec<(&IdleGap, Window)> = Vec::new();
        let limit = limit.unwrap_or(usize::MAX);
        // Shorter ones than this are not among the first any more.
        let mut least = DurNs::ZERO;
        for (gaps, block) in self.blocks_in(window) {
            if block.longest() < least {
                continue;
            }
            found.extend(clipped(gaps, window).filter(|(_, inside)| inside.len() >= least));
            if found.len() > limit.saturating_mul(2).max(BLOCK) {
                found.sort_by(order);
                found.truncate(limit);
                least = found.last().map_or(DurNs::ZERO, |(_, inside)| inside.len());
            }
        }
        found.sort_by(order);
        found.truncate(limit);
        found
    }

    /// The blocks that may share time with a window.
    fn blocks_in(&self, window: Window) -> impl Iterator<Item = (&[IdleGap], &Sums)> {
        let all = self.gaps.chunks(BLOCK).zip(&self.blocks);
        let ends_before = move |gaps: &[IdleGap]| {
            gaps.last()
                .is_some_and(|gap| gap.window.end() <= window.start())
        };
        let starts_behind = move |gaps: &[IdleGap]| {
            gaps.first()
                .is_some_and(|gap| gap.window.start() >= window.end())
        };
        all.skip_while(move |(gaps, _)| ends_before(gaps))
            .take_while(move |(gaps, _)| !starts_behind(gaps))
    }
}

fn is_inside(gaps: &[IdleGap], window: Window) -> bool {
    let ends = gaps.first().zip(gaps.last());
    ends.is_some_and(|(first, last)| {
        window.start() <= first.window.start() && last.window.end() <= window.end()
    })
}

/// What of gaps lies inside a window, where anything does.
fn clipped(gaps: &[IdleGap], window: Window) -> impl Iterator<Item = (&IdleGap, Window)> {
    gaps.iter().filter_map(move |gap| {
        let inside = gap.window.clip(window)?;
        (!inside.is_empty()).then_some((gap, inside))
    })
}
