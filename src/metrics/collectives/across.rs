//! What the ranks of one collective tell together: who came last, who waited, how long data moved.

use crate::time::{DurNs, Ns};
use crate::trace::class::CollectiveKind;
use crate::trace::{Rank, RankId, SliceRef, Trace, Unmatched};
use rustc_hash::FxHashMap;

/// A collective over several ranks, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Across {
    /// How many open ranks take part, this one included; 1 where it is matched with none.
    pub ranks: u32,
    /// When they came and went.
    pub timing: Result<Timing, Apart>,
}

/// When the ranks of a collective came and went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Last start less first start.
    pub skew: DurNs,
    /// The rank that came last; `None` where all came at once.
    pub last: Option<RankId>,
    /// Last end less first end.
    pub end_spread: DurNs,
    /// What only collectives have that make all ranks wait for each other.
    pub moved: Result<Moved, Apart>,
}

/// How a collective's time divides where no rank can be done before all have begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// From the last start to the last end.
    pub transfer: DurNs,
    /// From this rank's start to the last start.
    pub wait: DurNs,
}

/// Why ranks are not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Apart {
    /// It is matched with no other rank.
    Unmatched(Unmatched),
    /// The times of the ranks do not count from one instant.
    Clocks,
    /// A rank was done before the last one began, which this kind cannot be.
    Impossible,
    /// Ranks of this kind do not all wait for each other.
    NotTogether,
}

impl Apart {
    /// One sentence for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Unmatched(why) => why.sentence(),
            Self::Clocks => "the clocks of the ranks are not aligned",
            Self::Impossible => {
                "a rank ends before the last one starts, so clocks or match are wrong"
            }
            Self::NotTogether => "not all ranks of this kind wait for each other",
        }
    }
}

impl Across {
    /// How many of the ranks of the group take part: "2 of 8 ranks".
    #[must_use]
    pub fn words(&self, group_size: Option<u32>) -> String {
        match group_size {
            Some(1) => format!("{} of 1 rank", self.ranks),
            Some(all) => format!("{} of {all} ranks", self.ranks),
            None if self.ranks == 1 => "1 rank".to_owned(),
            None => format!("{} ranks", self.ranks),
        }
    }

    /// When the ranks came and went, where that is known.
    #[must_use]
    pub fn known(&self) -> Option<Timing> {
        self.timing.ok()
    }

    /// From the last start to the last end.
    #[must_use]
    pub fn transfer(&self) -> Option<DurNs> {
        Some(self.known()?.moved.ok()?.transfer)
    }

    /// From this rank's start to the last start.
    #[must_use]
    pub fn wait(&self) -> Option<DurNs> {
        Some(self.known()?.moved.ok()?.wait)
    }

    /// Why something is not known; `None` where everything is.
    #[must_use]
    pub fn why_not(&self) -> Option<Apart> {
        match self.timing {
            Err(why) => Some(why),
            Ok(timing) => timing.moved.err(),
        }
    }
}

/// What all rows of one collective share.
#[derive(Clone, Copy)]
struct Meeting {
    ranks: u32,
    timing: Result<Times, Apart>,
}

#[derive(Clone, Copy)]
struct Times {
    first_start: Ns,
    last_start: Ns,
    last: Option<RankId>,
    first_end: Ns,
    last_end: Ns,
}

/// Looks collectives up over all ranks, each once.
pub(super) struct Meetings<'t> {
    trace: &'t Trace,
    clip_suspicious: bool,
    /// By the first member.
    known: FxHashMap<SliceRef, Meeting>,
}

impl<'t> Meetings<'t> {
    pub(super) fn new(trace: &'t Trace, clip_suspicious: bool) -> Self {
        Self {
            trace,
            clip_suspicious,
            known: FxHashMap::default(),
        }
    }

    /// What the ranks tell of the collective of a kernel that starts at `start`.
    pub(super) fn of(
        &mut self,
        kernel: SliceRef,
        kind: Option<CollectiveKind>,
        start: Ns,
    ) -> Across {
        let members = match self.trace.matched(kernel) {
            Ok(members) => members,
            Err(why) => {
                return Across {
                    ranks: 1,
                    timing: Err(Apart::Unmatched(why)),
                };
            }
        };
        let first = members.first().copied().unwrap_or(kernel);
        let known = self.known.get(&first).copied();
        let meeting = known.unwrap_or_else(|| {
            let meeting = self.meet(members, kind);
            self.known.insert(first, meeting);
            meeting
        });
        let timing = meeting.timing.map(|t| {
            let is_together = kind.is_some_and(CollectiveKind::synchronises);
            Timing {
                skew: t.last_start - t.first_start,
                last: t.last,
                end_spread: t.last_end - t.first_end,
                moved: is_together
                    .then(|| Moved {
                        transfer: t.last_end - t.last_start,
                        wait: t.last_start - start,
                    })
                    .ok_or(Apart::NotTogether),
            }
        });
        Across {
            ranks: meeting.ranks,
            timing,
        }
    }

    fn meet(&self, members: &[SliceRef], kind: Option<CollectiveKind>) -> Meeting {
        let ranks = u32::try_from(members.len()).unwrap_or(u32::MAX);
        let at = |member: &SliceRef| -> Option<(&Rank, Ns, Ns)> {
            let rank = self.trace.rank(member.rank)?;
            let slice = rank.slices.get(member.slice)?;
            Some((
                rank,
                slice.start(),
                rank.end_of(slice, self.clip_suspicious),
            ))
        };
        let mut times: Option<Times> = None;
        let mut on_one_axis = true;
        for (rank, start, end) in members.iter().filter_map(at) {
            // Only epoch times mean the same on every rank; others were moved, or never placed.
            on_one_axis &= rank.alignment.epoch;
            let t = times.get_or_insert(Times {
                first_start: start,
                last_start: start,
                last: Some(rank.id),
                first_end: end,
                last_end: end,
            });
            if start > t.last_start {
                (t.last_start, t.last) = (start, Some(rank.id));
            }
            t.first_start = t.first_start.min(start);
            t.first_end = t.first_end.min(end);
            t.last_end = t.last_end.max(end);
        }
        let is_together = kind.is_some_and(CollectiveKind::synchronises);
        let timing = match times {
            _ if !on_one_axis => Err(Apart::Clocks),
            None => Err(Apart::Unmatched(Unmatched::Alone)),
            Some(t) if is_together && t.first_end < t.last_start => Err(Apart::Impossible),
            Some(t) if t.first_start == t.last_start => Ok(Times { last: None, ..t }),
            Some(t) => Ok(t),
        };
        Meeting { ranks, timing }
    }
}
