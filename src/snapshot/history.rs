//! What the recording says of time: every allocation with its life, curves of allocated and reserved
//! bytes, and what is older than the recording.
//!
//! Events of blocks state the bytes that were *requested*; blocks of the snapshot state rounded ones
//! beside them. The curve is of requested bytes, and ends at the snapshot's own.

use super::alive::Lives;
use super::driver::{Driver, KnownFree};
use super::events::{Action, Events};
use super::follow::Follower;
use super::{Device, Notes, Snapshot, StackId};
use crate::ingest::Cancel;
use crate::memory::Curve;
use crate::time::{Ns, Window};

/// An event that never happened in the recording.
pub(super) const NEVER: u32 = u32::MAX;

/// One allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Where.
    pub address: u64,
    /// Bytes requested.
    pub size: u64,
    /// The stream.
    pub stream: i64,
    /// Who allocated it; [`StackId::NONE`] where that is older than the recording and not known.
    pub stack: StackId,
    /// So many events had happened when it began; 0 for what is older than the recording.
    pub(super) born: u32,
    /// So many had happened when it was given back.
    pub(super) gone: u32,
    /// So many had happened when its block was free.
    pub(super) completed: u32,
}

impl Allocation {
    /// The event that allocated it; `None` where that is older than the recording.
    #[must_use]
    pub fn alloc_event(&self) -> Option<usize> {
        usize::try_from(self.born.checked_sub(1)?).ok()
    }

    /// The event that gave it back; `None` where it was alive at the end.
    #[must_use]
    pub fn free_event(&self) -> Option<usize> {
        if self.gone == NEVER {
            return None;
        }
        usize::try_from(self.gone.checked_sub(1)?).ok()
    }

    /// Whether it was already given back after so many events, and only its block was not free yet.
    #[must_use]
    pub(super) fn is_awaiting(&self, events: u32) -> bool {
        self.gone <= events
    }
}

/// The recording of one device, made for questions.
#[derive(Clone, Debug)]
pub struct History {
    /// The device.
    pub device: i64,
    /// Bytes that the program held, as requested; blocks are larger by what rounding adds.
    pub requested: Curve,
    /// Bytes taken from the driver.
    pub reserved: Curve,
    /// Bytes requested before the recording begins, and held then.
    pub baseline: u64,
    /// From the first event to right behind the last; `None` without events.
    pub extent: Option<Window>,
    /// What was odd.
    pub notes: Notes,
    allocations: Vec<Allocation>,
    lives: Lives,
    driver: Driver,
}

impl History {
    /// Follows the recording of a device.
    #[must_use]
    pub fn new(snapshot: &Snapshot, device: &Device) -> Self {
        let mut follower = Follower::default();
        follower.follow(&device.events, &Cancel::default());
        Self::of(snapshot, device, follower)
    }

    /// The same; `None` once the user cancelled.
    #[must_use]
    pub fn unless(snapshot: &Snapshot, device: &Device, cancel: &Cancel) -> Option<Self> {
        let mut follower = Follower::default();
        follower.follow(&device.events, cancel);
        if cancel.is_cancelled() {
            return None;
        }
        Some(Self::of(snapshot, device, follower))
    }

    fn of(snapshot: &Snapshot, device: &Device, mut follower: Follower) -> Self {
        let at_end = follower.meet_end(snapshot, device);
        let baseline = follower.baseline(at_end);
        let events = &device.events;
        let requested = curve(events, follower.deltas.iter().copied(), i128::from(at_end));
        let reserved_end = snapshot.layout(device).segments.iter();
        let reserved_end: i128 = reserved_end.map(|s| i128::from(s.size)).sum();
        let reserved = curve(
            events,
            events.iter().map(|e| reserved_delta(e.action, e.size)),
            reserved_end,
        );
        let Follower {
            mut allocations,
            notes,
            ..
        } = follower;
        allocations.sort_by_key(|a| a.born);
        let lives = Lives::new(
            allocations.iter().map(|a| a.born).collect(),
            allocations.iter().map(|a| a.completed).collect(),
        );
        let extent = events.times().first().zip(events.times().last());
        Self {
            device: device.id,
            requested,
            reserved,
            baseline,
            extent: extent.map(|(from, to)| Window::new(*from, Ns(to.0.saturating_add(1)))),
            notes,
            allocations,
            lives,
            driver: Driver::new(events),
        }
    }

    /// What the driver had free after so many events, as the last `oom` event before states it and the
    /// allocator's own segments changed it since; `None` without one.
    #[must_use]
    pub fn driver_free_after(&self, events: usize) -> Option<KnownFree> {
        self.driver.free_after(events)
    }

    /// All allocations, by their beginning.
    #[must_use]
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// The allocations that the program held after so many events ([`Events::until`] an instant), by their
    /// beginning.
    #[must_use]
    pub fn alive_after(&self, events: usize) -> Vec<Allocation> {
        let events = u32::try_from(events).unwrap_or(NEVER - 1);
        let mut held = self.held_after(events);
        held.retain(|a| !a.is_awaiting(events));
        held
    }

    /// The same, and what was given back while another stream still used it.
    pub(super) fn held_after(&self, events: u32) -> Vec<Allocation> {
        let places = self.lives.after(events);
        let found = places.iter().filter_map(|at| self.allocations.get(*at));
        found.copied().collect()
    }
}

/// Bytes that an event takes from the driver, or gives back.
pub(super) fn reserved_delta(action: Action, size: u64) -> i64 {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    match action {
        Action::SegmentAlloc | Action::SegmentMap => size,
        Action::SegmentFree | Action::SegmentUnmap => -size,
        _ => 0,
    }
}

/// A curve from what each event changes, so that it ends at a value that is known. It begins with the
/// value before the first event, at that event's time.
fn curve(events: &Events, deltas: impl Iterator<Item = i64> + Clone, at_end: i128) -> Curve {
    let sum: i128 = deltas.clone().map(i128::from).sum();
    let mut value = at_end - sum;
    let bytes =
        |value: i128| i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX });
    let mut points = Vec::new();
    if let Some(first) = events.times().first() {
        points.push((*first, bytes(value)));
    }
    for (time, delta) in events.times().iter().zip(deltas) {
        if delta != 0 {
            value += i128::from(delta);
            points.push((*time, bytes(value)));
        }
    }
    if let Some(last) = events.times().last() {
        points.push((*last, bytes(value)));
    }
    // Events are in order of time, so this cannot fail.
    Curve::new(points).unwrap_or_default()
}
