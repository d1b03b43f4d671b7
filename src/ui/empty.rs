//! What stands in the middle while nothing is loaded: an invitation.

use super::controls::{Weight, text_button, weak};
use super::icon::Icon;
use super::theme::{GAP, Theme};
use crate::session::{Action, Overlay, Session};
use egui::{Align, CentralPanel, Layout, RichText, Sense, Ui, UiBuilder, vec2};

/// Width of the text and of the list of recent files.
const WIDTH: f32 = 460.0;

/// Shows the empty state.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    CentralPanel::no_frame().show(ui, |ui| {
        let area = ui.available_rect_before_wrap();
        let height = if session.settings.recent.is_empty() {
            250.0
        } else {
            420.0
        };
        let place =
            egui::Rect::from_center_size(area.center(), vec2(WIDTH, height)).intersect(area);
        let mut middle = ui.new_child(
            UiBuilder::new()
                .max_rect(place)
                .layout(Layout::top_down(Align::Center)),
        );
        if session.load.is_some() || session.snapshot.load.is_some() {
            // The card with the progress stands here.
            return;
        }
        invitation(&mut middle, theme, out);
        if !session.settings.recent.is_empty() {
            recent(&mut middle, session, theme, out);
        }
    });
}

fn invitation(ui: &mut Ui, theme: &Theme, out: &mut Vec<Action>) {
    mark(ui, theme);
    ui.add_space(GAP);
    ui.label(
        RichText::new("Where did the GPU time go?")
            .size(22.0)
            .color(theme.text),
    );
    ui.add_space(2.0);
    ui.add(
        egui::Label::new(weak(
            theme,
            "Open a PyTorch profiler trace, several of them, a folder with one file per rank, or a \
             snapshot of the CUDA allocator. You can also drop them here.",
        ))
        .wrap(),
    );
    ui.add_space(GAP * 1.5);
    ui.allocate_ui_with_layout(
        vec2(430.0, 28.0),
        Layout::left_to_right(Align::Center),
        |ui| {
            if text_button(
                ui,
                theme,
                Some(Icon::Folder),
                "Open traces…",
                Weight::Primary,
            )
            .clicked()
            {
                out.push(Action::OpenDialog);
            }
            if text_button(ui, theme, None, "Open a folder…", Weight::Normal).clicked() {
                out.push(Action::OpenFolderDialog);
            }
            if text_button(ui, theme, None, "With options…", Weight::Normal)
                .on_hover_text(
                    "Leave out Python stacks or CPU rows, take some ranks or a range of time (Ctrl+Shift+O)",
                )
                .clicked()
            {
                out.push(Action::ToggleOverlay {
                    overlay: Overlay::OpenOptions,
                });
            }
            if text_button(ui, theme, None, "Sample", Weight::Normal)
                .on_hover_text("Load the bundled sample trace")
                .clicked()
            {
                out.push(Action::OpenDemo);
            }
        },
    );
}

/// The program's mark: two lanes, and the stretch where they overlap.
fn mark(ui: &mut Ui, theme: &Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(92.0, 52.0), Sense::hover());
    let painter = ui.painter();
    let bar = |x: f32, y: f32, w: f32, color| {
        let min = rect.min + vec2(x, y);
        painter.rect_filled(egui::Rect::from_min_size(min, vec2(w, 14.0)), 4.0, color);
    };
    painter.rect_filled(
        egui::Rect::from_min_size(rect.min + vec2(34.0, 0.0), vec2(30.0, 52.0)),
        4.0,
        theme.overlap_band,
    );
    bar(4.0, 8.0, 60.0, theme.computation);
    bar(34.0, 30.0, 30.0, theme.communication);
    bar(67.0, 30.0, 21.0, theme.exposed_comm);
}

fn recent(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    ui.add_space(GAP * 2.0);
    ui.with_layout(Layout::top_down(Align::Min), |ui| {
        ui.label(weak(theme, "Recent"));
        ui.add_space(2.0);
        super::top_bar::recent_list(ui, session, theme, out);
    });
}

/// Shows where files that hang over the window would go.
pub(super) fn drop_hint(ui: &Ui, theme: &Theme) {
    if ui.input(|i| i.raw.hovered_files.is_empty()) {
        return;
    }
    let area = ui.ctx().content_rect();
    let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop hint"));
    let painter = ui.ctx().layer_painter(layer);
    painter.rect_filled(area, 0.0, theme.window_shade);
    painter.rect_stroke(
        area.shrink(10.0),
        8.0,
        egui::Stroke::new(2.0, theme.accent),
        egui::StrokeKind::Inside,
    );
    let icon = egui::Rect::from_center_size(area.center() - vec2(0.0, 30.0), vec2(36.0, 36.0));
    Icon::Drop.paint(&painter, icon, theme.text);
    painter.text(
        area.center() + vec2(0.0, 14.0),
        egui::Align2::CENTER_CENTER,
        "Drop to open",
        egui::FontId::proportional(18.0),
        theme.text,
    );
}
