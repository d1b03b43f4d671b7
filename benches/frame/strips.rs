//! The allocator's view over a made-up snapshot: strips of few blocks or of very many. The baseline looks
//! at every block of every row.

use super::{Caches, FRAMES, Motion, Theme, WIDTH, cpu_ms, median, percentile};
use egui::emath::TSTransform;
use egui::epaint::{ClippedShape, Mesh};
use egui::{Color32, Context, Pos2, RawInput, Rect, Shape, vec2};
use overlane::classify::Rules;
use overlane::session::{
    Action, Arrival, Effect, OpenSnapshot, Session, Settings, SnapshotAction, SnapshotArrival,
    SnapshotEffect, ThemeChoice,
};
use overlane::snapshot::strips::StripView;
use overlane::snapshot::{Block, BlockState, Device, Pool, PoolSize, Segment, Snapshot, StackId};
use overlane::ui::screen;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Segments, and so rows: all of them are on the screen.
const ROWS: u64 = 24;
/// How much the strips are zoomed in.
const VIEWS: [(&str, f64); 3] = [("whole width", 1.0), ("1/30", 30.0), ("1/1000", 1_000.0)];

/// Segments of equal bytes whose blocks have few KiB each, in all states; one in 5,000 is large.
fn snapshot(blocks: u64) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut roll = |limit: u64| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice >> 33) % limit
    };
    for row in 0..ROWS {
        let start = 0x7f00_0000_0000 + (row << 36);
        let first = snapshot.blocks.len();
        let mut address = start;
        for _ in 0..blocks / ROWS {
            let most = if roll(5_000) == 0 { 4_000 } else { 16 };
            let size = 512 * (1 + roll(most));
            let state = match roll(10) {
                0..6 => BlockState::Allocated,
                6 => BlockState::AwaitingFree,
                _ => BlockState::Free,
            };
            snapshot.blocks.push(Block {
                address,
                size,
                requested: size,
                state,
                stack: StackId::NONE,
                segment: snapshot.segments.len(),
            });
            address += size;
        }
        snapshot.segments.push(Segment {
            pool: Pool {
                device: 0,
                size: PoolSize::Large,
                ..Pool::default()
            },
            address: start,
            size: address - start,
            is_expandable: false,
            stack: StackId::NONE,
            blocks: first..snapshot.blocks.len(),
        });
    }
    snapshot.devices.push(Device {
        segments: 0..snapshot.segments.len(),
        ..Device::default()
    });
    snapshot
}

/// Measures strips of so many blocks and prints a line for each view and motion.
pub(super) fn run(blocks: u64) {
    let open = Arc::new(OpenSnapshot::new(
        PathBuf::from("made up"),
        snapshot(blocks),
    ));
    let mut bench = Bench::new(&open);
    // Fonts are there from the first frame on.
    bench.frame();
    for (name, zoom) in VIEWS {
        let naive = median((0..5).map(|_| bench.naive(&open.snapshot, zoom)).collect());
        for motion in [Motion::Still, Motion::Pan, Motion::Zoom] {
            let cpu = cpu_ms();
            let frames = bench.run(zoom, motion);
            let cpu = (cpu_ms() - cpu) / FRAMES as f64;
            let middle = median(frames.clone());
            println!(
                "strips\t{blocks}\t{name}\t{}\t{middle:.2}\t{:.2}\t{cpu:.2}\t{naive:.1}\t{:.0}",
                format!("{motion:?}").to_lowercase(),
                percentile(frames, 99),
                naive / middle,
            );
        }
    }
}

struct Bench {
    ctx: Context,
    theme: Theme,
    session: Session,
    caches: Caches,
    /// Bytes of the largest segment.
    width: u64,
}

impl Bench {
    fn new(open: &Arc<OpenSnapshot>) -> Self {
        let ctx = Context::default();
        let theme = Theme::of(ThemeChoice::Dark);
        theme.install(&ctx);
        let mut session = Session::new(Settings::default(), Arc::new(Rules::default()));
        session.snapshot.open = Some(Arc::clone(open));
        session.snapshot.is_in_front = true;
        for effect in session.refresh_snapshot() {
            if let Effect::Snapshot(SnapshotEffect::Measure { question, .. }) = effect {
                let answer = SnapshotArrival::Measured(question.answer(open));
                let effects = session.arrive(Arrival::Snapshot(answer));
                assert!(effects.is_empty(), "an answer asks for nothing");
            }
        }
        let sizes = open.snapshot.segments.iter().map(|s| s.size);
        Self {
            ctx,
            theme,
            session,
            caches: Caches::default(),
            width: sizes.max().unwrap_or(1),
        }
    }

    fn frame(&mut self) -> Duration {
        let size = vec2(1_920.0, 1_200.0);
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            ..RawInput::default()
        };
        let begin = Instant::now();
        let mut output = self.ctx.run_ui(input, |ui| {
            std::hint::black_box(screen(ui, &self.session, &self.theme, &mut self.caches));
        });
        let meshes = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let took = begin.elapsed();
        std::hint::black_box(meshes);
        output.textures_delta.clear();
        took
    }

    fn view(&self, zoom: f64) -> StripView {
        let whole = StripView::fit(self.width, WIDTH);
        whole.zoom(zoom, WIDTH / 2.0, self.width, WIDTH)
    }

    fn run(&mut self, zoom: f64, motion: Motion) -> Vec<Duration> {
        let mut view = self.view(zoom);
        let times = (0..FRAMES + 3).map(|i| {
            view = match motion.action(i) {
                Some(Action::Pan { px }) => view.pan(px, self.width, WIDTH),
                Some(Action::ZoomAt { factor, at_px }) => {
                    view.zoom(factor, at_px, self.width, WIDTH)
                }
                _ => view,
            };
            let action = SnapshotAction::Strips(Some(view));
            let effects = self.session.apply(Action::Snapshot(action));
            assert!(effects.is_empty(), "moving the strips has no other effect");
            self.frame()
        });
        let times: Vec<Duration> = times.collect();
        times.into_iter().skip(3).collect()
    }

    /// Every block becomes a rectangle where it is in view.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "clamped to the width of the screen"
    )]
    fn naive(&self, snapshot: &Snapshot, zoom: f64) -> Duration {
        let view = self.view(zoom);
        let begin = Instant::now();
        let mut mesh = Mesh::default();
        let mut top = 0.0;
        for segment in &snapshot.segments {
            for block in snapshot.blocks_of(segment) {
                let from = block.address - segment.address;
                let (x0, x1) = (view.x_of(from), view.x_of(from + block.size));
                if x1 < 0.0 || x0 > WIDTH {
                    continue;
                }
                let color = match block.state {
                    BlockState::Allocated => Color32::LIGHT_BLUE,
                    BlockState::AwaitingFree => Color32::YELLOW,
                    BlockState::Free => Color32::GRAY,
                };
                let (x0, x1) = (x0.max(0.0), x1.max(x0 + 1.0).min(WIDTH));
                let size = vec2((x1 - x0) as f32, 20.0);
                let cell = Rect::from_min_size(Pos2::new(x0 as f32, top), size);
                mesh.add_colored_rect(cell, color);
            }
            top += 24.0;
        }
        let shape = ClippedShape {
            clip_rect: Rect::EVERYTHING,
            shape: Shape::mesh(mesh),
            transform_after_tessellation: TSTransform::IDENTITY,
        };
        let meshes = self.ctx.tessellate(vec![shape], 1.0);
        let took = begin.elapsed();
        std::hint::black_box(meshes);
        took
    }
}
