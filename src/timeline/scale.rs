//! The few conversions between integer time and pixels; the only place of the module that casts.

use crate::time::DurNs;

/// How far outside the drawn width a coordinate is kept, so that an edge that is not visible does
/// not become one and `f32` keeps its precision.
const OUTSIDE_PX: f64 = 8.0;

/// A length as a number to scale. Lengths on the screen are far below 2^53, where this is exact.
#[expect(
    clippy::cast_precision_loss,
    reason = "a length relative to the view, not an epoch time"
)]
pub(super) fn ns_f64(dur: DurNs) -> f64 {
    dur.0 as f64
}

/// The length of a fraction of ns, cut towards minus infinity; saturates.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, which is what is wanted"
)]
pub(super) fn floor_ns(ns: f64) -> DurNs {
    DurNs(ns.floor() as i64)
}

/// A pixel as drawn: clamped to just outside `0..width` before it loses digits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped to the width of a screen"
)]
pub(super) fn draw_px(x: f64, width_px: f64) -> f32 {
    x.clamp(-OUTSIDE_PX, width_px.max(0.0) + OUTSIDE_PX) as f32
}

/// A share of time, 0 to 1.
#[expect(clippy::cast_possible_truncation, reason = "a share between 0 and 1")]
pub(super) fn share(part: DurNs, whole: DurNs) -> f32 {
    if whole.0 <= 0 {
        return 0.0;
    }
    (ns_f64(part) / ns_f64(whole)).clamp(0.0, 1.0) as f32
}

/// The pixel column that holds a coordinate.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, which is what is wanted"
)]
pub(super) fn column(x: f64) -> i64 {
    x.floor() as i64
}

/// A pixel column as a coordinate.
#[expect(clippy::cast_precision_loss, reason = "a column of a screen")]
pub(super) fn column_f64(column: i64) -> f64 {
    column as f64
}

/// A pixel column as drawn.
#[expect(clippy::cast_precision_loss, reason = "a column of a screen")]
pub(super) fn column_px(column: i64) -> f32 {
    column as f32
}

/// A length that others are to be divided by, where a picture is all that comes of it.
#[expect(
    clippy::cast_precision_loss,
    reason = "24 digits are enough for a colour"
)]
pub(super) fn rough_ns(dur: DurNs) -> f32 {
    dur.0 as f32
}
