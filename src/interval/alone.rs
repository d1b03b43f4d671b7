//! [`alone`]: of several sets, what of each no other one covers.

use super::{Interval, IntervalSet};
use crate::time::Ns;

/// For each set the instants that are in no other one, in the order of the sets.
///
/// One pass over all edges in the order of time, however many sets there are.
#[must_use]
pub fn alone(sets: &[IntervalSet]) -> Vec<IntervalSet> {
    let mut edges: Vec<(Ns, usize, bool)> = Vec::new();
    for (i, set) in sets.iter().enumerate() {
        for interval in set.intervals() {
            edges.push((interval.start, i, true));
            edges.push((interval.end, i, false));
        }
    }
    edges.sort_unstable();
    let mut found: Vec<Vec<Interval>> = vec![Vec::new(); sets.len()];
    // The exclusive or of the numbers of all active sets is the number of a single one.
    let (mut active, mut which) = (0_usize, 0_usize);
    let mut since = Ns(i64::MIN);
    for (at, set, starts) in edges {
        if active == 1
            && since < at
            && let Some(own) = found.get_mut(which)
        {
            own.push(Interval {
                start: since,
                end: at,
            });
        }
        active = if starts { active + 1 } else { active - 1 };
        which ^= set;
        since = at;
    }
    found.into_iter().map(IntervalSet::merge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(intervals: &[(i64, i64)]) -> IntervalSet {
        let all = intervals.iter().map(|(a, b)| Interval::new(*a, *b));
        all.collect()
    }

    #[test]
    fn what_several_share_is_nobodys() {
        let sets = [set(&[(0, 10), (20, 30)]), set(&[(5, 25)]), set(&[(8, 9)])];
        let got = alone(&sets);
        assert_eq!(got[0], set(&[(0, 5), (25, 30)]));
        assert_eq!(got[1], set(&[(10, 20)]));
        assert_eq!(got[2], set(&[]));
        assert!(alone(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn it_is_each_set_less_the_union_of_the_others(
            lists in prop::collection::vec(
                prop::collection::vec((0_i64..60, 0_i64..12), 0..8), 0..5),
        ) {
            let sets: Vec<IntervalSet> = lists
                .iter()
                .map(|l| l.iter().map(|(a, d)| Interval::new(*a, a + d)).collect())
                .collect();
            for (i, got) in alone(&sets).into_iter().enumerate() {
                let others = sets.iter().enumerate().filter(|(j, _)| *j != i);
                let others = others.fold(IntervalSet::empty(), |u, (_, s)| u.union(s));
                prop_assert_eq!(got, sets[i].subtract(&others));
            }
        }
    }
}
