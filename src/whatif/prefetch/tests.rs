//! Depths worked out by hand, and against a clock that ticks.

use super::*;
use proptest::prelude::*;

fn layers(times: &[(i64, i64, i64)]) -> Vec<Layer> {
    times
        .iter()
        .map(|&(gather, compute, scatter)| Layer {
            gather: DurNs(gather),
            compute: DurNs(compute),
            scatter: DurNs(scatter),
        })
        .collect()
}

const BACKWARD: Pass = Pass::Backward {
    shared_stream: false,
};
const SHARED: Pass = Pass::Backward {
    shared_stream: true,
};

fn of(times: &[(i64, i64, i64)], pass: Pass, depth: u32) -> Prefetch {
    let layers = layers(times);
    prefetch(&PrefetchInput { layers, pass }, depth).expect("an answer")
}

#[test]
fn equal_layers_wait_the_same_whatever_the_depth() {
    for (gather, compute) in [(4, 3), (3, 4), (5, 5), (9, 2), (0, 3)] {
        for depth in 1..6 {
            let got = of(&[(gather, compute, 0); 10], Pass::Forward, depth);
            let each = (gather - compute).max(0);
            assert!(got.waits.iter().all(|w| w.0 == each), "{got:?}");
            assert_eq!(got.first_gather.0, gather);
            assert_eq!(got.exposed.0, gather + 9 * each);
            assert_eq!(got.total.0, got.exposed.0 + 10 * compute);
            assert_eq!(got.serial.0, 10 * (gather + compute));
        }
    }
}

#[test]
fn depth_absorbs_unequal_layers() {
    // A long gather behind a short computation: with one layer ahead it begins at 5, with two at 2.
    let times = [(1, 4, 0), (1, 4, 0), (7, 4, 0), (1, 4, 0)];
    // 1..5, 5..9; the gather 5..12, so the third waits 3.
    assert_eq!(of(&times, Pass::Forward, 1).exposed.0, 1 + 3);
    // The gather 2..9: nothing waits.
    assert_eq!(of(&times, Pass::Forward, 2).exposed.0, 1);
}

#[test]
fn gradients_follow_and_queue_on_a_shared_stream() {
    // Gathers 0..2, 2..4; computations 2..5, 5..8; scatters 5..7 and 8..10 on their own stream.
    let times = [(2, 3, 2), (2, 3, 2)];
    let own = of(&times, BACKWARD, 1);
    assert_eq!((own.total.0, own.tail.0, own.exposed.0), (10, 2, 4));
    // The third gather stands behind the first scatter, 5..7: 7..9. The third computation 9..12.
    let times = [(2, 3, 2), (2, 3, 2), (2, 3, 2)];
    let shared = of(&times, SHARED, 1);
    assert_eq!(shared.waits.iter().map(|w| w.0).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((shared.total.0, shared.tail.0), (14, 2));
    assert_eq!(of(&times, BACKWARD, 1).waits, [DurNs(0), DurNs(0)]);
}

#[test]
fn the_rule_of_thumb_and_what_depth_costs() {
    let input = |times: &[(i64, i64, i64)]| PrefetchInput {
        layers: layers(times),
        pass: Pass::Forward,
    };
    assert_eq!(rule_of_thumb(&input(&[(5, 2, 0), (5, 2, 0)])), Ok(3));
    assert_eq!(rule_of_thumb(&input(&[(1, 4, 0)])), Ok(1));
    let memory = Memory {
        layer: 800,
        gradient: 400,
        ranks: 8,
    };
    assert_eq!(extra_memory(memory, Pass::Forward, 1), Ok(700));
    assert_eq!(extra_memory(memory, Pass::Forward, 3), Ok(2_100));
    assert_eq!(extra_memory(memory, BACKWARD, 1), Ok(1_100));
    assert!(extra_memory(Memory { ranks: 1, ..memory }, BACKWARD, 1).is_err());
    let huge = Memory {
        layer: u64::MAX,
        gradient: u64::MAX,
        ranks: u32::MAX,
    };
    assert!(extra_memory(huge, BACKWARD, u32::MAX).is_err());
}

#[test]
fn what_cannot_be_is_refused() {
    let bad = |times: &[(i64, i64, i64)], depth| {
        let layers = layers(times);
        prefetch(
            &PrefetchInput {
                layers,
                pass: BACKWARD,
            },
            depth,
        )
        .expect_err("refused")
    };
    assert!(matches!(bad(&[], 1), ModelError::Nothing(_)));
    assert!(matches!(bad(&[(1, 1, 0)], 0), ModelError::NotPositive(_)));
    assert!(matches!(bad(&[(1, 0, 0)], 1), ModelError::NotPositive(_)));
    assert!(matches!(bad(&[(-1, 1, 0)], 1), ModelError::Negative(_)));
    assert!(matches!(
        bad(&[(1, i64::MAX, 0)], 1),
        ModelError::OutOfRange(_)
    ));
}

/// A clock that ticks: queues of work, each taking its next item once that may start.
fn ticked(times: &[(i64, i64, i64)], pass: Pass, depth: usize) -> i64 {
    #[derive(Clone, Copy)]
    enum Work {
        Gather(usize),
        Scatter(usize),
    }
    let (backward, shared) = (pass != Pass::Forward, pass == SHARED);
    let n = times.len();
    // The order in which a host that runs ahead fills the queue of a shared stream.
    let (mut first, mut second): (Vec<Work>, Vec<Work>) = (Vec::new(), Vec::new());
    for i in 0..n {
        if i == 0 {
            first.extend((0..n.min(depth + 1)).map(Work::Gather));
        } else if i + depth < n {
            first.push(Work::Gather(i + depth));
        }
        if backward {
            if shared { &mut first } else { &mut second }.push(Work::Scatter(i));
        }
    }
    let mut gathered = vec![i64::MAX; n];
    let mut started = vec![i64::MAX; n];
    let mut computed = vec![i64::MAX; n];
    let mut queues = [(first, 0_usize, 0_i64), (second, 0, 0)];
    let (mut next, mut free, mut last) = (0, 0, 0);
    for now in 0..10_000_i64 {
        // Work of no length lets others start at the same tick.
        for _ in 0..4 * n + 4 {
            if next < n && free <= now && gathered[next] <= now {
                started[next] = now;
                free = now + times[next].1;
                computed[next] = free;
                last = last.max(free);
                next += 1;
            }
            for (queue, at, busy) in &mut queues {
                let Some(work) = queue.get(*at).copied() else {
                    continue;
                };
                let may = match work {
                    Work::Gather(i) => i < depth || started[i - depth] <= now,
                    Work::Scatter(i) => computed[i] <= now,
                };
                if *busy <= now && may {
                    *busy = now
                        + match work {
                            Work::Gather(i) => times[i].0,
                            Work::Scatter(i) => times[i].2,
                        };
                    if let Work::Gather(i) = work {
                        gathered[i] = *busy;
                    }
                    last = last.max(*busy);
                    *at += 1;
                }
            }
        }
        if next == n && queues.iter().all(|(queue, at, _)| *at == queue.len()) {
            return last;
        }
    }
    panic!("the clock ran out");
}

proptest! {
    #[test]
    fn the_walk_is_what_a_clock_shows(
        times in prop::collection::vec((0..12_i64, 0..12_i64, 0..12_i64), 1..12),
        depth in 1..5_u32,
    ) {
        prop_assume!(times.iter().any(|t| t.1 > 0));
        let ahead = usize::try_from(depth).expect("small");
        for pass in [Pass::Forward, BACKWARD, SHARED] {
            let got = of(&times, pass, depth);
            prop_assert_eq!(got.total.0, ticked(&times, pass, ahead));
            let waits: DurNs = got.waits.iter().copied().sum();
            prop_assert_eq!(got.exposed, got.first_gather + waits + got.tail);
            prop_assert!(got.total <= got.serial);
        }
    }
}
