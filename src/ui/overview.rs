//! The overview: the whole trace in one strip, with the part that the lanes show.
//!
//! Each column stacks the five-way split of all devices together. The shares are measured once per
//! load on a fixed number of columns, so that neither resizing nor many devices cost anything.

use super::lanes::{LaneCache, hits, split};
use super::plain;
use super::theme::{Theme, UNTINTED};
use crate::session::{Action, Session, ThemeChoice};
use crate::time::{DurNs, Window};
use crate::timeline::{Split, View, spans};
use crate::trace::{Hits, Trace};
use egui::{
    ColorImage, CursorIcon, Rangef, Rect, Role, Sense, Stroke, StrokeKind, TextureHandle,
    TextureOptions, Ui, WidgetInfo, pos2, vec2,
};
use std::sync::Arc;

const HEIGHT: f32 = 40.0;
/// Number of columns that are measured.
const COLUMNS: u16 = 1_024;

/// Draws the overview.
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
    let response = ui.interact(
        tracks,
        ui.scope_id().with("overview"),
        Sense::click_and_drag(),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Overview"));
    let Some(trace) = session.trace.as_deref() else {
        return;
    };
    let Some(capture) = trace.capture() else {
        return;
    };
    let name = pos2(gutter.left() + 8.0, gutter.center().y);
    let font = egui::FontId::proportional(11.5);
    ui.painter().text(
        name,
        egui::Align2::LEFT_CENTER,
        match session.side() {
            Some(of) => format!("Whole trace {}", of.label()),
            None => "Whole trace".to_owned(),
        },
        font,
        theme.text_weak,
    );
    let bars = tracks.shrink2(vec2(0.0, 3.0));
    let mut picture = cache.overview_picture.take();
    let shares = shares(trace, session, capture, cache);
    draw_bars(ui, session, theme, bars, shares, &mut picture);
    cache.overview_picture = picture;
    let whole = View::fit(capture, f64::from(tracks.width()));
    let span = |w: Window| Rangef::new(x(&whole, tracks, w.start()), x(&whole, tracks, w.end()));
    let painter = ui.painter().with_clip_rect(tracks);
    if let Some(window) = session.window {
        let xs = span(window);
        painter.rect_filled(
            Rect::from_x_y_ranges(xs, tracks.y_range()),
            0.0,
            theme.window_fill,
        );
        for edge in [xs.min, xs.max] {
            painter.vline(edge, tracks.y_range(), Stroke::new(1.5, theme.window_edge));
        }
    }
    if let Some(shown) = session.shown_hits() {
        let columns = found(trace, capture, &shown.hits, cache);
        hits::overview(&painter, tracks, theme.found, columns);
    }
    if let Some(view) = session.view {
        let shown = view.visible(session.view_width);
        frame_of_view(&painter, theme, tracks, span(shown));
        move_view(ui, &response, session, whole, shown, tracks, out);
    }
    ui.painter().hline(
        area.x_range(),
        area.bottom() - 0.5,
        Stroke::new(1.0, theme.line),
    );
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped to the width of the screen"
)]
fn x(whole: &View, tracks: Rect, at: crate::time::Ns) -> f32 {
    tracks.left() + whole.x_of(at).clamp(-4.0, f64::from(tracks.width()) + 4.0) as f32
}

fn shares<'a>(
    trace: &Trace,
    session: &Session,
    capture: Window,
    cache: &'a mut LaneCache,
) -> &'a [Split] {
    let clip = session.settings.clip_suspicious;
    let fresh =
        matches!(&cache.overview, Some((g, c, _)) if *g == session.generation && *c == clip);
    if !fresh {
        let measured = spans::overview(trace, capture, COLUMNS, clip);
        cache.overview = Some((session.generation, clip, measured));
    }
    cache.overview.as_ref().map_or(&[], |o| &o.2)
}

/// In which columns hits start, kept while they are the same.
fn found<'a>(
    trace: &Trace,
    capture: Window,
    hits: &Arc<Hits>,
    cache: &'a mut LaneCache,
) -> &'a [bool] {
    if !matches!(&cache.found, Some((of, _)) if Arc::ptr_eq(of, hits)) {
        let columns = hits.columns(trace, capture, COLUMNS);
        cache.found = Some((Arc::clone(hits), columns));
    }
    cache.found.as_ref().map_or(&[], |found| &found.1)
}

/// The bars as a picture, kept while nothing of it changes: as rectangles they are thousands of
/// triangles in every frame.
pub(super) struct Picture {
    generation: u64,
    clip: bool,
    theme: ThemeChoice,
    lines: u16,
    texture: TextureHandle,
}

fn draw_bars(
    ui: &Ui,
    session: &Session,
    theme: &Theme,
    bars: Rect,
    shares: &[Split],
    kept: &mut Option<Picture>,
) {
    let generation = session.generation;
    let clip = session.settings.clip_suspicious;
    let lines = lines_of(bars.height() * ui.pixels_per_point());
    let is_kept = |p: &Picture| {
        (p.generation, p.clip, p.theme, p.lines) == (generation, clip, theme.choice, lines)
    };
    if !kept.as_ref().is_some_and(is_kept) {
        let image = bars_image(theme, shares, lines, bars.height());
        *kept = Some(Picture {
            generation,
            clip,
            theme: theme.choice,
            lines,
            texture: (ui.ctx()).load_texture("overview", image, TextureOptions::NEAREST),
        });
    }
    if let Some(picture) = kept {
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        let painter = ui.painter();
        painter.image(picture.texture.id(), bars, whole, UNTINTED);
    }
}

/// The whole number of pixels nearest to a height.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the height of a screen"
)]
fn lines_of(height_px: f32) -> u16 {
    height_px.round().clamp(1.0, 1_000.0) as u16
}

fn bars_image(theme: &Theme, shares: &[Split], lines: u16, height: f32) -> ColorImage {
    let width = usize::from(COLUMNS);
    let mut image = ColorImage::filled([width, usize::from(lines)], theme.lane_bg_alt);
    let whole = f32::from(lines);
    // A column that is not idle shows at least a line.
    let least = whole / height.max(1.0);
    for (column, split) in shares.iter().enumerate().take(width) {
        let mut bottom = whole;
        let parts = [
            (split.compute, theme.computation),
            (split.overlap, theme.overlap),
            (split.exposed, theme.exposed_comm),
            (split.memory, theme.memory),
        ];
        for (share, color) in parts.into_iter().filter(|p| p.0 > 0.0) {
            let top = (bottom - (share * whole).max(least)).max(0.0);
            // As a rasteriser does it: a pixel belongs to the part in which its middle lies.
            let rows = (0..lines).zip(image.pixels.chunks_exact_mut(width));
            for (line, row) in rows {
                let middle = f32::from(line) + 0.5;
                if top <= middle
                    && middle < bottom
                    && let Some(pixel) = row.get_mut(column)
                {
                    *pixel = color;
                }
            }
            bottom = top;
        }
    }
    image
}

/// What the lanes show: the rest is dimmed.
fn frame_of_view(painter: &egui::Painter, theme: &Theme, tracks: Rect, xs: Rangef) {
    // A view of a few pixels must still be found.
    let middle = xs.center();
    let xs = Rangef::new(xs.min.min(middle - 2.0), xs.max.max(middle + 2.0));
    let ys = tracks.y_range();
    for side in [
        Rangef::new(tracks.left(), xs.min),
        Rangef::new(xs.max, tracks.right()),
    ] {
        if side.span() > 0.0 {
            plain::fill(painter, Rect::from_x_y_ranges(side, ys), theme.window_shade);
        }
    }
    let frame = Rect::from_x_y_ranges(xs, ys).intersect(tracks);
    painter.rect_stroke(
        frame,
        2.0,
        Stroke::new(1.5, theme.text_weak),
        StrokeKind::Inside,
    );
}

/// A press outside the frame brings it there; a drag moves it.
fn move_view(
    ui: &Ui,
    response: &egui::Response,
    session: &Session,
    whole: View,
    shown: Window,
    tracks: Rect,
    out: &mut Vec<Action>,
) {
    if response.hovered() {
        ui.ctx().set_cursor_icon(if response.dragged() {
            CursorIcon::Grabbing
        } else {
            CursorIcon::Grab
        });
    }
    let Some(at) = response.interact_pointer_pos() else {
        return;
    };
    let to_time = |x: f32| whole.time_at(f64::from(x - tracks.left()));
    let center_at = |time: crate::time::Ns| {
        let start = time - DurNs(shown.len().0 / 2);
        View::fit(Window::new(start, start + shown.len()), session.view_width)
    };
    let began = ui.input(|i| i.pointer.press_origin()).map(|p| to_time(p.x));
    let outside = began.is_some_and(|t| !shown.contains(t));
    if response.clicked() || (response.drag_started() && outside) {
        out.push(Action::SetView {
            view: center_at(to_time(at.x)),
        });
    } else if response.dragged() {
        let px = f64::from(response.drag_delta().x) * whole.ns_per_px;
        if let Some(view) = session.view.filter(|_| px != 0.0) {
            out.push(Action::Pan {
                px: px / view.ns_per_px,
            });
        }
    }
}
