//! Lines and frames over the lanes: steps, the window, what is selected or not to be trusted.

use super::frame::Frame;
use super::labels::MOST;
use crate::timeline::{LaneKey, LaneRow};
use crate::trace::SliceRef;
use crate::ui::plain;
use egui::{Mesh, Painter, Rangef, Rect, Shape, Stroke, StrokeKind, pos2};

/// Width of the mark on a suspicious kernel.
const BADGE_PX: f32 = 12.0;

/// Step boundaries of every device through its lanes, with the step's number on the header.
pub(super) fn steps(painter: &Painter, frame: &Frame<'_>) {
    let theme = frame.theme;
    // The numbers come later, over the lines.
    let behind = painter.add(Shape::Noop);
    let mut lines = Mesh::with_texture(plain::texture(painter.ctx()));
    // Lanes that are pinned to the top stand apart from their device.
    let groups = frame
        .visible
        .chunk_by(|a, b| a.key.rank() == b.key.rank() && a.key.device() == b.key.device());
    for group in groups {
        let (Some(lane), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let (rank, Some(device)) = (lane.key.rank(), lane.key.device()) else {
            continue;
        };
        let bottom = last.bottom();
        let is_heading = matches!(lane.key, LaneKey::Device(..));
        let Some(found) = frame.trace.rank(rank).and_then(|r| r.device(device)) else {
            continue;
        };
        let ys = Rangef::new(frame.y(lane.top), frame.y(bottom));
        let visible = frame.view.visible(f64::from(frame.tracks.width()));
        let mut free = f32::MIN;
        for step in found
            .steps
            .iter()
            .filter(|s| s.window.clip(visible).is_some())
        {
            let x = frame.x(step.window.start());
            // A line with soft edges would be three times as wide, for hundreds of steps.
            let xs = Rangef::new(x.round(), x.round() + 1.0);
            plain::add(&mut lines, Rect::from_x_y_ranges(xs, ys), theme.line_strong);
            let left = x.max(frame.tracks.left()) + 5.0;
            if is_heading && lane.open == Some(true) && left > free {
                let text = format!("step {}", step.label);
                let font = egui::FontId::proportional(10.5);
                let galley = painter.layout_no_wrap(text, font, theme.text_weak);
                let room = frame.x(step.window.end()) - left - 4.0;
                if galley.size().x <= room {
                    free = left + galley.size().x;
                    let y = frame.y(lane.top + lane.height / 2.0) - galley.size().y / 2.0;
                    painter.galley(pos2(left, y.round()), galley, theme.text_weak);
                }
            }
        }
    }
    painter.set(behind, Shape::mesh(lines));
}

/// Kernels whose duration cannot be trusted: a frame and a mark in the colour of warnings.
pub(super) fn suspicious(painter: &Painter, frame: &Frame<'_>) {
    let visible = frame.view.visible(f64::from(frame.tracks.width()));
    let stroke = Stroke::new(1.5, frame.theme.warning);
    for rank in &frame.trace.ranks {
        if !frame.visible.iter().any(|l| l.key.rank() == rank.id) {
            continue;
        }
        for found in rank.suspicious.iter().take(MOST) {
            let at = SliceRef {
                rank: rank.id,
                slice: found.slice,
            };
            let Some(slice) = rank.slices.get(found.slice) else {
                continue;
            };
            if slice.window().clip(visible).is_none() {
                continue;
            }
            if let Some(cell) = cell_of(frame, at) {
                painter.rect_stroke(cell, 0.0, stroke, StrokeKind::Inside);
                badge(painter, frame, cell);
            }
        }
    }
}

/// An exclamation mark at the visible end of a slice that has room for it.
fn badge(painter: &Painter, frame: &Frame<'_>, cell: Rect) {
    let right = cell.right().min(frame.tracks.right());
    if right - cell.left().max(frame.tracks.left()) < 2.0 * BADGE_PX {
        return;
    }
    let plate = Rect::from_min_max(
        pos2(right - BADGE_PX, cell.top()),
        pos2(right, cell.bottom()),
    );
    painter.rect_filled(plate, 0.0, frame.theme.warning);
    let font = egui::FontId::proportional(12.0);
    let center = egui::Align2::CENTER_CENTER;
    painter.text(plate.center(), center, "!", font, frame.theme.canvas);
}

/// The rectangle of a slice that is in a visible lane.
fn cell_of(frame: &Frame<'_>, at: SliceRef) -> Option<Rect> {
    let slice = frame.trace.slice(at)?;
    let holds = |l: &&LaneRow| l.key.rank() == at.rank && l.slices.contains(&at.slice.0);
    let lane = frame.visible.iter().find(holds)?;
    if slice.row() >= lane.sub_rows {
        return None;
    }
    let mut xs = frame.span(slice.window());
    // A slice narrower than its outline would vanish under it.
    xs.max = xs.max.max(xs.min + 2.0);
    Some(frame.cell(lane, slice.row(), xs))
}

/// Frames a slice.
pub(super) fn outline(painter: &Painter, frame: &Frame<'_>, at: SliceRef, stroke: Stroke) {
    if let Some(cell) = cell_of(frame, at) {
        painter.rect_stroke(cell, 1.0, stroke, StrokeKind::Outside);
    }
}

/// The current window: what lies outside is shaded.
pub(super) fn window(painter: &Painter, frame: &Frame<'_>) {
    let Some(window) = frame.session.window else {
        return;
    };
    let (theme, tracks) = (frame.theme, frame.tracks);
    let span = frame.span(window);
    let (left, right) = (span.min.max(tracks.left()), span.max.min(tracks.right()));
    let ys = tracks.y_range();
    if left > tracks.left() {
        let xs = Rangef::new(tracks.left(), left.min(tracks.right()));
        plain::fill(painter, Rect::from_x_y_ranges(xs, ys), theme.window_shade);
    }
    if right < tracks.right() {
        let xs = Rangef::new(right.max(tracks.left()), tracks.right());
        plain::fill(painter, Rect::from_x_y_ranges(xs, ys), theme.window_shade);
    }
    for x in [span.min, span.max] {
        painter.vline(x, ys, Stroke::new(1.5, theme.window_edge));
    }
}
