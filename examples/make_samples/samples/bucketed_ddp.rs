//! `bucketed_ddp/`: two data-parallel ranks. Gradients are reduced in four buckets beside the backward pass; the last
//! bucket has nothing left to hide behind. Rank 1 gets its batch late, so rank 0's collectives wait for it.

use super::catalog::{self, Compute};
use super::rank::{Autograd, Host, RankTrace, Slot, Thread, slot, us};

const COMPUTE_STREAM: i64 = 7;
const NCCL_STREAM: i64 = 20;
const COPY_STREAM: i64 = 24;
const PERIOD_US: i64 = 5000;
/// Step number, and how late rank 1 starts it.
const STEPS: [(i64, i64); 4] = [(10, 100), (11, 300), (12, 0), (13, 100)];
const ACTIVATION_BYTES: i64 = 8_388_608;
const FIRST_ADDRESS: i64 = 139_900_000_000_000;

/// A kernel of a phase: its length in us, and the forward operator (by position) that it is the backward of.
type Part = (Compute, i64, Option<i64>);

/// 0 to 1250: embedding, two layers of 500, head and loss.
const FORWARD: [(Compute, i64); 21] = [
    (catalog::EMBEDDING, 20),
    (catalog::LAYER_NORM, 20),
    (catalog::QKV, 100),
    (catalog::FLASH, 80),
    (catalog::PROJECTION, 40),
    (catalog::LAYER_NORM, 20),
    (catalog::MLP_UP, 120),
    (catalog::GELU, 20),
    (catalog::MLP_DOWN, 100),
    (catalog::LAYER_NORM, 20),
    (catalog::QKV, 100),
    (catalog::FLASH, 80),
    (catalog::PROJECTION, 40),
    (catalog::LAYER_NORM, 20),
    (catalog::MLP_UP, 120),
    (catalog::GELU, 20),
    (catalog::MLP_DOWN, 100),
    (catalog::LAYER_NORM, 20),
    (catalog::HEAD, 160),
    (catalog::LOG_SOFTMAX, 40),
    (catalog::NLL_LOSS, 10),
];

/// 1270 to 1670.
const HEAD_BACKWARD: [Part; 5] = [
    (catalog::NLL_LOSS_BACKWARD, 10, Some(20)),
    (catalog::LOG_SOFTMAX_BACKWARD, 40, Some(19)),
    (
        catalog::input_grad([32, 8, 1], "[[4096, 10240], [10240, 1024]]"),
        160,
        Some(18),
    ),
    (
        catalog::weight_grad([8, 80, 1], "[[1024, 4096], [4096, 10240]]"),
        160,
        None,
    ),
    (catalog::LAYER_NORM_BACKWARD, 30, Some(17)),
];

/// 1000, for the layer whose first forward operator is `first`.
const fn layer_backward(first: i64) -> [Part; 12] {
    let up_dims = "[[4096, 4096], [4096, 1024]]";
    let down_dims = "[[4096, 1024], [1024, 4096]]";
    let projection_dims = "[[4096, 1024], [1024, 1024]]";
    let qkv_dims = "[[4096, 3072], [3072, 1024]]";
    [
        (
            catalog::input_grad([32, 32, 1], down_dims),
            100,
            Some(first + 7),
        ),
        (catalog::weight_grad([32, 8, 1], down_dims), 100, None),
        (catalog::GELU_BACKWARD, 20, Some(first + 6)),
        (
            catalog::input_grad([32, 8, 1], up_dims),
            120,
            Some(first + 5),
        ),
        (catalog::weight_grad([8, 32, 1], up_dims), 120, None),
        (catalog::LAYER_NORM_BACKWARD, 30, Some(first + 4)),
        (
            catalog::input_grad([32, 8, 1], projection_dims),
            40,
            Some(first + 3),
        ),
        (catalog::weight_grad([8, 8, 1], projection_dims), 40, None),
        (catalog::FLASH_BACKWARD, 200, Some(first + 2)),
        (
            catalog::input_grad([32, 8, 2], qkv_dims),
            100,
            Some(first + 1),
        ),
        (catalog::weight_grad([8, 24, 1], qkv_dims), 100, None),
        (catalog::LAYER_NORM_BACKWARD, 30, Some(first)),
    ]
}

/// 3670 to 3730.
const EMBEDDING_BACKWARD: [Part; 1] = [(catalog::EMBEDDING_BACKWARD, 60, Some(0))];

/// 4150 to 4390, later by the delay.
const OPTIMIZER: [(Compute, i64); 3] = [
    (catalog::GRADIENT_NORM, 20),
    (catalog::GRADIENT_SCALE, 20),
    (catalog::ADAM, 200),
];

/// The numbers that one step of one rank is made of, in ns since the sample's zero.
struct Step {
    index: i64,
    number: i64,
    rank: i64,
    /// Where this rank's own schedule starts.
    origin: i64,
    /// Where the buckets' ends lie: later than `origin` on the rank that waits.
    reduce_origin: i64,
}

pub(crate) fn trace(rank_number: i64) -> String {
    let mut rank = RankTrace::new(rank_number, 2);
    // The first batch goes to the device before the first step.
    let mut host = Host {
        thread: Thread::Main,
        now: us(-340),
    };
    let first_batch = slot(COPY_STREAM, 0, -300, -200);
    rank.memory(&mut host, &catalog::BATCH_TO_DEVICE, first_batch);
    rank.begin_steps();

    for (index, (number, delay_us)) in (0..).zip(STEPS) {
        let start = us(index * PERIOD_US);
        let own_delay = if rank_number == 1 { us(delay_us) } else { 0 };
        let step = Step {
            index,
            number,
            rank: rank_number,
            origin: start + own_delay,
            reduce_origin: start + us(delay_us),
        };
        let fetched = step.origin - us(105);
        let name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
        rank.annotate(Thread::Main, name, (start - us(195), fetched));
        run_step(&mut rank, &step, (start - us(200), start + us(4790)));
    }
    rank.finish((us(-360), us(PERIOD_US * 4)))
}

fn run_step(rank: &mut RankTrace, step: &Step, host_span: (i64, i64)) {
    let origin = step.origin;
    let mut host = Host {
        thread: Thread::Main,
        now: origin - us(95),
    };
    let forward_start = host.now;
    forward(rank, &mut host, step);
    let forward_span = (forward_start - us(5), host.now + us(2));
    rank.annotate(
        Thread::Main,
        "DistributedDataParallel.forward",
        forward_span,
    );
    let forward_slot = slot(COMPUTE_STREAM, origin, 0, 1250);
    rank.annotate_gpu("DistributedDataParallel.forward", forward_slot);
    host.now += us(5);
    let clear = slot(COMPUTE_STREAM, origin, 1250, 1260);
    rank.memory(&mut host, &catalog::CLEAR_GRADIENTS, clear);

    let mut autograd = Host {
        thread: Thread::Autograd,
        now: host.now + us(30),
    };
    backward_and_reduce(rank, &mut autograd, step);

    host.now = autograd.now + us(20);
    let next_batch = slot(COPY_STREAM, origin, 2000, 2100);
    rank.memory(&mut host, &catalog::BATCH_TO_DEVICE, next_batch);
    let optimizer_start = host.now;
    host.now += us(3);
    let mut at = step.reduce_origin + us(4150);
    for (compute, length) in &OPTIMIZER {
        let slot = slot(COMPUTE_STREAM, at, 0, *length);
        rank.compute(&mut host, compute, Autograd::None, slot);
        at = slot.end;
    }
    let optimizer_span = (optimizer_start, host.now);
    rank.annotate(Thread::Main, "Optimizer.step#AdamW.step", optimizer_span);
    host.now += us(5);
    let loss = slot(COMPUTE_STREAM, at, 0, 10);
    rank.memory(&mut host, &catalog::LOSS_TO_HOST, loss);
    rank.synchronize(&mut host, COMPUTE_STREAM, loss.end + us(5));
    rank.step(step.number, host_span);
}

fn forward(rank: &mut RankTrace, host: &mut Host, step: &Step) {
    let lengths = FORWARD.map(|(_, length)| length);
    let slots = lay_out(step, 0, &lengths);
    for (position, ((compute, _), slot)) in (0..).zip(FORWARD.iter().zip(slots)) {
        let link = Autograd::Forward(sequence(step, position));
        rank.compute(host, compute, link, slot);
        let before = Host {
            thread: host.thread,
            now: host.now - us(25),
        };
        rank.allocate(&before, address(position), ACTIVATION_BYTES);
    }
}

/// The backward pass, and each bucket as soon as its gradients are there.
fn backward_and_reduce(rank: &mut RankTrace, host: &mut Host, step: &Step) {
    // On the rank that waits, a bucket starts at its usual place or when the stream is free, and ends with the other rank's.
    let wait_us = (step.reduce_origin - step.origin) / us(1);
    let bucket = |usual_start: i64, stream_free: i64, end: i64| {
        let start = usual_start.max(stream_free + wait_us);
        slot(NCCL_STREAM, step.origin, start, end + wait_us)
    };
    backward(rank, host, step, 1270, &HEAD_BACKWARD);
    let head = bucket(1650, 0, 2150);
    rank.collective(host, &catalog::all_reduce(10_485_760), head);
    backward(rank, host, step, 1670, &layer_backward(9));
    let upper = bucket(2680, 2160, 3280);
    rank.collective(host, &catalog::all_reduce(12_596_224), upper);
    backward(rank, host, step, 2670, &layer_backward(1));
    let lower = bucket(3410, 3290, 3710);
    rank.collective(host, &catalog::all_reduce(6_299_648), lower);
    backward(rank, host, step, 3670, &EMBEDDING_BACKWARD);
    let into_bucket = slot(COMPUTE_STREAM, step.origin, 3730, 3740);
    rank.memory(host, &catalog::DEVICE_COPY, into_bucket);
    let last = bucket(3740, 3720, 4140);
    rank.collective(host, &catalog::all_reduce(8_388_608), last);
}

fn backward(rank: &mut RankTrace, host: &mut Host, step: &Step, start_us: i64, parts: &[Part]) {
    let lengths: Vec<i64> = parts.iter().map(|(_, length, _)| *length).collect();
    let slots = lay_out(step, start_us, &lengths);
    for ((compute, _, undoes), slot) in parts.iter().zip(slots) {
        let link = undoes.map_or(Autograd::None, |position| {
            Autograd::Backward(sequence(step, position))
        });
        rank.compute(host, compute, link, slot);
        if let Some(position) = undoes {
            let after = Host {
                thread: host.thread,
                now: host.now - us(1),
            };
            rank.allocate(&after, address(*position), -ACTIVATION_BYTES);
        }
    }
}

/// Kernels back to back from `start_us`. The borders between two of them move a little from step to step, as in life;
/// the first start and the last end do not, so that no sum over the phase depends on it.
fn lay_out(step: &Step, start_us: i64, lengths_us: &[i64]) -> Vec<Slot> {
    let mut out = Vec::with_capacity(lengths_us.len());
    let mut start = step.origin + us(start_us);
    let mut planned_end = start;
    let mut left = lengths_us.len();
    for (position, length) in (0..).zip(lengths_us) {
        left -= 1;
        planned_end += us(*length);
        let mixed = start_us + position * 37 + step.index * 101 + step.rank * 53;
        let shift = if left == 0 { 0 } else { (mixed % 61 - 30) * 32 };
        let end = planned_end + shift;
        out.push(Slot {
            stream: COMPUTE_STREAM,
            start,
            end,
        });
        start = end;
    }
    out
}

fn sequence(step: &Step, position: i64) -> i64 {
    1_000 + step.index * 100 + position
}

fn address(position: i64) -> i64 {
    FIRST_ADDRESS + position * ACTIVATION_BYTES
}
