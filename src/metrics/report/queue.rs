//! The columns of the queues of streams.

use super::super::QueueRow;
use super::super::definitions as text;
use super::{
    Cell, Column, Unit, column, count, device, percent, rank, time, window_end, window_start,
};

/// Queues of streams: the columns in order.
pub const QUEUE_COLUMNS: [Column<QueueRow>; 10] = [
    rank(),
    device(),
    column("stream", "Stream", Unit::None, text::STREAM, |r| {
        Cell::Int(r.stream.0.into())
    }),
    window_start(),
    window_end(),
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
