//! [`LinkFit`]: alpha and bus bandwidth of each process group and kind of a trace, or why they cannot be told.

use super::measured::fit_input;
use crate::metrics::Prefill;
use crate::trace::class::CollectiveKind;
use crate::whatif::{Fit, FitPoint, fit, shortest};
use std::sync::Arc;

/// What the transfers of one process group and kind say of their link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFit {
    /// Name of the process group.
    pub group: Option<Arc<str>>,
    /// The collective.
    pub kind: CollectiveKind,
    /// Ranks of the group.
    pub ranks: u32,
    /// How many transfers there are.
    pub samples: usize,
    /// The shortest time of each size, smallest first; with a fit also what that says of it.
    pub points: Vec<FitPoint>,
    /// The fit, or why there is none, as a sentence without its end.
    pub fit: Result<Fit, String>,
}

impl LinkFit {
    /// "all-reduce of group 0".
    #[must_use]
    pub fn name(&self) -> String {
        let group = self.group.as_deref().unwrap_or("unknown");
        format!("{} of group {group}", self.kind.label())
    }

    /// The smallest and the largest size in bytes.
    #[must_use]
    pub fn sizes(&self) -> Option<(u64, u64)> {
        let (first, last) = (self.points.first()?, self.points.last()?);
        Some((first.bytes, last.bytes))
    }
}

/// One for each process group and kind that has transfers.
///
/// # Errors
/// Why there are none, as a part of a sentence.
pub fn link_fits(prefill: &Prefill) -> Result<Vec<LinkFit>, String> {
    let found = prefill.transfers.as_ref().map_err(Clone::clone)?;
    let links = found.value.iter().map(|transfers| {
        let input = fit_input(transfers);
        let fit = fit(&input).map_err(|why| why.to_string());
        let points = match &fit {
            Ok(fit) => fit.points.clone(),
            Err(_) => shortest(&input.samples).unwrap_or_default(),
        };
        LinkFit {
            group: transfers.group.clone(),
            kind: transfers.kind,
            ranks: transfers.ranks,
            samples: input.samples.len(),
            points,
            fit,
        }
    });
    Ok(links.collect())
}
