//! Measured pixel columns, kept from frame to frame.

use super::rows::{Row, Times};
use crate::time::Ns;

/// Time by what ran in each column of a sub-row, kept from frame to frame: a view that moved by
/// whole pixels has most of its columns already.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    edges: Vec<Ns>,
    times: Vec<Times>,
}

impl Columns {
    /// Measures the columns between these edges, of which those with the same edges as before are
    /// taken over.
    pub(super) fn measure(&mut self, row: &Row<'_>, edges: &[Ns]) -> &[Times] {
        let count = edges.len().saturating_sub(1);
        let first = edges.first().copied().unwrap_or_default();
        // How many columns to the right the view has moved.
        let gone = self.edges.partition_point(|t| *t < first);
        let come = self
            .edges
            .first()
            .map_or(0, |old| edges.partition_point(|t| t < old));
        self.times.truncate(self.edges.len().saturating_sub(1));
        if gone > 0 {
            self.times.drain(..gone.min(self.times.len()));
        } else if come > 0 {
            let new = std::iter::repeat_n(Times::default(), come.min(count));
            self.times.splice(..0, new);
        }
        self.times.resize(count, Times::default());
        let old =
            |column: usize| -> Option<&Ns> { self.edges.get((column + gone).checked_sub(come)?) };
        let mut block = 0;
        let mut last: Option<(usize, Times)> = None;
        for (column, (pair, time)) in edges.windows(2).zip(&mut self.times).enumerate() {
            let [start, end] = pair else { continue };
            if old(column) == Some(start) && old(column + 1) == Some(end) {
                continue;
            }
            let before = match last {
                Some((at, times)) if at == column => times,
                _ => row.elapsed(*start, &mut block),
            };
            let until = row.elapsed(*end, &mut block);
            *time = until.since(&before);
            last = Some((column + 1, until));
        }
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        &self.times
    }
}
