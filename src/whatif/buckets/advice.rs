//! Many bucket sizes, and which of them to take.

use super::{BucketPrediction, BucketsInput, predict};
use crate::whatif::ModelError;
use crate::whatif::number::{real, whole};

/// Sizes of a sweep, evenly on a logarithmic scale.
const POINTS: u32 = 160;
/// The smallest of them is this part of the whole.
const FINEST: u64 = 10_000;
/// A step within this of the best one counts as good.
const FLAT: f64 = 1.01;

/// Predictions for caps from a ten-thousandth of all bytes to all of them, smallest first: the curve
/// of a chart. `also` are sizes to have in it whatever their place.
///
/// # Errors
/// As [`predict`].
pub fn sweep(input: &BucketsInput, also: &[u64]) -> Result<Vec<BucketPrediction>, ModelError> {
    let bytes = input.gradients.bytes()?;
    let mut caps = vec![bytes];
    let finest = real((bytes / FINEST).max(1));
    let span = real(bytes) / finest;
    for point in 0..POINTS {
        let part = f64::from(point) / f64::from(POINTS);
        caps.push(whole(finest * span.powf(part), "the bucket size")?);
    }
    caps.extend(also.iter().filter(|cap| **cap <= bytes));
    caps.sort_unstable();
    caps.dedup();
    caps.into_iter().map(|cap| predict(input, cap)).collect()
}

/// Which bucket size to take. All four are rows of the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The shortest step; the largest size of equal ones.
    pub best: BucketPrediction,
    /// The largest size with a step within 1 % of the best.
    pub largest: BucketPrediction,
    /// From here on to `flat_to`, through the best, every swept size is within 1 %.
    pub flat_from: BucketPrediction,
    /// See `flat_from`. Smaller than `largest` where sizes beyond it only pay for a lucky last
    /// bucket.
    pub flat_to: BucketPrediction,
}

/// Reads advice from a sweep, whose sizes grow; `None` of an empty one.
#[must_use]
pub fn advice(sweep: &[BucketPrediction]) -> Option<Advice> {
    let best = sweep
        .iter()
        .enumerate()
        .min_by_key(|(i, p)| (p.step, std::cmp::Reverse(*i)));
    let (at, best) = best?;
    let limit = crate::whatif::number::float(best.step) * FLAT;
    let good = |p: &&BucketPrediction| crate::whatif::number::float(p.step) <= limit;
    let (before, behind) = sweep.split_at_checked(at)?;
    Some(Advice {
        best: *best,
        largest: *sweep.iter().rfind(good)?,
        flat_from: *before.iter().rev().take_while(good).last().unwrap_or(best),
        flat_to: *behind.iter().take_while(good).last().unwrap_or(best),
    })
}
