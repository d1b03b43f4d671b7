//! Bytes by state before every few blocks, so that the shares of any run of blocks follow from its two
//! ends.

use crate::snapshot::{Block, BlockState, Layout, Segment};
use std::ops::Range;

/// Totals are kept before one block of so many.
const EVERY: usize = 16;

/// Bytes that are allocated, awaiting free, and free.
pub(super) type ByState = [u64; 3];

/// Totals of the blocks of all segments, in the order of segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shares {
    /// Of each segment the first of its totals.
    firsts: Vec<usize>,
    /// Bytes before every block that is a multiple of [`EVERY`] from the first of its segment.
    before: Vec<ByState>,
}

/// The blocks of one segment as they are drawn. Blocks of damaged files may reach over the next one, or out
/// of their segment: each ends where the next one begins, and at the segment's end, so that ends are in
/// order like starts, and a place on the strip is that of one block.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    segment: &'a Segment,
    blocks: &'a [Block],
}

impl<'a> Drawn<'a> {
    pub(super) fn of(layout: Layout<'a>, segment: &'a Segment) -> Self {
        let blocks = layout.blocks_of(segment);
        Self { segment, blocks }
    }

    /// How many there are.
    pub(super) fn len(self) -> usize {
        self.blocks.len()
    }

    /// Where a block begins, in bytes from the start of the segment. Behind the last one, the end of the
    /// segment.
    pub(super) fn start(self, at: usize) -> u64 {
        let offset = |block: &Block| block.address.saturating_sub(self.segment.address);
        let size = self.segment.size;
        self.blocks.get(at).map_or(size, |b| offset(b).min(size))
    }

    /// Where it ends.
    pub(super) fn end(self, at: usize) -> u64 {
        let end = |block: &Block| block.address.saturating_add(block.size);
        let offset = self.blocks.get(at).map_or(u64::MAX, end);
        let offset = offset.saturating_sub(self.segment.address);
        offset.min(self.start(at + 1))
    }

    fn size(self, at: usize) -> u64 {
        self.end(at).saturating_sub(self.start(at))
    }

    /// The first block from `from` on for which something holds; it must then hold for all behind. What is
    /// near is found soonest.
    pub(super) fn first(self, from: usize, holds: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut step) = (from, 1);
        while low + step < self.len() && !holds(low + step) {
            low += step;
            step *= 2;
        }
        let mut high = (low + step).min(self.len());
        // It holds from `high` on, and not below `low`.
        while low < high {
            let middle = low.midpoint(high);
            if holds(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    fn add(self, sums: &mut ByState, range: Range<usize>) {
        for at in range {
            let [allocated, awaiting, free] = sums;
            if let Some(block) = self.blocks.get(at) {
                // What is drawn of a segment does not overlap, so sums stay below its size.
                *match block.state {
                    BlockState::Allocated => allocated,
                    BlockState::AwaitingFree => awaiting,
                    BlockState::Free => free,
                } += self.size(at);
            }
        }
    }
}

impl Shares {
    pub(super) fn new(layout: Layout<'_>) -> Self {
        let mut shares = Self::default();
        for segment in layout.segments {
            let drawn = Drawn::of(layout, segment);
            shares.firsts.push(shares.before.len());
            let mut sums = ByState::default();
            for from in (0..drawn.len()).step_by(EVERY) {
                shares.before.push(sums);
                drawn.add(&mut sums, from..(from + EVERY).min(drawn.len()));
            }
        }
        shares
    }

    /// Bytes by state of a run of blocks of a segment.
    pub(super) fn of(&self, drawn: Drawn<'_>, segment: usize, run: Range<usize>) -> ByState {
        let mut until = self.before(drawn, segment, run.end);
        let before = self.before(drawn, segment, run.start);
        for (sum, before) in until.iter_mut().zip(before) {
            *sum = sum.saturating_sub(before);
        }
        until
    }

    /// Bytes by state of what lies before a block.
    fn before(&self, drawn: Drawn<'_>, segment: usize, at: usize) -> ByState {
        // The last block may end a run of totals; what is before its end is then added to the last of them.
        let place = (at / EVERY).min(drawn.len().saturating_sub(1) / EVERY);
        let first = self.firsts.get(segment).copied().unwrap_or(0);
        let mut sums = self.before.get(first + place).copied().unwrap_or_default();
        drawn.add(&mut sums, place * EVERY..at);
        sums
    }
}
