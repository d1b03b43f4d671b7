//! `overlane check`: a gate for continuous integration on the columns of a table of figures.

use super::args::CheckArguments;
use super::require::Requirement;
use super::select::{self, TableName};
use super::{CliError, Outcome, output, progress};
use crate::classify::Rules;
use crate::metrics::Row;
use crate::metrics::report::{Cell, Grid, Head, columns};
use crate::trace::Trace;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Loads, measures, and tells every row on which a requirement does not hold.
pub(super) fn run(asked: &CheckArguments, rules: Arc<Rules>) -> Result<Outcome, CliError> {
    let selectors = &asked.selectors;
    let named = select::table(selectors)?;
    let TableName::Figures(table) = named else {
        return Err(CliError::OptionWithTable {
            option: "check",
            table: named.name(),
            advice: "use summary, steps or streams",
        });
    };
    let columns = columns(table);
    let heads: Vec<Head> = columns.iter().map(|c| c.head).collect();
    let (further, paths) = further_requirements(&selectors.paths);
    let requirements: Vec<Requirement> = asked
        .require
        .iter()
        .chain(&further)
        .map(|text| Requirement::parse(text, &heads))
        .collect::<Result<_, _>>()?;
    let trace = progress::load(&paths, rules, selectors.time.load.options()?)?;
    let query = select::query(&selectors.time, &trace)?;
    let rows = select::rows(selectors, table, &trace, &query);
    select::notes(selectors, &trace, &rows);
    let unread = unread_files(&trace);
    let judged = judge(&requirements, &Grid::new(&columns, &rows), &rows);
    // A file that could not be read may be the rank that fails: the gate must not pass without it.
    Ok(if unread { Outcome::CheckFailed } else { judged })
}

/// Tells of files that could not be read; whether there is any.
fn unread_files(trace: &Trace) -> bool {
    let bad = trace.files.iter().filter(|f| f.error.is_some()).count();
    if bad > 0 {
        output::note(&format!(
            "check failed: {} could not be read, so nothing was proved for it",
            counted(bad, "file")
        ));
    }
    bad > 0
}

/// Words behind the first requirement read as requirements too, so that one `--require` may be
/// followed by several: what holds an operator and is no file.
fn further_requirements(words: &[PathBuf]) -> (Vec<String>, Vec<PathBuf>) {
    let mut further = Vec::new();
    let mut paths = Vec::new();
    for word in words {
        match word.to_str() {
            Some(text) if text.contains(['<', '>', '=']) && !word.exists() => {
                further.push(text.to_owned());
            }
            _ => paths.push(word.clone()),
        }
    }
    (further, paths)
}

fn judge(requirements: &[Requirement], grid: &Grid, rows: &[Row]) -> Outcome {
    if rows.is_empty() {
        output::note("check failed: there is no row, so nothing was proved");
        return Outcome::CheckFailed;
    }
    let failures = failures(requirements, grid, rows);
    for sentence in &failures {
        output::note(sentence);
    }
    if failures.is_empty() {
        output::note(&format!(
            "check passed: {} held on {}",
            counted(requirements.len(), "requirement"),
            counted(rows.len(), "row")
        ));
        Outcome::Done
    } else {
        Outcome::CheckFailed
    }
}

fn failures(requirements: &[Requirement], grid: &Grid, rows: &[Row]) -> Vec<String> {
    let mut failures = Vec::new();
    for (row, cells) in rows.iter().zip(&grid.rows) {
        for requirement in requirements {
            let cell = cells.get(requirement.column);
            let verdict = cell.and_then(|c| requirement.holds(c));
            if verdict == Some(true) {
                continue;
            }
            let value = cell.and_then(Cell::text).unwrap_or("n/a".into());
            failures.push(format!(
                "check failed: {}: {} is {value}, required {requirement}",
                key(row),
                requirement.name
            ));
        }
    }
    failures
}

/// Which row: `rank 0, device 1, step 7`.
fn key(row: &Row) -> String {
    let mut key = format!("rank {}, device {}", row.rank.0, row.device.0);
    if let Some(stream) = row.stream {
        write!(key, ", stream {}", stream.0).ok();
    }
    if let Some(step) = &row.step {
        write!(key, ", step {step}").ok();
    }
    key
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
