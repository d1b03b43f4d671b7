//! Two runs against each other: what the second gained, and the utilisation of both.

use super::{MfuRow, TypedFlops, row};
use crate::metrics::ratio::rounded;
use crate::metrics::{DevicePair, Observed};
use crate::time::DurNs;
use crate::trace::{DeviceId, RankId};

/// One pair of devices, such as of a run without overlap and one with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MfuDelta {
    /// The devices.
    pub pair: DevicePair,
    /// The first run.
    pub a: MfuRow,
    /// The second.
    pub b: MfuRow,
}

impl MfuDelta {
    /// By how much the window of the second is shorter.
    #[must_use]
    pub fn gain(&self) -> DurNs {
        self.a.window.len() - self.b.window.len()
    }

    /// By how much a mean step of the second is shorter; `None` where one of them has no whole step.
    #[must_use]
    pub fn gain_per_step(&self) -> Option<DurNs> {
        let (a, b) = (&self.a, &self.b);
        if a.steps == 0 || b.steps == 0 {
            return None;
        }
        let scaled = |of: &MfuRow, other: &MfuRow| {
            i128::from(of.step_time.0).checked_mul(i128::from(other.steps))
        };
        let part = scaled(a, b)?.checked_sub(scaled(b, a)?)?;
        let whole = i128::from(a.steps) * i128::from(b.steps);
        part.checked_mul(4)?;
        i64::try_from(rounded(part, whole)).ok().map(DurNs)
    }

    /// What makes the two hard to compare, and the notes of both.
    #[must_use]
    pub fn note(&self) -> String {
        let mut said = Vec::new();
        if self.a.steps != self.b.steps {
            said.push(format!(
                "{} and {} whole steps, so the windows are not the same work",
                self.a.steps, self.b.steps
            ));
        } else if self.a.flops_counted != self.b.flops_counted {
            said.push("the FLOPs counted differ, so the windows may not be the same work".into());
        }
        for (side, row) in [("A", &self.a), ("B", &self.b)] {
            if !row.note.is_empty() {
                said.push(format!("{side}: {}", row.note));
            }
        }
        said.join("; ")
    }
}

/// A row for each pair with data on both sides.
#[must_use]
pub fn mfu_deltas(
    a: &Observed<'_>,
    b: &Observed<'_>,
    pairs: &[DevicePair],
    typed: TypedFlops,
) -> Vec<MfuDelta> {
    let of = |side: &Observed<'_>, (rank, device): (RankId, DeviceId)| {
        let rank = side.trace.rank(rank)?;
        row(side, rank, rank.device(device)?, typed)
    };
    let delta = |pair: &DevicePair| {
        Some(MfuDelta {
            pair: *pair,
            a: of(a, pair.a)?,
            b: of(b, pair.b)?,
        })
    };
    pairs.iter().filter_map(delta).collect()
}
