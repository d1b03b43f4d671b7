//! The panel of memory: which allocator it shows, its tables, and what the worker finds out by looking
//! at every step or every block.

use super::question::Question;
use super::rows::Measured;
use super::{Effect, Section, Session};
use crate::metrics::report::{Grid, MEMORY_COLUMNS};
use crate::metrics::{
    Holding, Leak, MemoryRow, Query, Selection, holdings, leak, memory_place, memory_row,
    memory_rows, memory_scope, memory_step_rows,
};
use crate::time::{Ns, Window};
use crate::timeline::{LaneKey, MemoryLane};
use crate::trace::{MemoryPlace, MemoryTrack, Rank, RankId, SliceRef, Trace};
use std::sync::Arc;

/// What the judgement of an allocator follows from. Windows play no part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryKey {
    /// Number of the load.
    pub generation: u64,
    /// The rank.
    pub rank: RankId,
    /// Whose memory.
    pub place: MemoryPlace,
}

/// What the holders of a peak follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldersKey {
    /// The allocator.
    pub of: MemoryKey,
    /// The event that reached the peak.
    pub event: usize,
}

/// All steps of an allocator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedMemory {
    /// Whether it leaks.
    pub leak: Leak,
    /// What it held in each step.
    pub steps: Vec<MemoryRow>,
}

/// State of the panel.
#[derive(Debug, Default)]
pub struct MemoryPanel {
    /// The allocator that is shown, if one was chosen.
    pub chosen: Option<MemoryPlace>,
    /// Whether what holds the peak is asked for.
    pub holders_open: bool,
    judged: Measured<MemoryKey, Option<Arc<JudgedMemory>>>,
    holders: Measured<HoldersKey, Option<Arc<[Holding]>>>,
}

/// What holds a peak of the allocator that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownHolders<'s> {
    /// The event that reached the peak.
    pub event: usize,
    /// Whether it is the peak of the current window; others are dimmed.
    pub is_current: bool,
    /// What is alive then, the largest first; `None` where the file has no addresses.
    pub holders: Option<&'s [Holding]>,
}

impl MemoryKey {
    fn track<'t>(&self, trace: &'t Trace) -> Option<(&'t Rank, &'t MemoryTrack)> {
        let rank = trace.rank(self.rank)?;
        Some((rank, rank.memory_of(self.place)?))
    }

    /// Looks at every step.
    #[must_use]
    pub fn judge(&self, trace: &Trace) -> Option<Arc<JudgedMemory>> {
        let (rank, memory) = self.track(trace)?;
        let query = Query {
            rank: Some(rank.id),
            device: Some(memory.place.device()),
            ..Query::default()
        };
        Some(Arc::new(JudgedMemory {
            leak: leak(trace, rank, memory),
            steps: memory_step_rows(trace, &query),
        }))
    }
}

impl HoldersKey {
    /// Follows every block up to the peak.
    #[must_use]
    pub fn follow(&self, trace: &Trace) -> Option<Arc<[Holding]>> {
        let (rank, memory) = self.of.track(trace)?;
        holdings(trace, rank, memory, self.event).map(Arc::from)
    }
}

impl Session {
    /// The allocator that the panel shows: the one that was chosen where the rank in focus has it,
    /// else the one that goes with the device in focus.
    #[must_use]
    pub fn shown_memory(&self) -> Option<(&Rank, &MemoryTrack)> {
        let rank = self.focused_rank()?;
        let chosen = self.memory.chosen.and_then(|place| rank.memory_of(place));
        let usual = || {
            let device = self.focused().map(|(_, device)| device.id);
            rank.memory_of(memory_place(rank, device)?)
        };
        Some((rank, chosen.or_else(usual)?))
    }

    /// The figures of the allocator that is shown, in the current window.
    #[must_use]
    pub fn shown_memory_row(&self) -> Option<(&MemoryTrack, MemoryRow)> {
        let (trace, (rank, memory)) = self.trace.as_deref().zip(self.shown_memory())?;
        let scope = memory_scope(rank, self.query().selection);
        Some((memory, memory_row(trace, rank, memory, scope)))
    }

    fn memory_key(&self) -> Option<MemoryKey> {
        let (rank, memory) = self.shown_memory()?;
        Some(MemoryKey {
            generation: self.generation,
            rank: rank.id,
            place: memory.place,
        })
    }

    fn holders_key(&self) -> Option<HoldersKey> {
        let (trace, (rank, memory)) = self.trace.as_deref().zip(self.shown_memory())?;
        let scope = memory_scope(rank, self.query().selection);
        let row = memory_row(trace, rank, memory, scope);
        Some(HoldersKey {
            of: self.memory_key()?,
            event: row.figures?.peak_event?,
        })
    }

    /// The judgement of the allocator that is shown; `None` until the worker came to it.
    #[must_use]
    pub fn judged_memory(&self) -> Option<&JudgedMemory> {
        let (key, judged) = self.memory.judged.here()?;
        let is_it = self.memory_key().is_some_and(|wanted| wanted == *key);
        judged.as_deref().filter(|_| is_it)
    }

    /// What holds the peak of the window, or until the worker is done that of another one.
    #[must_use]
    pub fn shown_holders(&self) -> Option<ShownHolders<'_>> {
        let wanted = self.holders_key()?;
        let (key, holders) = self.memory.holders.here()?;
        (key.of == wanted.of).then_some(ShownHolders {
            event: key.event,
            is_current: *key == wanted,
            holders: holders.as_deref(),
        })
    }

    /// Has the worker look at every step of the allocator that is shown, and follow its blocks where
    /// somebody wants to know what holds the peak.
    pub(super) fn refresh_memory(&mut self) -> Vec<Effect> {
        if self.is_closed(Section::Memory) {
            return Vec::new();
        }
        let mut effects = Vec::new();
        if let Some(key) = self.memory_key()
            && !self.memory.judged.is_of(key)
            && self.memory.judged.ask(key)
        {
            effects.extend(self.measure(Question::Memory(key), true));
        }
        if self.memory.holders_open
            && let Some(key) = self.holders_key()
            && !self.memory.holders.is_of(key)
            && self.memory.holders.ask(key)
        {
            effects.extend(self.measure(Question::Holders(key), true));
        }
        effects
    }

    pub(super) fn memory_answered(&mut self) {
        self.memory.judged.is_answered();
    }

    pub(super) fn memory_arrives(&mut self, key: MemoryKey, judged: Option<Arc<JudgedMemory>>) {
        self.memory.judged.take(key, judged);
    }

    pub(super) fn holders_answered(&mut self) {
        self.memory.holders.is_answered();
    }

    pub(super) fn holders_arrive(&mut self, key: HoldersKey, holders: Option<Arc<[Holding]>>) {
        self.memory.holders.take(key, holders);
    }

    /// Centres a moment, brings the allocator's lane into view and selects the op that allocated or
    /// freed there.
    pub(super) fn go_to_memory(&mut self, id: RankId, place: MemoryPlace, at: Ns) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        let Some((rank, memory)) = trace
            .rank(id)
            .and_then(|rank| Some((rank, rank.memory_of(place)?)))
        else {
            return Vec::new();
        };
        self.center(at);
        let lane = LaneKey::Memory(id, MemoryLane::of(rank, place));
        self.lanes.reveal(lane);
        self.reveal = Some(lane);
        let first = memory.allocated.indices(Window::new(at, at)).start;
        let slice = rank.allocating_op(memory, first);
        slice.map_or_else(Vec::new, |slice| self.select(SliceRef { rank: id, slice }))
    }

    /// All allocators of the rank in focus in the current window, as a table.
    pub(super) fn memory_grid(&self) -> Grid {
        let (Some(trace), Some(rank)) = (&self.trace, self.focused_rank()) else {
            return Grid::default();
        };
        let query = Query {
            rank: Some(rank.id),
            ..self.query()
        };
        Grid::new(&MEMORY_COLUMNS, &memory_rows(trace, &query))
    }

    /// Every step of the allocator that is shown, as a table.
    pub(super) fn memory_step_grid(&self) -> Grid {
        let (Some(trace), Some((rank, memory))) = (&self.trace, self.shown_memory()) else {
            return Grid::default();
        };
        if let Some(judged) = self.judged_memory() {
            return Grid::new(&MEMORY_COLUMNS, &judged.steps);
        }
        let query = Query {
            selection: Selection::None,
            rank: Some(rank.id),
            device: Some(memory.place.device()),
            ..self.query()
        };
        Grid::new(&MEMORY_COLUMNS, &memory_step_rows(trace, &query))
    }
}

#[cfg(test)]
mod tests;
