//! From a kernel to its launch and op and back: links, keys, arrows.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;

use egui::{Key, Role};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window};
use overlane::session::{Action, Session};
use overlane::timeline::LaneKey;
use overlane::trace::{SliceId, SliceRef};

/// One op that launches two kernels, the second of which starts before its call.
const LINKED: &str = r#"{"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":77,"tid":1,"ts":1000,"dur":60},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1010,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":77,"tid":1,"ts":1050,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1030,"dur":10,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"bias","pid":0,"tid":7,"ts":1046,"dur":54,"args":{"device":0,"stream":7,"correlation":2}},
{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":77,"tid":1,"ts":1100,"dur":20}
]}"#;

fn open() -> (Window, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("linked.json");
    std::fs::write(&path, LINKED).unwrap();
    let mut window = Start {
        paths: vec![path],
        ..Start::default()
    }
    .open();
    window.until_loaded();
    (window, dir)
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn find(window: &Window, name: &str) -> SliceRef {
    let trace = session(window).trace.clone().unwrap();
    let rank = &trace.ranks[0];
    let mut all = rank.slices.range(0..rank.astray.start);
    let slice = all.find(|s| trace.names.get(s.name()) == name).unwrap();
    SliceRef {
        rank: rank.id,
        slice: SliceId(slice.id().0),
    }
}

fn act(window: &mut Window, action: Action) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().act(&ctx, action);
    window.settle();
}

fn press(window: &mut Window, key: Key) {
    window.harness.key_press(key);
    window.settle();
}

#[test]
fn keys_lead_from_kernel_to_launch_to_op_and_back() {
    let (mut window, _dir) = open();
    let slice = find(&window, "gemm");
    act(&mut window, Action::Select { slice });
    let selected = |window: &Window| session(window).selection;
    press(&mut window, Key::L);
    assert_eq!(selected(&window), Some(find(&window, "cudaLaunchKernel")));
    // Its lane was closed and is brought into view.
    let rank = session(&window).trace.as_ref().unwrap().ranks[0].id;
    assert!(session(&window).lanes.is_open(LaneKey::Threads(rank)));
    press(&mut window, Key::O);
    assert_eq!(selected(&window), Some(find(&window, "aten::linear")));
    press(&mut window, Key::L);
    assert_eq!(selected(&window), Some(find(&window, "gemm")));
    press(&mut window, Key::O);
    assert_eq!(selected(&window), Some(find(&window, "aten::linear")));
    press(&mut window, Key::O);
    assert!(
        window
            .harness
            .query_by_label_contains("no CPU op is around")
            .is_some()
    );
}

#[test]
fn an_op_says_what_a_clock_around_it_does_not_see() {
    let (mut window, _dir) = open();
    let slice = find(&window, "aten::linear");
    act(&mut window, Action::GoTo { slice });
    window.until("its work is counted", |w| session(w).launched.is_some());
    window.picture("links_op_dark");
    // Busy 1030-1040 and 1046-1100; the op returned at 1060.
    assert!(
        window
            .harness
            .query_by_label("busy 64.000 µs for 2 kernels")
            .is_some()
    );
    let clock = "60.000 µs on the host; the GPU was done 40.000 µs after it returned";
    assert!(window.harness.query_by_label(clock).is_some());
    window
        .harness
        .get_by_role_and_label(Role::Link, "gemm")
        .click();
    window.settle();
    assert_eq!(session(&window).selection, Some(find(&window, "gemm")));
    window.picture("links_kernel_dark");
    let slice = find(&window, "aten::empty");
    act(&mut window, Action::GoTo { slice });
    window.until("it was read", |w| {
        !matches!(session(w).details, overlane::session::Details::Reading(_))
    });
    assert_eq!(session(&window).launched, None);
}

#[test]
fn a_kernel_that_starts_before_its_call_stays_linked_and_is_flagged() {
    let (mut window, _dir) = open();
    let slice = find(&window, "bias");
    act(&mut window, Action::GoTo { slice });
    assert!(
        window
            .harness
            .query_by_label("starts 4.000 µs before its call")
            .is_some()
    );
    press(&mut window, Key::L);
    assert_eq!(
        session(&window).selection,
        Some(find(&window, "cudaLaunchKernelExC"))
    );
}
