//! Reading chosen events again, in the order of their file's text: what is not kept in memory is
//! read once more from the beginning to the end, never event by event.

use super::event_text::{check_unchanged, input_of};
use super::source::{BLOCK, TextReader, io_error};
use super::{Cancel, IngestError, Progress};
use crate::trace::{Rank, SliceId, SourceFile, Trace};
use rayon::prelude::*;

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

    /// Gives each event's text as it stands in the file. Ends early where the text does, or where
    /// nobody waits any more.
    pub(super) fn each(
        mut self,
        cancel: &Cancel,
        mut found: impl FnMut(SliceId, &[u8]),
    ) -> Result<(), IngestError> {
        for id in std::mem::take(&mut self.order) {
            let Some(slice) = self.rank.slices.get(SliceId(id)) else {
                continue;
            };
            let span = slice.source();
            let end = span.offset.saturating_add(u64::from(span.len));
            if self.at + len(&self.text) < end && !self.read_up_to(span.offset, end, cancel)? {
                break;
            }
            let from = usize::try_from(span.offset.saturating_sub(self.at)).ok();
            let to = usize::try_from(end.saturating_sub(self.at)).ok();
            let event = from.zip(to).and_then(|(from, to)| self.text.get(from..to));
            if let Some(event) = event {
                found(SliceId(id), event);
            }
        }
        Ok(())
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
            let read = self.reader.read_block(&mut self.text, BLOCK);
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
