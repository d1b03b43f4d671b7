//! Whether a request would fit, by the rules of PyTorch's caching allocator: pools, best fit, and what
//! it would take from the driver.

use super::driver::{Releasable, grows, taken, with_room};
use super::rounding::{SMALL_REQUEST, rounded, rounded_down};
use super::{Block, BlockState, Layout, Pool, PoolId, PoolSize, Settings};
use std::collections::BTreeMap;

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
        let is_growing = grows(layout, settings);
        let needed = |is_released| taken(layout, settings, pool, size, is_released);
        let size = needed(false);
        let Releasable { segments, bytes } = Releasable::of(layout);
        let with_cache = driver_free.unwrap_or(0).saturating_add(bytes);
        // What was free at the end of an expandable segment goes back as well, and is taken anew.
        let after = needed(true);
        match driver_free {
            Some(free) if free >= size => Fit::NewSegment {
                size,
                grows: is_growing,
            },
            // Enough even where the driver has nothing.
            _ if with_cache >= after && segments > 0 => Fit::AfterReleasing {
                segments,
                bytes,
                size: after,
            },
            Some(_) => Fit::No {
                short_by: after.saturating_sub(with_cache),
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
        let can_grow = grows(layout, settings);
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
                } else if Self::is_served_by(size, block, settings)
                    && (can_grow || !segment.is_expandable)
                {
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

/// A free block in best fit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    size: u64,
    address: u64,
    segment: usize,
    block: usize,
    /// What it counts with where it can grow.
    grown: u64,
    is_expandable: bool,
}

/// The free block that serves: the smallest that is large enough, of equal ones that at the lowest
/// address. One that can grow counts with the size that it can grow to, so larger ones that cannot are
/// taken before it.
fn best_block(
    layout: Layout<'_>,
    settings: &Settings,
    pool: Pool,
    size: u64,
) -> Option<(usize, usize, u64)> {
    let can_grow = grows(layout, settings);
    let mut rooms = with_room(layout, pool).peekable();
    let mut found: Vec<Candidate> = Vec::new();
    let mut least: Option<Candidate> = None;
    for (place, segment) in layout.segments.iter().enumerate() {
        if segment.pool != pool {
            continue;
        }
        let room = rooms
            .next_if(|(of, ..)| *of == place)
            .map(|(.., room)| room);
        // Where segments do not expand any more, those that did serve nothing.
        if segment.is_expandable && !can_grow {
            continue;
        }
        let tail = segment.blocks.end.saturating_sub(1);
        for (block, at) in layout.blocks_of(segment).iter().zip(segment.blocks.clone()) {
            if block.state != BlockState::Free || block.size < size {
                continue;
            }
            let behind = room.filter(|_| at == tail).unwrap_or(0);
            let candidate = Candidate {
                size: block.size,
                address: block.address,
                segment: place,
                block: at,
                grown: block.size.saturating_add(behind),
                is_expandable: segment.is_expandable,
            };
            if can_grow {
                found.push(candidate);
            }
            if least.is_none_or(|least| candidate < least) {
                least = Some(candidate);
            }
        }
    }
    let mut best = least?;
    if best.is_expandable {
        // As the allocator walks on: while the next one is smaller than what this one can become.
        found.sort_unstable();
        for next in found.iter().skip(1) {
            if !best.is_expandable || next.grown >= best.grown {
                break;
            }
            best = *next;
        }
    }
    let block = layout.blocks.get(best.block)?;
    Request::is_served_by(size, block, settings).then_some((best.segment, best.block, best.address))
}

/// The largest request that each pool serves from its free blocks; 0 where it serves none.
#[must_use]
pub fn largest_requests(layout: Layout<'_>, settings: &Settings) -> BTreeMap<Pool, u64> {
    let mut largest = BTreeMap::new();
    let can_grow = grows(layout, settings);
    for segment in layout.segments {
        let most: &mut u64 = largest.entry(segment.pool).or_default();
        if segment.is_expandable && !can_grow {
            continue;
        }
        for block in layout.blocks_of(segment) {
            if block.state == BlockState::Free {
                *most = (*most).max(rounded_down(block.size, settings));
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
