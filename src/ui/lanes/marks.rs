//! How each kind of time looks: colour and, so that colour is never alone, a bar or a hatch.

use super::ink::Ink;
use crate::timeline::Derived;
use crate::trace::class::KernelClass;
use crate::ui::theme::Theme;
use egui::{Color32, Rect, pos2};

/// A kind of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Computation,
    Communication,
    Memory,
    Overlap,
    Exposed,
    Idle,
    Allocator,
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

/// The colour of a kind of time.
pub(super) fn color(theme: &Theme, mark: Mark) -> Color32 {
    match mark {
        Mark::Computation => theme.computation,
        Mark::Communication => theme.communication,
        Mark::Memory => theme.memory,
        Mark::Overlap => theme.overlap,
        Mark::Exposed => theme.exposed_comm,
        Mark::Idle => theme.idle,
        Mark::Allocator => theme.cached,
    }
}

/// Draws a kind of time at full strength.
pub(super) fn draw(ink: &mut Ink<'_>, mark: Mark, cell: Rect) {
    let color = color(ink.theme, mark);
    ink.fill(cell, color);
    edge(ink, mark, cell);
}

/// The see-through shade of bars and hatches.
pub(super) fn dark(theme: &Theme) -> Color32 {
    theme.text_on_slice.gamma_multiply(0.55)
}

/// Height of a bar.
pub(super) fn bar(cell: Rect) -> f32 {
    2.0_f32.min(cell.height() / 3.0)
}

/// The mark beside the colour.
pub(super) fn edge(ink: &mut Ink<'_>, mark: Mark, cell: Rect) {
    let dark = self::dark(ink.theme);
    let bar = self::bar(cell);
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
        Mark::Allocator => {
            let (used, held) = (ink.theme.allocated, ink.theme.reserved);
            let middle = pos2(cell.left(), cell.center().y);
            ink.fill(Rect::from_min_max(middle, cell.max), used);
            let line = pos2(cell.right(), cell.top() + bar);
            ink.fill(Rect::from_min_max(cell.min, line), held);
        }
        Mark::Computation | Mark::Overlap | Mark::Idle => {}
    }
}
