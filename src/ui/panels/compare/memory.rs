//! What the allocators of two traces held: the figures of the panel of memory in two columns.

use super::super::super::compare::badge;
use super::super::super::controls::{byte_size, mono, weak};
use super::super::super::theme::Theme;
use super::super::memory::LISTED;
use super::super::window_words;
use super::Both;
use crate::metrics;
use crate::metrics::MemoryRow;
use crate::metrics::report::memory_deltas;
use crate::session::Session;
use crate::trace::MemoryTrack;
use egui::{Align, Grid, Label, Layout, RichText, Ui, vec2};

/// Width of a column of bytes.
const BYTES: f32 = 74.0;
/// Air between columns.
const AIR: f32 = 8.0;

/// Shows the figures of the allocators that go with the devices in focus.
pub(super) fn ui(ui: &mut Ui, both: &Both<'_>, theme: &Theme) {
    let sides = [both.session, both.other].map(Session::shown_memory_row);
    if sides.iter().all(Option::is_none) {
        let words = format!(
            "Nothing was recorded in A and B: {}.",
            metrics::NOT_RECORDED
        );
        ui.add(Label::new(weak(theme, words)).wrap());
        return;
    }
    for ((side, session, _), shown) in both.sides().into_iter().zip(&sides) {
        ui.horizontal(|ui| {
            badge(ui, theme, side);
            let words = whose(session, shown.as_ref());
            ui.add(Label::new(mono(words).small().color(theme.text_weak)).truncate());
        });
    }
    let [a, b] = &sides;
    let row = |side: &Option<(&MemoryTrack, MemoryRow)>| side.as_ref().map(|(_, row)| row.clone());
    let deltas = memory_deltas(row(a).as_ref(), row(b).as_ref());
    // Names take what the bytes leave, so that those end at the right edge.
    let names = (ui.available_width() - 3.0 * (BYTES + AIR)).max(0.0);
    let usual = std::mem::replace(&mut ui.spacing_mut().interact_size.y, 16.0);
    Grid::new("memory of A and B")
        .num_columns(4)
        .spacing([AIR, 2.0])
        .show(ui, |ui| {
            ui.allocate_space(vec2(names, 1.0));
            for title in ["A", "B", "B − A"] {
                right(
                    ui,
                    RichText::new(title).size(11.0).color(theme.text_weak),
                    "",
                );
            }
            ui.end_row();
            for (name, words) in LISTED {
                let Some(found) = deltas.iter().find(|d| d.head.name == name) else {
                    continue;
                };
                ui.label(RichText::new(words).size(12.5))
                    .on_hover_text(found.head.definition);
                for (bytes, is_delta) in [(found.a, false), (found.b, false), (found.delta(), true)]
                {
                    let (text, exact) = words_of(bytes, is_delta);
                    let color = match bytes {
                        Some(_) => theme.text,
                        None => theme.text_weak,
                    };
                    let hover = format!("{exact}{}", found.head.definition);
                    right(ui, mono(text).size(11.0).color(color), &hover);
                }
                ui.end_row();
            }
        });
    ui.spacing_mut().interact_size.y = usual;
}

/// Whose memory and which window.
fn whose(session: &Session, shown: Option<&(&MemoryTrack, MemoryRow)>) -> String {
    let Some((track, row)) = shown else {
        return "no [memory] events of this GPU".to_owned();
    };
    let origin = session.origin().unwrap_or_default();
    let of = track.place.label();
    match row.window.filter(|_| row.figures.is_some()) {
        Some(window) => format!("{of}, {}", window_words(window, origin)),
        None => format!("{of}: nothing recorded of this window"),
    }
}

/// Bytes with a unit, a difference with its sign; and exact in the text under the pointer.
fn words_of(bytes: Option<i128>, is_delta: bool) -> (String, String) {
    let Some(bytes) = bytes else {
        return ("n/a".to_owned(), String::new());
    };
    let sign = if is_delta && bytes > 0 { "+" } else { "" };
    (
        format!("{sign}{}", byte_size(bytes)),
        format!("{sign}{bytes} bytes\n\n"),
    )
}

fn right(ui: &mut Ui, text: RichText, hover: &str) {
    let size = vec2(BYTES, ui.spacing().interact_size.y);
    let layout = Layout::right_to_left(Align::Center);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_width(BYTES);
        let response = ui.label(text);
        if !hover.is_empty() {
            response.on_hover_text(hover);
        }
    });
}
