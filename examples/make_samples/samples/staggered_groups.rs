//! `staggered_groups/`: collectives of several process groups, kinds and types over three of four ranks, which come at
//! different times. What waits for whom, and how fast data moved, can be worked out by hand.

use super::catalog::{self, Compute};
use super::rank::{Autograd, Group, Host, RankTrace, Thread, slot, us};

const COMPUTE_STREAM: i64 = 7;
const WORLD_STREAM: i64 = 20;
const PAIR_STREAM: i64 = 24;
const WORLD: i64 = 4;

/// Two pairs of tensor-parallel ranks.
const PAIRS: [Group; 2] = [
    Group {
        name: "1",
        description: "mesh_tp",
        ranks: &[0, 1],
    },
    Group {
        name: "2",
        description: "mesh_tp",
        ranks: &[2, 3],
    },
];

/// The same on every rank.
const COMPUTE: [(Compute, i64, i64); 3] = [
    (catalog::MLP_UP, 900, 1100),
    (catalog::GELU, 1400, 1450),
    (catalog::LAYER_NORM, 2050, 2090),
];

/// When a rank's collectives run: the world's all-reduce, its pair's reduce-scatter and all-gather, the world's
/// broadcast.
const RUNS: [[(i64, i64); 4]; 3] = [
    [(1000, 1600), (1300, 1500), (2000, 2100), (3000, 3050)],
    [(1050, 1600), (1300, 1500), (2020, 2100), (3010, 3100)],
    [(1200, 1590), (1300, 1500), (2000, 2100), (2900, 3100)],
];

/// The trace of rank 0, 1 or 2; the file of rank 3 is lost.
pub(crate) fn trace(number: usize) -> String {
    let mut rank = RankTrace::new(i64::try_from(number).unwrap_or(0), WORLD);
    for pair in PAIRS {
        rank.add_group(pair);
    }
    let pair = PAIRS.get(number / 2);
    let mut host = Host {
        thread: Thread::Main,
        now: us(300),
    };
    for (compute, start, end) in &COMPUTE {
        let slot = slot(COMPUTE_STREAM, 0, *start, *end);
        rank.compute(&mut host, compute, Autograd::None, slot);
    }
    let run = |index: usize, stream: i64| {
        let runs = RUNS.get(number).and_then(|runs| runs.get(index));
        let (start, end) = runs.copied().unwrap_or_default();
        slot(stream, 0, start, end)
    };
    let reduce = catalog::all_reduce(4_000_000);
    rank.collective(&mut host, &reduce, run(0, WORLD_STREAM));
    let scatter = catalog::reduce_scatter(500_000, 2).of("Half");
    rank.collective_in(pair, &mut host, &scatter, run(1, PAIR_STREAM));
    let gather = catalog::all_gather(1_000_000, 2).of("Float8_e4m3fn");
    rank.collective_in(pair, &mut host, &gather, run(2, PAIR_STREAM));
    let broadcast = catalog::broadcast(125_000).of("Long");
    rank.collective(&mut host, &broadcast, run(3, WORLD_STREAM));
    rank.finish((us(0), us(3200)))
}
