//! How blocks are filled: full where they are in use, striped where they await being free, hollow and
//! hatched where they are free, so that the state is never told by colour alone.

use super::Strips;
use crate::session::{InkBy, Session};
use crate::snapshot::strips::{Piece, Row, Shown};
use crate::snapshot::{Block, BlockState, FrameId, Layout};
use crate::ui::theme::Theme;
use egui::{Color32, Painter, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use std::collections::BTreeSet;

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
    pub(super) fn of(session: &Session, layout: Layout<'_>) -> Self {
        match session.snapshot.ink {
            InkBy::State => Self::State,
            InkBy::Size => Self::Size,
            InkBy::Stream => {
                let streams: BTreeSet<i64> =
                    layout.segments.iter().map(|s| s.pool.stream).collect();
                Self::Stream(streams.into_iter().collect())
            }
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
    let selected = strips.session.snapshot.selected;
    let mut frame = None;
    for piece in pieces {
        let rect = place(strip, piece);
        match piece.what {
            Shown::Block(at) => {
                let Some(block) = strips.layout.blocks.get(at) else {
                    continue;
                };
                one(painter, strips, rect, block);
                if selected.is_some_and(|a| a >= block.address && a - block.address < block.size) {
                    frame = Some(rect);
                }
            }
            Shown::Mixed {
                allocated,
                awaiting,
                ..
            } => mixed(painter, strips, rect, allocated, awaiting),
        }
    }
    if let Some(rect) = frame {
        let stroke = Stroke::new(2.0, strips.theme.selection);
        painter.rect_stroke(rect.expand(1.0), 1.0, stroke, StrokeKind::Outside);
    }
}

/// Where a piece lies; what is far outside of the screen is cut.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn place(strip: Rect, piece: &Piece) -> Rect {
    let x = |px: f64| strip.left() + px.clamp(-50.0, f64::from(strip.width()) + 50.0) as f32;
    Rect::from_x_y_ranges(x(piece.from)..=x(piece.to), strip.y_range())
}

fn one(painter: &Painter, strips: &Strips<'_>, rect: Rect, block: &Block) {
    let theme = strips.theme;
    // A gap of a pixel tells blocks apart where there is room for it.
    let inner = if rect.width() >= 4.0 {
        Rect::from_min_max(rect.min, rect.max - vec2(1.0, 0.0))
    } else {
        rect
    };
    match block.state {
        BlockState::Free => free(painter, theme, inner),
        BlockState::Allocated => {
            painter.rect_filled(inner, 0.0, strips.ink.color(strips, block));
        }
        BlockState::AwaitingFree => {
            painter.rect_filled(inner, 0.0, strips.ink.color(strips, block));
            hatch(painter, inner, Stroke::new(1.5, theme.text_on_slice));
        }
    }
}

/// A free block: hollow and hatched.
fn free(painter: &Painter, theme: &Theme, rect: Rect) {
    painter.rect_filled(rect, 0.0, theme.panel);
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

/// Several blocks: shares from below, the free one left hollow at the top.
#[expect(clippy::cast_possible_truncation, reason = "a height on the screen")]
fn mixed(painter: &Painter, strips: &Strips<'_>, rect: Rect, allocated: f64, awaiting: f64) {
    let theme = strips.theme;
    painter.rect_filled(rect, 0.0, theme.panel);
    let mut bottom = rect.bottom();
    let color = match strips.ink {
        Ink::State => theme.block_color(BlockState::Allocated),
        _ => theme.host,
    };
    let parts = [
        (allocated, color),
        (awaiting, theme.block_color(BlockState::AwaitingFree)),
    ];
    for (share, color) in parts {
        let top = bottom - rect.height() * share as f32;
        let part = Rect::from_x_y_ranges(rect.x_range(), top..=bottom);
        painter.rect_filled(part, 0.0, color);
        bottom = top;
    }
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
    free(ui.painter(), theme, rect);
    ui.label(egui::RichText::new("free").size(11.5));
}
