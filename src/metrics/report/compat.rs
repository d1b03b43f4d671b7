//! The columns of figures as other tools define them.

use super::super::CompatRow;
use super::super::definitions as text;
use super::diff::{units, value};
use super::{Cell, Column, Unit, column, words};

/// Figures by the rules of another tool beside ours: the columns in order.
pub const COMPAT_COLUMNS: [Column<CompatRow>; 9] = [
    column("rank", "Rank", Unit::None, text::RANK, |r| {
        Cell::Int(r.rank.0.into())
    }),
    column("device", "Device", Unit::None, text::COMPAT_DEVICE, |r| {
        r.device.map_or(Cell::Empty, |d| Cell::Int(d.0.into()))
    }),
    column("tool", "Tool", Unit::None, text::COMPAT_TOOL, |r| {
        words(Some(r.tool.label()))
    }),
    column("figure", "Figure", Unit::None, text::COMPAT_FIGURE, |r| {
        words(Some(r.figure))
    }),
    column("theirs", "Theirs", Unit::None, text::COMPAT_THEIRS, |r| {
        value(r.theirs)
    }),
    column("ours", "Ours", Unit::None, text::COMPAT_OURS, |r| {
        value(r.ours)
    }),
    column("delta", "Difference", Unit::None, text::COMPAT_DELTA, |r| {
        r.delta().map_or(Cell::Empty, |delta| units(r.ours, delta))
    }),
    column(
        "definition",
        "Definition",
        Unit::None,
        text::COMPAT_DEFINITION,
        |r| words(Some(r.definition)),
    ),
    column("reason", "Reason", Unit::None, text::COMPAT_REASON, |r| {
        words(Some(r.reason))
    }),
];
