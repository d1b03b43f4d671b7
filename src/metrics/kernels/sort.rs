//! The order of rows of kernels.

use super::super::order::SortOrder;
use super::KernelRow;
use std::cmp::Ordering;

/// What rows of kernels are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum KernelSort {
    /// What the kernels have in common, by its text.
    Group,
    /// Number of kernels.
    Count,
    /// Time in the window; also the order of the shares.
    #[default]
    Total,
    /// Mean length.
    Mean,
    /// Median length.
    Median,
    /// Shortest length.
    Min,
    /// Longest length.
    Max,
}

impl KernelSort {
    /// The order in which it is most of use: numbers from the largest, texts from A to Z.
    #[must_use]
    pub fn first_order(self) -> SortOrder {
        match self {
            Self::Group => SortOrder::Ascending,
            _ => SortOrder::Descending,
        }
    }

    fn compare(self, a: &KernelRow, b: &KernelRow) -> Ordering {
        match self {
            Self::Group => a.label.cmp(&b.label),
            Self::Count => a.kernels.cmp(&b.kernels),
            Self::Total => a.total.cmp(&b.total),
            Self::Mean => a.mean.cmp(&b.mean),
            Self::Median => a.median.cmp(&b.median),
            Self::Min => a.min.cmp(&b.min),
            Self::Max => a.max.cmp(&b.max),
        }
    }
}

/// Sorts rows by rank, device, then what is asked for; equals by their text.
pub fn sort_kernels(rows: &mut [KernelRow], by: KernelSort, order: SortOrder) {
    rows.sort_by(|a, b| {
        let asked = match order {
            SortOrder::Ascending => by.compare(a, b),
            SortOrder::Descending => by.compare(b, a),
        };
        (a.rank, a.device)
            .cmp(&(b.rank, b.device))
            .then(asked)
            .then_with(|| a.label.cmp(&b.label))
            .then(a.group.cmp(&b.group))
    });
}
