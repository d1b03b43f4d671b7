//! The order of rows, and the first rows of each device.

use super::grid::Cell;
use super::{
    CollectiveRow, CommGroupRow, DilationRow, Evidence, Finding, IdleGapRow, IdleLengthRow,
    IdleRow, KernelRow, Leak, MemoryRow, MfuRow, OverlapFigure, QueueRow, Row, StepStats,
};
use crate::time::Window;
use crate::trace::{DeviceId, RankId};
use std::cmp::Reverse;

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

    /// What a cell of a column is sorted by: numbers by their printed value, words from A to Z.
    pub(super) fn key(self, cell: Cell) -> SortKey {
        let value = match cell {
            Cell::Text(text) => Value::Text(text),
            other => match other.number() {
                Some((number, _)) => Value::Number(number),
                None => return SortKey::Missing,
            },
        };
        match self {
            Self::Ascending => SortKey::Up(value),
            Self::Descending => SortKey::Down(Reverse(value)),
        }
    }
}

/// The place of a cell among those of its column; one without a value stands last either way.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SortKey {
    Up(Value),
    Down(Reverse<Value>),
    Missing,
}

/// The value of a cell. Those of one column are of one kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    Number(i128),
    Text(String),
}

/// A row that belongs to one device of one rank.
pub trait OfDevice {
    /// The rank and the device.
    fn device(&self) -> (RankId, DeviceId);
}

/// A row that rests on an event to look at.
pub trait OfEvidence {
    /// The event, where there is one.
    fn evidence(&self) -> Option<&Evidence>;
}

/// A row whose figures are of a window.
pub trait OfWindow {
    /// The window, or the one that was asked for where there are no figures.
    fn window(&self) -> Option<Window>;
}

/// Rows that name their rank and device in fields of these names.
macro_rules! of_device {
    ($($row:ty),+) => {$(
        impl OfDevice for $row {
            fn device(&self) -> (RankId, DeviceId) {
                (self.rank, self.device)
            }
        }
    )+};
}

/// Rows that always have a window.
macro_rules! of_window {
    ($($row:ty),+) => {$(
        impl OfWindow for $row {
            fn window(&self) -> Option<Window> {
                Some(self.window)
            }
        }
    )+};
}

of_device!(
    Row,
    KernelRow,
    CommGroupRow,
    DilationRow,
    OverlapFigure,
    Finding,
    IdleRow,
    IdleGapRow,
    IdleLengthRow,
    Leak,
    MemoryRow,
    MfuRow,
    QueueRow,
    StepStats
);
of_window!(
    KernelRow,
    CollectiveRow,
    CommGroupRow,
    DilationRow,
    OverlapFigure,
    Finding,
    IdleRow,
    IdleLengthRow,
    MfuRow,
    QueueRow
);

impl OfEvidence for Finding {
    fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }
}

impl OfEvidence for OverlapFigure {
    fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }
}

impl OfDevice for CollectiveRow {
    fn device(&self) -> (RankId, DeviceId) {
        (self.slice.rank, self.device)
    }
}

impl OfWindow for MemoryRow {
    fn window(&self) -> Option<Window> {
        self.window
    }
}

impl OfWindow for Row {
    fn window(&self) -> Option<Window> {
        self.window
    }
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
