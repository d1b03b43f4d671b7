//! Memory in the window: the allocator's lane, its values under the pointer, and the panel with its
//! figures, steps, the peak and the leak verdict.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    dead_code,
    unreachable_pub,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
#[path = "gui_support/pointer.rs"]
mod pointer;

use egui::{Modifiers, Role, pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use gui_support::{Start, Window, sample_in};
use overlane::session::{Action, CsvPanel, LaneAction};
use overlane::timeline::{LaneKey, MemoryLane};
use overlane::trace::{DeviceId, RankId};
use pointer::{drag, lane, release, screen, session, us, wheel};
use std::path::{Path, PathBuf};

const LANE: &str = "Allocator, rank 0, GPU 0";

fn open(settings: &str, path: PathBuf) -> Window {
    let mut window = Start {
        paths: vec![path],
        settings: Some(settings.to_owned()),
        ..Start::default()
    }
    .open();
    window.until_loaded();
    // The panel of memory is the last but one: what stands above it is closed.
    for section in [
        "Breakdown",
        "Overlap",
        "Streams",
        "Steps",
        "Idle",
        "Kernels",
        "Collectives",
        "Memory",
    ] {
        let mut heads = window
            .harness
            .query_all_by_role_and_label(Role::Button, section);
        if let Some(head) = heads.next() {
            head.click();
        }
        drop(heads);
        window.settle();
    }
    window.until("all steps are looked at", |w| {
        says(w, "Leak or not") || says(w, "Nothing was recorded")
    });
    window
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample_traces")
        .join(name)
}

fn has(window: &Window, words: &str) -> bool {
    window.harness.query_all_by_label(words).next().is_some()
}

/// Scrolls the panel at the right to its end.
fn scroll_down(window: &mut Window) {
    wheel(
        window,
        pos2(1_100.0, 600.0),
        vec2(0.0, -2_000.0),
        Modifiers::NONE,
    );
    window.settle();
}

fn says(window: &Window, part: &str) -> bool {
    let mut found = window.harness.query_all_by_label_contains(part);
    found.next().is_some()
}

#[test]
fn figures_follow_the_window_and_the_peak_can_be_gone_to() {
    let mut window = open("{}", sample("memory_leak.json"));
    window.picture("memory_dark");
    // 512 MiB at the start, 8 MiB kept, the most 528 MiB.
    for words in ["512.00 MiB", "520.00 MiB", "8.00 MiB", "528.00 MiB"] {
        assert!(
            window.harness.query_all_by_label(words).count() > 0,
            "{words}"
        );
    }
    assert!(says(&window, "by aten::cat"));
    window.harness.get_by_label("What holds the peak").click();
    window.until("the blocks are followed", |w| {
        has(w, "aten::cat: 8.00 MiB in 8 blocks")
    });
    // At the peak of step 8: its workspace, and a block of every step.
    for words in [
        "aten::cat: 8.00 MiB in 8 blocks",
        "aten::empty: 8.00 MiB in 1 block",
        "from before the recording: 512.00 MiB",
    ] {
        assert!(has(&window, words), "{words}");
    }
    window.picture("memory_holders");
    // Step 1 alone: from its start to its end.
    let y = lane(&window, LANE);
    let (from, to) = (us(&window, -100), us(&window, 1_000));
    let start = us(&window, 20);
    let (from, to) = (screen(&window, from.max(start), y), screen(&window, to, y));
    drag(&mut window, from, to, Modifiers::ALT);
    release(&mut window, to);
    assert!(session(&window).window.is_some());
    assert!(has(&window, "521.00 MiB"));
    assert!(!has(&window, "528.00 MiB"));
    let before = session(&window).view.unwrap();
    window
        .harness
        .get_by_role_and_label(Role::Button, "Go to peak")
        .click();
    window.settle();
    let selected = session(&window).selection.unwrap();
    let trace = session(&window).trace.clone().unwrap();
    let op = trace.slice(selected).unwrap();
    assert_eq!(trace.names.get(op.name()), "aten::cat");
    assert!(session(&window).view.unwrap() != before);
    let csv = session(&window).csv(CsvPanel::MemorySteps);
    assert_eq!(csv.lines().count(), 9);
    let csv = session(&window).csv(CsvPanel::Memory);
    assert!(csv.lines().nth(1).unwrap().contains("aten::cat"), "{csv}");
}

#[test]
fn the_verdict_says_why_and_a_step_can_be_gone_to() {
    let mut window = open(r#"{"theme":"light"}"#, sample("memory_leak.json"));
    window.picture("memory_light");
    assert!(has(&window, "leak suspected"));
    assert!(says(&window, "1048576 bytes per step"));
    assert!(has(&window, "aten::cat: +5.00 MiB"));
    assert!(says(&window, "Reserved memory that is high is no leak"));
    scroll_down(&mut window);
    window.picture("memory_panel_light");
    window
        .harness
        .get_by_role_and_label(Role::Button, "Memory of step 3")
        .click();
    window.settle();
    let trace = session(&window).trace.clone().unwrap();
    let step = trace.ranks[0].host_steps[2].window;
    assert_eq!(session(&window).window, Some(step));
    let window = open("{}", sample("memory_level.json"));
    assert!(has(&window, "level") && !has(&window, "leak suspected"));
}

#[test]
fn the_value_under_the_pointer_is_shown_and_the_lane_can_be_hidden() {
    let mut window = open("{}", sample("memory_leak.json"));
    let y = lane(&window, LANE);
    // In step 1 between the workspace and the block that is kept: 520 of 1024 MiB.
    let at = screen(&window, us(&window, 320), y);
    window.harness.hover_at(at);
    for _ in 0..40 {
        window.harness.step();
    }
    window.picture("memory_hover");
    assert!(says(&window, "Allocated 8.00 MiB, aten::empty"));
    assert!(has(&window, "504.00 MiB"));
    assert!(has(&window, "0 B to 1.00 GiB, the most in view"));
    let key = LaneKey::Memory(RankId(0), MemoryLane::OfDevice(DeviceId(0)));
    let ctx = window.harness.ctx.clone();
    let hide = Action::Lane(LaneAction::Hide(key));
    window.harness.state_mut().act(&ctx, hide);
    window.settle();
    assert!(!has(&window, LANE));
}

#[test]
fn a_trace_without_events_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let path = sample_in(dir.path());
    let window = open("{}", path);
    assert!(says(&window, "record with profile_memory=True"));
    assert!(!has(&window, LANE));
}

/// Real traces to look at, where they are.
#[test]
fn real_traces_draw_their_memory() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces/kineto");
    if !folder.is_dir() {
        return;
    }
    for (name, file, theme) in [
        ("memory_a100", "a100_switch_moe_memory_python.json", "dark"),
        ("memory_mi300", "mi300_qwen1.5_0.5b_memory.json.gz", "light"),
        (
            "memory_old",
            "old_resnet50_workers0_memory.pt.trace.json.gz",
            "dark",
        ),
    ] {
        let settings = format!(r#"{{"theme":"{theme}"}}"#);
        let mut window = open(&settings, folder.join(file));
        window.picture(name);
        scroll_down(&mut window);
        window.picture(&format!("{name}_panel"));
        assert!(has(&window, "Memory of GPU 0"), "{file}");
    }
}
