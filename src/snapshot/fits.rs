//! Whether a request would fit, by the rules of PyTorch's caching allocator: rounding, pools, best
//! fit, splitting, and what it would take from the driver.

use super::{Block, BlockState, Layout, Pool, PoolId, PoolSize, Segment, Settings};
use std::collections::BTreeMap;

/// The unit of blocks.
pub const MIN_BLOCK: u64 = 512;
/// Requests up to here are served by the small pool.
pub const SMALL_REQUEST: u64 = 1 << 20;
/// A segment of the small pool; also what larger segments are a multiple of.
pub const SMALL_SEGMENT: u64 = 2 << 20;
/// A segment for requests above 1 MiB and below 10 MiB.
pub const LARGE_SEGMENT: u64 = 20 << 20;
/// From here on a request gets a segment of its own size.
const OWN_SEGMENT: u64 = 10 << 20;
/// How much larger than the request a block may be that is not to be split.
const OVERSIZE_SLACK: u64 = 20 << 20;

/// Something to be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Bytes asked for.
    pub bytes: u64,
    /// The stream; most programs allocate on stream 0.
    pub stream: i64,
    /// The common pool, or a private one.
    pub pool: PoolId,
    /// The device.
    pub device: i64,
}

/// Whether a request fits, and how. The first that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// A free block of the cache serves it.
    CachedBlock {
        /// Its segment, a place in the layout's segments.
        segment: usize,
        /// The block, a place in the layout's blocks.
        block: usize,
        /// Where it would lie.
        address: u64,
    },
    /// The driver has enough for a new segment, or for an expandable one to grow.
    NewSegment {
        /// Its bytes.
        size: u64,
        /// Whether an expandable segment would grow instead.
        grows: bool,
    },
    /// The driver has enough once the cache gives its wholly free segments back.
    AfterReleasing {
        /// How many segments.
        segments: u64,
        /// Their bytes.
        bytes: u64,
        /// Bytes that the request then takes from the driver.
        size: u64,
    },
    /// It fails.
    No {
        /// Bytes that the driver lacks even then.
        short_by: u64,
    },
    /// No block of the cache serves it, and nobody knows what the driver has.
    CannotTell {
        /// Bytes that it would take from the driver.
        size: u64,
        /// Bytes that the cache could give back first.
        releasable: u64,
    },
}

/// What is free and cannot serve a request, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragmentation {
    /// All free bytes.
    pub free: u64,
    /// In blocks that could serve the request.
    pub serving: u64,
    /// In blocks of its own pool that are too small.
    pub too_small: u64,
    /// In blocks of its own pool that are kept whole for larger requests (`max_split_size_mb`).
    pub oversize: u64,
    /// In the pool of the other size.
    pub other_size: u64,
    /// Of another stream.
    pub other_stream: u64,
    /// In another private pool, or the common one.
    pub other_pool: u64,
    /// Not free: in blocks that another stream still uses.
    pub awaiting_free: u64,
}

impl Fragmentation {
    /// Free bytes that cannot serve the request.
    #[must_use]
    pub fn unusable(&self) -> u64 {
        self.free.saturating_sub(self.serving)
    }
}

/// The bytes of the block that a request gets.
#[must_use]
pub fn rounded(bytes: u64, settings: &Settings) -> u64 {
    if bytes < MIN_BLOCK {
        return MIN_BLOCK;
    }
    let parts = divisions(bytes, settings);
    if parts > 1 && bytes > MIN_BLOCK.saturating_mul(parts) {
        let floor = 1_u64 << bytes.ilog2();
        if bytes == floor {
            return bytes;
        }
        let step = floor >> parts.ilog2();
        if step > 0 {
            return up_to(bytes, step);
        }
    }
    up_to(bytes, MIN_BLOCK)
}

/// Into how many parts the power of two below a size is divided. Set by whole megabytes: what is
/// smaller counts as one, what is larger as the largest.
fn divisions(bytes: u64, settings: &Settings) -> u64 {
    let megabytes = 1_u64 << bytes.ilog2().saturating_sub(20).min(15);
    let set = &settings.roundup_power2_divisions;
    set.iter()
        .find(|(size, _)| *size == megabytes)
        .map_or(0, |(_, parts)| *parts)
}

/// Up to the next multiple; stops at the end of 64 bits.
fn up_to(bytes: u64, unit: u64) -> u64 {
    bytes.checked_next_multiple_of(unit).unwrap_or(u64::MAX)
}

/// The bytes of the segment that is taken from the driver for a block of this size.
#[must_use]
pub fn segment_size(block: u64) -> u64 {
    if block <= SMALL_REQUEST {
        SMALL_SEGMENT
    } else if block < OWN_SEGMENT {
        LARGE_SEGMENT
    } else {
        up_to(block, SMALL_SEGMENT)
    }
}

/// Whether a free block that serves a smaller one is split.
#[must_use]
pub(super) fn is_split(pool: PoolSize, is_expandable: bool, block: u64, rest: u64) -> bool {
    let least = if pool == PoolSize::Small || is_expandable {
        MIN_BLOCK
    } else {
        SMALL_REQUEST + 1
    };
    block > 0 && rest >= least
}

impl Request {
    /// The pool that serves it.
    #[must_use]
    pub fn pool(&self, settings: &Settings) -> Pool {
        let small = rounded(self.bytes, settings) <= SMALL_REQUEST;
        Pool {
            device: self.device,
            size: if small {
                PoolSize::Small
            } else {
                PoolSize::Large
            },
            stream: self.stream,
            id: self.pool,
        }
    }

    /// Whether a free block serves it, its pool apart.
    fn is_served_by(size: u64, block: &Block, settings: &Settings) -> bool {
        let kept_whole = settings.max_split_size.is_some_and(|limit| {
            block.size >= limit
                && (size < limit || block.size >= size.saturating_add(OVERSIZE_SLACK))
        });
        block.size >= size && !kept_whole
    }

    /// Whether it fits. `driver_free` is what the driver has left, where somebody knows.
    #[must_use]
    pub fn fit(self, layout: Layout<'_>, settings: &Settings, driver_free: Option<u64>) -> Fit {
        let size = rounded(self.bytes, settings);
        let pool = self.pool(settings);
        if let Some((segment, block, address)) = best_block(layout, settings, pool, size) {
            return Fit::CachedBlock {
                segment,
                block,
                address,
            };
        }
        let (size, grows) = from_driver(layout, settings, pool, size);
        let (segments, bytes) = releasable(layout);
        let with_cache = driver_free.unwrap_or(0).saturating_add(bytes);
        match driver_free {
            Some(free) if free >= size => Fit::NewSegment { size, grows },
            // Enough even where the driver has nothing.
            _ if with_cache >= size && segments > 0 => Fit::AfterReleasing {
                segments,
                bytes,
                size,
            },
            Some(_) => Fit::No {
                short_by: size - with_cache,
            },
            None => Fit::CannotTell {
                size,
                releasable: bytes,
            },
        }
    }

    /// What is free and yet of no use for it.
    #[must_use]
    pub fn fragmentation(self, layout: Layout<'_>, settings: &Settings) -> Fragmentation {
        let size = rounded(self.bytes, settings);
        let wanted = self.pool(settings);
        let mut sums = Fragmentation::default();
        for segment in layout.segments {
            let pool = segment.pool;
            for block in layout.blocks_of(segment) {
                match block.state {
                    BlockState::Allocated => continue,
                    BlockState::AwaitingFree => {
                        sums.awaiting_free = sums.awaiting_free.saturating_add(block.size);
                        continue;
                    }
                    BlockState::Free => {}
                }
                sums.free = sums.free.saturating_add(block.size);
                let sum = if pool.id != wanted.id || pool.device != wanted.device {
                    &mut sums.other_pool
                } else if pool.stream != wanted.stream {
                    &mut sums.other_stream
                } else if pool.size != wanted.size {
                    &mut sums.other_size
                } else if block.size < size {
                    &mut sums.too_small
                } else if Self::is_served_by(size, block, settings) {
                    &mut sums.serving
                } else {
                    &mut sums.oversize
                };
                *sum = sum.saturating_add(block.size);
            }
        }
        sums
    }
}

/// The smallest free block of a pool that serves; of equal ones that at the lowest address.
fn best_block(
    layout: Layout<'_>,
    settings: &Settings,
    pool: Pool,
    size: u64,
) -> Option<(usize, usize, u64)> {
    let mut best: Option<(u64, u64, usize, usize)> = None;
    for (place, segment) in layout.segments.iter().enumerate() {
        if segment.pool != pool {
            continue;
        }
        for (block, at) in layout.blocks_of(segment).iter().zip(segment.blocks.clone()) {
            let serves =
                block.state == BlockState::Free && Request::is_served_by(size, block, settings);
            let candidate = (block.size, block.address, place, at);
            if serves && best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
    }
    best.map(|(_, address, segment, block)| (segment, block, address))
}

/// Bytes that a block takes from the driver, and whether an expandable segment grows by them. What is
/// free at such a segment's end is used; it grows by whole pages.
fn from_driver(layout: Layout<'_>, settings: &Settings, pool: Pool, size: u64) -> (u64, bool) {
    if settings.expandable_segments != Some(true) {
        return (segment_size(size), false);
    }
    let page = match pool.size {
        PoolSize::Small => SMALL_SEGMENT,
        PoolSize::Large => LARGE_SEGMENT,
    };
    let at_end = |segment: &Segment| {
        let last = layout.blocks_of(segment).last();
        last.filter(|block| block.state == BlockState::Free)
            .map_or(0, |block| block.size)
    };
    let of_pool = layout
        .segments
        .iter()
        .filter(|s| s.pool == pool && s.is_expandable);
    let there = of_pool.map(at_end).max().unwrap_or(0);
    (up_to(size.saturating_sub(there), page), true)
}

/// Wholly free segments of the common pool, and their bytes. Private pools keep theirs.
fn releasable(layout: Layout<'_>) -> (u64, u64) {
    let segments = layout.segments.iter();
    segments
        .filter(|segment| !segment.pool.id.is_private() && layout.is_free(segment))
        .fold((0, 0_u64), |(count, bytes), segment| {
            (count + 1, bytes.saturating_add(segment.size))
        })
}

/// The largest request that each pool serves from its free blocks; 0 where it serves none.
#[must_use]
pub fn largest_requests(layout: Layout<'_>) -> BTreeMap<Pool, u64> {
    let mut largest = BTreeMap::new();
    for segment in layout.segments {
        let most: &mut u64 = largest.entry(segment.pool).or_default();
        for block in layout.blocks_of(segment) {
            if block.state == BlockState::Free {
                *most = (*most).max(block.size / MIN_BLOCK * MIN_BLOCK);
            }
        }
    }
    for (pool, most) in &mut largest {
        match pool.size {
            PoolSize::Small => *most = (*most).min(SMALL_REQUEST),
            // Smaller requests are the small pool's.
            PoolSize::Large if *most <= SMALL_REQUEST => *most = 0,
            PoolSize::Large => {}
        }
    }
    largest
}
