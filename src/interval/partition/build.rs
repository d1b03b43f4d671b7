//! Building a [`Partition`]: all edges in order, and what has passed at each of them.

use super::{Block, Ladder, Member, Partition, Totals};
use crate::interval::block::EDGES;
use crate::interval::parts::GROUPS;
use crate::time::Ns;

/// An edge of a slice.
#[derive(Clone, Copy)]
struct Edge {
    at: Ns,
    group: u8,
}

impl Partition {
    /// Builds from slices in any order; those whose end is before their start are ignored.
    #[must_use]
    pub fn new(slices: impl Iterator<Item = Member> + Clone + Send) -> Self {
        let (for_starts, for_ends) = (slices.clone(), slices.clone());
        let (starts, ends) = rayon::join(
            || edges(for_starts, |s| s.start),
            || edges(for_ends, |s| s.end),
        );
        let empty = slices.filter(|s| s.start == s.end);
        let mut points: Vec<Ns> = empty.map(|s| s.start).collect();
        points.sort_unstable();

        let blocks = 2 * starts.len() / EDGES + 1;
        let mut walk = Walk::with_capacity(blocks);
        let mut starts = starts.into_iter().peekable();
        // As many ends as starts, and each behind its start: the ends are what is left at last.
        for end in ends {
            while let Some(start) = starts.next_if(|start| start.at <= end.at) {
                walk.pass(start, true);
            }
            walk.pass(end, false);
        }
        walk.blocks.shrink_to_fit();
        let mut firsts = walk.firsts;
        firsts.shrink_to_fit();
        Self {
            ladder: Ladder::new(&firsts),
            blocks: walk.blocks,
            firsts,
            last: walk.at,
            points,
        }
    }
}

/// One edge of every slice that has any length, in order.
fn edges(slices: impl Iterator<Item = Member>, at: fn(&Member) -> Ns) -> Vec<Edge> {
    let long = slices.filter(|s| s.start < s.end);
    let mut edges: Vec<Edge> = long
        .map(|s| Edge {
            at: at(&s),
            group: s.group,
        })
        .collect();
    // Stable, as that sort makes use of the order in which lanes come.
    edges.sort_by_key(|e| e.at);
    edges
}

/// The state between two edges.
struct Walk {
    blocks: Vec<Block>,
    firsts: Vec<Ns>,
    /// Before `at`.
    totals: Totals,
    at: Ns,
    /// Slices of each group that are active.
    active: [u32; GROUPS],
}

impl Walk {
    fn with_capacity(blocks: usize) -> Self {
        Self {
            blocks: Vec::with_capacity(blocks),
            firsts: Vec::with_capacity(blocks),
            totals: Totals::default(),
            at: Ns(0),
            active: [0; GROUPS],
        }
    }

    fn mask(&self) -> u8 {
        let bits = (0_u8..).zip(self.active);
        bits.fold(0, |mask, (bit, n)| mask | u8::from(n > 0) << bit)
    }

    fn pass(&mut self, edge: Edge, is_start: bool) {
        let passed = if self.blocks.is_empty() {
            0
        } else {
            (edge.at - self.at).0
        };
        let mask = usize::from(self.mask());
        if let Some(total) = self.totals.by_mask.get_mut(mask) {
            *total = total.saturating_add(passed);
        }
        let beside: u32 = self.active.iter().sum();
        self.totals.sum += i128::from(beside) * i128::from(passed);
        self.at = edge.at;
        if let Some(active) = self.active.get_mut(usize::from(edge.group)) {
            *active = if is_start {
                *active + 1
            } else {
                active.saturating_sub(1)
            };
        }
        let mask = self.mask();
        let last = self.blocks.last_mut();
        if !last.is_some_and(|block| block.push(edge.at, mask, is_start)) {
            let block = Block::new(edge.at, self.totals, mask, is_start);
            self.blocks.push(block);
            self.firsts.push(edge.at);
        }
        if is_start {
            self.totals.begun += 1;
        } else {
            self.totals.ended += 1;
        }
    }
}
