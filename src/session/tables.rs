//! Panels as tables: the same rows, columns and digits that the command line writes.

use super::{CsvPanel, Session};
use crate::export;
use crate::metrics::report::{Grid, HEALTH_COLUMNS, Table, columns};
use crate::metrics::{Query, Selection, health_rows, step_rows, stream_rows, summary_rows};

impl Session {
    /// A panel as CSV, of the current window; empty without a trace. Steps have windows of their
    /// own, so they are all of those of the device in focus, as their panel shows them.
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
            CsvPanel::Steps => {
                let focused = self.focused();
                let query = Query {
                    selection: Selection::None,
                    rank: focused.map(|(rank, _)| rank.id),
                    device: focused.map(|(_, device)| device.id),
                    ..query
                };
                let rows = step_rows(trace, &query, self.settings.basis);
                Grid::new(&columns(Table::Steps), &rows)
            }
            CsvPanel::Kernels => self.kernel_grid(),
            CsvPanel::Collectives => self.collective_grid(),
            CsvPanel::Idle => self.idle_grid(),
            CsvPanel::Memory => self.memory_grid(),
            CsvPanel::MemorySteps => self.memory_step_grid(),
            CsvPanel::Verdict => self.verdict_grid(),
            CsvPanel::Dilation => self.dilation_grid(),
            CsvPanel::Findings => self.finding_grid(),
            CsvPanel::WhatIf => self.what_if_grid(),
            CsvPanel::Links => self.link_grid(),
            CsvPanel::Ranks => self.rank_grid(),
            CsvPanel::FigureDeltas => self.figure_delta_grid(),
            CsvPanel::KernelDeltas => self.kernel_delta_grid(),
            CsvPanel::Health => Grid::new(&HEALTH_COLUMNS, &health_rows(trace)),
        };
        export::csv(&grid)
    }
}
