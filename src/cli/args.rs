//! The arguments as they are typed. A contract: others script against these names.

use super::mfu::MfuArguments;
use super::output;
use super::row_args::RowArguments;
use super::select::StepArgument;
use super::snapshot::SnapshotArguments;
use super::whatif_args::WhatifArguments;

use crate::ingest::{AlignBy, LoadOptions, MemoryLimit, RankFilter, RankShifts, RankShiftsError};
use crate::metrics::Tool;
use crate::time::TimeRange;
use crate::trace::Basis;
use clap::{Args, Parser, Subcommand, ValueEnum};
use regex::Regex;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  overlane trace.json.gz                       open a trace
  overlane ranks/                              open every rank file of a folder
  overlane before.json --compare after.json    two traces side by side
  overlane report ranks/ --table steps --format csv
  overlane check ranks/ --require 'comm_hidden_by_comp_percent>=80'";

/// Where the GPU time of a step went, and how much communication is really hidden behind compute.
#[derive(Debug, Parser)]
#[command(name = "overlane", version, about, after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// Trace files, or folders of rank files, to open in the window.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Compare with this trace, a file or a folder of rank files, side by side: `overlane A --compare
    /// B`. Given again for each of several files.
    #[arg(long, value_name = "PATH")]
    pub(super) compare: Vec<PathBuf>,
    /// Open the bundled sample: two ranks of a data-parallel job.
    #[arg(long)]
    pub(super) demo: bool,
    /// Rules that classify kernels, added before the built-in ones (default: `kernel_rules.toml`
    /// in the program's configuration folder, if there is one; `OVERLANE_CONFIG_DIR` names another
    /// folder).
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) rules: Option<PathBuf>,
    /// What draws the window.
    #[arg(long, global = true, value_enum)]
    pub(super) renderer: Option<Renderer>,
    /// When the window is closed, write how long its frames took: count, median, p90, p99 and
    /// maximum in ms, and a histogram, as CSV.
    #[arg(long, value_name = "FILE")]
    pub(super) frame_stats: Option<PathBuf>,
    #[command(flatten)]
    pub(super) load: LoadArguments,
}

/// What of the files is loaded.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "What is loaded")]
pub(super) struct LoadArguments {
    /// Leave Python stacks out: faster and smaller, the figures stay the same.
    #[arg(long)]
    pub(super) no_python: bool,
    /// Leave CPU operators, Python stacks and overhead out; launches, annotations and steps stay, so
    /// the figures stay the same.
    #[arg(long)]
    pub(super) no_cpu_rows: bool,
    /// Only these ranks: numbers such as 0,2,4-7, or patterns of file names such as '*decode*'.
    #[arg(long, value_name = "RANKS")]
    pub(super) ranks: Option<RankFilter>,
    /// Only what shares time with this range, such as 10ms..25ms from the trace's start or @NS..@NS;
    /// figures hold inside the range.
    #[arg(long, value_name = "START..END", allow_hyphen_values = true)]
    pub(super) range: Option<TimeRange>,
    /// The most memory that loading may take, such as 4GiB, or none for no limit (default: what is
    /// available).
    #[arg(long, value_name = "SIZE")]
    pub(super) memory_limit: Option<MemoryLimit>,
    /// What tells where ranks lie in time: the files, with the bases that they state, or also the ends
    /// of collectives that make ranks wait for each other.
    #[arg(long, value_enum, default_value = "base")]
    pub(super) align: AlignArgument,
    /// Move a rank by hand, such as 3=12.5us for later or 3=-3ms for earlier (units ns us ms s); it is
    /// moved by nothing else then. May be given several times.
    #[arg(long, value_name = "RANK=TIME")]
    pub(super) shift: Vec<RankShifts>,
}

/// [`AlignBy`] as it is typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum AlignArgument {
    /// Times of the files and their bases.
    #[default]
    Base,
    /// The same, refined by collectives.
    Collectives,
}

impl LoadArguments {
    /// The options that loading takes.
    ///
    /// # Errors
    /// Where two shifts are of one rank.
    pub(super) fn options(&self) -> Result<LoadOptions, RankShiftsError> {
        let mut shifts = RankShifts::default();
        for more in &self.shift {
            shifts.add(more)?;
        }
        Ok(LoadOptions {
            no_python: self.no_python,
            no_cpu_rows: self.no_cpu_rows,
            ranks: self.ranks.clone(),
            range: self.range.clone(),
            memory: self.memory_limit.unwrap_or_default(),
            align: match self.align {
                AlignArgument::Base => AlignBy::Base,
                AlignArgument::Collectives => AlignBy::Collectives,
            },
            shifts,
        })
    }
}

/// What draws the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Renderer {
    /// OpenGL.
    Glow,
    /// Vulkan, Metal or Direct3D.
    Wgpu,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print figures as text, CSV or JSON.
    Report(ReportArguments),
    /// Fail unless figures meet requirements: a gate for continuous integration.
    Check(CheckArguments),
    /// Compare two traces: figures side by side, or kernels by name.
    Diff(DiffArguments),
    /// What a change would bring, by a model: streams, buckets, chunks, prefetch, contention, fit.
    Whatif(WhatifArguments),
    /// What PyTorch's allocator held: tables of a memory snapshot (torch.cuda.memory._dump_snapshot).
    Snapshot(SnapshotArguments),
}

/// Which trace, table and time.
#[derive(Debug, Args)]
pub(super) struct Selectors {
    /// Trace files, or folders of rank files.
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// The table: summary, steps, step_stats, streams, kernels, collectives, idle,
    /// queue, ranks, overlap, dilation, findings, mfu or health.
    #[arg(long, value_name = "NAME", default_value = "summary")]
    pub(super) table: String,
    /// Every host annotation whose name matches is a window, with a row for each device.
    #[arg(long, value_name = "REGEX", conflicts_with = "step")]
    pub(super) annotation: Option<Regex>,
    #[command(flatten)]
    pub(super) time: TimeSelectors,
}

/// Whose rules `--as` follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ToolArgument {
    /// Holistic Trace Analysis.
    Hta,
    /// TraceLens.
    Tracelens,
}

impl From<ToolArgument> for Tool {
    fn from(typed: ToolArgument) -> Self {
        match typed {
            ToolArgument::Hta => Self::Hta,
            ToolArgument::Tracelens => Self::TraceLens,
        }
    }
}

/// Which time, ranks and devices, and what of the files is loaded.
#[derive(Debug, Default, Args)]
pub(super) struct TimeSelectors {
    /// The window, such as 5ms..7.5ms from the trace's start (units ns us ms s) or @NS..@NS
    /// for absolute times. With --table steps or --annotation: only those that share time with it.
    #[arg(long, value_name = "START..END", allow_hyphen_values = true)]
    pub(super) window: Option<TimeRange>,
    /// The step whose window is used: the number in its name, or N#2 for the second of that number.
    #[arg(long, value_name = "N", conflicts_with = "window")]
    pub(super) step: Option<StepArgument>,
    /// Whose windows steps have.
    #[arg(long, value_enum, default_value = "device")]
    pub(super) basis: BasisArgument,
    /// Only this rank.
    #[arg(long, value_name = "R")]
    pub(super) rank: Option<u32>,
    /// Only devices of this number.
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(super) device: Option<i64>,
    /// Cut kernels of suspicious duration at the next start of their stream.
    #[arg(long)]
    pub(super) clip_suspicious: bool,
    #[command(flatten)]
    pub(super) load: LoadArguments,
}

#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    #[command(flatten)]
    pub(super) selectors: Selectors,
    #[command(flatten)]
    pub(super) rows: RowArguments,
    #[command(flatten)]
    pub(super) mfu: MfuArguments,
    /// The whole trace by the rules of another tool, beside ours and with the reason for the
    /// difference, in place of --table summary.
    #[arg(long = "as", value_enum, value_name = "TOOL", conflicts_with_all = ["window", "step", "annotation", "clip_suspicious"])]
    pub(super) tool: Option<ToolArgument>,
    /// With --table overlap or dilation: a trace of the same job without overlap. Its kernels count as
    /// alone where fewer than five of the window ran alone. May be repeated, once a file or folder.
    #[arg(long, value_name = "PATH")]
    pub(super) baseline: Vec<PathBuf>,
    /// How the table is written.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
    /// The file to write instead of standard output; never one of the inputs.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

/// What two traces are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffTable {
    /// Figures of the same device side by side.
    Summary,
    /// Kernels by name, the largest difference in time first.
    Kernels,
    /// What the second run gained, and model FLOPs utilisation of both.
    Mfu,
}

#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// The first trace: a file, or a folder of rank files.
    #[arg(value_name = "A")]
    pub(super) a: PathBuf,
    /// The second trace.
    #[arg(value_name = "B")]
    pub(super) b: PathBuf,
    /// What is compared.
    #[arg(long, value_enum, default_value = "summary")]
    pub(super) table: DiffTable,
    /// With --table kernels: only names that match.
    #[arg(long, value_name = "REGEX")]
    pub(super) filter: Option<Regex>,
    /// With --table kernels: only the first N rows.
    #[arg(long, value_name = "N")]
    pub(super) top: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) mfu: MfuArguments,
    #[command(flatten)]
    pub(super) time: TimeSelectors,
    /// How the table is written.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
    /// The file to write instead of standard output; never one of the inputs.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    #[command(flatten)]
    pub(super) selectors: Selectors,
    /// A column, one of >= <= > < == != and a number, such as 'idle_percent<5'. Must hold on every
    /// row; "n/a" does not. May be given several times.
    #[arg(long, value_name = "REQUIREMENT", required = true)]
    pub(super) require: Vec<String>,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For reading in a terminal.
    Text,
    /// One header and one line a row.
    Csv,
    /// One document.
    Json,
    /// For issues and chat.
    Markdown,
}

/// [`Basis`] as it is typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum BasisArgument {
    /// The annotation on the CPU.
    Host,
    /// From the first kernel of the step to that of the next.
    #[default]
    Device,
}

impl From<BasisArgument> for Basis {
    fn from(typed: BasisArgument) -> Self {
        match typed {
            BasisArgument::Host => Self::Host,
            BasisArgument::Device => Self::Device,
        }
    }
}

/// Prints what clap says: help and version on standard output, trouble as one sentence on standard
/// error.
pub(super) fn explain(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        output::note(&sentence(&error.render().to_string()));
        return ExitCode::from(2);
    }
    // Nobody is left to tell where the stream itself is closed.
    error.print().ok();
    ExitCode::SUCCESS
}

/// What clap says over several paragraphs, in one line: what is wrong, and what to do about it.
fn sentence(said: &str) -> String {
    let mut paragraphs = said.split("\n\n").map(|paragraph| {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        words.join(" ")
    });
    let wrong = paragraphs.next().unwrap_or_default();
    let wrong = wrong.strip_prefix("error: ").unwrap_or(&wrong);
    let tips: Vec<String> = paragraphs
        .flat_map(|p| {
            p.split("tip: ")
                .skip(1)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .map(|tip| tip.trim().to_owned())
        .collect();
    if tips.is_empty() {
        format!("{wrong}; see --help")
    } else {
        format!("{wrong}; {}", tips.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clap_says_becomes_one_sentence() {
        let said = |args: &[&str]| {
            let all = std::iter::once("overlane").chain(args.iter().copied());
            let error = Arguments::try_parse_from(all).expect_err("wrong usage");
            sentence(&error.render().to_string())
        };
        for (args, wanted) in [
            (
                &["report"][..],
                "the following required arguments were not provided: <PATH>...; see --help",
            ),
            (
                &["report", "x", "--formt", "csv"],
                "unexpected argument '--formt' found; a similar argument exists: '--format'",
            ),
            (
                &["report", "x", "--format", "cvs"],
                "invalid value 'cvs' for '--format <FORMAT>' [possible values: text, csv, json, \
                 markdown]; see --help",
            ),
        ] {
            assert_eq!(said(args), wanted);
        }
        assert!(!said(&["report", "x", "--annotation", "("]).contains('\n'));
    }
}
