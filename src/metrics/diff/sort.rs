//! The order of rows of kernels of two traces.

use super::super::order::SortOrder;
use super::KernelDelta;
use std::cmp::Ordering;

/// What rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum KernelDeltaSort {
    /// The name.
    Name,
    /// How many the first trace has.
    CountA,
    /// How many the second has.
    CountB,
    /// Their time in the first.
    TotalA,
    /// Their time in the second.
    TotalB,
    /// The difference of the times, whatever its sign.
    #[default]
    Delta,
    /// How many have a partner.
    Paired,
    /// How many of the first have none.
    OnlyA,
    /// How many of the second have none.
    OnlyB,
}

impl KernelDeltaSort {
    /// The order in which it is most of use: numbers from the largest, texts from A to Z.
    #[must_use]
    pub fn first_order(self) -> SortOrder {
        match self {
            Self::Name => SortOrder::Ascending,
            _ => SortOrder::Descending,
        }
    }

    fn compare(self, a: &KernelDelta, b: &KernelDelta) -> Ordering {
        let away = |row: &KernelDelta| row.delta().0.unsigned_abs();
        match self {
            Self::Name => a.name.cmp(&b.name),
            Self::CountA => a.count_a.cmp(&b.count_a),
            Self::CountB => a.count_b.cmp(&b.count_b),
            Self::TotalA => a.total_a.cmp(&b.total_a),
            Self::TotalB => a.total_b.cmp(&b.total_b),
            Self::Delta => away(a).cmp(&away(b)),
            Self::Paired => a.paired.cmp(&b.paired),
            Self::OnlyA => a.only_a.cmp(&b.only_a),
            Self::OnlyB => a.only_b.cmp(&b.only_b),
        }
    }
}

/// Sorts rows by the pair of devices, then what is asked for; equals by their name.
pub fn sort_kernel_deltas(rows: &mut [KernelDelta], by: KernelDeltaSort, order: SortOrder) {
    rows.sort_by(|a, b| {
        let asked = match order {
            SortOrder::Ascending => by.compare(a, b),
            SortOrder::Descending => by.compare(b, a),
        };
        (a.pair.cmp(&b.pair))
            .then(asked)
            .then_with(|| a.name.cmp(&b.name))
    });
}
