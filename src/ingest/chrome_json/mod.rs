//! Chrome Trace Event JSON, as Kineto and many other tools write it.
//!
//! [`Reading::read`] walks one text from front to back: [`feed`] holds the block being looked at, [`scan`]
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
mod recover;
mod repair;
mod scan;
mod stretch;
/// Reads an event by both readers; panics where they differ.
#[cfg(fuzzing)]
pub(super) fn compare_event_readers(text: &str) {
    fast::agree::compare(text);
}

#[cfg(test)]
mod tests;

pub(super) use args::{each_arg, text_of};
pub(super) use category::gpu_kind;

use super::budget::Budget;
use super::source::TextReader;
use super::{Cancel, IngestError, Progress};
use crate::classify::Rules;
use crate::trace::{FileId, RankBuilder};
use assemble::Assembler;
pub(super) use assemble::Filter;
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

/// What all texts of a load have in common.
pub(super) struct Reading<'a> {
    /// How kernels are classified.
    pub(super) rules: &'a Rules,
    /// Told how far reading is.
    pub(super) progress: &'a Progress,
    /// Asked whether to go on.
    pub(super) cancel: &'a Cancel,
    /// Watches the memory.
    pub(super) budget: &'a Budget,
}

impl Reading<'_> {
    /// Reads one text, without what the filter leaves out.
    ///
    /// # Errors
    /// [`IngestError`] where the text is no Chrome trace, cannot be read, or the user cancelled.
    pub(super) fn read(
        &self,
        name: &str,
        file: FileId,
        reader: TextReader,
        filter: Filter,
    ) -> Result<ReadRank, IngestError> {
        let assembler = Assembler::new(file, self.rules, filter);
        let mut assembler = assembler.watched_by(self.budget.meter());
        let mut document = Document::new(name, reader, self.progress, self.cancel);
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

    /// The rank that a text states before its events, which is where profilers state it.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub(super) fn rank_ahead(
        &self,
        name: &str,
        reader: TextReader,
    ) -> Result<Option<u32>, IngestError> {
        let mut assembler = Assembler::new(FileId(0), self.rules, Filter::default());
        let mut document = Document::new(name, reader, self.progress, self.cancel);
        document.read_header(&mut assembler)?;
        Ok(assembler.finish().1)
    }
}
