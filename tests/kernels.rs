//! The table of kernels: worked out by hand, against the summary, and from the outside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::metrics::{
    KernelGroup, KernelGrouping, KernelRow, KernelSort, Query, Selection, SortOrder, keep_top,
    kernel_rows, next_kernel, sort_kernels, summary_rows,
};
use overlane::time::{Ns, Window};
use overlane::trace::class::KernelClass;
use overlane::trace::{SliceRef, Trace};
use proptest::prelude::*;
use support::TraceBuilder;
use support::kineto::{Kineto, cell, csv, run};

fn within(a: i64, b: i64) -> Query {
    Query {
        selection: Selection::Window(Window::new(Ns(a), Ns(b))),
        ..Query::default()
    }
}

/// `label, count, cut, total, mean, median, min, max`.
type Line<'a> = (&'a str, u64, u64, i64, i64, i64, i64, i64);

fn lines(rows: &[KernelRow]) -> Vec<Line<'_>> {
    rows.iter()
        .map(|r| {
            (
                r.label.as_str(),
                r.kernels,
                r.cut,
                r.total.0,
                r.mean.0,
                r.median.0,
                r.min.0,
                r.max.0,
            )
        })
        .collect()
}

/// ```text
///            0    10   20   30   40   50   60   70   80
/// stream 7   [gemm 0-10]  [gemm 20-45][add 45-50] [gemm 60-71]
/// stream 20       [reduce 5-35]             [copy 52-58]
/// ```
fn drawn() -> Trace {
    TraceBuilder::new()
        .kernel("gemm", 0, 10)
        .kernel("gemm", 20, 45)
        .kernel("add", 45, 50)
        .kernel("gemm", 60, 71)
        .stream(20)
        .comm("reduce", 5, 35)
        .copy("copy", 52, 58)
        .build()
}

#[test]
fn the_whole_extent_by_name_and_by_class() {
    let trace = drawn();
    let rows = kernel_rows(&trace, &Query::default(), KernelGrouping::Name);
    assert_eq!(
        lines(&rows),
        [
            // 10 + 25 + 11 = 46; 46 / 3 = 15.33
            ("gemm", 3, 0, 46, 15, 11, 10, 25),
            ("reduce", 1, 0, 30, 30, 30, 30, 30),
            ("copy", 1, 0, 6, 6, 6, 6, 6),
            ("add", 1, 0, 5, 5, 5, 5, 5),
        ]
    );
    // 46 + 30 + 6 + 5 = 87
    assert!(rows.iter().all(|r| r.device_total.0 == 87));
    assert_eq!(rows[0].share().unwrap().percent4(), "52.8736");
    assert_eq!(rows[1].class, Some(KernelClass::Communication));
    let rows = kernel_rows(&trace, &Query::default(), KernelGrouping::Class);
    assert_eq!(
        lines(&rows),
        [
            // 5, 10, 11, 25: 51 / 4 = 12.75, (10 + 11) / 2 = 10.5
            ("computation", 4, 0, 51, 13, 11, 5, 25),
            ("communication", 1, 0, 30, 30, 30, 30, 30),
            ("memory", 1, 0, 6, 6, 6, 6, 6),
        ]
    );
}

#[test]
fn an_edge_cuts_the_total_and_not_the_lengths() {
    // [8, 40): gemm 2 of 10 and 20 of 25, reduce 27 of 30.
    let rows = kernel_rows(&drawn(), &within(8, 40), KernelGrouping::Name);
    assert_eq!(
        lines(&rows),
        [
            ("reduce", 1, 1, 27, 30, 30, 30, 30),
            // (10 + 25) / 2 = 17.5
            ("gemm", 2, 2, 22, 18, 18, 10, 25),
        ]
    );
    // Touching is not sharing time.
    assert!(kernel_rows(&drawn(), &within(50, 52), KernelGrouping::Name).is_empty());
    assert!(kernel_rows(&drawn(), &within(900, 999), KernelGrouping::Name).is_empty());
}

#[test]
fn a_kernel_of_long_ago_that_still_runs_is_found() {
    let mut drawing = TraceBuilder::new().kernel("long", 0, 1_000);
    for i in 0..20 {
        drawing = drawing.kernel("short", 10 + i, 11 + i);
    }
    let rows = kernel_rows(&drawing.build(), &within(500, 600), KernelGrouping::Name);
    assert_eq!(
        lines(&rows),
        [("long", 1, 1, 100, 1_000, 1_000, 1_000, 1_000)]
    );
}

#[test]
fn suspicious_kernels_are_cut_where_asked() {
    let mut drawing = TraceBuilder::new().kernel("k", 100, 1_000_000);
    for i in 1..=20 {
        drawing = drawing.kernel("k", 100 + i * 100, 150 + i * 100);
    }
    let trace = drawing.build();
    for clip_suspicious in [false, true] {
        let query = Query {
            clip_suspicious,
            ..Query::default()
        };
        let rows = kernel_rows(&trace, &query, KernelGrouping::Name);
        let longest = if clip_suspicious { 100 } else { 999_900 };
        assert_eq!(rows[0].max.0, longest);
        let summary = summary_rows(&trace, &query)[0].figures.unwrap();
        assert_eq!(rows[0].total, summary.duration_sum);
        assert_eq!(rows[0].kernels, summary.kernels);
    }
}

#[test]
fn the_launching_op_is_the_innermost_around_the_call() {
    // model  [0                          100)
    // linear    [10      40)  [50  60)
    // matmul      [20 30)
    // calls         25   35      60    99  200
    let trace = TraceBuilder::new()
        .cpu("model", 0, 100)
        .cpu("linear", 10, 40)
        .cpu("matmul", 20, 30)
        .cpu("linear", 50, 60)
        .launched("a", 25, 1_000, 1_010)
        .launched("b", 35, 1_010, 1_030)
        .launched("c", 60, 1_030, 1_060)
        .launched("d", 99, 1_060, 1_100)
        .launched("e", 200, 1_100, 1_150)
        .kernel("f", 1_150, 1_210)
        .build();
    let rows = kernel_rows(&trace, &Query::default(), KernelGrouping::Op);
    let got: Vec<_> = rows
        .iter()
        .map(|r| (r.label.as_str(), r.kernels, r.total.0))
        .collect();
    assert_eq!(
        got,
        [
            // An op is half-open: at 60 the second linear is over.
            ("model", 2, 70),
            ("(no launch recorded)", 1, 60),
            ("(no op)", 1, 50),
            ("linear", 1, 20),
            ("matmul", 1, 10),
        ]
    );
}

#[test]
fn rows_are_sorted_and_cut_for_each_device() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 10)
        .kernel("b", 10, 15)
        .kernel("b", 15, 21)
        .device(1)
        .kernel("a", 0, 3)
        .kernel("c", 3, 9)
        .build();
    let mut rows = kernel_rows(&trace, &Query::default(), KernelGrouping::Name);
    let labels = |rows: &[KernelRow]| -> String { rows.iter().map(|r| r.label.clone()).collect() };
    assert_eq!(labels(&rows), "baca");
    sort_kernels(&mut rows, KernelSort::Max, SortOrder::Descending);
    assert_eq!(labels(&rows), "abca");
    sort_kernels(&mut rows, KernelSort::Group, SortOrder::Ascending);
    assert_eq!(labels(&rows), "abac");
    assert_eq!(keep_top(&mut rows, 1), 2);
    assert_eq!(labels(&rows), "aa");
}

#[test]
fn the_next_kernel_of_a_group_goes_round() {
    let trace = drawn();
    let rank = trace.ranks[0].id;
    let gemm = KernelGroup::Name(trace.names.find("gemm").unwrap());
    let start = |at: SliceRef| trace.slice(at).unwrap().start().0;
    let mut at = None;
    let mut seen = Vec::new();
    for _ in 0..4 {
        at = next_kernel(&trace, &Query::default(), gemm, at);
        seen.push(start(at.unwrap()));
    }
    assert_eq!(seen, [0, 20, 60, 0]);
    // Behind a kernel of another group, and only in the window.
    let reduce = KernelGroup::Class(KernelClass::Communication);
    let reduce = next_kernel(&trace, &Query::default(), reduce, None).unwrap();
    assert_eq!(reduce.rank, rank);
    let next = next_kernel(&trace, &within(0, 50), gemm, Some(reduce)).unwrap();
    assert_eq!(start(next), 20);
    let next = next_kernel(&trace, &within(0, 50), gemm, Some(next)).unwrap();
    assert_eq!(start(next), 0);
    let add = KernelGroup::Name(trace.names.find("add").unwrap());
    assert_eq!(next_kernel(&trace, &within(0, 40), add, None), None);
}

proptest! {
    #[test]
    fn sums_over_groups_are_those_of_the_summary(
        kernels in prop::collection::vec((0_u8..3, 0_u8..3, 0_u8..2, 0_i64..200, 0_i64..60), 1..60),
        (from, to) in (-20_i64..280, -20_i64..280),
        clip_suspicious in any::<bool>(),
    ) {
        let mut drawing = TraceBuilder::new().cpu("capture", -20, 280);
        for (name, class, stream, start, length) in kernels {
            drawing = drawing.stream(7 + i64::from(stream)).gpu(
                ["a", "b", "c"][usize::from(name)],
                KernelClass::ALL[usize::from(class)],
                start,
                start + length,
                None,
            );
        }
        let trace = drawing.build();
        for selection in [Selection::None, within(from, to).selection] {
            let query = Query { selection, clip_suspicious, ..Query::default() };
            let summary = summary_rows(&trace, &query)[0].figures.unwrap_or_default();
            for grouping in KernelGrouping::ALL {
                let rows = kernel_rows(&trace, &query, grouping);
                prop_assert_eq!(rows.iter().map(|r| r.kernels).sum::<u64>(), summary.kernels);
                prop_assert_eq!(rows.iter().map(|r| r.total.0).sum::<i64>(), summary.duration_sum.0);
                for r in &rows {
                    prop_assert!(r.min <= r.median && r.median <= r.max);
                    prop_assert!(r.min <= r.mean && r.mean <= r.max);
                    prop_assert!(r.kernels > 0 && r.cut <= r.kernels);
                }
            }
        }
    }
}

const COLUMNS: &str = "rank,device,by,group,class,window_start_ns,window_end_ns,kernels,total_us,\
    share_percent,mean_us,median_us,min_us,max_us,cut";

fn report(drawing: &Kineto, args: &[&str]) -> support::kineto::Run {
    let folder = tempfile::tempdir().unwrap();
    let path = drawing.write(folder.path(), "trace.json");
    let mut all = vec!["report", path.to_str().unwrap(), "--table", "kernels"];
    all.extend(args);
    run(folder.path(), &all)
}

fn file() -> Kineto {
    Kineto::new()
        .rank(0, 1)
        .cpu("aten::mm", "900", "50")
        .launched(1, "910", 7, "1000", "100")
        .launched(2, "940", 7, "1100", "50")
        .gpu(20, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "1080", "40")
}

#[test]
fn the_command_line_writes_the_columns_of_the_contract() {
    let run = report(&file(), &["--format", "csv"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.stderr, "");
    assert_eq!(
        run.stdout,
        format!(
            "{COLUMNS}\n\
             0,0,name,ampere_sgemm_128x64_nn,computation,1000000,1150000,2,150.000,78.9474,75.000,\
             75.000,50.000,100.000,0\n\
             0,0,name,ncclDevKernel_AllReduce_Sum_f32_RING_LL,communication,1000000,1150000,1,\
             40.000,21.0526,40.000,40.000,40.000,40.000,0\n"
        )
    );
    let json = report(&file(), &["--format", "json", "--by", "op"]);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(document["rows"][0]["group"], "aten::mm");
    assert!(
        json.stdout.contains("\"share_percent\": 78.9474"),
        "{}",
        json.stdout
    );
    assert_eq!(document["rows"][1]["group"], "(no launch recorded)");
    for format in ["text", "markdown"] {
        let run = report(&file(), &["--format", format, "--by", "class"]);
        assert!(run.stdout.contains("communication"), "{}", run.stdout);
    }
}

#[test]
fn options_choose_sort_and_cut_the_rows() {
    let groups = |args: &[&str]| {
        let mut all = vec!["--format", "csv"];
        all.extend(args);
        let run = report(&file(), &all);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let lines = csv(&run.stdout);
        let names: Vec<String> = lines[1..].iter().map(|l| l[3][..4].to_owned()).collect();
        (names, run.stderr, run.stdout)
    };
    assert_eq!(groups(&["--sort", "min"]).0, ["ampe", "nccl"]);
    assert_eq!(
        groups(&["--sort", "group", "--filter", "AllReduce"]).0,
        ["nccl"]
    );
    // A share is of all kernels, whatever is filtered.
    let filtered = groups(&["--filter", "^nccl"]).2;
    assert_eq!(cell(&filtered, 0, "share_percent"), "21.0526");
    let (names, said, _) = groups(&["--top", "1"]);
    assert_eq!(
        (names.len(), said.as_str()),
        (1, "overlane: --top leaves 1 row out\n")
    );
    let (names, said, _) = groups(&["--filter", "nothing"]);
    assert_eq!(names.len(), 0);
    assert!(said.contains("no name matches --filter"), "{said}");
    let (_, _, text) = groups(&["--window", "@1090000..@1130000"]);
    assert_eq!(cell(&text, 0, "total_us"), "40.000");
    assert_eq!(cell(&text, 0, "cut"), "2");
    let (names, said, _) = groups(&["--window", "@1000..@2000"]);
    assert_eq!(names.len(), 0);
    assert!(
        said.contains("rank 0, device 0 recorded nothing of the window"),
        "{said}"
    );
}

#[test]
fn wrong_options_end_in_one_sentence() {
    for (args, part) in [
        (&["--filter", "("][..], "--filter"),
        (&["--top", "0"], "--top"),
        (&["--by", "stream"], "possible values: name, class, op"),
        (
            &["--annotation", "x"],
            "--annotation does not go with table kernels",
        ),
    ] {
        let run = report(&file(), args);
        assert_eq!(run.status, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = file().write(folder.path(), "trace.json");
    let path = path.to_str().unwrap();
    let other = run(folder.path(), &["report", path, "--top", "3"]);
    assert_eq!(other.status, 2);
    assert!(
        other
            .stderr
            .contains("--top does not go with table summary"),
        "{}",
        other.stderr
    );
    let args = [
        "check",
        path,
        "--table",
        "kernels",
        "--require",
        "idle_percent<5",
    ];
    let check = run(folder.path(), &args);
    assert_eq!(check.status, 2);
    assert!(
        check.stderr.contains("does not go with table kernels"),
        "{}",
        check.stderr
    );
}

#[test]
fn a_kernel_without_a_launch_call_belongs_to_the_op_with_its_external_id() {
    let kernel = |ts: u32, external: u32| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts},"dur":5,"args":{{"device":0,"stream":7,"External id":{external}}}}}"#
        )
    };
    let op = r#"{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":5,"args":{"External id":4}}"#;
    let events = [op.to_owned(), kernel(20, 4), kernel(30, 4), kernel(40, 9)].join(",");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.json");
    std::fs::write(&path, format!(r#"{{"traceEvents":[{events}]}}"#)).unwrap();
    let args = [
        "report",
        path.to_str().unwrap(),
        "--table",
        "kernels",
        "--by",
        "op",
        "--format",
        "csv",
    ];
    let run = run(folder.path(), &args);
    let groups: Vec<String> = csv(&run.stdout)[1..]
        .iter()
        .map(|l| format!("{} {}", l[3], l[7]))
        .collect();
    assert_eq!(
        groups,
        ["aten::mm 2", "(no launch recorded) 1"],
        "{}",
        run.stderr
    );
}
