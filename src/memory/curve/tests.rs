//! Curves against worked-out values and against a model that looks at every point.

use super::{Curve, CurveError, Extreme, Extremes};
use crate::time::{Ns, Window};
use proptest::prelude::*;

fn curve(points: &[(i64, i64)]) -> Curve {
    Curve::new(points.iter().map(|&(at, bytes)| (Ns(at), bytes))).expect("points in order")
}

fn window(start: i64, end: i64) -> Window {
    Window::new(Ns(start), Ns(end))
}

fn extreme(bytes: i64, at: i64, index: usize) -> Extreme {
    let at = Ns(at);
    Extreme { bytes, at, index }
}

#[test]
fn a_value_holds_from_its_point_to_the_next_one() {
    let curve = curve(&[(10, 5), (20, 9), (20, 7), (30, 2)]);
    let values = [9, 10, 19, 20, 29, 30, 99].map(|at| curve.value_at(Ns(at)));
    assert_eq!(
        values,
        [None, Some(5), Some(5), Some(7), Some(7), Some(2), Some(2)]
    );
    let before = [10, 11, 20, 21].map(|at| curve.value_before(Ns(at)));
    assert_eq!(before, [None, Some(5), Some(5), Some(7)]);
}

#[test]
fn a_peak_that_stands_for_no_time_is_still_the_peak() {
    let curve = curve(&[(10, 5), (20, 9), (20, 7), (30, 2)]);
    let found = curve.extremes(window(10, 30));
    let (min, max) = (extreme(5, 10, 0), extreme(9, 20, 1));
    assert_eq!(found, Some(Extremes { min, max }));
}

#[test]
fn a_window_begins_with_what_was_allocated_before_it() {
    let curve = curve(&[(10, 5), (20, 9), (30, 2)]);
    let (min, max) = (extreme(5, 15, 0), extreme(5, 15, 0));
    assert_eq!(curve.extremes(window(15, 20)), Some(Extremes { min, max }));
    // The point at the window's start replaces the value before it: 5 is gone at 20.
    let (min, max) = (extreme(9, 20, 1), extreme(9, 20, 1));
    assert_eq!(curve.extremes(window(20, 25)), Some(Extremes { min, max }));
    assert_eq!(curve.extremes(window(0, 10)), None);
}

#[test]
fn points_out_of_order_are_refused() {
    let points = [(Ns(5), 1), (Ns(5), 2), (Ns(4), 3)];
    assert_eq!(
        Curve::new(points).expect_err("out of order"),
        CurveError::OutOfOrder(2)
    );
}

#[test]
fn an_empty_curve_answers_nothing() {
    let curve = curve(&[]);
    assert_eq!(curve.extremes(window(0, 10)), None);
    assert_eq!(curve.value_at(Ns(0)), None);
    assert_eq!(curve.extent(), None);
}

/// Windows over all of a curve whose length fills whole runs, where a question climbs to the very top.
#[test]
fn the_extremes_of_everything_are_found_at_every_length() {
    for len in [1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097] {
        let points: Vec<(i64, i64)> = (0..len).map(|at| (at, (at * 7919) % 5003)).collect();
        let found = curve(&points).extremes(window(0, len));
        assert_eq!(found, model(&points, 0, len), "{len} points");
    }
}

/// What [`Curve::extremes`] means, point by point.
fn model(points: &[(i64, i64)], start: i64, end: i64) -> Option<Extremes> {
    let mut candidates: Vec<(usize, i64, i64)> = Vec::new();
    for (index, &(at, bytes)) in points.iter().enumerate() {
        if at >= start && at < end {
            candidates.push((index, at, bytes));
        }
    }
    if candidates.first().is_none_or(|&(_, at, _)| at != start) {
        let before = points.iter().rposition(|&(at, _)| at < start);
        if let Some(index) = before {
            candidates.insert(0, (index, start, points[index].1));
        }
    }
    let least = candidates.iter().map(|c| c.2).min()?;
    let most = candidates.iter().map(|c| c.2).max()?;
    let first = |value: i64| {
        let found = candidates.iter().find(|c| c.2 == value);
        found.map(|&(index, at, bytes)| extreme(bytes, at, index))
    };
    Some(Extremes {
        min: first(least)?,
        max: first(most)?,
    })
}

proptest! {
    #[test]
    fn extremes_are_those_of_every_point_looked_at(
        steps in prop::collection::vec((0_i64..3, -40_i64..40), 0..700),
        start in -5_i64..800,
        len in 0_i64..800,
    ) {
        let mut at = 0;
        let points: Vec<(i64, i64)> = steps
            .iter()
            .map(|&(step, bytes)| {
                at += step;
                (at, bytes)
            })
            .collect();
        let found = curve(&points).extremes(window(start, start + len));
        prop_assert_eq!(found, model(&points, start, start + len));
    }
}
