//! Which inputs are read at all, where only some ranks are asked for.
//!
//! The number of a rank is what the whole trace would show, so the numbering is done over all files
//! before any of them is read: by what the text states before its events, else by the file's name,
//! else by its place. Only a file that states its rank behind its events is found out late; it is
//! then left out after all if nobody asked for it.

use super::Job;
use crate::ingest::rank_number::{self, Numbered};
use crate::ingest::source::{Input, TextReader};
use crate::ingest::{IngestError, Progress};
use crate::trace::FileId;
use rayon::prelude::*;

/// What is done with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Read,
    /// With the rank that its header states.
    LeaveOut(Option<u32>),
}

impl Job<'_> {
    /// Decides what is read.
    pub(super) fn choose(&self) -> Result<Vec<Choice>, IngestError> {
        if self.options.ranks.is_none() {
            return Ok(vec![Choice::Read; self.inputs.len()]);
        }
        let stated: Vec<Option<u32>> = self.inputs.par_iter().map(|i| self.rank_ahead(i)).collect();
        self.go_on()?;
        // What cannot be read takes no number.
        let usable: Vec<bool> = self.inputs.iter().map(|i| i.error.is_none()).collect();
        let claims: Vec<(Option<u32>, String)> = self
            .inputs
            .iter()
            .zip(&stated)
            .zip(&usable)
            .filter(|(_, usable)| **usable)
            .map(|((input, stated), _)| (*stated, super::source_file(input).display_name()))
            .collect();
        let mut numbers = rank_number::number(&claims).into_iter();
        let mut chosen = Vec::with_capacity(self.inputs.len());
        for (((stated, usable), id), _) in stated
            .into_iter()
            .zip(usable)
            .zip((0_u32..).map(FileId))
            .zip(self.inputs)
        {
            let numbered = if usable { numbers.next() } else { None };
            chosen.push(match numbered {
                Some(numbered) if !self.takes(&numbered, id) => Choice::LeaveOut(stated),
                _ => Choice::Read,
            });
        }
        Ok(chosen)
    }

    /// What a text states of its rank before its events. Trouble is told when the text is read.
    fn rank_ahead(&self, input: &Input) -> Option<u32> {
        if input.error.is_some() || self.go_on().is_err() {
            return None;
        }
        let reader = TextReader::open(input, &Progress::default()).ok()?;
        let name = input.display_name();
        self.reading.rank_ahead(&name, reader).ok()?
    }

    /// Whether a rank is asked for.
    pub(super) fn takes(&self, numbered: &Numbered, file: FileId) -> bool {
        let Some(ranks) = &self.options.ranks else {
            return true;
        };
        let at = usize::try_from(file.0).ok();
        let name = at.and_then(|i| self.inputs.get(i)).map(Input::short_name);
        ranks.takes(numbered.id.0, &name.unwrap_or_default())
    }

    /// The error where no file is of a rank that was asked for.
    pub(super) fn no_such_rank(&self, numbers: &[Numbered]) -> IngestError {
        IngestError::NoSuchRank {
            asked: self
                .options
                .ranks
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
            there: there(numbers),
        }
    }
}

/// Which ranks there are: `there are the ranks 0, 1`.
pub(super) fn there(numbers: &[Numbered]) -> String {
    const NAMED: usize = 20;
    let mut there: Vec<u32> = numbers.iter().map(|n| n.id.0).collect();
    there.sort_unstable();
    let words: Vec<String> = there.iter().take(NAMED).map(u32::to_string).collect();
    let more = match there.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("there are the ranks {}{more}", words.join(", "))
}
