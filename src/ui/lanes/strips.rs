//! Pixel columns as one picture: a few rows of texels a sub-row instead of a rectangle a pixel.
//!
//! Zoomed out, every lane has a colour for each of its pixels. As rectangles that is a mesh of many
//! megabytes in every frame; as a texture it is four bytes a pixel, and a few textured rectangles a
//! sub-row. The three rows of texels of a sub-row are its upper edge, its body and its lower edge,
//! so that the bars that mark communication and memory operations are in it too. The texture is a
//! ring, as the strips are: while the view moves, only the columns that come in are sent.

use super::frame::Frame;
use super::marks;
use crate::timeline::picture::{self, LINES};
use crate::timeline::{Grid, LaneKey, Scene, Shared, Texel};
use crate::trace::{DeviceId, RankId};
use crate::ui::theme::{UNTINTED, texel};
use egui::epaint::Mesh;
use egui::{
    Color32, ColorImage, Context, ImageData, Pos2, Rangef, Rect, Shape, TextureHandle,
    TextureOptions, Vec2, pos2,
};
use std::ops::Range;
use std::sync::Arc;

/// The picture of one frame, kept while nothing moves.
#[derive(Default)]
pub(super) struct Strips {
    texture: Option<TextureHandle>,
    /// The texels of the whole texture; their memory is used again once the renderer let go of them.
    image: Arc<ColorImage>,
    /// What the texture shows, from top to bottom.
    rows: Vec<StripRow>,
    /// The grid and the columns that are in the texture.
    grid: u64,
    there: Range<i64>,
}

/// What a strip shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// A sub-row of a lane.
    Lane(LaneKey, u16),
    /// Overlap, behind all lanes of a device.
    Band(RankId, DeviceId),
}

/// One strip in the texture.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StripRow {
    of: Of,
    lines: u16,
}

/// One sub-row on the screen.
struct Placed<'a> {
    row: StripRow,
    cell: Rect,
    lines: Vec<&'a [Texel]>,
    /// The overlap of the device, which is behind it.
    band: Option<&'a [Texel]>,
}

impl Placed<'_> {
    /// The texels of a line at some places of the ring, on the overlap behind them.
    fn texels(&self, line: &[Texel], places: Range<usize>, out: &mut Vec<Color32>) {
        let line = line.get(places.clone()).unwrap_or_default();
        let Some(band) = self.band.and_then(|b| b.get(places)) else {
            out.extend(line.iter().copied().map(texel));
            return;
        };
        let pairs = line.iter().zip(band);
        out.extend(pairs.map(|(over, band)| match over {
            [.., 255] => texel(*over),
            [0, 0, 0, 0] => texel(*band),
            _ => texel(*band).blend(texel(*over)),
        }));
    }
}

impl Strips {
    /// The picture of the visible lanes, brought up to date.
    pub(super) fn update(
        &mut self,
        ctx: &Context,
        frame: &Frame<'_>,
        scene: &Scene,
        bands: &[(RankId, DeviceId, Rangef)],
    ) -> Option<Shape> {
        let mut placed = placed(frame, scene);
        placed.extend(placed_bands(frame, scene, bands));
        let grid = scene.grid();
        let width = usize::try_from(grid.columns.end - grid.columns.start).unwrap_or(0);
        let same = self.texture.is_some()
            && self.grid == grid.number
            && self.rows.iter().eq(placed.iter().map(|p| &p.row));
        if !same {
            self.rows.clear();
            self.rows.extend(placed.iter().map(|p| p.row));
        }
        if placed.is_empty() || width == 0 {
            return None;
        }
        if same {
            for range in picture::missing(&self.there, &grid.columns) {
                self.send_columns(&placed, width, range);
            }
        } else {
            self.send_all(ctx, &placed, width);
        }
        (self.grid, self.there) = (grid.number, grid.columns.clone());
        self.shape(&placed, frame, grid, width)
    }

    fn send_all(&mut self, ctx: &Context, placed: &[Placed<'_>], width: usize) {
        let mut image = match Arc::get_mut(&mut self.image) {
            Some(image) => std::mem::take(image),
            None => ColorImage::default(),
        };
        image.pixels.clear();
        for placed in placed {
            for line in &placed.lines {
                placed.texels(line, 0..width, &mut image.pixels);
            }
        }
        image.size = [width, image.pixels.len() / width.max(1)];
        image.source_size = Vec2::ZERO;
        self.image = Arc::new(image);
        let data = ImageData::Color(Arc::clone(&self.image));
        match &mut self.texture {
            Some(texture) => texture.set(data, TextureOptions::NEAREST),
            None => {
                self.texture = Some(ctx.load_texture("lanes", data, TextureOptions::NEAREST));
            }
        }
    }

    /// Sends some columns of the grid, in two parts where they go over the end of the ring.
    fn send_columns(&mut self, placed: &[Placed<'_>], width: usize, columns: Range<i64>) {
        let Some(texture) = &mut self.texture else {
            return;
        };
        let count = usize::try_from(columns.end - columns.start).unwrap_or(0);
        let ring = i64::try_from(width).unwrap_or(i64::MAX).max(1);
        let from = usize::try_from(columns.start.rem_euclid(ring)).unwrap_or(0);
        let end = (from + count).min(width);
        for part in [from..end, 0..(from + count).saturating_sub(width).min(from)] {
            if part.is_empty() {
                continue;
            }
            let mut pixels = Vec::new();
            for placed in placed {
                for line in &placed.lines {
                    placed.texels(line, part.clone(), &mut pixels);
                }
            }
            let size = [part.len(), pixels.len() / part.len()];
            let image = ColorImage::new(size, pixels);
            texture.set_partial([part.start, 0], image, TextureOptions::NEAREST);
        }
    }

    /// The picture: every pixel of it is painted once, and none where nothing can be.
    fn shape(
        &self,
        placed: &[Placed<'_>],
        frame: &Frame<'_>,
        grid: &Grid,
        width: usize,
    ) -> Option<Shape> {
        let mut mesh = Mesh::with_texture(self.texture.as_ref()?.id());
        // Screens have far fewer texels than `u16`.
        let all: usize = placed.iter().map(|p| p.lines.len()).sum();
        let one = 1.0 / f32::from(u16::try_from(all).ok()?);
        let first = grid.columns.start.rem_euclid(i64::try_from(width).ok()?);
        let first = f32::from(u16::try_from(first).ok()?);
        let width = f32::from(u16::try_from(width).ok()?);
        let tracks = frame.tracks;
        let seam = (tracks.left() + width - first).min(tracks.right());
        let parts = [
            (Rangef::new(tracks.left(), seam), first / width),
            (Rangef::new(seam, tracks.right()), 0.0),
        ];
        let mut add = |line: u16, ys: Rangef| {
            let v = f32::from(line) * one;
            for (xs, u) in parts.iter().filter(|p| p.0.span() > 0.0) {
                let cell = Rect::from_x_y_ranges(*xs, ys);
                let right = u + xs.span() / width;
                let uv = Rect::from_min_max(Pos2::new(*u, v), pos2(right, v + one));
                mesh.add_rect_with_uv(cell, uv, UNTINTED);
            }
        };
        let mut line = 0_u16;
        for one in placed {
            match one.row.of {
                Of::Lane(..) => {
                    for (line, ys) in (line..).zip(edges(one)) {
                        add(line, ys);
                    }
                }
                Of::Band(..) => {
                    for ys in between(one.cell.y_range(), placed) {
                        add(line, ys);
                    }
                }
            }
            line += one.row.lines;
        }
        Some(Shape::mesh(mesh))
    }
}

/// What the lanes leave of a band.
fn between(band: Rangef, placed: &[Placed<'_>]) -> Vec<Rangef> {
    let lanes = placed
        .iter()
        .filter(|p| matches!(p.row.of, Of::Lane(..)))
        .map(|p| p.cell.y_range());
    let mut left = Vec::new();
    let mut top = band.min;
    // Lanes come from top to bottom.
    for lane in lanes.filter(|l| l.max > band.min && l.min < band.max) {
        if lane.min > top {
            left.push(Rangef::new(top, lane.min));
        }
        top = top.max(lane.max);
    }
    if top < band.max {
        left.push(Rangef::new(top, band.max));
    }
    left
}

/// The strips of the visible lanes that have anything in them.
fn placed<'a>(frame: &Frame<'_>, scene: &'a Scene) -> Vec<Placed<'a>> {
    let xs = frame.tracks.x_range();
    let lanes = frame.visible.iter();
    let strips = lanes.flat_map(|lane| {
        (0_u16..)
            .zip(scene.strips(lane.key))
            .map(move |s| (lane, s))
    });
    strips
        .filter(|(_, (_, strip))| strip.is_painted())
        .filter_map(|(lane, (sub_row, strip))| {
            let texels: Vec<&[Texel]> = strip.lines().collect();
            let row = StripRow {
                of: Of::Lane(lane.key, sub_row),
                lines: u16::try_from(texels.len()).ok()?,
            };
            Some(Placed {
                row,
                cell: frame.cell(lane, sub_row, xs),
                lines: texels,
                // What shares a place is seen through all but the first.
                band: band_behind(scene, lane.key).filter(|_| lane.shared != Shared::Behind),
            })
        })
        .collect()
}

/// The overlap behind a lane, where there is any; nothing is drawn behind headings.
fn band_behind(scene: &Scene, lane: LaneKey) -> Option<&[Texel]> {
    if matches!(lane, LaneKey::Rank(_) | LaneKey::Device(..)) {
        return None;
    }
    let band = &scene.device(lane.rank(), lane.device()?)?.band;
    band.lines().next().filter(|_| band.is_painted())
}

/// The strips behind the lanes of the visible devices.
fn placed_bands<'a>(
    frame: &Frame<'_>,
    scene: &'a Scene,
    bands: &[(RankId, DeviceId, Rangef)],
) -> impl Iterator<Item = Placed<'a>> {
    let xs = frame.tracks.x_range();
    bands.iter().filter_map(move |&(rank, device, ys)| {
        let strip = &scene.device(rank, device)?.band;
        strip.is_painted().then(|| Placed {
            row: StripRow {
                of: Of::Band(rank, device),
                lines: 1,
            },
            cell: Rect::from_x_y_ranges(xs, ys),
            lines: strip.lines().take(1).collect(),
            band: None,
        })
    })
}

/// The heights of a strip's rows of texels, from top to bottom.
fn edges(placed: &Placed<'_>) -> impl Iterator<Item = Rangef> {
    let (cell, lines) = (placed.cell, placed.row.lines);
    // Devices as wholes have no marks, but parts of the height.
    let is_whole = matches!(
        placed.row.of,
        Of::Lane(LaneKey::Rank(_) | LaneKey::Device(..), _)
    );
    let is_marked = placed.lines.len() == LINES && !is_whole;
    let edge = move |line: u16| {
        if is_marked {
            let bar = marks::bar(cell);
            let edges = [
                cell.top(),
                cell.top() + bar,
                cell.bottom() - bar,
                cell.bottom(),
            ];
            edges
                .get(usize::from(line))
                .copied()
                .unwrap_or(cell.bottom())
        } else {
            cell.top() + cell.height() * f32::from(line) / f32::from(lines)
        }
    };
    (0..lines).map(move |line| Rangef::new(edge(line), edge(line + 1)))
}
