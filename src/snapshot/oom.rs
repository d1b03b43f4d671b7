//! Why the program ran out of memory, for each time that it did, and what to try.

use super::events::Action;
use super::fits::{Fit, Request, largest_requests, rounded, segment_size};
use super::replay::State;
use super::{Device, History, PoolId, PoolSize, Snapshot, StackId, Totals};
use crate::time::Ns;

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OomReason {
    /// Its pool had enough free bytes, but no block was large enough.
    Fragmented,
    /// Free bytes of other pools or streams and what the driver had would have been enough together.
    FreeElsewhere,
    /// Others held what was missing: other processes, or what this one takes without the allocator.
    HeldByOthers,
    /// The program's own allocations filled the device.
    Full,
    /// The file does not say enough.
    CannotTell,
}

impl OomReason {
    /// One word for tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Fragmented => "fragmented",
            Self::FreeElsewhere => "free_elsewhere",
            Self::HeldByOthers => "held_by_others",
            Self::Full => "full",
            Self::CannotTell => "cannot_tell",
        }
    }

    /// What to try, the most promising first.
    #[must_use]
    pub fn advice(self) -> &'static [&'static str] {
        const EXPANDABLE: &str = "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, so that free memory is one piece";
        const SMALLER: &str = "take a smaller batch, shorter sequences or activation checkpointing";
        match self {
            Self::Fragmented => &[
                EXPANDABLE,
                "where segments cannot expand, keep large blocks whole with max_split_size_mb",
                "allocate the largest tensors first, and sizes that vary little",
            ],
            Self::FreeElsewhere => &[
                "allocate on one stream, or call torch.cuda.empty_cache() before work moves to another",
                "free graphs that are no longer replayed: each keeps its private pool",
                EXPANDABLE,
            ],
            Self::HeldByOthers => &[
                "look for other processes on the device (nvidia-smi) and end them",
                "count what libraries hold beside the allocator, such as NCCL buffers and CUDA contexts",
            ],
            Self::Full => &[
                SMALLER,
                "look at the call sites with most bytes at that moment",
            ],
            Self::CannotTell => &[
                "compare reserved bytes with the size of the device: the rest is held by others",
                SMALLER,
            ],
        }
    }
}

/// One time that memory ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oom {
    /// Its event.
    pub event: usize,
    /// When.
    pub time: Ns,
    /// Bytes that were asked for, as the event states them.
    pub requested: u64,
    /// Bytes that the driver had free.
    pub device_free: u64,
    /// The stream.
    pub stream: i64,
    /// Who asked.
    pub stack: StackId,
    /// The allocator at that moment, replayed.
    pub totals: Totals,
    /// Free bytes in the pool of the request.
    pub free_in_pool: u64,
    /// The largest request that this pool could have served.
    pub largest_in_pool: u64,
    /// Bytes of the device that neither the allocator nor the driver had; `None` where the size of the
    /// device is not known.
    pub others: Option<u64>,
    /// Why.
    pub reason: OomReason,
}

/// Explains every `oom` event of a device. The size of the device is no part of a snapshot:
/// `device_total` is what the user says.
#[must_use]
pub fn explain(
    snapshot: &Snapshot,
    device: &Device,
    history: &History,
    device_total: Option<u64>,
) -> Vec<Oom> {
    let actions = device.events.actions().iter();
    actions
        .enumerate()
        .filter(|(_, action)| **action == Action::Oom)
        .filter_map(|(place, _)| one(snapshot, device, history, device_total, place))
        .collect()
}

fn one(
    snapshot: &Snapshot,
    device: &Device,
    history: &History,
    device_total: Option<u64>,
    place: usize,
) -> Option<Oom> {
    let event = device.events.get(place)?;
    let state = State::after(snapshot, device, history, place);
    let layout = state.layout();
    let totals = Totals::of(layout);
    let settings = &snapshot.settings;
    let request = Request {
        bytes: event.size,
        stream: event.stream,
        pool: PoolId::COMMON,
        device: device.id,
    };
    let pool = request.pool(settings);
    let largest = largest_requests(layout).get(&pool).copied().unwrap_or(0);
    let split = request.fragmentation(layout, settings);
    let free_in_pool = split
        .serving
        .saturating_add(split.too_small)
        .saturating_add(split.oversize);
    let size = rounded(event.size, settings);
    let needed = match pool.size {
        PoolSize::Small => size,
        PoolSize::Large => segment_size(size),
    };
    let held = totals.reserved.saturating_add(event.address);
    let others = device_total.map(|total| total.saturating_sub(held));
    let is_served = matches!(
        request.fit(layout, settings, Some(event.address)),
        Fit::CachedBlock { .. }
    );
    let reason = if is_served {
        // The replay says that it should have fitted, so it does not know enough.
        OomReason::CannotTell
    } else if free_in_pool >= size {
        OomReason::Fragmented
    } else if totals.free.saturating_add(event.address) >= needed {
        OomReason::FreeElsewhere
    } else {
        match others {
            Some(others) if others >= needed => OomReason::HeldByOthers,
            Some(_) => OomReason::Full,
            None => OomReason::CannotTell,
        }
    };
    Some(Oom {
        event: place,
        time: event.time,
        requested: event.size,
        device_free: event.address,
        stream: event.stream,
        stack: event.stack,
        totals,
        free_in_pool,
        largest_in_pool: largest,
        others,
        reason,
    })
}
