//! `overlane report`: one table of a trace, on standard output or in a file.

use super::args::{Format, ReportArguments};
use super::select::{self, TableName};
use super::{CliError, Outcome, memory, mfu, output, overlap, progress, rows};
use crate::classify::Rules;
use crate::export::{self, Document};
use crate::metrics::report::{
    COMPAT_COLUMNS, FILE_COLUMNS, Grid, HEALTH_COLUMNS, QUEUE_COLUMNS, STEP_STATS_COLUMNS, Table,
    columns,
};
use crate::metrics::{Query, Row, compat_rows, file_rows, health_rows, queue_rows, step_stats};
use crate::trace::Trace;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Loads, measures, writes.
///
/// `rules_file` is read too, so `--out` does not replace it either.
pub(super) fn run(
    asked: &ReportArguments,
    rules: &Arc<Rules>,
    rules_file: Option<&Path>,
) -> Result<Outcome, CliError> {
    let selectors = &asked.selectors;
    let table = select::table(selectors)?;
    asked.rows.check(table)?;
    asked.mfu.check(table.name(), table == TableName::Mfu)?;
    if asked.tool.is_some() && table != TableName::Figures(Table::Summary) {
        return Err(CliError::OptionWithTable {
            option: "--as",
            table: table.name(),
            advice: "it has rows of its own; leave --table out",
        });
    }
    let takes_baseline = matches!(
        table,
        TableName::Overlap | TableName::Dilation | TableName::Findings
    );
    if !asked.baseline.is_empty() && !takes_baseline {
        return Err(CliError::OptionWithTable {
            option: "--baseline",
            table: table.name(),
            advice: "it is of --table overlap, dilation or findings",
        });
    }
    let trace = progress::load(
        &selectors.paths,
        Arc::clone(rules),
        selectors.time.load.options()?,
    )?;
    let query = match table {
        TableName::Memory => memory::query(&selectors.time, &trace)?,
        _ => select::query(&selectors.time, &trace)?,
    };
    let text = table_of(asked, table, rules, &trace, &query)?;
    match &asked.out {
        None => output::to_stdout(&text)?,
        Some(path) => {
            let files = trace.files.iter().map(|f| f.path.as_path());
            let named = selectors.paths.iter().chain(&asked.baseline);
            let named = named.map(PathBuf::as_path);
            output::to_file(&text, path, files.chain(named).chain(rules_file))?;
        }
    }
    Ok(Outcome::Done)
}

/// The table as it is written.
fn table_of(
    asked: &ReportArguments,
    table: TableName,
    rules: &Arc<Rules>,
    trace: &Trace,
    query: &Query,
) -> Result<String, CliError> {
    let selectors = &asked.selectors;
    Ok(match table {
        TableName::Health => {
            select::bad_files(trace);
            select::left_out(trace);
            let grid = Grid::new(&HEALTH_COLUMNS, &health_rows(trace));
            format(asked.format, trace, &grid, || export::table_text(&grid))?
        }
        TableName::Kernels => {
            let grid = rows::kernels(&asked.rows, trace, query);
            format(asked.format, trace, &grid, || {
                with_health(export::table_text(&grid), trace)
            })?
        }
        TableName::Collectives => {
            let grid = rows::collectives(&asked.rows, trace, query);
            format(asked.format, trace, &grid, || {
                with_health(export::table_text(&grid), trace)
            })?
        }
        TableName::Idle => {
            let grid = rows::idle(&asked.rows, trace, query);
            format(asked.format, trace, &grid, || {
                with_health(export::table_text(&grid), trace)
            })?
        }
        TableName::Ranks => {
            let grid = rows::ranks(trace, query);
            format(asked.format, trace, &grid, || {
                with_health(export::table_text(&grid), trace)
            })?
        }
        TableName::Overlap | TableName::Dilation | TableName::Findings => {
            let grid = overlap::table(asked, table, rules, trace, query)?;
            format(asked.format, trace, &grid, || export::table_text(&grid))?
        }
        TableName::Mfu => {
            let grid = mfu::utilisation(asked.mfu, trace, query);
            format(asked.format, trace, &grid, || export::table_text(&grid))?
        }
        TableName::Memory => {
            let grid = memory::table(&asked.rows, trace, query);
            format(asked.format, trace, &grid, || {
                with_health(export::table_text(&grid), trace)
            })?
        }
        TableName::Queue => {
            let rows = queue_rows(trace, query);
            select::notes(selectors, trace, &rows);
            let grid = Grid::new(&QUEUE_COLUMNS, &rows);
            format(asked.format, trace, &grid, || export::table_text(&grid))?
        }
        TableName::StepStats => {
            let rows = step_stats(trace, query, selectors.time.basis.into());
            select::notes(selectors, trace, &rows);
            let grid = Grid::new(&STEP_STATS_COLUMNS, &rows);
            format(asked.format, trace, &grid, || export::table_text(&grid))?
        }
        TableName::Figures(Table::Summary) if let Some(tool) = asked.tool => {
            select::bad_files(trace);
            select::left_out(trace);
            let grid = Grid::new(&COMPAT_COLUMNS, &compat_rows(trace, query, tool.into()));
            format(asked.format, trace, &grid, || export::table_text(&grid))?
        }
        TableName::Figures(table) => {
            let rows = select::rows(selectors, table, trace, query);
            select::notes(selectors, trace, &rows);
            let grid = Grid::new(&columns(table), &rows);
            let blocks = table == Table::Summary && selectors.annotation.is_none();
            format(asked.format, trace, &grid, || {
                for_people(trace, &grid, &rows, blocks)
            })?
        }
    })
}

/// The report of a whole trace as text, as `overlane report` prints it.
pub(super) fn summary_of(trace: &Trace) -> String {
    let rows = crate::metrics::summary_rows(trace, &crate::metrics::Query::default());
    let grid = Grid::new(&columns(Table::Summary), &rows);
    for_people(trace, &grid, &rows, true)
}

fn for_people(trace: &Trace, grid: &Grid, rows: &[Row], blocks: bool) -> String {
    let text = if blocks && !rows.is_empty() {
        export::summary_text(rows, select::origin(trace))
    } else {
        export::table_text(grid)
    };
    with_health(text, trace)
}

/// Adds what was odd in the input.
fn with_health(mut text: String, trace: &Trace) -> String {
    let note = export::health_note(&health_rows(trace));
    if !note.is_empty() {
        text.push('\n');
        text += &note;
    }
    text
}

fn format(
    format: Format,
    trace: &Trace,
    grid: &Grid,
    text: impl FnOnce() -> String,
) -> Result<String, CliError> {
    Ok(match format {
        Format::Text => text(),
        Format::Csv => export::csv(grid),
        Format::Markdown => export::markdown(grid),
        Format::Json => export::json(Document {
            files: &Grid::new(&FILE_COLUMNS, &file_rows(trace)),
            rows: grid,
            health: &Grid::new(&HEALTH_COLUMNS, &health_rows(trace)),
        })?,
    })
}
