//! What an allocator snapshot says, as tables: one set of columns for the command line and the window,
//! and the JSON document `overlane.snapshot/1`.

mod cells;
mod columns;
mod rows;

pub use columns::{
    BLOCK_COLUMNS, DEVICE_COLUMNS, EVENT_COLUMNS, FIT_COLUMNS, NOTE_COLUMNS, OOM_COLUMNS,
    SEGMENT_COLUMNS, SITE_COLUMNS,
};
pub use rows::{
    BlockRow, DeviceRow, EventRow, FitRow, FreeSource, NoteRow, OomRow, SegmentRow, SiteRow,
};

use super::json::Rows;
use crate::metrics::report::Grid;
use crate::snapshot::{
    BlockState, CallSites, Device, Fit, GroupBy, History, Layout, Note, Oom, Pool, Request,
    Settings, Snapshot, StackId, Totals, group, largest_requests, rounded,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// One device with what its tables are made from: its blocks at the end or at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The file.
    pub snapshot: &'a Snapshot,
    /// The device.
    pub device: &'a Device,
    /// Its recording.
    pub history: &'a History,
    /// Segments and blocks.
    pub layout: Layout<'a>,
    /// Call sites of all stacks.
    pub sites: &'a CallSites,
}

impl Seen<'_> {
    /// A call site in words; empty where nothing was recorded.
    #[must_use]
    pub fn site_words(&self, stack: StackId) -> String {
        let frame = self.sites.get(stack);
        frame
            .and_then(|id| self.snapshot.frames.get(id))
            .map_or_else(String::new, |frame| self.snapshot.frame_words(frame))
    }

    /// The row of the device.
    #[must_use]
    pub fn device_row(&self) -> DeviceRow {
        let whole = self.history.extent;
        let extremes = whole.and_then(|window| self.history.requested.extremes(window));
        DeviceRow {
            device: self.device.id,
            totals: Totals::of(self.layout),
            events: self.device.events.len(),
            baseline: self.history.baseline,
            peak: extremes.map(|e| (e.max.bytes, e.max.at)),
        }
    }

    /// A row for each segment.
    #[must_use]
    pub fn segment_rows(&self) -> Vec<SegmentRow> {
        let segments = self.layout.segments.iter();
        segments
            .map(|segment| {
                let blocks = self.layout.blocks_of(segment);
                let sum = |state| {
                    let of = blocks.iter().filter(|b| b.state == state);
                    of.fold(0_u64, |sum, b| sum.saturating_add(b.size))
                };
                SegmentRow {
                    pool: segment.pool,
                    address: segment.address,
                    size: segment.size,
                    is_expandable: segment.is_expandable,
                    allocated: sum(BlockState::Allocated),
                    awaiting: sum(BlockState::AwaitingFree),
                    free: sum(BlockState::Free),
                    blocks: blocks.len(),
                    site: self.site_words(segment.stack),
                }
            })
            .collect()
    }

    /// A row for each block.
    #[must_use]
    pub fn block_rows(&self) -> Vec<BlockRow> {
        let mut rows = Vec::new();
        for segment in self.layout.segments {
            for block in self.layout.blocks_of(segment) {
                rows.push(BlockRow {
                    pool: segment.pool,
                    segment: segment.address,
                    block: *block,
                    site: self.site_words(block.stack),
                });
            }
        }
        rows
    }

    /// What is allocated by call site, the most bytes first: requested bytes.
    #[must_use]
    pub fn site_rows(&self, by: GroupBy) -> Vec<SiteRow> {
        let segments = self.layout.segments.iter();
        let blocks = segments.flat_map(|segment| self.layout.blocks_of(segment));
        let held = blocks
            .filter(|block| block.state == BlockState::Allocated)
            .map(|block| (block.stack, block.requested));
        let groups = group(self.sites, by, held);
        groups
            .into_iter()
            .map(|of| SiteRow {
                device: self.device.id,
                of,
                site: self.site_words(of.stack),
            })
            .collect()
    }

    /// A row for each event.
    #[must_use]
    pub fn event_rows(&self) -> Vec<EventRow> {
        let events = self.device.events.iter().enumerate();
        events
            .map(|(number, event)| EventRow {
                device: self.device.id,
                number,
                event,
                site: self.site_words(event.stack),
            })
            .collect()
    }

    /// The rows of explained `oom` events.
    #[must_use]
    pub fn oom_rows(&self, of: Vec<Oom>) -> Vec<OomRow> {
        of.into_iter()
            .map(|oom| OomRow {
                device: self.device.id,
                site: self.site_words(oom.stack),
                advice: oom.reason.advice(&self.snapshot.settings),
                oom,
            })
            .collect()
    }

    /// Whether a request fits: a row for each stream and pool that has segments, and for stream 0.
    #[must_use]
    pub fn fit_rows(&self, bytes: u64, driver_free: Option<(u64, FreeSource)>) -> Vec<FitRow> {
        let settings: &Settings = &self.snapshot.settings;
        let segments = self.layout.segments.iter();
        let mut places: BTreeSet<_> = segments.map(|s| (s.pool.id, s.pool.stream)).collect();
        let first = Request {
            bytes,
            stream: 0,
            pool: Pool::default().id,
            device: self.device.id,
        };
        places.insert((first.pool, first.stream));
        let largest = largest_requests(self.layout, settings);
        places
            .into_iter()
            .map(|(pool, stream)| {
                let request = Request {
                    stream,
                    pool,
                    ..first
                };
                let served_by = request.pool(settings);
                FitRow {
                    request,
                    block: rounded(bytes, settings),
                    served_by,
                    fit: request.fit(self.layout, settings, driver_free.map(|known| known.0)),
                    driver_free,
                    split: request.fragmentation(self.layout, settings),
                    largest: largest.get(&served_by).copied().unwrap_or(0),
                }
            })
            .collect()
    }
}

/// One word for an answer.
#[must_use]
pub fn fit_word(fit: &Fit) -> &'static str {
    match fit {
        Fit::CachedBlock { .. } => "cached_block",
        Fit::NewSegment { grows: false, .. } => "new_segment",
        Fit::NewSegment { grows: true, .. } => "segment_grows",
        Fit::AfterReleasing { .. } => "after_releasing",
        Fit::No { .. } => "no",
        Fit::CannotTell { .. } => "cannot_tell",
    }
}

/// Notes as rows.
#[must_use]
pub fn note_rows<'a>(notes: impl IntoIterator<Item = &'a Note>) -> Vec<NoteRow> {
    notes
        .into_iter()
        .map(|note| NoteRow {
            sentence: note.kind.sentence(),
            count: note.count,
            first: note.first.clone(),
        })
        .collect()
}

/// The document as text, with a line feed at its end.
///
/// # Errors
/// None that input can cause; the type says what the JSON writer may return.
pub fn snapshot_json(rows: &Grid, notes: &Grid) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&Document { rows, notes })?;
    text.push('\n');
    Ok(text)
}

struct Document<'a> {
    rows: &'a Grid,
    notes: &'a Grid,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(3))?;
        map.serialize_entry("schema", "overlane.snapshot/1")?;
        map.serialize_entry("rows", &Rows(self.rows))?;
        map.serialize_entry("notes", &Rows(self.notes))?;
        map.end()
    }
}
