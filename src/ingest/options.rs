//! What of the input is loaded, and where in time: [`LoadOptions`], the same for the window and the
//! command line.
//!
//! Whatever an option leaves out is counted in the trace's health, so that nobody reads a partial
//! trace as a whole one. Figures stay what they are without options: a trace without Python or CPU
//! rows has the same extents, steps and launch links, and one of a range has the same figures for
//! every window inside that range.

mod memory;
mod ranks;
mod shifts;

pub use memory::{MemoryError, MemoryLimit};
pub use ranks::{RankFilter, RankFilterError};
pub use shifts::{AlignBy, RankShifts, RankShiftsError};

use crate::time::TimeRange;

/// What of the input is loaded, and where in time. The default is everything that fits, as recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Leaves Python frames out.
    pub no_python: bool,
    /// Leaves framework operators, Python frames and the profiler's overhead out. Calls that launch
    /// GPU work, annotations, steps, and operators that name a collective stay: figures need them.
    pub no_cpu_rows: bool,
    /// Only these ranks.
    pub ranks: Option<RankFilter>,
    /// Only what shares time with this range.
    pub range: Option<TimeRange>,
    /// How much memory the load may take.
    pub memory: MemoryLimit,
    /// What tells where ranks lie in time against each other.
    pub align: AlignBy,
    /// Ranks that are moved by hand; nothing else moves these.
    pub shifts: RankShifts,
}

impl LoadOptions {
    /// Whether everything in the files is asked for, and where the files put it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.words().is_empty()
    }

    /// What is left out or moved, one phrase each, for people: `without Python stacks`, `only ranks
    /// 0-3`, `aligned by collectives`.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.no_cpu_rows {
            words.push("without CPU rows".to_owned());
        } else if self.no_python {
            words.push("without Python stacks".to_owned());
        }
        if let Some(ranks) = &self.ranks {
            words.push(format!("only ranks {ranks}"));
        }
        if let Some(range) = &self.range {
            words.push(format!("only {range}"));
        }
        if self.align == AlignBy::Collectives {
            words.push("aligned by collectives".to_owned());
        }
        if !self.shifts.is_empty() {
            words.push(format!("moved {}", self.shifts));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_told_in_words() {
        assert!(LoadOptions::default().is_whole());
        let options = LoadOptions {
            no_python: true,
            ranks: Some("0,2-3".parse().unwrap()),
            range: Some("1ms..2ms".parse().unwrap()),
            align: AlignBy::Collectives,
            shifts: "3=-1.5us".parse().unwrap(),
            ..LoadOptions::default()
        };
        assert_eq!(
            options.words(),
            [
                "without Python stacks",
                "only ranks 0,2-3",
                "only 1ms..2ms",
                "aligned by collectives",
                "moved 3=-1.5us"
            ]
        );
        assert!(!options.is_whole());
    }
}
