//! Sub-rows: the slices of a lane that stand in one line and never overlap.
//!
//! Slices of a lane are sorted by start, but where they overlap or nest their ends are not. Within
//! one sub-row both are sorted, so every question is a binary search. [`RowIndex`] lists each row's
//! slices, unless a lane has only one, and keeps running totals and the longest slice of every few
//! slices, so that a view of millions of slices costs a short search a pixel.

use super::buckets::{Buckets, Coarse, LEAST_SLICES};
use super::class::KernelClass;
use super::{Slice, SliceId, Slices, Times};
use crate::time::{DurNs, Ns, Window};
use std::ops::Range;

/// How many slices share one row of running totals; all of them are looked at for an instant.
pub(super) const BLOCK: usize = 8;
/// How many blocks share one longest slice, so that a screen of short ones is passed over at once.
const GROUP: usize = 32;

/// The slices of each sub-row of one lane, with sampled running totals. 6 bytes a slice where the
/// lane has one row, else 10.
#[derive(Clone, Debug, Default)]
pub struct RowIndex {
    rows: Vec<Listed>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Listed {
    /// All slices, where the row is alone in its lane.
    pub(super) whole: Option<Range<u32>>,
    /// Else the slices one by one.
    pub(super) ids: Vec<u32>,
    /// Time by what ran before slice `BLOCK * i`.
    pub(super) sums: Vec<Times>,
    /// Start of slice `BLOCK * i`: a small column to search in.
    pub(super) firsts: Vec<Ns>,
    /// The longest of the slices from `BLOCK * i` on.
    longest: Vec<DurNs>,
    /// The longest of the blocks from `GROUP * i` on.
    groups: Vec<DurNs>,
    /// Starts of slices without length.
    points: Vec<Ns>,
    /// Busy time by equal stretches, where there are many slices.
    buckets: Buckets,
}

impl Listed {
    fn push(&mut self, place: usize, slice: &Slice<'_>, total: &mut Times) {
        if place.is_multiple_of(BLOCK) {
            self.sums.push(*total);
            self.firsts.push(slice.start());
            self.longest.push(slice.dur());
        } else if let Some(longest) = self.longest.last_mut() {
            *longest = (*longest).max(slice.dur());
        }
        if slice.dur() == DurNs::ZERO {
            self.points.push(slice.start());
        }
        total.add(slice.class(), slice.dur());
    }

    fn finish(&mut self) {
        let longest = |blocks: &[DurNs]| blocks.iter().copied().max().unwrap_or_default();
        self.groups = self.longest.chunks(GROUP).map(longest).collect();
        self.ids.shrink_to_fit();
        self.sums.shrink_to_fit();
        self.firsts.shrink_to_fit();
        self.longest.shrink_to_fit();
        self.points.shrink_to_fit();
    }

    fn heap_bytes(&self) -> usize {
        self.ids.capacity() * size_of::<u32>()
            + self.sums.capacity() * size_of::<Times>()
            + self.firsts.capacity() * size_of::<Ns>()
            + (self.longest.capacity() + self.groups.capacity()) * size_of::<DurNs>()
            + self.points.capacity() * size_of::<Ns>()
            + self.buckets.heap_bytes()
    }
}

impl RowIndex {
    /// Lists the rows of a lane in one pass.
    #[must_use]
    pub fn new(slices: &Slices, lane: Range<u32>, rows: u16) -> Self {
        let last = usize::from(rows.max(1)) - 1;
        let mut listed = vec![(Listed::default(), Times::default()); last + 1];
        if let ([(row, total)], true) = (listed.as_mut_slice(), last == 0) {
            for (place, slice) in slices.range(lane.clone()).enumerate() {
                row.push(place, &slice, total);
            }
            row.whole = Some(lane);
        } else {
            for slice in slices.range(lane) {
                let Some((row, total)) = listed.get_mut(usize::from(slice.row()).min(last)) else {
                    continue;
                };
                row.push(row.ids.len(), &slice, total);
                row.ids.push(slice.id().0);
            }
        }
        let rows = listed.into_iter().map(|(mut row, _)| {
            row.finish();
            row
        });
        let mut index = Self {
            rows: rows.collect(),
        };
        index.count(slices);
        index
    }

    /// Counts what the rows of many slices were busy with.
    fn count(&mut self, slices: &Slices) {
        for listed in &mut self.rows {
            let row = Row {
                slices,
                ids: Ids::Listed(listed),
            };
            let count = row.len();
            let (first, last) = (row.get(0), row.get(count.saturating_sub(1)));
            if let (true, Some(first), Some(last)) = (count >= LEAST_SLICES, first, last) {
                let extent = Window::new(first.start(), last.end());
                let mut counting = Buckets::counting(extent, count);
                row.each(0..count, |start, dur, class| {
                    counting.add(start, dur, class);
                    true
                });
                listed.buckets = counting.finish();
            }
        }
    }

    /// A sub-row, from 0; `slices` must be the columns that the index was made from.
    #[must_use]
    pub fn row<'a>(&'a self, slices: &'a Slices, sub_row: u16) -> Option<Row<'a>> {
        Some(Row {
            slices,
            ids: Ids::Listed(self.rows.get(usize::from(sub_row))?),
        })
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Listed>()
            + self.rows.iter().map(Listed::heap_bytes).sum::<usize>()
    }
}

/// One sub-row: slices that are sorted by start and by end.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub(super) slices: &'a Slices,
    pub(super) ids: Ids<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Ids<'a> {
    /// All of a lane whose slices never overlap, without more knowledge.
    Whole(u32, u32),
    Listed(&'a Listed),
}

impl<'a> Row<'a> {
    /// A range of slices that never overlap, without an index.
    #[must_use]
    pub fn whole(slices: &'a Slices, lane: &Range<u32>) -> Self {
        Self {
            slices,
            ids: Ids::Whole(lane.start, lane.end),
        }
    }

    /// The slices where they stand together in the columns.
    pub(super) fn range(&self) -> Option<(u32, u32)> {
        match self.ids {
            Ids::Whole(from, to) => Some((from, to)),
            Ids::Listed(listed) => listed.whole.as_ref().map(|range| (range.start, range.end)),
        }
    }

    /// Number of slices.
    #[must_use]
    pub fn len(&self) -> usize {
        match (self.range(), self.ids) {
            (Some((from, to)), _) => usize::try_from(to.saturating_sub(from)).unwrap_or(0),
            (None, Ids::Listed(listed)) => listed.ids.len(),
            (None, Ids::Whole(..)) => 0,
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slice at a place of the row.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<Slice<'a>> {
        let id = match (self.range(), self.ids) {
            (Some((from, to)), _) => {
                let id = from.checked_add(u32::try_from(i).ok()?)?;
                (id < to).then_some(id)?
            }
            (None, Ids::Listed(listed)) => *listed.ids.get(i)?,
            (None, Ids::Whole(..)) => return None,
        };
        self.slices.get(SliceId(id))
    }

    fn starts_before(&self, i: usize, at: Ns) -> bool {
        self.get(i).is_some_and(|s| s.start() < at)
    }

    /// Place of the first slice from `from` on that starts at or after an instant. Looks near
    /// `from` first, since that is where the next pixel's slice mostly is.
    #[must_use]
    pub fn first_from(&self, from: usize, at: Ns) -> usize {
        let len = self.len();
        let (mut low, mut step) = (from, 1);
        while low + step <= len && self.starts_before(low + step - 1, at) {
            low += step;
            step *= 2;
        }
        let mut high = (low + step - 1).min(len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.starts_before(middle, at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Place of the first slice that starts at or after an instant, or reaches past it.
    #[must_use]
    pub fn first_reaching(&self, at: Ns) -> usize {
        // The small column first: it is in the cache where the slices are not.
        let from = match self.ids {
            Ids::Listed(listed) => {
                let blocks = listed.firsts.partition_point(|t| *t < at);
                blocks.saturating_sub(1) * BLOCK
            }
            Ids::Whole(..) => 0,
        };
        let next = self.first_from(from, at);
        match next.checked_sub(1) {
            Some(i) if self.get(i).is_some_and(|s| s.end() > at) => i,
            _ => next,
        }
    }

    /// Time of a window by what ran, by a walk over the slices around place `from`, which must not
    /// lie past the window; and the place of the first slice that starts past it.
    #[must_use]
    pub fn walk(&self, from: usize, window: Window) -> (Times, usize) {
        let mut at = from;
        while let Some(before) = at.checked_sub(1)
            && self.get(before).is_some_and(|s| s.end() > window.start())
        {
            at = before;
        }
        let mut times = Times::default();
        while let Some(slice) = self.get(at).filter(|s| s.start() < window.end()) {
            let inside = slice.end().min(window.end()) - slice.start().max(window.start());
            times.add(slice.class(), inside.max(DurNs::ZERO));
            at += 1;
        }
        (times, at.max(from))
    }

    /// Calls `found` with start, length and class of the slices at some places, until it says that
    /// it has enough.
    pub fn each(
        &self,
        places: Range<usize>,
        mut found: impl FnMut(Ns, DurNs, Option<KernelClass>) -> bool,
    ) {
        if let Some((from, to)) = self.range() {
            // Straight from the columns: this is the innermost loop of a frame.
            let (from, to) = (SliceId(from).index(), SliceId(to).index());
            let ids = (from + places.start).min(to)..(from + places.end).min(to);
            let starts = self.slices.start.get(ids.clone()).unwrap_or_default();
            let durs = self.slices.dur.get(ids.clone()).unwrap_or_default();
            let classes = self.slices.class.get(ids).unwrap_or_default();
            for ((start, dur), class) in starts.iter().zip(durs).zip(classes) {
                if !found(*start, *dur, *class) {
                    return;
                }
            }
            return;
        }
        for slice in places.filter_map(|i| self.get(i)) {
            if !found(slice.start(), slice.dur(), slice.class()) {
                return;
            }
        }
    }

    /// Buckets for columns of at least a length; `None` where there are none so fine.
    #[must_use]
    pub fn coarse(&self, column: DurNs) -> Option<Coarse<'a>> {
        match self.ids {
            Ids::Listed(listed) => listed.buckets.coarse(column),
            Ids::Whole(..) => None,
        }
    }

    /// Whether windows can be measured without a walk.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        matches!(self.ids, Ids::Listed(_))
    }

    /// Calls `found` with each slice of some places that has at least a length. Whole groups of
    /// shorter ones are passed over.
    pub fn long(&self, places: Range<usize>, least: DurNs, mut found: impl FnMut(Slice<'a>)) {
        let Ids::Listed(listed) = self.ids else {
            return;
        };
        let blocks = places.end.div_ceil(BLOCK).min(listed.longest.len());
        let mut block = places.start / BLOCK;
        while block < blocks {
            let group = block / GROUP;
            let group_end = ((group + 1) * GROUP).min(blocks);
            if listed.groups.get(group).is_none_or(|d| *d < least) {
                block = group_end;
                continue;
            }
            for (at, longest) in (block..).zip(listed.longest.get(block..group_end).unwrap_or(&[]))
            {
                if *longest < least {
                    continue;
                }
                let from = (at * BLOCK).max(places.start);
                let to = ((at + 1) * BLOCK).min(places.end);
                for slice in (from..to).filter_map(|i| self.get(i)) {
                    if slice.dur() >= least {
                        found(slice);
                    }
                }
            }
            block = group_end;
        }
    }

    /// Whether a slice without length lies in a window.
    #[must_use]
    pub fn has_point(&self, window: Window) -> bool {
        let Ids::Listed(listed) = self.ids else {
            return false;
        };
        let next = listed.points.partition_point(|t| *t < window.start());
        listed.points.get(next).is_some_and(|t| *t < window.end())
    }
}
