//! `overlane check`: a gate for continuous integration on the columns of a table of figures.

use super::args::CheckArguments;
use super::require::Requirement;
use super::select::{self, TableName};
use super::{CliError, Outcome, memory, output, progress};
use crate::classify::Rules;
use crate::metrics::report::{Cell, Grid, Head, MEMORY_COLUMNS, columns};
use crate::trace::Trace;
use std::path::PathBuf;
use std::sync::Arc;

/// Loads, measures, and tells every row on which a requirement does not hold.
pub(super) fn run(asked: &CheckArguments, rules: Arc<Rules>) -> Result<Outcome, CliError> {
    let selectors = &asked.selectors;
    let named = select::table(selectors)?;
    let heads: Vec<Head> = match named {
        TableName::Figures(table) => columns(table).iter().map(|c| c.head).collect(),
        TableName::Memory => MEMORY_COLUMNS.iter().map(|c| c.head).collect(),
        _ => {
            return Err(CliError::OptionWithTable {
                option: "check",
                table: named.name(),
                advice: "use summary, steps, streams or memory",
            });
        }
    };
    let (further, paths) = further_requirements(&selectors.paths);
    let requirements: Vec<Requirement> = asked
        .require
        .iter()
        .chain(&further)
        .map(|text| Requirement::parse(text, &heads))
        .collect::<Result<_, _>>()?;
    let trace = progress::load(&paths, rules, selectors.time.load.options()?)?;
    let grid = match named {
        TableName::Figures(table) => {
            let query = select::query(&selectors.time, &trace)?;
            let rows = select::rows(selectors, table, &trace, &query);
            select::notes(selectors, &trace, &rows);
            Grid::new(&columns(table), &rows)
        }
        _ => memory::windows(&trace, &memory::query(&selectors.time, &trace)?),
    };
    let unread = unread_files(&trace);
    let judged = judge(&requirements, &grid);
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

fn judge(requirements: &[Requirement], grid: &Grid) -> Outcome {
    if grid.rows.is_empty() {
        output::note("check failed: there is no row, so nothing was proved");
        return Outcome::CheckFailed;
    }
    let failures = failures(requirements, grid);
    for sentence in &failures {
        output::note(sentence);
    }
    if failures.is_empty() {
        output::note(&format!(
            "check passed: {} held on {}",
            counted(requirements.len(), "requirement"),
            counted(grid.rows.len(), "row")
        ));
        Outcome::Done
    } else {
        Outcome::CheckFailed
    }
}

fn failures(requirements: &[Requirement], grid: &Grid) -> Vec<String> {
    let mut failures = Vec::new();
    for cells in &grid.rows {
        for requirement in requirements {
            let cell = cells.get(requirement.column);
            let verdict = cell.and_then(|c| requirement.holds(c));
            if verdict == Some(true) {
                continue;
            }
            let value = cell.and_then(Cell::text).unwrap_or("n/a".into());
            failures.push(format!(
                "check failed: {}: {} is {value}, required {requirement}",
                key(grid, cells),
                requirement.name
            ));
        }
    }
    failures
}

/// Which row: `rank 0, device 1, step 7`.
fn key(grid: &Grid, cells: &[Cell]) -> String {
    let named = grid.heads.iter().zip(cells).filter_map(|(head, cell)| {
        let is_key = ["rank", "device", "stream", "step"].contains(&head.name);
        let text = cell.text().filter(|_| is_key)?;
        Some(format!("{} {text}", head.name))
    });
    named.collect::<Vec<String>>().join(", ")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
