//! Opening things: the invitation, dialogs, the path box, drops, errors, cancelling, reloading.

#![allow(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable as _;
use gui_support::{SAMPLE, Start, sample_in};
use overlane::ingest::{IngestError, Phase};
use overlane::load::Loader;
use overlane::session::{PathBoxMode, Tone};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn the_empty_state_invites_and_a_picked_file_opens() {
    let mut window = Start::default().open();
    window.picture("empty");
    let path = sample_in(window.dir.path());
    *window.answers.open.lock().unwrap() = Some(vec![path.clone()]);
    window.harness.get_by_label("Open traces…").click();
    window.until_loaded();
    window.picture("loaded");
    let session = window.harness.state().session();
    assert_eq!(session.trace_name().as_deref(), Some("sample_rank0.json"));
    assert_eq!(session.settings.recent, [vec![path]]);
    window.until("the settings are kept", |w| {
        std::fs::read_to_string(w.dir.path().join("settings.json"))
            .is_ok_and(|t| t.contains("sample_rank0.json"))
    });
}

#[test]
fn paths_of_the_command_line_open_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    assert_eq!(
        window
            .harness
            .state()
            .session()
            .trace
            .as_ref()
            .unwrap()
            .events,
        20
    );
}

#[test]
fn a_dropped_file_opens() {
    #[derive(Debug)]
    struct Dropped(PathBuf);
    impl egui::DroppedFile for Dropped {
        fn path(&self) -> &Path {
            &self.0
        }
        fn bytes(&self) -> Result<Vec<u8>, String> {
            Err("not asked for".to_owned())
        }
    }
    let mut window = Start::default().open();
    let path = sample_in(window.dir.path());
    window
        .harness
        .input_mut()
        .dropped_files
        .push(Arc::new(Dropped(path)));
    window.harness.step();
    window.until_loaded();
}

#[test]
fn without_a_dialog_the_path_box_opens_and_completes() {
    let mut window = Start::default().open();
    let folder = window.dir.path().to_path_buf();
    sample_in(&folder);
    std::fs::create_dir(folder.join("samples")).unwrap();
    // No answer is set: the picker says `None` at once, as a system without dialogs does.
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::O);
    window.until("the path box is open", |w| {
        w.harness.state().session().path_box.is_some()
    });
    let field = window
        .harness
        .get_by_role_and_label(Role::TextInput, "Path");
    assert!(field.is_focused());
    let typed = folder.join("sample");
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.settle();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Path")
        .type_text(typed.to_str().unwrap());
    window.until("suggestions arrive", |w| {
        w.harness
            .state()
            .session()
            .path_box
            .as_ref()
            .is_some_and(|b| b.suggestions.len() == 2)
    });
    window.picture("path_box");
    // The folder comes first; the second is the file.
    window.harness.key_press(Key::ArrowDown);
    window.settle();
    window.harness.key_press(Key::ArrowDown);
    window.settle();
    window.harness.key_press(Key::Tab);
    window.settle();
    let text = window
        .harness
        .state()
        .session()
        .path_box
        .as_ref()
        .unwrap()
        .text
        .clone();
    assert!(text.ends_with("sample_rank0.json"), "{text}");
    window.harness.key_press(Key::Enter);
    window.until_loaded();
    assert!(window.harness.state().session().path_box.is_none());
}

#[test]
fn several_paths_can_be_put_on_the_list_of_the_path_box() {
    let mut window = Start::default().open();
    let folder = window.dir.path().to_path_buf();
    let first = sample_in(&folder);
    let second = folder.join("other_rank1.json");
    std::fs::write(&second, SAMPLE.replace(r#""rank":0"#, r#""rank":1"#)).unwrap();
    window.harness.get_by_label("Open a folder…").click();
    window.until("the path box is open", |w| {
        w.harness.state().session().path_box.is_some()
    });
    for path in [&first, &second] {
        window
            .harness
            .key_press_modifiers(Modifiers::COMMAND, Key::A);
        window.settle();
        window
            .harness
            .get_by_role_and_label(Role::TextInput, "Path")
            .type_text(path.to_str().unwrap());
        window.settle();
        window
            .harness
            .key_press_modifiers(Modifiers::SHIFT, Key::Enter);
        window.settle();
    }
    window.picture("path_box_list");
    window
        .harness
        .get_by_role_and_label(Role::Button, "Open")
        .click();
    window.until_loaded();
    assert_eq!(
        window
            .harness
            .state()
            .session()
            .trace
            .as_ref()
            .unwrap()
            .ranks
            .len(),
        2
    );
}

#[test]
fn a_broken_file_gives_one_sentence_that_can_be_dismissed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("holiday.json");
    std::fs::write(&path, "\u{89}PNG this is no trace at all").unwrap();
    let mut window = Start {
        paths: vec![path],
        ..Start::default()
    }
    .open();
    window.until("a message is shown", |w| {
        w.harness.state().session().message.is_some()
    });
    window.picture("error");
    let message = window.harness.state().session().message.clone().unwrap();
    assert_eq!(message.tone, Tone::Error);
    assert!(message.text.contains("holiday.json"), "{}", message.text);
    window.harness.get_by_label(&message.text);
    window.harness.get_by_label("Dismiss").click();
    window.settle();
    assert!(window.harness.state().session().message.is_none());
    window.harness.get_by_label("Open traces…");
}

/// A loader that works until it is cancelled or let go.
fn held_back(go: Arc<AtomicBool>) -> Loader {
    Arc::new(move |request, progress, cancel| {
        progress.set_phase(Phase::Reading);
        progress.expect_bytes(62_000_000);
        progress.add_bytes(27_000_000);
        progress.add_events(1_234_567);
        while !go.load(Ordering::Relaxed) {
            if cancel.is_cancelled() {
                return Err(IngestError::Cancelled);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        overlane::ingest::load(request, progress, cancel)
    })
}

#[test]
fn a_load_shows_its_progress_and_can_be_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let go = Arc::new(AtomicBool::new(false));
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        loader: held_back(Arc::clone(&go)),
        ..Start::default()
    }
    .open();
    window.until("events are counted", |w| {
        let load = w.harness.state().session().load.as_ref().unwrap();
        load.progress.as_ref().is_some_and(|p| p.events() > 0)
    });
    window.picture("loading");
    window.harness.get_by_label_contains("27.0 MB of 62.0 MB");
    window.harness.get_by_label("Cancel").click();
    window.settle();
    let session = window.harness.state().session();
    assert!(session.load.is_none() && session.trace.is_none());
    window.harness.get_by_label("loading was cancelled");
    // What the cancelled load would still bring is not taken.
    go.store(true, Ordering::Relaxed);
    std::thread::sleep(std::time::Duration::from_millis(50));
    window.settle();
    assert!(window.harness.state().session().trace.is_none());
}

#[test]
fn a_second_open_replaces_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let go = Arc::new(AtomicBool::new(false));
    let slow = held_back(Arc::clone(&go));
    let first = sample_in(dir.path());
    let second = dir.path().join("second.json");
    std::fs::write(&second, SAMPLE).unwrap();
    let mut window = Start {
        paths: vec![first],
        // Only the first load is held back.
        loader: Arc::new(move |request, progress, cancel| {
            if request.paths[0].ends_with("second.json") {
                overlane::ingest::load(request, progress, cancel)
            } else {
                slow(request, progress, cancel)
            }
        }),
        ..Start::default()
    }
    .open();
    *window.answers.open.lock().unwrap() = Some(vec![second]);
    window.harness.get_by_label("Open…").click();
    window.until_loaded();
    go.store(true, Ordering::Relaxed);
    std::thread::sleep(std::time::Duration::from_millis(50));
    window.settle();
    assert_eq!(
        window.harness.state().session().trace_name().as_deref(),
        Some("second.json")
    );
}

#[test]
fn a_bad_settings_file_is_dropped_with_a_notice() {
    let mut window = Start {
        settings: Some("{ nonsense".to_owned()),
        ..Start::default()
    }
    .open();
    window.settle();
    window.harness.get_by_label_contains("settings.json.broken");
}

#[test]
fn a_missing_sample_is_said_and_the_demo_is_not_a_recent_file() {
    let mut window = Start::default().open();
    window.harness.get_by_label("Sample").click();
    window.until("it is said", |w| {
        w.harness.state().session().message.is_some()
    });
    window.harness.get_by_label("the sample is not here");

    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        sample: Ok(vec![sample_in(dir.path())]),
        ..Start::default()
    }
    .open();
    window.harness.get_by_label("Sample").click();
    window.until_loaded();
    assert!(window.harness.state().session().settings.recent.is_empty());
}

#[test]
fn typing_a_path_is_no_shortcut() {
    let mut window = Start::default().open();
    window.harness.get_by_label("Open traces…").click();
    window.until("the path box is open", |w| {
        w.harness.state().session().path_box.is_some()
    });
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Path")
        .type_text("?");
    window.harness.key_press(Key::Questionmark);
    window.settle();
    let session = window.harness.state().session();
    assert!(session.overlay.is_none());
    assert!(matches!(
        session.path_box.as_ref().unwrap().mode,
        PathBoxMode::Open
    ));
    window.harness.key_press(Key::Escape);
    window.settle();
    assert!(window.harness.state().session().path_box.is_none());
}
