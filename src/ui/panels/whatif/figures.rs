//! The figures of a model as a small table, each row with where it comes from.

use super::super::super::theme::Theme;
use super::super::table::right;
use super::{fields, tag};
use crate::metrics::report::{Cell, Grid as Rows, Head, Unit};
use crate::ui::controls::size;
use crate::whatif::Model;
use crate::whatif::table::{Answer, Source};
use egui::{Color32, FontId, Grid, Label, RichText, Ui};

/// Width of the names of rows: what numbers leave, within these bounds.
const CASE: [f32; 2] = [56.0, 96.0];
const TAG: f32 = 54.0;
/// Air between columns.
const AIR: f32 = 4.0;
/// The least and the greatest width that a column of numbers has without need.
const NUMBERS: [f32; 2] = [48.0, 110.0];

/// The columns of a model that are shown; the others are in the export.
fn columns(model: Model) -> &'static [(&'static str, &'static str)] {
    match model {
        Model::Streams => &[
            ("total_us", "total µs"),
            ("exposed_us", "exposed µs"),
            ("speed_up", "speed-up"),
        ],
        Model::Buckets => &[
            ("bucket_size_bytes", "size"),
            ("exposed_us", "exposed µs"),
            ("step_us", "step µs"),
        ],
        Model::Chunks => &[
            ("chunks", "chunks"),
            ("total_us", "total µs"),
            ("exposed_us", "exposed µs"),
        ],
        Model::Prefetch => &[
            ("depth", "depth"),
            ("exposed_us", "exposed µs"),
            ("extra_memory_bytes", "memory"),
        ],
        Model::Contention => &[
            ("k_comp", "k comp"),
            ("k_comm", "k comm"),
            ("total_us", "total µs"),
        ],
    }
}

/// What a row is called on screen.
fn case(name: &str) -> &str {
    match name {
        "size" => "this size",
        "ready" => "as it ran",
        "largest" => "within 1 %",
        "flat_from" => "flat from",
        "flat_to" => "flat to",
        "depth" => "this depth",
        "chunks" => "this many",
        "rule_of_thumb" => "rule of thumb",
        "break_even_k_comp" => "break-even comp",
        "break_even_k_comm" => "break-even comm",
        other => other,
    }
}

/// Shows the table.
pub(super) fn ui(ui: &mut Ui, theme: &Theme, model: Model, answer: &Answer) {
    let grid = &answer.rows;
    let at = |name: &str| grid.heads.iter().position(|head| head.name == name);
    let shown: Vec<(usize, &Head, &str)> = columns(model)
        .iter()
        .filter_map(|(name, title)| {
            let at = at(name)?;
            Some((at, grid.heads.get(at)?, *title))
        })
        .collect();
    let (Some(of_case), Some(of_source)) = (at("case"), at("source")) else {
        return;
    };
    if grid.rows.is_empty() {
        return fields::nothing(ui, theme, "The model has no figures.");
    }
    let (case_width, columns) = widths(ui, grid, &shown);
    let about = grid.heads.get(of_case).map_or("", |head| head.definition);
    Grid::new("figures of the model")
        .num_columns(shown.len() + 2)
        .spacing([AIR, 3.0])
        .show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 15.0;
            cell_label(
                ui,
                case_width,
                RichText::new("case").size(11.0).color(theme.text_weak),
                about,
            );
            for ((_, head, title), width) in shown.iter().zip(&columns) {
                right(ui, *width, |ui| {
                    let text = RichText::new(*title).size(11.0).color(theme.text_weak);
                    ui.label(text).on_hover_text(head.definition);
                });
            }
            ui.end_row();
            for row in &grid.rows {
                let name = row.get(of_case).and_then(Cell::text).unwrap_or_default();
                cell_label(ui, case_width, RichText::new(case(&name)).size(12.0), about);
                for ((at, head, _), width) in shown.iter().zip(&columns) {
                    let text = row.get(*at).map(|cell| words(cell, head.unit));
                    let color = match &text {
                        Some(text) if text == "–" => theme.text_weak,
                        _ => theme.text,
                    };
                    let font = number_font();
                    right(ui, *width, |ui| {
                        ui.label(
                            RichText::new(text.unwrap_or_default())
                                .font(font)
                                .color(color),
                        );
                    });
                }
                let source = row.get(of_source).and_then(Cell::text);
                let source = match source.as_deref() {
                    Some("measured") => Source::Measured,
                    _ => Source::Modelled,
                };
                let (word, color) = tag(theme, Some(source));
                right(ui, TAG, |ui| {
                    ui.label(RichText::new(word).size(11.0).color(color));
                });
                ui.end_row();
            }
        });
}

fn number_font() -> FontId {
    FontId::monospace(10.5)
}

/// How wide the names of rows are, and each column of numbers. Its widest number has room, since it would
/// run into the column before it otherwise; names give way first.
fn widths(ui: &Ui, grid: &Rows, shown: &[(usize, &Head, &str)]) -> (f32, Vec<f32>) {
    let [least_case, most_case] = CASE;
    let [least, most] = NUMBERS;
    let wide = |text: String, font: FontId| {
        let galley = ui
            .painter()
            .layout_no_wrap(text, font, Color32::PLACEHOLDER);
        galley.size().x.ceil()
    };
    let needed = shown.iter().map(|(at, head, title)| {
        let cells = grid.rows.iter().filter_map(|row| row.get(*at));
        let cells = cells.map(|cell| wide(words(cell, head.unit), number_font()));
        let title = wide((*title).to_owned(), FontId::proportional(11.0));
        cells.fold(title.max(least), f32::max)
    });
    let mut columns: Vec<f32> = needed.collect();
    let count = f32::from(u16::try_from(columns.len()).unwrap_or(1).max(1));
    let free = ui.available_width() - TAG - AIR * (count + 1.0) - columns.iter().sum::<f32>();
    let each = ((free - most_case) / count).max(0.0);
    for width in &mut columns {
        *width = (*width + each).min(most.max(*width));
    }
    (free.clamp(least_case, most_case), columns)
}

fn cell_label(ui: &mut Ui, width: f32, text: RichText, hover: &str) {
    ui.horizontal(|ui| {
        ui.set_width(width);
        ui.add(Label::new(text).truncate()).on_hover_text(hover);
    });
}

fn words(cell: &Cell, unit: Unit) -> String {
    match (cell, unit) {
        (Cell::Int(bytes), Unit::Bytes) => {
            u64::try_from(*bytes).map_or_else(|_too_large| bytes.to_string(), size)
        }
        _ => cell
            .text()
            .map_or_else(|| "–".to_owned(), std::borrow::Cow::into_owned),
    }
}
