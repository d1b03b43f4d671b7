//! Chrome Trace Event JSON, as Kineto and many other tools write it.
//!
//! [`read`] walks one text from front to back: [`feed`] holds the block being looked at, [`scan`]
//! finds where values end, [`document`] follows the top level, [`event_list`] the
//! events, [`event`] reads one event strictly
//! with serde, [`repair`] mends the text of a damaged one, and [`assemble`] turns events into a
//! [`RankBuilder`]. Damage costs at most the event it is in.

mod args;
mod assemble;
mod category;
mod document;
mod event;
mod event_list;
mod fast;
mod feed;
mod repair;
mod scan;
mod stretch;

pub(super) use args::text_of;
pub(super) use category::gpu_kind;

use super::source::TextReader;
use super::{Cancel, IngestError, Progress};
use crate::classify::Rules;
use crate::trace::{FileId, RankBuilder};
use assemble::Assembler;
use document::Document;

/// What reading one text gave.
pub(super) struct ReadRank {
    /// The events.
    pub(super) builder: RankBuilder,
    /// `distributedInfo.rank`.
    pub(super) stated_rank: Option<u32>,
    /// Length of the text in bytes.
    pub(super) text_bytes: u64,
    /// Number of elements of the event list.
    pub(super) events: u64,
}

/// Reads one text.
///
/// # Errors
/// [`IngestError`] where the text is no Chrome trace, cannot be read, or the user cancelled.
pub(super) fn read(
    name: &str,
    file: FileId,
    reader: TextReader,
    rules: &Rules,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<ReadRank, IngestError> {
    let mut assembler = Assembler::new(file, rules);
    let mut document = Document::new(name, reader, progress, cancel);
    document.read(&mut assembler)?;
    let (text_bytes, events) = (document.text_bytes(), document.events());
    let (builder, stated_rank) = assembler.finish();
    Ok(ReadRank {
        builder,
        stated_rank,
        text_bytes,
        events,
    })
}
