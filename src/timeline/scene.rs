//! [`Scene`]: what is on screen for one view, kept until the view changes.
//!
//! Everything here is keyed by values (the load's number, the view, the width, whether suspicious
//! kernels are clipped), so a stale picture cannot stay. Only lanes that are visible are laid out,
//! in parallel; scrolling adds the ones that come in.

use super::columns::Columns;
use super::draw::LaneDraw;
use super::lanes::{LaneKey, LaneRow};
use super::lod::Screen;
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
    /// Draw lists of the view before, whose memory is used again.
    spare: Vec<LaneDraw>,
    /// Measured columns of the view before, by sub-row.
    columns: HashMap<LaneKey, Vec<Columns>>,
    devices: HashMap<(RankId, DeviceId), DeviceSpans>,
}

impl Scene {
    /// Lays out what of these lanes is not laid out yet.
    pub fn prepare(&mut self, trace: &Trace, key: SceneKey, visible: &[LaneRow]) {
        if self.key != Some(key) {
            if self.key.is_none_or(|k| k.generation != key.generation) {
                self.indexes.clear();
                self.columns.clear();
            }
            self.spare.clear();
            self.spare.extend(self.lanes.drain().map(|(_, draw)| draw));
            self.devices.clear();
            self.key = Some(key);
        }
        self.index(trace, visible);
        self.derive(trace, key, visible);
        let edges = key.view.edges(key.width_px);
        let screen = Screen {
            view: &key.view,
            width_px: key.width_px,
            edges: &edges,
            walked: lod::WALKED,
        };
        let missing = visible
            .iter()
            .filter(|l| !self.lanes.contains_key(&l.key))
            .map(|lane| {
                let columns = self.columns.remove(&lane.key).unwrap_or_default();
                (lane, columns, self.spare.pop().unwrap_or_default())
            })
            .collect::<Vec<_>>();
        let drawn: Vec<(LaneKey, Vec<Columns>, LaneDraw)> = missing
            .into_par_iter()
            .filter_map(|(lane, mut columns, mut draw)| {
                let rank = trace.rank(lane.key.rank())?;
                self.draw(rank, &screen, lane, &mut columns, &mut draw);
                Some((lane.key, columns, draw))
            })
            .collect();
        for (lane, columns, draw) in drawn {
            if !columns.is_empty() {
                self.columns.insert(lane, columns);
            }
            self.lanes.insert(lane, draw);
        }
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

    fn draw(
        &self,
        rank: &Rank,
        screen: &Screen<'_>,
        lane: &LaneRow,
        columns: &mut Vec<Columns>,
        out: &mut LaneDraw,
    ) {
        out.quads.clear();
        let spans = |device| self.devices.get(&(rank.id, device));
        match lane.key {
            LaneKey::Derived(_, device, kind) => {
                if let Some(spans) = spans(device) {
                    spans.fill(kind, out);
                }
            }
            LaneKey::Device(_, device) if lane.sub_rows > 0 => {
                let summary = spans(device).map(|s| s.summary(0));
                out.quads.extend(summary.into_iter().flatten());
            }
            LaneKey::Rank(_) if lane.sub_rows > 0 => {
                let devices = (0_u16..).zip(&rank.devices);
                let summaries = devices.filter_map(|(row, d)| Some(spans(d.id)?.summary(row)));
                out.quads.extend(summaries.flatten());
            }
            LaneKey::Rank(_) | LaneKey::Device(..) | LaneKey::Threads(_) => {}
            LaneKey::Stream(..) | LaneKey::Extra(..) | LaneKey::Thread(..) => {
                let index = self.indexes.get(&lane.key);
                lod::refill(rank, lane, index, screen, columns, out);
            }
        }
    }

    /// What it was last prepared for.
    #[must_use]
    pub fn key(&self) -> Option<SceneKey> {
        self.key
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
