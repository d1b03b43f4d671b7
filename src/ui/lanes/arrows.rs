//! Arrows from launch calls to the GPU work that they started, for the selected slice.

use super::frame::Frame;
use crate::timeline::{LaneKey, LaneRow};
use crate::trace::{Rank, Slice};
use egui::epaint::CubicBezierShape;
use egui::{Color32, Painter, Pos2, Shape, Stroke, pos2, vec2};

/// More arrows than these are not drawn: a graph launches thousands.
const MOST: usize = 100;
/// Length of the head.
const HEAD: f32 = 6.0;

/// Draws the arrows; `rows` are all lanes, since an arrow may lead off the screen.
pub(super) fn draw(painter: &Painter, frame: &Frame<'_>, rows: &[LaneRow]) {
    let Some((rank, slice)) = frame.session.selection.and_then(|at| {
        let rank = frame.trace.rank(at.rank)?;
        Some((rank, rank.slices.get(at.slice)?))
    }) else {
        return;
    };
    if slice.class().is_some() {
        let launch = rank.links.launch_of(slice.id());
        if let Some(launch) = launch.and_then(|id| rank.slices.get(id)) {
            arrow(painter, frame, rows, rank, launch, slice);
        }
        return;
    }
    for (launch, kernel) in rank.launched_inside(slice.id()).take(MOST) {
        arrow(painter, frame, rows, rank, launch, kernel);
    }
}

fn arrow(
    painter: &Painter,
    frame: &Frame<'_>,
    rows: &[LaneRow],
    rank: &Rank,
    launch: Slice<'_>,
    kernel: Slice<'_>,
) {
    let (Some(from), Some(to)) = (
        height(frame, rows, rank, launch),
        height(frame, rows, rank, kernel),
    ) else {
        return;
    };
    let from = pos2(frame.x(launch.start()), from);
    let to = pos2(frame.x(kernel.start()), to);
    let color = frame.theme.selection.gamma_multiply(0.8);
    let bend = ((to.x - from.x).abs() * 0.5).clamp(16.0, 120.0);
    let points = [from, from + vec2(bend, 0.0), to - vec2(bend, 0.0), to];
    painter.add(Shape::CubicBezier(CubicBezierShape::from_points_stroke(
        points,
        false,
        Color32::TRANSPARENT,
        Stroke::new(1.2, color),
    )));
    painter.add(head(to, color));
}

fn head(at: Pos2, color: Color32) -> Shape {
    let back = at - vec2(HEAD, 0.0);
    let side = vec2(0.0, HEAD / 2.0);
    Shape::convex_polygon(vec![at, back - side, back + side], color, Stroke::NONE)
}

/// The middle of a slice, or of the header that its lane is folded into.
pub(super) fn height(
    frame: &Frame<'_>,
    rows: &[LaneRow],
    rank: &Rank,
    slice: Slice<'_>,
) -> Option<f32> {
    let of_rank = || rows.iter().filter(|row| row.key.rank() == rank.id);
    let lane = of_rank().find(|row| row.slices.contains(&slice.id().0));
    if let Some(lane) = lane.filter(|lane| slice.row() < lane.sub_rows) {
        let middle = (f32::from(slice.row()) + 0.5) * lane.row_height();
        return Some(frame.y(lane.top + middle));
    }
    let device = rank.stream_of(slice.id()).map(|(device, _)| device.id);
    let header = lane.or_else(|| {
        let group = match device {
            Some(device) => LaneKey::Device(rank.id, device),
            None => LaneKey::Threads(rank.id),
        };
        let is = |key| of_rank().find(move |row| row.key == key);
        is(group).or_else(|| is(LaneKey::Rank(rank.id)))
    })?;
    Some(frame.y(header.top + header.height / 2.0))
}
