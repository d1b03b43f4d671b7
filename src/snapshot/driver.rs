//! Between the allocator and the driver: what can be given back, what a request takes, and what the
//! driver has free as far as the recording says.

use super::events::{Action, Events};
use super::history::reserved_delta;
use super::rounding::{page, segment_size, up_to};
use super::{Block, BlockState, Layout, Pool, Segment, Settings};

/// What an allocator can give back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Releasable {
    /// How many segments give something back.
    pub segments: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Releasable {
    /// What the common pool can give back at once: ordinary segments that are wholly free, and the whole
    /// free pages of expandable ones. Private pools keep theirs.
    #[must_use]
    pub fn of(layout: Layout<'_>) -> Self {
        let mut sum = Self::default();
        for segment in layout.segments {
            let bytes = given_back(layout, segment);
            if bytes > 0 && !segment.pool.id.is_private() {
                sum.segments += 1;
                sum.bytes = sum.bytes.saturating_add(bytes);
            }
        }
        sum
    }
}

/// The bytes that a segment would give back, whatever its pool.
#[must_use]
pub(super) fn given_back(layout: Layout<'_>, segment: &Segment) -> u64 {
    if !segment.is_expandable {
        return if layout.is_free(segment) {
            segment.size
        } else {
            0
        };
    }
    let free = layout.blocks_of(segment).iter();
    free.filter(|block| block.state == BlockState::Free)
        .fold(0, |sum, block| sum.saturating_add(pages(segment, block).1))
}

/// A block of an expandable segment cut at its pages: the bytes before the first whole page, those of
/// whole pages, and those behind. A segment begins with a page.
fn pages(segment: &Segment, block: &Block) -> (u64, u64, u64) {
    let page = page(segment.pool.size);
    let from = block.address.saturating_sub(segment.address);
    let end = from.saturating_add(block.size);
    let (first, last) = (up_to(from, page), end / page * page);
    if first < last {
        (first - from, last - first, end - last)
    } else {
        (block.size, 0, 0)
    }
}

/// Whether new memory of a pool comes by growing.
#[must_use]
pub(super) fn grows(layout: Layout<'_>, settings: &Settings) -> bool {
    settings
        .expandable_segments
        .unwrap_or_else(|| layout.segments.iter().any(|s| s.is_expandable))
}

/// The expandable segments of a pool, each with the bytes behind it that are not mapped: up to the next
/// one of its pool, without end behind the last.
pub(super) fn with_room(
    layout: Layout<'_>,
    pool: Pool,
) -> impl Iterator<Item = (usize, &Segment, u64)> {
    let of_pool = move |s: &&Segment| s.pool == pool && s.is_expandable;
    let all = layout.segments.iter().enumerate();
    let mut all = all.filter(move |(_, s)| of_pool(s)).peekable();
    std::iter::from_fn(move || {
        let (place, segment) = all.next()?;
        let end = segment.address.saturating_add(segment.size);
        let next = all.peek().map(|(_, next)| next.address);
        let room = next.map_or(u64::MAX, |next| next.saturating_sub(end));
        Some((place, segment, room))
    })
}

/// Bytes that a block takes from the driver. With expandable segments it lies in the lowest room that is
/// large enough, and takes whole pages for what is not mapped there. `is_released` says that the
/// segments gave their whole free pages back before.
#[must_use]
pub(super) fn taken(
    layout: Layout<'_>,
    settings: &Settings,
    pool: Pool,
    size: u64,
    is_released: bool,
) -> u64 {
    if !grows(layout, settings) {
        return segment_size(size);
    }
    let new = Run {
        size,
        page: page(pool.size),
        room: 0,
        taken: 0,
        has_unmapped: false,
    };
    let mut run = new;
    // Private pools keep theirs.
    let is_released = is_released && !pool.id.is_private();
    for (_, segment, room) in with_room(layout, pool) {
        for block in layout.blocks_of(segment) {
            if block.state != BlockState::Free {
                run = new;
                continue;
            }
            let (before, whole, behind) = if is_released {
                pages(segment, block)
            } else {
                (block.size, 0, 0)
            };
            for (bytes, is_mapped) in [(before, true), (whole, false), (behind, true)] {
                if run.goes_on(bytes, is_mapped) {
                    return run.taken;
                }
            }
        }
        if run.goes_on(room, false) {
            return run.taken;
        }
    }
    up_to(size, new.page)
}

/// Memory that nobody uses, mapped or not, as far as it goes on.
#[derive(Clone, Copy, Debug)]
struct Run {
    size: u64,
    page: u64,
    room: u64,
    taken: u64,
    has_unmapped: bool,
}

impl Run {
    /// Adds what follows; `true` once the block has room.
    fn goes_on(&mut self, bytes: u64, is_mapped: bool) -> bool {
        if !is_mapped && bytes > 0 {
            let part = bytes.min(self.size.saturating_sub(self.room));
            self.taken = self.taken.saturating_add(up_to(part, self.page));
            self.has_unmapped = true;
        }
        self.room = self.room.saturating_add(bytes);
        self.has_unmapped && self.room >= self.size
    }
}

/// What the driver has free, as far as the recording says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFree {
    /// Bytes, if nobody else took or gave back any since.
    pub bytes: u64,
    /// The `oom` event that stated them first.
    pub oom_event: usize,
}

/// What the `oom` events state of the driver, and what segments took and gave back.
#[derive(Clone, Debug, Default)]
pub(super) struct Driver {
    /// Events and the bytes that the driver had free.
    ooms: Vec<(usize, u64)>,
    /// Events of segments and the bytes taken up to there.
    taken: Vec<(usize, i128)>,
}

impl Driver {
    pub(super) fn new(events: &Events) -> Self {
        let mut driver = Self::default();
        let mut sum = 0;
        for (place, event) in events.iter().enumerate() {
            if event.action == Action::Oom {
                driver.ooms.push((place, event.address));
            }
            let delta = reserved_delta(event.action, event.size);
            if delta != 0 {
                sum += i128::from(delta);
                driver.taken.push((place, sum));
            }
        }
        driver
    }

    /// What the driver has free after so many events; `None` before the first `oom` event, and where the
    /// allocator took more since than there was.
    pub(super) fn free_after(&self, events: usize) -> Option<KnownFree> {
        let before = self.ooms.partition_point(|(place, _)| *place < events);
        let (oom_event, stated) = *self.ooms.get(before.checked_sub(1)?)?;
        let since = self.taken_after(events) - self.taken_after(oom_event);
        let bytes = u64::try_from(i128::from(stated) - since).ok()?;
        Some(KnownFree { bytes, oom_event })
    }

    fn taken_after(&self, events: usize) -> i128 {
        let before = self.taken.partition_point(|(place, _)| *place < events);
        let last = before.checked_sub(1).and_then(|at| self.taken.get(at));
        last.map_or(0, |(_, sum)| *sum)
    }
}
