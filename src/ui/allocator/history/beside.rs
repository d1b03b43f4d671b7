//! The history as a strip over the lanes of a trace that shares its axis: memory beside kernels.

use super::{Plot, curves, marks_of, value_lines, window};
use crate::session::{Action, Session, SnapshotAction};
use crate::ui::lanes::split;
use crate::ui::theme::Theme;
use egui::{Align2, FontId, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Height of the strip.
const HEIGHT: f32 = 54.0;

/// Shows it while both are open and share one axis; a click shows that moment of the allocator.
pub(in crate::ui) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if !session.together().is_shared() {
        return;
    }
    let (Some((_, device, recorded)), Some(view)) = (session.snapshot.focused(), session.view)
    else {
        return;
    };
    let size = vec2(ui.available_width(), HEIGHT);
    let (all, _) = ui.allocate_exact_size(size, Sense::hover());
    let (gutter, tracks) = split(all);
    let response = ui.interact(
        tracks,
        ui.scope_id().with("allocator strip"),
        Sense::click(),
    );
    let name = "Allocator beside kernels";
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, name));
    let plot = Plot {
        session,
        theme,
        recorded,
        annotations: Vec::new(),
        view,
        area: tracks,
        top: curves::top(recorded, view, f64::from(tracks.width())),
    };
    let painter = ui.painter();
    let font = FontId::proportional(12.0);
    let at = pos2(gutter.left() + 10.0, gutter.center().y - 8.0);
    let words = format!("Allocator, GPU {}", device.id);
    painter.text(at, Align2::LEFT_CENTER, words, font, theme.text);
    let at = pos2(gutter.left() + 10.0, gutter.center().y + 8.0);
    let font = FontId::proportional(10.5);
    let words = "from the snapshot";
    painter.text(at, Align2::LEFT_CENTER, words, font, theme.text_weak);
    let cut = painter.with_clip_rect(tracks);
    curves::paint(&cut, &plot);
    marks_of(&cut, &plot);
    window(&cut, &plot);
    let line = Stroke::new(1.0, theme.line);
    painter.hline(all.x_range(), all.bottom() - 0.5, line);
    let Some(at) = response.hover_pos().or(response.interact_pointer_pos()) else {
        return;
    };
    let time = plot.view.time_at(plot.px(at));
    if response.clicked() {
        out.push(Action::Snapshot(SnapshotAction::Moment(Some(time))));
        out.push(Action::Snapshot(SnapshotAction::Front(true)));
    }
    let stroke = Stroke::new(1.0, theme.text_weak);
    cut.vline(at.x.round() + 0.5, tracks.y_range(), stroke);
    response.on_hover_text_at_pointer(value_lines(&plot, time).join("\n"));
}
