//! Reading chosen events again, in the order of their file's text: what is not kept in memory is
//! read once more from the beginning to the end, never event by event.

use super::event_text::{check_unchanged, input_of};
use super::source::{BLOCK, TextReader, io_error};
use super::{Cancel, IngestError, Progress};
use crate::trace::{Rank, SliceId, SourceFile, Trace};
use rayon::prelude::*;

/// How much text is read at once: enough events for all threads.
const READ: usize = 4 * BLOCK;

/// The file that a rank was read from, if it is still what was read.
pub(super) fn file_of<'t>(trace: &'t Trace, rank: &Rank) -> Result<&'t SourceFile, IngestError> {
    let file = usize::try_from(rank.file.0).ok();
    let file = file.and_then(|i| trace.files.get(i));
    let file = file.ok_or(IngestError::NoSuchSlice)?;
    check_unchanged(file)?;
    Ok(file)
}

/// One pass over a file.
pub(super) struct EventWalk<'t> {
    rank: &'t Rank,
    file: &'t SourceFile,
    reader: TextReader,
    /// Slices in the order of their text.
    order: Vec<u32>,
    /// Text from `at` on.
    text: Vec<u8>,
    at: u64,
}

impl<'t> EventWalk<'t> {
    /// Opens the file. `slices` are numbers in any order.
    pub(super) fn open(
        rank: &'t Rank,
        file: &'t SourceFile,
        slices: impl Iterator<Item = u32>,
    ) -> Result<Self, IngestError> {
        let mut order: Vec<u32> = slices.collect();
        let offset = |id: &u32| rank.slices.get(SliceId(*id)).map(|s| s.source().offset);
        order.par_sort_by_key(offset);
        Ok(Self {
            rank,
            file,
            reader: TextReader::open(&input_of(file), &Progress::default())?,
            order,
            text: Vec::new(),
            at: 0,
        })
    }

    /// Gives the events' texts as they stand in the file, some thousands at a time so that they can be
    /// looked at in parallel. Ends early where the text does, or where nobody waits any more.
    pub(super) fn each(
        mut self,
        cancel: &Cancel,
        mut found: impl FnMut(&[(SliceId, &[u8])]),
    ) -> Result<(), IngestError> {
        let order = std::mem::take(&mut self.order);
        let mut left = order.as_slice();
        while let Some(first) = left.first() {
            let (start, end) = self.span(*first);
            if self.at + len(&self.text) < end && !self.read_up_to(start, end, cancel)? {
                break;
            }
            let read = self.at + len(&self.text);
            // Only the first event is known to be there: text may be damaged so that they overlap.
            let n = left.partition_point(|id| self.span(*id).0 < read);
            let (near, _) = left.split_at(n);
            let here = near.iter().take_while(|id| self.span(**id).1 <= read);
            let texts: Vec<(SliceId, &[u8])> = here
                .map(|id| (SliceId(*id), self.text_of(*id).unwrap_or(&[])))
                .collect();
            found(&texts);
            left = left.get(texts.len().max(1)..).unwrap_or(&[]);
        }
        Ok(())
    }

    /// Where an event's text begins and ends.
    fn span(&self, id: u32) -> (u64, u64) {
        let slice = self.rank.slices.get(SliceId(id));
        slice.map_or((0, 0), |s| {
            let span = s.source();
            let end = span.offset.saturating_add(u64::from(span.len));
            (span.offset, end)
        })
    }

    /// The text of an event, if it was read and not forgotten yet.
    fn text_of(&self, id: u32) -> Option<&[u8]> {
        let (start, end) = self.span(id);
        let from = usize::try_from(start.checked_sub(self.at)?).ok()?;
        let to = usize::try_from(end.checked_sub(self.at)?).ok()?;
        self.text.get(from..to)
    }

    /// Forgets what lies before `start` and reads on until `end`; `false` where the text ends
    /// before, or nobody waits any more.
    fn read_up_to(&mut self, start: u64, end: u64, cancel: &Cancel) -> Result<bool, IngestError> {
        while self.at + len(&self.text) < end {
            if cancel.is_cancelled() {
                return Ok(false);
            }
            let gone = usize::try_from(start.saturating_sub(self.at)).unwrap_or(usize::MAX);
            let gone = gone.min(self.text.len());
            self.text.drain(..gone);
            self.at += u64::try_from(gone).unwrap_or(0);
            let read = self.reader.read_block(&mut self.text, READ);
            let read =
                read.map_err(|reason| io_error(&self.file.path, &std::io::Error::other(reason)))?;
            if read == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn len(text: &[u8]) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
