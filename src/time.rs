//! Instants, lengths and windows in exact integer nanoseconds.
//!
//! This module owns the newtypes [`Ns`], [`DurNs`] and [`Window`], the exact reading of decimal
//! microseconds ([`parse_us`]) and the exact printing of them ([`DurNs::us3`]). It knows nothing of
//! traces, and no function here goes through a floating point number: an epoch time in `f64`
//! microseconds loses the nanoseconds.

mod format;
mod parse;
mod range;

pub use format::{human_duration, parse_quantity};
pub use parse::{NumberError, parse_i64, parse_us};
pub use range::{TimeRange, TimeRangeError};

use std::ops::{Add, Sub};

/// An instant: nanoseconds since the epoch (or since the trace's own zero where it has no epoch).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Ns(pub i64);

/// A length of time in nanoseconds. May be negative where it is a difference of two instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DurNs(pub i64);

impl Ns {
    /// The earliest instant that can be told.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest instant that can be told.
    pub const MAX: Self = Self(i64::MAX);

    /// Adds a length, stopping at the ends of the range instead of wrapping.
    #[must_use]
    pub fn saturating_add(self, dur: DurNs) -> Self {
        Self(self.0.saturating_add(dur.0))
    }

    /// Subtracts a length, stopping at the ends of the range instead of wrapping.
    #[must_use]
    pub fn saturating_sub(self, dur: DurNs) -> Self {
        Self(self.0.saturating_sub(dur.0))
    }

    /// Adds a length, or `None` where the sum does not fit.
    #[must_use]
    pub fn checked_add(self, dur: DurNs) -> Option<Self> {
        self.0.checked_add(dur.0).map(Self)
    }
}

impl DurNs {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// The absolute length as an unsigned number, for distances.
    #[must_use]
    pub fn abs_diff(self, other: Self) -> u64 {
        self.0.abs_diff(other.0)
    }

    /// Adds two lengths, stopping at the ends of the range instead of wrapping.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Ns {
    type Output = DurNs;
    /// The signed distance between two instants; saturates at the range of `i64`.
    fn sub(self, other: Self) -> DurNs {
        DurNs(self.0.saturating_sub(other.0))
    }
}

impl Add<DurNs> for Ns {
    type Output = Self;
    fn add(self, dur: DurNs) -> Self {
        self.saturating_add(dur)
    }
}

impl Sub<DurNs> for Ns {
    type Output = Self;
    fn sub(self, dur: DurNs) -> Self {
        self.saturating_sub(dur)
    }
}

impl Add for DurNs {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl Sub for DurNs {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for DurNs {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// A half-open stretch of time `[start, end)` with `start <= end`.
///
/// ```text
///   start            end
///   |################|
///   ^ inside         ^ outside
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Window {
    start: Ns,
    end: Ns,
}

impl Window {
    /// The window between two instants, given in either order.
    #[must_use]
    pub fn new(a: Ns, b: Ns) -> Self {
        Self {
            start: a.min(b),
            end: a.max(b),
        }
    }

    /// First instant inside.
    #[must_use]
    pub fn start(self) -> Ns {
        self.start
    }

    /// First instant past the window.
    #[must_use]
    pub fn end(self) -> Ns {
        self.end
    }

    /// `end - start`, never negative.
    #[must_use]
    pub fn len(self) -> DurNs {
        self.end - self.start
    }

    /// Whether the window holds no time.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether the instant lies inside `[start, end)`.
    #[must_use]
    pub fn contains(self, at: Ns) -> bool {
        self.start <= at && at < self.end
    }

    /// The common part, or `None` where the two share no time and do not even touch.
    #[must_use]
    pub fn clip(self, to: Self) -> Option<Self> {
        let start = self.start.max(to.start);
        let end = self.end.min(to.end);
        (start <= end).then_some(Self { start, end })
    }

    /// The window as long, later by a length (earlier for a negative one). Exact both ways unless an
    /// end leaves the range of `i64`.
    #[must_use]
    pub fn moved(self, by: DurNs) -> Self {
        Self {
            start: self.start + by,
            end: self.end + by,
        }
    }

    /// The smallest window that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn w(a: i64, b: i64) -> Window {
        Window::new(Ns(a), Ns(b))
    }

    #[test]
    fn a_window_is_half_open() {
        assert!(w(1, 3).contains(Ns(1)));
        assert!(!w(1, 3).contains(Ns(3)));
        assert_eq!(w(3, 1), w(1, 3));
    }

    #[test]
    fn clipping_keeps_the_common_part() {
        assert_eq!(w(0, 10).clip(w(5, 20)), Some(w(5, 10)));
        assert_eq!(w(0, 10).clip(w(10, 20)), Some(w(10, 10)));
        assert_eq!(w(0, 10).clip(w(11, 20)), None);
    }
}
