//! What the figures of a new window cost, against merging and sweeping all kernels again.
//!
//! ```text
//! cargo bench --bench window
//! OVERLANE_BENCH_KERNELS=1000000 cargo bench --bench window     # quick
//! ```
//!
//! `random` asks for windows anywhere, of any length, so that every question misses the caches;
//! `drag` moves both edges of a window a little from question to question, as a brush does. The
//! baseline clips, merges and sweeps the kernels of the same device for every window.
//!
//! The table goes to standard output, separated by tabs, under one line of headings; what is said
//! about it goes to standard error.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a measurement for people"
)]

mod naive;

use overlane::metrics::{Query, Selection, stream_rows, summary, summary_rows};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::class::KernelClass;
use overlane::trace::{
    Activity, Category, DeviceId, FileId, Health, Lane, RankBuilder, RankId, RawSlice, RowKey,
    SourceSpan, StreamId, Trace,
};
use std::hint::black_box;
use std::time::Instant;

/// Questions of one measurement.
const QUESTIONS: u32 = 20_000;
/// Measurements; the median counts.
const ROUNDS: usize = 15;
/// Baseline questions: each takes long.
const NAIVE: u32 = 5;
const RANKS: u32 = 8;

/// The same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 >> 1).unwrap_or(0) % limit.max(1)
    }
}

fn main() {
    let set = std::env::var("OVERLANE_BENCH_KERNELS");
    let most: usize = set.ok().and_then(|s| s.parse().ok()).unwrap_or(10_000_000);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    eprintln!("load average {}", load.trim());
    println!("bench\tkernels\twhat\tmedian_us\tnaive_us\tratio");
    for count in [100_000, 1_000_000, 10_000_000]
        .into_iter()
        .filter(|n| *n <= most)
    {
        let kernels = kernels(count, 1);
        let activity = Activity::new(&kernels);
        let whole = extent(&kernels);
        let naive = naive_us(&kernels, whole);
        for (what, windows) in [("random", random(whole)), ("drag", drag(whole))] {
            let cost = median((0..ROUNDS).map(|_| {
                let begin = Instant::now();
                for window in &windows {
                    black_box(summary(&activity, black_box(*window)));
                }
                us(begin) / windows.len() as f64
            }));
            row("device", count, what, cost, naive);
        }
    }
    panels(most);
}

/// All rows of the panels of a job of several ranks, anew for each place of a dragged brush.
fn panels(most: usize) {
    let per_rank = most / usize::try_from(RANKS).unwrap_or(1);
    let parts = (0..RANKS).map(|rank| {
        let mut builder = RankBuilder::new(FileId(rank));
        fill(&mut builder, &kernels(per_rank, u64::from(rank) + 1));
        builder.survey();
        builder.finish(RankId(rank), DurNs(0), true)
    });
    let trace = Trace::assemble(Vec::new(), parts.collect(), Health::default());
    let all = kernels(per_rank, 1);
    let whole = extent(&all);
    let naive = naive_us(&all, whole) * f64::from(RANKS);
    let windows = drag(whole);
    let cost = median((0..ROUNDS).map(|_| {
        let begin = Instant::now();
        let asked = windows.iter().take(500);
        let count = asked.len();
        for window in asked {
            let query = Query {
                selection: Selection::Window(*window),
                ..Query::default()
            };
            black_box(summary_rows(&trace, &query));
            black_box(stream_rows(&trace, &query));
        }
        us(begin) / count as f64
    }));
    row("panels", most, "8 ranks, by device and stream", cost, naive);
}

fn row(bench: &str, kernels: usize, what: &str, cost: f64, naive: f64) {
    let ratio = naive / cost;
    println!("{bench}\t{kernels}\t{what}\t{cost:.3}\t{naive:.0}\t{ratio:.0}");
}

/// Two streams of computation, one of communication and one of copies, a quarter of the kernels
/// each; in order of start.
fn kernels(count: usize, seed: u64) -> Vec<(Ns, Ns, KernelClass)> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ seed);
    let mut all = Vec::with_capacity(count);
    let mut free = [Ns(1_760_000_000_000_000_000); 4];
    let classes = [
        KernelClass::Computation,
        KernelClass::Computation,
        KernelClass::Communication,
        KernelClass::Memory,
    ];
    for i in 0..count {
        let stream = i % 4;
        if let (Some(at), Some(class)) = (free.get_mut(stream), classes.get(stream)) {
            let start = *at + DurNs(dice.below(3_000));
            let end = start + DurNs(1 + dice.below(9_000));
            all.push((start, end, *class));
            *at = end;
        }
    }
    all.sort_by_key(|k| k.0);
    all
}

fn fill(builder: &mut RankBuilder, kernels: &[(Ns, Ns, KernelClass)]) {
    let name = builder.names.intern("kernel");
    for (number, class) in (0..).zip([
        KernelClass::Computation,
        KernelClass::Communication,
        KernelClass::Memory,
    ]) {
        let lane = builder.lane(Lane::Stream {
            device: DeviceId(0),
            stream: StreamId(number),
            key: RowKey::default(),
        });
        for (start, end, _) in kernels.iter().filter(|k| k.2 == class) {
            builder.push_slice(RawSlice {
                start: *start,
                dur: *end - *start,
                name,
                category: Category::Gpu,
                class: Some(class),
                lane,
                correlation: None,
                external: None,
                source: SourceSpan::default(),
            });
        }
    }
}

fn extent(kernels: &[(Ns, Ns, KernelClass)]) -> Window {
    let first = kernels.iter().map(|k| k.0).min().unwrap_or_default();
    let last = kernels.iter().map(|k| k.1).max().unwrap_or_default();
    Window::new(first, last)
}

fn random(whole: Window) -> Vec<Window> {
    let mut dice = Dice(7);
    let len = whole.len().0;
    let windows = (0..QUESTIONS).map(|_| {
        let (a, b) = (dice.below(len), dice.below(len));
        Window::new(
            whole.start() + DurNs(a.min(b)),
            whole.start() + DurNs(a.max(b)),
        )
    });
    windows.collect()
}

fn drag(whole: Window) -> Vec<Window> {
    let mut dice = Dice(11);
    let (mut from, mut to) = (whole.len().0 / 5, whole.len().0 / 4);
    let windows = (0..QUESTIONS).map(|_| {
        from += dice.below(20_000);
        to += dice.below(20_000);
        Window::new(whole.start() + DurNs(from), whole.start() + DurNs(to))
    });
    windows.collect()
}

fn naive_us(kernels: &[(Ns, Ns, KernelClass)], whole: Window) -> f64 {
    let windows = random(whole);
    let costs = windows
        .iter()
        .take(usize::try_from(NAIVE).unwrap_or(1))
        .map(|window| {
            let begin = Instant::now();
            black_box(naive::overlap_and_busy(kernels, *window));
            us(begin)
        });
    median(costs)
}

fn median(costs: impl Iterator<Item = f64>) -> f64 {
    let mut costs: Vec<f64> = costs.collect();
    costs.sort_by(f64::total_cmp);
    costs.get(costs.len() / 2).copied().unwrap_or(f64::NAN)
}

fn us(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1e6
}
