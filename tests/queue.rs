//! Queues of streams: worked out by hand, and against a count instant by instant.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::metrics::{Query, QueueRow, Selection, queue_rows};
use overlane::time::{Ns, Window};
use overlane::trace::Trace;
use proptest::prelude::*;
use support::TraceBuilder;
use support::kineto::{Kineto, cell, run};

fn row(trace: &Trace, from: i64, to: i64) -> QueueRow {
    let query = Query {
        selection: Selection::Window(Window::new(Ns(from), Ns(to))),
        ..Query::default()
    };
    queue_rows(trace, &query)[0].clone()
}

/// ```text
/// launched  a 0   b 2  c 4
/// starts          a 10       b 20        c 30    d 40 without a call
/// waiting   1 0-2, 2 2-4, 3 4-10, 2 10-20, 1 20-30, 0
/// ```
fn drawn() -> Trace {
    TraceBuilder::new()
        .launched("a", 0, 10, 20)
        .launched("b", 2, 20, 30)
        .launched("c", 4, 30, 40)
        .kernel("d", 40, 50)
        .build()
}

#[test]
fn the_queue_is_counted_from_launch_to_start() {
    let trace = drawn();
    let all = row(&trace, 0, 50);
    // 2 + 4 + 18 + 20 + 10
    assert_eq!(
        (all.waited.0, all.longest, all.empty.0, all.linked),
        (54, 3, 20, 3)
    );
    // 54 of 50
    assert_eq!(all.mean_e4(), Some(10_800));
    assert_eq!(all.empty_share().unwrap().percent4(), "40.0000");
    let middle = row(&trace, 15, 25);
    assert_eq!(
        (middle.waited.0, middle.longest, middle.empty.0),
        (15, 2, 0)
    );
    let tail = row(&trace, 30, 50);
    assert_eq!((tail.waited.0, tail.longest, tail.empty.0), (0, 0, 20));
}

#[test]
fn without_launch_calls_there_are_no_figures() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 10)
        .kernel("b", 20, 30)
        .build();
    let all = row(&trace, 0, 30);
    assert_eq!((all.mean_e4(), all.empty_share()), (None, None));
    // A kernel that starts before its call never waited.
    let trace = TraceBuilder::new().launched("a", 8, 5, 10).build();
    let all = row(&trace, 0, 10);
    assert_eq!((all.linked, all.waited.0, all.longest), (1, 0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_window_agrees_with_a_count_instant_by_instant(
        kernels in prop::collection::vec((0..900_i64, 0..60_i64), 1..400),
        window in (0..1_000_i64, 1..400_i64),
    ) {
        let mut drawing = TraceBuilder::new().cpu("all", 0, 1_500);
        for (start, wait) in &kernels {
            drawing = drawing.launched("k", start - wait, *start, start + 1);
        }
        let trace = drawing.build();
        let (from, to) = (window.0, window.0 + window.1);
        let waiting: Vec<i64> = (from..to)
            .map(|t| i64::try_from(kernels.iter().filter(|(s, w)| s - w <= t && t < *s).count()).unwrap())
            .collect();
        let got = row(&trace, from, to);
        prop_assert_eq!(got.waited.0, waiting.iter().sum::<i64>());
        prop_assert_eq!(i64::from(got.longest), *waiting.iter().max().unwrap());
        let empty = waiting.iter().filter(|n| **n == 0).count();
        prop_assert_eq!(got.empty.0, i64::try_from(empty).unwrap());
    }
}

#[test]
fn the_command_writes_a_row_a_stream() {
    let dir = tempfile::tempdir().unwrap();
    let file = Kineto::new()
        .launched(1, "0", 7, "10", "5")
        .gpu(20, "x", "10", "5")
        .write(dir.path(), "a.json");
    let got = run(
        dir.path(),
        &[
            "report",
            file.to_str().unwrap(),
            "--table",
            "queue",
            "--format",
            "csv",
            "--window",
            "0us..20us",
        ],
    );
    assert_eq!(got.status, 0, "{}", got.stderr);
    // The capture ends with the kernels, at 15.
    assert_eq!(cell(&got.stdout, 0, "mean_queue"), "0.6667");
    assert_eq!(cell(&got.stdout, 0, "empty_us"), "5.000");
    assert_eq!(cell(&got.stdout, 1, "mean_queue"), "");
}
