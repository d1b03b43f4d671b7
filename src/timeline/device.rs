//! What is derived of one device, column by column, kept while the view moves.

use super::draw::{Span, Split};
use super::lanes::Derived;
use super::picture::{Ring, Shade, Strip};
use super::scale::column_px;
use super::scene::Edges;
use super::spans::{self, DeviceSpans};
use crate::time::Window;
use crate::trace::Activity;

/// Shares of one pixel column of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DeviceColumn {
    /// In the order of [`Derived::ALL`].
    pub(super) derived: [f32; 5],
    /// Communication that nothing hides.
    pub(super) exposed: f32,
    /// The five-way split.
    pub(super) split: Split,
}

impl DeviceColumn {
    /// The share in which a derived set holds.
    pub(super) fn of(&self, derived: Derived) -> f32 {
        derived.of(self.derived)
    }
}

/// What is drawn of a device besides its slices, in one view.
#[derive(Clone, Debug, Default)]
pub struct DeviceDraw {
    /// Communication that no computation hides.
    pub exposed: Vec<Span>,
    /// Computation and communication at once, where it is not in [`Self::band`].
    pub overlap: Vec<Span>,
    /// The same as a strip of one row of texels, from one nanosecond a pixel on.
    pub band: Strip,
    /// Below one nanosecond a pixel: everything by its pieces.
    pub(super) pieces: Option<DeviceSpans>,
    /// Above: a ring of columns, as in a strip.
    columns: Vec<DeviceColumn>,
    ring: Ring,
    /// The grid that the columns belong to.
    grid: u64,
}

impl DeviceDraw {
    /// Measures and paints the columns of a view that are not there.
    pub(super) fn measure(
        &mut self,
        activity: &Activity,
        extent: Window,
        edges: Edges<'_>,
        shade: &dyn Shade,
    ) {
        let wanted = &edges.grid.columns;
        let width = usize::try_from(wanted.end - wanted.start).unwrap_or(0);
        if self.grid != edges.grid.number || self.pieces.is_some() {
            self.band.reset(width, 1);
            self.columns.clear();
        }
        (self.pieces, self.grid) = (None, edges.grid.number);
        self.ring = Ring::new(width, wanted.start);
        self.columns.resize(width, DeviceColumn::default());
        for range in self.band.advance(wanted).iter().filter(|r| !r.is_empty()) {
            for places in self.ring.places(range) {
                let gone = self.columns.get_mut(places).unwrap_or_default();
                gone.fill(DeviceColumn::default());
            }
            spans::columns(activity, extent, &edges.columns(range), |number, column| {
                let at = wanted.start + number;
                if let Some(there) = self.columns.get_mut(self.ring.place(at)) {
                    *there = column;
                }
                let overlap = column.of(Derived::Overlap);
                if overlap > 0.0 {
                    self.band.put(at, &[shade.band(overlap)]);
                }
            });
        }
        self.exposed.clear();
        self.overlap.clear();
        for (at, number) in wanted.clone().zip(0..) {
            let exposed = self.column(at).exposed;
            let (x0, x1) = (column_px(number), column_px(number + 1));
            spans::extend(&mut self.exposed, x0, x1, exposed);
        }
    }

    /// Draws the pieces themselves.
    pub(super) fn set_pieces(&mut self, pieces: DeviceSpans) {
        self.band.reset(0, 0);
        self.exposed.clone_from(&pieces.exposed);
        self.overlap.clear();
        self.overlap.extend_from_slice(pieces.of(Derived::Overlap));
        self.pieces = Some(pieces);
    }

    /// A measured column of the grid.
    pub(super) fn column(&self, at: i64) -> DeviceColumn {
        let column = self.columns.get(self.ring.place(at));
        column.copied().unwrap_or_default()
    }

    /// The share of exposed communication in a column: `at` on the grid, `number` from the view's
    /// left edge.
    pub(super) fn exposed_in(&self, at: i64, number: i64) -> f32 {
        if self.pieces.is_none() {
            return self.column(at).exposed;
        }
        let x = column_px(number);
        let next = self.exposed.partition_point(|s| s.x1 <= x);
        let span = self.exposed.get(next).filter(|s| s.x0 <= x);
        span.map_or(0.0, |s| s.share)
    }
}
