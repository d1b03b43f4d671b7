//! The panel of idle time: causes, lengths, and a click on a gap.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::Role;
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window};
use overlane::session::{Action, CsvPanel, Session};
use overlane::time::{DurNs, Window as TimeWindow};

/// ```text
/// host   [add .......60]       [sync 100....200][launch 205]   [launch 330]
/// gpu      (launch 10)[a 20-90]                       [b 230-300]     [c 340-350]
/// ```
/// in µs; stacks were recorded.
const IDLE: &str = r#"{"with_stack":1,"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":77,"tid":1,"ts":1000,"dur":60},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1010,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":77,"tid":1,"ts":1065,"dur":135,"args":{}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1205,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"cpu_op","name":"aten::slow","pid":77,"tid":1,"ts":1215,"dur":114},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1330,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1020,"dur":70,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":1230,"dur":70,"args":{"device":0,"stream":7,"correlation":2}},
{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":1340,"dur":10,"args":{"device":0,"stream":7,"correlation":3}}
]}"#;

fn open(settings: &str, text: &str) -> (Window, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("idle.json");
    std::fs::write(&path, text).unwrap();
    let mut window = Start {
        paths: vec![path],
        settings: Some(settings.to_owned()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    for section in ["Breakdown", "Overlap", "Streams"] {
        window
            .harness
            .get_by_role_and_label(Role::Button, section)
            .click();
        window.settle();
    }
    (window, dir)
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn has(window: &Window, words: &str) -> bool {
    window.harness.query_by_label(words).is_some()
}

#[test]
fn causes_are_those_of_the_window_and_a_gap_can_be_gone_to() {
    let (mut window, _dir) = open("{}", IDLE);
    window.picture("idle_dark");
    // 90 to 230 by the synchronisation, 300 to 340 by the op: 140 and 40 of 180.
    for cause in ["blocked in a sync", "host late"] {
        assert!(has(&window, cause), "{cause}");
    }
    // The longer one is of one magnitude alone, too.
    let shown = |words| window.harness.query_all_by_label(words).count();
    assert_eq!((shown("77.7778"), shown("22.2222")), (2, 2));
    assert_eq!((shown("140.000"), shown("40.000")), (2, 2));
    assert!(has(
        &window,
        "“host late” is inflated by the profiler: stacks were recorded"
    ));
    assert!(has(&window, "100 µs to 1 ms"));

    let gap = "host late: aten::slow";
    window
        .harness
        .get_by_role_and_label(Role::Button, gap)
        .click();
    window.settle();
    let start = session(&window).origin().unwrap();
    let wanted = TimeWindow::new(start + DurNs(300_000), start + DurNs(340_000));
    assert_eq!(session(&window).window, Some(wanted));
    let trace = session(&window).trace.clone().unwrap();
    let selected = trace.slice(session(&window).selection.unwrap()).unwrap();
    assert_eq!(trace.names.get(selected.name()), "c");
    // The panel follows: this gap is all there is.
    assert_eq!(window.harness.query_all_by_label("100.0000").count(), 2);
    let csv = session(&window).csv(CsvPanel::Idle);
    let late = csv.lines().find(|line| line.contains("host_late")).unwrap();
    assert!(
        late.contains(",1,40.000,100.0000,100.0000,40.000,stacks"),
        "{late}"
    );
}

#[test]
fn a_device_that_is_never_idle_says_so() {
    let (mut window, _dir) = open(r#"{"theme":"light"}"#, IDLE);
    window.picture("idle_light");
    let start = session(&window).origin().unwrap();
    let asked = TimeWindow::new(start + DurNs(30_000), start + DurNs(80_000));
    let ctx = window.harness.ctx.clone();
    window
        .harness
        .state_mut()
        .act(&ctx, Action::SetWindow { window: asked });
    window.settle();
    assert!(has(&window, "The device was never idle in this window."));
}
