//! Level of detail for slices: what of a sub-row is drawn at a scale.
//!
//! Slices of at least [`OWN_QUAD_PX`] pixels get a quad of their own. Narrower ones are folded: each
//! pixel column carries the share of its time by class. Where few slices are in view they are
//! walked; where many are, every column is measured by a short search, and the wide slices among
//! them are found by the longest of each block. The cost is a few searches a pixel, whatever the
//! number of slices.
//!
//! ```text
//! slices   #####   ||  |  #|#||||###   ########
//! columns  |   |   |   |   |   |   |   |   |   |
//! quads    #####   +---+---+-----------########     + one folded quad a column
//! ```
//!
//! What a column says depends on its own time and the scale alone, so it can be kept while the view
//! moves by whole pixels.

use super::draw::{LaneDraw, Quad, SliceQuad, What};
use super::lanes::LaneRow;
use super::rows::{self, Row, RowIndex, Shares, Times};
use super::scale::{column, column_px, draw_px, ns_f64};
use super::view::View;
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Rank, RankId, Slice, SliceRef};
use std::ops::Range;

/// From this width on a slice is drawn by itself.
pub const OWN_QUAD_PX: f64 = 2.0;
/// With more slices a column than this, columns are measured instead of walked.
pub(super) const WALKED: usize = 4;
/// Below this scale a column may hold no nanosecond at all, so there is nothing to measure.
const LEAST_MEASURED: f64 = 1.0;

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
        at_scale.folded(&columns, walked, |at, times, whole| {
            out.quads.push(Quad {
                x0: column_px(at),
                x1: column_px(at) + 1.0,
                row: sub_row,
                what: What::Folded(Shares::new(times, whole)),
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

    /// Calls `found` with each column that narrow slices have a part in: its number, its time by
    /// what ran, and its length.
    pub(super) fn folded(
        &self,
        columns: &Columns<'_>,
        walked: usize,
        found: impl FnMut(i64, &Times, DurNs),
    ) {
        let Some(shown) = columns.window() else {
            return;
        };
        let first = self.row.first_reaching(shown.start());
        let last = self.row.first_from(first, shown.end());
        if first >= last {
            return;
        }
        let many = walked.saturating_mul(columns.edges.len());
        let is_fine = self.view.ns_per_px < LEAST_MEASURED;
        if self.row.is_indexed() && !is_fine && last - first > many {
            self.measured(first..last, columns, found);
        } else {
            self.walked(first, columns, shown.end(), found);
        }
    }

    /// Goes from slice to slice.
    fn walked(
        &self,
        first: usize,
        columns: &Columns<'_>,
        end: Ns,
        mut found: impl FnMut(i64, &Times, DurNs),
    ) {
        // The first column that was not told yet.
        let mut free = columns.range.start;
        let mut i = first;
        while let Some(slice) = self.row.get(i).filter(|s| s.start() < end) {
            if self.is_wide(&slice) {
                i += 1;
                continue;
            }
            let at = self.view.column_of(slice.start()).max(free);
            if at >= columns.range.end {
                break;
            }
            let window = self.view.column(at);
            let (times, past) = self.row.walk(i, window);
            found(at, &times, window.len());
            free = at + 1;
            // What starts past this column comes next, or a slice of this one that reaches beyond it.
            let next = past.max(i + 1);
            i = match self.row.get(next - 1) {
                Some(last) if last.end() > window.end() || self.is_wide(&last) => next - 1,
                _ => next,
            };
        }
    }

    /// Goes from column to column.
    fn measured(
        &self,
        places: Range<usize>,
        columns: &Columns<'_>,
        mut found: impl FnMut(i64, &Times, DurNs),
    ) {
        let mut wide = Vec::new();
        self.row
            .long(places, self.least_wide(), |slice| wide.push(slice.window()));
        let mut left = wide.as_slice();
        let mut at = columns.range.start;
        let mut pairs = columns.edges.windows(2);
        let mut before: Option<Times> = None;
        self.row.elapsed(columns.edges, |until| {
            let Some(start_total) = before.replace(until) else {
                return;
            };
            let Some([start, end]) = pairs.next() else {
                return;
            };
            let window = Window::new(*start, *end);
            let times = until.since(&start_total);
            // What the wide slices take of the column is theirs; the rest is folded.
            let mut narrow = times.total();
            while let Some((slice, rest)) = left.split_first()
                && slice.start() < *end
            {
                narrow = narrow - slice.clip(window).map_or(DurNs::ZERO, Window::len);
                if slice.end() > *end {
                    break;
                }
                left = rest;
            }
            if narrow > DurNs::ZERO || self.row.has_point(window) {
                found(at, &times, window.len());
            }
            at += 1;
        });
    }

    fn is_wide(&self, slice: &Slice<'_>) -> bool {
        ns_f64(slice.dur()) >= OWN_QUAD_PX * self.view.ns_per_px
    }

    /// The shortest length that is wide.
    fn least_wide(&self) -> DurNs {
        DurNs(column((OWN_QUAD_PX * self.view.ns_per_px).ceil()))
    }
}
