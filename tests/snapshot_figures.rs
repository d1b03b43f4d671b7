//! Figures of allocator snapshots: samples with answers worked out by hand,
//! histories against a replay that keeps everything, and the command line.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::too_many_lines,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/allocator.rs"]
mod allocator;
#[path = "support/pickles.rs"]
mod pickles;

use allocator::{MIB, request};
use overlane::ingest::{Cancel, Progress};
use overlane::snapshot::{
    BlockState, CallSites, Fit, FrameTree, GroupBy, History, NoteKind, OomReason, Pool, PoolSize,
    Snapshot, State, Totals, explain, group, largest_requests, open, read,
};
use overlane::time::{Ns, Window};
use pickles::{Any, Writer};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn sample(name: &str) -> Snapshot {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_traces");
    open(&folder.join(name), &Progress::default(), &Cancel::default()).unwrap()
}

#[test]
fn the_fragmented_sample_is_as_worked_out_by_hand() {
    let snapshot = sample("snapshot_fragmented.pickle");
    assert_eq!(snapshot.notes.all(), []);
    let device = &snapshot.devices[0];
    let layout = snapshot.layout(device);
    let totals = Totals::of(layout);
    assert_eq!(totals.reserved, 152 * MIB);
    assert_eq!(totals.allocated, 61 * MIB);
    assert_eq!(totals.inactive_split, 61 * MIB);
    assert_eq!(totals.releasable, 30 * MIB);
    assert_eq!(totals.free, 91 * MIB);
    assert_eq!((totals.segments, totals.free_segments), (3, 1));
    let settings = &snapshot.settings;
    let fit = |bytes| request(bytes).fit(layout, settings, Some(8 * MIB));
    let Fit::CachedBlock { block, address, .. } = fit(12 * MIB) else {
        panic!("{:?}", fit(12 * MIB));
    };
    assert_eq!(snapshot.blocks[block].state, BlockState::Free);
    let lowest = snapshot
        .blocks
        .iter()
        .filter(|b| b.state == BlockState::Free && b.size == 12 * MIB);
    assert_eq!(lowest.map(|b| b.address).min(), Some(address));
    assert_eq!(
        fit(20 * MIB),
        Fit::AfterReleasing {
            segments: 1,
            bytes: 30 * MIB,
            size: 20 * MIB
        }
    );
    assert_eq!(fit(40 * MIB), Fit::No { short_by: 2 * MIB });
    assert_eq!(
        request(40 * MIB).fit(layout, settings, None),
        Fit::CannotTell {
            size: 40 * MIB,
            releasable: 30 * MIB
        }
    );
    let split = request(20 * MIB).fragmentation(layout, settings);
    assert_eq!(split.serving, 0);
    assert_eq!(split.too_small, 60 * MIB);
    assert_eq!(split.other_stream, 30 * MIB);
    assert_eq!(split.other_size, MIB);
    assert_eq!(split.unusable(), 91 * MIB);
    let largest = largest_requests(layout, settings);
    let large = Pool {
        size: PoolSize::Large,
        ..Pool::default()
    };
    assert_eq!(largest[&large], 12 * MIB);
    let history = History::new(&snapshot, device);
    let oom = explain(&snapshot, device, &history, None);
    assert_eq!(oom.len(), 1);
    assert_eq!(oom[0].reason, OomReason::Fragmented);
    assert_eq!((oom[0].block, oom[0].device_free), (40 * MIB, 38 * MIB));
    assert_eq!(oom[0].totals.allocated, 61 * MIB);
    assert_eq!(oom[0].totals.free, 61 * MIB);
    assert!(!oom[0].reason.advice(settings).is_empty());
}

#[test]
fn the_leaking_sample_is_as_worked_out_by_hand() {
    let snapshot = sample("snapshot_leaking.pickle");
    let device = &snapshot.devices[0];
    let history = History::new(&snapshot, device);
    assert_eq!(history.baseline, 96 * MIB);
    assert_eq!(history.notes.get(NoteKind::Contradiction), None);
    let note = history.notes.get(NoteKind::StartsInTheMiddle).unwrap();
    assert_eq!(note.count, 96 * MIB);
    let extent = history.extent.unwrap();
    let whole = Window::new(extent.start(), Ns(extent.end().0 + 1));
    let bytes = |mib: u64| i64::try_from(mib * MIB).unwrap();
    let extremes = history.requested.extremes(whole).unwrap();
    assert_eq!(extremes.min.bytes, bytes(96));
    assert_eq!(extremes.max.bytes, bytes(224));
    assert_eq!(history.requested.value_at(extent.end()), Some(bytes(128)));
    assert_eq!(history.reserved.value_at(extent.end()), Some(bytes(232)));
    assert_eq!(Totals::of(snapshot.layout(device)).reserved, 232 * MIB);
    let sites = CallSites::new(&snapshot);
    let alive = history.alive_after(device.events.until(extent.end()));
    let added = alive.iter().filter(|a| a.alloc_event().is_some());
    let groups = group(&sites, GroupBy::Site, added.map(|a| (a.stack, a.size)));
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].bytes, groups[0].count), (32 * MIB, 8));
    let frame = snapshot.frames.get(groups[0].frame.unwrap()).unwrap();
    assert_eq!(snapshot.texts.get(frame.name), "keep_hidden");
    assert_eq!(frame.line, 42);
    let tree = FrameTree::new(
        &snapshot,
        &sites,
        true,
        alive.iter().map(|a| (a.stack, a.size)),
    );
    assert_eq!((tree.nodes[0].bytes, tree.nodes[0].count), (128 * MIB, 12));
    for node in &tree.nodes {
        let below: u64 = node.children.iter().map(|c| tree.nodes[*c].bytes).sum();
        assert!(below <= node.bytes);
    }
}

#[test]
fn real_histories_end_at_the_snapshot() {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        Into::into,
    );
    let Ok(entries) = std::fs::read_dir(folder.join("memory")) else {
        println!("skipped: no real snapshots");
        return;
    };
    for path in entries.map(|e| e.unwrap().path()) {
        let snapshot = open(&path, &Progress::default(), &Cancel::default()).unwrap();
        for device in &snapshot.devices {
            let history = History::new(&snapshot, device);
            let totals = Totals::of(snapshot.layout(device));
            let name = path.display();
            assert_eq!(history.notes.get(NoteKind::Contradiction), None, "{name}");
            let end = history.extent.unwrap().end();
            let requested = i64::try_from(totals.requested).unwrap();
            assert_eq!(history.requested.value_at(end), Some(requested), "{name}");
            let alive: u64 = history
                .alive_after(device.events.until(end))
                .iter()
                .map(|a| a.size)
                .sum();
            assert_eq!(alive, totals.requested, "{name}");
            let start: u64 = history.alive_after(0).iter().map(|a| a.size).sum();
            assert_eq!(start, history.baseline, "{name}");
            let state = State::after(&snapshot, device, &history, device.events.len());
            let replayed = Totals::of(state.layout());
            assert_eq!(replayed.reserved, totals.reserved, "{name}");
            assert_eq!(replayed.allocated, totals.allocated, "{name}");
            assert_eq!(replayed.free, totals.free, "{name}");
            assert_eq!(state.notes.all(), [], "{name}");
            for events in [0, device.events.len() / 3, device.events.len() / 2] {
                let state = State::after(&snapshot, device, &history, events);
                let at = Totals::of(state.layout());
                assert_eq!(
                    at.allocated + at.awaiting_free + at.free,
                    at.reserved,
                    "{name}"
                );
            }
        }
    }
}

const SLOT: u64 = 4_096;
const BASE: u64 = 1 << 40;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    Free,
    Held(u64),
    Awaiting(u64),
}

/// Plays steps on eight slots; an event's action, slot and size each.
fn play(slots: &mut [Slot; 8], steps: &[(usize, u64)]) -> Vec<(&'static str, usize, u64)> {
    steps
        .iter()
        .map(|(slot, size)| {
            let (to, action, size) = match slots[*slot] {
                Slot::Free => (Slot::Held(*size), "alloc", *size),
                Slot::Held(size) => (Slot::Awaiting(size), "free_requested", size),
                Slot::Awaiting(size) => (Slot::Free, "free_completed", size),
            };
            slots[*slot] = to;
            (action, *slot, size)
        })
        .collect()
}

fn address(slot: usize) -> u64 {
    BASE + u64::try_from(slot).unwrap() * SLOT
}

fn written(slots: &[Slot; 8], events: &[(&str, usize, u64)]) -> Snapshot {
    let block = |slot: usize, state: &str, size: u64| {
        Any::dict(&[
            ("address", Any::Int(address(slot).into())),
            ("size", Any::Int(SLOT.into())),
            ("requested_size", Any::Int(size.into())),
            ("state", Any::text_of(state)),
        ])
    };
    let blocks = slots.iter().enumerate().map(|(slot, is)| match is {
        Slot::Free => block(slot, "inactive", 9),
        Slot::Held(size) => block(slot, "active_allocated", *size),
        Slot::Awaiting(size) => block(slot, "active_pending_free", *size),
    });
    let segment = Any::dict(&[
        ("address", Any::Int(BASE.into())),
        ("total_size", Any::Int((8 * SLOT).into())),
        ("segment_type", Any::text_of("small")),
        ("blocks", Any::List(blocks.collect())),
    ]);
    let trace = events
        .iter()
        .zip(0_i128..)
        .map(|((action, slot, size), time)| {
            Any::dict(&[
                ("action", Any::text_of(action)),
                ("addr", Any::Int(address(*slot).into())),
                ("size", Any::Int((*size).into())),
                ("stream", Any::Int(0)),
                ("time_us", Any::Int(time)),
            ])
        });
    let root = Any::dict(&[
        ("segments", Any::List(vec![segment])),
        ("device_traces", Any::List(vec![Any::List(trace.collect())])),
    ]);
    read("made", &*Writer::new(4).write(&root), &Cancel::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_history_is_what_a_replay_keeps(
        before in prop::collection::vec((0_usize..8, 3_585..=SLOT), 0..30),
        steps in prop::collection::vec((0_usize..8, 3_585..=SLOT), 1..80),
    ) {
        let mut slots = [Slot::Free; 8];
        play(&mut slots, &before);
        let at_start = slots;
        let events = play(&mut slots, &steps);
        let snapshot = written(&slots, &events);
        prop_assert_eq!(snapshot.notes.all(), []);
        let device = &snapshot.devices[0];
        let history = History::new(&snapshot, device);
        prop_assert_eq!(history.notes.get(NoteKind::Contradiction), None);
        let mut now = at_start;
        for events in 0..=steps.len() {
            if events > 0 {
                play(&mut now, &steps[events - 1..events]);
            }
            let held: BTreeMap<u64, u64> = now.iter().enumerate().filter_map(|(slot, is)| match is {
                Slot::Held(size) => Some((address(slot), *size)),
                _ => None,
            }).collect();
            let alive = history.alive_after(events);
            let found: BTreeMap<u64, u64> = alive.iter().map(|a| (a.address, a.size)).collect();
            prop_assert_eq!(alive.len(), found.len());
            prop_assert_eq!(&found, &held);
            let sum: u64 = held.values().sum();
            if events == 0 {
                prop_assert_eq!(history.baseline, sum);
            } else {
                let at = Ns(i64::try_from(events - 1).unwrap() * 1_000);
                prop_assert_eq!(history.requested.value_at(at), Some(i64::try_from(sum).unwrap()));
                prop_assert_eq!(device.events.until(at), events);
            }
            let state = State::after(&snapshot, device, &history, events);
            prop_assert_eq!(state.notes.all(), []);
            let totals = Totals::of(state.layout());
            let count = |of: fn(&Slot) -> bool| u64::try_from(now.iter().filter(|s| of(s)).count()).unwrap();
            prop_assert_eq!(totals.reserved, 8 * SLOT);
            prop_assert_eq!(totals.allocated, SLOT * count(|s| matches!(s, Slot::Held(_))));
            prop_assert_eq!(totals.awaiting_free, SLOT * count(|s| matches!(s, Slot::Awaiting(_))));
            prop_assert_eq!(totals.free, SLOT * count(|s| matches!(s, Slot::Free)));
        }
    }

    #[test]
    fn no_recording_stops_the_program(
        steps in prop::collection::vec((0_usize..10, 0_usize..8, any::<u64>(), any::<u64>()), 0..60),
        after in 0_usize..70,
    ) {
        const ACTIONS: [&str; 10] = [
            "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free",
            "segment_map", "segment_unmap", "snapshot", "oom", "other",
        ];
        let trace = steps.iter().map(|(action, slot, wild, size)| {
            let addr = if wild % 3 == 0 { *wild } else { address(*slot) };
            Any::dict(&[
                ("action", Any::text_of(ACTIONS[*action])),
                ("addr", Any::Int(addr.into())),
                ("size", Any::Int((*size).into())),
            ])
        });
        let segment = Any::dict(&[
            ("address", Any::Int(BASE.into())),
            ("total_size", Any::Int((8 * SLOT).into())),
            ("is_expandable", Any::Bool(true)),
            ("blocks", Any::List(Vec::new())),
        ]);
        let root = Any::dict(&[
            ("segments", Any::List(vec![segment])),
            ("device_traces", Any::List(vec![Any::List(trace.collect())])),
        ]);
        let snapshot = read("made", &*Writer::new(4).write(&root), &Cancel::default()).unwrap();
        let device = &snapshot.devices[0];
        let history = History::new(&snapshot, device);
        let state = State::after(&snapshot, device, &history, after);
        let ooms = explain(&snapshot, device, &history, Some(1));
        prop_assert!(ooms.len() <= steps.len());
        let totals = Totals::of(state.layout());
        prop_assert!(totals.largest_free <= totals.free);
        let bytes = u64::try_from(after).unwrap();
        let fit = request(bytes).fit(state.layout(), &snapshot.settings, None);
        prop_assert!(!matches!(fit, Fit::NewSegment { .. }), "nobody knows what the driver has");
    }
}

fn overlane(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_overlane"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_command_line_writes_every_table() {
    let sample = "sample_traces/snapshot_fragmented.pickle";
    for table in ["devices", "segments", "blocks", "sites", "events", "oom"] {
        for format in ["text", "csv", "json", "markdown"] {
            let (status, out, err) =
                overlane(&["snapshot", sample, "--table", table, "--format", format]);
            assert_eq!(status, 0, "{table}: {err}");
            assert!(out.lines().count() > 1, "{table}: {out}");
        }
    }
    let (_, out, _) = overlane(&["snapshot", sample, "--format", "csv"]);
    let mut lines = out.lines();
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("device,reserved_bytes,allocated_bytes,")
    );
    assert!(
        lines.next().unwrap().starts_with("0,159383552,63963136,"),
        "{out}"
    );
    let fit = [
        "snapshot",
        sample,
        "--table",
        "fit",
        "--request",
        "40MiB",
        "--free",
        "8MiB",
        "--format",
        "csv",
    ];
    let (_, out, _) = overlane(&fit);
    assert!(
        out.lines()
            .any(|l| l.starts_with("0,0,,41943040,41943040,large,no,,,,2097152,")),
        "{out}"
    );
    let (_, out, _) = overlane(&["snapshot", sample, "--table", "oom", "--format", "csv"]);
    assert!(out.contains(",fragmented,"), "{out}");
    let (status, _, err) = overlane(&["snapshot", sample, "--at", "0ms", "--table", "blocks"]);
    assert_eq!(status, 0, "{err}");
}

#[test]
fn the_command_line_says_what_does_not_go() {
    let sample = "sample_traces/snapshot_fragmented.pickle";
    for (arguments, words) in [
        (&["snapshot", sample, "--table", "fit"][..], "--request"),
        (&["snapshot", sample, "--request", "5MiB"], "--table fit"),
        (
            &["snapshot", sample, "--table", "oom", "--at", "1ms"],
            "--at",
        ),
        (&["snapshot", "sample_traces/serial_step.json"], "JSON"),
        (&["snapshot", "no/such/file"], "cannot be read"),
        (&["snapshot", "sample_traces"], "a folder"),
        (&["report", sample], "overlane snapshot"),
    ] {
        let (status, out, err) = overlane(arguments);
        assert_eq!((status, &*out), (2, ""), "{err}");
        assert!(err.contains(words), "{err}");
        assert_eq!(err.trim_end().lines().count(), 1, "{err}");
    }
}
