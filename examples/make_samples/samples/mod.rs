//! The sample traces as text, each from a schedule of round constants, so that every figure can be worked out by hand.
//!
//! One file a scenario. They share `json` (writing JSON text), `catalog` (kernels as a GPU would report them) and `rank`
//! (one rank's trace: a kernel comes with its launch, its flow arrows and the host operator around them).
//! Nothing here reads a clock or draws a random number: the same text on every run.

mod bucketed_ddp;
mod catalog;
mod chunked_tp;
mod contended_overlap;
mod json;
mod memory_leak;
mod overlap_verdicts;
mod prefetch_fsdp;
mod rank;
mod serial_step;
mod staggered_groups;

/// One file of the sample folder.
pub(crate) struct Sample {
    /// Where it belongs, relative to the sample folder.
    pub(crate) path: &'static str,
    /// The whole file.
    pub(crate) json: String,
}

/// Every sample, in the order of the README.
pub(crate) fn all() -> Vec<Sample> {
    let sample = |path, json| Sample { path, json };
    let mut all = vec![
        sample("serial_step.json", serial_step::trace()),
        sample("bucketed_ddp/rank-0.json", bucketed_ddp::trace(0)),
        sample("bucketed_ddp/rank-1.json", bucketed_ddp::trace(1)),
        sample("chunked_tp.json", chunked_tp::trace()),
        sample("prefetch_fsdp.json", prefetch_fsdp::trace()),
        sample("contended_overlap.json", contended_overlap::trace()),
        sample("staggered_groups/rank-0.json", staggered_groups::trace(0)),
        sample("staggered_groups/rank-1.json", staggered_groups::trace(1)),
        sample("staggered_groups/rank-2.json", staggered_groups::trace(2)),
        sample("same_stream.json", overlap_verdicts::same_stream()),
        sample("synchronised.json", overlap_verdicts::synchronised()),
        sample("memory_leak.json", memory_leak::trace(true)),
        sample("memory_level.json", memory_leak::trace(false)),
    ];
    for (paths, schedule) in [
        (
            ["overlap_pays/rank-0.json", "overlap_pays/rank-1.json"],
            overlap_verdicts::PAYS,
        ),
        (
            [
                "overlap_pays_serial/rank-0.json",
                "overlap_pays_serial/rank-1.json",
            ],
            overlap_verdicts::PAYS_SERIAL,
        ),
        (
            ["overlap_harms/rank-0.json", "overlap_harms/rank-1.json"],
            overlap_verdicts::HARMS,
        ),
        (
            [
                "overlap_harms_serial/rank-0.json",
                "overlap_harms_serial/rank-1.json",
            ],
            overlap_verdicts::HARMS_SERIAL,
        ),
        (
            [
                "overlap_effective/rank-0.json",
                "overlap_effective/rank-1.json",
            ],
            overlap_verdicts::EFFECTIVE,
        ),
        (
            [
                "overlap_effective_serial/rank-0.json",
                "overlap_effective_serial/rank-1.json",
            ],
            overlap_verdicts::EFFECTIVE_SERIAL,
        ),
    ] {
        for (rank, path) in (0..).zip(paths) {
            all.push(sample(path, overlap_verdicts::trace(schedule, rank)));
        }
    }
    all
}
