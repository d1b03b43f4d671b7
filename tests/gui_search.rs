//! The search: text, regular expression, args, walking, the list, and lanes with hits alone.
//!
//! What is found is told by the drawing at `gui_support::SAMPLE`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};
use overlane::session::{Session, ThemeChoice};
use overlane::timeline::lanes;

fn sample(settings: &str) -> (Window, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        settings: Some(settings.to_owned()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    (window, dir)
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

/// Opens the bar with its key and types a text.
fn search(window: &mut Window, text: &str) {
    window.harness.key_press(Key::Slash);
    window.settle();
    let field = window
        .harness
        .get_by_role_and_label(Role::TextInput, "Find slices");
    field.type_text(text);
    window.settle();
}

fn until_hits(window: &mut Window, count: usize) {
    window.until("the hits are there", |w| {
        let shown = session(w).shown_hits();
        shown.is_some_and(|s| s.is_current && !s.is_reading && s.hits.len() == count)
    });
}

fn has(window: &Window, words: &str) -> bool {
    window.harness.query_by_label(words).is_some()
}

/// Start of the selected slice in µs from the first event of the file.
fn selected(window: &Window) -> Option<i64> {
    let session = session(window);
    let slice = session.trace.as_ref()?.slice(session.selection?)?;
    Some((slice.start().0 - session.origin()?.0) / 1_000)
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.harness.key_press_modifiers(modifiers, key);
    window.settle();
}

fn click(window: &mut Window, role: Role, name: &str) {
    window.harness.get_by_role_and_label(role, name).click();
    window.settle();
}

#[test]
fn hits_are_counted_and_walked_in_time() {
    let (mut window, _dir) = sample("{}");
    search(&mut window, "GEMM");
    // A capital is meant as one.
    until_hits(&mut window, 0);
    assert!(has(&window, "0 hits"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!session(&window).search.is_open);
    search(&mut window, "");
    for _ in 0..4 {
        press(&mut window, Modifiers::NONE, Key::Backspace);
    }
    search(&mut window, "gemm");
    until_hits(&mut window, 4);
    window.picture("search_dark");
    let mut starts = Vec::new();
    for _ in 0..5 {
        press(&mut window, Modifiers::NONE, Key::Enter);
        starts.push(selected(&window).unwrap());
    }
    assert_eq!(starts, [100, 250, 400, 520, 100]);
    assert!(has(&window, "1 of 4 hits"));
    press(&mut window, Modifiers::SHIFT, Key::Enter);
    assert_eq!(selected(&window), Some(520));
    assert!(has(&window, "4 of 4 hits"));
}

#[test]
fn an_expression_and_what_is_wrong_with_it() {
    let (mut window, _dir) = sample("{}");
    search(&mut window, "^nccl.*(ring|tree)");
    until_hits(&mut window, 0);
    click(&mut window, Role::Button, "Regex");
    until_hits(&mut window, 3);
    search(&mut window, "(");
    let trouble = window
        .harness
        .query_by_label_contains("not a regular expression: unclosed group");
    assert!(trouble.is_some());
    // The hits of the last good one stay, and say so.
    assert_eq!(session(&window).shown_hits().unwrap().hits.len(), 3);
}

#[test]
fn args_are_searched_in_the_file() {
    let (mut window, _dir) = sample("{}");
    search(&mut window, "allreduce");
    // The name of two kernels, in the args of one of them.
    until_hits(&mut window, 2);
    click(&mut window, Role::Button, "Args");
    until_hits(&mut window, 2);
    press(&mut window, Modifiers::NONE, Key::Escape);
    search(&mut window, "");
    for _ in 0..9 {
        press(&mut window, Modifiers::NONE, Key::Backspace);
    }
    search(&mut window, "\"grid\":[8,4");
    until_hits(&mut window, 1);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(selected(&window), Some(100));
}

#[test]
fn lanes_without_hits_can_be_hidden_and_closed_ones_open() {
    let (mut window, _dir) = sample("{}");
    search(&mut window, "memcpyasync");
    until_hits(&mut window, 1);
    click(&mut window, Role::Button, "Only hits");
    let trace = session(&window).trace.clone().unwrap();
    let hits = session(&window).shown_hits().unwrap().hits;
    let labels: Vec<String> = lanes::rows_with(&trace, &hits, &session(&window).lanes.arranged)
        .into_iter()
        .map(|r| r.label)
        .collect();
    assert_eq!(labels, ["Rank 0", "CPU threads (1)", "Thread 1"]);
    window.picture("search_only_dark");
}

#[test]
fn the_list_names_every_hit_and_goes_there() {
    let (mut window, _dir) = sample(r#"{"theme":"light"}"#);
    assert_eq!(session(&window).settings.theme, ThemeChoice::Light);
    search(&mut window, "nccl");
    until_hits(&mut window, 3);
    click(&mut window, Role::Button, "List of hits");
    window.picture("search_list_light");
    let gather = "ncclDevKernel_AllGather_RING_LL";
    let rows = window
        .harness
        .query_all_by_role_and_label(Role::Button, gather);
    let row = rows.last().unwrap();
    assert!(row.value().is_none_or(|v| v.is_empty()));
    row.click();
    window.settle();
    assert_eq!(selected(&window), Some(340));
}
