//! Gaps one by one, and by their length.

use super::{IdleGap, IdleGaps};
use crate::metrics::Ratio;
use crate::time::{DurNs, Window};
use crate::trace::{Device, DeviceId, Rank, RankId, Slice, SliceId, StreamId, Thread, Trace};

/// One gap, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleGapRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// What of the gap lies inside the window.
    pub inside: Window,
    /// The gap.
    pub gap: IdleGap,
    /// The host call that is to blame, or why nothing can be told; empty where no call is to blame.
    pub what: String,
    /// The thread that launched the kernel which ended the gap.
    pub thread: Option<String>,
    /// Name of that kernel.
    pub next: Option<String>,
    /// Its stream.
    pub stream: Option<StreamId>,
}

impl IdleGapRow {
    /// Whether any of its words is wanted: the cause, the call to blame, the thread, the kernel.
    pub fn matches(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        is_wanted(self.gap.cause.name())
            || is_wanted(&self.what)
            || self.thread.as_deref().is_some_and(&is_wanted)
            || self.next.as_deref().is_some_and(&is_wanted)
    }
}

/// The longest gaps of a window, the longest first, of equal ones the earliest; all of them without
/// a limit.
#[must_use]
pub fn longest_gaps(
    trace: &Trace,
    rank: &Rank,
    device: &Device,
    gaps: &IdleGaps,
    window: Window,
    limit: Option<usize>,
) -> Vec<IdleGapRow> {
    let found = gaps.longest(window, limit);
    let row = |(gap, inside): (&IdleGap, Window)| in_words(trace, rank, device, gap, inside);
    found.into_iter().map(row).collect()
}

fn in_words(
    trace: &Trace,
    rank: &Rank,
    device: &Device,
    gap: &IdleGap,
    inside: Window,
) -> IdleGapRow {
    let name = |slice: Slice<'_>| trace.names.get(slice.name()).to_owned();
    let slice = |id: Option<SliceId>| id.and_then(|id| rank.slices.get(id));
    let next = slice(gap.next);
    let launch = gap.next.and_then(|id| rank.links.launch_of(id));
    let stream = next.and_then(|kernel| {
        let mut streams = device.streams.iter();
        streams.find(|s| s.slices.contains(&kernel.id().0))
    });
    IdleGapRow {
        rank: rank.id,
        device: device.id,
        inside,
        gap: *gap,
        what: match (slice(gap.blamed), gap.doubt) {
            (Some(call), _) => name(call),
            (None, Some(doubt)) => doubt.label().to_owned(),
            (None, None) => String::new(),
        },
        thread: launch.and_then(|id| rank.thread_of(id)).map(thread_name),
        next: next.map(name),
        stream: stream.map(|s| s.id),
    }
}

fn thread_name(thread: &Thread) -> String {
    match &thread.name {
        Some(name) => format!("{name} ({})", thread.tid),
        None => thread.tid.clone(),
    }
}

/// Gaps of a device in a window whose parts inside are of one order of magnitude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleLengthRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The window, half-open.
    pub window: Window,
    /// The shortest that belongs here.
    pub from: DurNs,
    /// The shortest that no longer does; `None` for the last row.
    pub below: Option<DurNs>,
    /// How many.
    pub gaps: u64,
    /// Their sum.
    pub total: DurNs,
    /// All idle time of the device in the window.
    pub idle: DurNs,
}

impl IdleLengthRow {
    /// The total as a share of the idle time.
    #[must_use]
    pub fn share_of_idle(&self) -> Option<Ratio> {
        Ratio::new(self.total, self.idle)
    }
}

/// First lengths of the rows, in ns.
pub(super) const LENGTHS: [i64; 7] = [
    0,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// One row for each order of magnitude from below 1 µs to 100 ms and more.
#[must_use]
pub fn rows_by_length(
    rank: &Rank,
    device: &Device,
    gaps: &IdleGaps,
    window: Window,
) -> Vec<IdleLengthRow> {
    let sums = gaps.sums(window);
    let idle = sums.idle();
    let ends = LENGTHS.iter().skip(1).map(|end| Some(DurNs(*end)));
    let rows = LENGTHS.iter().zip(ends.chain([None])).zip(&sums.by_length);
    rows.map(|((from, below), sum)| IdleLengthRow {
        rank: rank.id,
        device: device.id,
        window,
        from: DurNs(*from),
        below,
        gaps: sum.gaps,
        total: sum.total,
        idle,
    })
    .collect()
}
