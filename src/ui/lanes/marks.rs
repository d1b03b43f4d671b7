//! How each kind of time looks: colour and, so that colour is never alone, a bar or a hatch.

use super::ink::Ink;
use crate::timeline::Derived;
use crate::trace::class::KernelClass;
use egui::{Rect, pos2};

/// A kind of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Computation,
    Communication,
    Memory,
    Overlap,
    Exposed,
    Idle,
}

impl From<KernelClass> for Mark {
    fn from(class: KernelClass) -> Self {
        match class {
            KernelClass::Computation => Self::Computation,
            KernelClass::Communication => Self::Communication,
            KernelClass::Memory => Self::Memory,
        }
    }
}

impl From<Derived> for Mark {
    fn from(kind: Derived) -> Self {
        match kind {
            Derived::Computation => Self::Computation,
            Derived::Communication => Self::Communication,
            Derived::Memory => Self::Memory,
            Derived::Overlap => Self::Overlap,
            Derived::Idle => Self::Idle,
        }
    }
}

/// Draws a kind of time at full strength.
pub(super) fn draw(ink: &mut Ink<'_>, mark: Mark, cell: Rect) {
    let theme = ink.theme;
    let color = match mark {
        Mark::Computation => theme.computation,
        Mark::Communication => theme.communication,
        Mark::Memory => theme.memory,
        Mark::Overlap => theme.overlap,
        Mark::Exposed => theme.exposed_comm,
        Mark::Idle => theme.idle,
    };
    ink.fill(cell, color);
    edge(ink, mark, cell);
}

/// The mark beside the colour.
pub(super) fn edge(ink: &mut Ink<'_>, mark: Mark, cell: Rect) {
    let dark = ink.theme.text_on_slice.gamma_multiply(0.55);
    let bar = 2.0_f32.min(cell.height() / 3.0);
    match mark {
        Mark::Communication => ink.fill(
            Rect::from_min_max(cell.min, pos2(cell.right(), cell.top() + bar)),
            dark,
        ),
        Mark::Memory => ink.fill(
            Rect::from_min_max(pos2(cell.left(), cell.bottom() - bar), cell.max),
            dark,
        ),
        Mark::Exposed => ink.hatch(cell, dark),
        Mark::Computation | Mark::Overlap | Mark::Idle => {}
    }
}
