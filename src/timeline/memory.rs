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
        let (Some(shown), Some(scale)) = (rank.memory_window(), Scale::of(track, edges)) else {
            return;
        };
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

/// The least and most of a curve in a stretch; its value where the stretch is an instant.
fn range(curve: &Curve, window: Window) -> Option<(i64, i64)> {
    if window.is_empty() {
        let value = curve.value_at(window.start())?;
        return Some((value, value));
    }
    let found = curve.extremes(window)?;
    Some((found.min.bytes, found.max.bytes))
}

/// What the height of a lane stands for in a view: from 0, or the least of the view where that is
/// below, to the most of the view.
#[must_use]
pub fn memory_scale(track: &MemoryTrack, view: Window) -> (i64, i64) {
    let starts = track.allocated.extent().map(Window::start);
    let before = starts.is_none_or(|first| view.start() < first);
    let before = before.then_some((track.before, track.before));
    let both = [Some(&track.allocated), track.reserved.as_ref()];
    let both = both.into_iter().flatten();
    let both = both.filter_map(|curve| range(curve, view)).chain(before);
    both.fold((0, 0), |all, found| {
        (all.0.min(found.0), all.1.max(found.1))
    })
}

/// From bytes to shares of the height.
struct Scale {
    least: i64,
    span: f64,
}

impl Scale {
    fn of(track: &MemoryTrack, edges: &[Ns]) -> Option<Self> {
        let view = Window::new(*edges.first()?, *edges.last()?);
        let (least, most) = memory_scale(track, view);
        let span = bytes_f64(most.saturating_sub(least)).max(1.0);
        Some(Self { least, span })
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
        let found = columns(&track, &[50, 100, 150, 250]);
        assert_eq!(found, [(0, 0.5, 0.5), (1, 0.0, 0.0), (2, 0.0, 1.0)]);
    }

    /// 60 of 80 in view: what others reach elsewhere plays no part.
    #[test]
    fn the_height_is_the_most_of_the_view() {
        let track = track(&[(100, 25), (150, 100), (200, 60), (300, 80)], 90);
        let mut allocated = track.clone();
        allocated.reserved = None;
        let scale = |track, from, to| memory_scale(track, Window::new(Ns(from), Ns(to)));
        assert_eq!(scale(&allocated, 0, 400), (0, 100));
        assert_eq!(scale(&allocated, 210, 400), (0, 80));
        assert_eq!(scale(&allocated, 210, 300), (0, 60));
        assert_eq!(scale(&track, 210, 300), (0, 90));
        assert_eq!(scale(&allocated, 0, 50), (0, 0));
        let found = columns(&allocated, &[210, 260, 301]);
        assert_eq!(found, [(0, 0.75, 0.75), (1, 0.75, 1.0)]);
    }
}
