//! Segments and blocks as they were at a moment of the recording.
//!
//! What was in use then is known from its events; a free block is what they leave of a segment, since
//! the allocator joins free neighbours. Events state requested bytes, so the size of a block that is
//! gone is reckoned by the allocator's rules.

use super::history::{Allocation, History};
use super::regions::Segments;
use super::rounding::{is_split, rounded};
use super::{Block, BlockState, Device, Layout, NoteKind, Notes, Segment, Snapshot, StackId};

/// An allocator's state.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The segments by address.
    pub segments: Vec<Segment>,
    /// Their blocks.
    pub blocks: Vec<Block>,
    /// What did not go together.
    pub notes: Notes,
}

impl State {
    /// The state after so many events of a device. Takes time by what was alive then and by the
    /// segment events since.
    #[must_use]
    pub fn after(snapshot: &Snapshot, device: &Device, history: &History, events: usize) -> Self {
        let mut rewind = Rewind::new(snapshot, device, history);
        rewind.to(events);
        rewind.state()
    }

    /// Its segments and blocks.
    #[must_use]
    pub fn layout(&self) -> Layout<'_> {
        Layout {
            segments: &self.segments,
            blocks: &self.blocks,
        }
    }
}

/// A recording taken back from its end, for states that are asked one before the other.
pub(super) struct Rewind<'a> {
    snapshot: &'a Snapshot,
    device: &'a Device,
    history: &'a History,
    segments: Segments,
    /// So many events are left.
    at: usize,
    notes: Notes,
}

impl<'a> Rewind<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, device: &'a Device, history: &'a History) -> Self {
        Self {
            snapshot,
            device,
            history,
            segments: Segments::at_end(snapshot, device),
            at: device.events.len(),
            notes: Notes::default(),
        }
    }

    /// Takes events back until so many are left; there must be as many.
    pub(super) fn to(&mut self, events: usize) {
        let events = events.min(self.at);
        let actions = self.device.events.actions();
        for place in (events..self.at).rev() {
            let is_of_segments = actions.get(place).is_some_and(|a| a.is_of_segments());
            if is_of_segments
                && let Some(event) = self.device.events.get(place)
                && !self.segments.undo(&event, self.device.id)
            {
                self.notes.add(NoteKind::Contradiction, 1, || {
                    format!(
                        "event {place} ({}) is not of a segment that is there",
                        event.action.word()
                    )
                });
            }
        }
        self.at = events;
    }

    /// The state as it is now.
    pub(super) fn state(&self) -> State {
        let events = u32::try_from(self.at).unwrap_or(u32::MAX - 1);
        let mut held = self.history.held_after(events);
        held.sort_by_key(|a| a.address);
        let mut fill = Fill {
            snapshot: self.snapshot,
            device: self.device,
            events,
            state: State {
                notes: self.notes.clone(),
                ..State::default()
            },
        };
        let mut rest = held.as_slice();
        for segment in self.segments.all() {
            let end = segment.address.saturating_add(segment.size);
            let (before, from) =
                rest.split_at(rest.partition_point(|a| a.address < segment.address));
            let (inside, behind) = from.split_at(from.partition_point(|a| a.address < end));
            fill.astray(before);
            fill.segment(segment.clone(), inside);
            rest = behind;
        }
        fill.astray(rest);
        fill.state
    }
}

/// Puts blocks into segments.
struct Fill<'a> {
    snapshot: &'a Snapshot,
    device: &'a Device,
    events: u32,
    state: State,
}

impl Fill<'_> {
    fn astray(&mut self, held: &[Allocation]) {
        for allocation in held {
            self.contradiction(allocation, "lies in no segment");
        }
    }

    fn contradiction(&mut self, of: &Allocation, what: &str) {
        self.state.notes.add(NoteKind::Contradiction, 1, || {
            format!("the allocation at {:#x} {what}", of.address)
        });
    }

    fn segment(&mut self, mut segment: Segment, held: &[Allocation]) {
        let from = self.state.blocks.len();
        let place = self.state.segments.len();
        let end = segment.address.saturating_add(segment.size);
        let mut next = segment.address;
        let mut rest = held.iter().peekable();
        while let Some(allocation) = rest.next() {
            let room_end = rest.peek().map_or(end, |behind| behind.address);
            if allocation.address < next || allocation.address >= room_end {
                self.contradiction(allocation, "overlaps another one");
                continue;
            }
            self.free(next, allocation.address, place);
            let room = room_end - allocation.address;
            let size = self.size(&segment, allocation, room);
            let is_awaiting = allocation.is_awaiting(self.events);
            self.state.blocks.push(Block {
                address: allocation.address,
                size,
                requested: allocation.size,
                state: if is_awaiting {
                    BlockState::AwaitingFree
                } else {
                    BlockState::Allocated
                },
                stack: allocation.stack,
                segment: place,
            });
            next = allocation.address + size;
        }
        self.free(next, end, place);
        segment.blocks = from..self.state.blocks.len();
        self.state.segments.push(segment);
    }

    fn free(&mut self, from: u64, to: u64, segment: usize) {
        if from < to {
            self.state.blocks.push(Block {
                address: from,
                size: to - from,
                requested: 0,
                state: BlockState::Free,
                stack: StackId::NONE,
                segment,
            });
        }
    }

    /// The bytes of a block: the snapshot's own where it is still there, else by the rules.
    fn size(&self, segment: &Segment, allocation: &Allocation, room: u64) -> u64 {
        let last = allocation.free_event().is_none();
        let there = self.snapshot.block_at(self.device, allocation.address);
        let block = there
            .filter(|_| last)
            .and_then(|at| self.snapshot.blocks.get(at))
            .filter(|b| b.address == allocation.address && b.requested == allocation.size);
        if let Some(block) = block {
            return block.size.min(room);
        }
        let size = rounded(allocation.size, &self.snapshot.settings);
        let rest = room.saturating_sub(size);
        let settings = &self.snapshot.settings;
        if is_split(
            settings,
            segment.pool.size,
            segment.is_expandable,
            size,
            rest,
        ) {
            size
        } else {
            room
        }
    }
}
