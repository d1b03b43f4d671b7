//! What is usual over the steps, and the worst of them one click away.

use crate::metrics::report::{Cell, Column, STEP_STATS_COLUMNS};
use crate::metrics::{StepFigure, StepStats};
use crate::ui::controls::weak;
use crate::ui::panels::table::right;
use crate::ui::theme::Theme;
use egui::{FontId, Grid, RichText, ScrollArea, Ui};

/// The columns that are shown, by their names.
const SHOWN: [&str; 4] = ["mean_us", "min_us", "p95_us", "max_us"];
/// Width of a figure.
const WIDTH: f32 = 64.0;

/// Shows the statistics; returns the step that was clicked.
pub(super) fn ui(ui: &mut Ui, theme: &Theme, stats: &[StepStats]) -> Option<String> {
    let Some(first) = stats.first() else {
        ui.label(weak(theme, "No whole step: nothing to compare").small());
        return None;
    };
    let steps = crate::ui::controls::counted(first.steps, "whole step", "whole steps");
    ui.label(
        weak(
            theme,
            format!("Over {steps}, in µs; a click on the worst goes there"),
        )
        .small(),
    );
    let columns: Vec<&Column<StepStats>> = SHOWN
        .iter()
        .filter_map(|name| STEP_STATS_COLUMNS.iter().find(|c| c.head.name == *name))
        .collect();
    let mut clicked = None;
    // Not wider than the panel, whatever the figures are.
    ScrollArea::horizontal()
        .id_salt("statistics")
        .show(ui, |ui| {
            Grid::new("statistics of steps")
                .num_columns(SHOWN.len() + 2)
                .spacing([4.0, 2.0])
                .show(ui, |ui| {
                    ui.label("");
                    for column in &columns {
                        right(ui, WIDTH, |ui| {
                            ui.label(weak(theme, column.head.title).small())
                                .on_hover_text(column.head.definition);
                        });
                    }
                    right(ui, WIDTH, |ui| {
                        ui.label(weak(theme, "worst").small());
                    });
                    ui.end_row();
                    for row in stats {
                        ui.label(weak(theme, word(row.figure)).small());
                        for column in &columns {
                            right(ui, WIDTH, |ui| {
                                ui.label(figure(&(column.get)(row), theme));
                            });
                        }
                        right(ui, WIDTH, |ui| {
                            let hover =
                                format!("Go to step {}, the worst by this figure", row.worst);
                            let link = ui
                                .link(RichText::new(&row.worst).small())
                                .on_hover_text(hover);
                            if link.clicked() {
                                clicked = Some(row.worst.clone());
                            }
                        });
                        ui.end_row();
                    }
                });
        });
    clicked
}

fn figure(cell: &Cell, theme: &Theme) -> RichText {
    let text = cell.text().unwrap_or_default().into_owned();
    RichText::new(text)
        .font(FontId::monospace(10.5))
        .color(theme.text)
}

fn word(figure: StepFigure) -> &'static str {
    match figure {
        StepFigure::Length => "length",
        StepFigure::ComputeOnly => "compute",
        StepFigure::Overlap => "overlap",
        StepFigure::ExposedComm => "exp. comm",
        StepFigure::ExposedMemory => "exp. mem",
        StepFigure::Idle => "idle",
    }
}
