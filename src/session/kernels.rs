//! The panel of kernels: what it shows, when that is measured anew, and what a click on it selects.
//!
//! Rows cost time by the number of kernels in the window. Few are measured between two frames; many
//! by the worker, one window at a time, and what is shown meanwhile says of which window it is.

use super::question::Question;
use super::rows::{Filter, Measured, Shown, Sorting};
use super::{Action, Effect, Section, Session, TraceHandle};
use crate::metrics::report::{Grid, KERNEL_COLUMNS};
use crate::metrics::{
    KernelGroup, KernelGrouping, KernelRow, KernelSort, Query, kernel_rows, scope, sort_kernels,
};
use crate::trace::{Device, Rank, SliceRef};

/// More kernels, or slices of a rank where threads are searched for ops, are the worker's: some
/// milliseconds of a frame.
pub(super) const MOST_AT_ONCE: u64 = 100_000;

/// What rows of kernels follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelKey {
    /// Number of the load.
    pub generation: u64,
    /// Window, rank and device.
    pub query: Query,
    /// By what kernels are put together.
    pub grouping: KernelGrouping,
}

impl KernelKey {
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

/// State of the panel.
#[derive(Debug)]
pub struct Kernels {
    /// By what kernels are put together.
    pub grouping: KernelGrouping,
    /// What rows are sorted by.
    pub sorting: Sorting<KernelSort>,
    /// What the filter is.
    pub filter: Filter,
    /// The group whose kernels were last gone to, of which load.
    pub chosen: Option<(u64, KernelGroup)>,
    rows: Measured<KernelKey, Vec<KernelRow>>,
}

impl Default for Kernels {
    fn default() -> Self {
        let by = KernelSort::default();
        Self {
            grouping: KernelGrouping::default(),
            sorting: Sorting {
                by,
                order: by.first_order(),
            },
            filter: Filter::default(),
            chosen: None,
            rows: Measured::default(),
        }
    }
}

/// What the panel shows.
pub type ShownKernels<'s> = Shown<'s, KernelKey, KernelRow>;

impl Session {
    /// What rows of kernels are wanted: of the device in focus in the current window.
    #[must_use]
    pub fn kernel_key(&self) -> Option<KernelKey> {
        let (rank, device) = self.focused()?;
        Some(KernelKey {
            generation: self.generation,
            query: Query {
                rank: Some(rank.id),
                device: Some(device.id),
                ..self.query()
            },
            grouping: self.kernels.grouping,
        })
    }

    /// The rows to show: those of the current window, or of the one before while they are
    /// measured. `None` where there are none yet.
    #[must_use]
    pub fn shown_kernels(&self) -> Option<ShownKernels<'_>> {
        let wanted = self.kernel_key()?;
        let (key, rows) = self.kernels.rows.here()?;
        let filter = &self.kernels.filter;
        wanted.is_same_table(key).then(|| ShownKernels {
            key: *key,
            is_current: wanted == *key,
            all: rows.len(),
            rows: rows.iter().filter(|r| filter.wants(&r.label)).collect(),
        })
    }

    /// Measures the rows of the current window if they are few, and asks the worker if they are
    /// many.
    pub(super) fn refresh_kernels(&mut self) -> Vec<Effect> {
        let is_closed = self.is_closed(Section::Kernels);
        let (Some(key), false) = (self.kernel_key(), is_closed) else {
            return Vec::new();
        };
        if self.kernels.rows.is_of(key) {
            return Vec::new();
        }
        let many = self
            .focused()
            .is_some_and(|(rank, device)| is_many(rank, device, &key));
        if many && !self.kernels.rows.ask(key) {
            return Vec::new();
        }
        self.measure(Question::Kernels(key), many)
    }

    pub(super) fn kernels_arrive(&mut self, key: KernelKey, mut rows: Vec<KernelRow>) {
        let Sorting { by, order } = self.kernels.sorting;
        sort_kernels(&mut rows, by, order);
        self.kernels.rows.take(key, rows);
    }

    pub(super) fn kernels_answered(&mut self) {
        self.kernels.rows.is_answered();
    }

    pub(super) fn apply_to_kernels(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::GroupKernels { grouping } => self.kernels.grouping = grouping,
            Action::SortKernels { by } => self.kernels.sort_by(by),
            Action::FilterKernels { text } => self.kernels.filter.set(text),
            Action::NextKernel { group } => return self.find_next_kernel(group),
            other => return self.apply_to_collectives(other),
        }
        Vec::new()
    }

    fn find_next_kernel(&mut self, group: KernelGroup) -> Vec<Effect> {
        let (Some(key), Some(trace)) = (self.kernel_key(), self.trace.clone()) else {
            return Vec::new();
        };
        self.kernels.chosen = Some((self.generation, group));
        vec![Effect::FindKernel {
            trace: TraceHandle(trace),
            key,
            group,
            after: self.selection,
        }]
    }

    /// A kernel was found; of an older load it is forgotten.
    pub(super) fn found(&mut self, generation: u64, slice: SliceRef) -> Vec<Effect> {
        if generation == self.generation {
            self.go_to(slice)
        } else {
            Vec::new()
        }
    }

    /// The rows that are shown, as a table; of their own window while others are measured.
    pub(super) fn kernel_grid(&self) -> Grid {
        let shown = self.shown_kernels();
        let is_current = shown.as_ref().is_some_and(|s| s.is_current);
        let rows: Vec<KernelRow> = match (self.kernel_key(), &self.trace) {
            // Nobody measured the current window for a closed section.
            (Some(key), Some(trace)) if !is_current && self.is_closed(Section::Kernels) => {
                let mut rows = kernel_rows(trace, &key.query, key.grouping);
                let Sorting { by, order } = self.kernels.sorting;
                sort_kernels(&mut rows, by, order);
                rows.retain(|r| self.kernels.filter.wants(&r.label));
                rows
            }
            _ => shown.into_iter().flat_map(|s| s.rows).cloned().collect(),
        };
        Grid::new(&KERNEL_COLUMNS, &rows)
    }
}

/// Whether measuring takes longer than a frame may.
fn is_many(rank: &Rank, device: &Device, key: &KernelKey) -> bool {
    let clip = key.query.clip_suspicious;
    let Some(window) = scope(rank, device, key.query.selection, clip).covered() else {
        return false;
    };
    let slices = u64::try_from(rank.slices.len()).unwrap_or(u64::MAX);
    match key.grouping {
        KernelGrouping::Op => slices > MOST_AT_ONCE,
        _ => device.activity(clip).kernels(window) > MOST_AT_ONCE,
    }
}

impl Kernels {
    fn sort_by(&mut self, by: KernelSort) {
        self.sorting.choose(by, by.first_order());
        let Sorting { by, order } = self.sorting;
        if let Some(rows) = self.rows.here_mut() {
            sort_kernels(rows, by, order);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Arrival};
    use super::*;
    use crate::time::{Ns, Window};
    use crate::trace::class::KernelClass;
    use crate::trace::{Activity, Trace};
    use std::sync::Arc;

    /// More kernels than are measured between two frames, or one.
    fn session(kernels: u64) -> Session {
        let all: Vec<_> = (0..kernels)
            .map(|_| (Ns(20), Ns(330), KernelClass::Computation))
            .collect();
        let rank = Rank {
            capture: Some(Window::new(Ns(0), Ns(400))),
            devices: vec![Device {
                extent: Window::new(Ns(20), Ns(330)),
                activity: Activity::new(&all),
                ..Device::default()
            }],
            ..Rank::default()
        };
        Session {
            trace: Some(Arc::new(Trace {
                ranks: vec![rank],
                ..Trace::default()
            })),
            ..Session::default()
        }
    }

    fn is_current(session: &Session) -> Option<bool> {
        session.shown_kernels().map(|shown| shown.is_current)
    }

    #[test]
    fn few_kernels_are_measured_at_once() {
        let mut session = session(1);
        assert_eq!(is_current(&session), None);
        assert!(session.refresh_kernels().is_empty());
        assert_eq!(is_current(&session), Some(true));
    }

    #[test]
    fn many_are_measured_by_the_worker_and_older_ones_never_pass_for_current() {
        let mut session = session(MOST_AT_ONCE + 1);
        let asked = |session: &mut Session| match session.refresh_kernels().as_slice() {
            [
                Effect::Measure {
                    question: Question::Kernels(key),
                    ..
                },
            ] => Some(*key),
            _ => None,
        };
        let measured = |key| Arrival::Measured(Answer::Kernels(key, Vec::new()));
        let first = asked(&mut session).expect("asked");
        assert_eq!(asked(&mut session), None, "one at a time");
        session.set_window(Window::new(Ns(50), Ns(60)));
        assert!(session.arrive(measured(first)).is_empty());
        assert_eq!(is_current(&session), Some(false), "dimmed");
        let second = asked(&mut session).expect("asked again");
        assert_ne!(first, second);
        // Rows of another table are not shown at all.
        let grouping = KernelGrouping::Class;
        assert!(session.apply(Action::GroupKernels { grouping }).is_empty());
        assert_eq!(is_current(&session), None);
        assert!(session.arrive(measured(second)).is_empty());
        assert_eq!(is_current(&session), None);
        let third = asked(&mut session).expect("asked for the grouping");
        assert!(session.arrive(measured(third)).is_empty());
        assert_eq!(is_current(&session), Some(true));
        // Nor are those of an older load.
        session.generation += 1;
        assert!(session.arrive(measured(third)).is_empty());
        assert_eq!(is_current(&session), None);
    }
}
