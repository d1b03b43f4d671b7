//! The columns of the queues of streams.

use super::super::QueueRow;
use super::super::definitions as text;
use super::{Cell, Column, Unit, column, count, instant, percent, time};

/// Queues of streams: the columns in order.
pub const QUEUE_COLUMNS: [Column<QueueRow>; 10] = [
    column("rank", "Rank", Unit::None, text::RANK, |r| {
        Cell::Int(r.rank.0.into())
    }),
    column("device", "Device", Unit::None, text::DEVICE, |r| {
        Cell::Int(r.device.0.into())
    }),
    column("stream", "Stream", Unit::None, text::STREAM, |r| {
        Cell::Int(r.stream.0.into())
    }),
    column(
        "window_start_ns",
        "Window start",
        Unit::Nanoseconds,
        text::WINDOW_START,
        |r| instant(Some(r.window), |w| w.start().0),
    ),
    column(
        "window_end_ns",
        "Window end",
        Unit::Nanoseconds,
        text::WINDOW_END,
        |r| instant(Some(r.window), |w| w.end().0),
    ),
    column("linked", "Launched", Unit::Count, text::QUEUE_LINKED, |r| {
        count(Some(r.linked))
    }),
    column("mean_queue", "Mean", Unit::Count, text::QUEUE_MEAN, |r| {
        r.mean_e4().map_or(Cell::Empty, |mean| Cell::Fixed(mean, 4))
    }),
    column("max_queue", "Most", Unit::Count, text::QUEUE_MAX, |r| {
        count((r.linked > 0).then_some(r.longest.into()))
    }),
    time("empty_us", "Empty", text::QUEUE_EMPTY, |r| {
        if r.linked > 0 {
            Cell::Time(r.empty)
        } else {
            Cell::Empty
        }
    }),
    percent("empty_percent", "Empty", text::QUEUE_EMPTY_PERCENT, |r| {
        Cell::Percent(r.empty_share())
    }),
];
