//! [`Ladder`]: finding a place in a long sorted list with few visits to far memory.

use crate::time::Ns;

/// How many entries one rung decides between: two cache lines.
const WIDTH: usize = 16;

/// Every sixteenth instant of a sorted list, every sixteenth of those, and so on.
///
/// A binary search in ten million instants waits for memory some twenty times. Here all levels but
/// the last two stay in the caches, and each is decided within two neighbouring lines, without a
/// branch that depends on what is found.
#[derive(Clone, Debug, Default)]
pub(super) struct Ladder {
    /// The coarsest level first; at most [`WIDTH`] entries in it.
    levels: Vec<Vec<Ns>>,
}

impl Ladder {
    /// Builds over a sorted list. The list stays with the caller, who brings it to every question.
    pub(super) fn new(sorted: &[Ns]) -> Self {
        let mut levels: Vec<Vec<Ns>> = Vec::new();
        let every = |list: &[Ns]| list.iter().step_by(WIDTH).copied().collect();
        let mut last = sorted;
        while last.len() > WIDTH {
            levels.push(every(last));
            last = levels.last().map_or(&[], Vec::as_slice);
        }
        levels.reverse();
        Self { levels }
    }

    /// How many instants of the list it was built over are at or before `at`.
    #[inline]
    pub(super) fn up_to(&self, sorted: &[Ns], at: Ns) -> usize {
        let mut place = 0;
        for level in self.levels.iter().map(Vec::as_slice).chain([sorted]) {
            let from = place * WIDTH;
            let rest = level.get(from..).unwrap_or(&[]);
            let found = match rest.first_chunk() {
                Some(rung) => in_rung(rung, at),
                None => rest.partition_point(|t| *t <= at),
            };
            // The first of a rung was passed one level up; at the top nothing may be.
            match (from + found).checked_sub(1) {
                Some(last) => place = last,
                None => return 0,
            }
        }
        if sorted.is_empty() { 0 } else { place + 1 }
    }

    /// How many are before `at`.
    #[inline]
    pub(super) fn before(&self, sorted: &[Ns], at: Ns) -> usize {
        at.0.checked_sub(1)
            .map_or(0, |before| self.up_to(sorted, Ns(before)))
    }

    /// Heap memory in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.levels.iter().map(|l| l.capacity() * 8).sum()
    }
}

/// How many of a whole rung are at or before `at`: four halvings that the processor need not guess.
#[inline]
fn in_rung(rung: &[Ns; WIDTH], at: Ns) -> usize {
    let mut found = 0;
    for half in [8, 4, 2, 1] {
        // At most 15 so far, and the next one asked for is within the rung.
        let passed = rung.get(found + half - 1).is_some_and(|t| *t <= at);
        found += if passed { half } else { 0 };
    }
    found + usize::from(rung.get(found).is_some_and(|t| *t <= at))
}

/// How many of a sorted list are at or before an instant, looked for from `from` on: near first,
/// then in doubling steps. Goes back to the whole list where the instant lies before that.
#[must_use]
pub fn gallop(sorted: &[Ns], from: usize, at: Ns) -> usize {
    let from = from.min(sorted.len());
    let passed = |i: usize| sorted.get(i).is_some_and(|t| *t <= at);
    let among = |range: std::ops::Range<usize>| {
        let range = sorted.get(range).unwrap_or(&[]);
        range.partition_point(|t| *t <= at)
    };
    if from.checked_sub(1).is_some_and(|i| !passed(i)) {
        return among(0..from);
    }
    let (mut low, mut step) = (from, 1);
    while passed(low + step - 1) {
        low += step;
        step *= 2;
    }
    low + among(low..(low + step - 1).min(sorted.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_of_a_binary_search(
            mut list in prop::collection::vec(-300_i64..300, 0..700),
            at in -310_i64..310,
        ) {
            list.sort_unstable();
            let list: Vec<Ns> = list.into_iter().map(Ns).collect();
            let ladder = Ladder::new(&list);
            let at = Ns(at);
            prop_assert_eq!(ladder.up_to(&list, at), list.partition_point(|t| *t <= at));
            prop_assert_eq!(ladder.before(&list, at), list.partition_point(|t| *t < at));
        }
    }

    #[test]
    fn every_length_around_a_power_of_the_width() {
        for len in [0, 1, 15, 16, 17, 255, 256, 257, 4_095, 4_096, 4_097] {
            let list: Vec<Ns> = (0..len).map(|i| Ns(2 * i)).collect();
            let ladder = Ladder::new(&list);
            for at in [-1, 0, 1, len - 1, len, 2 * len - 2, 2 * len] {
                let expected = list.partition_point(|t| *t <= Ns(at));
                assert_eq!(ladder.up_to(&list, Ns(at)), expected, "{at} of {len}");
            }
        }
        let ends = [Ns(i64::MIN), Ns(i64::MAX)];
        assert_eq!(Ladder::new(&ends).before(&ends, Ns(i64::MIN)), 0);
        assert_eq!(Ladder::new(&ends).up_to(&ends, Ns(i64::MAX)), 2);
    }
}
