//! Rows of the list of opened files, good and bad.

use crate::trace::{FileId, RankId, Trace};

/// One opened file, or one entry of an archive, ready for a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Path on disk.
    pub path: String,
    /// The entry inside it where the file is an archive.
    pub entry: Option<String>,
    /// The rank that was read from it; `None` for a bad file.
    pub rank: Option<RankId>,
    /// Number of events read.
    pub events: u64,
    /// Why it could not be read, as one sentence.
    pub error: Option<String>,
}

/// The files of a trace in the order in which they were given.
#[must_use]
pub fn file_rows(trace: &Trace) -> Vec<FileRow> {
    (0_u32..)
        .map(FileId)
        .zip(&trace.files)
        .map(|(id, file)| FileRow {
            path: file.path.display().to_string(),
            entry: file.entry.clone(),
            rank: trace.ranks.iter().find(|r| r.file == id).map(|r| r.id),
            events: file.events,
            error: file.error.clone(),
        })
        .collect()
}
