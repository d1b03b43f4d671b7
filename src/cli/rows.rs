//! `overlane report` with the tables of kernels, of collectives and of ranks: their rows, and what
//! is not in them.

use super::row_args::{IdleGrouping, RowArguments};
use super::{output, select};
use crate::metrics::report::{
    COLLECTIVE_COLUMNS, COMM_GROUP_COLUMNS, Grid, IDLE_COLUMNS, IDLE_GAP_COLUMNS,
    IDLE_LENGTH_COLUMNS, KERNEL_COLUMNS, RANK_COLUMNS,
};
use crate::metrics::{
    CollectiveGrouping, IdleGapRow, IdleGaps, OfDevice, Query, clock_shifts, collective_rows,
    comm_group_rows, keep_top, kernel_rows, label_comm_groups, longest_gaps, rank_notes, rank_rows,
    rows_by_cause, rows_by_length, scope, sort_collectives, sort_comm_groups, sort_kernels,
    type_comm_groups,
};
use crate::trace::Trace;
use regex::Regex;

/// What is said of rows that are not there.
struct Said {
    /// Why there is none at all.
    none: &'static str,
    /// What the filter looks at.
    filtered: &'static str,
}

/// The table of kernels as asked; says on standard error what is not in it.
pub(super) fn kernels(asked: &RowArguments, trace: &Trace, query: &Query) -> Grid {
    let grouping = asked.kernel_grouping();
    let by = asked.kernel_sort();
    let said = Said {
        none: "no kernel lies in the window, so there are no rows",
        filtered: grouping.label(),
    };
    let rows = kernel_rows(trace, query, grouping);
    let mut rows = chosen(asked, trace, query, &said, rows, |regex, row| {
        regex.is_match(&row.label)
    });
    sort_kernels(&mut rows, by, by.first_order());
    Grid::new(&KERNEL_COLUMNS, &first(asked, rows))
}

/// The table of collectives as asked; says on standard error what is not in it.
pub(super) fn collectives(asked: &RowArguments, trace: &Trace, query: &Query) -> Grid {
    let by = asked.collective_sort().unwrap_or_default();
    let order = by.first_order();
    let said = Said {
        none: "no communication kernel lies in the window, so there are no rows",
        filtered: "collective",
    };
    match asked.collective_grouping() {
        CollectiveGrouping::Each => {
            let rows = collective_rows(trace, query);
            let mut rows = chosen(asked, trace, query, &said, rows, |regex, row| {
                row.matches(|text| regex.is_match(text))
            });
            sort_collectives(&mut rows, by, order);
            Grid::new(&COLLECTIVE_COLUMNS, &first(asked, rows))
        }
        CollectiveGrouping::Group => {
            let rows = comm_group_rows(trace, query);
            let mut rows = chosen(asked, trace, query, &said, rows, |regex, row| {
                row.matches(|text| regex.is_match(text))
            });
            sort_comm_groups(&mut rows, by, order);
            let mut rows = first(asked, rows);
            label_comm_groups(trace, query, &mut rows);
            type_comm_groups(&mut rows, &asked.groups());
            Grid::new(&COMM_GROUP_COLUMNS, &rows)
        }
    }
}

/// The table of idle time as asked; says on standard error what is not in it.
pub(super) fn idle(asked: &RowArguments, trace: &Trace, query: &Query) -> Grid {
    select::bad_files(trace);
    select::left_out(trace);
    without_data(trace, query);
    if !trace.has_gpu_work() {
        output::note("the trace has no GPU work, so there is nothing to measure");
    }
    let grouping = asked.idle_grouping().unwrap_or(IdleGrouping::Cause);
    let (mut causes, mut lengths, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, device) in query.devices(trace) {
        let scope = scope(rank, device, query.selection, query.clip_suspicious);
        let Some(window) = scope.covered() else {
            continue;
        };
        let all = IdleGaps::of(trace, rank, device, query.clip_suspicious);
        match grouping {
            IdleGrouping::Cause => causes.extend(rows_by_cause(rank, device, &all, window)),
            IdleGrouping::Length => lengths.extend(rows_by_length(rank, device, &all, window)),
            IdleGrouping::Gap => {
                let rows = longest_gaps(trace, rank, device, &all, window, None);
                let wanted = |row: &IdleGapRow| {
                    let filter = asked.filter.as_ref();
                    filter.is_none_or(|regex| row.matches(|text| regex.is_match(text)))
                };
                gaps.extend(rows.into_iter().filter(wanted));
            }
        }
    }
    match grouping {
        IdleGrouping::Cause => Grid::new(&IDLE_COLUMNS, &causes),
        IdleGrouping::Length => Grid::new(&IDLE_LENGTH_COLUMNS, &lengths),
        IdleGrouping::Gap => Grid::new(&IDLE_GAP_COLUMNS, &first(asked, gaps)),
    }
}

/// The table of ranks; says on standard error which ranks of the job are not in it.
pub(super) fn ranks(trace: &Trace, query: &Query) -> Grid {
    for sentence in rank_notes(trace) {
        output::note(&sentence);
    }
    select::left_out(trace);
    let rows = rank_rows(trace, query, &clock_shifts(trace));
    let without = rows.iter().filter(|r| r.totals.is_none() && r.devices > 0);
    for row in without {
        output::note(&format!(
            "rank {} recorded nothing of the window, so it has no figures",
            row.rank.0
        ));
    }
    if !trace.has_gpu_work() {
        output::note("the trace has no GPU work, so there is nothing to measure");
    }
    Grid::new(&RANK_COLUMNS, &rows)
}

/// The rows that the filter leaves; says what is not there.
fn chosen<R: OfDevice>(
    asked: &RowArguments,
    trace: &Trace,
    query: &Query,
    said: &Said,
    mut rows: Vec<R>,
    wanted: impl Fn(&Regex, &R) -> bool,
) -> Vec<R> {
    select::bad_files(trace);
    select::left_out(trace);
    without_data(trace, query);
    if rows.is_empty() {
        output::note(if trace.has_gpu_work() {
            said.none
        } else {
            "the trace has no GPU work, so there is nothing to measure"
        });
        return rows;
    }
    if let Some(regex) = &asked.filter {
        rows.retain(|row| wanted(regex, row));
        if rows.is_empty() {
            output::note(&format!(
                "no {} matches --filter, so there are no rows",
                said.filtered
            ));
        }
    }
    rows
}

/// Says how many rows `--top` leaves out.
pub(super) fn left_out_by_top(left_out: usize) {
    if left_out > 0 {
        let rows = if left_out == 1 { "row" } else { "rows" };
        output::note(&format!("--top leaves {left_out} {rows} out"));
    }
}

/// The first rows of each device, as many as asked.
pub(super) fn first<R: OfDevice>(asked: &RowArguments, mut rows: Vec<R>) -> Vec<R> {
    if let Some(top) = asked.top {
        left_out_by_top(keep_top(&mut rows, top.get()));
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
