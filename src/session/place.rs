//! Where ranks lie in time: a switch and a shift for each rank, which the next load goes by.
//!
//! Moving a rank is reading it again at another place: the trace is immutable, and whatever was
//! measured of it is of its times.

use super::{Action, Effect, OpenForm, Session};
use crate::ingest::{AlignBy, LoadOptions, RankShifts};
use crate::trace::RankId;

/// A shift that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShiftEdit {
    /// Of which rank.
    pub rank: RankId,
    /// As it stands in the field; empty for no shift.
    pub text: String,
}

impl Session {
    /// The options of what is on screen, or of the load that is to replace it by the same files.
    fn placed_by(&self) -> &LoadOptions {
        let again = self.load.as_ref().filter(|l| l.paths == self.sources);
        again.map_or(&self.options, |load| &load.options)
    }

    /// Whether ranks are aligned by their collectives, or are about to be.
    #[must_use]
    pub fn aligns_by_collectives(&self) -> bool {
        self.placed_by().align == AlignBy::Collectives
    }

    /// The text of a rank's shift: as it is being typed, else as it was asked for.
    #[must_use]
    pub fn shift_text(&self, rank: RankId) -> String {
        let edit = self.ranks.shift.as_ref().filter(|edit| edit.rank == rank);
        let asked = || self.placed_by().shifts.text_of(rank.0).unwrap_or_default();
        edit.map_or_else(asked, |edit| edit.text.clone())
    }

    /// The shifts that the field asks for; `None` where it changes nothing.
    ///
    /// # Errors
    /// One sentence where the text is no shift.
    pub fn shift_asked(&self, rank: RankId) -> Result<Option<RankShifts>, String> {
        let text = self.shift_text(rank);
        let by = match text.trim() {
            "" => None,
            text => Some(RankShifts::length(text).map_err(|error| error.to_string())?),
        };
        let asked = self.placed_by();
        let mut shifts = asked.shifts.clone();
        shifts.set(rank.0, by);
        Ok((shifts != asked.shifts).then_some(shifts))
    }

    /// Loads again; the dialog for opening with options says the same from now on, so that loading
    /// with what stands there takes nothing back unasked.
    fn load_placed(&mut self, options: LoadOptions) -> Vec<Effect> {
        let said = OpenForm::of(&options);
        self.open_form.align_collectives = said.align_collectives;
        self.open_form.shifts = said.shifts;
        self.load_again(options)
    }

    pub(super) fn apply_to_places(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::AlignByCollectives { on } => {
                let align = if on {
                    AlignBy::Collectives
                } else {
                    AlignBy::Base
                };
                let options = LoadOptions {
                    align,
                    ..self.placed_by().clone()
                };
                self.load_placed(options)
            }
            Action::EditShift { rank, text } => {
                self.ranks.shift = Some(ShiftEdit { rank, text });
                Vec::new()
            }
            Action::MoveRank { rank } => {
                let Ok(Some(shifts)) = self.shift_asked(rank) else {
                    return Vec::new();
                };
                self.ranks.shift = None;
                let options = LoadOptions {
                    shifts,
                    ..self.placed_by().clone()
                };
                self.load_placed(options)
            }
            other => self.apply_to_kernels(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Arrival;
    use crate::trace::Trace;
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::Duration;

    fn opened() -> Session {
        let mut session = Session::default();
        let paths = vec![PathBuf::from("a")];
        let _effects = session.apply(Action::Open { paths });
        let arrival = Arrival::Loaded {
            generation: session.load.as_ref().map_or(0, |l| l.generation),
            trace: Arc::new(Trace::default()),
            took: Duration::ZERO,
        };
        let _effects = session.arrive(arrival);
        session
    }

    fn act(session: &mut Session, action: Action) -> Option<LoadOptions> {
        let effects = session.apply(action);
        effects.into_iter().find_map(|effect| match effect {
            Effect::StartLoad { options, .. } => Some(options),
            _ => None,
        })
    }

    #[test]
    fn the_switch_and_the_shifts_add_up_also_before_the_load_is_done() {
        let mut session = opened();
        let options = act(&mut session, Action::AlignByCollectives { on: true }).unwrap();
        assert_eq!(options.align, AlignBy::Collectives);
        assert!(session.aligns_by_collectives());
        let rank = RankId(3);
        let edit = |text: &str| Action::EditShift {
            rank,
            text: text.to_owned(),
        };
        assert_eq!(act(&mut session, edit("-2")), None);
        assert!(session.shift_asked(rank).unwrap_err().contains("no unit"));
        assert_eq!(act(&mut session, Action::MoveRank { rank }), None);
        act(&mut session, edit("-2.5ms"));
        let options = act(&mut session, Action::MoveRank { rank }).unwrap();
        assert_eq!(options.align, AlignBy::Collectives);
        assert_eq!(options.shifts.to_string(), "3=-2.5ms");
        assert_eq!(session.open_form, OpenForm::of(&options));
        assert_eq!(session.shift_text(rank), "-2.5ms");
        assert_eq!(session.shift_text(RankId(1)), "");
        assert_eq!(session.shift_asked(rank), Ok(None), "it is asked for");
        act(&mut session, edit(" "));
        let options = act(&mut session, Action::MoveRank { rank }).unwrap();
        assert!(options.shifts.is_empty());
    }

    #[test]
    fn a_load_of_other_files_is_none_of_it() {
        let mut session = opened();
        let options = LoadOptions {
            align: AlignBy::Collectives,
            ..LoadOptions::default()
        };
        let paths = vec![PathBuf::from("b")];
        let other = Action::OpenPaths { paths, options };
        act(&mut session, other);
        assert!(!session.aligns_by_collectives());
    }
}
