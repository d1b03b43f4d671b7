//! From files to a [`Trace`]: sources, formats, repair.
//!
//! [`load()`] is synchronous and knows nothing of threads of the UI: the command line calls it
//! directly, the window calls it on a thread of its own through `load.rs`. There is no second way
//! to load. Whatever is odd in the input ends in the trace's health list; only a load that gives
//! nothing at all is an [`IngestError`].

mod budget;
mod chrome_json;
mod error;
mod event_text;
mod event_walk;
mod launches;
mod load;
mod options;
mod pace;
mod progress;
mod rank_number;
mod search;
mod sniff;
mod source;
mod unpacked;

pub use error::IngestError;
pub use launches::read_launches;
pub use options::{
    AlignBy, LoadOptions, MemoryError, MemoryLimit, RankFilter, RankFilterError, RankShifts,
    RankShiftsError,
};
pub use pace::Speed;
pub use progress::{Cancel, Phase, Progress};
pub use rank_number::from_name as rank_in_name;
pub use search::{SearchedEvents, search_events};
pub use unpacked::{DamageWatch, Unpacked};

use crate::classify::Rules;
use crate::trace::class::GpuKind;
use crate::trace::{SliceRef, Trace};
use std::path::PathBuf;
use std::sync::Arc;

/// What to load and how.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// Files, archives and folders; every trace in them becomes a rank.
    pub paths: Vec<PathBuf>,
    /// How kernels are classified.
    pub rules: Arc<Rules>,
    /// What of the input is loaded.
    pub options: LoadOptions,
}

/// Loads everything that a request names into one trace.
///
/// A bad file among good ones is named in the trace's files and health; the others load.
///
/// # Errors
/// [`IngestError`] where nothing could be loaded, or the user cancelled.
pub fn load(
    request: &LoadRequest,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Trace, IngestError> {
    load::load(request, progress, cancel)
}

/// Reads an event by the fast reader and by the strict one, for fuzzing; panics where they differ.
#[cfg(fuzzing)]
pub fn compare_event_readers(text: &str) {
    chrome_json::compare_event_readers(text);
}

/// An event's own words, read again from its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventText {
    /// The category as written.
    pub category: String,
    /// `args` in the order of the file: key, and the value as text (strings without quotes).
    pub args: Vec<(String, String)>,
    /// The event's JSON as it stands in the file, damaged bytes replaced.
    pub raw: String,
}

impl EventText {
    /// The kind of GPU work that its category means, if any.
    #[must_use]
    pub fn gpu_kind(&self) -> Option<GpuKind> {
        chrome_json::gpu_kind(&self.category)
    }
}

/// Reads one event of a loaded trace again, for details. Blocks on the file: call it off the UI
/// thread.
///
/// # Errors
/// [`IngestError`] where the file is gone, was changed since, or cannot be read.
pub fn event_text(trace: &Trace, slice: SliceRef) -> Result<EventText, IngestError> {
    event_text::read(trace, slice)
}
