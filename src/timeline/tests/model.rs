//! Against a model that looks at every slice in every column.

#![allow(
    clippy::float_cmp,
    reason = "both sides come from the same exact integers by the same function"
)]

use super::{On, derived, draws, index_of, open_all, trace, view};
use crate::time::DurNs;
use crate::timeline::columns::Columns;
use crate::timeline::rows;
use crate::timeline::{Derived, Quad, What, scale, spans};
use crate::trace::class::KernelClass::{self, Communication as M, Computation as C, Memory as Y};
use proptest::prelude::*;

/// Random kernels of one stream and one thread, some without length, some touching.
fn random_slices() -> impl Strategy<Value = Vec<(On, i64, i64)>> {
    let class = prop_oneof![Just(C), Just(M), Just(Y)];
    let on = prop_oneof![class.prop_map(|c| On::Stream(7, c)), Just(On::Thread)];
    proptest::collection::vec(
        (on, 0_i64..5_000, prop_oneof![0_i64..4, 0_i64..400]),
        1..150,
    )
    .prop_map(|v| {
        v.into_iter()
            .map(|(on, start, dur)| (on, start, start + dur))
            .collect()
    })
}

/// Edges are rounded to `f32`, so for what must be covered `slack` is positive, for what must not
/// it is negative.
fn covers(quads: &[Quad], row: u16, column: u16, slack: f32) -> bool {
    let column = f32::from(column);
    quads
        .iter()
        .any(|q| q.row == row && q.x0 < column + 1.0 + slack && q.x1 > column - slack)
}

proptest! {
    /// A column is painted if and only if a slice of that row has a nanosecond (or its start) in it.
    #[test]
    fn every_busy_column_is_painted_and_no_idle_one(
        slices in random_slices(), from in -200_i64..5_000, span in 20_i64..6_000, width in 10_u16..300,
    ) {
        let t = trace(&slices);
        let view = view(from, from + span, width);
        for lane in open_all(&t).into_iter().filter(|l| !l.slices.is_empty()) {
            for (drawn, row) in draws(&t, &lane, &view, width).iter().flat_map(|d| (0..lane.sub_rows).map(move |r| (d, r))) {
                for column in 0..width {
                    let window = view.column(i64::from(column));
                    let all = t.ranks[0].slices.range(lane.slices.clone());
                    let mut busy = all.filter(|s| s.row() == row).map(|s| {
                        let begins = window.contains(s.start());
                        begins || (s.start() < window.end() && s.end() > window.start() && !window.is_empty())
                    });
                    let busy = busy.any(|b| b);
                    let painted = covers(&drawn.quads, row, column, -0.001);
                    if busy {
                        prop_assert!(covers(&drawn.quads, row, column, 0.001), "{:?} row {row} column {column} is busy", lane.key);
                    } else if !window.is_empty() {
                        let near = |s: &Quad| s.row == row && s.x0 < f32::from(column) + 1.0 && s.x1 > f32::from(column);
                        // A nanosecond that the column holds in part belongs to the one before.
                        let partly = drawn.quads.iter().filter(|q| near(q)).all(|q| {
                            matches!(q.what, What::Slice(_))
                                && (f64::from(q.x1.min(f32::from(column) + 1.0) - q.x0.max(f32::from(column))) * view.ns_per_px) < 1.001
                        });
                        prop_assert!(!painted || partly, "{:?} row {row} column {column} is idle", lane.key);
                    }
                }
            }
        }
    }

    /// What a folded column says is what a walk over all slices finds.
    #[test]
    fn folded_shares_are_exact(slices in random_slices(), span in 1_000_i64..6_000, width in 5_u16..60) {
        let t = trace(&slices);
        let view = view(0, span, width);
        for lane in open_all(&t).into_iter().filter(|l| !l.slices.is_empty()) {
            for quad in draws(&t, &lane, &view, width).into_iter().flat_map(|d| d.quads) {
                let What::Folded(shares) = quad.what else { continue };
                let window = view.column(scale::column(f64::from(quad.x0)));
                let all = t.ranks[0].slices.range(lane.slices.clone());
                let mut sums = [0_i64; 4];
                for s in all.filter(|s| s.row() == quad.row) {
                    let inside = s.window().clip(window).map_or(0, |w| w.len().0);
                    sums[s.class().map_or(3, KernelClass::index)] += inside;
                }
                let share = |ns: i64| scale::share(DurNs(ns), window.len());
                prop_assert_eq!(KernelClass::ALL.map(|c| shares.of(c)), [share(sums[0]), share(sums[1]), share(sums[2])]);
                prop_assert_eq!(shares.other, share(sums[3]));
            }
        }
    }

    /// A derived lane is painted exactly in the columns in which it holds for some time.
    #[test]
    fn derived_columns_hold_for_some_time(
        slices in random_slices(), from in -200_i64..5_000, span in 400_i64..6_000, width in 10_u16..300,
    ) {
        let t = trace(&slices);
        let Some(device) = t.ranks[0].devices.first() else { return Ok(()) };
        let view = view(from, from + span, width);
        let spans = derived(&t, &view, width);
        for kind in Derived::ALL {
            for column in 0..width {
                let window = view.column(i64::from(column));
                let inside = window.clip(device.extent).map(|w| {
                    device.activity.measure(w).sum(|m| spans::holds(kind, m))
                });
                let holds = inside.is_some_and(|d| d > DurNs::ZERO);
                prop_assert_eq!(covers(&spans.lane(kind).quads, 0, column, -0.001), holds, "{:?} {}", kind, column);
            }
        }
    }

    /// Columns that are taken over from another view are the ones that would be measured.
    #[test]
    fn kept_columns_are_those_of_the_view(
        slices in random_slices(), scale in 1_u32..40, width in 5_u16..60,
        moves in proptest::collection::vec((-30_i32..30, prop_oneof![Just(1.0), 0.5_f64..2.0]), 1..8),
    ) {
        let t = trace(&slices);
        for lane in open_all(&t).into_iter().filter(|l| !l.slices.is_empty()) {
            let index = index_of(&t, &lane);
            let mut view = view(0, i64::from(scale) * i64::from(width), width);
            let mut kept = Columns::default();
            for &(pixels, zoom) in &moves {
                let moved = f64::from(pixels) * view.ns_per_px;
                view.left = view.left + DurNs(scale::column(moved));
                view.ns_per_px = (view.ns_per_px * zoom).max(1.0);
                let edges = view.edges(f64::from(width));
                let row = rows::row(&t.ranks[0], &lane, index.as_ref(), 0).expect("it has a row");
                let mut fresh = Columns::default();
                prop_assert_eq!(kept.measure(&row, &edges), fresh.measure(&row, &edges));
            }
        }
    }
}
