//! Ranks side by side: a table that sorts, a map of ranks by steps, and what is not open.

mod map;
mod place;

use super::super::controls::weak;
use super::super::theme::{SMALL_GAP, Theme};
use super::rows::{AIR, Title};
use super::table::{LINE, lines};
use crate::metrics::report::{Cell, Column, RANK_COLUMNS};
use crate::metrics::{RankRow, rank_notes};
use crate::session::{Action, Session};
use egui::{Align, FontId, Label, Layout, RichText, Role, Ui, WidgetInfo};
use egui_extras::Column as Width;

/// A column to show: its name in the table, its short title, its width.
type Choice = (&'static str, &'static str, f32);

const CHOICES: [Choice; 18] = [
    ("rank", "rank", 40.0),
    ("exposed_comm_us", "exp. comm µs", 88.0),
    ("mark", "mark", 88.0),
    ("comm_hidden_by_comp_percent", "hidden %", 62.0),
    ("busy_percent", "busy %", 58.0),
    ("idle_percent", "idle %", 58.0),
    ("comp_time_us", "comp µs", 88.0),
    ("comm_time_us", "comm µs", 88.0),
    ("exposed_memory_us", "exp. mem µs", 88.0),
    ("kernel_time_us", "window µs", 88.0),
    ("steps", "steps", 42.0),
    ("applied_shift_us", "moved µs", 88.0),
    ("shift_source", "moved by", 84.0),
    ("clock_shift_us", "clock µs", 88.0),
    ("clock_residual_us", "± µs", 66.0),
    ("clock_matches", "matches", 56.0),
    ("aligned_by", "aligned by", 96.0),
    ("file", "file", 180.0),
];
/// More sentences than this are only counted.
const MOST_NOTES: usize = 4;

/// Shows the section.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    notes(ui, session, theme);
    place::ui(ui, session, theme, out);
    table(ui, session, theme, out);
    ui.add_space(SMALL_GAP);
    map::ui(ui, session, theme, out);
}

/// Ranks of the job that are not open, and files that could not be read.
fn notes(ui: &mut Ui, session: &Session, theme: &Theme) {
    let Some(trace) = &session.trace else {
        return;
    };
    let all = rank_notes(trace);
    let more = all.len().saturating_sub(MOST_NOTES);
    for sentence in all.iter().take(MOST_NOTES) {
        let text = RichText::new(sentence).small().color(theme.warning);
        ui.add(Label::new(text).wrap());
    }
    if more > 0 {
        ui.label(weak(theme, format!("and {more} more; see the health list")).small());
    }
}

fn table(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let columns: Vec<(&Column<RankRow>, &Choice)> = CHOICES
        .iter()
        .filter_map(|c| Some((RANK_COLUMNS.iter().find(|k| k.head.name == c.0)?, c)))
        .collect();
    let rows = session.shown_ranks();
    let focused = session.focused().map(|(rank, _)| rank.id);
    egui::ScrollArea::horizontal().show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = AIR;
        let mut builder = lines(ui);
        for (_, choice) in &columns {
            builder = builder.column(Width::exact(choice.2).clip(true));
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
                    let is_chosen = focused == Some(row.rank);
                    line.set_selected(is_chosen);
                    for (column, choice) in &columns {
                        line.col(|ui| cell(ui, theme, column, choice, row));
                    }
                    let response = line.response();
                    response.widget_info(|| {
                        let name = format!("Figures of rank {}", row.rank.0);
                        let mut info = WidgetInfo::selected(Role::Button, true, is_chosen, name);
                        info.current_text_value = Some(spoken(row));
                        info
                    });
                    if response.clicked() {
                        out.extend(show(session, row));
                    }
                });
            });
    });
}

/// What a click on a rank does: nothing where it has no device.
fn show(session: &Session, row: &RankRow) -> Option<Action> {
    let rank = session.trace.as_ref()?.rank(row.rank)?;
    let device = rank.devices.first()?.id;
    Some(Action::ShowDevice {
        rank: row.rank,
        device,
    })
}

/// The main figures of a rank in words.
fn spoken(row: &RankRow) -> String {
    let figure = |name: &str| {
        let column = RANK_COLUMNS.iter().find(|c| c.head.name == name);
        let cell = column.map(|c| (c.get)(row));
        let text = cell.as_ref().and_then(Cell::text);
        text.map_or_else(|| "n/a".to_owned(), std::borrow::Cow::into_owned)
    };
    let mark = row.mark.map_or("", |m| m.label());
    let moved = match row.alignment.moved {
        Some(moved) => format!("moved {} µs, ", moved.by.us3()),
        None => String::new(),
    };
    let words = format!(
        "exposed {} µs, hidden {} %, idle {} %, {moved}clock {} µs",
        figure("exposed_comm_us"),
        figure("comm_hidden_by_comp_percent"),
        figure("idle_percent"),
        figure("clock_shift_us"),
    );
    if mark.is_empty() {
        words
    } else {
        format!("{words}, {mark}")
    }
}

fn is_words(name: &str) -> bool {
    matches!(name, "mark" | "shift_source" | "aligned_by" | "file")
}

/// The title of a column; a click sorts by it.
fn title(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    column: &Column<RankRow>,
    choice: &Choice,
    out: &mut Vec<Action>,
) {
    let sorting = session.ranks.sorting;
    let name = column.head.name;
    let title = Title {
        of: "ranks",
        text: choice.1,
        hover: column.head.definition,
        is_words: is_words(name),
        order: (name == sorting.by).then_some(sorting.order),
    };
    if title.show(ui, theme).clicked() {
        out.push(Action::SortRanks { column: name });
    }
}

fn cell(ui: &mut Ui, theme: &Theme, column: &Column<RankRow>, choice: &Choice, row: &RankRow) {
    let cell = (column.get)(row);
    let words = is_words(choice.0);
    let (text, color) = match cell.text() {
        Some(text) => (text.into_owned(), theme.text),
        None if words => (String::new(), theme.text_weak),
        None => ("n/a".to_owned(), theme.text_weak),
    };
    let text = RichText::new(text).color(color);
    if words {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add(Label::new(text.size(11.5)).truncate().selectable(false));
        });
    } else {
        ui.add(Label::new(text.font(FontId::monospace(11.0))).selectable(false));
    }
}
