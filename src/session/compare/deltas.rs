//! The table of kernels of both traces: what it shows, when it is aligned anew, and what a click on it
//! selects.
//!
//! Aligning costs the more the less two sequences have in common, so only few kernels are aligned
//! between two frames.

use super::act::of_other;
use super::{Session, TraceSide};
use crate::metrics::report::{FIGURE_DELTA_COLUMNS, Grid, KERNEL_DELTA_COLUMNS};
use crate::metrics::{
    KernelDelta, KernelDeltaSort, KernelGroup, KernelGrouping, Query, Side, figure_deltas,
    kernel_deltas, scope, sort_kernel_deltas,
};
use crate::session::rows::Measured;
use crate::session::{Effect, Filter, KernelKey, Picked, Section, Sorting, TraceHandle};

/// More kernels in both windows together are the worker's: that many without anything in common take
/// some milliseconds.
const MOST_AT_ONCE: u64 = 2_000;

/// What rows of kernels follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeltaKey {
    /// Number of the load of A, window and device.
    pub a: (u64, Query),
    /// The same of B.
    pub b: (u64, Query),
}

impl DeltaKey {
    /// Whether rows of the other key differ only by the windows and the clipping.
    fn is_same_table(&self, other: &Self) -> bool {
        let of = |key: &Self| {
            [key.a, key.b].map(|(generation, query)| (generation, query.rank, query.device))
        };
        of(self) == of(other)
    }
}

/// State of the table.
#[derive(Debug)]
pub struct Deltas {
    /// What rows are sorted by.
    pub sorting: Sorting<KernelDeltaSort>,
    /// What the filter is.
    pub filter: Filter,
    /// The name whose kernel was last gone to.
    pub chosen: Option<String>,
    rows: Measured<DeltaKey, Vec<KernelDelta>>,
    /// Places of the rows that the filter leaves.
    kept: Vec<usize>,
}

impl Default for Deltas {
    fn default() -> Self {
        let by = KernelDeltaSort::default();
        Self {
            sorting: Sorting {
                by,
                order: by.first_order(),
            },
            filter: Filter::default(),
            chosen: None,
            rows: Measured::default(),
            kept: Vec::new(),
        }
    }
}

impl Deltas {
    pub(super) fn sort_by(&mut self, by: KernelDeltaSort) {
        self.sorting.choose(by, by.first_order());
        let Sorting { by, order } = self.sorting;
        if let Some(rows) = self.rows.here_mut() {
            sort_kernel_deltas(rows, by, order);
        }
        self.pick();
    }

    pub(super) fn set_filter(&mut self, text: String) {
        self.filter.set(text);
        self.pick();
    }

    fn take(&mut self, key: DeltaKey, mut rows: Vec<KernelDelta>) {
        let Sorting { by, order } = self.sorting;
        sort_kernel_deltas(&mut rows, by, order);
        self.rows.take(key, rows);
        self.pick();
    }

    fn pick(&mut self) {
        let rows = self.rows.here().map_or(&[][..], |(_, rows)| rows);
        let wanted = |(at, row): (usize, &KernelDelta)| self.filter.wants(&row.name).then_some(at);
        self.kept = rows.iter().enumerate().filter_map(wanted).collect();
    }
}

/// What the table shows.
#[derive(Clone, Copy, Debug)]
pub struct ShownDeltas<'s> {
    /// What the rows follow from.
    pub key: DeltaKey,
    /// Whether they are of the current windows; others are dimmed.
    pub is_current: bool,
    /// The rows that the filter leaves, in order.
    pub rows: Picked<'s, KernelDelta>,
}

impl Session {
    /// What rows of kernels are wanted: of the devices in focus, in the windows that are compared.
    #[must_use]
    pub fn delta_key(&self) -> Option<DeltaKey> {
        let compared = self.compared()?;
        Some(DeltaKey {
            a: (self.generation, compared.a.query),
            b: (self.other()?.generation, compared.b.query),
        })
    }

    /// The rows to show; `None` where there are none yet.
    #[must_use]
    pub fn shown_deltas(&self) -> Option<ShownDeltas<'_>> {
        let wanted = self.delta_key()?;
        let deltas = &self.compare.as_ref()?.deltas;
        let (key, rows) = deltas.rows.here()?;
        wanted.is_same_table(key).then(|| ShownDeltas {
            key: *key,
            is_current: wanted == *key,
            rows: Picked::new(rows, &deltas.kept),
        })
    }

    /// Aligns the kernels of the current windows if they are few, and asks the worker if they are
    /// many; and measures what B's own panel shows.
    pub(in crate::session) fn refresh_compare(&mut self) -> Vec<Effect> {
        let Some(compare) = &self.compare else {
            return Vec::new();
        };
        match compare.panel {
            super::PanelOf::Both => self.refresh_deltas(),
            super::PanelOf::One(TraceSide::A) => Vec::new(),
            super::PanelOf::One(TraceSide::B) => self.with_other(Session::refresh_tables),
        }
    }

    fn refresh_deltas(&mut self) -> Vec<Effect> {
        let is_closed = self.is_closed(Section::Kernels);
        let (Some(key), false) = (self.delta_key(), is_closed) else {
            return Vec::new();
        };
        let many = self.has_many_kernels();
        let a = self.trace.clone();
        let Some(compare) = &mut self.compare else {
            return Vec::new();
        };
        let (Some(a), Some(b)) = (a, compare.other.trace.clone()) else {
            return Vec::new();
        };
        if compare.deltas.rows.is_of(key) || (many && !compare.deltas.rows.ask(key)) {
            return Vec::new();
        }
        let (a, b) = (TraceHandle(a), TraceHandle(b));
        if many {
            return vec![Effect::AlignKernels { a, b, key }];
        }
        let rows = key.align(&a, &b);
        compare.deltas.take(key, rows);
        Vec::new()
    }

    /// Whether aligning takes longer than a frame may.
    fn has_many_kernels(&self) -> bool {
        let of = |session: &Session| {
            let (rank, device) = session.focused()?;
            let query = session.query();
            let clip = query.clip_suspicious;
            let window = scope(rank, device, query.selection, clip).covered()?;
            Some(device.activity(clip).kernels(window))
        };
        let others = self.other().and_then(of).unwrap_or(0);
        of(self).unwrap_or(0).saturating_add(others) > MOST_AT_ONCE
    }

    /// The worker is done; what is of an older load is dropped.
    pub(in crate::session) fn deltas_arrive(&mut self, key: DeltaKey, rows: Vec<KernelDelta>) {
        let a = self.generation;
        if let Some(compare) = &mut self.compare {
            compare.deltas.rows.is_answered();
            if (key.a.0, key.b.0) == (a, compare.other.generation) {
                compare.deltas.take(key, rows);
            }
        }
    }

    /// Goes to the first kernel of a name in the window of A, or of B where only B has it.
    pub(super) fn go_to_delta(&mut self, name: &str) -> Vec<Effect> {
        let shown = self.shown_deltas();
        let Some(row) = shown.and_then(|s| s.rows.iter().find(|row| row.name == name)) else {
            return Vec::new();
        };
        let in_a = row.count_a > 0;
        let Some(key) = self.delta_key() else {
            return Vec::new();
        };
        let (session, (generation, query)) = match self.other() {
            Some(other) if !in_a => (other, key.b),
            _ => (&*self, key.a),
        };
        let Some(trace) = session.trace.clone() else {
            return Vec::new();
        };
        let Some(id) = trace.names.find(name) else {
            return Vec::new();
        };
        let effect = Effect::FindKernel {
            trace: TraceHandle(trace),
            key: KernelKey {
                generation,
                query,
                grouping: KernelGrouping::Name,
            },
            group: KernelGroup::Name(id),
            after: None,
        };
        if let Some(compare) = &mut self.compare {
            compare.deltas.chosen = Some(name.to_owned());
            compare.last = if in_a { TraceSide::A } else { TraceSide::B };
        }
        if in_a {
            vec![effect]
        } else {
            of_other(vec![effect])
        }
    }

    /// Figures of all devices that stand against each other, as a table.
    pub(in crate::session) fn figure_delta_grid(&self) -> Grid {
        let Some((a, b, mut pairs)) = self.compared_devices() else {
            return Grid::new(&FIGURE_DELTA_COLUMNS, &[]);
        };
        // Devices that the user put against each other need not have the same number.
        if let Some(chosen) = self.compared().map(|c| c.pair)
            && !pairs.pairs.contains(&chosen)
        {
            pairs.pairs.push(chosen);
        }
        Grid::new(&FIGURE_DELTA_COLUMNS, &figure_deltas(&a, &b, &pairs.pairs))
    }

    /// The rows of kernels that are shown, as a table; of their own windows while others are aligned.
    pub(in crate::session) fn kernel_delta_grid(&self) -> Grid {
        let is_current = self.shown_deltas().is_some_and(|s| s.is_current);
        let is_hidden = self.is_closed(Section::Kernels)
            || self
                .compare
                .as_ref()
                .is_some_and(|c| c.panel != super::PanelOf::Both);
        let rows: Vec<KernelDelta> = match (self.compared(), &self.compare) {
            // Nobody aligned those of the current windows.
            (Some(now), Some(compare)) if !is_current && is_hidden => {
                let mut rows = kernel_deltas(&now.a, &now.b, &[now.pair]);
                let Sorting { by, order } = compare.deltas.sorting;
                sort_kernel_deltas(&mut rows, by, order);
                rows.retain(|row| compare.deltas.filter.wants(&row.name));
                rows
            }
            _ => (self.shown_deltas().into_iter())
                .flat_map(|s| s.rows.iter())
                .cloned()
                .collect(),
        };
        Grid::new(&KERNEL_DELTA_COLUMNS, &rows)
    }
}

impl DeltaKey {
    /// Aligns the kernels of both windows.
    #[must_use]
    pub fn align(&self, a: &TraceHandle, b: &TraceHandle) -> Vec<KernelDelta> {
        let side = |trace, query| Side { trace, query };
        let (a, b) = (side(&*a.0, self.a.1), side(&*b.0, self.b.1));
        let pairs = crate::metrics::pair_devices(&a, &b);
        kernel_deltas(&a, &b, &pairs.pairs)
    }
}
