//! How far the clocks of ranks are apart, as the ends of their collectives tell.
//!
//! Ranks reach a collective at different times, but where all of them wait for each other they
//! leave it almost together. So the difference of the *ends* of many such collectives is the
//! difference of the clocks, and how much it varies says how far to trust it. Starts tell nothing.

use super::class::CollectiveKind;
use super::{RankId, SliceRef, Trace};
use crate::time::{DurNs, Ns};
use std::collections::BTreeSet;

/// Fewer collectives than this tell nothing of two clocks.
pub const LEAST_MATCHES: usize = 5;

/// How far the clock of a rank is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockShift {
    /// The rank.
    pub rank: RankId,
    /// What it was compared with; `None` for a rank that the others are compared with.
    pub against: Option<Compared>,
    /// How far its clock is ahead of that of the lowest rank that it is connected with through
    /// collectives.
    pub shift: DurNs,
}

/// The comparison of the ends of two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The other rank.
    pub with: RankId,
    /// Median distance of the differences from their median.
    pub residual: DurNs,
    /// Number of collectives that both have.
    pub matches: u64,
}

/// A collective: the place of each rank that took part, and when it left.
type Ends = Vec<(usize, Ns)>;

/// How far clocks are apart: an entry for each rank that shares at least five matched collectives
/// of the kinds that make all ranks wait with another one, by number.
///
/// The lowest rank is compared with all that share enough with it; the lowest of those with what
/// is left, and so on. Shifts add up on the way. Ranks without a common group stay apart.
#[must_use]
pub fn clock_shifts(trace: &Trace) -> Vec<ClockShift> {
    let ranks = trace.ranks.len();
    let meetings = meetings(trace);
    let mut of_rank: Vec<Vec<usize>> = vec![Vec::new(); ranks];
    for (at, meeting) in meetings.iter().enumerate() {
        for (rank, _) in meeting {
            if let Some(list) = of_rank.get_mut(*rank) {
                list.push(at);
            }
        }
    }
    let mut left: BTreeSet<usize> = (0..ranks).collect();
    let mut shifts = Vec::new();
    let id = |at: usize| trace.ranks.get(at).map(|r| r.id).unwrap_or_default();
    while let Some(root) = left.pop_first() {
        let mut level = vec![(root, DurNs::ZERO)];
        let first = shifts.len();
        while !level.is_empty() {
            let mut next = Vec::new();
            for (reference, its_shift) in level {
                let mine = of_rank.get(reference).map_or(&[][..], Vec::as_slice);
                for (rank, mut differences) in compare(&meetings, mine, reference, &left) {
                    let Some(median) = enough_median(&mut differences) else {
                        continue;
                    };
                    left.remove(&rank);
                    let shift = DurNs(its_shift.0.saturating_add(median));
                    shifts.push(ClockShift {
                        rank: id(rank),
                        against: Some(Compared {
                            with: id(reference),
                            residual: residual(&differences, median),
                            matches: u64::try_from(differences.len()).unwrap_or(u64::MAX),
                        }),
                        shift,
                    });
                    next.push((rank, shift));
                }
            }
            next.sort_unstable_by_key(|(rank, _)| *rank);
            level = next;
        }
        if shifts.len() > first {
            shifts.push(ClockShift {
                rank: id(root),
                against: None,
                shift: DurNs::ZERO,
            });
        }
    }
    shifts.sort_unstable_by_key(|s| s.rank);
    shifts
}

/// The ends of every matched collective that makes ranks wait. Kernels whose duration cannot be
/// trusted are left out: their ends cannot either.
fn meetings(trace: &Trace) -> Vec<Ends> {
    let end = |member: &SliceRef| {
        let place = trace.ranks.binary_search_by_key(&member.rank, |r| r.id);
        let place = place.ok()?;
        let rank = trace.ranks.get(place)?;
        let kind = rank.collective(member.slice)?.kind;
        let slice = rank.slices.get(member.slice)?;
        let trusted = rank.end_of(slice, true) == slice.end();
        (trusted && CollectiveKind::synchronises(kind)).then(|| (place, slice.end()))
    };
    let all = trace.all_matched();
    all.map(|members| members.iter().filter_map(end).collect::<Ends>())
        .filter(|ends| ends.len() > 1)
        .collect()
}

/// The ends of ranks that are left less those of the reference, by rank.
fn compare(
    meetings: &[Ends],
    mine: &[usize],
    reference: usize,
    left: &BTreeSet<usize>,
) -> Vec<(usize, Vec<i64>)> {
    if left.is_empty() {
        return Vec::new();
    }
    let mut found = std::collections::BTreeMap::<usize, Vec<i64>>::new();
    for meeting in mine.iter().filter_map(|at| meetings.get(*at)) {
        let Some((_, own)) = meeting.iter().find(|(rank, _)| *rank == reference) else {
            continue;
        };
        for (rank, end) in meeting.iter().filter(|(rank, _)| left.contains(rank)) {
            found.entry(*rank).or_default().push((*end - *own).0);
        }
    }
    found.into_iter().collect()
}

/// The median of enough values; sorts them.
fn enough_median(values: &mut [i64]) -> Option<i64> {
    if values.len() < LEAST_MATCHES {
        return None;
    }
    values.sort_unstable();
    median(values)
}

/// The middle of sorted values; of an even number, the mean of the middle two, rounded half up.
fn median(sorted: &[i64]) -> Option<i64> {
    let half = sorted.len() / 2;
    let upper = i128::from(*sorted.get(half)?);
    let lower = match sorted.len() % 2 {
        0 => i128::from(*sorted.get(half.checked_sub(1)?)?),
        _ => upper,
    };
    i64::try_from((lower + upper + 1).div_euclid(2)).ok()
}

fn residual(differences: &[i64], of: i64) -> DurNs {
    let distance = |d: &i64| i64::try_from(d.abs_diff(of)).unwrap_or(i64::MAX);
    let mut distances: Vec<i64> = differences.iter().map(distance).collect();
    distances.sort_unstable();
    DurNs(median(&distances).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_exact_and_robust() {
        let of = |values: &[i64]| {
            let mut values = values.to_vec();
            let median = enough_median(&mut values)?;
            Some((median, residual(&values, median).0))
        };
        assert_eq!(of(&[1, 2, 3, 4]), None, "too few");
        assert_eq!(of(&[10, 10, 10, 10, 9_000_000]), Some((10, 0)));
        assert_eq!(of(&[5, 1, 3, 2, 4]), Some((3, 1)));
        // Middle two 3 and 4: 3.5 up; distances 3 2 1 0 1 2, middle two 1 and 2: 1.5 up.
        assert_eq!(of(&[1, 2, 3, 4, 5, 6]), Some((4, 2)));
        assert_eq!(of(&[-6, -5, -4, -3, -2, -1]), Some((-3, 2)));
        assert_eq!(of(&[i64::MAX; 6]), Some((i64::MAX, 0)));
    }
}
