//! What overlap costs where it is measured: slowed kernels, and how much of the device is taken.

use super::case::{Case, Draft, Part, number};
use super::kind::FindingKind;
use crate::interval::{Interval, IntervalSet};
use crate::metrics::overlap::{Factor, FigureSource, HIGH_CONTENTION};
use crate::metrics::walk::Walk;
use crate::metrics::{DilationRow, Ratio};
use crate::time::DurNs;
use crate::trace::class::KernelClass;
use std::collections::BTreeSet;

/// From this share of the multiprocessors on, as a mean over time, communication takes many: one part
/// in this many.
pub(super) const MANY_CHANNELS_PART: i128 = 5;

/// Pieces of names of kernels that memory bandwidth bounds as a rule.
const MEMORY_BOUND: [&str; 9] = [
    "norm",
    "softmax",
    "elementwise",
    "dropout",
    "gelu",
    "silu",
    "rotary",
    "cross_entropy",
    "copy_kernel",
];
/// Pieces of names of kernels that are not, whatever else their name holds: what is fused into them.
const COMPUTE_BOUND: [&str; 8] = [
    "gemm",
    "wgrad",
    "dgrad",
    "conv",
    "cutlass",
    "attention",
    "flash",
    "fmha",
];

/// Whether memory bandwidth likely bounds a kernel of this name.
pub(super) fn is_memory_bound(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |pieces: &[&str]| pieces.iter().any(|piece| name.contains(piece));
    has(&MEMORY_BOUND) && !has(&COMPUTE_BOUND)
}

/// A factor that is high, and certainly more than one.
fn is_high(row: &DilationRow) -> bool {
    let factor = row.factor;
    factor.is_ok_and(|f| f.estimate >= HIGH_CONTENTION && f.low > Factor::ONE)
}

/// `value * part / whole`, rounded to the nearest; nothing without a whole.
fn scaled(value: i128, part: i128, whole: i128) -> DurNs {
    let product = value.max(0).checked_mul(part.max(0));
    let of = |product: i128| (2 * product + whole).div_euclid(2 * whole);
    let ns = product.filter(|_| whole > 0).map_or(0, of);
    DurNs(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// What kernels that memory likely bounds take longer beside communication.
pub(super) fn memory_bound(case: &mut Case<'_>) {
    let rows = case.analysis.dilations.iter();
    let rows = rows.filter(|r| r.class == KernelClass::Computation);
    let slowed: Vec<&DilationRow> = rows
        .filter(|r| is_memory_bound(&r.name) && is_high(r))
        .collect();
    let Some(first) = slowed.iter().max_by_key(|r| r.lost) else {
        return;
    };
    let names: BTreeSet<&str> = slowed.iter().map(|r| r.name.as_ref()).collect();
    let wanted = beside(case, &names).intersect(case.free(Part::Overlap));
    let sum =
        |of: fn(&DilationRow) -> i64| -> i128 { slowed.iter().map(|r| i128::from(of(r))).sum() };
    let (lost, time) = (sum(|r| r.lost.0), sum(|r| r.beside_time.0));
    let count = |r: &&DilationRow| r.beside.map_or(0, |b| b.count);
    let mut draft = Draft::new(
        FindingKind::MemoryBoundBeside,
        format!(
            "Communication beside kernels that memory likely bounds, most {}",
            first.name
        ),
        Part::Overlap,
        wanted.clone(),
        number(slowed.iter().map(count).sum()),
    );
    // Kernels that run side by side on several streams lose their time once.
    let merged = i128::from(wanted.total().0).min(time);
    draft.at_most = Some(scaled(lost, merged, time));
    let all = i64::try_from(case.analysis.computation.all).unwrap_or(i64::MAX);
    let time = DurNs(i64::try_from(time).unwrap_or(i64::MAX));
    draft.coverage = Ratio::new(time, DurNs(all));
    draft.evidence = first.worst;
    draft.note = "what they take longer than the same kernels alone; that memory bounds them is told by their names".into();
    draft.source = FigureSource::Modelled;
    case.report(draft);
}

/// Time of computation kernels of some names.
fn beside(case: &Case<'_>, names: &BTreeSet<&str>) -> IntervalSet {
    let walk = Walk::new(case.rank, case.device, case.window, case.clip);
    let parts = walk.fold(
        Vec::new,
        |mut list, kernel| {
            let is_wanted = kernel.class == KernelClass::Computation
                && names.contains(case.trace.names.get(kernel.name));
            if is_wanted {
                list.push(Interval {
                    start: kernel.start,
                    end: kernel.start.saturating_add(kernel.length),
                });
            }
            list
        },
        |mut a, mut b| {
            a.append(&mut b);
            a
        },
    );
    IntervalSet::merge(parts)
}

/// What computation takes longer where communication occupies much of the device.
pub(super) fn channels(case: &mut Case<'_>) {
    let (channels, side) = (&case.analysis.channels, &case.analysis.computation);
    let Some(share) = channels.mean_share() else {
        return;
    };
    let (part, whole) = (i128::from(share.part().0), i128::from(share.whole().0));
    let is_high =
        |f: crate::metrics::Estimate<Factor>| f.estimate >= HIGH_CONTENTION && f.low > Factor::ONE;
    if part * MANY_CHANNELS_PART < whole || !side.factor.is_ok_and(is_high) {
        return;
    }
    let told = case.found.iter();
    let told = told.filter(|f| f.kind == FindingKind::MemoryBoundBeside);
    let told: i128 = told.map(|f| i128::from(f.at_stake.0)).sum();
    let lost = (side.lost.estimate - told).max(0);
    let mut draft = Draft::new(
        FindingKind::TooManyChannels,
        format!(
            "Communication occupies up to {} % of the device, and computation is slowed",
            share.percent2()
        ),
        Part::Overlap,
        case.free(Part::Overlap).clone(),
        channels.known,
    );
    draft.at_most = Some(DurNs(i64::try_from(lost).unwrap_or(i64::MAX)));
    let all = i64::try_from(side.all).unwrap_or(i64::MAX);
    let covered = i64::try_from(side.covered).unwrap_or(i64::MAX);
    draft.coverage = Ratio::new(DurNs(covered), DurNs(all));
    draft.evidence = channels.widest;
    draft.note = "what computation takes longer beside communication; memory bandwidth may be the reason instead of channels".into();
    draft.source = FigureSource::Modelled;
    case.report(draft);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_memory_likely_bounds() {
        for (name, is) in [
            ("void at::native::vectorized_elementwise_kernel<4>()", true),
            ("void softmax_warp_forward<float>", true),
            ("void at::native::layer_norm_kernel", true),
            ("cutlass_gemm_gelu_fused", false),
            ("flash_fwd_softmax_kernel", false),
            ("ampere_sgemm_128x64_tn", false),
        ] {
            assert_eq!(is_memory_bound(name), is, "{name}");
        }
    }

    #[test]
    fn shares_of_lost_time_round_and_never_divide_by_nothing() {
        assert_eq!(scaled(10, 1, 3), DurNs(3));
        assert_eq!(scaled(11, 1, 2), DurNs(6));
        assert_eq!(scaled(5, 5, 0), DurNs(0));
        assert_eq!(scaled(-5, 5, 5), DurNs(0));
    }
}
