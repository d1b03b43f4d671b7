//! The panel of kernels: what it shows, when that is measured anew, and what a click on it selects.
//!
//! Rows cost time by the number of kernels in the window. Few are measured between two frames; many
//! by the worker, one window at a time, and what is shown meanwhile says of which window it is.

use super::{Action, Effect, Session, TraceHandle};
use crate::metrics::report::{Grid, KERNEL_COLUMNS};
use crate::metrics::{
    KernelGroup, KernelGrouping, KernelRow, KernelSort, Query, SortOrder, kernel_rows, scope,
    sort_kernels,
};
use crate::trace::{Device, Rank, SliceRef};
use regex::Regex;

/// More kernels, or slices of a rank where threads are searched for ops, are the worker's: some
/// milliseconds of a frame.
const MOST_AT_ONCE: u64 = 100_000;

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

/// What the worker answers.
#[derive(Clone, Debug)]
pub enum KernelAnswer {
    /// The rows of a key.
    Measured {
        /// Of which window, device and grouping.
        key: KernelKey,
        /// The rows.
        rows: Vec<KernelRow>,
    },
    /// The next kernel of a group.
    Found {
        /// Number of the load.
        generation: u64,
        /// The kernel.
        slice: SliceRef,
    },
}

/// State of the panel.
#[derive(Debug)]
pub struct Kernels {
    /// By what kernels are put together.
    pub grouping: KernelGrouping,
    /// What rows are sorted by.
    pub sort: KernelSort,
    /// Which end comes first.
    pub order: SortOrder,
    /// The filter as it is typed.
    pub filter: String,
    /// What is wrong with it; the last good one is used meanwhile.
    pub filter_trouble: Option<String>,
    /// The group whose kernels were last gone to, of which load.
    pub chosen: Option<(u64, KernelGroup)>,
    /// The measured rows and what they follow from.
    rows: Option<(KernelKey, Vec<KernelRow>)>,
    /// What the worker measures.
    measuring: Option<KernelKey>,
    /// The filter that holds.
    regex: Option<Regex>,
}

impl Default for Kernels {
    fn default() -> Self {
        Self {
            grouping: KernelGrouping::default(),
            sort: KernelSort::default(),
            order: KernelSort::default().first_order(),
            filter: String::new(),
            filter_trouble: None,
            chosen: None,
            rows: None,
            measuring: None,
            regex: None,
        }
    }
}

/// What the panel shows.
#[derive(Clone, Debug)]
pub struct ShownKernels<'s> {
    /// What the rows follow from.
    pub key: KernelKey,
    /// Whether they are of the current window; others are dimmed.
    pub is_current: bool,
    /// Number of groups, filtered out ones included.
    pub groups: usize,
    /// The rows that the filter leaves, in order.
    pub rows: Vec<&'s KernelRow>,
}

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
        let (key, rows) = self.kernels.rows.as_ref()?;
        wanted.is_same_table(key).then(|| ShownKernels {
            key: *key,
            is_current: wanted == *key,
            groups: rows.len(),
            rows: self.kernels.matching(rows).collect(),
        })
    }

    /// Measures the rows of the current window if they are few, and asks the worker if they are
    /// many. To be called before the views of a frame.
    #[must_use]
    pub fn refresh_kernels(&mut self) -> Vec<Effect> {
        let is_open = !self.closed_sections.contains(&super::Section::Kernels);
        let (Some(key), Some(trace), true) = (self.kernel_key(), self.trace.clone(), is_open)
        else {
            return Vec::new();
        };
        if self.kernels.rows.as_ref().is_some_and(|(of, _)| *of == key) {
            return Vec::new();
        }
        let many = self
            .focused()
            .is_some_and(|(rank, device)| is_many(rank, device, &key));
        if !many {
            let rows = kernel_rows(&trace, &key.query, key.grouping);
            self.kernels.take(key, rows);
            return Vec::new();
        }
        // One at a time: the worker is done with a window before it is given the latest one.
        if self.kernels.measuring.is_some() {
            return Vec::new();
        }
        self.kernels.measuring = Some(key);
        vec![Effect::MeasureKernels {
            trace: TraceHandle(trace),
            key,
        }]
    }

    pub(super) fn kernels_arrive(&mut self, answer: KernelAnswer) -> Vec<Effect> {
        match answer {
            KernelAnswer::Measured { key, rows } => {
                self.kernels.measuring = None;
                if key.generation == self.generation {
                    self.kernels.take(key, rows);
                }
                Vec::new()
            }
            KernelAnswer::Found { generation, slice } => self.kernel_found(generation, slice),
        }
    }

    pub(super) fn apply_to_kernels(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::GroupKernels { grouping } => self.kernels.grouping = grouping,
            Action::SortKernels { by } => self.kernels.sort_by(by),
            Action::FilterKernels { text } => self.kernels.filter_by(text),
            Action::NextKernel { group } => return self.find_next_kernel(group),
            other => return self.apply_outward(other),
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

    /// Selects a kernel that was found and brings it into view.
    fn kernel_found(&mut self, generation: u64, found: SliceRef) -> Vec<Effect> {
        if generation == self.generation {
            self.go_to(found)
        } else {
            Vec::new()
        }
    }

    /// The rows that are shown, as a table; of their own window while others are measured.
    pub(super) fn kernel_grid(&self) -> Grid {
        let rows = self.shown_kernels().map(|s| s.rows).unwrap_or_default();
        let rows: Vec<KernelRow> = rows.into_iter().cloned().collect();
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
    fn take(&mut self, key: KernelKey, mut rows: Vec<KernelRow>) {
        sort_kernels(&mut rows, self.sort, self.order);
        self.rows = Some((key, rows));
    }

    /// Sorts by another column, or by the same one the other way round.
    fn sort_by(&mut self, by: KernelSort) {
        self.order = if self.sort == by {
            self.order.reversed()
        } else {
            by.first_order()
        };
        self.sort = by;
        if let Some((_, rows)) = &mut self.rows {
            sort_kernels(rows, self.sort, self.order);
        }
    }

    fn filter_by(&mut self, text: String) {
        match Regex::new(&text) {
            Ok(regex) => {
                self.regex = (!text.is_empty()).then_some(regex);
                self.filter_trouble = None;
            }
            Err(error) => {
                let what = super::regex_trouble(&error);
                self.filter_trouble =
                    Some(format!("{what}; rows are those of the last good filter"));
            }
        }
        self.filter = text;
    }

    fn matching<'s>(&'s self, rows: &'s [KernelRow]) -> impl Iterator<Item = &'s KernelRow> {
        rows.iter()
            .filter(|row| self.regex.as_ref().is_none_or(|r| r.is_match(&row.label)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Arrival;
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
            [Effect::MeasureKernels { key, .. }] => Some(*key),
            _ => None,
        };
        let measured = |key| {
            Arrival::Kernels(KernelAnswer::Measured {
                key,
                rows: Vec::new(),
            })
        };
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

    #[test]
    fn a_wrong_filter_is_told_and_the_last_good_one_holds() {
        let mut kernels = Kernels::default();
        kernels.filter_by("^nccl".to_owned());
        kernels.filter_by("^nccl(".to_owned());
        let trouble = kernels.filter_trouble.clone().unwrap_or_default();
        assert!(trouble.contains("unclosed group"), "{trouble}");
        assert_eq!(kernels.regex.as_ref().map(Regex::as_str), Some("^nccl"));
        kernels.filter_by(String::new());
        assert!(kernels.filter_trouble.is_none() && kernels.regex.is_none());
    }

    #[test]
    fn a_second_click_turns_the_order_round() {
        let mut kernels = Kernels::default();
        let mut orders = Vec::new();
        for by in [KernelSort::Total, KernelSort::Total, KernelSort::Group] {
            kernels.sort_by(by);
            orders.push(kernels.order);
        }
        let (up, down) = (SortOrder::Ascending, SortOrder::Descending);
        assert_eq!(orders, [up, down, up]);
    }
}
