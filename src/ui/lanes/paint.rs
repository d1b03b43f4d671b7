//! Painting: the draw lists as one mesh, then names, then lines over everything.

use super::frame::{Frame, RIGHT};
use super::ink::Ink;
use super::labels::{LEAST_PX, MOST};
use super::marks::{self, Mark};
use super::shade::{LEAST_IDLE, LEAST_STRENGTH, at_least};
use super::{LaneCache, hits, memory, overlay, snapshot};
use crate::timeline::device::DeviceDraw;
use crate::timeline::draw::{Quad, SliceQuad};
use crate::timeline::{LaneKey, LaneRow, Scene, Span, Split, What};
use crate::trace::class::KernelClass;
use crate::trace::{DeviceId, NameId, RankId, SliceRef};
use crate::ui::plain;
use crate::ui::theme::Theme;
use egui::{Color32, Rangef, Rect, Stroke, Ui, pos2};

/// From this width on a slice gets a dark left edge, so that neighbours stay apart.
const EDGE_FROM_PX: f32 = 4.0;

/// Draws all visible lanes and everything that lies over them.
pub(super) fn lanes(ui: &Ui, frame: &Frame<'_>, cache: &mut LaneCache, hovered: Option<SliceRef>) {
    let painter = ui.painter().with_clip_rect(frame.tracks);
    let behind = ui.painter().with_clip_rect(
        frame
            .tracks
            .union(frame.gutter)
            .expand2(egui::vec2(RIGHT, 0.0)),
    );
    let plain = plain::texture(ui.ctx());
    let mut back = Ink::new(frame.theme, plain);
    let mut ink = Ink::with_room(frame.theme, plain, cache.room);
    // Over the pixel columns.
    let mut hatches = Ink::new(frame.theme, plain);
    let mut named: Vec<(SliceQuad, Rect)> = Vec::new();
    for lane in frame.visible {
        background(&mut back, frame, lane);
        if let Some(memory) = cache.scene().memory(lane.key) {
            memory::draw(&mut ink, frame, lane, memory);
        }
        let device = lane
            .key
            .device()
            .and_then(|d| cache.scene().device(lane.key.rank(), d));
        let quads = cache.scene().lane(lane.key).map_or(&[][..], |l| &l.quads);
        let in_strips = !cache.scene().strips(lane.key).is_empty();
        for quad in quads {
            let cell = frame.cell(lane, quad.row, xs(frame, quad));
            if in_strips && matches!(quad.what, What::Exposed(_)) {
                marks::edge(&mut hatches, Mark::Exposed, cell);
                continue;
            }
            self::quad(&mut ink, frame, quad, cell, device);
            if let What::Slice(slice) = quad.what
                && cell.width() >= LEAST_PX
                && named.len() < MOST
            {
                named.push((slice, cell));
            }
        }
    }
    let bands = bands(frame);
    overlap_bands(&mut back, frame, cache.scene(), &bands);
    behind.add(back.into_shape());
    let strips = cache.strips.update(ui.ctx(), frame, &cache.scene, &bands);
    overlay::steps(&painter, frame);
    painter.extend(strips);
    cache.room = ink.used();
    painter.add(ink.into_shape());
    painter.add(hatches.into_shape());
    cache
        .labels
        .keep_for(frame.session.generation, ui.pixels_per_point());
    for (slice, cell) in &named {
        cache.labels.draw(&painter, frame, slice, *cell);
    }
    if let Some(shown) = frame.session.shown_hits() {
        hits::mark(&painter, frame, &shown.hits);
    }
    overlay::suspicious(&painter, frame);
    snapshot::marks(&painter, frame);
    overlay::window(&painter, frame);
    if let Some(slice) = hovered {
        overlay::outline(&painter, frame, slice, Stroke::new(1.0, frame.theme.text));
    }
    if let Some(slice) = frame.session.selection {
        overlay::outline(
            &painter,
            frame,
            slice,
            Stroke::new(2.0, frame.theme.selection),
        );
    }
}

fn xs(frame: &Frame<'_>, quad: &Quad) -> Rangef {
    let left = frame.tracks.left();
    Rangef::new(left + quad.x0, left + quad.x1)
}

fn background(back: &mut Ink<'_>, frame: &Frame<'_>, lane: &LaneRow) {
    if lane.is_header() {
        let xs = Rangef::new(frame.gutter.left(), frame.tracks.right() + RIGHT);
        let ys = Rangef::new(frame.y(lane.top), frame.y(lane.bottom()));
        back.fill(Rect::from_x_y_ranges(xs, ys), frame.theme.group_bg);
    }
}

/// The room behind all lanes of each visible device and the air below them.
fn bands(frame: &Frame<'_>) -> Vec<(RankId, DeviceId, Rangef)> {
    let groups = frame
        .visible
        .chunk_by(|a, b| a.key.rank() == b.key.rank() && a.key.device() == b.key.device());
    let band = |group: &[LaneRow]| {
        // Nothing is drawn behind the heading, which is the first.
        let is_heading = |l: &&LaneRow| matches!(l.key, LaneKey::Device(..));
        let first = group.iter().find(|l| !is_heading(l))?;
        let bottom = group.last()?.bottom() + crate::timeline::lanes::GAP_PX;
        let ys = Rangef::new(frame.y(first.top), frame.y(bottom));
        Some((first.key.rank(), first.key.device()?, ys))
    };
    groups.filter_map(band).collect()
}

/// The stretches in which computation and communication run at once, where they are no pixel
/// columns.
fn overlap_bands(
    back: &mut Ink<'_>,
    frame: &Frame<'_>,
    scene: &Scene,
    bands: &[(RankId, DeviceId, Rangef)],
) {
    let left = frame.tracks.left();
    for &(rank, device, ys) in bands {
        let spans = scene.device(rank, device).map(|d| d.overlap.as_slice());
        for span in spans.unwrap_or_default() {
            let cell = Rect::from_x_y_ranges(Rangef::new(left + span.x0, left + span.x1), ys);
            let color = frame
                .theme
                .overlap_band
                .gamma_multiply(span.share.max(LEAST_STRENGTH));
            back.fill(cell, color);
        }
    }
}

fn strength(share: f32) -> f32 {
    at_least(LEAST_STRENGTH, share)
}

fn quad(
    ink: &mut Ink<'_>,
    frame: &Frame<'_>,
    quad: &Quad,
    cell: Rect,
    device: Option<&DeviceDraw>,
) {
    let theme = frame.theme;
    match quad.what {
        What::Slice(slice) => own_slice(ink, frame, &slice, cell, device),
        // Folded columns are in the strips.
        What::Folded(_) => {}
        What::Derived(kind, share) => {
            let mark = Mark::from(kind);
            if share >= 1.0 {
                marks::draw(ink, mark, cell);
            } else {
                ink.fill(cell, derived_color(theme, mark, share));
                marks::edge(ink, mark, cell);
            }
        }
        What::Exposed(share) => {
            ink.fill(cell, theme.exposed_comm.gamma_multiply(strength(share)));
            marks::edge(ink, Mark::Exposed, cell);
        }
        What::Split(split) => stack(ink, cell, &split),
    }
}

/// The colour of a derived stretch that holds for a share of the time.
fn derived_color(theme: &Theme, mark: Mark, share: f32) -> Color32 {
    let color = marks::color(theme, mark);
    if share >= 1.0 {
        return color;
    }
    // Between kernels there is nearly always a little idle time; it must not look like much.
    let least = if mark == Mark::Idle {
        LEAST_IDLE
    } else {
        LEAST_STRENGTH
    };
    theme.blended(color, at_least(least, share))
}

fn own_slice(
    ink: &mut Ink<'_>,
    frame: &Frame<'_>,
    slice: &SliceQuad,
    cell: Rect,
    device: Option<&DeviceDraw>,
) {
    let theme = frame.theme;
    let color = theme.slice_color(slice.class, slice.category);
    // Communication keeps its one colour, so that hidden and exposed parts stay apart.
    let color = match slice.class {
        Some(KernelClass::Communication) => color,
        _ => shaded(theme, color, slice.name),
    };
    ink.fill(cell, color);
    if let Some(class) = slice.class {
        marks::edge(ink, class.into(), cell);
    }
    if let (Some(KernelClass::Communication), Some(device)) = (slice.class, device) {
        for part in within(&device.exposed, cell, frame.tracks.left()) {
            ink.fill(part, theme.exposed_comm);
            // The hatch keeps to the lower part: the name stands above it.
            let low = Rect::from_min_max(
                pos2(part.left(), part.bottom() - part.height() * 0.3),
                part.max,
            );
            marks::edge(ink, Mark::Exposed, low);
            marks::edge(ink, Mark::Communication, part);
        }
    }
    if cell.width() >= EDGE_FROM_PX {
        let edge = Rect::from_min_max(cell.min, pos2(cell.left() + 1.0, cell.bottom()));
        ink.fill(edge, theme.canvas.gamma_multiply(0.75));
    }
}

/// The parts of a cell in which a set of stretches holds for at least half of the time.
fn within(spans: &[Span], cell: Rect, left: f32) -> impl Iterator<Item = Rect> + '_ {
    let from = spans.partition_point(|s| s.x1 + left <= cell.left());
    spans
        .iter()
        .skip(from)
        .take_while(move |s| s.x0 + left < cell.right())
        .filter(|s| s.share >= 0.5)
        .map(move |s| {
            let xs = Rangef::new(
                (s.x0 + left).max(cell.left()),
                (s.x1 + left).min(cell.right()),
            );
            Rect::from_x_y_ranges(xs, cell.y_range())
        })
}

/// Neighbouring kernels of one class differ a little by their name.
fn shaded(theme: &Theme, color: Color32, name: NameId) -> Color32 {
    let shade = match name.0.wrapping_mul(2_654_435_761) >> 30 {
        0 => 0.0,
        1 => 0.06,
        2 => 0.12,
        _ => 0.18,
    };
    color.lerp_to_gamma(theme.canvas, shade)
}

/// The five-way split as parts of the height.
fn stack(ink: &mut Ink<'_>, cell: Rect, split: &Split) {
    let parts = [
        (split.compute, Mark::Computation),
        (split.overlap, Mark::Overlap),
        (split.exposed, Mark::Exposed),
        (split.memory, Mark::Memory),
    ];
    let mut bottom = cell.bottom();
    let theme = ink.theme;
    for (share, mark) in parts.into_iter().filter(|p| p.0 > 0.0) {
        let top = (bottom - share * cell.height()).max(cell.top());
        let color = match mark {
            Mark::Overlap => theme.overlap,
            Mark::Exposed => theme.exposed_comm,
            Mark::Memory => theme.memory,
            _ => theme.computation,
        };
        ink.fill(
            Rect::from_x_y_ranges(cell.x_range(), Rangef::new(top, bottom)),
            color,
        );
        bottom = top;
    }
}
