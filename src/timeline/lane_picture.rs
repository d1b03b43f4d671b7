//! What one lane shows in one view: a draw list of what is wide, and strips of pixel columns.

use super::columns::WALKED;
use super::device::DeviceDraw;
use super::draw::{LaneDraw, Quad, What};
use super::lanes::{Derived, LaneKey, LaneRow};
use super::lod::{Line, own_quad};
use super::memory::{MemoryDraw, MemoryLevels};
use super::picture::{LINES, Shade, Strip};
use super::rows;
use super::scale::column;
use super::scene::Edges;
use super::spans;
use super::view::View;
use crate::trace::{DeviceId, Rank};

/// Narrower stretches of exposed communication have no room for a hatch.
const HATCH_FROM_PX: f32 = 3.0;
/// A device as a whole has at most so many rows of texels.
const MOST_LINES: usize = 32;

/// A lane as it was drawn last.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// The view that it was drawn for.
    pub(super) stamp: u64,
    /// Sub-rows that were drawn.
    pub(super) rows: u16,
    pub(super) quads: LaneDraw,
    pub(super) strips: Vec<Strip>,
    /// What an allocator held.
    pub(super) memory: MemoryDraw,
    /// The grid that the strips belong to, the lane that they show, and rows of texels.
    of: Option<(u64, LaneKey, usize)>,
}

/// All that a lane needs to be drawn; `device` tells what is derived of a device.
pub(super) struct LaneJob<'a, F> {
    pub(super) rank: &'a Rank,
    pub(super) row: &'a LaneRow,
    pub(super) view: &'a View,
    pub(super) width_px: f64,
    pub(super) edges: Edges<'a>,
    pub(super) shade: &'a dyn Shade,
    pub(super) device: F,
}

impl<'a, F: Fn(DeviceId) -> Option<&'a DeviceDraw>> LaneJob<'a, F> {
    pub(super) fn draw(&self, out: &mut Lane) {
        out.quads.quads.clear();
        out.memory.columns.clear();
        match self.row.key {
            LaneKey::Derived(_, device, kind) => {
                if let Some(device) = (self.device)(device) {
                    self.derived(device, kind, out);
                }
            }
            LaneKey::Device(_, device) if self.row.sub_rows > 0 => {
                self.summaries((self.device)(device).into_iter(), out);
            }
            LaneKey::Rank(_) if self.row.sub_rows > 0 => {
                let devices = self.rank.devices.iter();
                self.summaries(devices.filter_map(|d| (self.device)(d.id)), out);
            }
            LaneKey::Memory(_, lane) => {
                self.resize(out, 0, 0);
                let track = self.rank.memory_of(lane.place());
                if let Some(levels) = track.and_then(|t| MemoryLevels::of_track(self.rank, t)) {
                    out.memory.measure(&levels, self.edges.all);
                }
            }
            // The scene has the curves of a snapshot apart, since they are no part of the trace.
            LaneKey::Snapshot(..)
            | LaneKey::Rank(_)
            | LaneKey::Device(..)
            | LaneKey::Threads(_) => {
                self.resize(out, 0, 0);
            }
            LaneKey::Stream(..) | LaneKey::Extra(..) | LaneKey::Thread(..) => self.slices(out),
        }
    }

    /// Gives the lane so many strips, empty ones where the old ones are of no use.
    fn resize(&self, out: &mut Lane, strips: usize, lines: usize) {
        let of = Some((self.edges.grid.number, self.row.key, lines));
        let columns = &self.edges.grid.columns;
        let width = usize::try_from(columns.end - columns.start).unwrap_or(0);
        if out.of != of {
            for strip in &mut out.strips {
                strip.reset(width, lines);
            }
            out.of = of;
        }
        out.strips.truncate(strips);
        while out.strips.len() < strips {
            out.strips.push_mut(Strip::default()).reset(width, lines);
        }
    }

    fn slices(&self, out: &mut Lane) {
        self.resize(out, usize::from(self.row.sub_rows), LINES);
        let Lane { quads, strips, .. } = out;
        let device = self.row.key.device().and_then(&self.device);
        let index = self.rank.rows_of(&self.row.slices);
        let first = self.edges.grid.columns.start;
        for (sub_row, strip) in (0..self.row.sub_rows).zip(strips) {
            let missing = strip.advance(&self.edges.grid.columns);
            let Some(row) = rows::row(self.rank, self.row, index, sub_row) else {
                continue;
            };
            let line = Line {
                row,
                view: self.view,
            };
            for range in missing.iter().filter(|r| !r.is_empty()) {
                let columns = self.edges.columns(range);
                line.folded(&columns, WALKED, |number, shares| {
                    let at = first + number;
                    let exposed = device.map_or(0.0, |d| d.exposed_in(at, number));
                    strip.put(at, &self.shade.slices(shares, exposed));
                });
            }
            line.own(self.view.visible(self.width_px), |slice| {
                let quad = own_quad(self.rank.id, sub_row, self.view, self.width_px, &slice);
                quads.quads.push(beside(quad, strip, first));
            });
        }
    }

    fn derived(&self, device: &DeviceDraw, kind: Derived, out: &mut Lane) {
        if let Some(pieces) = &device.pieces {
            self.resize(out, 0, 0);
            pieces.fill(kind, &mut out.quads);
            return;
        }
        self.resize(out, 1, LINES);
        let of_exposed = kind == Derived::Communication;
        for strip in &mut out.strips {
            for at in strip
                .advance(&self.edges.grid.columns)
                .into_iter()
                .flatten()
            {
                let column = device.column(at);
                let exposed = if of_exposed { column.exposed } else { 0.0 };
                let share = column.of(kind);
                if share > 0.0 || exposed > 0.0 {
                    strip.put(at, &self.shade.derived(kind, share, exposed));
                }
            }
        }
        if of_exposed {
            let wide = device
                .exposed
                .iter()
                .filter(|s| s.x1 - s.x0 >= HATCH_FROM_PX);
            out.quads.quads.extend(wide.map(|span| Quad {
                x0: span.x0,
                x1: span.x1,
                row: 0,
                what: What::Exposed(span.share),
            }));
        }
    }

    /// Devices as wholes, one below the other.
    fn summaries(&self, devices: impl Iterator<Item = &'a DeviceDraw>, out: &mut Lane) {
        let lines = lines_of(self.row.row_height());
        let is_measured = self.view.ns_per_px >= spans::MEASURED_NS_PER_PX;
        let strips = if is_measured { self.row.sub_rows } else { 0 };
        self.resize(out, usize::from(strips), lines);
        let mut colors = [[0; 4]; MOST_LINES];
        let Some(colors) = colors.get_mut(..lines) else {
            return;
        };
        let Lane { quads, strips, .. } = out;
        let mut strips = strips.iter_mut();
        for (row, device) in (0_u16..).zip(devices) {
            if let Some(pieces) = &device.pieces {
                quads.quads.extend(pieces.summary(row));
            }
            let Some(strip) = strips.next() else {
                continue;
            };
            for at in strip
                .advance(&self.edges.grid.columns)
                .into_iter()
                .flatten()
            {
                let split = device.column(at).split;
                if split.total() > 0.0 {
                    self.shade.split(&split, colors);
                    strip.put(at, colors);
                }
            }
        }
    }
}

/// A slice without the pixels on its edges that it shares with narrow ones: those are painted, so
/// that a narrow slice stays visible beside a wide one.
fn beside(mut quad: Quad, strip: &Strip, first: i64) -> Quad {
    let is_shared = |x: f32| strip.is_full(first + column(f64::from(x)));
    if quad.x0 > quad.x0.floor() && is_shared(quad.x0) {
        quad.x0 = quad.x0.ceil();
    }
    if quad.x1 > quad.x1.floor() && is_shared(quad.x1) {
        quad.x1 = quad.x1.floor();
    }
    quad
}

/// Rows of texels for a height: one a pixel.
fn lines_of(height: f32) -> usize {
    let mut enough = (1_u16..)
        .zip(1..MOST_LINES)
        .filter(|(px, _)| f32::from(*px) >= height);
    enough.next().map_or(MOST_LINES, |(_, lines)| lines)
}
