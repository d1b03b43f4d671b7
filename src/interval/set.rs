//! [`IntervalSet`]: sorted, disjoint, non-empty, non-touching half-open intervals.

use crate::time::{DurNs, Ns, Window};

/// A half-open interval `[start, end)`. Valid when `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// First instant inside.
    pub start: Ns,
    /// First instant past the interval.
    pub end: Ns,
}

impl Interval {
    /// An interval from two nanosecond numbers.
    #[must_use]
    pub const fn new(start: i64, end: i64) -> Self {
        Self {
            start: Ns(start),
            end: Ns(end),
        }
    }

    /// `end - start`.
    #[must_use]
    pub fn len(self) -> DurNs {
        self.end - self.start
    }

    /// Whether it holds no time (also where it is invalid).
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

impl From<Window> for Interval {
    fn from(window: Window) -> Self {
        Self {
            start: window.start(),
            end: window.end(),
        }
    }
}

/// A set of instants kept as sorted, disjoint, non-empty intervals that do not touch.
///
/// Only this module can build one, so every set that exists has that form.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct IntervalSet {
    items: Vec<Interval>,
}

impl IntervalSet {
    /// The set without any instant.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Merges intervals in any order. Those that overlap or touch join; empty and invalid ones
    /// (end before start) hold no instant and leave no trace.
    #[must_use]
    pub fn merge(mut intervals: Vec<Interval>) -> Self {
        intervals.retain(|i| !i.is_empty());
        if !intervals.is_sorted_by_key(|i| i.start) {
            intervals.sort_unstable();
        }
        Self::merge_sorted(intervals)
    }

    /// Merges intervals that come sorted by start, in place of the list that holds them.
    fn merge_sorted(mut items: Vec<Interval>) -> Self {
        items.dedup_by(|next, kept| {
            let joins = next.start <= kept.end;
            if joins {
                kept.end = kept.end.max(next.end);
            }
            joins
        });
        items.shrink_to_fit();
        Self { items }
    }

    /// The intervals in order.
    #[must_use]
    pub fn intervals(&self) -> &[Interval] {
        &self.items
    }

    /// Whether no instant is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Total length `|X|`.
    #[must_use]
    pub fn total(&self) -> DurNs {
        self.items.iter().map(|i| i.len()).sum()
    }

    /// First start to last end, or `None` for the empty set.
    #[must_use]
    pub fn extent(&self) -> Option<Window> {
        let (first, last) = (self.items.first()?, self.items.last()?);
        Some(Window::new(first.start, last.end))
    }

    /// The part inside a window.
    #[must_use]
    pub fn clip(&self, window: Window) -> Self {
        self.intersect(&Self::merge(vec![window.into()]))
    }

    /// Instants in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = Vec::with_capacity(self.items.len() + other.items.len());
        let (mut a, mut b) = (self.items.as_slice(), other.items.as_slice());
        while let (Some(x), Some(y)) = (a.first(), b.first()) {
            let (next, from) = if x.start <= y.start {
                (*x, &mut a)
            } else {
                (*y, &mut b)
            };
            all.push(next);
            *from = from.get(1..).unwrap_or(&[]);
        }
        all.extend_from_slice(a);
        all.extend_from_slice(b);
        Self::merge_sorted(all)
    }

    /// Instants in both sets.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let mut items = Vec::new();
        let (mut a, mut b) = (self.items.iter().peekable(), other.items.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            let common = Interval {
                start: x.start.max(y.start),
                end: x.end.min(y.end),
            };
            if !common.is_empty() {
                items.push(common);
            }
            if x.end <= y.end {
                a.next();
            } else {
                b.next();
            }
        }
        Self { items }
    }

    /// Instants in this set and not in the other.
    #[must_use]
    pub fn subtract(&self, other: &Self) -> Self {
        let mut items = Vec::new();
        let mut cuts = other.items.iter().peekable();
        for &whole in &self.items {
            let mut at = whole.start;
            while let Some(cut) = cuts.peek() {
                if cut.start >= whole.end {
                    break;
                }
                if cut.start > at {
                    items.push(Interval {
                        start: at,
                        end: cut.start,
                    });
                }
                at = at.max(cut.end);
                if cut.end > whole.end {
                    break;
                }
                cuts.next();
            }
            if at < whole.end {
                items.push(Interval {
                    start: at,
                    end: whole.end,
                });
            }
        }
        Self { items }
    }
}

impl FromIterator<Interval> for IntervalSet {
    fn from_iter<I: IntoIterator<Item = Interval>>(iter: I) -> Self {
        Self::merge(iter.into_iter().collect())
    }
}
