//! The bottom line: does running side by side pay?
//!
//! What is gained is the time in which computation and communication both run; what is lost is by
//! how much the kernels of both sides take longer for it. `net = |C & M| - Σ (time - base)`.
//!
//! ```text
//! serial   [ compute 50 ][ communication 40 ]              90
//! beside   [ compute 66     ]                              66: 56 shared, 16 + 16 lost, net 24
//!          [ communication 56 ]
//! ```

use super::dilation::{Dilation, together};
use super::robust::{Estimate, Factor};
use super::streams::StreamCheck;
use super::waits::WaitCheck;
use crate::time::DurNs;

/// Contention up to this factor is low.
pub(super) const LOW_CONTENTION: Factor = Factor(11_000);
/// Contention from this factor on is high; what lies between is moderate.
pub(in crate::metrics) const HIGH_CONTENTION: Factor = Factor(13_000);
/// Communication of which less than one part in this many is hidden is not overlapped.
pub(super) const LEAST_HIDDEN_PART: i64 = 100;

/// How much kernels of one side are slowed beside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideFactor {
    /// The factor, where enough of the time beside has one.
    pub factor: Result<Estimate<Factor>, FactorUnknown>,
    /// Time beside of kernels whose factor is known.
    pub covered: i128,
    /// All time beside, summed over kernels.
    pub all: i128,
    /// What the kernels of known factor lost, for the merged time that both sides share.
    pub lost: Estimate<i128>,
}

/// Why the factor of a side is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorUnknown {
    /// Nothing of the side runs beside the other.
    NothingBeside,
    /// Kernels of known factor are less than half of the time beside.
    Coverage,
    /// Transfers cannot be told from waiting: one rank, ranks missing, clocks, no message.
    Waiting,
}

impl FactorUnknown {
    /// A short phrase.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NothingBeside => "nothing runs beside",
            Self::Coverage => "less than half of the time beside can be compared",
            Self::Waiting => "transfer cannot be told from waiting: open all ranks of the group",
        }
    }
}

impl SideFactor {
    /// Of the rows of one side. `shared` is the merged time that both sides share: kernels that run
    /// side by side on several streams lose it once.
    pub(super) fn of(rows: &[Dilation<'_>], shared: DurNs, unknown: FactorUnknown) -> Self {
        let all: i128 = rows.iter().map(|r| r.beside_time).sum();
        let (factor, covered) = together(rows);
        let sum = |end: fn(&Estimate<i128>) -> i128| -> i128 {
            let known = rows.iter().filter(|r| r.factor.is_ok());
            let lost: i128 = known.map(|r| end(&r.lost)).sum();
            scaled(lost, shared.0.into(), covered)
        };
        let factor = match factor {
            _ if all == 0 => Err(unknown_of(unknown, rows)),
            Some(factor) if covered * 2 >= all => Ok(factor),
            _ => Err(FactorUnknown::Coverage),
        };
        Self {
            factor,
            covered,
            all,
            lost: Estimate {
                estimate: sum(|l| l.estimate),
                low: sum(|l| l.low),
                high: sum(|l| l.high),
            },
        }
    }

    /// Whether every bit of the time beside has a factor, so that nothing is carried over.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.covered == self.all && self.all > 0
    }
}

fn unknown_of(unknown: FactorUnknown, rows: &[Dilation<'_>]) -> FactorUnknown {
    if rows.is_empty() {
        unknown
    } else {
        FactorUnknown::NothingBeside
    }
}

fn scaled(value: i128, by: i128, whole: i128) -> i128 {
    if whole <= 0 {
        return 0;
    }
    (2 * value * by + whole).div_euclid(2 * whole)
}

/// Whether overlap pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does, at little cost.
    Effective,
    /// It does, although both sides slow each other down.
    ContendedPays,
    /// It costs more than it hides, beyond doubt.
    Harmful,
    /// Nothing overlaps, and why.
    None(NoOverlap),
    /// The trace does not tell, and why.
    CannotTell(Unclear),
}

/// Why nothing overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOverlap {
    /// There is no communication.
    NoCommunication,
    /// There is no computation.
    NoComputation,
    /// Communication runs on a compute stream.
    SameStream,
    /// The host was blocked while communication ran, so nothing was launched.
    Synchronised,
    /// Computation was launched and waited for the communication.
    Dependency,
    /// Nothing was launched that could have run.
    NothingQueued,
    /// Launches are not recorded, so it cannot be told.
    Unknown,
}

impl NoOverlap {
    /// What it means, in a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoCommunication => "There is no communication in this window.",
            Self::NoComputation => {
                "There is no computation in this window to hide anything behind."
            }
            Self::SameStream => {
                "Communication runs on a compute stream, so the two can only follow each other."
            }
            Self::Synchronised => {
                "The host was blocked in a synchronisation while communication ran, so it launched nothing beside it."
            }
            Self::Dependency => {
                "Computation was launched in time and waited on the GPU: its stream or an event holds it until the communication is over."
            }
            Self::NothingQueued => {
                "No computation was launched that could have run beside the communication."
            }
            Self::Unknown => {
                "Most kernels have no launch record, so it cannot be told what could have run beside."
            }
        }
    }
}

/// Why a verdict cannot be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// How much computation is slowed is not known.
    Computation,
    /// How much communication is slowed is not known, and overlap would pay without that.
    Communication,
    /// The net gain is zero, or negative with an interval that holds zero.
    Interval,
}

impl Unclear {
    /// What it means, in a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Computation => {
                "Too few of the kernels beside communication also ran alone, so it is not known how much they are slowed."
            }
            Self::Communication => {
                "How much communication itself is slowed is not known; the net gain is an upper bound."
            }
            Self::Interval => "The net gain cannot be told from zero.",
        }
    }
}

impl Verdict {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Effective => "effective",
            Self::ContendedPays => "contended, still pays",
            Self::Harmful => "harmful",
            Self::None(_) => "none",
            Self::CannotTell(_) => "cannot tell",
        }
    }

    /// What it means, in a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Effective => {
                "Running side by side gains more than it costs, and the kernels hardly slow each other down."
            }
            Self::ContendedPays => {
                "The kernels slow each other down, but less than running side by side gains."
            }
            Self::Harmful => {
                "The kernels slow each other down by more than running side by side gains: serial would be faster."
            }
            Self::None(cause) => cause.sentence(),
            Self::CannotTell(why) => why.sentence(),
        }
    }
}

/// What overlap gains in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BottomLine {
    /// Whether it pays.
    pub verdict: Verdict,
    /// `|C & M|` less what both sides lost, in ns; `None` where computation's loss is not known.
    pub net: Option<Estimate<i128>>,
    /// Whether the loss of communication is not known, so that `net` is what is gained at most.
    pub is_bound: bool,
    /// Slowed by less than this, communication leaves a gain; `None` where computation is not slowed
    /// or its factor is not known.
    pub break_even: Option<Factor>,
}

/// Comes to the verdict.
pub(super) fn judge(
    comp: DurNs,
    shared: DurNs,
    kernels: &SideFactor,
    transfers: &SideFactor,
    streams: &StreamCheck,
    waits: &WaitCheck,
    synchronised: DurNs,
) -> BottomLine {
    let nothing = |cause| BottomLine {
        verdict: Verdict::None(cause),
        net: None,
        is_bound: false,
        break_even: None,
    };
    if streams.comm == DurNs::ZERO {
        return nothing(NoOverlap::NoCommunication);
    }
    if comp == DurNs::ZERO {
        return nothing(NoOverlap::NoComputation);
    }
    if shared.0.saturating_mul(LEAST_HIDDEN_PART) < streams.comm.0 {
        return nothing(why_not(streams, waits, synchronised));
    }
    let Ok(slowed) = kernels.factor else {
        return BottomLine {
            verdict: Verdict::CannotTell(Unclear::Computation),
            net: None,
            is_bound: false,
            break_even: None,
        };
    };
    let gain = i128::from(shared.0);
    let of_transfers = transfers.factor.ok();
    let transfers_lost = match of_transfers {
        Some(_) => transfers.lost,
        None => Estimate {
            estimate: 0,
            low: 0,
            high: 0,
        },
    };
    let net = Estimate {
        estimate: gain - kernels.lost.estimate - transfers_lost.estimate,
        low: gain - kernels.lost.high - transfers_lost.high,
        high: gain - kernels.lost.low - transfers_lost.low,
    };
    let worse = of_transfers.map_or(slowed.estimate, |k| k.estimate.max(slowed.estimate));
    let verdict = if net.high < 0 {
        Verdict::Harmful
    } else if net.estimate < 0 {
        Verdict::CannotTell(Unclear::Interval)
    } else if of_transfers.is_none() {
        Verdict::CannotTell(Unclear::Communication)
    } else if net.estimate > 0 && worse <= LOW_CONTENTION {
        Verdict::Effective
    } else if net.estimate > 0 {
        Verdict::ContendedPays
    } else {
        Verdict::CannotTell(Unclear::Interval)
    };
    BottomLine {
        verdict,
        net: Some(net),
        is_bound: of_transfers.is_none(),
        break_even: break_even(gain, net.estimate + transfers_lost.estimate),
    }
}

/// The factor of communication at which nothing is gained: of `gain` shared, `left` is what the
/// other side leaves, so the transfer may lose as much: `gain / (gain - left)`.
fn break_even(gain: i128, left: i128) -> Option<Factor> {
    (left > 0).then(|| Factor::of(gain, gain - left)).flatten()
}

/// Why next to nothing of the communication is hidden. The first that holds for half of it.
fn why_not(streams: &StreamCheck, waits: &WaitCheck, synchronised: DurNs) -> NoOverlap {
    let is_half = |part: DurNs, whole: DurNs| part.0.saturating_mul(2) >= whole.0;
    if is_half(streams.comm_on_them, streams.comm) {
        NoOverlap::SameStream
    } else if is_half(synchronised, streams.exposed) {
        NoOverlap::Synchronised
    } else if streams.launched < streams.not_launched {
        NoOverlap::Unknown
    } else if is_half(streams.queued_exposed, streams.exposed)
        || (waits.edges.iter().any(|e| e.joins_classes) && streams.queued_exposed > DurNs::ZERO)
    {
        NoOverlap::Dependency
    } else {
        NoOverlap::NothingQueued
    }
}
