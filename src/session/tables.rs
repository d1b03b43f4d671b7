//! Panels as tables: the same rows, columns and digits that the command line writes.

use super::{CsvPanel, Session};
use crate::export;
use crate::metrics::report::{Grid, HEALTH_COLUMNS, Table, columns};
use crate::metrics::{health_rows, step_rows, stream_rows, summary_rows};

impl Session {
    /// A panel as CSV, of the current window; empty without a trace.
    #[must_use]
    pub fn csv(&self, panel: CsvPanel) -> String {
        let Some(trace) = &self.trace else {
            return String::new();
        };
        let query = self.query();
        let grid = match panel {
            CsvPanel::Breakdown | CsvPanel::Overlap => {
                Grid::new(&columns(Table::Summary), &summary_rows(trace, &query))
            }
            CsvPanel::Streams => Grid::new(&columns(Table::Streams), &stream_rows(trace, &query)),
            CsvPanel::Steps => Grid::new(
                &columns(Table::Steps),
                &step_rows(trace, &query, self.settings.basis),
            ),
            CsvPanel::Health => Grid::new(&HEALTH_COLUMNS, &health_rows(trace)),
        };
        export::csv(&grid)
    }
}
