//! Lanes by what is in them: only those with hits, and the name of one lane alone.

use super::{
    Arranged, GAP_PX, LaneKey, LaneRow, LaneState, extra_label, memory_label, rows, thread_label,
};
use crate::trace::{Hits, MemoryPlace, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// The lanes that hold any of some slices, opened wherever those lie, under their headers.
#[must_use]
pub fn rows_with(trace: &Trace, hits: &Hits, arranged: &Arranged) -> Vec<LaneRow> {
    let mut state = LaneState::for_trace(trace);
    // What is looked for is shown where it usually stands, even if it was hidden.
    state.arranged = Arranged {
        hidden: BTreeSet::new(),
        pinned: Vec::new(),
        packs: BTreeMap::new(),
        ..arranged.clone()
    };
    for rank in &trace.ranks {
        let threads = (0..rank.threads.len()).map(|i| LaneKey::Thread(rank.id, i));
        let extras = rank.devices.iter().flat_map(|d| {
            let places = 0..d.extras.len();
            places.map(move |i| LaneKey::Extra(rank.id, d.id, i))
        });
        let groups = [LaneKey::Rank(rank.id), LaneKey::Threads(rank.id)];
        for lane in groups.into_iter().chain(threads).chain(extras) {
            if !state.is_open(lane) {
                state.toggle(lane);
            }
        }
    }
    let all = rows(trace, &state);
    let has_hits = |row: &LaneRow| {
        !row.slices.is_empty() && !hits.of_lane(row.key.rank(), &row.slices).is_empty()
    };
    let belongs = |header: &LaneRow, row: &LaneRow| match header.key {
        LaneKey::Rank(rank) => row.key.rank() == rank,
        LaneKey::Device(rank, device) => row.key.rank() == rank && row.key.device() == Some(device),
        LaneKey::Threads(rank) => matches!(row.key, LaneKey::Thread(r, _) if r == rank),
        _ => false,
    };
    let kept: Vec<&LaneRow> = all.iter().filter(|row| has_hits(row)).collect();
    let mut y = 0.0;
    let shown = all.iter().filter(|row| {
        has_hits(row) || (row.is_header() && kept.iter().any(|lane| belongs(row, lane)))
    });
    shown
        .map(|row| {
            let top = y;
            y += row.height + GAP_PX;
            LaneRow { top, ..row.clone() }
        })
        .collect()
}

/// Where a lane is, in a few words: rank, device, stream or thread.
#[must_use]
pub fn lane_label(trace: &Trace, lane: LaneKey) -> String {
    let rank = lane.rank();
    let of_rank = trace.rank(rank);
    let what = match lane {
        LaneKey::Rank(_) => String::new(),
        LaneKey::Device(_, device) => format!("GPU {}", device.0),
        LaneKey::Derived(_, device, kind) => format!("GPU {} {}", device.0, kind.label()),
        LaneKey::Stream(_, device, stream) => format!("GPU {} stream {}", device.0, stream.0),
        LaneKey::Extra(_, device, i) => {
            let extra =
                of_rank.and_then(|r| Some(extra_label(r, r.device(device)?.extras.get(i)?)));
            format!("GPU {} {}", device.0, extra.unwrap_or_default())
        }
        LaneKey::Memory(_, lane) => match lane.place() {
            MemoryPlace::Device(device) => format!("GPU {} allocator", device.0),
            MemoryPlace::Host => memory_label(lane),
        },
        LaneKey::Snapshot(_, lane) => {
            format!("GPU {} allocator, by the snapshot", lane.place().device().0)
        }
        LaneKey::Threads(_) => "CPU threads".to_owned(),
        LaneKey::Thread(_, i) => {
            let thread = of_rank.and_then(|r| r.threads.get(i));
            thread.map(thread_label).unwrap_or_default()
        }
    };
    if trace.ranks.len() > 1 {
        format!("rank {} {what}", rank.0)
    } else {
        what
    }
}
