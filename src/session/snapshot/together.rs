//! Whether the snapshot and the trace share one axis of time, and what they then tell of each other.

use crate::ingest::rank_in_name;
use crate::session::{Session, file_name};
use crate::snapshot::Clock;
use crate::time::Ns;
use crate::timeline::{MemoryLane, MemoryLevels, SnapshotLane, SnapshotOf};
use crate::trace::{DeviceId, RankId, SliceId};

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
    /// Puts the snapshot's lane where it belongs, or takes it away where both share no axis.
    pub(in crate::session) fn place_snapshot_lane(&mut self) {
        self.lanes.snapshot = self.snapshot_lane();
    }

    fn snapshot_lane(&self) -> Option<SnapshotLane> {
        if !self.together().is_shared() {
            return None;
        }
        let (open, device, recorded) = self.snapshot.focused()?;
        let of = SnapshotOf {
            device: DeviceId(device.id),
            recorded: recorded.history.extent?,
            named: rank_in_name(&file_name(&open.path)).map(RankId),
        };
        SnapshotLane::of(self.trace.as_deref()?, of)
    }

    /// What the snapshot's lane shows; `None` where there is none.
    #[must_use]
    pub fn snapshot_levels(&self) -> Option<MemoryLevels<'_>> {
        self.lanes.snapshot.as_ref()?;
        let (_, _, recorded) = self.snapshot.focused()?;
        let history = &recorded.history;
        Some(MemoryLevels {
            allocated: &history.requested,
            reserved: Some(&history.reserved),
            before: None,
            older: i64::try_from(history.baseline).ok(),
            shown: history.extent?,
        })
    }

    /// The kernel that ran at an instant on the device under which the snapshot's lane stands: of
    /// several the one that began last.
    #[must_use]
    pub fn kernel_beside(&self, at: Ns) -> Option<&str> {
        let trace = self.trace.as_deref()?;
        let lane = self.lanes.snapshot.as_ref()?;
        let MemoryLane::OfDevice(device) = lane.lane else {
            return None;
        };
        let rank = trace.rank(lane.rank)?;
        let streams = rank.device(device)?.streams.iter();
        let found = streams.filter_map(|stream| {
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
        });
        found.max_by_key(|(start, _)| *start).map(|(_, name)| name)
    }

    /// The requested bytes that the snapshot says were allocated on a device at an instant, where its lane
    /// stands under that one.
    #[must_use]
    pub fn requested_beside(&self, rank: RankId, device: DeviceId, at: Ns) -> Option<i64> {
        let lane = self.lanes.snapshot.as_ref()?;
        if lane.rank != rank || lane.lane != MemoryLane::OfDevice(device) {
            return None;
        }
        let (_, _, recorded) = self.snapshot.focused()?;
        let is_inside = recorded.history.extent?.contains(at);
        is_inside.then(|| recorded.history.requested.value_at(at))?
    }
}
