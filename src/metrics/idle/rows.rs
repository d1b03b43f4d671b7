//! Gaps one by one, and by their length.

use super::{IdleCause, IdleGap, inside};
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

/// The longest gaps of a window, the longest first, of equal ones the earliest; all of them without
/// a limit.
#[must_use]
pub fn longest_gaps(
    trace: &Trace,
    rank: &Rank,
    device: &Device,
    gaps: &[IdleGap],
    window: Window,
    limit: Option<usize>,
) -> Vec<IdleGapRow> {
    let mut found: Vec<(&IdleGap, Window)> = inside(gaps, window).collect();
    let order = |a: &(&IdleGap, Window), b: &(&IdleGap, Window)| {
        let key = |x: &(&IdleGap, Window)| (x.1.len(), std::cmp::Reverse(x.1.start()));
        key(b).cmp(&key(a))
    };
    if let Some(limit) = limit.filter(|limit| *limit < found.len()) {
        found.select_nth_unstable_by(limit, order);
        found.truncate(limit);
    }
    found.sort_by(order);
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
    /// The same by cause, in the order of [`IdleCause::ALL`].
    pub by_cause: [DurNs; IdleCause::ALL.len()],
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
const LENGTHS: [i64; 7] = [
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
    gaps: &[IdleGap],
    window: Window,
) -> Vec<IdleLengthRow> {
    let ends = LENGTHS.iter().skip(1).map(|end| Some(DurNs(*end)));
    let mut rows: Vec<IdleLengthRow> = LENGTHS
        .iter()
        .zip(ends.chain([None]))
        .map(|(from, below)| IdleLengthRow {
            rank: rank.id,
            device: device.id,
            window,
            from: DurNs(*from),
            below,
            gaps: 0,
            total: DurNs::ZERO,
            by_cause: [DurNs::ZERO; IdleCause::ALL.len()],
            idle: DurNs::ZERO,
        })
        .collect();
    let mut idle = DurNs::ZERO;
    for (gap, inside) in inside(gaps, window) {
        let len = inside.len();
        idle = idle + len;
        let Some(row) = rows.iter_mut().rev().find(|row| row.from <= len) else {
            continue;
        };
        row.gaps += 1;
        row.total = row.total + len;
        let mut causes = IdleCause::ALL.into_iter().zip(&mut row.by_cause);
        if let Some((_, total)) = causes.find(|(cause, _)| *cause == gap.cause) {
            *total = *total + len;
        }
    }
    for row in &mut rows {
        row.idle = idle;
    }
    rows
}
