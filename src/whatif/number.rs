//! Between exact integers and the floating point that models reckon in: the only casts.

use super::ModelError;
use crate::metrics::report::Cell;
use crate::time::DurNs;

/// 2^53: whole numbers up to here are exact in `f64`.
pub(super) const EXACT: u64 = 1 << 53;

/// A length of time in ns.
#[expect(
    clippy::cast_precision_loss,
    reason = "models are estimates; lengths over 104 days lose nanoseconds"
)]
pub(super) fn float(time: DurNs) -> f64 {
    time.0 as f64
}

/// A count or a number of bytes.
#[expect(
    clippy::cast_precision_loss,
    reason = "models are estimates; sizes over 9 petabytes lose bytes"
)]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

/// An estimated time, rounded to the nearest ns.
///
/// # Errors
/// [`ModelError::OutOfRange`] with `what` where it is no number or does not fit.
pub(super) fn nanoseconds(time: f64, what: &'static str) -> Result<DurNs, ModelError> {
    // The largest double below 2^63 is well inside, so the cast cannot saturate.
    if time.is_finite() && time.abs() < 9.223e18 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the range was checked and the value is whole"
        )]
        return Ok(DurNs(time.round() as i64));
    }
    Err(ModelError::OutOfRange(what))
}

/// An estimated whole number, such as of bytes.
///
/// # Errors
/// [`ModelError::OutOfRange`] with `what` where it is not exact in `f64`.
pub(super) fn whole(number: f64, what: &'static str) -> Result<u64, ModelError> {
    if number.is_finite() && number >= 0.0 && number < real(EXACT) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked and the value is whole"
        )]
        return Ok(number.round() as u64);
    }
    Err(ModelError::OutOfRange(what))
}

/// A factor or a rate as a cell with so many decimals; empty where it is no number.
pub(super) fn fixed(number: f64, places: u32) -> Cell {
    let units = number * 10_f64.powi(i32::try_from(places).unwrap_or(0));
    if units.is_finite() && units.abs() < 1e30 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the range was checked and the value is whole"
        )]
        return Cell::Fixed(units.round() as i128, places);
    }
    Cell::Empty
}

/// A time that has to be more than nothing.
///
/// # Errors
/// [`ModelError::NotPositive`].
pub(super) fn positive(time: DurNs, what: &'static str) -> Result<(), ModelError> {
    if time > DurNs::ZERO {
        Ok(())
    } else {
        Err(ModelError::NotPositive(what))
    }
}

/// A time that may be nothing, but not less.
///
/// # Errors
/// [`ModelError::Negative`].
pub(super) fn not_negative(time: DurNs, what: &'static str) -> Result<(), ModelError> {
    if time >= DurNs::ZERO {
        Ok(())
    } else {
        Err(ModelError::Negative(what))
    }
}

/// The exact sum of two times.
///
/// # Errors
/// [`ModelError::OutOfRange`] with `what` where it does not fit.
pub(super) fn sum(a: DurNs, b: DurNs, what: &'static str) -> Result<DurNs, ModelError> {
    let sum = a.0.checked_add(b.0);
    sum.map(DurNs).ok_or(ModelError::OutOfRange(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_or_too_large_never_becomes_one() {
        assert_eq!(nanoseconds(1.5, "t"), Ok(DurNs(2)));
        assert_eq!(nanoseconds(-0.4, "t"), Ok(DurNs(0)));
        for bad in [f64::NAN, f64::INFINITY, 9.3e18, -1e300] {
            assert_eq!(nanoseconds(bad, "t"), Err(ModelError::OutOfRange("t")));
        }
        assert!(whole(-1.0, "n").is_err() && whole(1e17, "n").is_err());
        assert_eq!(fixed(1.75, 4), Cell::Fixed(17_500, 4));
        assert_eq!(fixed(f64::NAN, 4), Cell::Empty);
        assert!(sum(DurNs(i64::MAX), DurNs(1), "t").is_err());
    }
}
