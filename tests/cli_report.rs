//! `overlane report` from the outside: files in, text and an exit status out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use std::path::Path;
use support::kineto::{Kineto, Run, cell, csv, program, run};

const GEMM: &str = "ampere_sgemm_128x64_nn";
const NCCL: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

const SUMMARY: &str = "rank,device,step,window_start_ns,window_end_ns,kernels,kernel_time_us,\
    kernel_run_time_us,compute_time_us,non_compute_time_us,idle_time_us,compute_percent,\
    non_compute_percent,idle_percent,comp_time_us,comm_time_us,memory_time_us,overlap_time_us,\
    compute_only_us,exposed_comm_us,exposed_memory_us,overlap_ratio_of_union_percent,\
    comm_hidden_by_comp_percent";

/// ```text
/// compute       0---------100
/// communication        80----120
/// ```
fn overlapping() -> Kineto {
    Kineto::new()
        .rank(0, 1)
        .gpu(7, GEMM, "1000", "100")
        .gpu(20, NCCL, "1080", "40")
}

fn report(folder: &Path, args: &[&str]) -> Run {
    let mut all = vec!["report"];
    all.extend(args);
    run(folder, &all)
}

/// Writes one file and reports it as CSV.
fn report_csv(drawing: &Kineto, args: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = drawing.write(folder.path(), "trace.json");
    let path = path.to_str().expect("a plain path");
    let mut all = vec![path, "--format", "csv"];
    all.extend(args);
    report(folder.path(), &all)
}

#[test]
fn the_summary_has_the_columns_of_the_contract_and_exact_figures() {
    let run = report_csv(&overlapping(), &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        run.stdout,
        format!(
            "{SUMMARY}\n0,0,,1000000,1120000,2,120.000,120.000,100.000,20.000,0.000,83.3333,16.6667,\
             0.0000,100.000,40.000,0.000,20.000,80.000,20.000,0.000,16.6667,50.0000\n"
        )
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn json_has_the_digits_of_the_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = overlapping().write(folder.path(), "trace.json");
    let path = path.to_str().expect("a plain path");
    let json = report(folder.path(), &[path, "--format", "json"]);
    assert_eq!(json.status, 0, "{}", json.stderr);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).expect("valid JSON");
    assert_eq!(document["schema"], "overlane.report/1");
    assert_eq!(document["rows"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["files"][0]["error"], serde_json::Value::Null);
    assert_eq!(document["files"][0]["rank"], 0);
    assert!(document["health"].is_array());
    for text in [
        "\"rank\": 0",
        "\"step\": null",
        "\"window_start_ns\": 1000000",
        "\"kernel_time_us\": 120.000",
        "\"idle_percent\": 0.0000",
        "\"comm_hidden_by_comp_percent\": 50.0000",
    ] {
        assert!(json.stdout.contains(text), "{text} in {}", json.stdout);
    }
}

#[test]
fn text_tells_the_figures_with_their_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = overlapping().write(folder.path(), "trace.json");
    let run = report(folder.path(), &[path.to_str().expect("a plain path")]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for part in [
        "rank 0, device 0",
        "120.000 µs long (@1000000 to @1120000)",
        "hidden by computation 50.0000 %",
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
}

#[test]
fn text_has_the_digits_of_the_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = stepped()
        .copy(9, "1290", "33")
        .write(folder.path(), "trace.json");
    let path = path.to_str().expect("a plain path");
    for table in ["summary", "steps", "streams"] {
        let text = report(folder.path(), &[path, "--table", table]);
        let exact = report(folder.path(), &[path, "--table", table, "--format", "csv"]);
        for (row, cells) in csv(&exact.stdout).iter().enumerate().skip(1) {
            for (name, digits) in csv(&exact.stdout)[0].iter().zip(cells) {
                // What is told by its neighbours is left to files.
                let left_out = match name.as_str() {
                    "non_compute_time_us" => true,
                    "kernel_time_us" | "compute_time_us" | "idle_time_us" | "compute_only_us" => {
                        table != "summary"
                    }
                    // Blocks say "busy", "idle" and the parts of the split.
                    "non_compute_percent" | "compute_percent" => table == "summary",
                    _ => false,
                };
                let there = text.stdout.contains(digits.as_str());
                assert!(
                    there || left_out,
                    "{table}: {name} of row {row}: {digits} in {}",
                    text.stdout
                );
            }
        }
    }
    let steps = report(folder.path(), &[path, "--table", "steps"]);
    assert!(steps.stdout.contains("emory"), "{}", steps.stdout);
}

#[test]
fn a_window_is_relative_to_the_trace_or_absolute() {
    for window in ["50us..60us", "@1050000..@1060000", "0.05ms..@1060000"] {
        let run = report_csv(&overlapping(), &["--window", window]);
        assert_eq!(run.status, 0, "{window}: {}", run.stderr);
        assert_eq!(
            cell(&run.stdout, 0, "kernel_run_time_us"),
            "10.000",
            "{window}"
        );
        assert_eq!(
            cell(&run.stdout, 0, "window_start_ns"),
            "1050000",
            "{window}"
        );
    }
}

#[test]
fn a_window_outside_the_capture_gives_empty_figures() {
    let run = report_csv(&overlapping(), &["--window", "5ms..6ms"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        csv(&run.stdout)[1][..6],
        ["0", "0", "", "6000000", "7000000", ""].map(str::to_owned)
    );
    assert_eq!(cell(&run.stdout, 0, "comm_hidden_by_comp_percent"), "");
}

#[test]
fn a_window_without_kernels_is_idle() {
    let run = report_csv(
        &overlapping().cpu("aten::mm", "1000", "500"),
        &["--window", "200us..300us"],
    );
    assert_eq!(cell(&run.stdout, 0, "idle_percent"), "100.0000");
    assert_eq!(cell(&run.stdout, 0, "kernels"), "0");
    assert_eq!(cell(&run.stdout, 0, "comm_hidden_by_comp_percent"), "");
}

#[test]
fn wrong_windows_are_wrong_usage() {
    for (window, part) in [
        ("5..7ms", "the start '5' has no unit"),
        ("5ms", "no '..'"),
        ("7ms..5ms", "ends before it starts"),
    ] {
        let run = report_csv(&overlapping(), &["--window", window]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{window}");
        assert!(run.stderr.contains(part), "{window}: {}", run.stderr);
    }
}

/// Two steps whose kernels run after the host has left them, and one kernel before.
fn stepped() -> Kineto {
    Kineto::new()
        .rank(0, 1)
        .annotation("ProfilerStep#5", "1100", "100")
        .annotation("ProfilerStep#6", "1200", "100")
        .launched(1, "1010", 7, "1020", "40")
        .launched(2, "1110", 7, "1120", "60")
        .launched(3, "1150", 7, "1190", "40")
        .launched(4, "1210", 7, "1240", "40")
}

#[test]
fn steps_tile_the_device() {
    let run = report_csv(&stepped(), &["--table", "steps"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let header = run.stdout.lines().next().expect("a header");
    assert_eq!(header, format!("{SUMMARY},basis,partial,kernels_launched"));
    let column = |name| {
        (0..3)
            .map(|row| cell(&run.stdout, row, name))
            .collect::<Vec<_>>()
    };
    assert_eq!(column("step"), ["before", "5", "6"]);
    assert_eq!(column("window_start_ns"), ["1020000", "1120000", "1240000"]);
    assert_eq!(column("window_end_ns"), ["1120000", "1240000", "1280000"]);
    assert_eq!(
        column("kernel_run_time_us"),
        ["40.000", "100.000", "40.000"]
    );
    assert_eq!(column("kernels_launched"), ["1", "2", "1"]);
    assert_eq!(column("basis"), ["device", "device", "device"]);
}

#[test]
fn steps_on_the_host_basis_are_the_annotations() {
    let run = report_csv(&stepped(), &["--table", "steps", "--basis", "host"]);
    let column = |name| {
        (0..3)
            .map(|row| cell(&run.stdout, row, name))
            .collect::<Vec<_>>()
    };
    assert_eq!(column("step"), ["before", "5", "6"]);
    assert_eq!(column("window_end_ns"), ["1100000", "1200000", "1300000"]);
    assert_eq!(column("kernel_run_time_us"), ["40.000", "70.000", "70.000"]);
}

#[test]
fn one_step_can_be_the_window() {
    let device = report_csv(&stepped(), &["--step", "5"]);
    assert_eq!(device.status, 0, "{}", device.stderr);
    assert_eq!(cell(&device.stdout, 0, "kernel_time_us"), "120.000");
    assert_eq!(cell(&device.stdout, 0, "step"), "");
    let host = report_csv(&stepped(), &["--step", "5", "--basis", "host"]);
    assert_eq!(cell(&host.stdout, 0, "kernel_time_us"), "100.000");
    let missing = report_csv(&stepped(), &["--step", "9"]);
    assert_eq!((missing.status, missing.stdout.as_str()), (2, ""));
    assert_eq!(
        missing.stderr,
        "overlane: there is no step 9 on the device basis; the trace has the steps before, 5, 6\n"
    );
}

#[test]
fn a_number_that_repeats_is_told_apart() {
    let twice = stepped()
        .annotation("ProfilerStep#5", "1400", "100")
        .launched(5, "1410", 7, "1420", "25");
    let run = report_csv(&twice, &["--step", "5#2"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(cell(&run.stdout, 0, "kernel_run_time_us"), "25.000");
}

#[test]
fn annotations_can_be_windows() {
    let drawing = overlapping()
        .annotation("forward", "1000", "50")
        .annotation("backward", "1050", "70")
        .annotation("forward", "1110", "10");
    let run = report_csv(&drawing, &["--annotation", "^forw"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let column = |name| {
        (0..2)
            .map(|row| cell(&run.stdout, row, name))
            .collect::<Vec<_>>()
    };
    assert_eq!(csv(&run.stdout).len(), 3);
    assert_eq!(column("step"), ["forward", "forward"]);
    assert_eq!(column("comm_time_us"), ["0.000", "10.000"]);
    let none = report_csv(&drawing, &["--annotation", "optimizer"]);
    assert_eq!((none.status, none.stdout.lines().count()), (0, 1));
    assert!(
        none.stderr.contains("no host annotation matches"),
        "{}",
        none.stderr
    );
}

#[test]
fn streams_have_rows_of_their_own_in_the_window_of_the_device() {
    let run = report_csv(&overlapping(), &["--table", "streams"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let column = |name| {
        (0..2)
            .map(|row| cell(&run.stdout, row, name))
            .collect::<Vec<_>>()
    };
    assert_eq!(column("stream"), ["7", "20"]);
    assert_eq!(column("kernel_time_us"), ["120.000", "120.000"]);
    assert_eq!(column("busy_percent"), ["83.3333", "33.3333"]);
    assert_eq!(column("communication_only_percent"), ["0.0000", "33.3333"]);
}

#[test]
fn suspicious_durations_are_clipped_only_on_demand_and_both_totals_are_told() {
    // One kernel of 10,000 µs over twenty of 10, each 20 apart, on one stream.
    let mut drawing = Kineto::new().rank(0, 1).gpu(7, "broken", "950", "10000");
    for i in 0..20 {
        drawing = drawing.gpu(7, GEMM, &(1000 + i * 20).to_string(), "10");
    }
    let plain = report_csv(&drawing, &[]);
    assert_eq!(cell(&plain.stdout, 0, "kernel_run_time_us"), "10000.000");
    let clipped = report_csv(&drawing, &["--clip-suspicious"]);
    assert_eq!(cell(&clipped.stdout, 0, "kernel_run_time_us"), "250.000");
    // The window ends with the work: from 950 to the last kernel's end at 1,390.
    assert_eq!(cell(&clipped.stdout, 0, "kernel_time_us"), "440.000");
    assert_eq!(cell(&clipped.stdout, 0, "idle_time_us"), "190.000");
    let folder = tempfile::tempdir().expect("a folder");
    let path = drawing.write(folder.path(), "trace.json");
    let text = report(folder.path(), &[path.to_str().expect("a plain path")]);
    let both = "busy 10000.000 µs (10.000 ms) as recorded, 250.000 µs with them clipped";
    assert!(text.stdout.contains(both), "{}", text.stdout);
}

#[test]
fn ranks_of_a_folder_are_rows_and_can_be_picked() {
    let folder = tempfile::tempdir().expect("a folder");
    let traces = folder.path().join("ranks");
    std::fs::create_dir(&traces).expect("a folder");
    for rank in [0, 1] {
        let drawing = Kineto::new()
            .rank(rank, 2)
            .cpu("aten::mm", "1000", "100")
            .gpu(7, GEMM, if rank == 0 { "1000" } else { "1050" }, "50");
        drawing.write(&traces, &format!("rank-{rank}.json"));
    }
    let path = traces.to_str().expect("a plain path");
    let both = report(
        folder.path(),
        &[path, "--format", "csv", "--window", "0us..100us"],
    );
    assert_eq!(both.status, 0, "{}", both.stderr);
    for row in [0, 1] {
        assert_eq!(cell(&both.stdout, row, "rank"), row.to_string());
        assert_eq!(cell(&both.stdout, row, "idle_time_us"), "50.000");
    }
    let one = report(folder.path(), &[path, "--format", "csv", "--rank", "1"]);
    assert_eq!(
        (csv(&one.stdout).len(), cell(&one.stdout, 0, "rank")),
        (2, "1".to_owned())
    );
    let none = report(folder.path(), &[path, "--rank", "7"]);
    assert_eq!(none.status, 2);
    assert!(
        none.stderr
            .contains("there is no rank 7; the trace has the ranks 0, 1"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_bad_file_among_good_ones_is_named_and_the_rest_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = overlapping().write(folder.path(), "rank-0.json");
    let bad = folder.path().join("rank-1.json");
    std::fs::write(&bad, "<html>not a trace</html>").expect("written");
    let args = [
        good.to_str().expect("plain"),
        bad.to_str().expect("plain"),
        "--format",
        "json",
    ];
    let run = report(folder.path(), &args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("rank-1.json"), "{}", run.stderr);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("valid JSON");
    assert!(document["files"][1]["error"].is_string());
    assert_eq!(document["rows"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_cannot_be_read_is_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = report(folder.path(), &["nowhere.json"]);
    assert_eq!((missing.status, missing.stdout.as_str()), (2, ""));
    assert!(
        missing.stderr.contains("nowhere.json"),
        "{}",
        missing.stderr
    );
    assert_eq!(missing.stderr.lines().count(), 1, "{}", missing.stderr);
}

#[test]
fn no_gpu_work_is_a_header_and_a_sentence() {
    let run = report_csv(&Kineto::new().cpu("aten::mm", "1000", "5"), &[]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (0, format!("{SUMMARY}\n").as_str())
    );
    assert_eq!(
        run.stderr,
        "overlane: the trace has no GPU work, so there is nothing to measure\n"
    );
}

#[test]
fn unknown_tables_are_told() {
    let run = report_csv(&overlapping(), &["--table", "sumary"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("did you mean 'summary'"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_health_list_is_a_table() {
    let run = report_csv(&overlapping(), &["--table", "health"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let header = "kind,severity,file,count,first_byte,first_what,time_at_stake_us,sentence";
    assert_eq!(run.stdout.lines().next(), Some(header));
    assert!(
        run.stdout.contains("no-steps,info,trace.json,1,"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_report_goes_to_a_file_but_never_over_an_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = overlapping().write(folder.path(), "trace.json");
    let before = std::fs::read(&path).expect("read");
    let path = path.to_str().expect("a plain path");
    let out = folder.path().join("report.csv");
    let args = [
        path,
        "--format",
        "csv",
        "--out",
        out.to_str().expect("a plain path"),
    ];
    let run = report(folder.path(), &args);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let written = std::fs::read_to_string(&out).expect("the report");
    assert!(written.starts_with(SUMMARY), "{written}");
    let refused = report(folder.path(), &[path, "--out", path]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("is not overwritten"),
        "{}",
        refused.stderr
    );
    assert_eq!(std::fs::read(path).expect("read"), before);
}

#[cfg(unix)]
#[test]
fn out_follows_a_link_and_spares_the_rules_that_were_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = overlapping().write(folder.path(), "trace.json");
    let path = path.to_str().expect("a plain path");
    let (target, link) = (folder.path().join("target.csv"), folder.path().join("link"));
    std::os::unix::fs::symlink("target.csv", &link).expect("linked");
    let link_text = link.to_str().expect("a plain path");
    let run = report(
        folder.path(),
        &[path, "--format", "csv", "--out", link_text],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(link.is_symlink());
    let written = std::fs::read_to_string(&target).expect("the report");
    assert!(written.starts_with(SUMMARY), "{written}");
    let rules = folder.path().join("rules.toml");
    std::fs::write(&rules, "").expect("written");
    let rules = rules.to_str().expect("a plain path");
    let refused = report(folder.path(), &[path, "--rules", rules, "--out", rules]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(rules).expect("read"), "");
}

#[test]
fn the_variable_moves_rules_and_sample() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = overlapping().write(folder.path(), "trace.json");
    let own = folder.path().join("own");
    std::fs::create_dir(&own).expect("a folder");
    let rules =
        format!("[[rule]]\nname = \"all\"\nclass = \"communication\"\ncontains = \"{GEMM}\"\n");
    std::fs::write(own.join("kernel_rules.toml"), rules).expect("written");
    let with = |args: &[&str]| -> Run {
        program(folder.path())
            .env("OVERLANE_CONFIG_DIR", &own)
            .args(args)
            .output()
            .expect("the program starts")
            .into()
    };
    let path = path.to_str().expect("a plain path");
    let moved = with(&["report", path, "--format", "csv"]);
    assert_eq!(cell(&moved.stdout, 0, "comp_time_us"), "0.000");
    let elsewhere = report(folder.path(), &[path, "--format", "csv"]);
    assert_eq!(cell(&elsewhere.stdout, 0, "comp_time_us"), "100.000");
    assert_eq!(with(&["--demo"]).status, 0);
    assert!(own.join("sample/rank-0.json").is_file());
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().expect("a folder");
    let path = overlapping().write(folder.path(), "trace.json");
    let mut child = program(folder.path())
        .arg("report")
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn without_a_display_the_way_out_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let bare = run(folder.path(), &[] as &[&str]);
    assert_eq!((bare.status, bare.stdout.as_str()), (2, ""));
    assert!(bare.stderr.contains("overlane report"), "{}", bare.stderr);
    assert_eq!(bare.stderr.lines().count(), 1);
}

#[test]
fn the_demo_reports_its_sample_without_a_display() {
    let folder = tempfile::tempdir().expect("a folder");
    let demo = run(folder.path(), &["--demo"]);
    assert_eq!(demo.status, 0, "{}", demo.stderr);
    assert_eq!(demo.stderr.lines().count(), 1, "{}", demo.stderr);
    assert!(demo.stdout.contains("rank 0, device 0"), "{}", demo.stdout);
    assert!(demo.stdout.contains("rank 1, device"), "{}", demo.stdout);
    assert!(
        demo.stdout.contains("exposed communication"),
        "{}",
        demo.stdout
    );
}

#[test]
fn wrong_usage_is_status_two_and_help_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    for args in [
        &["report"][..],
        &["report", "--nonsense", "x.json"],
        &["report", "x.json", "--annotation", "("],
        &["report", "x.json", "--format", "cvs"],
        &["--demo", "x.json"],
        &["--compare", "x.json"],
        &["--compare", "x.json", "report", "y.json"],
        &["--demo", "report", "x.json"],
    ] {
        let wrong = run(folder.path(), args);
        assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""), "{args:?}");
        assert_eq!(wrong.stderr.lines().count(), 1, "{}", wrong.stderr);
        assert!(wrong.stderr.starts_with("overlane: "), "{}", wrong.stderr);
    }
    for args in [["--help"], ["--version"]] {
        let told = run(folder.path(), &args);
        assert_eq!((told.status, told.stderr.as_str()), (0, ""), "{args:?}");
        assert!(told.stdout.contains("overlane"), "{args:?}");
    }
}

#[test]
fn a_rule_file_that_cannot_be_read_is_named() {
    let run = report_csv(&overlapping(), &["--rules", "no-such-rules.toml"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("no-such-rules.toml"), "{}", run.stderr);
}
