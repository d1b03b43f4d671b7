//! [`Partition`]: time cut at every edge of up to three sets, with sampled prefix sums.
//!
//! All edges of the sets cut time into pieces; inside a piece it does not change which sets are
//! active, so one 3-bit mask tells it all. A row of running totals per mask stands at every
//! sixteenth piece. The measure of *every* Boolean combination of the sets in a window then needs
//! two binary searches and at most two blocks of sixteen pieces, and no allocation. The parts
//! always sum to the window, since the idle part (mask 0) is what the others leave.

#![expect(
    clippy::indexing_slicing,
    reason = "every index comes from a search over the same columns, and property tests cross all block edges"
)]

use super::ladder::Ladder;
use super::{Interval, IntervalSet};
use crate::time::{DurNs, Ns, Window};

/// Number of different masks: every subset of three sets.
pub const MASKS: usize = 8;
/// How many pieces share one row of running totals; measured best between 8 and 32.
const BLOCK: usize = 16;

/// Length per mask: `parts[mask]` is the time during which exactly the sets of `mask` are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parts([DurNs; MASKS]);

impl Parts {
    /// Time during which exactly this subset is active.
    #[must_use]
    pub fn exactly(&self, mask: u8) -> DurNs {
        self.0.get(usize::from(mask)).copied().unwrap_or_default()
    }

    /// Sum over all masks that the predicate accepts.
    #[must_use]
    pub fn sum(&self, accepts: impl Fn(u8) -> bool) -> DurNs {
        (0_u8..)
            .zip(self.0)
            .filter(|(mask, _)| accepts(*mask))
            .map(|(_, dur)| dur)
            .sum()
    }

    /// What lies between two totals; idle is what is left of the window.
    fn between(window: Window, before: &[i64; MASKS], until: &[i64; MASKS]) -> Self {
        let mut parts = [DurNs::ZERO; MASKS];
        let mut rest = window.len();
        for mask in 1..MASKS {
            parts[mask] = DurNs(until[mask] - before[mask]);
            rest = rest - parts[mask];
        }
        parts[0] = rest;
        Self(parts)
    }

    /// Sum over all masks, idle included: the length of the window.
    #[must_use]
    pub fn total(&self) -> DurNs {
        self.sum(|_| true)
    }
}

/// Time cut at every edge of up to three sets. Immutable once built.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// Start of each piece; a piece ends where the next begins. The last one is the end of all.
    bounds: Vec<Ns>,
    /// Active sets of each piece.
    masks: Vec<u8>,
    /// Totals per mask before piece `BLOCK * i`.
    rows: Vec<[i64; MASKS]>,
    /// Start of piece `BLOCK * i`: a small column to search in.
    firsts: Vec<Ns>,
    ladder: Ladder,
}

impl Partition {
    /// Cuts time at every edge of the sets; set `i` is bit `1 << i` of the masks.
    #[must_use]
    pub fn new(sets: &[IntervalSet; 3]) -> Self {
        let mut at = [0_usize; 3];
        let mut mask = 0_u8;
        let mut out = Self::default();
        // The next edge of every set: even positions are starts, odd ones ends.
        while let Some(next) = sets
            .iter()
            .zip(at)
            .filter_map(|(set, i)| edge(set.intervals(), i))
            .min()
        {
            for (bit, set) in sets.iter().enumerate() {
                while edge(set.intervals(), at[bit]) == Some(next) {
                    at[bit] += 1;
                    mask ^= 1 << bit;
                }
            }
            out.bounds.push(next);
            out.masks.push(mask);
        }
        out.bounds.shrink_to_fit();
        out.masks.shrink_to_fit();
        out.rows = out.sample_rows();
        out.firsts = out.bounds.iter().step_by(BLOCK).copied().collect();
        out.ladder = Ladder::new(&out.firsts);
        out
    }

    fn sample_rows(&self) -> Vec<[i64; MASKS]> {
        let mut rows = Vec::with_capacity(self.masks.len().div_ceil(BLOCK));
        let mut totals = [0_i64; MASKS];
        for (i, pair) in self.bounds.windows(2).enumerate() {
            if i % BLOCK == 0 {
                rows.push(totals);
            }
            let slot = usize::from(self.masks[i]);
            totals[slot] = totals[slot].saturating_add((pair[1] - pair[0]).0);
        }
        if self.masks.len() % BLOCK == 1 || rows.is_empty() {
            rows.push(totals);
        }
        rows
    }

    /// Length per mask inside a window, exact, in O(log n) and without allocation.
    #[must_use]
    pub fn measure(&self, window: Window) -> Parts {
        let before = self.totals_until(window.start());
        let until = self.totals_until(window.end());
        Parts::between(window, &before, &until)
    }

    /// The same for the windows between neighbours of a sorted list of instants, one after another.
    /// Every instant is looked up once, near where the one before was found.
    pub fn measure_columns(&self, edges: &[Ns], mut found: impl FnMut(Window, Parts)) {
        let mut block = 0;
        let mut last: Option<(Ns, [i64; MASKS])> = None;
        for &edge in edges {
            block = gallop(&self.firsts, block, edge);
            let until = self.totals_in(block, edge);
            if let Some((start, before)) = last {
                let window = Window::new(start, edge);
                found(window, Parts::between(window, &before, &until));
            }
            last = Some((edge, until));
        }
    }

    /// Totals per mask from the first edge to `at`. Mask 0 is not meaningful here.
    fn totals_until(&self, at: Ns) -> [i64; MASKS] {
        self.totals_in(self.ladder.up_to(&self.firsts, at), at)
    }

    /// The same where it is known how many blocks begin at or before `at`. Looks at all pieces of
    /// the last of them alike, since a branch that depends on memory costs more than a few additions.
    fn totals_in(&self, blocks: usize, at: Ns) -> [i64; MASKS] {
        let Some(block) = blocks.checked_sub(1) else {
            return [0; MASKS];
        };
        let mut totals = self.rows[block];
        let from = block * BLOCK;
        let to = (from + BLOCK).min(self.bounds.len() - 1);
        let bounds = &self.bounds[from..=to];
        for (pair, mask) in bounds.windows(2).zip(&self.masks[from..to]) {
            let inside = (at.min(pair[1]) - pair[0]).0.max(0);
            totals[usize::from(mask & 7)] += inside;
        }
        totals
    }

    /// Maximal intervals whose mask the predicate accepts and that reach into the window, clipped
    /// to it, in order. Neighbouring pieces that both qualify come out as one.
    pub fn intervals<'a>(
        &'a self,
        window: Window,
        accepts: impl Fn(u8) -> bool + 'a,
    ) -> impl Iterator<Item = Interval> + 'a {
        let mut piece = self
            .bounds
            .partition_point(|&b| b <= window.start())
            .saturating_sub(1);
        std::iter::from_fn(move || {
            while piece < self.masks.len() && self.bounds[piece] < window.end() {
                if !accepts(self.masks[piece]) {
                    piece += 1;
                    continue;
                }
                let start = self.bounds[piece].max(window.start());
                while piece < self.masks.len() && accepts(self.masks[piece]) {
                    piece += 1;
                    if self.bounds.get(piece).is_none_or(|b| *b >= window.end()) {
                        break;
                    }
                }
                let end = self
                    .bounds
                    .get(piece)
                    .map_or(window.end(), |b| (*b).min(window.end()));
                if start < end {
                    return Some(Interval { start, end });
                }
            }
            None
        })
    }

    /// First and last edge of all, or `None` where every set is empty.
    #[must_use]
    pub fn extent(&self) -> Option<Window> {
        Some(Window::new(*self.bounds.first()?, *self.bounds.last()?))
    }

    /// Number of pieces, for memory accounts.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.masks.len()
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.bounds.capacity() * 8
            + self.masks.capacity()
            + self.rows.capacity() * MASKS * 8
            + self.firsts.capacity() * 8
            + self.ladder.heap_bytes()
    }
}

/// How many of a sorted list are at or before an instant, looked for from `from` on: near first,
/// then in doubling steps. Goes back to the whole list where the instant lies before that.
#[must_use]
pub fn gallop(sorted: &[Ns], from: usize, at: Ns) -> usize {
    let from = from.min(sorted.len());
    if from > 0 && sorted[from - 1] > at {
        return sorted[..from].partition_point(|t| *t <= at);
    }
    let (mut low, mut step) = (from, 1);
    while low + step <= sorted.len() && sorted[low + step - 1] <= at {
        low += step;
        step *= 2;
    }
    let high = (low + step - 1).min(sorted.len());
    low + sorted[low..high].partition_point(|t| *t <= at)
}

fn edge(intervals: &[Interval], i: usize) -> Option<Ns> {
    let interval = intervals.get(i / 2)?;
    Some(if i.is_multiple_of(2) {
        interval.start
    } else {
        interval.end
    })
}
