//! From the selectors of a command to rows: which table, ranks, devices and time.

use super::args::{Selectors, TimeSelectors};
use super::{CliError, output, suggest};
use crate::metrics::report::Table;
use crate::metrics::{
    Query, Row, Selection, annotation_rows, left_out_parts, moved_phrases, step_labels, step_rows,
    stream_rows, summary_rows,
};
use crate::time::Ns;
use crate::trace::{Basis, DeviceId, RankId, StepLabel, Trace};
use std::fmt::Display;
use std::str::FromStr;

/// The tables of this version.
const AVAILABLE: [(&str, TableName); 15] = [
    ("summary", TableName::Figures(Table::Summary)),
    ("steps", TableName::Figures(Table::Steps)),
    ("step_stats", TableName::StepStats),
    ("streams", TableName::Figures(Table::Streams)),
    ("kernels", TableName::Kernels),
    ("collectives", TableName::Collectives),
    ("idle", TableName::Idle),
    ("queue", TableName::Queue),
    ("ranks", TableName::Ranks),
    ("overlap", TableName::Overlap),
    ("dilation", TableName::Dilation),
    ("findings", TableName::Findings),
    ("mfu", TableName::Mfu),
    ("memory", TableName::Memory),
    ("health", TableName::Health),
];
/// How many ranks, devices or steps a sentence names before it only counts the rest.
const NAMED: usize = 20;

/// A table that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableName {
    /// Rows of figures.
    Figures(Table),
    /// Kernels of the window by what they have in common.
    Kernels,
    /// Collectives of the window.
    Collectives,
    /// Why devices were idle in the window.
    Idle,
    /// Steps against each other.
    StepStats,
    /// Queues of streams.
    Queue,
    /// Ranks side by side.
    Ranks,
    /// Whether overlap pays.
    Overlap,
    /// Kernels alone against beside communication.
    Dilation,
    /// What keeps devices from their work, and what to try.
    Findings,
    /// Model FLOPs utilisation.
    Mfu,
    /// What allocators held.
    Memory,
    /// What was odd in the input.
    Health,
}

impl TableName {
    /// Understands a table's name.
    pub(super) fn parse(name: &str) -> Result<Self, CliError> {
        if let Some((_, table)) = AVAILABLE.iter().find(|(known, _)| *known == name) {
            return Ok(*table);
        }
        let known = AVAILABLE.map(|(name, _)| name);
        let (available, name) = (known.join(", "), name.to_owned());
        let hint = suggest::hint(&name, known.into_iter());
        Err(CliError::NoSuchTable {
            name,
            hint,
            available,
        })
    }

    pub(super) fn name(self) -> &'static str {
        AVAILABLE
            .iter()
            .find(|(_, table)| *table == self)
            .map_or("", |(name, _)| name)
    }
}

/// A step as it is typed: `7`, `7#2` for the second of that number, or `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepArgument(pub(super) StepLabel);

/// Why a text names no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a step; write the number in its name, like 7, or 7#2 for the second of that number")]
pub(super) struct StepError;

impl FromStr for StepArgument {
    type Err = StepError;

    fn from_str(text: &str) -> Result<Self, StepError> {
        if text == "before" {
            return Ok(Self(StepLabel::Before));
        }
        let (number, occurrence) = match text.split_once('#') {
            Some((number, occurrence)) => {
                (number, occurrence.parse::<u32>().ok().ok_or(StepError)?)
            }
            None => (text, 1),
        };
        let number = number.parse().ok().ok_or(StepError)?;
        if occurrence == 0 {
            return Err(StepError);
        }
        Ok(Self(StepLabel::Number { number, occurrence }))
    }
}

/// The first instant that `--window` counts from.
pub(super) fn origin(trace: &Trace) -> Ns {
    trace.origin().unwrap_or_default()
}

/// Checks that options and table go together, before anything is loaded.
pub(super) fn table(asked: &Selectors) -> Result<TableName, CliError> {
    let table = TableName::parse(&asked.table)?;
    let refused = |option, advice| {
        Err(CliError::OptionWithTable {
            option,
            table: table.name(),
            advice,
        })
    };
    match table {
        TableName::Figures(Table::Summary) => Ok(table),
        _ if asked.annotation.is_some() => refused(
            "--annotation",
            "it makes rows of its own; leave --table out",
        ),
        TableName::Health if asked.time.window.is_some() => {
            refused("--window", "the health list is of the whole input")
        }
        TableName::Health if asked.time.step.is_some() => {
            refused("--step", "the health list is of the whole input")
        }
        _ => Ok(table),
    }
}

/// What the selectors ask of this trace.
///
/// # Errors
/// Where they name a rank, device or step that is not there, or a window that runs backwards.
pub(super) fn query(asked: &TimeSelectors, trace: &Trace) -> Result<Query, CliError> {
    let basis = Basis::from(asked.basis);
    let query = Query {
        selection: selection(asked, trace)?,
        rank: asked.rank.map(RankId),
        device: asked.device.map(DeviceId),
        clip_suspicious: asked.clip_suspicious,
    };
    check_keys(&query, trace)?;
    if let Some(StepArgument(label)) = asked.step {
        check_step(label, basis, &query, trace)?;
    }
    Ok(query)
}

/// The window or step that is asked for.
pub(super) fn selection(asked: &TimeSelectors, trace: &Trace) -> Result<Selection, CliError> {
    let basis = Basis::from(asked.basis);
    Ok(match (&asked.window, asked.step) {
        (Some(range), _) => Selection::Window(range.resolve(origin(trace))?),
        (None, Some(StepArgument(label))) => Selection::Step { label, basis },
        (None, None) => Selection::None,
    })
}

/// Refuses a rank that is not there.
pub(super) fn check_rank(query: &Query, trace: &Trace) -> Result<(), CliError> {
    let missing = query.rank.filter(|id| trace.rank(*id).is_none());
    let Some(RankId(id)) = missing else {
        return Ok(());
    };
    let there = trace.ranks.iter().map(|r| r.id.0);
    Err(CliError::NoSuch {
        what: format!("rank {id}"),
        there: list("ranks", there),
    })
}

fn check_keys(query: &Query, trace: &Trace) -> Result<(), CliError> {
    check_rank(query, trace)?;
    let Some(DeviceId(id)) = query.device else {
        return Ok(());
    };
    // A trace without GPU work is told apart elsewhere; it is no wrong usage.
    if !trace.has_gpu_work() || query.devices(trace).next().is_some() {
        return Ok(());
    }
    let all = Query {
        device: None,
        ..*query
    };
    let mut there: Vec<i64> = all.devices(trace).map(|(_, d)| d.id.0).collect();
    there.sort_unstable();
    there.dedup();
    Err(CliError::NoSuch {
        what: format!("device {id}"),
        there: list("devices", there.into_iter()),
    })
}

fn check_step(
    label: StepLabel,
    basis: Basis,
    query: &Query,
    trace: &Trace,
) -> Result<(), CliError> {
    let labels = step_labels(trace, query, basis);
    if labels.contains(&label) || !trace.has_gpu_work() {
        return Ok(());
    }
    let mut there = list("steps", labels.iter());
    if !labels.is_empty() && basis == Basis::Device && on_host(label, query, trace) {
        there += "; no GPU work was launched in it, so use --basis host for its window on the CPU";
    }
    Err(CliError::NoSuch {
        what: format!("step {label} on the {} basis", basis.label()),
        there,
    })
}

fn on_host(label: StepLabel, query: &Query, trace: &Trace) -> bool {
    step_labels(trace, query, Basis::Host).contains(&label)
}

/// `the trace has the steps 1, 2, 3`, cut where there are many.
pub(super) fn list<T: Display>(what: &str, there: impl Iterator<Item = T>) -> String {
    let words: Vec<String> = there.map(|x| x.to_string()).collect();
    if words.is_empty() {
        return format!("the trace has no {what}");
    }
    let named: Vec<&str> = words.iter().take(NAMED).map(String::as_str).collect();
    match words.len().saturating_sub(NAMED) {
        0 => format!("the trace has the {what} {}", named.join(", ")),
        more => format!(
            "the trace has the {what} {} and {more} more",
            named.join(", ")
        ),
    }
}

/// The rows of a table of figures.
pub(super) fn rows(asked: &Selectors, table: Table, trace: &Trace, query: &Query) -> Vec<Row> {
    if let Some(regex) = &asked.annotation {
        return annotation_rows(trace, query, &|name| regex.is_match(name));
    }
    match table {
        Table::Summary => summary_rows(trace, query),
        Table::Steps => step_rows(trace, query, asked.time.basis.into()),
        Table::Streams => stream_rows(trace, query),
    }
}

/// Says what is not in the rows: bad files, and why there is no row at all.
pub(super) fn notes<R>(asked: &Selectors, trace: &Trace, rows: &[R]) {
    bad_files(trace);
    left_out(trace);
    if !rows.is_empty() {
        return;
    }
    output::note(if !trace.has_gpu_work() && trace.is_range() {
        "no GPU work lies in the range, so there is nothing to measure"
    } else if !trace.has_gpu_work() {
        "the trace has no GPU work, so there is nothing to measure"
    } else if asked.annotation.is_some() {
        "no host annotation matches --annotation, so there are no rows"
    } else if trace.ranks.iter().all(|r| r.host_steps.is_empty()) && asked.table.starts_with("step")
    {
        "the trace has no ProfilerStep annotations, so there are no steps; --annotation can choose other windows"
    } else {
        "nothing in the trace is selected, so there are no rows"
    });
}

/// Says what was left out by choice, so that nobody takes a part for the whole, and which ranks were
/// moved, so that nobody takes their times for those of the files.
pub(super) fn left_out(trace: &Trace) {
    let moved = moved_phrases(trace);
    if !moved.is_empty() {
        output::note(&format!("{}; --table health says more", moved.join("; ")));
    }
    for part in left_out_parts(trace) {
        output::note(&part.sentence());
    }
}

/// One sentence for each file that could not be read.
pub(super) fn bad_files(trace: &Trace) {
    for file in &trace.files {
        if let Some(error) = &file.error {
            // The sentence of an error names its file; one that does not gets it here.
            let name = file.display_name();
            if error.contains(&name) {
                output::note(error);
            } else {
                output::note(&format!("{}: {error}", file.path.display()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_numbers_with_an_occurrence() {
        let number =
            |number, occurrence| Ok(StepArgument(StepLabel::Number { number, occurrence }));
        assert_eq!("7".parse(), number(7, 1));
        assert_eq!("7#2".parse(), number(7, 2));
        assert_eq!("before".parse(), Ok(StepArgument(StepLabel::Before)));
        for text in ["", "x", "7#", "7#0", "#2", "7#2#3"] {
            assert_eq!(text.parse::<StepArgument>(), Err(StepError), "{text}");
        }
    }

    #[test]
    fn tables_have_names() {
        let error = |name| TableName::parse(name).expect_err(name).to_string();
        assert!(error("sumary").contains("there is no table 'sumary'; did you mean 'summary'"));
        assert!(matches!(TableName::parse("memory"), Ok(TableName::Memory)));
        assert_eq!(TableName::Memory.name(), "memory");
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list("steps", 1..=3), "the trace has the steps 1, 2, 3");
        assert!(list("steps", 1..=25).ends_with("19, 20 and 5 more"));
        assert_eq!(
            list::<u8>("steps", std::iter::empty()),
            "the trace has no steps"
        );
    }
}
