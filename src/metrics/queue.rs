//! How many kernels of a stream were launched and waited to start: the queue that keeps a GPU busy.
//!
//! A kernel waits from the start of its launch call to its own start. Where the queue is empty, the
//! next kernel can only start as fast as the host launches it. Kernels without a launch call are not
//! told; a kernel that starts before its call never waited.

use super::window::scope;
use super::{Query, Ratio};
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Device, DeviceId, Rank, RankId, Stream, StreamId, Trace};

/// How many changes share one row of sums.
const BLOCK: usize = 256;

/// The queue of one stream over time.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// When it changes, and to how many.
    changes: Vec<(Ns, u32)>,
    /// What lies before every block of changes.
    blocks: Vec<Before>,
    /// Kernels with a launch call.
    linked: u64,
}

/// What lies before an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    /// Sum of the lengths of all waits.
    waited: i128,
    /// Time with an empty queue, from the first change on.
    empty: i64,
    /// The longest queue of the block that begins here.
    longest: u32,
}

impl Queue {
    /// Lists the changes of a stream. O(n log n).
    #[must_use]
    pub fn of(rank: &Rank, stream: &Stream) -> Self {
        let mut edges: Vec<(Ns, bool)> = Vec::new();
        let mut linked = 0;
        for kernel in rank.slices.range(stream.slices.clone()) {
            let launch = rank.links.launch_of(kernel.id());
            let Some(launch) = launch.and_then(|id| rank.slices.get(id)) else {
                continue;
            };
            linked += 1;
            if launch.start() < kernel.start() {
                edges.extend([(launch.start(), true), (kernel.start(), false)]);
            }
        }
        // At one instant those that start go first: the queue was not longer for no time at all.
        edges.sort_unstable();
        let mut changes: Vec<(Ns, u32)> = Vec::new();
        let mut depth = 0_u32;
        for (at, is_longer) in edges {
            depth = if is_longer {
                depth + 1
            } else {
                depth.saturating_sub(1)
            };
            match changes.last_mut() {
                Some(last) if last.0 == at => last.1 = depth,
                _ => changes.push((at, depth)),
            }
        }
        let mut queue = Self {
            changes,
            blocks: Vec::new(),
            linked,
        };
        queue.sum_up();
        queue
    }

    fn sum_up(&mut self) {
        let mut before = Before::default();
        let mut last: Option<(Ns, u32)> = None;
        for block in self.changes.chunks(BLOCK) {
            let longest = block.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
            for (i, change) in block.iter().enumerate() {
                if let Some(last) = last {
                    before.pass(last, change.0);
                }
                if i == 0 {
                    self.blocks.push(Before { longest, ..before });
                }
                last = Some(*change);
            }
        }
    }

    /// What lies before an instant, and the place of the last change up to it.
    fn before(&self, at: Ns) -> (Before, Option<usize>) {
        let Some(place) = self.changes.partition_point(|c| c.0 <= at).checked_sub(1) else {
            return (Before::default(), None);
        };
        let block = place / BLOCK;
        let mut before = self.blocks.get(block).copied().unwrap_or_default();
        let walked = self.changes.get(block * BLOCK..=place).unwrap_or(&[]);
        for pair in walked.windows(2) {
            if let [last, next] = pair {
                before.pass(*last, next.0);
            }
        }
        if let Some(last) = walked.last() {
            before.pass(*last, at);
        }
        (before, Some(place))
    }

    /// The longest queue of a window.
    fn longest(&self, window: Window) -> u32 {
        let first = self.changes.partition_point(|c| c.0 <= window.start());
        let from = first.saturating_sub(1);
        let to = self.changes.partition_point(|c| c.0 < window.end());
        let mut longest = 0;
        let mut at = from;
        while at < to {
            let block = at / BLOCK;
            if at.is_multiple_of(BLOCK) && at + BLOCK <= to {
                longest = longest.max(self.blocks.get(block).map_or(0, |b| b.longest));
                at += BLOCK;
            } else {
                longest = longest.max(self.changes.get(at).map_or(0, |c| c.1));
                at += 1;
            }
        }
        longest
    }
}

impl Before {
    /// Time passes from a change to an instant behind it.
    fn pass(&mut self, (from, depth): (Ns, u32), to: Ns) {
        let passed = (to - from).0.max(0);
        self.waited += i128::from(depth) * i128::from(passed);
        if depth == 0 {
            self.empty = self.empty.saturating_add(passed);
        }
    }
}

/// The queue of one stream in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The stream on it.
    pub stream: StreamId,
    /// The window, half-open.
    pub window: Window,
    /// Kernels of the whole stream with a launch call; without any there are no figures.
    pub linked: u64,
    /// Sum of all waits inside the window: the mean queue times the length of the window.
    pub waited: DurNs,
    /// The longest queue.
    pub longest: u32,
    /// Time in which nothing waits.
    pub empty: DurNs,
}

impl QueueRow {
    /// Mean number of waiting kernels, in units of 0.0001; `None` without launch calls or time.
    #[must_use]
    pub fn mean_e4(&self) -> Option<i128> {
        let len = i128::from(self.window.len().0);
        let known = self.linked > 0 && len > 0;
        known.then(|| (20_000 * i128::from(self.waited.0) + len) / (2 * len))
    }

    /// Time with an empty queue as a share of the window.
    #[must_use]
    pub fn empty_share(&self) -> Option<Ratio> {
        Ratio::new(self.empty, self.window.len()).filter(|_| self.linked > 0)
    }
}

/// The row of one stream. O(log n) and the blocks of the window.
#[must_use]
pub fn queue_row(
    (rank, device, stream): (&Rank, &Device, &Stream),
    queue: &Queue,
    window: Window,
) -> QueueRow {
    let ((until_start, _), (until_end, last)) =
        (queue.before(window.start()), queue.before(window.end()));
    // Before the first change nothing waits.
    let first = queue.changes.first().map_or(window.end(), |c| c.0);
    let lead = (first.min(window.end()) - window.start()).max(DurNs::ZERO);
    let empty = DurNs(until_end.empty - until_start.empty) + lead;
    let waited = i64::try_from(until_end.waited - until_start.waited).unwrap_or(i64::MAX);
    QueueRow {
        rank: rank.id,
        device: device.id,
        stream: stream.id,
        window,
        linked: queue.linked,
        waited: DurNs(waited),
        longest: last.map_or(0, |_| queue.longest(window)),
        empty,
    }
}

/// One row for each (rank, device, stream); none for a device whose rank recorded nothing of the
/// window. The window is the device's.
#[must_use]
pub fn queue_rows(trace: &Trace, query: &Query) -> Vec<QueueRow> {
    let mut rows = Vec::new();
    for (rank, device) in query.devices(trace) {
        let scope = scope(rank, device, query.selection, query.clip_suspicious);
        let Some(window) = scope.covered() else {
            continue;
        };
        for stream in &device.streams {
            let queue = Queue::of(rank, stream);
            rows.push(queue_row((rank, device, stream), &queue, window));
        }
    }
    rows
}
