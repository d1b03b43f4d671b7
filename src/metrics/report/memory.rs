//! The columns of the tables of memory.

use super::super::definitions::memory as own;
use super::super::{Leak, MemoryFigures, MemoryRow, OfDevice, Slope};
use super::{Cell, Column, Head, Unit, column, count, rank, window_end, window_start, words};

/// One figure of two allocators, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct MemoryDelta {
    /// Its column in the table of memory.
    pub head: Head,
    /// In the first trace; `None` where there is no figure.
    pub a: Option<i128>,
    /// In the second.
    pub b: Option<i128>,
}

impl MemoryDelta {
    /// Second less first.
    #[must_use]
    pub fn delta(&self) -> Option<i128> {
        Some(self.b? - self.a?)
    }
}

/// The figures of two allocators side by side: all columns that are in bytes.
#[must_use]
pub fn memory_deltas(a: Option<&MemoryRow>, b: Option<&MemoryRow>) -> Vec<MemoryDelta> {
    let columns = MEMORY_COLUMNS.iter();
    columns
        .filter(|column| column.head.unit == Unit::Bytes)
        .map(|column| {
            let bytes = |row: Option<&MemoryRow>| match (column.get)(row?) {
                Cell::Int(bytes) => Some(bytes),
                _ => None,
            };
            MemoryDelta {
                head: column.head,
                a: bytes(a),
                b: bytes(b),
            }
        })
        .collect()
}

/// What allocators held in windows or steps: the columns in order.
pub const MEMORY_COLUMNS: [Column<MemoryRow>; 20] = [
    rank(),
    device(),
    column("step", "Step", Unit::None, own::STEP, |r| {
        words(r.step.as_deref())
    }),
    window_start(),
    window_end(),
    column(
        "allocated_start_bytes",
        "At start",
        Unit::Bytes,
        own::START,
        |r| bytes(r, |f| Some(f.start.into())),
    ),
    column(
        "allocated_end_bytes",
        "At end",
        Unit::Bytes,
        own::END,
        |r| bytes(r, |f| Some(f.end.into())),
    ),
    column("growth_bytes", "Growth", Unit::Bytes, own::GROWTH, |r| {
        bytes(r, |f| Some(f.growth()))
    }),
    column("allocated_min_bytes", "Least", Unit::Bytes, own::MIN, |r| {
        bytes(r, |f| Some(f.min.into()))
    }),
    column(
        "allocated_peak_bytes",
        "Peak",
        Unit::Bytes,
        own::PEAK,
        |r| bytes(r, |f| Some(f.peak.into())),
    ),
    column(
        "peak_at_ns",
        "Peak at",
        Unit::Nanoseconds,
        own::PEAK_AT,
        |r| figure(r, |f| Some(Cell::Int(f.peak_at.0.into()))),
    ),
    column("peak_op", "Op at peak", Unit::None, own::PEAK_OP, |r| {
        figure(r, |f| Some(words(f.peak_op.as_deref())))
    }),
    column(
        "reserved_peak_bytes",
        "Reserved peak",
        Unit::Bytes,
        own::RESERVED_PEAK,
        |r| bytes(r, |f| f.reserved_peak.map(i128::from)),
    ),
    column(
        "reserved_end_bytes",
        "Reserved at end",
        Unit::Bytes,
        own::RESERVED_END,
        |r| bytes(r, |f| f.reserved_end.map(i128::from)),
    ),
    column(
        "cached_free_end_bytes",
        "Cached free at end",
        Unit::Bytes,
        own::CACHED,
        |r| bytes(r, |f| f.cached_free_end().map(i128::from)),
    ),
    column(
        "allocations",
        "Allocations",
        Unit::Count,
        own::ALLOCATIONS,
        |r| figure(r, |f| Some(count(Some(f.sums.allocations)))),
    ),
    column("frees", "Frees", Unit::Count, own::FREES, |r| {
        figure(r, |f| Some(count(Some(f.sums.frees))))
    }),
    column(
        "allocations_bytes",
        "Allocated",
        Unit::Bytes,
        own::ALLOCATED,
        |r| bytes(r, |f| Some(f.sums.allocated)),
    ),
    column("frees_bytes", "Freed", Unit::Bytes, own::FREED, |r| {
        bytes(r, |f| Some(f.sums.freed))
    }),
    column("source", "Source", Unit::None, own::SOURCE, |r| {
        words(Some(r.source.label()))
    }),
];

/// Whether memory leaks: the columns in order.
pub const LEAK_COLUMNS: [Column<Leak>; 12] = [
    rank(),
    device(),
    column("verdict", "Verdict", Unit::None, own::VERDICT, |r| {
        words(Some(r.verdict.label()))
    }),
    column("steps", "Steps", Unit::Count, own::STEPS, |r| {
        number(r.judged)
    }),
    column(
        "ends_rising",
        "Ends rising",
        Unit::Count,
        own::ENDS_RISING,
        |r| number(r.ends_rising),
    ),
    column(
        "mins_rising",
        "Least rising",
        Unit::Count,
        own::MINS_RISING,
        |r| number(r.mins_rising),
    ),
    column(
        "slope_bytes_per_step",
        "Slope",
        Unit::Bytes,
        own::SLOPE,
        |r| of_slope(r, |s| s.bytes_per_step),
    ),
    column(
        "slope_low_bytes_per_step",
        "Slope, low",
        Unit::Bytes,
        own::SLOPE_LOW,
        |r| of_slope(r, |s| s.low),
    ),
    column(
        "slope_high_bytes_per_step",
        "Slope, high",
        Unit::Bytes,
        own::SLOPE_HIGH,
        |r| of_slope(r, |s| s.high),
    ),
    column("reason", "Reason", Unit::None, own::REASON, |r| {
        words(Some(&r.reason()))
    }),
    column(
        "growing_ops",
        "Growing ops",
        Unit::None,
        own::GROWERS,
        |r| words(Some(&r.growers_text())),
    ),
    column("source", "Source", Unit::None, own::SOURCE, |r| {
        words(Some(r.source.label()))
    }),
];

const fn device<R: OfDevice>() -> Column<R> {
    column("device", "Device", Unit::None, own::DEVICE, |r| {
        Cell::Int(r.device().1.0.into())
    })
}

fn figure(row: &MemoryRow, get: fn(&MemoryFigures) -> Option<Cell>) -> Cell {
    let figures = row.figures.as_ref();
    figures.and_then(get).unwrap_or(Cell::Empty)
}

fn bytes(row: &MemoryRow, get: fn(&MemoryFigures) -> Option<i128>) -> Cell {
    let figures = row.figures.as_ref();
    figures.and_then(get).map_or(Cell::Empty, Cell::Int)
}

fn number(count: usize) -> Cell {
    i128::try_from(count).map_or(Cell::Empty, Cell::Int)
}

fn of_slope(leak: &Leak, get: fn(&Slope) -> i128) -> Cell {
    leak.slope
        .as_ref()
        .map_or(Cell::Empty, |s| Cell::Int(get(s)))
}
