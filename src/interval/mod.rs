//! Interval algebra: the one place where time is added up.
//!
//! It owns the merged [`IntervalSet`] with union, intersection and difference, the sweep line that
//! measures the overlap of two sets ([`sweep_overlap`]), and the [`Partition`], which answers every
//! Boolean combination of up to three groups of slices for any window in O(log n), and counts and
//! sums the slices. It knows nothing of kernels, classes or files: callers say which slices belong
//! to which group.
//!
//! ```text
//! A        ####  ####          merge: touching intervals join
//! B          ######
//! A | B    ############        union       12
//! A & B      ##  ##            intersect    4
//! A - B    ##      ##          subtract     4
//! ```

mod alone;
mod block;
mod ladder;
mod partition;
mod parts;
mod set;
mod sweep;
#[cfg(test)]
mod tests;

pub use alone::alone;
pub use ladder::gallop;
pub use partition::{Measure, Member, Partition};
pub use parts::{MASKS, Parts};
pub use set::{Interval, IntervalSet};
pub use sweep::sweep_overlap;
