//! Findings: each rule with a figure worked out by hand and a near miss; no time at stake twice.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load, read_launches};
use overlane::interval::IntervalSet;
use overlane::metrics::{
    Finding, FindingKind as Kind, FindingSeverity, Observed, OverlapAnalysis, Parallelism, Query,
    TypedGroups, findings, group_labels, overlap_analyses,
};
use overlane::trace::{LaunchDetails, LaunchShape, RankId, RankLaunches, SliceId, Trace};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::{Call, TraceBuilder};

fn analysed(trace: &Trace, launches: &LaunchDetails) -> (Vec<OverlapAnalysis>, Vec<Finding>) {
    let observed = Observed {
        trace,
        launches,
        query: Query::default(),
    };
    let analyses = overlap_analyses(&observed, None);
    let labels = group_labels(trace, &Query::default(), &TypedGroups::new());
    let found = findings(&observed, &analyses, &labels);
    add_up(&analyses, &found);
    (analyses, found)
}

/// What must hold of any trace: no instant is claimed twice, and each part is large enough.
fn add_up(analyses: &[OverlapAnalysis], found: &[Finding]) {
    for analysis in analyses {
        let own = found
            .iter()
            .filter(|f| (f.rank, f.device) == (analysis.rank, analysis.device));
        let own: Vec<&Finding> = own.collect();
        let mut claimed = IntervalSet::empty();
        let (mut beside, mut apart) = (0, 0);
        for finding in own {
            assert_eq!(claimed.intersect(&finding.claimed), IntervalSet::empty());
            claimed = claimed.union(&finding.claimed);
            assert!(finding.at_stake <= finding.claimed.total());
            // None is without a figure: time at stake, or memory that is held and no time.
            assert_eq!(
                finding.at_stake.0 > 0,
                finding.held.is_none(),
                "{finding:?}"
            );
            assert_eq!(finding.held.is_some(), finding.kind == Kind::DeepPrefetch);
            match finding.kind {
                Kind::MemoryBoundBeside | Kind::TooManyChannels => beside += finding.at_stake.0,
                _ => apart += finding.at_stake.0,
            }
            assert!(!finding.title.is_empty() && !finding.advice.is_empty());
            assert!(finding.count > 0, "{finding:?}");
        }
        let s = analysis.summary;
        assert!(apart <= s.kernel_time.0 - s.comp.0);
        assert!(beside <= s.overlap.0);
        assert!(claimed.clip(analysis.window) == claimed);
    }
}

/// Kind, time at stake and title of what is found on rank 0.
fn told(trace: &Trace) -> Vec<(Kind, i64, String)> {
    let (_, found) = analysed(trace, &LaunchDetails::default());
    let own = found.into_iter().filter(|f| f.rank == RankId(0));
    own.map(|f| (f.kind, f.at_stake.0, f.title)).collect()
}

fn stake(trace: &Trace, kind: Kind) -> Option<i64> {
    let told = told(trace);
    let mut own = told.iter().filter(|t| t.0 == kind).map(|t| t.1);
    let first = own.next();
    assert_eq!(own.next(), None, "{told:?}");
    first
}

fn title(trace: &Trace, kind: Kind) -> String {
    told(trace).into_iter().find(|t| t.0 == kind).unwrap().2
}

fn call(collective: &str, seq: i64, elements: u64) -> Call<'_> {
    Call {
        collective,
        group: "0",
        seq: Some(seq),
        elements: [Some(elements), Some(elements)],
        dtype: "Float",
        group_size: Some(2),
    }
}

/// Rank 0 computes until 100 and is in the all-reduce until 400; rank 1 comes at 300.
fn late_rank(end_of_the_late_one: i64) -> Trace {
    let all_reduce = call("allreduce", 1, 1000);
    TraceBuilder::new()
        .on_one_clock()
        .kernel("gemm", 0, 100)
        .stream(20)
        .call(&all_reduce, 100, 400)
        .rank(1)
        .kernel("gemm", 0, 300)
        .stream(20)
        .call(&all_reduce, 300, end_of_the_late_one)
        .build()
}

#[test]
fn waiting_for_a_late_rank_is_told_from_what_is_left() {
    let trace = late_rank(400);
    assert_eq!(stake(&trace, Kind::StragglerWait), Some(200));
    assert!(title(&trace, Kind::StragglerWait).ends_with("most for rank 1"));
    assert_eq!(stake(&trace, Kind::OnlyCommunication), Some(100));
    // The ends are 150 apart, so the clocks may be: a wait of 200 is not sure.
    let trace = late_rank(550);
    assert_eq!(stake(&trace, Kind::StragglerWait), None);
    assert_eq!(stake(&trace, Kind::OnlyCommunication), Some(300));
}

#[test]
fn communication_on_a_compute_stream_has_no_stream_of_its_own() {
    let same = |end| {
        let drawing = TraceBuilder::new().kernel("gemm", 0, end);
        drawing.comm("nccl", end, end + 50).build()
    };
    assert_eq!(stake(&same(100), Kind::NoIndependentStream), Some(50));
    // There are only 30 of computation to hide anything behind.
    assert_eq!(stake(&same(30), Kind::NoIndependentStream), Some(30));
    let other = TraceBuilder::new().kernel("gemm", 0, 100).stream(20);
    let other = other.comm("nccl", 100, 150).build();
    assert_eq!(
        told(&other),
        [(
            Kind::OnlyCommunication,
            50,
            "The GPU is busy only with communication".to_owned()
        )]
    );
    // One part in ten and more is a habit: 5 of 55 is none.
    let rarely = TraceBuilder::new()
        .kernel("gemm", 0, 100)
        .comm("nccl", 100, 105)
        .stream(20)
        .comm("nccl", 105, 155)
        .build();
    assert_eq!(stake(&rarely, Kind::NoIndependentStream), None);
}

/// Busy from 0 to 100, then again from 200 on, launched at 180.
fn until_200() -> TraceBuilder {
    TraceBuilder::new()
        .launched("first", 0, 0, 100)
        .launched_by("second", (180, 185), (200, 300))
}

#[test]
fn a_host_that_is_blocked_starves_the_device() {
    let item = || {
        until_200()
            .cpu("aten::item", 10, 110)
            .runtime_call("cudaStreamSynchronize", 20, 104)
            .cpu("aten::add", 110, 179)
    };
    let trace = item().build();
    assert_eq!(stake(&trace, Kind::ImplicitSync), Some(100));
    assert_eq!(
        title(&trace, Kind::ImplicitSync),
        "The host waits for the GPU in aten::item (cudaStreamSynchronize)"
    );
    // Between steps it is nobody's step.
    let outside = item().annotation("ProfilerStep#1", 150, 300).build();
    assert_eq!(stake(&outside, Kind::ImplicitSync), None);
    let barrier = until_200().cpu("c10d::barrier", 20, 150).build();
    assert_eq!(told(&barrier)[0].0, Kind::HostBarrier);
    assert_eq!(stake(&barrier, Kind::HostBarrier), Some(100));
    let copy = || until_200().runtime_call("cudaMemcpyAsync", 120, 170);
    assert_eq!(stake(&copy().build(), Kind::BlockingCopy), Some(80));
    // To read a value is to wait for it.
    let read = copy().cpu("aten::_local_scalar_dense", 115, 175).build();
    assert_eq!(stake(&read, Kind::ImplicitSync), Some(80));
    assert_eq!(stake(&read, Kind::BlockingCopy), None);
    // Blocked for a short time only.
    let short = until_200()
        .runtime_call("cudaStreamSynchronize", 100, 120)
        .cpu("aten::add", 120, 179)
        .build();
    assert_eq!(stake(&short, Kind::ImplicitSync), None);
}

#[test]
fn exposed_copies_of_pageable_memory() {
    let of = |name: &str, start| {
        let drawing = TraceBuilder::new().kernel("gemm", 0, 100).stream(8);
        stake(
            &drawing.copy(name, start, start + 40).build(),
            Kind::UnpinnedCopy,
        )
    };
    assert_eq!(of("Memcpy HtoD (Pageable -> Device)", 100), Some(40));
    assert_eq!(of("Memcpy HtoD (Pageable -> Device)", 70), Some(10));
    assert_eq!(of("Memcpy HtoD (Pageable -> Device)", 60), None);
    assert_eq!(of("Memcpy HtoD (Pinned -> Device)", 100), None);
}

#[test]
fn memory_that_is_allocated_and_given_back_in_the_step() {
    let get = |name: &str| {
        until_200()
            .runtime_call(name, 100, 179)
            .cpu("aten::empty", 99, 180)
    };
    assert_eq!(
        stake(&get("cudaMalloc").build(), Kind::DeviceAllocation),
        Some(79)
    );
    let host = get("cudaHostAlloc").build();
    assert_eq!(stake(&host, Kind::DeviceAllocation), None);
    assert_eq!(stake(&host, Kind::HostLate), Some(100));
    let frees = |n: i64| {
        let drawing = until_200().cpu("aten::empty", 99, 180);
        (0..n).fold(drawing, |d, i| {
            d.runtime_call("cudaFree", 100 + 20 * i, 120 + 20 * i)
        })
    };
    let run = frees(3).build();
    assert_eq!(stake(&run, Kind::DeviceFree), Some(60));
    assert!(!title(&run, Kind::DeviceFree).contains("empty_cache"));
    let named = frees(3)
        .python("memory.py(162): empty_cache", 98, 170)
        .build();
    assert!(title(&named, Kind::DeviceFree).ends_with("by empty_cache"));
    assert_eq!(stake(&frees(2).build(), Kind::DeviceFree), None);
}

#[test]
fn a_late_host_an_idle_one_and_the_profiler() {
    let late = || until_200().cpu("aten::add", 101, 179);
    assert_eq!(stake(&late().build(), Kind::HostLate), Some(100));
    let mut slowed = late().build();
    slowed.ranks[0].recorded_with.stacks = true;
    assert_eq!(stake(&slowed, Kind::HostLate), None);
    assert_eq!(stake(&slowed, Kind::ProfilerOverhead), Some(100));
    let words = "The host is late, inflated by the profiler (stacks), most in aten::add";
    assert_eq!(title(&slowed, Kind::ProfilerOverhead), words);
    let idle = until_200().cpu("aten::add", 100, 130).build();
    assert_eq!(stake(&idle, Kind::BothIdle), Some(100));
    assert_eq!(stake(&idle, Kind::HostLate), None);
}

fn pause_of_a_launch() -> Trace {
    let drawing = TraceBuilder::new().launched("first", 0, 0, 100);
    drawing
        .launched_by("second", (100, 190), (200, 300))
        .build()
}

/// A launch of 10 every 100, a kernel behind it, and something behind that.
fn launches(kernel: i64) -> TraceBuilder {
    (0..24).fold(TraceBuilder::new(), |drawing, i| {
        let at = 100 * i;
        drawing.cpu("aten::mm", at, at + 99).launched_by(
            "k",
            (at, at + 10),
            (at + 10, at + 10 + kernel),
        )
    })
}

#[test]
fn kernels_that_are_shorter_than_their_launches() {
    // 23 gaps of 95, each over the host's work.
    assert_eq!(
        stake(&launches(5).build(), Kind::LaunchBound),
        Some(23 * 95)
    );
    // As long as a launch is still not longer.
    assert_eq!(
        stake(&launches(10).build(), Kind::LaunchBound),
        Some(23 * 90)
    );
    let longer = launches(11).build();
    assert_eq!(stake(&longer, Kind::LaunchBound), None);
    assert_eq!(stake(&longer, Kind::HostLate), Some(23 * 89));
    // A gap of over 20 launch calls has another reason than many launches.
    let pause = launches(5).launched_by("k", (2600, 2610), (2610, 2615));
    let pause = pause.cpu("aten::long", 2310, 2590).build();
    assert_eq!(stake(&pause, Kind::LaunchBound), Some(23 * 95));
    assert_eq!(stake(&pause_of_a_launch(), Kind::LongLaunch), Some(100));
    let graph = launches(5).runtime_call("cudaGraphLaunch", 2300, 2301);
    assert_eq!(stake(&graph.build(), Kind::LaunchBound), None);
}

#[test]
fn chunks_with_gaps_for_launches() {
    let chunks = |elements: fn(i64) -> u64| {
        let drawing = launches(5).stream(20);
        (0..24).fold(drawing, |drawing, i| {
            let at = 100 * i + 15;
            let gather = call("_allgather_base", i, elements(i));
            drawing.call(&gather, at, at + 5)
        })
    };
    let trace = chunks(|_| 500).build();
    assert_eq!(stake(&trace, Kind::ChunkedLaunchGaps), Some(23 * 90));
    assert_eq!(stake(&trace, Kind::LaunchBound), None);
    // Three of each size are no chain.
    let three = chunks(|i| 500 + i.unsigned_abs() / 3).build();
    assert_eq!(stake(&three, Kind::ChunkedLaunchGaps), None);
    assert_eq!(stake(&three, Kind::LaunchBound), Some(23 * 90));
}

/// All-reduces of (elements, length) on two ranks that come together, each behind some computation.
fn reduces(of: &[(u64, i64)]) -> Trace {
    let rank = |drawing: TraceBuilder| {
        let mut at = 0;
        of.iter()
            .zip(0..)
            .fold(drawing, |drawing, ((elements, length), seq)| {
                let drawing = drawing.stream(7).kernel("gemm", at, at + 50);
                let start = at + 50;
                at = start + length;
                drawing
                    .stream(20)
                    .call(&call("allreduce", seq, *elements), start, at)
            })
    };
    let drawing = rank(TraceBuilder::new().on_one_clock()).rank(1);
    rank(drawing).build()
}

#[test]
fn small_collectives_cost_their_latency() {
    let sizes = |middle, large: u64| {
        let mut of = vec![(250, 10); 5];
        of.extend([(1000, middle); 3]);
        of.extend([(large, 60); 3]);
        of
    };
    // Four times as many take 12: the five of 10 are bound by latency, those of 12 are not.
    assert_eq!(
        stake(&reduces(&sizes(12, 4000)), Kind::SmallCollectives),
        Some(50)
    );
    assert_eq!(
        stake(&reduces(&sizes(15, 4000)), Kind::SmallCollectives),
        Some(50)
    );
    assert_eq!(
        stake(&reduces(&sizes(16, 4000)), Kind::SmallCollectives),
        None
    );
    // Sizes that span less than a factor of 8, or are only two, tell no latency.
    assert_eq!(
        stake(&reduces(&sizes(12, 1999)), Kind::SmallCollectives),
        None
    );
    let two: Vec<_> = sizes(12, 4000).into_iter().take(8).collect();
    assert_eq!(stake(&reduces(&two), Kind::SmallCollectives), None);
    // One rank cannot tell transfer from waiting.
    let mut alone = reduces(&sizes(12, 4000));
    alone.ranks.truncate(1);
    let one = sizes(12, 4000).iter().zip(0..).fold(
        TraceBuilder::new().kernel("gemm", 0, 1).stream(20),
        |d, ((n, len), i)| d.call(&call("allreduce", i, *n), 100 * i + 1, 100 * i + 1 + len),
    );
    assert_eq!(stake(&one.build(), Kind::SmallCollectives), None);
}

/// Two steps of 200; in each a backward pass from 10 to 110, and buckets of (elements, start, end).
fn buckets(of: &[(u64, i64, i64)]) -> Trace {
    let mut seq = 0;
    (0..2)
        .fold(TraceBuilder::new(), |drawing, step| {
            let at = 200 * step;
            let drawing = drawing
                .annotation(&format!("ProfilerStep#{step}"), at, at + 200)
                .cpu(
                    "autograd::engine::evaluate_function: MmBackward0",
                    at + 1,
                    at + 9,
                )
                .stream(7)
                .launched("gemm", at + 2, at + 10, at + 110)
                .stream(20);
            of.iter().fold(drawing, |drawing, (elements, start, end)| {
                seq += 1;
                drawing.call(&call("allreduce", seq, *elements), at + start, at + end)
            })
        })
        .build()
}

#[test]
fn buckets_that_are_too_large_too_late_or_as_good_as_they_get() {
    const MB: u64 = 250_000;
    let giant = buckets(&[(80 * MB, 110, 160)]);
    assert_eq!(stake(&giant, Kind::GiantBucket), Some(100));
    let (_, found) = analysed(&giant, &LaunchDetails::default());
    let finding = found.iter().find(|f| f.kind == Kind::GiantBucket).unwrap();
    assert_eq!((finding.steps, finding.per_step.unwrap().0), (2, 50));
    assert_eq!(finding.severity, FindingSeverity::High);
    // Smaller than two default buckets, hidden, or one of two: no giant.
    for other in [
        vec![(40 * MB, 110, 160)],
        vec![(80 * MB, 70, 130)],
        vec![(80 * MB, 110, 135), (80 * MB, 135, 160)],
    ] {
        assert_eq!(stake(&buckets(&other), Kind::GiantBucket), None);
    }
    // The first comes 60 into 100; at best after a third of them, 27 earlier.
    let late = buckets(&[(MB, 70, 90), (MB, 90, 110), (MB, 110, 150)]);
    assert_eq!(stake(&late, Kind::FirstBucketLate), Some(2 * 27));
    assert_eq!(stake(&late, Kind::TailBucket), None);
    // Half of the backward pass is not late; then only the last is exposed.
    let tail = buckets(&[(MB, 60, 90), (MB, 90, 110), (MB, 110, 150)]);
    assert_eq!(stake(&tail, Kind::FirstBucketLate), None);
    assert_eq!(stake(&tail, Kind::TailBucket), Some(80));
    let (_, found) = analysed(&tail, &LaunchDetails::default());
    let finding = found.iter().find(|f| f.kind == Kind::TailBucket).unwrap();
    assert_eq!(finding.severity, FindingSeverity::Info);
    // Late, but there are pauses: an earlier first one would not end the last one earlier.
    let pauses = buckets(&[(MB, 70, 75), (MB, 90, 95), (MB, 110, 150)]);
    assert_eq!(stake(&pauses, Kind::FirstBucketLate), None);
    // Two have no first and last; a second one that is exposed is no tail.
    let two = buckets(&[(MB, 70, 110), (MB, 110, 150)]);
    assert_eq!(stake(&two, Kind::TailBucket), None);
    let more = buckets(&[(MB, 60, 90), (MB, 110, 130), (MB, 130, 150)]);
    assert_eq!(stake(&more, Kind::TailBucket), None);
}

#[test]
fn gathers_that_come_only_when_they_are_needed() {
    let gathers = |host: &str, early: i64| {
        let drawing = TraceBuilder::new().annotation(host, 0, 10);
        (0..5)
            .fold(drawing, |drawing, i| {
                let (at, gather) = (100 * i, call("_allgather_base", i, 1000));
                let drawing = drawing
                    .stream(20)
                    .call(&gather, at - early, at - early + 30);
                drawing.stream(7).kernel("gemm", at + 30, at + 80)
            })
            .build()
    };
    // The first has nothing to hide behind: 4 of 30.
    let fsdp = "FSDP::all_gather";
    assert_eq!(stake(&gathers(fsdp, 0), Kind::NoPrefetch), Some(120));
    // Gathers of activations cannot come earlier; these come beside computation.
    assert_eq!(stake(&gathers("forward", 0), Kind::NoPrefetch), None);
    assert_eq!(stake(&gathers(fsdp, 40), Kind::NoPrefetch), None);
}

/// Ten gathers of 10 ns and 4000 bytes. Four are over when the first computation starts, and while
/// each computes, the fourth after its own is gathered:
///
/// ```text
/// gathers   0-10 10-20 20-30 30-40    50-60         150-160 ...
/// computes                         40-      140-
/// ```
fn gathered_ahead(host: &str, ahead: i64, compute: i64, scatters: bool) -> Vec<Finding> {
    let drawing = TraceBuilder::new().annotation(host, 0, 10);
    let gather = call("_allgather_base", 1, 1000);
    let drawing = (0..10).fold(drawing, |drawing, i| {
        let at = if i < ahead {
            10 * i
        } else {
            50 + 100 * (i - ahead)
        };
        let drawing = drawing.stream(20).call(&gather, at, at + 10);
        drawing
            .stream(7)
            .kernel("gemm", 40 + 100 * i, 40 + 100 * i + compute)
    });
    let scatter = call("_reduce_scatter_base", 1, 1000);
    let drawing = if scatters {
        drawing.stream(20).call(&scatter, 1040, 1050)
    } else {
        drawing
    };
    let (_, mut found) = analysed(&drawing.build(), &LaunchDetails::default());
    found.retain(|f| f.kind == Kind::DeepPrefetch);
    found
}

#[test]
fn gathers_that_are_over_long_before_their_use() {
    let fsdp = "FSDP::all_gather";
    let found = gathered_ahead(fsdp, 4, 100, false);
    assert_eq!(found.len(), 1);
    let (found, held) = (&found[0], found[0].held.unwrap());
    // The use of the last four is not known by the order of starts. The first six wait 30, 120, 210, 300,
    // 380 and 380, and at each start three later ones are over; ceil(10 / 100) = 1 would do.
    assert_eq!((found.count, held.waits.0), (6, 210));
    assert_eq!(held.bytes, Some(2 * 4000));
    assert_eq!(found.severity, FindingSeverity::Low);
    assert_eq!((found.at_stake.0, found.per_step), (0, None));
    assert_eq!(found.coverage.unwrap().percent4(), "60.0000");
    assert!(
        found
            .note
            .contains("3 later gathers are over, in the median; 1 would")
    );
    assert_eq!(found.evidence.as_ref().unwrap().start.0, 50);
    // Computations of 5: ceil(10 / 5) = 2 would do, and one buffer is too many; of 3: 4 would do.
    let short = gathered_ahead(fsdp, 4, 5, false);
    assert_eq!(short[0].held.unwrap().bytes, Some(4000));
    assert_eq!(gathered_ahead(fsdp, 4, 3, false), []);
    // One ahead of need; gathers of activations; a backward pass that was not found.
    assert_eq!(gathered_ahead(fsdp, 2, 100, false), []);
    assert_eq!(gathered_ahead("forward", 4, 100, false), []);
    assert_eq!(gathered_ahead(fsdp, 4, 100, true), []);
}

/// What the group of some all-reduces, of (elements) each, is for.
fn labelled(name: &str, of: &[u64], typed: &TypedGroups) -> (Parallelism, String) {
    let drawing = TraceBuilder::new().annotation(name, 0, 10).stream(20);
    let calls = of.iter().zip(0..);
    let drawing = calls.fold(drawing, |drawing, (elements, seq)| {
        drawing.call(
            &call("allreduce", seq, *elements),
            100 * seq,
            100 * seq + 50,
        )
    });
    let labels = group_labels(&drawing.build(), &Query::default(), typed);
    assert_eq!(labels.len(), 1);
    let label = labels.into_iter().next().unwrap();
    assert_eq!(label.group.as_deref(), Some("0"));
    (label.parallelism, label.evidence)
}

#[test]
fn groups_are_labelled_where_something_tells() {
    let nothing = TypedGroups::new();
    let of = |name: &str, of: &[u64]| labelled(name, of, &nothing);
    let (label, why) = of("forward", &[500; 8]);
    assert_eq!(label, Parallelism::Tensor);
    assert_eq!(why, "8 all-reduces of 2000 bytes, as of activations");
    assert_eq!(of("forward", &[500; 7]).0, Parallelism::Unknown);
    assert_eq!(of("forward", &[500, 600, 700, 800]).0, Parallelism::Unknown);
    let replica = "DistributedDataParallel.forward";
    assert_eq!(of(replica, &[500, 600, 700, 800]).0, Parallelism::Data);
    assert_eq!(of(replica, &[500, 600, 700]).0, Parallelism::Unknown);
    // Two signs that contradict each other.
    assert_eq!(of(replica, &[500; 8]).0, Parallelism::Unknown);
    let typed = TypedGroups::from([("0".to_owned(), Parallelism::Pipeline)]);
    let (label, why) = labelled("forward", &[500; 8], &typed);
    assert_eq!(
        (label, why.as_str()),
        (Parallelism::Pipeline, "given by the user")
    );
    assert_eq!(label.hides_behind(), "other micro-batches of the stage");
}

#[test]
fn the_command_lists_findings_and_labels() {
    use support::kineto::{Kineto, cell, run};
    let dir = tempfile::tempdir().unwrap();
    let file = Kineto::new()
        .launched(1, "0", 7, "2", "100")
        .gpu(7, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "102", "50")
        .write(dir.path(), "a.json");
    let file = file.to_str().unwrap();
    let report = |more: &[&str]| run(dir.path(), &[&["report", file], more].concat());
    let got = report(&["--table", "findings", "--format", "csv"]);
    assert_eq!(got.status, 0, "{}", got.stderr);
    for (column, value) in [
        ("severity", "high"),
        ("kind", "no_independent_stream"),
        ("at_stake_us", "50.000"),
        ("per_step_us", ""),
        ("source", "measured"),
    ] {
        assert_eq!(cell(&got.stdout, 0, column), value, "{column}");
    }
    // Advice has commas; the event and its start stand behind it.
    let evidence = ",ncclDevKernel_AllReduce_Sum_f32_RING_LL,102000,";
    assert!(got.stdout.contains(evidence), "{}", got.stdout);
    let json = report(&["--table", "findings", "--format", "json"]);
    assert!(
        json.stdout.contains(r#""at_stake_us": 50.000"#),
        "{}",
        json.stdout
    );
    let groups = ["--table", "collectives", "--by", "group", "--format", "csv"];
    let got = report(&groups);
    assert_eq!(cell(&got.stdout, 0, "parallelism"), "unknown");
    assert_eq!(
        cell(&got.stdout, 0, "parallelism_evidence"),
        "fewer than 4 collectives"
    );
    assert_eq!(cell(&got.stdout, 0, "hides_behind"), "");
    let wrong = report(&["--table", "kernels", "--group", "0=TP"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("--group"), "{}", wrong.stderr);
    assert_eq!(
        report(&["--table", "findings", "--group", "0=XP"]).status,
        2
    );
}

/// Five kernels of 100 alone and five of `beside` next to communication, and one of 1 so that the clock
/// counts single ns.
fn dilated(name: &str, beside: i64) -> TraceBuilder {
    let drawing = TraceBuilder::new().kernel("tick", 0, 1);
    (0..5).fold(drawing, |drawing, i| {
        let (alone, other) = (1000 + 1000 * i, 10_000 + 1000 * i);
        drawing
            .stream(7)
            .kernel(name, alone, alone + 100)
            .kernel(name, other, other + beside)
            .stream(20)
            .comm("ncclDevKernel_AllReduce", other, other + beside)
    })
}

#[test]
fn kernels_that_memory_bounds_are_slowed() {
    let of = |name: &str, beside| stake(&dilated(name, beside).build(), Kind::MemoryBoundBeside);
    assert_eq!(of("vectorized_elementwise_kernel", 150), Some(250));
    assert_eq!(of("vectorized_elementwise_kernel", 130), Some(150));
    assert_eq!(of("vectorized_elementwise_kernel", 129), None);
    assert_eq!(of("ampere_gemm", 150), None);
}

#[test]
fn communication_that_occupies_many_multiprocessors() {
    let of = |name: &str, channels: u32, kind| {
        let mut trace = dilated(name, 150).build();
        trace.ranks[0].devices[0].sms = Some(100);
        let comms = trace.ranks[0].comms.iter().map(|c| c.slice);
        let shape = LaunchShape {
            grid: Some([channels, 1, 1]),
            block: Some([512, 1, 1]),
            ..LaunchShape::default()
        };
        let shapes: Vec<(SliceId, LaunchShape)> = comms.map(|id| (id, shape.clone())).collect();
        let mut launches = LaunchDetails::default();
        launches.insert(RankId(0), RankLaunches::new(shapes, Vec::new(), Vec::new()));
        let (_, found) = analysed(&trace, &launches);
        let mut own = found.iter().filter(|f| f.kind == kind);
        own.next().map(|f| f.at_stake.0)
    };
    assert_eq!(of("gemm", 20, Kind::TooManyChannels), Some(250));
    assert_eq!(of("gemm", 19, Kind::TooManyChannels), None);
    // What memory explains is not told again.
    let name = "vectorized_elementwise_kernel";
    assert_eq!(of(name, 30, Kind::MemoryBoundBeside), Some(250));
    assert_eq!(of(name, 30, Kind::TooManyChannels), None);
}

#[test]
fn kinds_have_names_of_their_own() {
    let mut names: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Kind::ALL.len());
    let docs = include_str!("../docs/overlap.md");
    for name in names {
        assert!(docs.contains(&format!("`{name}`")), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_time_is_at_stake_twice(
        drawn in prop::collection::vec((0..9_u8, 0..600_i64, 1..80_i64, 0..50_i64), 1..60),
        steps in 0..3_i64,
    ) {
        let mut drawing = TraceBuilder::new().on_one_clock();
        for step in 0..steps {
            let name = format!("ProfilerStep#{step}");
            drawing = drawing.annotation(&name, 300 * step, 300 * step + 300);
        }
        for (i, (what, at, len, early)) in drawn.into_iter().enumerate() {
            let (end, seq) = (at + len, i64::try_from(i).unwrap());
            let elements = [1000, 4000, 16_000, 30_000_000][i % 4];
            drawing = match what {
                0 | 1 => drawing.stream(7).launched_by("gemm", (at - early, at), (at, end)),
                2 => drawing.stream(9).kernel("layer_norm", at, end),
                3 => drawing.stream(20).call(&call("allreduce", seq, elements), at, end),
                4 => drawing.stream(7).call(&call("_allgather_base", seq, elements), at, end),
                5 => drawing.stream(8).copy("Memcpy HtoD (Pageable -> Device)", at, end),
                6 => drawing.runtime_call("cudaStreamSynchronize", at, end),
                7 => drawing.runtime_call(["cudaMalloc", "cudaFree"][i % 2], at, end),
                _ => drawing.cpu("aten::fsdp", at, end),
            };
        }
        analysed(&drawing.build(), &LaunchDetails::default());
    }
}

fn folder() -> Option<PathBuf> {
    let path = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no real traces at {}", path.display());
    None
}

#[test]
fn real_traces_add_up() {
    let Some(folder) = folder() else {
        return;
    };
    let mut inputs = Vec::new();
    for part in ["kineto", "inference", "rocm", "edge", "jax"] {
        let entries = std::fs::read_dir(folder.join(part)).into_iter().flatten();
        inputs.extend(entries.map(|e| vec![e.unwrap().path()]));
    }
    let ranks = std::fs::read_dir(folder.join("multi_rank"))
        .into_iter()
        .flatten();
    inputs.extend(ranks.map(|e| vec![e.unwrap().path()]));
    inputs.sort();
    for paths in inputs {
        let request = LoadRequest {
            paths: paths.clone(),
            rules: Arc::new(Rules::builtin()),
            options: LoadOptions::default(),
        };
        let Ok(trace) = load(&request, &Progress::default(), &Cancel::default()) else {
            continue;
        };
        let launches = read_launches(&trace, &Cancel::default());
        let (_, found) = analysed(&trace, &launches);
        println!("{}: {} findings", paths[0].display(), found.len());
    }
}
