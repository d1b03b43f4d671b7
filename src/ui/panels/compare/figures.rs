//! Figures in two columns, with the difference and its part of the first.

use super::super::super::theme::Theme;
use super::Both;
use crate::metrics::FigureDelta;
use crate::metrics::report::{self, Column, FIGURE_DELTA_COLUMNS, Head, Table, Unit};
use crate::ui::controls::{grouped, signed};
use egui::{Align2, Color32, FontId, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;

/// Figures of the breakdown.
pub(super) const BREAKDOWN: &[&str] = &[
    "kernel_time_us",
    "kernel_run_time_us",
    "idle_time_us",
    "idle_percent",
    "kernels",
    "duration_sum_us",
];

/// Figures of the overlap.
pub(super) const OVERLAP: &[&str] = &[
    "comm_hidden_by_comp_percent",
    "overlap_ratio_of_union_percent",
    "comp_time_us",
    "compute_only_us",
    "overlap_time_us",
    "comm_time_us",
    "exposed_comm_us",
    "memory_time_us",
    "exposed_memory_us",
];

/// The columns of the table of figures that are shown, with short titles.
const COLUMNS: [(&str, &str); 4] = [
    ("a", "A"),
    ("b", "B"),
    ("delta", "B − A"),
    ("delta_percent", "%"),
];

const LINE: f32 = 19.0;
/// Air between columns.
const AIR: f32 = 8.0;

struct Line {
    word: String,
    hover: String,
    cells: [String; 4],
    color: Option<Color32>,
}

/// Shows the chosen figures. Columns are as wide as all rows need, so that those of several tables
/// stand below each other.
pub(super) fn ui(
    ui: &mut Ui,
    theme: &Theme,
    both: &Both<'_>,
    rows: &[FigureDelta],
    figures: &[&str],
) {
    let mut heads = report::columns(Table::Summary);
    // The sum of durations is a figure of streams there.
    heads.extend(report::columns(Table::Streams));
    let head = |name: &str| heads.iter().find(|c| c.head.name == name).map(|c| c.head);
    let has_data = [both.a.figures.is_some(), both.b.figures.is_some()];
    let all: Vec<(&str, Line)> = rows
        .iter()
        .filter_map(|row| Some((row.figure, line(theme, head(row.figure)?, row, has_data))))
        .collect();
    let font = FontId::monospace(11.0);
    let widths = widths(ui, &font, &all);
    titles(ui, theme, widths);
    for name in figures {
        if let Some((_, line)) = all.iter().find(|(of, _)| of == name) {
            show(ui, theme, line, widths);
        }
    }
}

fn line(theme: &Theme, head: Head, row: &FigureDelta, has_data: [bool; 2]) -> Line {
    let text = |name: &str| {
        let column: Option<&Column<FigureDelta>> =
            FIGURE_DELTA_COLUMNS.iter().find(|c| c.head.name == name);
        let text = column.and_then(|c| (c.get)(row).text().map(std::borrow::Cow::into_owned));
        // A share has no difference in parts: it is in points already.
        let is_share = name == "delta_percent" && head.unit == Unit::Percent;
        match text {
            Some(text) if name.starts_with("delta") => signed(&text),
            Some(text) => text,
            None if is_share => String::new(),
            None if name == "a" && !has_data[0] => "no data".to_owned(),
            None if name == "b" && !has_data[1] => "no data".to_owned(),
            None => "n/a".to_owned(),
        }
    };
    let unit = match head.unit.label() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let (color, judged) = match row.is_better() {
        Some(true) => (Some(theme.good), "\n\nLess is better: B is better."),
        Some(false) => (Some(theme.warning), "\n\nLess is better: B is worse."),
        None => (None, ""),
    };
    Line {
        word: format!("{}{unit}", head.title),
        hover: format!("{}{judged}", head.definition),
        cells: COLUMNS.map(|(name, _)| grouped(&text(name))),
        color,
    }
}

/// Columns as wide as their longest digits.
fn widths(ui: &Ui, font: &FontId, lines: &[(&str, Line)]) -> [f32; 4] {
    let mut widths = [38.0_f32; 4];
    for (_, line) in lines {
        for (width, cell) in widths.iter_mut().zip(&line.cells) {
            let galley = galley(ui, font, cell, Color32::PLACEHOLDER);
            *width = width.max(galley.size().x);
        }
    }
    widths
}

fn galley(ui: &Ui, font: &FontId, text: &str, color: Color32) -> Arc<egui::Galley> {
    ui.painter()
        .layout_no_wrap(text.to_owned(), font.clone(), color)
}

/// Where columns end, from the right.
fn ends(rect: Rect, widths: [f32; 4]) -> ([f32; 4], f32) {
    let mut x = rect.right() - 4.0;
    let mut ends = [0.0; 4];
    for (end, width) in ends.iter_mut().zip(widths).rev() {
        *end = x;
        x -= width + AIR;
    }
    (ends, x)
}

fn titles(ui: &mut Ui, theme: &Theme, widths: [f32; 4]) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    let (ends, _) = ends(rect, widths);
    for (x, (name, title)) in ends.into_iter().zip(COLUMNS) {
        let at = pos2(x, rect.center().y);
        let font = FontId::proportional(11.0);
        let drawn = ui
            .painter()
            .text(at, Align2::RIGHT_CENTER, title, font, theme.text_weak);
        let column = FIGURE_DELTA_COLUMNS.iter().find(|c| c.head.name == name);
        let hover = column.map_or("", |c| c.head.definition);
        ui.interact(drawn, ui.scope_id().with(("title", name)), Sense::hover())
            .on_hover_text(hover);
    }
}

fn show(ui: &mut Ui, theme: &Theme, line: &Line, widths: [f32; 4]) {
    let size = vec2(ui.available_width(), LINE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Cell, true, &line.word);
        let [a, b, delta, percent] = &line.cells;
        let mut spoken = format!("A {a}, B {b}, difference {delta}");
        if !percent.is_empty() {
            spoken = format!("{spoken}, {percent} %");
        }
        info.current_text_value = Some(spoken);
        info
    });
    let painter = ui.painter();
    if response.hovered() {
        painter.rect_filled(rect, 3.0, theme.raised);
    }
    let (ends, left) = ends(rect, widths);
    let font = FontId::monospace(11.0);
    for (i, (x, cell)) in ends.into_iter().zip(&line.cells).enumerate() {
        let color = match line.color {
            _ if cell == "n/a" || cell == "no data" => theme.text_weak,
            Some(color) if i >= 2 => color,
            _ if i == 3 => theme.text_weak,
            _ => theme.text,
        };
        let at = pos2(x, rect.center().y);
        painter.text(at, Align2::RIGHT_CENTER, cell, font.clone(), color);
    }
    let room = (left - rect.left() - 4.0).max(0.0);
    let job = crate::ui::lanes::elided(&line.word, 11.5, theme.text, room);
    let word = painter.layout_job(job);
    let at = pos2(rect.left() + 4.0, rect.center().y - word.size().y / 2.0);
    painter.galley(at, word, theme.text);
    response.on_hover_text(&line.hover);
}
