//! Drags, clicks and the wheel over the lanes and the ruler, as actions.
//!
//! What a drag means is decided once, when it starts, and holds until the button is released.

use super::{Frame, LaneCache, snapshot};
use crate::session::{Action, SnapshotAction};
use crate::time::{DurNs, Ns, Window};
use crate::timeline::snap::Snap;
use crate::timeline::{LaneKey, View};
use crate::trace::SliceRef;
use egui::{Context, CursorIcon, Id, PointerButton, Pos2, Response, Ui};

/// How near to an edge of the window a press must be to grab it.
const GRAB_PX: f32 = 5.0;
/// How near to an edge of a slice a brushed edge must be to snap to it.
const SNAP_PX: f64 = 6.0;

/// What the pointer is dragging.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Drag {
    /// Nothing.
    #[default]
    None,
    /// A new window, from where the drag began; `before` comes back when it is cancelled.
    Brush {
        /// The edge that stays.
        anchor: Ns,
        /// The window before the drag.
        before: Option<Window>,
    },
    /// One edge of the window.
    Edge {
        /// The edge that stays.
        fixed: Ns,
        /// The window before the drag.
        before: Option<Window>,
    },
    /// The view.
    Pan {
        /// Where the pointer was in the frame before.
        last_x: f32,
    },
}

/// Whether a drag on the timeline is going on, so that `Esc` belongs to it.
#[must_use]
pub fn is_dragging(ctx: &Context) -> bool {
    ctx.data(|d| d.get_temp(drag_id())).unwrap_or(false)
}

fn drag_id() -> Id {
    Id::unique("timeline drag")
}

/// Handles all input of the lanes; returns the slice under the pointer.
pub(super) fn handle(
    ui: &Ui,
    frame: &Frame<'_>,
    response: &Response,
    cache: &mut LaneCache,
    most: f32,
    out: &mut Vec<Action>,
) -> Option<SliceRef> {
    wheel(ui, frame, most, out);
    brush(ui, frame, response, cache, out);
    if cache.drag != Drag::None {
        return None;
    }
    let at = response.hover_pos().or(response.interact_pointer_pos())?;
    let slice = slice_at(frame, cache, at);
    if response.double_clicked_by(PointerButton::Primary) {
        zoom_to(frame, slice, at, out);
    } else if response.clicked_by(PointerButton::Primary) {
        let measures = ui.input(|i| i.modifiers.command);
        if let Some(moment) = snapshot::moment_at(frame, at).filter(|_| !measures) {
            out.push(Action::Snapshot(SnapshotAction::Moment(Some(moment))));
            out.push(Action::Snapshot(SnapshotAction::Front(true)));
            return None;
        }
        out.push(match slice {
            Some(slice) if measures => Action::MeasureTo { slice },
            Some(slice) => Action::Select { slice },
            None if measures => return None,
            None => Action::ClearSelection,
        });
    }
    slice
}

fn slice_at(frame: &Frame<'_>, cache: &LaneCache, at: Pos2) -> Option<SliceRef> {
    let px = frame.px(at.x);
    let time = frame.view.time_at(px);
    let found = frame
        .lanes_at(at.y)
        .filter_map(|(lane, y)| cache.scene().slice_at(frame.trace, lane, px, y));
    // Of lanes in one place, the slice that is nearest.
    found.min_by_key(|slice| {
        let window = frame.trace.slice(*slice).map(|s| s.window());
        window.map(|w| (w.start() - time).0.max((time - w.end()).0).max(0))
    })
}

/// Shows a slice, or the stretch of a derived lane, from edge to edge with some room.
fn zoom_to(frame: &Frame<'_>, slice: Option<SliceRef>, at: Pos2, out: &mut Vec<Action>) {
    let window = match slice {
        Some(slice) => frame.trace.slice(slice).map(|s| s.window()),
        None => super::tooltip::stretch_at(frame, at).map(|s| s.1),
    };
    let Some(window) = window else {
        return;
    };
    let margin = DurNs((window.len().0 / 4).max(10));
    let wide = Window::new(window.start() - margin, window.end() + margin);
    let view = View::fit(wide, f64::from(frame.tracks.width()));
    out.push(Action::SetView { view });
}

fn wheel(ui: &Ui, frame: &Frame<'_>, most: f32, out: &mut Vec<Action>) {
    let over_tracks = ui.rect_contains_pointer(frame.tracks);
    if !over_tracks && !ui.rect_contains_pointer(frame.gutter) {
        return;
    }
    let (delta, zoom, pointer) = ui.input(|i| {
        (
            i.smooth_scroll_delta(),
            i.zoom_delta(),
            i.pointer.hover_pos(),
        )
    });
    let zooms = (zoom - 1.0).abs() > 1e-4;
    if zooms && let Some(at) = pointer.filter(|_| over_tracks) {
        out.push(Action::ZoomAt {
            factor: f64::from(zoom),
            at_px: frame.px(at.x),
        });
        return;
    }
    if delta.y != 0.0 {
        let y = (frame.scroll - delta.y).clamp(0.0, most);
        if y.to_bits() != frame.session.scroll_y.to_bits() {
            out.push(Action::ScrollLanes { y });
        }
    }
    if delta.x != 0.0 {
        out.push(Action::Pan {
            px: f64::from(-delta.x),
        });
    }
}

/// Brushing, moving an edge of the window, and panning; the same on the lanes and on the ruler.
pub(in crate::ui) fn brush(
    ui: &Ui,
    frame: &Frame<'_>,
    response: &Response,
    cache: &mut LaneCache,
    out: &mut Vec<Action>,
) {
    if response.drag_started() {
        cache.drag = start(ui, frame, response);
        cache.dragged = Some(response.id);
    }
    // A drag belongs to the view in which it began, until the button is released.
    if cache.dragged == Some(response.id) {
        go_on(ui, frame, response, cache, out);
    }
    cursor(ui, frame, response, cache);
}

/// Decides what a drag means.
fn start(ui: &Ui, frame: &Frame<'_>, response: &Response) -> Drag {
    let (origin, modifiers) = ui.input(|i| (i.pointer.press_origin(), i.modifiers));
    let Some(origin) = origin else {
        return Drag::None;
    };
    let before = frame.session.window;
    if response.drag_started_by(PointerButton::Middle) || modifiers.shift {
        Drag::Pan { last_x: origin.x }
    } else if !response.drag_started_by(PointerButton::Primary) {
        Drag::None
    } else if let Some(fixed) = edge_at(frame, origin.x) {
        Drag::Edge { fixed, before }
    } else {
        let anchor = place(frame, origin.x, snaps(ui, frame));
        Drag::Brush { anchor, before }
    }
}

fn go_on(
    ui: &Ui,
    frame: &Frame<'_>,
    response: &Response,
    cache: &mut LaneCache,
    out: &mut Vec<Action>,
) {
    let (now, down) = ui.input(|i| (i.pointer.latest_pos(), i.pointer.any_down()));
    // egui ends a drag on Esc although the button is still down: that is a cancel.
    let cancelled = response.drag_stopped() && down;
    match (cache.drag, now) {
        (Drag::Brush { before, .. } | Drag::Edge { before, .. }, _) if cancelled => {
            out.push(before.map_or(Action::ClearWindow, |window| Action::SetWindow { window }));
        }
        (Drag::Brush { anchor: fixed, .. } | Drag::Edge { fixed, .. }, Some(now)) => {
            let window = Window::new(fixed, place(frame, now.x, snaps(ui, frame)));
            if !window.is_empty() && frame.session.window != Some(window) {
                out.push(Action::SetWindow { window });
            }
        }
        (Drag::Pan { last_x }, Some(now)) if now.x.to_bits() != last_x.to_bits() => {
            out.push(Action::Pan {
                px: f64::from(last_x - now.x),
            });
            cache.drag = Drag::Pan { last_x: now.x };
        }
        _ => {}
    }
    if !response.dragged() {
        (cache.drag, cache.dragged) = (Drag::None, None);
    }
    let active = cache.drag != Drag::None;
    ui.ctx().data_mut(|d| d.insert_temp(drag_id(), active));
}

fn snaps(ui: &Ui, frame: &Frame<'_>) -> bool {
    frame.session.settings.snap && !ui.input(|i| i.modifiers.alt)
}

/// Shows what a press would do.
fn cursor(ui: &Ui, frame: &Frame<'_>, response: &Response, cache: &LaneCache) {
    let icon = match cache.drag {
        Drag::Pan { .. } => CursorIcon::Grabbing,
        Drag::Edge { .. } => CursorIcon::ResizeHorizontal,
        Drag::Brush { .. } => CursorIcon::Crosshair,
        Drag::None => match response.hover_pos() {
            Some(at) if edge_at(frame, at.x).is_some() => CursorIcon::ResizeHorizontal,
            _ => return,
        },
    };
    ui.ctx().set_cursor_icon(icon);
}

/// The edge of the window that stays when the one under `x` is grabbed.
fn edge_at(frame: &Frame<'_>, x: f32) -> Option<Ns> {
    let window = frame.session.window?;
    let span = frame.span(window);
    let (to_start, to_end) = ((x - span.min).abs(), (x - span.max).abs());
    if to_start.min(to_end) > GRAB_PX {
        None
    } else if to_start < to_end {
        Some(window.end())
    } else {
        Some(window.start())
    }
}

/// The instant that an edge dropped at `x` gets.
fn place(frame: &Frame<'_>, x: f32, snaps: bool) -> Ns {
    let x = x.clamp(frame.tracks.left(), frame.tracks.right());
    let at = frame.view.nearest_time(frame.px(x));
    if !snaps {
        return at;
    }
    let mut snap = Snap::new(at, frame.view.length_of(SNAP_PX));
    for lane in frame.visible {
        let Some(rank) = frame.trace.rank(lane.key.rank()) else {
            continue;
        };
        match lane.key {
            LaneKey::Device(_, device) => {
                if let Some(device) = rank.device(device) {
                    snap.offer_device(device);
                }
            }
            _ => snap.offer_lane(rank, lane, rank.rows_of(&lane.slices)),
        }
    }
    snap.found().unwrap_or(at)
}
