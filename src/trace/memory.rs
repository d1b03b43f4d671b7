//! [`MemoryTrack`]: what one allocator held over time, and who asked for it.

use super::{Category, DeviceId, NameId, Rank, Slice, SliceId};
use crate::memory::Curve;
use crate::time::{DurNs, Ns, Window};
use std::sync::OnceLock;

/// Whose memory an allocator hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryPlace {
    /// That of a GPU, by the number that the allocator gives it.
    Device(DeviceId),
    /// That of the host.
    Host,
}

impl MemoryPlace {
    /// Its number as the framework writes it: -1 for the host.
    #[must_use]
    pub fn device(self) -> DeviceId {
        match self {
            Self::Device(device) => device,
            Self::Host => DeviceId(-1),
        }
    }

    /// Its name in words.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Device(device) => format!("GPU {}", device.0),
            Self::Host => "CPU".to_owned(),
        }
    }
}

/// Where the values of a curve come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySource {
    /// The file states what is allocated after every event.
    Totals,
    /// Bytes of every event were added up, from 0 at the start of the recording.
    Integrated,
}

impl MemorySource {
    /// The word for it in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Totals => "totals",
            Self::Integrated => "integrated",
        }
    }
}

/// One allocation or free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEvent {
    /// What was allocated; freed where it is negative.
    pub bytes: i64,
    /// Where the block lies; `None` where the file does not say.
    pub address: Option<i64>,
    /// The thread that asked for it, by its place in [`Rank::threads`].
    pub thread: Option<usize>,
}

/// What one allocator of a rank held over time.
#[derive(Clone, Debug)]
pub struct MemoryTrack {
    /// Whose memory it is.
    pub place: MemoryPlace,
    /// Kind of the device, as the framework numbers them.
    pub device_type: i64,
    /// Where the values come from.
    pub source: MemorySource,
    /// Bytes in blocks that somebody uses.
    pub allocated: Curve,
    /// Bytes that the allocator took from the driver; `None` where the file does not say.
    pub reserved: Option<Curve>,
    /// Bytes that were allocated before the first event.
    pub before: i64,
    /// The events, one for each point of [`Self::allocated`].
    pub events: Vec<MemoryEvent>,
    /// What lies before every [`SUMMED`]th event.
    sums: Vec<MemorySums>,
    /// The op of each allocation, once somebody asked.
    ops: OnceLock<Vec<Option<NameId>>>,
}

/// How many events share one row of sums.
const SUMMED: usize = 64;

/// How much was allocated and freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MemorySums {
    /// How many allocations.
    pub allocations: u64,
    /// How many frees.
    pub frees: u64,
    /// Bytes of the allocations.
    pub allocated: i128,
    /// Bytes of the frees.
    pub freed: i128,
}

impl MemorySums {
    fn add(&mut self, bytes: i64) {
        if bytes > 0 {
            self.allocations += 1;
            self.allocated += i128::from(bytes);
        } else if bytes < 0 {
            self.frees += 1;
            self.freed -= i128::from(bytes);
        }
    }

    /// What lies between: these less what lies before.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            allocations: self.allocations.saturating_sub(before.allocations),
            frees: self.frees.saturating_sub(before.frees),
            allocated: self.allocated - before.allocated,
            freed: self.freed - before.freed,
        }
    }
}

impl MemoryTrack {
    /// A track without events.
    #[must_use]
    pub fn new(place: MemoryPlace, device_type: i64, source: MemorySource) -> Self {
        Self {
            place,
            device_type,
            source,
            allocated: Curve::default(),
            reserved: None,
            before: 0,
            events: Vec::new(),
            sums: Vec::new(),
            ops: OnceLock::new(),
        }
    }

    /// The same with its events, one for each point of its curve.
    #[must_use]
    pub fn with_events(mut self, events: Vec<MemoryEvent>) -> Self {
        let mut sum = MemorySums::default();
        self.sums.clear();
        for block in events.chunks(SUMMED) {
            self.sums.push(sum);
            for event in block {
                sum.add(event.bytes);
            }
        }
        self.events = events;
        self.ops = OnceLock::new();
        self
    }

    /// How much was allocated and freed before an event.
    #[must_use]
    pub fn sums_before(&self, index: usize) -> MemorySums {
        // Behind the last block there is one more only where it is full.
        let block = (index / SUMMED).min(self.sums.len().saturating_sub(1));
        let mut sum = self.sums.get(block).copied().unwrap_or_default();
        let rest = self
            .events
            .get(block * SUMMED..index.min(self.events.len()));
        for event in rest.unwrap_or_default() {
            sum.add(event.bytes);
        }
        sum
    }

    /// Allocated bytes right before an instant.
    #[must_use]
    pub fn allocated_before(&self, at: Ns) -> i64 {
        self.allocated.value_before(at).unwrap_or(self.before)
    }

    /// Allocated bytes at an instant, what happens at that instant included.
    #[must_use]
    pub fn allocated_at(&self, at: Ns) -> i64 {
        self.allocated.value_at(at).unwrap_or(self.before)
    }

    /// Reserved bytes right before an instant; `None` before the first event.
    #[must_use]
    pub fn reserved_before(&self, at: Ns) -> Option<i64> {
        self.reserved.as_ref()?.value_before(at)
    }

    /// Reserved bytes at an instant; `None` before the first event.
    #[must_use]
    pub fn reserved_at(&self, at: Ns) -> Option<i64> {
        self.reserved.as_ref()?.value_at(at)
    }

    /// Moves everything by the same time.
    pub(super) fn move_by(&mut self, by: DurNs) {
        let Self {
            place: _,
            device_type: _,
            source: _,
            allocated,
            reserved,
            before: _,
            events: _,
            sums: _,
            ops: _,
        } = self;
        allocated.move_by(by);
        if let Some(reserved) = reserved {
            reserved.move_by(by);
        }
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.allocated.heap_bytes()
            + self.reserved.as_ref().map_or(0, Curve::heap_bytes)
            + self.events.capacity() * size_of::<MemoryEvent>()
            + self.sums.capacity() * size_of::<MemorySums>()
            + self.ops.get().map_or(0, Vec::capacity) * size_of::<Option<NameId>>()
    }
}

/// Reserved memory that nobody uses: what the allocator can hand out without asking the driver.
/// `None` where the file states more allocated than reserved bytes, which cannot be.
#[must_use]
pub fn cached_free(reserved: i64, allocated: i64) -> Option<i64> {
    reserved.checked_sub(allocated).filter(|free| *free >= 0)
}

impl Rank {
    /// What is known of its allocators: all that the rank recorded, and every event of theirs.
    #[must_use]
    pub fn memory_window(&self) -> Option<Window> {
        let both = self.capture.into_iter().chain(self.memory_extent);
        both.reduce(Window::hull)
    }

    /// What is recorded of one allocator.
    #[must_use]
    pub fn memory_of(&self, place: MemoryPlace) -> Option<&MemoryTrack> {
        self.memory.iter().find(|track| track.place == place)
    }

    /// The innermost CPU op that ran on a thread at an instant.
    ///
    /// One search for each depth of the thread; the sub-rows of the rank are listed first, if that
    /// was not done yet.
    #[must_use]
    pub fn op_at(&self, thread: usize, at: Ns) -> Option<SliceId> {
        let thread = self.threads.get(thread)?;
        let rows = self.rows_of(&thread.slices)?;
        (0..thread.rows).rev().find_map(|depth| {
            let row = rows.row(&self.slices, depth)?;
            let next = row.first_reaching(at);
            // One that ends right there is behind it, and gives way to one that begins there.
            let around = [next.checked_sub(1), Some(next)].into_iter().flatten();
            let mut around = around.filter_map(|i| row.get(i));
            let is_op = |s: &Slice<'_>| s.category() == Category::CpuOp;
            let holds = |s: &Slice<'_>| s.start() <= at && at <= s.end();
            let found = around.rfind(|s| is_op(s) && holds(s));
            found.map(|slice| slice.id())
        })
    }

    /// The innermost CPU op that caused an event of an allocator.
    #[must_use]
    pub fn allocating_op(&self, track: &MemoryTrack, index: usize) -> Option<SliceId> {
        let (at, _) = track.allocated.point(index)?;
        self.op_at(track.events.get(index)?.thread?, at)
    }
    /// The name of the op of every allocation of an allocator, in the order of its events; frees have
    /// none. Looked for when somebody asks first: that may take a second for millions of events.
    #[must_use]
    pub fn allocating_ops<'t>(&self, track: &'t MemoryTrack) -> &'t [Option<NameId>] {
        track.ops.get_or_init(|| {
            let events = track.events.iter().enumerate();
            let of = |(index, event): (usize, &MemoryEvent)| {
                let op = (event.bytes > 0).then(|| self.allocating_op(track, index));
                Some(self.slices.get(op??)?.name())
            };
            events.map(of).collect()
        })
    }
}
