//! The draw list: what is to be painted where, as classes and shares, never as colours.
//!
//! A [`LaneDraw`] is one lane's content for one view; x is in pixels from the view's left edge, y
//! is a sub-row. [`LaneDraw::text`] writes it one letter a pixel, which is how tests compare it.

use super::lanes::Derived;
use super::rows::Shares;
use crate::trace::class::KernelClass;
use crate::trace::{Category, NameId, SliceRef};

/// One thing to paint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quad {
    /// Left edge.
    pub x0: f32,
    /// Right edge.
    pub x1: f32,
    /// Sub-row of the lane.
    pub row: u16,
    /// What it shows.
    pub what: What,
}

/// What a quad shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// One slice.
    Slice(SliceQuad),
    /// All slices of one pixel column.
    Folded(Shares),
    /// A stretch of a derived lane, by the share of it that holds.
    Derived(Derived, f32),
    /// Communication that nothing hides, on the communication lane and on streams.
    Exposed(f32),
    /// A device as a whole.
    Split(Split),
}

/// A slice that is wide enough to be drawn by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceQuad {
    /// The slice.
    pub slice: SliceRef,
    /// Its name.
    pub name: NameId,
    /// Its class; `None` for anything of the host.
    pub class: Option<KernelClass>,
    /// What kind of row it came from.
    pub category: Category,
}

/// The five-way split of a stretch of a device's time; idle is what is missing to 1.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Split {
    /// Computation without communication.
    pub compute: f32,
    /// Both at once.
    pub overlap: f32,
    /// Communication that nothing hides.
    pub exposed: f32,
    /// Memory operations beside neither.
    pub memory: f32,
}

impl Split {
    pub(super) fn of([compute, overlap, exposed, memory]: [f32; 4]) -> Self {
        Self {
            compute,
            overlap,
            exposed,
            memory,
        }
    }

    /// The busy share.
    #[must_use]
    pub fn total(&self) -> f32 {
        self.compute + self.overlap + self.exposed + self.memory
    }
}

/// The content of one lane in one view.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LaneDraw {
    /// What to paint, by sub-row and then from left to right.
    pub quads: Vec<Quad>,
}

/// A stretch of pixels in which something holds for a share of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Left edge.
    pub x0: f32,
    /// Right edge.
    pub x1: f32,
    /// The share of the time, above 0.
    pub share: f32,
}

impl LaneDraw {
    /// One line per sub-row, one letter per pixel: a capital and `=` for a slice of its own, a
    /// small letter for a folded column, `.` for nothing.
    #[must_use]
    pub fn text(&self, width_px: u16, sub_rows: u16) -> String {
        let mut lines = vec![vec!['.'; usize::from(width_px)]; usize::from(sub_rows.max(1))];
        for quad in &self.quads {
            let Some(line) = lines.get_mut(usize::from(quad.row)) else {
                continue;
            };
            let (first, rest) = letters(quad.what);
            let mut is_first = true;
            for (column, cell) in (0_u16..).zip(line.iter_mut()) {
                let column = f32::from(column);
                // A column counts as painted once the quad covers any of it.
                if quad.x0 < column + 1.0 && quad.x1 > column {
                    *cell = if is_first { first } else { rest };
                    is_first = false;
                }
            }
        }
        let lines: Vec<String> = lines.into_iter().map(String::from_iter).collect();
        lines.join("\n")
    }
}

fn letters(what: What) -> (char, char) {
    match what {
        What::Slice(slice) => match slice.class {
            Some(KernelClass::Computation) => ('C', '='),
            Some(KernelClass::Communication) => ('M', '='),
            Some(KernelClass::Memory) => ('Y', '='),
            None => ('H', '='),
        },
        What::Folded(shares) => {
            let letter = match shares.dominant() {
                Some(KernelClass::Computation) => 'c',
                Some(KernelClass::Communication) => 'm',
                Some(KernelClass::Memory) => 'y',
                // A column whose slices have no length has no share either.
                None if shares.other > 0.0 => 'h',
                None => '|',
            };
            (letter, letter)
        }
        What::Derived(_, share) | What::Exposed(share) => {
            let letter = if share < 1.0 { '-' } else { '#' };
            (letter, letter)
        }
        What::Split(split) => {
            let letter = if split.total() < 1.0 { '-' } else { '#' };
            (letter, letter)
        }
    }
}
