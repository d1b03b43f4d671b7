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
    /// What of it was allocated before a snapshot's recording began.
    pub older: Option<f32>,
}

/// The curves of an allocator: one of the trace, or that of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLevels<'a> {
    /// Bytes in use.
    pub allocated: &'a Curve,
    /// Bytes taken from the driver, where that is known.
    pub reserved: Option<&'a Curve>,
    /// What was in use before the first point, where that is known.
    pub before: Option<i64>,
    /// What of it is older than the recording.
    pub older: Option<i64>,
    /// Where something is known.
    pub shown: Window,
}

impl<'a> MemoryLevels<'a> {
    /// Those of an allocator of a trace; `None` where its rank recorded nothing.
    #[must_use]
    pub fn of_track(rank: &Rank, track: &'a MemoryTrack) -> Option<Self> {
        Some(Self {
            allocated: &track.allocated,
            reserved: track.reserved.as_ref(),
            before: Some(track.before),
            older: None,
            shown: rank.memory_window()?,
        })
    }

    /// What the height of a lane stands for in a view: from 0, or the least of the view where that is
    /// below, to the most of the view.
    #[must_use]
    pub fn scale(&self, view: Window) -> (i64, i64) {
        let starts = self.allocated.extent().map(Window::start);
        let before = starts.is_none_or(|first| view.start() < first);
        let before = self.before.filter(|_| before).map(|bytes| (bytes, bytes));
        let both = [Some(self.allocated), self.reserved].into_iter().flatten();
        let both = both.filter_map(|curve| range(curve, view)).chain(before);
        both.fold((0, 0), |all, found| {
            (all.0.min(found.0), all.1.max(found.1))
        })
    }
}

impl MemoryDraw {
    /// Measures the columns between neighbours of these edges.
    pub(super) fn measure(&mut self, levels: &MemoryLevels<'_>, edges: &[Ns]) {
        self.columns.clear();
        let Some(scale) = Scale::of(levels, edges) else {
            return;
        };
        let shown = levels.shown;
        for (x, pair) in (0_u32..).zip(edges.windows(2)) {
            let (Some(from), Some(to)) = (pair.first(), pair.last()) else {
                continue;
            };
            if *to < shown.start() || *from > shown.end() {
                continue;
            }
            let window = Window::new(*from, *to);
            let before = levels.before.map(|bytes| (bytes, bytes));
            let Some((least, most)) = range(levels.allocated, window).or(before) else {
                continue;
            };
            let reserved = levels.reserved.and_then(|r| range(r, window));
            // No more than is allocated: what is older may be freed in the recording.
            let older = levels.older.filter(|bytes| *bytes > 0);
            let both = |(least, most)| (scale.share(least), scale.share(most));
            self.columns.push(MemoryColumn {
                x,
                allocated: both((least, most)),
                reserved: reserved.map(both),
                older: older.map(|bytes| scale.share(bytes.min(least))),
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

/// From bytes to shares of the height.
struct Scale {
    least: i64,
    span: f64,
}

impl Scale {
    fn of(levels: &MemoryLevels<'_>, edges: &[Ns]) -> Option<Self> {
        let view = Window::new(*edges.first()?, *edges.last()?);
        let (least, most) = levels.scale(view);
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
        draw.measure(&MemoryLevels::of_track(&rank(), track).unwrap(), &edges);
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
        let scale = |track, from, to| {
            let levels = MemoryLevels::of_track(&rank(), track).unwrap();
            levels.scale(Window::new(Ns(from), Ns(to)))
        };
        assert_eq!(scale(&allocated, 0, 400), (0, 100));
        assert_eq!(scale(&allocated, 210, 400), (0, 80));
        assert_eq!(scale(&allocated, 210, 300), (0, 60));
        assert_eq!(scale(&track, 210, 300), (0, 90));
        assert_eq!(scale(&allocated, 0, 50), (0, 0));
        let found = columns(&allocated, &[210, 260, 301]);
        assert_eq!(found, [(0, 0.75, 0.75), (1, 0.75, 1.0)]);
    }

    /// A snapshot knows nothing before its recording, and what of it is older.
    #[test]
    fn a_snapshot_shows_what_it_recorded() {
        let track = track(&[(100, 40), (150, 100), (200, 20)], 100);
        let levels = MemoryLevels {
            before: None,
            older: Some(30),
            shown: Window::new(Ns(100), Ns(201)),
            ..MemoryLevels::of_track(&rank(), &track).unwrap()
        };
        let mut draw = MemoryDraw::default();
        let edges: Vec<Ns> = [0, 50, 100, 150, 200, 250, 300].map(Ns).to_vec();
        draw.measure(&levels, &edges);
        let found = draw.columns.iter();
        let found: Vec<(u32, f32, Option<f32>)> =
            found.map(|c| (c.x, c.allocated.1, c.older)).collect();
        assert_eq!(
            found,
            [
                (2, 0.4, Some(0.3)),
                (3, 1.0, Some(0.3)),
                (4, 0.2, Some(0.2))
            ]
        );
        assert_eq!(levels.scale(Window::new(Ns(0), Ns(50))), (0, 0));
    }
}
