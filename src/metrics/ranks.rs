//! Ranks side by side: what was read of each, how it was placed in time, and its figures.
//!
//! Times of a rank are *sums over its devices*, never unions: a device that stands still while
//! another one works is idle all the same. Shares are of these sums, so idle is the average over
//! the devices, each with the weight of its window.

pub use crate::trace::{ClockShift, clock_shifts};

use super::report::RANK_COLUMNS;
use super::summary::{Summary, summary};
use super::window::scope;
use super::{Query, Ratio, SortOrder};
use crate::time::{DurNs, Window};
use crate::trace::{Alignment, Device, FileId, Rank, RankId, StepLabel, Trace};

/// One rank, and its figures of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankRow {
    /// The rank.
    pub rank: RankId,
    /// The file that it was read from.
    pub file: String,
    /// How many ranks the job has, where the file says.
    pub world_size: Option<u32>,
    /// Number of events read from the file.
    pub events: u64,
    /// How its times were placed on the common axis.
    pub alignment: Alignment,
    /// Whether it stands alone, so that there is nothing to align it with.
    pub is_alone: bool,
    /// What it recorded.
    pub capture: Option<Window>,
    /// Number of its devices.
    pub devices: u64,
    /// Its figures; `None` where no device has data of the window.
    pub totals: Option<RankTotals>,
    /// Whether it exposes the most or the least communication of all rows.
    pub mark: Option<ExposedMark>,
    /// How far its clock is off, as far as collectives tell.
    pub clock: Option<ClockShift>,
}

/// Figures of a rank: sums over its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankTotals {
    /// From the first start to the last end of the windows of its devices.
    pub window: Window,
    /// Number of devices with data of the window.
    pub devices: u64,
    /// Steps that share time with the window, on the device with the most.
    pub steps: u64,
    /// Length of the windows.
    pub time: DurNs,
    /// At least one kernel runs.
    pub busy: DurNs,
    /// Computation runs.
    pub comp: DurNs,
    /// Communication runs.
    pub comm: DurNs,
    /// Communication that computation hides.
    pub overlap: DurNs,
    /// Communication that nothing hides.
    pub exposed_comm: DurNs,
    /// Copies and fills that nothing hides.
    pub exposed_memory: DurNs,
    /// Nothing runs.
    pub idle: DurNs,
}

/// Which end of the ranks a rank stands at by its exposed communication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExposedMark {
    /// It exposes the most.
    Most,
    /// It exposes the least: where ranks wait for each other, others may wait for it.
    Least,
}

impl ExposedMark {
    /// The words for it in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Most => "most exposed",
            Self::Least => "least exposed",
        }
    }
}

impl RankRow {
    /// By what its times were placed on the common axis.
    #[must_use]
    pub fn aligned_by(&self) -> &'static str {
        match self.alignment {
            Alignment { epoch: true, .. } => "epoch",
            Alignment { base: Some(_), .. } => "base",
            _ if self.is_alone => "as recorded",
            _ => "start of the file",
        }
    }
}

impl RankTotals {
    fn add(this: Option<Self>, s: &Summary, steps: u64) -> Self {
        let start = this.unwrap_or(Self {
            window: s.window,
            devices: 0,
            steps: 0,
            time: DurNs::ZERO,
            busy: DurNs::ZERO,
            comp: DurNs::ZERO,
            comm: DurNs::ZERO,
            overlap: DurNs::ZERO,
            exposed_comm: DurNs::ZERO,
            exposed_memory: DurNs::ZERO,
            idle: DurNs::ZERO,
        });
        let sum = |a: DurNs, b: DurNs| DurNs(a.0.saturating_add(b.0));
        Self {
            window: start.window.hull(s.window),
            devices: start.devices + 1,
            steps: start.steps.max(steps),
            time: sum(start.time, s.kernel_time),
            busy: sum(start.busy, s.kernel_run_time),
            comp: sum(start.comp, s.comp),
            comm: sum(start.comm, s.comm),
            overlap: sum(start.overlap, s.overlap),
            exposed_comm: sum(start.exposed_comm, s.exposed_comm),
            exposed_memory: sum(start.exposed_memory, s.exposed_memory),
            idle: sum(start.idle, s.idle_time),
        }
    }

    /// Busy time as a share of the windows.
    #[must_use]
    pub fn busy_share(&self) -> Option<Ratio> {
        Ratio::new(self.busy, self.time)
    }

    /// Idle time as a share of the windows.
    #[must_use]
    pub fn idle_share(&self) -> Option<Ratio> {
        Ratio::new(self.idle, self.time)
    }

    /// How much of the communication computation hides.
    #[must_use]
    pub fn hidden_share(&self) -> Option<Ratio> {
        Ratio::new(self.overlap, self.comm)
    }
}

/// One row for each rank that the query asks for, by number. `clocks` is what [`clock_shifts`]
/// tells of the trace; it does not depend on the window, so whoever asks often keeps it.
///
/// O(log n) for each device, and O(steps).
#[must_use]
pub fn rank_rows(trace: &Trace, query: &Query, clocks: &[ClockShift]) -> Vec<RankRow> {
    let ranks = trace
        .ranks
        .iter()
        .filter(|r| query.rank.is_none_or(|id| r.id == id));
    let mut rows: Vec<RankRow> = ranks.map(|rank| row(trace, rank, query, clocks)).collect();
    mark(&mut rows);
    rows
}

fn row(trace: &Trace, rank: &Rank, query: &Query, clocks: &[ClockShift]) -> RankRow {
    let FileId(file) = rank.file;
    let file = usize::try_from(file).ok().and_then(|i| trace.files.get(i));
    let devices = || {
        let all = rank.devices.iter();
        all.filter(|d| query.device.is_none_or(|id| d.id == id))
    };
    let mut totals = None;
    for device in devices() {
        let clip = query.clip_suspicious;
        if let Some(window) = scope(rank, device, query.selection, clip).covered() {
            let figures = summary(device.activity(clip), window);
            totals = Some(RankTotals::add(totals, &figures, steps_in(device, window)));
        }
    }
    RankRow {
        rank: rank.id,
        file: file.map_or_else(String::new, crate::trace::SourceFile::display_name),
        world_size: rank.world_size,
        events: file.map_or(0, |f| f.events),
        alignment: rank.alignment,
        is_alone: trace.ranks.len() == 1,
        capture: rank.capture,
        devices: u64::try_from(devices().count()).unwrap_or(u64::MAX),
        totals,
        mark: None,
        clock: clock(clocks, rank.id),
    }
}

/// The clock of a rank; they stand by number.
fn clock(clocks: &[ClockShift], rank: RankId) -> Option<ClockShift> {
    let at = clocks.binary_search_by_key(&rank, |c| c.rank).ok()?;
    clocks.get(at).copied()
}

/// How many steps of a device share time with a window; what was before the first is none.
fn steps_in(device: &Device, window: Window) -> u64 {
    let shares = |w: Window| w.clip(window).is_some_and(|inside| !inside.is_empty());
    let steps = device.steps.iter();
    let inside = steps.filter(|s| s.label != StepLabel::Before && shares(s.window));
    u64::try_from(inside.count()).unwrap_or(u64::MAX)
}

/// Marks the ranks with the most and the least exposed communication, the first of equal ones;
/// none where all are equal.
fn mark(rows: &mut [RankRow]) {
    let exposed = |row: &RankRow| row.totals.map(|t| t.exposed_comm);
    let all = || rows.iter().filter_map(exposed);
    let (Some(least), Some(most)) = (all().min(), all().max()) else {
        return;
    };
    if least == most {
        return;
    }
    for (value, mark) in [(most, ExposedMark::Most), (least, ExposedMark::Least)] {
        if let Some(row) = rows.iter_mut().find(|row| exposed(row) == Some(value)) {
            row.mark = Some(mark);
        }
    }
}

/// Sorts rows by the printed values of a column, equals by their number.
pub fn sort_ranks(rows: &mut [RankRow], column: &str, order: SortOrder) {
    rows.sort_by_key(|row| row.rank);
    if let Some(column) = RANK_COLUMNS.iter().find(|c| c.head.name == column) {
        rows.sort_by_cached_key(|row| order.key((column.get)(row)));
    }
}

/// What is not among the rows, one sentence each: ranks of the job that are not open, and files
/// that could not be read.
#[must_use]
pub fn rank_notes(trace: &Trace) -> Vec<String> {
    let missing = trace
        .missing_ranks()
        .map(|(_, which)| format!("not open of this job: {which}"));
    let bad = trace.files.iter().filter_map(|file| {
        let error = file.error.as_ref()?;
        let name = file.display_name();
        // The sentence of an error names its file; one that does not gets it here.
        Some(if error.contains(&name) {
            error.clone()
        } else {
            format!("{name}: {error}")
        })
    });
    missing.into_iter().chain(bad).collect()
}
