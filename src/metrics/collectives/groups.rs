//! Communication of a window by process group and kind, over merged time.

use super::words::Words;
use super::{computing, found};
use crate::interval::{Interval, IntervalSet, alone};
use crate::metrics::group_labels::GIVEN;
use crate::metrics::window::scope;
use crate::metrics::{GroupLabel, Parallelism, Query, Ratio};
use crate::time::{DurNs, Window};
use crate::trace::class::CollectiveKind;
use crate::trace::{Device, DeviceId, NameId, Rank, RankId, Trace};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The communication kernels of one process group and kind on a device, in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommGroupRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// Name of the process group.
    pub group: Option<Arc<str>>,
    /// What the group is for.
    pub description: Option<Arc<str>>,
    /// Which collective they are.
    pub kind: Option<CollectiveKind>,
    /// The window.
    pub window: Window,
    /// How many kernels share time with it.
    pub collectives: u64,
    /// Bytes of their full buffers, of those where they are known; `None` where none are.
    pub bytes: Option<u64>,
    /// How many kernels have no bytes.
    pub without_bytes: u64,
    /// Plain sum of what of them lies inside.
    pub total: DurNs,
    /// The same with what runs at once counted once.
    pub merged: DurNs,
    /// What of the merged time computation hides.
    pub hidden_by_comp: DurNs,
    /// What of the rest other communication of the device runs beside.
    pub hidden_by_comm: DurNs,
    /// What is left.
    pub exposed: DurNs,
    /// What the trace tells the group is for; `None` until that was asked.
    pub told: Option<GroupLabel>,
    /// What the user says that it is for.
    pub typed: Option<Parallelism>,
}

impl CommGroupRow {
    /// What its kind is called; "unknown" where nobody says.
    #[must_use]
    pub fn kind_label(&self) -> &'static str {
        self.kind.map_or("unknown", CollectiveKind::label)
    }

    /// Whether a text of it is wanted: its kind, the name or description of its group.
    #[must_use]
    pub fn matches(&self, wanted: impl Fn(&str) -> bool) -> bool {
        let groups = self.group.iter().chain(&self.description);
        wanted(self.kind_label()) || groups.into_iter().any(|t| wanted(t))
    }

    /// What the group is for: what the user says wins.
    #[must_use]
    pub fn parallelism(&self) -> Option<Parallelism> {
        let told = self.told.as_ref().map(|label| label.parallelism);
        self.typed.or(told)
    }

    /// Why.
    #[must_use]
    pub fn parallelism_evidence(&self) -> Option<&str> {
        match self.typed {
            Some(_) => Some(GIVEN),
            None => self.told.as_ref().map(|label| label.evidence.as_str()),
        }
    }

    /// The share of merged time that computation hides.
    #[must_use]
    pub fn hidden_share(&self) -> Option<Ratio> {
        Ratio::new(self.hidden_by_comp, self.merged)
    }
}

/// What kernels of one row have in common.
type Key = (Option<NameId>, Option<CollectiveKind>);

/// A row with the time of its kernels.
struct Gathered {
    row: CommGroupRow,
    time: Vec<Interval>,
}

/// One row for each process group and kind of a device, by rank, device, then total, the largest
/// first. None for a device whose rank recorded nothing of the window.
///
/// O(k log n) for k communication kernels in the window.
#[must_use]
pub fn comm_group_rows(trace: &Trace, query: &Query) -> Vec<CommGroupRow> {
    let clip = query.clip_suspicious;
    let mut rows = Vec::new();
    for (rank, device) in query.devices(trace) {
        if let Some(window) = scope(rank, device, query.selection, clip).covered() {
            rows.extend(rows_of(trace, rank, device, window, clip));
        }
    }
    rows
}

fn rows_of(
    trace: &Trace,
    rank: &Rank,
    device: &Device,
    window: Window,
    clip_suspicious: bool,
) -> Vec<CommGroupRow> {
    let mut places: FxHashMap<Key, usize> = FxHashMap::default();
    let mut groups: Vec<Gathered> = Vec::new();
    let mut words = Words::new(trace, rank);
    for found in found(rank, device, window, clip_suspicious) {
        let message = &found.comm.message;
        let kind = found.comm.collective.map(|c| c.kind);
        let next = groups.len();
        let place = *places.entry((message.group, kind)).or_insert(next);
        if place == next {
            let group = words.group(message);
            groups.push(Gathered {
                row: CommGroupRow {
                    rank: rank.id,
                    device: device.id,
                    group: group.name,
                    description: group.description,
                    kind,
                    window,
                    collectives: 0,
                    bytes: None,
                    without_bytes: 0,
                    total: DurNs::ZERO,
                    merged: DurNs::ZERO,
                    hidden_by_comp: DurNs::ZERO,
                    hidden_by_comm: DurNs::ZERO,
                    exposed: DurNs::ZERO,
                    told: None,
                    typed: None,
                },
                time: Vec::new(),
            });
        }
        let Some(Gathered { row, time }) = groups.get_mut(place) else {
            continue;
        };
        let inside = found.inside(window);
        row.collectives += 1;
        row.total = DurNs(row.total.0.saturating_add(inside.len().0));
        match kind.and_then(|k| message.buffer_bytes(k, &trace.names)) {
            Some(bytes) => row.bytes = Some(row.bytes.unwrap_or(0).saturating_add(bytes)),
            None => row.without_bytes += 1,
        }
        time.push(inside.into());
    }
    let (mut rows, times): (Vec<_>, Vec<_>) = groups.into_iter().map(|g| (g.row, g.time)).unzip();
    let sets: Vec<IntervalSet> = times.into_iter().map(IntervalSet::merge).collect();
    let computing = |set: &IntervalSet| -> DurNs {
        let inside = |i: &Interval| computing(device, clip_suspicious, Window::new(i.start, i.end));
        set.intervals().iter().map(inside).sum()
    };
    for ((row, set), alone) in rows.iter_mut().zip(&sets).zip(alone(&sets)) {
        row.merged = set.total();
        row.hidden_by_comp = computing(set);
        row.exposed = alone.total() - computing(&alone);
        // What both hide is counted with computation, so the three parts sum to the merged time.
        row.hidden_by_comm = row.merged - row.hidden_by_comp - row.exposed;
    }
    rows.sort_by(|a, b| {
        let texts = |r: &CommGroupRow| (r.group.clone(), r.kind);
        b.total.cmp(&a.total).then_with(|| texts(a).cmp(&texts(b)))
    });
    rows
}
