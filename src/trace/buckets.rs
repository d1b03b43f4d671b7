//! [`Buckets`]: how busy one sub-row was in equal stretches of time, at several widths.
//!
//! A picture of a long time needs no nanoseconds: where a pixel column is several buckets wide, its
//! shares are the sum of a few bytes that lie next to each other and are found by their number,
//! without a search. Each bucket has a byte a class, the square root of the class's share, so that
//! small shares keep their proportions; a bucket is zero if and only if nothing in it takes time.
//! The finest bucket holds about two slices on average, each further level has a quarter as many.

use super::class::KernelClass;
use crate::time::{DurNs, Ns, Window};

/// A column must be at least this many buckets wide. The two buckets on its edges count by the part
/// that lies in it, each with an error of a quarter of a bucket at most, so the shares of a column
/// are off by an eighth at most, and by what a byte cannot tell.
const LEAST_PER_COLUMN: i64 = 4;
/// Levels differ by this many binary digits of their bucket's width.
const STEP: u32 = 2;
/// Coarser levels than one with so few buckets are of no use.
const FEWEST: usize = 1_024;
/// Rows of fewer slices are told without.
pub(super) const LEAST_SLICES: usize = 2_048;
/// A class's share of a bucket in which nothing else ran.
const WHOLE: f32 = 255.0;

/// A byte a class, in the order of [`super::Times`].
type Cell = [u8; 4];

/// Busy time of a row by buckets. At most 3 bytes a slice.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    /// Where the first bucket of every level begins.
    origin: Ns,
    /// From fine to coarse.
    levels: Vec<Level>,
}

#[derive(Clone, Debug, Default)]
struct Level {
    /// A bucket is two to this power nanoseconds wide.
    shift: u32,
    cells: Vec<Cell>,
}

/// What buckets tell of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// Nothing in it takes time.
    Nothing,
    /// Time by what ran in nanoseconds, in the order of [`super::Times::parts`]; off by less than an eighth
    /// of the stretch. Something does take time.
    About([f32; 4]),
    /// Only buckets that reach over its edges hold something.
    Unsure,
}

/// The buckets of one width.
#[derive(Clone, Copy, Debug)]
pub struct Coarse<'a> {
    origin: Ns,
    shift: u32,
    cells: &'a [Cell],
}

impl Buckets {
    /// Begins to count so many slices.
    pub(super) fn counting(extent: Window, slices: usize) -> Counting {
        let most = i64::try_from(slices / 16 * 9).unwrap_or(i64::MAX);
        let len = extent.len().0.max(0);
        let shift = (0..60).find(|shift| len >> shift < most).unwrap_or(60);
        Counting::new(extent.start(), shift, len)
    }

    /// The widest buckets for columns of at least this length; `None` where the finest are too wide.
    pub(super) fn coarse(&self, column: DurNs) -> Option<Coarse<'_>> {
        let mut fitting = self.levels.iter().rev();
        let level = fitting.find(|l| column.0 >> l.shift >= LEAST_PER_COLUMN)?;
        Some(Coarse {
            origin: self.origin,
            shift: level.shift,
            cells: &level.cells,
        })
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let cells = self.levels.iter().map(|l| l.cells.capacity());
        cells.sum::<usize>() * size_of::<Cell>() + self.levels.capacity() * size_of::<Level>()
    }
}

impl Coarse<'_> {
    /// What ran in a stretch of time.
    #[must_use]
    pub fn column(&self, window: Window) -> Told {
        let end = i64::try_from(self.cells.len()).unwrap_or(i64::MAX) << self.shift;
        let from = (window.start() - self.origin).0.max(0);
        let to = (window.end() - self.origin).0.min(end);
        if from >= to {
            return Told::Nothing;
        }
        let place = |at: i64| usize::try_from(at >> self.shift).unwrap_or(usize::MAX);
        let (first, last) = (place(from), place(to));
        let cell = |at: usize| self.cells.get(at).copied().unwrap_or_default();
        let mut sums = [0_u32; 4];
        for cell in self.cells.get(first + 1..last).unwrap_or_default() {
            for (sum, part) in sums.iter_mut().zip(cell) {
                *sum += u32::from(*part) * u32::from(*part);
            }
        }
        // What is zero in the interior may be there on the edges, in this column or the next.
        let (before, after) = (cell(first), cell(last));
        let past = self.part_of(to);
        if sums == [0; 4] {
            let is_clear = before == [0; 4] && (after == [0; 4] || past == 0.0);
            return if is_clear {
                Told::Nothing
            } else {
                Told::Unsure
            };
        }
        let inside = 1.0 - self.part_of(from);
        let unit = f32_of_power(self.shift) / (WHOLE * WHOLE);
        let mut times = [0.0; 4];
        let edges = before.into_iter().zip(after);
        for ((time, sum), (before, after)) in times.iter_mut().zip(sums).zip(edges) {
            *time = (exact(sum) + square(before) * inside + square(after) * past) * unit;
        }
        Told::About(times)
    }

    /// How much of its bucket lies before an instant.
    fn part_of(&self, at: i64) -> f32 {
        let rest = at & ((1 << self.shift) - 1);
        // 16 digits are more than a byte can tell.
        let digits = self.shift.saturating_sub(16);
        let rest = f32::from(u16::try_from(rest >> digits).unwrap_or(u16::MAX));
        rest / f32_of_power(self.shift.min(16))
    }
}

fn square(part: u8) -> f32 {
    f32::from(part) * f32::from(part)
}

/// A power of two below 2^63.
fn f32_of_power(power: u32) -> f32 {
    f32::from_bits((127 + power.min(62)) << 23)
}

/// A sum of squares of bytes over a column.
#[expect(
    clippy::cast_precision_loss,
    reason = "24 digits are more than the bytes have that were added up"
)]
fn exact(sum: u32) -> f32 {
    sum as f32
}

/// Buckets while they are filled from left to right.
pub(super) struct Counting {
    origin: Ns,
    /// Where the open bucket of the finest level ends.
    to: i64,
    width: i64,
    open: [i64; 4],
    levels: Vec<Open>,
}

/// A level with the bucket that is not full yet.
struct Open {
    level: Level,
    sums: [i64; 4],
    /// How many buckets of the level below were added to it, and how many are one of this level.
    parts: u32,
    whole: u32,
}

impl Counting {
    fn new(origin: Ns, shift: u32, len: i64) -> Self {
        let mut levels = Vec::new();
        let mut at = shift;
        loop {
            let count = usize::try_from((len >> at).saturating_add(1)).unwrap_or(usize::MAX);
            levels.push(Open {
                level: Level {
                    shift: at,
                    cells: Vec::with_capacity(count),
                },
                sums: [0; 4],
                parts: 0,
                whole: if at == shift { 1 } else { 1 << STEP },
            });
            at += STEP;
            if count <= FEWEST || at > 60 {
                break;
            }
        }
        Self {
            origin,
            to: 1 << shift,
            width: 1 << shift,
            open: [0; 4],
            levels,
        }
    }

    /// Adds a slice; they come sorted and do not overlap.
    pub(super) fn add(&mut self, start: Ns, dur: DurNs, class: Option<KernelClass>) {
        let start = (start - self.origin).0;
        let end = start.saturating_add(dur.0);
        let slot = class.map_or(3, KernelClass::index);
        let mut at = start;
        while at < end {
            while at >= self.to {
                self.close();
            }
            let until = end.min(self.to);
            if let Some(sum) = self.open.get_mut(slot) {
                *sum += until - at;
            }
            at = until;
        }
    }

    /// Closes the open bucket, and those of coarser levels that it was the last of.
    fn close(&mut self) {
        let mut sums = std::mem::take(&mut self.open);
        self.to = self.to.saturating_add(self.width);
        for open in &mut self.levels {
            open.take(sums);
            if open.parts < open.whole {
                return;
            }
            sums = open.flush();
        }
    }

    pub(super) fn finish(mut self) -> Buckets {
        self.close();
        // Coarser buckets that the row ends in are closed as they are.
        let mut carried = None;
        for open in &mut self.levels {
            if let Some(sums) = carried {
                open.take(sums);
            }
            carried = (open.parts > 0).then(|| open.flush());
        }
        Buckets {
            origin: self.origin,
            levels: self.levels.into_iter().map(|open| open.level).collect(),
        }
    }
}

impl Open {
    fn take(&mut self, sums: [i64; 4]) {
        for (sum, part) in self.sums.iter_mut().zip(sums) {
            *sum += part;
        }
        self.parts += 1;
    }

    fn flush(&mut self) -> [i64; 4] {
        self.parts = 0;
        let sums = std::mem::take(&mut self.sums);
        let shift = self.level.shift;
        self.level.cells.push(sums.map(|time| root(time, shift)));
        sums
    }
}

/// The square root of a share as a byte; zero only for no time at all.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share between 0 and 1 of a byte; the cast saturates"
)]
fn root(time: i64, shift: u32) -> u8 {
    if time <= 0 {
        return 0;
    }
    let share = time as f32 / f32_of_power(shift);
    (share.sqrt() * WHOLE + 0.5).max(1.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Made = (i64, i64, Option<KernelClass>);

    /// Slices one after another, from gaps and lengths.
    fn slices() -> impl Strategy<Value = Vec<Made>> {
        let class = prop_oneof![
            Just(Some(KernelClass::Computation)),
            Just(Some(KernelClass::Communication)),
            Just(Some(KernelClass::Memory)),
            Just(None)
        ];
        let gap = prop_oneof![4 => 0_i64..60, 1 => 0_i64..3_000];
        let dur = prop_oneof![6 => 0_i64..60, 1 => 0_i64..2_000];
        proptest::collection::vec((gap, dur, class), 1..1_500).prop_map(|parts| {
            let mut at = 1_000;
            let placed = parts.into_iter().map(|(gap, dur, class)| {
                let start = at + gap;
                at = start + dur;
                (start, at, class)
            });
            placed.collect()
        })
    }

    fn buckets(made: &[Made]) -> Buckets {
        let (first, last) = (made[0].0, made[made.len() - 1].1);
        let extent = Window::new(Ns(first), Ns(last));
        let mut counting = Buckets::counting(extent, made.len().max(32));
        for &(start, end, class) in made {
            counting.add(Ns(start), DurNs(end - start), class);
        }
        counting.finish()
    }

    fn times(made: &[Made], window: Window) -> [i64; 4] {
        let mut times = [0; 4];
        for &(start, end, class) in made {
            let clipped = Window::new(Ns(start), Ns(end)).clip(window);
            times[class.map_or(3, KernelClass::index)] += clipped.map_or(0, |w| w.len().0);
        }
        times
    }

    proptest! {
        /// Every class is within an eighth of the column and what a byte cannot tell.
        #[test]
        fn columns_are_near_and_never_wrongly_empty(
            made in slices(), from in 0_i64..20_000, pitch in 1_i64..5_000,
        ) {
            let buckets = buckets(&made);
            let Some(coarse) = buckets.coarse(DurNs(pitch)) else { return Ok(()) };
            for column in 0..40 {
                let start = Ns(from + column * pitch);
                let window = Window::new(start, start + DurNs(pitch));
                let exact = times(&made, window);
                match coarse.column(window) {
                    Told::Nothing => prop_assert_eq!(exact, [0; 4]),
                    Told::Unsure => {}
                    Told::About(about) => {
                        prop_assert!(exact.iter().sum::<i64>() > 0);
                        for (about, exact) in about.into_iter().zip(exact) {
                            let exact = f32::from(u16::try_from(exact).unwrap());
                            let pitch = f32::from(u16::try_from(pitch).unwrap());
                            prop_assert!((about - exact).abs() <= 0.13 * pitch, "{} {} of {}", about, exact, pitch);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn levels_are_small_and_end_with_the_row() {
        let made: Vec<Made> = (0..100_000).map(|i| (i * 10, i * 10 + 7, None)).collect();
        let buckets = buckets(&made);
        assert!(
            buckets.heap_bytes() <= 3 * made.len() + 1_000,
            "{}",
            buckets.heap_bytes()
        );
        for level in &buckets.levels {
            let end = level.cells.len() << level.shift;
            assert!(end >= 999_997 && end - (1 << level.shift) <= 999_997);
            assert!(level.cells.iter().all(|c| c[..3] == [0; 3] && c[3] > 0));
        }
        assert!(buckets.coarse(DurNs(40)).is_none());
        let about = buckets.coarse(DurNs(10_000)).unwrap();
        let Told::About(times) = about.column(Window::new(Ns(50_003), Ns(60_003))) else {
            panic!("the column is busy");
        };
        assert!((times[3] - 7_000.0).abs() < 50.0, "{times:?}");
    }

    #[test]
    fn small_shares_keep_their_proportions() {
        // Of a million nanoseconds 300 and 10 are taken.
        let mut counting = Buckets::counting(Window::new(Ns(0), Ns(1 << 30)), 4_096);
        let classes = [KernelClass::Computation, KernelClass::Communication];
        for i in 0..1_024 {
            counting.add(Ns(i << 20), DurNs(3_000), Some(classes[0]));
            counting.add(Ns((i << 20) + 5_000), DurNs(100), Some(classes[1]));
        }
        let buckets = counting.finish();
        let coarse = buckets.coarse(DurNs(1 << 24)).unwrap();
        let Told::About([many, few, ..]) = coarse.column(Window::new(Ns(0), Ns(1 << 24))) else {
            panic!("the column is busy");
        };
        assert!((few / many - 1.0 / 30.0).abs() < 0.03, "{few} {many}");
    }
}
