//! Sub-rows: the slices of a lane that stand in one line and never overlap.
//!
//! Slices of a lane are sorted by start, but where they overlap or nest their ends are not. Within
//! one sub-row both are sorted, so every question is a binary search. A lane with a single row is its
//! own range of the columns; otherwise [`RowIndex`] lists each row's slices once. It also keeps
//! running totals and the longest slice of every few slices, so that a view of millions of slices
//! costs a short search a pixel.

use super::lanes::{LaneKey, LaneRow};
use super::scale::share;
use crate::interval::gallop;
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Rank, Slice, SliceId, Slices};
use std::ops::Range;

/// How many slices share one row of running totals; all of them are looked at for an instant.
const BLOCK: usize = 8;

/// Shares of a stretch of time by what ran; what is missing to 1 was idle.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Shares {
    /// Computation.
    pub computation: f32,
    /// Communication.
    pub communication: f32,
    /// Copies and memsets.
    pub memory: f32,
    /// Slices that are no GPU work.
    pub other: f32,
}

impl Shares {
    /// The share of a class.
    #[must_use]
    pub fn of(&self, class: KernelClass) -> f32 {
        match class {
            KernelClass::Computation => self.computation,
            KernelClass::Communication => self.communication,
            KernelClass::Memory => self.memory,
        }
    }

    /// The busy share.
    #[must_use]
    pub fn total(&self) -> f32 {
        (self.computation + self.communication + self.memory + self.other).min(1.0)
    }

    /// The class with the largest share; `None` for host slices.
    #[must_use]
    pub fn dominant(&self) -> Option<KernelClass> {
        KernelClass::ALL
            .into_iter()
            .filter(|c| self.of(*c) > self.other)
            .max_by(|a, b| self.of(*a).total_cmp(&self.of(*b)))
    }
}

/// The slices of each sub-row of one lane, with sampled running totals.
#[derive(Clone, Debug, Default)]
pub struct RowIndex {
    rows: Vec<Listed>,
}

#[derive(Clone, Debug, Default)]
struct Listed {
    /// All slices, where the row is alone in its lane.
    whole: Option<Range<u32>>,
    /// Else the slices one by one.
    ids: Vec<u32>,
    /// Time by what ran before slice `BLOCK * i`.
    sums: Vec<Times>,
    /// Start of slice `BLOCK * i`: a small column to search in.
    firsts: Vec<Ns>,
    /// The longest of the slices from `BLOCK * i` on.
    longest: Vec<DurNs>,
    /// Starts of slices without length.
    points: Vec<Ns>,
}

/// Time by what ran: a sum for each class, and one for slices that are no GPU work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times([i64; 4]);

impl Times {
    fn add(&mut self, class: Option<KernelClass>, time: DurNs) {
        let place = class.map_or(3, KernelClass::index);
        if let Some(slot) = self.0.get_mut(place) {
            *slot = slot.saturating_add(time.0);
        }
    }

    pub(super) fn since(self, before: &Self) -> Self {
        let mut out = self;
        for (slot, past) in out.0.iter_mut().zip(before.0) {
            *slot -= past;
        }
        out
    }

    /// All time together.
    #[must_use]
    pub fn total(&self) -> DurNs {
        DurNs(self.0.iter().sum())
    }

    /// As shares of a length.
    #[must_use]
    pub fn shares(&self, whole: DurNs) -> Shares {
        let whole = whole.max(DurNs(1));
        let [computation, communication, memory, other] =
            self.0.map(|time| share(DurNs(time), whole));
        Shares {
            computation,
            communication,
            memory,
            other,
        }
    }
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

    fn shrink(&mut self) {
        self.ids.shrink_to_fit();
        self.sums.shrink_to_fit();
        self.firsts.shrink_to_fit();
        self.longest.shrink_to_fit();
        self.points.shrink_to_fit();
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
            row.shrink();
            row
        });
        Self {
            rows: rows.collect(),
        }
    }
}

/// One sub-row: slices that are sorted by start and by end.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    slices: &'a Slices,
    ids: Ids<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Ids<'a> {
    /// All of a lane whose slices never overlap, without more knowledge.
    Whole(u32, u32),
    Listed(&'a Listed),
}

/// Whether a lane has rows of slices, which are told best with a [`RowIndex`].
#[must_use]
pub fn needs_index(lane: &LaneRow) -> bool {
    !lane.slices.is_empty()
}

/// A sub-row of a lane; `None` for lanes without slices and where a needed index is not there.
#[must_use]
pub fn row<'a>(
    rank: &'a Rank,
    lane: &LaneRow,
    index: Option<&'a RowIndex>,
    sub_row: u16,
) -> Option<Row<'a>> {
    let ids = match (index, lane.key) {
        (Some(index), _) => Ids::Listed(index.rows.get(usize::from(sub_row))?),
        (None, LaneKey::Stream(..)) if lane.all_rows <= 1 && sub_row == 0 => {
            Ids::Whole(lane.slices.start, lane.slices.end)
        }
        _ => return None,
    };
    Some(Row {
        slices: &rank.slices,
        ids,
    })
}

impl<'a> Row<'a> {
    /// Number of slices.
    #[must_use]
    pub fn len(&self) -> usize {
        let (from, to) = match self.ids {
            Ids::Whole(from, to) => (from, to),
            Ids::Listed(Listed {
                whole: Some(range), ..
            }) => (range.start, range.end),
            Ids::Listed(listed) => return listed.ids.len(),
        };
        usize::try_from(to.saturating_sub(from)).unwrap_or(0)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slice at a place of the row.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<Slice<'a>> {
        let (from, to) = match self.ids {
            Ids::Whole(from, to) => (from, to),
            Ids::Listed(Listed {
                whole: Some(range), ..
            }) => (range.start, range.end),
            Ids::Listed(listed) => return self.slices.get(SliceId(*listed.ids.get(i)?)),
        };
        let id = from.checked_add(u32::try_from(i).ok()?)?;
        self.slices.get(SliceId((id < to).then_some(id)?))
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
        let next = self.first_from(0, at);
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

    /// Whether windows can be measured without a walk.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        matches!(self.ids, Ids::Listed(_))
    }

    /// Time by what ran before an instant; `block` is where the last search ended.
    pub(super) fn elapsed(&self, at: Ns, block: &mut usize) -> Times {
        let Ids::Listed(listed) = self.ids else {
            return Times::default();
        };
        *block = gallop(&listed.firsts, *block, at);
        let Some(last) = block.checked_sub(1) else {
            return Times::default();
        };
        let mut times = listed.sums.get(last).copied().unwrap_or_default();
        for i in last * BLOCK..(last + 1) * BLOCK {
            let Some(slice) = self.get(i) else {
                break;
            };
            let inside = (at - slice.start()).min(slice.dur()).max(DurNs::ZERO);
            times.add(slice.class(), inside);
        }
        times
    }

    /// Calls `found` with each slice of some places that has at least a length. Whole blocks of
    /// shorter ones are passed over.
    pub(super) fn long(
        &self,
        places: Range<usize>,
        least: DurNs,
        mut found: impl FnMut(Slice<'a>),
    ) {
        let Ids::Listed(listed) = self.ids else {
            return;
        };
        let mut block = places.start / BLOCK;
        while block * BLOCK < places.end {
            if listed.longest.get(block).is_some_and(|d| *d >= least) {
                let from = (block * BLOCK).max(places.start);
                let to = ((block + 1) * BLOCK).min(places.end);
                for slice in (from..to).filter_map(|i| self.get(i)) {
                    if slice.dur() >= least {
                        found(slice);
                    }
                }
            }
            block += 1;
        }
    }

    /// Whether a slice without length lies in a window.
    pub(super) fn has_point(&self, window: Window) -> bool {
        let Ids::Listed(listed) = self.ids else {
            return false;
        };
        let next = listed.points.partition_point(|t| *t < window.start());
        listed.points.get(next).is_some_and(|t| *t < window.end())
    }
}
