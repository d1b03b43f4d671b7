//! The table of kernels alone against beside: virtual lines, those that lost most first; a click goes to
//! the one that took longest.

use super::super::rows::{AIR, Title};
use super::super::table::{LINE, lines};
use crate::metrics::DilationRow;
use crate::metrics::report::{Cell, Column, DILATION_COLUMNS};
use crate::session::{Action, Session};
use crate::trace::SliceRef;
use crate::ui::lanes::short_name;
use crate::ui::theme::Theme;
use egui::{Align, FontId, Label, Layout, RichText, Role, Ui, WidgetInfo};
use egui_extras::Column as Width;

/// A column to show: its name in the table, its short title, its width.
type Choice = (&'static str, &'static str, f32);

const CHOICES: [Choice; 13] = [
    ("name", "kernel", 128.0),
    ("dilation", "slowed ×", 54.0),
    ("lost_us", "lost µs", 76.0),
    ("beside", "beside", 44.0),
    ("beside_median_us", "median µs", 74.0),
    ("alone", "alone", 44.0),
    ("alone_median_us", "median µs", 74.0),
    ("dilation_low", "from ×", 54.0),
    ("dilation_high", "to ×", 54.0),
    ("alone_from", "alone from", 66.0),
    ("op", "op", 110.0),
    ("input_dims", "input dims", 150.0),
    ("reason", "why not compared", 230.0),
];

/// Shows the rows in their order.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    rows: &[DilationRow],
    out: &mut Vec<Action>,
) {
    let columns: Vec<(&Column<DilationRow>, &Choice)> = CHOICES
        .iter()
        .filter_map(|c| Some((DILATION_COLUMNS.iter().find(|k| k.head.name == c.0)?, c)))
        .collect();
    egui::ScrollArea::horizontal().show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = AIR;
        let mut builder = lines(ui);
        for (_, choice) in &columns {
            builder = builder.column(Width::exact(choice.2).clip(true));
        }
        builder
            .header(LINE, |mut header| {
                for (column, choice) in &columns {
                    header.col(|ui| {
                        let title = Title {
                            of: "kernels alone and beside",
                            text: choice.1,
                            hover: column.head.definition,
                            is_words: is_words(choice.0),
                            order: None,
                        };
                        title.show_still(ui, theme);
                    });
                }
            })
            .body(|body| {
                body.rows(LINE, rows.len(), |mut line| {
                    let Some(row) = rows.get(line.index()) else {
                        return;
                    };
                    let worst = worst(row);
                    let is_chosen = worst.is_some() && session.selection == worst;
                    line.set_selected(is_chosen);
                    for (column, choice) in &columns {
                        line.col(|ui| cell(ui, theme, column, choice, row));
                    }
                    let response = line.response();
                    response.widget_info(|| {
                        let name = format!("{} alone and beside", short_name(&row.name));
                        let mut info = WidgetInfo::selected(Role::Button, true, is_chosen, name);
                        info.current_text_value = Some(spoken(row));
                        info
                    });
                    let response = response.on_hover_text(hover(row));
                    if response.clicked() {
                        out.extend(worst.map(|slice| Action::GoTo { slice }));
                    }
                });
            });
    });
}

/// The kernel of a row that took longest beside.
pub(super) fn worst(row: &DilationRow) -> Option<SliceRef> {
    Some(SliceRef {
        rank: row.rank,
        slice: row.worst?,
    })
}

fn digits(row: &DilationRow, name: &str) -> Option<String> {
    let column = DILATION_COLUMNS.iter().find(|c| c.head.name == name)?;
    let cell: Cell = (column.get)(row);
    cell.text().map(std::borrow::Cow::into_owned)
}

/// The main figures of a row in words.
pub(super) fn spoken(row: &DilationRow) -> String {
    let figure = |name| digits(row, name).unwrap_or_else(|| "n/a".to_owned());
    let counts = format!(
        "{} alone, median {} µs; {} beside, median {} µs",
        digits(row, "alone").unwrap_or_else(|| "0".to_owned()),
        figure("alone_median_us"),
        digits(row, "beside").unwrap_or_else(|| "0".to_owned()),
        figure("beside_median_us"),
    );
    match digits(row, "reason") {
        Some(reason) => format!("{counts}; {reason}"),
        None => format!(
            "{} × ({} to {}), lost {} µs; {counts}",
            figure("dilation"),
            figure("dilation_low"),
            figure("dilation_high"),
            figure("lost_us"),
        ),
    }
}

/// A row with all of its name, for a tooltip.
pub(super) fn hover(row: &DilationRow) -> String {
    let mut lines = vec![row.name.to_string()];
    lines.extend(row.op.as_deref().map(|op| format!("launched by {op}")));
    lines.push(spoken(row).replace("; ", "\n"));
    if row.worst.is_some() {
        lines.push("Click: the one that took longest beside".to_owned());
    }
    lines.join("\n")
}

fn is_words(name: &str) -> bool {
    matches!(name, "name" | "op" | "input_dims" | "alone_from" | "reason")
}

fn cell(
    ui: &mut Ui,
    theme: &Theme,
    column: &Column<DilationRow>,
    choice: &Choice,
    row: &DilationRow,
) {
    let cell = (column.get)(row);
    let text = cell.text();
    if is_words(choice.0) {
        let text = text.as_deref().unwrap_or_default();
        let text = if choice.0 == "name" {
            short_name(text)
        } else {
            text
        };
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            if choice.0 == "name" {
                super::super::super::controls::swatch(ui, theme.class_color(row.class));
            }
            let text = RichText::new(text).size(11.5).color(theme.text);
            ui.add(Label::new(text).truncate().selectable(false));
        });
    } else {
        let ink = if text.is_some() {
            theme.text
        } else {
            theme.text_weak
        };
        let text = RichText::new(text.as_deref().unwrap_or("n/a"));
        let text = text.font(FontId::monospace(11.0)).color(ink);
        ui.add(Label::new(text).selectable(false));
    }
}
