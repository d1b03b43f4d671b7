//! `chunked_tp.json`: a tensor-parallel layer cut into four chunks, so that the all-gather of one chunk runs beside the
//! matrix product of the one before, and the reduce-scatter beside the product after.

use super::catalog;
use super::rank::{Autograd, Host, RankTrace, Thread, slot, us};

const COMPUTE_STREAM: i64 = 7;
const NCCL_STREAM: i64 = 20;
const GROUP: i64 = 2;
const SHARD_ELEMENTS: i64 = 1_048_576;
const CHUNKS: i64 = 4;
const LAYERS: i64 = 4;
const LAYER_PERIOD_US: i64 = 1100;
const STEPS: [i64; 2] = [3, 4];

pub(crate) fn trace() -> String {
    let mut rank = RankTrace::new(0, GROUP);
    let mut origin = 0;
    for number in STEPS {
        let step_start = origin - us(100);
        let mut host = Host {
            thread: Thread::Main,
            now: step_start + us(5),
        };
        for _layer in 0..LAYERS {
            layer(&mut rank, &mut host, origin);
            origin += us(LAYER_PERIOD_US);
        }
        // The host runs ahead of the device and is done with the step before the device is.
        rank.step(number, (step_start, origin - us(110)));
    }
    rank.finish((us(-120), origin + us(20)))
}

fn layer(rank: &mut RankTrace, host: &mut Host, origin: i64) {
    for chunk in 0..CHUNKS {
        let gather = slot(NCCL_STREAM, origin, 60 * chunk, 60 * chunk + 60);
        rank.collective(host, &catalog::all_gather(SHARD_ELEMENTS, GROUP), gather);
        let up = slot(COMPUTE_STREAM, origin, 60 + 100 * chunk, 160 + 100 * chunk);
        rank.compute(host, &catalog::MLP_UP, Autograd::None, up);
    }
    let gelu = slot(COMPUTE_STREAM, origin, 460, 500);
    rank.compute(host, &catalog::GELU, Autograd::None, gelu);
    for chunk in 0..CHUNKS {
        let down = slot(COMPUTE_STREAM, origin, 500 + 100 * chunk, 600 + 100 * chunk);
        rank.compute(host, &catalog::MLP_DOWN, Autograd::None, down);
        let scatter = slot(NCCL_STREAM, origin, 610 + 100 * chunk, 710 + 100 * chunk);
        rank.collective(
            host,
            &catalog::reduce_scatter(SHARD_ELEMENTS, GROUP),
            scatter,
        );
    }
    let norm = slot(COMPUTE_STREAM, origin, 1020, 1060);
    rank.compute(host, &catalog::LAYER_NORM, Autograd::None, norm);
}
