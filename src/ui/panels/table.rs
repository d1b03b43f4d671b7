//! A dense table of figures: columns of `metrics::report`, digits of one width, right-aligned.

use super::super::theme::Theme;
use crate::metrics::Row;
use crate::metrics::report::{Cell, Column, Unit};
use egui::{Align, FontId, Label, Layout, RichText, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

/// A column to show: its name in the table of figures, and a short title.
pub(in crate::ui) type Choice = (&'static str, &'static str);

/// Height of a line.
pub(in crate::ui) const LINE: f32 = 19.0;
/// Lines that are shown before the table scrolls.
const MAX_LINES: f32 = 14.0;

/// A table of clickable lines with figures at the right of their columns; beyond [`MAX_LINES`] it
/// scrolls.
pub(in crate::ui) fn lines(ui: &mut Ui) -> TableBuilder<'_> {
    TableBuilder::new(ui)
        .striped(false)
        .sense(Sense::click())
        .vscroll(true)
        .auto_shrink([true, true])
        .max_scroll_height(MAX_LINES * LINE)
        .cell_layout(Layout::right_to_left(Align::Center))
}

/// A cell of a width whose contents stand at its right.
pub(in crate::ui) fn right(ui: &mut Ui, width: f32, contents: impl FnOnce(&mut Ui)) {
    let size = egui::vec2(width, 14.0);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.set_min_width(width);
        contents(ui);
    });
}

/// Shows the chosen columns of rows; returns the row that was clicked.
pub(in crate::ui) fn ui(
    ui: &mut Ui,
    theme: &Theme,
    columns: &[Column<Row>],
    choices: &[Choice],
    rows: &[Row],
    chosen: impl Fn(&Row) -> bool,
) -> Option<usize> {
    let columns: Vec<(&Column<Row>, &str)> = choices
        .iter()
        .filter_map(|(name, title)| Some((columns.iter().find(|c| c.head.name == *name)?, *title)))
        .collect();
    let mut clicked = None;
    let font = FontId::monospace(11.0);
    egui::ScrollArea::horizontal().show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let mut builder = lines(ui);
        for (column, _) in &columns {
            builder = builder.column(Width::exact(width_of(column)));
        }
        builder
            .header(LINE, |mut header| {
                for (column, title) in &columns {
                    header.col(|ui| {
                        let text = RichText::new(*title).size(11.0).color(theme.text_weak);
                        ui.add(Label::new(text).truncate())
                            .on_hover_text(column.head.definition);
                    });
                }
            })
            .body(|body| {
                body.rows(LINE, rows.len(), |mut line| {
                    let index = line.index();
                    let Some(row) = rows.get(index) else { return };
                    line.set_selected(chosen(row));
                    for (column, _) in &columns {
                        line.col(|ui| {
                            let (text, color) = words(&(column.get)(row), row, theme);
                            ui.label(RichText::new(text).font(font.clone()).color(color));
                        });
                    }
                    if line.response().clicked() {
                        clicked = Some(index);
                    }
                });
            });
    });
    clicked
}

fn words(cell: &Cell, row: &Row, theme: &Theme) -> (String, egui::Color32) {
    match cell.text() {
        Some(text) => (text.into_owned(), theme.text),
        None if row.figures.is_none() => ("no data".to_owned(), theme.text_weak),
        None => ("n/a".to_owned(), theme.text_weak),
    }
}

fn width_of(column: &Column<Row>) -> f32 {
    match column.head.unit {
        Unit::None => 38.0,
        Unit::Count => 46.0,
        Unit::Percent | Unit::GigabytesPerSecond | Unit::TeraflopsPerSecond | Unit::Factor => 56.0,
        Unit::Microseconds | Unit::Bytes => 96.0,
        Unit::Nanoseconds => 150.0,
    }
}
