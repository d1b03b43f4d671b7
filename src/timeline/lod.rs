//! Level of detail for slices: what of a sub-row is drawn at a scale.
//!
//! Slices of at least [`OWN_QUAD_PX`] pixels get a quad of their own. Narrower ones are folded: one
//! quad a pixel column, which carries the share of that column's time by class. Where few slices
//! are in view they are walked; where many are, every column is measured by a short search, and the
//! wide slices among them are found by the longest of each block. The cost is a few searches a
//! pixel, whatever the number of slices.
//!
//! ```text
//! slices   #####   ||  |  #|#||||###   ########
//! columns  |   |   |   |   |   |   |   |   |   |
//! quads    #####   +---+---+-----------########     + one folded quad a column
//! ```

use super::columns::Columns;
use super::draw::{LaneDraw, Quad, SliceQuad, What};
use super::lanes::LaneRow;
use super::rows::{self, Row, RowIndex};
use super::scale::{column, column_px, draw_px, ns_f64};
use super::view::View;
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Rank, RankId, Slice, SliceRef};

/// From this width on a slice is drawn by itself.
pub const OWN_QUAD_PX: f64 = 2.0;
/// With more slices a column than this, columns are measured instead of walked.
pub(super) const WALKED: usize = 4;
/// Below this scale a column may hold no nanosecond at all, so there is nothing to measure.
const LEAST_MEASURED: f64 = 1.0;

/// What to draw of a lane of slices.
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
    let mut kept = Vec::new();
    refill(
        rank,
        lane,
        index,
        &Screen {
            view,
            width_px,
            edges: &edges,
            walked,
        },
        &mut kept,
        &mut out,
    );
    out
}

/// What the lanes of one frame have in common.
#[derive(Clone, Copy, Debug)]
pub struct Screen<'a> {
    /// What part of time is shown.
    pub view: &'a View,
    /// On how many pixels.
    pub width_px: f64,
    /// [`View::edges`] of the two.
    pub edges: &'a [Ns],
    /// With more slices a column than this, columns are measured instead of walked.
    pub walked: usize,
}

/// The same as [`slices`] in memory that was used before, with columns of the frame before.
pub fn refill(
    rank: &Rank,
    lane: &LaneRow,
    index: Option<&RowIndex>,
    screen: &Screen<'_>,
    kept: &mut Vec<Columns>,
    out: &mut LaneDraw,
) {
    out.quads.clear();
    kept.resize_with(usize::from(lane.sub_rows), Columns::default);
    for (sub_row, columns) in (0..lane.sub_rows).zip(kept) {
        let Some(row) = rows::row(rank, lane, index, sub_row) else {
            continue;
        };
        let shown = screen.view.visible(screen.width_px);
        let first = row.first_reaching(shown.start());
        let last = row.first_from(first, shown.end());
        let fold = Fold {
            rank: rank.id,
            row,
            sub_row,
            screen,
        };
        let many = screen.walked.saturating_mul(screen.edges.len());
        let is_fine = screen.view.ns_per_px < LEAST_MEASURED;
        if row.is_indexed() && !is_fine && last - first > many {
            let times = columns.measure(&row, screen.edges);
            fold.measured(first..last, times, &mut out.quads);
        } else {
            fold.walked(first, shown.end(), &mut out.quads);
        }
    }
}

/// One sub-row on its way to the draw list.
struct Fold<'a> {
    rank: RankId,
    row: Row<'a>,
    sub_row: u16,
    screen: &'a Screen<'a>,
}

impl Fold<'_> {
    /// Goes from slice to slice.
    fn walked(&self, first: usize, end: Ns, out: &mut Vec<Quad>) {
        let view = self.screen.view;
        let last_column = column(self.screen.width_px.max(0.0) - 1e-9);
        // The first column that no folded quad covers yet.
        let mut free = 0;
        let mut i = first;
        while let Some(slice) = self.row.get(i).filter(|s| s.start() < end) {
            if is_wide(&slice, view) {
                out.push(self.own(&slice));
                i += 1;
                continue;
            }
            let at = view.column_of(slice.start()).max(free);
            if at > last_column {
                break;
            }
            let window = view.column(at);
            let (times, past) = self.row.walk(i, window);
            out.push(self.folded(at, &times, window.len()));
            free = at + 1;
            // What starts past this column comes next, or a slice of this one that reaches beyond it.
            let next = past.max(i + 1);
            i = match self.row.get(next - 1) {
                Some(last) if last.end() > window.end() || is_wide(&last, view) => next - 1,
                _ => next,
            };
        }
    }

    /// Goes from column to column, each of which was measured.
    fn measured(&self, places: std::ops::Range<usize>, times: &[rows::Times], out: &mut Vec<Quad>) {
        let view = self.screen.view;
        let mut wide = Vec::new();
        let least = DurNs(column((OWN_QUAD_PX * view.ns_per_px).ceil()));
        self.row.long(places, least, |slice| wide.push(slice));
        let mut left = wide.as_slice();
        for (at, (pair, times)) in (0..).zip(self.screen.edges.windows(2).zip(times)) {
            let [start, end] = pair else { continue };
            let window = Window::new(*start, *end);
            // What the wide slices take of the column is theirs; the rest is folded.
            let mut narrow = times.total();
            while let Some((slice, rest)) = left.split_first()
                && slice.start() < *end
            {
                // It comes up first in the column that it begins in, or in the first of all.
                if slice.start() >= *start || at == 0 {
                    out.push(self.own(slice));
                }
                narrow = narrow - slice.window().clip(window).map_or(DurNs::ZERO, Window::len);
                if slice.end() > *end {
                    break;
                }
                left = rest;
            }
            if narrow > DurNs::ZERO || self.row.has_point(window) {
                out.push(self.folded(at, times, window.len()));
            }
        }
    }

    fn folded(&self, at: i64, times: &rows::Times, whole: DurNs) -> Quad {
        Quad {
            x0: column_px(at),
            x1: column_px(at) + 1.0,
            row: self.sub_row,
            what: What::Folded(times.shares(whole)),
        }
    }

    fn own(&self, slice: &Slice<'_>) -> Quad {
        let px = |at| draw_px(self.screen.view.x_of(at), self.screen.width_px);
        Quad {
            x0: px(slice.start()),
            x1: px(slice.end()),
            row: self.sub_row,
            what: What::Slice(SliceQuad {
                slice: SliceRef {
                    rank: self.rank,
                    slice: slice.id(),
                },
                name: slice.name(),
                class: slice.class(),
                category: slice.category(),
            }),
        }
    }
}

fn is_wide(slice: &Slice<'_>, view: &View) -> bool {
    ns_f64(slice.dur()) >= OWN_QUAD_PX * view.ns_per_px
}
