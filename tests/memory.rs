//! Memory curves from the allocator events of profiler files: what is read and what is left out.

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
use overlane::time::Ns;
use overlane::trace::{IssueKind, MemoryPlace, MemorySource, MemoryTrack, Rank, Trace};
use support::{GPU, event, file, gpu, of_device, open_with};

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
    // The one at its very end belongs to the range that follows.
    let expected = [2, 3, 4, 5].map(|i| (i * 100_000, 100 + i));
    assert_eq!(points(held), expected);
    assert_eq!(held.allocated_at(Ns(250_000)), 102);
    // Two before, four behind.
    let gone = trace.health.count(IssueKind::OutsideRange);
    assert!(gone >= 6, "{gone}");
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

/// Where an address cannot be read the block cannot be followed, but its bytes count.
#[test]
fn an_unreadable_address_does_not_cost_the_event() {
    let with = |ts: &str, address: &str, allocated: i64| {
        gpu(ts, 10, 77, allocated, 500).replace("\"Addr\": 77", &format!("\"Addr\": {address}"))
    };
    let (_dir, path) = file(&[
        with("100", "\"0x7f00\"", 10),
        with("200", "18446744073709551608", 20),
        with("300", "123456789012345678901234", 30),
        with("400", "4096", 40),
    ]);
    let trace = open_with(&path, LoadOptions::default());
    let held = trace.ranks[0].memory_of(GPU).unwrap();
    let addresses: Vec<Option<i64>> = held.events.iter().map(|e| e.address).collect();
    assert_eq!(addresses, [None, Some(-8), None, Some(4096)]);
    assert_eq!(held.allocated_at(Ns(400_000)), 40);
    assert_eq!(trace.health.count(IssueKind::BadMemoryEvent), 0);
}

/// Rows, lanes and session files name an allocator by its number alone.
#[test]
fn of_two_types_with_one_number_the_one_with_the_most_events_stays() {
    let (_dir, path) = file(&[
        of_device("100", (1, 0), 5, 5),
        of_device("110", (20, 0), 70, 70),
        of_device("120", (20, 0), 70, 140),
        of_device("130", (20, 1), 9, 9),
    ]);
    let trace = open_with(&path, LoadOptions::default());
    let rank = &trace.ranks[0];
    let kinds: Vec<(i64, i64)> = rank
        .memory
        .iter()
        .map(|t| (t.place.device().0, t.device_type))
        .collect();
    assert_eq!(kinds, [(0, 20), (1, 20)]);
    assert_eq!(trace.health.count(IssueKind::MemoryOtherType), 1);
    // Of as many the lowest type stays.
    let (_dir, path) = file(&[
        of_device("100", (20, 0), 5, 5),
        of_device("110", (1, 0), 70, 70),
    ]);
    let trace = open_with(&path, LoadOptions::default());
    assert_eq!(trace.ranks[0].memory_of(GPU).unwrap().device_type, 1);
}
