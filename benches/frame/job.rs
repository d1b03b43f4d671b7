//! A made-up job: many kernels on 64 streams of four ranks over ten seconds.

use overlane::time::{DurNs, Ns};
use overlane::trace::class::KernelClass;
use overlane::trace::{
    Category, DeviceId, FileId, Health, Lane, RankBuilder, RankId, RawSlice, RowKey, SourceSpan,
    StreamId, Trace,
};

/// Streams in all.
pub(super) const STREAMS: u32 = 64;
const RANKS: u32 = 4;
const PER_RANK: u32 = STREAMS / RANKS;
const WHOLE_NS: i64 = 10_000_000_000;
const EPOCH: i64 = 1_760_000_000_000_000_000;

/// A generator of numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    /// A number below a limit.
    fn below(&mut self, limit: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

/// The whole job; no two slices alike in length, one stream in sixteen with overlapping kernels.
pub(super) fn trace(slices: u32) -> Trace {
    let ranks = (0..RANKS).map(|rank| {
        let mut builder = RankBuilder::new(FileId(rank));
        for stream in 0..PER_RANK {
            fill(&mut builder, rank, stream, slices / STREAMS);
        }
        builder.survey();
        builder.finish(RankId(rank), DurNs(0), true)
    });
    Trace::assemble(Vec::new(), ranks.collect(), Health::default())
}

fn fill(builder: &mut RankBuilder, rank: u32, stream: u32, count: u32) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ u64::from(rank * PER_RANK + stream + 1));
    let names: Vec<_> = (0..50)
        .map(|i| builder.names.intern(&format!("kernel_{stream}_{i}")))
        .collect();
    let lane = builder.lane(Lane::Stream {
        device: DeviceId(0),
        stream: StreamId(i64::from(stream)),
        key: RowKey::default(),
    });
    let pitch = WHOLE_NS / i64::from(count.max(1));
    let mut at = EPOCH;
    for i in 0..count {
        // Most kernels are short, some ten times longer.
        let long = dice.below(10) == 0;
        let dur = 1 + dice.below(if long { pitch * 4 } else { pitch * 3 / 4 });
        let class = match (stream % 4, dice.below(8)) {
            (3, 0..7) => KernelClass::Communication,
            (_, 7) => KernelClass::Memory,
            _ => KernelClass::Computation,
        };
        let Some(name) = usize::try_from(dice.below(50))
            .ok()
            .and_then(|n| names.get(n))
        else {
            continue;
        };
        builder.push_slice(RawSlice {
            start: Ns(at),
            dur: DurNs(dur),
            name: *name,
            category: Category::Gpu,
            class: Some(class),
            lane,
            correlation: None,
            external: None,
            source: SourceSpan::default(),
        });
        let overlaps = stream == 5 && i % 1_000 == 0;
        let gap = dice.below(pitch * 4 / 5);
        at += if overlaps { dur / 2 } else { dur + gap };
    }
}
