//! Every kind of input that users report going wrong, as small files made here (cases I1 to I18).
//!
//! Each test writes a file, loads it as a user would, and looks at what became of its events and
//! at the health list.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::too_many_lines,
    reason = "a test stops at the first thing that is not as expected"
)]

use flate2::Compression;
use flate2::write::GzEncoder;
use overlane::classify::Rules;
use overlane::ingest::{Cancel, IngestError, LoadOptions, LoadRequest, Progress, event_text, load};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::class::{CollectiveKind, KernelClass};
use overlane::trace::{Category, CollectiveSource, IssueKind, RankId, Severity, SliceRef, Trace};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

fn write(dir: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn try_load(paths: &[&Path]) -> Result<Trace, IngestError> {
    let request = LoadRequest {
        paths: paths.iter().map(|p| (*p).to_owned()).collect(),
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    load(&request, &Progress::default(), &Cancel::default())
}

/// Loads one text under a name that says nothing.
fn open(text: impl AsRef<[u8]>) -> Trace {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "trace.bin", text.as_ref());
    try_load(&[&path]).unwrap()
}

fn refuse(name: &str, text: &[u8]) -> String {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, name, text);
    let error = try_load(&[&path]).unwrap_err().to_string();
    assert!(error.contains(name), "names the file: {error}");
    assert!(!error.contains('\n'), "one sentence: {error}");
    error
}

/// A kernel event on device 0.
fn kernel(name: &str, stream: i64, ts: &str, dur: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":{stream},"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":{stream}}}}}"#
    )
}

fn list(events: &[String]) -> String {
    format!("{{\"traceEvents\":[\n{}\n]}}", events.join(",\n"))
}

/// `(name, start, end)` of all GPU work, in column order.
fn kernels(trace: &Trace) -> Vec<(String, i64, i64)> {
    trace
        .ranks
        .iter()
        .flat_map(|r| r.slices.iter())
        .filter(|s| s.category() == Category::Gpu)
        .map(|s| (trace.names.get(s.name()).to_owned(), s.start().0, s.end().0))
        .collect()
}

fn names(trace: &Trace) -> Vec<String> {
    kernels(trace).into_iter().map(|k| k.0).collect()
}

fn busy(trace: &Trace, rank: usize) -> DurNs {
    let device = &trace.ranks[rank].devices[0];
    device.activity.measure(device.extent).sum(|mask| mask != 0)
}

fn gz(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in entries {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

// I1: damaged names.

#[test]
fn damage_in_a_name_costs_at_most_its_event() {
    let bad_names: [&[u8]; 8] = [
        b"odd \" quote",
        b"pair \"of\" quotes",
        b"C:\\new\\path",
        b"ends in backslash\\",
        b"raw\nline break",
        b"control \x01\x1f bytes",
        b"latin \xe4\xf6\xfc",
        b"brace } and { bracket ] \" inside",
    ];
    for bad in bad_names {
        let mut text = b"{\"traceEvents\":[\n".to_vec();
        text.extend(kernel("before", 7, "10", "5").bytes());
        text.extend(b",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"");
        text.extend(bad);
        text.extend(b"\",\"pid\":0,\"tid\":7,\"ts\":20,\"dur\":5,\"args\":{\"stream\":7}},\n");
        text.extend(kernel("after", 7, "30", "5").bytes());
        text.extend(b",\n");
        text.extend(kernel("last", 7, "40", "5").bytes());
        text.extend(b"\n]}");
        let trace = open(&text);
        let shown = String::from_utf8_lossy(bad);
        let got = names(&trace);
        assert_eq!(got.len(), 4, "{shown}: {got:?}");
        assert_eq!((&*got[0], &*got[2], &*got[3]), ("before", "after", "last"));
        assert_eq!(got[1], shown.replace("\\n", "\n"), "{shown}");
        let repaired = trace.health.count(IssueKind::RepairedJson)
            + trace.health.count(IssueKind::InvalidUtf8);
        assert!(repaired > 0, "{shown}");
        if let Some(issue) = trace
            .health
            .find(IssueKind::RepairedJson, trace.ranks[0].file)
        {
            let at = usize::try_from(issue.first.byte.unwrap()).unwrap();
            assert!(
                text[at..].starts_with(b"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"")
                    && text[at..at + 60].windows(4).any(|w| bad.starts_with(w)),
                "{shown}"
            );
        }
    }
}

#[test]
fn damage_in_the_first_and_last_event_is_contained() {
    let bad = r#"{"ph":"X","cat":"kernel","name":"a"b","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7}}"#.to_owned();
    let good = kernel("good", 7, "30", "5");
    assert_eq!(
        names(&open(list(&[bad.clone(), good.clone()]))),
        ["a\"b", "good"]
    );
    let trace = open(list(&[good.replace(":30,", ":0.5,"), bad.clone()]));
    assert_eq!(names(&trace), ["good", "a\"b"]);
    // Keys behind the list are still read.
    let text = format!("{{\"traceEvents\":[{good},{bad}],\n\"distributedInfo\":{{\"rank\":5}}}}");
    assert_eq!(open(text).ranks[0].id, RankId(5));
}

#[test]
fn a_file_damaged_in_every_event_is_read_in_one_pass() {
    let events: Vec<String> = (0..3_000)
        .map(|i| kernel(&format!("k\"{i}"), 7, &i.to_string(), "0.5"))
        .collect();
    let trace = open(list(&events));
    assert_eq!(names(&trace).len(), 3_000);
    assert_eq!(trace.health.count(IssueKind::RepairedJson), 3_000);
}

#[test]
fn every_kind_of_frequent_damage_is_read_in_one_pass() {
    // Any work that grows with the square of the number of damaged events would take minutes here.
    let good = |i: usize| kernel("good", 7, &(2 * i).to_string(), "0.5");
    let nan = |i: usize| good(i).replace("\"device\":0", "\"device\":0,\"x\":NaN");
    let all = |odd: &dyn Fn(usize) -> Vec<u8>, every: usize| {
        let mut text = b"[".to_vec();
        for i in 0..20_000 {
            if i > 0 {
                text.push(b',');
            }
            let event = if i % every == 1 {
                odd(i)
            } else {
                good(i).into_bytes()
            };
            text.extend(event);
        }
        text.push(b']');
        open(&text)
    };
    for every in [2, 50, 3_000] {
        let damaged = u64::try_from((0..20_000).filter(|i| i % every == 1).count()).unwrap();
        let trace = all(&|i| nan(i).into_bytes(), every);
        assert_eq!(trace.health.count(IssueKind::BareWord), damaged);
        assert_eq!(names(&trace).len(), 20_000);
        let latin = |i: usize| {
            let text = good(i).into_bytes();
            text.into_iter()
                .map(|b| if b == b'g' { 0xe4 } else { b })
                .collect()
        };
        let trace = all(&latin, every);
        assert_eq!(trace.health.count(IssueKind::InvalidUtf8), damaged);
        let doubled = |i: usize| format!(",{}", good(i)).into_bytes();
        let trace = all(&doubled, every);
        assert_eq!(trace.health.count(IssueKind::Separator), damaged);
        assert_eq!(names(&trace).len(), 20_000);
        let number = |i: usize| format!("1,{}", good(i)).into_bytes();
        let trace = all(&number, every);
        assert_eq!(trace.health.count(IssueKind::NotAnObject), damaged);
        let quote = |i: usize| good(i).replace("good", "go\"od").into_bytes();
        let trace = all(&quote, every);
        assert_eq!(trace.health.count(IssueKind::RepairedJson), damaged);
        assert_eq!(names(&trace).len(), 20_000);
        let open_ended = |i: usize| good(i).replace("}}", "}").into_bytes();
        assert_eq!(names(&all(&open_ended, every)).len(), 20_000);
        let closed_twice = |i: usize| format!("{}}}", good(i)).into_bytes();
        assert_eq!(names(&all(&closed_twice, every)).len(), 20_000);
    }
}

#[test]
fn a_stray_bracket_or_a_second_document_loses_nothing() {
    let e = |i: usize| kernel(&format!("k{i}"), 7, &(2 * i).to_string(), "1");
    for text in [
        format!("{{\"traceEvents\":[{},{}],{},{}]}}", e(0), e(1), e(2), e(3)),
        format!(
            "{{\"traceEvents\":[{},{}]}},{},{}]}}",
            e(0),
            e(1),
            e(2),
            e(3)
        ),
        format!("[{},{}],{},{}]", e(0), e(1), e(2), e(3)),
        format!(
            "{{\"schemaVersion\":1,\"deviceProperties\":[{{\"id\":0\"}}}}],\"traceEvents\":[{},{},{},{}]}}",
            e(0),
            e(1),
            e(2),
            e(3)
        ),
    ] {
        let trace = open(&text);
        assert_eq!(names(&trace), ["k0", "k1", "k2", "k3"], "{text}");
        assert!(trace.health.worst() > Some(Severity::Info), "{text}");
    }
}

#[test]
fn an_event_without_an_end_is_not_kept_in_memory() {
    // 80 MB of an open string, then another event.
    let mut text = format!("[{},{{\"ph\":\"X\",\"name\":\"", kernel("a", 7, "0", "1")).into_bytes();
    text.resize(80 << 20, b'x');
    text.extend(format!("}},{}]", kernel("b", 7, "5", "1")).into_bytes());
    let trace = open(gz(&text));
    assert_eq!(names(&trace), ["a", "b"]);
    assert_eq!(trace.health.count(IssueKind::UnreadableEvent), 1);
}

#[test]
fn missing_brackets_inside_an_event_cost_nothing_else() {
    let cut = r#"{"ph":"X","cat":"kernel","name":"cut","pid":0,"tid":7,"ts":2,"dur":1,"args":{"stream":7}"#;
    let text = list(&[
        kernel("a", 7, "0", "1"),
        cut.to_owned(),
        kernel("b", 7, "5", "1"),
    ]);
    assert_eq!(names(&open(text)), ["a", "cut", "b"]);
    // Every event without its last brace.
    let events: Vec<String> = (0..500)
        .map(|i| cut.replace("\"ts\":2", &format!("\"ts\":{}", 2 * i)))
        .collect();
    assert_eq!(names(&open(list(&events))).len(), 500);
}

// I2: words that JSON does not have.

#[test]
fn bare_words_keep_the_event_and_empty_times_are_counted() {
    for word in ["NaN", "Infinity", "inf", "-inf", "nan", "N/A"] {
        let in_args = format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{{"stream":7,"x":{word}}}}}"#
        );
        let as_dur = kernel("lost", 7, "5", word);
        let as_ts = kernel("lost", 7, word, "5");
        let text = list(&[in_args, as_dur, as_ts, kernel("good", 7, "9", "1")]);
        let trace = open(text);
        assert_eq!(names(&trace), ["k", "good"], "{word}");
        assert_eq!(trace.health.count(IssueKind::BareWord), 3, "{word}");
        let unplaced =
            trace.health.count(IssueKind::MissingTime) + trace.health.count(IssueKind::BadTime);
        assert_eq!(unplaced, 2, "{word}");
        let quoted = list(&[
            kernel("lost", 7, &format!("\"{word}\""), "5"),
            kernel("good", 7, "9", "1"),
        ]);
        assert_eq!(open(quoted).health.count(IssueKind::BadTime), 1, "{word}");
    }
}

// I3: files that end early.

#[test]
fn every_cut_keeps_all_complete_events() {
    let events: Vec<String> = (0..4)
        .map(|i| kernel(&format!("k{i}"), 7, &(10 * i).to_string(), "5"))
        .collect();
    let text = list(&events);
    let ends: Vec<usize> = events
        .iter()
        .map(|e| text.find(e.as_str()).unwrap() + e.len())
        .collect();
    for cut in ends[0]..text.len() {
        let trace = open(&text[..cut]);
        let complete = ends.iter().filter(|e| **e <= cut).count();
        assert_eq!(names(&trace).len(), complete, "cut at {cut}");
        assert_eq!(
            trace.health.count(IssueKind::Truncated) > 0,
            cut < text.trim_end().len(),
            "cut at {cut}"
        );
    }
}

#[test]
fn trailing_and_missing_commas_are_tolerated() {
    let (a, b) = (kernel("a", 7, "0", "1"), kernel("b", 7, "5", "1"));
    for text in [
        format!("[{a},{b},]"),
        format!("[{a},,{b}]"),
        format!("[{a} {b}]"),
        format!("[,{a},{b}]"),
        format!("{{\"traceEvents\":[{a},{b},],}}"),
    ] {
        let trace = open(&text);
        assert_eq!(names(&trace), ["a", "b"], "{text}");
        assert!(trace.health.count(IssueKind::Separator) > 0, "{text}");
    }
}

#[test]
fn a_truncated_gzip_keeps_what_was_decompressed() {
    let events: Vec<String> = (0..2_000)
        .map(|i| kernel(&format!("name {i}"), 7, &i.to_string(), "0.5"))
        .collect();
    let packed = gz(list(&events).as_bytes());
    let trace = open(&packed[..packed.len() / 2]);
    let n = names(&trace).len();
    assert!((100..2_000).contains(&n), "{n}");
    assert_eq!(trace.health.count(IssueKind::DamagedCompression), 1);
    // The same of a text that fits the first block.
    let small = gz(list(&[kernel("a", 7, "0", "1")]).as_bytes());
    let mut wrong = small.clone();
    let at = wrong.len() - 8;
    wrong[at] ^= 1;
    let trace = open(&wrong);
    assert_eq!(
        (
            names(&trace).len(),
            trace.health.count(IssueKind::DamagedCompression)
        ),
        (1, 1)
    );
    // A flipped checksum: all data is there and the damage is told.
    let mut flipped = packed.clone();
    let at = flipped.len() - 6;
    flipped[at] ^= 0xff;
    let trace = open(&flipped);
    assert_eq!(names(&trace).len(), 2_000);
    assert_eq!(trace.health.count(IssueKind::DamagedCompression), 1);
}

// I4: forms of the top level.

#[test]
fn top_level_forms_load_alike() {
    let (a, b) = (kernel("a", 7, "0", "1"), kernel("b", 7, "5", "1"));
    for text in [
        format!("[{a},{b}]"),
        format!("\u{feff} [{a},{b}]"),
        format!("{{\"traceEvents\":[{a},{b}]}}"),
        format!(
            "{{\"x\":{{\"traceEvents\":[]}},\"list\":[1,{{}}],\"traceEvents\":[{a},{b}],\"distributedInfo\":{{\"rank\":3}}}}"
        ),
        format!(
            "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[{a},null,{b},[1],\"x\",3,{{}}],\"z\":null}}\n\n"
        ),
        format!("{{\"traceName\":\"C:\\dir\\\", \"traceEvents\" : [{a},{b}]}}"),
    ] {
        assert_eq!(
            kernels(&open(&text)),
            [("a".into(), 0, 1_000), ("b".into(), 5_000, 6_000)],
            "{text}"
        );
    }
}

#[test]
fn unknown_phases_and_elements_are_counted() {
    let text = r#"[{"ph":"Q","name":"?","ts":1},{"ph":"b","id":1,"ts":1},null,[1,2],"x",{"name":"no phase"}]"#;
    let trace = open(text);
    assert_eq!(trace.health.count(IssueKind::UnknownPhase), 3);
    assert_eq!(trace.health.count(IssueKind::NotAnObject), 3);
    assert_eq!(trace.events, 6);
}

// I5: compression by content.

#[test]
fn compression_is_decided_by_content() {
    let text = list(&[kernel("a", 7, "0", "1")]);
    let dir = TempDir::new().unwrap();
    let two_members = [gz(&text.as_bytes()[..30]), gz(&text.as_bytes()[30..])].concat();
    let padded = [gz(text.as_bytes()), vec![0; 512]].concat();
    let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let two_frames = [
        zstd::encode_all(&text.as_bytes()[..30], 3).unwrap(),
        zstd::encode_all(&text.as_bytes()[30..], 3).unwrap(),
    ]
    .concat();
    let cases: [(&str, Vec<u8>); 8] = [
        ("plain.json.gz", text.clone().into_bytes()),
        ("packed.json", gz(text.as_bytes())),
        ("members.json", two_members),
        ("padded.gz", padded),
        ("twice.json.gz", gz(&gz(text.as_bytes()))),
        ("frame.json", zstd),
        ("frames.json.gz", two_frames),
        ("one.json", zip_of(&[("t.json", text.as_bytes())])),
    ];
    for (name, bytes) in &cases {
        let path = write(&dir, name, bytes);
        let trace = try_load(&[&path]).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(names(&trace), ["a"], "{name}");
    }
}

#[test]
fn a_gzip_header_with_every_field_is_read() {
    // FEXTRA, FNAME, FCOMMENT and FHCRC, as RFC 1952 allows.
    let text = list(&[kernel("a", 7, "0", "1")]);
    let mut encoder = flate2::GzBuilder::new()
        .filename("a.json")
        .comment("a comment")
        .extra(vec![1, 2, 3, 4])
        .write(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    assert_eq!(names(&open(encoder.finish().unwrap())), ["a"]);
}

#[test]
fn a_zip_of_traces_loads_as_ranks() {
    let (a, b) = (
        list(&[kernel("a", 7, "0", "1")]),
        list(&[kernel("b", 7, "5", "1")]),
    );
    let packed = gz(b.as_bytes());
    let dir = TempDir::new().unwrap();
    let path = write(
        &dir,
        "job.zip",
        &zip_of(&[
            ("rank-4.json", a.as_bytes()),
            ("sub/rank-2.json.gz", &packed),
        ]),
    );
    let trace = try_load(&[&path]).unwrap();
    let ids: Vec<u32> = trace.ranks.iter().map(|r| r.id.0).collect();
    assert_eq!(ids, [2, 4]);
    // Args are reachable inside the archive as well.
    let at = SliceRef {
        rank: RankId(2),
        slice: trace.ranks[0].slices.iter().next().unwrap().id(),
    };
    let shown = event_text(&trace, at).unwrap();
    assert!(
        shown.args.contains(&("stream".to_owned(), "7".to_owned())),
        "{shown:?}"
    );
}

// I6: exact times in any number form.

#[test]
fn times_are_exact_in_every_number_form() {
    let forms = [
        (
            "1682725898237042.123",
            "0.001",
            1_682_725_898_237_042_123,
            1,
        ),
        ("1682725898237043", "5", 1_682_725_898_237_043_000, 5_000),
        (
            "1.682725898237044e15",
            "1.5e1",
            1_682_725_898_237_044_000,
            15_000,
        ),
        (
            "\"1682725898237070.25\"",
            "\"2.5\"",
            1_682_725_898_237_070_250,
            2_500,
        ),
        (
            "1682725898237080.0004",
            "0.0005",
            1_682_725_898_237_080_000,
            1,
        ),
    ];
    let events: Vec<String> = forms.iter().map(|f| kernel("k", 7, f.0, f.1)).collect();
    for unit in ["ms", "ns"] {
        let text = format!(
            "{{\"displayTimeUnit\":\"{unit}\",\"traceEvents\":[{}]}}",
            events.join(",")
        );
        let got: Vec<(i64, i64)> = kernels(&open(text))
            .iter()
            .map(|k| (k.1, k.2 - k.1))
            .collect();
        let want: Vec<(i64, i64)> = forms.iter().map(|f| (f.2, f.3)).collect();
        assert_eq!(got, want);
    }
}

#[test]
fn values_that_are_no_time_are_counted_and_not_placed() {
    let text = list(&[
        kernel("k", 7, "\"x\"", "1"),
        kernel("k", 7, "1", "[1]"),
        kernel("k", 7, "1e300", "1"),
        kernel("k", 7, "null", "1"),
        kernel("good", 7, "1", "1"),
    ]);
    let trace = open(text);
    assert_eq!(names(&trace), ["good"]);
    assert_eq!(trace.health.count(IssueKind::BadTime), 2);
    assert_eq!(trace.health.count(IssueKind::TimeOutOfRange), 1);
    assert_eq!(trace.health.count(IssueKind::MissingTime), 1);
}

// I7: bases and alignment.

#[test]
fn ranks_with_and_without_a_base_share_one_axis() {
    let dir = TempDir::new().unwrap();
    let based = format!(
        "{{\"traceEvents\":[{}],\"baseTimeNanoseconds\":1700000000000000000,\"distributedInfo\":{{\"rank\":0}}}}",
        kernel("based", 7, "1000.5", "10")
    );
    let absolute = format!(
        "{{\"distributedInfo\":{{\"rank\":1}},\"traceEvents\":[{}]}}",
        kernel("absolute", 7, "1700000000000500.000", "10")
    );
    let relative = format!(
        "{{\"distributedInfo\":{{\"rank\":2}},\"traceEvents\":[{}]}}",
        kernel("relative", 7, "77", "10")
    );
    let paths = [
        write(&dir, "a.json", based.as_bytes()),
        write(&dir, "b.json", absolute.as_bytes()),
        write(&dir, "c.json", relative.as_bytes()),
    ];
    let trace = try_load(&[&paths[0], &paths[1], &paths[2]]).unwrap();
    let starts: Vec<i64> = kernels(&trace).iter().map(|k| k.1).collect();
    let first = 1_700_000_000_000_500_000;
    assert_eq!(starts, [1_700_000_000_001_000_500, first, first]);
    assert_eq!(trace.health.count(IssueKind::AlignedAtStart), 1);
    assert_eq!(trace.capture().unwrap().start(), Ns(first));
    // One relative file alone is not moved.
    let alone = try_load(&[&paths[2]]).unwrap();
    assert_eq!(kernels(&alone)[0].1, 77_000);
    assert_eq!(alone.health.count(IssueKind::AlignedAtStart), 0);
}

// I8: order, pairs, flows.

#[test]
fn begin_and_end_pair_up_in_any_order() {
    let event = |ph: &str, name: &str, tid: &str, ts: &str| {
        format!(r#"{{"ph":"{ph}","name":"{name}","pid":1,"tid":{tid},"ts":{ts}}}"#)
    };
    let text = list(&[
        event("E", "inner", "1", "8"),
        event("B", "outer", "1", "0"),
        event("B", "inner", "1", "5"),
        event("E", "outer", "1", "20"),
        event("B", "other", "\"CPU functions\"", "3"),
        event("E", "?", "2", "1"),
    ]);
    let trace = open(text);
    let rank = &trace.ranks[0];
    let mut found: Vec<(String, i64, i64, u16)> = rank
        .slices
        .iter()
        .map(|s| {
            (
                trace.names.get(s.name()).to_owned(),
                s.start().0,
                s.end().0,
                s.row(),
            )
        })
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            ("inner".into(), 5_000, 8_000, 1),
            ("other".into(), 3_000, 20_000, 0),
            ("outer".into(), 0, 20_000, 0),
        ]
    );
    assert_eq!(trace.health.count(IssueKind::UnclosedBegin), 1);
    assert_eq!(trace.health.count(IssueKind::OrphanEnd), 1);
    assert_eq!(rank.threads.len(), 2);
}

#[test]
fn an_open_step_ends_with_the_valid_slices_not_with_an_astray_one() {
    let mut events: Vec<String> = (0..40)
        .map(|i| kernel("gemm", 7, &(1_000 + i * 10).to_string(), "5"))
        .collect();
    events.push(
        r#"{"ph":"B","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":990}"#
            .into(),
    );
    events.push(kernel("far", 7, "9000000000000", "5"));
    let trace = open(list(&events));
    let step = trace.ranks[0].host_steps[0];
    assert!(step.partial);
    assert_eq!(step.window, Window::new(Ns(990_000), Ns(1_395_000)));
    assert_eq!(trace.health.count(IssueKind::Astray), 1);
}

#[test]
fn equal_times_keep_the_files_order_and_flows_and_counters_stay() {
    let mut events: Vec<String> = ["c", "a", "b"]
        .iter()
        .map(|n| kernel(n, 7, "5", "0"))
        .collect();
    events.push(kernel("early", 7, "1", "1"));
    events.push(r#"{"ph":"s","cat":"ac2g","id":4,"pid":1,"tid":1,"ts":1}"#.into());
    events.push(r#"{"ph":"f","cat":"ac2g","id":"x9","pid":0,"tid":7,"ts":2,"bp":"e"}"#.into());
    events.push(r#"{"ph":"C","name":"mem","pid":1,"ts":3,"args":{"used":5,"bad":"N/A"}}"#.into());
    events.push(r#"{"ph":"i","name":"mark","pid":1,"tid":1,"ts":4,"s":"t"}"#.into());
    let trace = open(list(&events));
    assert_eq!(names(&trace), ["early", "c", "a", "b"]);
    let rank = &trace.ranks[0];
    assert_eq!((rank.flows.len(), rank.instants.len()), (2, 1));
    assert_eq!(rank.counters.len(), 1);
    assert_eq!(rank.counters[0].samples.len(), 1);
    assert_eq!(trace.health.count(IssueKind::OutOfOrder), 1);
}

// I9, I15: rows by category, and files with nothing but kernels.

#[test]
fn the_kind_of_row_comes_from_category_and_args() {
    let old = |cat: &str, name: &str, tid: &str, ts: i64| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":"0","tid":{tid},"ts":{ts},"dur":1}}"#
        )
    };
    let text = list(&[
        old("Kernel", "gemm", "\"stream 7\"", 1),
        old("Memcpy", "copy", "\"stream 20\"", 2),
        old("Runtime", "cudaLaunchKernel", "\"123\"", 3),
        old("cuda_sync", "Stream Sync", "7", 4),
        old("kernel", "no stream", "\"CPU functions\"", 5),
        r#"{"ph":"X","cat":"cpu_op","name":"triton","pid":0,"tid":0,"ts":6,"dur":1,"args":{"stream":0}}"#.into(),
        r#"{"ph":"X","cat":"kernel","name":"minus","pid":0,"tid":-1,"ts":7,"dur":1,"args":{"stream":-1}}"#.into(),
        r#"{"ph":"X","cat":"kernel","name":"zero","pid":0,"tid":0,"ts":8,"dur":1}"#.into(),
    ]);
    let trace = open(text);
    let device = &trace.ranks[0].devices[0];
    let streams: Vec<i64> = device.streams.iter().map(|s| s.id.0).collect();
    assert_eq!(streams, [0, 7, 20]);
    assert_eq!(names(&trace), ["zero", "gemm", "copy"]);
    assert_eq!(trace.health.count(IssueKind::NoStream), 2);
    assert_eq!(busy(&trace, 0), DurNs(3_000));
}

#[test]
fn kernels_alone_make_a_trace() {
    let trace = open(list(&[kernel("gemm", 7, "0", "10")]));
    let device = &trace.ranks[0].devices[0];
    assert!(device.steps.is_empty() && device.name.is_none());
    assert_eq!(trace.health.count(IssueKind::NoSteps), 1);
    assert_eq!(trace.health.count(IssueKind::NoLaunch), 1);
}

// I10, I11: overlap within a stream, odd durations.

#[test]
fn overlapping_kernels_of_one_stream_stay_whole() {
    let trace = open(list(&[
        kernel("A", 7, "10", "4.5"),
        kernel("B", 7, "13", "3"),
    ]));
    let device = &trace.ranks[0].devices[0];
    assert_eq!(device.streams[0].rows, 2);
    assert_eq!(busy(&trace, 0), DurNs(6_000));
    assert_eq!(device.activity.duration_sum(device.extent), DurNs(7_500));
    assert_eq!(trace.health.count(IssueKind::StreamOverlap), 1);
}

#[test]
fn zero_durations_are_ticks_and_negative_ones_are_invalid() {
    let trace = open(list(&[
        kernel("tick", 7, "5", "0"),
        kernel("back", 7, "9", "-1"),
        kernel("gemm", 7, "1", "2"),
    ]));
    assert_eq!(names(&trace), ["gemm", "tick"]);
    assert_eq!(busy(&trace, 0), DurNs(2_000));
    let device = &trace.ranks[0].devices[0];
    // The tick at the last end of the extent belongs to it.
    assert_eq!(device.activity.kernels(device.extent), 2);
    assert_eq!(trace.health.count(IssueKind::NegativeDuration), 1);
}

// I12: absurd places.

#[test]
fn astray_kernels_leave_extent_and_figures_alone() {
    let base = 1_700_000_000_000_000_i64;
    let mut events: Vec<String> = (0..40)
        .map(|i| kernel("gemm", 7, &(base + i * 10).to_string(), "5"))
        .collect();
    events.push(kernel("zero", 7, "0", "5"));
    events.push(kernel(
        "far",
        7,
        &(base + 90_000_000_000_000).to_string(),
        "5",
    ));
    events.push(kernel("week", 7, &(base + 50).to_string(), "604800000001"));
    let trace = open(list(&events));
    let device = &trace.ranks[0].devices[0];
    assert_eq!(
        device.extent,
        Window::new(Ns(base * 1_000), Ns(base * 1_000 + 395_000))
    );
    assert_eq!(busy(&trace, 0), DurNs(200_000));
    assert_eq!(device.activity.kernels(device.extent), 40);
    assert_eq!(trace.health.count(IssueKind::Astray), 3);
    assert_eq!(trace.ranks[0].astray.len(), 3);
}

// I13: graph launches.

#[test]
fn one_launch_links_to_all_kernels_of_a_graph() {
    let mut events = vec![
        r#"{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":0,"dur":1,"args":{"correlation":0}}"#.to_owned(),
    ];
    events.extend((0..300).map(|i| {
        kernel("k", 7, &(10 + i).to_string(), "1")
            .replace("\"device\"", "\"correlation\":0,\"device\"")
    }));
    let trace = open(list(&events));
    let rank = &trace.ranks[0];
    assert_eq!(rank.links.kernels(0).len(), 300);
    let launch = rank.slices.get(rank.links.launch(0).unwrap()).unwrap();
    assert_eq!(trace.names.get(launch.name()), "cudaGraphLaunch");
    assert_eq!(rank.devices[0].streams[0].slices.len(), 300);
    assert_eq!(trace.health.count(IssueKind::NoLaunch), 0);
}

// I14: ranks.

#[test]
fn a_folder_of_ranks_names_the_bad_file_and_never_overwrites() {
    let dir = TempDir::new().unwrap();
    let stated = |rank: u32, name: &str| {
        format!(
            "{{\"distributedInfo\":{{\"rank\":{rank},\"world_size\":8}},\"traceEvents\":[{}]}}",
            kernel(name, 7, "1700000000000000", "1")
        )
    };
    write(&dir, "a.json", stated(0, "first").as_bytes());
    write(&dir, "b.json", stated(0, "second").as_bytes());
    write(
        &dir,
        "rank-5.json",
        list(&[kernel("named", 7, "1700000000000000", "1")]).as_bytes(),
    );
    write(&dir, "rank-6.json", b"<html>not here</html>");
    write(&dir, "notes.txt", b"no trace");
    let trace = try_load(&[dir.path()]).unwrap();
    let ids: Vec<u32> = trace.ranks.iter().map(|r| r.id.0).collect();
    assert_eq!(ids, [0, 1, 5]);
    assert_eq!(names(&trace), ["first", "second", "named"]);
    assert_eq!(trace.health.count(IssueKind::DuplicateRank), 1);
    let bad = trace.files.iter().find(|f| f.error.is_some()).unwrap();
    assert!(bad.error.as_ref().unwrap().contains("rank-6.json"));
    assert_eq!(trace.health.count(IssueKind::BadFile), 1);
    let missing = trace
        .health
        .issues()
        .iter()
        .find(|i| i.kind == IssueKind::MissingRanks)
        .unwrap();
    assert_eq!(missing.count, 5);
    assert_eq!(missing.first.what, "ranks 2-4, 6-7 of 8");
}

#[test]
fn a_world_of_billions_costs_nothing() {
    let dir = TempDir::new().unwrap();
    let file = |rank: u32| {
        format!(
            "{{\"distributedInfo\":{{\"rank\":{rank},\"world_size\":4294967295}},\"traceEvents\":[{}]}}",
            kernel("k", 7, "1700000000000000", "1")
        )
    };
    let paths = [
        write(&dir, "a.json", file(3).as_bytes()),
        write(&dir, "b.json", file(9).as_bytes()),
    ];
    let trace = try_load(&[&paths[0], &paths[1]]).unwrap();
    let missing = trace
        .health
        .issues()
        .iter()
        .find(|i| i.kind == IssueKind::MissingRanks)
        .unwrap();
    assert_eq!(missing.count, 4_294_967_293);
    assert_eq!(
        missing.first.what,
        "ranks 0-2, 4-8, 10-4294967294 of 4294967295"
    );
}

// I16: odd values keep the event.

#[test]
fn odd_args_keep_the_event() {
    for args in [
        r#"{"stream":7,"Comms Id":10159970886766084423,"x":123456789012345678901234567890}"#,
        r#"{"stream":7,"list":[1,[2,{"a":null}]],"n":null}"#,
        r#"{"stream":"7","correlation":18446744073709551615}"#,
        "null",
        "[1,2]",
        r#""text""#,
    ] {
        let event = format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{args}}}"#
        );
        assert_eq!(names(&open(list(&[event]))), ["k"], "{args}");
    }
    let missing = r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1}"#;
    assert_eq!(names(&open(list(&[missing.into()]))), ["k"]);
}

#[test]
fn args_are_read_again_exactly_as_written() {
    let dir = TempDir::new().unwrap();
    let event = r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7,"Comms Id":10159970886766084423,"grid":[1,2,3],"note":"a\"b"}}"#;
    let text = list(&[kernel("first", 7, "0", "1"), event.to_owned()]);
    for (name, bytes) in [
        ("plain.json", text.clone().into_bytes()),
        ("packed.json.gz", gz(text.as_bytes())),
    ] {
        let path = write(&dir, name, &bytes);
        let trace = try_load(&[&path]).unwrap();
        let slice = trace.ranks[0]
            .slices
            .iter()
            .find(|s| trace.names.get(s.name()) == "k")
            .unwrap()
            .id();
        let at = SliceRef {
            rank: trace.ranks[0].id,
            slice,
        };
        let shown = event_text(&trace, at).unwrap();
        assert_eq!(shown.raw, event, "{name}");
        let args: Vec<(&str, &str)> = shown.args.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(
            args,
            [
                ("stream", "7"),
                ("Comms Id", "10159970886766084423"),
                ("grid", "[1,2,3]"),
                ("note", "a\"b")
            ]
        );
        // A file that changed since is not misread.
        std::fs::write(&path, [bytes.as_slice(), b" "].concat()).unwrap();
        assert!(
            event_text(&trace, at)
                .unwrap_err()
                .to_string()
                .contains("reload"),
            "{name}"
        );
    }
}

// I17: what is no trace gets one sentence.

#[test]
fn what_is_no_trace_is_named() {
    let tar = {
        let mut t = vec![0_u8; 512];
        t[..5].copy_from_slice(b"a.txt");
        t[257..262].copy_from_slice(b"ustar");
        t
    };
    let cases: [(&str, &[u8], &str); 17] = [
        ("empty.json", b"", "empty"),
        ("blank.json", b" \n ", "empty"),
        ("page.json", b"<!DOCTYPE html><html></html>", "HTML"),
        ("notes.txt", b"hello there", "neither a JSON object nor"),
        (
            "config.json",
            b"{\"a\":1,\"b\":[1,2]}",
            "without a traceEvents",
        ),
        (
            "report.nsys-rep",
            b"NVIDIA Tegra \x00\x01",
            "Nsight Systems report",
        ),
        (
            "report.sqlite",
            b"SQLite format 3\0 ... CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL",
            "Nsight Systems SQLite",
        ),
        (
            "prof.rpd",
            b"SQLite format 3\0 ... CREATE TABLE rocpd_api",
            "ROCm profile database",
        ),
        (
            "other.db",
            b"SQLite format 3\0 ... CREATE TABLE users",
            "SQLite database",
        ),
        (
            "trace.pftrace",
            &[0x0a, 0x56, 0x32, 0x4e, 0x10, 0x06, 0x0a, 0x0a, 0x80, 0xff],
            "Perfetto",
        ),
        (
            "host.xplane.pb",
            b"\n\x12\x08\x01\x12\x0c/host:CPU\xff",
            "XPlane",
        ),
        (
            "memory.raw",
            b"[[0, 1, 512, 2], [1, 2, 3, 4]]",
            "memory timeline",
        ),
        ("snap.pickle", &[0x80, 4, 0x95, 0, 0, 0], "pickle"),
        (
            "rocprof.json",
            b"{\"rocprofiler-sdk-tool\": [{\"metadata\": 1}]}",
            "rocprofv3",
        ),
        ("wide.json", &[0xff, 0xfe, b'[', 0], "UTF-16"),
        ("logs.tar", &tar, "tar archive"),
        ("random.bin", &[0x7f, b'E', b'L', b'F', 0, 1, 2], "binary"),
    ];
    for (name, bytes, expected) in cases {
        let sentence = refuse(name, bytes);
        assert!(sentence.contains(expected), "{name}: {sentence}");
        // The same inside gzip.
        let sentence = refuse(name, &gz(bytes));
        assert!(sentence.contains(expected), "{name} in gzip: {sentence}");
    }
    assert!(refuse("cut.zip", b"PK\x03\x04 and nothing else").contains("zip"));
    assert!(refuse("cut.gz", &gz(b"")[..8]).contains("cut.gz"));
    let dir = TempDir::new().unwrap();
    let sentence = try_load(&[dir.path()]).unwrap_err().to_string();
    assert!(
        sentence.contains("no trace files in this folder"),
        "{sentence}"
    );
    let missing = try_load(&[&dir.path().join("none.json")])
        .unwrap_err()
        .to_string();
    assert!(
        missing.contains("none.json") && missing.contains("cannot be read"),
        "{missing}"
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_instead_of_waited_for() {
    let dir = TempDir::new().unwrap();
    let pipe = dir.path().join("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|s| s.success()) {
        println!("skipped: no mkfifo");
        return;
    }
    let alone = try_load(&[&pipe]).unwrap_err().to_string();
    assert!(
        alone.contains("pipe.json") && alone.contains("not a regular file"),
        "{alone}"
    );
    write(
        &dir,
        "good.json",
        list(&[kernel("a", 7, "0", "1")]).as_bytes(),
    );
    assert_eq!(names(&try_load(&[dir.path()]).unwrap()), ["a"]);
}

#[test]
fn white_space_before_a_trace_is_no_empty_file() {
    let text = format!(
        "{}{}",
        " \n".repeat(50_000),
        list(&[kernel("a", 7, "0", "1")])
    );
    assert_eq!(names(&open(text)), ["a"]);
}

#[test]
fn an_object_without_an_end_is_refused_with_its_place() {
    let sentence = refuse("cut.json", b"{\"schemaVersion\":1, \"traceEv");
    assert!(sentence.contains("traceEvents"), "{sentence}");
}

// I18: durations that cannot be true.

#[test]
fn a_kernel_over_many_later_ones_is_flagged_and_clipped_only_by_choice() {
    let mut events: Vec<String> = (0..20)
        .map(|i| kernel("gemm", 7, &(i * 10).to_string(), "5"))
        .collect();
    events.push(kernel("gemm", 7, "51", "1000"));
    let trace = open(list(&events));
    let rank = &trace.ranks[0];
    assert_eq!(rank.suspicious.len(), 1);
    // It starts at 51, the next start of the stream is 60: 9 of 1,000 µs stay.
    assert_eq!(rank.suspicious[0].at_stake, DurNs(991_000));
    let device = &rank.devices[0];
    let run = |clip| device.activity(clip).measure(device.extent).sum(|m| m != 0);
    // As recorded: five gaps of 5 before 50, then busy from 50 to 1,051.
    assert_eq!(run(false), DurNs(5 * 5_000 + 1_001_000));
    // Clipped: 20 kernels of 5, the long one adds 55 to 60.
    assert_eq!(run(true), DurNs(20 * 5_000 + 5_000));
    let issue = &trace
        .health
        .find(IssueKind::SuspiciousDuration, rank.file)
        .unwrap();
    assert_eq!(
        (issue.count, issue.time_at_stake),
        (1, Some(DurNs(991_000)))
    );
}

#[test]
fn many_kernels_at_once_are_judged_in_one_pass() {
    // 30,000 kernels that all overlap, and 30,000 that start together.
    let mut events: Vec<String> = (0..30_000)
        .map(|i| kernel("k", 7, &i.to_string(), "100000"))
        .collect();
    events.extend((0..30_000).map(|i| kernel("same", 9, "500", &(i + 1).to_string())));
    let trace = open(list(&events));
    assert!(trace.ranks[0].suspicious.is_empty());
    // As many streams and devices.
    let events: Vec<String> = (0..30_000)
        .map(|i| {
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":1,"ts":{i},"dur":1,"args":{{"device":{},"stream":{i}}}}}"#,
                i / 2
            )
        })
        .collect();
    assert_eq!(open(list(&events)).ranks[0].devices.len(), 15_000);
}

#[test]
fn long_kernels_without_later_starts_or_with_long_peers_are_trusted() {
    // Only seven later starts inside.
    let mut events: Vec<String> = (0..7)
        .map(|i| kernel("gemm", 7, &(10 + i * 10).to_string(), "5"))
        .collect();
    events.push(kernel("long", 7, "0", "1000"));
    assert!(open(list(&events)).ranks[0].suspicious.is_empty());
    // All of that name are long.
    let mut events: Vec<String> = (0..20)
        .map(|i| kernel("gemm", 7, &(i * 10).to_string(), "5"))
        .collect();
    events.extend((0..3).map(|i| kernel("persistent", 7, &(i * 2_000).to_string(), "1900")));
    assert!(open(list(&events)).ranks[0].suspicious.is_empty());
}

// N9, N10: which kernel is communication, and which collective.

#[test]
fn a_collective_is_told_by_args_then_op_then_name() {
    let nccl = |corr: i64, ext: i64, ts: i64, args: &str| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic(ncclDevComm*)","pid":0,"tid":20,"ts":{ts},"dur":5,"args":{{"stream":20,"correlation":{corr},"External id":{ext}{args}}}}}"#
        )
    };
    let host = |cat: &str, name: &str, ts: i64, dur: i64, args: &str| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
        )
    };
    let text = list(&[
        nccl(1, 1, 100, r#","Collective name":"_allgather_base""#),
        nccl(2, 2, 200, ""),
        nccl(3, 3, 300, ""),
        kernel("ncclKernel_ReduceScatter_RING_LL", 20, "400", "5"),
        host("cpu_op", "c10d::alltoall_", 10, 2, r#""External id":2"#),
        host(
            "cuda_runtime",
            "cudaLaunchKernel",
            20,
            2,
            r#""correlation":3"#,
        ),
        host("user_annotation", "nccl:broadcast", 15, 20, ""),
    ]);
    let trace = open(text);
    let rank = &trace.ranks[0];
    let told: Vec<(CollectiveKind, CollectiveSource)> = rank
        .comms
        .iter()
        .filter_map(|c| c.collective)
        .map(|c| (c.kind, c.source))
        .collect();
    assert_eq!(
        told,
        [
            (CollectiveKind::AllGather, CollectiveSource::Args),
            (CollectiveKind::AllToAll, CollectiveSource::LaunchingOp),
            (CollectiveKind::Broadcast, CollectiveSource::LaunchingOp),
            (CollectiveKind::ReduceScatter, CollectiveSource::KernelName),
        ]
    );
    let classes: Vec<_> = rank.slices.iter().filter_map(|s| s.class()).collect();
    assert_eq!(classes, [KernelClass::Communication; 4]);
}

#[test]
fn the_launching_op_is_found_over_many_earlier_calls() {
    let host = |cat: &str, name: &str, ts: usize, dur: usize, args: &str| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
        )
    };
    let mut events = vec![host("user_annotation", "nccl:all_gather", 0, 100_000, "")];
    events.extend((0..2_000).map(|i| host("cpu_op", "aten::add", 10 + 2 * i, 1, "")));
    events.push(host(
        "cuda_runtime",
        "cudaLaunchKernel",
        50_000,
        2,
        r#""correlation":3"#,
    ));
    events.push(
        kernel("ncclDevKernel_Generic", 20, "60000", "5")
            .replace("\"device\"", "\"correlation\":3,\"device\""),
    );
    let trace = open(list(&events));
    let told: Vec<CollectiveKind> = trace.ranks[0]
        .comms
        .iter()
        .filter_map(|c| Some(c.collective?.kind))
        .collect();
    assert_eq!(told, [CollectiveKind::AllGather]);
}

#[test]
fn a_blank_collective_name_states_nothing() {
    let blank =
        kernel("gemm", 7, "1", "1").replace("\"device\"", "\"Collective name\":\" \",\"device\"");
    let trace = open(list(&[blank]));
    let class = trace.ranks[0].slices.iter().next().unwrap().class();
    assert_eq!(class, Some(KernelClass::Computation));
}

// Cancelling.

#[test]
fn a_cancelled_load_says_so() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "t.json", list(&[kernel("a", 7, "0", "1")]).as_bytes());
    let cancel = Cancel::default();
    cancel.cancel();
    let request = LoadRequest {
        paths: vec![path],
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    let error = load(&request, &Progress::default(), &cancel).unwrap_err();
    assert!(matches!(error, IngestError::Cancelled));
}
