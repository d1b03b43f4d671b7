//! Laying lanes out from top to bottom: [`rows`].

use super::{
    DERIVED_PX, Derived, GAP_PX, HEADER_PX, Known, LaneKey, LaneRow, LaneState, MAX_LANE_PX,
    MEMORY_PX, MIN_ROW_PX, MemoryLane, ROW_PX, Shared, extra_label, memory_label, thread_label,
};
use crate::trace::{Device, Stream, StreamId, Trace};
use std::ops::Range;

/// All lanes from top to bottom: those that are pinned, then the tree without them. What is
/// collapsed or hidden is left out.
#[must_use]
pub fn rows(trace: &Trace, state: &LaneState) -> Vec<LaneRow> {
    let mut out = Layout {
        trace,
        known: state.known(trace),
        state,
        rows: Vec::new(),
        y: 0.0,
    };
    for lane in &state.arranged.pinned {
        if state.shows(*lane) {
            out.pinned(*lane);
        }
    }
    out.group(None, 0);
    out.rows
}

/// What is in a group, in the usual order; `None` for the ranks.
pub(super) fn natural_children(known: Known<'_>, group: Option<LaneKey>) -> Vec<LaneKey> {
    let trace = known.trace;
    let Some(group) = group else {
        return trace.ranks.iter().map(|r| LaneKey::Rank(r.id)).collect();
    };
    let id = group.rank();
    let Some(rank) = trace.rank(id) else {
        return Vec::new();
    };
    let snapshot = known.snapshot.filter(|lane| lane.parent() == Some(group));
    match group {
        LaneKey::Rank(_) => {
            let devices = rank.devices.iter().map(|d| LaneKey::Device(id, d.id));
            let threads = (!rank.threads.is_empty()).then_some(LaneKey::Threads(id));
            let memory = rank.memory.iter().map(|t| MemoryLane::of(rank, t.place));
            let memory = memory
                .filter(|lane| matches!(lane, MemoryLane::OfRank(_)))
                .map(|lane| LaneKey::Memory(id, lane));
            let all = devices.chain(memory).chain(snapshot);
            all.chain(threads).collect()
        }
        LaneKey::Device(_, device) => {
            let Some(found) = rank.device(device) else {
                return Vec::new();
            };
            let derived = Derived::ALL.map(|kind| LaneKey::Derived(id, device, kind));
            let streams = found.streams.iter();
            let streams = streams.map(|s| LaneKey::Stream(id, device, s.id));
            let extras = (0..found.extras.len()).map(|i| LaneKey::Extra(id, device, i));
            let memory = MemoryLane::OfDevice(device);
            let memory = rank
                .memory_of(memory.place())
                .map(|_| LaneKey::Memory(id, memory));
            let below = streams.chain(memory).chain(snapshot).chain(extras);
            derived.into_iter().chain(below).collect()
        }
        LaneKey::Threads(_) => (0..rank.threads.len())
            .map(|i| LaneKey::Thread(id, i))
            .collect(),
        LaneKey::Derived(..)
        | LaneKey::Stream(..)
        | LaneKey::Extra(..)
        | LaneKey::Memory(..)
        | LaneKey::Snapshot(..)
        | LaneKey::Thread(..) => Vec::new(),
    }
}

struct Layout<'a> {
    trace: &'a Trace,
    known: Known<'a>,
    state: &'a LaneState,
    rows: Vec<LaneRow>,
    y: f32,
}

impl Layout<'_> {
    fn push(&mut self, key: LaneKey, own: String, indent: u8, height: f32) -> &mut LaneRow {
        let top = self.y;
        self.y += height + GAP_PX;
        let given = self.state.arranged.names.get(&key);
        self.rows.push_mut(LaneRow {
            key,
            label: given.cloned().unwrap_or(own),
            indent,
            top,
            height,
            sub_rows: 0,
            all_rows: 0,
            open: None,
            slices: 0..0,
            pinned: false,
            shared: Shared::No,
        })
    }

    /// A lane at the top. Its name says where it belongs, unless that is clear or the user named it.
    fn pinned(&mut self, key: LaneKey) {
        let first = self.rows.len();
        self.lane(key, 0);
        let is_clear = self.trace.devices().nth(1).is_none() && self.trace.ranks.len() < 2;
        let is_named = self.state.arranged.names.contains_key(&key);
        if let Some(row) = self.rows.get_mut(first) {
            row.pinned = true;
            match key.device() {
                _ if is_clear || is_named || matches!(key, LaneKey::Rank(_)) => {}
                Some(device) if !matches!(key, LaneKey::Device(..)) => {
                    row.label = format!("{} · R{} GPU {}", row.label, key.rank().0, device.0);
                }
                _ => row.label = format!("{} · R{}", row.label, key.rank().0),
            }
        }
    }

    /// What is in a group, but what is hidden, or shown at the top already.
    fn group(&mut self, group: Option<LaneKey>, indent: u8) {
        let arranged = &self.state.arranged;
        let mut lanes = arranged.children(self.known, group);
        lanes.retain(|lane| self.state.shows(*lane) && !arranged.is_pinned(*lane));
        let packs = match group {
            Some(LaneKey::Device(rank, device)) => arranged.packs.get(&(rank, device)),
            _ => None,
        };
        let pack_of = |lane: LaneKey| match lane {
            LaneKey::Stream(_, _, id) => packs?.iter().find(|p| p.contains(&id)),
            _ => None,
        };
        for (i, lane) in lanes.iter().enumerate() {
            let Some(pack) = pack_of(*lane) else {
                self.lane(*lane, indent);
                continue;
            };
            let is_in = |l: &&LaneKey| matches!(l, LaneKey::Stream(_, _, id) if pack.contains(id));
            // The first of them brings all.
            if !lanes.iter().take(i).any(|l| is_in(&l)) {
                let members: Vec<LaneKey> = lanes.iter().filter(is_in).copied().collect();
                self.pack(&members, indent);
            }
        }
    }

    /// Several streams in one place.
    fn pack(&mut self, members: &[LaneKey], indent: u8) {
        let (first, top) = (self.rows.len(), self.y);
        let mut bottom = top;
        for lane in members {
            self.y = top;
            self.lane(*lane, indent);
            bottom = bottom.max(self.y);
        }
        self.y = bottom;
        let Some(rows) = self.rows.get_mut(first..).filter(|rows| rows.len() > 1) else {
            return;
        };
        // Lanes are looked up by their bottoms. The lowest comes first, and it is named for all.
        rows.sort_by(|a, b| a.height.total_cmp(&b.height));
        let count = rows.len();
        let ids = members.iter().filter_map(|lane| match lane {
            LaneKey::Stream(_, _, id) => Some(id.0),
            _ => None,
        });
        let (least, most) = (ids.clone().min(), ids.max());
        for (i, row) in rows.iter_mut().enumerate() {
            row.shared = if i == 0 {
                Shared::First(count)
            } else {
                Shared::Behind
            };
        }
        if let (Some(row), Some(least), Some(most)) = (rows.first_mut(), least, most) {
            row.label = format!("Streams {least}…{most} ({count})");
        }
    }

    /// One lane and what is in it; nothing where the trace has no such lane.
    fn lane(&mut self, key: LaneKey, indent: u8) {
        let Some(rank) = self.trace.rank(key.rank()) else {
            return;
        };
        let device = key.device().and_then(|d| rank.device(d));
        match key {
            LaneKey::Rank(id) => {
                let devices = rank.devices.len();
                if !self.header(key, format!("Rank {}", id.0), indent)
                    && let Some(row) = self.rows.last_mut()
                {
                    row.sub_rows = u16::try_from(devices).unwrap_or(u16::MAX);
                    row.all_rows = row.sub_rows;
                }
            }
            LaneKey::Device(..) => {
                let Some(device) = device else { return };
                if !self.header(key, device_label(device), indent)
                    && let Some(row) = self.rows.last_mut()
                {
                    (row.sub_rows, row.all_rows) = (1, 1);
                }
            }
            LaneKey::Threads(_) => {
                let label = format!("CPU threads ({})", rank.threads.len());
                self.header(key, label, indent);
            }
            LaneKey::Derived(_, _, kind) => {
                let row = self.push(key, kind.label().to_owned(), indent, DERIVED_PX);
                (row.sub_rows, row.all_rows) = (1, 1);
            }
            LaneKey::Memory(_, lane) => {
                if rank.memory_of(lane.place()).is_some() {
                    let row = self.push(key, memory_label(lane), indent, MEMORY_PX);
                    (row.sub_rows, row.all_rows) = (1, 1);
                }
            }
            LaneKey::Snapshot(..) => {
                let shown = self.state.snapshot.as_ref();
                if let Some(snapshot) = shown.filter(|s| s.key() == key) {
                    let row = self.push(key, snapshot.label(), indent, MEMORY_PX);
                    (row.sub_rows, row.all_rows) = (1, 1);
                }
            }
            LaneKey::Stream(_, _, id) => {
                let stream = device.and_then(|d| d.streams.iter().find(|s| s.id == id));
                if let Some(stream) = stream {
                    let label = stream_label(stream);
                    self.slices(key, label, indent, &stream.slices, stream.rows);
                }
            }
            LaneKey::Extra(_, _, at) => {
                if let Some(extra) = device.and_then(|d| d.extras.get(at)) {
                    let label = extra_label(rank, extra);
                    self.slices(key, label, indent, &extra.slices, extra.rows);
                }
            }
            LaneKey::Thread(_, at) => {
                if let Some(thread) = rank.threads.get(at) {
                    let label = thread_label(thread);
                    self.slices(key, label, indent, &thread.slices, thread.rows);
                }
            }
        }
    }

    /// A heading and, where it is open, what is in it; returns whether it is.
    fn header(&mut self, key: LaneKey, label: String, indent: u8) -> bool {
        let open = self.state.is_open(key);
        self.push(key, label, indent, HEADER_PX).open = Some(open);
        if open {
            self.group(Some(key), indent + 1);
        }
        open
    }

    /// A lane of slices: all its sub-rows when open, else only the outermost.
    fn slices(&mut self, key: LaneKey, label: String, indent: u8, slices: &Range<u32>, rows: u16) {
        let all = rows.max(1);
        let may_close = all > 1 && !matches!(key, LaneKey::Stream(..));
        let open = self.state.is_open(key);
        let shown = if may_close && !open { 1 } else { all };
        let height = lane_height(shown);
        let row = self.push(key, label, indent, height);
        row.sub_rows = shown;
        row.all_rows = all;
        row.open = may_close.then_some(open);
        row.slices = slices.clone();
    }
}

fn device_label(device: &Device) -> String {
    match &device.name {
        Some(name) => format!("GPU {} {name}", device.id.0),
        None => format!("GPU {}", device.id.0),
    }
}

fn stream_label(stream: &Stream) -> String {
    match stream.name.as_deref().map(str::trim) {
        // Most profilers name a stream "stream 7", which says nothing more.
        Some(name) if !name.is_empty() && !says_only(name, stream.id) => {
            format!("Stream {} {name}", stream.id.0)
        }
        _ => format!("Stream {}", stream.id.0),
    }
}

fn says_only(name: &str, id: StreamId) -> bool {
    let name = name.to_ascii_lowercase();
    let Some(rest) = name.strip_prefix("stream") else {
        return false;
    };
    let number = id.0.to_string();
    let mut words = rest.split_whitespace();
    words.all(|w| w == number)
}

fn lane_height(rows: u16) -> f32 {
    let rows = f32::from(rows.max(1));
    rows * (MAX_LANE_PX / rows).clamp(MIN_ROW_PX, ROW_PX)
}
