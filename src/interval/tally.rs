//! [`Tally`]: how many slices have time in a window, and the plain sum of their clipped lengths.

#![expect(
    clippy::indexing_slicing,
    reason = "the sums have one entry a block and one more, and a count never exceeds the column"
)]

use super::ladder::Ladder;
use crate::time::{DurNs, Ns, Window};

/// Counts and sums the slices of any window in O(log n).
///
/// Slices that overlap count separately here: the sum of two kernels that run side by side is
/// twice the time that passes. Starts and ends are kept sorted on their own, since
/// `Σ clip(slice, (-∞, t))` needs only how many began and ended before `t` and the sums of those.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    starts: Edges,
    ends: Edges,
    /// Instants of slices without any length.
    points: Vec<Ns>,
    /// Last end of all: the one instant past the half-open extent that still belongs to it.
    last: Option<Ns>,
}

impl Tally {
    /// Builds from `(start, end)` pairs in any order; pairs whose end is before their start are
    /// ignored.
    #[must_use]
    pub fn new(slices: impl Iterator<Item = (Ns, Ns)>) -> Self {
        let (mut starts, mut ends, mut points) = (Vec::new(), Vec::new(), Vec::new());
        for (start, end) in slices {
            if start < end {
                starts.push(start);
                ends.push(end);
            } else if start == end {
                points.push(start);
            }
        }
        points.sort_unstable();
        let (starts, ends) = (Edges::new(starts), Edges::new(ends));
        let last = ends.at.last().copied().max(points.last().copied());
        Self {
            starts,
            ends,
            points,
            last,
        }
    }

    /// Count and sum of a window at once, each as told by [`count`](Self::count) and
    /// [`sum`](Self::sum): cheaper than one after the other.
    #[must_use]
    pub fn measure(&self, window: Window) -> (u64, DurNs) {
        let (from, to) = (window.start(), window.end());
        let (begun_before, begun) = (self.starts.before(from), self.starts.before(to));
        let (ended_before, ended) = (self.ends.up_to(from), self.ends.up_to(to));
        let long = if window.is_empty() {
            0
        } else {
            begun - ended_before
        };
        let until_end = self.starts.elapsed(begun, to) - self.ends.elapsed(ended, to);
        let until_start =
            self.starts.elapsed(begun_before, from) - self.ends.elapsed(ended_before, from);
        let sum = i64::try_from(until_end - until_start).unwrap_or(i64::MAX);
        (to_u64(long + self.points_in(window)), DurNs(sum))
    }

    /// Number of slices with time inside the window, plus the zero-length ones that start inside.
    /// A zero-length slice at the last end of all belongs to a window that ends there.
    #[must_use]
    pub fn count(&self, window: Window) -> u64 {
        self.measure(window).0
    }

    /// Number of slices that began before an instant and end behind it.
    #[must_use]
    pub fn across(&self, at: Ns) -> usize {
        self.starts.before(at).saturating_sub(self.ends.up_to(at))
    }

    /// Sum of the slices' lengths inside the window, overlapping ones each for themselves.
    #[must_use]
    pub fn sum(&self, window: Window) -> DurNs {
        self.measure(window).1
    }

    fn points_in(&self, window: Window) -> usize {
        let first = self.points.partition_point(|p| *p < window.start());
        let closed = Some(window.end()) == self.last;
        let past = self
            .points
            .partition_point(|p| *p < window.end() || (closed && *p == window.end()));
        past.saturating_sub(first)
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.points.capacity() * 8 + self.starts.heap_bytes() + self.ends.heap_bytes()
    }
}

const BLOCK: usize = 16;

/// Sorted instants with sampled prefix sums.
#[derive(Clone, Debug)]
struct Edges {
    at: Vec<Ns>,
    /// Sum of the instants before position `BLOCK * i`.
    sums: Vec<i128>,
    ladder: Ladder,
}

impl Default for Edges {
    /// No instants; the sums begin with nothing all the same.
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Edges {
    fn new(mut at: Vec<Ns>) -> Self {
        at.sort_unstable();
        at.shrink_to_fit();
        let mut sums = Vec::with_capacity(at.len() / BLOCK + 1);
        let mut total = 0_i128;
        sums.push(0);
        for block in at.chunks(BLOCK) {
            total += block.iter().map(|t| i128::from(t.0)).sum::<i128>();
            sums.push(total);
        }
        let ladder = Ladder::new(&at);
        Self { at, sums, ladder }
    }

    fn before(&self, at: Ns) -> usize {
        self.ladder.before(&self.at, at)
    }

    fn up_to(&self, at: Ns) -> usize {
        self.ladder.up_to(&self.at, at)
    }

    /// `Σ max(0, at - t)` over all instants, of which `n` are before `at`; those at `at` itself may
    /// be among them, as they add nothing.
    fn elapsed(&self, n: usize, at: Ns) -> i128 {
        let block = n / BLOCK;
        let rest: i128 = self.at[block * BLOCK..n]
            .iter()
            .map(|t| i128::from(t.0))
            .sum();
        let count = i128::try_from(n).unwrap_or(i128::MAX);
        count * i128::from(at.0) - self.sums[block] - rest
    }

    fn heap_bytes(&self) -> usize {
        self.at.capacity() * 8 + self.sums.capacity() * 16 + self.ladder.heap_bytes()
    }
}

fn to_u64(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
