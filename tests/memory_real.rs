//! Curves and figures of real traces with allocator events, against a plain count of the same files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/memory.rs"]
mod support;

use overlane::ingest::LoadOptions;
use overlane::metrics::{Query, memory_rows};
use overlane::time::{Ns, Window};
use overlane::trace::{DeviceId, IssueKind, MemoryPlace};
use std::path::{Path, PathBuf};
use support::open_with;

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
