//! [`Matches`]: which communication kernels of different ranks are one collective.
//!
//! Two kernels belong together if their process groups are the same, name and ranks alike, and
//! their sequence numbers are; where a file has none, if they are the n-th of that group on their
//! ranks. What was put together that way must agree in kind and size, else it stays apart.

use super::class::CollectiveKind;
use super::{Comm, Message, NameId, Names, Rank, RankId, SliceRef, Trace};
use crate::time::Ns;
use rustc_hash::FxHashMap;

/// Why a communication kernel is put together with none of another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Unmatched {
    /// Nobody says which collective it is.
    #[default]
    NoKind,
    /// It is point to point: the order within a group says nothing about who talks to whom.
    PointToPoint,
    /// No process group is told.
    NoGroup,
    /// Its process group does not list its rank, so the rank's number is not that of the job.
    NotAMember,
    /// Another file is the rank that its file states.
    Renumbered,
    /// It has no sequence number, and only a range was loaded, so its place is not known.
    PlaceUnknown,
    /// It has neither a sequence number nor a size, so nothing can be compared.
    NoSize,
    /// What has its place on other ranks is of another kind or size.
    Differs,
    /// No other rank that is open has it.
    Alone,
}

impl Unmatched {
    /// One sentence for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoKind => "nobody says which collective it is",
            Self::PointToPoint => "point to point is not matched across ranks",
            Self::NoGroup => "no process group is recorded",
            Self::NotAMember => "its process group does not list this rank",
            Self::Renumbered => "another open file is the rank that this one states",
            Self::PlaceUnknown => "without sequence numbers a range cannot be matched",
            Self::NoSize => "neither sequence number nor size is recorded",
            Self::Differs => "other ranks have another kind or size in its place",
            Self::Alone => "no other open rank has it",
        }
    }
}

/// For every communication kernel of a trace, who takes part.
#[derive(Debug, Default)]
pub struct Matches {
    /// Kernels of all collectives, those of one side by side, by rank.
    members: Vec<SliceRef>,
    /// Where each collective ends among the members.
    ends: Vec<u32>,
    /// By rank and place in its table of communication kernels.
    of: Vec<Vec<Verdict>>,
}

/// The place of a kernel among those of its group: what must be the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// Name of the group and number of its list of ranks.
    group: (NameId, Option<u32>),
    /// The sequence number, where there is one.
    seq: Option<i64>,
    /// How many came before on the rank, of the same number or of those without one.
    nth: u32,
}

/// Which members a kernel has, from and to, or why none.
type Verdict = Result<(u32, u32), Unmatched>;

/// A kernel by the places of its rank and of its entry.
type At = (usize, usize);

impl Trace {
    /// The kernels of all open ranks that are one collective with this one, it included, by rank;
    /// or why there are none.
    ///
    /// # Errors
    /// [`Unmatched`], also for what is no communication kernel.
    pub fn matched(&self, kernel: SliceRef) -> Result<&[SliceRef], Unmatched> {
        let rank = self.ranks.binary_search_by_key(&kernel.rank, |r| r.id);
        let found = rank.ok().and_then(|rank| {
            let comms = &self.ranks.get(rank)?.comms;
            let place = comms.binary_search_by_key(&kernel.slice, |c| c.slice);
            self.matches.of.get(rank)?.get(place.ok()?).copied()
        });
        let (from, to) = found.unwrap_or(Err(Unmatched::NoKind))?;
        let index = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let members = self.matches.members.get(index(from)..index(to));
        Ok(members.unwrap_or(&[]))
    }

    /// Every collective that several open ranks have: its kernels, at most one a rank, by rank.
    pub fn all_matched(&self) -> impl Iterator<Item = &[SliceRef]> {
        let Matches { members, ends, .. } = &self.matches;
        let index = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts
            .zip(ends)
            .filter_map(move |(from, to)| members.get(index(from)..index(*to)))
    }

    /// Puts the communication kernels of all ranks together.
    pub(super) fn match_collectives(&mut self) {
        let mut builder = Builder::default();
        let mut of = Vec::with_capacity(self.ranks.len());
        for (at, rank) in self.ranks.iter().enumerate() {
            of.push(builder.places(at, rank, &self.names));
        }
        let (mut members, mut ends) = (Vec::new(), Vec::new());
        for (place, kernels) in builder.kernels {
            let verdict = match self.agree(&kernels, place.seq.is_some()) {
                Ok(()) => {
                    let from = super::builder::to_u32(members.len());
                    members.extend(kernels.iter().filter_map(|at| self.slice_at(*at)));
                    let to = super::builder::to_u32(members.len());
                    ends.push(to);
                    Ok((from, to))
                }
                Err(why) => Err(why),
            };
            for (rank, comm) in kernels {
                if let Some(slot) = of.get_mut(rank).and_then(|r: &mut Vec<_>| r.get_mut(comm)) {
                    *slot = verdict;
                }
            }
        }
        self.matches = Matches { members, ends, of };
    }

    fn comm_at(&self, (rank, comm): At) -> Option<&Comm> {
        self.ranks.get(rank)?.comms.get(comm)
    }

    fn slice_at(&self, at: At) -> Option<SliceRef> {
        Some(SliceRef {
            rank: self.ranks.get(at.0)?.id,
            slice: self.comm_at(at)?.slice,
        })
    }

    /// Whether kernels of one place can be one collective.
    fn agree(&self, kernels: &[At], has_seq: bool) -> Result<(), Unmatched> {
        let mut told = kernels.iter().filter_map(|at| {
            let comm = self.comm_at(*at)?;
            let kind = comm.collective?.kind;
            // Splits of an all-to-all may differ by rank; the sequence number vouches for it.
            let may_differ = has_seq && kind == CollectiveKind::AllToAll;
            let elements = comm.message.buffer_elements(kind);
            let size = elements.filter(|_| !may_differ);
            Some((kind, size, comm.message.dtype))
        });
        let Some(first) = told.next().filter(|_| kernels.len() > 1) else {
            return Err(Unmatched::Alone);
        };
        let has_size = first.1.is_some() || first.0 == CollectiveKind::Barrier;
        if !has_seq && !has_size {
            return Err(Unmatched::NoSize);
        }
        if told.all(|other| other == first) {
            Ok(())
        } else {
            Err(Unmatched::Differs)
        }
    }
}

#[derive(Default)]
struct Builder {
    /// Lists of ranks by number.
    lists: FxHashMap<Vec<u32>, u32>,
    /// Which entry of `kernels` a place has: entries stay in the order of the ranks and of time.
    entries: FxHashMap<Place, usize>,
    kernels: Vec<(Place, Vec<At>)>,
}

impl Builder {
    /// Sorts the kernels of a rank into their places; returns a verdict for each that has none.
    fn places(&mut self, at: usize, rank: &Rank, names: &Names) -> Vec<Verdict> {
        let is_range = rank.capture != rank.recorded;
        let mut groups = FxHashMap::default();
        let mut counts: FxHashMap<_, u32> = FxHashMap::default();
        let mut order: Vec<(Ns, usize)> = rank
            .comms
            .iter()
            .enumerate()
            .filter_map(|(i, c)| Some((rank.slices.get(c.slice)?.start(), i)))
            .collect();
        order.sort_unstable();
        let mut verdicts = vec![Err(Unmatched::NoKind); rank.comms.len()];
        for (_, i) in order {
            let Some(comm) = rank.comms.get(i) else {
                continue;
            };
            let message = comm.message;
            let group = *groups
                .entry((message.group, message.ranks))
                .or_insert_with(|| self.group(rank, names, &message));
            let why = match (comm.collective.map(|c| c.kind), group) {
                (None | Some(CollectiveKind::Other), _) => Err(Unmatched::NoKind),
                (Some(kind), _) if kind.is_point_to_point() => Err(Unmatched::PointToPoint),
                (_, Ok(_)) if rank.claimed.is_some() => Err(Unmatched::Renumbered),
                (_, Ok(_)) if message.seq.is_none() && is_range => Err(Unmatched::PlaceUnknown),
                (_, group) => group,
            };
            match why {
                Ok(group) => {
                    let count = counts.entry((group, message.seq)).or_default();
                    let place = Place {
                        group,
                        seq: message.seq,
                        nth: *count,
                    };
                    *count += 1;
                    self.put(place, (at, i));
                }
                Err(why) => {
                    if let Some(slot) = verdicts.get_mut(i) {
                        *slot = Err(why);
                    }
                }
            }
        }
        verdicts
    }

    fn put(&mut self, place: Place, kernel: At) {
        let next = self.kernels.len();
        let entry = *self.entries.entry(place).or_insert(next);
        match self.kernels.get_mut(entry) {
            Some((_, kernels)) => kernels.push(kernel),
            None => self.kernels.push((place, vec![kernel])),
        }
    }

    /// The identity of a message's process group.
    fn group(
        &mut self,
        rank: &Rank,
        names: &Names,
        message: &Message,
    ) -> Result<(NameId, Option<u32>), Unmatched> {
        let name = message.group.ok_or(Unmatched::NoGroup)?;
        let Some(ranks) = message.group_ranks(rank, names) else {
            return Ok((name, None));
        };
        let RankId(own) = rank.id;
        if !ranks.contains(&own) {
            return Err(Unmatched::NotAMember);
        }
        let next = super::builder::to_u32(self.lists.len());
        let list = *self.lists.entry(ranks).or_insert(next);
        Ok((name, Some(list)))
    }
}
