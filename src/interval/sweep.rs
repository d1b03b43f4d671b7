//! The sweep line: how long two groups of intervals run at the same time.

#![expect(
    clippy::indexing_slicing,
    reason = "the two groups are an array of two"
)]

use super::IntervalSet;
use crate::time::{DurNs, Ns};

/// Time during which both merged groups are active: `|A ∩ B|`.
///
/// The figures come from the partition, which holds this answer for any window; the sweep is the
/// plain way to it for two whole sets, and what the partition is checked against.
///
/// Walks all edges in time order; an end sorts before a start at the same instant, so intervals
/// that only touch do not overlap. It needs no memory beyond the two sets, and it is written
/// without [`IntervalSet::intersect`], so that each checks the other in tests.
#[must_use]
pub fn sweep_overlap(a: &IntervalSet, b: &IntervalSet) -> DurNs {
    let mut edges = [Edges::new(a), Edges::new(b)];
    let mut total = DurNs::ZERO;
    let mut since: Option<Ns> = None;
    loop {
        let first = match (edges[0].next(), edges[1].next()) {
            (None, _) | (_, None) => return total,
            (Some(x), Some(y)) => usize::from(y < x),
        };
        let Some((at, is_start)) = edges[first].next() else {
            return total;
        };
        edges[first].advance();
        if !is_start {
            if let Some(start) = since.take() {
                total = total + (at - start);
            }
        } else if edges[1 - first].inside() {
            since = Some(at);
        }
    }
}

/// The edges of one merged set in order: start, end, start, end, …
struct Edges<'a> {
    set: &'a IntervalSet,
    at: usize,
}

impl<'a> Edges<'a> {
    fn new(set: &'a IntervalSet) -> Self {
        Self { set, at: 0 }
    }

    /// `(instant, is a start)`; `false < true` puts ends first at one instant.
    fn next(&self) -> Option<(Ns, bool)> {
        let interval = self.set.intervals().get(self.at / 2)?;
        Some(if self.at.is_multiple_of(2) {
            (interval.start, true)
        } else {
            (interval.end, false)
        })
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn inside(&self) -> bool {
        !self.at.is_multiple_of(2)
    }
}
