//! Two traces side by side in the window: one axis, one window, figures in two columns, kernels by
//! difference, and what is kept of it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
#[path = "gui_support/job.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod job;
#[path = "gui_support/pointer.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod pointer;

use eframe::App as _;
use egui::{Key, Modifiers, Pos2, Rect, Role, vec2};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window};
use overlane::load::{Loader, ingest_loader};
use overlane::metrics::report::memory_deltas;
use overlane::metrics::{
    FigureDelta, KernelDelta, Query, Selection, Side, figure_deltas, kernel_deltas, pair_devices,
};
use overlane::session::{
    Action, CompareAction, CsvPanel, PanelOf, Section, Session, StepWindow, TraceSide,
};
use overlane::time::{DurNs, Window as TimeWindow};
use overlane::trace::{DeviceId, RankId, StepLabel};
use pointer::{drag, release, session, wheel};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

fn traces() -> (PathBuf, PathBuf) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_traces");
    (
        folder.join("serial_step.json"),
        folder.join("chunked_tp.json"),
    )
}

fn start() -> Start {
    let (a, b) = traces();
    Start {
        paths: vec![a],
        compare: vec![b],
        ..Start::default()
    }
}

fn until_compared(window: &mut Window) {
    window.until("both traces are there", |w| session(w).other().is_some());
}

fn compared(start: Start) -> Window {
    let mut window = start.open();
    until_compared(&mut window);
    window
}

fn act(window: &mut Window, action: Action) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().act(&ctx, action);
    window.settle();
}

fn ask(window: &mut Window, action: CompareAction) {
    act(window, Action::Compare(action));
}

fn other(window: &Window) -> &Session {
    session(window).other().unwrap()
}

fn canvas(window: &Window, name: &str) -> Rect {
    let node = window.harness.get_by_role_and_label(Role::Canvas, name);
    node.rect()
}

fn shown(session: &Session) -> TimeWindow {
    session.view.unwrap().visible(session.view_width)
}

fn windows(window: &Window) -> (Option<TimeWindow>, Option<TimeWindow>) {
    (session(window).window, other(window).window)
}

fn shift(window: &Window) -> DurNs {
    session(window).shift().unwrap()
}

/// What a line of figures says.
fn line(window: &Window, word: &str) -> String {
    let node = window.harness.get_by_role_and_label(Role::Cell, word);
    node.value().unwrap_or_default()
}

fn row(window: &Window, name: &str) -> Option<String> {
    let node = window.harness.query_by_role_and_label(Role::Button, name);
    node.map(|n| n.value().unwrap_or_default())
}

fn click(window: &mut Window, name: &str) {
    window
        .harness
        .get_by_role_and_label(Role::Button, name)
        .click();
    window.settle();
}

#[test]
fn both_have_lanes_on_one_axis_with_the_first_steps_on_each_other() {
    for (settings, size, name) in [
        ("{}", [1280.0, 800.0], "compare_dark"),
        (r#"{"theme":"light"}"#, [1280.0, 800.0], "compare_light"),
        ("{}", [2560.0, 1440.0], "compare_wide_dark"),
        (
            r#"{"theme":"light"}"#,
            [2560.0, 1440.0],
            "compare_wide_light",
        ),
        ("{}", [800.0, 560.0], "compare_small"),
    ] {
        let mut window = compared(Start {
            settings: Some(settings.to_owned()),
            size,
            ..start()
        });
        window.picture(name);
        let (a, b) = (
            canvas(&window, "Timeline"),
            canvas(&window, "Timeline of B"),
        );
        assert!(a.bottom() < b.top(), "A above B");
        assert_eq!(a.x_range(), b.x_range());
        assert!(a.height() > 60.0 && b.height() > 60.0);
        let first = |session: &Session| {
            let steps = session.focused_steps();
            let numbered = |s: &&StepWindow| s.label != StepLabel::Before;
            steps.iter().find(numbered).unwrap().window.start()
        };
        let (first_a, first_b) = (first(session(&window)), first(other(&window)));
        assert_eq!(first_a + shift(&window), first_b);
        // The whole of both is on screen.
        let whole = session(&window).reach().unwrap();
        assert_eq!(shown(session(&window)).clip(whole), Some(whole));
        assert_eq!(
            shown(other(&window)).start(),
            shown(session(&window)).start() + shift(&window)
        );
        // A lane of each, told apart.
        for lane in [
            "Stream 7, rank 0, GPU 0",
            "Stream 7, rank 0, GPU 0, trace B",
        ] {
            assert!(window.harness.query_by_label(lane).is_some(), "{lane}");
        }
    }
}

#[test]
fn panning_zooming_and_brushing_either_moves_both() {
    let mut window = compared(Start {
        size: [1280.0, 600.0],
        ..start()
    });
    let both = |window: &Window| {
        let (a, b) = (shown(session(window)), shown(other(window)));
        assert_eq!(a.moved(shift(window)), b);
        a
    };
    let before = both(&window);
    let (a, b) = (
        canvas(&window, "Timeline"),
        canvas(&window, "Timeline of B"),
    );
    wheel(&mut window, b.center(), vec2(0.0, 120.0), Modifiers::CTRL);
    let zoomed = both(&window);
    assert!(zoomed.len() < before.len());
    drag(
        &mut window,
        b.center(),
        b.center() + vec2(80.0, 0.0),
        Modifiers::SHIFT,
    );
    release(&mut window, b.center() + vec2(80.0, 0.0));
    let panned = both(&window);
    assert!(panned.start() < zoomed.start());
    drag(
        &mut window,
        a.center(),
        a.center() - vec2(50.0, 0.0),
        Modifiers::SHIFT,
    );
    release(&mut window, a.center() - vec2(50.0, 0.0));
    assert!(both(&window).start() > panned.start());
    // A window brushed in B, without snapping.
    let (from, to) = (b.center() - vec2(90.0, 0.0), b.center() + vec2(70.0, 0.0));
    drag(&mut window, from, to, Modifiers::ALT);
    let held = windows(&window);
    window.picture("compare_brushed_in_b");
    release(&mut window, to);
    let (in_a, in_b) = windows(&window);
    assert_eq!((in_a, in_b), held);
    assert_eq!(in_a.unwrap().moved(shift(&window)), in_b.unwrap());
    // And in A.
    let (from, to) = (a.center() - vec2(30.0, 0.0), a.center() + vec2(120.0, 0.0));
    drag(&mut window, from, to, Modifiers::ALT);
    release(&mut window, to);
    let (again, in_b) = windows(&window);
    assert_ne!(again, in_a);
    assert_eq!(again.unwrap().moved(shift(&window)), in_b.unwrap());
    // Each is scrolled for itself.
    wheel(&mut window, b.center(), vec2(0.0, -60.0), Modifiers::NONE);
    assert!(other(&window).scroll_y > 0.0);
    assert!(session(&window).scroll_y.abs() < f32::EPSILON);
}

#[test]
fn a_step_is_compared_with_the_step_of_its_number() {
    let mut window = compared(Start {
        size: [1280.0, 1200.0],
        ..start()
    });
    window.harness.key_press(Key::CloseBracket);
    window.settle();
    click(&mut window, "Step 3");
    window.picture("compare_step");
    let pairs = session(&window).paired_steps();
    let of = |label: &str| {
        let mut pairs = pairs.iter();
        pairs
            .find(|(a, _)| a.label.to_string() == label)
            .copied()
            .unwrap()
    };
    let (a, b) = of("3");
    let b = b.unwrap();
    assert_eq!(windows(&window), (Some(a.window), Some(b.window)));
    assert_ne!(a.window.len(), b.window.len());
    let said = row(&window, "Compare step 3").unwrap();
    let (of_a, of_b) = (a.window.len().us3(), b.window.len().us3());
    assert!(
        said.starts_with(&format!("A µs {of_a}, B µs {of_b}")),
        "{said}"
    );
    // Put on each other.
    click(&mut window, "Windows");
    assert_eq!(a.window.start() + shift(&window), b.window.start());
    assert_eq!(windows(&window), (Some(a.window), Some(b.window)));
    window.picture("compare_step_aligned");
    // A step that only A has: A's window, moved.
    window.harness.key_press(Key::OpenBracket);
    window.settle();
    let (alone, partner) = of("2");
    assert_eq!(partner, None);
    let moved = alone.window.moved(shift(&window));
    assert_eq!(windows(&window), (Some(alone.window), Some(moved)));
    let said = window.harness.query_by_label_contains("B has no such step");
    assert!(said.is_some());
}

fn expected(window: &Window) -> Vec<FigureDelta> {
    let side = |session: &Session| Query {
        selection: session.window.map_or(Selection::None, Selection::Window),
        ..Query::default()
    };
    let (of_a, of_b) = (session(window), other(window));
    let a = Side {
        trace: of_a.trace.as_deref().unwrap(),
        query: side(of_a),
    };
    let b = Side {
        trace: of_b.trace.as_deref().unwrap(),
        query: side(of_b),
    };
    figure_deltas(&a, &b, &pair_devices(&a, &b).pairs)
}

fn check_figures(window: &Window) {
    use overlane::metrics::report::{FIGURE_DELTA_COLUMNS, Table, columns};
    let mut heads = columns(Table::Summary);
    heads.extend(columns(Table::Streams));
    let mut checked = 0;
    for delta in expected(window) {
        let head = heads
            .iter()
            .find(|c| c.head.name == delta.figure)
            .unwrap()
            .head;
        let unit = match head.unit.label() {
            "" => String::new(),
            unit => format!(" {unit}"),
        };
        let cell = |name: &str| {
            let column = FIGURE_DELTA_COLUMNS.iter().find(|c| c.head.name == name);
            (column.unwrap().get)(&delta)
                .text()
                .map(std::borrow::Cow::into_owned)
        };
        let said = line(window, &format!("{}{unit}", head.title)).replace(' ', "");
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "n/a".to_owned());
        let wanted = format!("A{},B{},difference", or_none(cell("a")), or_none(cell("b")));
        assert!(
            said.starts_with(&wanted),
            "{}: {said}, not {wanted}",
            delta.figure
        );
        let difference = or_none(cell("delta"));
        assert!(
            said.replace('+', "")
                .contains(&format!("difference{difference}")),
            "{said}"
        );
        checked += 1;
    }
    assert_eq!(checked, 15);
}

#[test]
fn figures_are_those_of_the_comparison_in_every_window() {
    let mut window = compared(Start {
        size: [1280.0, 1400.0],
        ..start()
    });
    check_figures(&window);
    window.picture("compare_figures");
    let of_a = session(&window).focused().unwrap().1.extent;
    for (from, to) in [(40, 700), (410, 430), (100_000, 200_000)] {
        let at = |us: i64| of_a.start() + DurNs(us * 1_000);
        let action = Action::SetWindow {
            window: TimeWindow::new(at(from), at(to)),
        };
        act(&mut window, action);
        if from < 100_000 {
            check_figures(&window);
        } else {
            // Neither recorded anything there.
            assert_eq!(
                line(&window, "Window µs"),
                "A no data, B no data, difference n/a, n/a %"
            );
            window.picture("compare_no_data");
        }
    }
}

fn cli(table: &str) -> String {
    let (a, b) = traces();
    let output = Command::new(env!("CARGO_BIN_EXE_overlane"))
        .arg("diff")
        .args([a, b])
        .args(["--table", table, "--format", "csv"])
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn tables_are_those_of_the_command_line() {
    let window = compared(start());
    assert_eq!(session(&window).csv(CsvPanel::FigureDeltas), cli("summary"));
    assert_eq!(session(&window).csv(CsvPanel::KernelDeltas), cli("kernels"));
}

/// Only the section of kernels open, on a high screen, and the rows that are expected in it.
fn kernels() -> (Window, Vec<KernelDelta>) {
    let mut window = compared(Start {
        size: [1280.0, 1400.0],
        ..start()
    });
    for section in ["Breakdown", "Overlap", "Steps"] {
        click(&mut window, section);
    }
    let side = |trace| Side {
        trace,
        query: Query::default(),
    };
    let of = |session: &Session| session.trace.clone().unwrap();
    let (a, b) = (of(session(&window)), of(other(&window)));
    let (a, b) = (side(&*a), side(&*b));
    let rows = kernel_deltas(&a, &b, &pair_devices(&a, &b).pairs);
    (window, rows)
}

fn names(window: &Window) -> Vec<String> {
    let shown = session(window).shown_deltas().unwrap();
    assert!(shown.is_current);
    shown.rows.iter().map(|r| r.name.clone()).collect()
}

#[test]
fn kernels_are_listed_by_difference_and_those_without_partner_are_told() {
    let (mut window, rows) = kernels();
    window.picture("compare_kernels");
    let by_time: Vec<String> = rows.iter().map(|r| r.name.clone()).collect();
    assert_eq!(names(&window), by_time);
    for alone in rows.iter().filter(|r| r.count_a == 0 || r.count_b == 0) {
        let said = row(&window, &alone.name).unwrap();
        assert!(said.contains("0 paired"), "{said}");
    }
    for tag in ["only A", "only B"] {
        assert!(window.harness.query_all_by_label(tag).count() >= 1, "{tag}");
    }
    let said = window.harness.query_by_label_contains("only in A");
    assert!(said.is_some());
    // Another order, a filter.
    click(&mut window, "Sort kernels of both by name");
    let mut sorted = by_time;
    sorted.sort();
    assert_eq!(names(&window), sorted);
    let filter = |text: &str| CompareAction::FilterKernels(text.to_owned());
    ask(&mut window, filter("nccl"));
    assert!(names(&window).iter().all(|n| n.contains("nccl")));
    let said = window.harness.query_by_label_contains("the filter hides");
    assert!(said.is_some());
    ask(&mut window, filter("no such kernel"));
    let said = window.harness.query_by_label("No name matches the filter.");
    assert!(said.is_some());
}

#[test]
fn a_click_on_a_name_goes_to_its_first_kernel_on_the_side_that_has_it() {
    let (mut window, rows) = kernels();
    let only_a = rows.iter().find(|r| r.count_b == 0).unwrap();
    let only_b = rows.iter().find(|r| r.count_a == 0).unwrap();
    click(&mut window, &only_a.name);
    window.until("a slice of A is selected", |w| {
        session(w).selection.is_some()
    });
    assert!(other(&window).selection.is_none());
    click(&mut window, &only_b.name);
    window.until("a slice of B is selected", |w| other(w).selection.is_some());
    let slice_of = |session: &Session| {
        let trace = session.trace.as_ref().unwrap();
        let slice = trace.slice(session.selection.unwrap()).unwrap();
        (trace.names.get(slice.name()).to_owned(), slice.window())
    };
    let (name, at) = slice_of(other(&window));
    assert_eq!(name, only_b.name);
    assert_eq!(shown(other(&window)).clip(at), Some(at));
    let moved = shown(session(&window)).moved(shift(&window));
    assert_eq!(moved, shown(other(&window)));
    window.picture("compare_selected");
    // Its details, with the name of its side; a click shows that of A.
    let last = |window: &Window| session(window).compare.as_ref().unwrap().last;
    assert_eq!(last(&window), TraceSide::B);
    let said = window.harness.query_by_label("Slice selected in B");
    assert!(said.is_some());
    click(&mut window, "Slice selected in A");
    assert_eq!(last(&window), TraceSide::A);
    // Put on each other.
    click(&mut window, "Selected");
    let ((_, in_a), (_, in_b)) = (slice_of(session(&window)), slice_of(other(&window)));
    assert_eq!(in_a.start() + shift(&window), in_b.start());
}

/// Many kernels one behind the other; `slow` of a hundred take longer.
fn many_in(folder: &Path, name: &str, slow: u32) -> PathBuf {
    let kernel = |i: u32| {
        let (ts, dur) = (1_000 + i * 10, if i % 100 < slow { 9 } else { 5 });
        let name = ["gemm", "add", "norm"][usize::try_from(i % 3).unwrap()];
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":7}}}}"#
        )
    };
    let events: Vec<String> = (0..2_000).map(kernel).collect();
    let path = folder.join(name);
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn many_kernels_are_aligned_beside_the_window_and_older_rows_say_of_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = compared(Start {
        paths: vec![many_in(dir.path(), "a.json", 10)],
        compare: vec![many_in(dir.path(), "b.json", 60)],
        size: [1280.0, 1200.0],
        ..Start::default()
    });
    let is_current = |w: &Window| session(w).shown_deltas().is_some_and(|s| s.is_current);
    window.until("kernels are aligned", is_current);
    let start = session(&window).capture().unwrap().start();
    let asked = TimeWindow::new(start + DurNs(1_000_000), start + DurNs(19_000_000));
    let ctx = window.harness.ctx.clone();
    let action = Action::SetWindow { window: asked };
    window.harness.state_mut().act(&ctx, action);
    window.harness.step();
    assert!(!is_current(&window));
    let said = "aligning the current windows";
    assert!(window.harness.query_by_label_contains(said).is_some());
    window.picture("compare_older");
    window.until("those of the window are there", is_current);
    assert!(window.harness.query_by_label_contains(said).is_none());
    let rows = session(&window).shown_deltas().unwrap().rows;
    assert_eq!(rows.iter().map(|r| r.count_a).sum::<u64>(), 1_800);
}

#[test]
fn a_load_of_b_shows_how_far_it_is_and_can_be_stopped() {
    let (a, b) = traces();
    let real = ingest_loader();
    let is_b = b.clone();
    let loader: Loader = Arc::new(move |request, progress, cancel| {
        while request.paths == [is_b.clone()] && !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(2));
        }
        real(request, progress, cancel)
    });
    let mut window = Start {
        paths: vec![a],
        compare: vec![b],
        loader,
        ..Start::default()
    }
    .open();
    window.until("B is loading", |w| session(w).compare.is_some());
    window.picture("compare_loading");
    let card = "Loading chunked_tp.json to compare with";
    assert!(window.harness.query_by_label(card).is_some());
    assert!(session(&window).other().is_none());
    // A can be used meanwhile.
    window.harness.key_press(Key::CloseBracket);
    window.settle();
    assert!(session(&window).window.is_some());
    click(&mut window, "Cancel");
    assert!(session(&window).compare.is_none());
    let said = session(&window).message.clone().unwrap().text;
    assert_eq!(said, "B: loading was cancelled");
    assert!(session(&window).window.is_some());
}

#[test]
fn the_shift_is_typed_and_reset() {
    let mut window = compared(start());
    let before = shift(&window);
    let field = "Shift of B";
    let get = |window: &Window| {
        let node = window.harness.get_by_role_and_label(Role::TextInput, field);
        node.value().unwrap_or_default()
    };
    click(&mut window, "Reset");
    assert_eq!(get(&window), "0 µs");
    assert_ne!(shift(&window), before);
    let node = window.harness.get_by_role_and_label(Role::TextInput, field);
    node.focus();
    window.harness.step();
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::A);
    window
        .harness
        .get_by_role_and_label(Role::TextInput, field)
        .type_text("12.5");
    window.settle();
    window.picture("compare_shift_trouble");
    assert!(
        window
            .harness
            .query_by_label_contains("a number and a unit")
            .is_some()
    );
    window
        .harness
        .get_by_role_and_label(Role::TextInput, field)
        .type_text(" us");
    window.settle();
    assert_eq!(
        session(&window).compare.as_ref().unwrap().offset,
        DurNs(12_500)
    );
    click(&mut window, "First steps");
    assert_eq!(shift(&window), before);
}

#[test]
fn comparing_begins_from_the_menu_and_ends_with_a_button() {
    let (a, b) = traces();
    let mut window = Start {
        paths: vec![a],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    let view = session(&window).view;
    *window.answers.open.lock().unwrap() = Some(vec![b]);
    click(&mut window, "Recent and other ways to open");
    window.picture("compare_menu");
    window.harness.get_by_label("Compare with…").click();
    window.settle();
    until_compared(&mut window);
    assert_eq!(session(&window).sources.len(), 1);
    assert!(canvas(&window, "Timeline of B").height() > 60.0);
    click(&mut window, "B alone");
    assert_eq!(
        session(&window).compare.as_ref().unwrap().panel,
        PanelOf::One(TraceSide::B)
    );
    window.picture("compare_b_alone");
    click(&mut window, "A and B");
    click(&mut window, "Stop comparing");
    assert!(session(&window).compare.is_none());
    let gone = window
        .harness
        .query_by_role_and_label(Role::Canvas, "Timeline of B");
    assert!(gone.is_none());
    act(&mut window, Action::FitView);
    assert_eq!(session(&window).view, view);
    assert_eq!(line(&window, "Kernels").split_whitespace().count(), 1);
    // Another time, by a path that is typed, since there is no dialog.
    *window.answers.open.lock().unwrap() = None;
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::K);
    window.settle();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Find command")
        .type_text("compare with a trace");
    window.settle();
    window.harness.key_press(Key::Enter);
    window.until("the path box is open", |w| session(w).path_box.is_some());
    let text = traces().1.display().to_string();
    act(&mut window, Action::EditPath { text });
    window.picture("compare_path_box");
    click(&mut window, "Compare");
    until_compared(&mut window);
}

#[test]
fn suspicious_kernels_are_clipped_in_both() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = compared(Start {
        compare: job::odd_job_in(dir.path()),
        ..start()
    });
    let busy = line(&window, "Busy µs");
    window
        .harness
        .get_by_role_and_label(Role::CheckBox, "Clip suspicious kernels")
        .click();
    window.settle();
    assert!(session(&window).settings.clip_suspicious);
    assert!(other(&window).settings.clip_suspicious);
    assert_ne!(line(&window, "Busy µs"), busy);
    window.picture("compare_clipped");
}

#[test]
fn several_devices_are_listed_and_a_click_puts_a_pair_first() {
    let dir = tempfile::tempdir().unwrap();
    let paths = job::job_in(dir.path());
    let mut window = compared(Start {
        paths: paths.clone(),
        compare: vec![paths[1].clone()],
        size: [1280.0, 1400.0],
        ..Start::default()
    });
    window.picture("compare_devices");
    // Rank 1 is the only one that B has.
    let pair = session(&window).compared().unwrap().pair;
    assert_eq!(pair.a, pair.b);
    let only = window
        .harness
        .query_by_label_contains("Only in A: rank 0 GPU 0");
    assert!(only.is_some());
    // Another one may be put against it, and the pair of the list comes back by a click.
    act(
        &mut window,
        Action::FocusDevice {
            rank: RankId(0),
            device: DeviceId(0),
        },
    );
    let pair = session(&window).compared().unwrap().pair;
    assert_ne!(pair.a, pair.b);
    click(&mut window, "Compare device rank 1 GPU 0");
    let pair = session(&window).compared().unwrap().pair;
    assert_eq!(pair.a, pair.b);
    let said = line(&window, "Kernels");
    assert!(said.ends_with("difference 0, 0.0000 %"), "{said}");
}

#[test]
fn the_health_of_either_is_told() {
    let mut window = compared(start());
    for (side, name) in [("A", "Health of A: healthy"), ("B", "Health of B: healthy")] {
        click(&mut window, name);
        let title = format!("Health of {side}");
        assert!(window.harness.query_by_label(&title).is_some(), "{title}");
        window.picture(&format!("compare_health_{side}"));
        window.harness.key_press(Key::Escape);
        window.settle();
        assert!(window.harness.query_by_label(&title).is_none(), "{title}");
    }
}

#[test]
fn what_cannot_be_loaded_is_told_and_the_first_trace_stays() {
    let (a, _) = traces();
    let mut window = Start {
        paths: vec![a],
        compare: vec![PathBuf::from("/nowhere/b.json")],
        ..Start::default()
    }
    .open();
    window.until("it is told", |w| session(w).message.is_some());
    let said = session(&window).message.clone().unwrap().text;
    assert!(
        said.starts_with("B: ") && said.contains("/nowhere/b.json"),
        "{said}"
    );
    assert!(session(&window).trace.is_some() && session(&window).compare.is_none());
    window.picture("compare_failed");
}

#[test]
fn a_trace_without_gpu_work_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("host.json");
    let text = r#"{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::add","pid":7,"tid":1,"ts":10,"dur":500}]}"#;
    std::fs::write(&path, text).unwrap();
    let mut window = compared(Start {
        compare: vec![path],
        ..start()
    });
    window.picture("compare_without_gpu");
    let said = window
        .harness
        .query_by_label_contains("Trace B has no kernels");
    assert!(said.is_some());
}

#[test]
fn a_comparison_is_kept_and_brought_back() {
    let config = tempfile::tempdir().unwrap();
    let (a, b) = traces();
    let config_of = |start: Start| Start {
        config: Some(config.path().to_owned()),
        ..start
    };
    let mut window = compared(config_of(start()));
    ask(
        &mut window,
        CompareAction::EditShift("-33.25 us".to_owned()),
    );
    window.harness.key_press(Key::CloseBracket);
    window.settle();
    ask(
        &mut window,
        CompareAction::Other(Box::new(Action::ToggleLane {
            lane: overlane::timeline::LaneKey::Device(
                overlane::trace::RankId(0),
                overlane::trace::DeviceId(0),
            ),
        })),
    );
    let kept = |w: &Window| (windows(w), shift(w), other(w).lanes.clone());
    let before = kept(&window);
    window.harness.state_mut().on_exit(None);
    drop(window);
    // By the paths of A alone.
    let mut window = config_of(Start {
        paths: vec![a.clone()],
        ..Start::default()
    })
    .open();
    until_compared(&mut window);
    assert_eq!(kept(&window), before);
    assert_eq!(other(&window).sources, [b]);
    // One that was stopped does not come back.
    ask(&mut window, CompareAction::Stop);
    window.harness.state_mut().on_exit(None);
    drop(window);
    let mut window = config_of(Start {
        paths: vec![a],
        ..Start::default()
    })
    .open();
    window.until_loaded();
    window.settle();
    assert!(session(&window).compare.is_none());
}

#[test]
fn real_traces_are_compared() {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(folder.join("kineto")) else {
        eprintln!("skipped: no real traces beside the project");
        return;
    };
    let mut files: Vec<(u64, PathBuf)> = entries
        .filter_map(|e| {
            let path = e.ok()?.path();
            let name = path.file_name()?.to_str()?.to_owned();
            let size = std::fs::metadata(&path).ok()?.len();
            (name.contains(".json") && size < 4_000_000).then_some((size, path))
        })
        .collect();
    files.sort();
    let Some([a, b]) = files.last_chunk::<2>() else {
        return;
    };
    let mut window = compared(Start {
        paths: vec![a.1.clone()],
        compare: vec![b.1.clone()],
        ..Start::default()
    });
    window.until("kernels are aligned", |w| {
        session(w).shown_deltas().is_none_or(|s| s.is_current)
    });
    window.picture("compare_real");
    let b = canvas(&window, "Timeline of B");
    let at = |x: f32| Pos2::new(b.left() + b.width() * x, b.center().y);
    drag(&mut window, at(0.3), at(0.6), Modifiers::ALT);
    release(&mut window, at(0.6));
    let (in_a, in_b) = windows(&window);
    assert_eq!(in_a.unwrap().moved(shift(&window)), in_b.unwrap());
    window.until("kernels are aligned", |w| {
        session(w).shown_deltas().is_none_or(|s| s.is_current)
    });
    window.picture("compare_real_window");
}

#[test]
fn what_the_allocators_of_both_held_stands_side_by_side() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_traces");
    for (theme, name) in [
        ("dark", "compare_memory_dark"),
        ("light", "compare_memory_light"),
    ] {
        let mut window = compared(Start {
            paths: vec![folder.join("memory_leak.json")],
            compare: vec![folder.join("memory_level.json")],
            settings: Some(format!(r#"{{"theme":"{theme}"}}"#)),
            ..Start::default()
        });
        let sections = [
            Section::Breakdown,
            Section::Overlap,
            Section::Steps,
            Section::Kernels,
            Section::Memory,
        ];
        let ctx = window.harness.ctx.clone();
        for section in sections {
            let action = Action::ToggleSection { section };
            window.harness.state_mut().act(&ctx, action);
        }
        window.settle();
        window.picture(name);
        let rows = [session(&window), session(&window).other().unwrap()]
            .map(|side| side.shown_memory_row().unwrap().1);
        let deltas = memory_deltas(Some(&rows[0]), Some(&rows[1]));
        let growth = deltas
            .iter()
            .find(|d| d.head.name == "growth_bytes")
            .unwrap();
        // 8 MiB are kept by A, nothing by B.
        assert_eq!(
            (growth.a, growth.delta()),
            (Some(8 << 20), Some(-(8 << 20)))
        );
        let says = |words: &str| window.harness.query_all_by_label(words).next().is_some();
        assert!(says("8.00 MiB") && says("-8.00 MiB") && says("Growth"));
    }
    assert_eq!(memory_deltas(None, None)[0].delta(), None);
}
