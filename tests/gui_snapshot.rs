//! The allocator's view: opened, looked at over time, asked what would fit, exported.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "every test of the window uses its own part of it"
)]
#[path = "gui_support/pointer.rs"]
mod pointer;
mod support;

use eframe::App as _;
use egui::{Key, Modifiers, PointerButton, Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use gui_support::{Start, Window, sample_in};
use overlane::session::{
    Action, CsvPanel, FitForm, InkBy, LaneAction, Session, SiteSort, SnapshotAction, SnapshotTab,
    SnapshotTable, Together,
};
use std::path::{Path, PathBuf};

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("sample_traces")
        .join(name)
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn act(window: &mut Window, action: Action) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().act(&ctx, action);
    window.settle();
}

fn start(paths: Vec<PathBuf>, size: [f32; 2], settings: &str) -> Window {
    let mut window = Start {
        paths,
        settings: Some(settings.to_owned()),
        size,
        ..Start::default()
    }
    .open();
    until_open(&mut window);
    window
}

fn until_open(window: &mut Window) {
    window.until("the snapshot is open", |w| {
        session(w).snapshot.open.is_some() && session(w).snapshot.load.is_none()
    });
}

fn open(name: &str) -> Window {
    start(vec![sample(name)], [1280.0, 800.0], "{}")
}

fn click(window: &mut Window, role: Role, name: &str) {
    window.harness.get_by_role_and_label(role, name).click();
    window.settle();
}

/// The value of a figure.
fn figure(window: &Window, name: &str) -> String {
    window
        .harness
        .get_by_role_and_label(Role::Cell, name)
        .accesskit_node()
        .value()
        .unwrap_or_default()
}

fn told(window: &Window, words: &str) -> bool {
    window.harness.query_by_label_contains(words).is_some()
}

#[test]
fn a_snapshot_is_opened_alone_and_tells_its_figures() {
    let mut window = open("snapshot_fragmented.pickle");
    assert!(session(&window).shows_allocator());
    assert!(told(&window, "At the end of the recording"));
    let figures = [
        ("Reserved", "152 MiB"),
        ("Allocated", "61 MiB"),
        ("Inactive split", "61 MiB"),
        ("Releasable", "30 MiB"),
        ("Largest free", "30 MiB"),
    ];
    for (name, value) in figures {
        assert_eq!(figure(&window, name), value, "{name}");
    }
    // There is nothing to choose between without a trace.
    let tab = |w: &Window, name: &str| w.harness.query_by_role_and_label(Role::Tab, name).is_some();
    assert!(!tab(&window, "Timeline"));
    // A trace that is opened later keeps the snapshot, and both can be looked at.
    let path = sample_in(window.dir.path());
    act(&mut window, Action::Open { paths: vec![path] });
    window.until_loaded();
    assert!(tab(&window, "Timeline") && tab(&window, "Allocator"));
    assert!(told(&window, "times do not count from the epoch"));
    click(&mut window, Role::Tab, "Timeline");
    assert!(!session(&window).shows_allocator());
    // And a snapshot that is opened beside it keeps the trace.
    let paths = vec![sample("snapshot_leaking.pickle")];
    act(&mut window, Action::Open { paths });
    window.until("the other snapshot is open", |w| {
        session(w).snapshot.generation == 2
    });
    assert!(session(&window).trace.is_some());
    assert_eq!(figure(&window, "Allocated"), "128 MiB");
    assert_eq!(figure(&window, "Reserved"), "232 MiB");
    click(&mut window, Role::Button, "Close the snapshot");
    assert!(session(&window).snapshot.open.is_none() && session(&window).trace.is_some());
    assert!(!tab(&window, "Allocator"));
}

#[test]
fn a_pickle_is_told_by_its_content_and_what_is_none_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let bare = dir.path().join("dump");
    std::fs::copy(sample("snapshot_leaking.pickle"), &bare).unwrap();
    let mut window = start(vec![bare], [1280.0, 800.0], "{}");
    assert_eq!(figure(&window, "Allocated"), "128 MiB");
    let broken = dir.path().join("broken.pkl");
    std::fs::write(&broken, b"no pickle at all").unwrap();
    act(
        &mut window,
        Action::Open {
            paths: vec![broken],
        },
    );
    window.until("it is told", |w| {
        let message = session(w).message.as_ref();
        message.is_some_and(|m| m.text.contains("not a pickle"))
    });
    // What was open stays.
    assert!(session(&window).snapshot.open.is_some());
    // Both at once.
    let trace = sample_in(dir.path());
    let both = vec![trace, sample("snapshot_fragmented.pickle")];
    let mut window = start(both, [1280.0, 800.0], "{}");
    window.until_loaded();
    assert_eq!(session(&window).sources.len(), 1);
    assert!(session(&window).snapshot.open.is_some());
}

#[test]
fn a_session_file_brings_the_snapshot_back_and_says_where_it_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let snap = dir.path().join("s.pickle");
    std::fs::copy(sample("snapshot_leaking.pickle"), &snap).unwrap();
    let trace = sample_in(dir.path());
    let mut window = start(vec![trace, snap.clone()], [1280.0, 800.0], "{}");
    window.until_loaded();
    let json = session(&window).session_json().unwrap();
    let kept = dir.path().join("a.overlane");
    std::fs::write(&kept, &json).unwrap();
    let mut again = start_without_waiting(&kept);
    until_open(&mut again);
    assert!(session(&again).trace.is_some());
    std::fs::remove_file(&snap).unwrap();
    let mut gone = start_without_waiting(&kept);
    gone.until("it is told", |w| {
        let message = session(w).message.as_ref();
        message.is_some_and(|m| m.text.contains("s.pickle"))
    });
    assert!(session(&gone).trace.is_some());
}

fn start_without_waiting(path: &Path) -> Window {
    Start {
        paths: vec![path.to_path_buf()],
        ..Start::default()
    }
    .open()
}

/// The middle of a canvas, moved to a share of its width and height.
fn spot(window: &Window, canvas: &str, x: f32, y: f32) -> egui::Pos2 {
    let rect = window
        .harness
        .get_by_role_and_label(Role::Canvas, canvas)
        .rect();
    rect.lerp_inside(egui::vec2(x, y))
}

fn cli(args: &[&str], path: &Path) -> String {
    let home = tempfile::tempdir().unwrap();
    let run: support::kineto::Run = support::kineto::program(home.path())
        .arg("snapshot")
        .arg(path)
        .args(args)
        .args(["--format", "csv"])
        .output()
        .unwrap()
        .into();
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.stdout
}

fn csv(window: &Window, table: SnapshotTable) -> String {
    session(window).csv(CsvPanel::Snapshot(table))
}

fn tab(window: &mut Window, name: &str) {
    click(window, Role::Tab, name);
}

#[test]
fn a_click_replays_a_moment_and_a_drag_brushes_what_leaks() {
    let mut window = open("snapshot_leaking.pickle");
    window.picture("leak_blocks_dark");
    let history = "History of the allocator";
    // At the peak of the last step there is more than at the end.
    let (_, _, recorded) = session(&window).snapshot.focused().unwrap();
    let extent = recorded.history.extent.unwrap();
    let peak = recorded.history.requested.extremes(extent).unwrap().max;
    assert_eq!(peak.bytes, 224 << 20);
    let view = session(&window).snapshot.view.unwrap();
    let rect = window
        .harness
        .get_by_role_and_label(Role::Canvas, history)
        .rect();
    let left = f64::from(rect.right()) - session(&window).snapshot.view_width;
    #[expect(clippy::cast_possible_truncation, reason = "a pixel")]
    let x = (left + view.x_of(peak.at)) as f32;
    let at = egui::pos2(x + 1.0, rect.center().y);
    pointer::press(
        &window.harness,
        at,
        Modifiers::NONE,
        PointerButton::Primary,
        true,
    );
    pointer::release(&mut window, at);
    let moment = session(&window).snapshot.moment.unwrap();
    assert!(
        (moment.0 - peak.at.0).abs() < 4_000_000,
        "{moment:?} {peak:?}"
    );
    assert!(told(&window, "At "));
    let exact = SnapshotAction::Moment(Some(peak.at));
    act(&mut window, Action::Snapshot(exact));
    assert_eq!(figure(&window, "Allocated"), "224 MiB");
    let devices = format!("@{}", peak.at.0);
    let path = sample("snapshot_leaking.pickle");
    for (table, name) in [
        (SnapshotTable::Devices, "devices"),
        (SnapshotTable::Blocks, "blocks"),
        (SnapshotTable::Sites, "sites"),
    ] {
        let told = cli(&["--table", name, "--at", &devices], &path);
        assert_eq!(csv(&window, table), told, "{name}");
    }
    window.picture("leak_peak_dark");
    click(&mut window, Role::Button, "End");
    assert_eq!(figure(&window, "Allocated"), "128 MiB");
    let told_at_end = cli(&["--table", "sites"], &path);
    assert_eq!(csv(&window, SnapshotTable::Sites), told_at_end);

    // A drag over everything: what the recording added is keep_hidden's 32 MiB, and nothing else.
    tab(&mut window, "Call sites");
    let (from, to) = (
        spot(&window, history, 0.07, 0.5),
        spot(&window, history, 0.999, 0.5),
    );
    pointer::drag(&mut window, from, to, Modifiers::NONE);
    pointer::release(&mut window, to);
    assert!(session(&window).snapshot_window().is_some());
    click(&mut window, Role::Button, "Added by the window");
    let (sites, held, _) = session(&window).shown_sites().unwrap();
    assert_eq!((sites.len(), held.bytes, held.count), (1, 32 << 20, 8));
    assert!(told(&window, "32 MiB in 8 allocations"));
    let leak = csv(&window, SnapshotTable::Sites);
    assert!(
        leak.contains("33554432,8,4194304,") && leak.contains("keep_hidden"),
        "{leak}"
    );
    window.picture("leak_sites_dark");
    click(&mut window, Role::Button, "Clear the snapshot's window");
    assert!(session(&window).snapshot_window().is_none());
    assert_eq!(session(&window).shown_sites().unwrap().1.bytes, 128 << 20);
    window.picture("leak_sites_all_dark");
}

#[test]
fn call_sites_are_sorted_filtered_and_zoomed_into() {
    let mut window = open("snapshot_leaking.pickle");
    tab(&mut window, "Call sites");
    let all = session(&window).shown_sites().unwrap().0.len();
    assert!(all >= 2);
    let first = |w: &Window| session(w).shown_sites().unwrap().0.get(0).unwrap().bytes;
    let most = first(&window);
    click(&mut window, Role::Button, "Sort call sites by bytes");
    assert!(first(&window) < most);
    let filter = SnapshotAction::FilterSites("keep_hidden".to_owned());
    act(&mut window, Action::Snapshot(filter));
    assert_eq!(session(&window).shown_sites().unwrap().0.len(), 1);
    let none = SnapshotAction::FilterSites("nothing of that kind".to_owned());
    act(&mut window, Action::Snapshot(none));
    assert!(told(&window, "No call site fits the filter"));
    // A click on a box zooms in, the button goes back.
    let at = spot(&window, "Flame of allocations", 0.1, 0.4);
    pointer::press(
        &window.harness,
        at,
        Modifiers::NONE,
        PointerButton::Primary,
        true,
    );
    pointer::release(&mut window, at);
    assert!(!session(&window).snapshot.sites.flame.is_empty());
    click(&mut window, Role::Button, "Whole flame");
    assert!(session(&window).snapshot.sites.flame.is_empty());
}

#[test]
fn blocks_tell_what_they_are_and_zoom() {
    let mut window = open("snapshot_fragmented.pickle");
    window.picture("fragmented_blocks_dark");
    let blocks = "Blocks of the allocator";
    // The large segment of stream 0 stands first: its first block is in use or free, 12 MiB wide.
    let rect = window
        .harness
        .get_by_role_and_label(Role::Canvas, blocks)
        .rect();
    let at = egui::pos2(rect.left() + rect.width() * 0.05, rect.top() + 34.0);
    window.harness.hover_at(at);
    window.until("the block is told", |w| told(w, "12 MiB"));
    pointer::press(
        &window.harness,
        at,
        Modifiers::NONE,
        PointerButton::Primary,
        true,
    );
    pointer::release(&mut window, at);
    assert!(session(&window).snapshot.selected.is_some());
    assert!(told(&window, "Selected block"));
    window.picture("fragmented_selected_dark");
    for (ink, name) in [
        (InkBy::Stream, "stream"),
        (InkBy::Size, "size"),
        (InkBy::Site, "site"),
    ] {
        act(&mut window, Action::Snapshot(SnapshotAction::Ink(ink)));
        window.picture(&format!("fragmented_by_{name}_dark"));
    }
    pointer::wheel(&mut window, at, egui::vec2(0.0, 120.0), Modifiers::COMMAND);
    assert!(session(&window).snapshot.strips.is_some());
    window.picture("fragmented_zoomed_dark");
    click(&mut window, Role::Button, "Whole width");
    assert!(session(&window).snapshot.strips.is_none());
    // Esc: the block first.
    window.harness.key_press(egui::Key::Escape);
    window.settle();
    assert!(session(&window).snapshot.selected.is_none());
}

#[test]
fn would_it_fit_answers_as_the_sample_says() {
    let mut window = open("snapshot_fragmented.pickle");
    tab(&mut window, "Would it fit?");
    let ask = |window: &mut Window, size: &str| {
        let form = FitForm {
            size: size.to_owned(),
            ..session(window).snapshot.fit.clone()
        };
        act(window, Action::Snapshot(SnapshotAction::Fit(form)));
    };
    // 8 MiB are the driver's: what it had when memory ran out, less what was taken since.
    ask(&mut window, "12 MiB");
    let fitted = session(&window).snapshot.fitted().unwrap();
    assert_eq!(fitted.driver_free, Some(8 << 20));
    assert!(told(&window, "Yes: a free block serves 12 MiB"));
    window.picture("fit_12_dark");
    ask(&mut window, "20 MiB");
    assert!(told(
        &window,
        "After releasing: no cached block serves 20 MiB"
    ));
    assert!(told(&window, "1 wholly free segment (30 MiB)"));
    for (name, value) in [
        ("Too small", "60 MiB"),
        ("Other stream", "30 MiB"),
        ("Pool of the other size", "1 MiB"),
    ] {
        assert!(figure(&window, name).starts_with(value), "{name}");
    }
    window.picture("fit_20_dark");
    ask(&mut window, "40 MiB");
    assert!(told(&window, "2 MiB are missing"));
    let path = sample("snapshot_fragmented.pickle");
    let same = cli(&["--table", "fit", "--request", "40MiB"], &path);
    assert_eq!(csv(&window, SnapshotTable::Fit), same);
    ask(&mut window, "40 bananas");
    assert!(session(&window).snapshot.fit.size_trouble.is_some());
    window.picture("fit_trouble_dark");
    // The link shows the block.
    ask(&mut window, "12 MiB");
    window.harness.get_by_label("Show the block").click();
    window.settle();
    assert_eq!(session(&window).snapshot.tab, SnapshotTab::Blocks);
    assert!(session(&window).snapshot.selected.is_some() && told(&window, "Selected block"));
    window.picture("fit_shown_dark");
}

#[test]
fn running_out_of_memory_is_explained_and_gone_to() {
    let mut window = open("snapshot_fragmented.pickle");
    tab(&mut window, "Out of memory");
    assert!(told(
        &window,
        "A block of 40 MiB asked for, 38 MiB free at the driver"
    ));
    assert!(told(&window, "Fragmented:"));
    assert!(told(&window, "expandable_segments:True"));
    window.picture("oom_dark");
    let path = sample("snapshot_fragmented.pickle");
    assert_eq!(
        csv(&window, SnapshotTable::Oom),
        cli(&["--table", "oom"], &path)
    );
    window.harness.get_by_label_contains("Go to ").click();
    window.settle();
    let (_, _, recorded) = session(&window).snapshot.focused().unwrap();
    assert_eq!(
        session(&window).snapshot.moment,
        Some(recorded.ooms[0].time)
    );
    window.picture("oom_moment_dark");
    let mut other = open("snapshot_leaking.pickle");
    tab(&mut other, "Out of memory");
    assert!(told(&other, "Memory never ran out"));
}

#[test]
fn tables_are_written_to_files() {
    let mut window = open("snapshot_leaking.pickle");
    tab(&mut window, "Call sites");
    let path = window.dir.path().join("sites.csv");
    *window.answers.save.lock().unwrap() = Some(vec![path.clone()]);
    click(&mut window, Role::Button, "Export CSV… (Call sites)");
    window.until("it is written", |_| path.exists());
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, csv(&window, SnapshotTable::Sites));
}

#[test]
fn a_large_window_and_a_light_one() {
    let light = r#"{"theme":"light"}"#;
    for (size, settings, name) in [
        ([2560.0, 1440.0], "{}", "large_dark"),
        ([2560.0, 1440.0], light, "large_light"),
        ([1280.0, 800.0], light, "light"),
    ] {
        let mut window = start(vec![sample("snapshot_fragmented.pickle")], size, settings);
        window.picture(&format!("fragmented_{name}"));
        for (part, stem) in [("Would it fit?", "fit"), ("Out of memory", "oom")] {
            tab(&mut window, part);
            window.picture(&format!("{stem}_{name}"));
        }
        let mut window = start(vec![sample("snapshot_leaking.pickle")], size, settings);
        tab(&mut window, "Call sites");
        window.picture(&format!("sites_{name}"));
    }
}

#[test]
fn real_snapshots_are_looked_at() {
    let folder = std::env::var_os("OVERLANE_TRACES")
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
            PathBuf::from,
        )
        .join("memory");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut window = start(vec![path.clone()], [1280.0, 800.0], "{}");
        window.until("the state is there", |w| {
            let state = session(w).snapshot.shown_moment();
            state.is_some_and(|(_, is_current)| is_current)
        });
        window.picture(&format!("real_{stem}_blocks"));
        let middle = spot(&window, "History of the allocator", 0.6, 0.5);
        if session(&window).snapshot.extent().is_some() {
            pointer::press(
                &window.harness,
                middle,
                Modifiers::NONE,
                PointerButton::Primary,
                true,
            );
            pointer::release(&mut window, middle);
            window.until("the moment is replayed", |w| {
                let state = session(w).snapshot.shown_moment();
                session(w).snapshot.moment.is_some()
                    && state.is_some_and(|(_, is_current)| is_current)
            });
            window.picture(&format!("real_{stem}_moment"));
        }
        tab(&mut window, "Call sites");
        window.until("sites are grouped", |w| {
            session(w).shown_sites().is_some_and(|(_, _, now)| now)
        });
        window.picture(&format!("real_{stem}_sites"));
    }
}

/// A trace of one kernel after the other on GPU 0, from an instant on.
fn trace_from(folder: &Path, from: overlane::time::Ns) -> PathBuf {
    trace_named(folder, "epoch.json", from, 0)
}

/// The same with a name, on any GPU.
fn trace_named(folder: &Path, name: &str, from: overlane::time::Ns, device: i64) -> PathBuf {
    let events: Vec<String> = (0..20)
        .map(|i| {
            let ts = from.0 / 1_000 + i * 1_000;
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"gemm_{i}","pid":0,"tid":7,"ts":{ts},"dur":1000,"args":{{"device":{device},"stream":7}}}}"#
            )
        })
        .collect();
    let path = folder.join(name);
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_trace_of_the_same_time_shares_the_window() {
    let mut window = open("snapshot_leaking.pickle");
    let extent = session(&window).snapshot.extent().unwrap();
    let path = trace_from(window.dir.path(), extent.start());
    act(&mut window, Action::Open { paths: vec![path] });
    window.until_loaded();
    assert_eq!(session(&window).together(), Together::Shared);
    let at = overlane::time::Ns(extent.start().0 + 5_500_000);
    assert_eq!(session(&window).kernel_beside(at), Some("gemm_5"));
    // What is brushed over the history is the window of both.
    let history = "History of the allocator";
    let (from, to) = (
        spot(&window, history, 0.2, 0.5),
        spot(&window, history, 0.3, 0.5),
    );
    pointer::drag(&mut window, from, to, Modifiers::NONE);
    pointer::release(&mut window, to);
    let brushed = session(&window).window.unwrap();
    assert_eq!(session(&window).snapshot_window(), Some(brushed));
    window.picture("together_allocator_dark");
    tab(&mut window, "Timeline");
    let strip = pointer::screen(&window, at, pointer::lane(&window, LANE));
    window.harness.hover_at(strip);
    window.until("both are told", |w| {
        told(w, "kernel: gemm_5") && told(w, "allocated ") && told(w, "the most in view")
    });
    window.picture("together_timeline_dark");
    let inside = overlane::time::Window::new(extent.start(), at);
    act(&mut window, Action::SetWindow { window: inside });
    assert_eq!(session(&window).snapshot_window(), Some(inside));
    // A click on the lane shows the allocator at that moment.
    pointer::press(
        &window.harness,
        strip,
        Modifiers::NONE,
        PointerButton::Primary,
        true,
    );
    pointer::release(&mut window, strip);
    assert!(session(&window).shows_allocator());
    let moment = session(&window).snapshot.moment.unwrap();
    assert!((moment.0 - at.0).abs() < 1_000_000, "{moment:?} {at:?}");
}

/// The lane of the snapshot.
const LANE: &str = "Allocator snapshot, rank 0, GPU 0";

fn has_lane(window: &Window, name: &str) -> bool {
    window.harness.query_by_label(name).is_some()
}

#[test]
fn the_snapshot_has_a_lane_while_it_is_open_whichever_comes_first() {
    // The trace first.
    let dir = tempfile::tempdir().unwrap();
    let probe = open("snapshot_fragmented.pickle");
    let (_, _, recorded) = session(&probe).snapshot.focused().unwrap();
    let oom = recorded.ooms[0].time;
    let extent = recorded.history.extent.unwrap();
    drop(probe);
    let trace = trace_from(dir.path(), overlane::time::Ns(oom.0 - 9_000_000));
    let mut window = Start {
        paths: vec![trace.clone()],
        settings: Some(r#"{"theme":"light"}"#.to_owned()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    assert!(!has_lane(&window, LANE));
    let paths = vec![sample("snapshot_fragmented.pickle")];
    act(&mut window, Action::Open { paths });
    until_open(&mut window);
    tab(&mut window, "Timeline");
    assert!(has_lane(&window, LANE));
    // On the mark of running out of memory the reason is told, and a click goes to exactly that.
    let at = pointer::screen(&window, oom, pointer::lane(&window, LANE));
    window.harness.hover_at(at);
    window.until("the reason is told", |w| told(w, "Fragmented"));
    window.picture("lane_oom_light");
    pointer::press(
        &window.harness,
        at,
        Modifiers::NONE,
        PointerButton::Primary,
        true,
    );
    pointer::release(&mut window, at);
    assert_eq!(session(&window).snapshot.moment, Some(oom));
    tab(&mut window, "Timeline");
    window.picture("lane_moment_light");
    // Pinned, hidden and shown again by its menu, as any lane.
    click(&mut window, Role::Button, &format!("Lane menu: {LANE}"));
    click(&mut window, Role::Button, "Pin to the top");
    assert!(pointer::lane(&window, LANE) < 34.0);
    window.picture("lane_pinned_light");
    let key = session(&window).lanes.snapshot.as_ref().unwrap().key();
    let lane = |action| Action::Lane(action);
    act(&mut window, lane(LaneAction::Hide(key)));
    assert!(!has_lane(&window, LANE));
    act(&mut window, lane(LaneAction::ResetAll));
    assert!(has_lane(&window, LANE));
    // It stays over a reload, and goes with the snapshot.
    act(&mut window, Action::Reload);
    window.until("it is loaded again", |w| session(w).load.is_none());
    assert!(has_lane(&window, LANE));
    act(&mut window, Action::Snapshot(SnapshotAction::Close));
    assert!(!has_lane(&window, LANE) && session(&window).lanes.snapshot.is_none());
    // The snapshot first; and a trace of another time has no lane.
    let mut window = open("snapshot_fragmented.pickle");
    let paths = vec![trace];
    act(&mut window, Action::Open { paths });
    window.until_loaded();
    tab(&mut window, "Timeline");
    assert!(has_lane(&window, LANE));
    window.picture("lane_dark");
    let later = overlane::time::Ns(extent.end().0 + 1_000_000_000);
    let paths = vec![trace_named(dir.path(), "later.json", later, 0)];
    act(&mut window, Action::Open { paths });
    window.until("the later trace is there", |w| session(w).generation == 2);
    assert!(!has_lane(&window, LANE));
}

#[test]
fn of_several_ranks_one_has_the_lane_and_doubt_is_told() {
    let mut window = open("snapshot_leaking.pickle");
    let from = session(&window).snapshot.extent().unwrap().start();
    let dir = tempfile::tempdir().unwrap();
    let ranks = ["rank-0.json", "rank-1.json", "rank-2.json"]
        .iter()
        .zip([1, 0, 0]);
    let paths = ranks.map(|(name, gpu)| trace_named(dir.path(), name, from, gpu));
    let paths: Vec<PathBuf> = paths.collect();
    act(
        &mut window,
        Action::Open {
            paths: paths.clone(),
        },
    );
    window.until_loaded();
    tab(&mut window, "Timeline");
    let unsure = "Snapshot, rank unsure, rank 1, GPU 0";
    assert!(has_lane(&window, unsure));
    let at = pointer::screen(
        &window,
        overlane::time::Ns(from.0 + 5_500_000),
        pointer::lane(&window, unsure),
    );
    window.harness.hover_at(at);
    window.until("doubt is told", |w| told(w, "any of ranks 1 and 2"));
    window.picture("lane_unsure_dark");
    // A name that says its rank leaves none.
    let named = dir.path().join("snapshot_rank2.pickle");
    std::fs::copy(sample("snapshot_leaking.pickle"), &named).unwrap();
    act(&mut window, Action::Open { paths: vec![named] });
    window.until("the other snapshot is open", |w| {
        session(w).snapshot.generation == 2
    });
    tab(&mut window, "Timeline");
    assert!(has_lane(&window, "Allocator snapshot, rank 2, GPU 0"));
    // A GPU that no kernel names: under the rank.
    let mut window = open("snapshot_leaking.pickle");
    act(
        &mut window,
        Action::Open {
            paths: vec![paths[0].clone()],
        },
    );
    window.until_loaded();
    tab(&mut window, "Timeline");
    assert!(has_lane(&window, "Snapshot of GPU 0, rank 0"));
    window.picture("lane_of_rank_dark");
}

fn start_in(config: &Path, paths: Vec<PathBuf>) -> Window {
    let mut window = Start {
        paths,
        config: Some(config.to_owned()),
        ..Start::default()
    }
    .open();
    until_open(&mut window);
    window
}

/// What is kept of how a snapshot is looked at.
fn looked_at(window: &Window) -> impl PartialEq + std::fmt::Debug + use<> {
    let allocator = &session(window).snapshot;
    (
        (allocator.moment, session(window).snapshot_window()),
        (allocator.tab, allocator.ink),
        (allocator.fit.size.clone(), allocator.fit.bytes),
        (allocator.sites.sorting.by, allocator.sites.sorting.order),
        allocator.sites.filter.text.clone(),
    )
}

/// Changes a bit of everything that is kept.
fn look_around(window: &mut Window) {
    let (_, _, recorded) = session(window).snapshot.focused().unwrap();
    let extent = recorded.history.extent.unwrap();
    let middle = overlane::time::Ns(i64::midpoint(extent.start().0, extent.end().0));
    let form = FitForm {
        size: "12 MiB".to_owned(),
        ..session(window).snapshot.fit.clone()
    };
    for action in [
        SnapshotAction::SetWindow(overlane::time::Window::new(extent.start(), middle)),
        SnapshotAction::Moment(Some(middle)),
        SnapshotAction::Ink(InkBy::Size),
        SnapshotAction::Fit(form),
        SnapshotAction::SortSites(SiteSort::Count),
        SnapshotAction::FilterSites("keep".to_owned()),
        SnapshotAction::Tab(SnapshotTab::Sites),
    ] {
        act(window, Action::Snapshot(action));
    }
}

#[test]
fn a_snapshot_alone_comes_back_as_it_was_left() {
    let (dir, config) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = dir.path().join("s.pickle");
    std::fs::copy(sample("snapshot_leaking.pickle"), &path).unwrap();
    let sessions = config.path().join("sessions");
    let count = || std::fs::read_dir(&sessions).map_or(0, Iterator::count);
    // Looking alone keeps nothing.
    let mut window = start_in(config.path(), vec![path.clone()]);
    let fresh = looked_at(&window);
    window.harness.state_mut().on_exit(None);
    assert_eq!(count(), 0);
    look_around(&mut window);
    let left = looked_at(&window);
    assert!(left != fresh);
    window.harness.state_mut().on_exit(None);
    drop(window);
    assert_eq!(count(), 1);
    let mut window = start_in(config.path(), vec![path.clone()]);
    window.until("it is as it was left", |w| looked_at(w) == left);
    assert!(session(&window).shows_allocator());
    // One that is closed is kept at once, and another one has a session of its own.
    let ink = SnapshotAction::Ink(InkBy::Site);
    act(&mut window, Action::Snapshot(ink));
    let left = looked_at(&window);
    act(&mut window, Action::Snapshot(SnapshotAction::Close));
    let paths = vec![sample("snapshot_fragmented.pickle")];
    act(&mut window, Action::Open { paths });
    until_open(&mut window);
    assert_eq!(session(&window).snapshot.tab, SnapshotTab::Blocks);
    let paths = vec![path.clone()];
    act(&mut window, Action::Open { paths });
    window.until("the first one is back", |w| looked_at(w) == left);
    // Beside a trace it is a part of the trace's session, in front or not; named again with the trace too.
    let both = vec![sample_in(dir.path()), path];
    let mut window = start_in(config.path(), both.clone());
    window.until_loaded();
    look_around(&mut window);
    act(&mut window, Action::Snapshot(SnapshotAction::Front(false)));
    let left = looked_at(&window);
    window.harness.state_mut().on_exit(None);
    drop(window);
    for paths in [both.clone(), vec![both[0].clone()]] {
        let mut window = start_in(config.path(), paths);
        window.until_loaded();
        window.until("both are as they were left", |w| looked_at(w) == left);
        assert!(!session(&window).shows_allocator());
    }
}

#[test]
fn a_snapshot_is_read_again_and_told_when_it_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.pickle");
    std::fs::copy(sample("snapshot_leaking.pickle"), &path).unwrap();
    let mut window = start(vec![path.clone()], [1280.0, 800.0], "{}");
    look_around(&mut window);
    let zoom = SnapshotAction::Zoom {
        factor: 2.0,
        at_px: 300.0,
    };
    act(&mut window, Action::Snapshot(zoom));
    let (left, view) = (looked_at(&window), session(&window).snapshot.view);
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::R);
    window.until("it is read again", |w| {
        session(w).snapshot.generation == 2 && session(w).snapshot.load.is_none()
    });
    assert_eq!(looked_at(&window), left);
    assert_eq!(session(&window).snapshot.view, view);
    // Changed: what no longer fits is dropped.
    std::fs::copy(sample("snapshot_fragmented.pickle"), &path).unwrap();
    window.until("the change is told", |w| {
        told(w, "The snapshot was changed on disk")
    });
    window.picture("snapshot_changed_dark");
    click(&mut window, Role::Button, "Reload the snapshot");
    window.until("the other one is there", |w| {
        session(w).snapshot.generation == 3 && session(w).snapshot.load.is_none()
    });
    assert!(!told(&window, "The snapshot was changed on disk"));
    assert_eq!(session(&window).snapshot.tab, SnapshotTab::Sites);
    assert_eq!(figure(&window, "Reserved"), "152 MiB");
    // One that is gone is an error, and what was read stays.
    std::fs::remove_file(&path).unwrap();
    act(&mut window, Action::Snapshot(SnapshotAction::Reload));
    window.until("it is told", |w| {
        let message = session(w).message.as_ref();
        message.is_some_and(|m| m.tone == overlane::session::Tone::Error)
    });
    assert_eq!(figure(&window, "Reserved"), "152 MiB");
}

/// Runs a command of the palette by some of its letters.
fn command(window: &mut Window, letters: &str) {
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::K);
    window.settle();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Find command")
        .type_text(letters);
    window.settle();
    window.harness.key_press(Key::Enter);
    window.settle();
}

#[test]
fn keys_and_commands_go_to_moments_and_export() {
    let mut window = open("snapshot_fragmented.pickle");
    let (_, _, recorded) = session(&window).snapshot.focused().unwrap();
    let oom = recorded.ooms[0].time;
    let extent = recorded.history.extent.unwrap();
    let peak = recorded.history.requested.extremes(extent).unwrap().max.at;
    let moment = |w: &Window| session(w).snapshot.moment;
    window
        .harness
        .key_press_modifiers(Modifiers::ALT, Key::CloseBracket);
    window.settle();
    assert_eq!(moment(&window), Some(oom));
    window.harness.key_press(Key::P);
    window.settle();
    assert_eq!(moment(&window), Some(peak));
    // Outside of what the history shows: it moves there.
    let view = session(&window).snapshot.view.unwrap();
    let zoom = SnapshotAction::Zoom {
        factor: 50.0,
        at_px: view.x_of(extent.start()),
    };
    act(&mut window, Action::Snapshot(zoom));
    command(&mut window, "time before that memory ran out");
    assert_eq!(moment(&window), Some(oom));
    let allocator = &session(&window).snapshot;
    let x = allocator.view.unwrap().x_of(oom);
    assert!((0.0..=allocator.view_width).contains(&x), "{x}");
    command(&mut window, "end of the allocator");
    assert_eq!(moment(&window), None);
    let path = window.dir.path().join("oom.csv");
    *window.answers.save.lock().unwrap() = Some(vec![path.clone()]);
    command(&mut window, "export times memory ran out");
    window.until("it is written", |_| path.exists());
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        csv(&window, SnapshotTable::Oom)
    );
    command(&mut window, "load allocator snapshot again");
    window.until("it is read again", |w| session(w).snapshot.generation == 2);
    // Beside a trace: there and back.
    let trace = trace_from(window.dir.path(), extent.start());
    act(&mut window, Action::Open { paths: vec![trace] });
    window.until_loaded();
    command(&mut window, "show the timeline");
    assert!(!session(&window).shows_allocator());
    window.harness.key_press(Key::T);
    window.settle();
    assert!(session(&window).shows_allocator());
    window.harness.key_press(Key::Questionmark);
    window.settle();
    window.picture("snapshot_help_dark");
    window.harness.key_press(Key::Escape);
    window.settle();
    command(&mut window, "close allocator snapshot");
    assert!(session(&window).snapshot.open.is_none());
    // Without one it is said.
    window.harness.key_press(Key::P);
    window.settle();
    assert!(told(&window, "no allocator snapshot is open"));
    let mut window = open("snapshot_leaking.pickle");
    command(&mut window, "next time memory ran out");
    assert!(told(&window, "memory never ran out in this recording"));
}
