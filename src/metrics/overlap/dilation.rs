//! How much longer the same kernel runs beside communication than alone.
//!
//! The same kernel is one of the same name and launch shape, launched by the same op for the same
//! input shapes. *Alone* is one that no communication, copy or kernel of another stream shares any
//! time with; *beside* is one that communication shares time with. Where only a part `f` of a kernel is
//! beside, its factor is that of the part: `1 + (r - 1) / f`.
//!
//! ```text
//! alone    [ 100 ]      beside   [    140    ]    r = 1.4
//! partly   [   120    ] communication over 60: those would be 40 alone, so again 1.4
//! ```

use super::robust::{Estimate, Factor, Robust};
use crate::time::DurNs;
use crate::trace::{LaunchShape, SliceId};
use std::collections::BTreeMap;

/// Fewer kernels than this on either side tell nothing.
pub(super) const LEAST_SAMPLES: usize = 5;
/// A base must be at least this many steps of the clock long.
pub(super) const LEAST_TICKS: i64 = 20;
/// Kernels of which less than one part in this many is beside are no samples: scaling would
/// multiply their noise by more.
pub(super) const LEAST_PART: i64 = 4;
/// A kernel that seems faster beside is not the same work.
pub(super) const LEAST_FACTOR: Factor = Factor(9_000);

/// What makes two kernels the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Identity<'t> {
    /// The kernel's name; of a collective its kind and process group, too.
    pub name: &'t str,
    /// Its launch shape.
    pub shape: Option<&'t LaunchShape>,
    /// The launch call, where shapes of different calls mean different things (HIP).
    pub call: Option<&'t str>,
    /// The op that launched it.
    pub op: Option<&'t str>,
    /// The shapes of that op's inputs.
    pub dims: Option<&'t str>,
    /// Bytes of the full buffer, of a collective.
    pub bytes: Option<u64>,
    /// What tells collectives of one kernel apart.
    pub group: Option<&'t str>,
}

/// One kernel that is partly or wholly beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beside {
    pub(super) slice: SliceId,
    pub(super) time: DurNs,
    pub(super) shared: DurNs,
}

/// The kernels of one identity.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    pub(super) alone: Vec<(SliceId, DurNs)>,
    pub(super) beside: Vec<Beside>,
    /// All time beside, also of kernels that the window cuts.
    pub(super) beside_time: i128,
}

/// Samples by identity, in a stable order.
pub(super) type Sampled<'t> = BTreeMap<Identity<'t>, Samples>;

/// Why a factor cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotComparable {
    /// Too few ran alone.
    FewAlone,
    /// Too few ran beside for long enough.
    FewBeside,
    /// The clock is too coarse for so short a kernel.
    Short,
    /// It is faster beside than alone, so it is not the same work.
    Faster,
}

impl NotComparable {
    /// A short phrase.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::FewAlone => "fewer than 5 alone",
            Self::FewBeside => "fewer than 5 beside communication",
            Self::Short => "shorter than 20 steps of the clock",
            Self::Faster => "faster beside than alone: not the same work",
        }
    }
}

/// Where the kernels that ran alone are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseFrom {
    /// The same device and window.
    Window,
    /// The trace that was given as a baseline.
    Baseline,
}

impl BaseFrom {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Baseline => "baseline",
        }
    }
}

/// One identity and what its kernels tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dilation<'t> {
    /// What they have in common.
    pub identity: Identity<'t>,
    /// Length of those that ran alone, where there are any.
    pub alone: Option<Robust>,
    /// Where those are from.
    pub base_from: BaseFrom,
    /// Length of those that ran beside, where there are any.
    pub beside: Option<Robust>,
    /// All their time beside communication in the window.
    pub beside_time: i128,
    /// How much longer they take beside, or why that cannot be told.
    pub factor: Result<Estimate<Factor>, NotComparable>,
    /// What the samples beside took longer than alone, summed up; zero without a factor.
    pub lost: Estimate<i128>,
    /// The one beside that took longest.
    pub worst: Option<SliceId>,
}

/// Compares the samples of each identity. `base` holds the samples of another trace; they are used
/// where too few ran alone in this one. `tick` is the step of the clock.
pub(super) fn compare<'t>(
    samples: Sampled<'t>,
    base: &Sampled<'t>,
    tick: i64,
) -> Vec<Dilation<'t>> {
    let of = |(identity, samples): (Identity<'t>, Samples)| {
        let elsewhere = base.get(&identity).map(|s| s.alone.as_slice());
        of_identity(identity, &samples, elsewhere.unwrap_or(&[]), tick)
    };
    samples.into_iter().map(of).collect()
}

fn of_identity<'t>(
    identity: Identity<'t>,
    samples: &Samples,
    elsewhere: &[(SliceId, DurNs)],
    tick: i64,
) -> Dilation<'t> {
    let is_own = samples.alone.len() >= LEAST_SAMPLES || elsewhere.len() < LEAST_SAMPLES;
    let (alone, base_from) = if is_own {
        (samples.alone.as_slice(), BaseFrom::Window)
    } else {
        (elsewhere, BaseFrom::Baseline)
    };
    let mut alone: Vec<i64> = alone.iter().map(|(_, d)| d.0).collect();
    let mut beside: Vec<i64> = samples.beside.iter().map(|b| b.time.0).collect();
    let worst = samples.beside.iter().max_by_key(|b| (b.time, b.slice));
    let alone = Robust::of(&mut alone);
    let factor = factor(alone, &samples.beside, tick);
    let lost = match (alone, &factor) {
        (Some(base), Ok(_)) => lost(base, &samples.beside),
        _ => Estimate {
            estimate: 0,
            low: 0,
            high: 0,
        },
    };
    Dilation {
        identity,
        alone,
        base_from,
        beside: Robust::of(&mut beside),
        beside_time: samples.beside_time,
        factor,
        lost,
        worst: worst.map(|b| b.slice),
    }
}

/// `Σ (time - base)` over all samples beside, for the base and both ends of its interval.
fn lost(base: Robust, beside: &[Beside]) -> Estimate<i128> {
    let time: i128 = beside.iter().map(|b| i128::from(b.time.0)).sum();
    let n = i128::try_from(beside.len()).unwrap_or(0);
    let less = |base: i64| time - n * i128::from(base);
    Estimate {
        estimate: less(base.median),
        low: less(base.high),
        high: less(base.low),
    }
}

fn factor(
    alone: Option<Robust>,
    beside: &[Beside],
    tick: i64,
) -> Result<Estimate<Factor>, NotComparable> {
    let base = alone.filter(|a| a.count >= LEAST_SAMPLES);
    let base = base.ok_or(NotComparable::FewAlone)?;
    if base.median < LEAST_TICKS.saturating_mul(tick) {
        return Err(NotComparable::Short);
    }
    let is_sample = |b: &&Beside| b.shared.0.saturating_mul(LEAST_PART) >= b.time.0;
    let mut factors: Vec<i64> = beside
        .iter()
        .filter(is_sample)
        .filter_map(|b| Factor::scaled(b.time, DurNs(base.median), b.shared))
        .map(|f| f.0)
        .collect();
    let found = Robust::of(&mut factors).filter(|f| f.count >= LEAST_SAMPLES);
    let found = found.ok_or(NotComparable::FewBeside)?;
    if Factor(found.median) < LEAST_FACTOR {
        return Err(NotComparable::Faster);
    }
    // The base is uncertain as well: a longer base makes a smaller factor.
    let of_base = |factor: i64, other: i64| {
        Factor::of(
            i128::from(factor) * i128::from(base.median),
            i128::from(other) * i128::from(Factor::ONE.0),
        )
        .unwrap_or(Factor(factor))
    };
    Ok(Estimate {
        estimate: Factor(found.median),
        low: of_base(found.low, base.high),
        high: of_base(found.high, base.low.max(1)),
    })
}

/// The factor of all of them together, weighted by their time beside: what they take divided by
/// what they would take; and their time beside. `None` where none has a factor.
pub(super) fn together(rows: &[Dilation<'_>]) -> (Option<Estimate<Factor>>, i128) {
    let known = || rows.iter().filter_map(|r| Some((r, r.factor.ok()?)));
    let time: i128 = known().map(|(r, _)| r.beside_time).sum();
    let of = |end: fn(&Estimate<Factor>) -> Factor| {
        let base = known().map(|(r, f)| end(&f).divide(r.beside_time)).sum();
        Factor::of(time, base)
    };
    let factor = of(|f| f.estimate)
        .zip(of(|f| f.low).zip(of(|f| f.high)))
        .map(|(estimate, (low, high))| Estimate {
            estimate,
            low,
            high,
        });
    (factor, time)
}

#[cfg(test)]
mod tests;
