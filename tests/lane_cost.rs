//! What a frame of the lanes costs, whatever the number of slices. Run with `--ignored --nocapture`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a measurement for people"
)]

use overlane::time::{DurNs, Ns, Window};
use overlane::timeline::{LaneState, Scene, SceneKey, View, lanes};
use overlane::trace::class::KernelClass;
use overlane::trace::{
    Category, DeviceId, FileId, Health, Lane, RankBuilder, RankId, RawSlice, RowKey, SourceSpan,
    StreamId, Trace,
};
use std::time::Instant;

const WIDTH: f64 = 1_700.0;
const STREAMS: i64 = 16;

/// `count` kernels on sixteen streams of two ranks over ten seconds.
fn job(count: i64) -> Trace {
    let mut parts = Vec::new();
    for rank in 0..2_u32 {
        let mut b = RankBuilder::new(FileId(rank));
        let name = b.names.intern("kernel");
        let per_stream = count / 2 / STREAMS;
        let pitch = 10_000_000_000 / per_stream;
        for stream in 0..STREAMS {
            let lane = b.lane(Lane::Stream {
                device: DeviceId(0),
                stream: StreamId(stream),
                key: RowKey::default(),
            });
            let class = *KernelClass::ALL
                .get(usize::try_from(stream % 3).unwrap())
                .unwrap();
            for i in 0..per_stream {
                // Every thousandth kernel overlaps the next, so that one stream in four has rows.
                let long = i % 1_000 == 0 && stream % 4 == 0;
                b.push_slice(RawSlice {
                    start: Ns(i * pitch + stream * 17),
                    dur: DurNs(if long {
                        pitch * 3 / 2
                    } else {
                        pitch * (1 + (i * 7919) % 8) / 10
                    }),
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
        b.survey();
        parts.push(b.finish(RankId(rank), DurNs(0), false));
    }
    Trace::assemble(Vec::new(), parts, Health::default())
}

#[test]
#[ignore = "takes a minute and gigabytes"]
fn a_frame_costs_pixels_times_lanes() {
    for count in [100_000, 1_000_000, 10_000_000] {
        let trace = job(count);
        let rows = lanes::rows(&trace, &LaneState::for_trace(&trace));
        let capture = trace.capture().unwrap();
        let mut scene = Scene::default();
        for (what, span) in [
            ("all", capture.len().0),
            ("1 s", 1_000_000_000),
            ("100 ms", 100_000_000),
            ("1 ms", 1_000_000),
            ("10 us", 10_000),
        ] {
            let mut times: Vec<f64> = Vec::new();
            for i in 0..12_i64 {
                let start = capture.start() + DurNs((capture.len().0 - span) / 13 * i);
                let view = View::fit(Window::new(start, start + DurNs(span)), WIDTH);
                // The full view only changes by its number.
                let key = SceneKey {
                    generation: 1,
                    clip: i % 2 == 0,
                    view,
                    width_px: WIDTH,
                };
                let begin = Instant::now();
                scene.prepare(&trace, key, &rows);
                times.push(begin.elapsed().as_secs_f64() * 1e3);
            }
            // The first frame also lists the sub-rows.
            let first = times.remove(0);
            times.sort_by(f64::total_cmp);
            println!(
                "{count:>9} slices, {} lanes, {what:>6}: median {:6.2} ms, worst {:6.2} ms, first {first:6.2} ms, {} quads",
                rows.len(),
                times[times.len() / 2],
                times[times.len() - 1],
                scene.quads()
            );
        }
    }
}
