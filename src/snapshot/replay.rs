//! Segments and blocks as they were at a moment of the recording.
//!
//! What was in use then is known from its events; a free block is what they leave of a segment, since
//! the allocator joins free neighbours. Events state requested bytes, so the size of a block that is
//! gone is reckoned by the allocator's rules.

use super::events::{Action, Event};
use super::fits::{SMALL_SEGMENT, is_split, rounded};
use super::history::{Allocation, History};
use super::{
    Block, BlockState, Device, Layout, NoteKind, Notes, Pool, PoolId, PoolSize, Segment, Snapshot,
    StackId,
};
use std::collections::BTreeMap;

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
        let mut state = Self::default();
        let mut segments = Segments::at_end(snapshot, device);
        let actions = device.events.actions();
        for place in (events..actions.len()).rev() {
            let is_of_segments = actions.get(place).is_some_and(|action| {
                matches!(
                    action,
                    Action::SegmentAlloc
                        | Action::SegmentFree
                        | Action::SegmentMap
                        | Action::SegmentUnmap
                )
            });
            if is_of_segments
                && let Some(event) = device.events.get(place)
                && !segments.undo(&event, device.id)
            {
                state.notes.add(NoteKind::Contradiction, 1, || {
                    format!(
                        "event {place} ({}) is not of a segment that is there",
                        event.action.word()
                    )
                });
            }
        }
        let events = u32::try_from(events).unwrap_or(u32::MAX - 1);
        let mut held = history.held_after(events);
        held.sort_by_key(|a| a.address);
        let mut fill = Fill {
            snapshot,
            device,
            events,
            state,
        };
        let mut rest = held.as_slice();
        for segment in segments.0.into_values() {
            let end = segment.address.saturating_add(segment.size);
            let (before, from) =
                rest.split_at(rest.partition_point(|a| a.address < segment.address));
            let (inside, behind) = from.split_at(from.partition_point(|a| a.address < end));
            fill.astray(before);
            fill.segment(segment, inside);
            rest = behind;
        }
        fill.astray(rest);
        fill.state
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

/// Segments by address, without blocks.
struct Segments(BTreeMap<u64, Segment>);

impl Segments {
    fn at_end(snapshot: &Snapshot, device: &Device) -> Self {
        let segments = snapshot.segments_of(device).iter();
        Self(segments.map(|s| (s.address, s.clone())).collect())
    }

    /// Takes one event back; `false` where that is not possible.
    fn undo(&mut self, event: &Event, device: i64) -> bool {
        match event.action {
            Action::SegmentAlloc => {
                let there = self.0.get(&event.address).map(|s| s.size);
                there == Some(event.size) && self.0.remove(&event.address).is_some()
            }
            Action::SegmentFree => self.put(event, device, false),
            Action::SegmentMap => self.cut(event),
            Action::SegmentUnmap => self.put(event, device, true),
            _ => true,
        }
    }

    /// Puts a segment back. The pool of one that is gone is told by its size.
    fn put(&mut self, event: &Event, device: i64, is_expandable: bool) -> bool {
        let mut segment = Segment {
            pool: Pool {
                device,
                size: if event.size <= SMALL_SEGMENT {
                    PoolSize::Small
                } else {
                    PoolSize::Large
                },
                stream: event.stream,
                id: PoolId::COMMON,
            },
            address: event.address,
            size: event.size,
            is_expandable,
            stack: event.stack,
            blocks: 0..0,
        };
        let Some(end) = event.address.checked_add(event.size) else {
            return false;
        };
        let before = self.0.range(..end).next_back().map(|(_, s)| s.clone());
        if let Some(before) = before {
            let its_end = before.address.saturating_add(before.size);
            if its_end > event.address {
                return false;
            }
            if is_expandable && before.is_expandable && its_end == event.address {
                self.0.remove(&before.address);
                segment.address = before.address;
                segment.size += before.size;
                segment.pool = before.pool;
            }
        }
        let behind = self
            .0
            .get(&end)
            .filter(|s| is_expandable && s.is_expandable);
        if let Some(behind) = behind.cloned() {
            self.0.remove(&end);
            segment.size = segment.size.saturating_add(behind.size);
            segment.pool = behind.pool;
        }
        self.0.insert(segment.address, segment);
        true
    }

    /// Takes a range out of an expandable segment; what is left of it on either side stays.
    fn cut(&mut self, event: &Event) -> bool {
        let Some(of) = self
            .0
            .range(..=event.address)
            .next_back()
            .map(|(_, s)| s.clone())
        else {
            return false;
        };
        let (Some(end), Some(its_end)) = (
            event.address.checked_add(event.size),
            of.address.checked_add(of.size),
        ) else {
            return false;
        };
        if end > its_end {
            return false;
        }
        self.0.remove(&of.address);
        for (from, to) in [(of.address, event.address), (end, its_end)] {
            if from < to {
                self.0.insert(
                    from,
                    Segment {
                        address: from,
                        size: to - from,
                        ..of.clone()
                    },
                );
            }
        }
        true
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
        if is_split(segment.pool.size, segment.is_expandable, size, rest) {
            size
        } else {
            room
        }
    }
}
