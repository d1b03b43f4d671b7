//! A frame of the lanes allocates by what is on the screen, never by the number of slices.
//!
//! The allocator of this test counts, so it is a program of its own. Ten times the slices must not
//! cost more than a few allocations more, in a frame that pans and in one that zooms.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    unreachable_pub,
    reason = "a test stops at the first thing that is not as expected"
)]
#![allow(
    unsafe_code,
    reason = "an allocator cannot be written without; this one hands every call on to the system's"
)]

#[path = "../benches/frame/job.rs"]
mod job;

use egui::{CentralPanel, Context, RawInput, Rect, vec2};
use overlane::classify::Rules;
use overlane::session::{Action, Session, Settings, ThemeChoice};
use overlane::time::{DurNs, Window};
use overlane::timeline::{LaneState, View};
use overlane::trace::Trace;
use overlane::ui::lanes::{self, LaneCache};
use overlane::ui::theme::Theme;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, and a count of what was asked of it.
struct Counting;

fn count(bytes: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(bytes, Relaxed);
}

// SAFETY: every call goes to the system's allocator with the arguments as they came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps what `alloc` asks of it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps what `alloc_zeroed` asks of it.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller keeps what `realloc` asks of it.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps what `dealloc` asks of it.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const WIDTH: f64 = 1_920.0;
const FRAMES: usize = 40;

struct Screen {
    ctx: Context,
    theme: Theme,
    session: Session,
    cache: LaneCache,
    trace: Arc<Trace>,
}

impl Screen {
    fn new(slices: u32) -> Self {
        let trace = Arc::new(job::trace(slices));
        let ctx = Context::default();
        let theme = Theme::of(ThemeChoice::Dark);
        theme.install(&ctx);
        let mut session = Session::new(Settings::default(), Arc::new(Rules::default()));
        session.lanes = LaneState::for_trace(&trace);
        session.trace = Some(Arc::clone(&trace));
        session.generation = 1;
        session.view_width = WIDTH;
        Self {
            ctx,
            theme,
            session,
            cache: LaneCache::default(),
            trace,
        }
    }

    fn frame(&mut self) {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                egui::Pos2::ZERO,
                vec2(1_920.0 + 189.0, 1_900.0),
            )),
            ..RawInput::default()
        };
        let mut actions = Vec::new();
        let mut output = self.ctx.run_ui(input, |ui| {
            CentralPanel::no_frame().show(ui, |ui| {
                let (session, theme) = (&self.session, &self.theme);
                lanes::ui(ui, session, theme, &mut self.cache, &mut actions);
            });
        });
        let meshes = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        std::hint::black_box(meshes);
        output.textures_delta.clear();
    }

    /// Allocations and bytes of one frame on average, while the view moves.
    fn cost(&mut self, span: DurNs, action: impl Fn(usize) -> Action) -> (usize, usize) {
        let capture = self.trace.capture().unwrap();
        let start = capture.start() + DurNs((capture.len() - span).0.max(0) * 2 / 5);
        self.session.view = Some(View::fit(Window::new(start, start + span), WIDTH));
        let run = |screen: &mut Self| {
            for i in 0..FRAMES {
                let effects = screen.session.apply(action(i));
                assert!(effects.is_empty());
                screen.frame();
            }
        };
        // The buffers of the first frames are kept.
        run(self);
        let before = (CALLS.load(Relaxed), BYTES.load(Relaxed));
        run(self);
        let after = (CALLS.load(Relaxed), BYTES.load(Relaxed));
        ((after.0 - before.0) / FRAMES, (after.1 - before.1) / FRAMES)
    }
}

#[test]
fn a_frame_allocates_by_what_is_on_the_screen() {
    let pan = |i: usize| Action::Pan {
        px: if i % 20 < 10 { 7.37 } else { -7.37 },
    };
    let zoom = |i: usize| Action::ZoomAt {
        factor: if i % 20 < 10 { 1.01 } else { 1.0 / 1.01 },
        at_px: 700.0,
    };
    let (mut few, mut many) = (Screen::new(300_000), Screen::new(3_000_000));
    for span in [10_000_000_000, 1_000_000_000] {
        let span = DurNs(span);
        for (name, costs) in [
            ("pan", [few.cost(span, pan), many.cost(span, pan)]),
            ("zoom", [few.cost(span, zoom), many.cost(span, zoom)]),
        ] {
            println!("{span:?} {name}: (allocations, bytes) {costs:?}");
            let [few, many] = costs;
            assert!(many.0 <= few.0 + 100, "{name}: {costs:?}");
            assert!(many.1 <= few.1 + few.1 / 4 + 100_000, "{name}: {costs:?}");
        }
    }
}
