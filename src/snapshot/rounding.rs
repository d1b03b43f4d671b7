//! Sizes by the allocator's rules: of blocks for requests, of segments for blocks, and whether what is
//! left of a block is split off.

use super::{PoolSize, Settings};

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
/// How many powers of two `roundup_power2_divisions` tells apart: 1 MiB to 32 GiB.
const POWERS: usize = 16;

/// In how many parts each power of two is divided when a request is rounded
/// (`roundup_power2_divisions`): one slot for each from 1 MiB on. What is smaller counts as the first,
/// what is larger as the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Divisions([u64; POWERS]);

impl Divisions {
    /// From pairs of megabytes and parts. The last of several for one power counts; what is no power of
    /// two from 1 to 32,768 is no slot.
    #[must_use]
    pub fn new(pairs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut slots = [0; POWERS];
        for (megabytes, parts) in pairs {
            let power = megabytes
                .checked_ilog2()
                .and_then(|p| usize::try_from(p).ok());
            if megabytes.is_power_of_two()
                && let Some(slot) = power.and_then(|power| slots.get_mut(power))
            {
                *slot = parts;
            }
        }
        Self(slots)
    }

    /// Into how many parts the power of two below a size is divided; 0 where that is not set.
    fn of(&self, bytes: u64) -> u64 {
        let power = bytes.checked_ilog2().unwrap_or(0).saturating_sub(20);
        let slot = usize::try_from(power).unwrap_or(POWERS).min(POWERS - 1);
        self.0.get(slot).copied().unwrap_or(0)
    }

    /// Into what steps a size is rounded: the unit of blocks where nothing is divided.
    fn step(&self, bytes: u64) -> u64 {
        let parts = self.of(bytes);
        if parts <= 1 || bytes <= MIN_BLOCK.saturating_mul(parts) {
            return MIN_BLOCK;
        }
        let floor = 1_u64 << bytes.ilog2();
        // Never 0: more parts than bytes were told apart above.
        (floor >> parts.ilog2()).max(1)
    }
}

/// The bytes of the block that a request gets.
#[must_use]
pub fn rounded(bytes: u64, settings: &Settings) -> u64 {
    if bytes < MIN_BLOCK {
        return MIN_BLOCK;
    }
    up_to(bytes, settings.roundup_power2_divisions.step(bytes))
}

/// The largest request that a block of this size serves, as [`rounded`] rounds it.
#[must_use]
pub(super) fn rounded_down(block: u64, settings: &Settings) -> u64 {
    let step = settings.roundup_power2_divisions.step(block);
    block / step * step
}

/// Up to the next multiple; stops at the end of 64 bits.
pub(super) fn up_to(bytes: u64, unit: u64) -> u64 {
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

/// By how much expandable segments of a pool grow and shrink.
#[must_use]
pub(super) fn page(pool: PoolSize) -> u64 {
    match pool {
        PoolSize::Small => SMALL_SEGMENT,
        PoolSize::Large => LARGE_SEGMENT,
    }
}

/// Whether a free block that serves a smaller one is split.
#[must_use]
pub(super) fn is_split(
    settings: &Settings,
    pool: PoolSize,
    is_expandable: bool,
    block: u64,
    rest: u64,
) -> bool {
    if block == 0 {
        return false;
    }
    if pool == PoolSize::Small || settings.expandable_segments.unwrap_or(is_expandable) {
        return rest >= MIN_BLOCK;
    }
    settings.max_split_size.is_none_or(|limit| block < limit) && rest > SMALL_REQUEST
}
