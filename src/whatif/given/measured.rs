//! What a trace says of one input, in the terms of the models.

use super::super::table::Source;
use super::super::{Fit, FitInput, Layer, Ready, Sample, fit, recognise_cap};
use super::{Field, Quantity};
use crate::metrics::{FoundOrWhy, PassLayers, Prefill, Transfers};
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;

/// An input as a trace shows it: its value, whether that is measured or modelled, and how it was
/// found.
///
/// # Errors
/// Why it cannot be told, as a part of a sentence.
pub fn measured(
    prefill: &Prefill,
    field: Field,
    backward: bool,
) -> Result<(Quantity, Source, String), String> {
    let told = |value, how: &str| Ok((value, Source::Measured, how.to_owned()));
    match field {
        Field::Computation | Field::Gemm => {
            let found = prefill.computation.as_ref().map_err(Clone::clone)?;
            told(Quantity::Time(found.value), &found.how)
        }
        Field::Communication | Field::Comm => {
            let found = prefill.communication.as_ref().map_err(Clone::clone)?;
            told(Quantity::Time(found.value), &found.how)
        }
        Field::Backward => {
            let found = prefill.backward.as_ref().map_err(Clone::clone)?;
            told(Quantity::Time(found.value.len()), &found.how)
        }
        Field::Rest | Field::Size => {
            let found = prefill.buckets.as_ref().map_err(Clone::clone)?;
            if field == Field::Size {
                return told(Quantity::Size(found.value.bytes()), &found.how);
            }
            let how = format!("{} less the backward pass and what is sent behind it", prefill.step);
            told(Quantity::Time(found.value.rest), &how)
        }
        Field::BucketSize => cap(prefill),
        Field::Alpha | Field::Bus => {
            let (fit, how) = link(prefill)?;
            let value = match field {
                Field::Alpha => Quantity::Time(fit.alpha),
                _ => Quantity::Rate(fit.bus),
            };
            Ok((value, Source::Modelled, how))
        }
        Field::Ranks => ranks(prefill, backward),
        Field::Gather | Field::Compute | Field::Scatter | Field::Layers | Field::LayerSize => {
            of_layers(prefill, field, backward)
        }
        Field::KComp | Field::KComm => Err(
            "it takes kernels alone and beside, which the section \"Does overlap pay?\" or \"overlane report --table overlap\" compares; 1 is no slowing".to_owned(),
        ),
        Field::ChunkAlpha | Field::Launch => Err("no trace tells it; 0 leaves it out".to_owned()),
        Field::Chunks | Field::Depth => Err("it is yours to choose".to_owned()),
    }
}

fn cap(prefill: &Prefill) -> Result<(Quantity, Source, String), String> {
    let found = prefill.buckets.as_ref().map_err(Clone::clone)?;
    let buckets = &found.value.buckets;
    let sizes: Vec<u64> = buckets.iter().map(|bucket| bucket.bytes).collect();
    let cap = recognise_cap(&sizes)
        .ok_or("one bucket tells nothing of the cap, since the last one may be of any size")?;
    let likely = if cap.likely_default {
        "; the default of 25 MiB is likely"
    } else {
        ""
    };
    let how = format!(
        "the cap in use is at most this: the smallest of the {} buckets of {} that were closed by it{likely}",
        sizes.len(),
        prefill.step
    );
    Ok((Quantity::Size(cap.at_most), Source::Measured, how))
}

fn ranks(prefill: &Prefill, backward: bool) -> Result<(Quantity, Source, String), String> {
    let of_buckets = prefill.buckets.as_ref().ok().and_then(|b| b.value.ranks);
    let of_layers = layers(prefill, backward)
        .as_ref()
        .ok()
        .and_then(|l| l.value.ranks);
    let ranks = of_buckets.or(of_layers).ok_or(
        "no collective of the step whose process group is known sends gradients or parameters",
    )?;
    let how = "ranks of the process group".to_owned();
    Ok((Quantity::Count(ranks), Source::Measured, how))
}

pub(super) fn layers(prefill: &Prefill, backward: bool) -> &FoundOrWhy<PassLayers> {
    if backward {
        &prefill.backward_layers
    } else {
        &prefill.forward
    }
}

/// Means of the layers, for who wants equal ones.
fn of_layers(
    prefill: &Prefill,
    field: Field,
    backward: bool,
) -> Result<(Quantity, Source, String), String> {
    let found = layers(prefill, backward).as_ref().map_err(Clone::clone)?;
    let (pass, how) = (&found.value, &found.how);
    let count = u32::try_from(pass.layers.len()).unwrap_or(u32::MAX);
    let sum: DurNs = match field {
        Field::Layers => {
            return Ok((Quantity::Count(count), Source::Measured, how.clone()));
        }
        Field::LayerSize => {
            let bytes = pass
                .bytes
                .ok_or("the gathers do not say how many bytes they bring")?;
            let how = "the largest full buffer that is gathered".to_owned();
            return Ok((Quantity::Size(bytes), Source::Measured, how));
        }
        Field::Gather => pass.layers.iter().map(|layer| layer.gather).sum(),
        Field::Compute => pass.layers.iter().map(|layer| layer.compute).sum(),
        _ => pass.layers.iter().map(|layer| layer.scatter).sum(),
    };
    let mean = DurNs(sum.0 / i64::from(count).max(1));
    Ok((
        Quantity::Time(mean),
        Source::Measured,
        format!(
            "mean of {how}; the model runs the layers as they are until one of their times is typed"
        ),
    ))
}

/// The link that gradients went over, fitted from transfers that nobody waited in.
fn link(prefill: &Prefill) -> Result<(Fit, String), String> {
    let found = prefill.transfers.as_ref().map_err(Clone::clone)?;
    let chosen = chosen(prefill, &found.value)
        .ok_or("no transfer is of the collective that is asked for")?;
    let of = format!(
        "{} {} transfers of process group {}",
        chosen.samples.len(),
        chosen.kind.label(),
        chosen.group.as_deref().unwrap_or("unknown"),
    );
    let got = fit(&fit_input(chosen)).map_err(|error| format!("{of}: {error}"))?;
    let how = format!("fitted from {of} without waiting, of the whole capture");
    Ok((got, how))
}

/// Samples for [`fit()`] and how they were found: of the process group and kind that sends gradients,
/// else of those with most sizes.
///
/// # Errors
/// Why there are none, as a part of a sentence.
pub fn measured_samples(prefill: &Prefill) -> Result<(FitInput, String), String> {
    let found = prefill.transfers.as_ref().map_err(Clone::clone)?;
    let chosen = chosen(prefill, &found.value)
        .ok_or("no transfer is of a collective that moves gradients or parameters")?;
    let how = format!(
        "{} {} of process group {}, of the whole capture, from the last rank's arrival to the common end",
        chosen.samples.len(),
        chosen.kind.label(),
        chosen.group.as_deref().unwrap_or("unknown"),
    );
    Ok((fit_input(chosen), how))
}

/// Samples for [`fit()`].
pub(super) fn fit_input(transfers: &Transfers) -> FitInput {
    let sample = |&(bytes, time): &(u64, DurNs)| Sample { bytes, time };
    FitInput {
        samples: transfers.samples.iter().map(sample).collect(),
        kind: transfers.kind,
        ranks: transfers.ranks,
    }
}

/// The transfers of the process group and kind that sends the gradients, else those of most sizes.
fn chosen<'p>(prefill: &Prefill, all: &'p [Transfers]) -> Option<&'p Transfers> {
    if let Ok(found) = &prefill.buckets {
        let sent = &found.value;
        return all
            .iter()
            .find(|t| t.kind == sent.kind && t.group == sent.group && Some(t.ranks) == sent.ranks);
    }
    let known = |t: &&Transfers| {
        matches!(
            t.kind,
            CollectiveKind::AllReduce | CollectiveKind::ReduceScatter | CollectiveKind::AllGather
        )
    };
    all.iter().filter(known).max_by_key(|t| {
        let mut sizes: Vec<u64> = t.samples.iter().map(|sample| sample.0).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.len()
    })
}

/// Buckets as they were, for [`predict_ready`](super::super::predict_ready).
pub(super) fn ready(prefill: &Prefill) -> Vec<Ready> {
    let buckets = prefill
        .buckets
        .iter()
        .flat_map(|found| &found.value.buckets);
    buckets
        .map(|bucket| Ready {
            at: bucket.ready,
            bytes: bucket.bytes,
        })
        .collect()
}

/// Layers as they ran.
pub(super) fn sequence(pass: &PassLayers) -> Vec<Layer> {
    pass.layers
        .iter()
        .map(|layer| Layer {
            gather: layer.gather,
            compute: layer.compute,
            scatter: layer.scatter,
        })
        .collect()
}
