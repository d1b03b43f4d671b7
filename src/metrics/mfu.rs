//! Model FLOPs utilisation: what part of the peak a device's window reached.
//!
//! FLOPs are summed from the input shapes of the ops that launched the kernels ([`flops()`]), each op
//! once, in the window in which its first computation kernel starts; or they are typed, for each whole
//! step. The peak is always typed. Nothing is guessed: what is not counted is told, and how much of
//! the computation was counted is a figure of its own. Formulas and limits: `docs/overlap.md`.

mod delta;
mod flops;

pub use delta::{MfuDelta, mfu_deltas};
pub use flops::{Flops, flops};

use super::findings::whole_steps;
use super::ratio::rounded;
use super::walk::{Found, Walk};
use super::window::scope;
use super::{FigureSource, Observed, Ratio};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Device, DeviceId, Rank, RankId, RankLaunches, SliceId, Trace};
use std::collections::BTreeMap;

/// Part of a second that a nanosecond is, times the units of 0.0001 % in the whole.
const PERCENT_SCALE: i128 = 1_000_000_000 * 1_000_000;
/// FLOP/s in a unit of 0.001 TFLOP/s.
const MILLI_TERA: i128 = 1_000_000_000;

/// What the user gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypedFlops {
    /// FLOP/s of a device at its peak.
    pub peak: Option<u128>,
    /// FLOPs of a step on one device.
    pub per_step: Option<u128>,
}

/// Utilisation of one device in one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MfuRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The window.
    pub window: Window,
    /// Whether FLOPs were measured or typed.
    pub source: FigureSource,
    /// FLOPs of the window, those counted or those typed; `None` where they cannot be told.
    pub flops: Option<u128>,
    /// FLOPs of the ops that were counted.
    pub flops_counted: u128,
    /// How many ops those are.
    pub ops_counted: u64,
    /// Products, convolutions and attention whose shapes do not tell their FLOPs.
    pub ops_not_counted: u64,
    /// The part of the time of computation kernels that ops launched which were counted.
    pub coverage: Option<Ratio>,
    /// Whole steps in the window.
    pub steps: u64,
    /// Their time, summed up.
    pub step_time: DurNs,
    /// FLOPs of a step: typed, or the mean of whole steps.
    pub flops_per_step: Option<u128>,
    /// FLOP/s at the peak, as typed.
    pub peak: Option<u128>,
    /// What limits the figures, or why there are none.
    pub note: String,
}

impl MfuRow {
    /// FLOPs over the time of the window, in units of 0.001 TFLOP/s.
    #[must_use]
    pub fn achieved_e3(&self) -> Option<i128> {
        // FLOPs in a nanosecond are just these units.
        let flops = i128::try_from(self.flops?).ok()?;
        flops.checked_mul(4)?;
        (!self.window.is_empty()).then(|| rounded(flops, self.window.len().0.into()))
    }

    /// The peak in the same units.
    #[must_use]
    pub fn peak_e3(&self) -> Option<i128> {
        let peak = i128::try_from(self.peak?).ok()?;
        peak.checked_mul(4)?;
        Some(rounded(peak, MILLI_TERA))
    }

    /// Utilisation in units of 0.0001 %.
    #[must_use]
    pub fn percent_e4(&self) -> Option<i128> {
        let peak = i128::try_from(self.peak?).ok().filter(|peak| *peak > 0)?;
        let flops = i128::try_from(self.flops?).ok()?;
        let common = gcd(PERCENT_SCALE, peak);
        let part = flops.checked_mul(PERCENT_SCALE / common)?;
        let whole = (peak / common).checked_mul(self.window.len().0.into())?;
        part.checked_mul(4)?;
        whole.checked_mul(4)?;
        (whole > 0).then(|| rounded(part, whole))
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A row for each device that the query asks for and has data.
#[must_use]
pub fn mfu_rows(observed: &Observed<'_>, typed: TypedFlops) -> Vec<MfuRow> {
    let devices = observed.query.devices(observed.trace);
    devices
        .filter_map(|(rank, device)| row(observed, rank, device, typed))
        .collect()
}

fn row(observed: &Observed<'_>, rank: &Rank, device: &Device, typed: TypedFlops) -> Option<MfuRow> {
    let query = observed.query;
    let clip = query.clip_suspicious;
    let window = scope(rank, device, query.selection, clip).covered()?;
    let steps = whole_steps(device, query.selection, window);
    let launched = Launched::of(observed.trace, rank, device, window, clip);
    let told = observed.launches.rank(rank.id);
    let counts = Counts::of(observed.trace, rank, told, &launched, window, &steps);
    let number = u64::try_from(steps.len()).unwrap_or(u64::MAX);
    let of_steps = match typed.per_step {
        Some(flops) => flops.checked_mul(number.into()),
        None => counts.flops_in_steps,
    };
    let measured = counts.flops.filter(|_| counts.counted > 0);
    let time = |ns: i128| DurNs(i64::try_from(ns).unwrap_or(i64::MAX));
    let mut row = MfuRow {
        rank: rank.id,
        device: device.id,
        window,
        source: match typed.per_step {
            Some(_) => FigureSource::Typed,
            None => FigureSource::Measured,
        },
        flops: match typed.per_step {
            Some(_) => of_steps.filter(|_| number > 0),
            None => measured,
        },
        flops_counted: counts.flops.unwrap_or(0),
        ops_counted: counts.counted,
        ops_not_counted: counts.untold,
        coverage: Ratio::new(time(counts.covered), time(launched.computing)),
        steps: number,
        step_time: time(steps.iter().map(|w| i128::from(w.len().0)).sum()),
        flops_per_step: typed.per_step.or_else(|| {
            let flops = of_steps.filter(|_| counts.counted > 0)?;
            let half_up = flops.checked_add(u128::from(number) / 2)?;
            half_up.checked_div(number.into())
        }),
        peak: typed.peak,
        note: String::new(),
    };
    row.note = note(&row, told.is_some(), counts.attention);
    Some(row)
}

/// What limits the figures of a row, or why it has none.
fn note(row: &MfuRow, are_shapes_read: bool, attention: u64) -> String {
    let mut said: Vec<String> = Vec::new();
    if row.source == FigureSource::Typed {
        if row.steps == 0 {
            said.push(
                "no whole step lies in the window, so FLOPs of a step tell nothing of it".into(),
            );
        } else if row.step_time != row.window.len() {
            said.push(format!(
                "whole steps take {} of {} us of the window; the rest counts as time without FLOPs",
                row.step_time.us3(),
                row.window.len().us3()
            ));
        }
    } else if !are_shapes_read {
        said.push("the file could not be read again, so no shapes are known".into());
    } else if row.ops_counted == 0 && row.ops_not_counted > 0 {
        said.push(format!(
            "none of {} products, convolutions and attention has shapes that tell its FLOPs; record with record_shapes, or type --flops-per-step",
            row.ops_not_counted
        ));
    } else if row.ops_counted == 0 {
        said.push(
            "no matrix product or attention of a known op starts in the window; type --flops-per-step"
                .into(),
        );
    } else {
        if row.ops_not_counted > 0 {
            said.push(format!(
                "{} products, convolutions or attention are not counted, so their FLOPs are missing",
                row.ops_not_counted
            ));
        }
        if attention > 0 {
            said.push(format!(
                "{attention} ops of attention are counted in full: shapes do not tell a causal mask, which needs about half"
            ));
        }
    }
    if row.peak.is_none() {
        said.push("no MFU without the device's peak; type --peak-tflops".into());
    }
    if row.percent_e4().is_some_and(|share| share > 1_000_000) {
        said.push("more than the peak, so the peak or the FLOPs are wrong".into());
    }
    said.join("; ")
}

/// A product, convolution or attention that launched computation.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Start of the first of its computation kernels on the device.
    first: Ns,
    /// Time of those inside the window.
    inside: i128,
}

/// The ops behind the computation kernels of a device.
#[derive(Debug, Default)]
struct Launched {
    ops: BTreeMap<SliceId, Seen>,
    /// Time of all computation kernels inside the window.
    computing: i128,
}

impl Launched {
    /// Walks the whole device, so that an op belongs to the window of its first kernel only.
    fn of(trace: &Trace, rank: &Rank, device: &Device, window: Window, clip: bool) -> Self {
        let walk = Walk::new(rank, device, device.extent(clip), clip);
        let add = |mut sum: Self, kernel: &Found<'_>| {
            if kernel.class != KernelClass::Computation {
                return sum;
            }
            let end = kernel.start.saturating_add(kernel.length);
            let inside = Window::new(kernel.start, end).clip(window);
            let inside = inside.map_or(0, |w| i128::from(w.len().0));
            sum.computing += inside;
            if let Some(op) = rank.launching_op(kernel.id)
                && name(trace, rank, op).is_some_and(flops::is_product)
            {
                let first = kernel.start;
                sum.insert(op, Seen { first, inside });
            }
            sum
        };
        walk.fold(Self::default, add, |mut sum, other| {
            sum.computing += other.computing;
            for (op, seen) in other.ops {
                sum.insert(op, seen);
            }
            sum
        })
    }

    fn insert(&mut self, op: SliceId, more: Seen) {
        let known = self.ops.entry(op);
        let seen = known.or_insert(Seen { inside: 0, ..more });
        seen.first = seen.first.min(more.first);
        seen.inside += more.inside;
    }

    /// Whether an op only encloses another of these, whose product is the same one.
    fn encloses(&self, rank: &Rank, op: SliceId) -> bool {
        let mut inside = rank.inside(op).map(|s| s.id());
        inside.any(|id| id != op && self.ops.contains_key(&id))
    }
}

fn name<'t>(trace: &'t Trace, rank: &Rank, op: SliceId) -> Option<&'t str> {
    Some(trace.names.get(rank.slices.get(op)?.name()))
}

/// What of the ops was counted.
#[derive(Debug)]
struct Counts {
    /// `None` where the sum is too large.
    flops: Option<u128>,
    flops_in_steps: Option<u128>,
    counted: u64,
    untold: u64,
    /// How many of the counted are attention.
    attention: u64,
    /// Time of their kernels inside the window.
    covered: i128,
}

impl Counts {
    fn of(
        trace: &Trace,
        rank: &Rank,
        told: Option<&RankLaunches>,
        by: &Launched,
        window: Window,
        steps: &[Window],
    ) -> Self {
        let mut sum = Self {
            flops: Some(0),
            flops_in_steps: Some(0),
            counted: 0,
            untold: 0,
            attention: 0,
            covered: 0,
        };
        for (op, seen) in &by.ops {
            if !window.contains(seen.first) || by.encloses(rank, *op) {
                continue;
            }
            let Some(name) = name(trace, rank, *op) else {
                continue;
            };
            let dims = told.and_then(|l| l.input_dims(*op));
            let Some(Flops::Known(flops)) = flops(name, dims.map(AsRef::as_ref)) else {
                sum.untold += 1;
                continue;
            };
            sum.counted += 1;
            sum.attention += u64::from(flops::is_attention(name));
            sum.covered += seen.inside;
            sum.flops = sum.flops.and_then(|all| all.checked_add(flops));
            if steps.iter().any(|step| step.contains(seen.first)) {
                sum.flops_in_steps = sum.flops_in_steps.and_then(|all| all.checked_add(flops));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(flops: u128, peak: u128, nanoseconds: i64) -> MfuRow {
        MfuRow {
            rank: RankId(0),
            device: DeviceId(0),
            window: Window::new(Ns(0), Ns(nanoseconds)),
            source: FigureSource::Measured,
            flops: Some(flops),
            flops_counted: flops,
            ops_counted: 1,
            ops_not_counted: 0,
            coverage: None,
            steps: 0,
            step_time: DurNs(0),
            flops_per_step: None,
            peak: Some(peak),
            note: String::new(),
        }
    }

    #[test]
    fn utilisation_is_flops_over_peak_and_time() {
        // 10^12 FLOPs in 10 ms are 100 TFLOP/s, a third of 300.
        let third = row(1_000_000_000_000, 300_000_000_000_000, 10_000_000);
        assert_eq!(third.achieved_e3(), Some(100_000));
        assert_eq!(third.peak_e3(), Some(300_000));
        assert_eq!(third.percent_e4(), Some(333_333));
        // A run of a day at 10^18 FLOP/s still fits.
        let day = 86_400_000_000_000;
        let large = row(43_200 * 10_u128.pow(18), 10_u128.pow(18), day);
        assert_eq!(large.percent_e4(), Some(500_000));
    }

    #[test]
    fn what_does_not_exist_is_no_figure() {
        let empty = row(5, 7, 0);
        assert_eq!((empty.achieved_e3(), empty.percent_e4()), (None, None));
        assert_eq!(row(5, 0, 9).percent_e4(), None);
        let too_large = row(u128::MAX, 7, 9);
        assert_eq!(
            (too_large.achieved_e3(), too_large.percent_e4()),
            (None, None)
        );
        let no_peak = MfuRow {
            peak: None,
            ..row(5, 7, 9)
        };
        assert_eq!((no_peak.peak_e3(), no_peak.percent_e4()), (None, None));
        assert!(note(&no_peak, true, 0).contains("--peak-tflops"));
        assert!(note(&row(9_000, 1, 9), true, 0).contains("more than the peak"));
    }
}
