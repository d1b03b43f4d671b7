//! The columns of the table of ranks.

use super::super::definitions::{self as text, ranks as own};
use super::super::{ExposedMark, RankRow, RankTotals, Ratio};
use super::{Cell, Column, Unit, column, count, instant, percent, time, words};
use crate::time::DurNs;

/// Ranks side by side: the columns in order.
pub const RANK_COLUMNS: [Column<RankRow>; 28] = [
    column("rank", "Rank", Unit::None, text::RANK, |r| {
        Cell::Int(r.rank.0.into())
    }),
    column("file", "File", Unit::None, own::FILE, |r| {
        words(Some(&r.file))
    }),
    column(
        "world_size",
        "Ranks of the job",
        Unit::Count,
        own::WORLD_SIZE,
        |r| count(r.world_size.map(u64::from)),
    ),
    column("devices", "Devices", Unit::Count, own::DEVICES, |r| {
        count(Some(r.devices))
    }),
    column("events", "Events", Unit::Count, own::EVENTS, |r| {
        count(Some(r.events))
    }),
    column(
        "aligned_by",
        "Aligned by",
        Unit::None,
        own::ALIGNED_BY,
        |r| words(Some(r.aligned_by())),
    ),
    time("moved_us", "Moved", own::MOVED, |r| {
        Cell::Time(r.alignment.shift)
    }),
    time(
        "applied_shift_us",
        "Applied shift",
        own::APPLIED_SHIFT,
        |r| Cell::Time(r.alignment.moved.map_or(DurNs::ZERO, |m| m.by)),
    ),
    column(
        "shift_source",
        "Shift from",
        Unit::None,
        own::SHIFT_SOURCE,
        |r| words(r.alignment.moved.map(|m| m.why.label())),
    ),
    column(
        "capture_start_ns",
        "Capture start",
        Unit::Nanoseconds,
        own::CAPTURE_START,
        |r| instant(r.capture, |w| w.start().0),
    ),
    column(
        "capture_end_ns",
        "Capture end",
        Unit::Nanoseconds,
        own::CAPTURE_END,
        |r| instant(r.capture, |w| w.end().0),
    ),
    column(
        "window_start_ns",
        "Window start",
        Unit::Nanoseconds,
        own::WINDOW_START,
        |r| instant(r.totals.map(|t| t.window), |w| w.start().0),
    ),
    column(
        "window_end_ns",
        "Window end",
        Unit::Nanoseconds,
        own::WINDOW_END,
        |r| instant(r.totals.map(|t| t.window), |w| w.end().0),
    ),
    column(
        "devices_measured",
        "Measured",
        Unit::Count,
        own::MEASURED,
        |r| count(Some(r.totals.map_or(0, |t| t.devices))),
    ),
    column("steps", "Steps", Unit::Count, own::STEPS, |r| {
        count(r.totals.map(|t| t.steps))
    }),
    time("kernel_time_us", "Window", own::TIME, |r| {
        total(r, |t| t.time)
    }),
    percent("busy_percent", "Busy", own::BUSY, |r| {
        share(r, RankTotals::busy_share)
    }),
    time("comp_time_us", "Computation", own::COMP, |r| {
        total(r, |t| t.comp)
    }),
    time("comm_time_us", "Communication", own::COMM, |r| {
        total(r, |t| t.comm)
    }),
    time(
        "exposed_comm_us",
        "Exposed communication",
        own::EXPOSED_COMM,
        |r| total(r, |t| t.exposed_comm),
    ),
    percent(
        "comm_hidden_by_comp_percent",
        "Communication hidden",
        own::HIDDEN,
        |r| share(r, RankTotals::hidden_share),
    ),
    time(
        "exposed_memory_us",
        "Exposed memory",
        own::EXPOSED_MEMORY,
        |r| total(r, |t| t.exposed_memory),
    ),
    percent("idle_percent", "Idle", own::IDLE, |r| {
        share(r, RankTotals::idle_share)
    }),
    column("mark", "Mark", Unit::None, own::MARK, |r| {
        words(r.mark.map(ExposedMark::label))
    }),
    column(
        "clock_reference",
        "Clock against",
        Unit::None,
        own::CLOCK_REFERENCE,
        |r| count(r.clock.and_then(|c| c.against).map(|a| a.with.0.into())),
    ),
    time("clock_shift_us", "Clock shift", own::CLOCK_SHIFT, |r| {
        length(r.clock.map(|c| c.shift))
    }),
    time(
        "clock_residual_us",
        "Clock residual",
        own::CLOCK_RESIDUAL,
        |r| length(r.clock.and_then(|c| c.against).map(|a| a.residual)),
    ),
    column(
        "clock_matches",
        "Clock matches",
        Unit::Count,
        own::CLOCK_MATCHES,
        |r| count(r.clock.and_then(|c| c.against).map(|a| a.matches)),
    ),
];

fn total(row: &RankRow, get: fn(&RankTotals) -> DurNs) -> Cell {
    length(row.totals.as_ref().map(get))
}

fn share(row: &RankRow, get: fn(&RankTotals) -> Option<Ratio>) -> Cell {
    let totals = row.totals.as_ref();
    totals.map_or(Cell::Empty, |t| Cell::Percent(get(t)))
}

fn length(time: Option<DurNs>) -> Cell {
    time.map_or(Cell::Empty, Cell::Time)
}
