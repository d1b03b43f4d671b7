//! The order of rows, and the first rows of each device.

use super::grid::Cell;
use crate::trace::{DeviceId, RankId};
use std::cmp::Ordering;

/// Which end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// The smallest.
    Ascending,
    /// The largest.
    Descending,
}

impl SortOrder {
    /// The other one.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }

    /// The order of two cells of a column; those without a value stand last either way.
    pub(super) fn compare(self, a: &Cell, b: &Cell) -> Ordering {
        match (a.compare(b), self) {
            (Some(order), Self::Ascending) => order,
            (Some(order), Self::Descending) => order.reverse(),
            (None, _) => b.is_some().cmp(&a.is_some()),
        }
    }
}

/// A row that belongs to one device of one rank.
pub trait OfDevice {
    /// The rank and the device.
    fn device(&self) -> (RankId, DeviceId);
}

/// Keeps the first rows of each (rank, device) of sorted rows; returns how many were left out.
pub fn keep_top<R: OfDevice>(rows: &mut Vec<R>, top: usize) -> usize {
    let before = rows.len();
    let mut current = None;
    let mut kept = 0;
    rows.retain(|row| {
        let key = Some(row.device());
        if current != key {
            (current, kept) = (key, 0);
        }
        kept += 1;
        kept <= top
    });
    before - rows.len()
}
