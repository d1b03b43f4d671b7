//! `overlane report` with the tables of overlap, dilation and findings: whether overlap pays, by which
//! kernels that is known, and what to do.

use super::args::ReportArguments;
use super::row_args::RowArguments;
use super::rows::left_out_by_top;
use super::{CliError, output, progress, select};
use crate::classify::Rules;
use crate::ingest::{Cancel, read_launches};
use crate::metrics::report::{DILATION_COLUMNS, FINDING_COLUMNS, Grid, OVERLAP_COLUMNS};
use crate::metrics::{
    self, DilationRow, Observed, OverlapAnalysis, OverlapFigure, Query, keep_top, overlap_analyses,
    overlap_figures,
};
use crate::trace::{LaunchDetails, Trace};
use std::sync::Arc;

/// The figures of each device.
pub(super) fn figures(
    asked: &ReportArguments,
    rules: &Arc<Rules>,
    trace: &Trace,
    query: &Query,
) -> Result<Grid, CliError> {
    let launches = launches(trace);
    let analyses = analyses(asked, rules, trace, query, &launches)?;
    let rows: Vec<OverlapFigure> = analyses
        .iter()
        .flat_map(|analysis| overlap_figures(trace, analysis))
        .collect();
    Ok(Grid::new(&OVERLAP_COLUMNS, &rows))
}

/// The kernels behind the factors.
pub(super) fn dilation(
    asked: &ReportArguments,
    rules: &Arc<Rules>,
    trace: &Trace,
    query: &Query,
) -> Result<Grid, CliError> {
    let launches = launches(trace);
    let analyses = analyses(asked, rules, trace, query, &launches)?;
    let rows: Vec<DilationRow> = analyses.into_iter().flat_map(|a| a.dilations).collect();
    Ok(Grid::new(&DILATION_COLUMNS, &chosen(&asked.rows, rows)))
}

/// What keeps each device from its work.
pub(super) fn findings(
    asked: &ReportArguments,
    rules: &Arc<Rules>,
    trace: &Trace,
    query: &Query,
) -> Result<Grid, CliError> {
    let launches = launches(trace);
    let analyses = analyses(asked, rules, trace, query, &launches)?;
    let observed = Observed {
        trace,
        launches: &launches,
        query: *query,
    };
    let labels = metrics::group_labels(trace, query, &asked.rows.groups());
    let mut rows = metrics::findings(&observed, &analyses, &labels);
    if let Some(regex) = &asked.rows.filter {
        rows.retain(|row| regex.is_match(row.kind.name()) || regex.is_match(&row.title));
    }
    if let Some(top) = asked.rows.top {
        left_out_by_top(keep_top(&mut rows, top.get()));
    }
    if rows.is_empty() && !analyses.is_empty() {
        output::note("nothing of at least 0.1 % of the window was found, so there are no rows");
    }
    Ok(Grid::new(&FINDING_COLUMNS, &rows))
}

fn chosen(asked: &RowArguments, mut rows: Vec<DilationRow>) -> Vec<DilationRow> {
    if let Some(regex) = &asked.filter {
        rows.retain(|row| regex.is_match(&row.name));
    }
    if let Some(top) = asked.top {
        left_out_by_top(keep_top(&mut rows, top.get()));
    }
    rows
}

fn analyses(
    asked: &ReportArguments,
    rules: &Arc<Rules>,
    trace: &Trace,
    query: &Query,
    launches: &LaunchDetails,
) -> Result<Vec<OverlapAnalysis>, CliError> {
    select::bad_files(trace);
    select::left_out(trace);
    if !trace.has_gpu_work() {
        output::note("the trace has no GPU work, so there is nothing to measure");
    }
    let observed = Observed {
        trace,
        launches,
        query: *query,
    };
    if asked.baseline.is_empty() {
        return Ok(overlap_analyses(&observed, None));
    }
    let options = asked.selectors.time.load.options()?;
    let other = progress::load(&asked.baseline, Arc::clone(rules), options)?;
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
    Ok(overlap_analyses(&observed, Some(&baseline)))
}

/// Launch shapes and the like, from the files; says which could not be read again.
pub(super) fn launches(trace: &Trace) -> LaunchDetails {
    let launches = read_launches(trace, &Cancel::default());
    for sentence in &launches.errors {
        output::note(sentence);
    }
    launches
}
