//! `overlane diff A B`: two traces against each other, with the same selectors as a report.

use super::args::{DiffArguments, DiffTable, Format};
use super::rows::left_out_by_top;
use super::{CliError, Outcome, mfu, output, progress, select};
use crate::classify::Rules;
use crate::export::{self, Document};
use crate::metrics::report::{
    FIGURE_DELTA_COLUMNS, FILE_COLUMNS, Grid, HEALTH_COLUMNS, KERNEL_DELTA_COLUMNS,
};
use crate::metrics::{
    DevicePairs, FileRow, HealthRow, Side, figure_deltas, file_rows, health_rows, kernel_deltas,
    pair_devices,
};
use crate::trace::{DeviceId, RankId, Trace};
use std::path::Path;
use std::sync::Arc;

/// Loads both, compares, writes.
pub(super) fn run(
    asked: &DiffArguments,
    rules: &Arc<Rules>,
    rules_file: Option<&Path>,
) -> Result<Outcome, CliError> {
    let (table, is_mfu) = match asked.table {
        DiffTable::Summary => ("summary", false),
        DiffTable::Kernels => ("kernels", false),
        DiffTable::Mfu => ("mfu", true),
    };
    asked.mfu.check(table, is_mfu)?;
    let load = |path: &Path| -> Result<Trace, CliError> {
        let options = asked.time.load.options()?;
        let trace = progress::load(&[path.to_owned()], Arc::clone(rules), options)?;
        select::bad_files(&trace);
        select::left_out(&trace);
        Ok(trace)
    };
    let (of_a, of_b) = (load(&asked.a)?, load(&asked.b)?);
    let a = Side {
        trace: &of_a,
        query: select::query(&asked.time, &of_a)?,
    };
    let b = Side {
        trace: &of_b,
        query: select::query(&asked.time, &of_b)?,
    };
    let pairs = pair_devices(&a, &b);
    tell_unmatched(&pairs);
    let grid = match asked.table {
        DiffTable::Summary => {
            Grid::new(&FIGURE_DELTA_COLUMNS, &figure_deltas(&a, &b, &pairs.pairs))
        }
        DiffTable::Kernels => {
            let mut rows = kernel_deltas(&a, &b, &pairs.pairs);
            if let Some(regex) = &asked.filter {
                rows.retain(|row| regex.is_match(&row.name));
            }
            let all = rows.len();
            rows.truncate(asked.top.map_or(all, usize::from));
            left_out_by_top(all - rows.len());
            Grid::new(&KERNEL_DELTA_COLUMNS, &rows)
        }
        DiffTable::Mfu => mfu::gains(asked.mfu, &a, &b, &pairs.pairs),
    };
    if grid.rows.is_empty() {
        output::note("there is nothing to compare, so there are no rows");
    }
    let text = written(asked.format, &grid, &of_a, &of_b)?;
    match &asked.out {
        None => output::to_stdout(&text)?,
        Some(path) => {
            let files = of_a.files.iter().chain(&of_b.files);
            let inputs = files.map(|f| f.path.as_path());
            let named = [asked.a.as_path(), asked.b.as_path()];
            output::to_file(&text, path, inputs.chain(named).chain(rules_file))?;
        }
    }
    Ok(Outcome::Done)
}

fn written(format: Format, grid: &Grid, a: &Trace, b: &Trace) -> Result<String, CliError> {
    Ok(match format {
        Format::Text => export::table_text(grid),
        Format::Csv => export::csv(grid),
        Format::Markdown => export::markdown(grid),
        Format::Json => {
            let files: Vec<FileRow> = file_rows(a).into_iter().chain(file_rows(b)).collect();
            let health: Vec<HealthRow> = health_rows(a).into_iter().chain(health_rows(b)).collect();
            export::json(Document {
                files: &Grid::new(&FILE_COLUMNS, &files),
                rows: grid,
                health: &Grid::new(&HEALTH_COLUMNS, &health),
            })?
        }
    })
}

/// One sentence for each side with devices that have no partner.
fn tell_unmatched(pairs: &DevicePairs) {
    for (which, other, only) in [
        ("first", "second", &pairs.only_a),
        ("second", "first", &pairs.only_b),
    ] {
        if only.is_empty() {
            continue;
        }
        let name = |(RankId(rank), DeviceId(device)): &(RankId, DeviceId)| {
            format!("rank {rank} device {device}")
        };
        let named: Vec<String> = only.iter().map(name).collect();
        output::note(&format!(
            "only in the {which} trace, so not compared: {}; choose with --rank and --device, or open ranks that the {other} has",
            named.join(", ")
        ));
    }
}
