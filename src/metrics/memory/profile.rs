//! A curve of a window in few enough pieces to plot, with every extreme in it.

use crate::memory::Curve;
use crate::time::{DurNs, Ns, Window};
use crate::trace::MemoryTrack;

/// One piece of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfilePiece {
    /// Where it begins.
    pub at: Ns,
    /// Least and most that was allocated in it.
    pub allocated: (i64, i64),
    /// Least and most that was reserved, where that is known.
    pub reserved: Option<(i64, i64)>,
}

/// Cuts a window into so many equal pieces.
#[must_use]
pub fn memory_profile(track: &MemoryTrack, window: Window, pieces: u32) -> Vec<ProfilePiece> {
    let edge = |piece: u32| {
        let len = i128::from(window.len().0) * i128::from(piece);
        let into = len / i128::from(pieces.max(1));
        window.start() + DurNs(i64::try_from(into).unwrap_or(i64::MAX))
    };
    let range = |curve: &Curve, part: Window| {
        let found = curve.extremes(part)?;
        Some((found.min.bytes, found.max.bytes))
    };
    (0..pieces)
        .map(|piece| {
            let part = Window::new(edge(piece), edge(piece + 1));
            ProfilePiece {
                at: part.start(),
                allocated: range(&track.allocated, part).unwrap_or((track.before, track.before)),
                reserved: track.reserved.as_ref().and_then(|curve| range(curve, part)),
            }
        })
        .collect()
}
