//! Columns told by buckets, against those that are walked.

use super::{On, draw_with, stream, trace, view};
use crate::timeline::{Quad, Shares, What};
use crate::trace::class::KernelClass::{Communication, Computation, Memory};
use proptest::prelude::*;

/// Thousands of kernels of one stream: dense stretches, single ones, gaps.
fn kernels() -> impl Strategy<Value = Vec<(On, i64, i64)>> {
    let class = prop_oneof![Just(Computation), Just(Communication), Just(Memory)];
    let gap = prop_oneof![20 => 0_i64..20, 2 => 100_i64..3_000];
    let dur = prop_oneof![1 => Just(0_i64), 30 => 1_i64..40, 1 => 500_i64..4_000];
    proptest::collection::vec((class, gap, dur), 2_100..4_000).prop_map(|parts| {
        let mut at = 0;
        let placed = parts.into_iter().map(|(class, gap, dur)| {
            let start = at + gap;
            at = start + dur;
            (On::Stream(7, class), start, at)
        });
        placed.collect()
    })
}

fn folded(quads: &[Quad]) -> Vec<(i64, Shares)> {
    let folded = quads.iter().filter_map(|q| match q.what {
        What::Folded(shares) => Some((crate::timeline::scale::column(f64::from(q.x0)), shares)),
        _ => None,
    });
    folded.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The same columns are painted, a single short kernel and no gap, and every share is within an
    /// eighth and what a byte cannot tell.
    #[test]
    fn buckets_paint_the_same_columns(
        kernels in kernels(), from in -5_000_i64..50_000, width in 10_u16..200, per_column in 30_i64..4_000,
    ) {
        let t = trace(&kernels);
        let lane = stream(&t);
        let view = view(from, from + per_column * i64::from(width), width);
        let exact = folded(&draw_with(&t, &lane, &view, width, usize::MAX).quads);
        let told = folded(&draw_with(&t, &lane, &view, width, 0).quads);
        let columns = |all: &[(i64, Shares)]| all.iter().map(|c| c.0).collect::<Vec<_>>();
        prop_assert_eq!(columns(&exact), columns(&told));
        for ((at, exact), (_, told)) in exact.iter().zip(&told) {
            let pairs = [
                (exact.computation, told.computation),
                (exact.communication, told.communication),
                (exact.memory, told.memory),
                (exact.other, told.other),
            ];
            for (exact, told) in pairs {
                prop_assert!((exact - told).abs() <= 0.13, "column {}: {} {}", at, exact, told);
            }
        }
    }
}
