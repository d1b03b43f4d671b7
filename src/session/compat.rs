//! The compatibility switch of the Breakdown panel: figures by the rules of another tool. They are
//! of the whole trace and pass over all kernels, so they are made once a rank and tool.

use super::question::Question;
use super::rows::Measured;
use super::{Effect, Section, Session};
use crate::metrics::{CompatRow, Tool};
use crate::trace::RankId;

/// A rank with more slices is measured by the worker.
const MOST_AT_ONCE: usize = 100_000;

/// What the figures follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompatKey {
    /// Number of the load.
    pub generation: u64,
    /// The rank.
    pub rank: RankId,
    /// Whose rules.
    pub tool: Tool,
}

/// State of the switch.
#[derive(Debug, Default)]
pub struct Compat {
    /// Whose rules are shown beside ours.
    pub tool: Option<Tool>,
    rows: Measured<CompatKey, Vec<CompatRow>>,
}

impl Session {
    fn compat_key(&self) -> Option<CompatKey> {
        let (rank, _) = self.focused()?;
        Some(CompatKey {
            generation: self.generation,
            rank: rank.id,
            tool: self.compat.tool?,
        })
    }

    /// The figures of the rank in focus by the chosen tool's rules; `None` while they are made.
    #[must_use]
    pub fn shown_compat(&self) -> Option<&[CompatRow]> {
        let wanted = self.compat_key()?;
        let (key, rows) = self.compat.rows.here()?;
        (*key == wanted).then_some(rows.as_slice())
    }

    pub(super) fn refresh_compat(&mut self) -> Vec<Effect> {
        let is_closed = self.is_closed(Section::Breakdown);
        let Some(key) = self.compat_key().filter(|_| !is_closed) else {
            return Vec::new();
        };
        if self.compat.rows.is_of(key) {
            return Vec::new();
        }
        let many = self
            .focused()
            .is_some_and(|(rank, _)| rank.slices.len() > MOST_AT_ONCE);
        if many && !self.compat.rows.ask(key) {
            return Vec::new();
        }
        self.measure(Question::Compat(key), many)
    }

    pub(super) fn compat_arrives(&mut self, key: CompatKey, rows: Vec<CompatRow>) {
        self.compat.rows.take(key, rows);
    }

    pub(super) fn compat_answered(&mut self) {
        self.compat.rows.is_answered();
    }
}
