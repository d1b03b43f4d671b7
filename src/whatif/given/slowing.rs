//! [`Slowing`]: how much computation and communication slow each other, as a verdict on overlap found.

use super::super::number::real;
use super::super::table::Source;
use super::{Field, Quantity};
use crate::metrics::{Factor, FactorUnknown, OverlapAnalysis};

/// The factors of one device in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slowing {
    /// Of computation beside communication.
    pub comp: Result<Factor, FactorUnknown>,
    /// Of communication beside computation.
    pub comm: Result<Factor, FactorUnknown>,
}

impl Slowing {
    /// As a verdict has them.
    #[must_use]
    pub fn of(analysis: &OverlapAnalysis) -> Self {
        Self {
            comp: analysis.computation.factor.map(|f| f.estimate),
            comm: analysis.communication.factor.map(|f| f.estimate),
        }
    }

    /// The factor of one side, not below 1.
    pub(super) fn measured(self, field: Field) -> Result<(Quantity, Source, String), String> {
        let (factor, what) = match field {
            Field::KComp => (self.comp, "computation beside communication"),
            _ => (self.comm, "communication beside computation"),
        };
        let factor = factor.map_err(|why| why.label().to_owned())?;
        let note = if factor < Factor::ONE {
            "; it was below 1, which would be no slowing"
        } else {
            ""
        };
        let how = format!(
            "how many times as long {what} took as alone, in the same window{note}; times of a window that overlapped hold it already"
        );
        let part = |factor: Factor| real(u64::try_from(factor.0).unwrap_or(0));
        let factor = part(factor.max(Factor::ONE)) / part(Factor::ONE);
        Ok((Quantity::Factor(factor), Source::Measured, how))
    }
}
