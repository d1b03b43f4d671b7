//! The compatibility switch of the Breakdown panel.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::Role;
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};
use overlane::metrics::Tool;
use overlane::session::Session;

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

#[test]
fn figures_of_another_tool_stand_beside_ours_until_it_is_clicked_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = Start {
        paths: vec![sample_in(dir.path())],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    assert!(session(&window).shown_compat().is_none());
    let click = |window: &mut Window, name: &str| {
        window
            .harness
            .get_by_role_and_label(Role::Button, name)
            .click();
        window.settle();
    };
    click(&mut window, "HTA");
    window.picture("compat_dark");
    assert_eq!(session(&window).compat.tool, Some(Tool::Hta));
    // The last of two steps is dropped there, so less was computed: two gemms of 100, and one that
    // the first step launched.
    let rows = session(&window).shown_compat().unwrap();
    let compute = rows.iter().find(|r| r.figure == "compute_time").unwrap();
    assert!(
        compute.delta().is_some_and(|delta| delta < 0),
        "{compute:?}"
    );
    assert!(
        window
            .harness
            .query_by_label("comp_comm_overlap_pctg")
            .is_some()
    );
    click(&mut window, "TraceLens");
    let rows = session(&window).shown_compat().unwrap();
    // Nothing in the sample is told otherwise.
    assert!(rows.iter().all(|r| r.delta() == Some(0)), "{rows:?}");
    click(&mut window, "TraceLens");
    assert_eq!(session(&window).compat.tool, None);
}
