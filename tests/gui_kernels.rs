//! The panel of kernels: figures, filter, order, and a click that goes to the next kernel.
//!
//! The figures are worked out by hand from the drawing at `gui_support::SAMPLE`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
#[path = "gui_support/job.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod job;

use egui::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use gui_support::{Start, Window, sample_in};
use overlane::session::{Action, CsvPanel, Session};
use overlane::time::{DurNs, Window as TimeWindow};

const GEMM: &str = "ampere_sgemm_128x64_tn";
const REDUCE: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
const GATHER: &str = "ncclDevKernel_AllGather_RING_LL";
const COPY: &str = "Memcpy HtoD (Pinned -> Device)";

/// The sample with only the section of kernels open, so that it is on screen.
fn sample(settings: &str) -> (Window, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        settings: Some(settings.to_owned()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    close_others(&mut window);
    (window, dir)
}

fn close_others(window: &mut Window) {
    for section in ["Breakdown", "Overlap", "Streams", "Steps", "Idle"] {
        let button = window.harness.get_by_role_and_label(Role::Button, section);
        button.click();
        window.settle();
    }
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn row(window: &Window, name: &str) -> Option<String> {
    let node = window.harness.query_by_role_and_label(Role::Button, name);
    node.map(|n| n.value().unwrap_or_default())
}

fn click(window: &mut Window, role: Role, name: &str) {
    window.harness.get_by_role_and_label(role, name).click();
    window.settle();
}

/// The groups from top to bottom.
fn order(window: &Window) -> Vec<String> {
    let shown = session(window).shown_kernels().unwrap();
    shown.rows.iter().map(|r| r.label.clone()).collect()
}

#[test]
fn rows_have_the_figures_of_the_window_and_follow_it() {
    let (mut window, _dir) = sample("{}");
    window.picture("kernels_dark");
    for (name, value) in [
        (GEMM, "4 kernels, 330.000 µs, 63.4615 %"),
        (REDUCE, "2 kernels, 100.000 µs, 19.2308 %"),
        (GATHER, "1 kernel, 80.000 µs, 15.3846 %"),
        (COPY, "1 kernel, 10.000 µs, 1.9231 %"),
    ] {
        assert_eq!(row(&window, name).as_deref(), Some(value), "{name}");
    }
    assert!(
        window
            .harness
            .query_by_label_contains("8 kernels in 4 groups, 520.000 µs in all")
            .is_some()
    );
    // From 80 to 250 µs behind the first kernel: 20 + 100 of gemms, 40 of the reduction, 10 of the gather.
    let start = session(&window).capture().unwrap().start();
    let asked = TimeWindow::new(start + DurNs(180_000), start + DurNs(350_000));
    let ctx = window.harness.ctx.clone();
    let action = Action::SetWindow { window: asked };
    window.harness.state_mut().act(&ctx, action);
    window.harness.step();
    for (name, value) in [
        (GEMM, Some("2 kernels, 120.000 µs, 70.5882 %")),
        (REDUCE, Some("1 kernel, 40.000 µs, 23.5294 %")),
        (GATHER, Some("1 kernel, 10.000 µs, 5.8824 %")),
        (COPY, None),
    ] {
        assert_eq!(row(&window, name).as_deref(), value, "{name}");
    }
    let csv = session(&window).csv(CsvPanel::Kernels);
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.contains(&format!(
        "0,0,name,{GEMM},computation,1180000,1350000,2,120.000"
    )));
}

#[test]
fn groups_are_filtered_and_a_wrong_filter_is_told() {
    let (mut window, _dir) = sample("{}");
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Filter kernels")
        .focus();
    window.harness.step();
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Filter kernels")
        .type_text("^nccl");
    window.settle();
    assert_eq!(order(&window), [REDUCE, GATHER]);
    // The share stays that of all kernels.
    assert_eq!(
        row(&window, REDUCE).as_deref(),
        Some("2 kernels, 100.000 µs, 19.2308 %")
    );
    assert_eq!(row(&window, GEMM), None);
    window
        .harness
        .get_by_role_and_label(Role::TextInput, "Filter kernels")
        .type_text("(");
    window.settle();
    window.picture("kernels_filter");
    let trouble = window
        .harness
        .query_by_label_contains("not a regular expression");
    assert!(trouble.is_some());
    assert_eq!(order(&window), [REDUCE, GATHER]);
    let ctx = window.harness.ctx.clone();
    let text = "nothing has this name".to_owned();
    let action = Action::FilterKernels { text };
    window.harness.state_mut().act(&ctx, action);
    window.settle();
    assert!(
        window
            .harness
            .query_by_label("No group matches the filter.")
            .is_some()
    );
}

#[test]
fn a_click_on_a_title_sorts_and_another_turns_round() {
    let (mut window, _dir) = sample("{}");
    assert_eq!(order(&window), [GEMM, REDUCE, GATHER, COPY]);
    click(&mut window, Role::Button, "Sort kernels by count");
    // Those of equal count stand by name, whichever way the counts go.
    assert_eq!(order(&window), [GEMM, REDUCE, COPY, GATHER]);
    let button = window
        .harness
        .get_by_role_and_label(Role::Button, "Sort kernels by count");
    assert_eq!(button.value().as_deref(), Some("descending"));
    click(&mut window, Role::Button, "Sort kernels by count");
    assert_eq!(order(&window), [COPY, GATHER, REDUCE, GEMM]);
    click(&mut window, Role::Button, "Sort kernels by name");
    assert_eq!(order(&window), [COPY, GEMM, GATHER, REDUCE]);
}

#[test]
fn a_click_on_a_row_goes_to_the_next_kernel_and_round() {
    let (mut window, _dir) = sample("{}");
    let origin = session(&window).capture().unwrap().start();
    let mut seen = Vec::new();
    for _ in 0..5 {
        let before = session(&window).selection;
        click(&mut window, Role::Button, GEMM);
        window.until("a kernel is found", |w| session(w).selection != before);
        let s = session(&window);
        let slice = s
            .trace
            .as_ref()
            .unwrap()
            .slice(s.selection.unwrap())
            .unwrap();
        seen.push((slice.start() - origin).0 / 1000 - 100);
        let shown = s.view.unwrap().visible(s.view_width);
        assert_eq!(shown.clip(slice.window()), Some(slice.window()));
    }
    assert_eq!(seen, [0, 150, 300, 420, 0]);
    window.picture("kernels_chosen");
    let chosen = window.harness.get_by_role_and_label(Role::Button, GEMM);
    assert_eq!(
        chosen.accesskit_node().toggled(),
        Some(egui::accesskit::Toggled::True)
    );
    assert_eq!(session(&window).reveal, None, "the lane was scrolled to");
}

#[test]
fn kernels_are_put_together_by_class_and_by_op() {
    let (mut window, _dir) = sample(r#"{"theme":"light"}"#);
    click(&mut window, Role::Button, "By class");
    assert_eq!(order(&window), ["computation", "communication", "memory"]);
    window.picture("kernels_light");
    assert_eq!(
        row(&window, "communication").as_deref(),
        Some("3 kernels, 180.000 µs, 34.6154 %")
    );
    click(&mut window, Role::Button, "By op");
    assert_eq!(order(&window), ["(no op)"]);
}

#[test]
fn a_job_of_long_names_fits() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: job::job_in(dir.path()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    close_others(&mut window);
    click(&mut window, Role::Button, "All devices");
    window.picture("kernels_job");
    assert!(order(&window).len() > 5);
}
