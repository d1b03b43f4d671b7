//! [`ModelError`]: why a model gives no answer. One sentence each.

use super::FitError;

/// Input that a model cannot answer for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Zero or less where there has to be something.
    #[error("{0} has to be greater than zero")]
    NotPositive(&'static str),
    /// Less than zero.
    #[error("{0} cannot be less than zero")]
    Negative(&'static str),
    /// A factor by which something takes longer, below one.
    #[error(
        "{0} says how many times as long something takes beside the other, so it lies between 1 and 1000"
    )]
    Factor(&'static str),
    /// A list without anything in it.
    #[error("there is nothing in {0}")]
    Nothing(&'static str),
    /// More than a model walks through.
    #[error("{what} would be more than {limit}; {advice}")]
    TooMany {
        /// What there would be too many of.
        what: &'static str,
        /// The most that are walked through.
        limit: u64,
        /// What to do about it.
        advice: &'static str,
    },
    /// A collective of one rank, or of a kind that has no bus bandwidth.
    #[error("a collective that moves data needs at least 2 ranks")]
    TooFewRanks,
    /// A part that is longer than the whole it is a part of.
    #[error("{part} is longer than {whole}, which is to hold it")]
    PartOfWhole {
        /// The part.
        part: &'static str,
        /// The whole.
        whole: &'static str,
    },
    /// A time beyond 64-bit nanoseconds, or bytes beyond 64 bits.
    #[error("{0} is beyond what can be told, about 292 years or 9 petabytes")]
    OutOfRange(&'static str),
    /// Samples from which nothing can be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
}
