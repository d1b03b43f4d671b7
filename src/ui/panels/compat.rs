//! The compatibility switch: the whole trace as HTA or TraceLens would have it, beside our figures,
//! with the reason for the difference one hover away.

use super::super::controls::weak;
use super::super::theme::Theme;
use super::table::right;
use crate::metrics::report::{COMPAT_COLUMNS, Cell};
use crate::metrics::{CompatRow, Tool};
use crate::session::{Action, Session};
use egui::{FontId, Grid, Label, RichText, ScrollArea, Ui};

/// Width of a figure.
const WIDTH: f32 = 76.0;

/// Shows the switch, and the figures of the tool that is chosen.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.label(weak(theme, "Compare with"));
        for tool in Tool::ALL {
            let chosen = session.compat.tool == Some(tool);
            let hover = format!("The whole trace by the rules of {}", tool.label());
            let label = ui.selectable_label(chosen, tool.label());
            if label.on_hover_text(hover).clicked() {
                let tool = (!chosen).then_some(tool);
                out.push(Action::CompareWith { tool });
            }
        }
    });
    let Some(tool) = session.compat.tool else {
        return;
    };
    let Some(rows) = session.shown_compat() else {
        ui.label(weak(theme, "Measuring the whole trace…"));
        return;
    };
    let Some(first) = rows.first() else {
        ui.label(weak(theme, "The rank has no GPU work."));
        return;
    };
    let words = format!("Whole trace, µs or %; {} knows no windows", tool.label());
    ui.add(Label::new(weak(theme, words).small()).wrap())
        .on_hover_text(first.reason);
    figures(ui, theme, rows);
    ui.add(Label::new(weak(theme, first.reason).small()).wrap());
}

fn figures(ui: &mut Ui, theme: &Theme, rows: &[CompatRow]) {
    ScrollArea::horizontal()
        .id_salt("another tool")
        .show(ui, |ui| {
            Grid::new("figures of another tool")
                .num_columns(4)
                .spacing([4.0, 2.0])
                .show(ui, |ui| {
                    ui.label(weak(theme, "figure").small());
                    for title in ["theirs", "ours", "difference"] {
                        right(ui, WIDTH, |ui| {
                            ui.label(weak(theme, title).small());
                        });
                    }
                    ui.end_row();
                    for row in rows {
                        ui.label(RichText::new(row.figure).size(11.0))
                            .on_hover_text(format!("{}\n\n{}", row.definition, row.reason));
                        for name in ["theirs", "ours", "delta"] {
                            let column = COMPAT_COLUMNS.iter().find(|c| c.head.name == name);
                            let cell = column.map(|c| (c.get)(row));
                            let text = cell.as_ref().and_then(Cell::text);
                            let text =
                                text.map_or_else(|| "n/a".to_owned(), std::borrow::Cow::into_owned);
                            right(ui, WIDTH, |ui| {
                                let font = FontId::monospace(10.5);
                                ui.label(RichText::new(text).font(font).color(theme.text));
                            });
                        }
                        ui.end_row();
                    }
                });
        });
}
