//! What one frame of the lanes costs on the CPU: layout, mesh and tessellation.
//!
//! ```text
//! cargo bench --bench frame [-- SLICES]
//! ```
//!
//! The lanes are drawn as in the window, by the same function and through egui, but on no screen:
//! 64 streams, 1,920 pixels wide, all of them visible, with the derived lanes of four devices
//! between them. Every frame shows another view. The baseline of the same run walks every slice of
//! every stream and adds a rectangle for what is in view.

#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement for people"
)]

mod job;
mod naive;

use egui::{CentralPanel, Context, RawInput, Rect, vec2};
use overlane::classify::Rules;
use overlane::session::{Action, Session, Settings, ThemeChoice};
use overlane::time::{DurNs, Window};
use overlane::timeline::{LaneState, View};
use overlane::trace::Trace;
use overlane::ui::lanes::{self, LaneCache};
use overlane::ui::theme::Theme;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Width of the lanes alone.
const WIDTH: f64 = 1_920.0;
/// Room for the names and the scroll bar.
const BESIDE: f32 = 189.0;
/// All lanes are visible.
const HEIGHT: f32 = 1_900.0;

/// How the view moves from frame to frame.
#[derive(Clone, Copy)]
enum Motion {
    /// By whole pixels, as a drag does.
    Pan,
    /// By a fraction of a pixel.
    Creep,
    /// Each frame at another scale.
    Zoom,
}

fn main() {
    let typed = std::env::args().skip(1).find_map(|a| a.parse().ok());
    let slices: u32 = typed.unwrap_or(10_000_000);
    let begin = Instant::now();
    let trace = Arc::new(job::trace(slices));
    println!(
        "{} slices on {} streams, built in {:.1} s; {WIDTH} px; load average {}",
        trace.ranks.iter().map(|r| r.slices.len()).sum::<usize>(),
        job::STREAMS,
        begin.elapsed().as_secs_f64(),
        std::fs::read_to_string("/proc/loadavg")
            .unwrap_or_default()
            .trim(),
    );
    let mut bench = Bench::new(Arc::clone(&trace));
    println!("first frame {:.1} ms", ms(bench.frame()));
    println!("CPU time per frame in ms: median (p99)");
    println!(
        "{:>8} {:>18} {:>18} {:>18} {:>18}",
        "view", "naive walk", "panning", "creeping", "zooming"
    );
    for (name, nanos) in [
        ("full", 10_000_000_000),
        ("1 s", 1_000_000_000),
        ("100 ms", 100_000_000),
        ("10 ms", 10_000_000),
        ("1 ms", 1_000_000),
        ("100 us", 100_000),
    ] {
        let span = DurNs(nanos);
        let naive = bench.naive(span);
        print!("{name:>8} {}", cell(naive));
        for motion in [Motion::Pan, Motion::Creep, Motion::Zoom] {
            print!(" {}", cell(bench.run(span, motion)));
        }
        println!();
    }
}

struct Bench {
    ctx: Context,
    theme: Theme,
    session: Session,
    cache: LaneCache,
    trace: Arc<Trace>,
}

impl Bench {
    fn new(trace: Arc<Trace>) -> Self {
        let ctx = Context::default();
        let theme = Theme::of(ThemeChoice::Dark);
        theme.install(&ctx);
        let mut session = Session::new(Settings::default(), Arc::new(Rules::default()));
        session.lanes = LaneState::for_trace(&trace);
        session.trace = Some(Arc::clone(&trace));
        session.generation = 1;
        session.view_width = WIDTH;
        session.view = trace.capture().map(|c| View::fit(c, WIDTH));
        Self {
            ctx,
            theme,
            session,
            cache: LaneCache::default(),
            trace,
        }
    }

    /// One frame, from the view to triangles.
    fn frame(&mut self) -> Duration {
        let size = vec2(1_920.0 + BESIDE, HEIGHT);
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(egui::Pos2::ZERO, size)),
            ..RawInput::default()
        };
        let mut actions = Vec::new();
        let begin = Instant::now();
        let mut output = self.ctx.run_ui(input, |ui| {
            CentralPanel::no_frame().show(ui, |ui| {
                lanes::ui(
                    ui,
                    &self.session,
                    &self.theme,
                    &mut self.cache,
                    &mut actions,
                );
            });
        });
        let meshes = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let took = begin.elapsed();
        std::hint::black_box(meshes);
        // There is no renderer that would take the pictures.
        std::hint::black_box(&output.textures_delta);
        output.textures_delta.clear();
        took
    }

    fn run(&mut self, span: DurNs, motion: Motion) -> Vec<Duration> {
        self.show(span);
        for _ in 0..3 {
            self.frame();
        }
        (0..300)
            .map(|i| {
                let action = match motion {
                    Motion::Pan => Action::Pan {
                        px: if i % 60 < 30 { 7.0 } else { -7.0 },
                    },
                    Motion::Creep => Action::Pan {
                        px: if i % 60 < 30 { 7.37 } else { -7.37 },
                    },
                    Motion::Zoom => Action::ZoomAt {
                        factor: if i % 60 < 30 { 1.01 } else { 1.0 / 1.01 },
                        at_px: 700.0,
                    },
                };
                let effects = self.session.apply(action);
                assert!(effects.is_empty(), "moving the view has no other effect");
                self.frame()
            })
            .collect()
    }

    fn naive(&mut self, span: DurNs) -> Vec<Duration> {
        self.show(span);
        let Some(view) = self.session.view else {
            return Vec::new();
        };
        (0..3)
            .map(|_| naive::frame(&self.ctx, &self.trace, &view, WIDTH))
            .collect()
    }

    /// Shows a part in the middle of the trace.
    fn show(&mut self, span: DurNs) {
        if let Some(capture) = self.trace.capture() {
            let start = capture.start() + DurNs((capture.len() - span).0.max(0) * 2 / 5);
            let view = View::fit(Window::new(start, start + span), WIDTH);
            self.session.view = Some(view);
        }
    }
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Median and 99th percentile.
fn cell(mut frames: Vec<Duration>) -> String {
    frames.sort_unstable();
    let at = |percent: usize| {
        let i = (frames.len() * percent / 100).min(frames.len().saturating_sub(1));
        frames.get(i).copied().map_or(f64::NAN, ms)
    };
    format!("{:>9.2} ({:>6.2})", at(50), at(99))
}
