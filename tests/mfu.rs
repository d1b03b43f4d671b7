//! Model FLOPs utilisation of samples, as it was worked out by hand, and what is refused.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

use std::collections::BTreeMap;
use std::process::{Command, Output};

type Row = BTreeMap<String, String>;

const CONTENDED: &str = "sample_traces/contended_overlap.json";

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overlane"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("OVERLANE_CONFIG_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap()
}

fn rows(args: &[&str]) -> Vec<Row> {
    let all = [args, &["--table", "mfu", "--format", "csv"]].concat();
    let output = run(&all);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    let mut reader = csv::Reader::from_reader(output.stdout.as_slice());
    let heads = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        let cells = heads.iter().zip(record.iter());
        cells.map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
    };
    reader.records().map(|r| row(r.unwrap())).collect()
}

/// Of the contended sample.
fn row(args: &[&str]) -> Row {
    let all = [&["report", CONTENDED][..], args].concat();
    let rows = rows(&all);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap()
}

fn check(row: &Row, wanted: &[(&str, &str)]) {
    for (column, value) in wanted {
        assert_eq!(row[*column], *value, "{column} of {row:?}");
    }
}

#[test]
fn products_of_a_trace_are_summed() {
    // A product has 2 · 4096 · 1024 · 4096 = 34359738368 FLOPs; a step has 16 of them, 549755813888.
    // Two steps in 4930 us: 1099511627776 / 4930000 ns = 223.025 TFLOP/s, of 312 71.4823 %.
    // Products take 2 · 8 · (100 + 140) = 3840 of 4800 us of computation.
    check(
        &row(&["--peak-tflops", "312"]),
        &[
            ("window_us", "4930.000"),
            ("source", "measured"),
            ("flops", "1099511627776"),
            ("flops_counted", "1099511627776"),
            ("ops_counted", "32"),
            ("ops_not_counted", "0"),
            ("coverage_percent", "80.0000"),
            ("steps", "2"),
            ("flops_per_step", "549755813888"),
            ("achieved_tflops", "223.025"),
            ("peak_tflops", "312.000"),
            ("mfu_percent", "71.4823"),
            ("note", ""),
        ],
    );
}

#[test]
fn an_op_counts_in_the_window_in_which_it_starts() {
    // Step 1 is [0, 2500): 549755813888 / 2500000 ns = 219.902 TFLOP/s.
    check(
        &row(&["--peak-tflops", "312", "--step", "1"]),
        &[
            ("ops_counted", "16"),
            ("achieved_tflops", "219.902"),
            ("mfu_percent", "70.4815"),
        ],
    );
    // The first product is [0, 100): this window begins inside of it and holds the GELU and half of
    // the next product, which starts inside. The trace begins 80 us before the device.
    let cut = row(&["--window", "130us..250us"]);
    check(
        &cut,
        &[
            ("ops_counted", "1"),
            ("flops", "34359738368"),
            ("coverage_percent", "41.6667"),
            ("flops_per_step", ""),
            ("mfu_percent", ""),
        ],
    );
    assert!(cut["note"].contains("--peak-tflops"), "{cut:?}");
}

#[test]
fn typed_flops_are_of_whole_steps() {
    // 2 · 6e11 / 4930000 ns = 243.408 TFLOP/s, of 312 78.0153 %.
    let typed = ["--peak-tflops", "312", "--flops-per-step", "6e11"];
    check(
        &row(&typed),
        &[
            ("source", "typed"),
            ("flops", "1200000000000"),
            ("flops_counted", "1099511627776"),
            ("flops_per_step", "600000000000"),
            ("achieved_tflops", "243.408"),
            ("mfu_percent", "78.0153"),
            ("note", ""),
        ],
    );
    let none = row(&[&typed[..], &["--window", "0us..2400us"]].concat());
    check(&none, &[("flops", ""), ("mfu_percent", ""), ("steps", "0")]);
    assert!(none["note"].starts_with("no whole step"), "{none:?}");
    let part = row(&[&typed[..], &["--window", "0us..3000us"]].concat());
    check(&part, &[("flops", "600000000000"), ("steps", "1")]);
    assert!(part["note"].contains("2500.000 of 3000.000"), "{part:?}");
}

#[test]
fn traces_without_shapes_have_no_measured_flops() {
    let with =
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(CONTENDED));
    let without = with.unwrap().replace("Input Dims", "Input Names");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("mfu_without_shapes.json");
    std::fs::write(&path, without).unwrap();
    let rows = rows(&["report", path.to_str().unwrap(), "--peak-tflops", "312"]);
    check(
        &rows[0],
        &[
            ("flops", ""),
            ("ops_counted", "0"),
            ("ops_not_counted", "32"),
            ("coverage_percent", "0.0000"),
            ("flops_per_step", ""),
            ("achieved_tflops", ""),
            ("mfu_percent", ""),
        ],
    );
    assert!(rows[0]["note"].contains("record_shapes"), "{rows:?}");
}

#[test]
fn a_second_run_shows_its_gain_and_both_utilisations() {
    let rows = rows(&[
        "diff",
        "sample_traces/overlap_pays_serial",
        "sample_traces/overlap_pays",
        "--peak-tflops",
        "312",
        "--flops-per-step",
        "1e12",
    ]);
    assert!(!rows.is_empty());
    for row in rows {
        check(
            &row,
            &[
                ("window_a_us", "90000.000"),
                ("window_b_us", "66000.000"),
                ("net_gain_us", "24000.000"),
            ],
        );
    }
    let same = self::rows(&["diff", CONTENDED, CONTENDED, "--peak-tflops", "312"]);
    check(
        &same[0],
        &[
            ("net_gain_us", "0.000"),
            ("net_gain_per_step_us", "0.000"),
            ("mfu_a_percent", "71.4823"),
            ("mfu_b_percent", "71.4823"),
        ],
    );
}

#[test]
fn options_of_mfu_are_refused_elsewhere() {
    for args in [
        &["report", CONTENDED, "--peak-tflops", "312"][..],
        &[
            "report",
            CONTENDED,
            "--table",
            "overlap",
            "--flops-per-step",
            "1e12",
        ],
        &["diff", CONTENDED, CONTENDED, "--peak-tflops", "312"],
        &["report", CONTENDED, "--table", "mfu", "--peak-tflops", "0"],
        &[
            "report",
            CONTENDED,
            "--table",
            "mfu",
            "--flops-per-step",
            "0.5",
        ],
        &["report", CONTENDED, "--table", "mfu", "--top", "3"],
        &[
            "report",
            CONTENDED,
            "--table",
            "mfu",
            "--baseline",
            CONTENDED,
        ],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
