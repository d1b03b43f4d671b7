//! Which cap was in use, told by the buckets that a trace shows.

/// PyTorch's default cap: 25 MiB, whatever its option's name says of MB.
const DEFAULT_CAP: u64 = 25 << 20;
/// PyTorch's default cap of the first bucket.
const DEFAULT_FIRST_CAP: u64 = 1 << 20;

/// What buckets say of the cap they were cut by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecognisedCap {
    /// The cap is at most this, in bytes: a bucket closes once it reaches the cap, so every bucket
    /// but the last, and but a first one with a cap of its own, is at least as large.
    pub at_most: u64,
    /// The first bucket is smaller than all that follow but the last, so it had a cap of its own,
    /// at most this.
    pub first_at_most: Option<u64>,
    /// The default (25 MiB) is not ruled out and the smallest bucket is less than twice as large, so
    /// that it is the likely one. Without parameters nothing more can be told.
    pub likely_default: bool,
    /// The same of the first bucket's default (1 MiB).
    pub likely_first_default: bool,
}

/// Recognises the cap from the sizes of a step's buckets, in the order in which they were sent.
/// `None` with fewer than 2 buckets: the last one may be of any size.
#[must_use]
pub fn recognise_cap(sizes: &[u64]) -> Option<RecognisedCap> {
    let (_, closed) = sizes.split_last()?;
    let (&first, following) = closed.split_first()?;
    let least = following.iter().copied().min();
    let first_at_most = least.filter(|least| first < *least).map(|_| first);
    let at_most = match (least, first_at_most) {
        (Some(least), Some(_)) => least,
        (Some(least), None) => least.min(first),
        (None, _) => first,
    };
    Some(RecognisedCap {
        at_most,
        first_at_most,
        likely_default: near(at_most, DEFAULT_CAP),
        likely_first_default: first_at_most.is_some_and(|first| near(first, DEFAULT_FIRST_CAP)),
    })
}

fn near(bytes: u64, cap: u64) -> bool {
    (cap..2 * cap).contains(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn the_default_is_recognised() {
        let cap =
            recognise_cap(&[2 * MIB - 1, 27 * MIB, 25 * MIB, 31 * MIB, 3 * MIB]).expect("a cap");
        assert_eq!(
            (cap.at_most, cap.first_at_most),
            (25 * MIB, Some(2 * MIB - 1))
        );
        assert!(cap.likely_default && cap.likely_first_default);
    }

    #[test]
    fn other_caps_are_bounded() {
        let cap = recognise_cap(&[15, 12, 7]).expect("a cap");
        assert_eq!((cap.at_most, cap.first_at_most), (12, None));
        assert!(!cap.likely_default);
        assert_eq!(recognise_cap(&[15, 7]).map(|c| c.at_most), Some(15));
        assert_eq!(recognise_cap(&[15]), None);
        assert_eq!(recognise_cap(&[]), None);
        // A cap of 60 MiB would rule the default in only for buckets that grow to twice its size.
        let large = recognise_cap(&[61 * MIB, 60 * MIB, MIB]).expect("a cap");
        assert!(!large.likely_default);
    }

    proptest! {
        /// Cut parameters by a cap: what is recognised is a bound of it.
        #[test]
        fn the_bound_holds(
            parameters in prop::collection::vec(1..50_u64, 1..60), cap in 1..100_u64, first in 1..20_u64,
        ) {
            let (mut sizes, mut open) = (Vec::new(), 0);
            for size in parameters {
                open += size;
                if open >= if sizes.is_empty() { first.min(cap) } else { cap } {
                    sizes.push(open);
                    open = 0;
                }
            }
            if open > 0 {
                sizes.push(open);
            }
            // Two buckets may be a first and a last one.
            if let Some(told) = recognise_cap(&sizes).filter(|_| sizes.len() > 2) {
                prop_assert!(cap <= told.at_most || first < cap);
                prop_assert!(told.first_at_most.is_none_or(|at_most| first.min(cap) <= at_most));
            }
        }
    }
}
