//! The panel of ranks: its table, the map of ranks by steps, and the clocks, each measured anew only
//! when what it follows from is another.

use super::question::Question;
use super::rows::{Measured, Sorting};
use super::{Action, Effect, Section, Session, ShiftEdit};
use crate::metrics::report::{Grid, RANK_COLUMNS};
use crate::metrics::{
    ClockShift, GridFigure, Query, RankRow, SortOrder, StepGrid, clock_shifts, rank_rows,
    sort_ranks,
};
use crate::timeline::LaneKey;
use crate::trace::{Basis, DeviceId, RankId, Trace};

/// More steps of devices, or communication kernels, than this are the worker's: some milliseconds.
const MOST_AT_ONCE: usize = 5_000;
/// Steps and devices behind these are not on the map: textures have a largest side.
pub(super) const MOST_ON_MAP: usize = 2_000;

/// What the map follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepGridKey {
    /// Number of the load.
    pub generation: u64,
    /// Whose windows steps have.
    pub basis: Basis,
    /// Whether suspicious kernels are clipped.
    pub clip_suspicious: bool,
}

impl StepGridKey {
    pub(super) fn measure(self, trace: &Trace) -> StepGrid {
        let query = Query {
            clip_suspicious: self.clip_suspicious,
            ..Query::default()
        };
        crate::metrics::step_grid(trace, &query, self.basis, MOST_ON_MAP)
    }
}

/// What the rows of the table follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowsKey {
    generation: u64,
    query: Query,
    /// Whether the clocks are known yet.
    has_clocks: bool,
}

/// State of the panel.
#[derive(Debug)]
pub struct Ranks {
    /// What the map shows.
    pub figure: GridFigure,
    /// The column that the rows are sorted by.
    pub sorting: Sorting<&'static str>,
    /// The shift that is being typed.
    pub shift: Option<ShiftEdit>,
    rows: Measured<RowsKey, Vec<RankRow>>,
    clocks: Measured<u64, Vec<ClockShift>>,
    grid: Measured<StepGridKey, StepGrid>,
}

impl Default for Ranks {
    fn default() -> Self {
        Self {
            figure: GridFigure::default(),
            sorting: Sorting {
                by: "rank",
                order: SortOrder::Ascending,
            },
            shift: None,
            rows: Measured::default(),
            clocks: Measured::default(),
            grid: Measured::default(),
        }
    }
}

impl Session {
    /// The rows of the table in their order, of the current window.
    #[must_use]
    pub fn shown_ranks(&self) -> &[RankRow] {
        let here = self.ranks.rows.here();
        let current = here.filter(|(key, _)| key.generation == self.generation);
        current.map_or(&[], |(_, rows)| rows.as_slice())
    }

    /// The map and what it follows from; `None` while it is measured.
    #[must_use]
    pub fn shown_step_grid(&self) -> Option<(StepGridKey, &StepGrid)> {
        let wanted = self.step_grid_key();
        let here = self.ranks.grid.here();
        here.filter(|(key, _)| **key == wanted)
            .map(|(key, grid)| (*key, grid))
    }

    fn step_grid_key(&self) -> StepGridKey {
        StepGridKey {
            generation: self.generation,
            basis: self.settings.basis,
            clip_suspicious: self.settings.clip_suspicious,
        }
    }

    /// Whether there is anything to put side by side.
    #[must_use]
    pub fn has_several_ranks(&self) -> bool {
        self.trace.as_ref().is_some_and(|t| t.ranks.len() > 1)
    }

    pub(super) fn refresh_ranks(&mut self) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        if !self.has_several_ranks() || self.is_closed(Section::Ranks) {
            return Vec::new();
        }
        let mut effects = Vec::new();
        let generation = self.generation;
        if !self.ranks.clocks.is_of(generation) {
            let comms: usize = trace.ranks.iter().map(|r| r.comms.len()).sum();
            let many = comms > MOST_AT_ONCE;
            if !many || self.ranks.clocks.ask(generation) {
                effects.extend(self.measure(Question::Clocks(generation), many));
            }
        }
        let key = self.step_grid_key();
        if !self.ranks.grid.is_of(key) {
            let steps: usize = trace.devices().map(|(_, d)| d.steps.len()).sum();
            let many = steps > MOST_AT_ONCE;
            if !many || self.ranks.grid.ask(key) {
                effects.extend(self.measure(Question::StepGrid(key), many));
            }
        }
        let key = RowsKey {
            generation,
            query: self.query(),
            has_clocks: self.ranks.clocks.is_of(generation),
        };
        if !self.ranks.rows.is_of(key) {
            let clocks = self.ranks.clocks.here();
            let clocks = clocks.filter(|(of, _)| **of == generation);
            let clocks = clocks.map_or(&[][..], |(_, clocks)| clocks.as_slice());
            let mut rows = rank_rows(&trace, &key.query, clocks);
            let sorting = self.ranks.sorting;
            sort_ranks(&mut rows, sorting.by, sorting.order);
            self.ranks.rows.take(key, rows);
        }
        effects
    }

    pub(super) fn clocks_answered(&mut self) {
        self.ranks.clocks.is_answered();
    }

    pub(super) fn clocks_arrive(&mut self, generation: u64, clocks: Vec<ClockShift>) {
        self.ranks.clocks.take(generation, clocks);
    }

    pub(super) fn step_grid_answered(&mut self) {
        self.ranks.grid.is_answered();
    }

    pub(super) fn step_grid_arrives(&mut self, key: StepGridKey, grid: StepGrid) {
        self.ranks.grid.take(key, grid);
    }

    pub(super) fn apply_to_ranks(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::ShowDevice { rank, device } => self.show_device(rank, device),
            Action::SortRanks { column } => self.sort_ranks_by(column),
            Action::MapSteps { figure } => self.ranks.figure = figure,
            Action::ShowMemory { place } => self.memory.chosen = Some(place),
            Action::ShowHolders { open } => self.memory.holders_open = open,
            Action::GoToMemory { rank, place, at } => return self.go_to_memory(rank, place, at),
            other => return self.apply_to_places(other),
        }
        Vec::new()
    }

    /// Puts a device first and brings its lanes into view.
    fn show_device(&mut self, rank: RankId, device: DeviceId) {
        self.focus = Some((rank, device));
        let lane = LaneKey::Device(rank, device);
        self.lanes.reveal(lane);
        if !self.lanes.is_open(lane) {
            self.lanes.toggle(lane);
        }
        self.reveal = Some(lane);
    }

    fn sort_ranks_by(&mut self, column: &'static str) {
        let is_words = matches!(
            column,
            "rank" | "file" | "aligned_by" | "shift_source" | "mark"
        );
        let first = if is_words {
            SortOrder::Ascending
        } else {
            SortOrder::Descending
        };
        self.ranks.sorting.choose(column, first);
        let sorting = self.ranks.sorting;
        if let Some(rows) = self.ranks.rows.here_mut() {
            sort_ranks(rows, sorting.by, sorting.order);
        }
    }

    /// The table of the current window in the order of the panel, also where nobody measured it.
    pub(super) fn rank_grid(&self) -> Grid {
        let Some(trace) = &self.trace else {
            return Grid::default();
        };
        let known = self.ranks.clocks.here();
        let known = known.filter(|(of, _)| **of == self.generation);
        let mut rows = match known {
            Some((_, clocks)) => rank_rows(trace, &self.query(), clocks),
            None => rank_rows(trace, &self.query(), &clock_shifts(trace)),
        };
        sort_ranks(&mut rows, self.ranks.sorting.by, self.ranks.sorting.order);
        Grid::new(&RANK_COLUMNS, &rows)
    }
}

#[cfg(test)]
mod tests;
