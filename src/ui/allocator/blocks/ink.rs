//! How blocks are filled: full where they are in use, striped where they await being free, hollow and
//! hatched where they are free, so that the state is never told by colour alone.

use super::Strips;
use crate::session::{InkBy, Session};
use crate::snapshot::strips::{self as geometry, Piece, Row, Shown};
use crate::snapshot::{Block, BlockState, FrameId};
use crate::ui::plain;
use crate::ui::theme::Theme;
use egui::emath::GuiRounding as _;
use egui::epaint::Mesh;
use egui::{Color32, Painter, Rect, Sense, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

/// How many call sites have a colour of their own.
const SITES: usize = 7;
/// Sizes from which on a block has another colour, and what they are called.
const SIZES: [(u64, &str); 5] = [
    (0, "up to 1 MiB"),
    ((1 << 20) + 1, "up to 10 MiB"),
    ((10 << 20) + 1, "up to 100 MiB"),
    ((100 << 20) + 1, "up to 1 GiB"),
    ((1 << 30) + 1, "more"),
];
/// Distance of the lines of a hatch.
const HATCH: f32 = 7.0;

/// What colours tell.
pub(super) enum Ink {
    /// The state.
    State,
    /// The stream, by its place.
    Stream(Vec<i64>),
    /// The size.
    Size,
    /// The call site, by its place among those with most bytes, with its words.
    Site(Vec<(Option<FrameId>, String)>),
}

impl Ink {
    pub(super) fn of(session: &Session, of: &geometry::Strips) -> Self {
        match session.snapshot.ink {
            InkBy::State => Self::State,
            InkBy::Size => Self::Size,
            InkBy::Stream => Self::Stream(of.streams.clone()),
            InkBy::Site => Self::Site(top_sites(session)),
        }
    }

    /// The colour of a block that is not free.
    fn color(&self, strips: &Strips<'_>, block: &Block) -> Color32 {
        let theme = strips.theme;
        match self {
            Self::State => theme.block_color(block.state),
            Self::Stream(streams) => {
                let segment = strips.layout.segments.get(block.segment);
                let stream = segment.map(|s| s.pool.stream);
                let place = streams.iter().position(|s| Some(*s) == stream);
                theme.kind_color(place.unwrap_or(0))
            }
            Self::Size => {
                let place = SIZES.iter().rposition(|(from, _)| block.size >= *from);
                theme.kind_color(place.unwrap_or(0))
            }
            Self::Site(sites) => {
                let open = strips.session.snapshot.open.as_deref();
                let frame = open.and_then(|open| open.sites.get(block.stack));
                let place = sites.iter().position(|(f, _)| *f == frame);
                place.map_or(theme.host, |place| theme.kind_color(place))
            }
        }
    }

    /// What colours mean, apart from free blocks.
    pub(super) fn legend(&self, theme: &Theme) -> Vec<(Color32, String)> {
        match self {
            Self::State => [BlockState::Allocated, BlockState::AwaitingFree]
                .map(|state| (theme.block_color(state), state.label().to_owned()))
                .to_vec(),
            Self::Stream(streams) => {
                let words = streams.iter().map(|stream| format!("stream {stream}"));
                kinds(theme, words)
            }
            Self::Size => kinds(theme, SIZES.iter().map(|(_, words)| (*words).to_owned())),
            Self::Site(sites) => {
                let short = |words: &String| crate::ui::ellipsis(words, 22);
                let mut legend = kinds(theme, sites.iter().map(|(_, words)| short(words)));
                legend.push((theme.host, "others".to_owned()));
                legend
            }
        }
    }
}

fn kinds(theme: &Theme, words: impl Iterator<Item = String>) -> Vec<(Color32, String)> {
    words
        .take(8)
        .enumerate()
        .map(|(place, words)| (theme.kind_color(place), words))
        .collect()
}

/// The call sites with most bytes.
fn top_sites(session: &Session) -> Vec<(Option<FrameId>, String)> {
    let allocator = &session.snapshot;
    let held = session.held_key().and_then(|key| allocator.shown_held(key));
    let (Some(open), Some((held, _))) = (allocator.open.as_deref(), held) else {
        return Vec::new();
    };
    let mut sites: Vec<(Option<FrameId>, String)> = Vec::new();
    for site in &held.sites {
        if sites.len() < SITES && !sites.iter().any(|(frame, _)| *frame == site.frame) {
            let frame = site.frame.and_then(|id| open.snapshot.frames.get(id));
            let name = frame.map_or("no stack", |f| open.snapshot.texts.get(f.name));
            sites.push((site.frame, name.to_owned()));
        }
    }
    sites
}

/// Paints the pieces of a row.
pub(super) fn paint(painter: &Painter, strips: &Strips<'_>, strip: Rect, pieces: &[Piece]) {
    // What is filled is one mesh: there may be a piece every two pixels.
    let mut fills = Mesh::with_texture(plain::texture(painter.ctx()));
    let blocks = pieces.iter().filter_map(|piece| {
        let Shown::Block(at) = piece.what else {
            return None;
        };
        Some((piece, strips.layout.blocks.get(at)?))
    });
    for piece in pieces {
        let rect = place(painter, strip, piece.from, piece.to);
        match piece.what {
            Shown::Block(at) => {
                if let Some(block) = strips.layout.blocks.get(at) {
                    let color = match block.state {
                        BlockState::Free => strips.theme.panel,
                        _ => strips.ink.color(strips, block),
                    };
                    plain::add(&mut fills, inner(rect), color);
                }
            }
            Shown::Mixed {
                allocated,
                awaiting,
                free,
                ..
            } => mixed(&mut fills, strips, rect, [allocated, awaiting, free]),
        }
    }
    painter.add(Shape::mesh(fills));
    for (piece, block) in blocks {
        let rect = inner(place(painter, strip, piece.from, piece.to));
        match block.state {
            BlockState::Allocated => {}
            BlockState::AwaitingFree => {
                hatch(painter, rect, Stroke::new(1.5, strips.theme.text_on_slice));
            }
            BlockState::Free => hollow(painter, strips.theme, rect),
        }
    }
}

/// Where a piece lies, in whole pixels, so that neighbours neither overlap nor leave a seam; what is far
/// outside of the screen is cut.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn place(painter: &Painter, strip: Rect, from: f64, to: f64) -> Rect {
    let x = |px: f64| strip.left() + px.clamp(-50.0, f64::from(strip.width()) + 50.0) as f32;
    let scale = painter.pixels_per_point();
    Rect::from_x_y_ranges(x(from)..=x(to), strip.y_range()).round_to_pixels(scale)
}

/// A gap of a pixel tells blocks apart where there is room for it.
fn inner(rect: Rect) -> Rect {
    if rect.width() >= 4.0 {
        Rect::from_min_max(rect.min, rect.max - vec2(1.0, 0.0))
    } else {
        rect
    }
}

/// The frame of the selected block, also where it is one of several in a piece.
pub(super) fn selection(painter: &Painter, strips: &Strips<'_>, strip: Rect, row: &Row) {
    let blocks = strips.layout.blocks;
    let Some((at, block)) = strips.selected.and_then(|at| Some((at, blocks.get(at)?))) else {
        return;
    };
    for placed in row.placed.iter().filter(|p| p.segment == block.segment) {
        let segment = strips.layout.segments.get(placed.segment);
        let Some(segment) = segment.filter(|s| s.blocks.contains(&at)) else {
            continue;
        };
        let from = placed.from + block.address.saturating_sub(segment.address);
        let [from, to] = [from, from.saturating_add(block.size)].map(|b| strips.view.x_of(b));
        let rect = place(painter, strip, from, to.max(from + 1.0));
        let stroke = Stroke::new(2.0, strips.theme.selection);
        painter.rect_stroke(rect.expand(1.0), 1.0, stroke, StrokeKind::Outside);
    }
}

/// The hatch and the outline of a free block, where there is room for them.
fn hollow(painter: &Painter, theme: &Theme, rect: Rect) {
    if rect.width() < 3.0 {
        return;
    }
    hatch(painter, rect, Stroke::new(1.0, theme.line_strong));
    let stroke = Stroke::new(1.0, theme.text_weak);
    painter.rect_stroke(rect, 0.0, stroke, StrokeKind::Inside);
}

/// Slanted lines.
fn hatch(painter: &Painter, rect: Rect, stroke: Stroke) {
    let seen = rect.intersect(painter.clip_rect());
    if !seen.is_positive() {
        return;
    }
    let cut = painter.with_clip_rect(seen);
    let height = rect.height();
    // On one grid for the whole screen, so that neighbours do not shift against each other.
    let mut x = ((seen.left() - height) / HATCH).floor() * HATCH;
    while x < seen.right() {
        let line = [pos2(x, rect.bottom()), pos2(x + height, rect.top())];
        cut.line_segment(line, stroke);
        x += HATCH;
    }
}

/// Several blocks: shares from below, the free one left hollow at the top, and what is not mapped left out.
fn mixed(fills: &mut Mesh, strips: &Strips<'_>, rect: Rect, shares: [f64; 3]) {
    let theme = strips.theme;
    let allocated = match strips.ink {
        Ink::State => theme.block_color(BlockState::Allocated),
        _ => theme.host,
    };
    let colors = [
        allocated,
        theme.block_color(BlockState::AwaitingFree),
        theme.panel,
    ];
    let mut bottom = rect.bottom();
    for (height, color) in heights(rect.height(), shares).into_iter().zip(colors) {
        let top = bottom - height;
        if height > 0.0 {
            let part = Rect::from_x_y_ranges(rect.x_range(), top..=bottom);
            plain::add(fills, part, color);
        }
        bottom = top;
    }
}

/// How high shares are drawn, in whole points: what is there at all takes one at least, at the cost of the
/// largest, so that a mixture never looks like one state.
#[expect(clippy::cast_possible_truncation, reason = "a height on the screen")]
fn heights(height: f32, shares: [f64; 3]) -> [f32; 3] {
    let rest = 1.0 - shares.iter().sum::<f64>();
    // What is left by rounding is no share.
    let rest = if rest > 1e-9 { rest } else { 0.0 };
    let [a, b, c] = shares;
    let mut all = [a, b, c, rest].map(|share| {
        let exact = (share * f64::from(height)).round() as f32;
        if share > 0.0 { exact.max(1.0) } else { 0.0 }
    });
    let over = all.iter().sum::<f32>() - height;
    if let Some(largest) = all
        .iter_mut()
        .max_by(|a, b| a.total_cmp(b))
        .filter(|l| **l > 0.0)
    {
        *largest -= over;
    }
    let [a, b, c, _] = all;
    [a, b, c]
}

/// The outlines of segments.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
pub(super) fn edges(painter: &Painter, strips: &Strips<'_>, strip: Rect, row: &Row) {
    let stroke = Stroke::new(1.0, strips.theme.line_strong);
    let limit = f64::from(strip.width()) + 50.0;
    for placed in &row.placed {
        let x = |byte: u64| strip.left() + strips.view.x_of(byte).clamp(-50.0, limit) as f32;
        let span = x(placed.from)..=x(placed.from.saturating_add(placed.size));
        let rect = Rect::from_x_y_ranges(span, strip.y_range()).expand(1.0);
        painter.rect_stroke(rect, 1.0, stroke, StrokeKind::Outside);
    }
}

/// What a free block looks like.
pub(super) fn free_key(ui: &mut Ui, theme: &Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 9.0), Sense::hover());
    plain::fill(ui.painter(), rect, theme.panel);
    hollow(ui.painter(), theme, rect);
    ui.label(egui::RichText::new("free").size(11.5));
}

#[cfg(test)]
mod tests {
    use super::heights;

    #[test]
    fn a_small_share_takes_a_point_and_all_of_them_fill_the_strip() {
        let drawn = |shares| {
            let heights = heights(20.0, shares).map(|height| height.to_string());
            heights.join(" ")
        };
        assert_eq!(drawn([0.999, 0.0, 0.001]), "19 0 1");
        assert_eq!(drawn([0.5, 0.25, 0.25]), "10 5 5");
        assert_eq!(drawn([1.0, 0.0, 0.0]), "20 0 0");
        // What is not mapped stays empty at the top.
        assert_eq!(drawn([0.001, 0.001, 0.5]), "1 1 10");
        assert_eq!(drawn([0.0, 0.0, 0.0]), "0 0 0");
    }
}
