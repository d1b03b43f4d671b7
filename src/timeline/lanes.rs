//! Which lanes there are, in which order and how high.
//!
//! Lanes stand in a tree of rank and device: first what is derived of a device (computation,
//! communication, memory, overlap, idle), then its streams, then the rows on the GPU that are no
//! GPU work, then the rank's CPU threads. [`LaneKey`] names a lane by what it shows, so that what a
//! user collapsed stays collapsed when the same job is opened again.

mod only;

pub use only::{lane_label, rows_with};

use crate::trace::{
    Category, Device, DeviceId, Rank, RankId, SliceId, SliceRef, StreamId, Thread, Trace,
};
use std::collections::HashSet;
use std::ops::Range;

/// Height of a rank or device header.
pub const HEADER_PX: f32 = 20.0;
/// Height of a derived lane.
pub const DERIVED_PX: f32 = 13.0;
/// Height of one sub-row of a stream or thread.
pub const ROW_PX: f32 = 18.0;
/// Air below a lane.
pub const GAP_PX: f32 = 2.0;
/// A lane with many sub-rows shares this height among them.
const MAX_LANE_PX: f32 = 216.0;
/// Sub-rows are never thinner than this.
const MIN_ROW_PX: f32 = 4.0;
/// With more ranks than this, only the first few are open at the start.
const MANY_RANKS: usize = 8;
/// How many of many ranks are open at the start.
const FIRST_RANKS: usize = 2;

/// What a lane derives from all streams of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Derived {
    /// Any computation kernel runs.
    Computation,
    /// Any communication kernel runs.
    Communication,
    /// Any copy or memset runs.
    Memory,
    /// Computation and communication run at once.
    Overlap,
    /// Nothing runs, between the device's first and last kernel.
    Idle,
}

impl Derived {
    /// All of them, top to bottom.
    pub const ALL: [Self; 5] = [
        Self::Computation,
        Self::Communication,
        Self::Memory,
        Self::Overlap,
        Self::Idle,
    ];

    /// The word in the gutter.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Computation => "Computation",
            Self::Communication => "Communication",
            Self::Memory => "Memory",
            Self::Overlap => "Overlap",
            Self::Idle => "Idle",
        }
    }
}

/// The name of a lane, stable across frames and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneKey {
    /// Header of a rank; shows its devices' activity while it is collapsed.
    Rank(RankId),
    /// Header of a device; shows its activity while it is collapsed.
    Device(RankId, DeviceId),
    /// A derived lane.
    Derived(RankId, DeviceId, Derived),
    /// A stream.
    Stream(RankId, DeviceId, StreamId),
    /// A row on a GPU that is no GPU work, by its place in `Device::extras`.
    Extra(RankId, DeviceId, usize),
    /// Header of the rank's CPU threads.
    Threads(RankId),
    /// A CPU thread, by its place in `Rank::threads`.
    Thread(RankId, usize),
}

impl LaneKey {
    /// The rank that the lane belongs to.
    #[must_use]
    pub fn rank(self) -> RankId {
        match self {
            Self::Rank(r)
            | Self::Device(r, _)
            | Self::Derived(r, _, _)
            | Self::Stream(r, _, _)
            | Self::Extra(r, _, _)
            | Self::Threads(r)
            | Self::Thread(r, _) => r,
        }
    }

    /// The device that the lane belongs to.
    #[must_use]
    pub fn device(self) -> Option<DeviceId> {
        match self {
            Self::Device(_, d)
            | Self::Derived(_, d, _)
            | Self::Stream(_, d, _)
            | Self::Extra(_, d, _) => Some(d),
            Self::Rank(_) | Self::Threads(_) | Self::Thread(..) => None,
        }
    }
}

/// Which groups are open.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LaneState {
    /// Lanes that are not in their usual state.
    toggled: HashSet<LaneKey>,
    /// The first rank that is closed at the start, where there are many.
    closed_from: Option<RankId>,
}

impl LaneState {
    /// The usual state for a trace: CPU threads and extra rows closed, of many ranks only the
    /// first few open.
    #[must_use]
    pub fn for_trace(trace: &Trace) -> Self {
        let many = trace.ranks.len() > MANY_RANKS;
        Self {
            toggled: HashSet::new(),
            closed_from: trace.ranks.get(FIRST_RANKS).filter(|_| many).map(|r| r.id),
        }
    }

    /// Whether a group shows what is in it, or a lane with sub-rows all of them.
    #[must_use]
    pub fn is_open(&self, lane: LaneKey) -> bool {
        let usual = match lane {
            LaneKey::Rank(rank) => self.closed_from.is_none_or(|from| rank < from),
            LaneKey::Device(..) | LaneKey::Derived(..) | LaneKey::Stream(..) => true,
            LaneKey::Extra(..) | LaneKey::Threads(_) | LaneKey::Thread(..) => false,
        };
        usual != self.toggled.contains(&lane)
    }

    /// Opens what is closed and closes what is open.
    pub fn toggle(&mut self, lane: LaneKey) {
        if !self.toggled.remove(&lane) {
            self.toggled.insert(lane);
        }
    }

    /// Opens every group that hides a lane, so that it can be scrolled to.
    pub fn reveal(&mut self, lane: LaneKey) {
        let rank = lane.rank();
        let mut groups = vec![LaneKey::Rank(rank)];
        groups.extend(lane.device().map(|d| LaneKey::Device(rank, d)));
        if matches!(lane, LaneKey::Thread(..)) {
            groups.push(LaneKey::Threads(rank));
        }
        for group in groups.into_iter().filter(|g| *g != lane) {
            if !self.is_open(group) {
                self.toggle(group);
            }
        }
    }
}

/// One lane as it is laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneRow {
    /// Which lane it is.
    pub key: LaneKey,
    /// The text in the gutter.
    pub label: String,
    /// Depth in the tree.
    pub indent: u8,
    /// Distance from the top of all lanes, in pixels.
    pub top: f32,
    /// Height of what is drawn, without the air below.
    pub height: f32,
    /// How many sub-rows are drawn; 0 for a header without content.
    pub sub_rows: u16,
    /// How many sub-rows the lane has in all.
    pub all_rows: u16,
    /// Whether the group is open; `None` for a lane that has nothing to open.
    pub open: Option<bool>,
    /// Its slices in the rank's columns; empty for headers and derived lanes.
    pub slices: Range<u32>,
}

impl LaneRow {
    /// Height of one sub-row.
    #[must_use]
    pub fn row_height(&self) -> f32 {
        self.height / f32::from(self.sub_rows.max(1))
    }

    /// Bottom of what is drawn.
    #[must_use]
    pub fn bottom(&self) -> f32 {
        self.top + self.height
    }

    /// Whether the lane is a header of other lanes.
    #[must_use]
    pub fn is_header(&self) -> bool {
        matches!(
            self.key,
            LaneKey::Rank(_) | LaneKey::Device(..) | LaneKey::Threads(_)
        )
    }
}

/// All lanes from top to bottom. What is collapsed is left out.
#[must_use]
pub fn rows(trace: &Trace, state: &LaneState) -> Vec<LaneRow> {
    let mut out = Layout {
        state,
        rows: Vec::new(),
        y: 0.0,
    };
    for rank in &trace.ranks {
        out.rank(rank);
    }
    out.rows
}

/// Height of all lanes together.
#[must_use]
pub fn total_height(rows: &[LaneRow]) -> f32 {
    rows.last().map_or(0.0, |r| r.bottom() + GAP_PX)
}

/// The lanes that reach into a stretch of the vertical axis.
#[must_use]
pub fn visible(rows: &[LaneRow], top: f32, bottom: f32) -> &[LaneRow] {
    let from = rows.partition_point(|r| r.bottom() + GAP_PX <= top);
    let to = rows.partition_point(|r| r.top < bottom);
    rows.get(from..to.max(from)).unwrap_or(&[])
}

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

struct Layout<'a> {
    state: &'a LaneState,
    rows: Vec<LaneRow>,
    y: f32,
}

impl Layout<'_> {
    fn push(&mut self, key: LaneKey, label: String, indent: u8, height: f32) -> &mut LaneRow {
        let top = self.y;
        self.y += height + GAP_PX;
        self.rows.push_mut(LaneRow {
            key,
            label,
            indent,
            top,
            height,
            sub_rows: 0,
            all_rows: 0,
            open: None,
            slices: 0..0,
        })
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

    fn rank(&mut self, rank: &Rank) {
        let key = LaneKey::Rank(rank.id);
        let open = self.state.is_open(key);
        let row = self.push(key, format!("Rank {}", rank.id.0), 0, HEADER_PX);
        row.open = Some(open);
        if !open {
            row.sub_rows = u16::try_from(rank.devices.len()).unwrap_or(u16::MAX);
            row.all_rows = row.sub_rows;
            return;
        }
        for device in &rank.devices {
            self.device(rank, device);
        }
        if rank.threads.is_empty() {
            return;
        }
        let key = LaneKey::Threads(rank.id);
        let open = self.state.is_open(key);
        let label = format!("CPU threads ({})", rank.threads.len());
        self.push(key, label, 1, HEADER_PX).open = Some(open);
        if open {
            for (i, thread) in rank.threads.iter().enumerate() {
                let key = LaneKey::Thread(rank.id, i);
                self.slices(key, thread_label(thread), 2, &thread.slices, thread.rows);
            }
        }
    }

    fn device(&mut self, rank: &Rank, device: &Device) {
        let key = LaneKey::Device(rank.id, device.id);
        let open = self.state.is_open(key);
        let label = match &device.name {
            Some(name) => format!("GPU {} {name}", device.id.0),
            None => format!("GPU {}", device.id.0),
        };
        let row = self.push(key, label, 1, HEADER_PX);
        row.open = Some(open);
        if !open {
            (row.sub_rows, row.all_rows) = (1, 1);
            return;
        }
        for derived in Derived::ALL {
            let key = LaneKey::Derived(rank.id, device.id, derived);
            let row = self.push(key, derived.label().to_owned(), 2, DERIVED_PX);
            (row.sub_rows, row.all_rows) = (1, 1);
        }
        for stream in &device.streams {
            let key = LaneKey::Stream(rank.id, device.id, stream.id);
            let label = match stream.name.as_deref().map(str::trim) {
                // Most profilers name a stream "stream 7", which says nothing more.
                Some(name) if !name.is_empty() && !says_only(name, stream.id) => {
                    format!("Stream {} {name}", stream.id.0)
                }
                _ => format!("Stream {}", stream.id.0),
            };
            self.slices(key, label, 2, &stream.slices, stream.rows);
        }
        for (i, extra) in device.extras.iter().enumerate() {
            let key = LaneKey::Extra(rank.id, device.id, i);
            self.slices(key, extra_label(rank, extra), 2, &extra.slices, extra.rows);
        }
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

/// What stands on a row of a GPU that is no GPU work.
fn extra_label(rank: &Rank, extra: &Thread) -> String {
    let first = rank.slices.get(SliceId(extra.slices.start));
    let kind = match first.map(|s| s.category()) {
        Some(Category::GpuAnnotation) => "Annotations",
        Some(Category::Sync) => "Synchronisation",
        _ => return thread_label(extra),
    };
    format!("{kind}, {}", thread_label(extra))
}

fn thread_label(thread: &Thread) -> String {
    match thread.name.as_deref().map(str::trim) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("Thread {}", thread.tid),
    }
}
