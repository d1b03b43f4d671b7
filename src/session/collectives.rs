//! The panel of collectives: what it shows, when that is measured anew, and what a click on it
//! selects. What hides a collective is measured for the selected one only.

use super::rows::{Answer, Filter, Measured, Question, Shown, Sorting};
use super::{Action, Effect, Section, Session, TraceHandle};
use crate::metrics::report::{COLLECTIVE_COLUMNS, COMM_GROUP_COLUMNS, Grid};
use crate::metrics::{
    CollectiveGrouping, CollectiveRow, CollectiveSort, CommGroupRow, KernelRow, Query,
    most_collectives, sort_collectives, sort_comm_groups,
};
use crate::time::Window;
use crate::timeline::lanes::lane_of;
use crate::trace::SliceRef;

/// More communication kernels are the worker's: some milliseconds of a frame.
const MOST_AT_ONCE: usize = 10_000;

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
#[derive(Clone, Debug)]
pub enum ShownCollectives<'s> {
    /// Each collective.
    Each(Shown<'s, CollectiveKey, CollectiveRow>),
    /// By process group and kind.
    Groups(Shown<'s, CollectiveKey, CommGroupRow>),
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
    }
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
        let filter = &self.collectives.filter;
        let is_current = wanted == *key;
        Some(match rows {
            CollectiveRows::Each(rows) => ShownCollectives::Each(Shown {
                key: *key,
                is_current,
                all: rows.len(),
                rows: rows
                    .iter()
                    .filter(|r| r.matches(|t| filter.wants(t)))
                    .collect(),
            }),
            CollectiveRows::Groups(rows) => ShownCollectives::Groups(Shown {
                key: *key,
                is_current,
                all: rows.len(),
                rows: rows
                    .iter()
                    .filter(|r| r.matches(|t| filter.wants(t)))
                    .collect(),
            }),
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

    /// Measures what panels of many rows show of the current window where it is little, and asks
    /// the worker where it is much. To be called before the views of a frame.
    #[must_use]
    pub fn refresh_tables(&mut self) -> Vec<Effect> {
        let mut effects = self.refresh_kernels();
        if !self.closed_sections.contains(&Section::Collectives) {
            effects.extend(self.refresh_collectives());
            effects.extend(self.refresh_hiding());
        }
        effects
    }

    fn refresh_collectives(&mut self) -> Vec<Effect> {
        let Some(key) = self.collective_key() else {
            return Vec::new();
        };
        if self.collectives.rows.is_of(key) {
            return Vec::new();
        }
        let many = self.focused().is_some_and(|(rank, device)| {
            most_collectives(rank, device, &key.query) > MOST_AT_ONCE
        });
        if many && !self.collectives.rows.ask(key) {
            return Vec::new();
        }
        self.measure(Question::Collectives(key), many)
    }

    fn refresh_hiding(&mut self) -> Vec<Effect> {
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

    /// Answers a question now, or has the worker do it.
    pub(super) fn measure(&mut self, question: Question, by_worker: bool) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        if by_worker {
            let trace = TraceHandle(trace);
            return vec![Effect::Measure { trace, question }];
        }
        self.take_answer(question.answer(&trace));
        Vec::new()
    }

    /// The worker is done with something; what is of an older load is dropped.
    pub(super) fn answered(&mut self, answer: Answer) {
        let generation = match &answer {
            Answer::Kernels(key, _) => {
                self.kernels_answered();
                key.generation
            }
            Answer::Collectives(key, _) => {
                self.collectives.rows.is_answered();
                key.generation
            }
            Answer::Hiding(key, _) => {
                self.collectives.hiding.is_answered();
                key.generation
            }
        };
        if generation == self.generation {
            self.take_answer(answer);
        }
    }

    fn take_answer(&mut self, answer: Answer) {
        match answer {
            Answer::Kernels(key, rows) => self.kernels_arrive(key, rows),
            Answer::Collectives(key, mut rows) => {
                sort(&mut rows, self.collectives.sorting);
                self.collectives.rows.take(key, rows);
            }
            Answer::Hiding(key, rows) => self.collectives.hiding.take(key, rows),
        }
    }

    pub(super) fn apply_to_collectives(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::GroupCollectives { grouping } => self.collectives.grouping = grouping,
            Action::SortCollectives { by } => self.collectives.sort_by(by),
            Action::FilterCollectives { text } => self.collectives.filter.set(text),
            Action::ShowSlice { slice } => return self.show_slice(slice),
            other => return self.apply_outward(other),
        }
        Vec::new()
    }

    /// Selects a slice and brings it into view, its lane too.
    pub(super) fn show_slice(&mut self, at: SliceRef) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        if let Some(slice) = trace.slice(at) {
            self.bring_into_view(slice.window());
        }
        if let Some(lane) = lane_of(&trace, at) {
            self.lanes.reveal(lane);
            self.reveal = Some(lane);
        }
        self.select(at)
    }

    /// The rows that are shown, as a table; of their own window while others are measured.
    pub(super) fn collective_grid(&self) -> Grid {
        match self.shown_collectives() {
            None => match self.collectives.grouping {
                CollectiveGrouping::Each => Grid::new(&COLLECTIVE_COLUMNS, &[]),
                CollectiveGrouping::Group => Grid::new(&COMM_GROUP_COLUMNS, &[]),
            },
            Some(ShownCollectives::Each(shown)) => {
                let rows: Vec<CollectiveRow> = shown.rows.into_iter().cloned().collect();
                Grid::new(&COLLECTIVE_COLUMNS, &rows)
            }
            Some(ShownCollectives::Groups(shown)) => {
                let rows: Vec<CommGroupRow> = shown.rows.into_iter().cloned().collect();
                Grid::new(&COMM_GROUP_COLUMNS, &rows)
            }
        }
    }
}
