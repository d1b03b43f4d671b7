//! What the columns of the table of findings mean.

pub(in crate::metrics) const SEVERITY: &str = "By the time at stake: high (at least 10 % of the window), medium (at least 2 %), low (at least 0.1 %; less is not listed), or info (as it should be); low where memory and no time is at stake.";
pub(in crate::metrics) const KIND: &str =
    "Name of the rule that found it; docs/overlap.md has each rule, its thresholds and its source.";
pub(in crate::metrics) const TITLE: &str = "The same in words.";
pub(in crate::metrics) const PER_STEP: &str =
    "Time at stake in a mean whole step of the window; empty where the window holds no whole step.";
pub(in crate::metrics) const AT_STAKE: &str = "What could be won in the window at most. No nanosecond is at stake in two findings of a device.";
pub(in crate::metrics) const STEPS: &str = "Whole steps in the window.";
pub(in crate::metrics) const SOURCE: &str = "Where the time comes from: measured (from the events alone) or modelled (through an assumption that docs/overlap.md states).";
pub(in crate::metrics) const COUNT: &str = "How many events it rests on.";
pub(in crate::metrics) const COVERAGE: &str = "The share of what it speaks of that it rests on.";
pub(in crate::metrics) const EVIDENCE_SLICE: &str =
    "Its number within the rank, which tells events of one name and start apart.";
pub(in crate::metrics) const ADVICE: &str = "What to try.";
pub(in crate::metrics) const NOTE: &str = "What it means here, and its limits.";
pub(in crate::metrics) const HELD: &str = "How long gathered parameters lie in memory before their computation starts, in the median; only of deep_prefetch, which has no time at stake.";
pub(in crate::metrics) const HELD_BYTES: &str = "Full buffers that are held beyond the depth that hides a gather; empty where sizes are not known.";
