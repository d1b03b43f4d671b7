//! Why the program ran out of memory, for each time that it did, and what to try.

use super::driver::{Releasable, taken};
use super::events::Action;
use super::fits::{Fit, Request, largest_requests};
use super::replay::{Rewind, State};
use super::rounding::rounded;
use super::{Device, History, Note, NoteKind, PoolId, Settings, Snapshot, StackId, Totals};
use crate::time::Ns;

/// So many `oom` events of a device are explained at most, the last ones.
pub const MOST_EXPLAINED: usize = 1_000;
/// And so many blocks are replayed for them at most, however many there are at once.
const MOST_BLOCKS: usize = 20_000_000;

/// Why a request failed. The first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OomReason {
    /// The driver had enough: a limit of the process, or memory that was given back in between.
    Limited,
    /// What was free in its pool and what the driver had would have been enough together, but no block
    /// was large enough.
    Fragmented,
    /// Free bytes of other pools or streams would have been enough with them.
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
            Self::Limited => "limited",
            Self::Fragmented => "fragmented",
            Self::FreeElsewhere => "free_elsewhere",
            Self::HeldByOthers => "held_by_others",
            Self::Full => "full",
            Self::CannotTell => "cannot_tell",
        }
    }

    /// Why, as one sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Limited => {
                "Limited: the driver had enough, so a limit of the process stopped it, or memory was given back in between."
            }
            Self::Fragmented => {
                "Fragmented: what was free in the request's pool, with what the driver had, was enough, but no free block was large enough."
            }
            Self::FreeElsewhere => {
                "Free elsewhere: other pools or streams, and the driver, had enough together."
            }
            Self::HeldByOthers => {
                "Held by others: other processes, or what this one takes beside the allocator, had what was missing."
            }
            Self::Full => "Full: the program's own allocations filled the device.",
            Self::CannotTell => {
                "Cannot tell: the snapshot does not say how large the device is, so what was missing may be the program's own or held by others."
            }
        }
    }

    /// What to try, the most promising first, with settings that are not made yet.
    #[must_use]
    pub fn advice(self, settings: &Settings) -> Vec<&'static str> {
        const EXPANDABLE: &str = "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, so that free memory is one piece";
        const SMALLER: &str = "take a smaller batch, shorter sequences or activation checkpointing";
        const WHOLE: &str =
            "where segments cannot expand, keep large blocks whole with max_split_size_mb";
        const EMPTY: &str =
            "allocate on one stream, or call torch.cuda.empty_cache() before work moves to another";
        let all: &[&'static str] = match self {
            Self::Limited => &[
                "raise torch.cuda.set_per_process_memory_fraction, or leave it out",
                "look for other processes that take and give back memory at the same time (nvidia-smi)",
            ],
            Self::Fragmented => &[
                EXPANDABLE,
                WHOLE,
                "allocate the largest tensors first, and sizes that vary little",
            ],
            Self::FreeElsewhere => &[
                EMPTY,
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
        };
        let expands = settings.expandable_segments == Some(true);
        let is_made = |words: &str| match words {
            EXPANDABLE => expands,
            WHOLE => expands || settings.max_split_size.is_some(),
            _ => false,
        };
        all.iter()
            .copied()
            .filter(|words| !is_made(words))
            .collect()
    }
}

/// One time that memory ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oom {
    /// Its event.
    pub event: usize,
    /// When.
    pub time: Ns,
    /// Bytes of the block that was asked for, as the event states them: rounded already.
    pub block: u64,
    /// Bytes that the driver had free.
    pub device_free: u64,
    /// Bytes that the request would have taken from the driver.
    pub needed: u64,
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
    /// Whether there were private pools. Events do not say which pool was asked; the common one is
    /// assumed, which is wrong for a request in the capture of a graph.
    pub is_pool_assumed: bool,
    /// Why.
    pub reason: OomReason,
}

/// Explains the `oom` events of a device: the last [`MOST_EXPLAINED`], and fewer where the replay of
/// very many blocks takes too long; in order of time. The size of the device is no part of a snapshot:
/// `device_total` is what the user says.
#[must_use]
pub fn explain(
    snapshot: &Snapshot,
    device: &Device,
    history: &History,
    device_total: Option<u64>,
) -> Vec<Oom> {
    // One walk backwards serves them all.
    let mut rewind = Rewind::new(snapshot, device, history);
    let mut explained = Vec::new();
    let mut blocks = 0_usize;
    for (place, action) in device.events.actions().iter().enumerate().rev() {
        if *action != Action::Oom {
            continue;
        }
        if explained.len() >= MOST_EXPLAINED || blocks >= MOST_BLOCKS {
            break;
        }
        rewind.to(place);
        let state = rewind.state();
        blocks = blocks.saturating_add(state.blocks.len() + state.segments.len());
        explained.extend(one(snapshot, device, &state, device_total, place));
    }
    explained.reverse();
    explained
}

/// A note of the `oom` events that [`explain`] left out; `None` where it explained all.
#[must_use]
pub fn unexplained(device: &Device, explained: &[Oom]) -> Option<Note> {
    let actions = device.events.actions().iter();
    let all = actions.filter(|action| **action == Action::Oom).count();
    let left = all.checked_sub(explained.len()).filter(|left| *left > 0)?;
    Some(Note {
        kind: NoteKind::Unexplained,
        count: u64::try_from(left).unwrap_or(u64::MAX),
        first: "before the ones that are".to_owned(),
    })
}

fn one(
    snapshot: &Snapshot,
    device: &Device,
    state: &State,
    device_total: Option<u64>,
    place: usize,
) -> Option<Oom> {
    let event = device.events.get(place)?;
    let device_free = event.address;
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
    let largest = largest_requests(layout, settings);
    let split = request.fragmentation(layout, settings);
    let free_in_pool = split
        .serving
        .saturating_add(split.too_small)
        .saturating_add(split.oversize);
    let size = rounded(event.size, settings);
    let needed = taken(layout, settings, pool, size, false);
    let held = totals.reserved.saturating_add(device_free);
    let others = device_total.map(|total| total.saturating_sub(held));
    let missing = taken(layout, settings, pool, size, true)
        .saturating_sub(device_free)
        .saturating_sub(Releasable::of(layout).bytes);
    let is_served = matches!(
        request.fit(layout, settings, Some(device_free)),
        Fit::CachedBlock { .. }
    );
    let with_driver = |free: u64| free.saturating_add(device_free) >= needed;
    let reason = if is_served {
        // The replay says that it should have fitted, so it does not know enough.
        OomReason::CannotTell
    } else if with_driver(0) {
        OomReason::Limited
    } else if free_in_pool >= size || with_driver(free_in_pool) {
        OomReason::Fragmented
    } else if with_driver(totals.free) {
        OomReason::FreeElsewhere
    } else {
        match others {
            Some(others) if others >= missing => OomReason::HeldByOthers,
            Some(_) => OomReason::Full,
            None => OomReason::CannotTell,
        }
    };
    Some(Oom {
        event: place,
        time: event.time,
        block: event.size,
        device_free,
        needed,
        stream: event.stream,
        stack: event.stack,
        totals,
        free_in_pool,
        largest_in_pool: largest.get(&pool).copied().unwrap_or(0),
        others,
        is_pool_assumed: layout.segments.iter().any(|s| s.pool.id.is_private()),
        reason,
    })
}
