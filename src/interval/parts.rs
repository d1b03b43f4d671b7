//! [`Parts`]: the time of a window by which of up to three groups are active.

#![expect(
    clippy::indexing_slicing,
    reason = "masks run from 0 to 7 and the lists have eight entries"
)]

use crate::time::{DurNs, Window};

/// How many groups a partition tells apart.
pub(super) const GROUPS: usize = 3;
/// Number of different masks: every subset of three groups.
pub const MASKS: usize = 1 << GROUPS;

/// Length per mask: `parts[mask]` is the time during which exactly the groups of `mask` are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parts([DurNs; MASKS]);

impl Parts {
    /// Time during which exactly this subset is active.
    #[must_use]
    pub fn exactly(&self, mask: u8) -> DurNs {
        self.0.get(usize::from(mask)).copied().unwrap_or_default()
    }

    /// Sum over all masks that the predicate accepts.
    #[must_use]
    pub fn sum(&self, accepts: impl Fn(u8) -> bool) -> DurNs {
        (0_u8..)
            .zip(self.0)
            .filter(|(mask, _)| accepts(*mask))
            .map(|(_, dur)| dur)
            .sum()
    }

    /// What lies between two totals; idle is what is left of the window.
    pub(super) fn between(window: Window, before: &[i64; MASKS], until: &[i64; MASKS]) -> Self {
        let mut parts = [DurNs::ZERO; MASKS];
        let mut rest = window.len();
        for mask in 1..MASKS {
            parts[mask] = DurNs(until[mask] - before[mask]);
            rest = rest - parts[mask];
        }
        parts[0] = rest;
        Self(parts)
    }

    /// Sum over all masks, idle included: the length of the window.
    #[must_use]
    pub fn total(&self) -> DurNs {
        self.sum(|_| true)
    }
}
