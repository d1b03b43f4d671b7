//! `overlane report` with the tables of overlap, dilation and findings: whether overlap pays, by which
//! kernels that is known, and what to do.

use super::args::ReportArguments;
use super::row_args::RowArguments;
use super::rows::first;
use super::select::TableName;
use super::{CliError, output, progress, select};
use crate::classify::Rules;
use crate::ingest::{Cancel, LoadOptions, read_launches};
use crate::metrics::report::{DILATION_COLUMNS, FINDING_COLUMNS, Grid, OVERLAP_COLUMNS};
use crate::metrics::{
    self, DilationRow, Observed, OfDevice, OverlapAnalysis, OverlapFigure, Query, overlap_analyses,
    overlap_figures,
};
use crate::trace::{LaunchDetails, Trace};
use regex::Regex;
use std::path::PathBuf;
use std::sync::Arc;

/// The table as asked: figures of each device, the kernels behind them, or what keeps each device from
/// its work.
pub(super) fn table(
    asked: &ReportArguments,
    table: TableName,
    rules: &Arc<Rules>,
    trace: &Trace,
    query: &Query,
) -> Result<Grid, CliError> {
    let launches = launches(trace);
    select::bad_files(trace);
    select::left_out(trace);
    if !trace.has_gpu_work() {
        output::note("the trace has no GPU work, so there is nothing to measure");
    }
    let observed = Observed {
        trace,
        launches: &launches,
        query: *query,
    };
    let options = asked.selectors.time.load.options()?;
    let analyses = beside(&observed, &asked.baseline, rules, options)?;
    Ok(match table {
        TableName::Findings => findings(&asked.rows, &observed, &analyses),
        TableName::Dilation => {
            let rows = analyses.into_iter().flat_map(|a| a.dilations);
            let rows = chosen(&asked.rows, rows.collect(), |regex, row: &DilationRow| {
                regex.is_match(&row.name)
            });
            Grid::new(&DILATION_COLUMNS, &rows)
        }
        _ => {
            let figures = |analysis| overlap_figures(trace, analysis);
            let rows: Vec<OverlapFigure> = analyses.iter().flat_map(figures).collect();
            Grid::new(&OVERLAP_COLUMNS, &rows)
        }
    })
}

fn findings(asked: &RowArguments, observed: &Observed<'_>, analyses: &[OverlapAnalysis]) -> Grid {
    let labels = metrics::group_labels(observed.trace, &observed.query, &asked.groups());
    let rows = metrics::findings(observed, analyses, &labels);
    let rows = chosen(asked, rows, |regex, row| {
        regex.is_match(row.kind.name()) || regex.is_match(&row.title)
    });
    if rows.is_empty() && !analyses.is_empty() {
        output::note("nothing of at least 0.1 % of the window was found, so there are no rows");
    }
    Grid::new(&FINDING_COLUMNS, &rows)
}

/// The rows that the filter leaves, as many of each device as asked.
fn chosen<R: OfDevice>(
    asked: &RowArguments,
    mut rows: Vec<R>,
    wanted: impl Fn(&Regex, &R) -> bool,
) -> Vec<R> {
    if let Some(regex) = &asked.filter {
        rows.retain(|row| wanted(regex, row));
    }
    first(asked, rows)
}

/// The verdicts of a trace, with another one as the run without overlap where its path is given.
pub(super) fn beside(
    observed: &Observed<'_>,
    baseline: &[PathBuf],
    rules: &Arc<Rules>,
    options: LoadOptions,
) -> Result<Vec<OverlapAnalysis>, CliError> {
    let (trace, query) = (observed.trace, &observed.query);
    if baseline.is_empty() {
        return Ok(overlap_analyses(observed, None));
    }
    let other = progress::load(baseline, Arc::clone(rules), options)?;
    select::bad_files(&other);
    for (rank, device) in query.devices(trace) {
        let partner = other.rank(rank.id).and_then(|r| r.device(device.id));
        if partner.is_none() {
            output::note(&format!(
                "the baseline has no rank {} with device {}, so only kernels of the window itself count as alone",
                rank.id.0, device.id.0
            ));
        }
    }
    let of_other = self::launches(&other);
    // The window is this trace's; of the baseline all kernels that ran alone count.
    let baseline = Observed {
        trace: &other,
        launches: &of_other,
        query: Query {
            clip_suspicious: query.clip_suspicious,
            ..Query::default()
        },
    };
    Ok(overlap_analyses(observed, Some(&baseline)))
}

/// Launch shapes and the like, from the files; says which could not be read again.
pub(super) fn launches(trace: &Trace) -> LaunchDetails {
    let launches = read_launches(trace, &Cancel::default());
    for sentence in &launches.errors {
        output::note(sentence);
    }
    launches
}
