//! Rows per (rank, device, step), on the device's own step windows or on the host's.

use super::rows::{Query, Row, StepColumns};
use super::{Selection, window};
use crate::time::Window;
use crate::trace::{Basis, Device, DeviceStep, Rank, StepLabel, Trace};
use std::borrow::Cow;
use std::collections::HashMap;

/// The steps of one device in time order.
///
/// On [`Basis::Device`] they tile the device's extent. On [`Basis::Host`] they are the annotations
/// of the rank, led by `before` (from the first kernel to the first annotation) where the device
/// was busy earlier; the count of launched kernels is the same on both.
pub(super) fn of_device<'t>(
    rank: &Rank,
    device: &'t Device,
    basis: Basis,
) -> Cow<'t, [DeviceStep]> {
    match basis {
        Basis::Device => Cow::Borrowed(&device.steps),
        Basis::Host => Cow::Owned(on_host(rank, device)),
    }
}

fn on_host(rank: &Rank, device: &Device) -> Vec<DeviceStep> {
    let counts: HashMap<StepLabel, u64> = device
        .steps
        .iter()
        .filter_map(|s| Some((s.label, s.kernels_launched?)))
        .collect();
    let mut steps = rank.steps_on_host(device);
    if !counts.is_empty() {
        for step in &mut steps {
            // A linked device without a row for a step launched nothing in it.
            step.kernels_launched = Some(counts.get(&step.label).copied().unwrap_or(0));
        }
    }
    steps
}

/// The window of the step of a device with this label.
pub(super) fn find(rank: &Rank, device: &Device, label: StepLabel, basis: Basis) -> Option<Window> {
    let of = |steps: &[DeviceStep]| steps.iter().find(|s| s.label == label).map(|s| s.window);
    match basis {
        Basis::Device => of(&device.steps),
        Basis::Host => of(&rank.steps_on_host(device)),
    }
}

/// One row per (rank, device, step) in that order.
///
/// A window in the query picks the steps that share time with it, each with the figures of its
/// whole own window; a step in the query picks that step.
#[must_use]
pub fn step_rows(trace: &Trace, query: &Query, basis: Basis) -> Vec<Row> {
    let picked = |step: &DeviceStep| match query.selection {
        Selection::None => true,
        Selection::Window(asked) => step.window.clip(asked).is_some_and(|w| !w.is_empty()),
        Selection::Step { label, .. } => step.label == label,
    };
    let mut rows = Vec::new();
    for (rank, device) in query.devices(trace) {
        for step in of_device(rank, device, basis).iter().filter(|s| picked(s)) {
            let scope = window::clip(rank, step.window);
            let mut row = Row::of_device(rank, device, scope, query.clip_suspicious);
            row.step = Some(step.label.to_string());
            row.columns = Some(StepColumns {
                basis: step.basis,
                partial: step.partial,
                kernels_launched: step.kernels_launched,
            });
            rows.push(row);
        }
    }
    rows
}

/// Every step label of the queried ranks and devices once, in order.
#[must_use]
pub fn step_labels(trace: &Trace, query: &Query, basis: Basis) -> Vec<StepLabel> {
    let mut labels: Vec<StepLabel> = query
        .devices(trace)
        .flat_map(|(rank, device)| of_device(rank, device, basis).into_owned())
        .map(|step| step.label)
        .collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}
