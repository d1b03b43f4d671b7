//! What a trace says of the inputs of models: times, buckets, layers and transfers of one device,
//! each with how it was found, or why it was not.
//!
//! Streams, chunks and contention are about all of a window. Buckets and prefetch are about one
//! step: the window is searched for whole steps, and the one of median length serves. Everything is
//! of what ran, so what overlap or waiting already cost is in it; the rules and their limits stand in
//! `docs/overlap.md`.

mod ahead;
mod backward;
mod buckets;
mod layers;
mod serving;
mod transfers;

pub use ahead::depth_to_hide;
pub(in crate::metrics) use ahead::{GatherUse, gather_uses};
pub use backward::BackwardPass;
pub use buckets::{GradientBucket, GradientBuckets};
pub use layers::{LayerTimes, PassLayers};
pub use serving::ServingStep;
pub use transfers::Transfers;

use super::window::scope;
use super::{CollectiveRow, Query, Selection, collective_rows, summary};
use crate::time::{DurNs, Window};
use crate::trace::{Device, DeviceId, Rank, RankId, Trace};

/// Something that was measured, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    /// What was measured.
    pub value: T,
    /// How, as the end of a sentence.
    pub how: String,
}

/// What was measured, or why it was not.
pub type FoundOrWhy<T> = Result<Found<T>, String>;

/// Inputs of models, as one device shows them in one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefill {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The window.
    pub window: Window,
    /// `|C|` of the window.
    pub computation: FoundOrWhy<DurNs>,
    /// `|M|` of the window.
    pub communication: FoundOrWhy<DurNs>,
    /// `|M \ C|` of the window.
    pub exposed: DurNs,
    /// The step that stands for the others.
    pub step: ServingStep,
    /// When the gradients were made.
    pub backward: FoundOrWhy<BackwardPass>,
    /// What was sent of them.
    pub buckets: FoundOrWhy<GradientBuckets>,
    /// Gathers and computations of the forward pass.
    pub forward: FoundOrWhy<PassLayers>,
    /// Gathers, computations and reduce-scatters of the backward pass.
    pub backward_layers: FoundOrWhy<PassLayers>,
    /// Transfers of the whole capture that nobody waited in, by process group and kind.
    pub transfers: FoundOrWhy<Vec<Transfers>>,
}

/// Measures the inputs of one device; `None` where the rank recorded nothing of the selection.
///
/// O(k log n) for the k kernels of the step that serves and all collectives of the device.
#[must_use]
pub fn prefill(trace: &Trace, rank: &Rank, device: &Device, query: &Query) -> Option<Prefill> {
    let clip = query.clip_suspicious;
    let window = scope(rank, device, query.selection, clip).covered()?;
    let figures = summary(device.activity(clip), window);
    let step = ServingStep::of(rank, device, query.selection, window);
    let kernels = serving::computations(rank, device, &step, clip);
    let of_step: Vec<CollectiveRow> = {
        let query = Query {
            selection: Selection::Window(step.reach()),
            rank: Some(rank.id),
            device: Some(device.id),
            clip_suspicious: clip,
        };
        let rows = collective_rows(trace, &query);
        let own = |row: &CollectiveRow| step.owns(rank, row.slice.slice, row.start);
        rows.into_iter().filter(own).collect()
    };
    let backward = backward::find(trace, rank, &step, &kernels);
    let pass = backward.as_ref().ok().map(|found| &found.value);
    let exposed_in = |window: Window| summary(device.activity(clip), window).exposed_comm;
    let buckets = buckets::find(rank, pass, &step, &kernels, &of_step, &exposed_in);
    let (forward, backward_layers) =
        layers::find(rank, pass, &step, &kernels, &of_step, exposed_in);
    let time = |time: DurNs, what: &str, why: &str| match time {
        DurNs::ZERO => Err(format!("the window has no {what}")),
        value => Ok(Found {
            value,
            how: why.to_owned(),
        }),
    };
    Some(Prefill {
        rank: rank.id,
        device: device.id,
        window,
        computation: time(
            figures.comp,
            "computation",
            "time of the window in which computation ran, with what overlap already cost it",
        ),
        communication: time(
            figures.comm,
            "communication",
            "time of the window in which communication ran, waiting for other ranks and what overlap already cost included",
        ),
        exposed: figures.exposed_comm,
        step,
        backward,
        buckets,
        forward,
        backward_layers,
        transfers: transfers::find(trace, rank, device, clip),
    })
}
