//! Going back and forward through views, bookmarks, and the gap between two slices.
//!
//! Times are those of the drawing at `gui_support::SAMPLE`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    dead_code,
    unreachable_pub,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
#[path = "gui_support/job.rs"]
mod job;
#[path = "gui_support/pointer.rs"]
mod pointer;

use egui::{Event, Key, Modifiers, PointerButton, Role};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};
use overlane::session::Overlay;
use overlane::timeline::View;
use overlane::timeline::lanes;
use overlane::trace::SliceRef;
use pointer::{COMPUTE, canvas, lane, press, screen, session, us};

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

fn key(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.harness.key_press_modifiers(modifiers, key);
    window.settle();
}

fn view(window: &Window) -> View {
    session(window).view.unwrap()
}

#[test]
fn keys_and_mouse_buttons_go_back_and_forward() {
    let (mut window, _dir) = sample("{}");
    let whole = view(&window);
    key(&mut window, Modifiers::NONE, Key::CloseBracket);
    key(&mut window, Modifiers::NONE, Key::F);
    let step = view(&window);
    assert_ne!(whole, step);
    key(&mut window, Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(view(&window), whole);
    key(&mut window, Modifiers::ALT, Key::ArrowRight);
    assert_eq!(view(&window), step);
    let at = canvas(&window).center();
    for (button, expected) in [
        (PointerButton::Extra1, whole),
        (PointerButton::Extra2, step),
    ] {
        window.harness.hover_at(at);
        window.settle();
        for pressed in [true, false] {
            window.harness.event(Event::PointerButton {
                pos: at,
                button,
                pressed,
                modifiers: Modifiers::NONE,
            });
            window.settle();
        }
        assert_eq!(view(&window), expected);
    }
}

fn click(window: &mut Window, role: Role, name: &str) {
    window.harness.get_by_role_and_label(role, name).click();
    window.settle();
}

fn bookmarked_sample(settings: &str) -> (Window, tempfile::TempDir) {
    let (mut window, dir) = sample(settings);
    key(&mut window, Modifiers::NONE, Key::M);
    key(&mut window, Modifiers::NONE, Key::CloseBracket);
    key(&mut window, Modifiers::NONE, Key::M);
    (window, dir)
}

#[test]
fn marks_are_noted_on_gone_to_and_deleted() {
    let (mut window, _dir) = bookmarked_sample("{}");
    let step = session(&window).window.unwrap();
    assert!(
        window
            .harness
            .query_by_label("Bookmark 1: moment")
            .is_some()
    );
    window.picture("bookmarks_ruler_dark");
    key(&mut window, Modifiers::NONE, Key::B);
    assert_eq!(session(&window).overlay, Some(Overlay::Bookmarks));
    let field = window
        .harness
        .get_by_role_and_label(Role::TextInput, "Note of bookmark 2");
    field.focus();
    window.settle();
    let field = window
        .harness
        .get_by_role_and_label(Role::TextInput, "Note of bookmark 2");
    // Letters of the note are no commands.
    field.type_text("mb slow step");
    window.settle();
    assert_eq!(session(&window).bookmarks.list[1].note, "mb slow step");
    assert_eq!(session(&window).bookmarks.list.len(), 2);
    window.picture("bookmarks_list_dark");
    click(&mut window, Role::Button, "Delete bookmark 1");
    assert_eq!(session(&window).bookmarks.list.len(), 1);
    click(&mut window, Role::Button, "Close");
    // Esc takes the message away, then the window.
    key(&mut window, Modifiers::NONE, Key::Escape);
    key(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(session(&window).window, None);
    click(&mut window, Role::Button, "Bookmark 2: mb slow step");
    assert_eq!(session(&window).window, Some(step));
    // The same from the list.
    key(&mut window, Modifiers::NONE, Key::Escape);
    key(&mut window, Modifiers::NONE, Key::B);
    click(&mut window, Role::Button, "Go to bookmark 2");
    assert_eq!(session(&window).window, Some(step));
    assert_eq!(session(&window).overlay, None);
    // Reloading the same job keeps them.
    let generation = session(&window).generation;
    key(&mut window, Modifiers::NONE, Key::F5);
    window.until("it is loaded again", |w| session(w).generation > generation);
    assert_eq!(session(&window).bookmarks.list[0].note, "mb slow step");
}

#[test]
fn bookmarks_look_right_in_the_light() {
    let (mut window, _dir) = bookmarked_sample(r#"{"theme":"light"}"#);
    window.picture("bookmarks_ruler_light");
    key(&mut window, Modifiers::NONE, Key::B);
    window.picture("bookmarks_list_light");
    assert_eq!(session(&window).bookmarks.list.len(), 2);
}

fn labels(window: &Window) -> Vec<String> {
    let trace = session(window).trace.clone().unwrap();
    lanes::rows(&trace, &session(window).lanes)
        .into_iter()
        .map(|row| row.label)
        .collect()
}

fn menu(window: &mut Window, lane: &str, entry: &str) {
    click(window, Role::Button, &format!("Lane menu: {lane}"));
    click(window, Role::Button, entry);
}

const OTHER: &str = "Stream 20, rank 0, GPU 0";

#[test]
fn lanes_are_hidden_pinned_moved_and_renamed_by_their_menu() {
    let (mut window, _dir) = sample("{}");
    menu(&mut window, OTHER, "Pin to the top");
    assert_eq!(labels(&window)[..2], ["Stream 20", "Rank 0"]);
    menu(&mut window, COMPUTE, "Move up");
    let all = labels(&window);
    let at = |label: &str| all.iter().position(|l| l == label).unwrap();
    assert_eq!(at("Stream 7") + 1, at("Idle"));
    menu(&mut window, "Memory, rank 0, GPU 0", "Hide");
    assert!(!labels(&window).contains(&"Memory".to_owned()));
    click(&mut window, Role::Button, &format!("Lane menu: {COMPUTE}"));
    let field = window
        .harness
        .get_by_role_and_label(Role::TextInput, "Name of the lane");
    field.focus();
    window.settle();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Name of the lane")
        .type_text("gemms");
    window.settle();
    window.picture("lane_menu_dark");
    key(&mut window, Modifiers::NONE, Key::Enter);
    assert!(labels(&window).contains(&"gemms".to_owned()));
    // Esc closes an open menu before anything else.
    key(&mut window, Modifiers::NONE, Key::CloseBracket);
    click(&mut window, Role::Button, "Lane menu: gemms, rank 0, GPU 0");
    assert!(window.harness.query_by_label("Reset this lane").is_some());
    key(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.harness.query_by_label("Reset this lane").is_none());
    assert!(session(&window).window.is_some());
    // The arrangement outlives loading the same job again.
    let (before, generation) = (labels(&window), session(&window).generation);
    key(&mut window, Modifiers::NONE, Key::F5);
    window.until("it is loaded again", |w| session(w).generation > generation);
    assert_eq!(labels(&window), before);
    window.picture("lanes_arranged_dark");
    click(&mut window, Role::Button, "Show hidden lanes (1)");
    assert!(labels(&window).contains(&"Memory".to_owned()));
    menu(&mut window, "Rank 0", "Reset all lanes");
    let usual = labels(&window);
    assert_eq!(usual[0], "Rank 0");
    assert!(usual.contains(&"Stream 7".to_owned()) && !usual.contains(&"gemms".to_owned()));
}

#[test]
fn a_right_click_on_a_name_opens_the_menu() {
    let (mut window, _dir) = sample(r#"{"theme":"light"}"#);
    let at = window.harness.get_by_label(OTHER).rect().left_center() + egui::vec2(30.0, 0.0);
    window.harness.hover_at(at);
    window.settle();
    for pressed in [true, false] {
        press(
            &window.harness,
            at,
            Modifiers::NONE,
            PointerButton::Secondary,
            pressed,
        );
        // A click is short.
        window.harness.step();
    }
    window.settle();
    window.picture("lane_menu_light");
    click(&mut window, Role::Button, "Hide");
    assert!(!labels(&window).contains(&"Stream 20".to_owned()));
    // A jump into a hidden lane shows it.
    let trace = session(&window).trace.clone().unwrap();
    let reduce = trace.ranks[0].devices[0].streams[1].slices.start;
    let slice = SliceRef {
        rank: trace.ranks[0].id,
        slice: overlane::trace::SliceId(reduce),
    };
    let ctx = window.harness.ctx.clone();
    let action = overlane::session::Action::GoTo { slice };
    window.harness.state_mut().act(&ctx, action);
    window.settle();
    assert!(labels(&window).contains(&"Stream 20".to_owned()));
}

fn click_slice(window: &mut Window, us_from_start: i64, stream: &str, modifiers: Modifiers) {
    let at = screen(window, us(window, us_from_start), lane(window, stream));
    window.harness.event(Event::ModifiersChanged(modifiers));
    window.harness.hover_at(at);
    window.settle();
    for pressed in [true, false] {
        press(
            &window.harness,
            at,
            modifiers,
            PointerButton::Primary,
            pressed,
        );
        // A click is short.
        window.harness.step();
    }
    window.settle();
    window
        .harness
        .event(Event::ModifiersChanged(Modifiers::NONE));
    window.settle();
}

#[test]
fn a_gap_is_measured_drawn_and_cleared() {
    for (settings, name) in [
        ("{}", "measure_dark"),
        (r#"{"theme":"light"}"#, "measure_light"),
    ] {
        let (mut window, _dir) = sample(settings);
        // Times count from the first event; the first kernel starts 100 µs behind it.
        click_slice(&mut window, 150, COMPUTE, Modifiers::NONE);
        click_slice(&mut window, 370, OTHER, Modifiers::COMMAND);
        let found = session(&window).measured().unwrap().between;
        assert_eq!(
            (found.gap.0, found.starts.0, found.ends.0),
            (140_000, 240_000, 220_000)
        );
        let shown = window.harness.query_by_label_contains("140.000 µs");
        assert!(shown.is_some());
        window.picture(name);
        // Looking at the other one of the two keeps the measure.
        window
            .harness
            .get_by_role_and_label(Role::Link, "ncclDevKernel_AllGather_RING_LL")
            .click();
        window.settle();
        assert_eq!(session(&window).measured().unwrap().between, found);
        key(&mut window, Modifiers::NONE, Key::Escape);
        assert!(session(&window).measured().is_none());
        assert!(session(&window).selection.is_some());
        // The same by the keyboard, from the slice that was selected before; these two overlap.
        click_slice(&mut window, 150, COMPUTE, Modifiers::NONE);
        click_slice(&mut window, 200, OTHER, Modifiers::NONE);
        key(&mut window, Modifiers::NONE, Key::G);
        let found = session(&window).measured().unwrap().between;
        assert_eq!(found.gap.0, -20_000);
        let shown = window.harness.query_by_label_contains("they overlap");
        assert!(shown.is_some());
    }
}

/// Everything at once on a small and on a large screen, for people to look at; what the tree says of
/// where things are is checked.
#[test]
fn everything_has_its_place_on_small_and_large_screens() {
    for (theme, size) in [
        ("dark", [1280.0, 800.0]),
        ("light", [1280.0, 800.0]),
        ("dark", [2560.0, 1440.0]),
        ("light", [2560.0, 1440.0]),
    ] {
        let name = |what: &str| format!("{what}_{theme}_{}", size[0]);
        let dir = tempfile::tempdir().unwrap();
        let mut window = Start {
            paths: job::job_in(dir.path()),
            settings: Some(format!(r#"{{"theme":"{theme}"}}"#)),
            size,
            ..Start::default()
        }
        .open();
        window.until_loaded();
        let stream = "Stream 20, rank 1, GPU 0";
        menu(&mut window, stream, "Pin to the top");
        menu(&mut window, "CPU threads (1), rank 1", "Pin to the top");
        // Where there are several GPUs, a pinned lane says whose it is.
        assert_eq!(
            labels(&window)[..2],
            ["Stream 20 · R1 GPU 0", "CPU threads (1) · R1"]
        );
        menu(&mut window, "Idle, rank 0, GPU 0", "Hide");
        key(&mut window, Modifiers::NONE, Key::CloseBracket);
        key(&mut window, Modifiers::NONE, Key::M);
        key(&mut window, Modifiers::NONE, Key::Escape);
        key(&mut window, Modifiers::NONE, Key::Escape);
        key(&mut window, Modifiers::NONE, Key::M);
        key(&mut window, Modifiers::NONE, Key::Escape);
        window.picture(&name("all"));
        key(&mut window, Modifiers::NONE, Key::F1);
        window.picture(&name("help"));
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
        for words in ["Ctrl+K", "Right click", "Alt+Left"] {
            let at = window.harness.get_by_label(words).rect();
            assert!(screen.contains_rect(at), "{words} at {at:?} of {size:?}");
        }
    }
}

/// A job that replays graphs: streams 100 to 119 hold one kernel each, one behind the other, launched
/// with a graph; stream 130 overlaps with all of them; stream 140 has a kernel of its own as well.
fn graphs_in(folder: &std::path::Path) -> std::path::PathBuf {
    let mut events = Vec::new();
    let mut kernel = |call: &str, id: i64, stream: i64, ts: i64, dur: i64| {
        events.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"{call}","pid":1,"tid":1,"ts":{id},"dur":1,"args":{{"correlation":{id}}}}}"#
        ));
        events.push(format!(
            r#"{{"ph":"X","cat":"kernel","name":"k{id}","pid":0,"tid":{stream},"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":{stream},"correlation":{id}}}}}"#
        ));
    };
    for i in 0..20 {
        kernel("cudaGraphLaunch", i + 1, 100 + i, 1_000 + i * 50, 50);
    }
    kernel("cuGraphLaunch", 30, 130, 1_000, 1_000);
    kernel("cudaGraphLaunch_v10000", 40, 140, 2_100, 10);
    kernel("cudaLaunchKernel", 41, 140, 2_200, 10);
    kernel("cudaLaunchKernel", 42, 7, 1_000, 1_500);
    let path = folder.join("graphs.json");
    std::fs::write(
        &path,
        format!(r#"{{"traceEvents":[{}]}}"#, events.join(",\n")),
    )
    .unwrap();
    path
}

#[test]
fn streams_of_graphs_share_lanes_and_get_their_own_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![graphs_in(dir.path())],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    let before = labels(&window);
    let device = "GPU 0, rank 0";
    menu(&mut window, device, "Pack streams of graphs");
    window.until("they are packed", |w| {
        !session(w).lanes.arranged.packs.is_empty()
    });
    let packs = session(&window)
        .lanes
        .arranged
        .packs
        .values()
        .next()
        .cloned();
    let sizes: Vec<usize> = packs.unwrap().iter().map(Vec::len).collect();
    // One overlaps with all; no more than sixteen share a lane.
    assert_eq!(sizes, [16, 4]);
    let names = labels(&window);
    assert!(
        names.contains(&"Streams 100…115 (16)".to_owned()),
        "{names:?}"
    );
    for own in ["Stream 7", "Stream 130", "Stream 140"] {
        assert!(names.contains(&own.to_owned()), "{own}");
    }
    window.picture("packed_dark");
    // Every one of them can be hit, also where two touch.
    let shared = "Streams 100…115 (16), rank 0, GPU 0";
    let first = session(&window).trace.as_ref().unwrap().capture().unwrap();
    for (i, at) in [(0_i64, 1_025), (3, 1_152), (15, 1_798)] {
        let us_from_start = at - first.start().0 / 1_000;
        click_slice(&mut window, us_from_start, shared, Modifiers::NONE);
        let trace = session(&window).trace.clone().unwrap();
        let slice = trace.slice(session(&window).selection.unwrap()).unwrap();
        assert_eq!(trace.names.get(slice.name()), format!("k{}", i + 1));
    }
    // The arrangement outlives a reload, and goes back.
    let generation = session(&window).generation;
    key(&mut window, Modifiers::NONE, Key::F5);
    window.until("it is loaded again", |w| session(w).generation > generation);
    assert_eq!(labels(&window), names);
    menu(&mut window, shared, "A lane for each graph stream");
    assert_eq!(labels(&window), before);
}
