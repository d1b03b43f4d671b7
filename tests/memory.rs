//! Memory curves from the allocator events of profiler files: what is read, what is left out, and
//! the figures of real traces against a plain count of the same files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::metrics::{LeakVerdict, Query, Selection, leak_rows, memory_rows, memory_step_rows};
use overlane::time::{Ns, Window};
use overlane::trace::{DeviceId, IssueKind, MemoryPlace, MemorySource, MemoryTrack, Rank, Trace};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn open_with(path: &Path, options: LoadOptions) -> Trace {
    let request = LoadRequest {
        paths: vec![path.to_path_buf()],
        rules: Arc::new(Rules::builtin()),
        options,
    };
    load(&request, &Progress::default(), &Cancel::default()).unwrap()
}

const GPU: MemoryPlace = MemoryPlace::Device(DeviceId(0));

/// One op at 100-200 µs on thread 1 with an inner one at 110-120 µs, a kernel at 0-1000 µs, and
/// these events.
fn file(events: &[String]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rank0.json");
    let fixed = [
        r#"{"ph":"X","cat":"kernel","name":"gemm","ts":0,"dur":1000,"pid":0,"tid":7,"args":{"device":0,"stream":7}}"#,
        r#"{"ph":"X","cat":"cpu_op","name":"outer","ts":100,"dur":100,"pid":5,"tid":1,"args":{"External id":1}}"#,
        r#"{"ph":"X","cat":"cpu_op","name":"inner","ts":110,"dur":10,"pid":5,"tid":1,"args":{"External id":2}}"#,
    ];
    let fixed = fixed.iter().map(|e| (*e).to_owned());
    let all: Vec<String> = fixed.chain(events.iter().cloned()).collect();
    std::fs::write(&path, format!("[{}]", all.join(",\n"))).unwrap();
    (dir, path)
}

fn event(ts: &str, args: &str) -> String {
    format!(
        r#"{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":5,"tid":1,"ts":{ts},"args":{{{args}}}}}"#
    )
}

/// An event of GPU 0 as new files have them.
fn gpu(ts: &str, bytes: i64, address: i64, allocated: i64, reserved: i64) -> String {
    event(
        ts,
        &format!(
            r#""Total Reserved": {reserved}, "Total Allocated": {allocated}, "Bytes": {bytes}, "Addr": {address}, "Device Id": 0, "Device Type": 1, "Ev Idx": 3"#
        ),
    )
}

fn points(held: &MemoryTrack) -> Vec<(i64, i64)> {
    let all = (0..held.allocated.len()).map(|i| held.allocated.point(i).unwrap());
    all.map(|(at, bytes)| (at.0, bytes)).collect()
}

fn op<'t>(trace: &'t Trace, rank: &Rank, held: &MemoryTrack, index: usize) -> Option<&'t str> {
    let op = rank.slices.get(rank.allocating_op(held, index)?)?;
    Some(trace.names.get(op.name()))
}

#[test]
fn events_become_curves_in_order_of_time() {
    let (_dir, path) = file(&[
        gpu("300", -50, 0x10, 150, 400),
        gpu("115", 50, 0x10, 150, 300),
        gpu("115", 50, 0x20, 200, 400),
        event(
            "105.5",
            r#""Bytes": 8, "Addr": 1, "Device Id": -1, "Device Type": 0, "Total Allocated": 8, "Total Reserved": 0"#,
        ),
    ]);
    let trace = open_with(&path, LoadOptions::default());
    let rank = &trace.ranks[0];
    assert_eq!(rank.memory.len(), 2);
    let held = rank.memory_of(GPU).unwrap();
    assert_eq!(held.source, MemorySource::Totals);
    assert_eq!(
        points(held),
        [(115_000, 150), (115_000, 200), (300_000, 150)]
    );
    assert_eq!(held.before, 100);
    assert_eq!(held.allocated_before(Ns(115_000)), 100);
    assert_eq!(held.reserved_before(Ns(115_000)), None);
    assert_eq!(held.reserved_at(Ns(115_000)), Some(400));
    assert_eq!(op(&trace, rank, held, 0), Some("inner"));
    assert_eq!(op(&trace, rank, held, 2), None);
    let host = rank.memory_of(MemoryPlace::Host).unwrap();
    assert!(host.reserved.is_none());
    assert_eq!(op(&trace, rank, host, 0), Some("outer"));
    assert!(trace.health.count(IssueKind::BadMemoryEvent) == 0);
    assert!(rank.instants.is_empty(), "they are kept once");
}

/// The category is what decides how the fast reader reads; old files have none.
#[test]
fn events_without_totals_are_added_up_and_that_is_said() {
    let old = |ts: &str, bytes: i64, rest: &str| {
        event(
            ts,
            &format!(r#""Device Type": 1, "Device Id": 0, "Bytes": {bytes}{rest}"#),
        )
        .replace(r#""cat":"cpu_instant_event","#, "")
    };
    let (_dir, path) = file(&[old("100", 7, ""), old("110", -10, ""), old("120", 5, "")]);
    let trace = open_with(&path, LoadOptions::default());
    let held = trace.ranks[0].memory_of(GPU).unwrap();
    assert_eq!(held.source, MemorySource::Integrated);
    assert_eq!(points(held), [(100_000, 7), (110_000, -3), (120_000, 2)]);
    assert!(held.reserved.is_none() && held.before == 0);
    assert_eq!(trace.health.count(IssueKind::MemoryIntegrated), 1);
}

#[test]
fn what_cannot_be_placed_is_counted_and_left_out() {
    let bad = [
        r#""Bytes": 1, "Device Type": 1"#,
        r#""Device Id": 0, "Device Type": 1, "Total Allocated": 5"#,
        r#""Bytes": "many", "Device Id": 0, "Device Type": 1, "Total Allocated": 5"#,
        r#""Bytes": 1.5, "Device Id": 0, "Device Type": 1, "Total Allocated": 5"#,
        r#""Bytes": 99999999999999999999, "Device Id": 0, "Device Type": 1"#,
        r#""Bytes": 1, "Device Id": 0, "Device Type": 1, "Total Allocated": -5"#,
        r#""Bytes": 1, "Device Id": -7, "Device Type": 1, "Total Allocated": 5"#,
        // The others of the device have totals, so what this one would be is not known.
        r#""Bytes": 1, "Device Id": 0, "Device Type": 1"#,
        "",
    ];
    let mut events: Vec<String> = bad.iter().map(|args| event("400", args)).collect();
    events.push(gpu("500", 10, 1, 10, 20));
    events.push(gpu("600", 15, 2, 25, 20));
    events.push(gpu("1e30", 15, 2, 25, 20));
    let (_dir, path) = file(&events);
    let trace = open_with(&path, LoadOptions::default());
    let count = |kind| trace.health.count(kind);
    assert_eq!(count(IssueKind::BadMemoryEvent), 9);
    assert_eq!(count(IssueKind::AllocatedAboveReserved), 1);
    assert_eq!(count(IssueKind::TimeOutOfRange), 1);
    let held = trace.ranks[0].memory_of(GPU).unwrap();
    assert_eq!(points(held), [(500_000, 10), (600_000, 25)]);
    assert_eq!(held.reserved_at(Ns(600_000)), Some(20));
}

/// Damage that the fast reader must leave to the strict one, and what is mended.
#[test]
fn damaged_args_are_mended_or_left_out_alike() {
    let damaged = gpu("200", 30, 2, 40, 50).replace("\"Ev Idx\": 3", "\"Ev Idx\": NaN");
    let late = gpu("300", 10, 3, 50, 60).replace(r#""name":"[memory]","#, "");
    let late = late.replacen("}}", r#"},"name":"[memory]"}"#, 1);
    let (_dir, path) = file(&[gpu("100", 10, 1, 10, 20), damaged, late]);
    let trace = open_with(&path, LoadOptions::default());
    let held = trace.ranks[0].memory_of(GPU).unwrap();
    assert_eq!(points(held), [(100_000, 10), (200_000, 40), (300_000, 50)]);
    assert_eq!(trace.health.count(IssueKind::BareWord), 1);
}

#[test]
fn a_range_keeps_what_it_begins_with_and_cpu_rows_do_not_matter() {
    let events: Vec<String> = (0..10)
        .map(|i| gpu(&(i * 100).to_string(), 1, i, 100 + i, 500))
        .collect();
    let (_dir, path) = file(&events);
    let range = LoadOptions {
        range: Some("250us..600us".parse().unwrap()),
        ..LoadOptions::default()
    };
    let trace = open_with(&path, range);
    let held = trace.ranks[0].memory_of(GPU).unwrap();
    let expected = [2, 3, 4, 5, 6].map(|i| (i * 100_000, 100 + i));
    assert_eq!(points(held), expected);
    assert_eq!(held.allocated_at(Ns(250_000)), 102);
    // Two before, three behind.
    let gone = trace.health.count(IssueKind::OutsideRange);
    assert!(gone >= 5, "{gone}");
    let without = LoadOptions {
        no_cpu_rows: true,
        ..LoadOptions::default()
    };
    let trace = open_with(&path, without);
    assert_eq!(points(trace.ranks[0].memory_of(GPU).unwrap()).len(), 10);
}

/// Without totals a range begins with the sum of what came before it.
#[test]
fn a_range_of_bytes_that_are_added_up_begins_with_their_sum() {
    let events: Vec<String> = (0..5)
        .map(|i| {
            let args = r#""Device Type": 1, "Device Id": 0, "Bytes": 10"#;
            event(&(i * 100).to_string(), args)
        })
        .collect();
    let (_dir, path) = file(&events);
    let range = LoadOptions {
        range: Some("250us..350us".parse().unwrap()),
        ..LoadOptions::default()
    };
    let trace = open_with(&path, range);
    let held = trace.ranks[0].memory_of(GPU).unwrap();
    assert_eq!(points(held), [(200_000, 30), (300_000, 40)]);
}

/// The real traces with allocator events; empty where the folder is not there.
fn real() -> Vec<PathBuf> {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    let folder = folder.join("kineto");
    if !folder.is_dir() {
        println!("skipped: no real traces at {}", folder.display());
        return Vec::new();
    }
    [
        "a100_switch_moe_memory_python.json",
        "h100_bert_small.json.gz",
        "h100_timesformer_memory.json.gz",
        "mi300_bert_small.json.gz",
        "mi300_qwen1.5_0.5b_memory.json.gz",
        "old_resnet50_workers0_memory.pt.trace.json.gz",
    ]
    .map(|name| folder.join(name))
    .to_vec()
}

/// What a plain reading of a file says of one device.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plain {
    events: usize,
    allocations: u64,
    allocated: i64,
    freed: i64,
    first: Option<i64>,
    end: i64,
    peak: i64,
    reserved: Option<i64>,
}

/// Reads a file with a general reader and counts.
fn plain(path: &Path) -> Vec<((i64, i64), Plain)> {
    use std::io::Read as _;
    let bytes = std::fs::read(path).unwrap();
    let text = if path.extension().is_some_and(|e| e == "gz") {
        let mut text = Vec::new();
        let mut unpacked = flate2::read::MultiGzDecoder::new(bytes.as_slice());
        unpacked.read_to_end(&mut text).unwrap();
        text
    } else {
        bytes
    };
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let mut found: std::collections::BTreeMap<(i64, i64), Plain> =
        std::collections::BTreeMap::new();
    // These files have their events in order of time.
    for args in events
        .iter()
        .filter(|e| e["name"] == "[memory]" && e["ph"] == "i")
        .map(|e| &e["args"])
    {
        let key = (
            args["Device Type"].as_i64().unwrap(),
            args["Device Id"].as_i64().unwrap(),
        );
        let of = found.entry(key).or_default();
        let bytes = args["Bytes"].as_i64().unwrap();
        of.end = args["Total Allocated"].as_i64().unwrap_or(of.end + bytes);
        of.first.get_or_insert(of.end - bytes);
        of.peak = of.peak.max(of.end);
        of.events += 1;
        of.allocations += u64::from(bytes > 0);
        of.allocated += bytes.max(0);
        of.freed -= bytes.min(0);
        of.reserved = args["Total Reserved"].as_i64().filter(|_| key.0 != 0);
    }
    found.into_iter().collect()
}

#[test]
fn curves_of_real_traces_are_those_of_a_plain_reading() {
    for path in real() {
        let trace = open_with(&path, LoadOptions::default());
        let rank = &trace.ranks[0];
        let expected = plain(&path);
        assert_eq!(rank.memory.len(), expected.len(), "{}", path.display());
        for ((kind, id), of) in expected {
            let place = if kind == 0 {
                MemoryPlace::Host
            } else {
                MemoryPlace::Device(DeviceId(id))
            };
            let held = rank.memory_of(place).unwrap();
            assert_eq!(held.allocated.len(), of.events);
            let extent = held.allocated.extent().unwrap();
            let all = Window::new(extent.start(), Ns(extent.end().0 + 1));
            let extremes = held.allocated.extremes(all).unwrap();
            assert_eq!(extremes.max.bytes, of.peak, "{}", path.display());
            assert_eq!(held.allocated_before(all.end()), of.end);
            assert_eq!(Some(held.before), of.first);
            assert_eq!(held.reserved_before(all.end()), of.reserved);
        }
        let bad = trace.health.count(IssueKind::BadMemoryEvent);
        assert_eq!(bad, 0, "{}", path.display());
    }
}

fn sample(name: &str) -> Trace {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_traces");
    open_with(&folder.join(name), LoadOptions::default())
}

const MIB: i64 = 1 << 20;
/// What the samples begin with.
const BASE: i64 = 512 * MIB;

#[test]
fn figures_of_a_window_are_those_worked_out_by_hand() {
    let trace = sample("memory_leak.json");
    let zero = trace.ranks[0].host_steps[0].window.start();
    let at = |us: i64| Ns(zero.0 + us * 1000);
    let of = |from: i64, to: i64| {
        let query = Query {
            selection: Selection::Window(Window::new(at(from), at(to))),
            ..Query::default()
        };
        memory_rows(&trace, &query).remove(0).figures.unwrap()
    };
    // Step 2 begins with one block of step 1; its workspace is freed before the window begins.
    let figures = of(1_600, 2_510);
    assert_eq!(
        (figures.start, figures.end),
        (BASE + 10 * MIB, BASE + 10 * MIB)
    );
    assert_eq!(
        (figures.min, figures.peak),
        (BASE + 2 * MIB, BASE + 10 * MIB)
    );
    // As much as it begins with is not reached anew.
    assert_eq!((figures.peak_at, figures.peak_event), (at(1_600), None));
    assert_eq!((figures.sums.allocations, figures.sums.frees), (1, 1));
    let figures = of(1_600, 2_511);
    assert_eq!(
        (figures.peak, figures.peak_at),
        (BASE + 11 * MIB, at(2_510))
    );
    assert_eq!(figures.peak_op.as_deref(), Some("aten::cat"));
    assert_eq!(figures.growth(), i128::from(MIB));
    assert_eq!(figures.reserved_end, Some(1 << 30));
    assert_eq!(
        figures.cached_free_end(),
        Some(1024 * MIB - BASE - 11 * MIB)
    );
    // What a window ends with, the next begins with.
    assert_eq!(of(0, 1_600).end, of(1_600, 2_511).start);
}

#[test]
fn steps_are_those_on_the_host() {
    let trace = sample("memory_level.json");
    let rows = memory_step_rows(&trace, &Query::default());
    assert_eq!(rows.len(), 8);
    for row in &rows {
        let figures = row.figures.as_ref().unwrap();
        assert_eq!((figures.start, figures.end), (BASE, BASE));
        assert_eq!(figures.peak, BASE + 9 * MIB);
        assert_eq!((figures.sums.allocations, figures.sums.frees), (2, 2));
    }
}

#[test]
fn a_leak_is_suspected_in_one_sample_and_not_in_its_twin() {
    let trace = sample("memory_leak.json");
    let leak = leak_rows(&trace, &Query::default()).remove(0);
    assert_eq!((leak.verdict, leak.judged), (LeakVerdict::Suspected, 6));
    let slope = leak.slope.unwrap();
    let mib = i128::from(MIB);
    assert_eq!(
        (slope.low, slope.bytes_per_step, slope.high),
        (mib, mib, mib)
    );
    let growers = leak.growers.unwrap();
    assert_eq!(growers.len(), 1);
    assert_eq!(
        (growers[0].name(), growers[0].bytes),
        ("aten::cat", 5 * mib)
    );
    let trace = sample("memory_level.json");
    let leak = leak_rows(&trace, &Query::default()).remove(0);
    assert_eq!((leak.verdict, leak.judged), (LeakVerdict::Level, 6));
    assert_eq!((leak.ends_rising, leak.mins_rising), (0, 0));
}

/// One step each 1000 µs, and what is in use at the end of each.
fn steps_with(ends: &[i64]) -> Trace {
    let mut events = Vec::new();
    let mut held = 1_000;
    for (i, end) in ends.iter().enumerate() {
        let at = 1_000 * i;
        let number = i + 1;
        events.push(format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{number}","ts":{at},"dur":1000,"pid":5,"tid":1}}"#
        ));
        events.push(gpu(&(at + 500).to_string(), end - held, 7, *end, 1 << 40));
        held = *end;
    }
    let (_dir, path) = file(&events);
    open_with(&path, LoadOptions::default())
}

#[test]
fn a_verdict_needs_steps_that_all_rise() {
    let verdict = |ends: &[i64]| {
        let trace = steps_with(ends);
        leak_rows(&trace, &Query::default()).remove(0).verdict
    };
    let rising: Vec<i64> = (1..9).map(|i| 1_000 * i).collect();
    assert_eq!(verdict(&rising), LeakVerdict::Suspected);
    // Two of warm-up and four behind them.
    assert_eq!(verdict(&rising[..6]), LeakVerdict::CannotTell);
    // High, but level: that much is held, and nothing says that it is lost.
    assert_eq!(verdict(&[1 << 39; 9]), LeakVerdict::Level);
    let mut uneven: Vec<i64> = (1..20).map(|i| 1_000 * i).collect();
    uneven[12] = uneven[11];
    assert_eq!(verdict(&uneven), LeakVerdict::Uneven);
    let falling: Vec<i64> = rising.iter().rev().copied().collect();
    assert_eq!(verdict(&falling), LeakVerdict::Level);
}

#[test]
fn figures_of_real_traces_are_those_of_a_plain_count() {
    for path in real() {
        let trace = open_with(&path, LoadOptions::default());
        let rows = memory_rows(&trace, &Query::default());
        for ((kind, id), of) in plain(&path) {
            let device = if kind == 0 { -1 } else { id };
            let row = rows.iter().find(|r| r.device.0 == device).unwrap();
            let figures = row.figures.as_ref().unwrap();
            let name = path.display();
            assert_eq!(figures.sums.allocations, of.allocations, "{name}");
            assert_eq!(figures.sums.allocated, i128::from(of.allocated), "{name}");
            assert_eq!(figures.sums.freed, i128::from(of.freed), "{name}");
            assert_eq!(
                (Some(figures.start), figures.end),
                (of.first, of.end),
                "{name}"
            );
            assert_eq!(figures.peak, of.peak.max(figures.start), "{name}");
            assert_eq!(figures.reserved_end, of.reserved, "{name}");
        }
    }
}

proptest! {
    /// Figures of any window against a walk over every event.
    #[test]
    fn figures_are_those_of_every_event_looked_at(
        steps in prop::collection::vec((0_i64..3, -40_i64..40), 1..150),
        from in 0_i64..300,
        len in 1_i64..300,
    ) {
        let mut at = 0;
        let mut held = 5_000;
        let mut all: Vec<(i64, i64, i64)> = Vec::new();
        for (step, bytes) in steps {
            at += step;
            held += bytes;
            all.push((at, bytes, held));
        }
        let events: Vec<String> = all
            .iter()
            .map(|(at, bytes, held)| gpu(&at.to_string(), *bytes, 1, *held, 1 << 40))
            .collect();
        let (_dir, path) = file(&events);
        let trace = open_with(&path, LoadOptions::default());
        let to = (from + len).min(1000);
        let window = Window::new(Ns(from * 1000), Ns(to * 1000));
        let query = Query { selection: Selection::Window(window), ..Query::default() };
        let row = memory_rows(&trace, &query).remove(0);
        let figures = row.figures.unwrap();
        let before = all.iter().rfind(|e| e.0 < from).map_or(5_000, |e| e.2);
        let inside: Vec<&(i64, i64, i64)> = all.iter().filter(|e| e.0 >= from && e.0 < to).collect();
        let levels = || inside.iter().map(|e| e.2).chain([before]);
        prop_assert_eq!(figures.start, before);
        prop_assert_eq!(figures.end, inside.last().map_or(before, |e| e.2));
        prop_assert_eq!(figures.peak, levels().max().unwrap());
        prop_assert_eq!(figures.min, levels().min().unwrap());
        let allocated: i64 = inside.iter().map(|e| e.1.max(0)).sum();
        prop_assert_eq!(figures.sums.allocated, i128::from(allocated));
        let frees = inside.iter().filter(|e| e.1 < 0).count();
        prop_assert_eq!(figures.sums.frees, u64::try_from(frees).unwrap());
    }
}
