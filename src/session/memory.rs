//! The panel of memory: which allocator it shows, and its tables.

use super::{Effect, Session};
use crate::metrics::report::{Grid, MEMORY_COLUMNS};
use crate::metrics::{Query, Selection, memory_place, memory_rows, memory_step_rows};
use crate::time::{Ns, Window};
use crate::timeline::{LaneKey, MemoryLane};
use crate::trace::{MemoryPlace, MemoryTrack, Rank, RankId, SliceRef};

impl Session {
    /// The allocator that the panel shows: the one that was chosen where the rank in focus has it,
    /// else the one that goes with the device in focus.
    #[must_use]
    pub fn shown_memory(&self) -> Option<(&Rank, &MemoryTrack)> {
        let rank = self.focused_rank()?;
        let chosen = self.memory.and_then(|place| rank.memory_of(place));
        let usual = || {
            let device = self.focused().map(|(_, device)| device.id);
            rank.memory_of(memory_place(rank, device)?)
        };
        Some((rank, chosen.or_else(usual)?))
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
        let query = Query {
            selection: Selection::None,
            rank: Some(rank.id),
            device: Some(memory.place.device()),
            ..self.query()
        };
        Grid::new(&MEMORY_COLUMNS, &memory_step_rows(trace, &query))
    }
}
