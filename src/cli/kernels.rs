//! `overlane report --table kernels`: its options, its rows, and what is not in them.

use super::args::KernelArguments;
use super::select::{self, TableName};
use super::{CliError, output};
use crate::metrics::{KernelRow, Query, keep_top, kernel_rows, scope, sort_kernels};
use crate::trace::Trace;

/// Refuses the options with any other table.
pub(super) fn check(asked: &KernelArguments, table: TableName) -> Result<(), CliError> {
    match asked.given() {
        Some(option) if table != TableName::Kernels => Err(CliError::OptionWithTable {
            option,
            table: table.name(),
            advice: "it is of --table kernels",
        }),
        _ => Ok(()),
    }
}

/// The rows, filtered, sorted and cut as asked; says on standard error what is not in them.
pub(super) fn rows(asked: &KernelArguments, trace: &Trace, query: &Query) -> Vec<KernelRow> {
    let grouping = asked.by.map(Into::into).unwrap_or_default();
    let mut rows = kernel_rows(trace, query, grouping);
    select::bad_files(trace);
    select::left_out(trace);
    without_data(trace, query);
    if rows.is_empty() {
        output::note(if trace.has_gpu_work() {
            "no kernel lies in the window, so there are no rows"
        } else {
            "the trace has no GPU work, so there is nothing to measure"
        });
        return rows;
    }
    if let Some(regex) = &asked.filter {
        rows.retain(|row| regex.is_match(&row.label));
        if rows.is_empty() {
            output::note(&format!(
                "no {} matches --filter, so there are no rows",
                grouping.label()
            ));
        }
    }
    let by = asked.sort.map(Into::into).unwrap_or_default();
    sort_kernels(&mut rows, by, by.first_order());
    if let Some(top) = asked.top {
        let left_out = keep_top(&mut rows, top.get());
        if left_out > 0 {
            let rows = if left_out == 1 { "row" } else { "rows" };
            output::note(&format!("--top leaves {left_out} {rows} out"));
        }
    }
    rows
}

/// One sentence for each device that the window finds no data of.
fn without_data(trace: &Trace, query: &Query) {
    for (rank, device) in query.devices(trace) {
        let scope = scope(rank, device, query.selection, query.clip_suspicious);
        if scope.covered().is_none() {
            output::note(&format!(
                "rank {}, device {} recorded nothing of the window, so it has no rows",
                rank.id.0, device.id.0
            ));
        }
    }
}
