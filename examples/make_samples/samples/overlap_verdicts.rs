//! `overlap_*/`, `same_stream.json` and `synchronised.json`: what overlap brings, with an answer for each verdict. The
//! contended ones have a twin in which the same work runs one after the other, so that both sides' slow-down can be
//! measured. All lengths are the base times a factor that the table below states.

use super::catalog;
use super::rank::{Autograd, Host, RankTrace, Thread, slot, us};

const COMPUTE_STREAM: i64 = 7;
const NCCL_STREAM: i64 = 20;
/// How long before the first kernel the host begins to launch.
const LEAD_US: i64 = 8_000;
/// Rounds of the two samples without any overlap.
const ROUNDS: i64 = 6;

/// Kernels of one length, one after the other.
#[derive(Clone, Copy)]
struct Run {
    /// Elements of the all-reduces; `None` for matrix products.
    elements: Option<i64>,
    /// Start of the first.
    from_us: i64,
    /// How many.
    count: i64,
    /// Length of each.
    each_us: i64,
}

const fn compute(from_us: i64, count: i64, each_us: i64) -> Run {
    Run {
        elements: None,
        from_us,
        count,
        each_us,
    }
}

const fn reduce(elements: i64, from_us: i64, count: i64, each_us: i64) -> Run {
    Run {
        elements: Some(elements),
        from_us,
        count,
        each_us,
    }
}

/// A sample: what runs on each of its two ranks.
#[derive(Clone, Copy)]
pub(crate) struct Schedule(&'static [Run]);

const LARGE: i64 = 33_554_432;
const SMALL: i64 = 8_388_608;

/// 50 of compute and 40 of communication; the 56 side by side take 1.4 times as long.
pub(crate) const PAYS: Schedule = Schedule(&[
    reduce(LARGE, 0, 8, 7_000),
    compute(0, 40, 1_400),
    compute(56_000, 10, 1_000),
]);
pub(crate) const PAYS_SERIAL: Schedule =
    Schedule(&[compute(0, 50, 1_000), reduce(LARGE, 50_000, 8, 5_000)]);

/// 45 and 35; the 25 side by side take 2.5 times as long.
pub(crate) const HARMS: Schedule = Schedule(&[
    reduce(LARGE, 0, 5, 5_000),
    reduce(SMALL, 25_000, 5, 5_000),
    compute(25_000, 10, 2_500),
    compute(50_000, 35, 1_000),
]);
pub(crate) const HARMS_SERIAL: Schedule = Schedule(&[
    reduce(LARGE, 0, 5, 5_000),
    reduce(SMALL, 25_000, 5, 2_000),
    compute(35_000, 45, 1_000),
]);

/// 48 and seven buckets of 4; the 25.2 side by side take 1.05 times as long, the last bucket is alone.
pub(crate) const EFFECTIVE: Schedule = Schedule(&[
    compute(0, 24, 1_000),
    reduce(LARGE, 24_000, 6, 4_200),
    compute(24_000, 24, 1_050),
    reduce(LARGE, 49_200, 1, 4_000),
]);
pub(crate) const EFFECTIVE_SERIAL: Schedule =
    Schedule(&[compute(0, 48, 1_000), reduce(LARGE, 48_000, 7, 4_000)]);

/// One rank of a schedule; both ranks do the same at the same time, so nobody waits.
pub(crate) fn trace(schedule: Schedule, number: i64) -> String {
    let mut rank = RankTrace::new(number, 2);
    let mut host = Host {
        thread: Thread::Main,
        now: us(-LEAD_US),
    };
    let mut end_us = 0;
    for run in schedule.0 {
        for n in 0..run.count {
            let from = run.from_us + n * run.each_us;
            put(&mut rank, &mut host, *run, from, NCCL_STREAM);
            end_us = end_us.max(from + run.each_us);
        }
    }
    rank.step(1, (us(-LEAD_US - 10), us(end_us + 10)));
    rank.finish((us(-LEAD_US - 20), us(end_us + 20)))
}

fn put(rank: &mut RankTrace, host: &mut Host, run: Run, from_us: i64, comm_stream: i64) {
    let to_us = from_us + run.each_us;
    match run.elements {
        None => {
            let at = slot(COMPUTE_STREAM, 0, from_us, to_us);
            rank.compute(host, &catalog::MLP_UP, Autograd::None, at);
        }
        Some(elements) => {
            let at = slot(comm_stream, 0, from_us, to_us);
            rank.collective(host, &catalog::all_reduce(elements), at);
        }
    }
}

/// Rounds of five products of 1000 and an all-reduce of 4000 on the same stream: launched ahead, and still one after the
/// other.
pub(crate) fn same_stream() -> String {
    let mut rank = RankTrace::new(0, 2);
    let mut host = Host {
        thread: Thread::Main,
        now: us(-LEAD_US),
    };
    for round in 0..ROUNDS {
        let from = round * 9_000;
        for n in 0..5 {
            let run = compute(0, 1, 1_000);
            put(&mut rank, &mut host, run, from + n * 1_000, COMPUTE_STREAM);
        }
        let run = reduce(LARGE, 0, 1, 4_000);
        put(&mut rank, &mut host, run, from + 5_000, COMPUTE_STREAM);
    }
    let end = ROUNDS * 9_000;
    rank.step(1, (us(-LEAD_US - 10), us(end + 10)));
    rank.finish((us(-LEAD_US - 20), us(end + 20)))
}

/// The same rounds with the all-reduce on a stream of its own, but the host waits for it before it launches anything more:
/// it goes on 300 after the end, and products begin 400 after it.
pub(crate) fn synchronised() -> String {
    let mut rank = RankTrace::new(0, 2);
    let mut host = Host {
        thread: Thread::Main,
        now: us(-400),
    };
    for round in 0..ROUNDS {
        let from = round * 9_400;
        for n in 0..5 {
            let run = compute(0, 1, 1_000);
            put(&mut rank, &mut host, run, from + n * 1_000, NCCL_STREAM);
        }
        let run = reduce(LARGE, 0, 1, 4_000);
        put(&mut rank, &mut host, run, from + 5_000, NCCL_STREAM);
        rank.synchronize(&mut host, NCCL_STREAM, us(from + 9_300));
    }
    let end = (ROUNDS - 1) * 9_400 + 9_000;
    rank.step(1, (us(-410), us(end + 310)));
    rank.finish((us(-420), us(end + 320)))
}
