//! What every part of the lanes needs to know in one frame: where things are.

use crate::session::Session;
use crate::time::{Ns, Window};
use crate::timeline::{LaneRow, View};
use crate::trace::Trace;
use crate::ui::theme::Theme;
use egui::{Rangef, Rect, pos2};

/// Width of the names at the left; the ruler, the overview and the step strip keep it free.
const GUTTER: f32 = 180.0;
/// Room for the scroll bar at the right.
pub(super) const RIGHT: f32 = 9.0;

/// The gutter and the part where time is drawn.
pub(in crate::ui) fn split(area: Rect) -> (Rect, Rect) {
    let at = (area.left() + GUTTER).min(area.right()).round();
    let end = (area.right() - RIGHT).max(at).round();
    (
        Rect::from_min_max(area.min, pos2(at, area.bottom())),
        Rect::from_min_max(pos2(at, area.top()), pos2(end, area.bottom())),
    )
}

/// One frame of the lanes.
pub(in crate::ui) struct Frame<'a> {
    pub(in crate::ui) session: &'a Session,
    pub(in crate::ui) trace: &'a Trace,
    pub(in crate::ui) theme: &'a Theme,
    pub(in crate::ui) view: View,
    /// Where time is drawn.
    pub(in crate::ui) tracks: Rect,
    /// Where lanes are named.
    pub(in crate::ui) gutter: Rect,
    /// How far the lanes are scrolled.
    pub(in crate::ui) scroll: f32,
    /// The lanes that are on screen.
    pub(in crate::ui) visible: &'a [LaneRow],
}

impl Frame<'_> {
    /// Where an instant is drawn; just outside for one that is not on screen.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "clamped to the width of the screen"
    )]
    pub(in crate::ui) fn x(&self, at: Ns) -> f32 {
        let width = f64::from(self.tracks.width());
        self.tracks.left() + self.view.x_of(at).clamp(-20.0, width + 20.0) as f32
    }

    /// Both edges of a window.
    pub(in crate::ui) fn span(&self, window: Window) -> Rangef {
        Rangef::new(self.x(window.start()), self.x(window.end()))
    }

    /// A screen position as pixels from the view's left edge.
    pub(in crate::ui) fn px(&self, x: f32) -> f64 {
        f64::from(x - self.tracks.left())
    }

    /// Where a height in the list of lanes is drawn.
    pub(in crate::ui) fn y(&self, y: f32) -> f32 {
        (self.tracks.top() + y - self.scroll).round()
    }

    /// The lane under a height on the screen, and the distance from its top.
    pub(in crate::ui) fn lane_at(&self, y: f32) -> Option<(&LaneRow, f32)> {
        self.lanes_at(y).next()
    }

    /// The same for all lanes that share the place.
    pub(in crate::ui) fn lanes_at(&self, y: f32) -> impl Iterator<Item = (&LaneRow, f32)> {
        let at = y - self.tracks.top() + self.scroll;
        let lanes = self.visible.iter();
        lanes
            .filter(move |l| l.top <= at && at < l.bottom())
            .map(move |lane| (lane, at - lane.top))
    }

    /// The rectangle of a stretch of one sub-row.
    pub(in crate::ui) fn cell(&self, lane: &LaneRow, row: u16, xs: Rangef) -> Rect {
        let height = lane.row_height();
        let top = self.y(lane.top + f32::from(row) * height);
        let air = if height >= 8.0 && lane.sub_rows > 1 {
            1.0
        } else {
            0.0
        };
        let bottom = self.y(lane.top + f32::from(row + 1) * height) - air;
        Rect::from_x_y_ranges(xs, Rangef::new(top, bottom))
    }
}
