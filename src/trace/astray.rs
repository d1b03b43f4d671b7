//! Which slices lie so far from everything else that they would spoil every figure.
//!
//! A slice is astray when its `ts` is 0 while the median start is over an hour, when it lasts over
//! seven days, or when it belongs to a small group far away: the sorted starts are split at gaps of
//! over an hour, and a group of fewer than 5 % of the rank's slices that is farther from the
//! largest group than a thousand times that group's extent is astray.

use crate::time::{DurNs, Ns};

const HOUR: DurNs = DurNs(3_600_000_000_000);
const WEEK: DurNs = DurNs(7 * 24 * 3_600_000_000_000);
/// How many extents of the largest group away a small group must lie.
const FAR: i128 = 1_000;

/// Tells for every slice whether it is astray. `starts` are the file's own times, without base.
pub(super) fn find(starts: &[Ns], durs: &[DurNs]) -> Vec<bool> {
    let mut astray: Vec<bool> = durs.iter().map(|d| *d > WEEK).collect();
    if !may_be_astray(starts, durs) {
        return astray;
    }
    let mut sorted: Vec<(Ns, DurNs)> = starts.iter().copied().zip(durs.iter().copied()).collect();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len() / 2).map_or(Ns(0), |s| s.0);
    if median - Ns(0) > HOUR {
        for (flag, start) in astray.iter_mut().zip(starts) {
            *flag |= *start == Ns(0);
        }
    }
    let groups = groups(&sorted);
    let Some(largest) = groups.iter().rev().max_by_key(|g| g.count) else {
        return astray;
    };
    let limit = i128::from((largest.end - largest.first).0) * FAR;
    let lost: Vec<(Ns, Ns)> = groups
        .iter()
        .filter(|g| {
            let away = if g.first > largest.last {
                i128::from(g.first.0) - i128::from(largest.end.0)
            } else {
                i128::from(largest.first.0) - i128::from(g.end.0)
            };
            g.count * 20 < sorted.len() && away > limit
        })
        .map(|g| (g.first, g.last))
        .collect();
    if !lost.is_empty() {
        for (flag, start) in astray.iter_mut().zip(starts) {
            // Groups stand in order and do not overlap.
            let after = lost.partition_point(|(first, _)| first <= start);
            let group = after.checked_sub(1).and_then(|i| lost.get(i));
            *flag |= group.is_some_and(|(_, last)| start <= last);
        }
    }
    astray
}

/// Whether anything can be astray at all: where all starts lie within an hour there is one group,
/// and a start of 0 is within an hour of the median.
fn may_be_astray(starts: &[Ns], durs: &[DurNs]) -> bool {
    let first = starts.iter().min().copied().unwrap_or_default();
    let last = starts.iter().max().copied().unwrap_or_default();
    last - first > HOUR || durs.iter().any(|d| *d > WEEK)
}

struct Group {
    first: Ns,
    last: Ns,
    /// Last end in the group, absurdly long slices aside.
    end: Ns,
    count: usize,
}

fn groups(sorted: &[(Ns, DurNs)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for &(start, dur) in sorted {
        let end = if dur > WEEK { start } else { start + dur };
        match groups.last_mut() {
            Some(g) if start - g.last <= HOUR => {
                g.last = start;
                g.end = g.end.max(end);
                g.count += 1;
            }
            _ => groups.push(Group {
                first: start,
                last: start,
                end,
                count: 1,
            }),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: i64 = 3_600_000_000_000;

    fn check(slices: &[(i64, i64)]) -> Vec<usize> {
        let (starts, durs): (Vec<_>, Vec<_>) =
            slices.iter().map(|&(s, d)| (Ns(s), DurNs(d))).unzip();
        let flags = find(&starts, &durs);
        (0..flags.len()).filter(|&i| flags[i]).collect()
    }

    #[test]
    fn zero_beside_epoch_times_is_astray() {
        let mut slices = vec![(0, 5)];
        slices.extend((0..3).map(|i| (100 * H + i * 10, 5)));
        assert_eq!(check(&slices), [0]);
        // Zero is a usual start in a trace that begins there.
        assert!(check(&[(0, 5), (10, 5), (20, 5)]).is_empty());
    }

    #[test]
    fn over_seven_days_is_astray() {
        assert_eq!(check(&[(0, 1), (5, 169 * H), (9, 168 * H)]), [1]);
    }

    #[test]
    fn a_small_far_group_is_astray_and_a_large_one_is_not() {
        // 40 slices within 400 ns; one slice two hours later: over 1,000 extents away.
        let mut slices: Vec<_> = (0..40).map(|i| (i * 10, 10)).collect();
        slices.push((2 * H, 10));
        assert_eq!(check(&slices), [40]);
        // Three of 43 are over 5 %: a second phase of the job, kept.
        slices.extend([(2 * H + 5, 10), (2 * H + 9, 10)]);
        assert!(check(&slices).is_empty());
    }

    #[test]
    fn a_small_group_within_a_thousand_extents_stays() {
        // Largest group lasts 40 s; two hours is 180 extents away.
        let mut slices: Vec<_> = (0..40)
            .map(|i| (i * 1_000_000_000, 1_000_000_000))
            .collect();
        slices.push((2 * H, 10));
        assert!(check(&slices).is_empty());
    }
}
