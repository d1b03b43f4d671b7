//! [`Hits`]: the slices that somebody looks for, kept so that both lanes and time can be walked.
//!
//! Slices of a lane stand together, sorted by start. So a sorted list of slice numbers is a list by
//! lane and, inside each lane, by time: what a lane shows of a view and which hit comes next are
//! binary searches, also for millions of hits.

use super::{NameId, Rank, RankId, SliceId, SliceRef, Trace};
use crate::time::{Ns, Window};
use rayon::prelude::*;
use std::ops::Range;

/// Some slices of a trace, by rank and then by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    ranks: Vec<(RankId, Vec<u32>)>,
}

/// A place among all slices in the order of their starts.
type Place = (Ns, RankId, u32);

impl Hits {
    /// Slices whose name is wanted. Each distinct name is asked for once; astray slices stand in no
    /// lane and are left out.
    #[must_use]
    pub fn by_name(trace: &Trace, is_wanted: &(dyn Fn(&str) -> bool + Sync)) -> Self {
        let names: Vec<&str> = trace.names.iter().map(|(_, text)| text).collect();
        let wanted: Vec<bool> = names.into_par_iter().map(is_wanted).collect();
        let has = |name: NameId| {
            let at = usize::try_from(name.0).ok();
            at.and_then(|i| wanted.get(i)).copied().unwrap_or(false)
        };
        let of_rank = |rank: &Rank| {
            let placed = rank.slices.range(0..rank.astray.start);
            let found = placed.filter(|s| has(s.name())).map(|s| s.id().0);
            (rank.id, found.collect())
        };
        Self {
            ranks: trace.ranks.par_iter().map(of_rank).collect(),
        }
    }

    /// The same with more slices of some ranks, which need not be sorted.
    #[must_use]
    pub fn with(mut self, more: Vec<(RankId, Vec<u32>)>) -> Self {
        for (rank, mut slices) in more {
            let known = self.ranks.iter_mut().find(|(id, _)| *id == rank);
            let Some((_, list)) = known else {
                slices.sort_unstable();
                slices.dedup();
                self.ranks.push((rank, slices));
                continue;
            };
            list.append(&mut slices);
            list.sort_unstable();
            list.dedup();
        }
        self.ranks.sort_by_key(|(id, _)| *id);
        self
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranks.iter().map(|(_, list)| list.len()).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranks.iter().all(|(_, list)| list.is_empty())
    }

    /// The one at a place of the list: by rank, then lane, then start.
    #[must_use]
    pub fn get(&self, mut i: usize) -> Option<SliceRef> {
        for (rank, list) in &self.ranks {
            match list.get(i) {
                Some(id) => {
                    return Some(SliceRef {
                        rank: *rank,
                        slice: SliceId(*id),
                    });
                }
                None => i -= list.len(),
            }
        }
        None
    }

    /// Those of a lane, by start.
    #[must_use]
    pub fn of_lane(&self, rank: RankId, lane: &Range<u32>) -> &[u32] {
        let of_rank = self.ranks.iter().find(|(id, _)| *id == rank);
        let list = of_rank.map_or(&[][..], |(_, list)| list);
        let from = list.partition_point(|id| *id < lane.start);
        let to = list.partition_point(|id| *id < lane.end);
        list.get(from..to).unwrap_or(&[])
    }

    /// Those of a lane that may share time with a window: from the first that starts in it, with
    /// one before, to the last that does. A longer one that began much earlier may be missing.
    #[must_use]
    pub fn in_view<'h>(&'h self, rank: &Rank, lane: &Range<u32>, view: Window) -> &'h [u32] {
        let list = self.of_lane(rank.id, lane);
        let start = |id: &u32| rank.slices.get(SliceId(*id)).map(|s| s.start());
        let from = list.partition_point(|id| start(id) < Some(view.start()));
        let to = list.partition_point(|id| start(id) < Some(view.end()));
        list.get(from.saturating_sub(1)..to).unwrap_or(&[])
    }

    /// The hit that starts first at or after an instant, or behind a slice where one is named; the
    /// first of all where none follows.
    #[must_use]
    pub fn next(&self, trace: &Trace, from: Ns, behind: Option<SliceRef>) -> Option<SliceRef> {
        let place = place(trace, behind).unwrap_or((from, RankId(0), 0));
        let is_past = |at: Place| at > place || (behind.is_none() && at == place);
        let first = |of: &dyn Fn(Place) -> bool| {
            let lanes = self.lanes(trace);
            let found = lanes.filter_map(|(rank, list)| {
                let at = list.partition_point(|id| !place_of(rank, *id).is_some_and(of));
                place_of(rank, *list.get(at)?)
            });
            found.min().map(slice_at)
        };
        first(&is_past).or_else(|| first(&|_| true))
    }

    /// The hit that starts last before an instant, or ahead of a slice where one is named; the last
    /// of all where there is none.
    #[must_use]
    pub fn previous(&self, trace: &Trace, from: Ns, ahead: Option<SliceRef>) -> Option<SliceRef> {
        let place = place(trace, ahead).unwrap_or((from, RankId(0), 0));
        let last = |of: &dyn Fn(Place) -> bool| {
            let lanes = self.lanes(trace);
            let found = lanes.filter_map(|(rank, list)| {
                let count = list.partition_point(|id| place_of(rank, *id).is_some_and(of));
                place_of(rank, *list.get(count.checked_sub(1)?)?)
            });
            found.max().map(slice_at)
        };
        last(&|at| at < place).or_else(|| last(&|_| true))
    }

    /// How many hits start before a slice, where that is one: its number in the order of time.
    #[must_use]
    pub fn number(&self, trace: &Trace, slice: SliceRef) -> Option<usize> {
        let (_, list) = self.ranks.iter().find(|(id, _)| *id == slice.rank)?;
        list.binary_search(&slice.slice.0).ok()?;
        let place = place(trace, Some(slice))?;
        let before = self.lanes(trace).map(|(rank, list)| {
            list.partition_point(|id| place_of(rank, *id).is_some_and(|at| at < place))
        });
        Some(before.sum())
    }

    /// In which of some equal parts of a window a hit starts.
    #[must_use]
    pub fn columns(&self, trace: &Trace, window: Window, count: u16) -> Vec<bool> {
        let mut columns = vec![false; usize::from(count)];
        let len = i128::from(window.len().0.max(1));
        let parts = i128::from(count);
        for (rank, list) in self.lanes(trace) {
            let start = |id: &u32| rank.slices.get(SliceId(*id)).map(|s| s.start());
            let mut at = list.partition_point(|id| start(id) < Some(window.start()));
            while let Some(time) = list.get(at).and_then(start) {
                let passed = i128::from((time - window.start()).0);
                let column = passed * parts / len;
                let Some(slot) = usize::try_from(column)
                    .ok()
                    .and_then(|c| columns.get_mut(c))
                else {
                    break;
                };
                *slot = true;
                // The first instant of the next part, rounded up.
                let next = ((column + 1) * len + parts - 1) / parts;
                let next = i64::try_from(next).unwrap_or(i64::MAX);
                let until = window.start() + crate::time::DurNs(next);
                let rest = list.get(at..).unwrap_or(&[]);
                at += rest.partition_point(|id| start(id) < Some(until)).max(1);
            }
        }
        columns
    }

    /// The hits of every lane that has any.
    fn lanes<'h>(&'h self, trace: &'h Trace) -> impl Iterator<Item = (&'h Rank, &'h [u32])> {
        self.ranks.iter().flat_map(move |(id, _)| {
            let rank = trace.rank(*id);
            rank.into_iter().flat_map(move |rank| {
                let streams = rank.devices.iter().flat_map(|d| &d.streams);
                let extras = rank.devices.iter().flat_map(|d| &d.extras);
                let threads = rank.threads.iter().chain(extras).map(|t| &t.slices);
                let all = streams.map(|s| &s.slices).chain(threads);
                all.map(move |lane| (rank, self.of_lane(rank.id, lane)))
            })
        })
    }
}

fn place_of(rank: &Rank, id: u32) -> Option<Place> {
    let slice = rank.slices.get(SliceId(id))?;
    Some((slice.start(), rank.id, id))
}

fn place(trace: &Trace, slice: Option<SliceRef>) -> Option<Place> {
    let at = slice?;
    place_of(trace.rank(at.rank)?, at.slice.0)
}

fn slice_at((_, rank, id): Place) -> SliceRef {
    SliceRef {
        rank,
        slice: SliceId(id),
    }
}
