//! What a lane of memory shows: the least and the most of each pixel column, so that no peak is lost
//! at any zoom, as shares of the lane's height.

use crate::memory::Curve;
use crate::time::{Ns, Window};
use crate::trace::{MemoryTrack, Rank};

/// One allocator in one view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryDraw {
    /// The columns of the view in which something is known, from left to right.
    pub columns: Vec<MemoryColumn>,
}

/// One pixel column; heights are shares of the lane, from below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryColumn {
    /// Its number from the view's left edge.
    pub x: u32,
    /// Least and most that was allocated.
    pub allocated: (f32, f32),
    /// Least and most that was reserved, where that is known.
    pub reserved: Option<(f32, f32)>,
}

impl MemoryDraw {
    /// Measures the columns between neighbours of these edges.
    pub(super) fn measure(&mut self, rank: &Rank, track: &MemoryTrack, edges: &[Ns]) {
        self.columns.clear();
        let Some(shown) = extent(rank, track) else {
            return;
        };
        let scale = Scale::of(track);
        for (x, pair) in (0_u32..).zip(edges.windows(2)) {
            let (Some(from), Some(to)) = (pair.first(), pair.last()) else {
                continue;
            };
            if *to < shown.start() || *from > shown.end() {
                continue;
            }
            let window = Window::new(*from, *to);
            let (least, most) =
                range(&track.allocated, window).unwrap_or((track.before, track.before));
            let reserved = track.reserved.as_ref().and_then(|r| range(r, window));
            let both = |(least, most)| (scale.share(least), scale.share(most));
            self.columns.push(MemoryColumn {
                x,
                allocated: both((least, most)),
                reserved: reserved.map(both),
            });
        }
    }
}

/// Where something is known of an allocator: all that the rank recorded, and its own events.
fn extent(rank: &Rank, track: &MemoryTrack) -> Option<Window> {
    let events = track.allocated.extent();
    // The one event before a range that was loaded tells what the range begins with.
    let inside = events.map(|e| match rank.capture {
        Some(capture) => Window::new(e.start().max(capture.start()), e.end().max(capture.start())),
        None => e,
    });
    rank.capture.into_iter().chain(inside).reduce(Window::hull)
}

/// The least and most of a curve in a stretch; its value where the stretch is an instant.
fn range(curve: &Curve, window: Window) -> Option<(i64, i64)> {
    if window.is_empty() {
        let value = curve.value_at(window.start())?;
        return Some((value, value));
    }
    let found = curve.extremes(window)?;
    Some((found.min.bytes, found.max.bytes))
}

/// From bytes to shares of the height: from the least of the whole track, or 0, to the most.
struct Scale {
    least: i64,
    span: f64,
}

impl Scale {
    fn of(track: &MemoryTrack) -> Self {
        let whole = |curve: &Curve| {
            let extent = curve.extent()?;
            let end = extent.end().saturating_add(crate::time::DurNs(1));
            let found = curve.extremes(Window::new(extent.start(), end))?;
            Some((found.min.bytes, found.max.bytes))
        };
        let both = [Some(&track.allocated), track.reserved.as_ref()];
        let both = both.into_iter().flatten().filter_map(whole);
        let (least, most) = both.fold((track.before.min(0), track.before), |all, found| {
            (all.0.min(found.0), all.1.max(found.1))
        });
        let span = bytes_f64(most.saturating_sub(least)).max(1.0);
        Self { least, span }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a share between 0 and 1")]
    fn share(&self, bytes: i64) -> f32 {
        (bytes_f64(bytes.saturating_sub(self.least)) / self.span).clamp(0.0, 1.0) as f32
    }
}

#[expect(clippy::cast_precision_loss, reason = "a height in pixels")]
fn bytes_f64(bytes: i64) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{MemoryPlace, MemorySource};

    fn track(points: &[(i64, i64)], reserved: i64) -> MemoryTrack {
        let curve = |of: &dyn Fn(i64) -> i64| {
            Curve::new(points.iter().map(|p| (Ns(p.0), of(p.1)))).unwrap()
        };
        let mut track = MemoryTrack::new(MemoryPlace::Host, 0, MemorySource::Totals);
        track.allocated = curve(&|bytes| bytes);
        track.reserved = Some(curve(&|_| reserved));
        track
    }

    fn rank() -> Rank {
        Rank {
            capture: Some(Window::new(Ns(0), Ns(400))),
            ..Rank::default()
        }
    }

    fn columns(track: &MemoryTrack, edges: &[i64]) -> Vec<(u32, f32, f32)> {
        let edges: Vec<Ns> = edges.iter().map(|at| Ns(*at)).collect();
        let mut draw = MemoryDraw::default();
        draw.measure(&rank(), track, &edges);
        let found = draw.columns.iter();
        found.map(|c| (c.x, c.allocated.0, c.allocated.1)).collect()
    }

    #[test]
    fn a_peak_of_a_moment_is_in_its_column() {
        let track = track(&[(100, 25), (150, 100), (150, 50)], 100);
        let found = columns(&track, &[0, 100, 200, 300]);
        assert_eq!(found, [(0, 0.0, 0.0), (1, 0.25, 1.0), (2, 0.5, 0.5)]);
        // Closer than a nanosecond: the value at the instant.
        assert_eq!(columns(&track, &[150, 150]), [(0, 0.5, 0.5)]);
    }

    #[test]
    fn nothing_is_drawn_where_nothing_was_recorded() {
        let track = track(&[(100, 50)], 100);
        let found = columns(&track, &[-300, -200, -100, 50, 350, 450, 550]);
        let places: Vec<u32> = found.iter().map(|c| c.0).collect();
        assert_eq!(places, [2, 3, 4]);
    }

    #[test]
    fn levels_below_the_start_reach_below_it() {
        let mut track = track(&[(100, -50), (200, 50)], 50);
        track.reserved = None;
        assert_eq!(
            columns(&track, &[50, 100])[0].1.to_bits(),
            0.5_f32.to_bits()
        );
        assert_eq!(
            columns(&track, &[100, 150])[0].1.to_bits(),
            0.0_f32.to_bits()
        );
    }
}
