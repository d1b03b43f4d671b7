//! Interval algebra against a brute-force model: a set is the list of unit cells that it covers.

#![allow(
    clippy::naive_bytecount,
    reason = "the masks are few and the model is to be plain"
)]

use super::*;
use crate::time::{DurNs, Ns, Window};
use proptest::prelude::*;

const SPAN: i64 = 80;

fn set(pairs: &[(i64, i64)]) -> IntervalSet {
    pairs.iter().map(|&(s, e)| Interval::new(s, e)).collect()
}

/// Slices of one group.
fn members(group: u8, pairs: &[(i64, i64)]) -> Vec<Member> {
    let member = |&(start, end): &(i64, i64)| Member {
        start: Ns(start),
        end: Ns(end),
        group,
    };
    pairs.iter().map(member).collect()
}

fn partition(groups: [&[(i64, i64)]; 3]) -> Partition {
    let groups = (0_u8..).zip(groups);
    let all: Vec<Member> = groups.flat_map(|(i, pairs)| members(i, pairs)).collect();
    Partition::new(all.into_iter())
}

fn w(a: i64, b: i64) -> Window {
    Window::new(Ns(a), Ns(b))
}

/// The model: cell `t` stands for `[t, t + 1)`.
fn cells(pairs: &[(i64, i64)]) -> Vec<bool> {
    (0..SPAN)
        .map(|t| pairs.iter().any(|&(s, e)| s <= t && t < e))
        .collect()
}

fn cells_of(set: &IntervalSet) -> Vec<bool> {
    let pairs: Vec<_> = set
        .intervals()
        .iter()
        .map(|i| (i.start.0, i.end.0))
        .collect();
    cells(&pairs)
}

fn is_canonical(set: &IntervalSet) -> bool {
    set.intervals().iter().all(|i| i.start < i.end)
        && set.intervals().windows(2).all(|p| p[0].end < p[1].start)
}

fn pairs() -> impl Strategy<Value = Vec<(i64, i64)>> {
    // Some intervals are empty, some are invalid (end before start).
    prop::collection::vec((0..SPAN, -3_i64..20), 0..14)
        .prop_map(|v| v.into_iter().map(|(s, d)| (s, (s + d).min(SPAN))).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn merging_covers_the_same_instants(a in pairs()) {
        let merged = set(&a);
        prop_assert!(is_canonical(&merged));
        prop_assert_eq!(cells_of(&merged), cells(&a));
        let count = cells(&a).iter().filter(|c| **c).count();
        prop_assert_eq!(merged.total().0, i64::try_from(count).unwrap());
    }

    #[test]
    fn set_operations_agree_with_cells(a in pairs(), b in pairs()) {
        let (sa, sb) = (set(&a), set(&b));
        let (ca, cb) = (cells(&a), cells(&b));
        let model = |f: fn(bool, bool) -> bool| -> Vec<bool> {
            ca.iter().zip(&cb).map(|(x, y)| f(*x, *y)).collect()
        };
        for (got, want) in [
            (sa.union(&sb), model(|x, y| x || y)),
            (sa.intersect(&sb), model(|x, y| x && y)),
            (sa.subtract(&sb), model(|x, y| x && !y)),
        ] {
            prop_assert!(is_canonical(&got));
            prop_assert_eq!(cells_of(&got), want);
        }
        prop_assert_eq!(sweep_overlap(&sa, &sb), sa.intersect(&sb).total());
        prop_assert_eq!(sweep_overlap(&sb, &sa), sa.intersect(&sb).total());
    }

    #[test]
    fn the_partition_measures_every_combination(
        a in pairs(), b in pairs(), c in pairs(), from in -5..SPAN + 5, len in 0..SPAN,
    ) {
        let partition = partition([&a, &b, &c]);
        let window = w(from, from + len);
        let parts = partition.measure(window);
        let masks: Vec<u8> = (from..from + len)
            .map(|t| {
                let bit = |p: &[(i64, i64)]| p.iter().any(|&(s, e)| s <= t && t < e);
                u8::from(bit(&a)) | u8::from(bit(&b)) << 1 | u8::from(bit(&c)) << 2
            })
            .collect();
        for mask in 0..8_u8 {
            let want = masks.iter().filter(|m| **m == mask).count();
            prop_assert_eq!(parts.exactly(mask).0, i64::try_from(want).unwrap(), "mask {}", mask);
        }
        prop_assert_eq!(parts.total(), window.len());
        for wanted in 1..8_u8 {
            let got: Vec<_> = partition.intervals(window, |m| m & wanted != 0).collect();
            let as_set: IntervalSet = got.iter().copied().collect();
            prop_assert_eq!(as_set.intervals(), got.as_slice());
            let want = masks.iter().filter(|m| **m & wanted != 0).count();
            prop_assert_eq!(as_set.total().0, i64::try_from(want).unwrap());
        }
    }

    #[test]
    fn slices_are_counted_and_summed_as_by_a_scan(a in pairs(), from in -5..SPAN + 5, len in 0..SPAN) {
        let partition = partition([&a, &[], &[]]);
        let (ws, we) = (from, from + len);
        let last = a.iter().filter(|(s, e)| s <= e).map(|p| p.1).max();
        let mut count = 0;
        let mut sum = 0;
        for &(s, e) in a.iter().filter(|(s, e)| s <= e) {
            let inside = e.min(we) - s.max(ws);
            if s == e {
                count += u64::from((ws <= s && s < we) || (s == we && last == Some(we) && ws <= s));
            } else if inside > 0 {
                count += 1;
                sum += inside;
            }
        }
        let measure = partition.measure_all(w(ws, we));
        prop_assert_eq!(measure.count, count);
        prop_assert_eq!(measure.sum, DurNs(sum));
        prop_assert_eq!(measure.parts, partition.measure(w(ws, we)));
        let across = a.iter().filter(|(s, e)| *s < ws && ws < *e).count();
        prop_assert_eq!(partition.across(Ns(ws)), u64::try_from(across).unwrap());
    }
}

#[test]
fn long_partitions_agree_across_sample_rows() {
    // 50 pieces of length 1 and gaps of length 1: crosses several blocks of running totals.
    let pairs: Vec<_> = (0..50).map(|i| (2 * i, 2 * i + 1)).collect();
    let partition = partition([&pairs, &[], &[]]);
    for from in 0..100 {
        for to in from..=100 {
            let want = (from..to).filter(|t| t % 2 == 0).count();
            assert_eq!(
                partition.measure(w(from, to)).exactly(1).0,
                i64::try_from(want).unwrap()
            );
        }
    }
}

#[test]
fn worked_examples_hold() {
    // compute [0,10] [15,25], communication [5,20]: overlap 10.
    let overlap = sweep_overlap(&set(&[(0, 10), (15, 25)]), &set(&[(5, 20)]));
    assert_eq!(overlap, DurNs(10));
    // compute [0,100], communication [80,120]: overlap 20.
    assert_eq!(
        sweep_overlap(&set(&[(0, 100)]), &set(&[(80, 120)])),
        DurNs(20)
    );
    // [0,4] [3,7] [9,10] in a window of 10: busy 8.
    let busy = set(&[(0, 4), (3, 7), (9, 10)]);
    assert_eq!(busy.total(), DurNs(8));
    assert_eq!(set(&[(0, 10)]).subtract(&busy).total(), DurNs(2));
    // A 10-14.5 and B 13-16 on one stream: busy 6.0, sum 7.5.
    let slices = [(10_000, 14_500), (13_000, 16_000)];
    assert_eq!(set(&slices).total(), DurNs(6_000));
    let measure = partition([&slices, &[], &[]]).measure_all(w(0, 20_000));
    assert_eq!(measure.parts.exactly(1), DurNs(6_000));
    assert_eq!(measure.sum, DurNs(7_500));
}

#[test]
fn nothing_at_all_measures_as_idle() {
    let measure = Partition::default().measure_all(w(0, 5));
    assert_eq!((measure.count, measure.sum), (0, DurNs::ZERO));
    assert_eq!(measure.parts.exactly(0), DurNs(5));
}

#[test]
fn touching_intervals_merge_and_do_not_overlap() {
    assert_eq!(set(&[(0, 5), (5, 9)]), set(&[(0, 9)]));
    assert_eq!(sweep_overlap(&set(&[(0, 5)]), &set(&[(5, 9)])), DurNs::ZERO);
}

#[test]
fn epoch_times_stay_exact() {
    let base = 1_764_460_800_000_000_000;
    let slices: Vec<_> = (0..1_000)
        .map(|i| (base + i * 10, base + i * 10 + 7))
        .collect();
    let partition = partition([&slices, &[], &[]]);
    assert_eq!(
        partition.measure_all(w(base, base + 10_000)).sum,
        DurNs(7_000)
    );
    assert_eq!(partition.measure_all(w(base + 7, base + 10)).count, 0);
}

/// A block tells its edges by 32-bit offsets from the first: four seconds.
#[test]
fn gaps_and_slices_longer_than_an_offset_reaches() {
    const FAR: i64 = 4_294_967_295;
    let at = [0, FAR - 1, FAR, FAR + 1, 3 * FAR, 3 * FAR + 5, 9 * FAR];
    for (i, &start) in at.iter().enumerate() {
        for &end in &at[i + 1..] {
            let slices = [(start, end), (9 * FAR, 9 * FAR + 1)];
            let partition = partition([&slices, &[], &[(start, end)]]);
            for from in at {
                for to in at.into_iter().filter(|to| from <= *to) {
                    let both = (end.min(to) - start.max(from)).max(0);
                    let measure = partition.measure_all(w(from, to));
                    assert_eq!(measure.parts.exactly(0b101).0, both, "{start} {from} {to}");
                    assert_eq!(measure.sum.0, 2 * both, "{start} {from} {to}");
                    assert_eq!(measure.count, if both > 0 { 2 } else { 0 });
                    let found: i64 = partition
                        .intervals(w(from, to), |m| m == 0b101)
                        .map(|i| i.len().0)
                        .sum();
                    assert_eq!(found, both, "{start} {from} {to}");
                }
            }
        }
    }
}

/// More edges at one instant than a block holds: what begins or ends there may stand in several.
#[test]
fn many_slices_that_begin_and_end_together() {
    let mut slices = vec![(0, 10); 40];
    slices.extend(vec![(10, 20); 50]);
    slices.extend([(10, 10); 3]);
    let partition = partition([&slices, &[], &[]]);
    let count = |from, to| partition.measure_all(w(from, to)).count;
    assert_eq!(count(0, 10), 40);
    assert_eq!(count(10, 20), 53);
    assert_eq!(count(0, 20), 93);
    assert_eq!(count(9, 11), 93);
    assert_eq!(count(10, 11), 53);
    assert_eq!(count(9, 10), 40);
    assert_eq!(partition.across(Ns(10)), 0);
    assert_eq!(partition.across(Ns(9)), 40);
    assert_eq!(partition.measure_all(w(5, 12)).sum, DurNs(5 * 40 + 2 * 50));
    assert_eq!(partition.measure(w(0, 20)).exactly(1), DurNs(20));
    let all: Vec<_> = partition.intervals(w(0, 30), |m| m != 0).collect();
    assert_eq!(all, [Interval::new(0, 20)]);
    assert_eq!(partition.extent(), Some(w(0, 20)));
}
