//! The columns of the comparison of two traces.

use super::super::definitions as text;
use super::super::{DevicePair, FigureDelta, FigureValue, KernelDelta};
use super::{Cell, Column, Unit, column, count, percent, time, words};

/// A row about two devices.
pub(super) trait OfPair {
    fn pair(&self) -> DevicePair;
}

impl OfPair for FigureDelta {
    fn pair(&self) -> DevicePair {
        self.pair
    }
}

impl OfPair for KernelDelta {
    fn pair(&self) -> DevicePair {
        self.pair
    }
}

pub(super) const fn rank_a<R: OfPair>() -> Column<R> {
    column("rank_a", "Rank A", Unit::None, text::DIFF_RANK_A, |r| {
        Cell::Int(r.pair().a.0.0.into())
    })
}

pub(super) const fn device_a<R: OfPair>() -> Column<R> {
    column(
        "device_a",
        "Device A",
        Unit::None,
        text::DIFF_DEVICE_A,
        |r| Cell::Int(r.pair().a.1.0.into()),
    )
}

pub(super) const fn rank_b<R: OfPair>() -> Column<R> {
    column("rank_b", "Rank B", Unit::None, text::DIFF_RANK_B, |r| {
        Cell::Int(r.pair().b.0.0.into())
    })
}

pub(super) const fn device_b<R: OfPair>() -> Column<R> {
    column(
        "device_b",
        "Device B",
        Unit::None,
        text::DIFF_DEVICE_B,
        |r| Cell::Int(r.pair().b.1.0.into()),
    )
}

/// Figures side by side: the columns in order.
pub const FIGURE_DELTA_COLUMNS: [Column<FigureDelta>; 9] = [
    rank_a(),
    device_a(),
    rank_b(),
    device_b(),
    column("figure", "Figure", Unit::None, text::DIFF_FIGURE, |r| {
        words(Some(r.figure))
    }),
    column("a", "A", Unit::None, text::DIFF_A, |r| value(r.a)),
    column("b", "B", Unit::None, text::DIFF_B, |r| value(r.b)),
    column("delta", "Difference", Unit::None, text::DIFF_DELTA, |r| {
        r.delta().map_or(Cell::Empty, |delta| units(r.a, delta))
    }),
    percent(
        "delta_percent",
        "Difference",
        text::DIFF_DELTA_PERCENT,
        |r| Cell::Percent(r.relative()),
    ),
];

/// A difference in the smallest printed units of a figure.
pub(super) fn units(of: Option<FigureValue>, delta: i128) -> Cell {
    match of {
        Some(FigureValue::Time(_)) => Cell::Fixed(delta, 3),
        Some(FigureValue::Share(_)) => Cell::Fixed(delta, 4),
        Some(FigureValue::Count(_)) | None => Cell::Int(delta),
    }
}

pub(super) fn value(value: Option<FigureValue>) -> Cell {
    match value {
        None => Cell::Empty,
        Some(FigureValue::Count(n)) => Cell::Int(n.into()),
        Some(FigureValue::Time(time)) => Cell::Time(time),
        Some(FigureValue::Share(ratio)) => Cell::Percent(Some(ratio)),
    }
}

/// Kernels by name: the columns in order.
pub const KERNEL_DELTA_COLUMNS: [Column<KernelDelta>; 18] = [
    rank_a(),
    device_a(),
    rank_b(),
    device_b(),
    column("name", "Name", Unit::None, text::DIFF_NAME, |r| {
        words(Some(&r.name))
    }),
    column("class", "Class", Unit::None, text::DIFF_CLASS, |r| {
        words(Some(r.class.label()))
    }),
    column("count_a", "Count A", Unit::Count, text::DIFF_COUNT_A, |r| {
        count(Some(r.count_a))
    }),
    column("count_b", "Count B", Unit::Count, text::DIFF_COUNT_B, |r| {
        count(Some(r.count_b))
    }),
    time("total_a_us", "Total A", text::DIFF_TOTAL_A, |r| {
        Cell::Time(r.total_a)
    }),
    time("total_b_us", "Total B", text::DIFF_TOTAL_B, |r| {
        Cell::Time(r.total_b)
    }),
    time("delta_us", "Difference", text::DIFF_KERNEL_DELTA, |r| {
        Cell::Time(r.delta())
    }),
    column("paired", "Paired", Unit::Count, text::DIFF_PAIRED, |r| {
        count(Some(r.paired))
    }),
    time(
        "paired_delta_us",
        "Of pairs",
        text::DIFF_PAIRED_DELTA,
        |r| Cell::Time(r.paired_delta),
    ),
    column("only_a", "Only A", Unit::Count, text::DIFF_ONLY_A, |r| {
        count(Some(r.only_a.0))
    }),
    time("only_a_us", "Only A", text::DIFF_ONLY_A_TIME, |r| {
        Cell::Time(r.only_a.1)
    }),
    column("only_b", "Only B", Unit::Count, text::DIFF_ONLY_B, |r| {
        count(Some(r.only_b.0))
    }),
    time("only_b_us", "Only B", text::DIFF_ONLY_B_TIME, |r| {
        Cell::Time(r.only_b.1)
    }),
    column(
        "by_number",
        "By number",
        Unit::None,
        text::DIFF_BY_NUMBER,
        |r| Cell::Bool(r.by_number),
    ),
];
