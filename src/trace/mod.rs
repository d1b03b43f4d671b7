//! The immutable, columnar model of what was opened.
//!
//! A [`Trace`] holds one [`Rank`] per process of the job; a rank holds its [`Slices`] in columns,
//! its [`Device`]s with their [`Stream`]s, its host [`Thread`]s, its steps and its launch links.
//! Everything here is built once by [`RankBuilder`] and only read afterwards, behind an `Arc`. The
//! model knows nothing of files' formats, of pixels or of egui.
//!
//! Identity is (rank, device, stream), never a process or thread number alone: a [`SliceId`] means
//! something only within its rank, so whatever leaves a rank is a [`SliceRef`].

mod activity;
mod around;
mod assemble;
mod astray;
mod buckets;
mod builder;
pub mod class;
mod clocks;
mod collectives;
mod comms;
mod elapsed;
mod health;
mod hits;
mod host_calls;
mod lane_rows;
mod launch_details;
mod left_out;
mod links;
mod matches;
mod memory;
mod moved;
mod names;
mod rank;
mod rows;
mod slices;
mod source;
mod steps;
mod times;

pub use activity::{Activity, Busy};
pub use buckets::{Coarse, Told};
pub use builder::{
    Lane, RankBuilder, RankParts, RawMemory, RawSlice, Renumbered, RowKey, Stop, Survey,
    shares_time,
};
pub use clocks::{ClockShift, Compared, LEAST_MATCHES, clock_shifts};
pub use collectives::{Collective, CollectiveSource};
pub use comms::{Comm, Message, element_size, listed_ranks};
pub use health::{Health, Issue, IssueKind, Position, Severity};
pub use hits::Hits;
pub use host_calls::{HostWait, host_wait};
pub use lane_rows::LaneRows;
pub use launch_details::{LaunchDetails, LaunchShape, RankLaunches, StreamWait};
pub use links::Links;
pub use matches::{Matches, Unmatched};
pub use memory::{MemoryEvent, MemoryPlace, MemorySource, MemorySums, MemoryTrack, cached_free};
pub use moved::{Moved, MovedBy};
pub use names::{NameId, Names};
pub use rank::{
    Alignment, Counter, CounterSample, Device, DeviceFacts, Flow, FlowPhase, Instant, ProcessGroup,
    Rank, RecordedWith, Stream, Suspicious, Thread,
};
pub use rows::{Row, RowIndex};
pub use slices::{Category, Slice, SliceId, SliceRef, Slices};
pub use source::{FileId, SourceFile, SourceSpan};
pub use steps::{Basis, DeviceStep, HostStep, StepLabel};
pub use times::Times;

use crate::time::{Ns, Window};
use rayon::prelude::*;

/// A rank's number in the job. Unique within a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RankId(pub u32);

/// A GPU's number within its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DeviceId(pub i64);

/// A CUDA or HIP queue's number on its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct StreamId(pub i64);

/// What was opened: one or more files, one rank each. Immutable.
#[derive(Debug, Default)]
pub struct Trace {
    /// The files in the order in which they were given, bad ones included.
    pub files: Vec<SourceFile>,
    /// The ranks by ascending number.
    pub ranks: Vec<Rank>,
    /// Every distinct name once.
    pub names: Names,
    /// What was repaired, left out or found odd, by kind.
    pub health: Health,
    /// Number of events read from all files, metadata included.
    pub events: u64,
    /// Which communication kernels of different ranks are one collective.
    pub matches: Matches,
}

impl Trace {
    /// The instant from which relative times count: the first valid event of the files over all
    /// ranks after alignment, also where a load left it out. `None` without any.
    #[must_use]
    pub fn origin(&self) -> Option<Ns> {
        let recorded = |r: &Rank| r.recorded.or(r.capture);
        self.ranks
            .iter()
            .filter_map(recorded)
            .map(Window::start)
            .min()
    }

    /// First valid event to last valid end over all ranks after alignment, inside the range that was
    /// loaded; `None` without any.
    #[must_use]
    pub fn capture(&self) -> Option<Window> {
        self.ranks
            .iter()
            .filter_map(|r| r.capture)
            .reduce(Window::hull)
    }

    /// Whether only a range of what the files hold was loaded.
    #[must_use]
    pub fn is_range(&self) -> bool {
        self.ranks
            .iter()
            .any(|r| r.recorded.is_some() && r.recorded != r.capture)
    }

    /// The rank with this number.
    #[must_use]
    pub fn rank(&self, id: RankId) -> Option<&Rank> {
        let at = self.ranks.binary_search_by_key(&id, |r| r.id).ok()?;
        self.ranks.get(at)
    }

    /// The slice that a reference names.
    #[must_use]
    pub fn slice(&self, at: SliceRef) -> Option<Slice<'_>> {
        self.rank(at.rank)?.slices.get(at.slice)
    }

    /// Every (rank, device) pair in order.
    pub fn devices(&self) -> impl Iterator<Item = (&Rank, &Device)> {
        self.ranks
            .iter()
            .flat_map(|r| r.devices.iter().map(move |d| (r, d)))
    }

    /// Whether any rank has GPU work.
    #[must_use]
    pub fn has_gpu_work(&self) -> bool {
        self.ranks.iter().any(|r| !r.devices.is_empty())
    }

    /// Lists the sub-rows of all lanes, which the first picture needs. The window has it done by the
    /// thread that loads.
    pub fn list_rows(&self) {
        self.ranks.par_iter().for_each(|rank| {
            rank.list_rows();
        });
    }

    /// Heap memory of the loaded trace in bytes, near enough to report.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.names.heap_bytes() + self.ranks.iter().map(Rank::heap_bytes).sum::<usize>()
    }
}
