//! Keeping how a trace is looked at: by itself, in a file of the user's, and bringing it back. And
//! the command palette, from which both are reached.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use eframe::App as _;
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};
use overlane::ingest::LoadOptions;
use overlane::session::{
    Action, BookmarkAction, LaneAction, Overlay, SearchAction, Section, Session,
};
use overlane::time::Window as TimeWindow;
use overlane::timeline::{LaneKey, lanes};
use std::path::{Path, PathBuf};

fn open(paths: Vec<PathBuf>, config: &Path) -> Window {
    let mut window = Start {
        paths,
        config: Some(config.to_owned()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
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

fn key(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.harness.key_press_modifiers(modifiers, key);
    window.settle();
}

fn shown(window: &Window) -> TimeWindow {
    let session = session(window);
    session.view.unwrap().visible(session.view_width)
}

fn labels(window: &Window) -> Vec<String> {
    let trace = session(window).trace.clone().unwrap();
    lanes::rows(&trace, &session(window).lanes)
        .into_iter()
        .map(|row| row.label)
        .collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| {
            entries
                .map(|e| e.unwrap().file_name().into_string().unwrap())
                .collect()
        })
        .unwrap_or_default();
    names.sort();
    names
}

/// Changes a bit of everything that is kept.
fn look_around(window: &mut Window) {
    key(window, Modifiers::NONE, Key::CloseBracket);
    key(window, Modifiers::NONE, Key::F);
    key(window, Modifiers::NONE, Key::M);
    act(
        window,
        Action::Bookmark(BookmarkAction::Edit(1, "slow".into())),
    );
    let trace = session(window).trace.clone().unwrap();
    let (rank, device) = (&trace.ranks[0], &trace.ranks[0].devices[0]);
    let stream = LaneKey::Stream(rank.id, device.id, device.streams[1].id);
    act(window, Action::Lane(LaneAction::TogglePin(stream)));
    act(
        window,
        Action::Lane(LaneAction::Rename(stream, "comms".into())),
    );
    act(
        window,
        Action::ToggleLane {
            lane: LaneKey::Threads(rank.id),
        },
    );
    act(
        window,
        Action::ToggleSection {
            section: Section::Overlap,
        },
    );
    act(window, Action::Search(SearchAction::Edit("gemm".into())));
}

/// What is kept, to compare.
fn kept(window: &Window) -> (Option<TimeWindow>, Vec<String>, String, String, bool) {
    let session = session(window);
    (
        session.window,
        labels(window),
        session.bookmarks.list[0].note.clone(),
        session.search.text.clone(),
        session.closed_sections.contains(&Section::Overlap),
    )
}

fn close_to(a: TimeWindow, b: TimeWindow) -> bool {
    (a.start().0 - b.start().0).abs() <= 5 && (a.end().0 - b.end().0).abs() <= 5
}

#[test]
fn what_was_looked_at_is_back_when_the_same_paths_are_opened() {
    let (dir, config) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = sample_in(dir.path());
    let mut window = open(vec![path.clone()], config.path());
    assert!(session(&window).kept_as().is_some());
    look_around(&mut window);
    let (before, view) = (kept(&window), shown(&window));
    // At the end of the program, without waiting for a moment of rest.
    window.harness.state_mut().on_exit(None);
    drop(window);
    assert_eq!(names_in(&config.path().join("sessions")).len(), 1);
    // Nothing stands beside the trace.
    assert_eq!(names_in(dir.path()), ["sample_rank0.json"]);
    let mut window = open(vec![path.clone()], config.path());
    assert_eq!(kept(&window), before);
    assert!(close_to(shown(&window), view));
    assert_eq!(session(&window).current_step.unwrap().to_string(), "0");
    assert!(!session(&window).search.is_open);
    // Other paths have a session of their own.
    let other = dir.path().join("other.json");
    std::fs::copy(&path, &other).unwrap();
    act(&mut window, Action::Open { paths: vec![other] });
    window.until("the other one is loaded", |w| session(w).generation == 2);
    assert_eq!(session(&window).window, None);
    assert!(session(&window).bookmarks.list.is_empty());
    act(&mut window, Action::Open { paths: vec![path] });
    window.until("the first one is loaded", |w| session(w).generation == 3);
    assert_eq!(kept(&window), before);
}

#[test]
fn changes_are_kept_after_a_moment_and_looking_alone_is_not() {
    let (dir, config) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = sample_in(dir.path());
    let sessions = config.path().join("sessions");
    let mut window = open(vec![path], config.path());
    window.harness.state_mut().on_exit(None);
    assert!(names_in(&sessions).is_empty());
    key(&mut window, Modifiers::NONE, Key::CloseBracket);
    window.until("it is kept", |_| !names_in(&sessions).is_empty());
    let name = names_in(&sessions).remove(0);
    let text = std::fs::read_to_string(sessions.join(name)).unwrap();
    assert!(
        text.contains("\"schema\": \"overlane.session/1\""),
        "{text}"
    );
    // Absolute times, as in the file.
    assert!(text.contains("\"start_ns\": 1100000"), "{text}");
    assert!(!text.contains("theme"));
}

#[test]
fn a_session_file_is_saved_and_opened() {
    let (dir, config) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = sample_in(dir.path());
    let mut window = open(vec![path.clone()], config.path());
    look_around(&mut window);
    let before = kept(&window);
    let file = config.path().join("mine.overlane");
    *window.answers.save.lock().unwrap() = Some(vec![file.clone()]);
    act(&mut window, Action::SaveSession);
    window.until("it is written", |_| file.exists());
    // By the command line, in a program that never saw the trace.
    let elsewhere = tempfile::tempdir().unwrap();
    let window = open(vec![file.clone()], elsewhere.path());
    assert_eq!(kept(&window), before);
    assert_eq!(session(&window).options, LoadOptions::default());
    assert_eq!(session(&window).sources, std::slice::from_ref(&path));
    // Options beside it on the command line count.
    let options = LoadOptions {
        no_python: true,
        ..LoadOptions::default()
    };
    let mut window = Start {
        paths: vec![file.clone()],
        options: options.clone(),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    assert_eq!(session(&window).options, options);
    assert_eq!(kept(&window), before);
    // By the menu; paths that are gone are named.
    let text = std::fs::read_to_string(&file).unwrap();
    let gone = dir.path().join("gone.json").display().to_string();
    let path = path.display().to_string();
    let text = text.replacen(
        &format!("\"{path}\""),
        &format!("\"{path}\", \"{gone}\""),
        1,
    );
    std::fs::write(&file, text).unwrap();
    let mut window = Start::default().open();
    *window.answers.open.lock().unwrap() = Some(vec![file.clone()]);
    let menu = "Recent and other ways to open";
    window
        .harness
        .get_by_role_and_label(Role::Button, menu)
        .click();
    window.settle();
    window.picture("session_menu_dark");
    window.harness.get_by_label("Open session…").click();
    window.settle();
    window.until_loaded();
    assert_eq!(kept(&window), before);
    let said = session(&window).message.clone().unwrap().text;
    assert_eq!(said, "gone: gone.json");
}

#[test]
fn what_is_no_session_is_told_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let said = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut window = Start {
            paths: vec![path],
            ..Start::default()
        }
        .open();
        window.until("it is told", |w| session(w).message.is_some());
        session(&window).message.clone().unwrap().text
    };
    let newer = said("newer.overlane", r#"{"schema":"overlane.session/2"}"#);
    assert!(newer.contains("newer.overlane: says that it is `overlane.session/2`"));
    let damaged = said("damaged.overlane", "{\"schema\"");
    assert!(damaged.contains("damaged.overlane: is no session that can be read"));
    let gone = said(
        "gone.overlane",
        r#"{"schema":"overlane.session/1","paths":["/nowhere/a.json"]}"#,
    );
    assert!(gone.ends_with("nothing of the session is there any more: a.json"));
}

#[test]
fn a_damaged_kept_session_is_put_aside_and_said() {
    let (dir, config) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = sample_in(dir.path());
    let mut window = open(vec![path.clone()], config.path());
    key(&mut window, Modifiers::NONE, Key::CloseBracket);
    window.harness.state_mut().on_exit(None);
    drop(window);
    let sessions = config.path().join("sessions");
    let file = sessions.join(names_in(&sessions).remove(0));
    std::fs::write(&file, "{\"schema\":\"overlane.session/1\"").unwrap();
    let window = open(vec![path], config.path());
    assert_eq!(session(&window).window, None);
    let said = session(&window).message.clone().unwrap().text;
    assert!(said.contains("it was kept as"), "{said}");
    assert!(!file.exists() && file.with_extension("json.broken").exists());
}

fn palette(window: &mut Window, text: &str) {
    key(window, Modifiers::COMMAND, Key::K);
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Find command")
        .type_text(text);
    window.settle();
}

#[test]
fn commands_are_found_by_a_few_letters() {
    for (settings, name) in [
        ("{}", "palette_dark"),
        (r#"{"theme":"light"}"#, "palette_light"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut window = Start {
            paths: vec![sample_in(dir.path())],
            settings: Some(settings.to_owned()),
            ..Start::default()
        }
        .open();
        window.until_loaded();
        key(&mut window, Modifiers::COMMAND, Key::P);
        assert_eq!(session(&window).overlay, Some(Overlay::Palette));
        window.picture(&format!("{name}_all"));
        key(&mut window, Modifiers::NONE, Key::Escape);
        assert_eq!(session(&window).overlay, None);
        palette(&mut window, "nxtstp");
        window.picture(name);
        key(&mut window, Modifiers::NONE, Key::Enter);
        assert_eq!(session(&window).overlay, None);
        assert!(session(&window).window.is_some());
        // The second of what matches.
        palette(&mut window, "step");
        assert!(window.harness.query_by_label("Next step").is_some());
        key(&mut window, Modifiers::NONE, Key::ArrowDown);
        assert_eq!(session(&window).palette.highlighted, 1);
        key(&mut window, Modifiers::NONE, Key::ArrowUp);
        key(&mut window, Modifiers::NONE, Key::ArrowUp);
        assert!(session(&window).palette.highlighted > 1);
        key(&mut window, Modifiers::NONE, Key::Escape);
        // One that opens another window, by a click.
        palette(&mut window, "health list");
        window
            .harness
            .get_by_role_and_label(Role::Button, "Show the health list")
            .click();
        window.settle();
        assert_eq!(session(&window).overlay, Some(Overlay::Health));
    }
}

#[test]
fn sections_that_a_kept_session_does_not_know_stay_closed() {
    let (dir, config) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = sample_in(dir.path());
    let section = Section::WhatIf;
    let mut window = open(vec![path.clone()], config.path());
    act(&mut window, Action::ToggleSection { section });
    window.harness.state_mut().on_exit(None);
    drop(window);
    let is_closed = |section| {
        let window = open(vec![path.clone()], config.path());
        session(&window).closed_sections.contains(&section)
    };
    assert!(!is_closed(Section::WhatIf) && is_closed(Section::Verdict));
    // As it was before there were such sections.
    let folder = config.path().join("sessions");
    let file = folder.join(&names_in(&folder)[0]);
    let text = std::fs::read_to_string(&file).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let fields = json.as_object_mut().unwrap();
    fields.remove("open_sections").unwrap();
    fields.insert("closed_sections".into(), serde_json::json!(["Overlap"]));
    std::fs::write(&file, json.to_string()).unwrap();
    for section in [Section::Findings, Section::Verdict, Section::WhatIf] {
        assert!(is_closed(section), "{section:?}");
    }
    assert!(is_closed(Section::Overlap) && !is_closed(Section::Steps));
}
