//! By what collectives are listed and sorted.

use super::{CollectiveRow, CommGroupRow};
use crate::metrics::report::{COLLECTIVE_COLUMNS, COMM_GROUP_COLUMNS, Column};
use crate::metrics::{OfDevice, SortOrder};

/// By what collectives are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CollectiveGrouping {
    /// Not at all: a row for each communication kernel.
    #[default]
    Each,
    /// By process group and kind.
    Group,
}

impl CollectiveGrouping {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::Each, Self::Group];

    /// The word for it on the command line.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Each => "collective",
            Self::Group => "group",
        }
    }

    /// What rows are sorted by unless somebody asks.
    #[must_use]
    pub fn first_sort(self) -> CollectiveSort {
        match self {
            Self::Each => CollectiveSort::Start,
            Self::Group => CollectiveSort::Total,
        }
    }
}

/// What rows of collectives are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CollectiveSort {
    /// When it starts; only of single ones.
    #[default]
    Start,
    /// Which collective it is.
    Kind,
    /// Its process group.
    Group,
    /// How many; only of groups.
    Count,
    /// Bytes of the full buffer.
    Bytes,
    /// Its duration; of groups, their sum in the window.
    Total,
    /// What computation hides.
    Hidden,
    /// What nothing hides.
    Exposed,
    /// Bus bandwidth; only of single ones.
    Bandwidth,
    /// Last start less first start; only of single ones.
    Skew,
    /// Waiting for the last rank; only of single ones.
    Wait,
    /// From the last start to the last end; only of single ones.
    Transfer,
}

impl CollectiveSort {
    /// The column of the table that it sorts by; `None` where that table has none.
    #[must_use]
    pub fn column(self, grouping: CollectiveGrouping) -> Option<&'static str> {
        let (each, group) = match self {
            Self::Start => (Some("start_ns"), None),
            Self::Kind => (Some("kind"), Some("kind")),
            Self::Group => (Some("group"), Some("group")),
            Self::Count => (None, Some("collectives")),
            Self::Bytes => (Some("bytes"), Some("bytes")),
            Self::Total => (Some("duration_us"), Some("total_us")),
            Self::Hidden => (Some("hidden_us"), Some("hidden_by_comp_us")),
            Self::Exposed => (Some("exposed_us"), Some("exposed_us")),
            Self::Bandwidth => (Some("busbw_gb_per_s"), None),
            Self::Skew => (Some("skew_us"), None),
            Self::Wait => (Some("wait_us"), None),
            Self::Transfer => (Some("transfer_us"), None),
        };
        match grouping {
            CollectiveGrouping::Each => each,
            CollectiveGrouping::Group => group,
        }
    }

    /// The order in which it is most of use: numbers from the largest, the rest forward.
    #[must_use]
    pub fn first_order(self) -> SortOrder {
        match self {
            Self::Start | Self::Kind | Self::Group => SortOrder::Ascending,
            _ => SortOrder::Descending,
        }
    }
}

/// Sorts rows by rank, device, then what is asked for; equals by their start.
pub fn sort_collectives(rows: &mut [CollectiveRow], by: CollectiveSort, order: SortOrder) {
    rows.sort_unstable_by_key(|r| (r.device(), r.start, r.slice));
    let column = by.column(CollectiveGrouping::Each);
    sort_by(rows, &COLLECTIVE_COLUMNS, column, order);
}

/// Sorts rows by rank, device, then what is asked for; equals by their total, the largest first.
pub fn sort_comm_groups(rows: &mut [CommGroupRow], by: CollectiveSort, order: SortOrder) {
    rows.sort_by_key(|r| {
        (
            r.device(),
            std::cmp::Reverse(r.total),
            r.group.clone(),
            r.kind,
        )
    });
    let column = by.column(CollectiveGrouping::Group);
    sort_by(rows, &COMM_GROUP_COLUMNS, column, order);
}

/// Sorts by the cells of a column, which are the printed values; each is made once.
fn sort_by<R: OfDevice>(
    rows: &mut [R],
    columns: &[Column<R>],
    name: Option<&str>,
    order: SortOrder,
) {
    if let Some(column) = columns.iter().find(|c| Some(c.head.name) == name) {
        rows.sort_by_cached_key(|row| (row.device(), order.key((column.get)(row))));
    }
}
