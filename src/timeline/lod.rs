//! Level of detail for slices: what of a sub-row is drawn at a scale.
//!
//! Slices of at least [`OWN_QUAD_PX`] pixels get a quad of their own. Narrower ones are folded: one
//! quad a pixel column, which carries the share of that column's time by class, and then a jump by
//! binary search to the first slice past the column. The cost is a few searches a pixel, whatever
//! the number of slices.
//!
//! ```text
//! slices   #####   ||  |  #|#||||###   ########
//! columns  |   |   |   |   |   |   |   |   |   |
//! quads    #####   +---+---+-----------########     + one folded quad a column
//! ```

use super::draw::{LaneDraw, Quad, SliceQuad, What};
use super::lanes::LaneRow;
use super::rows::{self, Row, RowIndex};
use super::scale::{column, column_px, draw_px, ns_f64};
use super::view::View;
use crate::trace::{Rank, RankId, Slice, SliceRef};

/// From this width on a slice is drawn by itself.
pub const OWN_QUAD_PX: f64 = 2.0;

/// What to draw of a lane of slices.
#[must_use]
pub fn slices(
    rank: &Rank,
    lane: &LaneRow,
    index: Option<&RowIndex>,
    view: &View,
    width_px: f64,
) -> LaneDraw {
    let mut out = LaneDraw::default();
    for sub_row in 0..lane.sub_rows {
        if let Some(row) = rows::row(rank, lane, index, sub_row) {
            fold(rank.id, row, sub_row, view, width_px, &mut out.quads);
        }
    }
    out
}

fn fold(rank: RankId, row: Row<'_>, sub_row: u16, view: &View, width_px: f64, out: &mut Vec<Quad>) {
    let shown = view.visible(width_px);
    let last_column = column(width_px.max(0.0) - 1e-9);
    // The first column that no folded quad covers yet.
    let mut free = 0;
    let mut i = row.first_reaching(shown.start());
    while let Some(slice) = row.get(i) {
        if slice.start() >= shown.end() {
            break;
        }
        if is_wide(&slice, view) {
            let px = |at| draw_px(view.x_of(at), width_px);
            out.push(own(
                rank,
                &slice,
                sub_row,
                px(slice.start()),
                px(slice.end()),
            ));
            i += 1;
            continue;
        }
        let at = view.column_of(slice.start()).max(free);
        if at > last_column {
            break;
        }
        let window = view.column(at);
        out.push(Quad {
            x0: column_px(at),
            x1: column_px(at) + 1.0,
            row: sub_row,
            what: What::Folded(row.shares(window)),
        });
        free = at + 1;
        // What starts past this column comes next, or a slice of this one that reaches beyond it.
        let next = row.first_from(i, window.end()).max(i + 1);
        i = match row.get(next - 1) {
            Some(last) if last.end() > window.end() || is_wide(&last, view) => next - 1,
            _ => next,
        };
    }
}

fn is_wide(slice: &Slice<'_>, view: &View) -> bool {
    ns_f64(slice.dur()) >= OWN_QUAD_PX * view.ns_per_px
}

fn own(rank: RankId, slice: &Slice<'_>, row: u16, x0: f32, x1: f32) -> Quad {
    Quad {
        x0,
        x1,
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
