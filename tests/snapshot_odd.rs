//! Snapshots that contradict themselves: what is believed, and what is said of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/allocator.rs"]
mod allocator;
#[path = "support/pickles.rs"]
mod pickles;

use allocator::{MIB, with_events};
use overlane::ingest::Cancel;
use overlane::snapshot::{
    CallSites, Clock, History, NoteKind, PoolSize, Snapshot, StackId, State, Totals, read,
};
use overlane::time::Ns;
use pickles::{Any, Writer};

const BASE: u64 = 1 << 40;

fn event(action: &str, addr: u64, size: u64, time: Option<i64>) -> Any {
    let mut pairs = vec![
        ("action", Any::text_of(action)),
        ("addr", Any::Int(addr.into())),
        ("size", Any::Int(size.into())),
        ("stream", Any::Int(0)),
    ];
    pairs.extend(time.map(|time| ("time_us", Any::Int(time.into()))));
    Any::dict(&pairs)
}

/// One segment of 2 MiB, its blocks each with bytes, requested bytes and state.
fn segment(blocks: &[(u64, u64, &str)]) -> Any {
    let mut next = BASE;
    let blocks = blocks.iter().map(|(size, requested, state)| {
        let block = Any::dict(&[
            ("address", Any::Int(next.into())),
            ("size", Any::Int((*size).into())),
            ("requested_size", Any::Int((*requested).into())),
            ("state", Any::text_of(state)),
        ]);
        next += size;
        block
    });
    let blocks = Any::List(blocks.collect());
    Any::dict(&[
        ("address", Any::Int(BASE.into())),
        ("total_size", Any::Int((2 * MIB).into())),
        ("segment_type", Any::text_of("small")),
        ("blocks", blocks),
    ])
}

fn history(snapshot: &Snapshot) -> History {
    History::new(snapshot, &snapshot.devices[0])
}

/// Bytes that are alive after each number of events.
fn alive(history: &History, events: usize) -> Vec<u64> {
    let sum = |events| history.alive_after(events).iter().map(|a| a.size).sum();
    (0..=events).map(sum).collect()
}

#[test]
fn what_has_no_block_ends_with_the_recording() {
    let snapshot = with_events(
        vec![segment(&[(2 * MIB, 0, "inactive")])],
        vec![
            event("alloc", BASE, 1_000, Some(1)),
            event("alloc", BASE + 1_024, 500, Some(2)),
            event("free_requested", BASE + 1_024, 500, Some(3)),
        ],
    );
    let history = history(&snapshot);
    assert_eq!(alive(&history, 3), [0, 1_000, 1_500, 0]);
    assert_eq!(history.baseline, 0);
    assert_eq!(history.requested.value_at(Ns(2_000)), Some(1_500));
    assert_eq!(history.requested.value_at(Ns(3_000)), Some(0));
    // The first, and the second that is still awaited.
    assert_eq!(history.notes.get(NoteKind::Contradiction).unwrap().count, 2);
    let end = State::after(&snapshot, &snapshot.devices[0], &history, 3);
    assert_eq!(
        Totals::of(end.layout()),
        Totals::of(snapshot.layout(&snapshot.devices[0]))
    );
}

#[test]
fn states_and_sizes_are_those_of_the_blocks() {
    let snapshot = with_events(
        vec![segment(&[
            (512, 100, "active_pending_free"),
            (512, 200, "active_allocated"),
            (512, 300, "active_allocated"),
            (2 * MIB - 1_536, 0, "inactive"),
        ])],
        vec![
            event("alloc", BASE, 100, Some(1)),
            event("alloc", BASE + 512, 200, Some(2)),
            event("free_requested", BASE + 512, 200, Some(3)),
            event("alloc", BASE + 1_024, 250, Some(4)),
            event("snapshot", 0, 0, Some(5)),
        ],
    );
    let history = history(&snapshot);
    // The first is given back with the last event, the second never was, the third has 300 bytes.
    assert_eq!(alive(&history, 5), [0, 100, 300, 300, 600, 500]);
    assert_eq!(history.baseline, 0);
    for (us, bytes) in [(1, 100), (2, 300), (3, 300), (4, 600), (5, 500)] {
        assert_eq!(
            history.requested.value_at(Ns(us * 1_000)),
            Some(bytes),
            "{us}"
        );
    }
    let device = &snapshot.devices[0];
    let end = State::after(&snapshot, device, &history, 5);
    assert_eq!(
        Totals::of(end.layout()),
        Totals::of(snapshot.layout(device))
    );
}

#[test]
fn a_missing_and_a_wild_time_move_no_others() {
    let times = [Some(10), None, Some(900), Some(12), Some(13)];
    let events = times
        .iter()
        .map(|time| event("snapshot", 0, 0, *time))
        .collect();
    let snapshot = with_events(Vec::new(), events);
    let device = &snapshot.devices[0];
    assert_eq!(device.events.clock, Clock::Epoch);
    let us: Vec<i64> = device
        .events
        .times()
        .iter()
        .map(|time| time.0 / 1_000)
        .collect();
    assert_eq!(us, [10, 10, 10, 12, 13]);
    let note = |kind| snapshot.notes.get(kind).unwrap();
    assert_eq!(note(NoteKind::NoTimes).count, 1);
    let odd = note(NoteKind::TimesOutOfOrder);
    assert_eq!((odd.count, &*odd.first), (1, "event 2 of device 0"));
    // The last instant is inside.
    let extent = history(&snapshot).extent.unwrap();
    assert!(extent.contains(Ns(13_000)));
    assert!(!extent.contains(Ns(13_001)));
}

#[test]
fn an_unknown_kind_of_segment_is_told_by_its_size() {
    let of = |bytes: u64| {
        Any::dict(&[
            ("address", Any::Int((BASE + bytes * 16).into())),
            ("total_size", Any::Int(bytes.into())),
            ("segment_type", Any::text_of("medium")),
            (
                "blocks",
                Any::List(vec![Any::dict(&[
                    ("size", Any::Int(bytes.into())),
                    ("state", Any::text_of("inactive")),
                ])]),
            ),
        ])
    };
    let snapshot = with_events(vec![of(2 * MIB), of(20 * MIB)], Vec::new());
    let sizes: Vec<PoolSize> = snapshot.segments.iter().map(|s| s.pool.size).collect();
    assert_eq!(sizes, [PoolSize::Small, PoolSize::Large]);
    assert_eq!(
        snapshot
            .notes
            .get(NoteKind::UnknownSegmentType)
            .unwrap()
            .count,
        2
    );
}

#[test]
fn segments_are_compared_with_the_furthest_end() {
    let of = |address: u64, bytes: u64| {
        Any::dict(&[
            ("address", Any::Int(address.into())),
            ("total_size", Any::Int(bytes.into())),
            ("segment_type", Any::text_of("large")),
            (
                "blocks",
                Any::List(vec![Any::dict(&[
                    ("size", Any::Int(bytes.into())),
                    ("state", Any::text_of("inactive")),
                ])]),
            ),
        ])
    };
    // The third lies in the first, behind the end of the second.
    let segments = vec![
        of(BASE, 100 * MIB),
        of(BASE + MIB, MIB),
        of(BASE + 50 * MIB, MIB),
    ];
    let snapshot = with_events(segments, Vec::new());
    assert_eq!(snapshot.notes.get(NoteKind::Tiling).unwrap().count, 2);
}

fn frame(name: &str, file: &str) -> Any {
    Any::dict(&[
        ("name", Any::text_of(name)),
        ("filename", Any::text_of(file)),
        ("line", Any::Int(1)),
    ])
}

fn with_stack(frames: Vec<Any>) -> Snapshot {
    let event = Any::dict(&[
        ("action", Any::text_of("alloc")),
        ("addr", Any::Int(BASE.into())),
        ("size", Any::Int(512)),
        ("time_us", Any::Int(1)),
        ("frames", Any::List(frames)),
    ]);
    with_events(Vec::new(), vec![event])
}

#[test]
fn a_folder_called_torch_may_be_the_programs() {
    for (inner, is_program) in [
        (
            "/usr/lib/python3/site-packages/torch/nn/modules/linear.py",
            false,
        ),
        ("/usr/lib/python3/dist-packages/torch/anything.py", false),
        ("/src/pytorch/torch/optim/adam.py", false),
        ("C:\\Lib\\site-packages\\torch\\x.py", false),
        ("/tmp/torchinductor_me/ab/cdef.py", false),
        ("/home/me/torch/train.py", true),
        ("/home/me/torchtitan/train.py", true),
    ] {
        let snapshot = with_stack(vec![
            frame("inner", inner),
            frame("outer", "/home/me/run.py"),
        ]);
        let stack = snapshot.devices[0].events.get(0).unwrap().stack;
        let site = CallSites::new(&snapshot).get(stack).unwrap();
        let name = snapshot.texts.get(snapshot.frames.get(site).unwrap().name);
        assert_eq!(name, if is_program { "inner" } else { "outer" }, "{inner}");
    }
}

#[test]
fn very_deep_stacks_keep_their_inner_frames() {
    let mut frames = vec![frame("inner", "a.py")];
    frames.resize(10_001, frame("again", "a.py"));
    let snapshot = with_stack(frames);
    let stack = snapshot.devices[0].events.get(0).unwrap().stack;
    assert_ne!(stack, StackId::NONE);
    assert_eq!(snapshot.stacks.get(stack).len(), 10_000);
    assert_eq!(snapshot.notes.get(NoteKind::LongStack).unwrap().count, 1);
}

#[test]
fn old_texts_are_decoded() {
    let root = Any::dict(&[
        ("segments", Any::List(Vec::new())),
        (
            "external_annotations",
            Any::List(vec![Any::dict(&[("name", Any::text_of("MARK"))])]),
        ),
    ]);
    let text = String::from_utf8(Writer::new(0).write(&root)).unwrap();
    let text = text.replace("MARK", "gr\\u00f6\\U0001f600");
    let snapshot = read("made", text.as_bytes(), &Cancel::default()).unwrap();
    assert_eq!(
        snapshot.texts.get(snapshot.annotations[0].name),
        "gr\u{f6}\u{1f600}"
    );
}

#[test]
fn a_history_ends_where_the_user_cancels() {
    let snapshot = with_events(Vec::new(), vec![event("alloc", BASE, 1, Some(1))]);
    let cancel = Cancel::default();
    assert!(History::unless(&snapshot, &snapshot.devices[0], &cancel).is_some());
    cancel.cancel();
    assert!(History::unless(&snapshot, &snapshot.devices[0], &cancel).is_none());
}
