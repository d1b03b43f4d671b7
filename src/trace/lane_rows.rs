//! [`LaneRows`]: the sub-rows of all lanes of a rank, listed when they are first asked for.
//!
//! The window needs them before its first picture of a trace and has them listed by the thread that
//! loads; the command line never asks.

use super::{Rank, RowIndex};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// The sub-rows of a rank's lanes, by the first slice of each lane.
#[derive(Debug, Default)]
pub struct LaneRows(OnceLock<Vec<(u32, RowIndex)>>);

impl LaneRows {
    /// Heap memory in bytes; nothing before they were asked for.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let lanes = self.0.get().map_or(&[][..], Vec::as_slice);
        lanes.iter().map(|(_, index)| index.heap_bytes()).sum()
    }
}

impl Rank {
    /// Lists the sub-rows of all lanes, in parallel, unless that is done already.
    ///
    /// Nothing is locked meanwhile: a thread that waits for its part of the list may be given other
    /// work that asks for the same list. Whoever asks at the same time makes one, too; the first stays.
    pub fn list_rows(&self) -> &[(u32, RowIndex)] {
        if let Some(listed) = self.rows.0.get() {
            return listed;
        }
        let listed = self.rows_of_lanes();
        self.rows.0.get_or_init(|| listed)
    }

    fn rows_of_lanes(&self) -> Vec<(u32, RowIndex)> {
        let streams = self.devices.iter().flat_map(|d| &d.streams);
        let extras = self.devices.iter().flat_map(|d| &d.extras);
        let mut lanes: Vec<(Range<u32>, u16)> = streams
            .map(|s| (s.slices.clone(), s.rows))
            .chain(extras.map(|t| (t.slices.clone(), t.rows)))
            .chain(self.threads.iter().map(|t| (t.slices.clone(), t.rows)))
            .filter(|(slices, _)| !slices.is_empty())
            .collect();
        lanes.sort_unstable_by_key(|(slices, _)| slices.start);
        let of_lane = |(slices, rows): (Range<u32>, u16)| {
            let start = slices.start;
            (start, RowIndex::new(&self.slices, slices, rows.max(1)))
        };
        lanes.into_par_iter().map(of_lane).collect()
    }

    /// The sub-rows of the lane with these slices.
    #[must_use]
    pub fn rows_of(&self, lane: &Range<u32>) -> Option<&RowIndex> {
        let lanes = self.list_rows();
        let at = lanes.binary_search_by_key(&lane.start, |l| l.0).ok()?;
        lanes.get(at).map(|l| &l.1).filter(|_| !lane.is_empty())
    }
}
