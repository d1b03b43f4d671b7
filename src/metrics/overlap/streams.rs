//! Check a: could communication run beside computation at all, and was any waiting to run?

use super::samples::Source;
use crate::interval::{Interval, IntervalSet};
use crate::metrics::walk::Walk;
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Busy, Slice, StreamId};

/// A stream runs computation if it has at least one part in this many of the device's.
pub(super) const COMPUTE_STREAM_PART: i64 = 10;

/// What streams and launches tell of a device in a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamCheck {
    /// Streams that computation runs on: each with at least a tenth of all.
    pub compute_streams: Vec<StreamId>,
    /// Merged time of communication on those.
    pub comm_on_them: DurNs,
    /// Merged time of all communication.
    pub comm: DurNs,
    /// Time of communication during which a computation kernel was launched but had not begun.
    pub queued: DurNs,
    /// The same of communication that no computation hides.
    pub queued_exposed: DurNs,
    /// Communication that no computation hides.
    pub exposed: DurNs,
    /// Computation kernels of the window with a launch call.
    pub launched: u64,
    /// Computation kernels without one: replayed graphs, calls that were not recorded.
    pub not_launched: u64,
}

/// Asks the streams and launches of a device.
pub(super) fn check(source: &Source<'_>) -> StreamCheck {
    let Source { device, window, .. } = *source;
    let of_mask = |activity: &crate::trace::Activity, bit: u8| {
        activity.measure(window).sum(|mask| mask & bit != 0)
    };
    let activity = device.activity(source.clip);
    let all = of_mask(activity, Busy::C);
    let mut found = StreamCheck::default();
    let mut on_them = Vec::new();
    for stream in &device.streams {
        let own = stream.activity(source.clip);
        let computing = of_mask(own, Busy::C);
        if computing > DurNs::ZERO && computing.0.saturating_mul(COMPUTE_STREAM_PART) >= all.0 {
            found.compute_streams.push(stream.id);
            on_them.extend(own.intervals(window, |mask| mask & Busy::M != 0));
        }
    }
    found.comm_on_them = IntervalSet::merge(on_them).total();
    let comm = set(source, |mask| mask & Busy::M != 0);
    let exposed = set(source, |mask| mask & Busy::M != 0 && mask & Busy::C == 0);
    (found.comm, found.exposed) = (comm.total(), exposed.total());
    let (queued, launched, not_launched) = queued(source);
    found.queued = queued.intersect(&comm).total();
    found.queued_exposed = queued.intersect(&exposed).total();
    (found.launched, found.not_launched) = (launched, not_launched);
    found
}

/// The instants of a window whose classes on the device qualify.
pub(super) fn set(source: &Source<'_>, accepts: impl Fn(u8) -> bool) -> IntervalSet {
    let activity = source.device.activity(source.clip);
    activity.intervals(source.window, accepts).collect()
}

/// When a computation kernel was launched but had not begun; and how many kernels of the window
/// have a launch call, and how many have none.
fn queued(source: &Source<'_>) -> (IntervalSet, u64, u64) {
    let Source { rank, window, .. } = *source;
    let waiting = |kernel: Slice<'_>| -> Option<Option<Interval>> {
        let launch = rank.links.launch_of(kernel.id())?;
        let launched = rank.slices.get(launch)?.end();
        let waits = launched < kernel.start();
        Some(waits.then(|| Interval {
            start: launched,
            end: kernel.start(),
        }))
    };
    let walk = Walk::new(rank, source.device, window, source.clip);
    let (mut intervals, launched, not_launched) = walk.fold(
        || (Vec::new(), 0_u64, 0_u64),
        |(mut list, yes, no), kernel| {
            if kernel.class != KernelClass::Computation {
                return (list, yes, no);
            }
            match rank.slices.get(kernel.id).and_then(&waiting) {
                Some(interval) => {
                    list.extend(interval);
                    (list, yes + 1, no)
                }
                None => (list, yes, no + 1),
            }
        },
        |(mut a, yes, no), (b, more_yes, more_no)| {
            a.extend(b);
            (a, yes + more_yes, no + more_no)
        },
    );
    // The first kernel of each stream behind the window may have been waiting in it.
    for stream in &source.device.streams {
        let behind = first_behind(source, &stream.slices, window.end());
        intervals.extend(behind.and_then(&waiting).flatten());
    }
    let all = IntervalSet::merge(intervals).clip(window);
    (all, launched, not_launched)
}

/// The first computation kernel of a stream that starts at or behind an instant.
fn first_behind<'t>(
    source: &Source<'t>,
    slices: &std::ops::Range<u32>,
    at: Ns,
) -> Option<Slice<'t>> {
    let (mut from, mut to) = (slices.start, slices.end);
    while from < to {
        let middle = from + (to - from) / 2;
        let slice = source.rank.slices.get(crate::trace::SliceId(middle))?;
        if slice.start() < at {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    let mut rest = source.rank.slices.range(from..slices.end);
    rest.find(|s| s.class() == Some(KernelClass::Computation))
}

/// The part of a window behind an instant.
pub(super) fn from(window: Window, at: Ns) -> Window {
    Window::new(window.start().max(at.min(window.end())), window.end())
}
