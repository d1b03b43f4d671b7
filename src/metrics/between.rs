//! The time between the edges of two slices: [`between`].

use crate::time::{DurNs, Window};

/// How two slices lie to each other, from the one that starts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    /// Whether the second of the two that were named starts first.
    pub is_swapped: bool,
    /// From the end of the earlier one to the start of the later one; negative where they overlap.
    pub gap: DurNs,
    /// From start to start; never negative.
    pub starts: DurNs,
    /// From end to end; negative where the later one ends first.
    pub ends: DurNs,
}

/// Measures from one slice to another. The earlier one is that which starts first; of two that start
/// together, that which ends first, and else the first that was named.
#[must_use]
pub fn between(a: Window, b: Window) -> Between {
    let is_swapped = (b.start(), b.end()) < (a.start(), a.end());
    let (first, second) = if is_swapped { (b, a) } else { (a, b) };
    Between {
        is_swapped,
        gap: second.start() - first.end(),
        starts: second.start() - first.start(),
        ends: second.end() - first.end(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Ns;

    fn measured(a: (i64, i64), b: (i64, i64)) -> (bool, i64, i64, i64) {
        let window = |(start, end)| Window::new(Ns(start), Ns(end));
        let found = between(window(a), window(b));
        (found.is_swapped, found.gap.0, found.starts.0, found.ends.0)
    }

    #[test]
    fn gaps_are_told_from_the_earlier_to_the_later_slice() {
        assert_eq!(measured((0, 10), (15, 40)), (false, 5, 15, 30));
        assert_eq!(measured((15, 40), (0, 10)), (true, 5, 15, 30));
        assert_eq!(measured((0, 10), (10, 11)), (false, 0, 10, 1));
        // Overlapping, and one inside the other.
        assert_eq!(measured((0, 10), (7, 12)), (false, -3, 7, 2));
        assert_eq!(measured((0, 10), (2, 5)), (false, -8, 2, -5));
        assert_eq!(measured((3, 4), (3, 4)), (false, -1, 0, 0));
        assert_eq!(measured((3, 9), (3, 4)), (true, -1, 0, 5));
    }
}
