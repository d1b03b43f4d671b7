//! From `[memory]` events in file order to curves: one track for each allocator.

use super::lanes::LaneTable;
use super::{Lane, RankBuilder, to_usize};
use crate::memory::Curve;
use crate::time::{Ns, Window};
use crate::trace::{
    Health, IssueKind, MemoryEvent, MemoryPlace, MemorySource, MemoryTrack, Position, Rank,
    SourceSpan, cached_free,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// An allocation or a free as a reader found it, in the file's own time.
#[derive(Clone, Copy, Debug)]
pub struct RawMemory {
    /// When, without base or shift.
    pub at: Ns,
    /// Whose memory.
    pub place: MemoryPlace,
    /// Kind of the device, as the framework numbers them.
    pub device_type: i64,
    /// What was allocated; freed where it is negative.
    pub bytes: i64,
    /// Where the block lies.
    pub address: Option<i64>,
    /// What is allocated afterwards, where the file says.
    pub allocated: Option<i64>,
    /// What is reserved afterwards, where the file says.
    pub reserved: Option<i64>,
    /// Lane of the thread, from [`RankBuilder::lane`].
    pub lane: u32,
    /// Where the event's text stands.
    pub source: SourceSpan,
}

impl RankBuilder {
    /// Adds an allocation or a free.
    pub fn push_memory(&mut self, event: RawMemory) {
        self.memory.push(event);
    }
}

/// Puts events in order of time and makes a track for each allocator. `range` is on the common axis;
/// of what lies before it only the last event stays, which tells what it begins with.
pub(super) fn tracks(
    events: Vec<RawMemory>,
    lanes: &LaneTable,
    rank: &Rank,
    range: Option<Window>,
    health: &mut Health,
) -> Vec<MemoryTrack> {
    let mut all: BTreeMap<MemoryPlace, BTreeMap<i64, Vec<RawMemory>>> = BTreeMap::new();
    for event in events {
        let kinds = all.entry(event.place).or_default();
        kinds.entry(event.device_type).or_default().push(event);
    }
    let places = (0..).zip(&rank.threads);
    let places: HashMap<(&str, &str), usize> = places
        .map(|(place, t)| ((t.pid.as_str(), t.tid.as_str()), place))
        .collect();
    let threads: Vec<Option<usize>> = lanes
        .lanes()
        .iter()
        .map(|lane| match lane {
            Lane::Thread(key) => places.get(&(key.pid.as_str(), key.tid.as_str())).copied(),
            Lane::Stream { .. } | Lane::Extra { .. } => None,
        })
        .collect();
    let offset = rank.alignment.offset();
    all.into_values()
        .filter_map(|kinds| {
            let mut noted = Noted { rank, health };
            let mut events = noted.main(kinds)?;
            for event in &mut events {
                event.at = event.at + offset;
            }
            // Equal times keep the file's order.
            events.sort_by_key(|event| event.at);
            track(events, range, &threads, &mut noted)
        })
        .collect()
}

/// Where oddities are counted.
struct Noted<'a> {
    rank: &'a Rank,
    health: &'a mut Health,
}

impl Noted<'_> {
    fn note(&mut self, kind: IssueKind, event: &RawMemory, count: u64) {
        let at = || Position {
            byte: Some(event.source.offset),
            what: format!(
                "[memory] of {}, device type {}",
                event.place.label(),
                event.device_type
            ),
        };
        self.health.note_many(kind, self.rank.file, count, at);
    }

    /// Lanes, rows and session files name an allocator by its device's number, so of several types of
    /// device with one number the one with the most events stays, the lowest type of equal ones.
    fn main(&mut self, kinds: BTreeMap<i64, Vec<RawMemory>>) -> Option<Vec<RawMemory>> {
        let most = |(kind, events): &(&i64, &Vec<RawMemory>)| (events.len(), Reverse(**kind));
        let main = *kinds.iter().max_by_key(most)?.0;
        let mut found = None;
        for (kind, events) in kinds {
            if kind == main {
                found = Some(events);
            } else if let Some(first) = events.first() {
                let count = u64::try_from(events.len()).unwrap_or(u64::MAX);
                self.note(IssueKind::MemoryOtherType, first, count);
            }
        }
        found
    }
}

/// First to last event of all allocators, inside the range that was loaded.
pub(super) fn extent(tracks: &[MemoryTrack], range: Option<Window>) -> Option<Window> {
    let extents = tracks.iter().filter_map(|t| t.allocated.extent());
    // Of the one event before a range only its value is known inside.
    let inside = extents.filter_map(|e| range.map_or(Some(e), |range| e.clip(range)));
    inside.reduce(Window::hull)
}

fn track(
    events: Vec<RawMemory>,
    range: Option<Window>,
    threads: &[Option<usize>],
    noted: &mut Noted<'_>,
) -> Option<MemoryTrack> {
    let source = if events.iter().any(|e| e.allocated.is_some()) {
        MemorySource::Totals
    } else {
        MemorySource::Integrated
    };
    let mut sum = 0_i64;
    let mut placed: Vec<(RawMemory, i64)> = Vec::with_capacity(events.len());
    for event in events {
        let value = match source {
            MemorySource::Totals => event.allocated,
            MemorySource::Integrated => sum.checked_add(event.bytes),
        };
        // Where one in between has no total, what it would be is not known.
        match value {
            Some(value) => {
                sum = value;
                placed.push((event, value));
            }
            None => noted.note(IssueKind::BadMemoryEvent, &event, 1),
        }
    }
    if let Some(range) = range {
        let before = placed.partition_point(|(event, _)| event.at < range.start());
        let gone = before.saturating_sub(1);
        if let Some((first, _)) = placed.first().filter(|_| gone > 0) {
            let count = u64::try_from(gone).unwrap_or(u64::MAX);
            noted.note(IssueKind::OutsideRange, first, count);
        }
        placed.drain(..gone);
    }
    let (first, value) = placed.first()?;
    if source == MemorySource::Integrated {
        noted.note(IssueKind::MemoryIntegrated, first, 1);
    }
    let is_above = |(e, value): &&(RawMemory, i64)| {
        e.reserved.is_some_and(|r| cached_free(r, *value).is_none())
    };
    let on_device = first.place != MemoryPlace::Host;
    let above = placed.iter().filter(|_| on_device).filter(is_above);
    let above: Vec<&RawMemory> = above.map(|(event, _)| event).collect();
    if let Some(first) = above.first() {
        let count = u64::try_from(above.len()).unwrap_or(u64::MAX);
        noted.note(IssueKind::AllocatedAboveReserved, first, count);
    }
    let reserved = || placed.iter().filter_map(|(e, _)| Some((e.at, e.reserved?)));
    // The host's allocator reserves nothing.
    let has_reserved = on_device && reserved().next().is_some();
    let event = |(event, _): &(RawMemory, i64)| MemoryEvent {
        bytes: event.bytes,
        address: event.address,
        thread: threads.get(to_usize(event.lane)).copied().flatten(),
    };
    let mut track = MemoryTrack::new(first.place, first.device_type, source);
    // Sorted above, so these are curves.
    track.allocated = Curve::new(placed.iter().map(|(e, value)| (e.at, *value))).ok()?;
    track.reserved = has_reserved.then(|| Curve::new(reserved()).ok()).flatten();
    track.before = value.saturating_sub(first.bytes);
    Some(track.with_events(placed.iter().map(event).collect()))
}
