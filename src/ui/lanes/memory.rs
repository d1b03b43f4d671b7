//! Lanes of memory: allocated filled, reserved as a line, what is cached in between faint; and the
//! values under the pointer.

use super::Frame;
use super::ink::Ink;
use crate::time::{Ns, human_duration};
use crate::timeline::{LaneKey, LaneRow, MemoryColumn, MemoryDraw, MemoryLevels};
use crate::trace::{MemoryTrack, Rank, cached_free};
use crate::ui::controls::byte_size;
use egui::{Grid, Pos2, Rangef, Rect, Response, RichText, Ui};

/// Thickness of the line of reserved memory.
const LINE_PX: f32 = 1.5;

/// Draws a lane.
pub(super) fn draw(ink: &mut Ink<'_>, frame: &Frame<'_>, lane: &LaneRow, memory: &MemoryDraw) {
    let theme = frame.theme;
    let (top, bottom) = (frame.y(lane.top) + 1.0, frame.y(lane.bottom()));
    let y = |share: f32| bottom - share * (bottom - top);
    let is_same = |a: &MemoryColumn, b: &MemoryColumn| {
        let values = |c: &MemoryColumn| (c.allocated, c.reserved, c.older);
        a.x + 1 == b.x && values(a) == values(b)
    };
    for run in memory.columns.chunk_by(is_same) {
        let (Some(first), Some(end)) = (run.first(), run.last()) else {
            continue;
        };
        let left = frame.tracks.left();
        let xs = Rangef::new(left + px(first.x), left + px(end.x) + 1.0);
        let mut fill = |from: f32, to: f32, color| {
            if to > from {
                ink.fill(Rect::from_x_y_ranges(xs, Rangef::new(from, to)), color);
            }
        };
        let (low, high) = first.allocated;
        if let Some((floor, ceiling)) = first.reserved {
            fill(y(floor), y(high), theme.cached);
            fill(y(ceiling) - LINE_PX, y(floor), theme.reserved);
        }
        fill(y(low), bottom, theme.allocated);
        if let Some(older) = first.older {
            fill(y(older), bottom, theme.blended(theme.host, 0.8));
        }
        // Within the column it was anywhere in between.
        fill(y(high), y(low), theme.dimmed(theme.allocated));
        // Where there is something it is seen, however little.
        fill(y(high).min(bottom - 1.0), y(high), theme.allocated);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a column of a screen")]
fn px(column: u32) -> f32 {
    column as f32
}

/// The allocator under a point.
pub(super) fn track_at<'f>(
    frame: &'f Frame<'_>,
    at: Pos2,
) -> Option<(&'f Rank, &'f MemoryTrack, Ns)> {
    let (lane, _) = frame.lane_at(at.y)?;
    let LaneKey::Memory(rank, memory) = lane.key else {
        return None;
    };
    let rank = frame.trace.rank(rank)?;
    let track = rank.memory_of(memory.place())?;
    Some((rank, track, frame.view.time_at(frame.px(at.x))))
}

/// Shows what was held at the pointer.
pub(super) fn tooltip(response: &Response, frame: &Frame<'_>, at: Pos2) {
    let Some((rank, track, time)) = track_at(frame, at) else {
        return;
    };
    response.clone().on_hover_ui_at_pointer(|ui| {
        let title = format!("Allocator of {}", track.place.label());
        ui.label(RichText::new(title).strong());
        Grid::new("memory").num_columns(2).show(ui, |ui| {
            values(ui, track, time);
            let origin = frame.trace.origin().unwrap_or_default();
            line(ui, "At", &human_duration(time - origin));
            last_event(ui, frame, rank, track, time);
            if let Some(levels) = MemoryLevels::of_track(rank, track) {
                line(ui, "Height", &scale(frame, &levels));
            }
        });
    });
}

fn values(ui: &mut Ui, track: &MemoryTrack, time: Ns) {
    let allocated = track.allocated_at(time);
    line(ui, "Allocated", &byte_size(allocated.into()));
    if let Some(reserved) = track.reserved_at(time) {
        line(ui, "Reserved", &byte_size(reserved.into()));
        let free = cached_free(reserved, allocated);
        let words = free.map_or_else(|| "n/a".to_owned(), |free| byte_size(free.into()));
        line(ui, "Cached free", &words);
    }
}

/// What the height of the lane stands for.
fn scale(frame: &Frame<'_>, levels: &MemoryLevels<'_>) -> String {
    let view = frame.view.visible(f64::from(frame.tracks.width()));
    let (least, most) = levels.scale(view);
    let [least, most] = [least, most].map(|bytes| byte_size(bytes.into()));
    format!("{least} to {most}, the most in view")
}

/// What happened last.
fn last_event(ui: &mut Ui, frame: &Frame<'_>, rank: &Rank, track: &MemoryTrack, time: Ns) {
    let behind = time.saturating_add(crate::time::DurNs(1));
    let until = crate::time::Window::new(Ns::MIN, behind);
    let last = track.allocated.indices(until).end.checked_sub(1);
    let Some((index, event)) = last.and_then(|i| Some((i, track.events.get(i)?))) else {
        return;
    };
    let op = rank.allocating_op(track, index);
    let op = op.and_then(|op| rank.slices.get(op));
    let by = op.map_or("outside of any op", |op| frame.trace.names.get(op.name()));
    let what = if event.bytes < 0 {
        "Freed"
    } else {
        "Allocated"
    };
    let bytes = byte_size(i128::from(event.bytes).abs());
    line(ui, "Last", &format!("{what} {bytes}, {by}"));
}

fn line(ui: &mut Ui, label: &str, value: &str) {
    ui.spacing_mut().interact_size.y = 16.0;
    ui.weak(label);
    ui.label(value);
    ui.end_row();
}
