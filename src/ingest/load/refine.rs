//! Moving ranks beyond what their files say: by hand, and by the ends of their collectives.
//!
//! How far by hand is known before a rank is built, and it is built there. What collectives tell is
//! known once all ranks are built and matched, so finished ranks are moved then. A rank that is moved
//! by hand is moved by nothing else; the estimate is made with it where the user put it, so that what
//! hangs on its clock follows. Whatever is moved, or cannot be, is in the health list.

use super::{IngestError, Job};
use crate::ingest::AlignBy;
use crate::ingest::rank_number::Numbered;
use crate::time::DurNs;
use crate::trace::{
    ClockShift, FileId, Health, IssueKind, LEAST_MATCHES, Moved, MovedBy, Position, RankBuilder,
    RankId, Trace, clock_shifts,
};
use rayon::prelude::*;

/// Where ranks lie, as a pass before the one that keeps events found it.
pub(super) struct Placed {
    moved: Vec<(FileId, Moved)>,
    /// What that pass said about it.
    pub(super) notes: Health,
}

impl Placed {
    /// What a trace of the whole files says.
    pub(super) fn of(trace: &Trace) -> Self {
        let moved = trace.ranks.iter();
        let moved = moved.filter_map(|r| Some((r.file, r.alignment.moved?)));
        let mut notes = Health::default();
        for issue in trace.health.issues() {
            if matches!(issue.kind, IssueKind::RankMoved | IssueKind::RankNotAligned) {
                notes.note(issue.kind, issue.file, || issue.first.clone());
            }
        }
        Self {
            moved: moved.collect(),
            notes,
        }
    }

    /// How far the rank of a file is moved.
    pub(super) fn moved(&self, file: FileId) -> Option<Moved> {
        let found = self.moved.iter().find(|(of, _)| *of == file);
        found.map(|(_, moved)| *moved)
    }
}

impl Job<'_> {
    /// Has a rank built where the user wants it.
    pub(super) fn move_by_hand(&self, builder: &mut RankBuilder, rank: RankId) {
        let Some(by) = self.options.shifts.of(rank.0) else {
            return;
        };
        let why = MovedBy::Hand;
        builder.moved = Some(Moved { by, why });
        let file = builder.file;
        builder.health.note(IssueKind::RankMoved, file, || {
            said(format!(
                "rank {}: moved by {} µs, as asked for",
                rank.0,
                by.us3()
            ))
        });
    }

    /// Refuses shifts of ranks that are not there. Where files could not be read it may be one of
    /// theirs, so that is only noted.
    pub(super) fn check_shifts(
        &self,
        numbers: &[Numbered],
        bad: usize,
        health: &mut Health,
    ) -> Result<(), IngestError> {
        let is_there = |rank: &u32| numbers.iter().any(|n| n.id.0 == *rank);
        let mut lost = self.options.shifts.ranks().filter(|rank| !is_there(rank));
        let Some(rank) = lost.next() else {
            return Ok(());
        };
        let there = super::choose::there(numbers);
        if bad == 0 {
            return Err(IngestError::NoRankToMove { rank, there });
        }
        health.note(IssueKind::NoRankToMove, FileId(0), || {
            said(format!("rank {rank}; {there}"))
        });
        Ok(())
    }

    /// Moves ranks so that the ends of their collectives agree, where that was asked for.
    pub(super) fn refine(&self, trace: &mut Trace) -> Result<(), IngestError> {
        if self.options.align != AlignBy::Collectives {
            return Ok(());
        }
        let clocks = clock_shifts(trace);
        self.go_on()?;
        let reference = clocks.first().map(|c| c.rank);
        let mut health = Health::default();
        let mut found = Vec::new();
        for rank in &trace.ranks {
            if self.options.shifts.of(rank.id.0).is_some() {
                continue;
            }
            let clock = clocks.iter().find(|c| c.rank == rank.id);
            let moved = clock.and_then(back);
            if let Some(moved) = moved {
                found.push((rank.id, moved));
            }
            if moved.is_none_or(|m| m.by != DurNs::ZERO) && reference != Some(rank.id) {
                let kind = match moved {
                    Some(_) => IssueKind::RankMoved,
                    None => IssueKind::RankNotAligned,
                };
                health.note(kind, rank.file, || {
                    said(sentence(rank.id, moved, clock.is_some()))
                });
            }
        }
        trace.health.absorb(health);
        trace.ranks.par_iter_mut().for_each(|rank| {
            if let Some((_, moved)) = found.iter().find(|(id, _)| *id == rank.id) {
                rank.move_by(*moved);
            }
        });
        self.go_on()
    }
}

/// The move that undoes a difference of clocks; `None` for a rank that others are compared with.
fn back(clock: &ClockShift) -> Option<Moved> {
    let compared = clock.against?;
    Some(Moved {
        by: DurNs::ZERO - clock.shift,
        why: MovedBy::Collectives(compared),
    })
}

fn sentence(RankId(rank): RankId, moved: Option<Moved>, is_reference: bool) -> String {
    match moved {
        Some(Moved {
            by,
            why: MovedBy::Collectives(told),
        }) => format!(
            "rank {rank}: moved by {} µs, ends of {} collectives with rank {} agree within {} µs",
            by.us3(),
            told.matches,
            told.with.0,
            told.residual.us3()
        ),
        // Of those with a clock, only references are not moved.
        _ if is_reference => format!(
            "rank {rank}: stays, and so do the ranks that are aligned with it, since none of them \
             shares {LEAST_MATCHES} collectives with the ranks before"
        ),
        _ => format!(
            "rank {rank}: stays, since it shares fewer than {LEAST_MATCHES} matched collectives of \
             kinds that make ranks wait with any other rank"
        ),
    }
}

fn said(what: String) -> Position {
    Position { byte: None, what }
}
