//! The names of the lanes at the left, with triangles to open and close groups.

use super::labels::elided;
use super::{Frame, menu};
use crate::session::{Action, TraceSide};
use crate::timeline::lanes::lane_label;
use crate::timeline::{Derived, LaneKey, LaneRow, Shared, SnapshotLane};
use crate::trace::class::KernelClass;
use egui::{
    Color32, Painter, Rangef, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};

const INDENT_PX: f32 = 11.0;
const LEFT_PX: f32 = 8.0;
const TRIANGLE_PX: f32 = 12.0;
const FONT_PX: f32 = 11.5;

/// Draws the gutter and lets groups be opened and closed.
pub(super) fn ui(ui: &Ui, frame: &Frame<'_>, out: &mut Vec<Action>) {
    let painter = ui.painter().with_clip_rect(frame.gutter);
    let named = frame.visible.iter().filter(|l| l.shared != Shared::Behind);
    for lane in named {
        let top = frame.y(lane.top);
        let whole = Rect::from_x_y_ranges(
            frame.gutter.x_range(),
            Rangef::new(top, frame.y(lane.bottom())),
        );
        let hit = whole.intersect(frame.gutter);
        if !hit.is_positive() {
            continue;
        }
        // Lanes without a triangle are clicked for their menu only; their button has the focus.
        let mut sense = Sense::CLICK;
        if lane.open.is_some() {
            sense = Sense::click();
        }
        let response = ui.interact(hit, ui.scope_id().with(lane.key), sense);
        let name = accessible_name(frame, lane);
        match lane.open {
            Some(open) => {
                let verb = if open { "Collapse" } else { "Expand" };
                response.widget_info(|| {
                    WidgetInfo::labeled(Role::Button, true, format!("{verb} {name}"))
                });
            }
            None => response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name)),
        }
        if response.clicked() && lane.open.is_some() {
            out.push(Action::ToggleLane { lane: lane.key });
        }
        draw(&painter, frame, lane, whole, response.hovered());
        menu::ui(
            ui,
            frame,
            lane,
            (&response, name_place(lane, whole), &name),
            out,
        );
        response.on_hover_ui(|ui| {
            ui.label(&name);
            if frame.session.lanes.arranged.names.contains_key(&lane.key) {
                ui.weak(lane_label(frame.trace, lane.key));
            }
            if let Shared::First(count) = lane.shared {
                ui.weak(format!(
                    "{count} streams that only replay graphs share this lane"
                ));
            }
            if lane.pinned {
                ui.weak("Pinned to the top");
            }
            if let Some(text) = explanation(lane.key) {
                ui.weak(text);
            }
            let snapshot = frame.session.lanes.snapshot.as_ref();
            let snapshot = snapshot.filter(|s| s.key() == lane.key);
            if let Some(doubt) = snapshot.and_then(SnapshotLane::doubt) {
                ui.label(doubt);
            }
        });
    }
    menu::hidden(ui, frame, out);
    painter.vline(
        frame.gutter.right() - 0.5,
        frame.gutter.y_range(),
        Stroke::new(1.0, frame.theme.line),
    );
}

/// The lane's name with the rank and device it belongs to, so that it is unique.
fn accessible_name(frame: &Frame<'_>, lane: &LaneRow) -> String {
    let rank = lane.key.rank().0;
    let name = match (lane.key, lane.key.device()) {
        (LaneKey::Rank(_), _) => lane.label.clone(),
        (LaneKey::Device(..), _) | (_, None) => format!("{}, rank {rank}", lane.label),
        (_, Some(device)) => format!("{}, rank {rank}, GPU {}", lane.label, device.0),
    };
    match frame.session.side() {
        Some(TraceSide::B) => format!("{name}, trace B"),
        _ => name,
    }
}

/// Where a lane's name stands: on its first sub-row, or over all of them where those are thin.
fn name_place(lane: &LaneRow, whole: Rect) -> Rect {
    if lane.sub_rows > 1 && lane.row_height() < FONT_PX {
        return whole;
    }
    let size = vec2(whole.width(), lane.row_height().min(whole.height()));
    Rect::from_min_size(whole.min, size)
}

fn draw(painter: &Painter, frame: &Frame<'_>, lane: &LaneRow, whole: Rect, is_under: bool) {
    let hovered = is_under && lane.open.is_some();
    let theme = frame.theme;
    let named = name_place(lane, whole);
    if lane.pinned {
        let bar = Rect::from_min_max(whole.min, pos2(whole.left() + 3.0, whole.bottom()));
        painter.rect_filled(bar, 0.0, theme.accent);
    }
    let center_y = named.center().y;
    let mut x = whole.left() + LEFT_PX + f32::from(lane.indent) * INDENT_PX;
    let color = if hovered || lane.is_header() {
        theme.text
    } else {
        theme.text_weak
    };
    if let Some(open) = lane.open {
        triangle(
            painter,
            pos2(x + 3.0, center_y),
            open,
            if hovered { theme.text } else { theme.text_weak },
        );
    }
    if let Some(swatch) = swatch(frame, lane.key) {
        let bar = Rect::from_center_size(
            pos2(x + 3.0, center_y),
            vec2(4.0, (named.height() - 4.0).max(4.0)),
        );
        painter.rect_filled(bar, 1.0, swatch);
    }
    x += TRIANGLE_PX;
    let right = if is_under { menu::BUTTON + 4.0 } else { 6.0 };
    let job = elided(
        &lane.label,
        FONT_PX,
        color,
        (whole.right() - right - x).max(0.0),
    );
    let galley = painter.layout_job(job);
    let y = center_y - galley.size().y / 2.0;
    painter.galley(pos2(x, y.round()), galley, color);
}

fn swatch(frame: &Frame<'_>, lane: LaneKey) -> Option<Color32> {
    let kind = match lane {
        LaneKey::Derived(_, _, kind) => kind,
        LaneKey::Memory(..) | LaneKey::Snapshot(..) => return Some(frame.theme.allocated),
        _ => return None,
    };
    Some(match kind {
        Derived::Computation => frame.theme.class_color(KernelClass::Computation),
        Derived::Communication => frame.theme.class_color(KernelClass::Communication),
        Derived::Memory => frame.theme.class_color(KernelClass::Memory),
        Derived::Overlap => frame.theme.overlap,
        Derived::Idle => frame.theme.idle,
    })
}

/// What a lane shows, for those whose name does not say it.
fn explanation(lane: LaneKey) -> Option<&'static str> {
    Some(match lane {
        LaneKey::Derived(_, _, Derived::Computation) => "Any computation kernel runs on this GPU",
        LaneKey::Derived(_, _, Derived::Communication) => {
            "Any communication kernel runs on this GPU; hatched where no computation hides it"
        }
        LaneKey::Derived(_, _, Derived::Memory) => "Any copy or memset runs on this GPU",
        LaneKey::Derived(_, _, Derived::Overlap) => "Computation and communication run at once",
        LaneKey::Derived(_, _, Derived::Idle) => {
            "Nothing runs, between the first and the last kernel of this GPU"
        }
        LaneKey::Memory(..) => {
            "Memory by the [memory] events of the trace: filled what is allocated, the line what the allocator reserved, faint in between what is cached and free"
        }
        LaneKey::Snapshot(..) => {
            "The allocator by the snapshot: filled what is allocated (requested bytes), grey what of it is older than the recording, the line what is reserved. A click shows the blocks of that moment"
        }
        _ => return None,
    })
}

fn triangle(painter: &Painter, at: egui::Pos2, open: bool, color: Color32) {
    let points = if open {
        [vec2(-4.0, -2.0), vec2(4.0, -2.0), vec2(0.0, 3.0)]
    } else {
        [vec2(-2.0, -4.0), vec2(3.0, 0.0), vec2(-2.0, 4.0)]
    };
    let points = points.map(|p| at + p).to_vec();
    painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
}
