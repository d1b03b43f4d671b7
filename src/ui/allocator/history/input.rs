//! Drags, clicks and the wheel over the history: the gestures of the lanes.

use super::Plot;
use crate::session::{Action, SnapshotAction};
use crate::time::{Ns, Window};
use egui::{CursorIcon, Id, PointerButton, Pos2, Response, Ui};

/// How near to an edge of the window a press must be to grab it.
const GRAB_PX: f32 = 5.0;

/// What the pointer is dragging.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drag {
    /// One edge of the window; the other one stays.
    Edge { fixed: Ns, before: Option<Window> },
    /// The view.
    Pan { last_x: f32 },
}

/// Handles all input; whether something is being dragged.
pub(super) fn handle(ui: &Ui, plot: &Plot<'_>, response: &Response, out: &mut Vec<Action>) -> bool {
    wheel(ui, plot, response, out);
    let id = Id::unique("drag over the history");
    if response.drag_started() {
        let drag = start(ui, plot, response);
        ui.ctx().data_mut(|d| d.insert_temp(id, drag));
    }
    let drag: Option<Drag> = ui.ctx().data(|d| d.get_temp(id)).flatten();
    if let Some(drag) = drag {
        let next = go_on(ui, plot, response, drag, out);
        let next = next.filter(|_| response.dragged());
        ui.ctx().data_mut(|d| d.insert_temp(id, next));
        ui.ctx().set_cursor_icon(match drag {
            Drag::Pan { .. } => CursorIcon::Grabbing,
            Drag::Edge { .. } => CursorIcon::ResizeHorizontal,
        });
        return true;
    }
    if response.double_clicked_by(PointerButton::Primary) {
        out.push(Action::Snapshot(SnapshotAction::FitView));
    } else if response.clicked_by(PointerButton::Primary)
        && let Some(at) = response.interact_pointer_pos()
    {
        out.push(Action::Snapshot(SnapshotAction::Moment(Some(moment(
            plot, at,
        )))));
    }
    let near = response.hover_pos().and_then(|at| edge_at(plot, at.x));
    if near.is_some() {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    false
}

/// The instant of a click: on a mark of running out of memory, exactly that.
fn moment(plot: &Plot<'_>, at: Pos2) -> Ns {
    let near = |time: Ns| (plot.x(time) - at.x).abs() <= super::NEAR;
    let oom = plot.recorded.ooms.iter().find(|oom| near(oom.time));
    oom.map_or_else(|| place(plot, at.x), |oom| oom.time)
}

fn place(plot: &Plot<'_>, x: f32) -> Ns {
    let x = x.clamp(plot.area.left(), plot.area.right());
    plot.view.nearest_time(f64::from(x - plot.area.left()))
}

/// The edge of the window that stays when the one under `x` is grabbed.
fn edge_at(plot: &Plot<'_>, x: f32) -> Option<Ns> {
    let window = plot.session.snapshot_window()?;
    let span = plot.span(window);
    let (to_start, to_end) = ((x - span.min).abs(), (x - span.max).abs());
    if to_start.min(to_end) > GRAB_PX {
        None
    } else if to_start < to_end {
        Some(window.end())
    } else {
        Some(window.start())
    }
}

fn start(ui: &Ui, plot: &Plot<'_>, response: &Response) -> Option<Drag> {
    let (origin, shift) = ui.input(|i| (i.pointer.press_origin(), i.modifiers.shift));
    let origin = origin?;
    if response.drag_started_by(PointerButton::Middle) || shift {
        return Some(Drag::Pan { last_x: origin.x });
    }
    let before = plot.session.snapshot_window();
    let fixed = edge_at(plot, origin.x).unwrap_or_else(|| place(plot, origin.x));
    response
        .drag_started_by(PointerButton::Primary)
        .then_some(Drag::Edge { fixed, before })
}

fn go_on(
    ui: &Ui,
    plot: &Plot<'_>,
    response: &Response,
    drag: Drag,
    out: &mut Vec<Action>,
) -> Option<Drag> {
    let (now, down) = ui.input(|i| (i.pointer.latest_pos(), i.pointer.any_down()));
    let now = now?;
    match drag {
        // egui ends a drag on Esc although the button is still down: that is a cancel.
        Drag::Edge { before, .. } if response.drag_stopped() && down => {
            let back = before.map_or(SnapshotAction::ClearWindow, SnapshotAction::SetWindow);
            out.push(Action::Snapshot(back));
            None
        }
        Drag::Edge { fixed, .. } => {
            let window = Window::new(fixed, place(plot, now.x));
            if !window.is_empty() && plot.session.snapshot_window() != Some(window) {
                out.push(Action::Snapshot(SnapshotAction::SetWindow(window)));
            }
            Some(drag)
        }
        Drag::Pan { last_x } => {
            let by = (last_x - now.x).round();
            if by != 0.0 {
                out.push(Action::Snapshot(SnapshotAction::Pan(f64::from(by))));
            }
            Some(Drag::Pan {
                last_x: last_x - by,
            })
        }
    }
}

fn wheel(ui: &Ui, plot: &Plot<'_>, response: &Response, out: &mut Vec<Action>) {
    if !ui.rect_contains_pointer(response.rect) {
        return;
    }
    let (delta, zoom, pointer) = ui.input(|i| {
        (
            i.smooth_scroll_delta(),
            i.zoom_delta(),
            i.pointer.hover_pos(),
        )
    });
    if (zoom - 1.0).abs() > 1e-4 {
        if let Some(at) = pointer {
            out.push(Action::Snapshot(SnapshotAction::Zoom {
                factor: f64::from(zoom),
                at_px: plot.px(at),
            }));
        }
    } else if delta.x != 0.0 {
        out.push(Action::Snapshot(SnapshotAction::Pan(f64::from(-delta.x))));
    }
}
