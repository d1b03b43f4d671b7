//! The columns of call sites, events, times that memory ran out, and notes.

use super::super::cells::{count, int, some, words};
use super::super::rows::{EventRow, NoteRow, OomRow, SiteRow};
use crate::metrics::report::{Cell, Column, Unit};
use crate::snapshot::Action;

/// The columns of call sites.
pub const SITE_COLUMNS: [Column<SiteRow>; 5] = [
    Column::new(
        "device",
        "Device",
        Unit::None,
        "Number of the device.",
        |r| int(r.device),
    ),
    Column::new(
        "requested_bytes",
        "Requested",
        Unit::Bytes,
        "Bytes that the call site holds, as requested.",
        |r| int(r.of.bytes),
    ),
    Column::new(
        "allocations",
        "Allocations",
        Unit::Count,
        "Number of allocations.",
        |r| int(r.of.count),
    ),
    Column::new(
        "largest_bytes",
        "Largest",
        Unit::Bytes,
        "The largest of them, as requested.",
        |r| int(r.of.largest),
    ),
    Column::new(
        "site",
        "Call site",
        Unit::None,
        "The innermost function of the program itself; empty where no stack was recorded.",
        |r| words(&r.site),
    ),
];

/// The columns of events.
pub const EVENT_COLUMNS: [Column<EventRow>; 9] = [
    Column::new(
        "device",
        "Device",
        Unit::None,
        "Number of the device.",
        |r| int(r.device),
    ),
    Column::new(
        "event",
        "Event",
        Unit::None,
        "Its place in the recording.",
        |r| count(r.number),
    ),
    Column::new(
        "time_ns",
        "Time",
        Unit::None,
        "When, in nanoseconds since the epoch; the place again where the file has no times.",
        |r| int(r.event.time.0),
    ),
    Column::new(
        "action",
        "Action",
        Unit::None,
        "What happened, in the file's word.",
        |r| words(r.event.action.word()),
    ),
    Column::new(
        "address",
        "Address",
        Unit::None,
        "Where; empty for running out of memory.",
        |r| {
            if r.event.action == Action::Oom {
                Cell::Empty
            } else {
                int(r.event.address)
            }
        },
    ),
    Column::new(
        "size_bytes",
        "Size",
        Unit::Bytes,
        "Bytes: as requested for blocks, whole ones for segments.",
        |r| int(r.event.size),
    ),
    Column::new(
        "device_free_bytes",
        "Driver free",
        Unit::Bytes,
        "Bytes that the driver had free, where memory ran out.",
        |r| {
            if r.event.action == Action::Oom {
                int(r.event.address)
            } else {
                Cell::Empty
            }
        },
    ),
    Column::new("stream", "Stream", Unit::None, "The stream.", |r| {
        int(r.event.stream)
    }),
    Column::new("site", "Call site", Unit::None, "Who caused it.", |r| {
        words(&r.site)
    }),
];

/// The columns of times that memory ran out.
pub const OOM_COLUMNS: [Column<OomRow>; 15] = [
    Column::new(
        "device",
        "Device",
        Unit::None,
        "Number of the device.",
        |r| int(r.device),
    ),
    Column::new(
        "event",
        "Event",
        Unit::None,
        "Its place in the recording.",
        |r| count(r.oom.event),
    ),
    Column::new(
        "time_ns",
        "Time",
        Unit::None,
        "When, in nanoseconds since the epoch.",
        |r| int(r.oom.time.0),
    ),
    Column::new(
        "block_bytes",
        "Block",
        Unit::Bytes,
        "Bytes of the block that was asked for, as the event states them: rounded already.",
        |r| int(r.oom.block),
    ),
    Column::new(
        "needed_bytes",
        "Needed",
        Unit::Bytes,
        "Bytes that it would have taken from the driver.",
        |r| int(r.oom.needed),
    ),
    Column::new(
        "device_free_bytes",
        "Driver free",
        Unit::Bytes,
        "Bytes that the driver had free.",
        |r| int(r.oom.device_free),
    ),
    Column::new(
        "reserved_bytes",
        "Reserved",
        Unit::Bytes,
        "Bytes that the allocator had taken from the driver, replayed.",
        |r| int(r.oom.totals.reserved),
    ),
    Column::new(
        "allocated_bytes",
        "Allocated",
        Unit::Bytes,
        "Bytes of blocks in use, replayed.",
        |r| int(r.oom.totals.allocated),
    ),
    Column::new(
        "free_in_pool_bytes",
        "Free in pool",
        Unit::Bytes,
        "Free bytes of the pool that serves the request.",
        |r| int(r.oom.free_in_pool),
    ),
    Column::new(
        "largest_in_pool_bytes",
        "Largest in pool",
        Unit::Bytes,
        "The largest request that this pool could have served.",
        |r| int(r.oom.largest_in_pool),
    ),
    Column::new(
        "others_bytes",
        "Others",
        Unit::Bytes,
        "Bytes of the device that neither the allocator nor the driver had; needs --total.",
        |r| some(r.oom.others),
    ),
    Column::new(
        "reason",
        "Reason",
        Unit::None,
        "limited, fragmented, free_elsewhere, held_by_others, full or cannot_tell.",
        |r| words(r.oom.reason.word()),
    ),
    Column::new(
        "assumed_pool",
        "Assumed pool",
        Unit::None,
        "common where there are private pools: the event does not say which was asked.",
        |r| words(if r.oom.is_pool_assumed { "common" } else { "" }),
    ),
    Column::new(
        "advice",
        "What to try",
        Unit::None,
        "What to try, the most promising first.",
        |r| words(&r.advice.join("; ")),
    ),
    Column::new("site", "Call site", Unit::None, "Who asked.", |r| {
        words(&r.site)
    }),
];

/// The columns of what was odd.
pub const NOTE_COLUMNS: [Column<NoteRow>; 3] = [
    Column::new(
        "count",
        "Count",
        Unit::Count,
        "How often it was seen; bytes for what is older than the recording.",
        |r| int(r.count),
    ),
    Column::new("note", "Note", Unit::None, "What it is.", |r| {
        words(r.sentence)
    }),
    Column::new(
        "first",
        "First",
        Unit::None,
        "Where it was seen first.",
        |r| words(&r.first),
    ),
];
