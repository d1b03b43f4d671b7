//! What an allocator held: figures of the window, its curve, its steps, and whether it leaks.

mod chart;
mod holders;
mod leak;
mod table;

use super::super::controls::{byte_size, mono, weak};
use super::super::theme::{SMALL_GAP, Theme};
use super::super::top_bar::window_words;
use super::section;
use crate::metrics::report::{Cell, MEMORY_COLUMNS, Unit};
use crate::metrics::{self, MemoryRow};
use crate::session::{Action, Section, Session};
use crate::time::{Ns, human_duration};
use crate::trace::{MemoryPlace, MemorySource, MemoryTrack, Rank};
use egui::{Grid, Label, RichText, Ui};

/// The figures that are listed, and their words where the title is too short alone.
pub(super) const LISTED: [(&str, &str); 10] = [
    ("allocated_start_bytes", "Allocated at start"),
    ("allocated_end_bytes", "Allocated at end"),
    ("growth_bytes", "Growth"),
    ("allocated_min_bytes", "Least allocated"),
    ("allocated_peak_bytes", "Peak allocated"),
    ("reserved_peak_bytes", "Peak reserved"),
    ("reserved_end_bytes", "Reserved at end"),
    ("cached_free_end_bytes", "Cached free at end"),
    ("allocations_bytes", "Sum of allocations"),
    ("frees_bytes", "Sum of frees"),
];

/// Shows the section with its head.
pub(super) fn section_of(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    section(ui, session, theme, Section::Memory, out, |ui, out| {
        body(ui, session, theme, out);
    });
}

fn body(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some((trace, (rank, memory))) = session.trace.as_deref().zip(session.shown_memory()) else {
        let others = session.focused_rank().filter(|r| !r.memory.is_empty());
        let words = if let Some(rank) = others {
            choice(ui, rank, None, out);
            "No allocator has the number of the GPU in focus, so which one is its own is not known: choose one.".to_owned()
        } else {
            format!("Nothing was recorded: {}.", metrics::NOT_RECORDED)
        };
        ui.add(Label::new(weak(theme, words)).wrap());
        return;
    };
    choice(ui, rank, Some(memory), out);
    let scope = metrics::memory_scope(rank, session.query().selection);
    let row = metrics::memory_row(trace, rank, memory, scope);
    let origin = session.origin().unwrap_or_default();
    let words = row.window.map_or_else(
        || "of no window".to_owned(),
        |window| format!("of {}", window_words(window, origin)),
    );
    ui.label(mono(words).small().color(theme.text_weak));
    if memory.source == MemorySource::Integrated {
        let words = "The file has no totals: bytes are added up from 0 at the start of the recording, so levels are relative to it, and reserved memory is unknown.";
        ui.add(Label::new(weak(theme, words)).wrap());
    }
    let Some(window) = row.window.filter(|_| row.figures.is_some()) else {
        ui.label(weak(theme, "The rank recorded nothing of this window."));
        return;
    };
    figures(ui, theme, &row);
    peak(ui, theme, (&row, memory.place), origin, out);
    holders::ui(ui, session, theme, memory, &row, out);
    ui.add_space(SMALL_GAP);
    chart::ui(ui, theme, memory, (window, origin), &row, out);
    ui.add_space(SMALL_GAP);
    let Some(judged) = session.judged_memory() else {
        ui.label(weak(theme, "Looking at all steps…"));
        return;
    };
    table::ui(ui, session, theme, &judged.steps, out);
    leak::ui(ui, theme, memory, &judged.leak);
}

/// Which allocator is shown, where the rank has several.
fn choice(ui: &mut Ui, rank: &Rank, shown: Option<&MemoryTrack>, out: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        for memory in &rank.memory {
            let is_shown = shown.is_some_and(|shown| memory.place == shown.place);
            let words = format!("Memory of {}", memory.place.label());
            if ui.selectable_label(is_shown, words).clicked() && !is_shown {
                let place = memory.place;
                out.push(Action::ShowMemory { place });
            }
        }
    });
}

/// The cell of a column, its definition with it.
fn cell(row: &MemoryRow, name: &str) -> Option<(Cell, &'static str, Unit)> {
    let column = MEMORY_COLUMNS.iter().find(|c| c.head.name == name)?;
    Some(((column.get)(row), column.head.definition, column.head.unit))
}

/// A cell as the panel shows it: bytes with a unit, and exact in the text under the pointer.
fn words_of(cell: &Cell, unit: Unit) -> (String, String) {
    match (cell, unit) {
        (Cell::Int(bytes), Unit::Bytes) => (byte_size(*bytes), format!("{bytes} bytes\n\n")),
        _ => match cell.text() {
            Some(text) => (text.into_owned(), String::new()),
            None => ("n/a".to_owned(), String::new()),
        },
    }
}

fn figures(ui: &mut Ui, theme: &Theme, row: &MemoryRow) {
    // A row is as high as its text.
    let usual = std::mem::replace(&mut ui.spacing_mut().interact_size.y, 16.0);
    Grid::new("figures of memory")
        .num_columns(2)
        .min_col_width(ui.available_width() * 0.45)
        .spacing([8.0, 2.0])
        .show(ui, |ui| {
            for (name, words) in LISTED {
                let Some((cell, definition, unit)) = cell(row, name) else {
                    continue;
                };
                let (text, exact) = words_of(&cell, unit);
                let hover = format!("{exact}{definition}");
                ui.label(RichText::new(words).size(12.5))
                    .on_hover_text(definition);
                let color = if cell.is_some() {
                    theme.text
                } else {
                    theme.text_weak
                };
                ui.label(mono(text).color(color)).on_hover_text(hover);
                ui.end_row();
            }
            let counts = ["allocations", "frees"].map(|name| {
                let found = cell(row, name);
                found.map_or_else(String::new, |(cell, _, unit)| words_of(&cell, unit).0)
            });
            let [allocations, frees] = counts;
            ui.label(RichText::new("Allocations, frees").size(12.5));
            ui.label(mono(format!("{allocations}, {frees}")));
            ui.end_row();
        });
    ui.spacing_mut().interact_size.y = usual;
}

/// When the peak was reached and by what, with a way there.
fn peak(
    ui: &mut Ui,
    theme: &Theme,
    (row, place): (&MemoryRow, MemoryPlace),
    origin: Ns,
    out: &mut Vec<Action>,
) {
    let Some(figures) = &row.figures else { return };
    let after = human_duration(figures.peak_at - origin);
    let by = match (&figures.peak_op, figures.peak_event) {
        (Some(op), _) => format!("Peak at {after} by {op}"),
        (None, Some(_)) => format!("Peak at {after}, outside of any op"),
        (None, None) => "Peak held since before the window".to_owned(),
    };
    ui.horizontal_wrapped(|ui| {
        ui.add(Label::new(weak(theme, by)).wrap());
        if figures.peak_event.is_some() && ui.button("Go to peak").clicked() {
            out.push(Action::GoToMemory {
                rank: row.rank,
                place,
                at: figures.peak_at,
            });
        }
    });
}
