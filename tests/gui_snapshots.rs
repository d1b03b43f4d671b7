//! A few pictures of the whole window, compared with those under `tests/snapshots`.
//!
//! Tolerance: a pixel may differ by 1.5 in perceived colour (of the scale that the comparison uses,
//! where 0.6 is the default), and 100 of 1,024,000 pixels may differ more: software rasterisers of
//! other machines place the edges of glyphs a little differently. `UPDATE_SNAPSHOTS=1` writes them
//! anew. What changes from run to run (times, folders) is masked.

#![allow(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui_kittest::SnapshotOptions;
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};

fn compare(window: &mut Window, name: &str) {
    if let Some(took) = window.harness.query_by_label_contains("loaded in") {
        let rect = took.rect().expand(2.0);
        window.harness.mask(rect);
    }
    let options = SnapshotOptions::new().threshold(1.5).max_failed_pixels(100);
    window.harness.snapshot_options(name, &options);
}

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

#[test]
fn the_empty_state() {
    compare(&mut Start::default().open(), "empty");
}

#[test]
fn a_trace_in_the_dark() {
    let (mut window, _dir) = sample("{}");
    compare(&mut window, "sample_dark");
}

#[test]
fn a_step_in_the_light() {
    let (mut window, _dir) = sample(r#"{"theme":"light"}"#);
    window.harness.key_press(egui::Key::CloseBracket);
    window.settle();
    compare(&mut window, "step_light");
}
