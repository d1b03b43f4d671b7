//! What only the finished rank can tell of its oddities.

use super::super::rank::Rank;
use super::super::steps::Basis;
use super::super::{Health, IssueKind, Names, Position, SliceId};
use super::to_usize;
use crate::time::Ns;

/// Notes what only the finished rank can tell.
pub(super) fn note_oddities(rank: &Rank, names: &Names, health: &mut Health) {
    let at = |id: SliceId| {
        let slice = rank.slices.get(id);
        Position {
            byte: slice.map(|s| s.source().offset),
            what: slice.map_or_else(String::new, |s| names.get(s.name()).to_owned()),
        }
    };
    for s in &rank.suspicious {
        health.note(IssueKind::SuspiciousDuration, rank.file, || at(s.slice));
        health.add_time_at_stake(IssueKind::SuspiciousDuration, rank.file, s.at_stake);
    }
    for stream in rank.devices.iter().flat_map(|d| &d.streams) {
        let mut last_end = Ns::MIN;
        for kernel in rank.slices.range(stream.slices.clone()) {
            if kernel.start() < last_end {
                health.note(IssueKind::StreamOverlap, rank.file, || at(kernel.id()));
            }
            last_end = last_end.max(kernel.end());
            if rank.links.launch_of(kernel.id()).is_none() {
                health.note(IssueKind::NoLaunch, rank.file, || at(kernel.id()));
            }
        }
    }
    // A few names are looked at instead of many calls.
    let launches: Vec<bool> = names.iter().map(|(_, name)| is_launch_call(name)).collect();
    for &id in rank.links.unmatched() {
        let name = rank.slices.get(id).map(|s| to_usize(s.name().0));
        if name.and_then(|n| launches.get(n)).is_some_and(|l| *l) {
            health.note(IssueKind::NoKernel, rank.file, || at(id));
        }
    }
    for step in rank.devices.iter().flat_map(|d| &d.steps) {
        if step.basis == Basis::Host {
            health.note(IssueKind::StepsFromHost, rank.file, || Position {
                byte: None,
                what: format!("step {}", step.label),
            });
        }
    }
    let nowhere = Position::default;
    // Of a range nobody can tell what the file has.
    if rank.capture != rank.recorded {
        return;
    }
    if rank.devices.is_empty() {
        health.note(IssueKind::NoGpuWork, rank.file, nowhere);
    } else if rank.host_steps.is_empty() {
        health.note(IssueKind::NoSteps, rank.file, nowhere);
    }
}

/// Whether a runtime call starts work on a GPU, so that a record of that work is to be expected.
pub(super) fn is_launch_call(name: &str) -> bool {
    [
        "LaunchKernel",
        "LaunchCooperativeKernel",
        "GraphLaunch",
        "ModuleLaunch",
    ]
    .iter()
    .any(|part| name.contains(part))
}
