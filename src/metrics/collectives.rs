//! Collectives of a window: what each sends, how long it runs, what hides it, and who waited.
//!
//! Everything of one kernel is of its rank: message, duration, and the part of it in the window that
//! computation of its device hides. What needs several ranks stands in [`Across`], and where that
//! cannot be told it says why. The kernels of a window are found by a search, and the hidden part of
//! each by two more.

mod across;
mod groups;
mod order;
mod words;

pub use across::{Across, Apart, Moved, Timing};
pub use groups::{CommGroupRow, comm_group_rows};
pub use order::{CollectiveGrouping, CollectiveSort, sort_collectives, sort_comm_groups};

use super::window::{counts, scope};
use super::{KernelGrouping, KernelRow, Query, Rate, Selection, kernel_rows};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::{CollectiveKind, KernelClass};
use crate::trace::{Busy, Comm, Device, DeviceId, Rank, Slice, SliceId, SliceRef, StreamId, Trace};
use across::Meetings;
use std::sync::Arc;
use words::Words;

/// One communication kernel in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveRow {
    /// The kernel.
    pub slice: SliceRef,
    /// The device it ran on.
    pub device: DeviceId,
    /// The stream on it.
    pub stream: StreamId,
    /// The kernel's name.
    pub kernel: Arc<str>,
    /// Which collective it is.
    pub kind: Option<CollectiveKind>,
    /// Name of its process group.
    pub group: Option<Arc<str>>,
    /// What the group is for.
    pub description: Option<Arc<str>>,
    /// The ranks of the group as a list.
    pub ranks: Option<Arc<str>>,
    /// How many ranks the group has.
    pub group_size: Option<u32>,
    /// Number of the call within its group.
    pub seq: Option<i64>,
    /// Type of one element.
    pub dtype: Option<Arc<str>>,
    /// Elements that the rank gives.
    pub in_elements: Option<u64>,
    /// Elements that the rank gets.
    pub out_elements: Option<u64>,
    /// Bytes of the full buffer.
    pub bytes: Option<u64>,
    /// The window.
    pub window: Window,
    /// Its start, wherever that lies.
    pub start: Ns,
    /// Its whole length, wait included; clipped only where suspicious kernels are.
    pub duration: DurNs,
    /// What of it lies in the window and computation of the device hides.
    pub hidden: DurNs,
    /// What of it lies in the window and no computation hides.
    pub exposed: DurNs,
    /// What several ranks tell together.
    pub across: Across,
}

/// What a bandwidth is bytes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthOf {
    /// The transfer time of all ranks of the group.
    Transfer,
    /// The same of those that are open: others may have come later still.
    PartialTransfer,
    /// The kernel's duration, waiting for others included.
    Duration,
}

impl BandwidthOf {
    /// A short phrase for tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Transfer => "transfer",
            Self::PartialTransfer => "transfer, may include wait",
            Self::Duration => "duration, includes wait",
        }
    }
}

impl CollectiveRow {
    /// What its kind is called; "unknown" where nobody says.
    #[must_use]
    pub fn kind_label(&self) -> &'static str {
        self.kind.map_or("unknown", CollectiveKind::label)
    }

    /// What the bandwidths are bytes over.
    #[must_use]
    pub fn bandwidth_of(&self) -> BandwidthOf {
        let is_whole = u64::from(self.across.ranks) == u64::from(self.group_size.unwrap_or(0));
        match self.across.transfer() {
            Some(_) if is_whole => BandwidthOf::Transfer,
            Some(_) => BandwidthOf::PartialTransfer,
            None => BandwidthOf::Duration,
        }
    }

    /// Bytes of the full buffer over time.
    #[must_use]
    pub fn algorithm_bandwidth(&self) -> Option<Rate> {
        Rate::new(self.bytes?, self.across.transfer().unwrap_or(self.duration))
    }

    /// The same times the factor by which nccl-tests makes kinds and group sizes comparable.
    #[must_use]
    pub fn bus_bandwidth(&self) -> Option<Rate> {
        let factor = bus_factor(self.kind?, self.group_size)?;
        self.algorithm_bandwidth()?.times(factor)
    }

    /// Whether a text of it is wanted: its kind, the name or description of its group, its kernel.
    #[must_use]
    pub fn matches(&self, wanted: impl Fn(&str) -> bool) -> bool {
        let groups = self.group.iter().chain(&self.description);
        wanted(self.kind_label()) || wanted(&self.kernel) || groups.into_iter().any(|t| wanted(t))
    }
}

/// What rows of collectives say together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectiveTotals {
    /// How many there are.
    pub collectives: u64,
    /// Plain sum of their exposed times.
    pub exposed: DurNs,
    /// How many have only their duration, with the wait in it, to tell a bandwidth by.
    pub with_wait: u64,
    /// Why the first of those is not compared with other ranks.
    pub why: Option<Apart>,
}

impl CollectiveTotals {
    /// Adds rows up.
    #[must_use]
    pub fn of<'r>(rows: impl Iterator<Item = &'r CollectiveRow>) -> Self {
        rows.fold(Self::default(), |mut sum, row| {
            sum.collectives += 1;
            sum.exposed = DurNs(sum.exposed.0.saturating_add(row.exposed.0));
            if row.bandwidth_of() == BandwidthOf::Duration {
                sum.with_wait += 1;
                sum.why = sum.why.or(row.across.why_not());
            }
            sum
        })
    }
}

/// By how much the bus moves more than the algorithm, as two whole numbers; the factors are those of
/// nccl-tests, of the full buffer. `None` for what sends nothing that is counted, or without a size of
/// the group.
#[must_use]
pub fn bus_factor(kind: CollectiveKind, ranks: Option<u32>) -> Option<(u64, u64)> {
    use CollectiveKind as K;
    let others = || {
        let n = u64::from(ranks?);
        Some((n.checked_sub(1)?, n))
    };
    match kind {
        K::AllReduce => others().map(|(part, whole)| (2 * part, whole)),
        K::AllGather | K::ReduceScatter | K::AllToAll | K::Gather | K::Scatter => others(),
        K::Broadcast | K::Reduce | K::SendRecv | K::Send | K::Recv => Some((1, 1)),
        K::Barrier | K::Other => None,
    }
}

/// A communication kernel that a window counts.
struct Found<'t> {
    comm: &'t Comm,
    slice: Slice<'t>,
    stream: StreamId,
    start: Ns,
    end: Ns,
}

impl Found<'_> {
    /// What of it lies in a window.
    fn inside(&self, window: Window) -> Window {
        let whole = Window::new(self.start, self.end);
        whole.clip(window).unwrap_or_default()
    }
}

/// The entries of a device's communication kernels that may share time with a window, by stream: a
/// search in each.
fn candidates<'t>(
    rank: &'t Rank,
    device: &'t Device,
    window: Window,
) -> impl Iterator<Item = (StreamId, &'t [Comm])> {
    let start = |c: &Comm| rank.slices.get(c.slice).map(|s| s.start());
    device.streams.iter().map(move |stream| {
        let all = rank.comms.as_slice();
        let from = all.partition_point(|c| c.slice < SliceId(stream.slices.start));
        let to = all.partition_point(|c| c.slice < SliceId(stream.slices.end));
        let own = all.get(from..to).unwrap_or(&[]);
        let first = own.partition_point(|c| c.reach < window.start());
        let own = own.get(first..).unwrap_or(&[]);
        let end = own.partition_point(|c| start(c) <= Some(window.end()));
        (stream.id, own.get(..end).unwrap_or(&[]))
    })
}

/// The communication kernels that a window counts, as the summary does.
fn found<'t>(
    rank: &'t Rank,
    device: &'t Device,
    window: Window,
    clip_suspicious: bool,
) -> impl Iterator<Item = Found<'t>> {
    let last = device.extent(clip_suspicious).end();
    candidates(rank, device, window)
        .flat_map(|(stream, comms)| comms.iter().map(move |comm| (stream, comm)))
        .filter_map(move |(stream, comm)| {
            let slice = rank.slices.get(comm.slice)?;
            let (start, end) = (slice.start(), rank.end_of(slice, clip_suspicious));
            counts(window, (start, end), last).then_some(Found {
                comm,
                slice,
                stream,
                start,
                end,
            })
        })
}

/// How many rows a device has in a window at most. O(log n).
#[must_use]
pub fn most_collectives(rank: &Rank, device: &Device, query: &Query) -> usize {
    let scope = scope(rank, device, query.selection, query.clip_suspicious);
    let window = scope.covered();
    window.map_or(0, |w| candidates(rank, device, w).map(|c| c.1.len()).sum())
}

/// Time of a window in which computation runs on a device.
fn computing(device: &Device, clip_suspicious: bool, window: Window) -> DurNs {
    let parts = device.activity(clip_suspicious).measure(window);
    parts.sum(|mask| mask & Busy::C != 0)
}

/// One row for each communication kernel, by rank, device, then start. None for a device whose rank
/// recorded nothing of the window.
#[must_use]
pub fn collective_rows(trace: &Trace, query: &Query) -> Vec<CollectiveRow> {
    let clip = query.clip_suspicious;
    let mut meetings = Meetings::new(trace, clip);
    let mut rows = Vec::new();
    for (rank, device) in query.devices(trace) {
        let Some(window) = scope(rank, device, query.selection, clip).covered() else {
            continue;
        };
        let mut words = Words::new(trace, rank);
        let first = rows.len();
        for found in found(rank, device, window, clip) {
            let message = &found.comm.message;
            let group = words.group(message);
            let slice = SliceRef {
                rank: rank.id,
                slice: found.comm.slice,
            };
            let kind = found.comm.collective.map(|c| c.kind);
            let inside = found.inside(window);
            let hidden = computing(device, clip, inside);
            rows.push(CollectiveRow {
                slice,
                device: device.id,
                stream: found.stream,
                kernel: trace.names.shared(found.slice.name()),
                kind,
                group_size: message.group_size.or(group.size),
                group: group.name,
                description: group.description,
                ranks: group.ranks,
                seq: message.seq,
                dtype: message.dtype.map(|n| trace.names.shared(n)),
                in_elements: message.in_elements,
                out_elements: message.out_elements,
                bytes: kind.and_then(|k| message.buffer_bytes(k, &trace.names)),
                window,
                start: found.start,
                duration: found.end - found.start,
                hidden,
                exposed: inside.len() - hidden,
                across: meetings.of(slice, kind, found.start),
            });
        }
        if let Some(own) = rows.get_mut(first..) {
            own.sort_by_key(|r: &CollectiveRow| (r.start, r.slice));
        }
    }
    rows
}

/// The computation kernels that hide one communication kernel, by name, those that hide most first:
/// `total` is what of them lies within it and within the window. At most `top` names.
///
/// O(k) for the k kernels beside it.
#[must_use]
pub fn hiding_kernels(trace: &Trace, query: &Query, comm: SliceRef, top: usize) -> Vec<KernelRow> {
    let clip = query.clip_suspicious;
    let beside = || {
        let rank = trace.rank(comm.rank)?;
        let slice = rank.slices.get(comm.slice)?;
        let (device, _) = rank.stream_of(comm.slice)?;
        let window = scope(rank, device, query.selection, clip).covered()?;
        let whole = Window::new(slice.start(), rank.end_of(slice, clip));
        let inside = whole.clip(window).filter(|w| !w.is_empty())?;
        Some((device.id, inside))
    };
    let Some((device, inside)) = beside() else {
        return Vec::new();
    };
    let query = Query {
        selection: Selection::Window(inside),
        rank: Some(comm.rank),
        device: Some(device),
        ..*query
    };
    let mut rows = kernel_rows(trace, &query, KernelGrouping::Name);
    rows.retain(|r| r.class == Some(KernelClass::Computation) && r.total > DurNs::ZERO);
    rows.truncate(top);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_those_of_nccl_tests() {
        use CollectiveKind as K;
        let of = |kind| bus_factor(kind, Some(8));
        assert_eq!(of(K::AllReduce), Some((14, 8)));
        for kind in [
            K::AllGather,
            K::ReduceScatter,
            K::AllToAll,
            K::Gather,
            K::Scatter,
        ] {
            assert_eq!(of(kind), Some((7, 8)), "{}", kind.label());
        }
        for kind in [K::Broadcast, K::Reduce, K::Send, K::Recv, K::SendRecv] {
            assert_eq!(of(kind), Some((1, 1)), "{}", kind.label());
            assert_eq!(bus_factor(kind, None), Some((1, 1)));
        }
        assert_eq!((of(K::Barrier), of(K::Other)), (None, None));
        assert_eq!(bus_factor(K::AllReduce, Some(1)), Some((0, 1)));
        assert_eq!(bus_factor(K::AllReduce, None), None);
        assert_eq!(bus_factor(K::AllReduce, Some(0)), None);
    }
}
