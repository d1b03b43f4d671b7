//! Files with allocator events, and how tests of memory open them.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file uses its own part of this"
)]

use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::trace::{DeviceId, MemoryPlace, Trace};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn open_with(path: &Path, options: LoadOptions) -> Trace {
    let request = LoadRequest {
        paths: vec![path.to_path_buf()],
        rules: Arc::new(Rules::builtin()),
        options,
    };
    load(&request, &Progress::default(), &Cancel::default()).unwrap()
}

pub const GPU: MemoryPlace = MemoryPlace::Device(DeviceId(0));

const KERNEL: &str = r#"{"ph":"X","cat":"kernel","name":"gemm","ts":0,"dur":1000,"pid":0,"tid":7,"args":{"device":0,"stream":7}}"#;

/// A file of these events alone.
pub fn bare(events: &[String]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rank0.json");
    std::fs::write(&path, format!("[{}]", events.join(",\n"))).unwrap();
    (dir, path)
}

/// One op at 100-200 µs on thread 1 with an inner one at 110-120 µs, a kernel at 0-1000 µs, and
/// these events.
pub fn file(events: &[String]) -> (tempfile::TempDir, PathBuf) {
    let fixed = [
        KERNEL,
        r#"{"ph":"X","cat":"cpu_op","name":"outer","ts":100,"dur":100,"pid":5,"tid":1,"args":{"External id":1}}"#,
        r#"{"ph":"X","cat":"cpu_op","name":"inner","ts":110,"dur":10,"pid":5,"tid":1,"args":{"External id":2}}"#,
    ];
    let fixed = fixed.iter().map(|e| (*e).to_owned());
    let all: Vec<String> = fixed.chain(events.iter().cloned()).collect();
    bare(&all)
}

pub fn event(ts: &str, args: &str) -> String {
    format!(
        r#"{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":5,"tid":1,"ts":{ts},"args":{{{args}}}}}"#
    )
}

/// An event of GPU 0 as new files have them.
pub fn gpu(ts: &str, bytes: i64, address: i64, allocated: i64, reserved: i64) -> String {
    event(
        ts,
        &format!(
            r#""Total Reserved": {reserved}, "Total Allocated": {allocated}, "Bytes": {bytes}, "Addr": {address}, "Device Id": 0, "Device Type": 1, "Ev Idx": 3"#
        ),
    )
}

/// An event of any device, with totals.
pub fn of_device(ts: &str, (kind, id): (i64, i64), bytes: i64, allocated: i64) -> String {
    event(
        ts,
        &format!(
            r#""Total Allocated": {allocated}, "Bytes": {bytes}, "Device Id": {id}, "Device Type": {kind}"#
        ),
    )
}

pub fn sample(name: &str) -> Trace {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_traces");
    open_with(&folder.join(name), LoadOptions::default())
}

pub const MIB: i64 = 1 << 20;
/// What the samples begin with.
pub const BASE: i64 = 512 * MIB;
