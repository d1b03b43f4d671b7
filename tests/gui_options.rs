//! Opening with options in the window: the dialog, what it opens, what the window says of it.

#![allow(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::accesskit::Toggled;
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use gui_support::{SAMPLE, Start, Window, sample_in};
use overlane::ingest::{IngestError, LoadOptions, MemoryLimit};
use overlane::session::{Overlay, Session};
use overlane::trace::{Category, IssueKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

/// The sample with a stack of two Python frames and an operator.
fn python_in(folder: &Path) -> PathBuf {
    let path = folder.join("stacks_rank0.json");
    let more = r#"{"ph":"X","cat":"python_function","name":"train.py(7): step","pid":77,"tid":1,"ts":1001,"dur":200},
{"ph":"X","cat":"python_function","name":"nn.py(9): forward","pid":77,"tid":1,"ts":1002,"dur":100},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":77,"tid":1,"ts":1003,"dur":50},
{"ph":"M""#;
    std::fs::write(&path, SAMPLE.replacen(r#"{"ph":"M""#, more, 1)).unwrap();
    path
}

fn open_dialog(window: &mut Window) {
    let keys = Modifiers::COMMAND.plus(Modifiers::SHIFT);
    window.harness.key_press_modifiers(keys, Key::O);
    window.settle();
    assert_eq!(session(window).overlay, Some(Overlay::OpenOptions));
}

fn type_into(window: &mut Window, field: &str, text: &str) {
    let find = |w: &Window, field: &str| {
        w.harness
            .get_by_role_and_label(Role::TextInput, field)
            .focus();
    };
    find(window, field);
    window.settle();
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.settle();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, field)
        .type_text(text);
    window.settle();
}

fn of(window: &Window, category: Category) -> usize {
    let trace = session(window).trace.as_ref().unwrap();
    let slices = trace.ranks.iter().flat_map(|r| r.slices.iter());
    slices.filter(|s| s.category() == category).count()
}

#[test]
fn a_trace_is_opened_without_python_and_a_reload_keeps_that() {
    let mut window = Start::default().open();
    let path = python_in(window.dir.path());
    *window.answers.open.lock().unwrap() = Some(vec![path]);
    window.harness.get_by_label("With options…").click();
    window.settle();
    window.harness.get_by_label("Without Python stacks").click();
    window.settle();
    window.picture("options_empty");
    window.harness.get_by_label("Choose traces…").click();
    window.until_loaded();
    assert_eq!(
        (of(&window, Category::Python), of(&window, Category::CpuOp)),
        (0, 1)
    );
    window
        .harness
        .get_by_label("Partial: Python stacks left out (2 events)");
    window.harness.get_by_label("Health: partial by choice");
    window.picture("options_loaded");
    let before = session(&window).generation;
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::R);
    window.until("it is loaded again", |w| session(w).generation > before);
    assert_eq!(of(&window, Category::Python), 0);
    // The dialog remembers, but a plain open loads everything.
    open_dialog(&mut window);
    let checkbox = window.harness.get_by_label("Without Python stacks");
    assert_eq!(checkbox.accesskit_node().toggled(), Some(Toggled::True));
    window.harness.key_press(Key::Escape);
    window.settle();
    let before = session(&window).generation;
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::O);
    window.until("it is loaded whole", |w| session(w).generation > before);
    assert_eq!(of(&window, Category::Python), 2);
    assert!(window.harness.query_by_label_contains("Partial:").is_none());
}

#[test]
fn what_is_open_is_loaded_again_with_other_options() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![python_in(dir.path())],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    open_dialog(&mut window);
    window.harness.get_by_label("Without CPU rows").click();
    window.settle();
    type_into(&mut window, "Range", "200us..350us");
    window.picture("options_again");
    let before = session(&window).generation;
    window.harness.get_by_label("Load again with these").click();
    window.until("it is loaded again", |w| session(w).generation > before);
    assert_eq!(
        (of(&window, Category::Python), of(&window, Category::CpuOp)),
        (0, 0)
    );
    // In µs from the start: 180-220 sticks in; 250-350 and 340-420 overlap; the others do not.
    assert_eq!(of(&window, Category::Gpu), 3);
    let trace = session(&window).trace.clone().unwrap();
    assert!(trace.health.count(IssueKind::OutsideRange) > 0);
    let origin = trace.origin().unwrap();
    let capture = trace.capture().unwrap();
    assert_eq!((capture.start() - origin).us3(), "200.000");
    assert_eq!((capture.end() - origin).us3(), "350.000");
    window
        .harness
        .get_by_label_contains("figures hold inside it");
    window.picture("options_range");
}

#[test]
fn a_field_that_cannot_be_understood_says_why_and_opens_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    open_dialog(&mut window);
    type_into(&mut window, "Ranks", "7-4");
    window
        .harness
        .get_by_label("the ranks '7-4' run backwards; write the lower number first");
    window.picture("options_trouble");
    window.harness.get_by_label("Load again with these").click();
    window.settle();
    assert!(session(&window).load.is_none());
    assert_eq!(session(&window).overlay, Some(Overlay::OpenOptions));
    // A key typed into a field is no shortcut.
    assert_eq!(session(&window).open_form.ranks, "7-4");
}

#[test]
fn options_of_the_command_line_are_used_and_stand_in_the_dialog() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![python_in(dir.path())],
        options: LoadOptions {
            no_cpu_rows: true,
            ..LoadOptions::default()
        },
        ..Start::default()
    }
    .open();
    window.until_loaded();
    assert_eq!(of(&window, Category::CpuOp), 0);
    window
        .harness
        .get_by_label("Partial: Python stacks left out (2 events) · CPU rows left out (1 event)");
    open_dialog(&mut window);
    let checkbox = window.harness.get_by_label("Without CPU rows");
    assert_eq!(checkbox.accesskit_node().toggled(), Some(Toggled::True));
}

#[test]
fn what_does_not_fit_is_said_with_numbers_and_the_limit_can_be_lifted() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        options: LoadOptions {
            memory: MemoryLimit::Bytes(100),
            ..LoadOptions::default()
        },
        ..Start::default()
    }
    .open();
    window.until("it is refused", |w| session(w).message.is_some());
    window.harness.get_by_label_contains("of text need about");
    window.picture("options_memory");
    let path = sample_in(window.dir.path());
    *window.answers.open.lock().unwrap() = Some(vec![path]);
    open_dialog(&mut window);
    type_into(&mut window, "Memory limit", "none");
    window.harness.get_by_label("Choose traces…").click();
    window.until_loaded();
    assert!(session(&window).message.is_none());
}

#[test]
fn a_path_box_opens_with_the_options_and_says_so() {
    let mut window = Start::default().open();
    let path = python_in(window.dir.path());
    open_dialog(&mut window);
    window.harness.get_by_label("Without CPU rows").click();
    window.settle();
    // No answer is set: the picker says `None` at once, as a system without dialogs does.
    window.harness.get_by_label("Choose a folder…").click();
    window.until("the path box is open", |w| session(w).path_box.is_some());
    window
        .harness
        .get_by_label("Will be opened without CPU rows.");
    type_into(&mut window, "Path", path.to_str().unwrap());
    window.harness.key_press(Key::Enter);
    window.until_loaded();
    assert_eq!(of(&window, Category::CpuOp), 0);
}

#[test]
fn a_reload_that_fails_still_says_that_the_file_was_changed() {
    let dir = tempfile::tempdir().unwrap();
    let fails = Arc::new(AtomicBool::new(false));
    let failing = Arc::clone(&fails);
    let path = sample_in(dir.path());
    let mut window = Start {
        paths: vec![path.clone()],
        loader: Arc::new(move |request, progress, cancel| {
            if failing.load(Ordering::Relaxed) {
                return Err(IngestError::Unusable(
                    "the disk is gone; plug it in".to_owned(),
                ));
            }
            overlane::ingest::load(request, progress, cancel)
        }),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    std::fs::write(&path, format!("{SAMPLE} ")).unwrap();
    let notice = "The trace was changed on disk after it was loaded.";
    window.until("the change is told", |w| session(w).changed_on_disk);
    window.harness.get_by_label(notice);
    fails.store(true, Ordering::Relaxed);
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::R);
    window.until("the reload failed", |w| session(w).message.is_some());
    window.harness.get_by_label(notice);
    fails.store(false, Ordering::Relaxed);
    let before = session(&window).generation;
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::R);
    window.until("the reload worked", |w| session(w).generation > before);
    assert!(window.harness.query_by_label(notice).is_none());
}

#[test]
fn a_long_load_tells_its_speed_and_the_time_left() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        loader: Arc::new(|_, progress, cancel| {
            progress.begin_pass(overlane::ingest::Phase::Reading, 62_000_000_000);
            while !cancel.is_cancelled() {
                progress.add_bytes(1_000_000);
                progress.add_text(2_000_000);
                progress.add_events(5_000);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            Err(IngestError::Cancelled)
        }),
        ..Start::default()
    }
    .open();
    // Nothing is told in the first half second.
    assert!(window.harness.query_by_label_contains("left").is_none());
    window.until("the speed is told", |w| {
        w.harness
            .query_by_label_contains("events/s · about ")
            .is_some()
    });
    window.picture("options_speed");
}
