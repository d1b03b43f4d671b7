//! The sub-rows of a lane as it is laid out, and shares of time by what ran.

use super::lanes::{LaneKey, LaneRow};
use super::scale::{rough_ns, share};
use crate::time::DurNs;
use crate::trace::Rank;
use crate::trace::class::KernelClass;

pub use crate::trace::{Row, RowIndex, Times};

/// Shares of a stretch of time by what ran; what is missing to 1 was idle.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Shares {
    /// Computation.
    pub computation: f32,
    /// Communication.
    pub communication: f32,
    /// Copies and memsets.
    pub memory: f32,
    /// Slices that are no GPU work.
    pub other: f32,
}

impl Shares {
    /// Times as shares of a length.
    #[must_use]
    pub fn new(times: &Times, whole: DurNs) -> Self {
        let whole = whole.max(DurNs(1));
        let [computation, communication, memory, other] =
            times.parts().map(|time| share(time, whole));
        Self {
            computation,
            communication,
            memory,
            other,
        }
    }

    /// Nanoseconds that are near enough for a picture, in the order of [`Times::parts`].
    #[must_use]
    pub fn about(times: &[f32; 4], whole: DurNs) -> Self {
        let one = rough_ns(whole.max(DurNs(1))).recip();
        let [computation, communication, memory, other] = times.map(|ns| (ns * one).min(1.0));
        Self {
            computation,
            communication,
            memory,
            other,
        }
    }

    /// The share of a class.
    #[must_use]
    pub fn of(&self, class: KernelClass) -> f32 {
        match class {
            KernelClass::Computation => self.computation,
            KernelClass::Communication => self.communication,
            KernelClass::Memory => self.memory,
        }
    }

    /// The busy share.
    #[must_use]
    pub fn total(&self) -> f32 {
        (self.computation + self.communication + self.memory + self.other).min(1.0)
    }

    /// The class with the largest share; `None` for host slices.
    #[must_use]
    pub fn dominant(&self) -> Option<KernelClass> {
        // The last of equal ones.
        let mut most = (self.other, None);
        for class in KernelClass::ALL {
            let share = self.of(class);
            if share > self.other && share >= most.0 {
                most = (share, Some(class));
            }
        }
        most.1
    }
}

/// Whether a lane has rows of slices, which are told best with a [`RowIndex`].
#[must_use]
pub fn needs_index(lane: &LaneRow) -> bool {
    !lane.slices.is_empty()
}

/// A sub-row of a lane; `None` for lanes without slices and where a needed index is not there.
#[must_use]
pub fn row<'a>(
    rank: &'a Rank,
    lane: &LaneRow,
    index: Option<&'a RowIndex>,
    sub_row: u16,
) -> Option<Row<'a>> {
    match (index, lane.key) {
        (Some(index), _) => index.row(&rank.slices, sub_row),
        (None, LaneKey::Stream(..)) if lane.all_rows <= 1 && sub_row == 0 => {
            Some(Row::whole(&rank.slices, &lane.slices))
        }
        _ => None,
    }
}
