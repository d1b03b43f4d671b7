//! [`Block`]: up to sixteen edges of slices that follow each other, with all totals before them.
//!
//! A question about a window waits for memory, not for arithmetic: in a list of ten million slices
//! every place that it reads is far from the one before. So whatever an answer needs around one
//! instant stands in one block of three cache lines, and the rest is additions.

#![expect(
    clippy::indexing_slicing,
    reason = "lists of a fixed length, indexed by their own length or by three bits"
)]

use super::parts::MASKS;
use crate::time::{DurNs, Ns};

/// How many edges a block holds at most; measured best between 8 and 32.
pub(super) const EDGES: usize = 16;
/// The offset of places that hold no edge. Behind every edge.
const NONE: i32 = i32::MAX;

/// What an edge is, beside the mask of the groups that are active from it on.
const MASK: u8 = 0b0111;
const IS_START: u8 = 0b0_1000;
const IS_END: u8 = 0b1_0000;

/// What is known about the time before the first edge of a block, or before any other instant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// Time by mask, in ns. That of mask 0 lacks what lies before the first edge of all.
    pub(super) by_mask: [i64; MASKS],
    /// Plain sum of what of the slices lies before; wide, as slices side by side count each.
    pub(super) sum: i128,
    /// Slices that began before.
    pub(super) begun: u64,
    /// Slices that ended before, or at the instant.
    pub(super) ended: u64,
}

/// Edges in order of time; aligned so that it never takes a fourth cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Block {
    /// The instant of the first edge.
    first: Ns,
    /// All before it, edges at the same instant in blocks before this one included.
    before: Totals,
    /// How long behind the first each edge is, in ns; what is farther begins another block.
    offsets: [i32; EDGES],
    /// Mask and direction; of places that hold no edge, the last mask.
    codes: [u8; EDGES],
}

impl Block {
    /// A block that begins with one edge.
    pub(super) fn new(first: Ns, before: Totals, mask: u8, is_start: bool) -> Self {
        let mut block = Self {
            first,
            before,
            offsets: [NONE; EDGES],
            codes: [mask; EDGES],
        };
        block.offsets[0] = 0;
        block.codes[0] = code(mask, is_start);
        block
    }

    /// Adds an edge at or behind the last one; `false` where it does not fit.
    pub(super) fn push(&mut self, at: Ns, mask: u8, is_start: bool) -> bool {
        let used = self.len();
        let offset = i32::try_from((at - self.first).0).ok();
        match offset.filter(|offset| *offset != NONE && used < EDGES) {
            Some(offset) => {
                self.offsets[used] = offset;
                self.codes[used..].fill(mask);
                self.codes[used] = code(mask, is_start);
                true
            }
            None => false,
        }
    }

    /// Moves all edges; how far they are apart stays.
    pub(super) fn move_by(&mut self, by: DurNs) {
        self.first = self.first + by;
    }

    /// Number of edges.
    pub(super) fn len(&self) -> usize {
        self.offsets.iter().filter(|o| **o != NONE).count()
    }

    /// Instant of an edge and the mask from there on.
    pub(super) fn edge(&self, i: usize) -> Option<(Ns, u8)> {
        let offset = self.offsets.get(i).filter(|o| **o != NONE)?;
        let at = self.first.0.saturating_add(i64::from(*offset));
        Some((Ns(at), self.codes[i] & MASK))
    }

    /// Number of edges at or before an instant.
    pub(super) fn up_to(&self, at: Ns) -> usize {
        let (near, _) = self.split(at);
        self.offsets
            .iter()
            .filter(|o| **o <= near)
            .count()
            .min(self.len())
    }

    /// Time by mask before an instant that is not before the first edge.
    ///
    /// Looks at all places alike: a branch that depends on memory costs more than a few additions.
    #[inline]
    pub(super) fn by_mask(&self, at: Ns) -> [i64; MASKS] {
        let (near, far) = self.split(at);
        let mut inside = [0_i32; EDGES];
        for (i, inside) in inside.iter_mut().enumerate() {
            let next = self.offsets.get(i + 1).copied().unwrap_or(NONE);
            *inside = (near.min(next) - self.offsets[i]).max(0);
        }
        // Neighbours go to lists of their own, so that no addition waits for the one before.
        let (mut totals, mut beside) = (self.before.by_mask, [0_i64; MASKS]);
        for (pair, codes) in inside.chunks_exact(2).zip(self.codes.chunks_exact(2)) {
            totals[usize::from(codes[0] & MASK)] += i64::from(pair[0]);
            beside[usize::from(codes[1] & MASK)] += i64::from(pair[1]);
        }
        beside[usize::from(self.codes[EDGES - 1] & MASK)] += far;
        for (total, beside) in totals.iter_mut().zip(beside) {
            *total += beside;
        }
        totals
    }

    /// All that is known before an instant that is not before the first edge. Of slices that begin
    /// at the instant itself none is among the begun, of those that end there all are among the
    /// ended, as far as they are of this block.
    #[inline]
    pub(super) fn totals(&self, at: Ns) -> Totals {
        let (near, far) = self.split(at);
        let (mut starts, mut ends, mut inside) = (0_i32, 0_i32, 0_i64);
        // Without a branch, so that several places are added up at once.
        for i in 0..EDGES {
            let (offset, code) = (self.offsets[i], self.codes[i]);
            let is_start = i32::from(code & IS_START != 0);
            let is_end = i32::from(code & IS_END != 0);
            let passed = (near - offset).max(0);
            starts += is_start & i32::from(offset < near);
            ends += is_end & i32::from(offset <= near);
            inside += i64::from((passed & -is_start) - (passed & -is_end));
        }
        let before = &self.before;
        let active = |begun: u64, ended: u64| i128::from(begun) - i128::from(ended);
        let begun = before.begun + u64::from(starts.unsigned_abs());
        let ended = before.ended + u64::from(ends.unsigned_abs());
        let mut sum =
            before.sum + active(before.begun, before.ended) * i128::from(near) + i128::from(inside);
        if far > 0 {
            sum += active(begun, ended) * i128::from(far);
        }
        Totals {
            by_mask: self.by_mask(at),
            sum,
            begun,
            ended,
        }
    }

    /// Time since the first edge: as far as offsets reach, and what lies farther. Only behind the
    /// last edge of a block can anything lie farther.
    fn split(&self, at: Ns) -> (i32, i64) {
        let passed = (at - self.first).0.max(0);
        let near = i32::try_from(passed).unwrap_or(NONE);
        (near, passed - i64::from(near))
    }
}

fn code(mask: u8, is_start: bool) -> u8 {
    mask | if is_start { IS_START } else { IS_END }
}
