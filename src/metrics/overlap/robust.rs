//! Medians with an interval that a few wild values do not move, and factors of two times.
//!
//! The interval of a median is between two of the sorted values, chosen so that the true median lies
//! between them in at least 95 % of all cases whatever the distribution (order statistics of a
//! binomial with p = 1/2, by its normal bound; of five values or fewer: all of them).

use crate::metrics::grid::Cell;
use crate::time::DurNs;

/// A median and its interval, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Robust {
    /// The middle value; of an even number the lower of the middle two.
    pub median: i64,
    /// Lower end of its interval.
    pub low: i64,
    /// Upper end.
    pub high: i64,
    /// How many values there are.
    pub count: usize,
}

impl Robust {
    /// Sorts the values; `None` without any.
    #[must_use]
    pub(super) fn of(values: &mut [i64]) -> Option<Self> {
        values.sort_unstable();
        let n = values.len();
        let last = n.checked_sub(1)?;
        // The order statistic at n / 2 - 1.96 / 2 * sqrt(n), counted from one and rounded down.
        let reach = ceil_sqrt(n.saturating_mul(38_416) / 10_000 + 1);
        let low = (n.saturating_sub(reach) / 2).saturating_sub(1);
        Some(Self {
            median: *values.get(last / 2)?,
            low: *values.get(low)?,
            high: *values.get(last - low)?,
            count: n,
        })
    }
}

fn ceil_sqrt(n: usize) -> usize {
    let floor = n.isqrt();
    floor + usize::from(floor * floor < n)
}

/// By how much one time is longer than another, in units of 0.0001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor(pub i64);

impl Factor {
    /// Neither longer nor shorter.
    pub const ONE: Self = Self(10_000);

    /// `time / base`, rounded half up; `None` without a base.
    #[must_use]
    pub(super) fn of(time: i128, base: i128) -> Option<Self> {
        Self::quotient(time.checked_mul(Self::ONE.0.into())?, base)
    }

    fn quotient(part: i128, whole: i128) -> Option<Self> {
        if whole <= 0 {
            return None;
        }
        let rounded = (2 * part + whole).div_euclid(2 * whole);
        i64::try_from(rounded).ok().map(Self)
    }

    /// `1 + (time / base - 1) / (beside / time)`: what the factor would be if all of the time were
    /// beside.
    #[must_use]
    pub(super) fn scaled(time: DurNs, base: DurNs, beside: DurNs) -> Option<Self> {
        let (time, base, beside) = (i128::from(time.0), i128::from(base.0), i128::from(beside.0));
        let part = (time - base).checked_mul(time)?.checked_mul(10_000)?;
        let over = Self::quotient(part, base.checked_mul(beside)?)?;
        Some(Self(Self::ONE.0.checked_add(over.0)?))
    }

    /// What a time would be without the factor: `time / factor`, rounded half up.
    #[must_use]
    pub(super) fn divide(self, time: i128) -> i128 {
        let by = i128::from(self.0.max(1));
        (2 * time * i128::from(Self::ONE.0) + by).div_euclid(2 * by)
    }

    /// How much contention it tells.
    #[must_use]
    pub fn grade(self) -> &'static str {
        if self <= super::verdict::LOW_CONTENTION {
            "low contention"
        } else if self < super::verdict::HIGH_CONTENTION {
            "moderate contention"
        } else {
            "high contention"
        }
    }

    /// As a number with four decimals.
    #[must_use]
    pub fn cell(self) -> Cell {
        Cell::Fixed(self.0.into(), 4)
    }
}

/// An estimate and the interval that it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate<T> {
    /// The estimate.
    pub estimate: T,
    /// Lower end of the interval.
    pub low: T,
    /// Upper end.
    pub high: T,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn medians_come_with_an_interval() {
        let of = |mut values: Vec<i64>| Robust::of(&mut values).map(|r| (r.median, r.low, r.high));
        assert_eq!(of(vec![]), None);
        assert_eq!(of(vec![7]), Some((7, 7, 7)));
        assert_eq!(of(vec![5, 1, 4, 2, 3]), Some((3, 1, 5)));
        // Of 20 values the 5th and 16th: P(4 < Bin(20, 1/2) < 16) = 0.988.
        assert_eq!(of((1..=20).collect()), Some((10, 5, 16)));
        // Of 100: 50 - 9.8, so the 40th, and the 40th from the other end.
        assert_eq!(of((1..=100).collect()), Some((50, 40, 61)));
    }

    /// Chance that the true median lies between two order statistics: the binomial, exactly.
    fn chance(n: u32, low: u32) -> f64 {
        let mut p = 0.5_f64.powi(i32::try_from(n).unwrap());
        let mut below = 0.0;
        for k in 0..=low {
            below += p;
            p *= f64::from(n - k) / f64::from(k + 1);
        }
        1.0 - 2.0 * below
    }

    #[test]
    fn intervals_hold_the_median_in_95_of_100_cases() {
        for n in 6..400 {
            let mut values: Vec<i64> = (0..i64::from(n)).collect();
            let low = Robust::of(&mut values).unwrap().low;
            let got = chance(n, u32::try_from(low).unwrap());
            assert!(got >= 0.95, "{n}: {got}");
        }
    }

    #[test]
    fn a_factor_of_what_is_only_partly_beside_is_scaled() {
        // 100 alone, 120 with 60 beside: those 60 would have been 40, so the factor is 1.4.
        let scaled = |t, b, o| Factor::scaled(DurNs(t), DurNs(b), DurNs(o)).map(|f| f.0);
        assert_eq!(scaled(120, 100, 60), Some(14_000));
        assert_eq!(scaled(140, 100, 140), Some(14_000));
        assert_eq!(scaled(90, 100, 90), Some(9_000));
        assert_eq!(scaled(90, 0, 90), None);
        assert_eq!(scaled(90, 100, 0), None);
        assert_eq!(Factor::of(3, 2), Some(Factor(15_000)));
        assert_eq!(Factor(14_000).divide(56), 40);
    }

    proptest! {
        #[test]
        fn the_whole_beside_is_the_plain_factor(time in 1_i64..1 << 40, base in 1_i64..1 << 40) {
            let plain = Factor::of(time.into(), base.into());
            let scaled = Factor::scaled(DurNs(time), DurNs(base), DurNs(time));
            if let (Some(plain), Some(scaled)) = (plain, scaled) {
                prop_assert!((plain.0 - scaled.0).abs() <= 1);
            }
        }
    }
}
