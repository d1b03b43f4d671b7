//! Interval algebra: the one place where time is added up.
//!
//! It owns the merged [`IntervalSet`] with union, intersection and difference, the sweep line that
//! measures the overlap of two groups ([`sweep_overlap`]), the atomic [`Partition`] that answers
//! every Boolean combination of up to three sets for any window in O(log n), and the [`Tally`] that
//! counts and sums slices in a window. It knows nothing of kernels, classes or files: callers say
//! which intervals belong to which set.
//!
//! ```text
//! A        ####  ####          merge: touching intervals join
//! B          ######
//! A | B    ############        union       12
//! A & B      ##  ##            intersect    4
//! A - B    ##      ##          subtract     4
//! ```

mod alone;
mod ladder;
mod partition;
mod set;
mod sweep;
mod tally;
#[cfg(test)]
mod tests;

pub use alone::alone;
pub use partition::{MASKS, Partition, Parts, gallop};
pub use set::{Interval, IntervalSet};
pub use sweep::sweep_overlap;
pub use tally::Tally;
