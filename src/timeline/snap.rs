//! Snapping: the edge of a slice or step near an instant.

use super::lanes::LaneRow;
use super::rows::{self, RowIndex};
use crate::time::{DurNs, Ns};
use crate::trace::{Device, Rank};

/// The best edge so far.
#[derive(Clone, Copy, Debug)]
pub struct Snap {
    at: Ns,
    reach: DurNs,
    best: Option<Ns>,
}

impl Snap {
    /// Looks for an edge no farther than `reach` from an instant.
    #[must_use]
    pub fn new(at: Ns, reach: DurNs) -> Self {
        Self {
            at,
            reach,
            best: None,
        }
    }

    /// The nearest edge; the earlier of two that are equally near.
    #[must_use]
    pub fn found(self) -> Option<Ns> {
        self.best
    }

    /// Considers one instant.
    pub fn offer(&mut self, edge: Ns) {
        let away = |t: Ns| (t - self.at).0.unsigned_abs();
        let reach = self.reach.0.unsigned_abs();
        let better = self
            .best
            .is_none_or(|best| (away(edge), edge) < (away(best), best));
        if away(edge) <= reach && better {
            self.best = Some(edge);
        }
    }

    /// Considers the slices of a lane: its sub-rows are sorted by start and by end, so only the
    /// neighbours of the instant matter.
    pub fn offer_lane(&mut self, rank: &Rank, lane: &LaneRow, index: Option<&RowIndex>) {
        for sub_row in 0..lane.sub_rows {
            let Some(row) = rows::row(rank, lane, index, sub_row) else {
                continue;
            };
            let next = row.first_from(0, self.at);
            for slice in (next.saturating_sub(2)..=next).filter_map(|i| row.get(i)) {
                self.offer(slice.start());
                self.offer(slice.end());
            }
        }
    }

    /// Considers the steps of a device and its first and last kernel.
    pub fn offer_device(&mut self, device: &Device) {
        self.offer(device.extent.start());
        self.offer(device.extent.end());
        for step in &device.steps {
            self.offer(step.window.start());
            self.offer(step.window.end());
        }
    }
}
