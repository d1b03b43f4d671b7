//! [`View`]: which stretch of time the timeline shows, and the mapping between time and pixels.

use super::scale::{column, column_f64, floor_ns, ns_f64};
use crate::time::{DurNs, Ns, Window};

/// Shortest time that may fill the screen.
const MIN_SPAN_NS: f64 = 10.0;
/// How much of the screen may show time outside the capture on either side.
const MARGIN: f64 = 0.25;

/// The visible range: pixel 0 shows the instant `left + sub_ns`.
///
/// The left edge is an integer and a fraction, so that a pan by less than a nanosecond is not lost
/// and no epoch time ever goes through a floating point number.
///
/// The scale keeps 40 binary digits and the fraction is a multiple of its last one, so a view that
/// moves by whole pixels has exactly the same columns as before, only elsewhere on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Whole nanosecond at or before pixel 0.
    pub left: Ns,
    /// What pixel 0 lies past `left`, in `[0, 1)` ns.
    pub sub_ns: f64,
    /// Scale; positive.
    pub ns_per_px: f64,
}

/// What a view must stay within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// All that was recorded.
    pub capture: Window,
    /// Width of the drawing area.
    pub width_px: f64,
}

impl Limits {
    fn width(self) -> f64 {
        self.width_px.max(1.0)
    }

    fn scale(self) -> (f64, f64) {
        let min = MIN_SPAN_NS / self.width();
        let whole = ns_f64(self.capture.len()).max(MIN_SPAN_NS) / self.width();
        (min, whole * (1.0 + 2.0 * MARGIN))
    }
}

impl View {
    /// The view that shows a window from edge to edge.
    #[must_use]
    pub fn fit(window: Window, width_px: f64) -> Self {
        let width = width_px.max(1.0);
        let len = ns_f64(window.len());
        let span = len.max(MIN_SPAN_NS);
        Self {
            left: window.start(),
            sub_ns: 0.0,
            ns_per_px: short(span / width),
        }
        .moved((len - span) / 2.0)
    }

    /// The same with some air on both sides, so that the first and last slice do not touch the edge.
    #[must_use]
    pub fn fit_with_margin(window: Window, width_px: f64) -> Self {
        let margin = DurNs(window.len().0 / 50);
        Self::fit(
            Window::new(window.start() - margin, window.end() + margin),
            width_px,
        )
    }

    /// Where an instant lies, in pixels from the left edge; may be far outside the screen.
    #[must_use]
    pub fn x_of(&self, at: Ns) -> f64 {
        (ns_f64(at - self.left) - self.sub_ns) / self.ns_per_px
    }

    /// The instant shown at a pixel: the last whole nanosecond at or before it.
    #[must_use]
    pub fn time_at(&self, x: f64) -> Ns {
        self.left + floor_ns(self.sub_ns + x * self.ns_per_px)
    }

    /// The whole nanosecond nearest to a pixel, for edges that a user places.
    #[must_use]
    pub fn nearest_time(&self, x: f64) -> Ns {
        self.left + floor_ns(self.sub_ns + x * self.ns_per_px + 0.5)
    }

    /// The nanoseconds whose start lies in a pixel column. Columns tile the time; below 1 ns a
    /// pixel most of them are empty.
    #[must_use]
    pub fn column(&self, column: i64) -> Window {
        Window::new(
            self.column_start(column),
            self.column_start(column.saturating_add(1)),
        )
    }

    /// Number of columns of a screen of this width.
    #[must_use]
    pub fn columns(width_px: f64) -> i64 {
        column(width_px.max(0.0) - 1e-9) + 1
    }

    /// Where the columns of a screen of this width begin, and the end of the last one.
    #[must_use]
    pub fn edges(&self, width_px: f64) -> Vec<Ns> {
        (0..=Self::columns(width_px))
            .map(|c| self.column_start(c))
            .collect()
    }

    /// The pixel column that an instant belongs to, in agreement with [`Self::column`].
    #[must_use]
    pub fn column_of(&self, at: Ns) -> i64 {
        let near = column(self.x_of(at));
        // Rounding may have put an instant on the edge of a column into its neighbour.
        if at >= self.column_start(near.saturating_add(1)) {
            near.saturating_add(1)
        } else if at < self.column_start(near) {
            near.saturating_sub(1)
        } else {
            near
        }
    }

    fn column_start(&self, column: i64) -> Ns {
        let ns = self.sub_ns + column_f64(column) * self.ns_per_px;
        self.left - floor_ns(-ns)
    }

    /// The length of time that a distance on the screen stands for, rounded up.
    #[must_use]
    pub fn length_of(&self, px: f64) -> DurNs {
        DurNs(-floor_ns(-px * self.ns_per_px).0)
    }

    /// All time on a screen of this width.
    #[must_use]
    pub fn visible(&self, width_px: f64) -> Window {
        let end = self.left - floor_ns(-(self.sub_ns + width_px.max(0.0) * self.ns_per_px));
        Window::new(self.left, end)
    }

    /// Zooms in (`factor > 1`) or out so that the instant at `at_px` stays where it is.
    #[must_use]
    pub fn zoom(&self, factor: f64, at_px: f64, limits: Limits) -> Self {
        if !(factor.is_finite() && factor > 0.0 && at_px.is_finite()) {
            return *self;
        }
        let (min, max) = limits.scale();
        let ns_per_px = short((self.ns_per_px / factor).clamp(min, max));
        let view = Self { ns_per_px, ..*self }.moved(at_px * (self.ns_per_px - ns_per_px));
        view.within(limits)
    }

    /// Moves the screen over the trace by `px` to the right.
    #[must_use]
    pub fn pan(&self, px: f64, limits: Limits) -> Self {
        if !px.is_finite() {
            return *self;
        }
        self.moved(px * self.ns_per_px).within(limits)
    }

    /// The same view kept near the capture and within the range of scales.
    #[must_use]
    pub fn within(&self, limits: Limits) -> Self {
        let (min, max) = limits.scale();
        let ns_per_px = if self.ns_per_px.is_finite() {
            self.ns_per_px.clamp(min, max)
        } else {
            max
        };
        let ns_per_px = short(ns_per_px);
        let mut view = Self { ns_per_px, ..*self };
        // Most of the screen must show the capture: neither end may come further in than this. A
        // capture narrower than the screen may lie anywhere between.
        let (from, to) = (
            view.x_of(limits.capture.start()),
            view.x_of(limits.capture.end()),
        );
        let (left, right) = (limits.width() * MARGIN, limits.width() * (1.0 - MARGIN));
        let by = if to - from >= right - left {
            if from > left {
                from - left
            } else if to < right {
                to - right
            } else {
                0.0
            }
        } else if from < 0.0 {
            from
        } else if to > limits.width() {
            to - limits.width()
        } else {
            0.0
        };
        if by != 0.0 {
            view = view.moved(by * ns_per_px);
        }
        view
    }

    fn moved(self, ns: f64) -> Self {
        let offset = self.sub_ns + ns;
        let whole = floor_ns(offset);
        let rest = offset - ns_f64(whole);
        Self {
            left: self.left + whole,
            // Rounding may give exactly 1.
            sub_ns: if rest < 1.0 {
                on_grid(rest.max(0.0), self.ns_per_px)
            } else {
                0.0
            },
            ..self
        }
    }

    /// How many whole pixels another view of the same scale lies to the right; `None` where the
    /// columns of the two are not the same.
    #[must_use]
    pub(super) fn pixels_to(&self, other: &Self) -> Option<i64> {
        if self.ns_per_px.to_bits() != other.ns_per_px.to_bits() {
            return None;
        }
        let ns = ns_f64(other.left - self.left) + (other.sub_ns - self.sub_ns);
        let px = (ns / self.ns_per_px).round();
        let whole = (px * self.ns_per_px).to_bits() == (ns + 0.0).to_bits();
        (whole && px.abs() < EXACT_PX).then(|| column(px))
    }
}

/// Binary digits that a scale does without, of the 53 that a number has; a number of pixels may use
/// them.
const FREE_BITS: u32 = 13;
/// Fewer pixels than this times a scale are exact.
const EXACT_PX: f64 = 8192.0;

/// A scale cut to 40 binary digits. The error is below a thousandth of a pixel on any screen.
fn short(ns_per_px: f64) -> f64 {
    f64::from_bits(ns_per_px.to_bits() & (u64::MAX << FREE_BITS))
}

/// A part of a nanosecond cut to a multiple of the last digit of a scale.
fn on_grid(sub_ns: f64, ns_per_px: f64) -> f64 {
    let power = f64::from_bits(ns_per_px.to_bits() & (u64::MAX << 52));
    // The first of 40 digits has the value of the power, the last a 2^39th of it.
    let last = power / f64::from(1_u32 << 20) / f64::from(1_u32 << 19);
    if last > 0.0 && last.is_finite() {
        (sub_ns / last).floor() * last
    } else {
        sub_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EPOCH: i64 = 1_760_000_000_000_000_000;

    fn limits() -> Limits {
        Limits {
            capture: Window::new(Ns(EPOCH), Ns(EPOCH + 3_600_000_000_000)),
            width_px: 1920.0,
        }
    }

    #[test]
    fn fitting_shows_the_window_from_edge_to_edge() {
        let window = Window::new(Ns(EPOCH), Ns(EPOCH + 1_000_000));
        let view = View::fit(window, 1000.0);
        assert!((view.x_of(window.start())).abs() < 1e-9);
        assert!((view.x_of(window.end()) - 1000.0).abs() < 1e-9);
        assert_eq!(view.visible(1000.0), window);
    }

    #[test]
    fn an_empty_window_is_shown_in_the_middle() {
        let view = View::fit(Window::new(Ns(EPOCH), Ns(EPOCH)), 1000.0);
        assert!((view.x_of(Ns(EPOCH)) - 500.0).abs() < 1e-9);
    }

    #[test]
    fn an_hour_into_an_epoch_a_pixel_is_exact() {
        // 10 ns on 1,920 pixels, an hour after the capture's start.
        let left = EPOCH + 3_599_000_000_000;
        let view = View::fit(Window::new(Ns(left), Ns(left + 10)), 1920.0);
        for i in 0..=10_i32 {
            let x = view.x_of(Ns(left + i64::from(i)));
            assert!((x - f64::from(i) * 192.0).abs() < 0.01, "{x}");
        }
    }

    #[test]
    fn small_pans_add_up() {
        let mut view = View::fit(Window::new(Ns(EPOCH + 500), Ns(EPOCH + 510)), 1920.0);
        let before = view.x_of(Ns(EPOCH + 505));
        for _ in 0..1000 {
            view = view.pan(0.3, limits());
        }
        assert!((before - view.x_of(Ns(EPOCH + 505)) - 300.0).abs() < 0.01);
    }

    #[test]
    fn zooming_out_stops_a_bit_beyond_the_capture() {
        let view = View::fit(limits().capture, 1920.0).zoom(1e-9, 3.0, limits());
        let shown = view.visible(1920.0).len().0;
        assert!(shown <= 3_600_000_000_000 * 3 / 2 + 1, "{shown}");
        assert!(view.visible(1920.0).clip(limits().capture) == Some(limits().capture));
    }

    #[test]
    fn panning_never_loses_the_capture() {
        let view = View::fit(limits().capture, 1920.0).pan(1e12, limits());
        let x = view.x_of(limits().capture.end());
        assert!((x - 1920.0 * 0.75).abs() < 0.01, "{x}");
    }

    #[test]
    fn nonsense_changes_nothing() {
        let view = View::fit(limits().capture, 1920.0);
        assert_eq!(view.zoom(f64::NAN, 3.0, limits()), view);
        assert_eq!(view.zoom(0.0, 3.0, limits()), view);
        assert_eq!(view.pan(f64::INFINITY, limits()), view);
    }

    #[test]
    fn the_left_edge_stays_on_the_grid_of_the_scale() {
        let view = View::fit(limits().capture, 1919.0).pan(-0.37, limits());
        assert_eq!(view.pixels_to(&view.pan(7.0, limits())), Some(7));
        assert_eq!(view.pixels_to(&view.pan(0.5, limits())), None);
        assert_eq!(view.pixels_to(&view.zoom(1.1, 3.0, limits())), None);
    }

    proptest! {
        #[test]
        fn whole_pixels_keep_the_columns(
            at in 600_000_000_000_i64..3_000_000_000_000,
            span in prop_oneof![10_i64..100_000, 100_000_i64..1_000_000_000_000],
            width in 300.0_f64..2500.0,
            start in -3000.0_f64..3000.0,
            moves in proptest::collection::vec(-1000_i32..1000, 1..6),
        ) {
            let mut view = View::fit(Window::new(Ns(EPOCH + at), Ns(EPOCH + at + span)), width).pan(start, limits());
            for px in moves {
                let moved = view.moved(f64::from(px) * view.ns_per_px);
                prop_assert_eq!(view.pixels_to(&moved), Some(i64::from(px)));
                for column in (0..2500).step_by(77) {
                    prop_assert_eq!(view.column(column + i64::from(px)), moved.column(column));
                }
                view = moved;
            }
        }

        #[test]
        fn the_instant_under_the_pointer_stays_there(
            at in 600_000_000_000_i64..3_000_000_000_000,
            span in 10_i64..1_000_000_000,
            factor in 0.2_f64..5.0,
            px in 0.0_f64..1920.0,
        ) {
            let view = View::fit(Window::new(Ns(EPOCH + at), Ns(EPOCH + at + span)), 1920.0);
            let under = view.time_at(px);
            let x = view.x_of(under);
            let zoomed = view.zoom(factor, x, limits());
            prop_assert!((zoomed.x_of(under) - x).abs() < 0.01);
        }

        #[test]
        fn columns_tile_time_and_hold_their_instants(
            at in 0_i64..1_000_000_000, span in 10_i64..10_000_000, offset in 0_i64..1_000_000,
        ) {
            let view = View::fit(Window::new(Ns(EPOCH + at), Ns(EPOCH + at + span)), 333.0);
            let t = Ns(EPOCH + at + offset.min(span - 1));
            let column = view.column_of(t);
            prop_assert!(view.column(column).contains(t));
            prop_assert_eq!(view.column(column).end(), view.column(column + 1).start());
        }
    }
}
