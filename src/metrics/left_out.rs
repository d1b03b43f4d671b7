//! What of the files is not in the trace because the user asked for it: one list for the status bar,
//! the command line and whoever else must not take a part for the whole.

use crate::trace::{IssueKind, Severity, Trace};

/// One kind of thing that was left out by choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutPart {
    /// Its kind.
    pub kind: IssueKind,
    /// How many events, or files for [`IssueKind::RankLeftOut`].
    pub count: u64,
    /// Which ranks, for [`IssueKind::RankLeftOut`]: the first few.
    pub ranks: Vec<String>,
}

/// What was left out by choice, over all files; empty for a whole trace.
#[must_use]
pub fn left_out_parts(trace: &Trace) -> Vec<LeftOutPart> {
    IssueKind::ALL
        .iter()
        .copied()
        .filter(|kind| kind.severity() == Severity::ByChoice)
        .map(|kind| LeftOutPart {
            kind,
            count: trace.health.count(kind),
            ranks: ranks(trace, kind),
        })
        .filter(|part| part.count > 0)
        .collect()
}

fn ranks(trace: &Trace, kind: IssueKind) -> Vec<String> {
    const NAMED: usize = 12;
    if kind != IssueKind::RankLeftOut {
        return Vec::new();
    }
    let issues = trace.health.issues().iter().filter(|i| i.kind == kind);
    let mut ranks: Vec<String> = issues
        .clone()
        .take(NAMED)
        .map(|i| i.first.what.clone())
        .collect();
    if issues.count() > NAMED {
        ranks.push("…".to_owned());
    }
    ranks
}

impl LeftOutPart {
    /// `Python stacks left out (1 203 411 events)`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let events = || match self.count {
            1 => "1 event".to_owned(),
            n => format!("{} events", grouped(n)),
        };
        match self.kind {
            IssueKind::PythonLeftOut => format!("Python stacks left out ({})", events()),
            IssueKind::CpuRowsLeftOut => format!("CPU rows left out ({})", events()),
            IssueKind::OutsideRange => format!(
                "what lies outside the range left out ({}); figures hold inside it",
                events()
            ),
            _ => {
                let files = match self.count {
                    1 => "1 file".to_owned(),
                    n => format!("{} files", grouped(n)),
                };
                format!("{files} left out ({})", self.ranks.join(", "))
            }
        }
    }
}

/// A count with its digits in groups of three: `1 234 567`.
#[must_use]
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{FileId, Health, Position};

    #[test]
    fn parts_are_summed_over_files_and_ranks_are_named() {
        let mut health = Health::default();
        let at = |what: &str| Position {
            byte: None,
            what: what.to_owned(),
        };
        health.note_many(IssueKind::PythonLeftOut, FileId(0), 1_203_000, || at("x"));
        health.note_many(IssueKind::PythonLeftOut, FileId(1), 411, || at("y"));
        health.note(IssueKind::RankLeftOut, FileId(2), || at("rank 2"));
        health.note(IssueKind::RankLeftOut, FileId(3), || at("rank 3"));
        health.note(IssueKind::Truncated, FileId(0), Position::default);
        let trace = Trace {
            health,
            ..Trace::default()
        };
        let sentences: Vec<String> = left_out_parts(&trace)
            .iter()
            .map(LeftOutPart::sentence)
            .collect();
        assert_eq!(
            sentences,
            [
                "Python stacks left out (1 203 411 events)",
                "2 files left out (rank 2, rank 3)"
            ]
        );
        assert!(left_out_parts(&Trace::default()).is_empty());
    }
}
