//! Rows of the health list: what was repaired, left out or found odd.

use crate::time::DurNs;
use crate::trace::{IssueKind, Severity, SourceFile, Trace};

/// One kind of oddity in one file, ready for a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthRow {
    /// Its kind.
    pub kind: IssueKind,
    /// How much it matters.
    pub severity: Severity,
    /// The file's name, with the archive entry where there is one.
    pub file: String,
    /// How often it was found.
    pub count: u64,
    /// Byte of the first one in the decompressed text, where that is known.
    pub first_byte: Option<u64>,
    /// What stood there.
    pub first_what: String,
    /// How much time the figures would change, where that can be told.
    pub time_at_stake: Option<DurNs>,
    /// What it means and what was done.
    pub sentence: &'static str,
}

/// The health list of a trace, by file and kind.
#[must_use]
pub fn health_rows(trace: &Trace) -> Vec<HealthRow> {
    let file_name = |id: crate::trace::FileId| {
        let at = usize::try_from(id.0).ok();
        at.and_then(|i| trace.files.get(i))
            .map_or_else(String::new, SourceFile::display_name)
    };
    trace
        .health
        .issues()
        .iter()
        .map(|issue| HealthRow {
            kind: issue.kind,
            severity: issue.kind.severity(),
            file: file_name(issue.file),
            count: issue.count,
            first_byte: issue.first.byte,
            first_what: issue.first.what.clone(),
            time_at_stake: issue.time_at_stake,
            sentence: issue.kind.sentence(),
        })
        .collect()
}
