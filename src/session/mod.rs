//! The state of the program and the only ways to change it. No egui, no files, no threads.
//!
//! A view reads a [`Session`] and pushes [`Action`]s; the app applies them all after the last view
//! of the frame, so that every figure of a frame has the same window. What a session cannot do
//! itself leaves as [`Effect`]s, and their answers come back as [`Arrival`]s. Every load has a
//! generation number, and what an older load brings is dropped.

mod action;
mod apply;
mod arrive;
mod bookmarks;
mod collectives;
mod compare;
mod compat;
mod effect;
mod event_words;
mod file;
mod groups;
mod history;
mod idle;
mod kernels;
mod lane_text;
mod lanes;
mod measure;
mod memory;
mod navigate;
mod open;
mod open_form;
mod overlap;
mod palette;
mod path_box;
mod place;
mod question;
mod ranks;
mod restore;
mod rows;
mod search;
mod section;
mod settings;
mod snapshot;
mod tables;
mod whatif;

pub use action::Action;
pub use bookmarks::{Bookmark, BookmarkAction, Bookmarks, Marked};
pub use collectives::{
    CollectiveKey, CollectiveRows, Collectives, HidingKey, PickedCollectives, ShownCollectives,
    ShownHiding,
};
pub use compare::{
    Alignment, Compare, CompareAction, CompareWith, Compared, DeltaKey, Deltas, PanelOf,
    ShownDeltas, TraceSide,
};
pub use compat::{Compat, CompatKey};
pub use effect::{Arrival, Effect, PickOutcome, PickWhat, PictureArea, TraceHandle};
pub use file::{SESSION_EXTENSION, SESSION_SCHEMA, SessionError, SessionFile};
pub use groups::Groups;
pub use history::ViewHistory;
pub use idle::{Idle, IdleKey, IdleView, Idling, LISTED_GAPS};
pub use kernels::{KernelKey, Kernels, ShownKernels};
pub use lanes::{LaneAction, Packs};
pub use measure::{Measure, Measured};
pub use memory::{HoldersKey, JudgedMemory, MemoryKey, MemoryPanel, ShownHolders};
pub use navigate::{StepWindow, step_windows};
pub use open_form::{FormTrouble, OpenForm};
pub use overlap::{
    JudgedOverlap, OverlapKey, OverlapPanel, OverlapState, OverlapTask, ShownOverlap,
};
pub use palette::{Palette, PaletteAction, fuzzy};
pub use path_box::{PathBox, PathBoxMode, SaveAnswer, expand_home, folder_of};
pub use place::ShiftEdit;
pub use question::{Answer, Question};
pub use ranks::{Ranks, StepGridKey};
pub use restore::{KeptAs, OpenedSession, Recall, SessionAnswer};
pub use rows::{Filter, Picked, Shown, Sorting};
pub use search::{Search, SearchAction, SearchAnswer, SearchKey, ShownHits};
pub use section::{CsvPanel, Section};
pub use settings::{Settings, SettingsError, ThemeChoice};
pub use snapshot::{
    Allocator, FitForm, Fitted, Held, HeldKey, HeldOf, InkBy, Moment, MomentKey, OpenSnapshot,
    Recorded, SiteSort, SnapshotAction, SnapshotAnswer, SnapshotArrival, SnapshotEffect,
    SnapshotHandle, SnapshotQuestion, SnapshotTab, SnapshotTable, Together, site_words,
};
pub use whatif::{PrefillKey, ShownWhatIf, WhatIf, WhatIfAction};

use crate::classify::Rules;
use crate::ingest::{EventText, LoadOptions, Progress};
use crate::metrics::{Launched, Query, Selection};
use crate::time::Window;
use crate::timeline::{LaneKey, LaneState, View};
use crate::trace::{Device, DeviceId, Rank, RankId, SliceRef, StepLabel, Trace};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Everything that the screen shows, apart from what egui itself remembers.
#[derive(Debug, Default)]
pub struct Session {
    /// What was opened.
    pub trace: Option<Arc<Trace>>,
    /// Number of the load that gave the trace; caches use it as a key.
    pub generation: u64,
    /// The current window; `None` means every device's own extent.
    pub window: Option<Window>,
    /// What part of time the lanes show; `None` until the width is known.
    pub view: Option<View>,
    /// Part of a pixel that was panned but not shown yet: views move by whole pixels.
    pub pan_rest: f64,
    /// The views before this one.
    pub history: ViewHistory,
    /// The selected slice.
    pub selection: Option<SliceRef>,
    /// Which lanes are open.
    pub lanes: LaneState,
    /// The user's preferences.
    pub settings: Settings,
    /// Distance of the lanes from their top, in points.
    pub scroll_y: f32,
    /// The device whose figures come first, if one was chosen.
    pub focus: Option<(RankId, DeviceId)>,
    /// The step that is the current window, if it is one.
    pub current_step: Option<StepLabel>,
    /// Width of the lanes in points, as last drawn.
    pub view_width: f64,
    /// The load that is running.
    pub load: Option<Load>,
    /// One sentence for the user.
    pub message: Option<Message>,
    /// Whether files of the trace were changed after they were read.
    pub changed_on_disk: bool,
    /// How long the trace took to load.
    pub load_time: Option<Duration>,
    /// What was opened, for reload.
    pub sources: Vec<PathBuf>,
    /// What of it was loaded, for reload.
    pub options: LoadOptions,
    /// What of the files will be loaded that the user is choosing.
    pub next_options: LoadOptions,
    /// The dialog for opening with options; kept for the next time.
    pub open_form: OpenForm,
    /// The selected slice's own words.
    pub details: Details,
    /// What the selected host call launched, once that was counted.
    pub launched: Option<Launched>,
    /// The path box, while it is open.
    pub path_box: Option<PathBox>,
    /// The window over the others, while one is open.
    pub overlay: Option<Overlay>,
    /// Whether a system dialog is open.
    pub dialog_open: bool,
    /// The text by which annotations are searched.
    pub annotation_filter: String,
    /// The command palette.
    pub palette: Palette,
    /// The panel of kernels.
    pub kernels: Kernels,
    /// The compatibility switch.
    pub compat: Compat,
    /// The panel of idle time.
    pub idle: Idle,
    /// The panel of memory.
    pub memory: MemoryPanel,
    /// The panel of the overlap verdict.
    pub overlap: OverlapPanel,
    /// The panel of collectives.
    pub collectives: Collectives,
    /// What the user says that process groups are for.
    pub groups: Groups,
    /// The panel of ranks.
    pub ranks: Ranks,
    /// What the models are asked.
    pub what_if: WhatIf,
    /// The snapshot of the allocator, and how it is looked at.
    pub snapshot: Allocator,
    /// The search.
    pub search: Search,
    /// The slice that was selected before the selected one.
    pub selected_before: Option<SliceRef>,
    /// What is measured between.
    pub measure: Option<Measure>,
    /// What the user marked.
    pub bookmarks: Bookmarks,
    /// A lane that is to be scrolled to.
    pub reveal: Option<LaneKey>,
    /// Sections of the panel at the right that are closed.
    pub closed_sections: BTreeSet<Section>,
    /// Paths of the bundled sample, once it was asked for.
    pub demo_paths: Vec<PathBuf>,
    /// The second trace, while this one is compared with it.
    pub compare: Option<Box<Compare>>,
    /// What is to be compared with as soon as the trace is there.
    compare_next: Option<CompareWith>,
    /// Whether this is the second trace of another session.
    is_other: bool,
    /// Number of the last load of a second trace.
    other_loads: u64,
    /// How kernels are classified.
    rules: Arc<Rules>,
    /// The load whose kept session is back, if there was one.
    recalled: u64,
    last_load: u64,
    reload_keeps: Option<Kept>,
}

/// A running load.
#[derive(Clone, Debug)]
pub struct Load {
    /// Its number.
    pub generation: u64,
    /// What it loads.
    pub paths: Vec<PathBuf>,
    /// What of that.
    pub options: LoadOptions,
    /// Its counters, once it runs.
    pub progress: Option<Progress>,
    /// How it was looked at the last time.
    pub recall: Recall,
    /// One sentence to say once it is there, if there is nothing worse.
    pub notice: Option<String>,
}

/// One sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How much it matters.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something worked.
    Notice,
    /// Something did not.
    Error,
}

/// The selected slice's own words, as far as they were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Details {
    /// Nothing is selected.
    #[default]
    None,
    /// They are being read.
    Reading(SliceRef),
    /// Here they are.
    Ready(SliceRef, Words),
    /// They could not be read: one sentence.
    Failed(SliceRef, String),
}

/// What an event's own text tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The text.
    pub text: EventText,
    /// What decided the class, for GPU work.
    pub rule: Option<String>,
}

/// A window over the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The list of keys.
    Help,
    /// What was repaired, left out or found odd.
    Health,
    /// Annotations to choose a window from.
    Annotations,
    /// What the user marked.
    Bookmarks,
    /// Commands to choose from.
    Palette,
    /// What of the files is to be loaded.
    OpenOptions,
}

/// What is opened with options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenWhat {
    /// Files or a folder that the user chooses.
    Chosen(PickWhat),
    /// What is open already.
    Same,
    /// The bundled sample.
    Sample,
}

/// What a reload brings over, where it still fits.
#[derive(Clone, Debug)]
struct Kept {
    window: Option<Window>,
    view: Option<View>,
    focus: Option<(RankId, DeviceId)>,
    lanes: LaneState,
    scroll_y: f32,
}

impl Session {
    /// A session without a trace.
    #[must_use]
    pub fn new(settings: Settings, rules: Arc<Rules>) -> Self {
        Self {
            settings,
            rules,
            // Two need the files to be read once more; the third is a tool for when it is wanted.
            closed_sections: Section::ALL
                .into_iter()
                .filter(|s| s.starts_closed())
                .collect(),
            ..Self::default()
        }
    }

    /// The device whose figures come first: the focused one, else the first of the trace.
    #[must_use]
    pub fn focused(&self) -> Option<(&Rank, &Device)> {
        let trace = self.trace.as_ref()?;
        let chosen = self.focus.and_then(|(rank, device)| {
            let rank = trace.rank(rank)?;
            Some((rank, rank.device(device)?))
        });
        chosen.or_else(|| trace.devices().next())
    }

    /// What figures are computed of: the current window on every device.
    #[must_use]
    pub fn query(&self) -> Query {
        Query {
            selection: self.window.map_or(Selection::None, Selection::Window),
            clip_suspicious: self.settings.clip_suspicious,
            ..Query::default()
        }
    }

    /// The rank of the focused device; for a trace without GPU work, its first rank.
    #[must_use]
    pub fn focused_rank(&self) -> Option<&Rank> {
        let trace = self.trace.as_ref()?;
        self.focused()
            .map(|(rank, _)| rank)
            .or_else(|| trace.ranks.first())
    }

    /// Every file that is read or being read: what an export must not replace.
    #[must_use]
    pub fn inputs(&self) -> Vec<PathBuf> {
        let read = self.trace.iter().flat_map(|t| &t.files).map(|f| &f.path);
        let loading = self.load.iter().flat_map(|load| &load.paths);
        let snapshot = self.snapshot.paths();
        let mut inputs: Vec<PathBuf> = read.chain(&self.sources).chain(loading).cloned().collect();
        inputs.extend(snapshot);
        inputs.extend(self.compare.iter().flat_map(|c| c.other.inputs()));
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// A short name of what was opened, for titles.
    #[must_use]
    pub fn trace_name(&self) -> Option<String> {
        let trace = self.trace.as_ref()?;
        match self.sources.as_slice() {
            [] => trace
                .files
                .first()
                .map(crate::trace::SourceFile::display_name),
            [one] => Some(file_name(one)),
            [first, rest @ ..] => Some(format!("{} and {} more", file_name(first), rest.len())),
        }
    }

    fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.message = Some(Message {
            tone,
            text: text.into(),
        });
    }
}

/// What is wrong with a regular expression, for the end of a sentence.
fn regex_trouble(error: &regex::Error) -> String {
    // The parser draws the place on lines of its own; the last one says what is wrong.
    let said = error.to_string();
    let what = said.lines().last().unwrap_or_default().trim();
    let what = what.strip_prefix("error: ").unwrap_or(what);
    format!("not a regular expression: {what}")
}

/// The last part of a path, or all of it where it has none.
#[must_use]
pub fn file_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |n| n.to_string_lossy().into_owned(),
    )
}
