//! The cause of one gap.

use super::thread::HostThread;
use super::{IdleCause, IdleDoubt, IdleGap};
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Device, HostWait, Rank, SliceId, Trace};
use rayon::prelude::*;

/// The gaps of a device inside the capture of its rank, each with the kernel that ends it.
///
/// Of several kernels that start together one with a launch call counts before one without, then
/// the one on the first stream.
pub(super) fn gaps(rank: &Rank, device: &Device, clip: bool) -> Vec<(Window, Option<SliceId>)> {
    let Some(capture) = rank.capture else {
        return Vec::new();
    };
    let activity = device.activity(clip);
    let mut at = capture.start();
    let mut gaps: Vec<(Window, Option<SliceId>)> = Vec::new();
    let mut gap = |from: Ns, to: Ns| {
        if from < to {
            gaps.push((Window::new(from, to), None));
        }
    };
    for busy in activity.intervals(capture, |mask| mask != 0) {
        gap(at, busy.start);
        at = busy.end;
    }
    gap(at, capture.end());
    for stream in &device.streams {
        let mut open = gaps.iter_mut().peekable();
        for kernel in rank.slices.range(stream.slices.clone()) {
            if kernel.class().is_none() || kernel.dur() == DurNs::ZERO {
                continue;
            }
            while open.next_if(|gap| gap.0.end() < kernel.start()).is_some() {}
            let Some((_, next)) = open.peek_mut().filter(|gap| gap.0.end() == kernel.start())
            else {
                continue;
            };
            let is_linked = |id: SliceId| rank.links.launch_of(id).is_some();
            if next.is_none_or(|other| !is_linked(other) && is_linked(kernel.id())) {
                *next = Some(kernel.id());
            }
        }
    }
    gaps
}

/// What is known of the launching threads of a rank.
pub(super) struct Judge<'t> {
    rank: &'t Rank,
    /// In the order of the rank's threads.
    threads: Vec<HostThread<'t>>,
}

impl<'t> Judge<'t> {
    pub(super) fn new(trace: &'t Trace, rank: &'t Rank) -> Self {
        let threads = rank
            .threads
            .par_iter()
            .map(|thread| HostThread::new(trace, rank, thread))
            .collect();
        Self { rank, threads }
    }

    /// Finds the first cause that fits.
    pub(super) fn judge(&self, window: Window, next: Option<SliceId>) -> IdleGap {
        let (cause, blamed, doubt) = self.cause(window, next);
        IdleGap {
            window,
            cause,
            next,
            blamed,
            doubt,
        }
    }

    fn cause(
        &self,
        gap: Window,
        next: Option<SliceId>,
    ) -> (IdleCause, Option<SliceId>, Option<IdleDoubt>) {
        let unknown = |doubt| (IdleCause::Unknown, None, Some(doubt));
        let Some(next) = next else {
            return unknown(IdleDoubt::NoNext);
        };
        let launch = self.rank.links.launch_of(next);
        let Some(launch) = launch.and_then(|id| self.rank.slices.get(id)) else {
            return unknown(IdleDoubt::NoLaunch);
        };
        let because = |cause, blamed| (cause, Some(blamed), None);
        if launch.end() <= gap.start() {
            return because(IdleCause::Queued, launch.id());
        }
        if launch.start() <= gap.start() {
            return because(IdleCause::Launch, launch.id());
        }
        // A kernel may start before its call by the clocks of the file.
        let late = Window::new(gap.start(), launch.start().min(gap.end()));
        let thread = self.thread_of(launch.id());
        for (wait, cause) in [
            (HostWait::Sync, IdleCause::HostSync),
            (HostWait::Copy, IdleCause::HostCopy),
        ] {
            let blocked = thread.and_then(|t| t.blocked(wait, late, launch.id()));
            if let Some(longest) = blocked.filter(|b| is_half(b.total, late.len())) {
                return because(cause, longest.longest);
            }
        }
        let launching = launch.window().clip(gap).map_or(DurNs::ZERO, Window::len);
        if is_half(launching, gap.len()) {
            return because(IdleCause::Launch, launch.id());
        }
        let Some(thread) = thread.filter(|t| t.has_work()) else {
            return unknown(IdleDoubt::NoHostRows);
        };
        let (busy, longest) = thread.at_work(late);
        if !is_half(busy, late.len()) {
            let waiting = thread.narrowest(late).filter(|id| thread.waits(*id));
            return (IdleCause::HostIdle, waiting, None);
        }
        let blamed = thread.narrowest(late).or(longest);
        let waits = blamed.is_some_and(|id| thread.waits(id));
        let cause = if waits {
            IdleCause::HostIdle
        } else {
            IdleCause::HostLate
        };
        (cause, blamed, None)
    }

    fn thread_of(&self, launch: SliceId) -> Option<&HostThread<'t>> {
        let after = self.threads.partition_point(|t| t.first().0 <= launch.0);
        let thread = self.threads.get(after.checked_sub(1)?)?;
        thread.holds(launch).then_some(thread)
    }
}

/// Whether a part is at least half of a whole.
fn is_half(part: DurNs, whole: DurNs) -> bool {
    part.0.saturating_mul(2) >= whole.0
}
