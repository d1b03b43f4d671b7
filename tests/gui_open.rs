//! Opening things: the invitation, dialogs, drops, errors, cancelling.

mod gui_support;

use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, sample_in};

#[test]
fn the_empty_state_invites_and_a_picked_file_opens() {
    let mut window = Start::default().open();
    window.picture("empty");
    let path = sample_in(window.dir.path());
    *window.answers.open.lock().unwrap() = Some(vec![path]);
    window.harness.get_by_label("Open traces…").click();
    window.until_loaded();
    window.picture("loaded");
}
