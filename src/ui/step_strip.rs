//! The step strip: one box per step of the device in focus, where the step lies in the trace.

use super::lanes::split;
use super::plain;
use super::theme::Theme;
use crate::session::{Action, Session, StepWindow, step_windows};
use crate::time::{Window, human_duration};
use crate::timeline::View;
use crate::trace::{Device, Rank, Trace};
use egui::{
    Align2, Color32, FontId, Rangef, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
    vec2,
};

const HEIGHT: f32 = 22.0;
/// Narrower boxes are not widgets of their own; thousands of steps are a texture, not buttons.
const LEAST_PX: f32 = 3.0;
const FONT_PX: f32 = 10.5;
/// Narrower boxes have no round corners: hundreds of those are more triangles than all lanes.
const ROUND_FROM_PX: f32 = 16.0;

/// Draws the strip.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let size = vec2(ui.available_width(), HEIGHT);
    let (area, _) = ui.allocate_exact_size(size, Sense::hover());
    let (gutter, tracks) = split(area);
    let (Some(trace), Some((rank, device))) = (session.trace.as_deref(), session.focused()) else {
        return;
    };
    let Some(capture) = trace.capture() else {
        return;
    };
    let painter = ui.painter().with_clip_rect(area);
    let name = pos2(gutter.left() + 8.0, gutter.center().y);
    let font = FontId::proportional(11.5);
    let title = title(session, trace, (rank, device));
    painter
        .with_clip_rect(gutter)
        .text(name, Align2::LEFT_CENTER, title, font, theme.text_weak);
    let steps = step_windows(rank, device, session.settings.basis);
    if steps.is_empty() {
        let at = pos2(tracks.left() + 6.0, tracks.center().y);
        let text = "No steps in this trace";
        painter.text(
            at,
            Align2::LEFT_CENTER,
            text,
            FontId::proportional(FONT_PX),
            theme.text_weak,
        );
        return;
    }
    let whole = View::fit(capture, f64::from(tracks.width()));
    for step in &steps {
        let xs = span(&whole, tracks, step.window);
        let cell =
            Rect::from_x_y_ranges(xs, tracks.shrink2(vec2(0.0, 2.0)).y_range()).intersect(tracks);
        let is_current = session.current_step == Some(step.label);
        if cell.width() < LEAST_PX {
            painter.vline(
                cell.left(),
                cell.y_range(),
                Stroke::new(1.0, theme.line_strong),
            );
            continue;
        }
        let label = format!("Step {}", step.label);
        let response = ui.interact(
            cell,
            ui.scope_id().with(("step", step.label)),
            Sense::click(),
        );
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_current, &label));
        if response.clicked() {
            out.push(Action::GoToStep {
                rank: rank.id,
                device: device.id,
                label: step.label,
            });
        }
        let fill = match (is_current, response.hovered()) {
            (true, _) => theme.accent,
            (false, true) => theme.hovered,
            (false, false) => theme.raised,
        };
        draw(&painter, theme, cell, step, fill);
        response.on_hover_ui(|ui| {
            let cut = if step.partial {
                ", cut by the capture"
            } else {
                ""
            };
            ui.label(format!(
                "{label}: {}{cut}",
                human_duration(step.window.len())
            ));
            ui.weak("Click to make it the window");
        });
    }
}

/// Whose steps these are, as far as there are others.
fn title(session: &Session, trace: &Trace, (rank, device): (&Rank, &Device)) -> String {
    let steps = match session.side() {
        Some(of) => format!("Steps {}", of.label()),
        None => "Steps".to_owned(),
    };
    match trace.devices().count() {
        0 | 1 => steps,
        _ => format!("{steps}, rank {} GPU {}", rank.id.0, device.id.0),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped to the width of the screen"
)]
fn span(whole: &View, tracks: Rect, window: Window) -> Rangef {
    let x = |t| tracks.left() + whole.x_of(t).clamp(0.0, f64::from(tracks.width())) as f32;
    Rangef::new(x(window.start()), x(window.end()))
}

fn draw(painter: &egui::Painter, theme: &Theme, cell: Rect, step: &StepWindow, fill: Color32) {
    let text = if fill == theme.accent {
        theme.on_accent
    } else {
        theme.text
    };
    let box_ = Rect::from_min_max(
        cell.min,
        pos2((cell.right() - 1.0).max(cell.left() + 1.0), cell.bottom()),
    );
    let is_round = box_.width() >= ROUND_FROM_PX;
    if is_round {
        painter.rect_filled(box_, 2.0, fill);
    } else {
        plain::fill(painter, box_, theme.line_strong);
        let inner = box_.shrink(1.0);
        if inner.is_positive() {
            plain::fill(painter, inner, fill);
        }
    }
    if step.partial {
        // Dashed underline: the capture cut this step.
        let mut x = box_.left() + 2.0;
        while x < box_.right() - 2.0 {
            let dash = Rangef::new(x, (x + 3.0).min(box_.right() - 2.0));
            painter.hline(dash, box_.bottom() - 1.5, Stroke::new(1.5, theme.warning));
            x += 6.0;
        }
    }
    if is_round {
        painter.rect_stroke(
            box_,
            2.0,
            Stroke::new(1.0, theme.line_strong),
            StrokeKind::Inside,
        );
    }
    let galley =
        painter.layout_no_wrap(step.label.to_string(), FontId::proportional(FONT_PX), text);
    if galley.size().x + 4.0 <= box_.width() {
        let at = box_.center() - galley.size() / 2.0;
        painter.galley(pos2(at.x.round(), at.y.round()), galley, text);
    }
}
