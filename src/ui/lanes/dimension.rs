//! The measure between two slices as a dimension line, as on a drawing: from the end of the earlier one
//! to the start of the later one.

use super::frame::Frame;
use super::{arrows, overlay};
use crate::time::human_duration;
use crate::timeline::LaneRow;
use egui::{FontId, Painter, Rangef, Rect, Stroke, pos2, vec2};

const FONT_PX: f32 = 11.0;
/// Half the height of the end marks.
const END: f32 = 5.0;

/// Draws the line; `rows` are all lanes, since a slice may lie in one that is scrolled away.
pub(super) fn draw(painter: &Painter, frame: &Frame<'_>, rows: &[LaneRow]) {
    let Some(measured) = frame.session.measured() else {
        return;
    };
    let place = |at: crate::trace::SliceRef| {
        let rank = frame.trace.rank(at.rank)?;
        let slice = rank.slices.get(at.slice)?;
        Some((slice.window(), arrows::height(frame, rows, rank, slice)?))
    };
    let (Some((first, top)), Some((second, bottom))) =
        (place(measured.first), place(measured.second))
    else {
        return;
    };
    let theme = frame.theme;
    let stroke = Stroke::new(1.5, theme.selection);
    for slice in [measured.first, measured.second] {
        overlay::outline(painter, frame, slice, Stroke::new(2.0, theme.selection));
    }
    let (from, to) = (frame.x(first.end()), frame.x(second.start()));
    // In one lane the line would lie on the slices, so it stands over them.
    let y = if (top - bottom).abs() < 2.0 {
        top - 12.0
    } else {
        f32::midpoint(top, bottom)
    };
    let y = y.clamp(frame.tracks.top() + END, frame.tracks.bottom() - END);
    for (x, slice) in [(from, top), (to, bottom)] {
        let ends = Rangef::new(slice.min(y - END), slice.max(y + END));
        painter.vline(x, ends, Stroke::new(1.0, theme.selection));
    }
    let line = Rangef::new(from.min(to), from.max(to));
    painter.hline(line, y, stroke);
    // Ends as strokes across, which also show where the two are but a pixel apart.
    for x in [from, to] {
        painter.line_segment([pos2(x - 3.0, y + 3.0), pos2(x + 3.0, y - 3.0)], stroke);
    }
    let font = FontId::proportional(FONT_PX);
    let galley = painter.layout_no_wrap(human_duration(measured.between.gap), font, theme.text);
    let shown = Rangef::new(
        line.min.max(frame.tracks.left()),
        line.max.min(frame.tracks.right()),
    );
    if shown.max < shown.min {
        return;
    }
    let width = galley.size().x;
    // In the middle of what is on screen, beside the line where it is too short.
    let left = if width + 16.0 <= shown.span() {
        shown.center() - width / 2.0
    } else {
        (shown.max + 8.0).min(frame.tracks.right() - width - 6.0)
    };
    let at = pos2(left.round(), (y - galley.size().y / 2.0).round());
    let ground = Rect::from_min_size(at, galley.size()).expand2(vec2(4.0, 1.0));
    painter.rect_filled(ground, 3.0, theme.raised);
    painter.galley(at, galley, theme.text);
}
