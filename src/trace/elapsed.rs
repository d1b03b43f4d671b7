//! Time by what ran before an instant, to the nanosecond: the exact side of [`Row`].

use super::Times;
use super::class::KernelClass;
use super::rows::{BLOCK, Ids, Listed, Row};
use crate::interval::gallop;
use crate::time::{DurNs, Ns};

/// How many instants are looked up together.
const BATCH: usize = 16;

impl Row<'_> {
    /// Calls `found` with the time by what ran before each of some instants, which are sorted.
    ///
    /// Zoomed out, every instant lies in memory that no cache holds. So the places of a few of them
    /// are looked up and touched first, one after another without anything between, and what
    /// memory brings for all of them together is added up then.
    pub fn elapsed(&self, instants: &[Ns], mut found: impl FnMut(Times)) {
        let Ids::Listed(listed) = self.ids else {
            return;
        };
        let mut block = 0;
        for some in instants.chunks(BATCH) {
            let mut blocks = [0; BATCH];
            for (place, at) in blocks.iter_mut().zip(some) {
                block = gallop(&listed.firsts, block, *at);
                *place = block;
            }
            let touched = blocks.iter().map(|blocks| self.touch(listed, *blocks));
            std::hint::black_box(touched.fold(0, |all, part| all ^ part));
            for (blocks, at) in blocks.iter().zip(some) {
                found(self.elapsed_in(listed, *blocks, *at));
            }
        }
    }

    /// Reads something of all that the last of some blocks is told by.
    fn touch(&self, listed: &Listed, blocks: usize) -> i64 {
        let last = blocks.saturating_sub(1);
        let sum = listed.sums.get(last).map_or(0, |t| t.total().0);
        let Some((from, _)) = self.range() else {
            let id = listed.ids.get(last * BLOCK).copied().unwrap_or(0);
            return sum ^ i64::from(id);
        };
        let first = usize::try_from(from).unwrap_or(usize::MAX) + last * BLOCK;
        // The block's slices mostly lie over two cache lines of a column.
        let ends = [first, first + BLOCK - 1];
        let start = |i: usize| self.slices.start.get(i).map_or(0, |t| t.0);
        let dur = |i: usize| self.slices.dur.get(i).map_or(0, |d| d.0);
        let class = self.slices.class.get(first).copied().flatten();
        let class = i64::from(class.is_some());
        ends.map(|i| start(i) ^ dur(i))
            .iter()
            .fold(sum ^ class, |all, part| all ^ part)
    }

    /// Time by what ran before an instant, where it is known how many blocks begin up to it.
    fn elapsed_in(&self, listed: &Listed, blocks: usize, at: Ns) -> Times {
        let Some(last) = blocks.checked_sub(1) else {
            return Times::default();
        };
        let mut times = listed.sums.get(last).copied().unwrap_or_default();
        let places = last * BLOCK..((last + 1) * BLOCK).min(self.len());
        self.each(places, |start, dur, class| {
            let inside = (at - start).min(dur).max(DurNs::ZERO);
            let [computation, communication, memory, other] = &mut times.0;
            let slot = match class {
                Some(KernelClass::Computation) => computation,
                Some(KernelClass::Communication) => communication,
                Some(KernelClass::Memory) => memory,
                None => other,
            };
            *slot = slot.wrapping_add(inside.0);
            true
        });
        times
    }
}
