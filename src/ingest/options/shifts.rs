//! Where ranks lie in time against each other: [`AlignBy`] and [`RankShifts`].

use crate::time::{DurNs, NumberError, parse_quantity, parse_us};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What tells where ranks lie in time against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlignBy {
    /// The times of the files and the bases that they state.
    #[default]
    Base,
    /// The same, refined by the ends of collectives that make ranks wait for each other.
    Collectives,
}

/// How far a rank may be moved: sums with times of traces stay far inside 64 bits. From zero to
/// today's epoch it is less than that.
const FARTHEST: u64 = 1 << 61;

/// Ranks that are moved by hand, as `3=12.5us,4=-3ms`: everything of rank 3 happens 12.5 µs later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankShifts(BTreeMap<u32, DurNs>);

/// Why a text moves no ranks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankShiftsError {
    /// Something else than a rank and a time.
    #[error(
        "'{0}' is no shift; write the rank and how much later it is to be, like 3=12.5us or 3=-3ms"
    )]
    NoShift(String),
    /// A bare number behind the rank.
    #[error("the shift '{0}' has no unit; add ns, us, ms or s, like {0}us")]
    NoUnit(String),
    /// A length beyond what makes sense.
    #[error("the shift '{0}' is too far; the most is some 73 years")]
    TooFar(String),
    /// One rank, two shifts.
    #[error("rank {0} is moved twice; give one shift for each rank")]
    Twice(u32),
}

impl RankShifts {
    /// Whether no rank is moved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How much later a rank is to be; `None` where nobody says.
    #[must_use]
    pub fn of(&self, rank: u32) -> Option<DurNs> {
        self.0.get(&rank).copied()
    }

    /// The same as it is typed.
    #[must_use]
    pub fn text_of(&self, rank: u32) -> Option<String> {
        self.of(rank).map(|by| Typed(by).to_string())
    }

    /// The ranks that are moved.
    pub fn ranks(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.keys().copied()
    }

    /// Moves a rank, or leaves it to its file where `by` is `None`.
    pub fn set(&mut self, rank: u32, by: Option<DurNs>) {
        match by {
            Some(by) => self.0.insert(rank, by),
            None => self.0.remove(&rank),
        };
    }

    /// Takes more shifts in.
    ///
    /// # Errors
    /// [`RankShiftsError::Twice`] where a rank has one already.
    pub fn add(&mut self, more: &Self) -> Result<(), RankShiftsError> {
        for (rank, by) in &more.0 {
            if self.0.insert(*rank, *by).is_some() {
                return Err(RankShiftsError::Twice(*rank));
            }
        }
        Ok(())
    }

    /// Reads how far one rank is moved: a number with a unit.
    ///
    /// # Errors
    /// [`RankShiftsError`] where it is none, or too far.
    pub fn length(text: &str) -> Result<DurNs, RankShiftsError> {
        let text = text.trim();
        let told = || text.to_owned();
        let by = parse_quantity(text).map_err(|error| match error {
            NumberError::OutOfRange => RankShiftsError::TooFar(told()),
            NumberError::NotANumber if parse_us(text.as_bytes()).is_ok() => {
                RankShiftsError::NoUnit(told())
            }
            NumberError::NotANumber => RankShiftsError::NoShift(told()),
        })?;
        if by.0.unsigned_abs() > FARTHEST {
            return Err(RankShiftsError::TooFar(told()));
        }
        Ok(by)
    }
}

/// A length as it is typed: exact, in the largest unit that needs three decimals at most.
struct Typed(DurNs);

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DurNs(ns) = self.0;
        let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
        let fits = |unit: &&(u64, &str)| {
            let abs = ns.unsigned_abs();
            abs >= unit.0 && abs.is_multiple_of(unit.0 / 1_000)
        };
        let Some((unit, name)) = units.iter().find(fits) else {
            return write!(f, "{ns}ns");
        };
        let abs = ns.unsigned_abs();
        let sign = if ns < 0 { "-" } else { "" };
        let decimals = format!("{:03}", abs % unit / (unit / 1_000));
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{sign}{}{name}", abs / unit),
            decimals => write!(f, "{sign}{}.{decimals}{name}", abs / unit),
        }
    }
}

impl fmt::Display for RankShifts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (rank, by)) in self.0.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{rank}={}", Typed(*by))?;
        }
        Ok(())
    }
}

impl FromStr for RankShifts {
    type Err = RankShiftsError;

    fn from_str(text: &str) -> Result<Self, RankShiftsError> {
        let mut all = Self::default();
        for part in text.split(',').map(str::trim) {
            let none = || RankShiftsError::NoShift(part.to_owned());
            let (rank, by) = part.split_once('=').ok_or_else(none)?;
            let rank = rank.trim();
            // A sign would pass as part of a number.
            if !rank.bytes().all(|b| b.is_ascii_digit()) {
                return Err(none());
            }
            let rank: u32 = rank.parse().ok().ok_or_else(none)?;
            let mut one = Self::default();
            one.set(rank, Some(Self::length(by)?));
            all.add(&one)?;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_and_lengths_are_understood() {
        let shifts: RankShifts = " 3=12.5us, 0 = -3ms,7=0ns".parse().unwrap();
        let of = |rank| shifts.of(rank).map(|by| by.0);
        assert_eq!(
            [of(3), of(0), of(7), of(1)],
            [Some(12_500), Some(-3_000_000), Some(0), None]
        );
        assert_eq!(shifts.to_string(), "0=-3ms,3=12.5us,7=0ns");
    }

    #[test]
    fn trouble_says_what_is_wrong() {
        for (text, part) in [
            ("", "is no shift"),
            ("12us", "'12us' is no shift; write the rank"),
            ("a=12us", "is no shift"),
            ("+1=12us", "is no shift"),
            ("=12us", "is no shift"),
            ("1=", "is no shift"),
            ("1=fast", "'fast' is no shift"),
            ("1=12", "the shift '12' has no unit"),
            ("1=2us,1=3us", "rank 1 is moved twice"),
            ("1=99999999999s", "is too far"),
            ("1=2400000000s", "is too far"),
            ("99999999999=2us", "is no shift"),
        ] {
            let error = text.parse::<RankShifts>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        /// What is written is read again, to the nanosecond.
        #[test]
        fn a_shift_is_read_as_it_is_written(rank: u32, by in -(1_i64 << 61)..=1_i64 << 61, zeros in 0_u32..10) {
            let unit = 10_i64.pow(zeros);
            let mut shifts = RankShifts::default();
            shifts.set(rank, Some(DurNs(by / unit * unit)));
            prop_assert_eq!(shifts.to_string().parse::<RankShifts>().unwrap(), shifts);
        }
    }
}
