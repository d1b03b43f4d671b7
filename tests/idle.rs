//! Why a device was idle: each cause worked out by hand, sums against the summary, real traces.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::metrics::{
    IdleCause, IdleDoubt, IdleGap, IdleGaps, IdleRow, Query, Selection, idle_rows, longest_gaps,
    rows_by_cause, rows_by_length, summary_rows,
};
use overlane::time::{Ns, Window};
use overlane::trace::Trace;
use proptest::prelude::*;
use support::TraceBuilder;

fn gaps(trace: &Trace) -> Vec<IdleGap> {
    let rank = &trace.ranks[0];
    let gaps = IdleGaps::of(trace, rank, &rank.devices[0], false);
    gaps.all().to_vec()
}

/// Start, end and cause of every gap, and the name that is blamed.
fn told(trace: &Trace) -> Vec<(i64, i64, IdleCause, &str)> {
    let name = |gap: &IdleGap| {
        let slice = gap.blamed.and_then(|id| trace.ranks[0].slices.get(id));
        slice.map_or("", |s| trace.names.get(s.name()))
    };
    gaps(trace)
        .iter()
        .map(|g| (g.window.start().0, g.window.end().0, g.cause, name(g)))
        .collect()
}

/// Busy from 0 to 100, then again from 200 on; the tests say what the host did meanwhile.
fn until_200(launch: (i64, i64)) -> TraceBuilder {
    TraceBuilder::new()
        .launched("first", 0, 0, 100)
        .launched_by("second", launch, (200, 300))
}

fn only(trace: &Trace) -> (IdleCause, &str) {
    let told = told(trace);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].0, told[0].1), (100, 200));
    (told[0].2, told[0].3)
}

#[test]
fn a_launch_that_was_over_in_time_waited_in_the_queue() {
    let queued = (IdleCause::Queued, "cudaLaunchKernel");
    assert_eq!(only(&until_200((50, 60)).build()), queued);
    assert_eq!(only(&until_200((90, 100)).build()), queued);
    // A synchronisation behind the launch only waits for what is queued.
    let waiting = until_200((50, 60)).runtime_call("cudaDeviceSynchronize", 70, 300);
    assert_eq!(only(&waiting.build()), queued);
}

#[test]
fn a_launch_call_that_covers_the_gap_is_the_cause() {
    let launch = (IdleCause::Launch, "cudaLaunchKernel");
    assert_eq!(only(&until_200((90, 101)).build()), launch);
    assert_eq!(only(&until_200((100, 180)).build()), launch);
    // Half of the gap: 150 to 200.
    assert_eq!(
        only(&until_200((150, 220)).cpu("aten::mul", 60, 150).build()),
        launch
    );
    let late = until_200((151, 220)).cpu("aten::mul", 60, 150);
    assert_eq!(only(&late.build()), (IdleCause::HostLate, "aten::mul"));
}

#[test]
fn a_host_that_was_blocked_could_not_launch_ahead() {
    // Late by 80: blocked from 20 to 104, 84 in all, though only 4 of it lie in the gap.
    let item = || {
        until_200((180, 185))
            .cpu("aten::item", 10, 110)
            .runtime_call("cudaStreamSynchronize", 20, 104)
            .cpu("aten::add", 110, 179)
    };
    let sync = (IdleCause::HostSync, "cudaStreamSynchronize");
    assert_eq!(only(&item().build()), sync);
    // Blocked for less than half of the time: the op is why it was late.
    let short = until_200((180, 185))
        .runtime_call("cudaStreamSynchronize", 80, 104)
        .cpu("aten::add", 110, 179);
    assert_eq!(only(&short.build()), (IdleCause::HostLate, "aten::add"));
    // It ended before the gap began.
    let before = until_200((180, 185))
        .runtime_call("cudaStreamSynchronize", 10, 100)
        .cpu("aten::add", 110, 179);
    assert_eq!(only(&before.build()), (IdleCause::HostLate, "aten::add"));
    let barrier = until_200((180, 185)).cpu("c10d::barrier", 20, 150);
    assert_eq!(
        only(&barrier.build()),
        (IdleCause::HostSync, "c10d::barrier")
    );
    let copy = until_200((180, 185)).runtime_call("cudaMemcpyAsync", 20, 150);
    assert_eq!(
        only(&copy.build()),
        (IdleCause::HostCopy, "cudaMemcpyAsync")
    );
}

#[test]
fn a_late_host_is_named_by_the_narrowest_call_that_takes_half() {
    let nested = until_200((190, 191))
        .python("train.py(3): main", 0, 300)
        .python("model.py(9): forward", 90, 180)
        .cpu("aten::linear", 100, 170)
        .cpu("aten::addmm", 105, 120);
    // Late by 90; the op takes 70 of it, the one inside 15.
    assert_eq!(only(&nested.build()), (IdleCause::HostLate, "aten::linear"));
    // Many short ops, none of half: the longest.
    let many = until_200((190, 191))
        .cpu("aten::a", 100, 125)
        .cpu("aten::b", 125, 160)
        .cpu("aten::c", 160, 190);
    assert_eq!(only(&many.build()), (IdleCause::HostLate, "aten::b"));
}

#[test]
fn an_idle_host_is_told_from_a_late_one() {
    // 30 of 90.
    let idle = || until_200((190, 191)).cpu("aten::a", 100, 130);
    assert_eq!(only(&idle().build()), (IdleCause::HostIdle, ""));
    // A step that is open all the time is no work.
    let step = idle().annotation("ProfilerStep#1", 0, 300);
    assert_eq!(only(&step.build()), (IdleCause::HostIdle, ""));
    let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    let loading = idle().annotation(loader, 120, 190);
    assert_eq!(only(&loading.build()), (IdleCause::HostIdle, loader));
    let lock = "<built-in method acquire of _thread.lock object at 0x7f>";
    let locked = idle()
        .python("queue.py(154): get", 95, 189)
        .python(lock, 101, 188);
    assert_eq!(only(&locked.build()), (IdleCause::HostIdle, lock));
}

#[test]
fn what_the_trace_does_not_tell_stays_unknown() {
    let doubt = |trace: &Trace| {
        let all = gaps(trace);
        let last = all.last().unwrap();
        (last.cause, last.doubt)
    };
    let unknown = |doubt| (IdleCause::Unknown, Some(doubt));
    let no_launch = TraceBuilder::new()
        .kernel("a", 0, 100)
        .kernel("b", 200, 300);
    assert_eq!(doubt(&no_launch.build()), unknown(IdleDoubt::NoLaunch));
    // Launches alone: whether the thread was at work between them is not known.
    assert_eq!(
        doubt(&until_200((190, 191)).build()),
        unknown(IdleDoubt::NoHostRows)
    );
    let tail = TraceBuilder::new()
        .kernel("a", 0, 100)
        .cpu("aten::a", 100, 130);
    assert_eq!(doubt(&tail.build()), unknown(IdleDoubt::NoNext));
}

#[test]
fn edges_of_the_capture_are_gaps_too() {
    let trace = TraceBuilder::new()
        .cpu("aten::a", 0, 18)
        .launched("k", 18, 30, 40)
        .cpu("aten::b", 45, 50)
        .build();
    assert_eq!(
        told(&trace),
        [
            (0, 30, IdleCause::HostLate, "aten::a"),
            (40, 50, IdleCause::Unknown, ""),
        ]
    );
}

#[test]
fn a_kernel_that_waits_for_another_rank_is_no_gap() {
    let trace = TraceBuilder::new()
        .comm("ncclAllReduce", 0, 100)
        .kernel("k", 100, 120)
        .build();
    assert!(told(&trace).is_empty());
}

#[test]
fn a_window_cuts_gaps_and_keeps_their_causes() {
    let trace = until_200((180, 185)).cpu("c10d::barrier", 20, 150).build();
    let rows = idle_rows(
        &trace,
        &Query {
            selection: Selection::Window(Window::new(Ns(50), Ns(130))),
            ..Query::default()
        },
    );
    assert_eq!(rows.len(), IdleCause::ALL.len());
    let sync: &IdleRow = &rows[0];
    assert_eq!(sync.cause, IdleCause::HostSync);
    assert_eq!((sync.gaps, sync.total.0, sync.longest.0), (1, 30, 30));
    assert_eq!(sync.share_of_idle().unwrap().percent4(), "100.0000");
    // 30 of 80
    assert_eq!(sync.share_of_window().unwrap().percent4(), "37.5000");
    assert!(
        rows[1..]
            .iter()
            .all(|r| r.gaps == 0 && r.total.0 == 0 && r.idle.0 == 30)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Parts of any window sum to the summary's idle time; parts of two windows that touch add up.
    #[test]
    fn causes_sum_to_the_idle_time(
        kernels in prop::collection::vec((0..3_i64, 0..300_i64, 0..40_i64, -20..60_i64), 1..25),
        cuts in prop::collection::vec(0..400_i64, 3),
    ) {
        let mut drawing = TraceBuilder::new().cpu("aten::a", 0, 90).runtime_call("cudaStreamSynchronize", 120, 180);
        for (stream, start, len, delay) in kernels {
            drawing = drawing.stream(stream).launched("k", start - delay, start, start + len);
        }
        let trace = drawing.build();
        let mut cuts = cuts;
        cuts.sort_unstable();
        let of = |from: i64, to: i64| Query {
            selection: Selection::Window(Window::new(Ns(from), Ns(to))),
            ..Query::default()
        };
        let totals = |from, to| -> Vec<i64> {
            idle_rows(&trace, &of(from, to)).iter().map(|r| r.total.0).collect()
        };
        for (from, to) in [(cuts[0], cuts[1]), (cuts[1], cuts[2]), (cuts[0], cuts[2])] {
            let idle = summary_rows(&trace, &of(from, to))[0].figures.map_or(0, |f| f.idle_time.0);
            prop_assert_eq!(totals(from, to).iter().sum::<i64>(), idle);
        }
        let (left, right, both) = (totals(cuts[0], cuts[1]), totals(cuts[1], cuts[2]), totals(cuts[0], cuts[2]));
        if !left.is_empty() && !right.is_empty() {
            let added: Vec<i64> = left.iter().zip(&right).map(|(a, b)| a + b).collect();
            prop_assert_eq!(added, both);
        }
    }
}

/// Thousands of gaps, which are summed up by blocks: against a plain walk.
#[test]
fn many_gaps_are_summed_as_one_by_one() {
    let mut drawing = TraceBuilder::new().cpu("aten::a", 0, 40_000);
    let mut at = 0;
    for i in 0..3_000_i64 {
        let len = 1 + i * i % 7;
        // Some are launched in time, some late.
        let launch = if i % 3 == 0 { at - 5 } else { at + 1 };
        drawing = drawing.launched("k", launch, at + 2 + i % 11, at + 2 + i % 11 + len);
        at += 2 + i % 11 + len;
    }
    let trace = drawing.build();
    let rank = &trace.ranks[0];
    let device = &rank.devices[0];
    let gaps = IdleGaps::of(&trace, rank, device, false);
    assert!(gaps.all().len() > 2_500);
    for (from, to) in [
        (0, at),
        (17, at - 17),
        (5_000, 5_001),
        (9_000, 20_000),
        (at, at + 5),
    ] {
        let window = Window::new(Ns(from), Ns(to));
        let inside: Vec<(IdleCause, i64)> = gaps
            .all()
            .iter()
            .filter_map(|g| Some((g.cause, g.window.clip(window)?.len().0)))
            .filter(|(_, len)| *len > 0)
            .collect();
        for row in rows_by_cause(rank, device, &gaps, window) {
            let mine = || inside.iter().filter(|(cause, _)| *cause == row.cause);
            assert_eq!(row.gaps, u64::try_from(mine().count()).unwrap());
            assert_eq!(row.total.0, mine().map(|(_, len)| len).sum::<i64>());
            assert_eq!(
                row.longest.0,
                mine().map(|(_, len)| *len).max().unwrap_or(0)
            );
        }
        let by_length = rows_by_length(rank, device, &gaps, window);
        assert_eq!(by_length[0].gaps, u64::try_from(inside.len()).unwrap());
        let mut lengths: Vec<i64> = inside.iter().map(|(_, len)| *len).collect();
        lengths.sort_unstable_by_key(|len| -len);
        for limit in [Some(1), Some(7), Some(700), None] {
            let first = longest_gaps(&trace, rank, device, &gaps, window, limit);
            let got: Vec<i64> = first.iter().map(|r| r.inside.len().0).collect();
            assert_eq!(
                got,
                lengths[..limit.map_or(lengths.len(), |l| l.min(lengths.len()))]
            );
        }
    }
}

#[test]
fn the_command_tells_causes_gaps_and_lengths() {
    use support::kineto::{Kineto, cell, csv, run};
    let dir = tempfile::tempdir().unwrap();
    let file = Kineto::new()
        .cpu("aten::add", "0", "500")
        .launched(1, "1", 7, "10", "5")
        .launched(2, "100", 7, "130", "5")
        .gpu(7, "gemm", "150.5", "1")
        .write(dir.path(), "a.json");
    let file = file.to_str().unwrap();
    let report = |more: &[&str]| {
        let args = [
            &["report", file, "--table", "idle", "--format", "csv"],
            more,
        ]
        .concat();
        run(dir.path(), &args)
    };
    let got = report(&[]);
    assert_eq!(got.status, 0, "{}", got.stderr);
    let total = |cause: &str| {
        let lines = csv(&got.stdout);
        lines.iter().find(|l| l[2] == cause).unwrap()[6].clone()
    };
    // 15 to 130 late by the op; 135 to 150.5 without a launch.
    assert_eq!(
        (total("host_late").as_str(), total("unknown").as_str()),
        ("115.000", "15.500")
    );
    let got = report(&["--by", "gap", "--top", "1"]);
    assert_eq!(cell(&got.stdout, 0, "idle_us"), "115.000");
    assert_eq!(cell(&got.stdout, 0, "what"), "aten::add");
    assert!(got.stderr.contains("--top leaves 1 row out"));
    let got = report(&["--by", "gap", "--filter", "no launch"]);
    assert_eq!(cell(&got.stdout, 0, "idle_us"), "15.500");
    let got = report(&["--by", "length", "--window", "20us..140us"]);
    // 110 of the first, 5 of the second.
    assert_eq!(csv(&got.stdout)[4][2..4], ["100.000", "1000.000"]);
    assert_eq!(csv(&got.stdout)[4][7], "110.000");
    assert_eq!(csv(&got.stdout)[2][7], "5.000");
    for wrong in [&["--by", "name"][..], &["--sort", "total"], &["--top", "3"]] {
        let got = report(wrong);
        assert_eq!(
            (got.status, got.stderr.lines().count()),
            (2, 1),
            "{wrong:?} {}",
            got.stderr
        );
    }
}
