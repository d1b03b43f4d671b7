//! Visits the kernels of a device in a window, in parallel and without a look at the others.

use super::window::counts;
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Device, NameId, Rank, Slice, SliceId};
use rayon::prelude::*;
use std::ops::Range;

/// Slices that one task takes.
const CHUNK: u32 = 1 << 16;

/// A kernel that the window counts.
pub(super) struct Found<'t> {
    /// Its number.
    pub id: SliceId,
    /// Its start.
    pub start: Ns,
    /// Its whole length, clipped only where suspicious kernels are.
    pub length: DurNs,
    /// What of it lies in the window.
    pub inside: DurNs,
    /// Whether it reaches over an edge.
    pub is_cut: bool,
    /// Its name.
    pub name: NameId,
    /// Its class.
    pub class: KernelClass,
    /// The rank that it belongs to.
    pub rank: &'t Rank,
}

/// The kernels of a device in a window.
pub(super) struct Walk<'t> {
    rank: &'t Rank,
    window: Window,
    clip_suspicious: bool,
    /// Last end of the device: a zero-length kernel there belongs to a window that ends there.
    last: Ns,
    chunks: Vec<Range<u32>>,
}

impl<'t> Walk<'t> {
    /// Finds where the kernels of the window stand.
    pub(super) fn new(
        rank: &'t Rank,
        device: &'t Device,
        window: Window,
        clip_suspicious: bool,
    ) -> Self {
        let mut walk = Self {
            rank,
            window,
            clip_suspicious,
            last: device.extent(clip_suspicious).end(),
            chunks: Vec::new(),
        };
        for stream in &device.streams {
            let across = stream.activity(clip_suspicious).across(window.start());
            let Range { start, end } = walk.candidates(stream.slices.clone(), across);
            let step = usize::try_from(CHUNK).unwrap_or(usize::MAX);
            let chunks = (start..end).step_by(step);
            walk.chunks
                .extend(chunks.map(|from| from..from.saturating_add(CHUNK).min(end)));
        }
        walk
    }

    /// The window.
    pub(super) fn window(&self) -> Window {
        self.window
    }

    /// The part of a stream, sorted by start, that holds all kernels of the window. Of those that
    /// start before the window, `across` reach into it: the walk back ends at the last of them.
    fn candidates(&self, ids: Range<u32>, across: u64) -> Range<u32> {
        let index = |id: u32| SliceId(id).index();
        let starts = self.rank.slices.starts();
        let starts = starts.get(index(ids.start)..index(ids.end)).unwrap_or(&[]);
        let id = |n: usize| {
            ids.start
                .saturating_add(u32::try_from(n).unwrap_or(u32::MAX))
        };
        let inside = id(starts.partition_point(|s| *s < self.window.start()));
        let end = id(starts.partition_point(|s| *s <= self.window.end()));
        let mut first = inside;
        let mut missing = across;
        for slice in self.rank.slices.range(ids.start..inside).rev() {
            if missing == 0 {
                break;
            }
            first = slice.id().0;
            let counts = slice.class().is_some() && self.end_of(slice) > self.window.start();
            missing -= u64::from(counts);
        }
        first..end
    }

    fn end_of(&self, slice: Slice<'_>) -> Ns {
        self.rank.end_of(slice, self.clip_suspicious)
    }

    /// The kernel, if the window counts it: as the summary does.
    fn find(&self, slice: Slice<'_>) -> Option<Found<'t>> {
        let (start, end) = (slice.start(), self.end_of(slice));
        let w = self.window;
        let class = slice.class()?;
        counts(w, (start, end), self.last).then(|| Found {
            id: slice.id(),
            start,
            length: end - start,
            inside: end.min(w.end()) - start.max(w.start()),
            is_cut: start < w.start() || end > w.end(),
            name: slice.name(),
            class,
            rank: self.rank,
        })
    }

    /// Folds over all kernels of the window; parts of any size are joined in any order.
    pub(super) fn fold<A: Send>(
        &self,
        zero: impl Fn() -> A + Sync + Send,
        add: impl Fn(A, &Found<'t>) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> A {
        self.chunks
            .par_iter()
            .fold(&zero, |sum, chunk| {
                let slices = self.rank.slices.range(chunk.clone());
                slices
                    .filter_map(|slice| self.find(slice))
                    .fold(sum, |sum, found| add(sum, &found))
            })
            .reduce(&zero, join)
    }
}
