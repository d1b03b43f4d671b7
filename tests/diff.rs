//! Two traces against each other: worked out by hand, as identities, and from the outside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::metrics::{
    DevicePairs, FigureDelta, KernelDelta, Query, Selection, Side, figure_deltas, kernel_deltas,
    pair_devices,
};
use overlane::time::{Ns, Window};
use overlane::trace::{DeviceId, RankId, Trace};
use proptest::prelude::*;
use support::TraceBuilder;
use support::kineto::{Kineto, cell, csv, run};

fn whole(trace: &Trace) -> Side<'_> {
    Side {
        trace,
        query: Query::default(),
    }
}

fn kernels(a: &Trace, b: &Trace) -> Vec<KernelDelta> {
    let (a, b) = (whole(a), whole(b));
    kernel_deltas(&a, &b, &pair_devices(&a, &b).pairs)
}

/// `name, count a, count b, paired, delta of pairs, only a, only b, delta`.
type Line<'a> = (&'a str, u64, u64, u64, i64, (u64, i64), (u64, i64), i64);

fn lines(rows: &[KernelDelta]) -> Vec<Line<'_>> {
    rows.iter()
        .map(|r| {
            (
                r.name.as_str(),
                r.count_a,
                r.count_b,
                r.paired,
                r.paired_delta.0,
                (r.only_a.0, r.only_a.1.0),
                (r.only_b.0, r.only_b.1.0),
                r.delta().0,
            )
        })
        .collect()
}

#[test]
fn kernels_are_aligned_by_the_sequence_and_not_by_position() {
    // One more copy at the front of b, and the second gemm of a is gone.
    let a = TraceBuilder::new()
        .kernel("gemm", 0, 10)
        .kernel("add", 10, 15)
        .kernel("gemm", 20, 30)
        .kernel("norm", 30, 38)
        .build();
    let b = TraceBuilder::new()
        .copy("copy", 0, 4)
        .kernel("gemm", 4, 17)
        .kernel("add", 17, 21)
        .kernel("norm", 21, 31)
        .build();
    assert_eq!(
        lines(&kernels(&a, &b)),
        [
            // 13 of b against 10 of a; the other 10 of a have no partner: 13 - 20.
            ("gemm", 2, 1, 1, 3, (1, 10), (0, 0), -7),
            ("copy", 0, 1, 0, 0, (0, 0), (1, 4), 4),
            ("norm", 1, 1, 1, 2, (0, 0), (0, 0), 2),
            ("add", 1, 1, 1, -1, (0, 0), (0, 0), -1),
        ]
    );
    // The other way round every sign turns.
    let back = kernels(&b, &a);
    assert_eq!(lines(&back)[0], ("gemm", 1, 2, 1, -3, (0, 0), (1, 10), 7));
}

#[test]
fn streams_are_compared_with_the_same_stream() {
    let a = TraceBuilder::new()
        .kernel("gemm", 0, 10)
        .stream(20)
        .kernel("gemm", 0, 30)
        .build();
    let b = TraceBuilder::new()
        .kernel("gemm", 0, 11)
        .stream(21)
        .kernel("gemm", 0, 30)
        .build();
    assert_eq!(
        lines(&kernels(&a, &b)),
        [("gemm", 2, 2, 1, 1, (1, 30), (1, 30), 1)]
    );
}

#[test]
fn figures_stand_side_by_side() {
    // Busy 20 of 40 against 30 of 40; communication 10, hidden 0, against 10, hidden 10.
    let a = TraceBuilder::new()
        .kernel("gemm", 0, 10)
        .stream(20)
        .comm("nccl", 30, 40)
        .build();
    let b = TraceBuilder::new()
        .kernel("gemm", 0, 30)
        .stream(20)
        .comm("nccl", 20, 30)
        .kernel("x", 39, 40)
        .build();
    let (a, b) = (whole(&a), whole(&b));
    let rows = figure_deltas(&a, &b, &pair_devices(&a, &b).pairs);
    let of = |figure: &str| -> &FigureDelta { rows.iter().find(|r| r.figure == figure).unwrap() };
    assert_eq!(of("kernels").delta(), Some(1));
    assert_eq!(of("kernel_run_time_us").delta(), Some(11));
    // 11 of 20
    assert_eq!(
        of("kernel_run_time_us").relative().unwrap().percent4(),
        "55.0000"
    );
    assert_eq!(of("exposed_comm_us").delta(), Some(-10));
    assert_eq!(
        of("exposed_comm_us").relative().unwrap().percent4(),
        "-100.0000"
    );
    // From 0 % to 100 %: points, and no percentage of nothing.
    assert_eq!(of("comm_hidden_by_comp_percent").delta(), Some(1_000_000));
    assert_eq!(of("comm_hidden_by_comp_percent").relative(), None);
    assert_eq!(of("overlap_time_us").delta(), Some(10));
    assert_eq!(of("overlap_time_us").relative(), None);
}

#[test]
fn devices_without_a_partner_are_told() {
    let job = |ranks: &[u32]| {
        ranks.iter().fold(TraceBuilder::new(), |drawing, rank| {
            drawing.rank(*rank).kernel("gemm", 0, 10)
        })
    };
    let (a, b) = (job(&[0, 1]).build(), job(&[1, 2]).build());
    let pairs = pair_devices(&whole(&a), &whole(&b));
    let key = |rank| (RankId(rank), DeviceId(0));
    assert_eq!(pairs.pairs.len(), 1);
    assert_eq!((pairs.only_a, pairs.only_b), (vec![key(0)], vec![key(2)]));
    // One device on each side is a pair, whatever its number.
    let (a, b) = (job(&[0]).build(), job(&[5]).build());
    let DevicePairs {
        pairs,
        only_a,
        only_b,
    } = pair_devices(&whole(&a), &whole(&b));
    assert_eq!((pairs[0].a, pairs[0].b), (key(0), key(5)));
    assert!(only_a.is_empty() && only_b.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Of every name: totals are those of the table of kernels, and their difference is what pairs,
    /// additions and losses make of it.
    #[test]
    fn differences_add_up(
        a in prop::collection::vec((0..3_u8, 0..2_i64, 1..9_i64), 0..30),
        b in prop::collection::vec((0..3_u8, 0..2_i64, 1..9_i64), 0..30),
        cut in 1..60_i64,
    ) {
        let draw = |kernels: &[(u8, i64, i64)]| {
            let mut at = [0, 0];
            let mut drawing = TraceBuilder::new().kernel("always", 0, 1);
            for (name, stream, len) in kernels {
                let free = &mut at[usize::try_from(*stream).unwrap()];
                let name = ["x", "y", "z"][usize::from(*name)];
                drawing = drawing.stream(8 + stream).kernel(name, *free, *free + len);
                *free += len;
            }
            drawing.build()
        };
        let (a, b) = (draw(&a), draw(&b));
        let query = Query {
            selection: Selection::Window(Window::new(Ns(0), Ns(cut))),
            ..Query::default()
        };
        let side = |trace| Side { trace, query };
        let (side_a, side_b) = (side(&a), side(&b));
        let rows = kernel_deltas(&side_a, &side_b, &pair_devices(&side_a, &side_b).pairs);
        for row in &rows {
            prop_assert_eq!(row.delta().0, row.paired_delta.0 + row.only_b.1.0 - row.only_a.1.0);
            prop_assert_eq!(row.count_a, row.paired + row.only_a.0);
            prop_assert_eq!(row.count_b, row.paired + row.only_b.0);
            prop_assert!(!row.by_number);
        }
        for (trace, total) in [
            (&a, rows.iter().map(|r| r.total_a.0).sum::<i64>()),
            (&b, rows.iter().map(|r| r.total_b.0).sum()),
        ] {
            let grouping = overlane::metrics::KernelGrouping::Name;
            let kernels = overlane::metrics::kernel_rows(trace, &query, grouping);
            prop_assert_eq!(total, kernels.iter().map(|r| r.total.0).sum::<i64>());
        }
        // A trace against itself has no difference.
        let same = kernel_deltas(&side_a, &side_a, &pair_devices(&side_a, &side_a).pairs);
        prop_assert!(same.iter().all(|r| r.paired == r.count_a && r.paired_delta.0 == 0));
    }
}

#[test]
fn long_sequences_are_paired_by_their_number_and_say_so() {
    let long = |extra: bool| {
        let mut drawing = TraceBuilder::new();
        if extra {
            drawing = drawing.kernel("b", 0, 1);
        }
        for i in 0..25_001 {
            drawing =
                drawing
                    .kernel("a", 10 + 4 * i, 12 + 4 * i)
                    .kernel("b", 12 + 4 * i, 13 + 4 * i);
        }
        drawing.build()
    };
    let rows = kernels(&long(false), &long(true));
    let b = rows.iter().find(|r| r.name == "b").unwrap();
    assert!(b.by_number);
    assert_eq!((b.paired, b.only_a.0, b.only_b.0), (25_001, 0, 1));
}

#[test]
fn the_command_writes_both_tables_and_refuses_what_it_cannot_do() {
    let dir = tempfile::tempdir().unwrap();
    let a = Kineto::new()
        .gpu(7, "gemm", "10", "5")
        .gpu(7, "add", "15", "1")
        .write(dir.path(), "a.json");
    let b = Kineto::new()
        .gpu(7, "gemm", "10", "7.5")
        .gpu(7, "mul", "20", "1")
        .write(dir.path(), "b.json");
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let got = run(dir.path(), &["diff", a, b, "--format", "csv"]);
    assert_eq!(got.status, 0, "{}", got.stderr);
    assert_eq!(
        csv(&got.stdout)[0][4..],
        ["figure", "a", "b", "delta", "delta_percent"]
    );
    assert_eq!(
        csv(&got.stdout)[3],
        [
            "0",
            "0",
            "0",
            "0",
            "kernel_run_time_us",
            "6.000",
            "8.500",
            "2.500",
            "41.6667"
        ]
    );
    let got = run(
        dir.path(),
        &[
            "diff", a, b, "--table", "kernels", "--format", "csv", "--top", "2",
        ],
    );
    assert_eq!(csv(&got.stdout).len(), 3);
    assert!(got.stderr.contains("--top leaves 1 row out"));
    assert_eq!(cell(&got.stdout, 0, "name"), "gemm");
    assert_eq!(cell(&got.stdout, 0, "delta_us"), "2.500");
    let text = run(dir.path(), &["diff", a, b, "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["files"].as_array().unwrap().len(), 2);
    assert_eq!(json["rows"][2]["figure"], "kernel_run_time_us");
    assert!(text.contains("\"delta\":2.500") || text.contains("\"delta\": 2.500"));
    // An input is never overwritten, a bad one is one sentence.
    assert_eq!(run(dir.path(), &["diff", a, b, "--out", b]).status, 2);
    let missing = run(dir.path(), &["diff", a, "nowhere.json"]);
    assert_eq!((missing.status, missing.stderr.lines().count()), (2, 1));
    assert_eq!(run(dir.path(), &["diff", a]).status, 2);
    let step = run(dir.path(), &["diff", a, b, "--step", "3"]);
    assert_eq!(step.status, 2);
}
