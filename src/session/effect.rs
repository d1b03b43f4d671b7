//! What leaves the session and what comes back: [`Effect`]s are run by the app, [`Arrival`]s are
//! the answers. The session itself never touches a file, a dialog or a thread.

use super::{
    Answer, DeltaKey, JudgedOverlap, KernelKey, OverlapKey, OverlapTask, Packs, Question,
    SearchAnswer, SearchKey, SessionAnswer, SnapshotArrival, SnapshotEffect,
};
use crate::ingest::{EventText, LoadOptions, Progress};
use crate::metrics::{KernelDelta, KernelGroup, Launched};
use crate::trace::{DeviceId, Hits, LaunchDetails, RankId, SliceRef, Trace};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Work that [`super::Session::apply`] cannot do itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Load these paths; a running load is cancelled and its result dropped.
    StartLoad {
        /// Number of the load.
        generation: u64,
        /// What to load.
        paths: Vec<PathBuf>,
        /// What of it.
        options: LoadOptions,
    },
    /// Read how some paths were looked at the last time.
    RecallSession {
        /// Number of the load.
        generation: u64,
        /// What is opened.
        paths: Vec<PathBuf>,
    },
    /// Read a session file that the user named.
    OpenSession {
        /// The file.
        path: PathBuf,
    },
    /// Stop the running load.
    CancelLoad,
    /// Let the user choose what to open.
    PickOpen {
        /// Files, or one folder.
        what: PickWhat,
    },
    /// Let the user choose where to write a text.
    PickSave {
        /// A file name to start from.
        suggested: String,
        /// What will be written.
        contents: String,
    },
    /// Write a text file; never one of the inputs.
    WriteFile {
        /// Where.
        path: PathBuf,
        /// What.
        contents: String,
        /// Whether the user agreed that an existing file is replaced.
        replace: bool,
    },
    /// Let the user choose where to write what this frame shows in an area, and write it.
    SavePicture {
        /// Where on the screen.
        area: PictureArea,
        /// A file name to start from.
        suggested: String,
    },
    /// Put a text on the clipboard.
    CopyText(String),
    /// Read an event's own words from its file.
    ReadEvent {
        /// The trace.
        trace: TraceHandle,
        /// The event.
        slice: SliceRef,
    },
    /// Measure what takes longer than a frame may.
    Measure {
        /// The trace.
        trace: TraceHandle,
        /// What.
        question: Question,
    },
    /// Align the kernels of two traces, on a thread of its own.
    AlignKernels {
        /// The first trace.
        a: TraceHandle,
        /// The second.
        b: TraceHandle,
        /// What of them.
        key: DeltaKey,
    },
    /// Read from the files how GPU work was launched, on a thread of its own; one that still reads for an
    /// older load is stopped.
    ReadLaunches {
        /// Number of the load.
        generation: u64,
        /// The trace.
        trace: TraceHandle,
    },
    /// Come to a verdict on overlap, on a thread of its own.
    JudgeOverlap(Box<OverlapTask>),
    /// Look for the next kernel of a group.
    FindKernel {
        /// The trace.
        trace: TraceHandle,
        /// In which window and device.
        key: KernelKey,
        /// The group.
        group: KernelGroup,
        /// Behind which slice.
        after: Option<SliceRef>,
    },
    /// Find out which streams of a device can share lanes.
    PackStreams {
        /// Number of the load.
        generation: u64,
        /// The trace.
        trace: TraceHandle,
        /// The rank.
        rank: RankId,
        /// The device.
        device: DeviceId,
    },
    /// Look for names.
    FindHits {
        /// The trace.
        trace: TraceHandle,
        /// What is looked for.
        key: SearchKey,
    },
    /// Read the files again and look for a text in all events, on a thread of its own; one that still
    /// runs is stopped.
    SearchArgs {
        /// The trace.
        trace: TraceHandle,
        /// What is looked for.
        key: SearchKey,
        /// What was found in names.
        names: Arc<Hits>,
    },
    /// Stop reading files for a search.
    StopSearch,
    /// List what a path being typed could become.
    CompletePath {
        /// The text so far.
        text: String,
    },
    /// Something to do for the snapshot.
    Snapshot(SnapshotEffect),
    /// Something to do for the second trace; what it brings is an [`Arrival::Other`].
    Other(Box<Effect>),
    /// Say where the bundled sample is.
    FindSample,
    /// Keep the settings for the next start.
    SaveSettings,
}

/// A part of the window, in whole points from its left top corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureArea {
    edges: [i16; 4],
}

impl PictureArea {
    /// By its edges.
    #[must_use]
    pub fn new(left: i16, top: i16, right: i16, bottom: i16) -> Self {
        Self {
            edges: [left, top, right, bottom],
        }
    }

    /// Left, top, right, bottom.
    #[must_use]
    pub fn edges(self) -> [i16; 4] {
        self.edges
    }
}

/// A shared trace, compared by identity.
#[derive(Clone, Debug)]
pub struct TraceHandle(pub Arc<Trace>);

impl PartialEq for TraceHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for TraceHandle {}

/// What a dialog lets the user choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickWhat {
    /// One or more files.
    Files,
    /// One folder.
    Folder,
    /// A session file.
    Session,
    /// One or more files to compare with.
    CompareFiles,
    /// A folder to compare with.
    CompareFolder,
}

/// What a worker brings.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// A load began; its progress can be read from now on.
    LoadStarted {
        /// Number of the load.
        generation: u64,
        /// Its counters.
        progress: Progress,
    },
    /// A load gave a trace.
    Loaded {
        /// Number of the load.
        generation: u64,
        /// What it gave.
        trace: Arc<Trace>,
        /// How long it took.
        took: Duration,
    },
    /// A load gave nothing.
    LoadFailed {
        /// Number of the load.
        generation: u64,
        /// One sentence.
        sentence: String,
    },
    /// A load was stopped.
    LoadCancelled {
        /// Number of the load.
        generation: u64,
    },
    /// Which streams of a device can share lanes.
    Packs(Packs),
    /// A session was read, or could not be kept.
    Session(SessionAnswer),
    /// The open dialog is over.
    Picked {
        /// What it was for.
        what: PickWhat,
        /// How it ended.
        outcome: PickOutcome,
    },
    /// The save dialog is over.
    PickedSave {
        /// The file name that was suggested.
        suggested: String,
        /// What is to be written.
        contents: String,
        /// How it ended; one path where one was chosen.
        outcome: PickOutcome,
    },
    /// A file was written, or not.
    Written {
        /// Where.
        path: PathBuf,
        /// What went wrong, as the end of a sentence that begins with the path.
        error: Option<String>,
    },
    /// A file was not written, since there is one and nobody agreed to replace it.
    WouldReplace {
        /// Where.
        path: PathBuf,
    },
    /// An event was read again, or not.
    EventRead {
        /// Which.
        slice: SliceRef,
        /// Its words, or one sentence.
        text: Result<EventText, String>,
        /// What it launched, for a host call.
        launched: Option<Launched>,
    },
    /// Something was found, or nothing.
    Search(SearchAnswer),
    /// What takes longer than a frame was measured.
    Measured(Answer),
    /// Kernels of two traces were aligned.
    Aligned(DeltaKey, Vec<KernelDelta>),
    /// How GPU work was launched was read from the files.
    Launches {
        /// Number of the load.
        generation: u64,
        /// What they tell.
        launches: Arc<LaunchDetails>,
    },
    /// There is a verdict on overlap.
    Judged(OverlapKey, Arc<JudgedOverlap>),
    /// Something for the snapshot.
    Snapshot(SnapshotArrival),
    /// Something for the second trace.
    Other(Box<Arrival>),
    /// The next kernel of a group was found.
    KernelFound {
        /// Number of the load.
        generation: u64,
        /// The kernel.
        slice: SliceRef,
    },
    /// What a path being typed could become.
    Completions {
        /// The text they belong to.
        text: String,
        /// Full paths; folders end with a separator.
        candidates: Vec<String>,
    },
    /// Files of the trace are no longer what was loaded.
    ChangedOnDisk {
        /// Number of the load that is compared with.
        generation: u64,
    },
    /// Where the bundled sample is, or one sentence.
    Sample(Result<Vec<PathBuf>, String>),
    /// Something to tell the user that no other arrival says.
    Notice(String),
}

/// How a dialog ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickOutcome {
    /// The user chose.
    Chosen(Vec<PathBuf>),
    /// The user closed it.
    Dismissed,
    /// The system has no dialog to show.
    Unavailable,
}
