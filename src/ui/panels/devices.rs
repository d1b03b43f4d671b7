//! All devices side by side; a click puts one first.

use super::super::theme::Theme;
use super::table::{self, Choice};
use crate::metrics;
use crate::metrics::report::{self, Table};
use crate::session::{Action, Session};
use egui::Ui;

const COLUMNS: &[Choice] = &[
    ("rank", "rank"),
    ("device", "GPU"),
    ("compute_percent", "comp %"),
    ("non_compute_percent", "non-comp"),
    ("idle_percent", "idle %"),
    ("comm_hidden_by_comp_percent", "hidden %"),
    ("exposed_comm_us", "exposed µs"),
    ("kernel_time_us", "window µs"),
];

/// Shows the section.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(trace) = &session.trace else {
        return;
    };
    let rows = metrics::summary_rows(trace, &session.query());
    let focused = session.focused().map(|(r, d)| (r.id, d.id));
    let clicked = table::ui(
        ui,
        theme,
        &report::columns(Table::Summary),
        COLUMNS,
        &rows,
        |row| Some((row.rank, row.device)) == focused,
    );
    if let Some(row) = clicked.and_then(|i| rows.get(i)) {
        out.push(Action::FocusDevice {
            rank: row.rank,
            device: row.device,
        });
    }
}
