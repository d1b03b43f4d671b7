//! The lanes: what ran when, on every stream of every device.
//!
//! [`ui`] draws the visible lanes as one mesh from the draw lists of `timeline`, and turns drags,
//! clicks and the wheel into actions. It keeps nothing but [`LaneCache`]: pictures keyed by values,
//! and the drag that is going on. The gutter at the left names the lanes, the legend below the
//! marks.

mod arrows;
mod dimension;
mod frame;
mod gutter;
pub(super) mod hits;
mod ink;
mod input;
mod labels;
mod legend;
mod marks;
mod memory;
mod menu;
mod overlay;
mod paint;
mod shade;
mod snapshot;
mod strips;
mod tooltip;

pub(super) use frame::{Frame, split};
pub(super) use input::brush;
pub use input::{Drag, is_dragging};
pub(super) use labels::{elided, short_name};

use super::theme::Theme;
use crate::session::{Action, Session, TraceSide};
use crate::timeline::draw::Split as Shares;
use crate::timeline::lanes::{self, LaneKey, LaneRow};
use crate::timeline::{LaneState, Scene, SceneKey};
use crate::trace::{Hits, Trace};
use egui::{Role, Sense, Ui, WidgetInfo, pos2};
use std::sync::Arc;

/// What the timeline's views keep from frame to frame.
#[derive(Default)]
pub struct LaneCache {
    scene: Scene,
    strips: strips::Strips,
    layout: Option<(LayoutKey, Arc<[LaneRow]>)>,
    labels: labels::Labels,
    /// Vertices and indices of the slices of the frame before.
    room: (usize, usize),
    drag: Drag,
    /// The view in which the drag began.
    dragged: Option<egui::Id>,
    /// Shares of the whole trace for the overview, by load and clipping.
    pub(super) overview: Option<(u64, bool, Vec<Shares>)>,
    /// The same as a picture.
    pub(super) overview_picture: Option<super::overview::Picture>,
    /// Where hits of the search are, in parts of the whole trace.
    pub(super) found: Option<(Arc<Hits>, Vec<bool>)>,
}

impl LaneCache {
    /// All lanes in the current state: those with hits alone where the search asks for that.
    pub(super) fn rows(&mut self, trace: &Trace, session: &Session) -> Arc<[LaneRow]> {
        let hits = session.shown_hits().filter(|_| session.search.only);
        let hits = hits.map(|shown| shown.hits).filter(|hits| !hits.is_empty());
        if let Some((key, rows)) = &self.layout
            && key.is_of(session, hits.as_ref())
        {
            return Arc::clone(rows);
        }
        let rows: Arc<[LaneRow]> = match &hits {
            Some(hits) => lanes::rows_with(trace, hits, &session.lanes.arranged).into(),
            None => lanes::rows(trace, &session.lanes).into(),
        };
        let key = LayoutKey {
            generation: session.generation,
            state: session.lanes.clone(),
            hits,
        };
        self.layout = Some((key, Arc::clone(&rows)));
        rows
    }

    /// Whether anything was drawn with it.
    #[must_use]
    pub(super) fn is_used(&self) -> bool {
        self.layout.is_some()
    }

    /// The pictures of the lanes that are on screen.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
}

/// What the list of lanes follows from.
struct LayoutKey {
    generation: u64,
    state: LaneState,
    hits: Option<Arc<Hits>>,
}

impl LayoutKey {
    fn is_of(&self, session: &Session, hits: Option<&Arc<Hits>>) -> bool {
        let same_hits = match (&self.hits, hits) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        self.generation == session.generation && self.state == session.lanes && same_hits
    }
}

/// Draws the lanes in the room that is left, with the legend below.
pub fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    cache: &mut LaneCache,
    out: &mut Vec<Action>,
) {
    draw(ui, session, theme, cache, legend::HEIGHT, out);
}

/// The same for lanes that stand over others, which have the legend.
pub(super) fn without_legend(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    cache: &mut LaneCache,
    out: &mut Vec<Action>,
) {
    draw(ui, session, theme, cache, 0.0, out);
}

fn draw(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    cache: &mut LaneCache,
    legend: f32,
    out: &mut Vec<Action>,
) {
    let Some(trace) = session.trace.as_deref() else {
        return;
    };
    let (whole, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let (area, below) = whole.split_top_bottom_at_y((whole.bottom() - legend).max(whole.top()));
    let has_memory = trace.ranks.iter().any(|rank| !rank.memory.is_empty());
    let has_memory = has_memory || session.lanes.snapshot.is_some();
    legend::ui(ui, below, theme, has_memory);
    let (gutter, tracks) = split(area);
    let width_px = f64::from(tracks.width());
    if (width_px - session.view_width).abs() >= 0.5 {
        out.push(Action::ViewWidth { px: width_px });
    }
    let response = ui.interact(tracks, ui.scope_id().with("lanes"), Sense::click_and_drag());
    let name = match session.side() {
        Some(TraceSide::B) => "Timeline of B",
        _ => "Timeline",
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, name));
    // The width is told first; a view follows in the next frame.
    let Some(view) = session.view else {
        return;
    };
    let rows = cache.rows(trace, session);
    let whole = lanes::total_height(&rows) + menu::foot(session);
    let most = (whole - area.height()).max(0.0);
    let scroll = session.scroll_y.clamp(0.0, most);
    if let Some(y) = session
        .reveal
        .and_then(|lane| reveal(&rows, lane, scroll, area.height()))
    {
        out.push(Action::ScrollLanes {
            y: y.clamp(0.0, most),
        });
    }
    let visible = lanes::visible(&rows, scroll, scroll + area.height());
    let key = SceneKey {
        generation: session.generation,
        clip: session.settings.clip_suspicious,
        view,
        width_px,
    };
    cache
        .scene
        .paint(trace, key, visible, &shade::Palette::new(theme));
    if let Some(levels) = session.snapshot_levels() {
        let of = (session.snapshot.generation, session.snapshot.device);
        cache.scene.paint_snapshot(visible, of, &levels);
    }
    let frame = Frame {
        session,
        trace,
        theme,
        view,
        tracks,
        gutter,
        scroll,
        visible,
    };
    let hovered = input::handle(ui, &frame, &response, cache, most, out);
    paint::lanes(ui, &frame, cache, hovered);
    let painter = ui.painter().with_clip_rect(tracks);
    arrows::draw(&painter, &frame, &rows);
    dimension::draw(&painter, &frame, &rows);
    gutter::ui(ui, &frame, out);
    scroll_bar(ui, &frame, most);
    if let Some(at) = response.hover_pos().filter(|_| cache.drag == Drag::None) {
        tooltip::show(&response, &frame, at, hovered);
    }
}

/// How far to scroll so that a lane is on screen: as far as now where it is already, else so that
/// it stands in the middle. `None` for a lane that is not there.
fn reveal(rows: &[LaneRow], lane: LaneKey, scroll: f32, height: f32) -> Option<f32> {
    let row = rows.iter().find(|row| row.key == lane)?;
    let is_shown = row.top >= scroll && row.bottom() <= scroll + height;
    if is_shown {
        return Some(scroll);
    }
    Some(row.top - ((height - row.height) / 2.0).max(0.0))
}

/// Shows how far the lanes are scrolled, where they do not fit.
fn scroll_bar(ui: &Ui, frame: &Frame<'_>, most: f32) {
    let room = frame.tracks.height();
    if most <= 0.0 || room <= 0.0 {
        return;
    }
    let size = (room * room / (room + most)).max(24.0).min(room);
    let top = frame.tracks.top() + (room - size) * (frame.scroll / most);
    let (left, right) = (frame.tracks.right() + 2.0, frame.tracks.right() + 7.0);
    let bar = egui::Rect::from_min_max(pos2(left, top), pos2(right, top + size));
    ui.painter().rect_filled(bar, 2.5, frame.theme.line_strong);
}
