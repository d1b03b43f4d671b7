//! Sub-rows: the slices of a lane that stand in one line and never overlap.
//!
//! Slices of a lane are sorted by start, but where they overlap or nest their ends are not. Within
//! one sub-row both are sorted, so every question is a binary search. A stream with a single row is
//! its own range of the columns; for everything else [`RowIndex`] lists each row's slices once.

use super::lanes::{LaneKey, LaneRow};
use super::scale::share;
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Activity, Busy, Rank, Slice, SliceId, Slices};

use std::ops::Range;

/// How many slices share one row of running totals.
const BLOCK: usize = 32;

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
    ids: Vec<u32>,
    /// Time by what ran before slice `BLOCK * i`.
    sums: Vec<Times>,
}

/// Time by what ran.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    computation: DurNs,
    communication: DurNs,
    memory: DurNs,
    other: DurNs,
}

impl Times {
    fn add(&mut self, class: Option<KernelClass>, time: DurNs) {
        let slot = match class {
            Some(KernelClass::Computation) => &mut self.computation,
            Some(KernelClass::Communication) => &mut self.communication,
            Some(KernelClass::Memory) => &mut self.memory,
            None => &mut self.other,
        };
        *slot = *slot + time;
    }
}

impl RowIndex {
    /// Lists the rows of a lane in one pass.
    #[must_use]
    pub fn new(slices: &Slices, lane: Range<u32>, rows: u16) -> Self {
        let last = usize::from(rows.max(1)) - 1;
        let mut listed = vec![(Listed::default(), Times::default()); last + 1];
        for slice in slices.range(lane) {
            let Some((row, total)) = listed.get_mut(usize::from(slice.row()).min(last)) else {
                continue;
            };
            if row.ids.len().is_multiple_of(BLOCK) {
                row.sums.push(*total);
            }
            row.ids.push(slice.id().0);
            total.add(slice.class(), slice.dur());
        }
        let rows = listed.into_iter().map(|(mut row, _)| {
            row.ids.shrink_to_fit();
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
    /// All of a stream whose kernels never overlap; its activity knows the times.
    Whole(u32, u32, &'a Activity),
    Listed(&'a Listed),
}

/// Whether a lane's rows can only be told with a [`RowIndex`].
#[must_use]
pub fn needs_index(lane: &LaneRow) -> bool {
    !lane.slices.is_empty() && (lane.all_rows > 1 || !matches!(lane.key, LaneKey::Stream(..)))
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
        (None, LaneKey::Stream(_, device, stream)) if !needs_index(lane) && sub_row == 0 => {
            let stream = rank
                .device(device)?
                .streams
                .iter()
                .find(|s| s.id == stream)?;
            Ids::Whole(stream.slices.start, stream.slices.end, &stream.activity)
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
        match self.ids {
            Ids::Whole(from, to, _) => usize::try_from(to.saturating_sub(from)).unwrap_or(0),
            Ids::Listed(listed) => listed.ids.len(),
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
        let id = match self.ids {
            Ids::Whole(from, to, _) => {
                let id = from.checked_add(u32::try_from(i).ok()?)?;
                (id < to).then_some(id)?
            }
            Ids::Listed(listed) => *listed.ids.get(i)?,
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
        let next = self.first_from(0, at);
        match next.checked_sub(1) {
            Some(i) if self.get(i).is_some_and(|s| s.end() > at) => i,
            _ => next,
        }
    }

    /// Shares of a window by what ran in this row.
    #[must_use]
    pub fn shares(&self, window: Window) -> Shares {
        let len = window.len().max(DurNs(1));
        match self.ids {
            Ids::Whole(_, _, activity) => {
                let parts = activity.measure(window);
                let of = |class: KernelClass| share(parts.sum(|m| m & Busy::bit(class) != 0), len);
                Shares {
                    computation: of(KernelClass::Computation),
                    communication: of(KernelClass::Communication),
                    memory: of(KernelClass::Memory),
                    other: 0.0,
                }
            }
            Ids::Listed(listed) => {
                let before = self.elapsed(listed, window.start());
                let until = self.elapsed(listed, window.end());
                let of = |time: fn(&Times) -> DurNs| share(time(&until) - time(&before), len);
                Shares {
                    computation: of(|t| t.computation),
                    communication: of(|t| t.communication),
                    memory: of(|t| t.memory),
                    other: of(|t| t.other),
                }
            }
        }
    }

    /// Time by what ran before an instant.
    fn elapsed(&self, listed: &Listed, at: Ns) -> Times {
        let next = self.first_from(0, at);
        // Only the last slice before `at` can reach past it, so it must be added by itself: start
        // from the totals of the block that holds it.
        let Some(last) = next.checked_sub(1) else {
            return Times::default();
        };
        let mut times = listed.sums.get(last / BLOCK).copied().unwrap_or_default();
        let block = last / BLOCK * BLOCK..next;
        for slice in block.filter_map(|i| self.get(i)) {
            times.add(slice.class(), slice.end().min(at) - slice.start());
        }
        times
    }
}
