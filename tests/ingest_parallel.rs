//! Loading in chunks side by side: the same result for any number of threads, and for text that
//! imitates the places where it is cut.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::trace::{Category, IssueKind, Trace};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

fn load_with(threads: usize, path: &Path) -> Trace {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let request = LoadRequest {
        paths: vec![path.to_owned()],
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    pool.install(|| load(&request, &Progress::default(), &Cancel::default()))
        .unwrap()
}

/// Everything of a trace that could differ, as text.
fn picture(trace: &Trace) -> String {
    let mut out = format!("{} {:?}\n", trace.events, trace.health.issues());
    for rank in &trace.ranks {
        for s in rank.slices.iter() {
            writeln!(
                out,
                "{:?} {:?} {} {:?} {:?} {} {:?} {:?}",
                s.start(),
                s.dur(),
                s.name().0,
                s.category(),
                s.class(),
                s.row(),
                s.correlation(),
                s.source()
            )
            .unwrap();
        }
        writeln!(
            out,
            "{:?} {:?} {:?} {:?}",
            rank.flows, rank.instants, rank.counters, rank.memory
        )
        .unwrap();
        writeln!(out, "{:?} {:?}", rank.comms, rank.host_steps).unwrap();
        for t in &rank.threads {
            writeln!(out, "{} {} {:?} {:?}", t.pid, t.tid, t.name, t.slices).unwrap();
        }
    }
    for (id, name) in trace.names.iter() {
        writeln!(out, "{} {name}", id.0).unwrap();
    }
    out
}

/// About 12 MB of events. `odd` puts something in place of every thousandth one.
fn write_events(path: &Path, odd: impl Fn(usize) -> String) {
    let mut text = String::from("{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for i in 0..40_000_usize {
        if i > 0 {
            text.push_str(",\n");
        }
        if i % 1_000 == 999 {
            text.push_str(&odd(i));
            continue;
        }
        let filler = "x".repeat(150 + i % 97);
        let (cat, tid) = [
            ("kernel", 7),
            ("cpu_op", 1),
            ("cuda_runtime", 1),
            ("kernel", 20),
        ][i % 4];
        write!(
            text,
            "  {{\n    \"ph\": \"X\", \"cat\": \"{cat}\", \"name\": \"name {} {filler}\", \"pid\": {}, \"tid\": {tid},\n    \"ts\": {}.{:03}, \"dur\": 0.500,\n    \"args\": {{\n      \"correlation\": {}, \"stream\": {tid}, \"list\": [{{\"name\": 1}}, {{\"ph\": 2}}]\n    }}\n  }}",
            i % 50,
            i % 2,
            1_000_000 + i,
            i % 1_000,
            i / 2,
        )
        .unwrap();
    }
    text.push_str("\n], \"distributedInfo\": {\"rank\": 3}}");
    std::fs::write(path, text).unwrap();
}

fn plain(i: usize, name: &str) -> String {
    format!(
        "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"{name}\",\"pid\":0,\"tid\":9,\"ts\":{},\"dur\":0.25,\"args\":{{\"stream\":9}}}}",
        1_000_000 + i
    )
}

/// Loads with one, two and five threads; all must give one picture.
fn same_for_all(path: &Path) -> Trace {
    let trace = load_with(1, path);
    let one = picture(&trace);
    for threads in [2, 5] {
        assert!(
            one == picture(&load_with(threads, path)),
            "{threads} threads differ"
        );
    }
    trace
}

fn odd_kernels(trace: &Trace) -> Vec<&str> {
    let rank = &trace.ranks[0];
    let stream = rank.devices[0]
        .streams
        .iter()
        .find(|s| s.id.0 == 9)
        .unwrap();
    rank.slices
        .range(stream.slices.clone())
        .filter(|s| s.category() == Category::Gpu)
        .map(|s| trace.names.get(s.name()))
        .collect()
}

#[test]
fn whole_files_are_the_same_for_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    write_events(&path, |i| plain(i, "odd"));
    let trace = same_for_all(&path);
    assert_eq!(trace.events, 40_000);
    assert_eq!(trace.ranks[0].id.0, 3);
    assert_eq!(odd_kernels(&trace).len(), 40);
    // The same text packed, which comes in other blocks.
    let text = std::fs::read(&path).unwrap();
    let packed = dir.path().join("t.json.zst");
    std::fs::write(&packed, zstd::encode_all(text.as_slice(), 1).unwrap()).unwrap();
    assert!(picture(&trace) == picture(&load_with(2, &packed)));
}

#[test]
fn text_that_imitates_a_cut_fools_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    // 400 kB of a name in which every stretch looks like the end of one event and the start of
    // the next: cuts are bound to fall into it.
    let bait = r#"}, {\"ph\": \"X\", \"name\": \"bait\"}, "#.repeat(12_000);
    let unescaped = r"},{'ph':'X'},".repeat(1_000);
    write_events(&path, |i| {
        if i < 30_000 {
            plain(i, &bait)
        } else {
            plain(i, &unescaped)
        }
    });
    let trace = same_for_all(&path);
    assert_eq!(trace.events, 40_000);
    assert_eq!(odd_kernels(&trace).len(), 40);
    assert_eq!(trace.health.count(IssueKind::RepairedJson), 0);
    // Objects inside args that look like events.
    let inner = format!(
        "[{}1]",
        "{\"a\": {}}, {\"ph\": \"X\", \"ts\": 5}, ".repeat(60_000)
    );
    write_events(&path, |i| {
        if i % 4_000 != 3_999 {
            return plain(i, "plain");
        }
        plain(i, "inner").replace("\"stream\":9", &format!("\"x\": {inner}, \"stream\":9"))
    });
    let trace = same_for_all(&path);
    assert_eq!(trace.events, 40_000);
    let odd = odd_kernels(&trace);
    assert_eq!(odd.iter().filter(|n| **n == "inner").count(), 10);
    assert_eq!(odd.len(), 40);
}

#[test]
fn damage_between_chunks_costs_only_its_events() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    write_events(&path, |i| match i % 3_000 {
        999 => plain(i, "quote \" inside"),
        1_999 => plain(i, "cut").replace("}}", "}"),
        _ => "null".to_owned(),
    });
    let trace = same_for_all(&path);
    assert_eq!(trace.events, 40_000);
    let odd = odd_kernels(&trace);
    assert_eq!(odd.iter().filter(|n| **n == "quote \" inside").count(), 14);
    assert_eq!(odd.iter().filter(|n| **n == "cut").count(), 13);
    assert_eq!(trace.health.count(IssueKind::NotAnObject), 13);
    assert_eq!(trace.health.count(IssueKind::RepairedJson), 27);
    // Bytes that are not UTF-8, everywhere.
    let text = std::fs::read(&path).unwrap();
    let latin: Vec<u8> = text
        .iter()
        .map(|b| if *b == b'x' { 0xe4 } else { *b })
        .collect();
    std::fs::write(&path, latin).unwrap();
    assert_eq!(same_for_all(&path).events, 40_000);
}
