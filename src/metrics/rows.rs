//! [`Row`]: what one line of the tables of figures says, and the tables by device, stream and
//! annotation.

use super::summary::{RunTotals, Summary, run_totals, summary};
use super::window::{self, Scope, Selection, scope};
use crate::time::Window;
use crate::trace::{Activity, Basis, Device, DeviceId, Rank, RankId, StreamId, Trace};

/// What to compute figures of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Query {
    /// The selected time.
    pub selection: Selection,
    /// Only this rank.
    pub rank: Option<RankId>,
    /// Only devices of this number.
    pub device: Option<DeviceId>,
    /// Whether suspicious kernels are cut at the next start of their stream.
    pub clip_suspicious: bool,
}

impl Query {
    /// The (rank, device) pairs that the query asks for, in order.
    pub fn devices<'t>(&self, trace: &'t Trace) -> impl Iterator<Item = (&'t Rank, &'t Device)> {
        let (rank, device) = (self.rank, self.device);
        trace.devices().filter(move |(r, d)| {
            rank.is_none_or(|id| r.id == id) && device.is_none_or(|id| d.id == id)
        })
    }
}

/// One line of a table of figures.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Row {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The stream on it, in tables by stream.
    pub stream: Option<StreamId>,
    /// The step's label or the annotation's name, in tables by step or annotation.
    pub step: Option<String>,
    /// The window that the figures are of, or that was asked for where there are none.
    pub window: Option<Window>,
    /// The figures; `None` where the rank has no data for the window.
    pub figures: Option<Summary>,
    /// Busy time with and without suspicious kernels clipped, where the device has any.
    pub run_totals: Option<RunTotals>,
    /// What only tables by step have.
    pub columns: Option<StepColumns>,
}

/// What only tables by step have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepColumns {
    /// Whose window the step has.
    pub basis: Basis,
    /// Whether the capture cut the step.
    pub partial: bool,
    /// GPU work that was launched in it; `None` without launch information.
    pub kernels_launched: Option<u64>,
}

impl Row {
    fn new(rank: &Rank, device: &Device, activity: &Activity, scope: Scope) -> Self {
        Self {
            rank: rank.id,
            device: device.id,
            window: scope.window(),
            figures: scope.covered().map(|w| summary(activity, w)),
            ..Self::default()
        }
    }

    pub(super) fn of_device(
        rank: &Rank,
        device: &Device,
        scope: Scope,
        clip_suspicious: bool,
    ) -> Self {
        Self {
            run_totals: scope.covered().and_then(|w| run_totals(device, w)),
            ..Self::new(rank, device, device.activity(clip_suspicious), scope)
        }
    }
}

/// The row of one device under a selection. O(log n) but for a step, which is looked for first.
#[must_use]
pub fn device_row(
    rank: &Rank,
    device: &Device,
    selection: Selection,
    clip_suspicious: bool,
) -> Row {
    let scope = scope(rank, device, selection, clip_suspicious);
    Row::of_device(rank, device, scope, clip_suspicious)
}

/// One row per (rank, device).
#[must_use]
pub fn summary_rows(trace: &Trace, query: &Query) -> Vec<Row> {
    query
        .devices(trace)
        .map(|(rank, device)| device_row(rank, device, query.selection, query.clip_suspicious))
        .collect()
}

/// One row per (rank, device, stream). The window is the device's, so that the streams of a device
/// can be compared with each other.
#[must_use]
pub fn stream_rows(trace: &Trace, query: &Query) -> Vec<Row> {
    let mut rows = Vec::new();
    for (rank, device) in query.devices(trace) {
        let scope = scope(rank, device, query.selection, query.clip_suspicious);
        for stream in &device.streams {
            let activity = stream.activity(query.clip_suspicious);
            rows.push(Row {
                stream: Some(stream.id),
                ..Row::new(rank, device, activity, scope)
            });
        }
    }
    rows
}

/// One row per (rank, device, annotation occurrence), for host annotations of each rank whose name
/// is wanted; the row's `step` is the name. By rank, device, then time.
///
/// A window in the query picks the annotations that share time with it.
#[must_use]
pub fn annotation_rows(trace: &Trace, query: &Query, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Row> {
    let asked = match query.selection {
        Selection::Window(asked) => Some(asked),
        Selection::None | Selection::Step { .. } => None,
    };
    let mut rows = Vec::new();
    for rank in trace
        .ranks
        .iter()
        .filter(|r| query.rank.is_none_or(|id| r.id == id))
    {
        let mut found: Vec<(Window, &str)> = rank
            .annotations()
            .map(|slice| (slice.window(), trace.names.get(slice.name())))
            .filter(|(window, _)| {
                asked.is_none_or(|a| window.clip(a).is_some_and(|w| !w.is_empty()))
            })
            .filter(|(_, name)| is_wanted(name))
            .collect();
        // Annotations stand by thread; rows read in time.
        found.sort_by_key(|(window, _)| (window.start(), window.end()));
        let devices = rank
            .devices
            .iter()
            .filter(|d| query.device.is_none_or(|id| d.id == id));
        for device in devices {
            rows.extend(found.iter().map(|(window, name)| Row {
                step: Some((*name).to_owned()),
                ..Row::of_device(
                    rank,
                    device,
                    window::clip(rank, *window),
                    query.clip_suspicious,
                )
            }));
        }
    }
    rows
}
