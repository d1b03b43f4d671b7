//! The health list: what was repaired, left out or found odd, by kind and file.

use super::controls::{Weight, count, mono, text_button, weak};
use super::icon::Icon;
use super::theme::{GAP, SMALL_GAP, Theme};
use crate::metrics::{HealthRow, health_rows};
use crate::session::{Action, CsvPanel, Overlay, Session};
use egui::{RichText, ScrollArea, Ui};

/// Shows the list while it is open.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(trace) = session
        .trace
        .as_ref()
        .filter(|_| session.overlay == Some(Overlay::Health))
    else {
        return;
    };
    let mut rows = health_rows(trace);
    rows.sort_by_key(|r| std::cmp::Reverse(r.severity));
    let title = match session.side() {
        Some(side) => format!("Health of {}", side.label()),
        None => "Health".to_owned(),
    };
    let close = super::dialog(ui, theme, &title, 760.0, |ui| {
        if rows.is_empty() {
            ui.label(weak(theme, "Nothing was repaired, left out or found odd."));
            return;
        }
        ScrollArea::vertical()
            .max_height(460.0)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                for row in &rows {
                    entry(ui, row, theme);
                    super::controls::rule(ui, theme);
                }
            });
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            if text_button(
                ui,
                theme,
                Some(Icon::Export),
                "Export CSV… (Health)",
                Weight::Normal,
            )
            .clicked()
            {
                out.push(Action::ExportCsv {
                    panel: CsvPanel::Health,
                });
            }
            if text_button(ui, theme, Some(Icon::Copy), "Copy (Health)", Weight::Normal).clicked() {
                out.push(Action::CopyPanel {
                    panel: CsvPanel::Health,
                });
            }
        });
    });
    if close {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::Health,
        });
    }
}

fn entry(ui: &mut Ui, row: &HealthRow, theme: &Theme) {
    let color = theme.severity_color(Some(row.severity));
    ui.add_space(SMALL_GAP);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 10.0;
        let (rect, _) = ui.allocate_exact_size(egui::vec2(14.0, 14.0), egui::Sense::hover());
        Icon::for_severity(row.severity).paint(ui.painter(), rect, color);
        ui.label(RichText::new(row.kind.name()).strong());
        ui.label(mono(format!("{}×", count(row.count))));
        ui.label(RichText::new(row.severity.label()).color(color));
        if let Some(time) = row.time_at_stake {
            ui.label(weak(theme, format!("{} µs at stake", time.us3())))
                .on_hover_text("How much time the figures would change");
        }
    });
    ui.horizontal(|ui| {
        ui.add_space(24.0);
        ui.vertical(|ui| {
            ui.add(egui::Label::new(row.sentence).wrap());
            let place = row
                .first_byte
                .map(|b| format!(" at byte {}", count(b)))
                .unwrap_or_default();
            let what = Some(&row.first_what)
                .filter(|w| !w.is_empty())
                .map(|w| format!(": {w}"))
                .unwrap_or_default();
            let text = format!("first in {}{place}{what}", row.file);
            ui.add(
                egui::Label::new(weak(theme, text).small())
                    .wrap()
                    .selectable(true),
            );
        });
    });
    ui.add_space(SMALL_GAP);
}
