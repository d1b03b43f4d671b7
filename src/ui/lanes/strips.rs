//! Folded columns as one picture: a few rows of texels a sub-row instead of a rectangle a pixel.
//!
//! Zoomed out, every lane has a colour for each of its pixels. As rectangles that is a mesh of many
//! megabytes in every frame; as a texture it is four bytes a pixel, and three textured rectangles a
//! sub-row. The three rows of texels of a sub-row are its upper edge, its body and its lower edge,
//! so that the bars that mark communication and memory operations are in it too.

use super::frame::Frame;
use super::marks::{self, Mark};
use super::paint::{derived_color, folded, strength};
use crate::timeline::draw::Quad;
use crate::timeline::spans::DeviceSpans;
use crate::timeline::{LaneRow, SceneKey, Span, What};
use crate::ui::theme::{Theme, UNTINTED};
use egui::epaint::Mesh;
use egui::{
    Color32, ColorImage, Context, ImageData, Pos2, Rangef, Rect, Shape, TextureHandle,
    TextureOptions, Vec2, pos2,
};
use rayon::prelude::*;
use std::sync::Arc;

/// Rows of texels of one sub-row.
const TEXELS: usize = 3;
/// Wider quads are rectangles, since hatches need room.
const MOST_PX: f32 = 3.0;

/// The picture of one frame, kept while nothing moves.
#[derive(Default)]
pub(super) struct Strips {
    key: Option<Key>,
    texture: Option<TextureHandle>,
    /// The texels; their memory is used again once the renderer has let go of them.
    image: Arc<ColorImage>,
    cells: Vec<Rect>,
}

/// What a picture was made for.
#[derive(Clone, PartialEq)]
struct Key {
    scene: SceneKey,
    scroll: f32,
    tracks: Rect,
    lanes: usize,
    height: f32,
    canvas: Color32,
}

/// One sub-row on its way into the picture.
struct Strip<'a> {
    quads: &'a [Quad],
    row: u16,
    device: Option<&'a DeviceSpans>,
    cell: Rect,
}

/// Whether a quad goes into the picture: whole columns that are too narrow for a hatch.
pub(super) fn holds(quad: &Quad) -> bool {
    match quad.what {
        What::Folded(_) => true,
        What::Derived(..) | What::Exposed(_) => {
            quad.x1 - quad.x0 < MOST_PX && quad.x0.fract() == 0.0 && quad.x1.fract() == 0.0
        }
        What::Slice(_) | What::Split(_) => false,
    }
}

/// The rows of a lane that have columns for the picture.
fn of_lane<'a>(
    frame: &Frame<'_>,
    lane: &LaneRow,
    quads: &'a [Quad],
    device: Option<&'a DeviceSpans>,
) -> impl Iterator<Item = Strip<'a>> {
    let xs = frame.tracks.x_range();
    let cells: Vec<Rect> = (0..lane.sub_rows)
        .map(|r| frame.cell(lane, r, xs))
        .collect();
    // Quads stand by sub-row, so each row is a stretch of the list.
    let rows = quads.chunk_by(|a, b| a.row == b.row);
    rows.filter_map(move |quads| {
        let row = quads.first()?.row;
        let cell = *cells.get(usize::from(row))?;
        quads.iter().any(holds).then_some(Strip {
            quads,
            row,
            device,
            cell,
        })
    })
}

impl Strips {
    /// The picture of these lanes as a shape, or nothing where all is wide.
    pub(super) fn shape<'a>(
        &mut self,
        ctx: &Context,
        frame: &Frame<'_>,
        scene: SceneKey,
        lanes: impl Iterator<Item = (&'a LaneRow, &'a [Quad], Option<&'a DeviceSpans>)>,
    ) -> Option<Shape> {
        let key = Key {
            scene,
            scroll: frame.scroll,
            tracks: frame.tracks,
            lanes: frame.visible.len(),
            height: frame.visible.last()?.bottom(),
            canvas: frame.theme.canvas,
        };
        if self.key.as_ref() != Some(&key) {
            let strips: Vec<Strip<'_>> = lanes
                .flat_map(|(lane, quads, device)| of_lane(frame, lane, quads, device))
                .collect();
            self.fill(ctx, frame, &strips);
            self.key = Some(key);
        }
        self.mesh()
    }

    fn fill(&mut self, ctx: &Context, frame: &Frame<'_>, strips: &[Strip<'_>]) {
        self.cells.clear();
        self.cells.extend(strips.iter().map(|s| s.cell));
        let Some(width) = texels(frame.tracks.width()).filter(|_| !strips.is_empty()) else {
            return;
        };
        let mut image = match Arc::get_mut(&mut self.image) {
            Some(image) => std::mem::take(image),
            None => ColorImage::default(),
        };
        let height = strips.len() * TEXELS;
        image.size = [width, height];
        image.source_size = Vec2::ZERO;
        image.pixels.clear();
        image.pixels.resize(width * height, Color32::TRANSPARENT);
        let theme = frame.theme;
        strips
            .par_iter()
            .zip(image.pixels.par_chunks_mut(width * TEXELS))
            .for_each(|(strip, texels)| paint(theme, strip, width, texels));
        self.image = Arc::new(image);
        let data = ImageData::Color(Arc::clone(&self.image));
        match &mut self.texture {
            Some(texture) => texture.set(data, TextureOptions::NEAREST),
            None => {
                self.texture = Some(ctx.load_texture("lanes", data, TextureOptions::NEAREST));
            }
        }
    }

    fn mesh(&self) -> Option<Shape> {
        let texture = self.texture.as_ref().filter(|_| !self.cells.is_empty())?;
        let mut mesh = Mesh::with_texture(texture.id());
        // A texel's row as a share of the picture; screens have far fewer rows than `u16`.
        let rows = u16::try_from(self.cells.len()).ok()?;
        let one = 1.0 / (f32::from(rows) * 3.0);
        for (row, cell) in (0_u16..).zip(&self.cells) {
            let bar = marks::bar(*cell);
            let ys = [
                cell.top(),
                cell.top() + bar,
                cell.bottom() - bar,
                cell.bottom(),
            ];
            let first = f32::from(row) * 3.0 * one;
            let vs = [first, first + one, first + 2.0 * one];
            for (y, v) in ys.windows(2).zip(vs) {
                let [top, bottom] = y else { continue };
                let part = Rect::from_x_y_ranges(cell.x_range(), Rangef::new(*top, *bottom));
                let uv = Rect::from_min_max(Pos2::new(0.0, v), pos2(1.0, v + one));
                mesh.add_rect_with_uv(part, uv, UNTINTED);
            }
        }
        Some(Shape::mesh(mesh))
    }
}

/// Colours the columns of one sub-row.
fn paint(theme: &Theme, strip: &Strip<'_>, width: usize, texels: &mut [Color32]) {
    let (upper, rest) = texels.split_at_mut(width.min(texels.len()));
    let (body, lower) = rest.split_at_mut(width.min(rest.len()));
    let dark = marks::dark(theme);
    let mut exposed = strip.device.map_or(&[][..], |d| &d.exposed);
    for quad in strip
        .quads
        .iter()
        .filter(|q| q.row == strip.row && holds(q))
    {
        let (color, mark, covers) = match quad.what {
            What::Folded(shares) => {
                let share = share_at(&mut exposed, quad.x0);
                let mark = shares.dominant().map(Mark::from);
                (folded(theme, &shares, share), mark, true)
            }
            What::Derived(kind, share) => {
                let mark = Mark::from(kind);
                (derived_color(theme, mark, share), Some(mark), true)
            }
            What::Exposed(share) => {
                let color = theme.exposed_comm.gamma_multiply(strength(share));
                (color, None, false)
            }
            What::Slice(_) | What::Split(_) => continue,
        };
        let bars = [
            mark == Some(Mark::Communication),
            false,
            mark == Some(Mark::Memory),
        ];
        let Some((from, to)) = texels_of(quad) else {
            continue;
        };
        for (line, is_bar) in [&mut *upper, &mut *body, &mut *lower].into_iter().zip(bars) {
            for texel in line.get_mut(from..to.min(width)).unwrap_or_default() {
                let under = if covers { color } else { texel.blend(color) };
                *texel = if is_bar { under.blend(dark) } else { under };
            }
        }
    }
}

/// The share of the stretch at a place; the places come in order, and what is passed is dropped.
fn share_at(spans: &mut &[Span], x: f32) -> f32 {
    while let Some((first, rest)) = spans.split_first()
        && first.x1 <= x
    {
        *spans = rest;
    }
    spans.first().filter(|s| s.x0 <= x).map_or(0.0, |s| s.share)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a width of a screen, checked to be positive"
)]
fn texels(px: f32) -> Option<usize> {
    (px >= 1.0).then(|| px.ceil() as usize)
}

/// The texels that a quad covers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "columns of a screen, which the cast keeps at 0 or above"
)]
fn texels_of(quad: &Quad) -> Option<(usize, usize)> {
    let (from, to) = (quad.x0 as usize, quad.x1 as usize);
    (from < to).then_some((from, to))
}
