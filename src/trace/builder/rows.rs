//! Sub-rows within a lane, so that overlapping and nested slices are all visible.

use super::partial::{Stop, go_on};
use super::to_usize;
use crate::time::{DurNs, Ns};
use crate::trace::Slices;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A way to give overlapping slices rows of their own, in order of start.
trait RowRule {
    fn row(&mut self, start: Ns, end: Ns) -> u16;
}

/// The lowest row that is free: kernels of one stream that overlap.
#[derive(Default)]
struct FirstFree {
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
struct Nested {
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

/// Fills the row column of a lane, whose slices have these starts and lengths; returns the number
/// of rows.
fn assign_rows(starts: &[Ns], durs: &[DurNs], rows: &mut [u16], rule: &mut impl RowRule) -> u16 {
    let mut count = 0_u16;
    for ((start, dur), slot) in starts.iter().zip(durs).zip(rows) {
        *slot = rule.row(*start, *start + *dur);
        count = count.max(slot.saturating_add(1));
    }
    count
}

/// Fills the row column of all lanes, which lie one behind the other from the first slice on;
/// returns the number of rows of each. `None` where the work is to be given up.
pub(super) fn assign_all(
    slices: &mut Slices,
    lanes: &[(RowKind, Range<u32>)],
    stop: Stop<'_>,
) -> Option<Vec<u16>> {
    let mut rest = slices.row.as_mut_slice();
    let (starts, durs) = (&slices.start, &slices.dur);
    let mut parts = Vec::with_capacity(lanes.len());
    for (kind, range) in lanes {
        let range = to_usize(range.start)..to_usize(range.end);
        let (own, later) = rest.split_at_mut_checked(range.len())?;
        rest = later;
        parts.push((*kind, starts.get(range.clone())?, durs.get(range)?, own));
    }
    let count = |(kind, starts, durs, rows): (RowKind, &[Ns], &[DurNs], &mut [u16])| {
        go_on(stop)?;
        Some(match kind {
            RowKind::FirstFree => assign_rows(starts, durs, rows, &mut FirstFree::default()),
            RowKind::Nested => assign_rows(starts, durs, rows, &mut Nested::default()),
        })
    };
    parts.into_par_iter().map(count).collect()
}

/// By which rule the slices of a lane get their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// [`FirstFree`]
    FirstFree,
    /// [`Nested`]
    Nested,
}
