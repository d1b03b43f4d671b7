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

/// Follows the blocks of an allocator by their addresses, from the start of the recording on. Blocks
/// from before it are not known.
pub(super) struct Blocks<'t> {
    memory: &'t MemoryTrack,
    ops: &'t [Option<NameId>],
    /// Op and bytes of each living block, by its address.
    living: FxHashMap<i64, (Option<NameId>, i64)>,
    alive: Alive,
    next: usize,
}

impl<'t> Blocks<'t> {
    /// Before the first event; `None` where the file has no addresses.
    pub(super) fn new(rank: &Rank, memory: &'t MemoryTrack) -> Option<Self> {
        let has_addresses = memory.events.iter().any(|event| event.address.is_some());
        has_addresses.then(|| Self {
            memory,
            ops: rank.allocating_ops(memory),
            living: FxHashMap::default(),
            alive: Alive::default(),
            next: 0,
        })
    }

    /// Goes on until this event is next, and tells what is alive then.
    pub(super) fn until(&mut self, end: usize) -> &Alive {
        let events = self.memory.events.iter().zip(self.ops);
        let count = end.saturating_sub(self.next);
        for (event, op) in events.skip(self.next).take(count) {
            let Some(address) = event.address else {
                continue;
            };
            // A block where another was not seen to be freed takes its place.
            if let Some((op, bytes)) = self.living.remove(&address)
                && let Some(held) = self.alive.get_mut(&op)
            {
                held.0 -= i128::from(bytes);
                held.1 = held.1.saturating_sub(1);
            }
            if event.bytes > 0 {
                self.living.insert(address, (*op, event.bytes));
                let held = self.alive.entry(*op).or_default();
                held.0 += i128::from(event.bytes);
                held.1 += 1;
            }
        }
        self.next = self.next.max(end);
        &self.alive
    }
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
    let mut blocks = Blocks::new(rank, memory)?;
    let mut all: Vec<Holding> = blocks
        .until(until)
        .iter()
        .filter(|(_, (_, blocks))| *blocks > 0)
        .map(|(op, (bytes, blocks))| Holding {
            op: op.map(|name| trace.names.get(name).to_owned()),
            bytes: *bytes,
            blocks: *blocks,
        })
        .collect();
    all.sort_by(|a, b| (Reverse(a.bytes), &a.op).cmp(&(Reverse(b.bytes), &b.op)));
    Some(all)
}
