//! The columns of the tables of overlap and of dilation.

use super::super::definitions::overlap as text;
use super::super::{BaseFrom, DilationRow, Factor, OverlapFigure};
use super::{
    Cell, Column, Unit, column, count, device, evidence, evidence_start, percent, rank, time,
    window_end, window_start, words,
};

/// The figures of an analysis, one a row: the columns in order.
pub const OVERLAP_COLUMNS: [Column<OverlapFigure>; 17] = [
    rank(),
    device(),
    column("check", "Check", Unit::None, text::CHECK, |r| {
        words(Some(r.check))
    }),
    column("figure", "Figure", Unit::None, text::FIGURE, |r| {
        words(Some(r.figure))
    }),
    column("title", "Title", Unit::None, text::TITLE, |r| {
        words(Some(&r.title))
    }),
    window_start(),
    window_end(),
    column("value", "Value", Unit::None, text::VALUE, |r| {
        r.value.clone()
    }),
    column("unit", "Unit", Unit::None, text::UNIT, |r| {
        words(Some(r.unit))
    }),
    column("low", "Low", Unit::None, text::LOW, |r| r.low.clone()),
    column("high", "High", Unit::None, text::HIGH, |r| r.high.clone()),
    column("source", "Source", Unit::None, text::SOURCE, |r| {
        words(Some(r.source.name()))
    }),
    column("count", "Count", Unit::Count, text::COUNT, |r| {
        count(r.count)
    }),
    percent("coverage_percent", "Coverage", text::COVERAGE, |r| {
        Cell::Percent(r.coverage)
    }),
    column("note", "Note", Unit::None, text::NOTE, |r| {
        words(Some(&r.note))
    }),
    evidence(),
    evidence_start(),
];

/// Kernels alone against beside: the columns in order.
pub const DILATION_COLUMNS: [Column<DilationRow>; 22] = [
    rank(),
    device(),
    column("class", "Class", Unit::None, text::CLASS, |r| {
        words(Some(r.class.label()))
    }),
    column("name", "Name", Unit::None, text::NAME, |r| {
        words(Some(&r.name))
    }),
    column("op", "Op", Unit::None, text::OP, |r| words(r.op.as_deref())),
    column("input_dims", "Input dims", Unit::None, text::DIMS, |r| {
        words(r.dims.as_deref())
    }),
    column("grid", "Grid", Unit::None, text::GRID, |r| {
        triple(r.shape.as_ref().and_then(|s| s.grid))
    }),
    column("block", "Block", Unit::None, text::BLOCK, |r| {
        triple(r.shape.as_ref().and_then(|s| s.block))
    }),
    column("bytes", "Bytes", Unit::Bytes, text::BYTES, |r| {
        count(r.bytes)
    }),
    window_start(),
    window_end(),
    column("alone", "Alone", Unit::Count, text::ALONE, |r| {
        count(r.alone.map(|a| u64::try_from(a.count).unwrap_or(u64::MAX)))
    }),
    time("alone_median_us", "Median alone", text::BASE, |r| {
        r.alone.map_or(Cell::Empty, |a| length(a.median))
    }),
    column(
        "alone_from",
        "Alone from",
        Unit::None,
        text::BASE_FROM,
        |r| words(r.alone.map(|_| BaseFrom::name(r.base_from))),
    ),
    column("beside", "Beside", Unit::Count, text::BESIDE, |r| {
        count(r.beside.map(|b| u64::try_from(b.count).unwrap_or(u64::MAX)))
    }),
    time(
        "beside_median_us",
        "Median beside",
        text::BESIDE_MEDIAN,
        |r| r.beside.map_or(Cell::Empty, |b| length(b.median)),
    ),
    time("beside_time_us", "Time beside", text::BESIDE_TIME, |r| {
        Cell::Time(r.beside_time)
    }),
    column("dilation", "Dilation", Unit::None, text::FACTOR, |r| {
        factor(r.factor.ok().map(|f| f.estimate))
    }),
    column("dilation_low", "Low", Unit::None, text::FACTOR_LOW, |r| {
        factor(r.factor.ok().map(|f| f.low))
    }),
    column(
        "dilation_high",
        "High",
        Unit::None,
        text::FACTOR_HIGH,
        |r| factor(r.factor.ok().map(|f| f.high)),
    ),
    time("lost_us", "Lost", text::LOST, |r| {
        r.factor.map_or(Cell::Empty, |_| Cell::Time(r.lost))
    }),
    column("reason", "Reason", Unit::None, text::REASON, |r| {
        words(r.factor.err().map(super::super::NotComparable::label))
    }),
];

fn length(ns: i64) -> Cell {
    Cell::Time(crate::time::DurNs(ns))
}

fn factor(factor: Option<Factor>) -> Cell {
    factor.map_or(Cell::Empty, Factor::cell)
}

fn triple(sizes: Option<[u32; 3]>) -> Cell {
    let written = sizes.map(|[x, y, z]| format!("{x} {y} {z}"));
    words(written.as_deref())
}
