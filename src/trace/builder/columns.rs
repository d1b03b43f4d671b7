//! The growing columns of a rank in file order, and their reordering into the final ones.

use super::super::class::KernelClass;
use super::super::slices::{Category, Correlation, SliceId, Slices};
use super::super::{NameId, Names, Position, Rank, SourceSpan};
use super::absorb::Renumbered;
use super::lanes::Plan;
use super::partial::{Stop, go_on};
use super::{RawSlice, to_u32};
use crate::time::{DurNs, Ns};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A few milliseconds of work.
const GATHERED_AT_ONCE: usize = 1 << 18;

/// One vector a field, in the order in which the file has the events.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) start: Vec<Ns>,
    pub(super) dur: Vec<DurNs>,
    name: Vec<NameId>,
    category: Vec<Category>,
    class: Vec<Option<KernelClass>>,
    pub(super) lane: Vec<u32>,
    correlation: Vec<Option<Correlation>>,
    external: Vec<Option<Correlation>>,
    source: Vec<SourceSpan>,
}

impl Columns {
    pub(super) fn len(&self) -> usize {
        self.start.len()
    }

    pub(super) fn push(&mut self, slice: RawSlice) {
        self.start.push(slice.start);
        self.dur.push(slice.dur);
        self.name.push(slice.name);
        self.category.push(slice.category);
        self.class.push(slice.class);
        self.lane.push(slice.lane);
        self.correlation
            .push(slice.correlation.and_then(Correlation::new));
        self.external
            .push(slice.external.and_then(Correlation::new));
        self.source.push(slice.source);
    }

    /// Appends the columns of a later part of the text.
    pub(super) fn append(&mut self, later: Self, map: &Renumbered) {
        self.start.extend(later.start);
        self.dur.extend(later.dur);
        self.name
            .extend(later.name.into_iter().map(|n| map.name(n)));
        self.category.extend(later.category);
        self.class.extend(later.class);
        self.lane
            .extend(later.lane.into_iter().map(|l| map.lane(l)));
        self.correlation.extend(later.correlation);
        self.external.extend(later.external);
        self.source.extend(later.source);
    }

    /// Heap memory in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.start.capacity() * size_of::<Ns>()
            + self.dur.capacity() * size_of::<DurNs>()
            + self.name.capacity() * size_of::<NameId>()
            + self.category.capacity() * size_of::<Category>()
            + self.class.capacity() * size_of::<Option<KernelClass>>()
            + self.lane.capacity() * size_of::<u32>()
            + (self.correlation.capacity() + self.external.capacity())
                * size_of::<Option<Correlation>>()
            + self.source.capacity() * size_of::<SourceSpan>()
    }

    pub(super) fn categories(&self) -> impl Iterator<Item = Category> + '_ {
        self.category.iter().copied()
    }

    pub(super) fn correlations(&self) -> impl Iterator<Item = Option<Correlation>> + '_ {
        self.correlation.iter().copied()
    }

    /// Keeps the slices whose flag is set.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        retain(&mut self.start, keep);
        retain(&mut self.dur, keep);
        retain(&mut self.name, keep);
        retain(&mut self.category, keep);
        retain(&mut self.class, keep);
        retain(&mut self.lane, keep);
        retain(&mut self.correlation, keep);
        retain(&mut self.external, keep);
        retain(&mut self.source, keep);
    }

    /// Last end of all slices that are not astray.
    pub(super) fn last_end(&self, astray: &[bool]) -> Option<Ns> {
        let ends = self.start.iter().zip(&self.dur).zip(astray);
        ends.filter(|(_, lost)| !**lost)
            .map(|((start, dur), _)| *start + *dur)
            .max()
    }

    /// Name and byte of a slice, for messages.
    pub(super) fn position(&self, i: usize, names: &Names) -> Position {
        Position {
            byte: self.source.get(i).map(|s| s.offset),
            what: self
                .name
                .get(i)
                .map_or_else(String::new, |n| names.get(*n).to_owned()),
        }
    }

    /// How often a start lies before the one that stands before it, and where first.
    pub(super) fn out_of_order(&self) -> Option<(u64, usize)> {
        let mut back = (1_usize..)
            .zip(self.start.iter().zip(self.start.iter().skip(1)))
            .filter(|(_, (before, start))| start < before)
            .map(|(i, _)| i);
        let first = back.next()?;
        Some((
            u64::try_from(back.count())
                .unwrap_or(u64::MAX)
                .saturating_add(1),
            first,
        ))
    }

    /// Reorders every column by the plan, one at a time, and moves all times by `offset`.
    ///
    /// Also returns the host operator of every external id (its first slice). `None` where the work
    /// is to be given up.
    pub(super) fn into_slices(
        self,
        plan: &Plan,
        offset: DurNs,
        stop: Stop<'_>,
    ) -> Option<(Slices, Externals)> {
        let order = plan.order();
        let category = gather(self.category, order, stop)?;
        let class = gather(self.class, order, stop)?;
        let external = gather(self.external, order, stop)?;
        let correlation = gather(self.correlation, order, stop)?;
        let externals = Externals::new(&category, &class, &external, &correlation);
        drop(external);
        let mut start = gather(self.start, order, stop)?;
        start.par_iter_mut().for_each(|at| *at = *at + offset);
        let slices = Slices {
            start,
            dur: gather(self.dur, order, stop)?,
            name: gather(self.name, order, stop)?,
            class,
            row: vec![0; order.len()],
            correlation,
            source: gather(self.source, order, stop)?,
            category,
        };
        Some((slices, externals))
    }
}

/// Keeps the items whose flag is set, and gives the memory of the others back.
pub(super) fn retain<T>(column: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    column.retain(|_| flags.next().copied().unwrap_or(true));
    column.shrink_to_fit();
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the old column is freed before the next one is made"
)]
fn gather<T: Copy + Send + Sync>(column: Vec<T>, order: &[u32], stop: Stop<'_>) -> Option<Vec<T>> {
    let mut out = Vec::with_capacity(order.len());
    // Every number in the order is one of the column.
    let Some(any) = column.first().copied() else {
        return Some(out);
    };
    for part in order.chunks(GATHERED_AT_ONCE) {
        go_on(stop)?;
        let of = |old: u32| column.get(usize::try_from(old).ok()?).copied();
        out.par_extend(part.par_iter().map(|&old| of(old).unwrap_or(any)));
    }
    Some(out)
}

/// Which host operator launched a kernel, by the external id that both carry.
///
/// Only communication kernels and those without a correlation id ask, so only their ids are kept.
#[derive(Debug, Default)]
pub(super) struct Externals {
    ops: FxHashMap<Correlation, SliceId>,
    kernels: FxHashMap<SliceId, Correlation>,
}

impl Externals {
    fn new(
        category: &[Category],
        class: &[Option<KernelClass>],
        external: &[Option<Correlation>],
        correlation: &[Option<Correlation>],
    ) -> Self {
        let mut out = Self::default();
        let mut wanted = FxHashSet::default();
        let kernels = class.iter().zip(external).zip(correlation);
        for (i, ((class, external), correlation)) in kernels.enumerate() {
            let asks = match class {
                Some(KernelClass::Communication) => true,
                Some(_) => correlation.is_none(),
                None => false,
            };
            if let Some(id) = external.as_ref().filter(|_| asks) {
                out.kernels.insert(SliceId(to_u32(i)), *id);
                wanted.insert(*id);
            }
        }
        if wanted.is_empty() {
            return out;
        }
        for (i, (category, external)) in category.iter().zip(external).enumerate() {
            let is_op = matches!(category, Category::CpuOp | Category::Annotation);
            if let Some(id) = external.filter(|id| is_op && wanted.contains(id)) {
                out.ops.entry(id).or_insert(SliceId(to_u32(i)));
            }
        }
        out
    }

    pub(super) fn op_of(&self, kernel: SliceId) -> Option<SliceId> {
        self.ops.get(self.kernels.get(&kernel)?).copied()
    }

    /// The CPU op of each kernel that has no launch call, by kernel.
    pub(super) fn without_launch(&self, rank: &Rank) -> Vec<(SliceId, SliceId)> {
        let is_op = |id: SliceId| {
            let slice = rank.slices.get(id);
            slice.is_some_and(|s| s.category() == Category::CpuOp)
        };
        let asking = self.kernels.keys().copied();
        let mut found: Vec<(SliceId, SliceId)> = asking
            .filter(|id| rank.links.launch_of(*id).is_none())
            .filter_map(|id| Some((id, self.op_of(id).filter(|op| is_op(*op))?)))
            .collect();
        found.sort_unstable();
        found
    }
}
