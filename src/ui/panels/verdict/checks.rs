//! The four checks behind a verdict, each to be opened: streams, dependencies, dilation with its plot
//! and its table, multiprocessors.

use super::super::super::controls::{section_head, weak};
use super::super::super::theme::{SMALL_GAP, Theme};
use super::super::csv_buttons;
use super::figure::Row;
use super::{scatter, table};
use crate::metrics::{OverlapAnalysis, OverlapFigure, Verdict};
use crate::session::{Action, CsvPanel, Session};
use egui::{Align, Id, Label, Layout, Ui};

/// The checks by their names in the table, what they are called, and what it means if there is no
/// figure.
const CHECKS: [(&str, &str, &str); 4] = [
    (
        "streams",
        "Streams: could they run side by side",
        "Nothing ran in this window.",
    ),
    (
        "dependencies",
        "Dependencies: what waited for what",
        "No stream waited for another and no call kept the host from launching.",
    ),
    (
        "dilation",
        "Dilation: how much they slow each other",
        "Nothing ran beside anything.",
    ),
    (
        "sms",
        "Multiprocessors: what communication takes",
        "No communication ran in this window.",
    ),
];

/// Shows all of them.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    (analysis, figures): (&OverlapAnalysis, &[OverlapFigure]),
    out: &mut Vec<Action>,
) {
    for (key, title, nothing) in CHECKS {
        let id = Id::unique(("check of the verdict", key));
        let chosen = ui.data(|d| d.get_temp::<bool>(id));
        let is_open = chosen.unwrap_or_else(|| decides(analysis.bottom.verdict, key));
        if section_head(ui, theme, is_open, title, |_| {}) {
            ui.data_mut(|d| d.insert_temp(id, !is_open));
        }
        if !is_open {
            continue;
        }
        let mut rows = figures.iter().filter(|f| f.check == key).peekable();
        if rows.peek().is_none() {
            ui.add(Label::new(weak(theme, nothing).small()).wrap());
        }
        for row in rows {
            Row::plain(row).show(ui, theme, out);
        }
        if key == "dilation" {
            dilation(ui, session, theme, analysis, out);
        }
        ui.add_space(SMALL_GAP);
    }
}

/// Which checks are open at first: those that the verdict rests on.
fn decides(verdict: Verdict, check: &str) -> bool {
    match verdict {
        Verdict::None(_) => matches!(check, "streams" | "dependencies"),
        _ => check == "dilation",
    }
}

fn dilation(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    analysis: &OverlapAnalysis,
    out: &mut Vec<Action>,
) {
    let rows = analysis.dilations.as_slice();
    scatter::ui(ui, theme, rows, out);
    if rows.is_empty() {
        return;
    }
    ui.horizontal(|ui| {
        ui.label(weak(theme, "Kernels alone and beside").small());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            csv_buttons(ui, theme, "Dilation", CsvPanel::Dilation, out);
        });
    });
    ui.push_id("dilation", |ui| {
        table::ui(ui, session, theme, rows, out);
    });
}
