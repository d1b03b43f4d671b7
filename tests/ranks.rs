//! The table of ranks, the map of steps and the clocks: worked out by hand, against plain models,
//! from the outside, and on real ranks where they are there.

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
use overlane::metrics::report::{Cell, Grid, RANK_COLUMNS};
use overlane::metrics::{
    ClockShift, ExposedMark, GridFigure, Query, RankRow, Selection, SortOrder, clock_shifts,
    rank_notes, rank_rows, sort_ranks, step_grid, step_rows, summary_rows,
};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::{Basis, RankId, Trace};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::kineto::{Kineto, cell, csv, run};
use support::{Call, TraceBuilder};

fn open(path: &Path) -> Trace {
    let request = LoadRequest {
        paths: vec![path.to_owned()],
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    load(&request, &Progress::default(), &Cancel::default()).unwrap()
}

fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample_traces")
        .join(name)
}

fn within(a: i64, b: i64) -> Query {
    Query {
        selection: Selection::Window(Window::new(Ns(a), Ns(b))),
        ..Query::default()
    }
}

/// Rank 0 has two devices, rank 1 one; communication on stream 20.
///
/// ```text
/// rank 0 device 0   [gemm 0 100]          [comm 80 120]
/// rank 0 device 1   [gemm 0 40]                  [comm 100 140]   [copy 150 200]
/// rank 1 device 0   [gemm 20 60]  [comm 60 110]
/// ```
fn three_devices() -> Trace {
    TraceBuilder::new()
        .rank(0)
        .kernel("gemm", 0, 100)
        .stream(20)
        .comm("nccl", 80, 120)
        .device(1)
        .stream(7)
        .kernel("gemm", 0, 40)
        .copy("Memcpy", 150, 200)
        .stream(20)
        .comm("nccl", 100, 140)
        .rank(1)
        .kernel("gemm", 20, 60)
        .stream(20)
        .comm("nccl", 60, 110)
        .build()
}

/// Window, busy, computation, communication, exposed communication, exposed memory, idle.
fn times(row: &RankRow) -> [i64; 7] {
    let t = row.totals.unwrap();
    [
        t.time.0,
        t.busy.0,
        t.comp.0,
        t.comm.0,
        t.exposed_comm.0,
        t.exposed_memory.0,
        t.idle.0,
    ]
}

fn shown(rows: &[RankRow], row: usize, column: &str) -> Option<String> {
    let grid = Grid::new(&RANK_COLUMNS, rows);
    let cell = grid.cell(row, column).expect(column);
    cell.text().map(std::borrow::Cow::into_owned)
}

#[test]
fn figures_of_a_rank_are_sums_over_its_devices_and_never_unions() {
    let trace = three_devices();
    let rows = rank_rows(&trace, &Query::default(), &[]);
    // Device 0: window 120, busy 120. Device 1: window 200, busy 40 + 40 + 50.
    assert_eq!(times(&rows[0]), [320, 250, 140, 80, 60, 50, 70]);
    assert_eq!(times(&rows[1]), [90, 90, 40, 50, 50, 0, 0]);
    let totals = rows[0].totals.unwrap();
    assert_eq!(totals.window, Window::new(Ns(0), Ns(200)));
    assert_eq!((rows[0].devices, totals.devices), (2, 2));
    // 70 of 320, although at no instant both devices stand still before 140.
    assert_eq!(shown(&rows, 0, "idle_percent").unwrap(), "21.8750");
    assert_eq!(shown(&rows, 0, "busy_percent").unwrap(), "78.1250");
    // 20 of 80 are under the product of device 0.
    let hidden = "comm_hidden_by_comp_percent";
    assert_eq!(shown(&rows, 0, hidden).unwrap(), "25.0000");
    assert_eq!(shown(&rows, 1, hidden).unwrap(), "0.0000");
    let marks: Vec<_> = rows.iter().map(|r| r.mark).collect();
    assert_eq!(marks, [Some(ExposedMark::Most), Some(ExposedMark::Least)]);
}

#[test]
fn a_window_a_rank_and_a_device_choose() {
    let trace = three_devices();
    let rows = rank_rows(&trace, &within(50, 150), &[]);
    assert_eq!(times(&rows[0]), [200, 110, 50, 80, 60, 0, 90]);
    // Rank 1 recorded [20, 110).
    assert_eq!(times(&rows[1]), [60, 60, 10, 50, 50, 0, 0]);
    let one = Query {
        device: Some(overlane::trace::DeviceId(1)),
        ..Query::default()
    };
    let rows = rank_rows(&trace, &one, &[]);
    assert_eq!(times(&rows[0]), [200, 130, 40, 40, 40, 50, 70]);
    assert_eq!((rows[1].devices, rows[1].totals), (0, None));
    assert_eq!(rows[0].mark, None, "nothing to compare with");
    // No communication: no share. No data: no figures at all, which is not idle.
    let rows = rank_rows(&trace, &within(0, 50), &[]);
    assert_eq!(shown(&rows, 0, "comm_hidden_by_comp_percent"), None);
    let rows = rank_rows(&trace, &within(150, 200), &[]);
    assert_eq!(rows[1].totals, None);
    for column in ["kernel_time_us", "idle_percent", "steps", "window_start_ns"] {
        assert_eq!(shown(&rows, 1, column), None, "{column}");
    }
    assert_eq!(shown(&rows, 1, "devices_measured").unwrap(), "0");
}

#[test]
fn rows_are_sorted_by_printed_values_with_n_a_last() {
    let trace = three_devices();
    let mut rows = rank_rows(&trace, &within(150, 200), &[]);
    let order = |rows: &[RankRow]| rows.iter().map(|r| r.rank.0).collect::<Vec<_>>();
    for order_asked in [SortOrder::Ascending, SortOrder::Descending] {
        sort_ranks(&mut rows, "idle_percent", order_asked);
        assert_eq!(order(&rows), [0, 1]);
    }
    sort_ranks(&mut rows, "rank", SortOrder::Descending);
    assert_eq!(order(&rows), [1, 0]);
}

const CALL: Call<'static> = Call {
    collective: "allreduce",
    group: "0",
    seq: None,
    elements: [Some(8), Some(8)],
    dtype: "Float",
    group_size: None,
};

/// Ranks whose collectives of each group end at the given times.
fn meeting(ranks: &[&[(&str, &[i64])]]) -> Trace {
    let mut pen = TraceBuilder::new();
    for (id, groups) in (0..).zip(ranks) {
        pen = pen.rank(id).kernel("gemm", 0, 1);
        for (group, ends) in *groups {
            for (seq, end) in (0..).zip(*ends) {
                let seq = Some(seq);
                let call = Call { group, seq, ..CALL };
                // Starts tell nothing: they differ from rank to rank.
                let start = end - 10 - 7 * i64::from(id);
                pen = pen.stream(20 + i64::from(id)).call(&call, start, *end);
            }
        }
    }
    pen.build()
}

/// Rank, reference, shift, residual, matches.
fn told(shifts: &[ClockShift]) -> Vec<(u32, Option<u32>, i64, i64, u64)> {
    shifts
        .iter()
        .map(|s| {
            let a = s.against;
            (
                s.rank.0,
                a.map(|a| a.with.0),
                s.shift.0,
                a.map_or(0, |a| a.residual.0),
                a.map_or(0, |a| a.matches),
            )
        })
        .collect()
}

#[test]
fn clocks_are_told_by_the_ends_of_collectives() {
    let own: &[i64] = &[1000, 2000, 3000, 4000, 5000];
    // Differences 500, 502, 498, 500, 900: median 500, distances 0 2 2 0 400.
    let late: &[i64] = &[1500, 2502, 3498, 4500, 5900];
    let few: &[i64] = &[1000, 2000, 3000, 4000];
    let trace = meeting(&[
        &[("0", own)],
        // 300 ahead of rank 1 by their own group, which is 500 ahead of rank 0.
        &[("0", late), ("1", own)],
        &[("1", &[1300, 2300, 3300, 4300, 5300])],
        // Four collectives are not enough.
        &[("0", few)],
        // A pair of their own, far from the others.
        &[("2", own)],
        &[("2", &[900, 1900, 2900, 3900, 4900])],
    ]);
    assert_eq!(
        told(&clock_shifts(&trace)),
        [
            (0, None, 0, 0, 0),
            (1, Some(0), 500, 2, 5),
            (2, Some(1), 800, 0, 5),
            (4, None, 0, 0, 0),
            (5, Some(4), -100, 0, 5),
        ]
    );
    let rows = rank_rows(&trace, &Query::default(), &clock_shifts(&trace));
    let line = |row: usize| {
        ["reference", "shift_us", "residual_us", "matches"]
            .map(|c| shown(&rows, row, &format!("clock_{c}")).unwrap_or_default())
    };
    assert_eq!(line(0), ["", "0.000", "", ""]);
    assert_eq!(line(2), ["1", "0.800", "0.000", "5"]);
    assert_eq!(line(3), ["", "", "", ""]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A rank whose clock is off by a shift gets that shift back, whatever the ends are.
    #[test]
    fn a_shift_is_given_back(
        ends in prop::collection::vec(1_000_i64..1_000_000_000, 5..40),
        shift in -1_000_000_000_000_i64..1_000_000_000_000,
        further in -1_000_000_i64..1_000_000,
    ) {
        let mut ends = ends;
        ends.sort_unstable();
        let moved = |by: i64| ends.iter().map(|e| e + by).collect::<Vec<_>>();
        let (second, third) = (moved(shift), moved(shift + further));
        let trace = meeting(&[&[("0", &ends)], &[("0", &second)], &[("0", &third)]]);
        let matches = u64::try_from(ends.len()).unwrap();
        prop_assert_eq!(told(&clock_shifts(&trace)), [
            (0, None, 0, 0, 0),
            (1, Some(0), shift, 0, matches),
            (2, Some(0), shift + further, 0, matches),
        ]);
    }
}

/// Kinds that do not make ranks wait tell nothing of clocks.
#[test]
fn a_broadcast_tells_nothing_of_clocks() {
    let mut pen = TraceBuilder::new();
    for rank in 0..2 {
        pen = pen.rank(rank);
        for seq in 0..9 {
            let call = Call {
                collective: "broadcast",
                seq: Some(seq),
                ..CALL
            };
            pen = pen.call(&call, 100 * seq, 100 * seq + 50);
        }
    }
    assert_eq!(clock_shifts(&pen.build()), []);
}

fn with_steps() -> Trace {
    let mut pen = TraceBuilder::new();
    for (rank, steps) in [(0, 1..4), (1, 2..6)] {
        pen = pen.rank(rank);
        for n in steps {
            let at = 1_000 * n;
            pen = pen
                .annotation(&format!("ProfilerStep#{n}"), at, at + 900)
                .launched("gemm", at + 10, at + 100, at + 300)
                .stream(20)
                .comm("nccl", at + 200, at + 400 + 10 * n)
                .stream(7);
        }
    }
    pen.build()
}

/// The map says what the table of steps says.
fn assert_map_is_the_table(trace: &Trace, basis: Basis) -> usize {
    let grid = step_grid(trace, &Query::default(), basis, usize::MAX);
    assert_eq!(grid.left_out, 0);
    let mut seen = 0;
    for row in step_rows(trace, &Query::default(), basis) {
        let label = row.step.unwrap();
        let step = grid.labels.iter().position(|l| l.to_string() == label);
        let Some(step) = step else {
            assert_eq!(label, "before");
            continue;
        };
        let device = grid
            .devices
            .iter()
            .position(|d| *d == (row.rank, row.device));
        let cell = grid.get(device.unwrap(), step);
        let Some(figures) = row.figures else {
            assert_eq!(cell, None);
            continue;
        };
        let cell = cell.unwrap();
        let share = figures.comm_hidden_by_comp();
        assert_eq!(GridFigure::Length.of(cell), Cell::Time(figures.kernel_time));
        assert_eq!(GridFigure::Idle.of(cell), Cell::Time(figures.idle_time));
        let exposed = Cell::Time(figures.exposed_comm);
        assert_eq!(GridFigure::ExposedComm.of(cell), exposed);
        assert_eq!(GridFigure::Hidden.of(cell), Cell::Percent(share));
        assert_eq!(cell.partial, row.columns.unwrap().partial);
        seen += 1;
    }
    let all = (0..grid.devices.len()).flat_map(|d| (0..grid.labels.len()).map(move |s| (d, s)));
    let filled = all.filter(|(d, s)| grid.get(*d, *s).is_some()).count();
    assert_eq!(filled, seen);
    seen
}

#[test]
fn the_map_of_steps_says_what_the_table_says() {
    let trace = with_steps();
    assert_eq!(assert_map_is_the_table(&trace, Basis::Device), 7);
    assert_eq!(assert_map_is_the_table(&trace, Basis::Host), 7);
    let grid = step_grid(&trace, &Query::default(), Basis::Device, 3);
    let labels: Vec<String> = grid.labels.iter().map(ToString::to_string).collect();
    assert_eq!((labels.join(" ").as_str(), grid.left_out), ("1 2 3", 2));
    assert_eq!(grid.get(1, 0), None, "rank 1 has no step 1");
    assert_eq!(grid.get(0, 3), None, "no such column");
    assert_eq!(grid.get(2, 0), None, "no such line");
    // Exposed: from 300 to 400 + 10 n.
    let grid = step_grid(&trace, &Query::default(), Basis::Device, 99);
    let ends = grid.ends(GridFigure::ExposedComm);
    let us = |ns| Cell::Time(DurNs(ns));
    assert_eq!(ends, Some((us(110), us(150))));
    let rows = rank_rows(&trace, &Query::default(), &[]);
    let steps: Vec<u64> = rows.iter().map(|r| r.totals.unwrap().steps).collect();
    assert_eq!(steps, [3, 4]);
    let rows = rank_rows(&trace, &within(2_500, 3_200), &[]);
    let steps: Vec<u64> = rows.iter().map(|r| r.totals.unwrap().steps).collect();
    assert_eq!(steps, [2, 2]);
}

#[test]
fn the_command_line_writes_the_table_and_names_what_is_not_open() {
    let home = tempfile::tempdir().unwrap();
    let ranks = home.path().join("ranks");
    std::fs::create_dir(&ranks).unwrap();
    let gpu = |rank: u32| {
        let ts = (1_000 * rank + 100).to_string();
        let pen = Kineto::new().rank(rank, 6).gpu(7, "gemm", &ts, "50");
        pen.gpu(20, "ncclDevKernel_AllReduce", &ts, &(60 + rank).to_string())
    };
    gpu(1).write(&ranks, "a.json");
    gpu(4).write(&ranks, "b.json");
    std::fs::write(ranks.join("c.json"), "no trace").unwrap();
    let path = ranks.to_str().unwrap();
    let report = |more: &[&str]| {
        run(
            home.path(),
            &[&["report", path, "--table", "ranks"], more].concat(),
        )
    };
    let out = report(&["--format", "csv"]);
    assert_eq!(out.status, 0, "{}", out.stderr);
    assert_eq!(csv(&out.stdout).len(), 3);
    let of = |row, column| cell(&out.stdout, row, column);
    assert_eq!(
        (of(0, "rank"), of(0, "file")),
        ("1".into(), "a.json".into())
    );
    assert_eq!(of(0, "world_size"), "6");
    assert_eq!(of(0, "aligned_by"), "start of the file");
    assert_eq!(of(1, "moved_us"), "-3000.000");
    assert_eq!(
        (of(0, "exposed_comm_us"), of(1, "exposed_comm_us")),
        ("11.000".into(), "14.000".into())
    );
    assert_eq!(
        (of(0, "mark"), of(1, "mark")),
        ("least exposed".into(), "most exposed".into())
    );
    assert_eq!(of(0, "clock_shift_us"), "");
    let note = "not open of this job: ranks 0, 2-3, 5 of 6";
    assert!(out.stderr.contains(note), "{}", out.stderr);
    assert!(out.stderr.contains("c.json"), "{}", out.stderr);
    for (format, part) in [
        ("json", r#""mark":"most exposed""#),
        ("markdown", "| rank |"),
        ("text", "most exposed"),
    ] {
        let text = report(&["--format", format])
            .stdout
            .replace("\": \"", "\":\"");
        assert!(text.contains(part), "{format}: {text}");
    }
    let out = report(&["--rank", "4", "--format", "csv"]);
    assert_eq!(csv(&out.stdout).len(), 2);
    let out = report(&["--sort", "total"]);
    assert_eq!(out.status, 2);
    let out = report(&["--window", "0us..1us", "--rank", "1"]);
    assert_eq!(out.status, 0);
}

#[test]
fn the_sample_names_its_missing_rank() {
    let trace = open(&bundled("staggered_groups"));
    assert_eq!(rank_notes(&trace), ["not open of this job: ranks 3 of 4"]);
    let alone = open(&bundled("staggered_groups/rank-0.json"));
    assert_eq!(rank_notes(&alone), ["not open of this job: ranks 1-3 of 4"]);
}

fn real(name: &str) -> Option<Trace> {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    let path = folder.join("multi_rank").join(name);
    if path.is_dir() {
        return Some(open(&path));
    }
    println!("skipped: no real traces at {}", path.display());
    None
}

#[test]
fn real_ranks_have_the_sums_of_their_devices() {
    for name in ["dlrm_8rank", "hta_sampled_2of128"] {
        let Some(trace) = real(name) else { return };
        let clocks = clock_shifts(&trace);
        let capture = trace.capture().unwrap();
        let middle = capture.start() + DurNs(capture.len().0 / 2);
        for query in [Query::default(), within(capture.start().0, middle.0)] {
            let rows = rank_rows(&trace, &query, &clocks);
            assert_eq!(rows.len(), trace.ranks.len());
            let devices = summary_rows(&trace, &query);
            for row in &rows {
                let own = devices.iter().filter(|d| d.rank == row.rank);
                let own: Vec<_> = own.filter_map(|d| d.figures).collect();
                let sum = |get: fn(&overlane::metrics::Summary) -> DurNs| {
                    own.iter().map(get).map(|d| d.0).sum::<i64>()
                };
                let want = [
                    sum(|s| s.kernel_time),
                    sum(|s| s.kernel_run_time),
                    sum(|s| s.comp),
                    sum(|s| s.comm),
                    sum(|s| s.exposed_comm),
                    sum(|s| s.exposed_memory),
                    sum(|s| s.idle_time),
                ];
                let got = row.totals.map_or([0; 7], |_| times(row));
                assert_eq!(got, want, "{name} rank {}", row.rank.0);
            }
        }
        assert_map_is_the_table(&trace, Basis::Device);
        for shift in &clocks {
            println!("{name}: {shift:?}");
            assert!(trace.rank(shift.rank).is_some());
        }
        let references: Vec<RankId> = clocks
            .iter()
            .filter(|c| c.against.is_none())
            .map(|c| c.rank)
            .collect();
        println!(
            "{name}: references {references:?}, notes {:?}",
            rank_notes(&trace)
        );
    }
}
