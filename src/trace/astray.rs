//! Which slices lie so far from everything else that they would spoil every figure.
//!
//! A slice is astray when its `ts` is 0 while the median start is over an hour, when it lasts over
//! seven days, or when it belongs to a small group far away: the sorted starts are split at gaps of
//! over an hour, and a group of fewer than 5 % of the rank's slices that is farther from the
//! largest group than a thousand times that group's extent is astray.

use super::left_out::{Cluster, HOUR, LeftOut, WEEK, joined};
use crate::time::{DurNs, Ns};

/// How many extents of the largest group away a small group must lie.
const FAR: i128 = 1_000;

/// What is astray in a rank.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// For every stored slice whether it is astray.
    pub(super) flags: Vec<bool>,
    /// Clusters of slices that were left out by choice and are not astray.
    pub(super) left_out: Vec<Cluster>,
}

/// Tells for every slice whether it is astray. `starts` are the file's own times, without base.
/// Slices that were left out by choice count as if they were there.
pub(super) fn find(starts: &[Ns], durs: &[DurNs], left_out: &LeftOut) -> Verdict {
    let mut flags: Vec<bool> = durs.iter().map(|d| *d > WEEK).collect();
    if !may_be_astray(starts, durs, left_out) {
        return Verdict {
            flags,
            left_out: left_out.valid(false).copied().collect(),
        };
    }
    let mut sorted: Vec<(Ns, DurNs)> = starts.iter().copied().zip(durs.iter().copied()).collect();
    sorted.sort_unstable();
    let total = sorted.len() + left_out.count();
    let early = sorted.partition_point(|s| s.0 - Ns(0) <= HOUR) + left_out.early();
    // The median start is over an hour.
    let zero_is_astray = early <= total / 2;
    if zero_is_astray {
        for (flag, start) in flags.iter_mut().zip(starts) {
            *flag |= *start == Ns(0);
        }
    }
    let lost = lost(groups(&sorted, left_out), total);
    let is_lost = |start: Ns| {
        // Groups stand in order and do not overlap.
        let after = lost.partition_point(|(first, _)| *first <= start);
        let group = after.checked_sub(1).and_then(|i| lost.get(i));
        group.is_some_and(|(_, last)| start <= *last)
    };
    if !lost.is_empty() {
        for (flag, start) in flags.iter_mut().zip(starts) {
            *flag |= is_lost(*start);
        }
    }
    let valid = left_out.valid(zero_is_astray);
    Verdict {
        flags,
        left_out: valid.filter(|c| !is_lost(c.first)).copied().collect(),
    }
}

/// First and last start of each group that is too small and too far from the largest.
fn lost(groups: Vec<Cluster>, total: usize) -> Vec<(Ns, Ns)> {
    let Some(largest) = groups.iter().rev().max_by_key(|g| g.count).copied() else {
        return Vec::new();
    };
    let limit = i128::from((largest.end - largest.first).0) * FAR;
    groups
        .into_iter()
        .filter(|g| {
            let away = if g.first > largest.last {
                i128::from(g.first.0) - i128::from(largest.end.0)
            } else {
                i128::from(largest.first.0) - i128::from(g.end.0)
            };
            g.count * 20 < total && away > limit
        })
        .map(|g| (g.first, g.last))
        .collect()
}

/// Whether anything can be astray at all: where all starts lie within an hour there is one group,
/// and a start of 0 is within an hour of the median.
fn may_be_astray(starts: &[Ns], durs: &[DurNs], left_out: &LeftOut) -> bool {
    let first = starts
        .iter()
        .copied()
        .chain(left_out.all().map(|c| c.first));
    let last = starts.iter().copied().chain(left_out.all().map(|c| c.last));
    let first = first.min().unwrap_or_default();
    let last = last.max().unwrap_or_default();
    last - first > HOUR || durs.iter().any(|d| *d > WEEK)
}

fn groups(sorted: &[(Ns, DurNs)], left_out: &LeftOut) -> Vec<Cluster> {
    let mut groups: Vec<Cluster> = Vec::new();
    for &(start, dur) in sorted {
        let one = Cluster::of(start, dur);
        match groups.last_mut() {
            Some(g) if start - g.last <= HOUR => {
                g.last = start;
                g.end = g.end.max(one.end);
                g.count += 1;
            }
            _ => groups.push(one),
        }
    }
    if !left_out.is_empty() {
        groups.extend(left_out.all());
        groups = joined(groups);
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
        let flags = find(&starts, &durs, &LeftOut::default()).flags;
        // With every other slice left out the verdict on the rest is the same, and what is left
        // out is told apart in the same way.
        for odd in 0..2 {
            let mut left_out = LeftOut::default();
            let (mut kept, mut kept_flags) = ((Vec::new(), Vec::new()), Vec::new());
            let mut first_valid = None;
            for (i, flag) in flags.iter().enumerate() {
                if i % 2 == odd {
                    left_out.add(starts[i], durs[i]);
                    let start = (!flag).then_some(starts[i]);
                    first_valid = first_valid.into_iter().chain(start).min();
                } else {
                    kept.0.push(starts[i]);
                    kept.1.push(durs[i]);
                    kept_flags.push(*flag);
                }
            }
            let verdict = find(&kept.0, &kept.1, &left_out);
            assert_eq!(verdict.flags, kept_flags);
            let first = verdict.left_out.iter().map(|c| c.first).min();
            assert_eq!(first, first_valid);
        }
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
