//! The one ordered table of columns: name, title, unit, definition and getter of every figure.
//!
//! Screen, CSV, JSON, `check`, the terminal and hover text all walk [`columns`] (or
//! [`KERNEL_COLUMNS`], [`COLLECTIVE_COLUMNS`], [`COMM_GROUP_COLUMNS`], [`RANK_COLUMNS`],
//! [`HEALTH_COLUMNS`], [`FILE_COLUMNS`]), so a figure has the same name, digits and meaning everywhere. A [`Grid`] is
//! a table with its cells taken out, which writers understand whatever its rows were. The names and
//! their order are a contract with scripts.

mod collectives;
mod compat;
mod diff;
mod findings;
mod idle;
mod kernels;
mod memory;
mod mfu;
mod overlap;
mod queue;
mod ranks;
mod step_stats;

use super::definitions as text;
use super::{FileRow, HealthRow, OfDevice, OfEvidence, OfWindow, Ratio, Row, Summary};
use crate::time::Window;

pub use super::grid::{Cell, Column, Grid, Head, Unit};
pub use collectives::{COLLECTIVE_COLUMNS, COMM_GROUP_COLUMNS};
pub use compat::COMPAT_COLUMNS;
pub use diff::{FIGURE_DELTA_COLUMNS, KERNEL_DELTA_COLUMNS};
pub use findings::FINDING_COLUMNS;
pub use idle::{IDLE_COLUMNS, IDLE_GAP_COLUMNS, IDLE_LENGTH_COLUMNS};
pub use kernels::KERNEL_COLUMNS;
pub use memory::{LEAK_COLUMNS, MEMORY_COLUMNS, MemoryDelta, memory_deltas};
pub use mfu::{MFU_COLUMNS, MFU_DELTA_COLUMNS};
pub use overlap::{DILATION_COLUMNS, OVERLAP_COLUMNS};
pub use queue::QUEUE_COLUMNS;
pub use ranks::RANK_COLUMNS;
pub use step_stats::STEP_STATS_COLUMNS;

/// The tables whose rows are [`Row`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// One row per (rank, device).
    Summary,
    /// One row per (rank, device, step).
    Steps,
    /// One row per (rank, device, stream).
    Streams,
}

/// The columns of a table in order.
#[must_use]
pub fn columns(table: Table) -> Vec<Column<Row>> {
    match table {
        Table::Summary => [&KEYS[..], &WINDOW, &FIGURES].concat(),
        Table::Steps => [&KEYS[..], &WINDOW, &FIGURES, &STEP_EXTRAS].concat(),
        Table::Streams => [&STREAM_KEYS[..], &WINDOW, &FIGURES, &STREAM_EXTRAS].concat(),
    }
}

/// The number of the rank that a row is of.
const fn rank<R: OfDevice>() -> Column<R> {
    column("rank", "Rank", Unit::None, text::RANK, |r| {
        Cell::Int(r.device().0.0.into())
    })
}

/// The number of the device that a row is of.
const fn device<R: OfDevice>() -> Column<R> {
    column("device", "Device", Unit::None, text::DEVICE, |r| {
        Cell::Int(r.device().1.0.into())
    })
}

/// Start of the window that the figures of a row are of.
const fn window_start<R: OfWindow>() -> Column<R> {
    column(
        "window_start_ns",
        "Window start",
        Unit::Nanoseconds,
        text::WINDOW_START,
        |r| instant(r.window(), |w| w.start().0),
    )
}

/// End of that window.
const fn window_end<R: OfWindow>() -> Column<R> {
    column(
        "window_end_ns",
        "Window end",
        Unit::Nanoseconds,
        text::WINDOW_END,
        |r| instant(r.window(), |w| w.end().0),
    )
}

/// Name of the event that a row rests on.
const fn evidence<R: OfEvidence>() -> Column<R> {
    column("evidence", "Evidence", Unit::None, text::EVIDENCE, |r| {
        words(r.evidence().map(|e| e.name.as_str()))
    })
}

/// Start of that event.
const fn evidence_start<R: OfEvidence>() -> Column<R> {
    column(
        "evidence_start_ns",
        "Evidence start",
        Unit::Nanoseconds,
        text::EVIDENCE_START,
        |r| {
            let start = r.evidence().map(|e| e.start);
            start.map_or(Cell::Empty, |at| Cell::Int(at.0.into()))
        },
    )
}

const fn column<R>(
    name: &'static str,
    title: &'static str,
    unit: Unit,
    definition: &'static str,
    get: fn(&R) -> Cell,
) -> Column<R> {
    Column::new(name, title, unit, definition, get)
}

const KEYS: [Column<Row>; 3] = [
    rank(),
    device(),
    column("step", "Step", Unit::None, text::STEP, |r| {
        words(r.step.as_deref())
    }),
];

const STREAM_KEYS: [Column<Row>; 3] = [
    rank(),
    device(),
    column("stream", "Stream", Unit::None, text::STREAM, |r| {
        r.stream.map_or(Cell::Empty, |s| Cell::Int(s.0.into()))
    }),
];

const WINDOW: [Column<Row>; 2] = [window_start(), window_end()];

const FIGURES: [Column<Row>; 18] = [
    column("kernels", "Kernels", Unit::Count, text::KERNELS, |r| {
        figure(r, |s| Cell::Int(s.kernels.into()))
    }),
    time("kernel_time_us", "Window", text::KERNEL_TIME, |r| {
        figure(r, |s| Cell::Time(s.kernel_time))
    }),
    time("kernel_run_time_us", "Busy", text::KERNEL_RUN_TIME, |r| {
        figure(r, |s| Cell::Time(s.kernel_run_time))
    }),
    time("compute_time_us", "Compute", text::COMPUTE_TIME, |r| {
        figure(r, |s| Cell::Time(s.compute_time))
    }),
    time(
        "non_compute_time_us",
        "Non-compute",
        text::NON_COMPUTE_TIME,
        |r| figure(r, |s| Cell::Time(s.non_compute_time)),
    ),
    time("idle_time_us", "Idle", text::IDLE_TIME, |r| {
        figure(r, |s| Cell::Time(s.idle_time))
    }),
    percent("compute_percent", "Compute", text::COMPUTE_PERCENT, |r| {
        share(r, |s| s.share(s.compute_time))
    }),
    percent(
        "non_compute_percent",
        "Non-compute",
        text::NON_COMPUTE_PERCENT,
        |r| share(r, |s| s.share(s.non_compute_time)),
    ),
    percent("idle_percent", "Idle", text::IDLE_PERCENT, |r| {
        share(r, |s| s.share(s.idle_time))
    }),
    time("comp_time_us", "Computation", text::COMP_TIME, |r| {
        figure(r, |s| Cell::Time(s.comp))
    }),
    time("comm_time_us", "Communication", text::COMM_TIME, |r| {
        figure(r, |s| Cell::Time(s.comm))
    }),
    time("memory_time_us", "Memory", text::MEMORY_TIME, |r| {
        figure(r, |s| Cell::Time(s.memory))
    }),
    time("overlap_time_us", "Overlap", text::OVERLAP_TIME, |r| {
        figure(r, |s| Cell::Time(s.overlap))
    }),
    time("compute_only_us", "Compute only", text::COMPUTE_ONLY, |r| {
        figure(r, |s| Cell::Time(s.compute_only))
    }),
    time(
        "exposed_comm_us",
        "Exposed communication",
        text::EXPOSED_COMM,
        |r| figure(r, |s| Cell::Time(s.exposed_comm)),
    ),
    time(
        "exposed_memory_us",
        "Exposed memory",
        text::EXPOSED_MEMORY,
        |r| figure(r, |s| Cell::Time(s.exposed_memory)),
    ),
    percent(
        "overlap_ratio_of_union_percent",
        "Overlap of union",
        text::OVERLAP_OF_UNION,
        |r| share(r, Summary::overlap_of_union),
    ),
    percent(
        "comm_hidden_by_comp_percent",
        "Communication hidden",
        text::COMM_HIDDEN,
        |r| share(r, Summary::comm_hidden_by_comp),
    ),
];

const STEP_EXTRAS: [Column<Row>; 3] = [
    column("basis", "Basis", Unit::None, text::BASIS, |r| {
        words(r.columns.map(|c| c.basis.label()))
    }),
    column("partial", "Partial", Unit::None, text::PARTIAL, |r| {
        r.columns.map_or(Cell::Empty, |c| Cell::Bool(c.partial))
    }),
    column(
        "kernels_launched",
        "Launched",
        Unit::Count,
        text::KERNELS_LAUNCHED,
        |r| count(r.columns.and_then(|c| c.kernels_launched)),
    ),
];

const STREAM_EXTRAS: [Column<Row>; 5] = [
    time(
        "duration_sum_us",
        "Sum of durations",
        text::DURATION_SUM,
        |r| figure(r, |s| Cell::Time(s.duration_sum)),
    ),
    percent("busy_percent", "Busy", text::BUSY_PERCENT, |r| {
        share(r, Summary::busy_share)
    }),
    percent(
        "computation_percent",
        "Computation",
        text::COMPUTATION_PERCENT,
        |r| share(r, |s| s.duty_split().computation),
    ),
    percent(
        "communication_only_percent",
        "Communication only",
        text::COMMUNICATION_ONLY_PERCENT,
        |r| share(r, |s| s.duty_split().communication_only),
    ),
    percent(
        "memory_only_percent",
        "Memory only",
        text::MEMORY_ONLY_PERCENT,
        |r| share(r, |s| s.duty_split().memory_only),
    ),
];

/// The columns of the health list.
pub const HEALTH_COLUMNS: [Column<HealthRow>; 8] = [
    column("kind", "Kind", Unit::None, text::HEALTH_KIND, |r| {
        words(Some(r.kind.name()))
    }),
    column(
        "severity",
        "Severity",
        Unit::None,
        text::HEALTH_SEVERITY,
        |r| words(Some(r.severity.label())),
    ),
    column("file", "File", Unit::None, text::HEALTH_FILE, |r| {
        words(Some(&r.file))
    }),
    column("count", "Count", Unit::Count, text::HEALTH_COUNT, |r| {
        count(Some(r.count))
    }),
    column(
        "first_byte",
        "First byte",
        Unit::None,
        text::HEALTH_FIRST_BYTE,
        |r| count(r.first_byte),
    ),
    column(
        "first_what",
        "First",
        Unit::None,
        text::HEALTH_FIRST_WHAT,
        |r| words(Some(&r.first_what)),
    ),
    time(
        "time_at_stake_us",
        "Time at stake",
        text::HEALTH_TIME,
        |r| r.time_at_stake.map_or(Cell::Empty, Cell::Time),
    ),
    column(
        "sentence",
        "Meaning",
        Unit::None,
        text::HEALTH_SENTENCE,
        |r| words(Some(r.sentence)),
    ),
];

/// The columns of the list of files.
pub const FILE_COLUMNS: [Column<FileRow>; 5] = [
    column("path", "Path", Unit::None, text::FILE_PATH, |r| {
        words(Some(&r.path))
    }),
    column("entry", "Entry", Unit::None, text::FILE_ENTRY, |r| {
        words(r.entry.as_deref())
    }),
    column("error", "Error", Unit::None, text::FILE_ERROR, |r| {
        words(r.error.as_deref())
    }),
    column("rank", "Rank", Unit::None, text::FILE_RANK, |r| {
        count(r.rank.map(|id| id.0.into()))
    }),
    column("events", "Events", Unit::Count, text::FILE_EVENTS, |r| {
        count(Some(r.events))
    }),
];

const fn time<R>(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    get: fn(&R) -> Cell,
) -> Column<R> {
    column(name, title, Unit::Microseconds, definition, get)
}

const fn percent<R>(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    get: fn(&R) -> Cell,
) -> Column<R> {
    column(name, title, Unit::Percent, definition, get)
}

fn figure(row: &Row, get: fn(&Summary) -> Cell) -> Cell {
    row.figures.as_ref().map_or(Cell::Empty, get)
}

fn share(row: &Row, get: fn(&Summary) -> Option<Ratio>) -> Cell {
    row.figures
        .as_ref()
        .map_or(Cell::Empty, |s| Cell::Percent(get(s)))
}

fn instant(window: Option<Window>, edge: fn(Window) -> i64) -> Cell {
    window.map_or(Cell::Empty, |w| Cell::Int(edge(w).into()))
}

fn count(number: Option<u64>) -> Cell {
    number.map_or(Cell::Empty, |n| Cell::Int(n.into()))
}

fn words(text: Option<&str>) -> Cell {
    text.filter(|t| !t.is_empty())
        .map_or(Cell::Empty, |t| Cell::Text(t.to_owned()))
}
