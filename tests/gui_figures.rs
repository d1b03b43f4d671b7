//! Figures follow the window: brushing, steps, annotations, tables, details.

mod gui_support;

use gui_support::{Start, Window};

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

#[test]
fn pictures() {
    let (mut window, _dir) = sample();
    window.picture("sample");
}
