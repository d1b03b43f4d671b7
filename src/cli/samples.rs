//! Tables of times that models start from, read from CSV by the names of their columns.
//!
//! A column whose name ends in a unit (`size_bytes`, `time_us`) holds bare numbers, one without
//! (`size`, `time`) quantities with units. Other columns are passed over, so a table that
//! `overlane report` wrote can be read as it is.

use super::CliError;
use super::output;
use crate::time::DurNs;
use crate::whatif::{Layer, Ready, Sample, parse_size, parse_time};
use std::collections::BTreeSet;
use std::path::Path;

/// Names of a column, and the unit that its bare numbers have (none: the cells have units).
type Names = &'static [(&'static str, &'static str)];

const SIZE: Names = &[("size_bytes", "B"), ("bytes", "B"), ("size", "")];
const TIME: Names = &[
    ("time_us", "us"),
    ("transfer_us", "us"),
    ("time_ns", "ns"),
    ("time", ""),
];
const READY: Names = &[("ready_us", "us"), ("ready_ns", "ns"), ("ready", "")];
const GATHER: Names = &[("gather_us", "us"), ("gather_ns", "ns"), ("gather", "")];
const COMPUTE: Names = &[("compute_us", "us"), ("compute_ns", "ns"), ("compute", "")];
const SCATTER: Names = &[
    ("reduce_scatter_us", "us"),
    ("reduce_scatter_ns", "ns"),
    ("reduce_scatter", ""),
];

/// Sizes and times for a fit. Rows without a size or a time say nothing and are counted in a note.
///
/// # Errors
/// [`CliError::Table`], also where the rows are of several groups or kinds.
pub(super) fn samples(path: &Path) -> Result<Vec<Sample>, CliError> {
    let table = Table::read(path)?;
    let (size, time) = (table.column(SIZE)?, table.column(TIME)?);
    for name in ["kind", "group"] {
        if let Some(at) = table.heads.iter().position(|head| head == name) {
            let different: BTreeSet<&str> = table.rows.iter().filter_map(|r| r.get(at)).collect();
            if different.len() > 1 {
                return Err(table.wrong(&format!(
                    "has more than one {name}, and each has a link of its own; keep the rows of one"
                )));
            }
        }
    }
    let mut samples = Vec::new();
    let mut empty = 0_usize;
    for row in 0..table.rows.len() {
        if table.is_empty(row, size) || table.is_empty(row, time) {
            empty += 1;
            continue;
        }
        samples.push(Sample {
            bytes: table.size(row, size)?,
            time: table.time(row, time)?,
        });
    }
    if empty > 0 {
        output::note(&format!(
            "{}: {empty} of {} rows have no size or no time and are passed over",
            path.display(),
            table.rows.len()
        ));
    }
    Ok(samples)
}

/// Buckets and when they were ready.
///
/// # Errors
/// [`CliError::Table`].
pub(super) fn ready(path: &Path) -> Result<Vec<Ready>, CliError> {
    let table = Table::read(path)?;
    let (at, size) = (table.column(READY)?, table.column(SIZE)?);
    (0..table.rows.len())
        .map(|row| {
            Ok(Ready {
                at: table.time(row, at)?,
                bytes: table.size(row, size)?,
            })
        })
        .collect()
}

/// Layers in the order of the rows.
///
/// # Errors
/// [`CliError::Table`].
pub(super) fn layers(path: &Path) -> Result<Vec<Layer>, CliError> {
    let table = Table::read(path)?;
    let (gather, compute) = (table.column(GATHER)?, table.column(COMPUTE)?);
    let scatter = table.column(SCATTER).ok();
    (0..table.rows.len())
        .map(|row| {
            let scatter = scatter.map(|at| table.time(row, at)).transpose()?;
            Ok(Layer {
                gather: table.time(row, gather)?,
                compute: table.time(row, compute)?,
                scatter: scatter.unwrap_or(DurNs::ZERO),
            })
        })
        .collect()
}

struct Table<'a> {
    path: &'a Path,
    heads: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
}

/// A column that was found: its place, and the unit of its bare numbers.
#[derive(Clone, Copy)]
struct Found {
    at: usize,
    unit: &'static str,
}

impl<'a> Table<'a> {
    fn read(path: &'a Path) -> Result<Self, CliError> {
        let wrong = |error: csv::Error| CliError::Table {
            path: path.to_owned(),
            reason: format!("cannot be read as CSV: {error}; give a table with a header"),
        };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_path(path)
            .map_err(wrong)?;
        let heads = reader.headers().map_err(wrong)?.clone();
        let rows = reader.records().collect::<Result<_, _>>().map_err(wrong)?;
        Ok(Self { path, heads, rows })
    }

    fn column(&self, names: Names) -> Result<Found, CliError> {
        let found = names.iter().find_map(|(name, unit)| {
            let at = self.heads.iter().position(|head| head == *name)?;
            Some(Found { at, unit })
        });
        found.ok_or_else(|| {
            let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            self.wrong(&format!(
                "has no column {}; name one in the header",
                names.join(" or ")
            ))
        })
    }

    fn cell(&self, row: usize, column: Found) -> &str {
        self.rows
            .get(row)
            .and_then(|r| r.get(column.at))
            .unwrap_or_default()
    }

    fn is_empty(&self, row: usize, column: Found) -> bool {
        self.cell(row, column).is_empty()
    }

    fn time(&self, row: usize, column: Found) -> Result<DurNs, CliError> {
        let text = format!("{}{}", self.cell(row, column), column.unit);
        parse_time(&text).map_err(|error| self.wrong_row(row, &error.to_string()))
    }

    fn size(&self, row: usize, column: Found) -> Result<u64, CliError> {
        let text = format!("{}{}", self.cell(row, column), column.unit);
        parse_size(&text).map_err(|error| self.wrong_row(row, &error.to_string()))
    }

    fn wrong(&self, reason: &str) -> CliError {
        CliError::Table {
            path: self.path.to_owned(),
            reason: reason.to_owned(),
        }
    }

    fn wrong_row(&self, row: usize, reason: &str) -> CliError {
        let line = self.rows.get(row).and_then(csv::StringRecord::position);
        let line = line.map_or(0, csv::Position::line);
        self.wrong(&format!("line {line}: {reason}"))
    }
}
