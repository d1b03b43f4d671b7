//! Why nothing could be loaded. One sentence: the file, what is wrong, where, what to do.

use std::path::PathBuf;

/// Why a load gave no trace at all. Trouble with single events is in the trace's health instead.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The user stopped it.
    #[error("loading was cancelled")]
    Cancelled,
    /// A path that cannot be opened or read.
    #[error("{}: cannot be read: {reason}; check the path and its permissions", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A folder without anything that could be a trace.
    #[error("{}: no trace files in this folder; expected .json, .json.gz, .json.zst or .zip files of a profiler", path.display())]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A file that is something else.
    #[error("{file}: {what}; {advice}")]
    NotATrace {
        /// The file, with the archive entry where there is one.
        file: String,
        /// What it is.
        what: String,
        /// What to do.
        advice: String,
    },
    /// A document whose JSON cannot be followed from the start.
    #[error("{file}: {what} at byte {byte}; {advice}")]
    Malformed {
        /// The file, with the archive entry where there is one.
        file: String,
        /// What is wrong.
        what: String,
        /// Where.
        byte: u64,
        /// What to do.
        advice: String,
    },
    /// An input that was refused when the paths were looked at; the sentence is whole.
    #[error("{0}")]
    Unusable(String),
    /// A file that was changed after it was loaded.
    #[error("{}: the file was changed since it was loaded; reload it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A slice that is not of the trace.
    #[error("the slice is not part of the loaded trace; select it again")]
    NoSuchSlice,
    /// None of several files was good.
    #[error("none of the {count} files could be read; the first: {first}")]
    AllBad {
        /// How many.
        count: usize,
        /// The sentence for the first of them.
        first: String,
    },
    /// No path was given.
    #[error("no file was given; name one or more trace files, or a folder of them")]
    NothingGiven,
}
