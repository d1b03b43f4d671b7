//! Why a command could not do what it was asked. One sentence each; all of them end with status 2.

use crate::classify::RulesError;
use crate::ingest::{IngestError, RankShiftsError};
use crate::snapshot::SnapshotError;
use crate::time::TimeRangeError;
use crate::whatif::ModelError;
use std::path::PathBuf;

/// Wrong usage, or input that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Nothing could be loaded.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// Shifts that do not go together.
    #[error(transparent)]
    Shifts(#[from] RankShiftsError),
    /// A rule file that is not understood.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A rule file that cannot be read.
    #[error("{}: the rule file cannot be read: {reason}; check the path given to --rules", path.display())]
    RulesFile {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// Paths or `--demo` in front of a command.
    #[error(
        "paths and --demo open the window and do not go with a command; put the paths behind the command"
    )]
    MixedWithCommand,
    /// Options of loading in front of a command.
    #[error(
        "--no-python, --no-cpu-rows, --ranks, --range, --memory-limit, --align and --shift in front of a command are of the window; put them behind the command"
    )]
    OptionsBeforeCommand,
    /// `--frame-stats` in front of a command.
    #[error(
        "--frame-stats times the frames of the window and does not go with a command; leave it out"
    )]
    FrameStatsWithCommand,
    /// Paths beside `--demo`.
    #[error("--demo opens the bundled sample and takes no path; leave one of them out")]
    DemoWithPaths,
    /// `--compare` without a trace to compare.
    #[error(
        "--compare names the second of two traces; name the first one before it: overlane A --compare B"
    )]
    CompareWithNothing,
    /// `--compare` before a command.
    #[error("--compare is of the window; \"overlane diff A B\" compares two traces as a table")]
    CompareBeforeCommand,
    /// No display, and nothing else to do.
    #[error(
        "no window can be opened ({reason}); use \"overlane report PATH…\" to get the figures as text, CSV or JSON"
    )]
    NoDisplay {
        /// What is missing.
        reason: String,
    },
    /// The bundled sample could not be laid out.
    #[error("{}: the bundled sample cannot be written: {reason}; open a trace of your own instead", path.display())]
    Sample {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// A table that nobody knows.
    #[error("there is no table '{name}'{hint}; available are {available}")]
    NoSuchTable {
        /// What was asked for.
        name: String,
        /// "; did you mean …", or nothing.
        hint: String,
        /// Those there are.
        available: String,
    },
    /// Options that exclude each other.
    #[error("{option} does not go with table {table}; {advice}")]
    OptionWithTable {
        /// The option.
        option: &'static str,
        /// The table's name.
        table: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// A window whose end lies before its start.
    #[error(transparent)]
    Window(#[from] TimeRangeError),
    /// A rank, device or step that is not in the trace.
    #[error("there is no {what}; {there}")]
    NoSuch {
        /// What was asked for: `rank 9`.
        what: String,
        /// What there is, as a sentence.
        there: String,
    },
    /// A requirement that cannot be understood.
    #[error("the requirement '{text}' cannot be understood: {reason}")]
    Requirement {
        /// As it was written.
        text: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Output that would overwrite input.
    #[error("{}: is one of the files being read and is not overwritten; choose another name for --out", path.display())]
    WouldOverwriteInput {
        /// The file.
        path: PathBuf,
    },
    /// Output that cannot be written.
    #[error("{place}: cannot be written: {reason}; check the folder and its permissions")]
    Output {
        /// The file, or "standard output".
        place: String,
        /// What the system says.
        reason: std::io::Error,
    },
    /// A model that has no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An input that the trace does not tell.
    #[error("{how}; type {flag}")]
    NotMeasured {
        /// The flag that types it.
        flag: &'static str,
        /// Why it was not measured.
        how: String,
    },
    /// A trace without anything to measure.
    #[error(
        "the trace has no GPU work in that window, so there is nothing to take inputs from; choose another window, rank or device, or type the inputs without --from"
    )]
    NothingMeasured,
    /// A timeline of several bucket sizes, or of none.
    #[error("--timeline shows the buckets of one size; give one with --bucket-size")]
    OneBucketSize,
    /// Gradients in a forward pass.
    #[error("a forward pass has no reduce-scatter and no stream to share; use --pass backward")]
    OnlyBackward,
    /// A table of times that cannot be read.
    #[error("{}: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what to do.
        reason: String,
    },
    /// No memory snapshot.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// Whether what fits.
    #[error("table fit needs the size of a request; add --request, like --request 512MiB")]
    FitNeedsRequest,
    /// The JSON writer gave up.
    #[error("the report cannot be written as JSON: {0}; use --format csv instead")]
    Json(#[from] serde_json::Error),
}
