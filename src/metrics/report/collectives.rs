//! The columns of the tables of collectives.

use super::super::Parallelism;
use super::super::definitions::{self as text, collectives as own};
use super::super::{Apart, CollectiveRow, CommGroupRow, Ratio};
use super::{
    Cell, Column, Unit, column, count, device, percent, rank, time, window_end, window_start, words,
};
use crate::time::DurNs;

/// The columns of the table of collectives in order.
pub const COLLECTIVE_COLUMNS: [Column<CollectiveRow>; 31] = [
    rank(),
    device(),
    column("stream", "Stream", Unit::None, text::STREAM, |r| {
        Cell::Int(r.stream.0.into())
    }),
    column("kind", "Kind", Unit::None, own::KIND, |r| {
        words(Some(r.kind_label()))
    }),
    column("group", "Process group", Unit::None, own::GROUP, |r| {
        words(r.group.as_deref())
    }),
    column(
        "group_description",
        "Group is for",
        Unit::None,
        own::GROUP_DESCRIPTION,
        |r| words(r.description.as_deref()),
    ),
    column(
        "group_ranks",
        "Ranks of the group",
        Unit::None,
        own::GROUP_RANKS,
        |r| words(r.ranks.as_deref()),
    ),
    column(
        "group_size",
        "Group size",
        Unit::Count,
        own::GROUP_SIZE,
        |r| count(r.group_size.map(u64::from)),
    ),
    column("seq", "Sequence", Unit::None, own::SEQ, |r| {
        r.seq.map_or(Cell::Empty, |n| Cell::Int(n.into()))
    }),
    column("dtype", "Type", Unit::None, own::DTYPE, |r| {
        words(r.dtype.as_deref())
    }),
    column(
        "in_elements",
        "Elements in",
        Unit::Count,
        own::IN_ELEMENTS,
        |r| count(r.in_elements),
    ),
    column(
        "out_elements",
        "Elements out",
        Unit::Count,
        own::OUT_ELEMENTS,
        |r| count(r.out_elements),
    ),
    column("bytes", "Size", Unit::Bytes, own::BYTES, |r| count(r.bytes)),
    window_start(),
    window_end(),
    column("start_ns", "Start", Unit::Nanoseconds, own::START, |r| {
        Cell::Int(r.start.0.into())
    }),
    time("duration_us", "Duration", own::DURATION, |r| {
        Cell::Time(r.duration)
    }),
    time("hidden_us", "Hidden", own::HIDDEN, |r| Cell::Time(r.hidden)),
    time("exposed_us", "Exposed", own::EXPOSED, |r| {
        Cell::Time(r.exposed)
    }),
    percent("hidden_percent", "Hidden", own::HIDDEN_PERCENT, |r| {
        Cell::Percent(Ratio::new(r.hidden, r.hidden + r.exposed))
    }),
    rate("algbw_gb_per_s", "Algorithm bandwidth", own::ALGBW, |r| {
        Cell::Rate(r.algorithm_bandwidth())
    }),
    rate("busbw_gb_per_s", "Bus bandwidth", own::BUSBW, |r| {
        Cell::Rate(r.bus_bandwidth())
    }),
    column(
        "bandwidth_of",
        "Bandwidth over",
        Unit::None,
        own::BANDWIDTH_OF,
        |r| words(r.algorithm_bandwidth().map(|_| r.bandwidth_of().label())),
    ),
    column("matched", "Matched", Unit::None, own::MATCHED, |r| {
        Cell::Text(r.across.words(r.group_size))
    }),
    time("skew_us", "Arrival skew", own::SKEW, |r| {
        length(r.across.known().map(|t| t.skew))
    }),
    column("last_rank", "Last rank", Unit::None, own::LAST_RANK, |r| {
        count(r.across.known().and_then(|t| t.last).map(|id| id.0.into()))
    }),
    time("wait_us", "Wait", own::WAIT, |r| length(r.across.wait())),
    time("transfer_us", "Transfer", own::TRANSFER, |r| {
        length(r.across.transfer())
    }),
    time(
        "end_spread_us",
        "Spread of the ends",
        own::END_SPREAD,
        |r| length(r.across.known().map(|t| t.end_spread)),
    ),
    column("note", "Note", Unit::None, own::NOTE, |r| {
        words(r.across.why_not().map(Apart::sentence))
    }),
    column("kernel", "Kernel", Unit::None, own::KERNEL, |r| {
        words(Some(&r.kernel))
    }),
];

/// The columns of the table of collectives by process group and kind, in order.
pub const COMM_GROUP_COLUMNS: [Column<CommGroupRow>; 19] = [
    rank(),
    device(),
    column("group", "Process group", Unit::None, own::GROUP, |r| {
        words(r.group.as_deref())
    }),
    column(
        "group_description",
        "Group is for",
        Unit::None,
        own::GROUP_DESCRIPTION,
        |r| words(r.description.as_deref()),
    ),
    column("kind", "Kind", Unit::None, own::KIND, |r| {
        words(Some(r.kind_label()))
    }),
    window_start(),
    window_end(),
    column("collectives", "Count", Unit::Count, own::COLLECTIVES, |r| {
        count(Some(r.collectives))
    }),
    column("bytes", "Size", Unit::Bytes, own::GROUP_BYTES, |r| {
        count(r.bytes)
    }),
    column(
        "without_bytes",
        "Without size",
        Unit::Count,
        own::WITHOUT_BYTES,
        |r| count(Some(r.without_bytes)),
    ),
    time("total_us", "Total", own::TOTAL, |r| Cell::Time(r.total)),
    time("merged_us", "Merged", own::MERGED, |r| Cell::Time(r.merged)),
    time(
        "hidden_by_comp_us",
        "Hidden by computation",
        own::HIDDEN_BY_COMP,
        |r| Cell::Time(r.hidden_by_comp),
    ),
    time(
        "hidden_by_comm_us",
        "Hidden by other communication",
        own::HIDDEN_BY_COMM,
        |r| Cell::Time(r.hidden_by_comm),
    ),
    time("exposed_us", "Exposed", own::GROUP_EXPOSED, |r| {
        Cell::Time(r.exposed)
    }),
    percent(
        "hidden_by_comp_percent",
        "Hidden by computation",
        own::HIDDEN_BY_COMP_PERCENT,
        |r| Cell::Percent(r.hidden_share()),
    ),
    column(
        "parallelism",
        "Parallelism",
        Unit::None,
        own::PARALLELISM,
        |r| words(r.parallelism().map(Parallelism::name)),
    ),
    column(
        "parallelism_evidence",
        "Why",
        Unit::None,
        own::PARALLELISM_EVIDENCE,
        |r| words(r.parallelism_evidence()),
    ),
    column(
        "hides_behind",
        "Hides behind",
        Unit::None,
        own::HIDES_BEHIND,
        |r| words(r.parallelism().map(Parallelism::hides_behind)),
    ),
];

const fn rate(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    get: fn(&CollectiveRow) -> Cell,
) -> Column<CollectiveRow> {
    column(name, title, Unit::GigabytesPerSecond, definition, get)
}

fn length(time: Option<DurNs>) -> Cell {
    time.map_or(Cell::Empty, Cell::Time)
}
