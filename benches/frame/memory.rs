//! Lanes of memory over very many `[memory]` events. The baseline looks at every event for every frame.

use super::{Bench, FRAMES, Motion, WIDTH, cpu_ms, median, percentile};
use overlane::time::{DurNs, Ns, Window};
use overlane::timeline::View;
use overlane::trace::{
    Category, DeviceId, FileId, Health, Lane, MemoryPlace, RankBuilder, RankId, RawMemory,
    RawSlice, RowKey, SourceSpan, Trace,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

const WHOLE_NS: i64 = 10_000_000_000;
const VIEWS: [(&str, i64); 3] = [
    ("full", WHOLE_NS),
    ("100 ms", 100_000_000),
    ("1 ms", 1_000_000),
];

/// A rank whose two allocators have these events in turn; allocations and frees of a few steps.
fn trace(events: i64) -> Trace {
    let mut rank = RankBuilder::new(FileId(0));
    let lane = rank.lane(Lane::Thread(RowKey {
        pid: "5".to_owned(),
        tid: "1".to_owned(),
    }));
    let name = rank.names.intern("step");
    rank.push_slice(RawSlice {
        start: Ns(0),
        dur: DurNs(WHOLE_NS),
        name,
        category: Category::CpuOp,
        class: None,
        lane,
        correlation: None,
        external: None,
        source: SourceSpan::default(),
    });
    let mut held = [0_i64; 2];
    for at in 0..events {
        let (place, sum) = match held.as_mut_slice() {
            [gpu, _] if at % 2 == 0 => (MemoryPlace::Device(DeviceId(0)), gpu),
            [_, host] => (MemoryPlace::Host, host),
            _ => continue,
        };
        // It grows for half of each step, then falls again.
        let grows = at % (events / 20).max(2) < events / 40;
        let size = 1_024 * (1 + at * 7_919 % 4_093);
        let bytes = if grows { size } else { -size.min(*sum) };
        *sum += bytes;
        rank.push_memory(RawMemory {
            at: Ns(at * (WHOLE_NS / events)),
            place,
            device_type: 0,
            bytes,
            address: Some(at),
            allocated: Some(*sum),
            reserved: Some(1 << 40),
            lane,
            source: SourceSpan::default(),
        });
    }
    rank.survey();
    let parts = rank.finish(RankId(0), DurNs::ZERO, false);
    Trace::assemble(Vec::new(), vec![parts], Health::default())
}

/// Measures lanes of so many events and prints a line for each view and motion.
pub(super) fn run(events: i64) {
    let trace = Arc::new(trace(events));
    trace.list_rows();
    let mut bench = Bench::new(Arc::clone(&trace));
    for (name, nanos) in VIEWS {
        let span = DurNs(nanos);
        bench.show(span);
        let view = bench.session.view;
        let naive = view.map_or(f64::NAN, |view| {
            median((0..5).map(|_| walk(&trace, &view)).collect())
        });
        for motion in [Motion::Still, Motion::Pan, Motion::Creep, Motion::Zoom] {
            let cpu = cpu_ms();
            let frames = bench.run(span, motion);
            let cpu = (cpu_ms() - cpu) / FRAMES as f64;
            let middle = median(frames.clone());
            println!(
                "memory lanes\t{events}\t{name}\t{}\t{middle:.2}\t{:.2}\t{cpu:.2}\t{naive:.1}\t{:.1}",
                format!("{motion:?}").to_lowercase(),
                percentile(frames, 99),
                naive / middle,
            );
        }
    }
}

/// The least and most of each column of both lanes, every event looked at; nothing is drawn.
fn walk(trace: &Trace, view: &View) -> Duration {
    let begin = Instant::now();
    for track in trace.ranks.iter().flat_map(|rank| &rank.memory) {
        for curve in [Some(&track.allocated), track.reserved.as_ref()] {
            let mut columns = vec![(i64::MAX, i64::MIN); 1_920];
            let all = curve
                .into_iter()
                .flat_map(|curve| curve.points(Window::new(Ns(i64::MIN / 4), Ns(i64::MAX / 4))));
            for (at, bytes) in all {
                let x = view.x_of(at);
                if !(0.0..WIDTH).contains(&x) {
                    continue;
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a column of the screen"
                )]
                if let Some((least, most)) = columns.get_mut(x as usize) {
                    (*least, *most) = ((*least).min(bytes), (*most).max(bytes));
                }
            }
            std::hint::black_box(columns);
        }
    }
    begin.elapsed()
}
