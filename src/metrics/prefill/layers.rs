//! [`PassLayers`]: all-gathers and the computation after each, as a pass runs them.

use super::serving::{Ran, ServingStep, launch};
use super::{BackwardPass, Found, FoundOrWhy};
use crate::metrics::{BandwidthOf, CollectiveRow};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::CollectiveKind;
use crate::trace::{Rank, SliceId, StreamId};

/// What one layer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerTimes {
    /// All-gather of its parameters.
    pub gather: DurNs,
    /// Its computation.
    pub compute: DurNs,
    /// Reduce-scatter of its gradients.
    pub scatter: DurNs,
}

/// The layers of one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassLayers {
    /// In the order in which they ran.
    pub layers: Vec<LayerTimes>,
    /// Bytes of the largest full buffer that was gathered, where they are known.
    pub bytes: Option<u64>,
    /// Ranks of its group.
    pub ranks: Option<u32>,
    /// Whether gathers and reduce-scatters share a stream.
    pub shared_stream: bool,
    /// What no computation hides from the first gather to the last end of the pass.
    pub exposed: DurNs,
}

/// A gather or a reduce-scatter.
pub(super) struct Sent {
    pub(super) slice: SliceId,
    pub(super) asked: Ns,
    pub(super) start: Ns,
    pub(super) end: Ns,
    pub(super) time: DurNs,
    stream: StreamId,
    pub(super) bytes: Option<u64>,
    ranks: Option<u32>,
}

impl Sent {
    pub(super) fn of(rank: &Rank, row: &CollectiveRow) -> Self {
        let transfer = (row.bandwidth_of() == BandwidthOf::Transfer)
            .then(|| row.across.transfer())
            .flatten();
        Self {
            slice: row.slice.slice,
            asked: launch(rank, row.slice.slice).map_or(row.start, |(_, at)| at),
            start: row.start,
            end: row.start.saturating_add(row.duration),
            time: transfer.unwrap_or(row.duration),
            stream: row.stream,
            bytes: row.bytes,
            ranks: row.group_size,
        }
    }
}

/// Looks for the layers of the forward and of the backward pass.
pub(super) fn find(
    rank: &Rank,
    pass: Option<&BackwardPass>,
    step: &ServingStep,
    kernels: &[Ran],
    collectives: &[CollectiveRow],
    exposed_in: impl Fn(Window) -> DurNs,
) -> (FoundOrWhy<PassLayers>, FoundOrWhy<PassLayers>) {
    let with_wait = collectives
        .iter()
        .any(|row| row.bandwidth_of() != BandwidthOf::Transfer);
    let is_backward = |call, start| pass.is_some_and(|pass| pass.holds(rank, call, start));
    let sent = |kind: CollectiveKind, backward: bool| -> Vec<Sent> {
        let rows = collectives.iter().filter(|row| row.kind == Some(kind));
        let mut sent: Vec<Sent> = rows
            .filter(|row| is_backward(launch(rank, row.slice.slice), row.start) == backward)
            .map(|row| Sent::of(rank, row))
            .collect();
        sent.sort_by_key(|sent| (sent.asked, sent.start));
        sent
    };
    let (mut ahead, mut behind): (Vec<Ran>, Vec<Ran>) = kernels
        .iter()
        .partition(|kernel| !is_backward(kernel.launch, kernel.start));
    ahead.sort_by_key(|kernel| (kernel.asked(), kernel.start));
    behind.sort_by_key(|kernel| (kernel.asked(), kernel.start));
    if let Some(pass) = pass {
        // What follows the backward pass, the optimizer above all, is no layer.
        ahead.retain(|kernel| kernel.start < pass.window.start());
    }
    let gathers = sent(CollectiveKind::AllGather, false);
    let forward = if gathers.is_empty() {
        Err(format!(
            "no all-gather was launched ahead of the backward pass in {step}"
        ))
    } else {
        let layers = forward(&gathers, &ahead);
        Ok(told(
            layers,
            (&gathers, &[]),
            &ahead,
            "forward",
            step,
            with_wait,
            &exposed_in,
        ))
    };
    let backward = if pass.is_none() {
        Err("the backward pass is not known".to_owned())
    } else {
        {
            let gathers = sent(CollectiveKind::AllGather, true);
            let scatters = sent(CollectiveKind::ReduceScatter, true);
            if gathers.is_empty() {
                Err(format!(
                    "no all-gather was launched in the backward pass of {step}"
                ))
            } else {
                let layers = backward(&gathers, &scatters, &behind);
                let both = (&*gathers, &*scatters);
                Ok(told(
                    layers,
                    both,
                    &behind,
                    "backward",
                    step,
                    with_wait,
                    &exposed_in,
                ))
            }
        }
    };
    (forward, backward)
}

fn told(
    layers: Vec<LayerTimes>,
    (gathers, scatters): (&[Sent], &[Sent]),
    kernels: &[Ran],
    word: &str,
    step: &ServingStep,
    with_wait: bool,
    exposed_in: &impl Fn(Window) -> DurNs,
) -> Found<PassLayers> {
    let all = || gathers.iter().chain(scatters);
    let ends = all().map(|s| s.end).chain(kernels.iter().map(|k| k.end));
    let window = gathers
        .iter()
        .map(|sent| sent.start)
        .min()
        .zip(ends.max())
        .map(|(start, end)| Window::new(start, end));
    let largest = gathers.iter().max_by_key(|sent| sent.bytes);
    let wait = if with_wait {
        "; times of collectives include waiting for other ranks"
    } else {
        ""
    };
    Found {
        how: format!(
            "{} all-gathers of the {word} pass of {step} in the order of their launches, each with the computation launched after it{wait}",
            gathers.len()
        ),
        value: PassLayers {
            layers,
            bytes: largest.and_then(|sent| sent.bytes),
            ranks: largest.and_then(|sent| sent.ranks),
            shared_stream: scatters
                .iter()
                .any(|s| gathers.iter().any(|g| g.stream == s.stream)),
            exposed: window.map_or(DurNs::ZERO, exposed_in),
        },
    }
}

/// Computation between two launches of gathers is of the oldest gather that has none yet: the runs of
/// the first gathers, and what follows the last launch, which is of those that are left.
pub(super) fn forward_runs<'k>(
    gathers: &[Sent],
    kernels: &'k [Ran],
) -> (Vec<&'k [Ran]>, &'k [Ran]) {
    let follow = gathers.iter().zip(gathers.iter().skip(1));
    let runs = follow.map(|(sent, next)| between(kernels, Some(sent.asked), Some(next.asked)));
    let runs = runs.filter(|run| !run.is_empty()).collect();
    let rest = gathers.last();
    let rest = rest.map_or(&[][..], |sent| between(kernels, Some(sent.asked), None));
    (runs, rest)
}

fn forward(gathers: &[Sent], kernels: &[Ran]) -> Vec<LayerTimes> {
    let mut layers: Vec<LayerTimes> = gathers
        .iter()
        .map(|sent| LayerTimes {
            gather: sent.time,
            ..LayerTimes::default()
        })
        .collect();
    let (runs, rest) = forward_runs(gathers, kernels);
    for (layer, run) in layers.iter_mut().zip(&runs) {
        layer.compute = union(run);
    }
    share(union(rest), layers.iter_mut().skip(runs.len()).collect());
    layers
}

/// Reduce-scatters end layers: the computation of each, in their order.
pub(super) fn backward_runs<'k>(scatters: &[Sent], kernels: &'k [Ran]) -> Vec<&'k [Ran]> {
    let mut from = None;
    let ends = scatters.iter().enumerate();
    ends.map(|(i, sent)| {
        let is_last = i + 1 == scatters.len();
        let run = between(kernels, from, (!is_last).then_some(sent.asked));
        from = Some(sent.asked);
        run
    })
    .collect()
}

/// Gathers belong to the last layers where there are fewer of them than reduce-scatters, since the
/// first layer's parameters may still be there from the forward pass.
fn backward(gathers: &[Sent], scatters: &[Sent], kernels: &[Ran]) -> Vec<LayerTimes> {
    if scatters.len() < gathers.len() {
        let mut layers = forward(gathers, kernels);
        for (layer, sent) in layers.iter_mut().zip(scatters) {
            layer.scatter = sent.time;
        }
        return layers;
    }
    let kept = scatters.len() - gathers.len();
    let runs = backward_runs(scatters, kernels);
    let layers = scatters.iter().zip(runs).enumerate();
    let layers = layers.map(|(i, (sent, run))| LayerTimes {
        gather: i
            .checked_sub(kept)
            .and_then(|i| gathers.get(i))
            .map_or(DurNs::ZERO, |sent| sent.time),
        compute: union(run),
        scatter: sent.time,
    });
    layers.collect()
}

/// Kernels that were asked for from an instant until another one.
fn between(kernels: &[Ran], from: Option<Ns>, until: Option<Ns>) -> &[Ran] {
    let at = |edge: Ns| kernels.partition_point(|kernel| kernel.asked() < edge);
    let from = from.map_or(0, at);
    let until = until.map_or(kernels.len(), at);
    kernels.get(from..until).unwrap_or(&[])
}

/// Time in which at least one of the kernels ran.
pub(super) fn union(kernels: &[Ran]) -> DurNs {
    let mut spans: Vec<(Ns, Ns)> = kernels.iter().map(|k| (k.start, k.end)).collect();
    spans.sort_unstable();
    let mut sum = DurNs::ZERO;
    let mut reach: Option<Ns> = None;
    for (start, end) in spans {
        let start = reach.map_or(start, |reach| reach.max(start));
        if end > start {
            sum = sum.saturating_add(end - start);
            reach = Some(end);
        }
    }
    sum
}

fn share(time: DurNs, layers: Vec<&mut LayerTimes>) {
    let Ok(count) = i64::try_from(layers.len()) else {
        return;
    };
    for (layer, i) in layers.into_iter().zip(0_i64..) {
        // The remainder goes to the first ones, a nanosecond each.
        let more = i64::from(i < time.0 % count.max(1));
        layer.compute = DurNs(time.0 / count.max(1) + more);
    }
}
