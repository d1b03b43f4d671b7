//! `serial_step.json`: nothing overlaps. A copy, computation, an all-reduce, computation, one after the other, and a
//! device that waits for its host between the steps.

use super::catalog::{self, Compute};
use super::rank::{Autograd, Host, OP_PITCH, RankTrace, Thread, slot, us};

const COMPUTE_STREAM: i64 = 7;
const NCCL_STREAM: i64 = 20;
const STEPS: i64 = 3;
const PERIOD_US: i64 = 1000;

/// Forward and backward in one: 100 to 400.
const BEFORE_REDUCE: [(Compute, i64, i64); 5] = [
    (catalog::MLP_UP, 100, 200),
    (catalog::GELU, 200, 220),
    (catalog::MLP_DOWN, 220, 320),
    (catalog::LAYER_NORM, 320, 340),
    (catalog::PROJECTION, 340, 400),
];
/// The optimizer: 640 to 800.
const AFTER_REDUCE: [(Compute, i64, i64); 3] = [
    (catalog::GRADIENT_NORM, 640, 670),
    (catalog::GRADIENT_SCALE, 670, 700),
    (catalog::ADAM, 700, 800),
];

pub(crate) fn trace() -> String {
    let mut rank = RankTrace::new(0, 2);
    for index in 0..STEPS {
        let origin = us(index * PERIOD_US);
        let mut host = Host {
            thread: Thread::Main,
            now: origin + us(5),
        };
        let batch = slot(COMPUTE_STREAM, origin, 50, 100);
        rank.memory(&mut host, &catalog::BATCH_TO_DEVICE, batch);
        for (compute, start, end) in &BEFORE_REDUCE {
            let slot = slot(COMPUTE_STREAM, origin, *start, *end);
            rank.compute(&mut host, compute, Autograd::None, slot);
        }
        host.now = origin + us(390);
        let reduce = slot(NCCL_STREAM, origin, 420, 620);
        rank.collective(&mut host, &catalog::all_reduce(4_194_304), reduce);
        let optimizer_start = origin + us(610);
        host.now = optimizer_start;
        for (compute, start, end) in &AFTER_REDUCE {
            let slot = slot(COMPUTE_STREAM, origin, *start, *end);
            rank.compute(&mut host, compute, Autograd::None, slot);
        }
        let optimizer = (optimizer_start - us(2), optimizer_start + 3 * OP_PITCH);
        rank.annotate(Thread::Main, "Optimizer.step#AdamW.step", optimizer);
        rank.synchronize(&mut host, COMPUTE_STREAM, origin + us(805));
        // The reason for the idle device: the next batch is fetched only now.
        let fetch = (origin + us(810), origin + us(985));
        let name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
        rank.annotate(Thread::Main, name, fetch);
        rank.step(index + 1, (origin, origin + us(990)));
    }
    rank.finish((us(-20), us(3000)))
}
