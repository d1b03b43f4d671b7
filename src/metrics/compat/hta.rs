//! Holistic Trace Analysis: temporal breakdown and overlap of one rank.

use super::{CompatRow, Frame, Tool, time};
use crate::metrics::rows::Row;
use crate::metrics::{FigureValue, Ratio};
use crate::time::{DurNs, Ns};
use crate::trace::{Category, NameId, Rank, Slice, Trace};
use regex::Regex;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Its kernel types in the order of its tests; each is matched at the start of the name.
const COMMUNICATION: &str = r"^(?:(?:nccl.*)|(?:hip)|(?:hccl)|(?:.*ncclKernel.*))";
const MEMORY: &str = r"^(?:(?:(?:hip)?Memcpy)|(?:(?:hip)?Memset)|(?:dma))";
const NOT_COMPUTATION: &str = r"^(?:nccl|.*Memcpy|.*Memset|.*dma|.*Sync|Stream Wait Event|cuda.*LaunchKernel|runFunction|hip|job_exe|packet|pe_exe|cpum_exe_subgraph|hccl|collective_subgraph_execution)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Communication,
    Memory,
    Computation,
    Other,
}

fn kind(name: &str) -> Kind {
    static RULES: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
        let rule = |text| Regex::new(text).ok();
        Some([rule(COMMUNICATION)?, rule(MEMORY)?, rule(NOT_COMPUTATION)?])
    });
    let Some([communication, memory, not_computation]) = &*RULES else {
        return Kind::Other;
    };
    if communication.is_match(name) {
        Kind::Communication
    } else if memory.is_match(name) {
        Kind::Memory
    } else if not_computation.is_match(name) {
        Kind::Other
    } else {
        Kind::Computation
    }
}

/// A GPU event as it is counted there, in whole µs.
#[derive(Clone, Copy)]
struct Event {
    start: i64,
    /// May lie before the start: of a kernel that touches no whole µs.
    end: i64,
    kind: Kind,
}

const ADMITTED: &str = "HTA counts every event with a stream (also synchronisation records), drops what was launched in the last of several steps, cuts times to whole µs and tells types by other patterns";

/// Its figures of a rank.
pub(super) fn rows(trace: &Trace, rank: &Rank, ours: Option<&Row>) -> Vec<CompatRow> {
    let frame = Frame {
        rank,
        tool: Tool::Hta,
        ours,
    };
    let events = events(trace, rank);
    let all = merged(&events, |_| true);
    let computation = merged(&events, |k| k == Kind::Computation);
    let communication = merged(&events, |k| k == Kind::Communication);
    let first = all.first().map_or(0, |i| i.0);
    let last = all.last().map_or(0, |i| i.1);
    let us = |n: i64| DurNs(n.saturating_mul(1_000));
    let there = !all.is_empty();
    let figure = |n: i64| there.then(|| FigureValue::Time(us(n)));
    let (whole, compute) = (last - first, length(&computation));
    let idle = whole - length(&all);
    let overlap = overlap(&computation, &communication);
    let hidden = Ratio::new(us(overlap), us(length(&communication)));
    vec![
        frame.row(
            (
                "kernel_time",
                "last end less first start of all GPU events",
                ADMITTED,
            ),
            figure(whole),
            |s| time(s.kernel_time),
        ),
        frame.row(
            (
                "compute_time",
                "merged time of what it takes for computation",
                ADMITTED,
            ),
            figure(compute),
            |s| time(s.compute_time),
        ),
        frame.row(
            (
                "non_compute_time",
                "what computation and idle leave",
                ADMITTED,
            ),
            figure(whole - compute - idle),
            |s| time(s.non_compute_time),
        ),
        frame.row(
            (
                "idle_time",
                "kernel time less merged time of all GPU events",
                ADMITTED,
            ),
            figure(idle),
            |s| time(s.idle_time),
        ),
        frame.row(
            (
                "comp_comm_overlap_pctg",
                "communication that computation hides, of all communication",
                ADMITTED,
            ),
            hidden.map(FigureValue::Share),
            |s| s.comm_hidden_by_comp().map(FigureValue::Share),
        ),
    ]
}

/// GPU events by its admission: what has a stream, whatever its category, before the last of several
/// steps.
fn events(trace: &Trace, rank: &Rank) -> Vec<Event> {
    let until = match rank.host_steps.as_slice() {
        [] | [_] => None,
        steps => steps.iter().map(|s| s.window.start()).max(),
    };
    let launched_before = |slice: &Slice<'_>, until: Ns| {
        let call = slice.correlation().and_then(|id| rank.links.launch(id));
        let call = call.and_then(|id| rank.slices.get(id));
        call.is_some_and(|call| call.start() < until)
    };
    let streams = rank.devices.iter().flat_map(|d| &d.streams);
    let extras = rank.devices.iter().flat_map(|d| &d.extras);
    let lanes = streams.map(|s| &s.slices).chain(extras.map(|t| &t.slices));
    let slices = lanes.flat_map(|lane| rank.slices.range(lane.clone()));
    let mut known: FxHashMap<NameId, Kind> = FxHashMap::default();
    slices
        .filter(|s| matches!(s.category(), Category::Gpu | Category::Sync))
        .filter(|s| until.is_none_or(|until| launched_before(s, until)))
        .map(|s| Event {
            start: s.start().0.div_euclid(1_000) + i64::from(s.start().0.rem_euclid(1_000) != 0),
            end: s.end().0.div_euclid(1_000),
            kind: *known
                .entry(s.name())
                .or_insert_with(|| kind(trace.names.get(s.name()))),
        })
        .collect()
}

/// Its merging: a new group begins where the start lies behind all ends so far. Not the interval
/// module's, since an event may end before it starts here, and counts with that.
fn merged(events: &[Event], wanted: impl Fn(Kind) -> bool) -> Vec<(i64, i64)> {
    let mut sorted: Vec<(i64, i64)> = events
        .iter()
        .filter(|e| wanted(e.kind))
        .map(|e| (e.start, e.end))
        .collect();
    sorted.sort_unstable();
    let mut groups: Vec<(i64, i64)> = Vec::new();
    for (start, end) in sorted {
        match groups.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => groups.push((start, end)),
        }
    }
    groups
}

fn length(groups: &[(i64, i64)]) -> i64 {
    groups.iter().map(|(start, end)| end - start).sum()
}

/// Time of both, as its sweep over both lists gives it.
fn overlap(a: &[(i64, i64)], b: &[(i64, i64)]) -> i64 {
    let (mut i, mut j, mut total) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        total += (x.1.min(y.1) - x.0.max(y.0)).max(0);
        if x.1 <= y.1 { i += 1 } else { j += 1 }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_by_its_patterns_in_its_order() {
        for (name, told) in [
            ("ncclDevKernel_AllReduce_Sum", Kind::Communication),
            // Not at the start: computation there.
            ("void ncclDevKernel_AllReduce", Kind::Computation),
            ("xx_ncclKernel_AllReduce", Kind::Communication),
            ("hipMemcpyAsync", Kind::Communication),
            ("Memcpy HtoD (Pinned -> Device)", Kind::Memory),
            ("Memset (Device)", Kind::Memory),
            ("Stream Sync", Kind::Other),
            ("fooSyncBar", Kind::Other),
            ("gemm_dma_kernel", Kind::Other),
            ("ampere_sgemm", Kind::Computation),
            ("cross_device_reduce_1stage", Kind::Computation),
        ] {
            assert_eq!(kind(name), told, "{name}");
        }
    }

    #[test]
    fn touching_events_merge_and_short_ones_may_count_less_than_nothing() {
        let event = |start, end| Event {
            start,
            end,
            kind: Kind::Computation,
        };
        let groups = merged(
            &[event(0, 5), event(5, 7), event(9, 8), event(20, 30)],
            |_| true,
        );
        assert_eq!(groups, [(0, 7), (9, 8), (20, 30)]);
        assert_eq!(length(&groups), 16);
        assert_eq!(overlap(&[(0, 10), (15, 25)], &[(5, 20)]), 10);
    }
}
