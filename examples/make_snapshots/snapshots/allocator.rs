//! A small caching allocator that keeps what it does as a snapshot would: the events, and the blocks that are left.
//!
//! It follows the published rules of PyTorch's: sizes rounded to 512 bytes; requests up to 1 MiB are served from 2 MiB
//! segments, those below 10 MiB from 20 MiB segments, larger ones from segments of their own rounded up to 2 MiB; the
//! smallest free block of the stream that is large enough, of equal ones the lowest, is split where what is left is worth
//! it; free neighbours join. A driver without room makes it give back wholly free segments, then fail.

use std::collections::{BTreeMap, BTreeSet};

pub(crate) const MIB: u64 = 1 << 20;
const SMALL: u64 = MIB;

/// One frame of a stack, innermost first in a [`Stack`].
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) line: u32,
}

pub(crate) type Stack = Vec<Frame>;

/// What was recorded, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) action: &'static str,
    /// The address; for `oom` what the driver had free.
    pub(crate) addr: u64,
    pub(crate) size: u64,
    pub(crate) stream: u64,
    pub(crate) time_us: u64,
    /// Which of the caller's stacks.
    pub(crate) stack: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) size: u64,
    pub(crate) requested: u64,
    pub(crate) active: bool,
    pub(crate) segment: u64,
    pub(crate) stack: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) size: u64,
    pub(crate) stream: u64,
    pub(crate) small: bool,
}

/// The allocator: ask it, let the clock run, take what it holds.
pub(crate) struct Allocator {
    /// Bytes that the driver has free.
    pub(crate) driver_free: u64,
    pub(crate) blocks: BTreeMap<u64, Block>,
    pub(crate) segments: BTreeMap<u64, Segment>,
    pub(crate) events: Vec<Event>,
    /// Whether events are kept; what happens while it is off is older than the recording.
    pub(crate) recording: bool,
    pub(crate) now_us: u64,
    /// `(small, stream, size, address)` of every free block.
    free: BTreeSet<(bool, u64, u64, u64)>,
    next_address: u64,
}

impl Allocator {
    pub(crate) fn new(driver_free: u64) -> Self {
        Self {
            driver_free,
            blocks: BTreeMap::new(),
            segments: BTreeMap::new(),
            events: Vec::new(),
            recording: true,
            now_us: 1_800_000_000_000_000,
            free: BTreeSet::new(),
            next_address: 0x7f00_0000_0000,
        }
    }

    /// Lets time pass.
    pub(crate) fn wait_us(&mut self, us: u64) {
        self.now_us += us;
    }

    /// Allocates; `None` where memory ran out, with the event that says so.
    pub(crate) fn alloc(&mut self, requested: u64, stream: u64, stack: usize) -> Option<u64> {
        let size = requested.max(1).next_multiple_of(512);
        let small = size <= SMALL;
        let fit = (small, stream, size, 0)..=(small, stream, u64::MAX, u64::MAX);
        let found = self.free.range(fit).next().map(|key| key.3);
        let Some(address) = found.or_else(|| self.grow(size, stream, small, stack)) else {
            self.record("oom", self.driver_free, requested, stream, stack);
            return None;
        };
        self.take(address, size, requested, stack);
        self.record("alloc", address, requested, stream, stack);
        Some(address)
    }

    /// Frees what [`Self::alloc`] gave.
    pub(crate) fn free(&mut self, address: u64, stack: usize) {
        let block = self.blocks[&address];
        let Segment { stream, small, .. } = self.segments[&block.segment];
        self.record("free_requested", address, block.requested, stream, stack);
        self.record("free_completed", address, block.requested, stream, stack);
        let (mut start, mut size) = (address, block.size);
        let next = address + block.size;
        if let Some(joined) = self.free_neighbour(next, block.segment, small, stream) {
            self.blocks.remove(&next);
            size += joined;
        }
        let before = self.blocks.range(..address).next_back().map(|(at, _)| *at);
        if let Some(at) = before
            && let Some(joined) = self.free_neighbour(at, block.segment, small, stream)
        {
            self.blocks.remove(&address);
            start = at;
            size += joined;
        }
        let freed = Block {
            size,
            requested: 0,
            active: false,
            segment: block.segment,
            stack,
        };
        self.blocks.insert(start, freed);
        self.free.insert((small, stream, size, start));
    }

    /// Takes a free block of the segment out of the free ones and tells its size.
    fn free_neighbour(&mut self, at: u64, segment: u64, small: bool, stream: u64) -> Option<u64> {
        let block = self.blocks.get(&at).copied()?;
        if block.active || block.segment != segment {
            return None;
        }
        self.free.remove(&(small, stream, block.size, at));
        Some(block.size)
    }

    /// A new segment, after wholly free ones were given back where the driver has no room.
    fn grow(&mut self, size: u64, stream: u64, small: bool, stack: usize) -> Option<u64> {
        let segment = match size {
            0..=SMALL => 2 * MIB,
            size if size < 10 * MIB => 20 * MIB,
            size => size.next_multiple_of(2 * MIB),
        };
        if segment > self.driver_free {
            self.release(stack);
        }
        self.driver_free = self.driver_free.checked_sub(segment)?;
        let address = self.next_address;
        self.next_address += segment + 4096 * MIB;
        let new = Segment {
            size: segment,
            stream,
            small,
        };
        self.segments.insert(address, new);
        let block = Block {
            size: segment,
            requested: 0,
            active: false,
            segment: address,
            stack,
        };
        self.blocks.insert(address, block);
        self.free.insert((small, stream, segment, address));
        self.record("segment_alloc", address, segment, stream, stack);
        Some(address)
    }

    fn release(&mut self, stack: usize) {
        let whole: Vec<(u64, Segment)> = self.segments.iter().map(|(at, s)| (*at, *s)).collect();
        for (at, segment) in whole {
            let block = self.blocks[&at];
            if block.active || block.size != segment.size {
                continue;
            }
            self.blocks.remove(&at);
            self.segments.remove(&at);
            self.free
                .remove(&(segment.small, segment.stream, segment.size, at));
            self.driver_free += segment.size;
            self.record("segment_free", at, segment.size, segment.stream, stack);
        }
    }

    fn take(&mut self, address: u64, size: u64, requested: u64, stack: usize) {
        let block = self.blocks[&address];
        let Segment { stream, small, .. } = self.segments[&block.segment];
        self.free.remove(&(small, stream, block.size, address));
        let rest = block.size - size;
        let split = if small { rest >= 512 } else { rest > SMALL };
        let taken = if split { size } else { block.size };
        let new = Block {
            size: taken,
            requested,
            active: true,
            segment: block.segment,
            stack,
        };
        self.blocks.insert(address, new);
        if split {
            let left = Block {
                size: rest,
                requested: 0,
                active: false,
                segment: block.segment,
                stack,
            };
            self.blocks.insert(address + size, left);
            self.free.insert((small, stream, rest, address + size));
        }
    }

    fn record(&mut self, action: &'static str, addr: u64, size: u64, stream: u64, stack: usize) {
        if self.recording {
            self.events.push(Event {
                action,
                addr,
                size,
                stream,
                time_us: self.now_us,
                stack,
            });
        }
        self.now_us += 1;
    }
}
