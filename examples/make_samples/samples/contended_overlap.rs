//! `contended_overlap.json`: overlap that has a price. The same kernels run alone and beside an all-reduce, where they
//! take longer, because both want the same memory and multiprocessors.

use super::catalog;
use super::rank::{Autograd, Host, RankTrace, Thread, slot, us};

const COMPUTE_STREAM: i64 = 7;
const NCCL_STREAM: i64 = 20;
const PAIRS: i64 = 8;
const STEPS: i64 = 2;
const PERIOD_US: i64 = 2500;

pub(crate) fn trace() -> String {
    let mut rank = RankTrace::new(0, 2);
    for index in 0..STEPS {
        let origin = us(index * PERIOD_US);
        let mut host = Host {
            thread: Thread::Main,
            now: origin - us(50),
        };
        pairs(&mut rank, &mut host, origin, [100, 20]);
        // Starts 10 before its computation and ends 10 after it.
        let reduce = slot(NCCL_STREAM, origin, 970, 2430);
        rank.collective(&mut host, &catalog::all_reduce(33_554_432), reduce);
        pairs(&mut rank, &mut host, origin + us(980), [140, 40]);
        rank.synchronize(&mut host, COMPUTE_STREAM, origin + us(2425));
        rank.step(index + 1, (origin - us(60), origin + us(2435)));
    }
    rank.finish((us(-80), us(STEPS * PERIOD_US)))
}

/// A matrix product and its activation, again and again without a gap.
fn pairs(rank: &mut RankTrace, host: &mut Host, start: i64, lengths: [i64; 2]) {
    let [product, activation] = lengths;
    for pair in 0..PAIRS {
        let at = pair * (product + activation);
        let up = slot(COMPUTE_STREAM, start, at, at + product);
        rank.compute(host, &catalog::MLP_UP, Autograd::None, up);
        let gelu = slot(
            COMPUTE_STREAM,
            start,
            at + product,
            at + product + activation,
        );
        rank.compute(host, &catalog::GELU, Autograd::None, gelu);
    }
}
