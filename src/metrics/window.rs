//! Which window the figures of a device apply to.
//!
//! Without a selection that is the device's own kernel extent. A selection is clipped to the
//! capture of the rank: inside it the GPU may be idle, outside of it nothing is known.

use super::steps;
use crate::time::{Ns, Window};
use crate::trace::{Basis, Device, Rank, StepLabel};

/// What the user selected in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Selection {
    /// Nothing: each device's own kernel extent.
    #[default]
    None,
    /// One window for all ranks.
    Window(Window),
    /// A step, which lies elsewhere on every rank and device.
    Step {
        /// Its label.
        label: StepLabel,
        /// Whose windows count.
        basis: Basis,
    },
}

/// The window of one device's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Figures are of this window; part or all of it may be idle.
    Covered(Window),
    /// The rank recorded nothing of the window that was asked for (`None` where the rank or device
    /// has no such step), so there are no figures. Not the same as idle.
    NoData(Option<Window>),
}

impl Scope {
    /// The window to print: the clipped one, or the asked one where there is no data.
    #[must_use]
    pub fn window(self) -> Option<Window> {
        match self {
            Self::Covered(window) => Some(window),
            Self::NoData(asked) => asked,
        }
    }

    /// The window to measure.
    #[must_use]
    pub fn covered(self) -> Option<Window> {
        match self {
            Self::Covered(window) => Some(window),
            Self::NoData(_) => None,
        }
    }
}

/// The window that figures of a device apply to under a selection.
///
/// With suspicious kernels clipped the device's own extent is that of the clipped kernels; steps
/// keep the ends that were recorded.
#[must_use]
pub fn scope(rank: &Rank, device: &Device, selection: Selection, clip_suspicious: bool) -> Scope {
    match selection {
        Selection::None => Scope::Covered(device.extent(clip_suspicious)),
        Selection::Window(asked) => clip(rank, asked),
        Selection::Step { label, basis } => steps::find(rank, device, label, basis)
            .map_or(Scope::NoData(None), |window| clip(rank, window)),
    }
}

/// Clips a window to what the rank recorded.
pub(super) fn clip(rank: &Rank, asked: Window) -> Scope {
    clip_to(rank.capture, asked)
}

/// Clips a window to what is known.
pub(super) fn clip_to(known: Option<Window>, asked: Window) -> Scope {
    let Some(capture) = known else {
        return Scope::NoData(Some(asked));
    };
    match asked.clip(capture) {
        // Touching at an edge shares no time; an instant that was asked for does lie inside.
        Some(inside) if !inside.is_empty() || asked.is_empty() || is_instant_in(capture, asked) => {
            Scope::Covered(inside)
        }
        _ => Scope::NoData(Some(asked)),
    }
}

/// Whether a window counts a kernel of a device whose last end is `last`: one with time inside, and
/// one without length that starts inside; the last end belongs to a window that ends there.
pub(super) fn counts(window: Window, (start, end): (Ns, Ns), last: Ns) -> bool {
    if start == end {
        window.contains(start) || (start == window.end() && start == last)
    } else {
        start < window.end() && end > window.start() && start < end && !window.is_empty()
    }
}

/// A capture of zero-length slices at one instant, inside the window.
fn is_instant_in(capture: Window, asked: Window) -> bool {
    let at: Ns = capture.start();
    capture.is_empty() && asked.contains(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn w(a: i64, b: i64) -> Window {
        Window::new(Ns(a), Ns(b))
    }

    fn rank(capture: Window) -> Rank {
        Rank {
            capture: Some(capture),
            ..Rank::default()
        }
    }

    #[test]
    fn a_selection_is_clipped_to_the_capture() {
        let rank = rank(w(100, 200));
        assert_eq!(clip(&rank, w(150, 300)), Scope::Covered(w(150, 200)));
        assert_eq!(clip(&rank, w(0, 1000)), Scope::Covered(w(100, 200)));
        assert_eq!(clip(&rank, w(120, 120)), Scope::Covered(w(120, 120)));
    }

    #[test]
    fn a_selection_outside_the_capture_has_no_data_and_keeps_the_asked_window() {
        let rank = rank(w(100, 200));
        for asked in [w(0, 50), w(0, 100), w(200, 300), w(300, 300)] {
            assert_eq!(clip(&rank, asked), Scope::NoData(Some(asked)));
        }
        assert_eq!(
            clip(&Rank::default(), w(0, 1)),
            Scope::NoData(Some(w(0, 1)))
        );
    }
}
