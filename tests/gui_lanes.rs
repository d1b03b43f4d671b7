//! The timeline: brushing, panning, zooming, selecting, steps, and what it looks like.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
#[path = "gui_support/job.rs"]
mod job;
#[path = "gui_support/pointer.rs"]
mod pointer;

use egui::{Modifiers, PointerButton, Role, pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};
use job::{big_job_in, job_in, odd_job_in};
use overlane::time::Window as TimeWindow;
use overlane::timeline::LaneKey;
use overlane::trace::RankId;
use pointer::{
    COMPUTE, canvas, close, drag, hold_with, lane, press, release, screen, session, time_at, us,
    wheel,
};
use std::path::{Path, PathBuf};

fn opened(
    paths: impl FnOnce(&Path) -> Vec<PathBuf>,
    settings: Option<&str>,
) -> (tempfile::TempDir, Window) {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: paths(dir.path()),
        settings: settings.map(str::to_owned),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    (dir, window)
}

#[test]
fn a_drag_brushes_exactly_what_it_covers() {
    let (_dir, mut w) = opened(|dir| vec![sample_in(dir)], None);
    let y = lane(&w, COMPUTE);
    let (from, to) = (screen(&w, us(&w, 270), y), screen(&w, us(&w, 445), y));
    let expected = (time_at(&w, from), time_at(&w, to));
    drag(&mut w, from, to, Modifiers::ALT);
    let during = session(&w).window.expect("the window follows the drag");
    release(&mut w, to);
    let window = session(&w).window.unwrap();
    assert_eq!(window, during);
    assert!(
        close(window.start(), expected.0, &w) && close(window.end(), expected.1, &w),
        "{window:?} {expected:?}"
    );
}

#[test]
fn brushed_edges_snap_to_kernels() {
    let (_dir, mut w) = opened(|dir| vec![sample_in(dir)], None);
    let y = lane(&w, COMPUTE);
    // Kernels of the sample start at 100 and 400 µs after the first kernel, which starts 100 µs
    // after the first event; three pixels beside them is near enough.
    let (begin, end) = (us(&w, 250), us(&w, 350));
    let from = screen(&w, begin, y) + vec2(3.0, 0.0);
    let to = screen(&w, end, y) - vec2(3.0, 0.0);
    drag(&mut w, from, to, Modifiers::NONE);
    release(&mut w, to);
    assert_eq!(session(&w).window, Some(TimeWindow::new(begin, end)));
}

#[test]
fn an_edge_of_the_window_can_be_moved() {
    let (_dir, mut w) = opened(|dir| vec![sample_in(dir)], None);
    let y = lane(&w, COMPUTE);
    let (a, b) = (screen(&w, us(&w, 270), y), screen(&w, us(&w, 445), y));
    drag(&mut w, a, b, Modifiers::ALT);
    release(&mut w, b);
    let before = session(&w).window.unwrap();
    let grab = screen(&w, before.end(), y) + vec2(3.0, 0.0);
    let to = screen(&w, us(&w, 520), y);
    drag(&mut w, grab, to, Modifiers::ALT);
    release(&mut w, to);
    let after = session(&w).window.unwrap();
    assert_eq!(after.start(), before.start());
    assert!(close(after.end(), time_at(&w, to), &w));
}

#[test]
fn escape_cancels_a_drag_and_nothing_else() {
    let (_dir, mut w) = opened(|dir| vec![sample_in(dir)], None);
    let y = lane(&w, COMPUTE);
    let (a, b) = (screen(&w, us(&w, 270), y), screen(&w, us(&w, 445), y));
    drag(&mut w, a, b, Modifiers::ALT);
    release(&mut w, b);
    let before = session(&w).window;
    assert!(before.is_some());
    let (a, b) = (screen(&w, us(&w, 120), y), screen(&w, us(&w, 180), y));
    drag(&mut w, a, b, Modifiers::ALT);
    assert_ne!(session(&w).window, before);
    w.harness.key_press(egui::Key::Escape);
    w.settle();
    assert_eq!(
        session(&w).window,
        before,
        "the window from before the drag is back"
    );
    let on = screen(&w, us(&w, 300), y);
    w.harness.hover_at(on);
    w.settle();
    assert_eq!(
        session(&w).window,
        before,
        "moving on with the button down changes nothing"
    );
    release(&mut w, on);
    assert_eq!(session(&w).window, before);
}

#[test]
fn shift_and_the_middle_button_pan() {
    for (modifiers, button) in [
        (Modifiers::SHIFT, PointerButton::Primary),
        (Modifiers::NONE, PointerButton::Middle),
    ] {
        let (_dir, mut w) = opened(|dir| vec![sample_in(dir)], None);
        let at = canvas(&w).center();
        wheel(&mut w, at, vec2(0.0, 200.0), Modifiers::COMMAND);
        let under = time_at(&w, at);
        hold_with(&mut w, at, at + vec2(-80.0, 0.0), modifiers, button);
        press(&w.harness, at + vec2(-80.0, 0.0), modifiers, button, false);
        w.settle();
        let now = time_at(&w, at + vec2(-80.0, 0.0));
        assert!(close(now, under, &w), "{modifiers:?}: {now:?} {under:?}");
        assert_eq!(session(&w).window, None);
    }
}

#[test]
fn ctrl_wheel_zooms_at_the_pointer_and_the_wheel_scrolls() {
    let (_dir, mut w) = opened(job_in, None);
    w.harness.set_size(vec2(1280.0, 420.0));
    w.settle();
    let at = canvas(&w).center() + vec2(77.0, 0.0);
    let (under, scale) = (time_at(&w, at), session(&w).view.unwrap().ns_per_px);
    wheel(&mut w, at, vec2(0.0, 300.0), Modifiers::COMMAND);
    let view = session(&w).view.unwrap();
    assert!(view.ns_per_px < scale / 2.0, "{} {scale}", view.ns_per_px);
    assert!(close(time_at(&w, at), under, &w));
    wheel(&mut w, at, vec2(0.0, -100.0), Modifiers::NONE);
    assert!(session(&w).scroll_y > 50.0, "{}", session(&w).scroll_y);
    assert_eq!(session(&w).view, Some(view));
}

#[test]
fn a_click_selects_and_a_click_beside_clears() {
    let (_dir, mut w) = opened(|dir| vec![sample_in(dir)], None);
    let y = lane(&w, COMPUTE);
    let click = |w: &mut Window, us_: i64| {
        let at = screen(w, us(w, us_), y);
        w.harness.hover_at(at);
        w.harness.step();
        press(
            &w.harness,
            at,
            Modifiers::NONE,
            PointerButton::Primary,
            true,
        );
        w.harness.step();
        release(w, at);
    };
    click(&mut w, 300);
    let selected = session(&w).selection.expect("the kernel is selected");
    let trace = session(&w).trace.clone().unwrap();
    assert_eq!(trace.slice(selected).unwrap().start(), us(&w, 250));
    w.harness.run_steps(30);
    click(&mut w, 225);
    assert_eq!(session(&w).selection, None);
}

#[test]
fn a_double_click_zooms_to_the_slice() {
    let (_dir, mut w) = opened(|dir| vec![sample_in(dir)], None);
    let at = screen(&w, us(&w, 300), lane(&w, COMPUTE));
    // A frame of the test lasts longer than the pause that a double click allows.
    w.harness
        .ctx
        .options_mut(|o| o.input_options.max_double_click_delay = 10.0);
    w.harness.hover_at(at);
    w.harness.step();
    for _ in 0..2 {
        press(
            &w.harness,
            at,
            Modifiers::NONE,
            PointerButton::Primary,
            true,
        );
        press(
            &w.harness,
            at,
            Modifiers::NONE,
            PointerButton::Primary,
            false,
        );
        w.harness.step();
    }
    w.settle();
    let shown = session(&w).view.unwrap().visible(session(&w).view_width);
    assert!(
        shown.start() < us(&w, 250) && shown.end() > us(&w, 350),
        "{shown:?}"
    );
    assert!(shown.len().0 < 200_000, "{shown:?}");
}

#[test]
fn a_step_becomes_the_window_and_groups_close() {
    let (_dir, mut w) = opened(job_in, None);
    w.harness.get_by_label("Step 2").click();
    w.settle();
    let step = session(&w).window.expect("the step is the window");
    assert!(
        w.harness
            .query_by_label("Stream 7, rank 1, GPU 0")
            .is_some()
    );
    w.harness.get_by_label("Collapse Rank 1").click();
    w.settle();
    assert!(
        w.harness
            .query_by_label("Stream 7, rank 1, GPU 0")
            .is_none()
    );
    assert!(!session(&w).lanes.is_open(LaneKey::Rank(RankId(1))));
    assert_eq!(session(&w).window, Some(step));
    w.harness
        .get_by_label("Expand CPU threads (1), rank 0")
        .click();
    w.settle();
    w.picture("lanes-step");
}

#[test]
fn the_overview_moves_the_view() {
    let (_dir, mut w) = opened(job_in, None);
    let at = canvas(&w).center();
    wheel(&mut w, at, vec2(0.0, 400.0), Modifiers::COMMAND);
    let strip = w
        .harness
        .get_by_role_and_label(Role::Canvas, "Overview")
        .rect();
    let shown = |w: &Window| session(w).view.unwrap().visible(session(w).view_width);
    let length = shown(&w).len().0;
    let target = pos2(strip.left() + strip.width() * 0.75, strip.center().y);
    w.harness.hover_at(target);
    w.harness.step();
    press(
        &w.harness,
        target,
        Modifiers::NONE,
        PointerButton::Primary,
        true,
    );
    w.harness.step();
    release(&mut w, target);
    let capture = session(&w).trace.as_ref().unwrap().capture().unwrap();
    let middle = shown(&w).start().0.midpoint(shown(&w).end().0);
    let wanted = capture.start().0 + capture.len().0 / 4 * 3;
    assert!(
        (middle - wanted).abs() < capture.len().0 / 100,
        "{middle} {wanted}"
    );
    assert!((shown(&w).len().0 - length).abs() < 10);
}

#[test]
fn the_marks_are_explained_and_named() {
    let (_dir, w) = opened(job_in, None);
    for label in [
        "Exposed communication",
        "Timeline",
        "Time ruler",
        "Overview",
    ] {
        assert!(
            w.harness.query_all_by_label(label).next().is_some(),
            "{label}"
        );
    }
}

#[test]
fn pictures() {
    for (name, settings) in [("dark", None), ("light", Some(r#"{"theme":"light"}"#))] {
        let (_dir, mut w) = opened(job_in, settings);
        w.picture(&format!("lanes-{name}"));
        let y = lane(&w, COMPUTE);
        let at = screen(&w, us(&w, 6_000), y);
        wheel(&mut w, at, vec2(0.0, 380.0), Modifiers::COMMAND);
        let (a, b) = (screen(&w, us(&w, 5_300), y), screen(&w, us(&w, 6_900), y));
        drag(&mut w, a, b, Modifiers::NONE);
        release(&mut w, b);
        let at = screen(
            &w,
            us(&w, 5_850),
            lane(&w, "Stream 20, rank 0, GPU 0") - 8.0,
        );
        w.harness.hover_at(at);
        w.harness.step();
        press(
            &w.harness,
            at,
            Modifiers::NONE,
            PointerButton::Primary,
            true,
        );
        w.harness.step();
        release(&mut w, at);
        w.harness.hover_at(at + vec2(2.0, 1.0));
        w.harness.run_steps(60);
        w.picture(&format!("lanes-brushed-{name}"));
    }
}

#[test]
fn of_many_ranks_the_first_are_open() {
    let (_dir, mut w) = opened(big_job_in, None);
    assert!(w.harness.query_by_label("Collapse Rank 1").is_some());
    assert!(w.harness.query_by_label("Collapse Rank 2").is_none());
    w.picture("lanes-ranks");
    let at = canvas(&w).center();
    wheel(&mut w, at, vec2(0.0, -2_000.0), Modifiers::NONE);
    assert!(w.harness.query_by_label("Expand Rank 11").is_some());
    w.picture("lanes-ranks-end");
}

#[test]
fn suspicious_kernels_are_marked() {
    let (_dir, mut w) = opened(odd_job_in, None);
    assert_eq!(
        session(&w).trace.as_ref().unwrap().ranks[0]
            .suspicious
            .len(),
        1
    );
    w.picture("lanes-odd");
}

#[test]
fn pictures_of_given_traces() {
    let Ok(list) = std::env::var("OVERLANE_PICTURE_TRACES") else {
        return;
    };
    let paths: Vec<PathBuf> = list.split(':').map(PathBuf::from).collect();
    let (_dir, mut w) = opened(move |_| paths, None);
    w.picture("given");
    let at = canvas(&w).center();
    wheel(&mut w, at, vec2(0.0, 900.0), Modifiers::COMMAND);
    w.picture("given-zoomed");
    wheel(&mut w, at, vec2(0.0, 900.0), Modifiers::COMMAND);
    w.picture("given-deep");
}
