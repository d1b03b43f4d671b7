//! [`Times`]: how long what ran, by class.

use super::class::KernelClass;
use crate::time::DurNs;

/// Time by what ran: a sum for each class, and one for slices that are no GPU work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times(pub(super) [i64; 4]);

impl Times {
    /// Adds the time of something.
    pub fn add(&mut self, class: Option<KernelClass>, time: DurNs) {
        let place = class.map_or(3, KernelClass::index);
        if let Some(slot) = self.0.get_mut(place) {
            *slot = slot.saturating_add(time.0);
        }
    }

    /// What came since an earlier total.
    #[must_use]
    pub fn since(self, before: &Self) -> Self {
        let mut out = self;
        for (slot, past) in out.0.iter_mut().zip(before.0) {
            *slot -= past;
        }
        out
    }

    /// All time together.
    #[must_use]
    pub fn total(&self) -> DurNs {
        DurNs(self.0.iter().sum())
    }

    /// In the order of [`KernelClass::ALL`], then what is no GPU work.
    #[must_use]
    pub fn parts(&self) -> [DurNs; 4] {
        self.0.map(DurNs)
    }
}
