//! Why a snapshot cannot be shown. One sentence: the file, what is wrong, where, what to do.

use super::pickle::PickleError;
use crate::ingest::IngestError;

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file cannot be opened, or the user stopped reading it.
    #[error(transparent)]
    File(#[from] IngestError),
    /// The pickle cannot be read.
    #[error("{file}: {reason}")]
    Pickle {
        /// The file.
        file: String,
        /// What is wrong.
        reason: PickleError,
    },
    /// A file that is something else.
    #[error("{file}: {what}; {advice}")]
    NotASnapshot {
        /// The file.
        file: String,
        /// What it is.
        what: &'static str,
        /// What to do.
        advice: &'static str,
    },
}
