//! The rules of the allocator: rounding, pools, best fit, what is taken from the driver and given back,
//! and why memory ran out, each on a small made-up allocator with the answer worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::too_many_lines,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/allocator.rs"]
mod allocator;
#[path = "support/pickles.rs"]
mod pickles;

use allocator::{MIB, made, request, segments_of, whole, with_events};
use overlane::ingest::{Cancel, Progress};
use overlane::snapshot::{
    Action, Divisions, Fit, History, MOST_EXPLAINED, Oom, OomReason, PoolId, PoolSize, Request,
    Settings, Snapshot, State, Totals, explain, largest_requests, open, rounded, segment_size,
    unexplained,
};
use pickles::Any;
use std::path::Path;

#[test]
fn sizes_are_rounded_as_the_allocator_rounds() {
    let plain = Settings::default();
    for (bytes, block) in [
        (0, 512),
        (1, 512),
        (512, 512),
        (513, 1_024),
        (MIB, MIB),
        (MIB + 1, MIB + 512),
    ] {
        assert_eq!(rounded(bytes, &plain), block, "{bytes}");
    }
    assert_eq!(rounded(u64::MAX, &plain), u64::MAX);
    let divided = Settings {
        roundup_power2_divisions: Divisions::new([(1, 4), (1_024, 8)]),
        ..Settings::default()
    };
    // 1200 of the powers 1024 and 2048, four steps of 256 between them; below four units as before.
    assert_eq!(rounded(1_200, &divided), 1_536);
    assert_eq!(rounded(3_000, &divided), 3_072);
    assert_eq!(rounded(4_096, &divided), 4_096);
    assert_eq!(rounded(5_000, &divided), 5_120);
    assert_eq!(rounded(1_100 * MIB, &divided), (1_024 + 128) * MIB);
    assert_eq!(rounded(3 * MIB + 1, &divided), 3 * MIB + 512);
    for (block, segment) in [
        (512, 2 * MIB),
        (MIB, 2 * MIB),
        (MIB + 512, 20 * MIB),
        (10 * MIB - 512, 20 * MIB),
        (10 * MIB, 10 * MIB),
        (11 * MIB, 12 * MIB),
    ] {
        assert_eq!(segment_size(block), segment, "{block}");
    }
}

#[test]
fn a_block_serves_only_its_own() {
    use PoolSize::{Large, Small};
    let own = PoolId(0, 3);
    let snapshot = made(&[
        (
            Large,
            0,
            PoolId::COMMON,
            false,
            &[(4 * MIB, "active_allocated"), (16 * MIB, "inactive")],
        ),
        (
            Large,
            0,
            PoolId::COMMON,
            false,
            &[(8 * MIB, "active_pending_free"), (12 * MIB, "inactive")],
        ),
        (Large, 7, PoolId::COMMON, false, &[(20 * MIB, "inactive")]),
        (Large, 0, own, false, &[(20 * MIB, "inactive")]),
        (
            Small,
            0,
            PoolId::COMMON,
            false,
            &[(MIB, "active_allocated"), (MIB, "inactive")],
        ),
    ]);
    let layout = whole(&snapshot);
    let settings = Settings::default();
    let segment = |asked: Request| match asked.fit(layout, &settings, Some(0)) {
        Fit::CachedBlock { segment, .. } => Some(segment),
        _ => None,
    };
    // The smallest that is big enough, not the first.
    assert_eq!(segment(request(10 * MIB)), Some(1));
    assert_eq!(segment(request(13 * MIB)), Some(0));
    assert_eq!(segment(request(17 * MIB)), None);
    assert_eq!(
        segment(Request {
            stream: 7,
            ..request(17 * MIB)
        }),
        Some(2)
    );
    assert_eq!(
        segment(Request {
            pool: own,
            ..request(17 * MIB)
        }),
        Some(3)
    );
    assert_eq!(segment(request(MIB)), Some(4));
    assert_eq!(
        segment(Request {
            stream: 7,
            ..request(1)
        }),
        None
    );
    let split = request(17 * MIB).fragmentation(layout, &settings);
    assert_eq!(
        (split.too_small, split.other_stream, split.other_pool),
        (28 * MIB, 20 * MIB, 20 * MIB)
    );
    assert_eq!((split.other_size, split.awaiting_free), (MIB, 8 * MIB));
    // Private pools are not given back: 20 MiB of stream 7 are.
    assert_eq!(
        request(30 * MIB).fit(layout, &settings, Some(10 * MIB)),
        Fit::AfterReleasing {
            segments: 1,
            bytes: 20 * MIB,
            size: 30 * MIB
        }
    );
    assert_eq!(
        request(31 * MIB).fit(layout, &settings, Some(10 * MIB)),
        Fit::No { short_by: 2 * MIB }
    );
    assert_eq!(
        request(17 * MIB).fit(layout, &settings, Some(18 * MIB)),
        Fit::NewSegment {
            size: 18 * MIB,
            grows: false
        }
    );
    let totals = Totals::of(layout);
    assert_eq!((totals.awaiting_free, totals.active()), (8 * MIB, 13 * MIB));
    assert_eq!(
        (totals.inactive_split, totals.releasable),
        (29 * MIB, 20 * MIB)
    );
    assert_eq!(
        (totals.private_reserved, totals.private_releasable),
        (20 * MIB, 20 * MIB)
    );
}

#[test]
fn large_blocks_are_kept_whole_where_that_is_set() {
    let snapshot = made(&[(
        PoolSize::Large,
        0,
        PoolId::COMMON,
        false,
        &[(100 * MIB, "inactive")],
    )]);
    let layout = whole(&snapshot);
    let settings = Settings {
        max_split_size: Some(50 * MIB),
        ..Settings::default()
    };
    let serves = |bytes| {
        let fit = request(bytes).fit(layout, &settings, Some(0));
        matches!(fit, Fit::CachedBlock { .. })
    };
    assert!(!serves(40 * MIB));
    assert!(!serves(80 * MIB));
    assert!(serves(81 * MIB));
    assert!(serves(100 * MIB));
    let split = request(40 * MIB).fragmentation(layout, &settings);
    assert_eq!((split.oversize, split.serving), (100 * MIB, 0));
}

#[test]
fn expandable_segments_grow_by_pages() {
    let snapshot = made(&[(
        PoolSize::Large,
        0,
        PoolId::COMMON,
        true,
        &[(30 * MIB, "active_allocated"), (10 * MIB, "inactive")],
    )]);
    let settings = Settings {
        expandable_segments: Some(true),
        ..Settings::default()
    };
    assert_eq!(
        request(45 * MIB).fit(whole(&snapshot), &settings, Some(40 * MIB)),
        Fit::NewSegment {
            size: 40 * MIB,
            grows: true
        }
    );
    assert_eq!(
        request(45 * MIB).fit(whole(&snapshot), &settings, Some(39 * MIB)),
        Fit::No { short_by: MIB }
    );
}

fn growing() -> Settings {
    Settings {
        expandable_segments: Some(true),
        ..Settings::default()
    }
}

const USED: &str = "active_allocated";
const FREE: &str = "inactive";
const COMMON: PoolId = PoolId::COMMON;

#[test]
fn what_an_expandable_segment_gives_back_is_not_counted_twice() {
    let snapshot = made(&[(PoolSize::Large, 0, COMMON, true, &[(100 * MIB, FREE)])]);
    let fit = |free| request(150 * MIB).fit(whole(&snapshot), &growing(), Some(free));
    // 160 MiB in pages of 20; 100 of them come back.
    assert_eq!(fit(0), Fit::No { short_by: 60 * MIB });
    assert_eq!(fit(59 * MIB), Fit::No { short_by: MIB });
    // The 100 MiB at its end are used as they are.
    assert_eq!(
        fit(60 * MIB),
        Fit::NewSegment {
            size: 60 * MIB,
            grows: true
        }
    );
}

#[test]
fn expandable_segments_give_whole_free_pages_back() {
    let three = 3_072 * MIB;
    let snapshot = made(&[(
        PoolSize::Large,
        0,
        COMMON,
        true,
        &[
            (three, FREE),
            (512, USED),
            (three, FREE),
            (20 * MIB - 512, USED),
        ],
    )]);
    let layout = whole(&snapshot);
    // 153 pages of 20 MiB each: the second block begins in page 153 and ends in page 307.
    let totals = Totals::of(layout);
    assert_eq!(totals.releasable, 2 * 3_060 * MIB);
    assert_eq!(
        (totals.inactive_split, totals.expandable_free),
        (0, 2 * three)
    );
    assert_eq!(
        request(5_120 * MIB).fit(layout, &growing(), Some(0)),
        Fit::AfterReleasing {
            segments: 1,
            bytes: 6_120 * MIB,
            size: 5_120 * MIB
        }
    );
}

#[test]
fn a_block_that_can_grow_comes_after_holes() {
    let snapshot = made(&[(
        PoolSize::Large,
        0,
        COMMON,
        true,
        &[
            (10 * MIB, USED),
            (50 * MIB, FREE),
            (10 * MIB, USED),
            (30 * MIB, FREE),
        ],
    )]);
    let at = |bytes, settings: &Settings| match request(bytes).fit(whole(&snapshot), settings, None)
    {
        Fit::CachedBlock { address, .. } => Some((address - (1 << 40)) / MIB),
        _ => None,
    };
    assert_eq!(at(25 * MIB, &growing()), Some(10));
    assert_eq!(at(50 * MIB, &growing()), Some(10));
    // Turned off, expandable segments serve nothing any more.
    let off = Settings {
        expandable_segments: Some(false),
        ..Settings::default()
    };
    assert_eq!(at(25 * MIB, &off), None);
    assert_eq!(
        largest_requests(whole(&snapshot), &off)
            .values()
            .sum::<u64>(),
        0
    );
}

#[test]
fn a_segment_without_blocks_is_not_free() {
    let snapshot = made(&[(PoolSize::Large, 0, COMMON, false, &[])]);
    assert_eq!(Totals::of(whole(&snapshot)).free_segments, 0);
}

#[test]
fn divisions_are_told_by_power() {
    let settings = Settings {
        roundup_power2_divisions: Divisions::new([(8, 2), (3, 7), (8, 4), (65_536, 8)]),
        ..Settings::default()
    };
    let snapshot = made(&[(
        PoolSize::Large,
        0,
        COMMON,
        false,
        &[(9 * MIB, FREE), (11 * MIB, USED)],
    )]);
    // Steps of 2 MiB from 8 to 16: 9 MiB serve 8, and 8 MiB and a byte need 10.
    let largest = largest_requests(whole(&snapshot), &settings);
    assert_eq!(largest.values().copied().collect::<Vec<_>>(), [8 * MIB]);
    assert_eq!(rounded(8 * MIB + 1, &settings), 10 * MIB);
    assert_eq!(rounded(4 * MIB + 1, &settings), 4 * MIB + 512);
    let plain = largest_requests(whole(&snapshot), &Settings::default());
    assert_eq!(plain.values().copied().collect::<Vec<_>>(), [9 * MIB]);
}

fn event(action: &str, addr: u64, size: u64) -> Any {
    let key = if action == "oom" {
        "device_free"
    } else {
        "addr"
    };
    Any::dict(&[
        ("action", Any::text_of(action)),
        (key, Any::Int(addr.into())),
        ("size", Any::Int(size.into())),
        ("stream", Any::Int(0)),
        ("time_us", Any::Int(7)),
    ])
}

/// Explains one time that memory ran out with these segments.
fn ran_out(segments: &[allocator::Made<'_>], free: u64, size: u64, total: Option<u64>) -> Oom {
    let snapshot = with_events(segments_of(segments), vec![event("oom", free, size)]);
    let device = &snapshot.devices[0];
    let history = History::new(&snapshot, device);
    explain(&snapshot, device, &history, total).remove(0)
}

#[test]
fn memory_runs_out_for_each_reason() {
    use PoolSize::{Large, Small};
    let full: allocator::Made<'_> = (Large, 0, COMMON, false, &[(100 * MIB, USED)]);
    let holes: allocator::Made<'_> = (
        Large,
        0,
        COMMON,
        false,
        &[(20 * MIB, FREE), (4 * MIB, USED), (20 * MIB, FREE)],
    );
    let graph: allocator::Made<'_> = (Large, 0, PoolId(0, 1), false, &[(40 * MIB, FREE)]);
    let small: allocator::Made<'_> = (Small, 0, COMMON, false, &[(2 * MIB, USED)]);
    let reason = |segments: &[_], free, size, total| ran_out(segments, free, size, total).reason;
    // 30 MiB from the driver, which has them.
    assert_eq!(
        reason(&[full], 30 * MIB, 30 * MIB, None),
        OomReason::Limited
    );
    assert_eq!(reason(&[holes], 0, 30 * MIB, None), OomReason::Fragmented);
    // 40 in the pool and 10 at the driver.
    assert_eq!(
        reason(&[holes], 10 * MIB, 50 * MIB, None),
        OomReason::Fragmented
    );
    assert_eq!(
        reason(&[full, graph], 10 * MIB, 50 * MIB, None),
        OomReason::FreeElsewhere
    );
    assert!(ran_out(&[full, graph], 0, MIB, None).is_pool_assumed);
    assert_eq!(
        reason(&[full], 10 * MIB, 30 * MIB, None),
        OomReason::CannotTell
    );
    // 20 MiB are missing; others hold what is left of the device.
    assert_eq!(
        reason(&[full], 10 * MIB, 30 * MIB, Some(130 * MIB)),
        OomReason::HeldByOthers
    );
    assert_eq!(
        reason(&[full], 10 * MIB, 30 * MIB, Some(129 * MIB)),
        OomReason::Full
    );
    // The small pool takes 2 MiB for any request.
    let of_small = ran_out(&[small], MIB, 512, None);
    assert_eq!(
        (of_small.reason, of_small.needed),
        (OomReason::CannotTell, 2 * MIB)
    );
    assert_eq!(reason(&[small], 2 * MIB, 512, None), OomReason::Limited);
    let words = OomReason::Fragmented.advice(&growing()).join(" ");
    assert!(!words.contains("expandable_segments"), "{words}");
    assert!(
        !OomReason::FreeElsewhere
            .advice(&growing())
            .join(" ")
            .contains("expandable")
    );
}

#[test]
fn very_many_times_are_explained_from_the_end() {
    let times = MOST_EXPLAINED + 7;
    let events = (0..times).map(|_| event("oom", 0, MIB)).collect();
    let segments = segments_of(&[(PoolSize::Large, 0, COMMON, false, &[(100 * MIB, USED)])]);
    let snapshot = with_events(segments, events);
    let device = &snapshot.devices[0];
    let history = History::new(&snapshot, device);
    let explained = explain(&snapshot, device, &history, None);
    assert_eq!(explained.len(), MOST_EXPLAINED);
    assert_eq!(
        (explained[0].event, explained.last().unwrap().event),
        (7, times - 1)
    );
    assert_eq!(unexplained(device, &explained).unwrap().count, 7);
}

#[test]
fn what_the_driver_has_is_followed_from_the_last_oom() {
    let base = 1 << 40;
    let events = vec![
        event("segment_alloc", base, 100 * MIB),
        event("oom", 30 * MIB, 200 * MIB),
        event("segment_free", base, 100 * MIB),
        event("segment_alloc", base, 120 * MIB),
        event("segment_alloc", base + (1 << 32), 60 * MIB),
    ];
    let snapshot = with_events(Vec::new(), events);
    let device = &snapshot.devices[0];
    let history = History::new(&snapshot, device);
    let known: Vec<Option<u64>> = (0..=5)
        .map(|events| {
            history
                .driver_free_after(events)
                .map(|known| known.bytes / MIB)
        })
        .collect();
    // The last takes more than there was.
    assert_eq!(known, [None, None, Some(30), Some(130), Some(10), None]);
    assert_eq!(history.driver_free_after(3).unwrap().oom_event, 1);
}

/// The allocator puts every block where best fit on the replayed state says.
#[test]
fn every_real_allocation_lies_where_it_is_predicted() {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        Into::into,
    );
    let Ok(entries) = std::fs::read_dir(folder.join("memory")) else {
        println!("skipped: no real snapshots");
        return;
    };
    let (mut asked, mut right) = (0, 0);
    for path in entries.map(|e| e.unwrap().path()) {
        let snapshot: Snapshot = open(&path, &Progress::default(), &Cancel::default()).unwrap();
        for device in &snapshot.devices {
            let history = History::new(&snapshot, device);
            for (place, event) in device.events.iter().enumerate() {
                if event.action != Action::Alloc {
                    continue;
                }
                let state = State::after(&snapshot, device, &history, place);
                let wanted = Request {
                    bytes: event.size,
                    stream: event.stream,
                    pool: COMMON,
                    device: device.id,
                };
                asked += 1;
                let fit = wanted.fit(state.layout(), &snapshot.settings, None);
                if let Fit::CachedBlock { address, .. } = fit
                    && address == event.address
                {
                    right += 1;
                }
            }
        }
    }
    println!("{right} of {asked} allocations lie where they are predicted");
    assert_eq!(right, asked);
}
