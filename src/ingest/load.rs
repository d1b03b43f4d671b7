//! Loading: every input a rank, ranks in parallel, one trace.

use super::rank_number::{self, Numbered, Origin};
use super::source::{Input, TextReader, find_inputs};
use super::{Cancel, IngestError, LoadRequest, Phase, Progress, chrome_json};
use crate::classify::Rules;
use crate::time::DurNs;
use crate::trace::{FileId, Health, IssueKind, Position, RankParts, SourceFile, Survey, Trace};
use chrome_json::ReadRank;
use rayon::prelude::*;

/// Loads everything that a request names. See [`super::load()`].
pub(super) fn load(
    request: &LoadRequest,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Trace, IngestError> {
    if request.paths.is_empty() {
        return Err(IngestError::NothingGiven);
    }
    progress.set_phase(Phase::Listing);
    let inputs = find_inputs(&request.paths)?;
    progress.expect_bytes(inputs.iter().map(|i| i.bytes).sum());
    progress.set_phase(Phase::Reading);
    let read: Vec<Result<ReadRank, IngestError>> = inputs
        .par_iter()
        .zip(0_u32..u32::MAX)
        .map(|(input, i)| read_one(input, FileId(i), &request.rules, progress, cancel))
        .collect();
    if cancel.is_cancelled() {
        return Err(IngestError::Cancelled);
    }
    progress.set_phase(Phase::Indexing);
    let trace = assemble(&inputs, read)?;
    progress.set_phase(Phase::Done);
    if cancel.is_cancelled() {
        return Err(IngestError::Cancelled);
    }
    Ok(trace)
}

fn read_one(
    input: &Input,
    file: FileId,
    rules: &Rules,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<ReadRank, IngestError> {
    if let Some(sentence) = &input.error {
        return Err(IngestError::Unusable(sentence.clone()));
    }
    if cancel.is_cancelled() {
        return Err(IngestError::Cancelled);
    }
    let reader = TextReader::open(input, progress)?;
    chrome_json::read(&input.display_name(), file, reader, rules, progress, cancel)
}

fn assemble(
    inputs: &[Input],
    read: Vec<Result<ReadRank, IngestError>>,
) -> Result<Trace, IngestError> {
    let mut files: Vec<SourceFile> = inputs.iter().map(source_file).collect();
    let mut health = Health::default();
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for ((read, file), id) in read.into_iter().zip(&mut files).zip(0_u32..) {
        match read {
            Ok(read) => {
                file.text_bytes = read.text_bytes;
                file.events = read.events;
                good.push((file.display_name(), read));
            }
            Err(IngestError::Cancelled) => return Err(IngestError::Cancelled),
            Err(error) => {
                let sentence = error.to_string();
                file.error = Some(sentence.clone());
                health.note(IssueKind::BadFile, FileId(id), || Position {
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
    let claims: Vec<(Option<u32>, String)> = good
        .iter()
        .map(|(name, read)| (read.stated_rank, name.clone()))
        .collect();
    let numbers = rank_number::number(&claims);
    let alone = good.len() == 1;
    let mut ranks: Vec<(ReadRank, Numbered)> = Vec::new();
    for ((_, mut read), numbered) in good.into_iter().zip(numbers) {
        note_number(&mut read, &numbered, alone);
        ranks.push((read, numbered));
    }
    let parts = align_and_finish(ranks);
    Ok(Trace::assemble(files, parts, health))
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

/// Decides the shift of every rank, then builds all of them in parallel.
///
/// Ranks with epoch times share one axis as they are. Relative times without a base cannot be
/// compared with anything: such a rank is moved so that it starts where the others do.
fn align_and_finish(mut ranks: Vec<(ReadRank, Numbered)>) -> Vec<RankParts> {
    let surveys: Vec<Option<Survey>> = ranks
        .par_iter_mut()
        .map(|(read, _)| read.builder.survey())
        .collect();
    let based: Vec<bool> = ranks
        .iter()
        .map(|(read, _)| read.builder.base.is_some())
        .collect();
    let is_fixed = |i: usize, s: &Survey| s.epoch || based.get(i).copied().unwrap_or(false);
    let fixed = surveys
        .iter()
        .enumerate()
        .filter_map(|(i, s)| s.filter(|s| is_fixed(i, s)))
        .map(|s| s.first)
        .min();
    // Without any fixed rank the first relative one stays where it is.
    let origin = fixed.or_else(|| surveys.iter().flatten().map(|s| s.first).next());
    let mut shifts = Vec::with_capacity(ranks.len());
    for (i, ((read, _), survey)) in ranks.iter_mut().zip(&surveys).enumerate() {
        let shift = match (survey, origin) {
            (Some(s), Some(origin)) if !is_fixed(i, s) => origin - s.first,
            _ => DurNs::ZERO,
        };
        let relative = survey.as_ref().is_some_and(|s| !is_fixed(i, s));
        if relative && surveys.len() > 1 {
            let file = read.builder.file;
            read.builder
                .health
                .note(IssueKind::AlignedAtStart, file, || Position {
                    byte: None,
                    what: format!("moved by {} µs", shift.us3()),
                });
        }
        shifts.push((shift, survey.as_ref().is_some_and(|s| s.epoch)));
    }
    ranks
        .into_par_iter()
        .zip(shifts)
        .map(|((read, numbered), (shift, epoch))| read.builder.finish(numbered.id, shift, epoch))
        .collect()
}
