//! [`LeftOut`]: where the slices lie that a load leaves out by choice.
//!
//! They are not stored, but extents, what is astray and how ranks are aligned must be what they are
//! in the whole trace. All of that depends on where clusters of starts begin and end and how many
//! starts are in them, never on single slices, and clusters can be kept up to date as slices come.

use crate::time::{DurNs, Ns};

/// Starts farther apart belong to different clusters.
pub(super) const HOUR: DurNs = DurNs(3_600_000_000_000);
/// No slice of a GPU job lasts longer.
pub(super) const WEEK: DurNs = DurNs(7 * 24 * 3_600_000_000_000);

/// Starts of which none is farther than an hour from its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cluster {
    pub(super) first: Ns,
    pub(super) last: Ns,
    /// Last end, that of absurdly long slices aside.
    pub(super) end: Ns,
    pub(super) count: usize,
}

impl Cluster {
    pub(super) fn of(start: Ns, dur: DurNs) -> Self {
        Self {
            first: start,
            last: start,
            end: if dur > WEEK { start } else { start + dur },
            count: 1,
        }
    }

    fn joins(&self, next: &Self) -> bool {
        next.first - self.last <= HOUR
    }

    fn join(&mut self, next: &Self) {
        self.last = self.last.max(next.last);
        self.first = self.first.min(next.first);
        self.end = self.end.max(next.end);
        self.count += next.count;
    }
}

/// Puts clusters in order and joins those that belong together.
pub(super) fn joined(mut clusters: Vec<Cluster>) -> Vec<Cluster> {
    clusters.sort_unstable_by_key(|c| c.first);
    let mut out: Vec<Cluster> = Vec::with_capacity(clusters.len());
    for next in clusters {
        match out.last_mut() {
            Some(before) if before.joins(&next) => before.join(&next),
            _ => out.push(next),
        }
    }
    out
}

/// Where the slices lie that were left out.
#[derive(Clone, Debug, Default)]
pub(super) struct LeftOut {
    /// Clusters in order of all but what the next two hold.
    usual: Vec<Cluster>,
    /// Slices that start at zero, which may be astray for that.
    zero: Option<Cluster>,
    /// Slices that last absurdly long, which are astray.
    long: Vec<Cluster>,
    /// Starts within an hour of zero or before it.
    early: usize,
}

impl LeftOut {
    /// Takes one more into account; `start` is in the file's own time.
    pub(super) fn add(&mut self, start: Ns, dur: DurNs) {
        self.early += usize::from(start - Ns(0) <= HOUR);
        let one = Cluster::of(start, dur);
        if dur > WEEK {
            add(&mut self.long, one);
        } else if start == Ns(0) {
            match &mut self.zero {
                Some(zero) => zero.join(&one),
                None => self.zero = Some(one),
            }
        } else {
            add(&mut self.usual, one);
        }
    }

    /// Takes over what was left out elsewhere in the same text.
    pub(super) fn absorb(&mut self, other: Self) {
        self.early += other.early;
        for cluster in other.usual {
            add(&mut self.usual, cluster);
        }
        for cluster in other.long {
            add(&mut self.long, cluster);
        }
        if let Some(other) = other.zero {
            match &mut self.zero {
                Some(zero) => zero.join(&other),
                None => self.zero = Some(other),
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many starts are within an hour of zero or before it.
    pub(super) fn early(&self) -> usize {
        self.early
    }

    /// How many slices there are.
    pub(super) fn count(&self) -> usize {
        self.all().map(|c| c.count).sum()
    }

    /// All clusters, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Cluster> {
        self.usual.iter().chain(&self.zero).chain(&self.long)
    }

    /// The clusters of what can be valid: without the absurdly long, and without those at zero
    /// where these are astray.
    pub(super) fn valid(&self, zero_is_astray: bool) -> impl Iterator<Item = &Cluster> {
        let zero = self.zero.iter().filter(move |_| !zero_is_astray);
        self.usual.iter().chain(zero)
    }
}

/// Adds a cluster to others that stand in order, joining what belongs together.
fn add(clusters: &mut Vec<Cluster>, one: Cluster) {
    // Nearly always everything is one cluster.
    if let [only] = clusters.as_mut_slice()
        && (only.joins(&one) && only.first - one.last <= HOUR)
    {
        only.join(&one);
        return;
    }
    clusters.push(one);
    *clusters = joined(std::mem::take(clusters));
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: i64 = 3_600_000_000_000;

    /// Clusters as they are found with all starts at hand.
    fn at_once(slices: &[(i64, i64)]) -> Vec<Cluster> {
        joined(
            slices
                .iter()
                .map(|&(s, d)| Cluster::of(Ns(s), DurNs(d)))
                .collect(),
        )
    }

    #[test]
    fn clusters_grow_together_in_any_order() {
        let slices = [
            (5 * H, 7),
            (10 * H, 1),
            (6 * H + 5, 2),
            (11 * H, 3),
            (6 * H, 9),
            (30 * H, 1),
            (8 * H, 4),
            (7 * H, 5),
        ];
        let mut one_by_one = LeftOut::default();
        for (start, dur) in slices {
            one_by_one.add(Ns(start), DurNs(dur));
        }
        assert_eq!(one_by_one.usual, at_once(&slices));
        assert_eq!(one_by_one.usual.len(), 3);
        let (mut left, mut right) = (LeftOut::default(), LeftOut::default());
        for (i, (start, dur)) in slices.into_iter().enumerate() {
            let half = if i % 2 == 0 { &mut left } else { &mut right };
            half.add(Ns(start), DurNs(dur));
        }
        left.absorb(right);
        assert_eq!(left.usual, one_by_one.usual);
        assert_eq!(left.count(), slices.len());
    }

    #[test]
    fn zeros_and_absurd_lengths_are_kept_apart() {
        let mut left = LeftOut::default();
        left.add(Ns(0), DurNs(4));
        left.add(Ns(100 * H), DurNs(400 * H));
        left.add(Ns(100 * H + 5), DurNs(5));
        assert_eq!((left.count(), left.early()), (3, 1));
        let valid: Vec<_> = left.valid(true).copied().collect();
        assert_eq!(valid, [Cluster::of(Ns(100 * H + 5), DurNs(5))]);
        assert_eq!(left.valid(false).count(), 2);
    }
}
