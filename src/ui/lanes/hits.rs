//! What was searched for, marked in the lanes: a frame where there is room, else a line.

use super::frame::Frame;
use crate::timeline::LaneRow;
use crate::trace::{Hits, Rank, SliceId};
use crate::ui::plain;
use egui::{Color32, Mesh, Painter, Rangef, Rect, Shape, Stroke, StrokeKind, pos2};

/// From this width on a hit gets a frame.
const FRAME_FROM_PX: f32 = 6.0;
/// Width of a line.
const LINE_PX: f32 = 2.0;
/// More frames than these in one lane are lines.
const MOST_FRAMES: usize = 256;

/// Marks the hits of all visible lanes. One mark a pixel column and sub-row at most, so millions of
/// hits cost no more than thousands.
pub(super) fn mark(painter: &Painter, frame: &Frame<'_>, hits: &Hits) {
    let mut lines = Mesh::with_texture(plain::texture(painter.ctx()));
    for lane in frame.visible {
        if let Some(rank) = frame.trace.rank(lane.key.rank()) {
            lane_marks(painter, frame, (lane, rank), hits, &mut lines);
        }
    }
    painter.add(Shape::mesh(lines));
}

fn lane_marks(
    painter: &Painter,
    frame: &Frame<'_>,
    (lane, rank): (&LaneRow, &Rank),
    hits: &Hits,
    lines: &mut Mesh,
) {
    let color = frame.theme.found;
    let view = frame.view.visible(f64::from(frame.tracks.width()));
    let found = hits.in_view(rank, &lane.slices, view);
    // Where the last line of each sub-row ends.
    let mut ends = vec![f32::MIN; usize::from(lane.sub_rows)];
    let (mut at, mut frames) = (0, 0);
    while let Some(slice) = found.get(at).and_then(|id| rank.slices.get(SliceId(*id))) {
        at += 1;
        let Some(end) = ends.get_mut(usize::from(slice.row())) else {
            continue;
        };
        let xs = frame.span(slice.window());
        if xs.span() >= FRAME_FROM_PX && frames < MOST_FRAMES {
            let cell = frame.cell(lane, slice.row(), xs);
            painter.rect_stroke(cell, 1.0, Stroke::new(1.5, color), StrokeKind::Inside);
            frames += 1;
            continue;
        }
        let left = xs.min.round();
        if left >= *end {
            let xs = Rangef::new(left, left + LINE_PX.max(xs.span()));
            plain::add(lines, frame.cell(lane, slice.row(), xs), color);
            *end = xs.max;
        }
        // All sub-rows have their line here: what starts in the same pixels adds nothing.
        let next = ends.iter().copied().fold(f32::MAX, f32::min);
        if next > left {
            let until = frame.view.time_at(frame.px(next));
            let rest = found.get(at..).unwrap_or(&[]);
            let start = |id: &u32| rank.slices.get(SliceId(*id)).map(|s| s.start());
            at += rest.partition_point(|id| start(id) < Some(until));
        }
    }
}

/// The same over the strip of the whole trace: a short line at its top for each part with a hit.
pub(in crate::ui) fn overview(painter: &Painter, tracks: Rect, color: Color32, columns: &[bool]) {
    let mut lines = Mesh::with_texture(plain::texture(painter.ctx()));
    let count = columns.len().max(1);
    let mut x = tracks.left();
    let step = tracks.width() / u16::try_from(count).map_or(f32::MAX, f32::from);
    for has_hit in columns {
        if *has_hit {
            let left = x.floor();
            let cell = Rect::from_min_max(
                pos2(left, tracks.top()),
                pos2(left + step.max(LINE_PX).ceil(), tracks.top() + 6.0),
            );
            plain::add(&mut lines, cell, color);
        }
        x += step;
    }
    painter.add(Shape::mesh(lines));
}
