//! Annotations of the focused rank as windows, for traces without steps.

use super::controls::{mono, weak};
use super::theme::{SMALL_GAP, Theme};
use crate::session::{Action, Overlay, Session};
use crate::time::{Ns, Window, human_duration};
use crate::trace::{NameId, Trace};
use egui::{Align, Layout, ScrollArea, TextEdit, Ui};

const ROW: f32 = 22.0;

/// Shows the list while it is open.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(trace) = session
        .trace
        .as_ref()
        .filter(|_| session.overlay == Some(Overlay::Annotations))
    else {
        return;
    };
    let close = super::dialog(ui, theme, "Annotations", 640.0, |ui| {
        let Some(rank) = session.focused_rank() else {
            return;
        };
        ui.label(weak(
            theme,
            format!(
                "Ranges that rank {} names on the host; choosing one makes it the window.",
                rank.id.0
            ),
        ));
        ui.add_space(SMALL_GAP);
        search(ui, session, out);
        ui.add_space(SMALL_GAP);
        let found = matching(session, trace);
        if found.is_empty() {
            ui.label(weak(theme, "No annotation of this rank has such a name."));
        }
        let origin = session.origin().unwrap_or_default();
        list(ui, session, trace, theme, &found, origin, out);
    });
    if close {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::Annotations,
        });
    }
}

fn search(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    let mut text = session.annotation_filter.clone();
    let response = ui.add(
        TextEdit::singleline(&mut text)
            .hint_text("part of a name")
            .desired_width(f32::INFINITY)
            .margin(egui::vec2(8.0, 5.0)),
    );
    response.widget_info(|| egui::WidgetInfo {
        label: Some("Find annotation".to_owned()),
        current_text_value: Some(session.annotation_filter.clone()),
        ..egui::WidgetInfo::new(egui::Role::TextInput)
    });
    let focused_id = response.id.with("focused");
    if !ui.data(|d| d.get_temp::<bool>(focused_id)).unwrap_or(false) {
        response.request_focus();
        ui.data_mut(|d| d.insert_temp(focused_id, true));
    }
    if response.changed() {
        out.push(Action::FilterAnnotations { text });
    }
}

/// The annotations whose name has the searched text, in time order.
fn matching(session: &Session, trace: &Trace) -> Vec<(NameId, Window)> {
    let Some(rank) = session.focused_rank() else {
        return Vec::new();
    };
    let wanted = session.annotation_filter.to_lowercase();
    let mut found: Vec<(NameId, Window)> = rank
        .annotations()
        .filter(|s| wanted.is_empty() || trace.names.get(s.name()).to_lowercase().contains(&wanted))
        .map(|s| (s.name(), s.window()))
        .collect();
    found.sort_by_key(|(_, w)| (w.start(), std::cmp::Reverse(w.end())));
    found
}

fn list(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    theme: &Theme,
    found: &[(NameId, Window)],
    origin: Ns,
    out: &mut Vec<Action>,
) {
    ScrollArea::vertical()
        .max_height(380.0)
        .auto_shrink([false, true])
        .show_rows(ui, ROW, found.len(), |ui, range| {
            for (name, window) in found.get(range).unwrap_or(&[]) {
                let chosen = session.window == Some(*window);
                let text = trace.names.get(*name);
                ui.horizontal(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        let when = format!(
                            "{:>12}  {:>12}",
                            human_duration(window.start() - origin),
                            human_duration(window.len())
                        );
                        ui.label(mono(when).small().color(theme.text_weak));
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            let label =
                                egui::Button::selectable(chosen, (text, egui::Atom::grow()))
                                    .truncate();
                            let label = label.min_size(egui::vec2(ui.available_width(), ROW));
                            if ui.add(label).clicked() {
                                out.push(Action::ShowWindow { window: *window });
                                out.push(Action::ToggleOverlay {
                                    overlay: Overlay::Annotations,
                                });
                            }
                        });
                    });
                });
            }
        });
}
