//! Segments as strips of blocks, grouped by pool; the block under the pointer and the selected one.

mod details;
mod ink;

use super::super::controls::{Weight, counted, text_button, weak};
use super::super::panels::csv_buttons;
use super::super::theme::Theme;
use super::words::{exact, mib};
use super::{fit::key, site_lines};
use crate::session::{Action, CsvPanel, InkBy, Moment, Session, SnapshotAction, SnapshotTable};
use crate::snapshot::strips::{Group, Row, StripView};
use crate::snapshot::{Block, Layout, PoolSize};
use egui::{
    Align, Align2, ComboBox, FontId, Layout as Place, Pos2, Rect, Response, Role, ScrollArea,
    Sense, Ui, WidgetInfo, pos2, vec2,
};
use ink::Ink;

/// Height of a strip.
const STRIP: f32 = 20.0;
/// Height of a strip with the air below it.
const ROW: f32 = 24.0;
/// Height of the heading of a pool.
const HEAD: f32 = 24.0;

/// What strips are drawn from.
struct Strips<'a> {
    session: &'a Session,
    theme: &'a Theme,
    moment: &'a Moment,
    layout: Layout<'a>,
    view: StripView,
    ink: Ink,
    /// The selected block, a place in the layout's blocks.
    selected: Option<usize>,
    /// Where strips are drawn, from the top of the first group.
    area: Rect,
}

/// Shows them, and the details of the selected block.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let allocator = &session.snapshot;
    let Some(((open, _, _), (moment, is_current))) =
        allocator.focused().zip(allocator.shown_moment())
    else {
        return;
    };
    let faded = theme.faded();
    let theme = if is_current { theme } else { &faded };
    let layout = moment.layout(open, allocator.device);
    let ink = Ink::of(session, &moment.strips);
    toolbar(ui, session, theme, &ink, out);
    if layout.segments.is_empty() {
        ui.label(weak(
            theme,
            "The allocator had taken nothing from the driver at this moment.",
        ));
        return;
    }
    details::ui(ui, session, theme, layout, out);
    let tall = moment.strips.groups.iter();
    let tall = tall.map(|group| HEAD + ROW * count(group.rows.len())).sum();
    ScrollArea::vertical()
        .id_salt("strips")
        .auto_shrink([false, false])
        .show_viewport(ui, |ui, viewport| {
            let size = vec2(ui.available_width(), tall);
            let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
            let name = "Blocks of the allocator";
            response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, name));
            let whole = StripView::fit(moment.strips.width, f64::from(area.width()));
            let strips = Strips {
                session,
                theme,
                moment,
                layout,
                view: allocator.strips.unwrap_or(whole),
                ink,
                selected: allocator.selected.and_then(|at| layout.block_at(at)),
                area,
            };
            let shown = viewport.y_range();
            strips.paint(ui, shown.min, shown.max);
            strips.input(ui, &response, out);
            strips.reveal(ui, out);
            strips.hover(ui, response);
        });
}

#[expect(clippy::cast_precision_loss, reason = "rows on a screen")]
fn count(number: usize) -> f32 {
    number as f32
}

/// How many rows lie wholly above a height, less one for rounding.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rows on a screen; a cast of floats saturates"
)]
fn above(height: f32) -> usize {
    (height / ROW - 1.0) as usize
}

fn toolbar(ui: &mut Ui, session: &Session, theme: &Theme, ink: &Ink, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        ui.spacing_mut().item_spacing.x = 5.0;
        ui.label(weak(theme, "Colour by"));
        let chosen = session.snapshot.ink;
        let combo = ComboBox::from_id_salt("colour of blocks")
            .selected_text(chosen.title())
            .width(84.0)
            .show_ui(ui, |ui| {
                for ink in InkBy::ALL {
                    if ui.selectable_label(ink == chosen, ink.title()).clicked() {
                        out.push(Action::Snapshot(SnapshotAction::Ink(ink)));
                    }
                }
            });
        combo.response.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::ComboBox, true, "Colour of blocks");
            info.current_text_value = Some(chosen.title().to_owned());
            info
        });
        ui.add_space(6.0);
        ui.with_layout(Place::right_to_left(Align::Center), |ui| {
            let panel = CsvPanel::Snapshot(SnapshotTable::Blocks);
            csv_buttons(ui, theme, "Blocks", panel, out);
            if session.snapshot.strips.is_some()
                && text_button(ui, theme, None, "Whole width", Weight::Normal).clicked()
            {
                out.push(Action::Snapshot(SnapshotAction::Strips(None)));
            }
            ui.with_layout(
                Place::left_to_right(Align::Center).with_main_wrap(true),
                |ui| {
                    for (color, words) in ink.legend(theme) {
                        key(ui, color, &words);
                        ui.add_space(5.0);
                    }
                    ink::free_key(ui, theme);
                },
            );
        });
    });
}

/// A pool in words.
fn group_words(group: &Group) -> String {
    let pool = group.pool;
    let size = match pool.size {
        PoolSize::Small => "Small pool",
        PoolSize::Large => "Large pool",
    };
    let mut words = format!("{size} · stream {}", pool.stream);
    if pool.id.is_private() {
        words = format!("{words} · private pool {}.{}", pool.id.0, pool.id.1);
    }
    if group.is_expandable {
        words.push_str(" · expandable");
    }
    let segments = u64::try_from(group.segments).unwrap_or(u64::MAX);
    format!(
        "{words} · {} in {}",
        mib(group.bytes),
        counted(segments, "segment", "segments")
    )
}

impl<'a> Strips<'a> {
    /// The groups with the place of each from the top.
    fn groups(&self) -> impl Iterator<Item = (&'a Group, f32)> {
        let mut y = 0.0;
        self.moment.strips.groups.iter().map(move |group| {
            let top = y;
            y += HEAD + ROW * count(group.rows.len());
            (group, top)
        })
    }

    /// Rows with the place of each from the top, between two heights.
    fn rows(&self, from: f32, to: f32) -> impl Iterator<Item = (&'a Row, f32)> {
        self.groups()
            .flat_map(move |(group, top)| {
                // There may be many rows above: they are passed without a look at each.
                let rows = group.rows.iter().enumerate();
                let rows = rows.skip(above(from - top - HEAD));
                rows.map(move |(at, row)| (row, top + HEAD + ROW * count(at)))
            })
            .skip_while(move |(_, y)| y + ROW < from)
            .take_while(move |(_, y)| *y <= to)
    }

    fn paint(&self, ui: &Ui, from: f32, to: f32) {
        // What is zoomed ends with its column.
        let seen = ui.clip_rect().intersect(self.area.expand(2.0));
        let painter = &ui.painter().with_clip_rect(seen);
        for (group, top) in self.groups() {
            if top + HEAD >= from && top <= to {
                let at = pos2(self.area.left(), self.area.top() + top + HEAD - 6.0);
                let font = FontId::proportional(12.0);
                painter.text(
                    at,
                    Align2::LEFT_BOTTOM,
                    group_words(group),
                    font,
                    self.theme.text,
                );
            }
        }
        let px = f64::from(self.area.width());
        for (row, y) in self.rows(from, to) {
            let top = self.area.top() + y;
            let strip = Rect::from_x_y_ranges(self.area.x_range(), top..=top + STRIP);
            let pieces = self.moment.strips.pieces(row, self.layout, self.view, px);
            ink::paint(painter, self, strip, &pieces);
            ink::edges(painter, self, strip, row);
            ink::selection(painter, self, strip, row);
        }
    }

    /// The block under a point, a place in the layout's blocks.
    fn block_at(&self, at: Pos2) -> Option<usize> {
        let y = at.y - self.area.top();
        let (row, top) = self.rows(y - ROW, y).last()?;
        if y < top || y > top + STRIP {
            return None;
        }
        row.block_at(self.layout, self.view, self.px(at))
    }

    fn px(&self, at: Pos2) -> f64 {
        f64::from(at.x - self.area.left())
    }

    fn input(&self, ui: &Ui, response: &Response, out: &mut Vec<Action>) {
        let (width, px) = (self.moment.strips.width, f64::from(self.area.width()));
        let send = |out: &mut Vec<Action>, view: StripView| {
            let whole = StripView::fit(width, px);
            let view = (view != whole).then_some(view);
            out.push(Action::Snapshot(SnapshotAction::Strips(view)));
        };
        if ui.rect_contains_pointer(self.area) {
            let (zoom, at) = ui.input(|i| (i.zoom_delta(), i.pointer.hover_pos()));
            if (zoom - 1.0).abs() > 1e-4
                && let Some(at) = at
            {
                send(out, self.view.zoom(f64::from(zoom), self.px(at), width, px));
            }
        }
        if response.dragged() {
            let delta = ui.input(|i| i.pointer.delta());
            if delta.x != 0.0 {
                send(out, self.view.pan(f64::from(-delta.x), width, px));
            }
            if delta.y != 0.0 {
                ui.scroll_with_delta(vec2(0.0, delta.y));
            }
        }
        if response.double_clicked() {
            out.push(Action::Snapshot(SnapshotAction::Strips(None)));
        } else if response.clicked()
            && let Some(at) = response.interact_pointer_pos()
        {
            let block = self.block_at(at).and_then(|at| self.layout.blocks.get(at));
            let address = block.map(|block| block.address);
            out.push(Action::Snapshot(SnapshotAction::Select(address)));
        }
    }

    /// Scrolls to the selected block where that is asked for.
    fn reveal(&self, ui: &Ui, out: &mut Vec<Action>) {
        let allocator = &self.session.snapshot;
        if !allocator.reveal {
            return;
        }
        out.push(Action::Snapshot(SnapshotAction::Revealed));
        let Some(address) = allocator.selected else {
            return;
        };
        let segment = self.layout.segment_at(address);
        let row = segment.and_then(|at| self.moment.strips.row_of(at));
        if let Some((group, row)) = row
            && let Some((_, top)) = self.groups().nth(group)
        {
            let y = self.area.top() + top + HEAD + ROW * count(row);
            let strip = Rect::from_x_y_ranges(self.area.x_range(), y..=y + STRIP);
            ui.scroll_to_rect(strip, Some(Align::Center));
        }
    }

    fn hover(&self, _ui: &Ui, response: Response) {
        if response.dragged() {
            return;
        }
        let block = response
            .hover_pos()
            .and_then(|at| self.block_at(at))
            .and_then(|at| self.layout.blocks.get(at));
        if let Some(block) = block {
            let words = block_lines(self.session, block).join("\n");
            response.on_hover_text_at_pointer(words);
        }
    }
}

/// What is told of a block under the pointer.
fn block_lines(session: &Session, block: &Block) -> Vec<String> {
    let mut lines = vec![
        format!("{} at {:#x}", block.state.label(), block.address),
        exact(block.size),
    ];
    if block.requested > 0 && block.requested != block.size {
        lines.push(format!("asked for {}", exact(block.requested)));
    }
    lines.extend(site_lines(session, block.stack, 5));
    lines
}
