//! The bytes of an allocator: what is reserved, in use, free, and free to give back. The one place
//! where they are added up.

use super::driver::given_back;
use super::{Block, BlockState, Device, PoolSize, Segment, Snapshot};

/// Segments and their blocks, of a snapshot or as they were at some moment.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The segments by address.
    pub segments: &'a [Segment],
    /// All blocks; a segment knows its own by their places.
    pub blocks: &'a [Block],
}

impl<'a> Layout<'a> {
    /// The blocks of a segment.
    #[must_use]
    pub fn blocks_of(self, segment: &Segment) -> &'a [Block] {
        self.blocks.get(segment.blocks.clone()).unwrap_or(&[])
    }

    /// The segment that holds an address, a place in [`segments`](Self::segments).
    #[must_use]
    pub fn segment_at(self, address: u64) -> Option<usize> {
        let behind = self.segments.partition_point(|s| s.address <= address);
        let place = behind.checked_sub(1)?;
        let segment = self.segments.get(place)?;
        (address - segment.address < segment.size).then_some(place)
    }

    /// The block that holds an address, a place in [`blocks`](Self::blocks).
    #[must_use]
    pub fn block_at(self, address: u64) -> Option<usize> {
        self.block_in(self.segments.get(self.segment_at(address)?)?, address)
    }

    /// The block of a segment that holds an address, a place in [`blocks`](Self::blocks).
    #[must_use]
    pub fn block_in(self, segment: &Segment, address: u64) -> Option<usize> {
        let blocks = self.blocks_of(segment);
        let behind = blocks.partition_point(|b| b.address <= address);
        let place = behind.checked_sub(1)?;
        let block = blocks.get(place)?;
        (address - block.address < block.size).then_some(segment.blocks.start + place)
    }

    /// Whether a segment is wholly free: it has blocks, and none of them is in use.
    #[must_use]
    pub fn is_free(self, segment: &Segment) -> bool {
        let blocks = self.blocks_of(segment);
        let mut all = blocks.iter();
        !blocks.is_empty() && all.all(|block| block.state == BlockState::Free)
    }
}

impl Snapshot {
    /// The segments and blocks of a device at the moment of the snapshot.
    #[must_use]
    pub fn layout(&self, device: &Device) -> Layout<'_> {
        Layout {
            segments: self.segments_of(device),
            blocks: &self.blocks,
        }
    }
}

/// Bytes and counts. Sums stop at the end of 64 bits, which only made-up files reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Taken from the driver: all segments.
    pub reserved: u64,
    /// In blocks that the program uses.
    pub allocated: u64,
    /// In blocks that the program gave back and another stream still uses.
    pub awaiting_free: u64,
    /// In free blocks.
    pub free: u64,
    /// Of the free bytes, those in ordinary segments of which another block is in use: they cannot be
    /// given back to the driver. As PyTorch counts `inactive_split_bytes`, which leaves expandable
    /// segments out (`DeviceCachingAllocator::malloc` and `free_block`).
    pub inactive_split: u64,
    /// Of the free bytes, those in expandable segments.
    pub expandable_free: u64,
    /// What the common pool can give back: [`super::Releasable`].
    pub releasable: u64,
    /// What private pools could give back by the same rule, once their graphs are gone.
    pub private_releasable: u64,
    /// What the program asked for in the blocks that are in use or awaited.
    pub requested: u64,
    /// Reserved in segments of the small pool.
    pub small_reserved: u64,
    /// Reserved in private pools.
    pub private_reserved: u64,
    /// Number of segments.
    pub segments: u64,
    /// Number of wholly free segments.
    pub free_segments: u64,
    /// Number of blocks in use by the program.
    pub allocated_blocks: u64,
    /// Number of blocks awaiting free.
    pub awaiting_blocks: u64,
    /// Number of free blocks.
    pub free_blocks: u64,
    /// The largest free block.
    pub largest_free: u64,
}

impl Totals {
    /// Adds everything up.
    #[must_use]
    pub fn of(layout: Layout<'_>) -> Self {
        let mut totals = Self::default();
        for segment in layout.segments {
            totals.add(layout, segment);
        }
        totals
    }

    /// Allocated and awaited: what the allocator calls active.
    #[must_use]
    pub fn active(&self) -> u64 {
        self.allocated.saturating_add(self.awaiting_free)
    }

    /// What rounding takes: active bytes that nobody asked for.
    #[must_use]
    pub fn internal_waste(&self) -> u64 {
        self.active().saturating_sub(self.requested)
    }

    fn add(&mut self, layout: Layout<'_>, segment: &Segment) {
        let grow = |sum: &mut u64, bytes: u64| *sum = sum.saturating_add(bytes);
        self.segments += 1;
        grow(&mut self.reserved, segment.size);
        if segment.pool.size == PoolSize::Small {
            grow(&mut self.small_reserved, segment.size);
        }
        if segment.pool.id.is_private() {
            grow(&mut self.private_reserved, segment.size);
        }
        let mut free = 0;
        for block in layout.blocks_of(segment) {
            match block.state {
                BlockState::Allocated => {
                    self.allocated_blocks += 1;
                    grow(&mut self.allocated, block.size);
                    grow(&mut self.requested, block.requested);
                }
                BlockState::AwaitingFree => {
                    self.awaiting_blocks += 1;
                    grow(&mut self.awaiting_free, block.size);
                    grow(&mut self.requested, block.requested);
                }
                BlockState::Free => {
                    self.free_blocks += 1;
                    grow(&mut free, block.size);
                    self.largest_free = self.largest_free.max(block.size);
                }
            }
        }
        grow(&mut self.free, free);
        let is_free = layout.is_free(segment);
        if is_free {
            self.free_segments += 1;
        }
        if segment.is_expandable {
            grow(&mut self.expandable_free, free);
        } else if !is_free {
            grow(&mut self.inactive_split, free);
        }
        let back = given_back(layout, segment);
        if segment.pool.id.is_private() {
            grow(&mut self.private_releasable, back);
        } else {
            grow(&mut self.releasable, back);
        }
    }
}
