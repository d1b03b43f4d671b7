//! Overlap analysis of the focused device: how much of the communication computation hides.

use super::super::theme::Theme;
use super::bar::{self, Part};
use super::{Figures, Shown, figure, window_line};
use crate::metrics::Summary;
use egui::Ui;

/// The parts of the communication with their names and colours.
pub(super) fn parts(s: &Summary, theme: &Theme) -> [Part; 2] {
    [
        ("hidden by computation", theme.overlap, s.overlap),
        ("exposed", theme.exposed_comm, s.exposed_comm),
    ]
    .map(|(name, color, time)| Part { name, color, time })
}

/// Shows the section.
pub(super) fn ui(ui: &mut Ui, figures: &Figures<'_>, theme: &Theme) {
    window_line(ui, figures, theme);
    if let Some(s) = &figures.row.figures {
        bar::ui(ui, theme, "Communication", s.comm, &parts(s, theme));
    }
    let rows = [
        Shown::main("comm_hidden_by_comp_percent"),
        Shown::main("overlap_ratio_of_union_percent"),
        Shown::main("comp_time_us"),
        Shown::part("compute_only_us", theme.computation),
        Shown::part("overlap_time_us", theme.overlap),
        Shown::main("comm_time_us"),
        Shown::part("exposed_comm_us", theme.exposed_comm),
        Shown::main("memory_time_us"),
        Shown::part("exposed_memory_us", theme.memory),
    ];
    for row in &rows {
        figure(ui, figures, theme, row);
    }
}
