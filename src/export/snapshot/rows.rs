//! The rows of the tables of a snapshot.

use crate::snapshot::{Block, Event, Fit, Fragmentation, Oom, Pool, Request, Site, Totals};
use crate::time::Ns;

/// One device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRow {
    /// Its number.
    pub device: i64,
    /// Its bytes.
    pub totals: Totals,
    /// Events recorded.
    pub events: usize,
    /// Bytes older than the recording.
    pub baseline: u64,
    /// The most bytes requested at once, and when first.
    pub peak: Option<(i64, Ns)>,
}

/// One segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentRow {
    /// Whom it serves.
    pub pool: Pool,
    /// Where it begins.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
    /// Whether it can grow.
    pub is_expandable: bool,
    /// Bytes in use.
    pub allocated: u64,
    /// Bytes that another stream still uses.
    pub awaiting: u64,
    /// Free bytes.
    pub free: u64,
    /// Number of blocks.
    pub blocks: usize,
    /// Who made the allocator take it.
    pub site: String,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRow {
    /// Whom its segment serves.
    pub pool: Pool,
    /// Where its segment begins.
    pub segment: u64,
    /// The block.
    pub block: Block,
    /// Who allocated it.
    pub site: String,
}

/// What one call site holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRow {
    /// The device.
    pub device: i64,
    /// Bytes and counts.
    pub of: Site,
    /// In words.
    pub site: String,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// The device.
    pub device: i64,
    /// Its place in the recording.
    pub number: usize,
    /// The event.
    pub event: Event,
    /// Who caused it.
    pub site: String,
}

/// One time that memory ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OomRow {
    /// The device.
    pub device: i64,
    /// What is known of it.
    pub oom: Oom,
    /// Who asked.
    pub site: String,
}

/// Whether a request fits, for one stream and pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitRow {
    /// The request.
    pub request: Request,
    /// Bytes of the block that it takes.
    pub block: u64,
    /// The pool that serves it.
    pub served_by: Pool,
    /// The answer.
    pub fit: Fit,
    /// What is free and of no use for it.
    pub split: Fragmentation,
    /// The largest request that the pool serves from free blocks.
    pub largest: u64,
}

/// One kind of oddity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRow {
    /// What it is.
    pub sentence: &'static str,
    /// How often.
    pub count: u64,
    /// Where first.
    pub first: String,
}
