//! Moving a finished rank in time.
//!
//! How far the ends of collectives are apart is only known once ranks were built and matched, so a
//! rank that is moved by them is moved as it stands: nothing in it depends on where zero is. Every
//! field is named below, so that a new one does not compile before somebody decided whether it moves;
//! `tests/align.rs` compares the result, field by field, with a rank that was built at its place.

use super::clocks::Compared;
use super::rank::{Alignment, CounterSample, Device, Flow, Instant, Rank, Stream};
use super::{DeviceStep, HostStep, LaneRows, RankBuilder};
use crate::time::{DurNs, Ns, Window};
use rayon::prelude::*;

impl Alignment {
    /// How the rank of a builder is placed.
    pub(super) fn of(builder: &RankBuilder, shift: DurNs, epoch: bool) -> Self {
        Self {
            base: builder.base,
            shift,
            epoch,
            moved: builder.moved,
        }
    }

    /// What was added to every time of the file.
    #[must_use]
    pub fn offset(self) -> DurNs {
        let moved = self.moved.map_or(DurNs::ZERO, |m| m.by);
        self.base.unwrap_or_default() + self.shift + moved
    }
}

/// How far a rank was moved against what its file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// How much later everything happens.
    pub by: DurNs,
    /// Who told.
    pub why: MovedBy,
}

/// What told how far a rank is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovedBy {
    /// The user, for this rank.
    Hand,
    /// The ends of its collectives.
    Collectives(Compared),
}

impl MovedBy {
    /// The word for it in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Hand => "as asked for",
            Self::Collectives(_) => "collectives",
        }
    }
}

impl Rank {
    /// Moves everything that the rank recorded, on top of how it was aligned before.
    pub fn move_by(&mut self, moved: Moved) {
        let by = moved.by;
        let Self {
            id: _,
            file: _,
            claimed: _,
            world_size: _,
            process_groups: _,
            recorded_with: _,
            device_facts: _,
            capture,
            recorded,
            alignment:
                Alignment {
                    base: _,
                    shift: _,
                    epoch: _,
                    moved: told,
                },
            slices,
            astray: _,
            devices,
            threads: _,
            host_steps,
            links: _,
            comms,
            external_ops: _,
            suspicious,
            instants,
            memory,
            memory_extent,
            counters,
            flows,
            rows,
        } = self;
        *told = Some(moved);
        for window in [capture, recorded, memory_extent].into_iter().flatten() {
            *window = later(*window, by);
        }
        slices.start.par_iter_mut().for_each(|at| *at = *at + by);
        devices.par_iter_mut().for_each(|d| move_device(d, by));
        for track in memory {
            track.move_by(by);
        }
        for HostStep { window, .. } in host_steps {
            *window = later(*window, by);
        }
        let reaches = comms.iter_mut().map(|c| &mut c.reach);
        let clipped = suspicious.iter_mut().map(|s| &mut s.clipped_end);
        let instants = instants.iter_mut().map(|Instant { at, .. }| at);
        let flows = flows.iter_mut().map(|Flow { at, .. }| at);
        let samples = counters.iter_mut().flat_map(|c| &mut c.samples);
        let samples = samples.map(|CounterSample { at, .. }| at);
        let all = reaches.chain(clipped).chain(instants);
        all.chain(flows)
            .chain(samples)
            .for_each(|at| *at = *at + by);
        // They are listed anew when somebody asks.
        *rows = LaneRows::default();
    }
}

fn move_device(device: &mut Device, by: DurNs) {
    let Device {
        id: _,
        name: _,
        sms: _,
        extent,
        clipped_extent,
        streams,
        extras: _,
        activity,
        clipped,
        steps,
    } = device;
    // Without any kernel there is no extent, and that is nowhere.
    if streams.iter().any(|s| !s.slices.is_empty()) {
        *extent = later(*extent, by);
    }
    if let Some(extent) = clipped_extent {
        *extent = later(*extent, by);
    }
    activity.move_by(by);
    if let Some(clipped) = clipped {
        clipped.move_by(by);
    }
    for Stream {
        id: _,
        name: _,
        slices: _,
        rows: _,
        activity,
        clipped,
    } in streams
    {
        activity.move_by(by);
        if let Some(clipped) = clipped {
            clipped.move_by(by);
        }
    }
    for DeviceStep { window, .. } in steps {
        *window = later(*window, by);
    }
}

fn later(window: Window, by: DurNs) -> Window {
    let at = |edge: Ns| edge + by;
    Window::new(at(window.start()), at(window.end()))
}
