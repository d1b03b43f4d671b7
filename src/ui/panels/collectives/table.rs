//! The two tables of collectives on screen: virtual lines of chosen columns, titles that sort.

use super::super::super::controls::{size, swatch};
use super::super::super::theme::Theme;
use super::super::rows::{AIR, Title, ink};
use super::super::table::{LINE, lines};
use crate::metrics::CollectiveSort;
use crate::metrics::report::{Cell, Column, Unit};
use crate::session::{Action, Picked, Session};
use crate::trace::class::KernelClass;
use egui::{Align, FontId, Label, Layout, RichText, Role, Ui, WidgetInfo};
use egui_extras::Column as Width;

/// A column to show: its name in the table, its short title, how it sorts, its width.
pub(super) type Choice = (&'static str, &'static str, Option<CollectiveSort>, f32);

/// A table of one of the two kinds of rows.
pub(super) struct Table<'a, R> {
    /// All columns of the table.
    pub(super) columns: &'a [Column<R>],
    /// Those that are shown.
    pub(super) choices: &'a [Choice],
    /// Whether the rows are of the current window; others are dimmed.
    pub(super) is_current: bool,
}

impl<R> Table<'_, R> {
    /// Shows the rows; `of` tells whether one is chosen, what it is called and its figures, and what
    /// a click on it does.
    pub(super) fn show(
        &self,
        ui: &mut Ui,
        session: &Session,
        theme: &Theme,
        rows: Picked<'_, R>,
        out: &mut Vec<Action>,
        of: impl Fn(&R) -> (bool, (String, String), Option<Action>),
    ) {
        let columns: Vec<(&Column<R>, &Choice)> = self
            .choices
            .iter()
            .filter_map(|c| Some((self.columns.iter().find(|k| k.head.name == c.0)?, c)))
            .collect();
        egui::ScrollArea::horizontal().show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = AIR;
            let mut builder = lines(ui);
            for (_, choice) in &columns {
                builder = builder.column(Width::exact(choice.3).clip(true));
            }
            builder
                .header(LINE, |mut header| {
                    for (column, choice) in &columns {
                        header.col(|ui| title(ui, session, theme, column, choice, out));
                    }
                })
                .body(|body| {
                    body.rows(LINE, rows.len(), |mut line| {
                        let Some(row) = rows.get(line.index()) else {
                            return;
                        };
                        let (is_chosen, (name, value), click) = of(row);
                        line.set_selected(is_chosen);
                        for (column, choice) in &columns {
                            line.col(|ui| self.cell(ui, theme, column, choice, row));
                        }
                        let response = line.response();
                        response.widget_info(|| {
                            let mut info =
                                WidgetInfo::selected(Role::Button, true, is_chosen, &name);
                            info.current_text_value = Some(value.clone());
                            info
                        });
                        if response.clicked() {
                            out.extend(click);
                        }
                    });
                });
        });
    }

    fn cell(&self, ui: &mut Ui, theme: &Theme, column: &Column<R>, choice: &Choice, row: &R) {
        let cell = (column.get)(row);
        let color = if cell.is_some() {
            theme.text
        } else {
            theme.text_weak
        };
        let color = ink(theme, self.is_current, color);
        let text = cell.text().unwrap_or("n/a".into());
        if is_words(choice) {
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if choice.0 == "kind" {
                    let class = theme.class_color(KernelClass::Communication);
                    swatch(ui, ink(theme, self.is_current, class));
                }
                let text = RichText::new(text.as_ref()).size(11.5).color(color);
                ui.add(Label::new(text).truncate().selectable(false));
            });
        } else {
            let text = RichText::new(text.as_ref()).font(FontId::monospace(11.0));
            let response = ui.add(Label::new(text.color(color)).selectable(false));
            if let (Unit::Bytes, Cell::Int(bytes)) = (column.head.unit, &cell) {
                let bytes = u64::try_from(*bytes).unwrap_or(u64::MAX);
                response.on_hover_text(size(bytes));
            }
        }
    }
}

fn is_words(choice: &Choice) -> bool {
    matches!(
        choice.0,
        "kind" | "group" | "parallelism" | "matched" | "dtype"
    )
}

/// The title of a column; a click sorts by it.
fn title<R>(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    column: &Column<R>,
    choice: &Choice,
    out: &mut Vec<Action>,
) {
    let sorting = session.collectives.sorting();
    let (_, text, by, _) = *choice;
    let title = Title {
        of: "collectives",
        text,
        hover: column.head.definition,
        is_words: is_words(choice),
        order: (by == Some(sorting.by)).then_some(sorting.order),
    };
    match by {
        Some(by) => {
            if title.show(ui, theme).clicked() {
                out.push(Action::SortCollectives { by });
            }
        }
        None => title.show_still(ui, theme),
    }
}
