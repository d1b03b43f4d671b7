//! The columns of the tables of idle time.

use super::super::definitions as text;
use super::super::{IdleGapRow, IdleLengthRow, IdleRow};
use super::{
    Cell, Column, Unit, column, count, device, percent, rank, time, window_end, window_start, words,
};

/// Idle time by cause: the columns in order.
pub const IDLE_COLUMNS: [Column<IdleRow>; 11] = [
    rank(),
    device(),
    column("cause", "Cause", Unit::None, text::IDLE_CAUSE, |r| {
        words(Some(r.cause.name()))
    }),
    window_start(),
    window_end(),
    column("gaps", "Gaps", Unit::Count, text::IDLE_GAPS, |r| {
        count(Some(r.gaps))
    }),
    time("total_us", "Total", text::IDLE_TOTAL, |r| {
        Cell::Time(r.total)
    }),
    percent("share_of_idle_percent", "Of idle", text::IDLE_SHARE, |r| {
        Cell::Percent(r.share_of_idle())
    }),
    percent(
        "share_of_window_percent",
        "Of window",
        text::IDLE_SHARE_OF_WINDOW,
        |r| Cell::Percent(r.share_of_window()),
    ),
    time("longest_us", "Longest", text::IDLE_LONGEST, |r| {
        Cell::Time(r.longest)
    }),
    column(
        "inflated_by",
        "Inflated by",
        Unit::None,
        text::IDLE_INFLATED,
        |r| words(r.inflated_by),
    ),
];

/// Gaps one by one: the columns in order.
pub const IDLE_GAP_COLUMNS: [Column<IdleGapRow>; 10] = [
    rank(),
    device(),
    column(
        "start_ns",
        "Start",
        Unit::Nanoseconds,
        text::IDLE_GAP_START,
        |r| Cell::Int(r.inside.start().0.into()),
    ),
    column(
        "end_ns",
        "End",
        Unit::Nanoseconds,
        text::IDLE_GAP_END,
        |r| Cell::Int(r.inside.end().0.into()),
    ),
    time("idle_us", "Idle", text::IDLE_GAP_LENGTH, |r| {
        Cell::Time(r.inside.len())
    }),
    column("cause", "Cause", Unit::None, text::IDLE_CAUSE, |r| {
        words(Some(r.gap.cause.name()))
    }),
    column("what", "What", Unit::None, text::IDLE_WHAT, |r| {
        words(Some(&r.what))
    }),
    column("thread", "Thread", Unit::None, text::IDLE_THREAD, |r| {
        words(r.thread.as_deref())
    }),
    column("next", "Next kernel", Unit::None, text::IDLE_NEXT, |r| {
        words(r.next.as_deref())
    }),
    column(
        "next_stream",
        "Stream",
        Unit::None,
        text::IDLE_NEXT_STREAM,
        |r| r.stream.map_or(Cell::Empty, |s| Cell::Int(s.0.into())),
    ),
];

/// Gaps by their length: the columns in order.
pub const IDLE_LENGTH_COLUMNS: [Column<IdleLengthRow>; 9] = [
    rank(),
    device(),
    time("from_us", "From", text::IDLE_FROM, |r| Cell::Time(r.from)),
    time("below_us", "Below", text::IDLE_BELOW, |r| {
        r.below.map_or(Cell::Empty, Cell::Time)
    }),
    window_start(),
    window_end(),
    column("gaps", "Gaps", Unit::Count, text::IDLE_GAPS, |r| {
        count(Some(r.gaps))
    }),
    time("total_us", "Total", text::IDLE_TOTAL, |r| {
        Cell::Time(r.total)
    }),
    percent("share_of_idle_percent", "Of idle", text::IDLE_SHARE, |r| {
        Cell::Percent(r.share_of_idle())
    }),
];
