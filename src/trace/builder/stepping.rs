//! The steps of a finished rank: those of the host from its annotations, then those of each device.

use super::super::rank::Rank;
use super::super::slices::{Category, SliceId};
use super::super::steps::{self, LaunchIndex};
use super::super::{HostStep, Names};
use super::{report, to_usize};
use std::collections::HashSet;

pub(super) fn host_steps(rank: &Rank, names: &Names, unclosed: &HashSet<u32>) -> Vec<HostStep> {
    // Names first: a few strings are looked at instead of millions.
    let is_step: Vec<bool> = names
        .iter()
        .map(|(_, text)| text.starts_with("ProfilerStep#"))
        .collect();
    if !is_step.contains(&true) {
        return Vec::new();
    }
    let on_host = rank
        .threads
        .iter()
        .flat_map(|t| rank.slices.range(t.slices.clone()))
        .filter(|s| is_step.get(to_usize(s.name().0)).is_some_and(|i| *i));
    steps::host_steps(
        on_host
            .filter(|s| matches!(s.category(), Category::Annotation | Category::CpuOp))
            .map(|s| {
                let closed = !unclosed.contains(&s.id().0);
                (s.id(), names.get(s.name()), s.window(), closed)
            }),
    )
}

pub(super) fn device_steps(rank: &mut Rank, names: &Names) {
    let index = LaunchIndex::new(&rank.host_steps, &rank.slices, &rank.links);
    let is_launch = |id: SliceId| {
        rank.slices
            .get(id)
            .is_some_and(|s| report::is_launch_call(names.get(s.name())))
    };
    let cut = index.cut_by_capture(is_launch);
    if let Some(step) = cut.and_then(|i| rank.host_steps.get_mut(i)) {
        step.partial = true;
    }
    let index = LaunchIndex::new(&rank.host_steps, &rank.slices, &rank.links);
    let all: Vec<_> = rank.devices.iter().map(|d| index.device_steps(d)).collect();
    for (device, steps) in rank.devices.iter_mut().zip(all) {
        device.steps = steps;
    }
}
