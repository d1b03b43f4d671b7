//! Archives that hold several files of one name, as jobs do that pack one folder a rank.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, event_text, load};
use overlane::trace::{SliceId, SliceRef, SourceFile};
use std::io::{Cursor, Write as _};
use std::sync::Arc;

fn trace_of(rank: u32, kernel: &str) -> String {
    format!(
        r#"{{"distributedInfo":{{"rank":{rank}}},"traceEvents":[{{"ph":"X","cat":"kernel","name":"{kernel}","pid":0,"tid":7,"ts":5,"dur":1,"args":{{"stream":7}}}}]}}"#
    )
}

/// An archive of these entries; the writer refuses names that are there already, so they are
/// written under names of the same length and changed in the bytes.
fn archive(entries: &[(&str, String)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, text) in entries {
        zip.start_file(*name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn renamed(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            out[at..at + to.len()].copy_from_slice(to);
        }
    }
    out
}

#[test]
fn every_entry_of_one_name_is_loaded_and_can_be_looked_at() {
    for method in [
        zip::CompressionMethod::Deflated,
        zip::CompressionMethod::Stored,
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("job.zip");
        let bytes = archive(
            &[
                ("trace_a.json", trace_of(3, "gemm_three")),
                ("trace_b.json", trace_of(1, "gemm_one")),
                ("trace_c.json", trace_of(2, "gemm_two")),
            ],
            method,
        );
        let bytes = renamed(&bytes, b"trace_b.json", b"trace_a.json");
        std::fs::write(&path, renamed(&bytes, b"trace_c.json", b"trace_a.json")).unwrap();
        let request = LoadRequest {
            paths: vec![path],
            rules: Arc::new(Rules::builtin()),
            options: LoadOptions::default(),
        };
        let trace = load(&request, &Progress::default(), &Cancel::default()).unwrap();
        let names: Vec<String> = trace.files.iter().map(SourceFile::display_name).collect();
        assert_eq!(
            names,
            [
                "job.zip:trace_a.json",
                "job.zip:trace_a.json (2)",
                "job.zip:trace_a.json (3)"
            ]
        );
        let ranks: Vec<u32> = trace.ranks.iter().map(|r| r.id.0).collect();
        assert_eq!(ranks, [1, 2, 3]);
        for (rank, kernel) in trace
            .ranks
            .iter()
            .zip(["gemm_one", "gemm_two", "gemm_three"])
        {
            let at = SliceRef {
                rank: rank.id,
                slice: SliceId(0),
            };
            let text = event_text(&trace, at).unwrap();
            assert!(text.raw.contains(kernel), "{}", text.raw);
        }
    }
}
