//! The panel of collectives: what it shows, when that is measured anew, and what a click on it
//! selects. What hides a collective is measured for the selected one only.

use super::question::{Answer, Question};
use super::rows::{Filter, Measured, Picked, Sorting};
use super::{Action, Effect, Section, Session};
use crate::metrics::report::{COLLECTIVE_COLUMNS, COMM_GROUP_COLUMNS, Grid};
use crate::metrics::{
    CollectiveGrouping, CollectiveRow, CollectiveSort, CollectiveTotals, CommGroupRow, KernelRow,
    Query, TypedGroups, most_collectives, sort_collectives, sort_comm_groups, type_comm_groups,
};
use crate::time::Window;
use crate::trace::SliceRef;

/// What measures more than this is the worker's: some milliseconds of a frame.
const MOST_AT_ONCE: usize = 40_000;

/// What a row costs: five for itself, one for the kernel of each rank that it is compared with. Five are
/// about a microsecond. By group the same rows tell what groups are for.
fn cost(rows: usize, ranks: usize) -> usize {
    rows.saturating_mul(ranks.saturating_add(5))
}

/// What rows of collectives follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveKey {
    /// Number of the load.
    pub generation: u64,
    /// Window, rank and device.
    pub query: Query,
    /// By what collectives are put together.
    pub grouping: CollectiveGrouping,
}

impl CollectiveKey {
    /// Whether rows of the other key differ only by the window and the clipping, so that they may
    /// stay on screen, dimmed, until those of this key are there.
    #[must_use]
    pub fn is_same_table(&self, other: &Self) -> bool {
        let of = |key: &Self| {
            (
                key.generation,
                key.query.rank,
                key.query.device,
                key.grouping,
            )
        };
        of(self) == of(other)
    }
}

/// What the kernels that hide a collective follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HidingKey {
    /// Number of the load.
    pub generation: u64,
    /// Window and clipping.
    pub query: Query,
    /// The collective.
    pub slice: SliceRef,
}

/// Rows of one of the two tables.
#[derive(Clone, Debug)]
pub enum CollectiveRows {
    /// Each collective.
    Each(Vec<CollectiveRow>),
    /// By process group and kind.
    Groups(Vec<CommGroupRow>),
}

/// What the panel shows.
#[derive(Clone, Copy, Debug)]
pub struct ShownCollectives<'s> {
    /// What the rows follow from.
    pub key: CollectiveKey,
    /// Whether they are of the current window; others are dimmed.
    pub is_current: bool,
    /// The rows.
    pub rows: PickedCollectives<'s>,
}

/// The rows of one of the two tables that the filter leaves.
#[derive(Clone, Copy, Debug)]
pub enum PickedCollectives<'s> {
    /// Each collective, and what all of them say together.
    Each(Picked<'s, CollectiveRow>, CollectiveTotals),
    /// By process group and kind.
    Groups(Picked<'s, CommGroupRow>),
}

/// What hides the selected collective.
#[derive(Clone, Copy, Debug)]
pub struct ShownHiding<'s> {
    /// Which collective.
    pub slice: SliceRef,
    /// The kernels by name; `None` while they are measured.
    pub kernels: Option<&'s [KernelRow]>,
}

/// State of the panel.
#[derive(Debug)]
pub struct Collectives {
    /// By what collectives are put together.
    pub grouping: CollectiveGrouping,
    /// What the filter is.
    pub filter: Filter,
    /// What the rows of each table are sorted by.
    sorting: [Sorting<CollectiveSort>; 2],
    rows: Measured<CollectiveKey, CollectiveRows>,
    /// Which of them the filter leaves.
    kept: Vec<usize>,
    /// What those say together.
    totals: CollectiveTotals,
    hiding: Measured<HidingKey, Vec<KernelRow>>,
}

impl Default for Collectives {
    fn default() -> Self {
        let sorting = CollectiveGrouping::ALL.map(|grouping| {
            let by = grouping.first_sort();
            Sorting {
                by,
                order: by.first_order(),
            }
        });
        Self {
            grouping: CollectiveGrouping::default(),
            filter: Filter::default(),
            sorting,
            rows: Measured::default(),
            kept: Vec::new(),
            totals: CollectiveTotals::default(),
            hiding: Measured::default(),
        }
    }
}

impl Collectives {
    /// What the rows of the current table are sorted by.
    #[must_use]
    pub fn sorting(&self) -> Sorting<CollectiveSort> {
        let [each, group] = self.sorting;
        match self.grouping {
            CollectiveGrouping::Each => each,
            CollectiveGrouping::Group => group,
        }
    }

    fn sort_by(&mut self, by: CollectiveSort) {
        let [each, group] = &mut self.sorting;
        let sorting = match self.grouping {
            CollectiveGrouping::Each => each,
            CollectiveGrouping::Group => group,
        };
        sorting.choose(by, by.first_order());
        let sorting = self.sorting;
        if let Some(rows) = self.rows.here_mut() {
            sort(rows, sorting);
        }
        self.pick();
    }

    fn filter_by(&mut self, text: String) {
        self.filter.set(text);
        self.pick();
    }

    /// Sets what the user says of process groups.
    pub(super) fn type_groups(&mut self, typed: &TypedGroups) {
        if let Some(CollectiveRows::Groups(rows)) = self.rows.here_mut() {
            type_comm_groups(rows, typed);
        }
    }

    fn take(&mut self, key: CollectiveKey, mut rows: CollectiveRows, typed: &TypedGroups) {
        if let CollectiveRows::Groups(rows) = &mut rows {
            type_comm_groups(rows, typed);
        }
        sort(&mut rows, self.sorting);
        self.rows.take(key, rows);
        self.pick();
    }

    /// Chooses the rows that the filter leaves, whenever rows, order or filter are others.
    fn pick(&mut self) {
        let filter = &self.filter;
        let wants = |text: &str| filter.wants(text);
        self.totals = CollectiveTotals::default();
        self.kept = match self.rows.here() {
            None => Vec::new(),
            Some((_, CollectiveRows::Each(rows))) => {
                let kept = places(rows, |row| row.matches(wants));
                self.totals = CollectiveTotals::of(Picked::new(rows, &kept).iter());
                kept
            }
            Some((_, CollectiveRows::Groups(rows))) => places(rows, |row| row.matches(wants)),
        };
    }
}

/// The places of the rows that are wanted.
fn places<R>(rows: &[R], is_wanted: impl Fn(&R) -> bool) -> Vec<usize> {
    let all = rows.iter().enumerate();
    all.filter_map(|(place, row)| is_wanted(row).then_some(place))
        .collect()
}

fn sort(rows: &mut CollectiveRows, [each, group]: [Sorting<CollectiveSort>; 2]) {
    match rows {
        CollectiveRows::Each(rows) => sort_collectives(rows, each.by, each.order),
        CollectiveRows::Groups(rows) => sort_comm_groups(rows, group.by, group.order),
    }
}

impl Session {
    /// What rows of collectives are wanted: of the device in focus in the current window.
    #[must_use]
    pub fn collective_key(&self) -> Option<CollectiveKey> {
        let (rank, device) = self.focused()?;
        Some(CollectiveKey {
            generation: self.generation,
            query: Query {
                rank: Some(rank.id),
                device: Some(device.id),
                ..self.query()
            },
            grouping: self.collectives.grouping,
        })
    }

    /// The rows to show: those of the current window, or of the one before while they are
    /// measured. `None` where there are none yet.
    #[must_use]
    pub fn shown_collectives(&self) -> Option<ShownCollectives<'_>> {
        let wanted = self.collective_key()?;
        let (key, rows) = self.collectives.rows.here()?;
        if !wanted.is_same_table(key) {
            return None;
        }
        let state = &self.collectives;
        Some(ShownCollectives {
            key: *key,
            is_current: wanted == *key,
            rows: match rows {
                CollectiveRows::Each(rows) => {
                    PickedCollectives::Each(Picked::new(rows, &state.kept), state.totals)
                }
                CollectiveRows::Groups(rows) => {
                    PickedCollectives::Groups(Picked::new(rows, &state.kept))
                }
            },
        })
    }

    /// What hides the selected collective; `None` where none of the device in focus is selected.
    #[must_use]
    pub fn shown_hiding(&self) -> Option<ShownHiding<'_>> {
        let (key, _) = self.hiding_key()?;
        let here = self.collectives.hiding.here().filter(|(of, _)| **of == key);
        Some(ShownHiding {
            slice: key.slice,
            kernels: here.map(|(_, kernels)| kernels.as_slice()),
        })
    }

    /// What is wanted of the selected collective, and where it lies.
    fn hiding_key(&self) -> Option<(HidingKey, Window)> {
        let (rank, device) = self.focused()?;
        let slice = self.selection.filter(|s| s.rank == rank.id)?;
        rank.comm(slice.slice)?;
        let (on, _) = rank.stream_of(slice.slice)?;
        let window = rank.slices.get(slice.slice)?.window();
        let key = HidingKey {
            generation: self.generation,
            query: self.query(),
            slice,
        };
        (on.id == device.id).then_some((key, window))
    }

    pub(super) fn refresh_collectives(&mut self) -> Vec<Effect> {
        let Some(key) = self.collective_key() else {
            return Vec::new();
        };
        if self.collectives.rows.is_of(key) {
            return Vec::new();
        }
        let ranks = self.trace.as_ref().map_or(0, |t| t.ranks.len());
        let many = self.focused().is_some_and(|(rank, device)| {
            let rows = most_collectives(rank, device, &key.query);
            cost(rows, ranks) > MOST_AT_ONCE
        });
        if many && !self.collectives.rows.ask(key) {
            return Vec::new();
        }
        self.measure(Question::Collectives(key), many)
    }

    pub(super) fn refresh_hiding(&mut self) -> Vec<Effect> {
        let Some((key, window)) = self.hiding_key() else {
            return Vec::new();
        };
        if self.collectives.hiding.is_of(key) {
            return Vec::new();
        }
        let many = self.focused().is_some_and(|(_, device)| {
            let activity = device.activity(key.query.clip_suspicious);
            activity.kernels(window) > super::kernels::MOST_AT_ONCE
        });
        if many && !self.collectives.hiding.ask(key) {
            return Vec::new();
        }
        self.measure(Question::Hiding(key), many)
    }

    pub(super) fn collectives_arrive(&mut self, key: CollectiveKey, rows: CollectiveRows) {
        let typed = self.groups.typed();
        self.collectives.take(key, rows, typed);
    }

    pub(super) fn hiding_arrives(&mut self, key: HidingKey, kernels: Vec<KernelRow>) {
        self.collectives.hiding.take(key, kernels);
    }

    pub(super) fn collectives_answered(&mut self) {
        self.collectives.rows.is_answered();
    }

    pub(super) fn hiding_answered(&mut self) {
        self.collectives.hiding.is_answered();
    }

    pub(super) fn apply_to_collectives(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::GroupCollectives { grouping } => self.collectives.grouping = grouping,
            Action::SortCollectives { by } => self.collectives.sort_by(by),
            Action::FilterCollectives { text } => self.collectives.filter_by(text),
            Action::LabelGroup { group, said } => self.label_group(group, said),
            other => return self.apply_outward(other),
        }
        Vec::new()
    }

    /// The rows that are shown, as a table; of their own window while others are measured.
    pub(super) fn collective_grid(&self) -> Grid {
        let shown = self.shown_collectives();
        if shown.as_ref().is_none_or(|s| !s.is_current) && self.is_closed(Section::Collectives) {
            return self.measured_grid();
        }
        match shown.map(|shown| shown.rows) {
            None => match self.collectives.grouping {
                CollectiveGrouping::Each => Grid::new(&COLLECTIVE_COLUMNS, &[]),
                CollectiveGrouping::Group => Grid::new(&COMM_GROUP_COLUMNS, &[]),
            },
            Some(PickedCollectives::Each(rows, _)) => {
                let rows: Vec<CollectiveRow> = rows.iter().cloned().collect();
                Grid::new(&COLLECTIVE_COLUMNS, &rows)
            }
            Some(PickedCollectives::Groups(rows)) => {
                let rows: Vec<CommGroupRow> = rows.iter().cloned().collect();
                Grid::new(&COMM_GROUP_COLUMNS, &rows)
            }
        }
    }

    /// The same of a closed section, which nobody measured for the current window.
    fn measured_grid(&self) -> Grid {
        let (Some(key), Some(trace)) = (self.collective_key(), &self.trace) else {
            return Grid::default();
        };
        let Answer::Collectives(_, mut rows) = Question::Collectives(key).answer(trace) else {
            return Grid::default();
        };
        sort(&mut rows, self.collectives.sorting);
        let wants = |text: &str| self.collectives.filter.wants(text);
        match rows {
            CollectiveRows::Each(mut rows) => {
                rows.retain(|row| row.matches(wants));
                Grid::new(&COLLECTIVE_COLUMNS, &rows)
            }
            CollectiveRows::Groups(mut rows) => {
                rows.retain(|row| row.matches(wants));
                type_comm_groups(&mut rows, self.groups.typed());
                Grid::new(&COMM_GROUP_COLUMNS, &rows)
            }
        }
    }
}

#[cfg(test)]
mod tests;
