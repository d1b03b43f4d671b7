//! The steps of the rank on the host, with what its allocator held in each; a click goes there.

use super::super::super::controls::{byte_size, icon_button, weak};
use super::super::super::icon::Icon;
use super::super::super::theme::{SMALL_GAP, Theme};
use super::super::table::{LINE, lines};
use crate::metrics::MemoryRow;
use crate::metrics::report::{Cell, MEMORY_COLUMNS};
use crate::session::{Action, CsvPanel, Session};
use egui::{FontId, Label, RichText, Role, Ui, WidgetInfo};
use egui_extras::Column as Width;

/// Columns of the table of memory, and short titles.
const COLUMNS: [(&str, &str, f32); 6] = [
    ("step", "step", 38.0),
    ("allocated_start_bytes", "at start", 74.0),
    ("allocated_peak_bytes", "peak", 74.0),
    ("allocated_end_bytes", "at end", 74.0),
    ("growth_bytes", "growth", 74.0),
    ("cached_free_end_bytes", "cached free", 74.0),
];

/// Shows the table; nothing without steps.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    rows: &[MemoryRow],
    out: &mut Vec<Action>,
) {
    if rows.is_empty() {
        ui.label(weak(
            theme,
            "The trace has no ProfilerStep annotations, so there are no steps.",
        ));
        return;
    }
    ui.horizontal(|ui| {
        ui.label(weak(theme, "Steps on the host").small());
        let panel = CsvPanel::MemorySteps;
        if icon_button(ui, theme, Icon::Copy, "Copy (Memory by step)").clicked() {
            out.push(Action::CopyPanel { panel });
        }
        if icon_button(ui, theme, Icon::Export, "Export CSV… (Memory by step)").clicked() {
            out.push(Action::ExportCsv { panel });
        }
    });
    ui.push_id("table of memory", |ui| {
        table(ui, session, theme, rows, out);
    });
    ui.add_space(SMALL_GAP);
}

fn table(ui: &mut Ui, session: &Session, theme: &Theme, rows: &[MemoryRow], out: &mut Vec<Action>) {
    let columns = COLUMNS.map(|(name, title, width)| {
        let column = MEMORY_COLUMNS.iter().find(|c| c.head.name == name);
        (column, title, width)
    });
    egui::ScrollArea::horizontal().show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let mut builder = lines(ui);
        for (_, _, width) in &columns {
            builder = builder.column(Width::exact(*width));
        }
        builder
            .header(LINE, |mut header| {
                for (column, title, _) in &columns {
                    header.col(|ui| {
                        let text = RichText::new(*title).size(11.0).color(theme.text_weak);
                        let definition = column.map_or("", |c| c.head.definition);
                        ui.add(Label::new(text).truncate())
                            .on_hover_text(definition);
                    });
                }
            })
            .body(|body| {
                body.rows(LINE, rows.len(), |mut line| {
                    let Some(row) = rows.get(line.index()) else {
                        return;
                    };
                    line.set_selected(row.window.is_some() && row.window == session.window);
                    for (column, _, _) in &columns {
                        let cell = column.map_or(Cell::Empty, |c| (c.get)(row));
                        line.col(|ui| {
                            let text = RichText::new(words(&cell))
                                .font(FontId::monospace(11.0))
                                .color(theme.text);
                            ui.add(Label::new(text).selectable(false));
                        });
                    }
                    let response = line.response();
                    response.widget_info(|| spoken(row));
                    if let Some(window) = row.window.filter(|_| response.clicked()) {
                        out.push(Action::ShowWindow { window });
                    }
                });
            });
    });
}

fn words(cell: &Cell) -> String {
    match cell {
        Cell::Int(bytes) => byte_size(*bytes),
        other => other.text().unwrap_or("n/a".into()).into_owned(),
    }
}

/// The row in words: its step, and its figures as the value.
fn spoken(row: &MemoryRow) -> WidgetInfo {
    let step = row.step.as_deref().unwrap_or_default();
    let name = format!("Memory of step {step}");
    let mut info = WidgetInfo::labeled(Role::Button, true, name);
    info.current_text_value = row.figures.as_ref().map(|f| {
        let (peak, growth) = (byte_size(f.peak.into()), byte_size(f.growth()));
        format!("peak {peak}, growth {growth}")
    });
    info
}
