//! Alpha and bus bandwidth from measured collectives: a line under the times, or a refusal.

use super::link::factor;
use super::number::{float, nanoseconds, real};
use super::{Bandwidth, ModelError};
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;
use std::collections::BTreeMap;

/// Sizes there have to be at least.
const FEWEST_SIZES: usize = 3;
/// The largest of them has to be so many times the smallest.
const LEAST_SPAN: u64 = 8;

/// One collective that nobody waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Bytes of the full buffer.
    pub bytes: u64,
    /// From the last rank's arrival to the common end. Waiting in it would pass for latency.
    pub time: DurNs,
}

/// Samples of one process group and one kind: others have other links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitInput {
    /// What was measured, in any order.
    pub samples: Vec<Sample>,
    /// The collective.
    pub kind: CollectiveKind,
    /// Ranks of the group; at least 2.
    pub ranks: u32,
}

/// A size of the lower envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitPoint {
    /// Bytes of the full buffer.
    pub bytes: u64,
    /// How many samples have it.
    pub samples: usize,
    /// The shortest of them.
    pub measured: DurNs,
    /// What the fitted link says.
    pub fitted: DurNs,
}

/// A link that explains the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Latency, not negative.
    pub alpha: DurNs,
    /// Bus bandwidth.
    pub bus: Bandwidth,
    /// The envelope by size, smallest first.
    pub points: Vec<FitPoint>,
    /// The farthest that a point lies from the line, as a fraction of the point.
    pub worst: f64,
}

/// Why there is no fit; the numbers are then the user's to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// Too few sizes to tell a line from a coincidence.
    #[error(
        "{} too few to fit alpha and bandwidth, at least 3 are needed; type both instead",
        sizes_are(*.0)
    )]
    FewSizes(usize),
    /// Sizes too near to each other.
    #[error(
        "the sizes {smallest} B to {largest} B span less than a factor of 8, so alpha and bandwidth cannot be told apart; type both instead"
    )]
    NarrowSpan {
        /// The smallest size in bytes.
        smallest: u64,
        /// The largest.
        largest: u64,
    },
    /// Times that do not grow with the size.
    #[error(
        "the times do not grow with the size, so no bandwidth can be told; type alpha and bandwidth instead"
    )]
    NotGrowing,
    /// A line that meets size zero below zero.
    #[error(
        "the line through the shortest times has a negative alpha, so another rule is at work than alpha and bandwidth; type both instead"
    )]
    NegativeAlpha,
    /// A sample without bytes or without time.
    #[error("a sample has no bytes or no time; leave such samples out")]
    EmptySample,
}

fn sizes_are(count: usize) -> String {
    match count {
        1 => "one size is".to_owned(),
        _ => format!("{count} different sizes are"),
    }
}

/// Fits `time = alpha + factor * bytes / bus bandwidth` under the samples.
///
/// The lower envelope is the shortest time of each size, since whatever disturbs a transfer makes it
/// longer. The line has the least sum of squared relative errors there: times span orders of
/// magnitude, and by absolute errors the largest size alone would decide.
///
/// # Errors
/// [`FitError`] with fewer than 3 sizes, a span below a factor of 8, times that do not grow, a
/// negative alpha, or a sample of nothing; [`ModelError::TooFewRanks`].
pub fn fit(input: &FitInput) -> Result<Fit, ModelError> {
    let factor = factor(input.kind, input.ranks)?;
    let envelope = envelope(&input.samples)?;
    // Weights 1/t² of the normal equations, with bytes and times brought to the order of one.
    let (mut w, mut ws, mut wt, mut wss, mut wst) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in &envelope {
        let (s, t) = (real(point.bytes), float(point.measured));
        let weight = 1.0 / (t * t);
        w += weight;
        ws += weight * s;
        wt += weight * t;
        wss += weight * s * s;
        wst += weight * s * t;
    }
    let slope = (w * wst - ws * wt) / (w * wss - ws * ws);
    let alpha = (wt - slope * ws) / w;
    // Growth that is less than a nanosecond over all sizes is rounding.
    let largest = envelope.last().map_or(0, |point| point.bytes);
    if !(slope.is_finite() && slope * real(largest) >= 1.0) {
        return Err(FitError::NotGrowing.into());
    }
    // Half a nanosecond below zero is rounding.
    if alpha < -0.5 {
        return Err(FitError::NegativeAlpha.into());
    }
    let bus = Bandwidth::from_gb_per_s(factor / slope).ok_or(FitError::NotGrowing)?;
    let mut worst = 0.0_f64;
    let mut points = envelope;
    for point in &mut points {
        let fitted = alpha + slope * real(point.bytes);
        point.fitted = nanoseconds(fitted, "the fitted time")?;
        worst = worst.max((fitted / float(point.measured) - 1.0).abs());
    }
    Ok(Fit {
        alpha: nanoseconds(alpha.max(0.0), "alpha")?,
        bus,
        points,
        worst,
    })
}

/// The lower envelope: each size, smallest first, with the shortest time; not fitted yet.
///
/// # Errors
/// [`FitError::EmptySample`].
pub fn shortest(samples: &[Sample]) -> Result<Vec<FitPoint>, FitError> {
    let mut by_size: BTreeMap<u64, (usize, DurNs)> = BTreeMap::new();
    for sample in samples {
        if sample.bytes == 0 || sample.time <= DurNs::ZERO {
            return Err(FitError::EmptySample);
        }
        let entry = by_size.entry(sample.bytes).or_insert((0, sample.time));
        *entry = (entry.0 + 1, entry.1.min(sample.time));
    }
    let point = |(bytes, (samples, measured))| FitPoint {
        bytes,
        samples,
        measured,
        fitted: DurNs::ZERO,
    };
    Ok(by_size.into_iter().map(point).collect())
}

/// The same, where a line can be told by it.
fn envelope(samples: &[Sample]) -> Result<Vec<FitPoint>, FitError> {
    let points = shortest(samples)?;
    if points.len() < FEWEST_SIZES {
        return Err(FitError::FewSizes(points.len()));
    }
    let (smallest, largest) = match (points.first(), points.last()) {
        (Some(first), Some(last)) => (first.bytes, last.bytes),
        _ => return Err(FitError::FewSizes(0)),
    };
    if largest / LEAST_SPAN < smallest {
        return Err(FitError::NarrowSpan { smallest, largest });
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: &[(u64, i64)]) -> Result<Fit, ModelError> {
        fit(&FitInput {
            samples: samples
                .iter()
                .map(|&(bytes, time)| Sample {
                    bytes,
                    time: DurNs(time),
                })
                .collect(),
            kind: CollectiveKind::AllReduce,
            ranks: 8,
        })
    }

    #[test]
    fn a_link_is_found_again_and_longer_times_do_not_disturb_it() {
        // 5 us and 60 GB/s over 8 ranks: 35 ns for 1200 B of 1.75 times the bytes.
        let exact = [
            (1_200_000, 40_000),
            (12_000_000, 355_000),
            (120_000_000, 3_505_000),
        ];
        let disturbed = [&exact[..], &[(1_200_000, 900_000), (12_000_000, 356_000)]].concat();
        for samples in [&exact[..], &disturbed] {
            let fit = of(samples).expect("a fit");
            assert_eq!(fit.alpha, DurNs(5_000));
            assert!((fit.bus.gb_per_s() - 60.0).abs() < 1e-6 && fit.worst < 1e-6);
            assert!(fit.points.iter().all(|p| p.measured == p.fitted));
        }
    }

    #[test]
    fn what_cannot_be_fitted_is_refused_with_the_reason() {
        let why = |samples: &[(u64, i64)]| match of(samples) {
            Err(ModelError::Fit(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(&[]), FitError::FewSizes(0));
        assert_eq!(why(&[(1, 5), (1, 6), (100, 7)]), FitError::FewSizes(2));
        let narrow = FitError::NarrowSpan {
            smallest: 100,
            largest: 799,
        };
        assert_eq!(why(&[(100, 5), (300, 6), (799, 7)]), narrow);
        assert_eq!(
            why(&[(100, 50), (300, 50), (800, 50)]),
            FitError::NotGrowing
        );
        assert_eq!(
            why(&[(100, 10), (300, 100), (800, 500)]),
            FitError::NegativeAlpha
        );
        assert_eq!(
            why(&[(100, 10), (300, 0), (800, 500)]),
            FitError::EmptySample
        );
        assert_eq!(why(&[(0, 10), (300, 1), (800, 500)]), FitError::EmptySample);
        let alone = FitInput {
            samples: Vec::new(),
            kind: CollectiveKind::AllReduce,
            ranks: 1,
        };
        assert_eq!(fit(&alone), Err(ModelError::TooFewRanks));
    }

    proptest! {
        /// A link makes times, disturbances only add to some, the link is found again.
        #[test]
        fn links_are_found_again(
            alpha in 0..200_000_i64, gb in 1.0..900.0_f64, base in 10_000..1_000_000_u64,
            late in prop::collection::vec(1..9_000_000_i64, 0..20),
        ) {
            let sizes: Vec<u64> = [1, 4, 16, 64, 256].map(|n| n * base).to_vec();
            let time = |bytes: u64| (float(DurNs(alpha)) + 1.75 * real(bytes) / gb).round();
            let mut samples: Vec<(u64, i64)> = sizes.iter()
                .map(|&s| (s, nanoseconds(time(s), "t").expect("fits").0.max(1))).collect();
            for (i, more) in late.iter().enumerate() {
                let (bytes, shortest) = samples[i % 5];
                samples.push((bytes, shortest + more));
            }
            // Rounding to the ns may put the line of a tiny alpha below zero.
            if let Ok(fit) = of(&samples) {
                prop_assert!((fit.bus.gb_per_s() / gb - 1.0).abs() < 0.01);
                prop_assert!(fit.alpha.abs_diff(DurNs(alpha)) < 200 + u64::try_from(alpha / 50).expect("positive"));
            } else {
                prop_assert!(alpha < 50);
            }
        }
    }
}
