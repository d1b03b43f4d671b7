//! Giving up half-way.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A rank of three streams and a thread, out of order so that lanes are sorted.
fn rank() -> RankBuilder {
    let mut builder = RankBuilder::new(FileId(0));
    let key = |tid: i64| RowKey {
        pid: "0".to_owned(),
        tid: tid.to_string(),
    };
    for i in (0..40_i64).rev() {
        let stream = super::super::StreamId(i % 4);
        let lane = if i % 4 == 3 {
            Lane::Thread(key(9))
        } else {
            Lane::Stream {
                device: crate::trace::DeviceId(0),
                stream,
                key: key(stream.0),
            }
        };
        let slice = RawSlice {
            start: Ns(i * 10),
            dur: DurNs(5),
            name: builder.names.intern("k"),
            category: if i % 4 == 3 {
                Category::CpuOp
            } else {
                Category::Gpu
            },
            class: (i % 4 != 3).then_some(KernelClass::Computation),
            lane: builder.lane(lane),
            correlation: None,
            external: None,
            source: SourceSpan::default(),
        };
        builder.push_slice(slice);
    }
    builder
}

#[test]
fn a_build_stops_wherever_it_is_told_to() {
    let asked = AtomicUsize::new(0);
    let build = |patience: usize| {
        asked.store(0, Ordering::Relaxed);
        let mut builder = rank();
        builder.survey();
        builder.finish_unless(RankId(0), DurNs::ZERO, false, &|| {
            asked.fetch_add(1, Ordering::Relaxed) >= patience
        })
    };
    let whole = build(usize::MAX).expect("nobody stops it");
    assert_eq!(whole.rank.slices.iter().count(), 40);
    let checks = asked.load(Ordering::Relaxed);
    // Each lane is asked for three times over, beside the parts of the work.
    assert!(checks >= 3 * 4, "{checks}");
    let threads = rayon::current_num_threads();
    for patience in 0..checks {
        assert!(build(patience).is_none(), "{patience}");
        // Those who work side by side may each ask once more, and nobody goes on after that.
        let more = asked.load(Ordering::Relaxed) - patience;
        assert!((1..=2 * threads + 2).contains(&more), "{patience}: {more}");
    }
}

#[test]
fn sorting_in_steps_is_sorting() {
    // More than four steps, with many equal keys whose order must stay.
    let mut state = 7_u64;
    let mut pairs: Vec<(u64, usize)> = (0..600_000)
        .map(|i| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 48, i)
        })
        .collect();
    let mut at_once = pairs.clone();
    at_once.sort_by_key(|p| p.0);
    partial::sort_in_steps(&mut pairs, &|| false).expect("nobody stops it");
    assert!(pairs == at_once);
    assert!(partial::sort_in_steps(&mut pairs, &|| true).is_none());
}
