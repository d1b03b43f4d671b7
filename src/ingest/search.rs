//! Searching the words of events in their files: args are not kept in memory, so the text is read
//! once more.

use super::event_walk::{EventWalk, file_of};
use super::{Cancel, IngestError};
use crate::trace::{Rank, RankId, Trace};
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
        let placed = rank.slices.range(0..rank.astray.start).map(|s| s.id().0);
        let mut found = Vec::new();
        EventWalk::open(rank, file_of(trace, rank)?, placed)?.each(cancel, |events| {
            let hits = events.par_iter().filter(|(_, text)| wanted.is_match(text));
            found.par_extend(hits.map(|(id, _)| id.0));
        })?;
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
