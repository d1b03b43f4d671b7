//! The panel of findings: it says what the command line says, and its evidence can be gone to.

#![allow(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use gui_support::{Start, Window};
use overlane::session::{Action, CsvPanel, OverlapState, Section, Session};
use overlane::trace::Category;
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

/// The panel alone and open, once there is something in it.
fn open(name: &str, start: Start) -> Window {
    let mut window = Start {
        paths: vec![sample(name)],
        ..start
    }
    .open();
    window.until_loaded();
    assert!(
        session(&window)
            .closed_sections
            .contains(&Section::Findings),
        "files are read once more only when somebody asks"
    );
    for section in Section::ALL {
        let is_open = !session(&window).closed_sections.contains(&section);
        if is_open != (section == Section::Findings) {
            act(&mut window, Action::ToggleSection { section });
        }
    }
    window.until(
        "findings are there",
        |window| matches!(session(window).shown_overlap(), OverlapState::Shown(s) if s.is_current),
    );
    window
}

/// What the command line writes.
fn report(name: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_overlane"))
        .arg("report")
        .arg(sample(name))
        .args(["--table", "findings", "--format", "csv"])
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn findings_are_those_of_the_command_line() {
    for name in ["synchronised.json", "same_stream.json", "serial_step.json"] {
        let window = open(name, Start::default());
        let written = report(name);
        assert!(written.lines().count() > 1, "{name} has findings");
        assert_eq!(session(&window).csv(CsvPanel::Findings), written, "{name}");
        let mut rows = csv::Reader::from_reader(written.as_bytes());
        for row in rows.records() {
            let row = row.unwrap();
            let title = row.get(4).unwrap();
            let all = window.harness.query_all_by_role(Role::Cell);
            let label = |node: egui_kittest::Node<'_>| node.accesskit_node().label();
            let found = all.filter_map(label).any(|label| label == title);
            assert!(found, "{title} is shown");
        }
    }
}

#[test]
fn the_evidence_of_a_finding_can_be_gone_to() {
    let mut window = open("synchronised.json", Start::default());
    window.picture("findings_dark");
    let links: Vec<_> = window
        .harness
        .query_all_by_role(Role::Link)
        .filter(|node| {
            let label = node.accesskit_node().label().unwrap_or_default();
            label.starts_with("See cudaStreamSynchronize")
        })
        .collect();
    links.first().unwrap().click();
    window.settle();
    let session = session(&window);
    let selected = session.selection.unwrap();
    let slice = session.trace.as_ref().unwrap().slice(selected).unwrap();
    assert_eq!(slice.category(), Category::Runtime);
}

#[test]
fn findings_look_right_in_the_light() {
    let start = Start {
        settings: Some(r#"{"theme":"light"}"#.to_owned()),
        ..Start::default()
    };
    let mut window = open("bucketed_ddp", start);
    window.picture("findings_light");
}
