//! What one frame of the lanes costs on the CPU: layout, mesh and tessellation.
//!
//! ```text
//! cargo bench --bench frame [-- SLICES]
//! OVERLANE_BENCH_SLICES=1000000 cargo bench --bench frame     # quick
//! ```
//!
//! The lanes are drawn as in the window, by the same function and through egui, but on no screen:
//! 64 streams, 1,920 pixels wide, all of them visible, with the derived lanes of four devices
//! between them. Every frame but those of `still` shows another view. The baseline of the same run
//! walks every slice of every stream and adds a rectangle for what is in view.
//!
//! Then lanes of memory with a million `[memory]` events, and the allocator's view with few and with many
//! blocks (`strips`, the whole screen), each against a walk over all of them.
//!
//! The table goes to standard output, separated by tabs, under one line of headings; what is said
//! about it goes to standard error.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a measurement for people"
)]

mod job;
mod memory;
mod naive;
mod strips;

use egui::{CentralPanel, Context, RawInput, Rect, vec2};
use overlane::classify::Rules;
use overlane::session::{Action, Session, Settings, ThemeChoice};
use overlane::time::{DurNs, Window};
use overlane::timeline::{LaneState, View};
use overlane::trace::Trace;
use overlane::ui::Caches;
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
/// Frames of one motion.
const FRAMES: usize = 300;
/// What is shown, from all to kernel by kernel.
const VIEWS: [(&str, i64); 6] = [
    ("full", 10_000_000_000),
    ("1 s", 1_000_000_000),
    ("100 ms", 100_000_000),
    ("10 ms", 10_000_000),
    ("1 ms", 1_000_000),
    ("100 us", 100_000),
];

/// How the view moves from frame to frame.
#[derive(Clone, Copy, Debug)]
enum Motion {
    /// Not at all.
    Still,
    /// By whole pixels, as a drag does.
    Pan,
    /// By a part of a pixel more, as a touchpad does.
    Creep,
    /// Each frame at another scale.
    Zoom,
    /// By half a screen, as the keys do at most.
    Page,
}

impl Motion {
    const ALL: [Self; 5] = [Self::Still, Self::Pan, Self::Creep, Self::Zoom, Self::Page];

    /// The action before a frame.
    fn action(self, frame: usize) -> Option<Action> {
        let there = frame % 60 < 30;
        let pan = |px: f64| Action::Pan {
            px: if there { px } else { -px },
        };
        match self {
            Self::Still => None,
            Self::Pan => Some(pan(7.0)),
            Self::Creep => Some(pan(7.37)),
            Self::Zoom => Some(Action::ZoomAt {
                factor: if there { 1.01 } else { 1.0 / 1.01 },
                at_px: 700.0,
            }),
            Self::Page => Some(Action::Pan {
                px: if frame.is_multiple_of(2) {
                    WIDTH / 2.0
                } else {
                    -WIDTH / 2.0
                },
            }),
        }
    }
}

fn main() {
    let typed = std::env::args().skip(1).find_map(|a| a.parse().ok());
    let set = std::env::var("OVERLANE_BENCH_SLICES");
    let set = set.ok().and_then(|s| s.parse().ok());
    let slices: u32 = typed.or(set).unwrap_or(10_000_000);
    let begin = Instant::now();
    let trace = Arc::new(job::trace(slices));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    eprintln!(
        "{} slices on {} streams, built in {:.1} s; {WIDTH} px; load average {}",
        trace.ranks.iter().map(|r| r.slices.len()).sum::<usize>(),
        job::STREAMS,
        begin.elapsed().as_secs_f64(),
        load.trim(),
    );
    let begin = Instant::now();
    trace.list_rows();
    eprintln!("sub-rows listed in {:.1} ms", ms(begin.elapsed()));
    let mut bench = Bench::new(Arc::clone(&trace));
    eprintln!("first frame {:.1} ms", ms(bench.frame()));
    println!("bench\tslices\tview\tmotion\tmedian_ms\tp99_ms\tcpu_ms\tnaive_ms\tratio");
    for (name, nanos) in VIEWS {
        let span = DurNs(nanos);
        let naive = median(bench.naive(span));
        for motion in Motion::ALL {
            let cpu = cpu_ms();
            let frames = bench.run(span, motion);
            let cpu = (cpu_ms() - cpu) / FRAMES as f64;
            let middle = median(frames.clone());
            println!(
                "frame\t{slices}\t{name}\t{}\t{middle:.2}\t{:.2}\t{cpu:.2}\t{naive:.1}\t{:.0}",
                format!("{motion:?}").to_lowercase(),
                percentile(frames, 99),
                naive / middle,
            );
        }
    }
    drop(bench);
    drop(trace);
    memory::run(1_000_000);
    for blocks in [1_000, 100_000, 1_000_000] {
        strips::run(blocks);
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
        (0..FRAMES)
            .map(|i| {
                if let Some(action) = motion.action(i) {
                    let effects = self.session.apply(action);
                    assert!(effects.is_empty(), "moving the view has no other effect");
                }
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

fn median(frames: Vec<Duration>) -> f64 {
    percentile(frames, 50)
}

fn percentile(mut frames: Vec<Duration>, percent: usize) -> f64 {
    frames.sort_unstable();
    let at = (frames.len() * percent / 100).min(frames.len().saturating_sub(1));
    frames.get(at).copied().map_or(f64::NAN, ms)
}

/// CPU time of the process so far, of all threads; what others do on the machine is not in it.
/// Zero where the system does not tell.
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in brackets may hold anything; user and system time are the 12th and 13th after it.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    // A tick is ten milliseconds on every Linux.
    ticks.filter_map(|t| t.parse::<f64>().ok()).sum::<f64>() * 10.0
}
