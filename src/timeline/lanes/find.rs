//! From a slice to its lane and back.

use super::LaneKey;
use crate::time::Window;
use crate::trace::{SliceId, SliceRef, Trace};
use std::ops::Range;

/// The lane that a slice is drawn in.
#[must_use]
pub fn lane_of(trace: &Trace, slice: SliceRef) -> Option<LaneKey> {
    let rank = trace.rank(slice.rank)?;
    let id = slice.slice;
    if let Some((device, stream)) = rank.stream_of(id) {
        return Some(LaneKey::Stream(rank.id, device.id, stream.id));
    }
    let extra = rank.devices.iter().find_map(|d| {
        let at = d.extras.iter().position(|t| t.slices.contains(&id.0))?;
        Some(LaneKey::Extra(rank.id, d.id, at))
    });
    extra.or_else(|| {
        let at = rank.threads.iter().position(|t| t.slices.contains(&id.0))?;
        Some(LaneKey::Thread(rank.id, at))
    })
}

/// The slices of a lane in its rank's columns; `None` for headers, derived lanes and lanes that are
/// not there.
#[must_use]
pub fn slices_of(trace: &Trace, lane: LaneKey) -> Option<Range<u32>> {
    let rank = trace.rank(lane.rank())?;
    let slices = match lane {
        LaneKey::Stream(_, device, stream) => {
            let streams = &rank.device(device)?.streams;
            &streams.iter().find(|s| s.id == stream)?.slices
        }
        LaneKey::Extra(_, device, at) => &rank.device(device)?.extras.get(at)?.slices,
        LaneKey::Thread(_, at) => &rank.threads.get(at)?.slices,
        LaneKey::Rank(_)
        | LaneKey::Device(..)
        | LaneKey::Derived(..)
        | LaneKey::Memory(..)
        | LaneKey::Snapshot(..)
        | LaneKey::Threads(_) => return None,
    };
    Some(slices.clone())
}

/// The slice of a lane with exactly this window and name: how a slice is found again when the same
/// job was loaded anew, since its place in the columns may be another then.
#[must_use]
pub fn same_slice(trace: &Trace, lane: LaneKey, window: Window, name: &str) -> Option<SliceRef> {
    let rank = trace.rank(lane.rank())?;
    let mut range = slices_of(trace, lane)?;
    let end = range.end;
    // Sorted by start: the first that starts there.
    while range.start < range.end {
        let middle = range.start + (range.end - range.start) / 2;
        if rank.slices.get(SliceId(middle))?.start() < window.start() {
            range.start = middle + 1;
        } else {
            range.end = middle;
        }
    }
    (range.start..end)
        .map_while(|id| rank.slices.get(SliceId(id)))
        .take_while(|slice| slice.start() == window.start())
        .find(|slice| slice.window() == window && trace.names.get(slice.name()) == name)
        .map(|slice| SliceRef {
            rank: rank.id,
            slice: slice.id(),
        })
}
