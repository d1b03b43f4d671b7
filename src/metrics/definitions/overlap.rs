//! What the columns of the tables of overlap and of dilation mean.

pub(in crate::metrics) const CHECK: &str = "Which part of the analysis the figure belongs to: verdict, account, streams, dependencies, dilation or sms.";
pub(in crate::metrics) const FIGURE: &str =
    "Name of the figure; docs/overlap.md says how each is found.";
pub(in crate::metrics) const TITLE: &str = "The figure in words.";
pub(in crate::metrics) const VALUE: &str = "Its value, in the unit of the next column; empty where it cannot be told, with the reason in the note.";
pub(in crate::metrics) const UNIT: &str =
    "Unit of the value and of its interval: us, %, x (a factor), or nothing for counts and words.";
pub(in crate::metrics) const LOW: &str =
    "Lower end of the interval that the value lies in, where there is one.";
pub(in crate::metrics) const HIGH: &str = "Upper end of that interval.";
pub(in crate::metrics) const SOURCE: &str = "Where it comes from: measured (from the events alone), modelled (through an assumption that docs/overlap.md states) or typed (given by the user).";
pub(in crate::metrics) const COUNT: &str = "How many events it rests on.";
pub(in crate::metrics) const COVERAGE: &str =
    "The share of what it speaks of that it rests on: of kernels, or of time beside communication.";
pub(in crate::metrics) const NOTE: &str = "What it means here, or why there is no value.";
pub(in crate::metrics) const CLASS: &str = "Computation beside communication, or communication (its transfer, without waiting) beside computation.";
pub(in crate::metrics) const NAME: &str = "Name of the kernels.";
pub(in crate::metrics) const OP: &str =
    "The op that launched them; of communication, which collective it is.";
pub(in crate::metrics) const DIMS: &str =
    "Shapes of that op's inputs; of communication, the type of an element.";
pub(in crate::metrics) const GRID: &str =
    "Blocks of the launch in each dimension (work-items for module launches of HIP).";
pub(in crate::metrics) const BLOCK: &str = "Threads of a block in each dimension.";
pub(in crate::metrics) const BYTES: &str = "Bytes of the full buffer, of communication.";
pub(in crate::metrics) const ALONE: &str = "How many ran alone: no communication, copy or kernel of another stream shares any time with them.";
pub(in crate::metrics) const BASE: &str = "Median length of those.";
pub(in crate::metrics) const BASE_FROM: &str =
    "Where those are from: this window, or the baseline where fewer than five ran alone here.";
pub(in crate::metrics) const BESIDE: &str =
    "How many communication shares time with (of communication: computation).";
pub(in crate::metrics) const BESIDE_MEDIAN: &str = "Median length of those.";
pub(in crate::metrics) const BESIDE_TIME: &str = "Their time beside, inside the window.";
pub(in crate::metrics) const FACTOR: &str = "How many times as long they take beside as alone, in the median, each scaled by the part of it that is beside. Empty with fewer than five on either side, for kernels shorter than twenty steps of the clock, and below 0.9.";
pub(in crate::metrics) const FACTOR_LOW: &str = "Lower end of its interval: the true median lies inside in at least 95 of 100 cases, whatever the distribution.";
pub(in crate::metrics) const FACTOR_HIGH: &str = "Upper end of that interval.";
pub(in crate::metrics) const LOST: &str =
    "By how much those beside are longer than the median alone, summed up.";
pub(in crate::metrics) const REASON: &str = "Why there is no factor.";
