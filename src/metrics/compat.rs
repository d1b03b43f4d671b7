//! The figures as two other tools define them, beside ours, with the reason for the difference.
//!
//! Written from the tools' published rules: Holistic Trace Analysis (`breakdown_analysis.py`,
//! `communication_analysis.py`, `trace_parser.py`, `utils.py`) and TraceLens
//! (`gpu_event_analyser.py`, `util.py`). Both look at whole traces; neither knows windows.

mod hta;
mod trace_lens;

use super::FigureValue;
use super::rows::{Query, Row};
use super::window::Selection;
use crate::time::DurNs;
use crate::trace::{DeviceId, Rank, RankId, Trace};

/// A tool whose definitions are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// Holistic Trace Analysis.
    Hta,
    /// TraceLens.
    TraceLens,
}

impl Tool {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Hta, Self::TraceLens];

    /// Its name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Hta => "HTA",
            Self::TraceLens => "TraceLens",
        }
    }
}

/// One figure of a rank by the rules of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompatRow {
    /// The rank.
    pub rank: RankId,
    /// Its device; `None` where it has several, which both tools put together.
    pub device: Option<DeviceId>,
    /// Whose rules.
    pub tool: Tool,
    /// What the tool calls it.
    pub figure: &'static str,
    /// Its definition there, in our words.
    pub definition: &'static str,
    /// By the tool's rules; `None` where the tool gives none.
    pub theirs: Option<FigureValue>,
    /// Ours that answers the same question; `None` where there are several devices.
    pub ours: Option<FigureValue>,
    /// Why the two may differ.
    pub reason: &'static str,
}

impl CompatRow {
    /// Theirs less ours, in the smallest printed unit.
    #[must_use]
    pub fn delta(&self) -> Option<i128> {
        Some(self.ours?.to(self.theirs?))
    }
}

/// One row for each (rank, figure of the tool). Of whole traces, whatever window is selected.
#[must_use]
pub fn compat_rows(trace: &Trace, query: &Query, tool: Tool) -> Vec<CompatRow> {
    let whole = Query {
        selection: Selection::None,
        clip_suspicious: false,
        ..*query
    };
    let mut rows = Vec::new();
    let wanted = |rank: &&Rank| query.rank.is_none_or(|id| rank.id == id);
    for rank in trace.ranks.iter().filter(wanted) {
        if rank.devices.is_empty() {
            continue;
        }
        let one = Query {
            rank: Some(rank.id),
            ..whole
        };
        let ours = match super::summary_rows(trace, &one).as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        };
        rows.extend(match tool {
            Tool::Hta => hta::rows(trace, rank, ours.as_ref()),
            Tool::TraceLens => trace_lens::rows(trace, rank, ours.as_ref()),
        });
    }
    rows
}

/// What is the same for all rows of a rank.
struct Frame<'r> {
    rank: &'r Rank,
    tool: Tool,
    ours: Option<&'r Row>,
}

impl Frame<'_> {
    fn row(
        &self,
        (figure, definition, reason): (&'static str, &'static str, &'static str),
        theirs: Option<FigureValue>,
        ours: impl Fn(&super::Summary) -> Option<FigureValue>,
    ) -> CompatRow {
        let summary = self.ours.and_then(|row| row.figures.as_ref());
        CompatRow {
            rank: self.rank.id,
            device: self.ours.map(|row| row.device),
            tool: self.tool,
            figure,
            definition,
            theirs,
            ours: summary.and_then(ours),
            reason,
        }
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "one type with figures that may be missing"
)]
fn time(time: DurNs) -> Option<FigureValue> {
    Some(FigureValue::Time(time))
}
