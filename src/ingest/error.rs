//! Why nothing could be loaded. One sentence: the file, what is wrong, where, what to do.

use crate::time::TimeRangeError;
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
    /// A range of time that runs backwards.
    #[error(transparent)]
    Range(#[from] TimeRangeError),
    /// No file is of a rank that was asked for.
    #[error("none of the files is of the ranks {asked}; {there}")]
    NoSuchRank {
        /// As it was written.
        asked: String,
        /// What there is, as a sentence.
        there: String,
    },
    /// A shift is of a rank that no file is of.
    #[error("there is no rank {rank} to be moved; {there}")]
    NoRankToMove {
        /// Its number.
        rank: u32,
        /// What there is, as a sentence.
        there: String,
    },
    /// More than fits into memory.
    #[error(
        "{}{} of text need about {} of memory, but only {} is available; leave out Python stacks \
         (--no-python) or CPU rows (--no-cpu-rows), take fewer ranks (--ranks) or a range of time \
         (--range), or allow it with --memory-limit none; in the window, Ctrl+Shift+O has the same \
         options",
        if *exact { "" } else { "about " }, size(*text), size(*need), size(*limit)
    )]
    TooLarge {
        /// Bytes of text, decompressed.
        text: u64,
        /// Whether that is known, or what the part that was read lets expect.
        exact: bool,
        /// Bytes of memory that it would take.
        need: u64,
        /// Bytes of memory that may be taken.
        limit: u64,
    },
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

impl IngestError {
    /// What a pickle is called where a trace is expected.
    pub(super) const PICKLE: &str = "a Python pickle (such as a CUDA memory snapshot), not a trace";

    /// Whether the file is a pickle, so that it may be a snapshot of the allocator.
    #[must_use]
    pub fn is_pickle(&self) -> bool {
        matches!(self, Self::NotATrace { what, .. } if what == Self::PICKLE)
    }
}

/// A size with a unit, powers of 1000, rounded to a tenth.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000 => (1_000_u64, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenth = unit / 10;
    let tenths = bytes / tenth + u64::from(bytes % tenth >= tenth / 2);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}
