//! The time ruler above the lanes: ticks, and the current window, which can be brushed here too.

use super::lanes::{self, Frame, LaneCache, split};
use super::theme::Theme;
use crate::session::{Action, Session};
use crate::time::human_duration;
use crate::timeline::ruler;
use egui::{Align2, FontId, Rangef, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

const HEIGHT: f32 = 34.0;
const FONT_PX: f32 = 10.5;

/// Draws the ruler.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    cache: &mut LaneCache,
    out: &mut Vec<Action>,
) {
    let size = vec2(ui.available_width(), HEIGHT);
    let (area, _) = ui.allocate_exact_size(size, Sense::hover());
    let (gutter, tracks) = split(area);
    let response = ui.interact(tracks, ui.scope_id().with("ruler"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Time ruler"));
    let (Some(trace), Some(view)) = (session.trace.as_deref(), session.view) else {
        return;
    };
    let rows = cache.rows(trace, session);
    let frame = Frame {
        session,
        trace,
        theme,
        view,
        tracks,
        gutter,
        scroll: session.scroll_y,
        // Edges brushed on the ruler snap to the lanes that were drawn last.
        visible: crate::timeline::lanes::visible(
            &rows,
            session.scroll_y,
            session.scroll_y + 2_000.0,
        ),
    };
    lanes::brush(ui, &frame, &response, cache, out);
    ticks(ui, &frame);
    window(ui, &frame);
    super::bookmarks::flags(ui, &frame, out);
    let line = area.bottom() - 0.5;
    ui.painter()
        .hline(area.x_range(), line, Stroke::new(1.0, theme.line));
}

fn ticks(ui: &Ui, frame: &Frame<'_>) {
    let (theme, tracks) = (frame.theme, frame.tracks);
    let origin = frame.trace.origin().unwrap_or_default();
    let ruler = ruler::ticks(&frame.view, f64::from(tracks.width()), origin);
    let painter = ui.painter().with_clip_rect(tracks);
    let font = FontId::proportional(FONT_PX);
    for tick in &ruler.ticks {
        let x = (tracks.left() + tick.x).round() + 0.5;
        let top = if tick.label.is_some() {
            tracks.bottom() - 7.0
        } else {
            tracks.bottom() - 4.0
        };
        painter.vline(
            x,
            Rangef::new(top, tracks.bottom()),
            Stroke::new(1.0, theme.line_strong),
        );
        if let Some(label) = &tick.label {
            let at = pos2(x + 4.0, tracks.bottom() - 4.0);
            painter.text(
                at,
                Align2::LEFT_BOTTOM,
                label,
                font.clone(),
                theme.text_weak,
            );
        }
    }
    if frame.session.side().is_some() {
        // The axis of both is told in times of the first.
        let at = pos2(frame.gutter.left() + 8.0, frame.gutter.bottom() - 4.0);
        ui.painter().with_clip_rect(frame.gutter).text(
            at,
            Align2::LEFT_BOTTOM,
            "Time of A",
            FontId::proportional(11.5),
            theme.text_weak,
        );
    }
    if let Some(base) = ruler.base {
        let at = pos2(frame.gutter.right() - 6.0, frame.gutter.bottom() - 4.0);
        ui.painter().with_clip_rect(frame.gutter).text(
            at,
            Align2::RIGHT_BOTTOM,
            base,
            font,
            theme.text,
        );
    }
}

/// The window's extent as a bar with its length on it.
fn window(ui: &Ui, frame: &Frame<'_>) {
    let Some(window) = frame.session.window else {
        return;
    };
    let (theme, tracks) = (frame.theme, frame.tracks);
    let painter = ui.painter().with_clip_rect(tracks);
    let span = frame.span(window);
    let ys = tracks.y_range();
    painter.rect_filled(Rect::from_x_y_ranges(span, ys), 0.0, theme.window_fill);
    for x in [span.min, span.max] {
        painter.vline(x, ys, Stroke::new(1.5, theme.window_edge));
    }
    let shown = Rangef::new(span.min.max(tracks.left()), span.max.min(tracks.right()));
    let galley = painter.layout_no_wrap(
        human_duration(window.len()),
        FontId::proportional(FONT_PX),
        theme.text,
    );
    if galley.size().x + 12.0 > shown.span() {
        return;
    }
    let at = pos2(shown.center() - galley.size().x / 2.0, tracks.top() + 2.0);
    let plate = Rect::from_min_size(at, galley.size()).expand2(vec2(4.0, 1.0));
    painter.rect_filled(plate, 3.0, theme.raised);
    painter.galley(at, galley, theme.text);
}
