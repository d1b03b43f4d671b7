//! Against a model that looks at every slice in every column.

#![allow(
    clippy::float_cmp,
    reason = "both sides come from the same exact integers by the same function"
)]

use super::{On, derived, draws, open_all, trace, view};
use crate::time::{DurNs, Window};
use crate::timeline::{
    Derived, Grid, LaneKey, LaneState, Limits, Quad, Scene, SceneKey, Shade, Shares, Split, Strip,
    Texel, What, lanes, scale, spans,
};
use crate::trace::class::KernelClass::{self, Communication as M, Computation as C, Memory as Y};
use crate::trace::{RankId, Trace};
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

    /// What is taken over from another view is what would be measured and painted afresh.
    #[test]
    fn kept_columns_are_those_of_the_view(
        slices in random_slices(), scale in 1_u32..40, width in 5_u16..60,
        moves in proptest::collection::vec((-30_i32..30, prop_oneof![4 => Just(1.0), 1 => 0.4_f64..2.0], 0_u8..3), 1..12),
    ) {
        let t = trace(&slices);
        let mut view = view(0, i64::from(scale) * i64::from(width), width);
        let limits = Limits { capture: t.capture().expect("there are slices"), width_px: f64::from(width) };
        let mut kept = Scene::default();
        for &(pixels, zoom, closed) in &moves {
            view = view.pan(f64::from(pixels), limits).zoom(zoom, 3.0, limits);
            let key = SceneKey { generation: 1, clip: false, view, width_px: f64::from(width) };
            let mut lanes = open_all(&t);
            if closed == 1 {
                let mut state = LaneState::for_trace(&t);
                state.toggle(LaneKey::Rank(RankId(0)));
                lanes = lanes::rows(&t, &state);
            } else if closed == 2 {
                lanes.truncate(5);
            }
            let mut fresh = Scene::default();
            kept.paint(&t, key, &lanes, &Spelled);
            fresh.paint(&t, key, &lanes, &Spelled);
            let bands = |scene: &Scene| {
                let device = scene.device(RankId(0), t.ranks[0].devices.first()?.id)?;
                let strips = std::slice::from_ref(&device.band);
                Some((device.exposed.clone(), columns(scene.grid(), strips)))
            };
            prop_assert_eq!(bands(&kept), bands(&fresh));
            for lane in &lanes {
                prop_assert_eq!(kept.lane(lane.key), fresh.lane(lane.key));
                prop_assert_eq!(columns(kept.grid(), kept.strips(lane.key)), columns(fresh.grid(), fresh.strips(lane.key)), "{:?}", lane.key);
            }
        }
    }

    /// The strips say of every column what the draw list says.
    #[test]
    fn strips_are_the_folded_columns(
        slices in random_slices(), from in -200_i64..5_000, span in 20_i64..6_000, width in 10_u16..300,
    ) {
        let t = trace(&slices);
        let view = view(from, from + span, width);
        let key = SceneKey { generation: 1, clip: false, view, width_px: f64::from(width) };
        let lanes = open_all(&t);
        let mut scene = Scene::default();
        scene.paint(&t, key, &lanes, &Spelled);
        for lane in lanes.iter().filter(|l| !l.slices.is_empty()) {
            let [drawn, _] = draws(&t, lane, &view, width);
            let strips = columns(scene.grid(), scene.strips(lane.key));
            for (row, strip) in (0_u16..).zip(&strips) {
                let mut expected = vec![[[0; 4]; 3]; usize::from(width)];
                for quad in drawn.quads.iter().filter(|q| q.row == row) {
                    if let (What::Folded(shares), Ok(at)) = (quad.what, usize::try_from(scale::column(f64::from(quad.x0)))) {
                        // Below a nanosecond a pixel, what is exposed is told by place, not by share.
                        expected[at] = strip[at];
                        if view.ns_per_px >= 1.0 {
                            let window = view.column(scale::column(f64::from(quad.x0)));
                            expected[at] = Spelled.slices(&shares, exposed_in(&t, lane.key, window));
                        }
                    }
                }
                prop_assert_eq!(strip, &expected, "{:?} {}", lane.key, row);
            }
        }
    }
}

/// The exact share of exposed communication of a lane's device.
fn exposed_in(t: &Trace, lane: LaneKey, window: Window) -> f32 {
    let Some(device) = lane.device().and_then(|d| t.ranks[0].device(d)) else {
        return 0.0;
    };
    let inside = window.clip(device.extent).map_or(DurNs::ZERO, |w| {
        device.activity.measure(w).sum(|m| m & 2 != 0 && m & 1 == 0)
    });
    scale::share(inside, window.len())
}

/// Columns of strips from the view's left edge on.
fn columns(grid: &Grid, strips: &[Strip]) -> Vec<Vec<[Texel; 3]>> {
    let range = grid.columns.clone();
    let with_texels = strips.iter().filter(|s| s.lines().len() > 0);
    let strips = with_texels.map(|strip| {
        let lines: Vec<&[Texel]> = strip.lines().collect();
        let width = i64::try_from(lines[0].len()).unwrap();
        let column = |c: i64| {
            let at = usize::try_from(c.rem_euclid(width)).unwrap();
            std::array::from_fn(|line| lines.get(line).map_or([0; 4], |l| l[at]))
        };
        range.clone().map(column).collect()
    });
    strips.collect()
}

/// Colours that are the bits of what they stand for.
struct Spelled;

impl Shade for Spelled {
    fn id(&self) -> u64 {
        7
    }

    fn slices(&self, shares: &Shares, exposed: f32) -> [Texel; 3] {
        let mixed = shares.computation
            + 2.0 * shares.communication
            + 4.0 * shares.memory
            + 8.0 * shares.other;
        [mixed.to_be_bytes(), exposed.to_be_bytes(), [1; 4]]
    }

    fn derived(&self, kind: Derived, share: f32, exposed: f32) -> [Texel; 3] {
        [
            share.to_be_bytes(),
            exposed.to_be_bytes(),
            [kind as u8 + 1; 4],
        ]
    }

    fn band(&self, share: f32) -> Texel {
        share.to_be_bytes()
    }

    fn split(&self, split: &Split, column: &mut [Texel]) {
        let parts = [split.compute, split.overlap, split.exposed, split.memory];
        for (texel, part) in column.iter_mut().zip(parts) {
            *texel = part.to_be_bytes();
        }
    }
}
