//! Check b: what made streams and the host wait for each other.
//!
//! A synchronisation record names both streams, so its edge is exact. The runtime call alone carries
//! nothing but a correlation id: then only two launches of its thread can be told between which
//! *something* waits, and no stream is named.

use super::samples::Source;
use super::streams::from;
use crate::metrics::{IdleCause, IdleGaps};
use crate::time::{DurNs, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Category, SliceId, StreamId};
use std::collections::BTreeMap;

/// One stream waited for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitEdge {
    /// The stream that waits.
    pub stream: StreamId,
    /// The stream that it waits for.
    pub wait_on: StreamId,
    /// How often.
    pub count: u64,
    /// Whether the one runs computation and the other communication in this window.
    pub joins_classes: bool,
    /// The first record.
    pub first: SliceId,
}

/// Calls of one name, inside of one op, that kept the host from launching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostBlock {
    /// The call.
    pub call: String,
    /// The op around it, where there is one.
    pub op: Option<String>,
    /// Whether it is a copy.
    pub is_copy: bool,
    /// How many of them cost anything.
    pub count: u64,
    /// Idle time of the device from the start of each call to the next kernel: parts of the gaps
    /// of the idle panel.
    pub cost: DurNs,
    /// The one that cost most.
    pub worst: SliceId,
    worst_cost: DurNs,
}

/// What waited for what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitCheck {
    /// Exact edges, where the trace has records of them; by stream.
    pub edges: Vec<WaitEdge>,
    /// Records whose event's stream is not known.
    pub unknown_edges: u64,
    /// Whether the trace has any record of synchronisation.
    pub has_records: bool,
    /// Calls in the window that make a stream wait, where no record names the streams.
    pub possible: u64,
    /// The first of those, and the launches of its thread before and behind it.
    pub first_possible: Option<Possible>,
    /// What blocked the host, the costliest first.
    pub blocks: Vec<HostBlock>,
}

/// A dependency that may lie between two launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Possible {
    /// The call that makes a stream wait.
    pub call: SliceId,
    /// The launch before it on its thread.
    pub before: Option<SliceId>,
    /// The launch behind it.
    pub behind: Option<SliceId>,
}

impl WaitCheck {
    /// What all blocking calls cost.
    #[must_use]
    pub fn cost(&self) -> DurNs {
        self.blocks.iter().map(|b| b.cost).sum()
    }
}

/// Asks the records, the calls and the gaps of a device.
pub(super) fn check(source: &Source<'_>, gaps: &IdleGaps) -> WaitCheck {
    let mut found = WaitCheck {
        blocks: blocks(source, gaps),
        ..WaitCheck::default()
    };
    edges(source, &mut found);
    if !found.has_records {
        possible(source, &mut found);
    }
    found
}

fn edges(source: &Source<'_>, found: &mut WaitCheck) {
    let Source { rank, window, .. } = *source;
    let waits = source.launches.map_or(&[][..], |l| l.waits());
    let in_extras = |id: SliceId| {
        let mut extras = source.device.extras.iter();
        extras.any(|thread| thread.slices.contains(&id.0))
    };
    found.has_records = !waits.is_empty();
    let classes = stream_classes(source);
    let mut edges: BTreeMap<(StreamId, StreamId), WaitEdge> = BTreeMap::new();
    for wait in waits.iter().filter(|w| in_extras(w.slice)) {
        let Some(slice) = rank.slices.get(wait.slice) else {
            continue;
        };
        if !window.contains(slice.start()) {
            continue;
        }
        let (Some(stream), Some(wait_on)) = (wait.stream, wait.wait_on) else {
            found.unknown_edges += 1;
            continue;
        };
        let has = |stream: StreamId, class: KernelClass| classes.contains(&(stream, class));
        let joins = |a: StreamId, b: StreamId| {
            has(a, KernelClass::Computation) && has(b, KernelClass::Communication)
        };
        let edge = edges.entry((stream, wait_on)).or_insert(WaitEdge {
            stream,
            wait_on,
            count: 0,
            joins_classes: joins(stream, wait_on) || joins(wait_on, stream),
            first: wait.slice,
        });
        edge.count += 1;
    }
    found.edges = edges.into_values().collect();
}

/// Which classes run on which stream in the window.
fn stream_classes(source: &Source<'_>) -> Vec<(StreamId, KernelClass)> {
    let mut found = Vec::new();
    for stream in &source.device.streams {
        let parts = stream.activity(source.clip).measure(source.window);
        for class in KernelClass::ALL {
            let bit = crate::trace::Busy::bit(class);
            if parts.sum(|mask| mask & bit != 0) > DurNs::ZERO {
                found.push((stream.id, class));
            }
        }
    }
    found
}

/// Calls that make a stream wait, where no record names it.
fn possible(source: &Source<'_>, found: &mut WaitCheck) {
    let Source {
        trace,
        rank,
        window,
        ..
    } = *source;
    let name = |id: SliceId| rank.slices.get(id).map(|s| trace.names.get(s.name()));
    let launches = |id: SliceId| {
        let correlation = rank.slices.get(id).and_then(|s| s.correlation());
        correlation.is_some_and(|c| !rank.links.kernels(c).is_empty())
    };
    for thread in &rank.threads {
        for call in in_window(source, &thread.slices, window) {
            let is_wait = call.category() == Category::Runtime
                && name(call.id()).is_some_and(|n| n.contains("StreamWaitEvent"));
            if !is_wait {
                continue;
            }
            found.possible += 1;
            found.first_possible.get_or_insert_with(|| {
                let earlier = rank.slices.range(thread.slices.start..call.id().0).rev();
                let later = rank.slices.range(call.id().0..thread.slices.end);
                Possible {
                    call: call.id(),
                    before: earlier.map(|s| s.id()).find(|id| launches(*id)),
                    behind: later.map(|s| s.id()).find(|id| launches(*id)),
                }
            });
        }
    }
}

/// The slices of a lane, sorted by start, that begin inside a window.
fn in_window<'t>(
    source: &Source<'t>,
    slices: &std::ops::Range<u32>,
    window: Window,
) -> impl Iterator<Item = crate::trace::Slice<'t>> {
    let index = |id: u32| SliceId(id).index();
    let starts = source.rank.slices.starts();
    let starts = starts.get(index(slices.start)..index(slices.end));
    let before = starts.map_or(0, |s| s.partition_point(|at| *at < window.start()));
    let first = slices.start + u32::try_from(before).unwrap_or(0);
    source
        .rank
        .slices
        .range(first..slices.end)
        .take_while(move |s| s.start() < window.end())
}

fn blocks(source: &Source<'_>, gaps: &IdleGaps) -> Vec<HostBlock> {
    let Source {
        trace,
        rank,
        window,
        ..
    } = *source;
    let word = |id: SliceId| {
        let slice = rank.slices.get(id)?;
        Some(trace.names.get(slice.name()).to_owned())
    };
    let mut found: BTreeMap<(String, Option<String>), HostBlock> = BTreeMap::new();
    for gap in gaps.all() {
        let is_copy = match gap.cause {
            IdleCause::HostSync => false,
            IdleCause::HostCopy => true,
            _ => continue,
        };
        let blamed = gap.blamed.and_then(|id| rank.slices.get(id));
        let (Some(blamed), Some(inside)) = (blamed, gap.window.clip(window)) else {
            continue;
        };
        let cost = from(inside, blamed.start()).len();
        let (Some(call), true) = (word(blamed.id()), cost > DurNs::ZERO) else {
            continue;
        };
        let op = rank.op_around(blamed.id()).and_then(word);
        let entry = found.entry((call.clone(), op.clone()));
        let block = entry.or_insert(HostBlock {
            call,
            op,
            is_copy,
            count: 0,
            cost: DurNs::ZERO,
            worst: blamed.id(),
            worst_cost: DurNs::ZERO,
        });
        block.count += 1;
        block.cost = block.cost + cost;
        if cost > block.worst_cost {
            (block.worst, block.worst_cost) = (blamed.id(), cost);
        }
    }
    let mut blocks: Vec<HostBlock> = found.into_values().collect();
    blocks.sort_by_key(|b| std::cmp::Reverse(b.cost));
    blocks
}
