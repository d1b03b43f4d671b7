//! Sub-rows within a lane, so that overlapping and nested slices are all visible.

use super::super::rank::Rank;
use super::to_usize;
use crate::time::Ns;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A way to give overlapping slices rows of their own, in order of start.
pub(super) trait RowRule {
    fn row(&mut self, start: Ns, end: Ns) -> u16;
}

/// The lowest row that is free: kernels of one stream that overlap.
#[derive(Default)]
pub(super) struct FirstFree {
    busy: BinaryHeap<Reverse<(Ns, u16)>>,
    free: BinaryHeap<Reverse<u16>>,
    rows: u16,
}

impl RowRule for FirstFree {
    fn row(&mut self, start: Ns, end: Ns) -> u16 {
        while let Some(Reverse((until, row))) = self.busy.peek().copied() {
            if until > start {
                break;
            }
            self.busy.pop();
            self.free.push(Reverse(row));
        }
        let row = self.free.pop().map_or_else(
            || {
                let row = self.rows;
                self.rows = self.rows.saturating_add(1);
                row
            },
            |r| r.0,
        );
        self.busy.push(Reverse((end, row)));
        row
    }
}

/// One row below the innermost slice that is still open: host calls.
#[derive(Default)]
pub(super) struct Nested {
    open: Vec<Ns>,
}

impl RowRule for Nested {
    fn row(&mut self, start: Ns, end: Ns) -> u16 {
        while self.open.last().is_some_and(|until| *until <= start) {
            self.open.pop();
        }
        let row = u16::try_from(self.open.len()).unwrap_or(u16::MAX);
        self.open.push(end);
        row
    }
}

/// Fills the row column over a lane; returns the number of rows.
pub(super) fn assign_rows(rank: &mut Rank, range: &Range<u32>, rule: &mut impl RowRule) -> u16 {
    let mut rows = 0_u16;
    for i in to_usize(range.start)..to_usize(range.end) {
        let (Some(start), Some(dur)) = (rank.slices.start.get(i), rank.slices.dur.get(i)) else {
            continue;
        };
        let row = rule.row(*start, *start + *dur);
        rows = rows.max(row.saturating_add(1));
        if let Some(slot) = rank.slices.row.get_mut(i) {
            *slot = row;
        }
    }
    rows
}
