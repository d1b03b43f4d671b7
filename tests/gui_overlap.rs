//! The panel of the overlap verdict: it says what the command line says, its evidence can be gone to,
//! and it follows the window.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use gui_support::{Start, Window};
use overlane::session::{Action, CsvPanel, OverlapState, Section, Session};
use overlane::time::{DurNs, Window as TimeWindow};
use std::path::PathBuf;
use std::process::Command;

fn sample(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "sample_traces", name]
        .iter()
        .collect()
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn act(window: &mut Window, action: Action) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().act(&ctx, action);
    window.settle();
}

fn is_shown(window: &Window) -> bool {
    matches!(session(window).shown_overlap(), OverlapState::Shown(s) if s.is_current)
}

/// The panel alone and open, with its verdict.
fn open(start: Start) -> Window {
    let mut window = start.open();
    window.until_loaded();
    for section in Section::ALL {
        let is_open = !session(&window).closed_sections.contains(&section);
        if is_open != (section == Section::Verdict) {
            act(&mut window, Action::ToggleSection { section });
        }
    }
    window.until("there is a verdict", is_shown);
    window
}

fn open_sample(name: &str) -> Window {
    open(Start {
        paths: vec![sample(name)],
        size: [1280.0, 1900.0],
        ..Start::default()
    })
}

/// The value that stands beside a title.
fn value(window: &Window, role: Role, title: &str) -> Option<String> {
    let node = window.harness.query_by_role_and_label(role, title)?;
    node.accesskit_node().value()
}

fn cell(window: &Window, title: &str) -> String {
    value(window, Role::Cell, title).unwrap_or_default()
}

/// What the command line writes.
fn report(name: &str, table: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_overlane"))
        .arg("report")
        .arg(sample(name))
        .args(["--table", table, "--format", "csv"])
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_verdict_and_its_figures_are_those_of_the_command_line() {
    let mut window = open_sample("contended_overlap.json");
    window.picture("contended_dark");
    let verdict = value(&window, Role::Heading, "Verdict");
    assert_eq!(verdict.as_deref(), Some("cannot tell"));
    for (title, wanted) in [
        ("Net gain, at most", "1920.000 µs"),
        (
            "Pays while communication is slowed by less than",
            "3.0000 ×",
        ),
        ("Window", "4930.000 µs"),
        ("Beyond the ideal", "130.000 µs"),
        ("Computation is slowed by", "1.5000 ×"),
        ("Communication is slowed by", "n/a"),
    ] {
        assert_eq!(cell(&window, title), wanted, "{title}");
    }
    for (panel, table) in [
        (CsvPanel::Verdict, "overlap"),
        (CsvPanel::Dilation, "dilation"),
    ] {
        let shown = session(&window).csv(panel);
        assert!(shown.lines().count() > 2, "{table}");
        assert_eq!(shown, report("contended_overlap.json", table));
    }
}

#[test]
fn evidence_and_kernels_can_be_gone_to() {
    let mut window = open_sample("contended_overlap.json");
    let check = "Multiprocessors: what communication takes";
    window
        .harness
        .get_by_role_and_label(Role::Button, check)
        .click();
    window.settle();
    let link = "See ncclDevKernel_AllReduce_Sum_bf16_RING_LL, for: \
                Multiprocessors that communication occupies, at most";
    window
        .harness
        .get_by_role_and_label(Role::Link, link)
        .click();
    window.settle();
    let name = |window: &Window| {
        let trace = session(window).trace.clone().unwrap();
        let slice = trace.slice(session(window).selection.unwrap()).unwrap();
        trace.names.get(slice.name()).to_owned()
    };
    assert!(name(&window).starts_with("ncclDevKernel_AllReduce"));
    let row = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn alone and beside";
    let node = window.harness.get_by_role_and_label(Role::Button, row);
    let words = node.accesskit_node().value().unwrap_or_default();
    assert!(
        words.starts_with("1.4000 × (1.4000 to 1.4000), lost 640.000 µs; 16 alone"),
        "{words}"
    );
    node.click_accesskit();
    window.settle();
    assert!(name(&window).starts_with("ampere_bf16"));
    window.picture("contended_selected");
    // Whatever is open, the panel stays as wide as it is.
    for check in [
        "Streams: could they run side by side",
        "Dependencies: what waited for what",
    ] {
        window
            .harness
            .get_by_role_and_label(Role::Button, check)
            .click();
        window.settle();
    }
    let left = |window: &Window| {
        let word = window
            .harness
            .get_by_role_and_label(Role::Heading, "Verdict");
        word.rect().left()
    };
    let before = left(&window);
    window.harness.run_steps(40);
    assert!((left(&window) - before).abs() < 0.1, "{before}");
}

#[test]
fn the_plot_can_be_saved_as_a_picture() {
    let mut window = open_sample("contended_overlap.json");
    let path = window.dir.path().join("dots.png");
    *window.answers.save.lock().unwrap() = Some(vec![path.clone()]);
    let name = "Save picture… (alone against beside)";
    window
        .harness
        .get_by_role_and_label(Role::Button, name)
        .click();
    window.until("it is written", |_| path.exists());
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    if let Some(folder) = std::env::var_os("OVERLANE_PICTURES") {
        std::fs::write(PathBuf::from(folder).join("saved_plot.png"), bytes).unwrap();
    }
}

#[test]
fn without_overlap_the_cause_is_told() {
    let mut window = open(Start {
        paths: vec![sample("serial_step.json")],
        settings: Some(r#"{"theme":"light"}"#.to_owned()),
        ..Start::default()
    });
    window.picture("serial_light");
    let verdict = value(&window, Role::Heading, "Verdict");
    assert_eq!(verdict.as_deref(), Some("none"));
    let why = "No computation was launched that could have run beside the communication.";
    assert!(window.harness.query_by_label(why).is_some());
    // There is nothing to gain, so nothing is said of it.
    assert_eq!(cell(&window, "Net gain, at most"), "");
    assert_eq!(cell(&window, "Compute"), "1380.000 µs");
    let shown = session(&window).csv(CsvPanel::Verdict);
    assert_eq!(shown, report("serial_step.json", "overlap"));
}

#[test]
fn the_panel_follows_the_window_and_forgets_an_older_load() {
    let mut window = open_sample("contended_overlap.json");
    let start = session(&window).origin().unwrap();
    let asked = TimeWindow::new(start + DurNs(1_000_000), start + DurNs(2_000_000));
    act(&mut window, Action::SetWindow { window: asked });
    window.until("the new window is judged", is_shown);
    assert_eq!(cell(&window, "Window"), "1000.000 µs");
    let beyond = TimeWindow::new(start + DurNs(90_000_000), start + DurNs(91_000_000));
    act(&mut window, Action::SetWindow { window: beyond });
    window.until("that is known, too", is_shown);
    let words = "No data: the rank recorded nothing in this window.";
    assert!(window.harness.query_by_label(words).is_some());
    window.picture("no_data");

    let paths = vec![sample("serial_step.json")];
    let older = session(&window).generation;
    act(&mut window, Action::Open { paths });
    window.until("another trace is there", |w| session(w).generation != older);
    window.until("it is judged", is_shown);
    let verdict = value(&window, Role::Heading, "Verdict");
    assert_eq!(verdict.as_deref(), Some("none"));
}

#[test]
fn a_second_trace_is_the_run_without_overlap() {
    let mut window = open(Start {
        paths: vec![sample("contended_overlap.json")],
        compare: vec![sample("serial_step.json")],
        size: [2560.0, 1440.0],
        ..Start::default()
    });
    window.until("B is there", |w| session(w).other().is_some());
    window.until("it is judged with B", |w| {
        is_shown(w) && session(w).csv(CsvPanel::Verdict).lines().count() > 2
    });
    window.picture("compared_large");
    let words = "Verdict on A. B is taken for the run without overlap: where fewer than five \
                 kernels ran alone here, those that ran alone in all of B count.";
    assert!(window.harness.query_by_label(words).is_some());
    assert_eq!(cell(&window, "Computation is slowed by"), "1.5000 ×");
}

#[test]
fn a_file_that_is_gone_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gone.json");
    std::fs::copy(sample("contended_overlap.json"), &path).unwrap();
    let mut window = Start {
        paths: vec![path.clone()],
        settings: Some(r#"{"theme":"light"}"#.to_owned()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    std::fs::remove_file(&path).unwrap();
    for section in Section::ALL {
        act(&mut window, Action::ToggleSection { section });
    }
    window.until("there is a verdict", is_shown);
    window.picture("gone_light");
    let troubles = session(&window).launch_troubles();
    assert!(troubles[0].contains("gone.json"), "{troubles:?}");
    let label = format!("launch details are missing: {}", troubles[0]);
    // Findings and verdict rest on the same details, and both say so.
    assert_eq!(window.harness.query_all_by_label(&label).count(), 2);
}
