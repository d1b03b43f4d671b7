//! The shares of pixel columns: how narrow slices are folded.
//!
//! Which way is taken depends on how many slices a column has. Few are walked, one after another.
//! Where there are more, and columns are several buckets wide, the row's buckets tell the shares
//! closely enough for a colour: off by an eighth of a column at most. Whether there is anything at
//! all in a column is always exact, so one short kernel is seen at any scale and an idle column
//! stays empty. What is left, such as a dense burst in a long row, is measured to the nanosecond by
//! a short search a column. So the cost goes with pixels, whatever the number of slices.

use super::lod::{Columns, Line};
use super::rows::{Shares, Times};
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Coarse, Told};
use std::ops::Range;

/// With more slices a column than this, buckets are asked where there are any that are fine enough.
pub(super) const WALKED: usize = 4;
/// With this many times more, columns are measured where no buckets are.
const MEASURED_FROM: usize = 6;
/// Below this scale a column may hold no nanosecond at all, so there is nothing to measure.
const LEAST_MEASURED: f64 = 1.0;

impl Line<'_> {
    /// Calls `found` with each column that narrow slices have a part in: its number and its shares.
    pub(super) fn folded(
        &self,
        columns: &Columns<'_>,
        walked: usize,
        found: impl FnMut(i64, &Shares),
    ) {
        let Some(shown) = columns.window() else {
            return;
        };
        let first = self.row.first_reaching(shown.start());
        let last = self.row.first_from(first, shown.end());
        if first >= last {
            return;
        }
        if self.view.ns_per_px < LEAST_MEASURED {
            self.hopped(first, columns, shown.end(), found);
            return;
        }
        let few = walked.saturating_mul(columns.edges.len());
        let is_indexed = self.row.is_indexed();
        if !is_indexed || last - first <= few {
            self.walked(first..last, columns, found);
        } else if let Some(buckets) = self.row.coarse(self.shortest()) {
            self.counted(first..last, columns, buckets, found);
        } else if last - first <= few.saturating_mul(MEASURED_FROM) {
            self.walked(first..last, columns, found);
        } else {
            self.measured(first..last, columns, found);
        }
    }

    /// A length that every column has.
    fn shortest(&self) -> DurNs {
        DurNs(self.view.length_of(1.0).0 - 1)
    }

    /// Goes from slice to slice, where some columns may be empty.
    fn hopped(
        &self,
        first: usize,
        columns: &Columns<'_>,
        end: Ns,
        mut found: impl FnMut(i64, &Shares),
    ) {
        // The first column that was not told yet.
        let mut free = columns.range.start;
        let mut i = first;
        while let Some(slice) = self.row.get(i).filter(|s| s.start() < end) {
            if self.is_wide(&slice) {
                i += 1;
                continue;
            }
            let at = self.view.column_of(slice.start()).max(free);
            if at >= columns.range.end {
                break;
            }
            let window = self.view.column(at);
            let (times, past) = self.row.walk(i, window);
            found(at, &Shares::new(&times, window.len()));
            free = at + 1;
            // What starts past this column comes next, or a slice of this one that reaches beyond it.
            let next = past.max(i + 1);
            i = match self.row.get(next - 1) {
                Some(last) if last.end() > window.end() || self.is_wide(&last) => next - 1,
                _ => next,
            };
        }
    }

    /// Goes along slices and columns together; every column has a length.
    fn walked(
        &self,
        places: Range<usize>,
        columns: &Columns<'_>,
        mut found: impl FnMut(i64, &Shares),
    ) {
        let least_wide = self.least_wide();
        let mut walk = Walk::new(columns);
        self.row.each(places, |start, dur, class| {
            if !walk.go_to(start, &mut found) {
                return false;
            }
            let (end, is_narrow) = (start + dur, dur < least_wide);
            loop {
                let inside = end.min(walk.end) - start.max(walk.start);
                walk.times.add(class, inside.max(DurNs::ZERO));
                walk.is_there |= is_narrow;
                if end <= walk.end {
                    return true;
                }
                if !walk.step(1, &mut found) {
                    return false;
                }
            }
        });
        walk.tell(&mut found);
    }

    /// Asks buckets.
    fn counted(
        &self,
        places: Range<usize>,
        columns: &Columns<'_>,
        buckets: Coarse<'_>,
        mut found: impl FnMut(i64, &Shares),
    ) {
        let wide = self.wide(places);
        let mut left = wide.as_slice();
        for (at, pair) in columns.range.clone().zip(columns.edges.windows(2)) {
            let &[start, end] = pair else { return };
            let window = Window::new(start, end);
            while let Some((slice, rest)) = left.split_first()
                && slice.end() <= start
            {
                left = rest;
            }
            let told = match left.first() {
                Some(w) if w.start() <= start && w.end() >= end => Told::Nothing,
                Some(w) if w.start() < end => Told::Unsure,
                _ => buckets.column(window),
            };
            match told {
                Told::About(times) => found(at, &Shares::about(&times, window.len())),
                Told::Nothing if self.row.has_point(window) => found(at, &Shares::default()),
                Told::Nothing => {}
                Told::Unsure => {
                    let mut before = Times::default();
                    let mut times = Times::default();
                    self.row.elapsed(&[start, end], |until| {
                        times = until.since(&before);
                        before = until;
                    });
                    if self.has_narrow(&times, window, left) {
                        found(at, &Shares::new(&times, window.len()));
                    }
                }
            }
        }
    }

    /// Goes from column to column.
    fn measured(
        &self,
        places: Range<usize>,
        columns: &Columns<'_>,
        mut found: impl FnMut(i64, &Shares),
    ) {
        let wide = self.wide(places);
        let mut left = wide.as_slice();
        let mut pairs = columns.range.clone().zip(columns.edges.windows(2));
        let mut before: Option<Times> = None;
        self.row.elapsed(columns.edges, |until| {
            let Some(start_total) = before.replace(until) else {
                return;
            };
            let Some((at, &[start, end])) = pairs.next() else {
                return;
            };
            let window = Window::new(start, end);
            let times = until.since(&start_total);
            while let Some((slice, rest)) = left.split_first()
                && slice.end() <= start
            {
                left = rest;
            }
            if self.has_narrow(&times, window, left) {
                found(at, &Shares::new(&times, window.len()));
            }
        });
    }

    /// The slices that are drawn by themselves.
    fn wide(&self, places: Range<usize>) -> Vec<Window> {
        let mut wide = Vec::new();
        self.row
            .long(places, self.least_wide(), |slice| wide.push(slice.window()));
        wide
    }

    /// Whether anything narrow is in a column. What the wide slices take of it is theirs; the rest
    /// is folded.
    fn has_narrow(&self, times: &Times, window: Window, wide: &[Window]) -> bool {
        let mut narrow = times.total();
        for slice in wide.iter().take_while(|s| s.start() < window.end()) {
            narrow = narrow - slice.clip(window).map_or(DurNs::ZERO, Window::len);
        }
        narrow > DurNs::ZERO || self.row.has_point(window)
    }
}

/// The column that a walk is in.
struct Walk<'a> {
    edges: &'a [Ns],
    /// The first column's number, and the place of this one after it.
    first: i64,
    place: usize,
    start: Ns,
    end: Ns,
    times: Times,
    /// Whether something narrow is in it.
    is_there: bool,
}

impl<'a> Walk<'a> {
    fn new(columns: &Columns<'a>) -> Self {
        let edges = columns.edges;
        let edge = |at| edges.get(at).copied().unwrap_or(Ns::MAX);
        Self {
            edges,
            first: columns.range.start,
            place: 0,
            start: edge(0),
            end: edge(1),
            times: Times::default(),
            is_there: false,
        }
    }

    /// Tells what was collected in the column.
    fn tell(&mut self, found: &mut impl FnMut(i64, &Shares)) {
        if self.is_there {
            let at = self.first + i64::try_from(self.place).unwrap_or(i64::MAX);
            found(at, &Shares::new(&self.times, self.end - self.start));
            self.is_there = false;
        }
        self.times = Times::default();
    }

    /// Goes on by some columns; false past the last one.
    fn step(&mut self, columns: usize, found: &mut impl FnMut(i64, &Shares)) -> bool {
        self.tell(found);
        self.place += columns;
        let edges = self.edges.get(self.place..self.place + 2);
        let Some(&[start, end]) = edges else {
            return false;
        };
        (self.start, self.end) = (start, end);
        true
    }

    /// Goes on to the column that holds an instant, or stays where it lies before this one.
    fn go_to(&mut self, at: Ns, found: &mut impl FnMut(i64, &Shares)) -> bool {
        if at < self.end {
            return true;
        }
        let later = self.edges.get(self.place + 1..).unwrap_or_default();
        // Mostly it is one of the next.
        let near = later.iter().take(8).take_while(|e| **e <= at).count();
        let columns = if near < 8 {
            near
        } else {
            later.partition_point(|e| *e <= at)
        };
        self.step(columns, found)
    }
}
