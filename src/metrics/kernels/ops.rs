//! Which CPU op launched a kernel: the innermost one around the launch call, on its thread.

use super::KernelGroup;
use crate::metrics::walk::{Found, Walk};
use crate::time::Ns;
use crate::trace::{Category, NameId, Rank, SliceId, Thread};
use rayon::prelude::*;
use std::ops::Range;

/// The ops of the launch calls of a window.
pub(super) struct Ops {
    /// By thread, in the order of their ranges.
    threads: Vec<ThreadOps>,
}

/// The op of every runtime call of a part of a thread.
struct ThreadOps {
    ids: Range<u32>,
    /// One entry a slice of the part.
    ops: Vec<Option<NameId>>,
}

impl Ops {
    /// Looks up the launch calls of all kernels of a walk: one pass over each of their threads.
    pub(super) fn new(rank: &Rank, walk: &Walk<'_>) -> Self {
        let calls: Vec<Range<u32>> = walk.fold(
            || vec![0..0; rank.threads.len()],
            |mut calls, kernel| {
                let launch = rank.links.launch_of(kernel.id);
                let slot = launch.and_then(|l| Some((l, calls.get_mut(thread_at(rank, l)?)?)));
                if let Some((launch, range)) = slot {
                    let end = launch.0.saturating_add(1);
                    *range = hull(range.clone(), launch.0..end);
                }
                calls
            },
            |a, b| a.into_iter().zip(b).map(|(a, b)| hull(a, b)).collect(),
        );
        let threads = rank
            .threads
            .par_iter()
            .zip(calls)
            .filter(|(_, ids)| !ids.is_empty())
            .map(|(thread, ids)| ThreadOps {
                ops: sweep(rank, thread, &ids),
                ids,
            })
            .collect();
        Self { threads }
    }

    /// The group of a kernel.
    pub(super) fn group_of(&self, kernel: &Found<'_>) -> KernelGroup {
        let rank = kernel.rank;
        let Some(launch) = rank.links.launch_of(kernel.id) else {
            let op = rank
                .external_op(kernel.id)
                .and_then(|op| rank.slices.get(op));
            return op.map_or(KernelGroup::NoLaunch, |op| KernelGroup::Op(op.name()));
        };
        self.op_of(launch)
            .map_or(KernelGroup::NoOp, KernelGroup::Op)
    }

    fn op_of(&self, launch: SliceId) -> Option<NameId> {
        let after = self.threads.partition_point(|t| t.ids.start <= launch.0);
        let thread = self.threads.get(after.checked_sub(1)?)?;
        let at = launch.0.checked_sub(thread.ids.start)?;
        *thread.ops.get(SliceId(at).index())?
    }
}

/// The place of the thread that a slice stands on.
fn thread_at(rank: &Rank, slice: SliceId) -> Option<usize> {
    let after = rank.threads.partition_point(|t| t.slices.start <= slice.0);
    let at = after.checked_sub(1)?;
    let thread = rank.threads.get(at)?;
    thread.slices.contains(&slice.0).then_some(at)
}

fn hull(a: Range<u32>, b: Range<u32>) -> Range<u32> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (_, true) => a,
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// The innermost op around the start of each call in a part of a thread: of the ops that began
/// then or before and have not ended, the one that began last, and of several the shortest.
///
/// The slices of a thread are sorted by start, longer first, so open ops form a stack.
fn sweep(rank: &Rank, thread: &Thread, ids: &Range<u32>) -> Vec<Option<NameId>> {
    let mut ops = vec![None; ids.len()];
    let mut open: Vec<(Ns, NameId)> = Vec::new();
    // Calls at one instant wait until all ops of that instant are known.
    let mut waiting: Vec<u32> = Vec::new();
    let mut now = Ns::MIN;
    let mut answer = |waiting: &mut Vec<u32>, open: &[(Ns, NameId)]| {
        for call in waiting.drain(..) {
            let at = SliceId(call.saturating_sub(ids.start)).index();
            if let Some(slot) = ops.get_mut(at) {
                *slot = open.last().map(|op| op.1);
            }
        }
    };
    for slice in rank.slices.range(thread.slices.clone()) {
        let category = slice.category();
        if category != Category::CpuOp && category != Category::Runtime {
            continue;
        }
        if slice.start() != now {
            answer(&mut waiting, &open);
            if slice.id().0 >= ids.end {
                break;
            }
            now = slice.start();
            while open.pop_if(|op| op.0 <= now).is_some() {}
        }
        if category == Category::Runtime {
            if ids.contains(&slice.id().0) {
                waiting.push(slice.id().0);
            }
        } else if slice.end() > now {
            open.push((slice.end(), slice.name()));
        }
    }
    answer(&mut waiting, &open);
    ops
}
