//! [`Curve`]: a step function of bytes over time, asked for its value and its extremes in O(log n).

use crate::time::{DurNs, Ns, Window};
use std::ops::Range;
use thiserror::Error;

/// How many entries of a level one entry of the level above stands for.
const WIDTH: usize = 16;

/// Bytes over time. Each point holds from its instant on, until the next one.
///
/// Several points may share an instant (clocks of a microsecond hold many allocations): the last of
/// them is the value from there on, and all of them count for the extremes, since a peak that stood
/// for less than a tick was still needed.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    at: Vec<Ns>,
    /// Bytes; negative only where the writer's own sum fell below where it began.
    bytes: Vec<i64>,
    /// Least and greatest of every [`WIDTH`] points, of every [`WIDTH`] of those, and so on.
    levels: Vec<Vec<Places>>,
}

/// Where the least and the greatest of a run of points lie; the first of equal ones.
#[derive(Clone, Copy, Debug)]
struct Places {
    min: usize,
    max: usize,
}

/// One extreme of a curve within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extreme {
    /// The value in bytes.
    pub bytes: i64,
    /// When it is first reached inside the window: the window's start where it was reached before.
    pub at: Ns,
    /// The point that reached it.
    pub index: usize,
}

/// The least and the greatest value of a curve within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// The least value, where it is reached first.
    pub min: Extreme,
    /// The greatest value, where it is reached first.
    pub max: Extreme,
}

/// Points that are no curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CurveError {
    /// A point lies before the one in front of it.
    #[error("point {0} of the curve lies before the one in front of it")]
    OutOfOrder(usize),
}

impl Curve {
    /// Builds a curve from points in order of time; points at one instant in the order they happened.
    ///
    /// # Errors
    ///
    /// Where a point lies before the one in front of it.
    pub fn new(points: impl IntoIterator<Item = (Ns, i64)>) -> Result<Self, CurveError> {
        let (at, bytes): (Vec<Ns>, Vec<i64>) = points.into_iter().unzip();
        let mut pairs = at.iter().zip(at.iter().skip(1));
        if let Some(before) = pairs.position(|(first, second)| second < first) {
            return Err(CurveError::OutOfOrder(before + 1));
        }
        let levels = levels(&bytes);
        Ok(Self { at, bytes, levels })
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// From the first point to the last; `None` for an empty curve.
    #[must_use]
    pub fn extent(&self) -> Option<Window> {
        Some(Window::new(*self.at.first()?, *self.at.last()?))
    }

    /// One point: when, and the bytes from then on.
    #[must_use]
    pub fn point(&self, index: usize) -> Option<(Ns, i64)> {
        Some((*self.at.get(index)?, *self.bytes.get(index)?))
    }

    /// The points inside a half-open window, as indices.
    #[must_use]
    pub fn indices(&self, window: Window) -> Range<usize> {
        self.before(window.start())..self.before(window.end())
    }

    /// The points inside a half-open window.
    pub fn points(&self, window: Window) -> impl Iterator<Item = (Ns, i64)> + '_ {
        self.indices(window).filter_map(|index| self.point(index))
    }

    /// The bytes at an instant, what happens at that instant included; `None` before the first point.
    #[must_use]
    pub fn value_at(&self, at: Ns) -> Option<i64> {
        let last = self.at.partition_point(|t| *t <= at).checked_sub(1)?;
        self.bytes.get(last).copied()
    }

    /// The bytes right before an instant: what a window that starts there begins with. `None` where
    /// nothing was recorded before.
    #[must_use]
    pub fn value_before(&self, at: Ns) -> Option<i64> {
        let last = self.before(at).checked_sub(1)?;
        self.bytes.get(last).copied()
    }

    /// The least and greatest value inside a half-open window, the value it begins with included;
    /// `None` where nothing is known inside of it.
    #[must_use]
    pub fn extremes(&self, window: Window) -> Option<Extremes> {
        let inside = self.indices(window);
        let carried = self.carried(window.start(), &inside);
        let found = match (carried, self.places(inside)) {
            (Some(carried), Some(inside)) => self.joined(carried, inside),
            (carried, inside) => carried.or(inside)?,
        };
        let extreme = |index: usize| {
            let (at, bytes) = self.point(index)?;
            let at = at.max(window.start());
            Some(Extreme { bytes, at, index })
        };
        Some(Extremes {
            min: extreme(found.min)?,
            max: extreme(found.max)?,
        })
    }

    /// Moves every point by the same time.
    pub fn move_by(&mut self, by: DurNs) {
        for at in &mut self.at {
            *at = at.saturating_add(by);
        }
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let levels = self
            .levels
            .iter()
            .map(|l| l.capacity() * size_of::<Places>());
        self.at.capacity() * 8 + self.bytes.capacity() * 8 + levels.sum::<usize>()
    }

    /// How many points lie before an instant.
    fn before(&self, at: Ns) -> usize {
        self.at.partition_point(|t| *t < at)
    }

    /// The point whose value a window begins with, unless a point at its very start replaces it.
    fn carried(&self, start: Ns, inside: &Range<usize>) -> Option<Places> {
        if self.at.get(inside.start) == Some(&start) && !inside.is_empty() {
            return None;
        }
        let index = inside.start.checked_sub(1)?;
        let (min, max) = (index, index);
        Some(Places { min, max })
    }

    /// Where the extremes of a range of points lie.
    fn places(&self, mut range: Range<usize>) -> Option<Places> {
        // Ends that do not fill an entry of the level above are taken at this level, left ones in
        // order, right ones from behind; joining keeps the first of equal ones, whatever comes when.
        let mut found: Option<Places> = None;
        let mut take = |places: Option<Places>| {
            found = match (found, places) {
                (Some(a), Some(b)) => Some(self.joined(a, b)),
                (a, b) => a.or(b),
            };
        };
        for depth in 0.. {
            while range.start < range.end && !range.start.is_multiple_of(WIDTH) {
                take(self.entry(depth, range.start));
                range.start += 1;
            }
            while range.start < range.end && !range.end.is_multiple_of(WIDTH) {
                range.end -= 1;
                take(self.entry(depth, range.end));
            }
            if range.is_empty() {
                break;
            }
            range = range.start / WIDTH..range.end / WIDTH;
        }
        found
    }

    /// An entry of a level; level 0 are the points themselves.
    fn entry(&self, depth: usize, index: usize) -> Option<Places> {
        match depth.checked_sub(1) {
            None => Some(Places {
                min: index,
                max: index,
            }),
            Some(level) => self.levels.get(level)?.get(index).copied(),
        }
    }

    fn joined(&self, a: Places, b: Places) -> Places {
        joined(&self.bytes, a, b)
    }
}

/// The extremes of two runs; of equal ones the first.
fn joined(bytes: &[i64], a: Places, b: Places) -> Places {
    let key = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let min = std::cmp::min_by_key(a.min, b.min, |i| (key(*i), *i));
    let max = std::cmp::min_by_key(a.max, b.max, |i| (std::cmp::Reverse(key(*i)), *i));
    Places { min, max }
}

/// All levels above the points. A level with a whole run in it needs one above: a question climbs as
/// soon as a run is covered.
fn levels(bytes: &[i64]) -> Vec<Vec<Places>> {
    let join = |run: &[Places]| run.iter().copied().reduce(|a, b| joined(bytes, a, b));
    let of_points = |first: usize| {
        let run = first..(first + WIDTH).min(bytes.len());
        let single = run.map(|i| Places { min: i, max: i });
        single.reduce(|a, b| joined(bytes, a, b))
    };
    let mut levels: Vec<Vec<Places>> = Vec::new();
    if bytes.len() >= WIDTH {
        let firsts = (0..bytes.len()).step_by(WIDTH);
        levels.push(firsts.filter_map(of_points).collect());
    }
    while let Some(last) = levels.last().filter(|level| level.len() >= WIDTH) {
        let above = last.chunks(WIDTH).filter_map(join).collect();
        levels.push(above);
    }
    levels
}

#[cfg(test)]
mod tests;
