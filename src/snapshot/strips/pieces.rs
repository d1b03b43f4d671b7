//! What of a row is drawn: wide blocks alone, narrow ones merged to pieces with shares. What it costs
//! depends on the pixels, not on the blocks.

use super::shares::{Drawn, Shares};
use super::{Placed, Row, StripView, Strips, real};
use crate::snapshot::Layout;
use std::ops::Range;

/// A block narrower than this is merged with its neighbours.
const LEAST_PX: f64 = 2.0;

/// What is drawn of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Left edge in pixels from the left of the screen.
    pub from: f64,
    /// Right edge.
    pub to: f64,
    /// What it shows.
    pub what: Shown,
}

/// What a piece shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown {
    /// One block, a place in the layout's blocks.
    Block(usize),
    /// Several that are too narrow to be told apart: shares of the piece. What they leave of 1 is not
    /// mapped.
    Mixed {
        /// In use by the program.
        allocated: f64,
        /// Awaiting free.
        awaiting: f64,
        /// Free.
        free: f64,
        /// How many blocks begin in it.
        blocks: usize,
    },
}

impl Strips {
    /// What of a row is on a screen of `px` pixels, from left to right. Nothing vanishes: blocks
    /// below two pixels are merged with those that begin in the same two pixels to a piece that shows their
    /// shares. These columns lie on a grid of bytes, so that a pan changes no piece.
    #[must_use]
    pub fn pieces(&self, row: &Row, layout: Layout<'_>, view: StripView, px: f64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for placed in &row.placed {
            let edges = (
                view.x_of(placed.from),
                view.x_of(placed.from.saturating_add(placed.size)),
            );
            let segment = layout.segments.get(placed.segment);
            if let Some(segment) = segment.filter(|_| edges.1 >= 0.0 && edges.0 <= px) {
                let of = OnRow {
                    placed: *placed,
                    drawn: Drawn::of(layout, segment),
                    shares: &self.shares,
                    view,
                    first: segment.blocks.start,
                };
                of.pieces(px, &mut pieces);
            }
        }
        pieces
    }
}

/// The blocks of one segment, on a row that is looked at.
struct OnRow<'a> {
    placed: Placed,
    drawn: Drawn<'a>,
    shares: &'a Shares,
    view: StripView,
    /// The first block, a place in the layout's blocks.
    first: usize,
}

impl OnRow<'_> {
    fn pieces(&self, px: f64, out: &mut Vec<Piece>) {
        let count = self.drawn.len();
        let seen = self.drawn.first(0, |at| self.end(at) >= 0.0);
        if seen == count {
            return;
        }
        // A piece on the left edge may begin outside of the screen.
        let column = self.column(seen);
        let mut at = self.drawn.first(0, |at| self.column(at) >= column);
        while at < count && self.start(at) <= px {
            let column = self.column(at);
            let next = self.drawn.first(at + 1, |at| self.column(at) > column);
            // Only the last block that begins in a column can be as wide as one.
            let last = next - 1;
            let is_wide = self.end(last) - self.start(last) >= LEAST_PX;
            self.merged(at..if is_wide { last } else { next }, out);
            if is_wide {
                out.push(self.block(last));
            }
            at = next;
        }
        out.retain(|piece| piece.to >= 0.0);
    }

    fn start(&self, at: usize) -> f64 {
        self.x_of(self.drawn.start(at))
    }

    fn end(&self, at: usize) -> f64 {
        self.x_of(self.drawn.end(at))
    }

    fn x_of(&self, byte: u64) -> f64 {
        self.view.x_of(self.placed.from.saturating_add(byte))
    }

    /// The column in which a block begins.
    fn column(&self, at: usize) -> f64 {
        let byte = self.placed.from.saturating_add(self.drawn.start(at));
        (real(byte) / (self.view.bytes_per_px * LEAST_PX)).floor()
    }

    fn block(&self, at: usize) -> Piece {
        let (from, to) = (self.start(at), self.end(at));
        Piece {
            from,
            to: to.max(from + 1.0),
            what: Shown::Block(self.first + at),
        }
    }

    fn merged(&self, run: Range<usize>, out: &mut Vec<Piece>) {
        let Some(last) = run.end.checked_sub(1).filter(|last| *last >= run.start) else {
            return;
        };
        if last == run.start {
            out.push(self.block(last));
            return;
        }
        let all = self
            .drawn
            .end(last)
            .saturating_sub(self.drawn.start(run.start));
        let blocks = run.len();
        let (from, to) = (self.start(run.start), self.end(last));
        let bytes = self.shares.of(self.drawn, self.placed.segment, run);
        // Without any byte there is no share, and nothing that would be one state.
        let [allocated, awaiting, free] = bytes.map(|bytes| real(bytes) / real(all.max(1)));
        out.push(Piece {
            from,
            to: to.max(from + 1.0),
            what: Shown::Mixed {
                allocated,
                awaiting,
                free,
                blocks,
            },
        });
    }
}

impl Row {
    /// The block at a pixel of the row, a place in the layout's blocks.
    #[must_use]
    pub fn block_at(&self, layout: Layout<'_>, view: StripView, x: f64) -> Option<usize> {
        let byte = view.byte_at(x);
        let placed = self
            .placed
            .iter()
            .find(|p| p.from <= byte && byte - p.from < p.size)?;
        let segment = layout.segments.get(placed.segment)?;
        let address = segment.address.checked_add(byte - placed.from)?;
        layout.block_in(segment, address)
    }
}

#[cfg(test)]
mod tests;
