//! A slope that a few wild steps do not move: the median of the slopes between all pairs (Theil and
//! Sen), with an interval that holds whatever the distribution (ranks of Kendall's tau).

use std::cmp::Ordering;

/// More steps than this are thinned out evenly: the pairs grow with the square.
const MOST: usize = 512;

/// A slope in bytes per step and the interval that the true one lies in, in 95 % of all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slope {
    /// The median of all slopes, rounded half up.
    pub bytes_per_step: i128,
    /// Lower end of the interval, rounded down.
    pub low: i128,
    /// Upper end, rounded up.
    pub high: i128,
}

/// A slope as a fraction; the denominator is above 0.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fraction(i128, i128);

impl Fraction {
    /// Bytes are below 2^63 and steps few, so the products fit.
    fn order(&self, other: &Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

/// The slope of values at equal distances; `None` for fewer than two.
#[must_use]
pub(super) fn slope(values: &[i64]) -> Option<Slope> {
    let every = values.len().div_ceil(MOST).max(1);
    let kept: Vec<(i128, i128)> = (0_i128..)
        .zip(values)
        .step_by(every)
        .map(|(x, y)| (x, i128::from(*y)))
        .collect();
    let mut slopes = Vec::with_capacity(kept.len() * kept.len() / 2);
    for (i, (x0, y0)) in kept.iter().enumerate() {
        let later = kept.iter().skip(i + 1);
        slopes.extend(later.map(|(x1, y1)| Fraction(y1 - y0, x1 - x0)));
    }
    slopes.sort_unstable_by(Fraction::order);
    let pairs = slopes.len();
    let last = pairs.checked_sub(1)?;
    let (lower, upper) = (*slopes.get(last / 2)?, *slopes.get(pairs / 2)?);
    // Half of (n(n-1)/2 - 1.96 * sqrt(n(n-1)(2n+5)/18)), counted from one and rounded down.
    let n = kept.len();
    let variance = n * (n - 1) * (2 * n + 5);
    let reach = ceil_sqrt(variance.saturating_mul(38_416).div_ceil(180_000));
    let out = (pairs.saturating_sub(reach) / 2).saturating_sub(1);
    let (low, high) = (*slopes.get(out)?, *slopes.get(last - out)?);
    // The mean of the two in the middle, over one denominator.
    let sum = lower.0 * upper.1 + upper.0 * lower.1;
    let under = 2 * lower.1 * upper.1;
    Some(Slope {
        bytes_per_step: (2 * sum + under).div_euclid(2 * under),
        low: low.0.div_euclid(low.1),
        high: -(-high.0).div_euclid(high.1),
    })
}

fn ceil_sqrt(n: usize) -> usize {
    let floor = n.isqrt();
    floor + usize::from(floor * floor < n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[i64]) -> (i128, i128, i128) {
        let slope = slope(values).unwrap();
        (slope.low, slope.bytes_per_step, slope.high)
    }

    #[test]
    fn a_line_has_its_own_slope() {
        assert_eq!(of(&[3, 8, 13, 18, 23, 28]), (5, 5, 5));
        assert_eq!(of(&[7, 7, 7, 7, 7]), (0, 0, 0));
        assert_eq!(of(&[9, 6, 3, 0, -3]), (-3, -3, -3));
        assert_eq!(slope(&[1]), None);
    }

    /// Between 0 4 1 5 9 the slopes are 4, 1/2, 5/3, 9/4, -3, 1/2, 5/3, 4, 4, 4: sorted
    /// -3 1/2 1/2 5/3 5/3 9/4 4 4 4 4, in the middle (5/3 + 9/4) / 2 = 1.958. Of five values the
    /// interval holds all.
    #[test]
    fn the_median_of_all_pairs_is_worked_out() {
        assert_eq!(of(&[0, 4, 1, 5, 9]), (-3, 2, 4));
    }

    /// Of ten values 45 slopes: 1.96 * sqrt(10 * 9 * 25 / 18) = 21.9, so the 11th from either end.
    #[test]
    fn one_wild_step_does_not_move_it() {
        let mut values: Vec<i64> = (0..10).map(|i| i * 100).collect();
        values[4] = 1_000_000;
        let (low, slope, high) = of(&values);
        assert_eq!(slope, 100);
        assert!((100..=100).contains(&low) && high <= 100, "{low} {high}");
    }

    #[test]
    fn many_steps_are_thinned_out_and_keep_their_slope() {
        let values: Vec<i64> = (0..5_000).map(|i| i * 7).collect();
        assert_eq!(of(&values), (7, 7, 7));
    }
}
