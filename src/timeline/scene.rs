//! [`Scene`]: what is on screen for one view, kept until the view changes.
//!
//! Everything here is keyed by values (the load's number, the view, the width, whether suspicious
//! kernels are clipped, the colours), so a stale picture cannot stay. Only lanes that are visible
//! are laid out, in parallel; scrolling adds the ones that come in. Pixel columns are numbered on a
//! grid that holds as long as the scale does, so a view that moves by whole pixels measures and
//! paints only the columns that come in.

use super::device::DeviceDraw;
use super::draw::LaneDraw;
use super::lane_picture::{Lane, LaneJob};
use super::lanes::{LaneKey, LaneRow};
use super::lod::Columns;
use super::memory::{MemoryDraw, MemoryLevels};
use super::picture::{Colourless, Shade, Strip};
use super::spans;
use super::view::View;
use super::{hit, rows::RowIndex};
use crate::time::Ns;
use crate::trace::{DeviceId, RankId, SliceRef, Trace};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// More lanes than this are not kept for their memory.
const MOST_SPARE: usize = 64;

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

/// Where a view lies on the grid of pixel columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Changes with the scale and with everything else that makes columns useless.
    pub number: u64,
    /// The columns that the view shows.
    pub columns: Range<i64>,
}

/// The draw lists of the visible lanes and what was derived of their devices.
#[derive(Debug, Default)]
pub struct Scene {
    key: Option<SceneKey>,
    shade: u64,
    grid: Grid,
    /// Counts the views, so that what was not on screen in the one before is told.
    stamp: u64,
    lanes: HashMap<LaneKey, Lane>,
    /// Lanes that went out, whose memory is used again.
    spare: Vec<Lane>,
    devices: HashMap<(RankId, DeviceId), (u64, DeviceDraw)>,
    /// What a snapshot's lane shows, for one view of one device of one snapshot.
    snapshot: Option<(SceneKey, (u64, usize), MemoryDraw)>,
}

impl Scene {
    /// Lays out what of these lanes is not laid out yet, without colours.
    pub fn prepare(&mut self, trace: &Trace, key: SceneKey, visible: &[LaneRow]) {
        self.paint(trace, key, visible, &Colourless);
    }

    /// Lays out what of these lanes is not laid out yet, and gives the columns their colours.
    pub fn paint(&mut self, trace: &Trace, key: SceneKey, visible: &[LaneRow], shade: &dyn Shade) {
        self.turn_to(key, shade.id());
        let all = key.view.edges(key.width_px);
        let grid = self.grid.clone();
        let edges = Edges {
            grid: &grid,
            all: &all,
        };
        self.derive(trace, key, visible, (edges, shade));
        let mut missing: Vec<(&LaneRow, Lane)> = Vec::with_capacity(visible.len());
        for row in visible {
            let known = self.lanes.get(&row.key);
            // A lane that was opened or closed has other rows than before.
            if known.is_none_or(|lane| lane.stamp != self.stamp || lane.rows != row.sub_rows) {
                let known = self.lanes.remove(&row.key);
                let lane = known.or_else(|| self.spare.pop()).unwrap_or_default();
                missing.push((row, lane));
            }
        }
        let drawn: Vec<(LaneKey, Lane)> = missing
            .into_par_iter()
            .filter_map(|(row, mut lane)| {
                let rank = trace.rank(row.key.rank())?;
                let job = LaneJob {
                    rank,
                    row,
                    view: &key.view,
                    width_px: key.width_px,
                    edges,
                    shade,
                    device: |device| self.device(rank.id, device),
                };
                job.draw(&mut lane);
                (lane.stamp, lane.rows) = (self.stamp, row.sub_rows);
                Some((row.key, lane))
            })
            .collect();
        self.lanes.extend(drawn);
    }

    /// Measures the lane of an allocator snapshot in the view that was painted last, where it is on
    /// screen. `of` names the load and the device, so that those of another one do not stay.
    pub fn paint_snapshot(
        &mut self,
        visible: &[LaneRow],
        of: (u64, usize),
        levels: &MemoryLevels<'_>,
    ) {
        let is_shown = |row: &LaneRow| matches!(row.key, LaneKey::Snapshot(..));
        let Some(key) = self.key.filter(|_| visible.iter().any(is_shown)) else {
            return;
        };
        if matches!(&self.snapshot, Some((at, what, _)) if (*at, *what) == (key, of)) {
            return;
        }
        let mut draw = self.snapshot.take().map(|s| s.2).unwrap_or_default();
        draw.measure(levels, &key.view.edges(key.width_px));
        self.snapshot = Some((key, of, draw));
    }

    /// Takes up another view, and lets go of what the one before did not show.
    fn turn_to(&mut self, key: SceneKey, shade: u64) {
        if self.key == Some(key) && self.shade == shade {
            return;
        }
        let stamp = self.stamp;
        let gone = self.lanes.extract_if(|_, lane| lane.stamp != stamp);
        self.spare.extend(gone.map(|(_, lane)| lane));
        self.spare.truncate(MOST_SPARE);
        self.devices.retain(|_, (seen, _)| *seen == stamp);
        self.stamp += 1;
        let moved = self.key.and_then(|old| {
            let same = SceneKey {
                view: key.view,
                ..old
            };
            let is_same = same == key && self.shade == shade;
            old.view.pixels_to(&key.view).filter(|_| is_same)
        });
        let count = View::columns(key.width_px).max(0);
        let first = moved.and_then(|px| self.grid.columns.start.checked_add(px));
        if first.is_none() {
            self.grid.number += 1;
        }
        let first = first.unwrap_or(0);
        self.grid.columns = first..first.saturating_add(count);
        (self.key, self.shade) = (Some(key), shade);
    }

    fn derive(
        &mut self,
        trace: &Trace,
        key: SceneKey,
        visible: &[LaneRow],
        (edges, shade): (Edges<'_>, &dyn Shade),
    ) {
        let mut wanted: Vec<(RankId, DeviceId)> = Vec::new();
        for lane in visible {
            let rank = lane.key.rank();
            match lane.key {
                // A closed rank shows all of its devices.
                LaneKey::Rank(_) if lane.sub_rows > 0 => {
                    let devices = trace
                        .rank(rank)
                        .map(|r| r.devices.iter())
                        .unwrap_or_default();
                    wanted.extend(devices.map(|d| (rank, d.id)));
                }
                other => wanted.extend(other.device().map(|d| (rank, d))),
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut missing: Vec<((RankId, DeviceId), DeviceDraw)> = Vec::new();
        for device in wanted {
            match self.devices.remove(&device) {
                Some(found) if found.0 == self.stamp => {
                    self.devices.insert(device, found);
                }
                known => missing.push((device, known.map(|k| k.1).unwrap_or_default())),
            }
        }
        let stamp = self.stamp;
        missing.par_iter_mut().for_each(|((rank, device), draw)| {
            let found = trace.rank(*rank).and_then(|r| r.device(*device));
            let Some(found) = found else { return };
            let (activity, extent) = (found.activity(key.clip), found.extent(key.clip));
            if key.view.ns_per_px < spans::MEASURED_NS_PER_PX {
                draw.set_pieces(spans::pieces(activity, extent, &key.view, key.width_px));
                return;
            }
            draw.measure(activity, extent, edges, shade);
        });
        let found = missing.into_iter();
        self.devices
            .extend(found.map(|(device, draw)| (device, (stamp, draw))));
    }

    /// What it was last prepared for.
    #[must_use]
    pub fn key(&self) -> Option<SceneKey> {
        self.key
    }

    /// Where the view lies on the grid of the strips.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The draw list of a visible lane: what is not in its strips.
    #[must_use]
    pub fn lane(&self, lane: LaneKey) -> Option<&LaneDraw> {
        self.lanes.get(&lane).map(|l| &l.quads)
    }

    /// What a visible lane of memory shows, of the trace or of a snapshot.
    #[must_use]
    pub fn memory(&self, lane: LaneKey) -> Option<&MemoryDraw> {
        match lane {
            LaneKey::Snapshot(..) => self.snapshot.as_ref().map(|s| &s.2),
            _ => self.lanes.get(&lane).map(|l| &l.memory),
        }
    }

    /// The pixel columns of a visible lane, a strip a sub-row; none below a nanosecond a pixel where
    /// a lane is no lane of slices.
    #[must_use]
    pub fn strips(&self, lane: LaneKey) -> &[Strip] {
        self.lanes.get(&lane).map_or(&[], |l| &l.strips)
    }

    /// What is derived of a device of a visible lane.
    #[must_use]
    pub fn device(&self, rank: RankId, device: DeviceId) -> Option<&DeviceDraw> {
        self.devices.get(&(rank, device)).map(|d| &d.1)
    }

    /// The slice under a point of a lane; `y` from the lane's top.
    #[must_use]
    pub fn slice_at(&self, trace: &Trace, lane: &LaneRow, x: f64, y: f32) -> Option<SliceRef> {
        let rank = trace.rank(lane.key.rank())?;
        let index: Option<&RowIndex> = rank.rows_of(&lane.slices);
        hit::slice_at(rank, lane, index, &self.key?.view, x, y)
    }

    /// Number of quads of all lanes, for measurements.
    #[must_use]
    pub fn quads(&self) -> usize {
        self.lanes.values().map(|l| l.quads.quads.len()).sum()
    }
}

/// The grid with where its columns begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges<'a> {
    pub(super) grid: &'a Grid,
    /// Of all columns of the view.
    pub(super) all: &'a [Ns],
}

impl<'a> Edges<'a> {
    /// Some columns of the grid, as those of the view.
    pub(super) fn columns(&self, range: &Range<i64>) -> Columns<'a> {
        let first = self.grid.columns.start;
        let range = range.start - first..range.end - first;
        let place = |at| usize::try_from(at).unwrap_or(usize::MAX);
        let edges = self.all.get(place(range.start)..=place(range.end));
        Columns {
            edges: edges.unwrap_or_default(),
            range,
        }
    }
}
