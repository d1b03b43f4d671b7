//! Whether the snapshot and the trace share one axis of time.

use crate::session::Session;
use crate::snapshot::Clock;
use crate::time::Ns;
use crate::trace::{DeviceId, SliceId};

/// Times before this are no times of a computer that ran a job: the year 2000.
const EPOCH_FROM: Ns = Ns(946_684_800_000_000_000);

/// How the snapshot and the trace stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// Only one of them is open.
    Alone,
    /// Both count time from the epoch and recorded the same time: the window is one.
    Shared,
    /// Each has a window of its own; why, as one sentence.
    Apart(&'static str),
}

impl Together {
    /// Whether the window is one.
    #[must_use]
    pub fn is_shared(self) -> bool {
        self == Self::Shared
    }
}

impl Session {
    /// How the snapshot and the trace stand to each other.
    #[must_use]
    pub fn together(&self) -> Together {
        let Some(((_, device, recorded), trace)) = self.snapshot.focused().zip(self.trace.as_ref())
        else {
            return Together::Alone;
        };
        let Some(capture) = trace.capture() else {
            return Together::Apart(
                "The trace has no times, so it and the snapshot have windows of their own.",
            );
        };
        let Some(extent) = recorded.history.extent else {
            return Together::Apart(
                "The snapshot recorded no history, so it has no window to share with the trace.",
            );
        };
        if device.events.clock == Clock::Order || extent.start() < EPOCH_FROM {
            return Together::Apart(
                "The snapshot's times do not count from the epoch, so it and the trace have windows of their own.",
            );
        }
        if capture.start() < EPOCH_FROM {
            return Together::Apart(
                "The trace's times do not count from the epoch, so it and the snapshot have windows of their own.",
            );
        }
        match capture.clip(extent) {
            Some(both) if !both.is_empty() => Together::Shared,
            _ => Together::Apart(
                "The trace and the snapshot recorded different times, so each has a window of its own.",
            ),
        }
    }
}

impl Session {
    /// The kernel that ran at an instant on the device of the snapshot, where both share one axis: of
    /// several the one that began last.
    #[must_use]
    pub fn kernel_beside(&self, at: Ns) -> Option<&str> {
        if !self.together().is_shared() {
            return None;
        }
        let trace = self.trace.as_deref()?;
        let (_, looked_at, _) = self.snapshot.focused()?;
        let of_device = trace.devices().filter(|(_, d)| d.id.0 == looked_at.id);
        let found = of_device.flat_map(|(rank, device)| {
            device.streams.iter().filter_map(move |stream| {
                let range = stream.slices.clone();
                let starts = rank.slices.starts();
                let (from, to) = (
                    usize::try_from(range.start).ok()?,
                    usize::try_from(range.end).ok()?,
                );
                let begun = starts.get(from..to)?.partition_point(|s| *s <= at);
                let last = range.start + u32::try_from(begun.checked_sub(1)?).ok()?;
                let slice = rank.slices.get(SliceId(last))?;
                let name = slice
                    .window()
                    .contains(at)
                    .then(|| trace.names.get(slice.name()))?;
                Some((slice.start(), name))
            })
        });
        found.max_by_key(|(start, _)| *start).map(|(_, name)| name)
    }

    /// The requested bytes that the snapshot says were allocated on a device at an instant, where both share one
    /// axis.
    #[must_use]
    pub fn requested_beside(&self, device: DeviceId, at: Ns) -> Option<i64> {
        if !self.together().is_shared() {
            return None;
        }
        let (_, looked_at, recorded) = self.snapshot.focused()?;
        let is_inside = recorded.history.extent?.contains(at);
        let is_it = looked_at.id == device.0 && is_inside;
        is_it.then(|| recorded.history.requested.value_at(at))?
    }
}
