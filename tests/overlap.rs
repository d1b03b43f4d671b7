//! The tables of overlap and dilation: verdicts of the samples as they were worked out by hand in
//! `sample_traces/README.md`, and what can be said of real traces.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

type Row = BTreeMap<String, String>;

fn table(name: &str, path: &Path, rest: &[&str]) -> Vec<Row> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overlane"));
    command
        .arg("report")
        .arg(path)
        .args(["--table", name, "--format", "csv"])
        .args(rest)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("OVERLANE_CONFIG_DIR", env!("CARGO_TARGET_TMPDIR"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    let mut reader = csv::Reader::from_reader(output.stdout.as_slice());
    let heads = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        let cells = heads.iter().zip(record.iter());
        cells.map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
    };
    reader.records().map(|r| row(r.unwrap())).collect()
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample_traces")
        .join(name)
}

/// The row of a figure on rank 0.
fn figure<'r>(rows: &'r [Row], name: &str) -> &'r Row {
    let mut found = rows
        .iter()
        .filter(|r| r["rank"] == "0" && r["figure"] == name);
    found
        .next()
        .unwrap_or_else(|| panic!("no {name} in {rows:?}"))
}

fn value(rows: &[Row], name: &str) -> String {
    figure(rows, name)["value"].clone()
}

#[test]
fn contended_overlap_is_told_from_its_twin() {
    for (name, twin, verdict, factor, of_comp, of_comm, net, at_most) in [
        (
            "overlap_pays",
            "sample_traces/overlap_pays_serial",
            "contended, still pays",
            "1.4000",
            "16000.000",
            "16000.000",
            "24000.000",
            "40000.000",
        ),
        (
            "overlap_harms",
            "sample_traces/overlap_harms_serial",
            "harmful",
            "2.5000",
            "15000.000",
            "15000.000",
            "-5000.000",
            "10000.000",
        ),
        (
            "overlap_effective",
            "sample_traces/overlap_effective_serial",
            "effective",
            "1.0500",
            "1200.000",
            "1200.000",
            "22800.000",
            "24000.000",
        ),
    ] {
        let rows = table("overlap", &sample(name), &["--baseline", twin]);
        assert_eq!(value(&rows, "verdict"), verdict, "{name}");
        assert_eq!(value(&rows, "net"), net, "{name}");
        let ends = figure(&rows, "net");
        assert_eq!(
            (ends["low"].as_str(), ends["high"].as_str()),
            (net, net),
            "{name}"
        );
        assert_eq!(ends["source"], "measured", "{name}");
        for side in ["k_comp", "k_comm"] {
            assert_eq!(value(&rows, side), factor, "{name} {side}");
            assert_eq!(
                figure(&rows, side)["coverage_percent"],
                "100.0000",
                "{name} {side}"
            );
        }
        assert_eq!(value(&rows, "comp_lost"), of_comp, "{name}");
        assert_eq!(value(&rows, "comm_lost"), of_comm, "{name}");
        // Without the twin communication has no base, and only a bound is left.
        let alone = table("overlap", &sample(name), &[]);
        assert_eq!(value(&alone, "verdict"), "cannot tell", "{name}");
        assert_eq!(value(&alone, "net_at_most"), at_most, "{name}");
        assert_eq!(value(&alone, "k_comp"), factor, "{name}");
        assert_eq!(value(&alone, "k_comm"), "", "{name}");
    }
}

#[test]
fn what_does_not_overlap_has_its_cause() {
    let same = table("overlap", &sample("same_stream.json"), &[]);
    assert_eq!(value(&same, "verdict"), "none");
    assert!(figure(&same, "verdict")["note"].contains("on a compute stream"));
    assert_eq!(value(&same, "comm_on_compute_stream"), "100.0000");
    // In five of six all-reduces the next products are queued already.
    assert_eq!(value(&same, "exposed_while_compute_queued"), "83.3333");

    let sync = table("overlap", &sample("synchronised.json"), &[]);
    assert_eq!(value(&sync, "verdict"), "none");
    assert!(figure(&sync, "verdict")["note"].contains("blocked in a synchronisation"));
    assert_eq!(value(&sync, "comm_on_compute_stream"), "0.0000");
    assert_eq!(value(&sync, "exposed_while_compute_queued"), "0.0000");
    let blocked = figure(&sync, "host_blocked");
    assert_eq!(
        (blocked["value"].as_str(), blocked["count"].as_str()),
        ("2000.000", "5")
    );
    assert_eq!(blocked["evidence"], "cudaStreamSynchronize");
}

#[test]
fn the_contended_sample_is_measured_by_its_own_kernels() {
    let rows = table("dilation", &sample("contended_overlap.json"), &[]);
    let got: Vec<_> = rows
        .iter()
        .filter(|r| r["class"] == "computation")
        .map(|r| {
            let of = |name: &str| r[name].as_str();
            (
                of("op"),
                of("alone"),
                of("alone_median_us"),
                of("beside"),
                of("beside_median_us"),
                of("dilation"),
                of("lost_us"),
            )
        })
        .collect();
    assert_eq!(
        got,
        [
            (
                "aten::addmm",
                "16",
                "100.000",
                "16",
                "140.000",
                "1.4000",
                "640.000"
            ),
            (
                "aten::gelu",
                "16",
                "20.000",
                "16",
                "40.000",
                "2.0000",
                "320.000"
            ),
        ]
    );
    let rows = table("overlap", &sample("contended_overlap.json"), &[]);
    assert_eq!(value(&rows, "k_comp"), "1.5000");
    assert_eq!(value(&rows, "comp_lost"), "960.000");
    assert_eq!(value(&rows, "net_at_most"), "1920.000");
    // 16 blocks on 108 multiprocessors.
    assert_eq!(value(&rows, "comm_sm_share_most"), "14.8148");
}

#[test]
fn a_window_has_a_verdict_of_its_own() {
    // Only what runs alone.
    let rest = ["--window", "0us..960us"];
    let rows = table("overlap", &sample("contended_overlap.json"), &rest);
    assert_eq!(value(&rows, "verdict"), "none");
    assert!(figure(&rows, "verdict")["note"].contains("no communication"));
}

/// The account adds up on every real trace, whatever is in it, and every figure says where it is
/// from.
#[test]
fn accounts_add_up_on_real_traces() {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    if !folder.is_dir() {
        eprintln!("skipped: no real traces beside the project");
        return;
    }
    let ns = |text: &str| text.replace('.', "").parse::<i64>().unwrap();
    for name in [
        "kineto/a100_nccl_collective_args_rank0of2.json.gz",
        "kineto/a100_6streams_nccl_rank0of16.json.gz",
        "kineto/a100_alexnet_cuda_sync.json.gz",
        "kineto/a100_event_sync_multi_stream.json.gz",
        "kineto/mi300_resnet_ddp_rccl_rank0of8.json.gz",
        "inference/sglang_deepseek_r1_b300_TP-0-DECODE.trace.json.gz",
        "inference/vllm_prefilldecode_piecewise_graph.json.gz",
        "multi_rank/dlrm_8rank",
        "multi_rank/hta_sampled_2of128",
    ] {
        let rows = table("overlap", &folder.join(name), &[]);
        let mut by_rank: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        for row in &rows {
            assert!(
                ["measured", "modelled"].contains(&row["source"].as_str()),
                "{name}: {row:?}"
            );
            let figures = by_rank.entry(&row["rank"]).or_default();
            figures.insert(&row["figure"], &row["value"]);
        }
        assert!(!by_rank.is_empty(), "{name}");
        for figures in by_rank.values() {
            let of = |figure: &str| ns(figures[figure]);
            let parts = of("compute") + of("exposed_comm") + of("exposed_memory") + of("idle");
            assert_eq!(parts, of("window"), "{name}");
            assert_eq!(of("ideal") + of("excess"), of("window"), "{name}");
        }
    }
}
