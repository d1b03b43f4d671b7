//! Blocks that are alive at given moments, by the op that allocated them.

use crate::trace::{MemoryTrack, NameId, Rank, Trace};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// What blocks of one op hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The op; `None` for what was allocated outside of any.
    pub op: Option<String>,
    /// Bytes that it allocated and nobody freed yet.
    pub bytes: i128,
    /// How many blocks.
    pub blocks: u64,
}

/// Bytes and blocks by op.
pub(super) type Alive = FxHashMap<Option<NameId>, (i128, u64)>;

/// What is alive after some events (by index, ascending), by the innermost op that allocated it.
/// Blocks from before the recording are not known. `None` where the file has no addresses.
pub(super) fn alive_after(
    rank: &Rank,
    memory: &MemoryTrack,
    until: &[usize],
) -> Option<Vec<Alive>> {
    if memory.events.iter().all(|event| event.address.is_none()) {
        return None;
    }
    let mut blocks: FxHashMap<i64, (Option<NameId>, i64)> = FxHashMap::default();
    let mut alive = Alive::default();
    let mut found = Vec::with_capacity(until.len());
    let mut from = 0;
    for end in until {
        let events = memory.events.get(from..*end).unwrap_or_default();
        for (index, event) in (from..).zip(events) {
            let Some(address) = event.address else {
                continue;
            };
            // A block where another was not seen to be freed takes its place.
            if let Some((op, bytes)) = blocks.remove(&address)
                && let Some(held) = alive.get_mut(&op)
            {
                held.0 -= i128::from(bytes);
                held.1 = held.1.saturating_sub(1);
            }
            if event.bytes > 0 {
                let op = rank.allocating_op(memory, index);
                let op = op.and_then(|op| Some(rank.slices.get(op)?.name()));
                blocks.insert(address, (op, event.bytes));
                let held = alive.entry(op).or_default();
                held.0 += i128::from(event.bytes);
                held.1 += 1;
            }
        }
        from = from.max(*end);
        found.push(alive.clone());
    }
    Some(found)
}

/// What is alive right after an event, the largest first. `None` where the file has no addresses.
#[must_use]
pub fn holdings(
    trace: &Trace,
    rank: &Rank,
    memory: &MemoryTrack,
    event: usize,
) -> Option<Vec<Holding>> {
    let until = event.checked_add(1)?;
    let alive = alive_after(rank, memory, &[until])?.pop()?;
    let mut all: Vec<Holding> = alive
        .into_iter()
        .filter(|(_, (_, blocks))| *blocks > 0)
        .map(|(op, (bytes, blocks))| Holding {
            op: op.map(|name| trace.names.get(name).to_owned()),
            bytes,
            blocks,
        })
        .collect();
    all.sort_by(|a, b| (Reverse(a.bytes), &a.op).cmp(&(Reverse(b.bytes), &b.op)));
    Some(all)
}
