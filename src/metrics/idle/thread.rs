//! What one host thread did: where it was blocked, and where it was at work.

use crate::time::{DurNs, Ns, Window};
use crate::trace::{
    Category, HostWait, NameId, Rank, Row, Slice, SliceId, Thread, Trace, host_wait,
};
use rustc_hash::FxHashMap;

/// A call, by time.
#[derive(Clone, Copy)]
struct Call {
    start: Ns,
    end: Ns,
    id: SliceId,
}

/// How long a thread was blocked, and by what for the most part.
pub(super) struct Blocked {
    pub(super) total: DurNs,
    pub(super) longest: SliceId,
}

/// The calls of a thread that matter for gaps.
pub(super) struct HostThread<'t> {
    trace: &'t Trace,
    rank: &'t Rank,
    thread: &'t Thread,
    /// Outermost calls that wait for the GPU or other ranks: they never overlap.
    syncs: Vec<Call>,
    /// The same of copies.
    copies: Vec<Call>,
    /// Outermost ops, frames and runtime calls: whenever none of them runs, the thread is idle.
    work: Vec<Call>,
    /// Whether there is more than calls of the runtime.
    has_work: bool,
}

impl<'t> HostThread<'t> {
    /// One pass over the slices of the thread.
    pub(super) fn new(trace: &'t Trace, rank: &'t Rank, thread: &'t Thread) -> Self {
        let mut known: FxHashMap<(Category, NameId), Option<HostWait>> = FxHashMap::default();
        let mut all = Self {
            trace,
            rank,
            thread,
            syncs: Vec::new(),
            copies: Vec::new(),
            work: Vec::new(),
            has_work: false,
        };
        for slice in rank.slices.range(thread.slices.clone()) {
            let (category, name) = (slice.category(), slice.name());
            let wait = *known
                .entry((category, name))
                .or_insert_with(|| host_wait(category, trace.names.get(name)));
            match wait {
                Some(HostWait::Sync) => outermost(&mut all.syncs, slice),
                Some(HostWait::Copy) => outermost(&mut all.copies, slice),
                Some(HostWait::Other) | None => {}
            }
            if is_work(category) {
                outermost(&mut all.work, slice);
                all.has_work |= category != Category::Runtime;
            }
        }
        all
    }

    /// Its first slice.
    pub(super) fn first(&self) -> SliceId {
        SliceId(self.thread.slices.start)
    }

    /// Whether a slice stands on it.
    pub(super) fn holds(&self, slice: SliceId) -> bool {
        self.thread.slices.contains(&slice.0)
    }

    /// Whether anything but calls of the runtime is known.
    pub(super) fn has_work(&self) -> bool {
        self.has_work
    }

    /// The calls of one kind that share time with a window, the launch itself left out; their whole
    /// lengths count, since a thread that had not been blocked would have been earlier by those.
    pub(super) fn blocked(
        &self,
        wait: HostWait,
        window: Window,
        launch: SliceId,
    ) -> Option<Blocked> {
        let calls = match wait {
            HostWait::Sync => &self.syncs,
            HostWait::Copy => &self.copies,
            HostWait::Other => return None,
        };
        let mut blocked: Option<(DurNs, Call)> = None;
        for call in sharing(calls, window).filter(|call| call.id != launch) {
            let len = call.end - call.start;
            blocked = Some(match blocked {
                Some((total, longest)) if longest.end - longest.start >= len => {
                    (total + len, longest)
                }
                Some((total, _)) => (total + len, *call),
                None => (len, *call),
            });
        }
        blocked.map(|(total, longest)| Blocked {
            total,
            longest: longest.id,
        })
    }

    /// How much of a window the thread was at work, and the call that took most of it.
    pub(super) fn at_work(&self, window: Window) -> (DurNs, Option<SliceId>) {
        let mut total = DurNs::ZERO;
        let mut longest: Option<(DurNs, SliceId)> = None;
        for call in sharing(&self.work, window) {
            let inside = call.end.min(window.end()) - call.start.max(window.start());
            total = total + inside;
            if longest.is_none_or(|(most, _)| inside > most) {
                longest = Some((inside, call.id));
            }
        }
        (total, longest.map(|(_, id)| id))
    }

    /// The innermost call that takes at least half of a window. Such a call runs in the middle of it,
    /// so one look a depth is enough.
    pub(super) fn narrowest(&self, window: Window) -> Option<SliceId> {
        let middle = window.start() + DurNs(window.len().0 / 2);
        let rows = self.rank.rows_of(&self.thread.slices)?;
        (0..self.thread.rows.max(1)).rev().find_map(|depth| {
            let row: Row<'_> = rows.row(&self.rank.slices, depth)?;
            let slice = row.get(row.first_reaching(middle))?;
            let inside = slice.window().clip(window)?.len();
            let is_half = inside.0.saturating_mul(2) >= window.len().0;
            let tells = is_work(slice.category()) || self.waits(slice.id());
            (is_half && tells).then(|| slice.id())
        })
    }

    /// Whether a call waits for data, a lock or others.
    pub(super) fn waits(&self, id: SliceId) -> bool {
        let wait =
            |slice: Slice<'_>| host_wait(slice.category(), self.trace.names.get(slice.name()));
        self.rank.slices.get(id).and_then(wait) == Some(HostWait::Other)
    }
}

/// Slices come by start, longer first: one that begins before the last one's end lies inside it.
fn outermost(calls: &mut Vec<Call>, slice: Slice<'_>) {
    let (start, end) = (slice.start(), slice.end());
    if start < end && calls.last().is_none_or(|last| last.end <= start) {
        calls.push(Call {
            start,
            end,
            id: slice.id(),
        });
    }
}

/// Calls that share time with a window; they are sorted and never overlap.
fn sharing(calls: &[Call], window: Window) -> impl Iterator<Item = &Call> {
    let first = calls.partition_point(|call| call.end <= window.start());
    let rest = calls.get(first..).unwrap_or(&[]);
    rest.iter()
        .take_while(move |call| call.start < window.end())
}

/// Whether a slice of this category is something that a thread does. Annotations only name time.
fn is_work(category: Category) -> bool {
    matches!(
        category,
        Category::CpuOp | Category::Python | Category::Runtime | Category::Other
    )
}
