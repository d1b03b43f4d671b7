//! The allocator snapshot that is open: reading it, closing it, and how it is looked at. It stands
//! beside the trace; neither needs the other.

mod act;
mod arrive;
mod ask;
mod fit;
mod go;
mod grids;
mod kept;
mod sites;
mod together;

pub use act::SnapshotAction;
pub use ask::{Held, HeldKey, HeldOf, Moment, MomentKey, SnapshotAnswer, SnapshotQuestion};
pub use fit::{FitForm, Fitted};
pub use grids::SnapshotTable;
pub(super) use kept::StoredSnapshot;
pub(super) use sites::Sites;
pub use sites::{SiteSort, site_words};
pub use together::Together;

use super::Load;
use super::rows::Measured;
use crate::export::snapshot::Seen;
use crate::ingest::Progress;
use crate::snapshot::strips::StripView;
use crate::snapshot::{CallSites, Device, History, Layout, Oom, Snapshot, explain};
use crate::time::{Ns, Window};
use crate::timeline::View;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A snapshot and what is found out once: what its recordings say.
#[derive(Debug)]
pub struct OpenSnapshot {
    /// The file.
    pub path: PathBuf,
    /// What stands in it.
    pub snapshot: Snapshot,
    /// The call site of every stack.
    pub sites: CallSites,
    /// One of each device.
    pub recorded: Vec<Recorded>,
    /// The size of the file and its last change right before it was read, as far as the system tells.
    pub on_disk: Option<(u64, Option<SystemTime>)>,
}

/// What the recording of one device says.
#[derive(Debug)]
pub struct Recorded {
    /// Bytes over time, and every allocation.
    pub history: History,
    /// The times that memory ran out.
    pub ooms: Vec<Oom>,
}

impl OpenSnapshot {
    /// Follows the recordings of a snapshot. Takes a while; not for the thread that draws.
    #[must_use]
    pub fn new(path: PathBuf, snapshot: Snapshot) -> Self {
        let recorded = snapshot
            .devices
            .iter()
            .map(|device| {
                let history = History::new(&snapshot, device);
                let ooms = explain(&snapshot, device, &history, None);
                Recorded { history, ooms }
            })
            .collect();
        Self {
            sites: CallSites::new(&snapshot),
            path,
            snapshot,
            recorded,
            on_disk: None,
        }
    }

    /// A device as its tables are made from it.
    #[must_use]
    pub fn seen<'a>(
        &'a self,
        device: &'a Device,
        recorded: &'a Recorded,
        layout: Layout<'a>,
    ) -> Seen<'a> {
        Seen {
            snapshot: &self.snapshot,
            device,
            history: &recorded.history,
            layout,
            sites: &self.sites,
        }
    }

    /// A device and its recording.
    #[must_use]
    pub fn device(&self, place: usize) -> Option<(&Device, &Recorded)> {
        Some((self.snapshot.devices.get(place)?, self.recorded.get(place)?))
    }
}

/// A shared snapshot, compared by identity.
#[derive(Clone, Debug)]
pub struct SnapshotHandle(pub Arc<OpenSnapshot>);

impl PartialEq for SnapshotHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SnapshotHandle {}

/// What is to be done for the snapshot outside of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotEffect {
    /// Read a file, on a thread of its own; one that is still read is stopped.
    Open {
        /// Number of the load.
        generation: u64,
        /// The file.
        path: PathBuf,
    },
    /// Read how a file was looked at the last time.
    Recall {
        /// Number of the load.
        generation: u64,
        /// The file.
        path: PathBuf,
    },
    /// Stop reading.
    Cancel,
    /// Find out what takes longer than a frame may, on a thread of its own.
    Measure {
        /// The snapshot.
        snapshot: SnapshotHandle,
        /// What.
        question: SnapshotQuestion,
    },
}

/// What workers bring of the snapshot.
#[derive(Clone, Debug)]
pub enum SnapshotArrival {
    /// The file that was to be loaded as a trace is a pickle.
    LoadIsPickle {
        /// Number of the load.
        generation: u64,
    },
    /// Reading began.
    Started {
        /// Number of the load.
        generation: u64,
        /// Its counters.
        progress: Progress,
    },
    /// A file was read, or not: one sentence.
    Opened {
        /// Number of the load.
        generation: u64,
        /// What it gave.
        result: Result<SnapshotHandle, String>,
        /// How long it took.
        took: Duration,
    },
    /// The file is no longer what was read.
    ChangedOnDisk {
        /// Number of the load that is compared with.
        generation: u64,
    },
    /// Something was found out.
    Measured(SnapshotAnswer),
}

/// The parts of the allocator's view below the history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotTab {
    /// Segments and their blocks.
    #[default]
    Blocks,
    /// Who holds memory.
    Sites,
    /// Would it fit.
    Fit,
    /// When memory ran out.
    Oom,
}

impl SnapshotTab {
    /// All of them from left to right.
    pub const ALL: [Self; 4] = [Self::Blocks, Self::Sites, Self::Fit, Self::Oom];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Blocks => "Blocks",
            Self::Sites => "Call sites",
            Self::Fit => "Would it fit?",
            Self::Oom => "Out of memory",
        }
    }
}

/// What the colour of a block tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InkBy {
    /// Its state.
    #[default]
    State,
    /// Its stream.
    Stream,
    /// How large it is.
    Size,
    /// Who allocated it.
    Site,
}

impl InkBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::State, Self::Stream, Self::Size, Self::Site];

    /// Its name.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Stream => "stream",
            Self::Size => "size",
            Self::Site => "call site",
        }
    }
}

/// How a snapshot is to be looked at once it is read.
#[derive(Clone, Debug)]
struct AsBefore {
    stored: StoredSnapshot,
    /// Whether it is the one that is open, read again.
    is_reload: bool,
}

/// The snapshot that is open, if one is, and how it is looked at.
#[derive(Debug, Default)]
pub struct Allocator {
    /// The snapshot.
    pub open: Option<Arc<OpenSnapshot>>,
    /// Number of the load that gave it.
    pub generation: u64,
    /// What is being read.
    pub load: Option<Load>,
    /// How long the snapshot took to load.
    pub took: Option<Duration>,
    /// Whether its view is in front of the timeline; it is where there is no trace.
    pub is_in_front: bool,
    /// What is shown below the history.
    pub tab: SnapshotTab,
    /// The device that is looked at, by its place.
    pub device: usize,
    /// The moment that is looked at; `None` is the end of the recording.
    pub moment: Option<Ns>,
    /// What part of time the history shows.
    pub view: Option<View>,
    /// Width of the history in points, as last drawn.
    pub view_width: f64,
    /// The address of the selected block.
    pub selected: Option<u64>,
    /// What colours of blocks tell.
    pub ink: InkBy,
    /// What part of the segments is shown; `None` shows all of their width.
    pub strips: Option<StripView>,
    /// Whether the strips are to scroll to the selected block.
    pub reveal: bool,
    /// The table of call sites.
    pub sites: Sites,
    /// What is asked to fit.
    pub fit: FitForm,
    /// The window, where none is shared with a trace.
    own_window: Option<Window>,
    moments: Measured<MomentKey, Arc<Moment>>,
    held: Measured<HeldKey, Arc<Held>>,
    fitted: Option<(fit::FitKey, Fitted)>,
    /// Whether the file was changed after it was read.
    pub changed_on_disk: bool,
    /// How the one that is being read was looked at, where it is brought back.
    as_before: Option<AsBefore>,
    /// The load whose kept session is back, if there was one.
    recalled: u64,
    /// The load of a trace that was named together with it.
    pub(super) with_trace: Option<u64>,
    /// One that is to be brought back.
    pub(super) next: Option<StoredSnapshot>,
    last_load: u64,
}

impl Allocator {
    /// Files that are read or being read.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let open = self.open.iter().map(|o| o.path.clone());
        open.chain(self.load.iter().flat_map(|l| l.paths.clone()))
            .collect()
    }

    /// The device that is looked at, and its recording.
    #[must_use]
    pub fn focused(&self) -> Option<(&OpenSnapshot, &Device, &Recorded)> {
        let open = self.open.as_deref()?;
        let (device, recorded) = open.device(self.device)?;
        Some((open, device, recorded))
    }

    /// What the recording of the device covers.
    #[must_use]
    pub fn extent(&self) -> Option<Window> {
        self.focused()?.2.history.extent
    }
}
