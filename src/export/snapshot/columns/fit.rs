//! The columns of whether a request fits.

use super::super::cells::{int, pool_words, size_word, words};
use super::super::fit_word;
use super::super::rows::FitRow;
use crate::metrics::report::{Cell, Column, Unit};
use crate::snapshot::Fit;

fn address(fit: &Fit) -> Cell {
    match fit {
        Fit::CachedBlock { address, .. } => int(*address),
        _ => Cell::Empty,
    }
}

fn driver(fit: &Fit) -> Cell {
    match fit {
        Fit::NewSegment { size, .. }
        | Fit::AfterReleasing { size, .. }
        | Fit::CannotTell { size, .. } => int(*size),
        _ => Cell::Empty,
    }
}

fn released(fit: &Fit) -> Cell {
    match fit {
        Fit::AfterReleasing { bytes, .. } => int(*bytes),
        Fit::CannotTell { releasable, .. } => int(*releasable),
        _ => Cell::Empty,
    }
}

fn short(fit: &Fit) -> Cell {
    match fit {
        Fit::No { short_by } => int(*short_by),
        _ => Cell::Empty,
    }
}

/// The columns of whether a request fits.
pub const FIT_COLUMNS: [Column<FitRow>; 20] = [
    Column::new(
        "device",
        "Device",
        Unit::None,
        "Number of the device.",
        |r| int(r.request.device),
    ),
    Column::new(
        "stream",
        "Stream",
        Unit::None,
        "The stream that asks.",
        |r| int(r.request.stream),
    ),
    Column::new(
        "private_pool",
        "Private pool",
        Unit::None,
        "The private pool that it asks of; empty for the common one.",
        |r| pool_words(r.request.pool),
    ),
    Column::new(
        "request_bytes",
        "Request",
        Unit::Bytes,
        "Bytes that are asked for.",
        |r| int(r.request.bytes),
    ),
    Column::new(
        "block_bytes",
        "Block",
        Unit::Bytes,
        "Bytes of the block that this takes, rounded.",
        |r| int(r.block),
    ),
    Column::new(
        "pool",
        "Pool",
        Unit::None,
        "Small serves requests of up to 1 MiB, large all others.",
        |r| size_word(r.served_by.size),
    ),
    Column::new(
        "answer",
        "Fits",
        Unit::None,
        "cached_block, new_segment, segment_grows, after_releasing, no or cannot_tell: the first that holds.",
        |r| words(fit_word(&r.fit)),
    ),
    Column::new(
        "address",
        "Address",
        Unit::None,
        "Where it would lie, if in a free block.",
        |r| address(&r.fit),
    ),
    Column::new(
        "driver_bytes",
        "From the driver",
        Unit::Bytes,
        "Bytes that it takes from the driver, if it takes any.",
        |r| driver(&r.fit),
    ),
    Column::new(
        "release_bytes",
        "Released",
        Unit::Bytes,
        "Bytes that the allocator can give back to the driver first, if it must.",
        |r| released(&r.fit),
    ),
    Column::new(
        "short_by_bytes",
        "Short by",
        Unit::Bytes,
        "Bytes that are missing even then.",
        |r| short(&r.fit),
    ),
    Column::new(
        "largest_from_cache_bytes",
        "Largest from cache",
        Unit::Bytes,
        "The largest request that free blocks of this pool serve.",
        |r| int(r.largest),
    ),
    Column::new(
        "free_bytes",
        "Free",
        Unit::Bytes,
        "All free bytes of the device.",
        |r| int(r.split.free),
    ),
    Column::new(
        "serving_bytes",
        "Serving",
        Unit::Bytes,
        "Free bytes in blocks that could serve the request.",
        |r| int(r.split.serving),
    ),
    Column::new(
        "too_small_bytes",
        "Too small",
        Unit::Bytes,
        "Free bytes of its pool in blocks that are too small.",
        |r| int(r.split.too_small),
    ),
    Column::new(
        "oversize_bytes",
        "Kept whole",
        Unit::Bytes,
        "Free bytes of its pool in blocks that max_split_size_mb keeps for larger requests.",
        |r| int(r.split.oversize),
    ),
    Column::new(
        "other_size_bytes",
        "Other size",
        Unit::Bytes,
        "Free bytes in the pool of the other size.",
        |r| int(r.split.other_size),
    ),
    Column::new(
        "other_stream_bytes",
        "Other stream",
        Unit::Bytes,
        "Free bytes of other streams.",
        |r| int(r.split.other_stream),
    ),
    Column::new(
        "other_pool_bytes",
        "Other pool",
        Unit::Bytes,
        "Free bytes of other private pools, or of the common one.",
        |r| int(r.split.other_pool),
    ),
    Column::new(
        "awaiting_free_bytes",
        "Awaiting free",
        Unit::Bytes,
        "Bytes that are not free yet, since another stream uses them.",
        |r| int(r.split.awaiting_free),
    ),
];
