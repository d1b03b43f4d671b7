//! What the host costs: memory management, launches, lateness, and idleness of both sides.

use super::case::{Case, Draft, Part, number};
use super::collectives::chunk_chains;
use super::kind::FindingKind;
use crate::interval::{Interval, IntervalSet};
use crate::metrics::walk::Walk;
use crate::metrics::{IdleCause, IdleGap};
use crate::time::{DurNs, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Category, SliceId, Thread};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// This many calls in a row that give memory back are a run; fewer are some tensor's own.
pub(super) const LEAST_FREES: usize = 3;
/// With more time than this between two of them they are no run.
pub(super) const MOST_BETWEEN_FREES: DurNs = DurNs(1_000_000);
/// Fewer launched computation kernels than this tell nothing of launches.
pub(super) const LEAST_LAUNCHES: usize = 20;

/// Gaps longer than this many launch calls have other reasons than many launches.
pub(super) const MOST_LAUNCHES_OF_A_GAP: i64 = 20;

/// Calls that get memory of the device.
const ALLOCATES: [&str; 8] = [
    "cudaMalloc",
    "cuMemAlloc",
    "cuMemAlloc_v2",
    "cuMemCreate",
    "cuMemMap",
    "hipMalloc",
    "hipMemCreate",
    "hipMemMap",
];
/// Calls that give it back.
const FREES: [&str; 8] = [
    "cudaFree",
    "cuMemFree",
    "cuMemFree_v2",
    "cuMemUnmap",
    "cuMemRelease",
    "hipFree",
    "hipMemUnmap",
    "hipMemRelease",
];
/// A Python frame with this in its name empties the cache of the allocator.
const EMPTIES_THE_CACHE: &str = "empty_cache";
/// Calls that launch a graph have this in their name.
const GRAPH_LAUNCH: &str = "GraphLaunch";

/// Idle time while the launching thread got memory of the device or gave it back.
pub(super) fn allocations(case: &mut Case<'_>) {
    let mut gaps: BTreeMap<u32, Vec<Interval>> = BTreeMap::new();
    for (gap, inside) in case.gaps() {
        let thread = launching_thread(case, &gap);
        if let Some(thread) = thread {
            gaps.entry(thread.slices.start)
                .or_default()
                .push(inside.into());
        }
    }
    let mut allocating = Vec::new();
    let mut freeing = Vec::new();
    let mut empties = None;
    for thread in &case.rank.threads {
        let Some(idle) = gaps.remove(&thread.slices.start) else {
            continue;
        };
        let idle = IntervalSet::merge(idle);
        let calls = memory_calls(case, thread);
        let costs = |call: &MemoryCall| {
            let shared = IntervalSet::merge(vec![call.at]).intersect(&idle);
            (!shared.is_empty()).then_some((call.id, shared))
        };
        let gets = calls.iter().filter(|c| c.gets);
        allocating.extend(gets.filter_map(costs));
        for run in runs(&calls) {
            let cost: Vec<_> = run.iter().filter_map(costs).collect();
            if let (Some(first), Some(last), None) = (run.first(), run.last(), empties) {
                empties = python_around(case, thread, first.at, last.at);
            }
            freeing.extend(cost);
        }
    }
    report_calls(
        case,
        FindingKind::DeviceAllocation,
        format!("Device memory is allocated{}", place(case)),
        &allocating,
    );
    let by = empties.map_or("", |_| " by empty_cache");
    let title = format!("Device memory is given back{}{by}", place(case));
    report_calls(case, FindingKind::DeviceFree, title, &freeing);
}

/// Where calls lie, if the trace knows of steps.
fn place(case: &Case<'_>) -> &'static str {
    if case.rank.host_steps.is_empty() {
        ""
    } else {
        " in a step"
    }
}

/// A call that gets memory or gives it back.
struct MemoryCall {
    id: SliceId,
    at: Interval,
    gets: bool,
}

fn memory_calls(case: &Case<'_>, thread: &Thread) -> Vec<MemoryCall> {
    let mut calls = Vec::new();
    for slice in case.rank.slices.range(thread.slices.clone()) {
        if slice.category() != Category::Runtime {
            continue;
        }
        let name = case.trace.names.get(slice.name());
        let (gets, gives) = (ALLOCATES.contains(&name), FREES.contains(&name));
        if (gets || gives) && case.is_in_step(slice.start()) {
            calls.push(MemoryCall {
                id: slice.id(),
                at: slice.window().into(),
                gets,
            });
        }
    }
    calls
}

/// Runs of calls that give memory back.
fn runs(calls: &[MemoryCall]) -> impl Iterator<Item = &[MemoryCall]> {
    let belong = |a: &MemoryCall, b: &MemoryCall| {
        !a.gets && !b.gets && b.at.start - a.at.end <= MOST_BETWEEN_FREES
    };
    let all = calls.chunk_by(belong);
    all.filter(|run| run.len() >= LEAST_FREES && run.iter().all(|c| !c.gets))
}

/// The Python frame around a run that empties the cache, where the stack was recorded.
fn python_around(
    case: &Case<'_>,
    thread: &Thread,
    first: Interval,
    last: Interval,
) -> Option<SliceId> {
    let slices = case.rank.slices.range(thread.slices.clone());
    let mut frames = slices.take_while(|s| s.start() <= first.start).filter(|s| {
        s.category() == Category::Python
            && s.end() >= last.end
            && case.trace.names.get(s.name()).contains(EMPTIES_THE_CACHE)
    });
    frames.next().map(|s| s.id())
}

fn report_calls(
    case: &mut Case<'_>,
    kind: FindingKind,
    title: String,
    calls: &[(SliceId, IntervalSet)],
) {
    let longest = calls
        .iter()
        .max_by_key(|(id, cost)| (cost.total(), std::cmp::Reverse(*id)));
    let evidence = longest.map(|(id, _)| *id);
    let parts = calls.iter().flat_map(|(_, cost)| cost.intervals().to_vec());
    let wanted = IntervalSet::merge(parts.collect());
    let mut draft = Draft::new(kind, title, Part::Idle, wanted, number(calls.len()));
    draft.evidence = evidence;
    draft.note = "idle time during those calls of the launching thread".into();
    case.report(draft);
}

/// The thread that launched the kernel which ended a gap.
fn launching_thread<'t>(case: &Case<'t>, gap: &IdleGap) -> Option<&'t Thread> {
    let launch = case.rank.links.launch_of(gap.next?)?;
    case.rank.thread_of(launch)
}

/// Idle time for launches, where kernels are shorter than the calls that launch them.
pub(super) fn launches(case: &mut Case<'_>) {
    let Some((kernel, call, count)) = median_lengths(case) else {
        return;
    };
    if kernel > call || launches_graphs(case) {
        return;
    }
    // What the profiler slows down is its own finding.
    let inflated = case.rank.recorded_with.slows_the_host().is_some();
    let is_launch = |cause| match cause {
        IdleCause::Launch => true,
        IdleCause::HostLate => !inflated,
        _ => false,
    };
    let longest_gap = call.0.saturating_mul(MOST_LAUNCHES_OF_A_GAP);
    let gaps: Vec<(IdleGap, Window)> = case.gaps();
    let gaps: Vec<_> = gaps
        .into_iter()
        .filter(|(g, _)| is_launch(g.cause) && g.window.len().0 <= longest_gap)
        .collect();
    let all = IntervalSet::merge(gaps.iter().map(|(_, w)| (*w).into()).collect());
    let longest = gaps
        .iter()
        .max_by_key(|(_, w)| (w.len(), std::cmp::Reverse(w.start())));
    let evidence = longest.and_then(|(g, _)| g.blamed.or(g.next));
    let note = format!(
        "computation kernels take {} us in the median, the calls that launch them {} us, and no graph is launched",
        kernel.us3(),
        call.us3()
    );
    let chains = chunk_chains(case);
    for (kind, title, wanted) in [
        (
            FindingKind::ChunkedLaunchGaps,
            "Gaps for launches between chunks of computation and their collectives",
            all.intersect(&chains),
        ),
        (
            FindingKind::LaunchBound,
            "Kernels are shorter than their launches",
            all.clone(),
        ),
    ] {
        let mut draft = Draft::new(kind, title, Part::Idle, wanted, number(count));
        draft.evidence = evidence;
        draft.note = Cow::Owned(note.clone());
        case.report(draft);
    }
}

/// The median lengths of computation kernels and of their launch calls, and how many there are.
fn median_lengths(case: &Case<'_>) -> Option<(DurNs, DurNs, usize)> {
    let rank = case.rank;
    let walk = Walk::new(rank, case.device, case.window, case.clip);
    let (mut kernels, mut calls) = walk.fold(
        || (Vec::new(), Vec::new()),
        |(mut kernels, mut calls), kernel| {
            let launch = rank.links.launch_of(kernel.id);
            let launch = launch.and_then(|id| rank.slices.get(id));
            if let Some(launch) = launch.filter(|_| kernel.class == KernelClass::Computation) {
                kernels.push(kernel.length);
                calls.push(launch.dur());
            }
            (kernels, calls)
        },
        |(mut a, mut b), (c, d)| {
            a.extend(c);
            b.extend(d);
            (a, b)
        },
    );
    let count = kernels.len();
    if count < LEAST_LAUNCHES {
        return None;
    }
    kernels.sort_unstable();
    calls.sort_unstable();
    Some((*kernels.get(count / 2)?, *calls.get(count / 2)?, count))
}

fn launches_graphs(case: &Case<'_>) -> bool {
    let mut known = BTreeMap::new();
    case.rank.threads.iter().any(|thread| {
        let calls = case.rank.slices.range(thread.slices.clone());
        let mut calls = calls
            .take_while(|s| s.start() < case.window.end())
            .filter(|s| s.category() == Category::Runtime);
        calls.any(|call| {
            *known
                .entry(call.name())
                .or_insert_with(|| case.trace.names.get(call.name()).contains(GRAPH_LAUNCH))
        })
    })
}

/// The rest of the idle time for which the host was late, or in a single launch call.
pub(super) fn late(case: &mut Case<'_>) {
    let slowed = case.rank.recorded_with.slows_the_host();
    let (kind, title, note) = match slowed {
        Some(options) => (
            FindingKind::ProfilerOverhead,
            format!("The host is late, inflated by the profiler ({options})"),
            "how much of it the profiler costs is not in the trace",
        ),
        None => (FindingKind::HostLate, "The host is late".to_owned(), ""),
    };
    of_cause(case, IdleCause::HostLate, kind, &title, note);
    of_cause(
        case,
        IdleCause::Launch,
        FindingKind::LongLaunch,
        "Launch calls take long",
        "a long first launch loads a module",
    );
}

/// Idle time in which the host did nothing that was recorded, or waited for something else.
pub(super) fn idle(case: &mut Case<'_>) {
    let note = "no kernel runs, and the launching thread does nothing that was recorded or waits";
    of_cause(
        case,
        IdleCause::HostIdle,
        FindingKind::BothIdle,
        "GPU and host are both idle",
        note,
    );
}

fn of_cause(
    case: &mut Case<'_>,
    wanted: IdleCause,
    kind: FindingKind,
    title: &str,
    note: &'static str,
) {
    let mut by_name: BTreeMap<&str, i64> = BTreeMap::new();
    let mut parts = Vec::new();
    let mut longest: Option<(DurNs, SliceId)> = None;
    for (gap, inside) in case.gaps() {
        if gap.cause != wanted {
            continue;
        }
        parts.push(inside.into());
        if let Some(name) = gap.blamed.and_then(|id| case.name(id)) {
            let sum = by_name.entry(name).or_default();
            *sum = sum.saturating_add(inside.len().0);
        }
        let event = gap.blamed.or(gap.next);
        if let Some(id) = event.filter(|_| longest.is_none_or(|(most, _)| most < inside.len())) {
            longest = Some((inside.len(), id));
        }
    }
    let most = by_name
        .iter()
        .max_by_key(|(name, time)| (**time, std::cmp::Reverse(**name)));
    let title = match most {
        Some((name, _)) => format!("{title}, most in {name}"),
        None => title.to_owned(),
    };
    let count = number(parts.len());
    let mut draft = Draft::new(kind, title, Part::Idle, IntervalSet::merge(parts), count);
    draft.evidence = longest.map(|(_, id)| id);
    draft.note = note.into();
    case.report(draft);
}
