//! Figures by the rules of other tools: worked out by hand, and what was measured with the tools.

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
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::metrics::{CompatRow, FigureValue, Query, Tool, compat_rows};
use overlane::trace::{Category, Trace};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::TraceBuilder;
use support::kineto::{Kineto, cell, run};

fn rows(trace: &Trace, tool: Tool) -> Vec<CompatRow> {
    compat_rows(trace, &Query::default(), tool)
}

/// Theirs and ours in ns, or in units of 0.0001 %.
fn of(rows: &[CompatRow], figure: &str) -> (Option<i128>, Option<i128>) {
    let row = rows.iter().find(|r| r.figure == figure).unwrap();
    let number = |value: Option<FigureValue>| {
        value.map(|value| match value {
            FigureValue::Count(n) => n.into(),
            FigureValue::Time(time) => time.0.into(),
            FigureValue::Share(ratio) => ratio.percent_e4(),
        })
    };
    (number(row.theirs), number(row.ours))
}

#[test]
fn where_no_rule_differs_the_figures_are_the_same() {
    // The worked example: compute 0-40 and 55-80, communication 10-50 and 55-70, in µs.
    let us = |n: i64| n * 1_000;
    let trace = TraceBuilder::new()
        .kernel("gemm", us(0), us(40))
        .kernel("gemm", us(55), us(80))
        .stream(20)
        .comm("ncclDevKernel_AllReduce", us(10), us(50))
        .comm("ncclDevKernel_AllReduce", us(55), us(70))
        .build();
    let hta = rows(&trace, Tool::Hta);
    for (figure, value) in [
        ("kernel_time", 80_000),
        ("compute_time", 65_000),
        ("non_compute_time", 10_000),
        ("idle_time", 5_000),
        // 45 of 55
        ("comp_comm_overlap_pctg", 818_182),
    ] {
        assert_eq!(of(&hta, figure), (Some(value), Some(value)), "{figure}");
    }
    let lens = rows(&trace, Tool::TraceLens);
    for (figure, value) in [
        ("total_time", 80_000),
        ("computation_time", 65_000),
        ("exposed_comm_time", 10_000),
        ("exposed_memcpy_time", 0),
        ("busy_time", 75_000),
        ("idle_time", 5_000),
    ] {
        assert_eq!(of(&lens, figure), (Some(value), Some(value)), "{figure}");
    }
}

#[test]
fn hta_cuts_to_whole_microseconds_and_counts_synchronisation_records() {
    // [0.5, 9.7] becomes [1, 9]; [20.2, 20.8] becomes [21, 20], one less than nothing.
    let trace = TraceBuilder::new()
        .kernel("gemm", 500, 9_700)
        .kernel("gemm", 20_200, 20_800)
        .extra("Stream Sync", Category::Sync, 12_000, 14_000)
        .build();
    let hta = rows(&trace, Tool::Hta);
    assert_eq!(of(&hta, "compute_time").0, Some(7_000));
    assert_eq!(of(&hta, "compute_time").1, Some(9_800));
    // 20 - 1 of all, less 8, 2 and -1.
    assert_eq!(of(&hta, "kernel_time").0, Some(19_000));
    assert_eq!(of(&hta, "idle_time").0, Some(10_000));
    assert_eq!(of(&hta, "non_compute_time").0, Some(2_000));
    assert_eq!(of(&hta, "comp_comm_overlap_pctg").0, None);
}

#[test]
fn hta_drops_what_the_last_of_several_steps_launched() {
    let us = |n: i64| n * 1_000;
    let trace = TraceBuilder::new()
        .annotation("ProfilerStep#1", us(0), us(100))
        .annotation("ProfilerStep#2", us(100), us(200))
        .launched("gemm", us(10), us(20), us(30))
        .launched("gemm", us(110), us(120), us(130))
        .build();
    assert_eq!(
        of(&rows(&trace, Tool::Hta), "compute_time").0,
        Some(us(10).into())
    );
    assert_eq!(
        of(&rows(&trace, Tool::Hta), "compute_time").1,
        Some(us(20).into())
    );
}

#[test]
fn trace_lens_takes_fills_for_computation_and_all_devices_for_one() {
    let trace = TraceBuilder::new()
        .copy("Memset (Device)", 0, 10)
        .copy("Memcpy HtoD (Pinned -> Device)", 5, 25)
        .device(1)
        .kernel("gemm", 15, 20)
        .build();
    let lens = rows(&trace, Tool::TraceLens);
    assert_eq!(of(&lens, "computation_time"), (Some(15), None));
    // 5-25 less 0-10 and 15-20.
    assert_eq!(of(&lens, "exposed_memcpy_time").0, Some(10));
    assert!(lens.iter().all(|r| r.device.is_none()));
}

#[test]
fn the_command_writes_them_and_refuses_windows() {
    let dir = tempfile::tempdir().unwrap();
    let file = Kineto::new()
        .gpu(7, "gemm", "10", "5")
        .gpu(7, "add", "20", "5")
        .write(dir.path(), "a.json");
    let file = file.to_str().unwrap();
    let got = run(
        dir.path(),
        &["report", file, "--as", "hta", "--format", "csv"],
    );
    assert_eq!(got.status, 0, "{}", got.stderr);
    assert_eq!(cell(&got.stdout, 3, "figure"), "idle_time");
    assert_eq!(cell(&got.stdout, 3, "theirs"), "5.000");
    assert_eq!(cell(&got.stdout, 3, "delta"), "0.000");
    for more in [&["--window", "0us..5us"][..], &["--table", "steps"]] {
        let args = [&["report", file, "--as", "tracelens"], more].concat();
        let refused = run(dir.path(), &args);
        assert_eq!(
            (refused.status, refused.stderr.lines().count()),
            (2, 1),
            "{}",
            refused.stderr
        );
    }
}

/// What was measured by running the tools on real files.
#[test]
fn real_traces_give_what_the_tools_gave() {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    if !folder.is_dir() {
        println!("skipped: no real traces at {}", folder.display());
        return;
    }
    let open = |name: &str| {
        let request = LoadRequest {
            paths: vec![folder.join(name)],
            rules: Arc::new(Rules::builtin()),
            options: LoadOptions::default(),
        };
        load(&request, &Progress::default(), &Cancel::default()).unwrap()
    };
    // 563 µs of compute lost by whole microseconds.
    let trace = open("kineto/mi210_gpu_only_no_cpu_ops.json.gz");
    let (theirs, ours) = of(&rows(&trace, Tool::Hta), "compute_time");
    let lost = ours.unwrap() - theirs.unwrap();
    println!("mi210: HTA loses {lost} ns of compute");
    assert_eq!((lost + 500) / 1_000, 563);
    let parts = |rows: &[CompatRow], names: [&str; 4]| names.map(|n| of(rows, n).0.unwrap());
    for file in [
        "kineto/a100_6streams_nccl_rank0of16.json.gz",
        "large/h100_owlv2_132k_events.json.gz",
    ] {
        let rows = rows(&open(file), Tool::TraceLens);
        let [total, computation, exposed, copies] = parts(
            &rows,
            [
                "total_time",
                "computation_time",
                "exposed_comm_time",
                "exposed_memcpy_time",
            ],
        );
        assert_eq!(
            computation + exposed + copies + of(&rows, "idle_time").0.unwrap(),
            total,
            "{file}"
        );
    }
}
