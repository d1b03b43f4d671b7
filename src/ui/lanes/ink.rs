//! Coloured rectangles and hatches, collected into one mesh: a shape a slice would be far too slow.

use crate::ui::plain;
use crate::ui::theme::Theme;
use egui::epaint::{Mesh, Vertex, WHITE_UV};
use egui::{Color32, Pos2, Rect, Shape, TextureId, pos2, vec2};

/// Distance of the stripes of a hatch.
const HATCH_PX: f32 = 6.0;
/// No more stripes than this in one mesh.
const MOST_STRIPES: usize = 6_000;
/// Collects coloured rectangles into one mesh.
pub(super) struct Ink<'a> {
    pub(super) theme: &'a Theme,
    mesh: Mesh,
    stripes: usize,
}

impl<'a> Ink<'a> {
    /// `plain` is a texture of one white texel.
    pub(super) fn new(theme: &'a Theme, plain: TextureId) -> Self {
        Self {
            theme,
            mesh: Mesh::with_texture(plain),
            stripes: 0,
        }
    }

    /// The same with room for as much as a mesh of the frame before took.
    pub(super) fn with_room(
        theme: &'a Theme,
        plain: TextureId,
        (vertices, indices): (usize, usize),
    ) -> Self {
        let mut ink = Self::new(theme, plain);
        // A little more, or a frame that draws one thing more moves everything.
        ink.mesh.reserve_vertices(vertices + vertices / 8);
        ink.mesh.reserve_triangles((indices + indices / 8) / 3);
        ink
    }

    /// Vertices and indices so far.
    pub(super) fn used(&self) -> (usize, usize) {
        (self.mesh.vertices.len(), self.mesh.indices.len())
    }

    pub(super) fn fill(&mut self, cell: Rect, color: Color32) {
        plain::add(&mut self.mesh, cell, color);
    }

    /// Diagonal stripes inside a rectangle.
    pub(super) fn hatch(&mut self, cell: Rect, color: Color32) {
        let (width, height) = (cell.width(), cell.height());
        if width < 3.0 || height < 3.0 {
            return;
        }
        // Stripes keep to one grid on the screen, so that neighbouring cells continue each other.
        let mut left = -height - (cell.left() - cell.bottom()).rem_euclid(HATCH_PX);
        while left < width && self.stripes < MOST_STRIPES {
            let from = left.max(0.0);
            let to = (left + height).min(width - 1.5);
            if to > from {
                let low = pos2(cell.left() + from, cell.bottom() - (from - left));
                let high = pos2(cell.left() + to, cell.bottom() - (to - left));
                self.stripe(low, high, color);
                self.stripes += 1;
            }
            left += HATCH_PX;
        }
    }

    fn stripe(&mut self, low: Pos2, high: Pos2, color: Color32) {
        let Ok(first) = u32::try_from(self.mesh.vertices.len()) else {
            return;
        };
        let across = vec2(1.5, 0.0);
        for pos in [low, low + across, high, high + across] {
            self.mesh.vertices.push(Vertex {
                pos,
                uv: WHITE_UV,
                color,
            });
        }
        self.mesh.add_triangle(first, first + 1, first + 2);
        self.mesh.add_triangle(first + 2, first + 1, first + 3);
    }

    pub(super) fn into_shape(self) -> Shape {
        Shape::mesh(self.mesh)
    }
}
