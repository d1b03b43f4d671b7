//! `prefetch_fsdp.json`: sharded data-parallel with prefetch. Each layer's parameters are gathered while the layer before
//! it computes, gradients are scattered while the next backward runs; the first gather and the last scatter are exposed.

use super::catalog::{self, Compute};
use super::rank::{Autograd, Host, RankTrace, Thread, slot, us};

const COMPUTE_STREAM: i64 = 7;
const GATHER_STREAM: i64 = 20;
const SCATTER_STREAM: i64 = 24;
const GROUP: i64 = 4;
const LAYERS: i64 = 4;
const SHARD_ELEMENTS: i64 = 2_097_152;
const STEPS: i64 = 2;
const PERIOD_US: i64 = 4500;

/// One layer forward: 300.
const FORWARD: [(Compute, i64); 5] = [
    (catalog::LAYER_NORM, 20),
    (catalog::QKV, 100),
    (catalog::FLASH, 60),
    (catalog::MLP_UP, 100),
    (catalog::GELU, 20),
];
/// One layer backward: 600.
const BACKWARD: [(Compute, i64); 6] = [
    (catalog::GELU_BACKWARD, 40),
    (
        catalog::input_grad([32, 8, 1], "[[4096, 4096], [4096, 1024]]"),
        120,
    ),
    (
        catalog::weight_grad([8, 32, 1], "[[1024, 4096], [4096, 4096]]"),
        120,
    ),
    (catalog::FLASH_BACKWARD, 160),
    (
        catalog::weight_grad([8, 24, 1], "[[1024, 4096], [4096, 3072]]"),
        120,
    ),
    (catalog::LAYER_NORM_BACKWARD, 40),
];

pub(crate) fn trace() -> String {
    let mut rank = RankTrace::new(0, GROUP);
    for index in 0..STEPS {
        step(&mut rank, index);
    }
    rank.finish((us(-120), us(STEPS * PERIOD_US)))
}

fn step(rank: &mut RankTrace, index: i64) {
    let origin = us(index * PERIOD_US);
    let mut host = Host {
        thread: Thread::Main,
        now: origin - us(95),
    };
    let copy_in = slot(GATHER_STREAM, origin, 0, 20);
    rank.memory(&mut host, &catalog::DEVICE_COPY, copy_in);
    gather(rank, &mut host, origin, 20);
    for layer in 0..LAYERS {
        let start = 230 + 300 * layer;
        if layer + 1 < LAYERS {
            gather(rank, &mut host, origin, start);
        }
        run(rank, &mut host, &FORWARD, origin, start);
    }

    let mut autograd = Host {
        thread: Thread::Autograd,
        now: host.now + us(20),
    };
    for done in 0..LAYERS {
        let start = 1440 + 600 * done;
        // The last layer's parameters are still there; each of the others is gathered one layer early.
        if done + 1 < LAYERS {
            gather(rank, &mut autograd, origin, start);
        }
        run(rank, &mut autograd, &BACKWARD, origin, start);
        let scatter = slot(SCATTER_STREAM, origin, start + 610, start + 910);
        let collective = catalog::reduce_scatter(SHARD_ELEMENTS, GROUP);
        rank.collective(&mut autograd, &collective, scatter);
    }

    host.now = autograd.now + us(20);
    let adam = slot(COMPUTE_STREAM, origin, 4160, 4360);
    rank.compute(&mut host, &catalog::ADAM, Autograd::None, adam);
    rank.synchronize(&mut host, COMPUTE_STREAM, origin + us(4365));
    rank.step(index + 1, (origin - us(100), origin + us(4390)));
}

fn gather(rank: &mut RankTrace, host: &mut Host, origin: i64, start: i64) {
    let slot = slot(GATHER_STREAM, origin, start, start + 200);
    rank.collective(host, &catalog::all_gather(SHARD_ELEMENTS, GROUP), slot);
}

/// Kernels back to back from `start`.
fn run(rank: &mut RankTrace, host: &mut Host, kernels: &[(Compute, i64)], origin: i64, start: i64) {
    let mut at = start;
    for (compute, length) in kernels {
        let slot = slot(COMPUTE_STREAM, origin, at, at + length);
        rank.compute(host, compute, Autograd::None, slot);
        at += length;
    }
}
