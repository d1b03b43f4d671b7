//! The panel of models: prefilled from the window, moved by hand, taken back, exported.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
mod support;

use egui::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use gui_support::{Start, Window};
use overlane::metrics::{Selection, device_row};
use overlane::session::{Action, CsvPanel, Section, Session, WhatIfAction};
use overlane::time::{DurNs, Window as TimeWindow};
use overlane::trace::{Basis, StepLabel};
use overlane::whatif::table::Source;
use overlane::whatif::{Bandwidth, Field, Model, Quantity};
use std::path::{Path, PathBuf};
use support::kineto::{Run, program};

const SECTIONS: [&str; 9] = [
    "Breakdown",
    "Overlap",
    "Streams",
    "All devices",
    "Ranks",
    "Steps",
    "Idle",
    "Kernels",
    "Collectives",
];

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("sample_traces")
        .join(name)
}

fn open(settings: &str, size: [f32; 2], name: &str) -> Window {
    let mut window = Start {
        paths: vec![sample(name)],
        settings: Some(settings.to_owned()),
        size,
        ..Start::default()
    }
    .open();
    window.until_loaded();
    for section in SECTIONS {
        if let Some(head) = window
            .harness
            .query_by_role_and_label(Role::Button, section)
        {
            head.click();
            window.settle();
        }
    }
    window
        .harness
        .get_by_role_and_label(Role::Button, "What if")
        .click();
    window.settle();
    window
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn act(window: &mut Window, action: Action) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().act(&ctx, action);
    window.settle();
}

fn ask(window: &mut Window, model: Model) {
    window
        .harness
        .get_by_role_and_label(Role::Button, model.name())
        .click();
    window.settle();
}

/// The value that a field shows.
fn value(window: &Window, title: &str) -> String {
    window
        .harness
        .get_by_role_and_label(Role::SpinButton, title)
        .accesskit_node()
        .value()
        .unwrap_or_default()
}

fn step(window: &mut Window, number: i64) {
    let label = StepLabel::Number {
        number,
        occurrence: 1,
    };
    let basis = Basis::Device;
    let (rank, device) = session(window).focused().unwrap();
    let row = device_row(rank, device, Selection::Step { label, basis }, false);
    let asked: TimeWindow = row.window.unwrap();
    act(window, Action::SetWindow { window: asked });
}

fn cli(args: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let run: Run = program(home.path())
        .arg("whatif")
        .args(args)
        .args(["--format", "csv"])
        .output()
        .unwrap()
        .into();
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.stdout
}

#[test]
fn buckets_are_prefilled_moved_and_taken_back() {
    let mut window = open("{}", [1280.0, 1200.0], "bucketed_ddp");
    step(&mut window, 12);
    window.picture("whatif_streams_dark");
    assert_eq!(value(&window, "Computation"), "3.950 ms");
    ask(&mut window, Model::Buckets);
    window.picture("whatif_buckets_dark");
    // The schedule of the sample, step 12: d = 0.
    assert_eq!(value(&window, "Backward pass"), "2.460 ms");
    assert_eq!(value(&window, "All gradients"), "75.5 MB");
    assert_eq!(value(&window, "Bucket size"), "12.5 MB");
    assert_eq!(value(&window, "Ranks"), "2");
    // Sizes are too near each other for a fit, so alpha and bandwidth are the user's.
    let told = |words: &str| window.harness.query_by_label_contains(words).is_some();
    assert!(told("To be set by you: Alpha, Bus bandwidth"));
    assert!(told("span less than a factor of 8"));

    act(&mut window, set(Field::Alpha, Quantity::Time(DurNs(5_000))));
    let bus = Bandwidth::from_gb_per_s(41.943).unwrap();
    act(&mut window, set(Field::Bus, Quantity::Rate(bus)));
    window.picture("whatif_buckets_set_dark");
    assert!(
        window
            .harness
            .query_by_label_contains("To be set")
            .is_none()
    );
    // What is predicted of the buckets as they ran stands beside what was measured.
    let csv = session(&window).csv(CsvPanel::WhatIf);
    assert!(csv.contains("ready,,4,"), "{csv}");
    assert!(csv.contains(",405.000,"), "{csv}");
    assert!(csv.contains("measured,,,,,,,400.000,,measured"), "{csv}");
    let path = sample("bucketed_ddp");
    let path = path.to_str().unwrap();
    let typed = ["--alpha", "5us", "--bus-bandwidth", "41.943GB/s"];
    let from = ["buckets", "--from", path, "--step", "12"];
    assert_eq!(csv, cli(&[&from[..], &typed[..]].concat()));

    // A key moves the slider: the figures and the curve follow, and the value is the user's.
    let before = session(&window).what_if.shown().cloned().unwrap().unwrap();
    let slider = "Bucket size slider";
    window
        .harness
        .get_by_role_and_label(Role::Slider, slider)
        .focus();
    window.harness.step();
    for _ in 0..4 {
        window.harness.key_press(egui::Key::ArrowRight);
        window.settle();
    }
    let after = session(&window).what_if.shown().cloned().unwrap().unwrap();
    assert!(before.answer.rows != after.answer.rows && before.curve != after.curve);
    assert!(session(&window).what_if.is_typed(Field::BucketSize));
    window.picture("whatif_buckets_moved_dark");
    let reset = "Reset Bucket size";
    window
        .harness
        .get_by_role_and_label(Role::Button, reset)
        .click();
    window.settle();
    assert_eq!(value(&window, "Bucket size"), "12.5 MB");
    let again = session(&window).what_if.shown().cloned().unwrap().unwrap();
    assert_eq!(before, again);
}

fn set(field: Field, value: Quantity) -> Action {
    Action::WhatIf(WhatIfAction::Set(field, value))
}

#[test]
fn every_model_answers_as_the_command_line_does() {
    let mut window = open(
        r#"{"theme":"light"}"#,
        [1280.0, 1200.0],
        "prefetch_fsdp.json",
    );
    let path = sample("prefetch_fsdp.json");
    let path = path.to_str().unwrap();
    step(&mut window, 1);
    let same = |window: &Window, args: &[&str]| {
        let csv = session(window).csv(CsvPanel::WhatIf);
        let all = [args, &["--from", path, "--step", "1"]].concat();
        assert_eq!(csv, cli(&all), "{args:?}");
    };
    same(&window, &["streams"]);
    window.picture("whatif_streams_light");
    ask(&mut window, Model::Chunks);
    window.picture("whatif_chunks_light");
    same(&window, &["chunks", "--chunks", "4"]);
    ask(&mut window, Model::Prefetch);
    window.picture("whatif_prefetch_light");
    same(&window, &["prefetch", "--depth", "1"]);
    // The schedule: gathers of 200 ahead of computations of 300.
    assert_eq!(value(&window, "Gather a layer"), "200.000 µs");
    assert_eq!(value(&window, "Compute a layer"), "300.000 µs");
    window
        .harness
        .get_by_role_and_label(Role::Button, "backward pass")
        .click();
    window.settle();
    same(&window, &["prefetch", "--depth", "1", "--pass", "backward"]);
    ask(&mut window, Model::Contention);
    act(&mut window, set(Field::KComp, Quantity::Factor(1.45)));
    act(&mut window, set(Field::KComm, Quantity::Factor(1.4)));
    window.picture("whatif_contention_light");
    same(
        &window,
        &["contention", "--k-comp", "1.45", "--k-comm", "1.4"],
    );
    // Below 1 there is nothing that a factor could mean.
    act(&mut window, set(Field::KComp, Quantity::Factor(0.5)));
    assert!(
        window
            .harness
            .query_by_label_contains("No answer: k_comp says how many times")
            .is_some()
    );
    window.picture("whatif_refused_light");
}

#[test]
fn a_wide_window_and_a_trace_without_communication() {
    let mut window = open("{}", [2560.0, 1440.0], "bucketed_ddp");
    ask(&mut window, Model::Buckets);
    window.picture("whatif_buckets_wide_dark");
    let csv = session(&window).csv(CsvPanel::WhatIf);
    assert!(csv.contains("ready,"), "{csv}");
    // Of the window before the first step nothing is known but a copy.
    let origin = session(&window).origin().unwrap();
    let empty = TimeWindow::new(origin + DurNs(100_000), origin + DurNs(150_000));
    act(&mut window, Action::SetWindow { window: empty });
    ask(&mut window, Model::Streams);
    window.picture("whatif_nothing_wide_dark");
    assert!(
        window
            .harness
            .query_by_label_contains("To be set by you: Computation, Communication")
            .is_some()
    );
}

#[test]
fn factors_of_contention_come_from_the_verdict_once_it_is_there() {
    let mut window = open("{}", [1280.0, 1700.0], "contended_overlap.json");
    ask(&mut window, Model::Contention);
    let given = |window: &Window| {
        let inputs = session(window).what_if.inputs();
        let (_, given) = inputs
            .into_iter()
            .find(|(f, _)| *f == Field::KComp)
            .unwrap();
        (given.value, given.source, given.how)
    };
    let (value, source, how) = given(&window);
    assert_eq!(
        (value, source),
        (Quantity::Factor(1.0), Some(Source::Typed))
    );
    assert!(how.contains("Does overlap pay?"), "{how}");
    let toggle = |window: &mut Window| {
        let section = Section::Verdict;
        act(window, Action::ToggleSection { section });
    };
    toggle(&mut window);
    let is_there = |window: &Window| given(window).1 == Some(Source::Measured);
    window.until("there is a verdict", is_there);
    assert_eq!(given(&window).0, Quantity::Factor(1.5));
    // It stays at hand while its section is closed, and what is typed wins.
    toggle(&mut window);
    window.picture("whatif_contention_measured_dark");
    assert!(is_there(&window));
    let csv = session(&window).csv(CsvPanel::WhatIf);
    assert!(csv.contains("phases,1.5000,"), "{csv}");
    act(&mut window, set(Field::KComp, Quantity::Factor(2.0)));
    assert_eq!(given(&window).1, Some(Source::Typed));
    // Of another window there is no verdict while the section is closed.
    act(
        &mut window,
        Action::WhatIf(WhatIfAction::Reset(Field::KComp)),
    );
    let origin = session(&window).origin().unwrap();
    let other = TimeWindow::new(origin, origin + DurNs(1_000_000));
    act(&mut window, Action::SetWindow { window: other });
    assert!(!is_there(&window));
}

/// Two ranks on one clock, the second 5 µs late. All-reduces of group 0 take 10 µs and 25 µs a MB, so 10 µs and,
/// with p = 2, 40 GB/s; all-gathers of group 1 have one size.
fn linked(folder: &Path) -> PathBuf {
    for rank in 0..2_u32 {
        let mut events = Vec::new();
        let mut at = 1_000;
        for (seq, (kind, group, mb)) in [
            ("allreduce", "0", 1),
            ("allreduce", "0", 4),
            ("allreduce", "0", 16),
            ("allreduce", "0", 64),
            ("allreduce", "0", 4),
            ("_allgather_base", "1", 8),
            ("_allgather_base", "1", 8),
        ]
        .into_iter()
        .enumerate()
        {
            let time = 10 + 25 * mb;
            let early = if rank == 0 { 5 } else { 0 };
            let elements = mb * 250_000;
            events.push(serde_json::json!({
                "ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "pid": 0, "tid": 20,
                "ts": at - early, "dur": time + early,
                "args": {"device": 0, "stream": 20, "Collective name": kind,
                    "In msg nelems": elements, "Out msg nelems": elements, "Group size": 2,
                    "dtype": "Float", "Process Group Name": group, "Seq": seq},
            }));
            at += time + 100;
        }
        events.push(serde_json::json!({
            "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 900, "dur": 90,
            "args": {"device": 0, "stream": 7},
        }));
        let trace = serde_json::json!({
            "schemaVersion": 1, "baseTimeNanoseconds": 1_767_225_600_000_000_000_i64,
            "distributedInfo": {"rank": rank, "world_size": 2},
            "traceEvents": events,
        });
        std::fs::write(folder.join(format!("rank-{rank}.json")), trace.to_string()).unwrap();
    }
    folder.to_owned()
}

fn fitted(settings: &str, path: PathBuf) -> Window {
    let mut window = Start {
        paths: vec![path],
        settings: Some(settings.to_owned()),
        size: [1280.0, 1400.0],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    for section in SECTIONS.into_iter().chain(["What if"]) {
        if let Some(head) = window
            .harness
            .query_by_role_and_label(Role::Button, section)
        {
            head.click();
            window.settle();
        }
    }
    window
}

#[test]
fn links_are_fitted_or_refused_and_fill_the_sliders() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = fitted("{}", linked(dir.path()));
    let told =
        |window: &Window, words: &str| window.harness.query_by_label_contains(words).is_some();
    ask(&mut window, Model::Buckets);
    let head = "Alpha and bus bandwidth of links: 1 of 2 fitted";
    window.harness.get_by_label(head).click();
    window.settle();
    window.picture("whatif_links_dark");
    assert!(told(
        &window,
        "all-reduce of group 0: 10.000 µs, 40.00 GB/s"
    ));
    assert!(told(
        &window,
        "5 transfers · 4 sizes · 1.0 MB to 64.0 MB · span 64 · 2 ranks · worst error 0 %"
    ));
    window
        .harness
        .get_by_role_and_label(Role::Button, "Use these")
        .click();
    window.settle();
    assert_eq!(value(&window, "Alpha"), "10.000 µs");
    assert_eq!(value(&window, "Bus bandwidth"), "40.00 GB/s");
    assert!(session(&window).what_if.is_typed(Field::Alpha));
    let csv = session(&window).csv(CsvPanel::Links);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 5 + 2, "{csv}");
    assert_eq!(
        lines[1],
        "0,all-reduce,2,fit,,5,4,64.00,,,10.000,40.000,0.0000,modelled,"
    );
    assert_eq!(
        lines[3],
        "0,all-reduce,2,size,4000000,2,,,110.000,110.000,,,,measured,"
    );
    let refused = "one size is too few";
    assert!(
        lines[6].starts_with("1,all-gather,2,refused,,2,1,1.00,"),
        "{csv}"
    );
    assert!(lines[6].contains(refused), "{csv}");
    // The other one, and a model without such sliders.
    window
        .harness
        .get_by_role_and_label(Role::Button, "all-gather of group 1: no fit")
        .click();
    window.settle();
    window.picture("whatif_links_refused_dark");
    assert!(told(&window, "No fit: one size is too few"));
    assert!(!told(&window, "Use these"));
    // A trace whose sizes are too near each other, in the light.
    let mut window = fitted(r#"{"theme":"light"}"#, sample("bucketed_ddp"));
    let head = "Alpha and bus bandwidth of links: 0 of 1 fitted";
    window.harness.get_by_label(head).click();
    window.settle();
    assert!(told(&window, "span less than a factor of 8"));
    window.picture("whatif_links_refused_light");
    let mut window = fitted(r#"{"theme":"light"}"#, linked(dir.path()));
    ask(&mut window, Model::Chunks);
    let head = "Alpha and bus bandwidth of links: 1 of 2 fitted";
    window.harness.get_by_label(head).click();
    window.settle();
    let button = "Use these";
    window
        .harness
        .get_by_role_and_label(Role::Button, button)
        .click();
    window.settle();
    assert_eq!(value(&window, "Alpha a chunk"), "10.000 µs");
    window.picture("whatif_links_light");
}

#[test]
fn every_chart_can_be_saved_as_a_picture() {
    let mut window = open("{}", [1280.0, 2200.0], "bucketed_ddp");
    for section in [Section::Steps, Section::Collectives] {
        act(&mut window, Action::ToggleSection { section });
    }
    window.picture("charts_dark");
    for chart in ["steps", "wait and transfer", "streams"] {
        let path = window.dir.path().join(format!("{chart}.png"));
        *window.answers.save.lock().unwrap() = Some(vec![path.clone()]);
        let name = format!("Save picture… ({chart})");
        window
            .harness
            .get_by_role_and_label(Role::Button, &name)
            .click();
        window.until("it is written", |_| path.exists());
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"), "{chart}");
        if let Some(folder) = std::env::var_os("OVERLANE_PICTURES") {
            let name = format!("saved_{}.png", chart.replace(' ', "_"));
            std::fs::write(PathBuf::from(folder).join(name), bytes).unwrap();
        }
    }
}
