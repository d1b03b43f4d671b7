//! Which kernel of one sequence stands against which of another.

use crate::time::DurNs;
use crate::trace::class::KernelClass;
use rustc_hash::FxHashMap;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::VecDeque;

/// Longer sequences are not aligned: the cost grows with length times difference.
const MOST_ALIGNED: usize = 50_000;

/// One kernel of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item<'t> {
    pub(super) name: &'t str,
    pub(super) class: KernelClass,
    /// What of it lies in the window.
    pub(super) time: DurNs,
}

/// Pairs of places in two sequences; everything else has no partner.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pairing {
    /// By the place in the first sequence.
    pairs: Vec<(usize, usize)>,
    /// Whether the sequences were too long to be aligned.
    pub(super) by_number: bool,
}

impl Pairing {
    /// Aligns two sequences by their names: the longest common subsequence that Myers' algorithm
    /// finds. Above [`MOST_ALIGNED`] the n-th kernel of a name stands against the n-th.
    pub(super) fn of<'t>(a: &[Item<'t>], b: &[Item<'t>]) -> Self {
        if a.len().max(b.len()) > MOST_ALIGNED {
            return Self::by_number(a, b);
        }
        let mut numbers: FxHashMap<&'t str, usize> = FxHashMap::default();
        let mut numbered = |items: &[Item<'t>]| -> Vec<usize> {
            let number = |item: &Item<'t>| {
                let next = numbers.len();
                *numbers.entry(item.name).or_insert(next)
            };
            items.iter().map(number).collect()
        };
        let (of_a, of_b) = (numbered(a), numbered(b));
        let mut pairs = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, &of_a, &of_b) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                pairs.extend((0..len).map(|i| (old_index + i, new_index + i)));
            }
        }
        Self {
            pairs,
            by_number: false,
        }
    }

    fn by_number(a: &[Item<'_>], b: &[Item<'_>]) -> Self {
        let mut free: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
        for (place, item) in b.iter().enumerate() {
            free.entry(item.name).or_default().push_back(place);
        }
        let mut pairs = Vec::new();
        for (place, item) in a.iter().enumerate() {
            let partner = free.get_mut(item.name).and_then(VecDeque::pop_front);
            pairs.extend(partner.map(|partner| (place, partner)));
        }
        Self {
            pairs,
            by_number: true,
        }
    }

    /// Calls `found` with every pair, and with everything that has no partner.
    pub(super) fn each<'t>(
        &self,
        a: &[Item<'t>],
        b: &[Item<'t>],
        mut found: impl FnMut(Option<Item<'t>>, Option<Item<'t>>),
    ) {
        let mut partner: Vec<Option<usize>> = vec![None; a.len()];
        let mut is_taken = vec![false; b.len()];
        for (x, y) in &self.pairs {
            if let (Some(slot), Some(taken)) = (partner.get_mut(*x), is_taken.get_mut(*y)) {
                (*slot, *taken) = (Some(*y), true);
            }
        }
        for (item, partner) in a.iter().zip(partner) {
            found(Some(*item), partner.and_then(|y| b.get(y)).copied());
        }
        for (item, _) in b.iter().zip(is_taken).filter(|(_, taken)| !taken) {
            found(None, Some(*item));
        }
    }
}
