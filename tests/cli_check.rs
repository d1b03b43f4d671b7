//! `overlane check` from the outside: a gate that never passes by accident.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use support::kineto::{Kineto, Run, run};

const GEMM: &str = "ampere_sgemm_128x64_nn";
const NCCL: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

/// Communication of 40 µs, half of it behind computation, on rank 0; rank 1 has none.
fn check(requirements: &[&str], more: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Kineto::new()
        .rank(0, 2)
        .gpu(7, GEMM, "1000", "100")
        .gpu(20, NCCL, "1080", "40")
        .write(folder.path(), "rank-0.json");
    let second = Kineto::new()
        .rank(1, 2)
        .gpu(7, GEMM, "1000", "100")
        .write(folder.path(), "rank-1.json");
    let mut args = vec![
        "check",
        first.to_str().expect("plain"),
        second.to_str().expect("plain"),
    ];
    for requirement in requirements {
        args.extend(["--require", requirement]);
    }
    args.extend(more);
    run(folder.path(), &args)
}

#[test]
fn requirements_that_hold_on_every_row_pass() {
    let run = check(
        &["idle_percent<=0", "compute_time_us==100", "kernels>=1"],
        &[],
    );
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert_eq!(
        run.stderr,
        "overlane: check passed: 3 requirements held on 2 rows\n"
    );
}

#[test]
fn every_row_that_fails_is_told() {
    let run = check(&["compute_percent<100", "idle_percent>0"], &[]);
    assert_eq!(run.status, 1);
    assert_eq!(
        run.stderr,
        "overlane: check failed: rank 0, device 0: idle_percent is 0.0000, required > 0\n\
         overlane: check failed: rank 1, device 0: compute_percent is 100.0000, required < 100\n\
         overlane: check failed: rank 1, device 0: idle_percent is 0.0000, required > 0\n"
    );
}

#[test]
fn not_available_fails_and_names_the_row() {
    let run = check(&["comm_hidden_by_comp_percent>=50"], &[]);
    assert_eq!(run.status, 1);
    assert_eq!(
        run.stderr,
        "overlane: check failed: rank 1, device 0: comm_hidden_by_comp_percent is n/a, required >= 50\n"
    );
    let picked = check(&["comm_hidden_by_comp_percent>=50"], &["--rank", "0"]);
    assert_eq!(picked.status, 0, "{}", picked.stderr);
}

#[test]
fn no_row_proves_nothing() {
    let run = check(&["idle_percent<=100"], &["--table", "steps"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("nothing was proved"), "{}", run.stderr);
}

#[test]
fn a_window_outside_the_capture_fails() {
    let run = check(&["idle_percent<=100"], &["--window", "5s..6s"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("idle_percent is n/a"), "{}", run.stderr);
}

#[test]
fn unknown_columns_and_odd_requirements_are_wrong_usage() {
    for (requirement, part) in [
        ("idle_percnt<5", "did you mean 'idle_percent'"),
        ("idle_percent", "there is no operator"),
        ("idle_percent=5", "the operators are"),
        ("idle_percent<five", "is not a decimal number"),
    ] {
        let run = check(&[requirement], &[]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{requirement}");
        assert!(run.stderr.contains(part), "{requirement}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{requirement}");
    }
    assert_eq!(check(&[], &[]).status, 2, "a check without a requirement");
}

#[test]
fn one_flag_may_be_followed_by_several_requirements() {
    let held = check(&["idle_percent<=100"], &["kernels>=1"]);
    assert_eq!(held.status, 0, "{}", held.stderr);
    assert!(
        held.stderr.contains("2 requirements held"),
        "{}",
        held.stderr
    );
    assert_eq!(check(&["idle_percent<=100"], &["kernels<1"]).status, 1);
}

#[test]
fn a_file_that_cannot_be_read_fails_the_check() {
    let bad = tempfile::tempdir().unwrap();
    let page = bad.path().join("rank-1.json");
    std::fs::write(&page, "<html>").unwrap();
    let run = check(&["idle_percent<=100"], &[page.to_str().unwrap()]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("could not be read"), "{}", run.stderr);
}
