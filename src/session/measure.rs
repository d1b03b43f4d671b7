//! Measuring from one slice to another: which two, and what lies between them.

use super::{Effect, Session, Tone};
use crate::metrics::{Between, between};
use crate::trace::SliceRef;

/// The two slices that are measured between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The one that was selected.
    pub from: SliceRef,
    /// The other one.
    pub to: SliceRef,
}

/// What is shown of a measure, from the slice that starts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The slice that starts first.
    pub first: SliceRef,
    /// The other one.
    pub second: SliceRef,
    /// What lies between them.
    pub between: Between,
}

impl Session {
    /// What is measured, if anything is.
    #[must_use]
    pub fn measured(&self) -> Option<Measured> {
        let (trace, Measure { from, to }) = (self.trace.as_ref()?, self.measure?);
        let found = between(trace.slice(from)?.window(), trace.slice(to)?.window());
        let (first, second) = if found.is_swapped {
            (to, from)
        } else {
            (from, to)
        };
        Some(Measured {
            first,
            second,
            between: found,
        })
    }

    /// Measures from the selected slice to another one; where none is selected, that one is.
    pub(super) fn measure_to(&mut self, to: SliceRef) -> Vec<Effect> {
        match self.selection {
            Some(from) if from != to => {
                self.measure = Some(Measure { from, to });
                Vec::new()
            }
            Some(_) => Vec::new(),
            None => self.select(to),
        }
    }

    /// Measures from the slice that was selected before to the one that is selected now.
    pub(super) fn measure_from_last(&mut self) {
        match (self.selected_before, self.selection) {
            (Some(from), Some(to)) if from != to => self.measure = Some(Measure { from, to }),
            _ => self.say(
                Tone::Notice,
                "two slices are needed: select one, then another, or Ctrl+click the other",
            ),
        }
    }
}
