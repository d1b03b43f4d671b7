//! Searching the words of events in their files: args are not kept in memory, so the text is read
//! once more from its beginning to its end.

use super::event_text::{check_unchanged, input_of};
use super::source::{BLOCK, TextReader, io_error};
use super::{Cancel, IngestError, Progress};
use crate::trace::{Rank, RankId, SliceId, SourceFile, Trace};
use rayon::prelude::*;
use regex::bytes::Regex;

/// The slices whose text in the file has a match, by rank; ranks are read in parallel.
///
/// The text is that of the file: quotes inside of strings are escaped, and the keys of the event
/// are searched as well. Files that cannot be read any more, or have changed, are told beside what
/// was found in the others.
#[must_use]
pub fn search_events(trace: &Trace, wanted: &Regex, cancel: &Cancel) -> SearchedEvents {
    let of_rank = |rank: &Rank| -> Result<(RankId, Vec<u32>), IngestError> {
        let file = usize::try_from(rank.file.0).ok();
        let file = file.and_then(|i| trace.files.get(i));
        let file = file.ok_or(IngestError::NoSuchSlice)?;
        check_unchanged(file)?;
        let found = Scan::new(rank, file)?.run(wanted, cancel)?;
        Ok((rank.id, found))
    };
    let mut searched = SearchedEvents::default();
    for result in trace.ranks.par_iter().map(of_rank).collect::<Vec<_>>() {
        match result {
            Ok(found) => searched.found.push(found),
            Err(error) => searched.errors.push(error.to_string()),
        }
    }
    searched
}

/// What a search in files gave.
#[derive(Clone, Debug, Default)]
pub struct SearchedEvents {
    /// By rank, in the order of the files' text.
    pub found: Vec<(RankId, Vec<u32>)>,
    /// One sentence for each file that could not be searched.
    pub errors: Vec<String>,
}

/// One pass over a file.
struct Scan<'t> {
    rank: &'t Rank,
    file: &'t SourceFile,
    reader: TextReader,
    /// Slices in the order of their text.
    order: Vec<u32>,
    /// Text from `at` on.
    text: Vec<u8>,
    at: u64,
}

impl<'t> Scan<'t> {
    fn new(rank: &'t Rank, file: &'t SourceFile) -> Result<Self, IngestError> {
        let placed = rank.slices.range(0..rank.astray.start);
        let mut order: Vec<u32> = placed.map(|s| s.id().0).collect();
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

    fn run(mut self, wanted: &Regex, cancel: &Cancel) -> Result<Vec<u32>, IngestError> {
        let mut found = Vec::new();
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
            if event.is_some_and(|event| wanted.is_match(event)) {
                found.push(id);
            }
        }
        Ok(found)
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
