//! The flame: a box a function, as wide as the bytes below it; a click zooms in.

use crate::session::{Action, Held, Session, SnapshotAction};
use crate::snapshot::FrameId;
use crate::snapshot::flame::{FlameBox, box_at, boxes, node_at, path_to};
use crate::ui::allocator::words::{exact, mib, percent};
use crate::ui::controls::{Weight, counted, text_button};
use crate::ui::theme::Theme;
use egui::{Align2, FontId, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

/// Height of a row.
const ROW: f32 = 19.0;
/// No stack that anybody reads is deeper.
const MOST_DEPTH: usize = 256;

/// Shows it.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    held: &Held,
    height: f32,
    out: &mut Vec<Action>,
) {
    let path = &session.snapshot.sites.flame;
    let root = node_at(&held.tree, path);
    if root > 0
        && text_button(ui, theme, None, "Whole flame", Weight::Normal)
            .on_hover_text("Back to all allocations")
            .clicked()
    {
        out.push(Action::Snapshot(SnapshotAction::Flame(Vec::new())));
    }
    ScrollArea::vertical()
        .id_salt("flame")
        .max_height(height)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            let width = ui.available_width();
            let found = boxes(&held.tree, root, f64::from(width), MOST_DEPTH);
            let depth = found.iter().map(|b| b.depth).max().unwrap_or(0) + 1;
            let (area, response) =
                ui.allocate_exact_size(vec2(width, ROW * count(depth)), Sense::click());
            let name = "Flame of allocations";
            response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, name));
            let under = response
                .hover_pos()
                .or(response.interact_pointer_pos())
                .and_then(|at| {
                    let row = row_of(at.y - area.top());
                    box_at(&found, f64::from(at.x - area.left()), row).copied()
                });
            for of in &found {
                paint(
                    ui,
                    session,
                    theme,
                    held,
                    area,
                    of,
                    under.as_ref() == Some(of),
                );
            }
            if let Some(of) = under {
                if response.clicked() && of.nodes == 1 {
                    let path = path_to(&held.tree, of.node);
                    out.push(Action::Snapshot(SnapshotAction::Flame(path)));
                }
                response.on_hover_text_at_pointer(hover(session, held, &of));
            }
        });
}

#[expect(clippy::cast_precision_loss, reason = "rows on a screen")]
fn count(number: usize) -> f32 {
    number as f32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of floats saturates"
)]
fn row_of(y: f32) -> usize {
    (y / ROW).floor() as usize
}

/// A function in words; what stands for several or for none says so.
fn words(session: &Session, held: &Held, of: &FlameBox) -> String {
    if of.nodes > 1 {
        let nodes = u64::try_from(of.nodes).unwrap_or(u64::MAX);
        return format!("{} more", counted(nodes, "function", "functions"));
    }
    if of.node == 0 {
        return "all allocations".to_owned();
    }
    let Some(id) = frame_of(held, of) else {
        return "no stack recorded".to_owned();
    };
    let open = session.snapshot.open.as_deref();
    open.and_then(|open| Some(open.snapshot.frame_words(open.snapshot.frames.get(id)?)))
        .unwrap_or_default()
}

fn frame_of(held: &Held, of: &FlameBox) -> Option<FrameId> {
    held.tree.nodes.get(of.node)?.frame
}

fn hover(session: &Session, held: &Held, of: &FlameBox) -> String {
    let count = held.tree.nodes.get(of.node).map_or(0, |n| n.count);
    let mut lines = vec![words(session, held, of), exact(of.bytes)];
    lines.push(format!(
        "{} of all that is listed",
        percent(of.bytes, held.bytes)
    ));
    if of.nodes == 1 {
        lines.push(counted(count, "allocation", "allocations"));
    }
    lines.join("\n")
}

#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn paint(
    ui: &Ui,
    session: &Session,
    theme: &Theme,
    held: &Held,
    area: Rect,
    of: &FlameBox,
    lit: bool,
) {
    let (from, to) = (area.left() + of.from as f32, area.left() + of.to as f32);
    let top = area.top() + ROW * count(of.depth);
    let wide = to - from >= 4.0;
    let rect = Rect::from_min_max(
        pos2(from, top),
        pos2(if wide { to - 1.0 } else { to }, top + ROW - 1.0),
    );
    if !ui.is_rect_visible(rect) {
        return;
    }
    // The program's own functions in the colour of work; the library's and what is merged stand back.
    let open = session.snapshot.open.as_deref();
    let is_own = open.is_some_and(|open| {
        frame_of(held, of).is_some_and(|frame| open.sites.is_of_program(frame))
    });
    let color = if is_own && of.nodes == 1 {
        theme.computation
    } else {
        theme.host
    };
    let color = if lit { theme.emphasised(color) } else { color };
    ui.painter().rect_filled(rect, 2.0, color);
    if rect.width() > 36.0 {
        let text = format!("{}  {}", words(session, held, of), mib(of.bytes));
        let font = FontId::proportional(11.5);
        let cut = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        let most = (rect.width() - 8.0).max(0.0);
        let mut job = egui::text::LayoutJob::simple_singleline(text, font, theme.text_on_slice);
        job.wrap = egui::text::TextWrapping::truncate_at_width(most);
        let galley = cut.layout_job(job);
        let at = Align2::LEFT_CENTER.anchor_size(pos2(from + 4.0, rect.center().y), galley.size());
        cut.galley(at.min, galley, theme.text_on_slice);
    }
}
