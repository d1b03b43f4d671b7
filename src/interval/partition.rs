//! [`Partition`]: time cut at every edge of the slices of up to three groups, with running totals.
//!
//! Between two edges it does not change which groups are active, so one 3-bit mask tells it all.
//! Sixteen edges stand in one block, together with the time by mask, the count and the sum of all
//! before them. Two searches, one for each edge of a window, then give the measure of *every*
//! Boolean combination of the groups, the number of slices and their plain sum, without
//! allocation. The parts always sum to the window, since idle (mask 0) is what the others leave.

mod build;

use super::Interval;
use super::block::{Block, Totals};
use super::ladder::{Ladder, gallop};
use super::parts::{MASKS, Parts};
use crate::time::{DurNs, Ns, Window};

/// A slice of one of up to three groups; group `i` is bit `1 << i` of the masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// First instant inside.
    pub start: Ns,
    /// First instant past it.
    pub end: Ns,
    /// 0, 1 or 2.
    pub group: u8,
}

/// All that a partition tells of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Measure {
    /// Length per mask.
    pub parts: Parts,
    /// Slices with time inside, and zero-length ones that start inside. A zero-length slice at the
    /// last end of all belongs to a window that ends there.
    pub count: u64,
    /// Sum of the slices' lengths inside: those that run side by side count each for themselves.
    pub sum: DurNs,
}

/// Time cut at every edge of the slices of up to three groups. Immutable once built.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    blocks: Vec<Block>,
    /// The first edge of each block: a small column to search in.
    firsts: Vec<Ns>,
    ladder: Ladder,
    /// The last edge.
    last: Ns,
    /// Instants of slices without any length, sorted; they have no edges.
    points: Vec<Ns>,
}

impl Partition {
    /// Length per mask inside a window, exact, in O(log n) and without allocation.
    #[must_use]
    pub fn measure(&self, window: Window) -> Parts {
        let until = |at| match self.block_up_to(at) {
            Some(block) => block.by_mask(self.within(at)),
            None => [0; MASKS],
        };
        Parts::between(window, &until(window.start()), &until(window.end()))
    }

    /// All of a window at once, at the same cost.
    #[must_use]
    pub fn measure_all(&self, window: Window) -> Measure {
        let totals = |block: Option<&Block>, at| {
            block.map_or(Totals::default(), |block| block.totals(self.within(at)))
        };
        let (from, to) = (window.start(), window.end());
        let before = totals(self.block_up_to(from), from);
        let until = totals(self.block_before(to), to);
        // What began before the end and has not ended at the start has time inside.
        let long = if window.is_empty() {
            0
        } else {
            until.begun.saturating_sub(before.ended)
        };
        let sum = i64::try_from(until.sum - before.sum).unwrap_or(i64::MAX);
        Measure {
            parts: Parts::between(window, &before.by_mask, &until.by_mask),
            count: long + self.points_in(window),
            sum: DurNs(sum),
        }
    }

    /// Number of slices that began before an instant and end behind it.
    #[must_use]
    pub fn across(&self, at: Ns) -> u64 {
        let totals = |block: Option<&Block>| {
            block.map_or(Totals::default(), |block| block.totals(self.within(at)))
        };
        let begun = totals(self.block_before(at)).begun;
        begun.saturating_sub(totals(self.block_up_to(at)).ended)
    }

    /// The parts of the windows between neighbours of a sorted list of instants, one after another.
    /// Every instant is looked up once, near where the one before was found.
    pub fn measure_columns(&self, edges: &[Ns], mut found: impl FnMut(Window, Parts)) {
        let mut place = 0;
        let mut last: Option<(Ns, [i64; MASKS])> = None;
        for &edge in edges {
            place = gallop(&self.firsts, place, edge);
            let until = match self.block(place) {
                Some(block) => block.by_mask(self.within(edge)),
                None => [0; MASKS],
            };
            if let Some((start, before)) = last {
                let window = Window::new(start, edge);
                found(window, Parts::between(window, &before, &until));
            }
            last = Some((edge, until));
        }
    }

    /// Maximal intervals whose mask the predicate accepts and that reach into the window, clipped
    /// to it, in order. Neighbouring pieces that both qualify come out as one.
    pub fn intervals<'a>(
        &'a self,
        window: Window,
        accepts: impl Fn(u8) -> bool + 'a,
    ) -> impl Iterator<Item = Interval> + 'a {
        let mut pieces = self
            .pieces_from(window.start())
            .take_while(move |(piece, _)| piece.start < window.end());
        std::iter::from_fn(move || {
            let (mut found, _) = pieces.find(|(_, mask)| accepts(*mask))?;
            for (piece, _) in pieces.by_ref().take_while(|(_, mask)| accepts(*mask)) {
                found.end = piece.end;
            }
            found.start = found.start.max(window.start());
            found.end = found.end.min(window.end());
            // Empty only where the window is.
            (!found.is_empty()).then_some(found)
        })
    }

    /// Pieces of time between neighbouring edges that are not at one instant, with their masks,
    /// from the one that holds an instant on, or from the first.
    fn pieces_from(&self, at: Ns) -> impl Iterator<Item = (Interval, u8)> + '_ {
        let first = self.ladder.up_to(&self.firsts, at).saturating_sub(1);
        let rest = self.blocks.get(first..).unwrap_or(&[]);
        let skipped = rest.first().map_or(0, |b| b.up_to(at).saturating_sub(1));
        let mut edges = rest
            .iter()
            .flat_map(|block| (0..block.len()).filter_map(|i| block.edge(i)))
            .skip(skipped);
        let mut open = edges.next();
        std::iter::from_fn(move || {
            loop {
                let (start, mask) = open?;
                open = edges.next();
                let (end, _) = open?;
                if start < end {
                    return Some((Interval { start, end }, mask));
                }
            }
        })
    }

    /// First and last edge of all, or `None` where no slice has any length.
    #[must_use]
    pub fn extent(&self) -> Option<Window> {
        Some(Window::new(*self.firsts.first()?, self.last))
    }

    /// Moves all of time: what was at an instant is at that instant plus `by`.
    pub fn move_by(&mut self, by: DurNs) {
        let Self {
            blocks,
            firsts,
            ladder,
            last,
            points,
        } = self;
        if !firsts.is_empty() {
            *last = *last + by;
        }
        for block in blocks {
            block.move_by(by);
        }
        for at in firsts.iter_mut().chain(points) {
            *at = *at + by;
        }
        *ladder = Ladder::new(firsts);
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.firsts.capacity() * 8
            + self.ladder.heap_bytes()
            + self.points.capacity() * 8
    }

    /// The last block that begins at or before an instant: edges at that instant lie in it or in
    /// earlier ones.
    fn block_up_to(&self, at: Ns) -> Option<&Block> {
        self.block(self.ladder.up_to(&self.firsts, at))
    }

    /// The last block that begins before an instant: edges at that instant lie in it or in later
    /// ones, all earlier edges in it or in earlier ones.
    fn block_before(&self, at: Ns) -> Option<&Block> {
        self.block(self.ladder.before(&self.firsts, self.within(at)))
    }

    /// The last of the first `n` blocks.
    fn block(&self, n: usize) -> Option<&Block> {
        self.blocks.get(n.checked_sub(1)?)
    }

    /// Behind the last edge nothing changes.
    fn within(&self, at: Ns) -> Ns {
        at.min(self.last)
    }

    fn points_in(&self, window: Window) -> u64 {
        let Some(last) = self.points.last() else {
            return 0;
        };
        let end = window.end();
        let closed = end == self.extent().map_or(*last, |all| all.end().max(*last));
        let first = self.points.partition_point(|p| *p < window.start());
        let past = self
            .points
            .partition_point(|p| *p < end || (closed && *p == end));
        u64::try_from(past.saturating_sub(first)).unwrap_or(u64::MAX)
    }
}
