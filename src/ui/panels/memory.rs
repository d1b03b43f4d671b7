//! What an allocator held: figures of the window, its curve, its steps, and whether it leaks.

mod chart;
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
use crate::trace::{MemoryPlace, MemorySource, MemoryTrack, Rank, RankId};
use egui::{Grid, Label, RichText, Ui};

/// The figures that are listed, and their words where the title is too short alone.
const LISTED: [(&str, &str); 10] = [
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

/// What follows from an allocator of a load: that of the frame before, or made anew.
fn cached<T: Clone + Send + Sync + 'static>(
    ctx: &egui::Context,
    what: &'static str,
    key: (u64, RankId, MemoryPlace),
    make: impl FnOnce() -> T,
) -> T {
    type Kept<T> = ((u64, RankId, MemoryPlace), T);
    let id = egui::Id::unique(what);
    let last = ctx.data(|d| d.get_temp::<Kept<T>>(id));
    if let Some((_, found)) = last.filter(|(of, _)| *of == key) {
        return found;
    }
    let found = make();
    ctx.data_mut(|d| d.insert_temp::<Kept<T>>(id, (key, found.clone())));
    found
}

fn body(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some((trace, (rank, memory))) = session.trace.as_deref().zip(session.shown_memory()) else {
        let words = format!("Nothing was recorded: {}.", metrics::NOT_RECORDED);
        ui.add(Label::new(weak(theme, words)).wrap());
        return;
    };
    choice(ui, rank, memory, out);
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
    ui.add_space(SMALL_GAP);
    chart::ui(ui, theme, memory, (window, origin), &row, out);
    ui.add_space(SMALL_GAP);
    table::ui(ui, session, theme, (trace, rank, memory), out);
    leak::ui(ui, session, theme, (trace, rank, memory));
}

/// Which allocator is shown, where the rank has several.
fn choice(ui: &mut Ui, rank: &Rank, shown: &MemoryTrack, out: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        for memory in &rank.memory {
            let is_shown = memory.place == shown.place;
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
    Grid::new("figures of memory")
        .num_columns(2)
        .min_col_width(ui.available_width() * 0.45)
        .spacing([8.0, 2.0])
        .show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 16.0;
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
