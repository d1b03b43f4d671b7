//! What the marks on the lanes mean: one line below them, always visible.

use super::ink::Ink;
use super::marks::{self, Mark};
use crate::ui::plain;
use crate::ui::theme::Theme;
use egui::{Align, Label, Layout, Rect, RichText, Sense, Ui, UiBuilder, vec2};

/// Height of the legend.
pub(super) const HEIGHT: f32 = 22.0;

const ENTRIES: [(Mark, &str, &str); 7] = [
    (Mark::Computation, "Computation", "Kernels that compute"),
    (
        Mark::Communication,
        "Communication",
        "Kernels that exchange data; they have a dark bar at the top",
    ),
    (
        Mark::Memory,
        "Memory",
        "Copies and memsets; they have a dark bar at the bottom",
    ),
    (
        Mark::Overlap,
        "Overlap",
        "Computation and communication at once: a band through all lanes of the GPU",
    ),
    (
        Mark::Exposed,
        "Exposed communication",
        "Communication that no computation hides; hatched",
    ),
    (Mark::Idle, "Idle", "No kernel of any class runs on the GPU"),
    (
        Mark::Allocator,
        "Allocator",
        "What is in use of an allocator's memory, filled; the line is what it reserved, and faint in between what it keeps free. The height of a lane is the most in view",
    ),
];

/// Draws the legend; marks of allocators only where there are any.
pub(super) fn ui(ui: &mut Ui, area: Rect, theme: &Theme, has_memory: bool) {
    if area.height() < HEIGHT {
        return;
    }
    ui.painter().hline(
        area.x_range(),
        area.top() + 0.5,
        egui::Stroke::new(1.0, theme.line),
    );
    let inner = area.shrink2(vec2(8.0, 0.0));
    let builder = UiBuilder::new()
        .max_rect(inner)
        .layout(Layout::left_to_right(Align::Center));
    ui.scope_builder(builder, |ui| {
        ui.set_clip_rect(ui.clip_rect().intersect(area));
        ui.spacing_mut().item_spacing.x = 5.0;
        let shown = ENTRIES.iter().copied();
        for (mark, label, explanation) in shown.filter(|e| has_memory || e.0 != Mark::Allocator) {
            let (swatch, _) = ui.allocate_exact_size(vec2(18.0, 10.0), Sense::hover());
            let mut ink = Ink::new(theme, plain::texture(ui.ctx()));
            marks::draw(&mut ink, mark, swatch);
            ui.painter().add(ink.into_shape());
            let text = RichText::new(label).small().color(theme.text_weak);
            ui.add(Label::new(text).selectable(false))
                .on_hover_text(explanation);
            ui.add_space(9.0);
        }
    });
}
