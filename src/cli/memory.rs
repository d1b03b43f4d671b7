//! `overlane report --table memory` and `check` on it: what allocators held, and whether it leaks.

use super::args::TimeSelectors;
use super::row_args::{MemoryGrouping, RowArguments};
use super::select::{self, StepArgument};
use super::{CliError, output};
use crate::metrics::report::{Grid, LEAK_COLUMNS, MEMORY_COLUMNS};
use crate::metrics::{
    NOT_RECORDED, Query, Selection, leak_rows, memory_devices, memory_rows, memory_scope,
    memory_step_labels, memory_step_rows,
};
use crate::trace::{DeviceId, RankId, Trace};

/// What the selectors ask of this trace: devices are those of allocators, steps those on the host.
///
/// # Errors
/// Where they name a rank, device or step that is not there, or a window that runs backwards.
pub(super) fn query(asked: &TimeSelectors, trace: &Trace) -> Result<Query, CliError> {
    let query = Query {
        selection: select::selection(asked, trace)?,
        rank: asked.rank.map(RankId),
        device: asked.device.map(DeviceId),
        clip_suspicious: asked.clip_suspicious,
    };
    select::check_rank(&query, trace)?;
    let devices = memory_devices(trace, &query);
    if let Some(id) = query.device.filter(|id| !devices.contains(id))
        && !devices.is_empty()
    {
        return Err(CliError::NoSuch {
            what: format!("device {} with [memory] events", id.0),
            there: select::list("memory of devices", devices.iter().map(|d| d.0)),
        });
    }
    let labels = memory_step_labels(trace, &query);
    if let Some(StepArgument(label)) = asked.step.filter(|s| !labels.contains(&s.0)) {
        return Err(CliError::NoSuch {
            what: format!("step {label} on the host"),
            there: select::list("steps", labels.iter()),
        });
    }
    Ok(query)
}

/// The table as asked; says on standard error what is not in it.
pub(super) fn table(asked: &RowArguments, trace: &Trace, query: &Query) -> Grid {
    match asked.memory_grouping() {
        Some(MemoryGrouping::Step) => {
            let rows = memory_step_rows(trace, query);
            notes(trace, query, rows.is_empty());
            Grid::new(&MEMORY_COLUMNS, &rows)
        }
        Some(MemoryGrouping::Leak) => {
            let rows = leak_rows(trace, query);
            notes(trace, query, rows.is_empty());
            Grid::new(&LEAK_COLUMNS, &rows)
        }
        _ => windows(trace, query),
    }
}

/// One row for each allocator.
pub(super) fn windows(trace: &Trace, query: &Query) -> Grid {
    let rows = memory_rows(trace, query);
    notes(trace, query, rows.is_empty());
    Grid::new(&MEMORY_COLUMNS, &rows)
}

fn notes(trace: &Trace, query: &Query, no_rows: bool) {
    select::bad_files(trace);
    select::left_out(trace);
    if trace.ranks.iter().all(|rank| rank.memory.is_empty()) {
        output::note(NOT_RECORDED);
    } else if no_rows {
        output::note(
            "no allocator or no step with a ProfilerStep annotation is selected, so there are no rows",
        );
    }
    if query.selection == Selection::None {
        return;
    }
    for rank in &trace.ranks {
        let is_asked = query.rank.is_none_or(|id| id == rank.id) && !rank.memory.is_empty();
        if is_asked && memory_scope(rank, query.selection).covered().is_none() {
            output::note(&format!(
                "rank {} recorded nothing of the window, so it has no figures",
                rank.id.0
            ));
        }
    }
}
