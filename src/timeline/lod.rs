//! Level of detail for slices: what of a sub-row is drawn at a scale.
//!
//! Slices of at least [`OWN_QUAD_PX`] pixels get a quad of their own. Narrower ones are folded: each
//! pixel column carries the share of its time by class, which `columns` finds. Where many slices are
//! in view, the wide ones among them are found by the longest of each block.
//!
//! ```text
//! slices   #####   ||  |  #|#||||###   ########
//! columns  |   |   |   |   |   |   |   |   |   |
//! quads    #####   +---+---+-----------########     + one folded quad a column
//! ```
//!
//! What a column says depends on its own time and the scale alone, so it can be kept while the view
//! moves by whole pixels.

use super::columns::WALKED;
use super::draw::{LaneDraw, Quad, SliceQuad, What};
use super::lanes::LaneRow;
use super::rows::{self, Row, RowIndex};
use super::scale::{column, column_px, draw_px, ns_f64};
use super::view::View;
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Rank, RankId, Slice, SliceRef};
use std::ops::Range;

/// From this width on a slice is drawn by itself.
pub const OWN_QUAD_PX: f64 = 2.0;
/// What to draw of a lane of slices, by sub-row and from left to right.
#[must_use]
pub fn slices(
    rank: &Rank,
    lane: &LaneRow,
    index: Option<&RowIndex>,
    view: &View,
    width_px: f64,
) -> LaneDraw {
    draw(rank, lane, index, (view, width_px), WALKED)
}

/// [`slices`] with another limit for what is walked.
pub(super) fn draw(
    rank: &Rank,
    lane: &LaneRow,
    index: Option<&RowIndex>,
    (view, width_px): (&View, f64),
    walked: usize,
) -> LaneDraw {
    let mut out = LaneDraw::default();
    let edges = view.edges(width_px);
    let columns = Columns {
        range: 0..View::columns(width_px),
        edges: &edges,
    };
    for sub_row in 0..lane.sub_rows {
        let Some(row) = rows::row(rank, lane, index, sub_row) else {
            continue;
        };
        let at_scale = Line { row, view };
        at_scale.own(view.visible(width_px), |slice| {
            out.quads
                .push(own_quad(rank.id, sub_row, view, width_px, &slice));
        });
        at_scale.folded(&columns, walked, |at, shares| {
            out.quads.push(Quad {
                x0: column_px(at),
                x1: column_px(at) + 1.0,
                row: sub_row,
                what: What::Folded(*shares),
            });
        });
    }
    out.quads
        .sort_by(|a, b| (a.row.cmp(&b.row)).then(a.x0.total_cmp(&b.x0)));
    out
}

/// The quad of a slice that is drawn by itself.
pub(super) fn own_quad(
    rank: RankId,
    row: u16,
    view: &View,
    width_px: f64,
    slice: &Slice<'_>,
) -> Quad {
    let px = |at| draw_px(view.x_of(at), width_px);
    Quad {
        x0: px(slice.start()),
        x1: px(slice.end()),
        row,
        what: What::Slice(SliceQuad {
            slice: SliceRef {
                rank,
                slice: slice.id(),
            },
            name: slice.name(),
            class: slice.class(),
            category: slice.category(),
        }),
    }
}

/// Pixel columns next to each other, with where they begin and where the last one ends.
#[derive(Clone, Debug)]
pub(super) struct Columns<'a> {
    /// Their numbers from the view's left edge.
    pub(super) range: Range<i64>,
    /// One more than there are columns; none where there is no column.
    pub(super) edges: &'a [Ns],
}

impl Columns<'_> {
    /// All their time.
    pub(super) fn window(&self) -> Option<Window> {
        Some(Window::new(*self.edges.first()?, *self.edges.last()?))
    }
}

/// One sub-row at one scale.
pub(super) struct Line<'a> {
    pub(super) row: Row<'a>,
    pub(super) view: &'a View,
}

impl<'a> Line<'a> {
    /// The slices of a stretch of time that are drawn by themselves, from left to right.
    pub(super) fn own(&self, shown: Window, mut found: impl FnMut(Slice<'a>)) {
        let first = self.row.first_reaching(shown.start());
        let last = self.row.first_from(first, shown.end());
        if self.row.is_indexed() {
            self.row.long(first..last, self.least_wide(), found);
            return;
        }
        for slice in (first..last).filter_map(|i| self.row.get(i)) {
            if self.is_wide(&slice) {
                found(slice);
            }
        }
    }

    pub(super) fn is_wide(&self, slice: &Slice<'_>) -> bool {
        ns_f64(slice.dur()) >= OWN_QUAD_PX * self.view.ns_per_px
    }

    /// The shortest length that is wide.
    pub(super) fn least_wide(&self) -> DurNs {
        DurNs(column((OWN_QUAD_PX * self.view.ns_per_px).ceil()))
    }
}
