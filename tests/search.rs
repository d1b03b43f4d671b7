//! Searching: hits against a plain walk over all slices, and in the words of the files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::time::{Ns, Window};
use overlane::trace::{Hits, SliceRef, Trace};
use proptest::prelude::*;
use support::TraceBuilder;

/// Every slice whose name holds a text, by start, rank and number.
fn plainly(trace: &Trace, text: &str) -> Vec<SliceRef> {
    let mut all: Vec<(Ns, SliceRef)> = Vec::new();
    for rank in &trace.ranks {
        for slice in rank.slices.range(0..rank.astray.start) {
            if trace.names.get(slice.name()).contains(text) {
                let at = SliceRef {
                    rank: rank.id,
                    slice: slice.id(),
                };
                all.push((slice.start(), at));
            }
        }
    }
    all.sort();
    all.into_iter().map(|(_, at)| at).collect()
}

fn hits(trace: &Trace, text: &str) -> Hits {
    Hits::by_name(trace, &|name| name.contains(text))
}

#[test]
fn hits_are_walked_in_time_and_round_the_end() {
    let trace = TraceBuilder::new()
        .rank(0)
        .kernel("gemm_a", 10, 20)
        .kernel("add", 20, 30)
        .kernel("gemm_b", 40, 50)
        .rank(1)
        .stream(9)
        .kernel("gemm_c", 15, 60)
        .build();
    let found = hits(&trace, "gemm");
    assert_eq!(found.len(), 3);
    let name = |at: Option<SliceRef>| trace.names.get(trace.slice(at.unwrap()).unwrap().name());
    let first = found.next(&trace, Ns(0), None);
    assert_eq!(name(first), "gemm_a");
    let second = found.next(&trace, Ns(0), first);
    assert_eq!(name(second), "gemm_c");
    let third = found.next(&trace, Ns(0), second);
    assert_eq!(name(third), "gemm_b");
    assert_eq!(found.next(&trace, Ns(0), third), first);
    assert_eq!(found.previous(&trace, Ns(0), first), third);
    assert_eq!(found.previous(&trace, Ns(15), None), first);
    // At the very start of a view, and from a slice that is no hit.
    assert_eq!(name(found.next(&trace, Ns(15), None)), "gemm_c");
    let add = plainly(&trace, "add")[0];
    assert_eq!(name(found.next(&trace, Ns(0), Some(add))), "gemm_b");
    assert_eq!(name(found.previous(&trace, Ns(0), Some(add))), "gemm_c");
    assert_eq!(found.number(&trace, third.unwrap()), Some(2));
    assert_eq!(found.number(&trace, add), None);
    assert!(hits(&trace, "softmax").is_empty());
    assert_eq!(hits(&trace, "softmax").next(&trace, Ns(0), None), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_order_agrees_with_a_plain_walk(
        slices in prop::collection::vec((0..2_u32, 0..3_i64, 0..200_i64, 0..30_i64, 0..3_u8), 1..40),
        view in (0..200_i64, 1..80_i64),
    ) {
        let mut slices = slices;
        slices.sort_unstable();
        let mut drawing = TraceBuilder::new();
        let mut last = 0;
        for (rank, stream, start, len, name) in slices {
            if rank != last {
                drawing = drawing.rank(rank);
                last = rank;
            }
            drawing = drawing.stream(stream).kernel(["a", "ab", "b"][usize::from(name)], start, start + len);
        }
        let trace = drawing.build();
        let (found, plain) = (hits(&trace, "b"), plainly(&trace, "b"));
        prop_assert_eq!(found.len(), plain.len());
        for (i, at) in plain.iter().enumerate() {
            let after = plain[(i + 1) % plain.len()];
            prop_assert_eq!(found.next(&trace, Ns(0), Some(*at)), Some(after));
            prop_assert_eq!(found.previous(&trace, Ns(0), Some(after)), Some(*at));
            prop_assert_eq!(found.number(&trace, *at), Some(i));
        }
        let mut listed: Vec<SliceRef> = (0..found.len()).map(|i| found.get(i).unwrap()).collect();
        prop_assert_eq!(found.get(found.len()), None);
        listed.sort_by_key(|at| (trace.slice(*at).unwrap().start(), *at));
        prop_assert_eq!(&listed, &plain);
        // Everything that starts in a view is told.
        let view = Window::new(Ns(view.0), Ns(view.0 + view.1));
        for rank in &trace.ranks {
            for stream in rank.devices.iter().flat_map(|d| &d.streams) {
                let told = found.in_view(rank, &stream.slices, view);
                for at in plain.iter().filter(|at| at.rank == rank.id && stream.slices.contains(&at.slice.0)) {
                    let start = trace.slice(*at).unwrap().start();
                    prop_assert!(!view.contains(start) || told.contains(&at.slice.0));
                }
            }
        }
    }
}

#[test]
fn the_words_of_events_are_found_in_plain_and_packed_files() {
    use flate2::{Compression, write::GzEncoder};
    use overlane::ingest::{Cancel, search_events};
    use std::io::Write as _;
    use support::kineto::Kineto;

    let dir = tempfile::tempdir().unwrap();
    let text = Kineto::new()
        .gpu(7, "gemm", "10", "5")
        .launched(41, "1", 7, "20", "5")
        .launched(42, "2", 7, "30", "5")
        .text();
    let plain = dir.path().join("plain.json");
    std::fs::write(&plain, &text).unwrap();
    let packed = dir.path().join("packed.json.gz");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    std::fs::write(&packed, encoder.finish().unwrap()).unwrap();

    let trace = load(&[plain.clone(), packed]);
    let wanted = regex::bytes::Regex::new(r#""correlation": 42\b"#).unwrap();
    let found = search_events(&trace, &wanted, &Cancel::default());
    assert!(found.errors.is_empty());
    // The launch and the kernel, in each of two ranks.
    let counts: Vec<usize> = found.found.iter().map(|(_, list)| list.len()).collect();
    assert_eq!(counts, [2, 2]);
    for (rank, list) in &found.found {
        for id in list {
            let slice = trace
                .rank(*rank)
                .unwrap()
                .slices
                .get(overlane::trace::SliceId(*id))
                .unwrap();
            assert_eq!(slice.correlation(), Some(42));
        }
    }
    let with_names = hits(&trace, "gemm").with(found.found);
    // Three kernels a file, and the launch of one.
    assert_eq!(with_names.len(), 8);
    // A file that changed is told, the other one is searched.
    std::fs::write(&plain, "[]").unwrap();
    let found = search_events(&trace, &wanted, &Cancel::default());
    assert_eq!((found.found.len(), found.errors.len()), (1, 1));
    assert!(found.errors[0].contains("plain.json"));
    let cancelled = Cancel::default();
    cancelled.cancel();
    let found = search_events(&trace, &wanted, &cancelled);
    assert!(found.found.iter().all(|(_, list)| list.is_empty()));
}

fn load(paths: &[std::path::PathBuf]) -> Trace {
    use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
    let request = LoadRequest {
        paths: paths.to_vec(),
        rules: std::sync::Arc::new(overlane::classify::Rules::builtin()),
        options: LoadOptions::default(),
    };
    load(&request, &Progress::default(), &Cancel::default()).unwrap()
}
