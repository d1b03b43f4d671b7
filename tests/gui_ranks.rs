//! The panel of ranks: figures, order, a click that shows a rank, and the map of ranks by steps.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::{Pos2, Rect, Role, pos2};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};
use overlane::ingest::AlignBy;
use overlane::session::{Action, CsvPanel, Session};
use overlane::timeline::LaneKey;
use overlane::trace::{DeviceId, RankId};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const STEPS: u32 = 6;

/// A rank of four. In µs behind 100,000 · step, and `late` behind that:
///
/// ```text
/// stream 7    [gemm 100 .................. 1100 + 100 · step)
/// stream 20           [reduce 1000 + 10 · rank .............. 2000)
/// ```
/// Its clock is `ahead` before the others.
fn rank_in(folder: &Path, rank: u32, ahead: u32) -> PathBuf {
    let mut events = Vec::new();
    let mut event = |cat: &str, name: &str, ts: u32, dur: u32, rest: &str| {
        let ts = 1_700_000_000_000_000_u64 + u64::from(ts + ahead);
        events.push(format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","ts":{ts},"dur":{dur},{rest}}}"#
        ));
    };
    let host = r#""pid":77,"tid":1"#;
    for step in 0..STEPS {
        // The last rank came into the capture a step later.
        if rank == 2 && step == 0 {
            continue;
        }
        let at = 100_000 + 3_000 * step;
        event(
            "user_annotation",
            &format!("ProfilerStep#{step}"),
            at,
            2_900,
            host,
        );
        for (n, stream, name, from, to, more) in [
            (0, 7, "gemm", 100, 1_100 + 100 * step, String::new()),
            (
                1,
                20,
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                1_000 + 10 * rank,
                2_000,
                format!(
                    r#","Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1, 2, 3]","In msg nelems":64,"Out msg nelems":64,"dtype":"Float","Seq":{step}"#
                ),
            ),
        ] {
            let correlation = 2 * step + n + 1;
            let launch = format!(r#"{host},"args":{{"correlation":{correlation}}}"#);
            event("cuda_runtime", "cudaLaunchKernel", at + 10 + n, 1, &launch);
            let args = format!(
                r#""pid":0,"tid":{stream},"args":{{"device":0,"stream":{stream},"correlation":{correlation}{more}}}"#
            );
            event("kernel", name, at + from, to - from, &args);
        }
    }
    let mut text = String::new();
    write!(
        text,
        r#"{{"distributedInfo":{{"rank":{rank},"world_size":4}},"traceEvents":[{}]}}"#,
        events.join(",")
    )
    .unwrap();
    let path = folder.join(format!("rank-{rank}.json"));
    std::fs::write(&path, text).unwrap();
    path
}

fn opened(settings: &str) -> (Window, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (rank, ahead) in [(0, 0), (1, 250), (2, 0)] {
        rank_in(folder.path(), rank, ahead);
    }
    let mut window = Start {
        paths: vec![folder.path().to_owned()],
        settings: Some(settings.to_owned()),
        size: [1280.0, 800.0],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    for section in ["Breakdown", "Overlap", "Streams", "All devices"] {
        click(&mut window, section);
    }
    (window, folder)
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn click(window: &mut Window, name: &str) {
    window
        .harness
        .get_by_role_and_label(Role::Button, name)
        .click();
    window.settle();
}

fn says(window: &Window, part: &str) -> bool {
    window.harness.query_by_label_contains(part).is_some()
}

fn row(window: &Window, rank: u32) -> String {
    let name = format!("Figures of rank {rank}");
    let node = window.harness.get_by_role_and_label(Role::Button, &name);
    node.value().unwrap_or_default()
}

fn order(window: &Window) -> Vec<u32> {
    let rows = session(window).shown_ranks();
    rows.iter().map(|r| r.rank.0).collect()
}

/// The map by what it shows.
fn map(window: &Window, figure: &str) -> Rect {
    let name = format!("Ranks by steps: {figure}");
    window
        .harness
        .get_by_role_and_label(Role::Image, &name)
        .rect()
}

/// The middle of a cell: behind the numbers of the ranks the cells share the width.
#[expect(clippy::cast_precision_loss, reason = "a few cells")]
fn cell_at(map: Rect, device: usize, step: usize) -> Pos2 {
    let width = (map.width() - 44.0) / STEPS as f32;
    let height = map.height() / 3.0;
    let x = map.left() + 44.0 + width * (step as f32 + 0.5);
    pos2(x, map.top() + height * (device as f32 + 0.5))
}

fn press_at(window: &mut Window, at: Pos2) {
    window.harness.hover_at(at);
    window.harness.step();
    for pressed in [true, false] {
        window.harness.event(egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
        window.harness.step();
    }
    window.settle();
}

#[test]
fn one_rank_alone_has_no_panel_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(folder.path())],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    let found = window
        .harness
        .query_by_role_and_label(Role::Button, "Ranks");
    assert!(found.is_none());
}

#[test]
fn ranks_stand_side_by_side_and_a_click_shows_one() {
    let (mut window, _folder) = opened("{}");
    window.picture("ranks_dark");
    assert!(says(&window, "not open of this job: ranks 3 of 4"));
    // Exposed in step n: from 1100 + 100 n to 2000, so 900 + 800 + 700 + 600 + 500 + 400.
    let first = row(&window, 0);
    assert!(first.starts_with("exposed 3900.000 µs"), "{first}");
    assert!(first.ends_with("clock 0.000 µs, most exposed"), "{first}");
    let second = row(&window, 1);
    assert!(second.contains("clock 250.000 µs"), "{second}");
    let third = row(&window, 2);
    assert!(third.starts_with("exposed 3000.000 µs"), "{third}");
    assert!(third.ends_with("least exposed"), "{third}");
    assert_eq!(order(&window), [0, 1, 2]);
    click(&mut window, "Sort ranks by exp. comm µs");
    assert_eq!(
        order(&window),
        [0, 1, 2],
        "the largest first, equals by number"
    );
    click(&mut window, "Sort ranks by exp. comm µs");
    assert_eq!(order(&window), [2, 0, 1]);
    // The row is wider than the panel, so its middle is not on screen.
    let name = "Figures of rank 2";
    let row_area = window
        .harness
        .get_by_role_and_label(Role::Button, name)
        .rect();
    press_at(&mut window, row_area.left_center() + egui::vec2(40.0, 0.0));
    let lane = LaneKey::Device(RankId(2), DeviceId(0));
    assert!(session(&window).lanes.is_open(lane));
    let focused = session(&window).focused().map(|(r, d)| (r.id, d.id));
    assert_eq!(focused, Some((RankId(2), DeviceId(0))));
    // What is exported is the table in its order.
    let csv = session(&window).csv(CsvPanel::Ranks);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("rank,file,world_size"), "{csv}");
    assert!(lines[1].starts_with("2,rank-2.json,4"), "{csv}");
    assert_eq!(lines.len(), 4);
    click(&mut window, "Copy (Ranks)");
    assert!(says(&window, "copied as CSV"));
}

#[test]
fn the_map_shows_a_figure_and_a_click_makes_a_step_the_window() {
    let (mut window, _folder) = opened(r#"{"theme":"light"}"#);
    // A device step runs from its first product to the next one: 3000, the last one 1900.
    assert!(says(&window, "Scale from 1900.000 µs to 3000.000 µs"));
    click(&mut window, "exposed communication");
    assert!(says(&window, "Scale from 400.000 µs to 900.000 µs"));
    let area = map(&window, "exposed communication");
    let at = cell_at(area, 1, 2);
    press_at(&mut window, at);
    let now = session(&window);
    let focused = now.focused().map(|(r, d)| (r.id, d.id));
    assert_eq!(focused, Some((RankId(1), DeviceId(0))));
    assert_eq!(now.current_step.unwrap().to_string(), "2");
    let zero = 1_700_000_000_000_000_000 + 250_000;
    let start = now.window.unwrap().start().0 - zero;
    assert_eq!(start, 106_100_000);
    window.picture("ranks_light");
    // Rank 2 has no step 0: nothing happens.
    let at = cell_at(area, 2, 0);
    press_at(&mut window, at);
    assert_eq!(session(&window).current_step.unwrap().to_string(), "2");
    click(&mut window, "hidden %");
    let area = map(&window, "hidden %");
    window.harness.hover_at(cell_at(area, 0, 5));
    window.harness.run_steps(60);
    // Of 1000 are hidden 600.
    assert!(says(&window, "Rank 0, GPU 0, step 5"), "the hover names it");
    assert!(says(&window, "hidden %: 60.0000 %"));
}

fn act(window: &mut Window, action: Action) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().act(&ctx, action);
    window.settle();
}

fn checkbox(window: &mut Window, name: &str) {
    window
        .harness
        .get_by_role_and_label(Role::CheckBox, name)
        .click();
    window.settle();
}

fn type_into(window: &mut Window, field: &str, text: &str) {
    window
        .harness
        .get_by_role_and_label(Role::TextInput, field)
        .focus();
    window.settle();
    window
        .harness
        .key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.settle();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, field)
        .type_text(text);
    window.settle();
}

fn until_load(window: &mut Window, generation: u64) {
    window.until("the trace is there again", |w| {
        session(w).generation == generation
    });
}

#[test]
fn a_switch_aligns_ranks_and_the_window_says_so() {
    let (mut window, _folder) = opened("{}");
    let start = 1_700_000_000_000_000_000;
    let chosen = overlane::time::Window::new(
        overlane::time::Ns(start + 104_000_000),
        overlane::time::Ns(start + 108_000_000),
    );
    act(&mut window, Action::SetWindow { window: chosen });
    checkbox(&mut window, "Align by collectives");
    until_load(&mut window, 2);
    assert_eq!(session(&window).options.align, AlignBy::Collectives);
    assert_eq!(session(&window).window, Some(chosen), "it stays");
    assert!(row(&window, 1).contains("moved -250.000 µs, clock 0.000 µs"));
    assert!(row(&window, 2).contains("moved 0.000 µs, clock 0.000 µs"));
    assert!(says(&window, "Clocks: ranks 1-2 aligned by collectives"));
    window.picture("ranks_aligned_dark");
    checkbox(&mut window, "Align by collectives");
    until_load(&mut window, 3);
    assert!(!says(&window, "Clocks:"));
    assert!(row(&window, 1).contains("clock 250.000 µs"));
    assert!(!row(&window, 1).contains("moved"));
}

#[test]
fn a_rank_is_moved_by_hand_and_a_session_brings_that_back() {
    let (mut window, folder) = opened(r#"{"theme":"light"}"#);
    let area = window
        .harness
        .get_by_role_and_label(Role::Button, "Figures of rank 2")
        .rect();
    press_at(&mut window, area.left_center() + egui::vec2(40.0, 0.0));
    type_into(&mut window, "Shift of the rank", "-12");
    assert!(says(&window, "the shift '-12' has no unit"));
    window.picture("ranks_shift_trouble_light");
    type_into(&mut window, "Shift of the rank", "-12.5us");
    click(&mut window, "Move");
    until_load(&mut window, 2);
    assert!(row(&window, 2).contains("moved -12.500 µs, clock -12.500 µs"));
    assert!(says(&window, "Clocks: rank 2 moved as asked for"));
    assert!(
        session(&window)
            .lanes
            .is_open(LaneKey::Device(RankId(2), DeviceId(0)))
    );
    // Beside the switch it stays, and a session has both.
    checkbox(&mut window, "Align by collectives");
    until_load(&mut window, 3);
    let both = "Clocks: rank 1 aligned by collectives · rank 2 moved as asked for";
    assert!(says(&window, both));
    window.picture("ranks_moved_light");
    let file = folder.path().join("mine.overlane");
    *window.answers.save.lock().unwrap() = Some(vec![file.clone()]);
    act(&mut window, Action::SaveSession);
    window.until("it is written", |_| file.exists());
    let options = session(&window).options.clone();
    let mut again = Start {
        paths: vec![file],
        ..Start::default()
    }
    .open();
    again.until_loaded();
    assert_eq!(session(&again).options, options);
    assert!(says(&again, both));
    // An empty field takes the shift back, and Enter is as good as the button.
    type_into(&mut window, "Shift of the rank", " ");
    window.harness.key_press(egui::Key::Enter);
    until_load(&mut window, 4);
    assert!(says(&window, "Clocks: ranks 1-2 aligned by collectives"));
}
