//! Loading: every input a rank, ranks in parallel, one trace.

mod align;
mod choose;
mod range;
mod refine;

use super::budget::Budget;
use super::chrome_json::{Filter, ReadRank, Reading};
use super::rank_number::{self, Numbered, Origin};
use super::source::{Input, TextReader, find_inputs};
use super::{Cancel, IngestError, LoadOptions, LoadRequest, Phase, Progress};
use crate::trace::{
    FileId, Health, IssueKind, Position, RankId, RankParts, SourceFile, Survey, Trace,
};
use choose::Choice;
use rayon::prelude::*;
use refine::Placed;

/// Loads everything that a request names. See [`super::load()`].
pub(super) fn load(
    request: &LoadRequest,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Trace, IngestError> {
    if request.paths.is_empty() {
        return Err(IngestError::NothingGiven);
    }
    let options = &request.options;
    if let Some(range) = &options.range {
        range.check()?;
    }
    progress.set_phase(Phase::Listing);
    let inputs = find_inputs(&request.paths)?;
    // What does not fit stops the load, but it is not the user's wish.
    let stop = cancel.part();
    let budget = Budget::new(options.memory.bytes(), progress, &stop);
    let job = Job {
        inputs: &inputs,
        options,
        reading: Reading {
            rules: &request.rules,
            progress,
            cancel: &stop,
            budget: &budget,
        },
    };
    let trace = job.run().map_err(|error| match error {
        IngestError::Cancelled if cancel.is_cancelled() => error,
        error => budget.exceeded().unwrap_or(error),
    })?;
    progress.set_phase(Phase::Done);
    if cancel.is_cancelled() {
        return Err(IngestError::Cancelled);
    }
    Ok(trace)
}

/// One load.
pub(super) struct Job<'a> {
    pub(super) inputs: &'a [Input],
    pub(super) options: &'a LoadOptions,
    pub(super) reading: Reading<'a>,
}

/// What became of an input.
pub(super) enum Outcome {
    /// It was read.
    Read(Box<ReadRank>),
    /// It is of a rank that was not asked for; what its header states is kept for numbering.
    LeftOut(Option<u32>),
    /// It is no trace, or cannot be read.
    Failed(IngestError),
}

impl Job<'_> {
    fn run(&self) -> Result<Trace, IngestError> {
        let chosen = self.choose()?;
        let plain = self.inputs.iter().zip(&chosen);
        let plain = plain.filter(|(i, c)| matches!(c, Choice::Read) && i.is_plain);
        if !self.leaves_events_out() {
            let text = plain.map(|(i, _)| i.bytes).sum();
            self.reading.budget.check_text(text)?;
        }
        let everything = Filter {
            no_python: self.options.no_python,
            no_cpu_rows: self.options.no_cpu_rows,
            ..Filter::default()
        };
        let mut filters = vec![everything; self.inputs.len()];
        let placed = match &self.options.range {
            Some(range) => Some(self.place_range(range, &chosen, &mut filters)?),
            None => None,
        };
        let read = self.pass(Phase::Reading, &chosen, &filters);
        self.go_on()?;
        self.reading.progress.set_phase(Phase::Indexing);
        self.assemble(read, placed)
    }

    /// Whether events are left out, so that the size of the text does not tell what will be held.
    fn leaves_events_out(&self) -> bool {
        self.options.no_python || self.options.no_cpu_rows || self.options.range.is_some()
    }

    pub(super) fn go_on(&self) -> Result<(), IngestError> {
        if self.reading.cancel.is_cancelled() {
            return Err(IngestError::Cancelled);
        }
        Ok(())
    }

    /// Reads every input that was chosen, side by side.
    fn pass(&self, phase: Phase, chosen: &[Choice], filters: &[Filter]) -> Vec<Outcome> {
        let bytes = self.inputs.iter().zip(chosen);
        let bytes = bytes.filter(|(_, c)| matches!(c, Choice::Read));
        self.reading
            .progress
            .begin_pass(phase, bytes.map(|(i, _)| i.bytes).sum());
        self.inputs
            .par_iter()
            .zip(chosen)
            .zip(filters)
            .zip(0_u32..u32::MAX)
            .map(|(((input, choice), filter), i)| match choice {
                Choice::LeaveOut(stated) => Outcome::LeftOut(*stated),
                Choice::Read => match self.read_one(input, FileId(i), *filter) {
                    Ok(read) => Outcome::Read(Box::new(read)),
                    Err(error) => Outcome::Failed(error),
                },
            })
            .collect()
    }

    fn read_one(
        &self,
        input: &Input,
        file: FileId,
        filter: Filter,
    ) -> Result<ReadRank, IngestError> {
        if let Some(sentence) = &input.error {
            return Err(IngestError::Unusable(sentence.clone()));
        }
        self.go_on()?;
        let reader = TextReader::open(input, self.reading.progress)?;
        self.reading
            .read(&input.display_name(), file, reader, filter)
    }

    /// Makes one trace of what was read. `placed` tells where ranks lie, where that is known from a
    /// pass before.
    fn assemble(
        &self,
        outcomes: Vec<Outcome>,
        placed: Option<Placed>,
    ) -> Result<Trace, IngestError> {
        let mut files: Vec<SourceFile> = self.inputs.iter().map(source_file).collect();
        let mut health = Health::default();
        let mut good = Vec::new();
        let mut bad = Vec::new();
        for ((outcome, file), id) in outcomes
            .into_iter()
            .zip(&mut files)
            .zip((0_u32..).map(FileId))
        {
            match outcome {
                Outcome::Read(read) => {
                    file.text_bytes = read.text_bytes;
                    file.events = read.events;
                    let claim = (read.stated_rank, file.display_name());
                    good.push((id, claim, Some(read)));
                }
                Outcome::LeftOut(stated) => good.push((id, (stated, file.display_name()), None)),
                Outcome::Failed(IngestError::Cancelled) => return Err(IngestError::Cancelled),
                Outcome::Failed(error) => {
                    let sentence = error.to_string();
                    file.error = Some(sentence.clone());
                    health.note(IssueKind::BadFile, id, || Position {
                        byte: None,
                        what: sentence,
                    });
                    bad.push(error);
                }
            }
        }
        if good.is_empty() {
            return Err(nothing_good(bad));
        }
        let claims: Vec<_> = good.iter().map(|(_, claim, _)| claim.clone()).collect();
        let numbers = rank_number::number(&claims);
        let alone = good.len() == 1;
        let mut ranks: Vec<(ReadRank, Numbered)> = Vec::new();
        for ((id, _, read), numbered) in good.into_iter().zip(&numbers) {
            match read.filter(|_| self.takes(numbered, id)) {
                Some(mut read) => {
                    note_number(&mut read, numbered, alone);
                    match &placed {
                        Some(placed) => read.builder.moved = placed.moved(id),
                        None => self.move_by_hand(&mut read.builder, numbered.id),
                    }
                    ranks.push((*read, *numbered));
                }
                None => note_left_out(&mut health, numbered, id),
            }
        }
        if ranks.is_empty() {
            return Err(self.no_such_rank(&numbers));
        }
        self.check_shifts(&numbers, bad.len(), &mut health)?;
        let parts = self.align_and_finish(ranks)?;
        self.go_on()?;
        let mut trace = Trace::assemble(files, parts, health);
        match placed {
            Some(placed) => trace.health.absorb(placed.notes),
            None => self.refine(&mut trace)?,
        }
        Ok(trace)
    }

    fn align_and_finish(
        &self,
        mut ranks: Vec<(ReadRank, Numbered)>,
    ) -> Result<Vec<RankParts>, IngestError> {
        let surveys: Vec<(Option<Survey>, bool)> = ranks
            .par_iter_mut()
            .map(|(read, _)| (read.builder.survey(), read.builder.base.is_some()))
            .collect();
        let shifts = align::shifts(&surveys);
        for ((read, _), shift) in ranks.iter_mut().zip(&shifts) {
            if let Some(moved) = shift.moved {
                let file = read.builder.file;
                let health = &mut read.builder.health;
                health.note(IssueKind::AlignedAtStart, file, || Position {
                    byte: None,
                    what: format!("moved by {} µs", moved.us3()),
                });
            }
        }
        ranks
            .into_par_iter()
            .zip(shifts)
            .map(|((read, numbered), shift)| {
                let by = shift.moved.unwrap_or_default();
                let stop = || self.reading.cancel.is_cancelled();
                read.builder
                    .finish_unless(numbered.id, by, shift.epoch, &stop)
                    .ok_or(IngestError::Cancelled)
            })
            .collect()
    }
}

fn source_file(input: &Input) -> SourceFile {
    SourceFile {
        path: input.path.clone(),
        entry: input.entry.clone(),
        bytes: input.bytes,
        modified: std::fs::metadata(&input.path)
            .and_then(|m| m.modified())
            .ok(),
        ..SourceFile::default()
    }
}

fn nothing_good(mut bad: Vec<IngestError>) -> IngestError {
    match bad.len() {
        0 => IngestError::NothingGiven,
        1 => bad.swap_remove(0),
        count => IngestError::AllBad {
            count,
            first: bad.swap_remove(0).to_string(),
        },
    }
}

fn note_number(read: &mut ReadRank, numbered: &Numbered, alone: bool) {
    let file = read.builder.file;
    let position = |what: String| Position { byte: None, what };
    if let Some(claimed) = numbered.claimed {
        read.builder.claimed = Some(RankId(claimed));
        read.builder
            .health
            .note(IssueKind::DuplicateRank, file, || {
                position(format!(
                    "rank {claimed} is taken; shown as rank {}",
                    numbered.id.0
                ))
            });
    }
    // One file alone is rank 0 without a word, unless its name says otherwise.
    if numbered.origin == Origin::Name || (numbered.origin == Origin::Position && !alone) {
        let from = match numbered.origin {
            Origin::Name => "its name",
            _ => "its position",
        };
        read.builder.health.note(IssueKind::RankFromName, file, || {
            position(format!("rank {} from {from}", numbered.id.0))
        });
    }
}

fn note_left_out(health: &mut Health, numbered: &Numbered, file: FileId) {
    health.note(IssueKind::RankLeftOut, file, || Position {
        byte: None,
        what: format!("rank {}", numbered.id.0),
    });
}
