//! Kernels of a window by name, class or launching op: how many, how long together, how long each.
//!
//! Two kinds of figures stand side by side. `total` is time *of the window*: what of the kernels
//! lies inside, so totals of a device add up to the summary's sum of durations. Mean, median,
//! minimum and maximum are *of the kernels*: the whole lengths of all that are counted, so that
//! an edge of the window that cuts a kernel does not make it look short. How many are cut is said.

mod ops;
mod sort;

pub use sort::{KernelSort, sort_kernels};

use super::walk::{Found, Walk};
use super::window::scope;
use super::{Query, Ratio};
use crate::time::{DurNs, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Device, DeviceId, NameId, Rank, RankId, SliceId, SliceRef, Trace};
use ops::Ops;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// By what kernels are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum KernelGrouping {
    /// The kernel's name, as the file writes it.
    #[default]
    Name,
    /// Computation, communication, memory.
    Class,
    /// The CPU op that launched it.
    Op,
}

impl KernelGrouping {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Name, Self::Class, Self::Op];

    /// The word for it on the command line and in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Class => "class",
            Self::Op => "op",
        }
    }
}

/// What the kernels of one group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KernelGroup {
    /// Their name.
    Name(NameId),
    /// Their class.
    Class(KernelClass),
    /// The name of the innermost CPU op that encloses the start of their launch call, on its
    /// thread; for kernels without a launch call, of the op with their external id.
    Op(NameId),
    /// A launch call that no op encloses.
    NoOp,
    /// Neither a launch call nor an external id that an op has.
    NoLaunch,
}

impl KernelGroup {
    /// Its name for people and files.
    #[must_use]
    pub fn label(self, trace: &Trace) -> &str {
        match self {
            Self::Name(id) | Self::Op(id) => trace.names.get(id),
            Self::Class(class) => class.label(),
            Self::NoOp => "(no op)",
            Self::NoLaunch => "(no launch recorded)",
        }
    }
}

/// One group of kernels of a device in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// By what kernels are put together.
    pub grouping: KernelGrouping,
    /// What these have in common.
    pub group: KernelGroup,
    /// The same in words.
    pub label: String,
    /// The class of all of them; `None` where they are of several.
    pub class: Option<KernelClass>,
    /// The window, half-open.
    pub window: Window,
    /// Kernels with time inside, and zero-length ones that start inside, as in the summary.
    pub kernels: u64,
    /// Those of them that reach over an edge of the window.
    pub cut: u64,
    /// Plain sum of what of them lies inside, in ns.
    pub total: DurNs,
    /// The same of all kernels of the device.
    pub device_total: DurNs,
    /// Mean of the whole lengths, rounded half up to the ns.
    pub mean: DurNs,
    /// Median of the whole lengths; of an even number, the mean of the middle two rounded half up.
    pub median: DurNs,
    /// Shortest whole length.
    pub min: DurNs,
    /// Longest whole length.
    pub max: DurNs,
}

impl KernelRow {
    /// The total as a share of the totals of all kernels of the device, not of time.
    #[must_use]
    pub fn share(&self) -> Option<Ratio> {
        Ratio::new(self.total, self.device_total)
    }
}

/// One row for each (rank, device, group), by rank, device, then total, the largest first. None
/// for a device whose rank recorded nothing of the window.
///
/// O(k) for k kernels in the window, in parallel; by op it also takes one pass over the slices of
/// the threads that launched them.
#[must_use]
pub fn kernel_rows(trace: &Trace, query: &Query, grouping: KernelGrouping) -> Vec<KernelRow> {
    let mut rows = Vec::new();
    for (rank, device) in query.devices(trace) {
        let scope = scope(rank, device, query.selection, query.clip_suspicious);
        if let Some(window) = scope.covered() {
            let walk = Walk::new(rank, device, window, query.clip_suspicious);
            rows.extend(rows_of(trace, rank, device, &walk, grouping));
        }
    }
    sort_kernels(
        &mut rows,
        KernelSort::Total,
        KernelSort::Total.first_order(),
    );
    rows
}

/// The kernel of a group that follows a slice, by start; the first of the group where none follows
/// or the slice is no kernel of the device. `None` where the window holds none of the group. O(k).
///
/// `query` must name the rank and device; of several, the first is searched.
#[must_use]
pub fn next_kernel(
    trace: &Trace,
    query: &Query,
    group: KernelGroup,
    after: Option<SliceRef>,
) -> Option<SliceRef> {
    let (rank, device) = query.devices(trace).next()?;
    let scope = scope(rank, device, query.selection, query.clip_suspicious);
    let walk = Walk::new(rank, device, scope.covered()?, query.clip_suspicious);
    let at = after
        .filter(|a| {
            a.rank == rank.id && rank.stream_of(a.slice).is_some_and(|s| s.0.id == device.id)
        })
        .and_then(|a| Some((rank.slices.get(a.slice)?.start(), a.slice)));
    let keys = Keys::new(rank, &walk, group.grouping());
    let place = |found: &Found| (found.start, found.id);
    // The first of all, and the first behind the slice.
    let (first, next) = walk.fold(
        || (None, None),
        |(first, next), found| {
            if keys.of(found) != group {
                return (first, next);
            }
            let here = Some(place(found));
            let behind = here.filter(|h| at.is_none_or(|a| *h > a));
            (earlier(first, here), earlier(next, behind))
        },
        |a, b| (earlier(a.0, b.0), earlier(a.1, b.1)),
    );
    let (_, slice) = next.or(first)?;
    Some(SliceRef {
        rank: rank.id,
        slice,
    })
}

impl KernelGroup {
    fn grouping(self) -> KernelGrouping {
        match self {
            Self::Name(_) => KernelGrouping::Name,
            Self::Class(_) => KernelGrouping::Class,
            Self::Op(_) | Self::NoOp | Self::NoLaunch => KernelGrouping::Op,
        }
    }
}

type Place = (crate::time::Ns, SliceId);

fn earlier(a: Option<Place>, b: Option<Place>) -> Option<Place> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Tells the group of a kernel.
enum Keys {
    Name,
    Class,
    Op(Ops),
}

impl Keys {
    fn new(rank: &Rank, walk: &Walk<'_>, grouping: KernelGrouping) -> Self {
        match grouping {
            KernelGrouping::Name => Self::Name,
            KernelGrouping::Class => Self::Class,
            KernelGrouping::Op => Self::Op(Ops::new(rank, walk)),
        }
    }

    fn of(&self, kernel: &Found<'_>) -> KernelGroup {
        match self {
            Self::Name => KernelGroup::Name(kernel.name),
            Self::Class => KernelGroup::Class(kernel.class),
            Self::Op(ops) => ops.group_of(kernel),
        }
    }
}

/// What is gathered of one group.
#[derive(Default)]
struct Sums {
    inside: i128,
    cut: u64,
    /// One bit a class.
    classes: u8,
    lengths: Vec<DurNs>,
}

impl Sums {
    fn add(&mut self, kernel: &Found<'_>) {
        self.inside += i128::from(kernel.inside.0);
        self.cut += u64::from(kernel.is_cut);
        self.classes |= 1 << kernel.class.index();
        self.lengths.push(kernel.length);
    }

    fn join(&mut self, other: Self) {
        self.inside += other.inside;
        self.cut += other.cut;
        self.classes |= other.classes;
        self.lengths.extend(other.lengths);
    }
}

type Groups = FxHashMap<KernelGroup, Sums>;

fn rows_of(
    trace: &Trace,
    rank: &Rank,
    device: &Device,
    walk: &Walk<'_>,
    grouping: KernelGrouping,
) -> Vec<KernelRow> {
    let keys = Keys::new(rank, walk, grouping);
    let groups: Groups = walk.fold(
        Groups::default,
        |mut groups, found| {
            groups.entry(keys.of(found)).or_default().add(found);
            groups
        },
        join_groups,
    );
    let device_total = dur(groups.values().map(|sums| sums.inside).sum());
    groups
        .into_par_iter()
        .map(|(group, mut sums)| {
            let spread = spread(&mut sums.lengths);
            KernelRow {
                rank: rank.id,
                device: device.id,
                grouping,
                group,
                label: group.label(trace).to_owned(),
                class: only_class(sums.classes),
                window: walk.window(),
                kernels: u64::try_from(sums.lengths.len()).unwrap_or(u64::MAX),
                cut: sums.cut,
                total: dur(sums.inside),
                device_total,
                mean: spread.mean,
                median: spread.median,
                min: spread.min,
                max: spread.max,
            }
        })
        .collect()
}

fn join_groups(a: Groups, b: Groups) -> Groups {
    let (large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
    small.into_iter().fold(large, |mut large, (group, sums)| {
        large.entry(group).or_default().join(sums);
        large
    })
}

fn only_class(classes: u8) -> Option<KernelClass> {
    KernelClass::ALL
        .into_iter()
        .find(|class| classes == 1 << class.index())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spread {
    mean: DurNs,
    median: DurNs,
    min: DurNs,
    max: DurNs,
}

/// Mean, median and extremes of lengths, which are reordered. All zero for none.
fn spread(lengths: &mut [DurNs]) -> Spread {
    let count = i128::try_from(lengths.len()).unwrap_or(i128::MAX);
    let (Some(min), Some(max)) = (lengths.iter().copied().min(), lengths.iter().copied().max())
    else {
        return Spread::default();
    };
    let sum: i128 = lengths.iter().map(|l| i128::from(l.0)).sum();
    Spread {
        mean: dur(half_up(sum, count)),
        median: median(lengths),
        min,
        max,
    }
}

fn median(lengths: &mut [DurNs]) -> DurNs {
    let middle = lengths.len() / 2;
    let is_odd = lengths.len() % 2 == 1;
    if lengths.is_empty() {
        return DurNs::ZERO;
    }
    let (below, &mut upper, _) = lengths.select_nth_unstable(middle);
    match below.iter().copied().max() {
        Some(lower) if !is_odd => dur(half_up(i128::from(lower.0) + i128::from(upper.0), 2)),
        _ => upper,
    }
}

/// `sum / count` rounded half up, for what is not negative.
fn half_up(sum: i128, count: i128) -> i128 {
    (2 * sum + count) / (2 * count)
}

fn dur(ns: i128) -> DurNs {
    DurNs(i64::try_from(ns).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lengths: &[i64]) -> (i64, i64, i64, i64) {
        let mut lengths: Vec<DurNs> = lengths.iter().map(|l| DurNs(*l)).collect();
        let s = spread(&mut lengths);
        (s.mean.0, s.median.0, s.min.0, s.max.0)
    }

    #[test]
    fn means_and_medians_round_half_up() {
        assert_eq!(of(&[]), (0, 0, 0, 0));
        assert_eq!(of(&[7]), (7, 7, 7, 7));
        assert_eq!(of(&[4, 1]), (3, 3, 1, 4));
        assert_eq!(of(&[9, 1, 2]), (4, 2, 1, 9));
        assert_eq!(of(&[10, 1, 4, 3]), (5, 4, 1, 10));
        assert_eq!(of(&[0, 0, 1]), (0, 0, 0, 1));
        assert_eq!(of(&[i64::MAX, i64::MAX]).1, i64::MAX);
    }
}
