//! The columns of devices, segments and blocks.

use super::super::cells::{count, int, pool_words, size_word, words};
use super::super::rows::{BlockRow, DeviceRow, SegmentRow};
use crate::metrics::report::{Cell, Column, Unit};

/// The columns of devices.
pub const DEVICE_COLUMNS: [Column<DeviceRow>; 22] = [
    Column::new(
        "device",
        "Device",
        Unit::None,
        "Number of the device.",
        |r| int(r.device),
    ),
    Column::new(
        "reserved_bytes",
        "Reserved",
        Unit::Bytes,
        "Bytes taken from the driver: all segments.",
        |r| int(r.totals.reserved),
    ),
    Column::new(
        "allocated_bytes",
        "Allocated",
        Unit::Bytes,
        "Bytes of blocks that the program uses, as the allocator rounded them.",
        |r| int(r.totals.allocated),
    ),
    Column::new(
        "active_bytes",
        "Active",
        Unit::Bytes,
        "Allocated bytes, and those that were given back and are still used by another stream.",
        |r| int(r.totals.active()),
    ),
    Column::new(
        "awaiting_free_bytes",
        "Awaiting free",
        Unit::Bytes,
        "Bytes that were given back and are still used by another stream; they are not free.",
        |r| int(r.totals.awaiting_free),
    ),
    Column::new(
        "free_bytes",
        "Free",
        Unit::Bytes,
        "Bytes of free blocks: reserved minus active.",
        |r| int(r.totals.free),
    ),
    Column::new(
        "inactive_split_bytes",
        "Inactive split",
        Unit::Bytes,
        "Free bytes in segments that are otherwise in use, so that they cannot go back to the driver.",
        |r| int(r.totals.inactive_split),
    ),
    Column::new(
        "releasable_bytes",
        "Releasable",
        Unit::Bytes,
        "Bytes that the common pool can give back to the driver: wholly free segments, and whole free pages of expandable ones.",
        |r| int(r.totals.releasable),
    ),
    Column::new(
        "private_releasable_bytes",
        "Private releasable",
        Unit::Bytes,
        "The same of private pools, which keep it while their graphs are there.",
        |r| int(r.totals.private_releasable),
    ),
    Column::new(
        "expandable_free_bytes",
        "Expandable free",
        Unit::Bytes,
        "Free bytes of expandable segments.",
        |r| int(r.totals.expandable_free),
    ),
    Column::new(
        "requested_bytes",
        "Requested",
        Unit::Bytes,
        "Bytes that the program asked for in its active blocks.",
        |r| int(r.totals.requested),
    ),
    Column::new(
        "internal_waste_bytes",
        "Rounding",
        Unit::Bytes,
        "Active bytes that nobody asked for: what rounding and blocks that were not split add.",
        |r| int(r.totals.internal_waste()),
    ),
    Column::new(
        "largest_free_bytes",
        "Largest free",
        Unit::Bytes,
        "The largest free block.",
        |r| int(r.totals.largest_free),
    ),
    Column::new(
        "segments",
        "Segments",
        Unit::Count,
        "Number of segments.",
        |r| int(r.totals.segments),
    ),
    Column::new(
        "free_segments",
        "Free segments",
        Unit::Count,
        "Number of wholly free segments.",
        |r| int(r.totals.free_segments),
    ),
    Column::new(
        "allocated_blocks",
        "Blocks",
        Unit::Count,
        "Number of blocks in use.",
        |r| int(r.totals.allocated_blocks),
    ),
    Column::new(
        "awaiting_blocks",
        "Awaiting",
        Unit::Count,
        "Number of blocks awaiting free.",
        |r| int(r.totals.awaiting_blocks),
    ),
    Column::new(
        "free_blocks",
        "Free blocks",
        Unit::Count,
        "Number of free blocks.",
        |r| int(r.totals.free_blocks),
    ),
    Column::new(
        "events",
        "Events",
        Unit::Count,
        "Number of events recorded.",
        |r| count(r.events),
    ),
    Column::new(
        "baseline_requested_bytes",
        "Older",
        Unit::Bytes,
        "Requested bytes that were allocated before the recording begins; empty without a recording.",
        |r| {
            if r.events == 0 {
                Cell::Empty
            } else {
                int(r.baseline)
            }
        },
    ),
    Column::new(
        "peak_requested_bytes",
        "Peak",
        Unit::Bytes,
        "The most requested bytes at once in the recording.",
        |r| r.peak.map_or(Cell::Empty, |(bytes, _)| int(bytes)),
    ),
    Column::new(
        "peak_ns",
        "Peak at",
        Unit::None,
        "When that was reached first.",
        |r| r.peak.map_or(Cell::Empty, |(_, at)| int(at.0)),
    ),
];

/// The columns of segments.
pub const SEGMENT_COLUMNS: [Column<SegmentRow>; 12] = [
    Column::new(
        "device",
        "Device",
        Unit::None,
        "Number of the device.",
        |r| int(r.pool.device),
    ),
    Column::new(
        "address",
        "Address",
        Unit::None,
        "Where the segment begins.",
        |r| int(r.address),
    ),
    Column::new("size_bytes", "Size", Unit::Bytes, "Its bytes.", |r| {
        int(r.size)
    }),
    Column::new(
        "allocated_bytes",
        "Allocated",
        Unit::Bytes,
        "Bytes of blocks in use.",
        |r| int(r.allocated),
    ),
    Column::new(
        "awaiting_free_bytes",
        "Awaiting free",
        Unit::Bytes,
        "Bytes that another stream still uses.",
        |r| int(r.awaiting),
    ),
    Column::new(
        "free_bytes",
        "Free",
        Unit::Bytes,
        "Bytes of free blocks.",
        |r| int(r.free),
    ),
    Column::new("blocks", "Blocks", Unit::Count, "Number of blocks.", |r| {
        count(r.blocks)
    }),
    Column::new(
        "pool",
        "Pool",
        Unit::None,
        "Small serves requests of up to 1 MiB, large all others.",
        |r| size_word(r.pool.size),
    ),
    Column::new(
        "stream",
        "Stream",
        Unit::None,
        "The stream that its free blocks serve.",
        |r| int(r.pool.stream),
    ),
    Column::new(
        "private_pool",
        "Private pool",
        Unit::None,
        "The pool of a CUDA graph or of the program's own; empty for the common pool.",
        |r| pool_words(r.pool.id),
    ),
    Column::new(
        "expandable",
        "Expandable",
        Unit::None,
        "Whether it can grow.",
        |r| Cell::Bool(r.is_expandable),
    ),
    Column::new(
        "site",
        "Call site",
        Unit::None,
        "Who made the allocator take it, where that was recorded.",
        |r| words(&r.site),
    ),
];

/// The columns of blocks.
pub const BLOCK_COLUMNS: [Column<BlockRow>; 10] = [
    Column::new(
        "device",
        "Device",
        Unit::None,
        "Number of the device.",
        |r| int(r.pool.device),
    ),
    Column::new(
        "segment_address",
        "Segment",
        Unit::None,
        "Where its segment begins.",
        |r| int(r.segment),
    ),
    Column::new(
        "address",
        "Address",
        Unit::None,
        "Where the block begins.",
        |r| int(r.block.address),
    ),
    Column::new(
        "state",
        "State",
        Unit::None,
        "Allocated, awaiting free, or free.",
        |r| words(r.block.state.label()),
    ),
    Column::new(
        "size_bytes",
        "Size",
        Unit::Bytes,
        "Its bytes, as the allocator rounded them.",
        |r| int(r.block.size),
    ),
    Column::new(
        "requested_bytes",
        "Requested",
        Unit::Bytes,
        "Bytes that the program asked for; 0 for a free block.",
        |r| int(r.block.requested),
    ),
    Column::new(
        "pool",
        "Pool",
        Unit::None,
        "Small serves requests of up to 1 MiB, large all others.",
        |r| size_word(r.pool.size),
    ),
    Column::new(
        "stream",
        "Stream",
        Unit::None,
        "The stream of its segment.",
        |r| int(r.pool.stream),
    ),
    Column::new(
        "private_pool",
        "Private pool",
        Unit::None,
        "The pool of a CUDA graph or of the program's own; empty for the common pool.",
        |r| pool_words(r.pool.id),
    ),
    Column::new(
        "site",
        "Call site",
        Unit::None,
        "The innermost function of the program itself in the stack that allocated it; of a free block, the one that used it last.",
        |r| words(&r.site),
    ),
];
