//! [`Link`]: what a collective costs, as a latency and a bus bandwidth.

use super::number::{float, not_negative, real};
use super::{Bandwidth, ModelError};
use crate::metrics::bus_factor;
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;

/// The two numbers of a link, and which collective runs on it over how many ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// What every collective takes whatever its size.
    pub alpha: DurNs,
    /// Bus bandwidth as nccl-tests defines it: comparable over kinds and numbers of ranks.
    pub bus: Bandwidth,
    /// The collective.
    pub kind: CollectiveKind,
    /// Ranks that take part; at least 2.
    pub ranks: u32,
}

impl Link {
    /// Bytes over the bus for a byte of the full buffer: `2(p-1)/p` of an all-reduce, `(p-1)/p` of a
    /// reduce-scatter and an all-gather (nccl-tests, `doc/PERFORMANCE.md`).
    ///
    /// # Errors
    /// [`ModelError::TooFewRanks`].
    pub fn factor(&self) -> Result<f64, ModelError> {
        factor(self.kind, self.ranks)
    }

    /// Checks the link once, so that [`Cost::of`] can be asked often.
    pub(super) fn cost(&self) -> Result<Cost, ModelError> {
        not_negative(self.alpha, "alpha")?;
        Ok(Cost {
            alpha: float(self.alpha),
            per_byte: self.factor()? / self.bus.gb_per_s(),
        })
    }
}

/// [`Link::factor`] without a link.
pub(super) fn factor(kind: CollectiveKind, ranks: u32) -> Result<f64, ModelError> {
    let (part, whole) = bus_factor(kind, Some(ranks))
        .filter(|_| ranks >= 2)
        .ok_or(ModelError::TooFewRanks)?;
    Ok(real(part) / real(whole))
}

/// `alpha + factor * size / bus bandwidth`, in ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    alpha: f64,
    per_byte: f64,
}

impl Cost {
    /// How long a collective of so many bytes takes, in ns.
    pub(super) fn of(self, bytes: u64) -> f64 {
        self.alpha + self.per_byte * real(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collective_costs_its_latency_and_its_bytes() {
        let link = |kind, ranks| Link {
            alpha: DurNs(5_000),
            bus: Bandwidth::from_gb_per_s(60.0).expect("more than zero"),
            kind,
            ranks,
        };
        let us = |link: Link| link.cost().map(|c| (c.of(60_000_000) / 1e3).round());
        // 1 ms for the bytes themselves, times 14/8 and 7/8.
        assert_eq!(us(link(CollectiveKind::AllReduce, 8)), Ok(1_755.0));
        assert_eq!(us(link(CollectiveKind::AllGather, 8)), Ok(880.0));
        assert_eq!(us(link(CollectiveKind::ReduceScatter, 8)), Ok(880.0));
        for ranks in [0, 1] {
            let none = us(link(CollectiveKind::AllReduce, ranks));
            assert_eq!(none, Err(ModelError::TooFewRanks));
        }
        assert!(link(CollectiveKind::Barrier, 8).factor().is_err());
    }
}
