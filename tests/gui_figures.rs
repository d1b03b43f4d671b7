//! Figures follow the window: brushing, steps, annotations, tables, details, export.
//!
//! The figures are worked out by hand from the drawing at `gui_support::SAMPLE`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::{Key, Pos2, Role, pos2};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window};
use overlane::session::{Action, CsvPanel, Overlay, Session, ThemeChoice};
use overlane::time::{DurNs, Ns, Window as TimeWindow, human_duration};
use std::process::Command;

fn sample() -> (Window, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![gui_support::sample_in(dir.path())],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    (window, dir)
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

/// A time of the drawing: µs from the first kernel, which starts 100 µs into the trace.
fn at(window: &Window, us: i64) -> Ns {
    session(window).capture().unwrap().start() + DurNs((us + 100) * 1000)
}

/// Where a time lies on the lanes, `y` points below their top.
fn place(window: &Window, us: i64, y: f32) -> Pos2 {
    let s = session(window);
    let lanes = window
        .harness
        .get_by_role_and_label(Role::Canvas, "Timeline")
        .rect();
    #[expect(clippy::cast_possible_truncation, reason = "a pixel")]
    let x = s.view.unwrap().x_of(at(window, us)) as f32;
    pos2(lanes.left() + x, lanes.top() + y)
}

/// Drags over the lanes.
fn brush(window: &mut Window, from: i64, to: i64) {
    let (a, b) = (place(window, from, 300.0), place(window, to, 300.0));
    window.harness.hover_at(a);
    window.harness.step();
    window.harness.drag_at(a);
    window.harness.step();
    for i in 1..=5_u8 {
        window.harness.hover_at(a + (b - a) * (f32::from(i) / 5.0));
        window.harness.step();
    }
    window.harness.drop_at(b);
    window.harness.step();
    window.settle();
}

/// What the row of a figure says.
fn figure(window: &Window, word: &str) -> String {
    let row = window.harness.get_by_role_and_label(Role::Cell, word);
    row.value().unwrap_or_default()
}

fn assert_figures(window: &Window, wanted: &[(&str, &str)]) {
    let found: Vec<(&str, String)> = wanted
        .iter()
        .map(|(word, _)| (*word, figure(window, word)))
        .collect();
    let wanted: Vec<(&str, String)> = wanted.iter().map(|(w, v)| (*w, (*v).to_owned())).collect();
    assert_eq!(found, wanted);
}

#[test]
fn without_a_window_figures_are_of_the_device_extent() {
    let (mut window, _dir) = sample();
    window.picture("sample");
    assert_figures(
        &window,
        &[
            ("Window", "500.000 µs"),
            ("Busy", "460.000 µs"),
            ("Compute", "330.000 µs, 66.0000 %"),
            ("Non-compute", "130.000 µs, 26.0000 %"),
            ("Idle", "40.000 µs, 8.0000 %"),
            ("Kernels", "8"),
            ("Duty: computation", "66.0000 %"),
            ("Duty: communication only", "24.0000 %"),
            ("Duty: memory only", "2.0000 %"),
            ("Sum of durations (not time)", "520.000 µs"),
            ("Communication hidden", "33.3333 %"),
            ("Overlap of union", "13.3333 %"),
            ("Computation", "330.000 µs"),
            ("Compute only", "270.000 µs"),
            ("Overlap", "60.000 µs"),
            ("Communication", "180.000 µs"),
            ("Exposed communication", "120.000 µs"),
            ("Memory", "10.000 µs"),
            ("Exposed memory", "10.000 µs"),
        ],
    );
}

#[test]
fn brushing_changes_the_figures_and_escape_brings_them_back() {
    let (mut window, _dir) = sample();
    // From the start of the first all-reduce to the end of the second gemm; edges snap to them.
    brush(&mut window, 80, 250);
    window.picture("brushed");
    let wanted = TimeWindow::new(at(&window, 80), at(&window, 250));
    assert_eq!(session(&window).window, Some(wanted));
    assert_figures(
        &window,
        &[
            ("Window", "170.000 µs"),
            ("Busy", "140.000 µs"),
            ("Compute", "120.000 µs, 70.5882 %"),
            ("Non-compute", "20.000 µs, 11.7647 %"),
            ("Idle", "30.000 µs, 17.6471 %"),
            ("Kernels", "4"),
            ("Communication hidden", "60.0000 %"),
            ("Overlap of union", "21.4286 %"),
            ("Overlap", "30.000 µs"),
            ("Exposed communication", "20.000 µs"),
            ("Memory", "0.000 µs"),
        ],
    );
    window.harness.key_press(Key::Escape);
    window.settle();
    assert_eq!(session(&window).window, None);
    assert_figures(
        &window,
        &[
            ("Window", "500.000 µs"),
            ("Communication hidden", "33.3333 %"),
        ],
    );
}

#[test]
fn figures_move_while_the_brush_is_dragged() {
    let (mut window, _dir) = sample();
    let (a, b) = (place(&window, 0, 300.0), place(&window, 200, 300.0));
    window.harness.hover_at(a);
    window.harness.step();
    window.harness.drag_at(a);
    window.harness.step();
    let mut seen = Vec::new();
    for i in 1..=8_u8 {
        window.harness.hover_at(a + (b - a) * (f32::from(i) / 8.0));
        window.harness.run_steps(2);
        seen.push(figure(&window, "Window"));
    }
    window.harness.drop_at(b);
    window.settle();
    seen.dedup();
    assert!(seen.len() >= 5, "{seen:?}");
}

#[test]
fn a_window_without_communication_says_not_available() {
    let (mut window, _dir) = sample();
    brush(&mut window, 0, 80);
    assert_figures(
        &window,
        &[
            ("Compute", "80.000 µs, 100.0000 %"),
            ("Communication hidden", "n/a"),
        ],
    );
}

#[test]
fn steps_become_windows_by_click_and_by_key() {
    let (mut window, _dir) = sample();
    // Device steps: step 0 from its first gemm (0) to the first gemm launched in step 1 (300).
    window.harness.key_press(Key::CloseBracket);
    window.settle();
    assert_eq!(
        session(&window).window,
        Some(TimeWindow::new(at(&window, 0), at(&window, 300)))
    );
    assert_figures(
        &window,
        &[
            ("Window", "300.000 µs"),
            ("Compute", "200.000 µs, 66.6667 %"),
            ("Communication", "100.000 µs"),
            ("Overlap", "30.000 µs"),
            ("Idle", "30.000 µs, 10.0000 %"),
        ],
    );
    window.harness.key_press(Key::CloseBracket);
    window.settle();
    window.picture("step");
    assert_eq!(
        session(&window).window,
        Some(TimeWindow::new(at(&window, 300), at(&window, 500)))
    );
    window.harness.key_press(Key::OpenBracket);
    window.settle();
    assert_eq!(
        session(&window).window,
        Some(TimeWindow::new(at(&window, 0), at(&window, 300)))
    );
}

#[test]
fn an_annotation_becomes_the_window() {
    let (mut window, _dir) = sample();
    window.harness.get_by_label("Annotations").click();
    window.settle();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Find annotation")
        .type_text("FORWARD");
    window.settle();
    window.picture("annotations");
    window.harness.get_by_label("forward pass").click();
    window.settle();
    // The annotation lies 5 to 205 µs into the trace: 95 µs before the first kernel to 105 µs.
    assert_eq!(
        session(&window).window,
        Some(TimeWindow::new(at(&window, -95), at(&window, 105)))
    );
    assert_eq!(session(&window).overlay, None);
    assert_figures(
        &window,
        &[
            ("Window", "200.000 µs"),
            ("Communication hidden", "80.0000 %"),
        ],
    );
}

#[test]
fn an_exported_table_has_the_digits_of_the_command_line() {
    let (mut window, dir) = sample();
    brush(&mut window, 80, 250);
    let target = dir.path().join("out.csv");
    *window.answers.save.lock().unwrap() = Some(vec![target.clone()]);
    window.harness.get_by_label("Export CSV… (Overlap)").click();
    window.until("the file is written", |w| {
        w.harness.state().session().message.is_some()
    });
    let written = std::fs::read_to_string(&target).unwrap();
    let s = session(&window).window.unwrap();
    let range = format!("@{}..@{}", s.start().0, s.end().0);
    let report = Command::new(env!("CARGO_BIN_EXE_overlane"))
        .arg("report")
        .arg(dir.path().join("sample_rank0.json"))
        .args(["--format", "csv", "--window", &range])
        .env("OVERLANE_CONFIG_DIR", dir.path())
        .output()
        .unwrap();
    assert!(
        report.status.success(),
        "{}",
        String::from_utf8_lossy(&report.stderr)
    );
    assert_eq!(written, String::from_utf8(report.stdout).unwrap());
    assert!(written.contains(",60.0000"), "{written}");
}

// N6
#[test]
fn every_figure_is_of_one_window_that_stands_beside_it_and_in_the_tables() {
    let (mut window, _dir) = sample();
    let whole = TimeWindow::new(at(&window, 0), at(&window, 500));
    assert_one_window(&window, whole);
    brush(&mut window, 80, 250);
    let brushed = TimeWindow::new(at(&window, 80), at(&window, 250));
    assert_one_window(&window, brushed);
}

fn assert_one_window(window: &Window, wanted: TimeWindow) {
    let origin = session(window).capture().unwrap().start();
    let told = format!(
        "of {} – {}  ({})",
        human_duration(wanted.start() - origin),
        human_duration(wanted.end() - origin),
        human_duration(wanted.len())
    );
    let lines: Vec<String> = window
        .harness
        .get_all_by_label_contains("of ")
        .filter_map(|node| node.value())
        .filter(|text| text.contains(" – "))
        .collect();
    assert!(lines.len() >= 2, "{lines:?}");
    assert!(lines.iter().all(|line| *line == told), "{lines:?}, {told}");
    let length = format!("{} µs", wanted.len().us3());
    assert_figures(window, &[("Window", &length)]);
    let edges = [wanted.start().0.to_string(), wanted.end().0.to_string()];
    for panel in [CsvPanel::Breakdown, CsvPanel::Overlap, CsvPanel::Streams] {
        let csv = session(window).csv(panel);
        let mut lines = csv.lines().map(|l| l.split(',').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let column = |name| head.iter().position(|h| *h == name).unwrap();
        let (start, end) = (column("window_start_ns"), column("window_end_ns"));
        let rows: Vec<_> = lines.collect();
        assert!(!rows.is_empty());
        for row in rows {
            assert_eq!([row[start], row[end]], edges, "{panel:?}");
        }
    }
}

#[test]
fn without_a_save_dialog_the_path_box_asks_where_to_write() {
    let (mut window, dir) = sample();
    window.harness.get_by_label("Export CSV… (Streams)").click();
    window.until("the path box is open", |w| {
        w.harness.state().session().path_box.is_some()
    });
    window.picture("path_box_save");
    window
        .harness
        .get_by_role_and_label(Role::Button, "Write")
        .click();
    let target = dir.path().join("overlane-streams.csv");
    window.until("the file is written", |_| target.exists());
    assert_eq!(std::fs::read_to_string(target).unwrap().lines().count(), 3);
}

#[test]
fn the_path_box_spares_the_trace_and_asks_before_it_replaces() {
    let (mut window, dir) = sample();
    let trace = dir.path().join("sample_rank0.json");
    let other = dir.path().join("other.csv");
    std::fs::write(&other, "mine").unwrap();
    window.harness.get_by_label("Export CSV… (Streams)").click();
    window.until("the path box is open", |w| session(w).path_box.is_some());
    let press = |window: &mut Window, word: &str| {
        let button = window.harness.get_by_role_and_label(Role::Button, word);
        button.click();
    };
    let type_path = |window: &mut Window, path: &std::path::Path| {
        let text = path.to_str().unwrap().to_owned();
        let ctx = window.harness.ctx.clone();
        window
            .harness
            .state_mut()
            .act(&ctx, Action::EditPath { text });
        window.settle();
    };
    let answer = |w: &Window| session(w).path_box.as_ref().and_then(|b| b.answer.clone());

    type_path(&mut window, &trace);
    press(&mut window, "Write");
    window.until("it is refused", |w| answer(w).is_some());
    window.picture("path_box_refused");
    window
        .harness
        .get_by_label_contains("is one of the files being read and is not overwritten");
    assert_eq!(
        std::fs::read_to_string(&trace).unwrap(),
        gui_support::SAMPLE
    );

    type_path(&mut window, &other);
    assert_eq!(answer(&window), None);
    press(&mut window, "Write");
    window.until("it asks", |w| answer(w).is_some());
    window.picture("path_box_replace");
    window.harness.get_by_label_contains("This file exists.");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
    press(&mut window, "Replace");
    window.until("it is written", |w| session(w).path_box.is_none());
    let written = std::fs::read_to_string(&other).unwrap();
    assert_eq!(written.lines().count(), 3, "{written}");
}

#[test]
fn a_dialog_that_names_the_trace_is_refused() {
    let (mut window, dir) = sample();
    let trace = dir.path().join("sample_rank0.json");
    *window.answers.save.lock().unwrap() = Some(vec![trace.clone()]);
    window.harness.get_by_label("Export CSV… (Overlap)").click();
    window.until("it is refused", |w| session(w).message.is_some());
    window.harness.get_by_label_contains("is not overwritten");
    assert_eq!(
        std::fs::read_to_string(&trace).unwrap(),
        gui_support::SAMPLE
    );
}

#[test]
fn exported_steps_are_those_of_the_chart() {
    let (mut window, _dir) = sample();
    let all = session(&window).csv(CsvPanel::Steps);
    assert_eq!(all.lines().count(), 3, "{all}");
    window.harness.get_by_label("Step 1").click();
    window.settle();
    assert!(session(&window).window.is_some());
    assert_eq!(session(&window).csv(CsvPanel::Steps), all);
}

#[test]
fn copy_puts_the_table_on_the_clipboard() {
    let (mut window, _dir) = sample();
    window.harness.get_by_label("Copy (Breakdown)").click();
    window.harness.step();
    let copied = window
        .harness
        .output()
        .platform_output
        .commands
        .iter()
        .find_map(|c| match c {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
    assert!(copied.is_some_and(|t| t.starts_with("rank,device,step,")));
}

#[test]
fn a_clicked_slice_shows_its_details_with_all_args() {
    let (mut window, _dir) = sample();
    // The lane of stream 20, in the middle of the gather.
    let y = window
        .harness
        .get_by_label("Stream 20, rank 0, GPU 0")
        .rect()
        .center()
        .y;
    let x = place(&window, 280, 0.0).x;
    let lanes = pos2(x, y);
    window.harness.hover_at(lanes);
    window.harness.step();
    window.harness.drag_at(lanes);
    window.harness.step();
    window.harness.drop_at(lanes);
    window.until("the args are read", |w| {
        matches!(
            w.harness.state().session().details,
            overlane::session::Details::Ready(..) | overlane::session::Details::Failed(..)
        )
    });
    window.picture("details");
    window.harness.get_by_label("rank 0, GPU 0, stream 20");
    window.harness.get_by_label("80.000 µs");
    window.harness.get_by_label_contains("all-gather, ");
    window.harness.get_by_label("cudaLaunchKernel");
    window.harness.get_by_label("category");
    window.harness.get_by_label("class decided by");
    window.harness.get_by_label("nccl and rccl");
    window.harness.key_press(Key::Escape);
    window.settle();
    assert_eq!(session(&window).selection, None);
}

#[test]
fn the_theme_switches_and_is_kept() {
    let (mut window, _dir) = sample();
    window.harness.get_by_label("Light theme").click();
    window.settle();
    assert_eq!(session(&window).settings.theme, ThemeChoice::Light);
    window.picture("light");
    window.until("it is kept", |w| {
        std::fs::read_to_string(w.dir.path().join("settings.json"))
            .is_ok_and(|t| t.contains("light"))
    });
    window.harness.get_by_label("Dark theme");
}

#[test]
fn the_health_list_opens_from_its_badge() {
    let (mut window, _dir) = sample();
    window.harness.get_by_label_contains("Health: ").click();
    window.settle();
    window.picture("health");
    assert_eq!(session(&window).overlay, Some(Overlay::Health));
    window.harness.get_by_label("out-of-order");
    window.harness.get_by_label("Close").click();
    window.settle();
    assert_eq!(session(&window).overlay, None);
}

#[test]
fn the_help_lists_every_key() {
    let (mut window, _dir) = sample();
    window.harness.key_press(Key::Questionmark);
    window.settle();
    window.picture("help");
    for keys in ["Ctrl+O", "W", "S", "A", "D", "F", "[", "]", "Esc", "?"] {
        window.harness.get_by_label(keys);
    }
    window.harness.key_press(Key::Escape);
    window.settle();
    assert_eq!(session(&window).overlay, None);
}

#[test]
fn a_reload_keeps_the_window_and_the_view() {
    let (mut window, dir) = sample();
    brush(&mut window, 80, 250);
    window.harness.key_press(Key::F);
    window.settle();
    let (kept, view) = (session(&window).window, session(&window).view);
    let generation = session(&window).generation;
    let longer = gui_support::SAMPLE.replace(r#""ts":1520,"dur":30"#, r#""ts":1520,"dur":35"#);
    std::fs::write(dir.path().join("sample_rank0.json"), longer).unwrap();
    window.until("the change is noticed", |w| {
        w.harness.state().session().changed_on_disk
    });
    window.picture("changed");
    window.harness.get_by_label("Reload").click();
    window.until("it is loaded again", |w| {
        w.harness.state().session().generation > generation
    });
    assert_eq!(session(&window).window, kept);
    let left = |v: Option<overlane::timeline::View>| v.unwrap().left;
    assert_eq!(left(session(&window).view), left(view));
    assert!(!session(&window).changed_on_disk);
}

/// Pictures for people, of traces that the environment names; see `gui_support::Window::picture`.
#[test]
fn pictures_of_many_sizes() {
    let Ok(list) = std::env::var("OVERLANE_PICTURE_TRACES") else {
        return;
    };
    for (name, size, theme) in [
        ("wide-dark", [2560.0, 1440.0], "dark"),
        ("wide-light", [2560.0, 1440.0], "light"),
        ("small", [1280.0, 800.0], "dark"),
        ("narrow", [760.0, 500.0], "light"),
    ] {
        let mut window = Start {
            paths: list.split(':').map(std::path::PathBuf::from).collect(),
            size,
            settings: Some(format!(r#"{{"theme":"{theme}"}}"#)),
            ..Start::default()
        }
        .open();
        window.until_loaded();
        window.picture(name);
    }
}

#[test]
fn suspicious_kernels_are_clipped_only_by_choice_with_both_totals_beside() {
    // Twelve kernels of 10 µs, one every 20 µs, and one of 2,000 µs over all of them on the same
    // stream. As recorded the device is busy from 0 to 2,005 µs; clipped, the long one ends at the
    // next start after its own (5 to 20 µs): 0 to 30 µs, and ten more of 10 µs.
    let mut events: Vec<String> = (0..12)
        .map(|i| (1000 + 20 * i, 10))
        .chain([(1005, 2000)])
        .map(|(ts, dur)| {
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":7}}}}"#
            )
        })
        .collect();
    events.sort();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("suspicious.json");
    std::fs::write(
        &path,
        format!(r#"{{"traceEvents":[{}]}}"#, events.join(",")),
    )
    .unwrap();
    let mut window = Start {
        paths: vec![path],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    window.picture("suspicious");
    let both = [
        ("Busy as recorded", "2005.000 µs"),
        ("Busy with suspicious clipped", "130.000 µs"),
    ];
    assert_figures(&window, &both);
    assert_figures(
        &window,
        &[
            ("Window", "2005.000 µs"),
            ("Busy", "2005.000 µs"),
            ("Idle", "0.000 µs, 0.0000 %"),
        ],
    );
    window
        .harness
        .get_by_label("Clip suspicious kernels")
        .click();
    window.settle();
    assert!(session(&window).settings.clip_suspicious);
    // The window without a selection is that of the clipped kernels: 0 to 230 µs. Both totals are
    // of it, like every other figure.
    assert_figures(
        &window,
        &[
            ("Window", "230.000 µs"),
            ("Busy", "130.000 µs"),
            ("Idle", "100.000 µs, 43.4783 %"),
            ("Busy as recorded", "230.000 µs"),
            ("Busy with suspicious clipped", "130.000 µs"),
        ],
    );
}
