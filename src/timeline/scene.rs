//! [`Scene`]: what is on screen for one view, kept until the view changes.
//!
//! Everything here is keyed by values (the load's number, the view, the width, whether suspicious
//! kernels are clipped), so a stale picture cannot stay. Only lanes that are visible are laid out,
//! in parallel; scrolling adds the ones that come in.

use super::draw::LaneDraw;
use super::lanes::{LaneKey, LaneRow};
use super::rows::{self, RowIndex};
use super::spans::{self, DeviceSpans};
use super::view::View;
use super::{hit, lod};
use crate::trace::{DeviceId, Rank, RankId, SliceRef, Trace};
use rayon::prelude::*;
use std::collections::HashMap;

/// What a scene was made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneKey {
    /// Number of the load.
    pub generation: u64,
    /// Whether suspicious kernels are clipped.
    pub clip: bool,
    /// What part of time is shown.
    pub view: View,
    /// On how many pixels.
    pub width_px: f64,
}

/// The draw lists of the visible lanes and what was derived of their devices.
#[derive(Debug, Default)]
pub struct Scene {
    key: Option<SceneKey>,
    indexes: HashMap<LaneKey, RowIndex>,
    lanes: HashMap<LaneKey, LaneDraw>,
    devices: HashMap<(RankId, DeviceId), DeviceSpans>,
}

impl Scene {
    /// Lays out what of these lanes is not laid out yet.
    pub fn prepare(&mut self, trace: &Trace, key: SceneKey, visible: &[LaneRow]) {
        if self.key != Some(key) {
            if self.key.is_none_or(|k| k.generation != key.generation) {
                self.indexes.clear();
            }
            self.lanes.clear();
            self.devices.clear();
            self.key = Some(key);
        }
        self.index(trace, visible);
        self.derive(trace, key, visible);
        let missing: Vec<&LaneRow> = visible
            .iter()
            .filter(|l| !self.lanes.contains_key(&l.key))
            .collect();
        let drawn: Vec<(LaneKey, LaneDraw)> = missing
            .into_par_iter()
            .filter_map(|lane| Some((lane.key, self.draw(trace.rank(lane.key.rank())?, key, lane))))
            .collect();
        self.lanes.extend(drawn);
    }

    /// Makes sure that lanes with sub-rows can be asked for slices, whether they are drawn or not.
    pub fn index(&mut self, trace: &Trace, lanes: &[LaneRow]) {
        let missing: Vec<&LaneRow> = lanes
            .iter()
            .filter(|l| rows::needs_index(l) && !self.indexes.contains_key(&l.key))
            .collect();
        let found: Vec<(LaneKey, RowIndex)> = missing
            .into_par_iter()
            .filter_map(|lane| {
                let rank = trace.rank(lane.key.rank())?;
                let index = RowIndex::new(&rank.slices, lane.slices.clone(), lane.all_rows);
                Some((lane.key, index))
            })
            .collect();
        self.indexes.extend(found);
    }

    fn derive(&mut self, trace: &Trace, key: SceneKey, visible: &[LaneRow]) {
        let mut missing: Vec<(RankId, DeviceId)> = Vec::new();
        for lane in visible {
            let rank = lane.key.rank();
            match lane.key {
                // A closed rank shows all of its devices.
                LaneKey::Rank(_) if lane.sub_rows > 0 => {
                    let devices = trace
                        .rank(rank)
                        .map(|r| r.devices.iter())
                        .unwrap_or_default();
                    missing.extend(devices.map(|d| (rank, d.id)));
                }
                other => missing.extend(other.device().map(|d| (rank, d))),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        missing.retain(|device| !self.devices.contains_key(device));
        let found: Vec<((RankId, DeviceId), DeviceSpans)> = missing
            .into_par_iter()
            .filter_map(|(rank, device)| {
                let found = trace.rank(rank)?.device(device)?;
                let activity = found.activity(key.clip);
                let spans =
                    spans::device(activity, found.extent(key.clip), &key.view, key.width_px);
                Some(((rank, device), spans))
            })
            .collect();
        self.devices.extend(found);
    }

    fn draw(&self, rank: &Rank, key: SceneKey, lane: &LaneRow) -> LaneDraw {
        let spans = |device| self.devices.get(&(rank.id, device));
        match lane.key {
            LaneKey::Derived(_, device, kind) => {
                spans(device).map(|s| s.lane(kind)).unwrap_or_default()
            }
            LaneKey::Device(_, device) if lane.sub_rows > 0 => LaneDraw {
                quads: spans(device)
                    .map(|s| s.summary(0).collect())
                    .unwrap_or_default(),
            },
            LaneKey::Rank(_) if lane.sub_rows > 0 => {
                let devices = (0_u16..).zip(&rank.devices);
                let quads = devices.filter_map(|(row, d)| Some(spans(d.id)?.summary(row)));
                LaneDraw {
                    quads: quads.flatten().collect(),
                }
            }
            LaneKey::Rank(_) | LaneKey::Device(..) | LaneKey::Threads(_) => LaneDraw::default(),
            LaneKey::Stream(..) | LaneKey::Extra(..) | LaneKey::Thread(..) => lod::slices(
                rank,
                lane,
                self.indexes.get(&lane.key),
                &key.view,
                key.width_px,
            ),
        }
    }

    /// The draw list of a visible lane.
    #[must_use]
    pub fn lane(&self, lane: LaneKey) -> Option<&LaneDraw> {
        self.lanes.get(&lane)
    }

    /// What is derived of a device of a visible lane.
    #[must_use]
    pub fn device(&self, rank: RankId, device: DeviceId) -> Option<&DeviceSpans> {
        self.devices.get(&(rank, device))
    }

    /// The sub-rows of a lane that has several.
    #[must_use]
    pub fn index_of(&self, lane: LaneKey) -> Option<&RowIndex> {
        self.indexes.get(&lane)
    }

    /// The slice under a point of a lane; `y` from the lane's top.
    #[must_use]
    pub fn slice_at(&self, trace: &Trace, lane: &LaneRow, x: f64, y: f32) -> Option<SliceRef> {
        let rank = trace.rank(lane.key.rank())?;
        hit::slice_at(rank, lane, self.index_of(lane.key), &self.key?.view, x, y)
    }

    /// Number of quads of all lanes, for measurements.
    #[must_use]
    pub fn quads(&self) -> usize {
        self.lanes.values().map(|l| l.quads.len()).sum()
    }
}
