//! What the allocator recorded, in columns: one entry an event, in the order of the recording.

use super::{StackId, TextId};
use crate::time::Ns;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The program got a block.
    Alloc,
    /// The program gave a block back.
    FreeRequested,
    /// The block became free; later than the request where another stream still used it.
    FreeCompleted,
    /// A segment was taken from the driver.
    SegmentAlloc,
    /// A segment was given back to the driver.
    SegmentFree,
    /// An expandable segment got memory from the driver.
    SegmentMap,
    /// An expandable segment gave memory back.
    SegmentUnmap,
    /// A snapshot was taken.
    Snapshot,
    /// The program ran out of memory.
    Oom,
    /// Something that is not known.
    Unknown,
}

impl Action {
    /// The word of the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::FreeRequested => "free_requested",
            Self::FreeCompleted => "free_completed",
            Self::SegmentAlloc => "segment_alloc",
            Self::SegmentFree => "segment_free",
            Self::SegmentMap => "segment_map",
            Self::SegmentUnmap => "segment_unmap",
            Self::Snapshot => "snapshot",
            Self::Oom => "oom",
            Self::Unknown => "unknown",
        }
    }

    pub(super) fn read(word: &str) -> Self {
        match word {
            "alloc" => Self::Alloc,
            "free_requested" => Self::FreeRequested,
            "free_completed" | "free" => Self::FreeCompleted,
            "segment_alloc" => Self::SegmentAlloc,
            "segment_free" => Self::SegmentFree,
            "segment_map" => Self::SegmentMap,
            "segment_unmap" => Self::SegmentUnmap,
            "snapshot" => Self::Snapshot,
            "oom" => Self::Oom,
            _ => Self::Unknown,
        }
    }
}

/// One event, taken out of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When. See [`Clock`] for what it counts from.
    pub time: Ns,
    /// What happened.
    pub action: Action,
    /// Where; for [`Action::Oom`] the bytes that the driver had free.
    pub address: u64,
    /// Bytes: as requested for blocks, whole segments or mapped ranges for segments.
    pub size: u64,
    /// The stream.
    pub stream: i64,
    /// Who asked.
    pub stack: StackId,
    /// What the program said of it (`user_metadata`), often empty.
    pub metadata: TextId,
}

/// What times count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Clock {
    /// Nanoseconds since the epoch.
    #[default]
    Epoch,
    /// Old recordings have no times: an event's number stands for its time.
    Order,
}

/// The events of one device.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// What the times count from.
    pub clock: Clock,
    times: Vec<Ns>,
    actions: Vec<Action>,
    addresses: Vec<u64>,
    sizes: Vec<u64>,
    streams: Vec<i64>,
    stacks: Vec<StackId>,
    metadata: Vec<TextId>,
}

impl Events {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// All times in order; none is earlier than the one before it.
    #[must_use]
    pub fn times(&self) -> &[Ns] {
        &self.times
    }

    /// All actions in order.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The event at a place.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<Event> {
        Some(Event {
            time: *self.times.get(place)?,
            action: *self.actions.get(place)?,
            address: *self.addresses.get(place)?,
            size: *self.sizes.get(place)?,
            stream: *self.streams.get(place)?,
            stack: *self.stacks.get(place)?,
            metadata: *self.metadata.get(place)?,
        })
    }

    /// All events in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Event> + ExactSizeIterator + Clone + '_ {
        self.times
            .iter()
            .zip(&self.actions)
            .zip(self.addresses.iter().zip(&self.sizes))
            .zip(
                self.streams
                    .iter()
                    .zip(self.stacks.iter().zip(&self.metadata)),
            )
            .map(
                |(((time, action), (address, size)), (stream, (stack, metadata)))| Event {
                    time: *time,
                    action: *action,
                    address: *address,
                    size: *size,
                    stream: *stream,
                    stack: *stack,
                    metadata: *metadata,
                },
            )
    }

    /// How many events happened at or before an instant.
    #[must_use]
    pub fn until(&self, at: Ns) -> usize {
        self.times.partition_point(|time| *time <= at)
    }

    pub(super) fn push(&mut self, event: Event) {
        self.times.push(event.time);
        self.actions.push(event.action);
        self.addresses.push(event.address);
        self.sizes.push(event.size);
        self.streams.push(event.stream);
        self.stacks.push(event.stack);
        self.metadata.push(event.metadata);
    }

    pub(super) fn times_mut(&mut self) -> &mut [Ns] {
        &mut self.times
    }
}
