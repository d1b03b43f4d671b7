//! The baseline: every slice of every stream is looked at, and what is in view gets a rectangle.

use egui::emath::TSTransform;
use egui::epaint::{ClippedShape, Mesh};
use egui::{Color32, Context, Pos2, Rect, Shape, vec2};
use overlane::timeline::View;
use overlane::trace::Trace;
use std::time::{Duration, Instant};

const ROW_PX: f32 = 18.0;

/// One frame, from the view to triangles.
#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped to the width of the screen"
)]
pub(super) fn frame(ctx: &Context, trace: &Trace, view: &View, width: f64) -> Duration {
    let begin = Instant::now();
    let mut mesh = Mesh::default();
    let mut top = 0.0;
    for rank in &trace.ranks {
        for stream in rank.devices.iter().flat_map(|d| &d.streams) {
            for slice in rank.slices.range(stream.slices.clone()) {
                let (x0, x1) = (view.x_of(slice.start()), view.x_of(slice.end()));
                if x1 < 0.0 || x0 > width {
                    continue;
                }
                let (x0, x1) = (x0.max(0.0), x1.max(x0 + 1.0).min(width));
                let size = vec2((x1 - x0) as f32, ROW_PX);
                let cell = Rect::from_min_size(Pos2::new(x0 as f32, top), size);
                mesh.add_colored_rect(cell, Color32::LIGHT_BLUE);
            }
            top += ROW_PX + 2.0;
        }
    }
    let shape = ClippedShape {
        clip_rect: Rect::EVERYTHING,
        shape: Shape::mesh(mesh),
        transform_after_tessellation: TSTransform::IDENTITY,
    };
    let meshes = ctx.tessellate(vec![shape], 1.0);
    let took = begin.elapsed();
    std::hint::black_box(meshes);
    took
}
