//! Snapshots of the allocator: real ones against a second reader that shares nothing with the first,
//! written by hand otherwise.
//!
//! The real ones are not part of the project. They are looked for in `memory` of the folder that
//! `OVERLANE_TRACES` names, else of `../shared/traces`; where there is none, tests of them say
//! "skipped" and pass.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/pickles.rs"]
mod pickles;

use overlane::ingest::{Cancel, Progress};
use overlane::snapshot::{
    Action, BlockState, Clock, NoteKind, PoolId, PoolSize, Snapshot, SnapshotError, open, read,
};
use overlane::time::Ns;
use pickles::{Any, Writer, parse};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn real() -> Vec<PathBuf> {
    let folder = std::env::var_os("OVERLANE_TRACES")
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
            PathBuf::from,
        )
        .join("memory");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no real snapshots at {}", folder.display());
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .map(|e| e.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "pickle"))
        .collect();
    found.sort();
    found
}

fn load(path: &Path) -> Snapshot {
    open(path, &Progress::default(), &Cancel::default()).unwrap()
}

fn from(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
    read("test.pickle", bytes, &Cancel::default())
}

fn sentence(bytes: &[u8]) -> String {
    from(bytes).expect_err("it is refused").to_string()
}

#[test]
fn real_snapshots_have_the_counts_of_the_catalogue() {
    for path in real() {
        let snapshot = load(&path);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let expected = match &*name {
            "llm_training_snapshot_small" => (216, 455, 14_180_941_824, 5_163),
            "medium_128_training_snapshot" => (377, 918, 7_235_174_400, 19_136),
            "medium_1024_inference_snapshot" => (108, 239, 3_204_448_256, 3_840),
            _ => continue,
        };
        let reserved: u64 = snapshot.segments.iter().map(|s| s.size).sum();
        let events: usize = snapshot.devices.iter().map(|d| d.events.len()).sum();
        assert_eq!(
            (
                snapshot.segments.len(),
                snapshot.blocks.len(),
                reserved,
                events
            ),
            expected,
            "{name}"
        );
        assert_eq!(snapshot.notes.all(), [], "{name}");
    }
}

/// Frames of the second reader as text.
fn frames(of: &Any) -> Vec<String> {
    let frame = |f: &Any| {
        format!(
            "{}|{}|{}",
            f.get("name").text(),
            f.get("filename").text(),
            f.get("line").int()
        )
    };
    of.items().iter().map(frame).collect()
}

fn words(snapshot: &Snapshot, stack: overlane::snapshot::StackId) -> Vec<String> {
    snapshot
        .stack(stack)
        .map(|f| {
            let texts = &snapshot.texts;
            format!("{}|{}|{}", texts.get(f.name), texts.get(f.file), f.line)
        })
        .collect()
}

#[test]
fn real_snapshots_are_what_a_second_reader_reads() {
    for path in real() {
        let snapshot = load(&path);
        let root = parse(&std::fs::read(&path).unwrap());
        let mut segments = root.get("segments").items();
        segments.sort_by_key(|s| s.get("address").int());
        assert_eq!(segments.len(), snapshot.segments.len());
        for (is, of) in snapshot.segments.iter().zip(&segments) {
            assert_eq!(i128::from(is.address), of.get("address").int());
            assert_eq!(i128::from(is.size), of.get("total_size").int());
            assert_eq!(is.pool.id, PoolId::COMMON);
            let small = of.get("segment_type").text() == "small";
            assert_eq!(is.pool.size == PoolSize::Small, small);
            let blocks = of.get("blocks").items();
            assert_eq!(snapshot.blocks_of(is).len(), blocks.len());
            for (is, of) in snapshot.blocks_of(is).iter().zip(&blocks) {
                assert_eq!(i128::from(is.address), of.get("address").int());
                assert_eq!(i128::from(is.size), of.get("size").int());
                let active = of.get("state").text() == "active_allocated";
                assert_eq!(is.state == BlockState::Allocated, active);
                if active {
                    assert_eq!(i128::from(is.requested), of.get("requested_size").int());
                }
                assert_eq!(words(&snapshot, is.stack), frames(&of.get("frames")));
            }
        }
        let traces = root.get("device_traces").items();
        for (number, trace) in traces.iter().enumerate() {
            let events = trace.items();
            let Some(device) = snapshot.device(i64::try_from(number).unwrap()) else {
                assert!(events.is_empty());
                continue;
            };
            assert_eq!(device.events.len(), events.len());
            assert_eq!(device.events.clock, Clock::Epoch);
            for (is, of) in device.events.iter().zip(&events) {
                assert_eq!(is.action.word(), of.get("action").text());
                assert_eq!(i128::from(is.address), of.get("addr").int());
                assert_eq!(i128::from(is.size), of.get("size").int());
                assert_eq!(i128::from(is.time.0), of.get("time_us").int() * 1_000);
                assert_eq!(words(&snapshot, is.stack), frames(&of.get("frames")));
            }
        }
        let annotations = root.get("external_annotations").items();
        assert_eq!(snapshot.annotations.len(), annotations.len());
        for (is, of) in snapshot.annotations.iter().zip(&annotations) {
            assert_eq!(snapshot.texts.get(is.name), of.get("name").text());
            assert_eq!(snapshot.texts.get(is.stage), of.get("stage").text());
            let time = is.time.map(|t| i128::from(t.0));
            assert_eq!(time, Some(of.get("time_us").int() * 1_000));
        }
    }
}

#[test]
fn packed_snapshots_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = small(2);
    let plain = from(&bytes).unwrap();
    let gzip = folder.path().join("a.pickle.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &bytes).unwrap();
    let packed = encoder.finish().unwrap();
    std::fs::write(&gzip, &packed).unwrap();
    let zstd = folder.path().join("a.pickle.zst");
    std::fs::write(&zstd, zstd::encode_all(&*bytes, 1).unwrap()).unwrap();
    for path in [&gzip, &zstd] {
        let read = load(path);
        assert_eq!(read.segments, plain.segments);
        assert_eq!(read.blocks, plain.blocks);
    }
    std::fs::write(&gzip, &packed[..packed.len() / 2]).unwrap();
    let error = open(&gzip, &Progress::default(), &Cancel::default()).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}

/// A snapshot of one segment with an allocated and a free block and two events.
fn small(protocol: u8) -> Vec<u8> {
    let frame = Any::dict(&[
        ("name", Any::text_of("forward")),
        ("filename", Any::text_of("model.py")),
        ("line", Any::Int(54)),
    ]);
    let event = |action: &str, time: i128| {
        Any::dict(&[
            ("action", Any::text_of(action)),
            ("addr", Any::Int(0x7f00_0000_0000)),
            ("size", Any::Int(1_000)),
            ("stream", Any::Int(0)),
            ("time_us", Any::Int(time)),
            ("frames", Any::List(vec![frame.clone()])),
        ])
    };
    let block = |address: i128, size: i128, state: &str| {
        Any::dict(&[
            ("address", Any::Int(address)),
            ("size", Any::Int(size)),
            ("requested_size", Any::Int(size - 24)),
            ("state", Any::text_of(state)),
            ("frames", Any::List(vec![frame.clone()])),
        ])
    };
    let segment = Any::dict(&[
        ("device", Any::Int(0)),
        ("address", Any::Int(0x7f00_0000_0000)),
        ("total_size", Any::Int(2_097_152)),
        ("allocated_size", Any::Int(1_024)),
        ("active_size", Any::Int(1_024)),
        ("stream", Any::Int(0)),
        ("segment_type", Any::text_of("small")),
        (
            "segment_pool_id",
            Any::Tuple(vec![Any::Int(0), Any::Int(0)]),
        ),
        ("is_expandable", Any::Bool(false)),
        ("frames", Any::List(vec![])),
        (
            "blocks",
            Any::List(vec![
                block(0x7f00_0000_0000, 1_024, "active_allocated"),
                block(0x7f00_0000_0400, 2_096_128, "inactive"),
            ]),
        ),
    ]);
    let root = Any::dict(&[
        ("segments", Any::List(vec![segment])),
        (
            "device_traces",
            Any::List(vec![Any::List(vec![
                event("alloc", 5),
                event("free_requested", 6),
                event("alloc", 7),
            ])]),
        ),
        (
            "allocator_settings",
            Any::dict(&[
                ("PYTORCH_CUDA_ALLOC_CONF", Any::text_of("a:b")),
                ("max_split_size", Any::Int(-1)),
                ("expandable_segments", Any::Bool(true)),
                ("garbage_collection_threshold", Any::Float(0.5)),
                (
                    "roundup_power2_divisions",
                    Any::dict(&[("1", Any::Int(0)), ("16", Any::Int(8))]),
                ),
            ]),
        ),
        ("external_annotations", Any::List(vec![])),
    ]);
    Writer::new(protocol).write(&root)
}

#[test]
fn every_protocol_reads_alike() {
    for protocol in 0..=5 {
        let snapshot = from(&small(protocol)).unwrap_or_else(|e| panic!("{protocol}: {e}"));
        assert_eq!(snapshot.notes.all(), [], "{protocol}");
        assert_eq!(snapshot.segments.len(), 1);
        let block = snapshot.blocks[0];
        assert_eq!((block.size, block.requested), (1_024, 1_000));
        assert_eq!(snapshot.blocks[1].state, BlockState::Free);
        assert_eq!(snapshot.blocks[1].requested, 0);
        let device = snapshot.device(0).unwrap();
        assert_eq!(device.events.len(), 3);
        assert_eq!(device.events.get(2).unwrap().time, Ns(7_000));
        assert_eq!(device.events.get(1).unwrap().action, Action::FreeRequested);
        assert_eq!(words(&snapshot, block.stack), ["forward|model.py|54"]);
        assert_eq!(snapshot.block_at(device, 0x7f00_0000_0400), Some(1));
        assert_eq!(snapshot.block_at(device, 0x7f00_0020_0000), None);
        let settings = &snapshot.settings;
        assert_eq!(settings.conf.as_deref(), Some("a:b"));
        assert_eq!(settings.max_split_size, None);
        assert_eq!(settings.expandable_segments, Some(true));
        assert_eq!(settings.roundup_power2_divisions, [(16, 8)]);
    }
}

#[test]
fn the_old_list_of_segments_is_read() {
    let history = Any::List(vec![Any::dict(&[
        ("addr", Any::Int(4_096)),
        ("real_size", Any::Int(1_500)),
        (
            "frames",
            Any::List(vec![Any::dict(&[
                ("name", Any::text_of("f")),
                ("filename", Any::text_of("a.py")),
                ("line", Any::Int(1)),
            ])]),
        ),
    ])]);
    let block = |size: i128, state: &str, more: Option<Any>| {
        let mut fields = vec![("size", Any::Int(size)), ("state", Any::text_of(state))];
        fields.extend(more.map(|h| ("history", h)));
        Any::dict(&fields)
    };
    let root = Any::List(vec![Any::dict(&[
        ("address", Any::Int(4_096)),
        ("total_size", Any::Int(4_096)),
        (
            "blocks",
            Any::List(vec![
                block(512, "active_awaiting_free", None),
                block(1_536, "active_allocated", Some(history)),
                block(2_048, "inactive", None),
            ]),
        ),
    ])]);
    let snapshot = from(&Writer::new(3).write(&root)).unwrap();
    assert_eq!(snapshot.notes.all(), []);
    let blocks: Vec<_> = snapshot
        .blocks
        .iter()
        .map(|b| (b.address, b.size, b.requested, b.state))
        .collect();
    assert_eq!(
        blocks,
        [
            (4_096, 512, 512, BlockState::AwaitingFree),
            (4_608, 1_536, 1_500, BlockState::Allocated),
            (6_144, 2_048, 0, BlockState::Free),
        ]
    );
    assert_eq!(words(&snapshot, snapshot.blocks[1].stack), ["f|a.py|1"]);
}

#[test]
fn what_does_not_agree_is_noted() {
    let text = String::from_utf8_lossy(&small(0)).into_owned();
    let changed = text
        .replace("I2096128\n", "I2096000\n")
        .replace("I1000\n", "L-1000L\n");
    let snapshot = from(changed.as_bytes()).unwrap();
    assert_eq!(snapshot.notes.get(NoteKind::Tiling).unwrap().count, 1);
    assert_eq!(
        snapshot.notes.get(NoteKind::BadNumber).unwrap().count,
        3 + 1
    );
    let unknown = text.replace("free_requested", "gave_to_charity");
    let snapshot = from(unknown.as_bytes()).unwrap();
    let note = snapshot.notes.get(NoteKind::UnknownAction).unwrap();
    assert_eq!((note.count, &*note.first), (1, "gave_to_charity"));
}

#[test]
fn other_files_get_one_sentence() {
    for (bytes, words) in [
        (&b""[..], "empty"),
        (b"SQLite format 3\0....", "SQLite"),
        (
            b"[[1700000000, 0, 512, 3], [-1, 1, 0, 0]]",
            "memory timeline",
        ),
        (b"{\"traceEvents\": []}", "JSON"),
        (b"hello", "not a pickle"),
        (b"\x80\x04N.", "no memory snapshot"),
        (b"\x80\x04}.", "no memory snapshot"),
    ] {
        let said = sentence(bytes);
        assert!(
            said.starts_with("test.pickle: ") && said.contains(words),
            "{said}"
        );
    }
}

#[test]
fn whatever_would_run_is_refused_by_name_and_place() {
    for (code, name) in [
        (b'c', "GLOBAL"),
        (0x93, "STACK_GLOBAL"),
        (b'R', "REDUCE"),
        (b'b', "BUILD"),
        (b'i', "INST"),
        (b'o', "OBJ"),
        (0x81, "NEWOBJ"),
        (0x92, "NEWOBJ_EX"),
        (b'P', "PERSID"),
        (b'Q', "BINPERSID"),
        (0x82, "EXT1"),
        (0x83, "EXT2"),
        (0x84, "EXT4"),
        (0x97, "NEXT_BUFFER"),
        (0x98, "READONLY_BUFFER"),
    ] {
        let said = sentence(&[0x80, 4, b'N', code, b'.']);
        let expected = format!("this pickle would run code ({name} at byte 3)");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn a_file_that_was_cut_says_where() {
    let whole = small(4);
    for length in 2..whole.len() {
        let said = sentence(&whole[..length]);
        assert!(
            said.contains(&format!("ends at byte {length}")),
            "{length}: {said}"
        );
    }
}

#[test]
fn bombs_do_not_go_off() {
    // Lengths that the file does not have.
    for bomb in [
        &b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"[..],
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x80\x04X\xff\xff\xff\xff",
        b"\x80\x04\x8b\xff\xff\xff\x7f",
    ] {
        assert!(
            sentence(bomb).contains("in the middle"),
            "{}",
            sentence(bomb)
        );
    }
    assert!(sentence(b"\x80\x04\x8b\xff\xff\xff\xff").contains("a number"));
    // A memo place far out.
    let far = b"\x80\x02Nr\xff\xff\xff\xff0j\xff\xff\xff\xff.";
    assert!(sentence(far).contains("no memory snapshot"));
    assert!(sentence(b"\x80\x02Nj\xff\xff\xff\xff.").contains("value 4294967295"));
    // Lists of lists of lists, each ten times the one before.
    let mut laughs = b"\x80\x02]q\x000".to_vec();
    for level in 0..200_u8 {
        laughs.extend([b']', b'(']);
        (0..10).for_each(|_| laughs.extend([b'h', level]));
        laughs.extend([b'e', b'q', level + 1, b'0']);
    }
    laughs.extend(b"h\xc8.");
    assert!(sentence(&laughs).contains("no memory snapshot"));
    let mut marks = b"\x80\x02".to_vec();
    marks.resize(1_000_000, b'(');
    assert!(sentence(&marks).contains("nested more than"));
    let mut nested = b"\x80\x02".to_vec();
    nested.resize(1_000_000, b']');
    nested.resize(1_999_990, b'a');
    nested.push(b'.');
    assert!(from(&nested).is_err());
    // Containers that hold themselves.
    assert!(from(b"\x80\x02]q\x00h\x00a.").is_err());
    assert!(from(b"\x80\x02}q\x00X\x08\x00\x00\x00segmentsh\x00s.").is_err());
    let own = b"\x80\x02}q\x00X\x08\x00\x00\x00segments]q\x01h\x01as.";
    assert!(from(own).unwrap().segments.is_empty());
    assert_eq!(
        from(own)
            .unwrap()
            .notes
            .get(NoteKind::BadRecord)
            .unwrap()
            .count,
        1
    );
    // A frame that is filled further after a list holds it.
    let late = b"\x80\x02](}q\x00(X\x04\x00\x00\x00nameNX\x08\x00\x00\x00filenameNX\x04\x00\x00\x00lineK\x01ueh\x00X\x01\x00\x00\x00aNs.";
    assert!(
        sentence(late).contains("after it was put to use"),
        "{}",
        sentence(late)
    );
}

#[test]
fn a_list_that_is_used_twice_counts_once() {
    let bytes = small(2);
    let mut twice = bytes[..bytes.len() - 1].to_vec();
    // The device traces become the same list twice: {…, "device_traces": [L, L]}.
    let event = Writer::new(2).write(&Any::dict(&[
        ("action", Any::text_of("oom")),
        ("device_free", Any::Int(7)),
        ("size", Any::Int(8)),
        ("time_us", Any::Int(9)),
    ]));
    twice.extend(b"X\x0d\x00\x00\x00device_traces](](");
    twice.extend(&event[2..event.len() - 1]);
    twice.extend(b"eq\xfah\xfaes.");
    let snapshot = from(&twice).unwrap();
    let events: Vec<usize> = snapshot.devices.iter().map(|d| d.events.len()).collect();
    assert_eq!(events, [1]);
    let oom = snapshot.devices[0].events.get(0).unwrap();
    assert_eq!((oom.action, oom.address, oom.size), (Action::Oom, 7, 8));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_stop_the_program(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut pickle = vec![0x80, 4];
        pickle.extend(bytes);
        from(&pickle).ok();
    }

    #[test]
    fn no_damage_stops_the_program(
        protocol in 0_u8..=5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = small(protocol);
        for (at, to) in changes {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        from(&bytes).ok();
    }
}
