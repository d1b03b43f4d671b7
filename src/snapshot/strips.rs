//! Segments as strips of blocks: which strips share a row, what of a row is a piece on the screen, and
//! what is under a point. Geometry only.
//!
//! A row is as wide as the largest segment of the device, so that all rows have one scale. Segments of
//! a pool stand by size, and short ones share a row.

mod pieces;
mod shares;

pub use pieces::{Piece, Shown};

use super::{Layout, Pool};
use shares::Shares;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Air between two segments of a row: the width of a row in so many parts.
const AIR_PARTS: u64 = 256;

/// All segments of a device, in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strips {
    /// One group a pool; the one with the most bytes first.
    pub groups: Vec<Group>,
    /// Bytes that a row is wide.
    pub width: u64,
    /// The streams of the segments, in order.
    pub streams: Vec<i64>,
    /// Bytes by state before every few blocks.
    shares: Shares,
}

/// The segments of one pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The pool.
    pub pool: Pool,
    /// Whether its segments can grow.
    pub is_expandable: bool,
    /// Bytes of its segments.
    pub bytes: u64,
    /// Number of its segments.
    pub segments: usize,
    /// Its rows from top to bottom.
    pub rows: Vec<Row>,
}

/// One row: segments side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// From left to right.
    pub placed: Vec<Placed>,
    /// Bytes to the end of the last one.
    end: u64,
}

/// A segment on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// A place in the layout's segments.
    pub segment: usize,
    /// Bytes from the left end of the row to where it begins.
    pub from: u64,
    /// Its bytes.
    pub size: u64,
}

impl Strips {
    /// Packs the segments of a layout.
    #[must_use]
    pub fn new(layout: Layout<'_>) -> Self {
        let width = layout.segments.iter().map(|s| s.size).max().unwrap_or(0);
        let mut order: Vec<usize> = (0..layout.segments.len()).collect();
        order.sort_by_key(|at| {
            let segment = layout.segments.get(*at);
            segment.map(|s| (s.pool, s.is_expandable, Reverse(s.size), s.address))
        });
        let streams: BTreeSet<i64> = layout.segments.iter().map(|s| s.pool.stream).collect();
        let mut strips = Self {
            groups: Vec::new(),
            width,
            streams: streams.into_iter().collect(),
            shares: Shares::new(layout),
        };
        for at in order {
            if let Some(segment) = layout.segments.get(at) {
                let placed = Placed {
                    segment: at,
                    from: 0,
                    size: segment.size,
                };
                strips.add(segment.pool, segment.is_expandable, placed);
            }
        }
        strips.groups.sort_by_key(|g| Reverse(g.bytes));
        strips
    }

    /// Puts a segment onto the first row of its group that has room; it comes behind larger ones.
    fn add(&mut self, pool: Pool, is_expandable: bool, placed: Placed) {
        let (width, air) = (self.width, (self.width / AIR_PARTS).max(1));
        let last = self.groups.last();
        if last.is_none_or(|g| g.pool != pool || g.is_expandable != is_expandable) {
            self.groups.push(Group {
                pool,
                is_expandable,
                bytes: 0,
                segments: 0,
                rows: Vec::new(),
            });
        }
        let Some(group) = self.groups.last_mut() else {
            return;
        };
        group.bytes = group.bytes.saturating_add(placed.size);
        group.segments += 1;
        let starts = |row: &Row| row.end.saturating_add(air);
        let fits = |row: &Row| starts(row).saturating_add(placed.size) <= width;
        // Sizes fall, so a row before the last few is full for good.
        let first = group.rows.len().saturating_sub(LOOK_BACK);
        let open = group.rows.iter_mut().skip(first);
        if let Some(row) = open.into_iter().find(|row| fits(row)) {
            let from = starts(row);
            row.placed.push(Placed { from, ..placed });
            row.end = from.saturating_add(placed.size);
        } else {
            group.rows.push(Row {
                placed: vec![placed],
                end: placed.size,
            });
        }
    }

    /// The group and the row that hold a segment.
    #[must_use]
    pub fn row_of(&self, segment: usize) -> Option<(usize, usize)> {
        let holds = |row: &Row| row.placed.iter().any(|p| p.segment == segment);
        self.groups
            .iter()
            .enumerate()
            .find_map(|(at, group)| Some((at, group.rows.iter().position(holds)?)))
    }
}

/// How many rows are looked through for room.
const LOOK_BACK: usize = 64;

/// Which bytes of the rows are on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StripView {
    /// Bytes left of the screen.
    pub left: f64,
    /// Scale; positive.
    pub bytes_per_px: f64,
}

#[expect(clippy::cast_precision_loss, reason = "a place on the screen")]
fn real(bytes: u64) -> f64 {
    bytes as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of floats saturates"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

impl StripView {
    /// All bytes of a width, from edge to edge.
    #[must_use]
    pub fn fit(width: u64, px: f64) -> Self {
        Self {
            left: 0.0,
            bytes_per_px: real(width.max(1)) / px.max(1.0),
        }
    }

    /// Zooms so that what is at `at_px` stays there; never wider than everything, and a block of 512
    /// bytes never wider than the screen.
    #[must_use]
    pub fn zoom(self, factor: f64, at_px: f64, width: u64, px: f64) -> Self {
        if !(factor.is_finite() && factor > 0.0) {
            return self;
        }
        let most = Self::fit(width, px).bytes_per_px;
        let least = (512.0 / px.max(1.0)).min(most);
        let bytes_per_px = (self.bytes_per_px / factor).clamp(least, most);
        let left = self.left + at_px * (self.bytes_per_px - bytes_per_px);
        Self { left, bytes_per_px }.within(width, px)
    }

    /// Moves to the right for positive pixels.
    #[must_use]
    pub fn pan(self, by: f64, width: u64, px: f64) -> Self {
        let left = self.left + by * self.bytes_per_px;
        Self { left, ..self }.within(width, px)
    }

    fn within(self, width: u64, px: f64) -> Self {
        let most = (real(width) - px * self.bytes_per_px).max(0.0);
        Self {
            left: self.left.clamp(0.0, most),
            ..self
        }
    }

    /// Where a byte of a row lies, in pixels from the left edge.
    #[must_use]
    pub fn x_of(self, byte: u64) -> f64 {
        (real(byte) - self.left) / self.bytes_per_px
    }

    /// The byte of a row at a pixel.
    #[must_use]
    pub fn byte_at(self, x: f64) -> u64 {
        whole(self.left + x * self.bytes_per_px)
    }
}

#[cfg(test)]
mod tests;
