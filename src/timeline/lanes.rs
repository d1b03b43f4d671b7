//! Which lanes there are, in which order and how high.
//!
//! Lanes stand in a tree of rank and device: first what is derived of a device (computation,
//! communication, memory, overlap, idle), then its streams, then the rows on the GPU that are no
//! GPU work, then the rank's CPU threads. [`LaneKey`] names a lane by what it shows, so that what a
//! user collapsed stays collapsed when the same job is opened again.

mod arrange;
mod find;
mod layout;
mod only;
mod pack;
mod snapshot;

pub use arrange::Arranged;
pub use find::{lane_of, same_slice, slices_of};
pub use layout::rows;
pub use only::{lane_label, rows_with};
pub use pack::graph_packs;
pub use snapshot::{Known, SnapshotLane, SnapshotOf};

use crate::trace::{
    Category, DeviceId, MemoryPlace, Rank, RankId, SliceId, StreamId, Thread, Trace,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Height of a rank or device header.
pub const HEADER_PX: f32 = 20.0;
/// Height of a derived lane.
pub const DERIVED_PX: f32 = 13.0;
/// Height of a lane of memory.
pub const MEMORY_PX: f32 = 34.0;
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

/// An allocator's lane: under the GPU whose number it has, or under the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryLane {
    /// Under a GPU that has kernels and the same number.
    OfDevice(DeviceId),
    /// Under the rank: that of the host, or of a GPU that no kernel names.
    OfRank(MemoryPlace),
}

impl MemoryLane {
    /// Whose memory it is.
    #[must_use]
    pub fn place(self) -> MemoryPlace {
        match self {
            Self::OfDevice(device) => MemoryPlace::Device(device),
            Self::OfRank(place) => place,
        }
    }

    /// The lane of an allocator of a rank.
    #[must_use]
    pub fn of(rank: &Rank, place: MemoryPlace) -> Self {
        match place {
            MemoryPlace::Device(device) if rank.device(device).is_some() => Self::OfDevice(device),
            _ => Self::OfRank(place),
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
    /// What an allocator held.
    Memory(RankId, MemoryLane),
    /// What the allocator held by a snapshot that is open beside the trace.
    Snapshot(RankId, MemoryLane),
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
            | Self::Memory(r, _)
            | Self::Snapshot(r, _)
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
            | Self::Extra(_, d, _)
            | Self::Memory(_, MemoryLane::OfDevice(d))
            | Self::Snapshot(_, MemoryLane::OfDevice(d)) => Some(d),
            Self::Rank(_)
            | Self::Memory(_, MemoryLane::OfRank(_))
            | Self::Snapshot(_, MemoryLane::OfRank(_))
            | Self::Threads(_)
            | Self::Thread(..) => None,
        }
    }

    /// The group that the lane is in; `None` for a rank.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        match self {
            Self::Rank(_) => None,
            Self::Device(r, _)
            | Self::Threads(r)
            | Self::Memory(r, MemoryLane::OfRank(_))
            | Self::Snapshot(r, MemoryLane::OfRank(_)) => Some(Self::Rank(r)),
            Self::Derived(r, d, _)
            | Self::Stream(r, d, _)
            | Self::Extra(r, d, _)
            | Self::Memory(r, MemoryLane::OfDevice(d))
            | Self::Snapshot(r, MemoryLane::OfDevice(d)) => Some(Self::Device(r, d)),
            Self::Thread(r, _) => Some(Self::Threads(r)),
        }
    }
}

/// Which groups are open, and what else the user did to lanes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LaneState {
    /// Lanes that are not in their usual state.
    toggled: BTreeSet<LaneKey>,
    /// The first rank that is closed at the start, where there are many.
    closed_from: Option<RankId>,
    /// What is hidden, pinned, moved or renamed.
    pub arranged: Arranged,
    /// Where the lane of an allocator snapshot stands, while there is one.
    pub snapshot: Option<SnapshotLane>,
}

impl LaneState {
    /// The usual state for a trace: CPU threads and extra rows closed, of many ranks only the
    /// first few open.
    #[must_use]
    pub fn for_trace(trace: &Trace) -> Self {
        let many = trace.ranks.len() > MANY_RANKS;
        Self {
            closed_from: trace.ranks.get(FIRST_RANKS).filter(|_| many).map(|r| r.id),
            ..Self::default()
        }
    }

    /// Whether a group shows what is in it, or a lane with sub-rows all of them.
    #[must_use]
    pub fn is_open(&self, lane: LaneKey) -> bool {
        let usual = match lane {
            LaneKey::Rank(rank) => self.closed_from.is_none_or(|from| rank < from),
            LaneKey::Device(..)
            | LaneKey::Derived(..)
            | LaneKey::Stream(..)
            | LaneKey::Memory(..)
            | LaneKey::Snapshot(..) => true,
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

    /// Lanes that are not in their usual state, open or closed.
    #[must_use]
    pub fn toggled(&self) -> &BTreeSet<LaneKey> {
        &self.toggled
    }

    /// Opens every group that hides a lane, so that it can be scrolled to. It is shown itself, and
    /// what it is in, where the user hid that.
    pub fn reveal(&mut self, lane: LaneKey) {
        self.arranged.hidden.remove(&lane);
        // What is above a pinned lane does not hide it.
        let mut inner = lane;
        while !self.arranged.is_pinned(inner)
            && let Some(group) = inner.parent()
        {
            self.arranged.hidden.remove(&group);
            if !self.is_open(group) {
                self.toggle(group);
            }
            inner = group;
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
    /// Whether the user pinned it to the top.
    pub pinned: bool,
    /// Whether it shares its place with others.
    pub shared: Shared,
}

/// Whether a lane shares its place with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Shared {
    /// It has a place of its own.
    #[default]
    No,
    /// It is the first of so many in one place, and named for all of them.
    First(usize),
    /// It is one of the others there.
    Behind,
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

fn memory_label(lane: MemoryLane) -> String {
    match lane {
        MemoryLane::OfDevice(_) => "Allocator".to_owned(),
        MemoryLane::OfRank(place) => format!("Allocator of {}", place.label()),
    }
}

fn thread_label(thread: &Thread) -> String {
    match thread.name.as_deref().map(str::trim) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("Thread {}", thread.tid),
    }
}
