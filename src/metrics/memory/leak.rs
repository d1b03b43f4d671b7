//! Whether memory leaks: allocated bytes at the end of each step, judged as docs/memory.md says.
//!
//! Only what is allocated counts. Reserved memory that nobody uses is the allocator's cache: it is
//! handed out again, so a high level of it is no leak.

use super::alive::{Alive, Blocks};
use super::{Slope, closed, slope, tracks};
use crate::metrics::Query;
use crate::trace::{DeviceId, MemorySource, MemoryTrack, NameId, Rank, RankId, Trace};
use std::cmp::Reverse;

/// The first steps fill caches and are not judged.
pub const WARM_UP: usize = 2;
/// Fewer steps than this behind the warm-up tell nothing.
pub const LEAST_STEPS: usize = 5;
/// How many ops that own the growth are named.
const NAMED: usize = 5;

/// What is said of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakVerdict {
    /// Too few steps.
    CannotTell,
    /// The slope of step ends is 0 or below.
    Level,
    /// The slope is above 0, but step ends or the least of each step do not rise in every step.
    Uneven,
    /// Step ends and the least of each step rise in every step.
    Suspected,
}

impl LeakVerdict {
    /// The words for it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::CannotTell => "cannot tell",
            Self::Level => "level",
            Self::Uneven => "not rising in every step",
            Self::Suspected => "leak suspected",
        }
    }
}

/// What was allocated in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepBaseline {
    /// The step.
    pub step: String,
    /// Allocated bytes at its end.
    pub end: i64,
    /// The least that was allocated inside of it.
    pub min: i64,
    /// Whether it is judged: it is whole, and behind the warm-up.
    pub counts: bool,
}

/// An op whose blocks outlive their steps, more of them after every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grower {
    /// The op; `None` for what was allocated outside of any.
    pub op: Option<String>,
    /// By how many bytes its blocks grew from the first judged step to the last.
    pub bytes: i128,
}

impl Grower {
    /// The op in words.
    #[must_use]
    pub fn name(&self) -> &str {
        self.op.as_deref().unwrap_or("(no op)")
    }
}

/// The verdict on one allocator, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The rank.
    pub rank: RankId,
    /// The device, by the number that its allocator has; -1 for the host.
    pub device: DeviceId,
    /// Where the values come from.
    pub source: MemorySource,
    /// The verdict.
    pub verdict: LeakVerdict,
    /// The steps in order of time.
    pub steps: Vec<StepBaseline>,
    /// How many of them are judged.
    pub judged: usize,
    /// How many of the judged ones end higher than the one before.
    pub ends_rising: usize,
    /// The same for the least of each step.
    pub mins_rising: usize,
    /// Slope of the step ends; `None` for fewer than two judged steps.
    pub slope: Option<Slope>,
    /// Where a leak is suspected, the ops that own the growth, the largest first; `None` where the
    /// file has no addresses.
    pub growers: Option<Vec<Grower>>,
}

impl Leak {
    /// Why, in one sentence.
    #[must_use]
    pub fn reason(&self) -> String {
        let pairs = self.judged.saturating_sub(1);
        let slope = self.slope.map_or_else(String::new, |s| {
            format!(
                "{} bytes per step (95 %: {} to {})",
                s.bytes_per_step, s.low, s.high
            )
        });
        match self.verdict {
            LeakVerdict::CannotTell => format!(
                "cannot tell, {}: {LEAST_STEPS} whole steps behind {WARM_UP} of warm-up are needed",
                steps(self.judged)
            ),
            LeakVerdict::Level => {
                format!("step ends do not rise over {}: {slope}", steps(self.judged))
            }
            LeakVerdict::Uneven => format!(
                "not rising in every step: step ends rise {} times of {pairs}, the least of a step {} times; {slope}",
                self.ends_rising, self.mins_rising
            ),
            LeakVerdict::Suspected => format!(
                "step ends and the least of each step rise in every one of {}: {slope}",
                steps(self.judged)
            ),
        }
    }

    /// The ops that own the growth, in one text.
    #[must_use]
    pub fn growers_text(&self) -> String {
        let named = self.growers.iter().flatten();
        let named: Vec<String> = named
            .map(|g| format!("{} +{}", g.name(), g.bytes))
            .collect();
        named.join("; ")
    }
}

fn steps(count: usize) -> String {
    format!("{count} step{}", if count == 1 { "" } else { "s" })
}

/// The verdict on every allocator that is asked for. Windows play no part in it.
#[must_use]
pub fn leak_rows(trace: &Trace, query: &Query) -> Vec<Leak> {
    tracks(trace, query)
        .map(|(rank, memory)| leak(trace, rank, memory))
        .collect()
}

/// The verdict on one allocator.
#[must_use]
pub fn leak(trace: &Trace, rank: &Rank, memory: &MemoryTrack) -> Leak {
    let mut whole = 0_usize;
    let steps: Vec<StepBaseline> = rank
        .host_steps
        .iter()
        .map(|step| {
            let window = closed(rank, step.window);
            let start = memory.allocated_before(window.start());
            let inside = memory.allocated.extremes(window);
            whole += usize::from(!step.partial);
            StepBaseline {
                step: step.label.to_string(),
                end: memory.allocated_before(window.end()),
                min: inside.map_or(start, |found| found.min.bytes.min(start)),
                counts: !step.partial && whole > WARM_UP,
            }
        })
        .collect();
    let judged: Vec<&StepBaseline> = steps.iter().filter(|s| s.counts).collect();
    let ends: Vec<i64> = judged.iter().map(|s| s.end).collect();
    let mins: Vec<i64> = judged.iter().map(|s| s.min).collect();
    let slope = slope(&ends);
    let (ends_rising, mins_rising) = (rising(&ends), rising(&mins));
    let pairs = judged.len().saturating_sub(1);
    let verdict = match slope {
        Some(slope) if judged.len() >= LEAST_STEPS => {
            // Wide intervals do not make it level: ends that rise and fall may still lose memory.
            if slope.bytes_per_step <= 0 {
                LeakVerdict::Level
            } else if slope.low > 0 && ends_rising == pairs && mins_rising == pairs {
                LeakVerdict::Suspected
            } else {
                LeakVerdict::Uneven
            }
        }
        _ => LeakVerdict::CannotTell,
    };
    let growers = match verdict {
        LeakVerdict::Suspected => growers(trace, rank, memory),
        _ => Some(Vec::new()),
    };
    Leak {
        rank: rank.id,
        device: memory.place.device(),
        source: memory.source,
        verdict,
        judged: judged.len(),
        steps,
        ends_rising,
        mins_rising,
        slope,
        growers,
    }
}

/// How many values are above the one before.
fn rising(values: &[i64]) -> usize {
    let pairs = values.iter().zip(values.iter().skip(1));
    pairs.filter(|(before, after)| before < after).count()
}

/// The ops whose living blocks grow from every judged step to the next.
fn growers(trace: &Trace, rank: &Rank, memory: &MemoryTrack) -> Option<Vec<Grower>> {
    let whole = rank.host_steps.iter().filter(|s| !s.partial);
    let mut ends: Vec<usize> = whole
        .skip(WARM_UP)
        .map(|s| memory.allocated.indices(closed(rank, s.window)).end)
        .collect();
    // Steps that nest end in another order.
    ends.sort_unstable();
    let mut ends = ends.into_iter();
    let mut blocks = Blocks::new(rank, memory)?;
    let bytes = |all: &Alive, op: &Option<NameId>| all.get(op).map_or(0, |held| held.0);
    let first = blocks.until(ends.next()?).clone();
    let second = blocks.until(ends.next()?);
    // The ops that grew after every step so far, and what they held after the last one.
    let mut growing: Vec<(Option<NameId>, i128)> = second
        .iter()
        .map(|(op, held)| (*op, held.0))
        .filter(|(op, held)| bytes(&first, op) < *held)
        .collect();
    for end in ends {
        let alive = blocks.until(end);
        growing.retain_mut(|(op, last)| {
            let before = std::mem::replace(last, bytes(alive, op));
            before < *last
        });
    }
    let mut found: Vec<Grower> = growing
        .into_iter()
        .map(|(op, last)| Grower {
            op: op.map(|name| trace.names.get(name).to_owned()),
            bytes: last - bytes(&first, &op),
        })
        .collect();
    found.sort_by(|a, b| (Reverse(a.bytes), &a.op).cmp(&(Reverse(b.bytes), &b.op)));
    found.truncate(NAMED);
    Some(found)
}
