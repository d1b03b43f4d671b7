//! Where the lane of an allocator snapshot stands among those of a trace: [`SnapshotLane`].
//!
//! A snapshot belongs to one process and does not say to which rank. Its devices have numbers, as
//! kernels and `[memory]` events do; what those leave open is told, never hidden.

use super::{LaneKey, LaneState, MemoryLane};
use crate::time::Window;
use crate::trace::{DeviceId, MemoryPlace, Rank, RankId, Trace};

/// What of a device's snapshot decides where its lane stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotOf {
    /// The number of the device.
    pub device: DeviceId,
    /// What the recording covers.
    pub recorded: Window,
    /// The rank that the name of the file states.
    pub named: Option<RankId>,
}

/// The lane of an allocator snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotLane {
    /// The rank under which it stands.
    pub rank: RankId,
    /// Under a GPU of that rank, or under the rank itself.
    pub lane: MemoryLane,
    /// Other ranks that may as well have written the snapshot.
    pub others: Vec<RankId>,
    /// The rank that the name of the file states, where that one is not here.
    pub elsewhere: Option<RankId>,
}

impl SnapshotLane {
    /// Finds the place of a snapshot: the rank that its name states, else the first that has a GPU of
    /// that number, by its kernels or else by its `[memory]` events; else the first. Only ranks that
    /// recorded the same time count; `None` where there are none.
    #[must_use]
    pub fn of(trace: &Trace, snapshot: SnapshotOf) -> Option<Self> {
        let SnapshotOf {
            device,
            recorded,
            named,
        } = snapshot;
        let place = MemoryPlace::Device(device);
        let meets = |rank: &&Rank| {
            let both = rank.capture.and_then(|c| c.clip(recorded));
            both.is_some_and(|both| !both.is_empty())
        };
        let met: Vec<&Rank> = trace.ranks.iter().filter(meets).collect();
        let with = |has: &dyn Fn(&Rank) -> bool| -> Vec<&Rank> {
            met.iter().copied().filter(|rank| has(rank)).collect()
        };
        let mut steps = [
            with(&|rank| Some(rank.id) == named),
            with(&|rank| rank.device(device).is_some()),
            with(&|rank| rank.memory_of(place).is_some()),
            with(&|_| true),
        ]
        .into_iter();
        let found = steps.find(|ranks| !ranks.is_empty())?;
        let (first, others) = found.split_first()?;
        Some(Self {
            rank: first.id,
            lane: MemoryLane::of(first, place),
            others: others.iter().map(|rank| rank.id).collect(),
            elsewhere: named.filter(|named| *named != first.id),
        })
    }

    /// Its name among lanes.
    #[must_use]
    pub fn key(&self) -> LaneKey {
        LaneKey::Snapshot(self.rank, self.lane)
    }

    /// Whether nothing speaks for another rank.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.others.is_empty() && self.elsewhere.is_none()
    }

    /// The text in the gutter.
    pub(super) fn label(&self) -> String {
        let unsure = if self.is_sure() { "" } else { ", rank unsure" };
        match self.lane {
            MemoryLane::OfDevice(_) if self.is_sure() => "Allocator snapshot".to_owned(),
            MemoryLane::OfDevice(_) => format!("Snapshot{unsure}"),
            MemoryLane::OfRank(place) => format!("Snapshot of {}{unsure}", place.label()),
        }
    }

    /// Why another rank may have written the snapshot, as one sentence; `None` where none may.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        if let Some(RankId(named)) = self.elsewhere {
            return Some(format!(
                "The snapshot's name says rank {named}, which did not record this time here, so it may not belong to rank {}.",
                self.rank.0
            ));
        }
        let (last, before) = self.others.split_last()?;
        let mut all = vec![self.rank.0.to_string()];
        all.extend(before.iter().map(|rank| rank.0.to_string()));
        Some(format!(
            "The snapshot does not say which rank wrote it; by device and time it may be any of ranks {} and {}. It stands under the first.",
            all.join(", "),
            last.0
        ))
    }
}

/// What lanes are made of: a trace, and the lane of a snapshot beside it.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// The snapshot's lane, while there is one.
    pub snapshot: Option<LaneKey>,
}

impl<'a> From<&'a Trace> for Known<'a> {
    fn from(trace: &'a Trace) -> Self {
        Self {
            trace,
            snapshot: None,
        }
    }
}

impl LaneState {
    /// What lanes are made of in this state.
    #[must_use]
    pub fn known<'a>(&self, trace: &'a Trace) -> Known<'a> {
        Known {
            trace,
            snapshot: self.snapshot.as_ref().map(SnapshotLane::key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shared, rows};
    use super::*;
    use crate::time::Ns;
    use crate::trace::{Device, MemorySource, MemoryTrack, Stream, StreamId, Thread};

    const GPU: DeviceId = DeviceId(0);

    /// A rank with kernels on these GPUs, recorded from 0 to 100.
    fn rank(id: u32, devices: &[i64]) -> Rank {
        let stream = || Stream {
            id: StreamId(7),
            ..Stream::default()
        };
        let devices = devices.iter().map(|id| Device {
            id: DeviceId(*id),
            streams: vec![stream()],
            ..Device::default()
        });
        Rank {
            id: RankId(id),
            devices: devices.collect(),
            capture: Some(Window::new(Ns(0), Ns(100))),
            ..Rank::default()
        }
    }

    fn trace(ranks: Vec<Rank>) -> Trace {
        Trace {
            ranks,
            ..Trace::default()
        }
    }

    fn of(trace: &Trace, device: i64, named: Option<u32>) -> Option<SnapshotLane> {
        SnapshotLane::of(
            trace,
            SnapshotOf {
                device: DeviceId(device),
                recorded: Window::new(Ns(50), Ns(500)),
                named: named.map(RankId),
            },
        )
    }

    fn labels(trace: &Trace, state: &LaneState) -> Vec<String> {
        let rows = rows(trace, state);
        assert!(rows.is_sorted_by(|a, b| a.bottom() < b.top));
        let is_derived = |key| matches!(key, LaneKey::Derived(..));
        let rows = rows.into_iter().filter(|row| !is_derived(row.key));
        rows.map(|row| row.label).collect()
    }

    #[test]
    fn it_stands_behind_the_streams_and_the_memory_lane_of_its_device() {
        let mut only = rank(0, &[0, 1]);
        let place = MemoryPlace::Device(GPU);
        only.memory
            .push(MemoryTrack::new(place, 1, MemorySource::Totals));
        only.threads.push(Thread::default());
        let trace = trace(vec![only]);
        let mut state = LaneState::for_trace(&trace);
        let before = labels(&trace, &state);
        state.snapshot = of(&trace, 0, None);
        let lane = state.snapshot.clone().unwrap();
        assert!(lane.is_sure() && lane.doubt().is_none());
        assert_eq!(
            labels(&trace, &state)[..6],
            [
                "Rank 0",
                "GPU 0",
                "Stream 7",
                "Allocator",
                "Allocator snapshot",
                "GPU 1"
            ]
        );
        let all = rows(&trace, &state);
        let row = all.iter().find(|r| r.key == lane.key()).unwrap();
        assert_eq!((row.sub_rows, row.shared), (1, Shared::No));
        // As the lanes of the trace it moves, is pinned, hidden and named.
        let known = state.known(&trace);
        assert!(!state.arranged.can_move(known, lane.key(), true));
        state.arranged.shift(known, lane.key(), false);
        assert_eq!(
            labels(&trace, &state)[2..5],
            ["Stream 7", "Allocator snapshot", "Allocator"]
        );
        state.arranged.toggle_pin(lane.key());
        assert_eq!(labels(&trace, &state)[0], "Allocator snapshot · R0 GPU 0");
        state.arranged.reset(known, lane.key());
        assert_eq!(state.arranged, super::super::Arranged::default());
        state.arranged.rename(lane.key(), "bytes");
        assert_eq!(labels(&trace, &state)[4], "bytes");
        state.arranged.hide(lane.key());
        assert_eq!(labels(&trace, &state), before);
        // Closed again: what was arranged stays for the next time.
        state.arranged.hidden.clear();
        state.snapshot = None;
        assert_eq!(labels(&trace, &state), before);
    }

    #[test]
    fn a_device_that_no_kernel_names_stands_under_its_rank() {
        let mut second = rank(1, &[1]);
        let place = MemoryPlace::Device(DeviceId(3));
        second
            .memory
            .push(MemoryTrack::new(place, 1, MemorySource::Totals));
        let trace = trace(vec![rank(0, &[0]), second]);
        // By its [memory] events.
        let lane = of(&trace, 3, None).unwrap();
        assert_eq!(
            lane.key(),
            LaneKey::Snapshot(RankId(1), MemoryLane::OfRank(place))
        );
        assert!(lane.is_sure());
        let state = LaneState {
            snapshot: Some(lane),
            ..LaneState::for_trace(&trace)
        };
        let shown = labels(&trace, &state);
        assert_eq!(
            shown[shown.len() - 2..],
            ["Allocator of GPU 3", "Snapshot of GPU 3"]
        );
        // Nobody has that number: the first, and that is said.
        let lane = of(&trace, 5, None).unwrap();
        assert_eq!(
            (lane.rank, lane.others.as_slice()),
            (RankId(0), &[RankId(1)][..])
        );
        assert_eq!(lane.label(), "Snapshot of GPU 5, rank unsure");
    }

    #[test]
    fn of_several_ranks_the_name_decides_else_it_is_told_that_it_is_open() {
        let mut late = rank(3, &[0]);
        late.capture = Some(Window::new(Ns(500), Ns(600)));
        let trace = self::trace(vec![rank(0, &[1]), rank(1, &[0]), rank(2, &[0]), late]);
        // Rank 3 recorded another time, rank 0 has no such device.
        let found = of(&trace, 0, None).unwrap();
        assert_eq!(
            (found.rank, found.others.as_slice()),
            (RankId(1), &[RankId(2)][..])
        );
        assert_eq!(found.label(), "Snapshot, rank unsure");
        assert!(found.doubt().unwrap().contains("ranks 1 and 2"));
        let found = of(&trace, 0, Some(2)).unwrap();
        assert!(found.is_sure() && found.rank == RankId(2));
        // A rank that is not here, or did not record that time.
        for elsewhere in [3, 9] {
            let found = of(&trace, 0, Some(elsewhere)).unwrap();
            assert_eq!(found.rank, RankId(1));
            let words = format!("name says rank {elsewhere}");
            assert!(found.doubt().unwrap().contains(&words));
        }
        // Exactly one has it.
        let found = of(&trace, 1, None).unwrap();
        assert!(found.is_sure() && found.rank == RankId(0));
        let none = SnapshotOf {
            device: GPU,
            recorded: Window::new(Ns(1_000), Ns(2_000)),
            named: None,
        };
        assert_eq!(SnapshotLane::of(&trace, none), None);
    }
}
