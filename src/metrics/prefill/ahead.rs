//! [`GatherUse`]: how far ahead parameters are gathered of the computation that uses them.

use super::layers::{Sent, backward_runs, forward_runs, union};
use super::serving::{self, Ran, ServingStep, launch};
use super::{BackwardPass, backward};
use crate::metrics::{CollectiveRow, Selection};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::CollectiveKind;
use crate::trace::{Device, Rank, SliceId, StreamId, Trace};

/// A gather whose use is known.
#[derive(Clone, Copy, Debug)]
pub(in crate::metrics) struct GatherUse {
    /// Its kernel.
    pub(in crate::metrics) slice: SliceId,
    /// What it takes.
    pub(in crate::metrics) gather: DurNs,
    /// What the computation takes that uses it.
    pub(in crate::metrics) compute: DurNs,
    /// From its end to the start of that computation.
    pub(in crate::metrics) waits: DurNs,
    /// How many later gathers of its pass are over when that computation starts.
    pub(in crate::metrics) depth: u64,
    /// Bytes of the full buffer.
    pub(in crate::metrics) bytes: Option<u64>,
}

/// Which computations a gather would need to hide behind, `ceil(gather / compute)` and at least one;
/// `None` without computation.
#[must_use]
pub fn depth_to_hide(gather: DurNs, compute: DurNs) -> Option<u64> {
    let (gather, compute) = (
        u64::try_from(gather.0).ok()?,
        u64::try_from(compute.0).ok()?,
    );
    (compute > 0).then(|| gather.div_ceil(compute).max(1))
}

/// The gathers of one process group in one step whose use is known; `of_group` are the group's
/// collectives. Computation counts on the streams named `compute`, since casts and copies of a gather's
/// own stand on others.
///
/// Empty where a forward pass stands behind the start of the backward pass (several micro-batches), and where
/// reduce-scatters tell of a backward pass that was not found.
pub(in crate::metrics) fn gather_uses(
    trace: &Trace,
    (rank, device): (&Rank, &Device),
    window: Window,
    of_group: &[&CollectiveRow],
    (compute, clip_suspicious): (&[StreamId], bool),
) -> Vec<GatherUse> {
    let step = ServingStep::of(rank, device, Selection::Window(window), window);
    let mut kernels = serving::computations(rank, device, &step, clip_suspicious);
    let pass = backward::find(trace, rank, &step, &kernels).ok();
    let pass = pass.map(|found| found.value);
    kernels.retain(|kernel| compute.contains(&kernel.stream));
    let is_backward = |call, start| {
        let holds = |pass: &BackwardPass| pass.holds(rank, call, start);
        pass.as_ref().is_some_and(holds)
    };
    let sent = |kind: CollectiveKind| -> (Vec<Sent>, Vec<Sent>) {
        let own = |row: &&&CollectiveRow| {
            row.kind == Some(kind) && step.owns(rank, row.slice.slice, row.start)
        };
        let mut sent: Vec<Sent> = of_group
            .iter()
            .filter(own)
            .map(|row| Sent::of(rank, row))
            .collect();
        sent.sort_by_key(|sent| (sent.asked, sent.start));
        let belongs = |sent: &Sent| is_backward(launch(rank, sent.slice), sent.start);
        sent.into_iter().partition(belongs)
    };
    let (back, ahead) = sent(CollectiveKind::AllGather);
    let (scatters, others) = sent(CollectiveKind::ReduceScatter);
    let starts_late = |pass: &BackwardPass| {
        let begins = pass.window.start();
        ahead.iter().any(|sent| sent.start > begins)
    };
    let is_clear = match &pass {
        Some(pass) => !starts_late(pass),
        None => others.is_empty(),
    };
    if !is_clear {
        return Vec::new();
    }
    kernels.sort_by_key(|kernel| (kernel.asked(), kernel.start));
    let (behind, mut first): (Vec<Ran>, Vec<Ran>) = kernels
        .iter()
        .partition(|kernel| is_backward(kernel.launch, kernel.start));
    if let Some(pass) = &pass {
        first.retain(|kernel| kernel.start < pass.window.start());
    }
    let mut uses = told(&ahead, &forward_runs(&ahead, &first).0);
    if let Some(kept) = scatters.len().checked_sub(back.len()) {
        let runs = backward_runs(&scatters, &behind);
        uses.extend(told(&back, runs.get(kept..).unwrap_or(&[])));
    } else {
        uses.extend(told(&back, &forward_runs(&back, &behind).0));
    }
    uses
}

/// Gathers in the order of their launches, each with the computation that uses it.
fn told(gathers: &[Sent], runs: &[&[Ran]]) -> Vec<GatherUse> {
    let of = |(at, (sent, run)): (usize, (&Sent, &&[Ran]))| {
        let begins: Ns = run.iter().map(|kernel| kernel.start).min()?;
        let later = gathers.iter().skip(at + 1);
        let over = later.filter(|later| later.end <= begins).count();
        Some(GatherUse {
            slice: sent.slice,
            gather: sent.time,
            compute: union(run),
            waits: (begins - sent.end).max(DurNs::ZERO),
            depth: u64::try_from(over).unwrap_or(u64::MAX),
            bytes: sent.bytes,
        })
    };
    let pairs = gathers.iter().zip(runs).enumerate();
    pairs.filter_map(of).collect()
}
