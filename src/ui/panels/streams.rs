//! Streams of the focused device, one line a stream.

use super::super::theme::Theme;
use super::table::{self, Choice};
use super::{Figures, window_line};
use crate::metrics::report::{self, Table};
use crate::metrics::{self, Query};
use crate::session::Session;
use egui::Ui;

const COLUMNS: &[Choice] = &[
    ("stream", "stream"),
    ("kernels", "kernels"),
    ("busy_percent", "busy %"),
    ("computation_percent", "comp %"),
    ("communication_only_percent", "comm only"),
    ("memory_only_percent", "mem only"),
    ("duration_sum_us", "sum µs"),
];

/// Shows the section.
pub(super) fn ui(ui: &mut Ui, session: &Session, figures: &Figures<'_>, theme: &Theme) {
    window_line(ui, figures, theme);
    let Some(trace) = &session.trace else {
        return;
    };
    let query = Query {
        rank: Some(figures.rank.id),
        device: Some(figures.device.id),
        ..session.query()
    };
    let rows = metrics::stream_rows(trace, &query);
    table::ui(
        ui,
        theme,
        &report::columns(Table::Streams),
        COLUMNS,
        &rows,
        |_| false,
    );
}
