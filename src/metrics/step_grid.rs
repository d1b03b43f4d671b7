//! Devices by steps: what each did in each step, for a map with a line for each device.

use super::grid::Cell;
use super::summary::summary;
use super::{Query, Ratio, steps, window};
use crate::time::DurNs;
use crate::trace::{Basis, Device, DeviceId, Rank, RankId, StepLabel, Trace};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// What one device did in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCell {
    /// Whether the capture cut the step.
    pub partial: bool,
    /// Length of the step.
    pub length: DurNs,
    /// Communication that nothing hides.
    pub exposed_comm: DurNs,
    /// Nothing runs.
    pub idle: DurNs,
    /// Communication that computation hides.
    pub overlap: DurNs,
    /// Communication runs.
    pub comm: DurNs,
}

/// Every device in every step. Of a rank with one device, which is usual, its line is the rank's.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StepGrid {
    /// The lines.
    pub devices: Vec<(RankId, DeviceId)>,
    /// The columns, by number; what was before the first step is none.
    pub labels: Vec<StepLabel>,
    /// How many steps behind them are left out.
    pub left_out: usize,
    /// How many devices behind them are left out.
    pub devices_left_out: usize,
    /// Line by line; `None` where the device has no such step.
    cells: Vec<Option<StepCell>>,
}

/// What of a step the map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum GridFigure {
    /// Length of the step.
    #[default]
    Length,
    /// Communication that nothing hides.
    ExposedComm,
    /// Nothing runs.
    Idle,
    /// How much of the communication computation hides.
    Hidden,
}

impl GridFigure {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Length, Self::ExposedComm, Self::Idle, Self::Hidden];

    /// The words for it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Length => "step length",
            Self::ExposedComm => "exposed communication",
            Self::Idle => "idle",
            Self::Hidden => "hidden %",
        }
    }

    /// The name of its column in the table of steps.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Length => "kernel_time_us",
            Self::ExposedComm => "exposed_comm_us",
            Self::Idle => "idle_time_us",
            Self::Hidden => "comm_hidden_by_comp_percent",
        }
    }

    /// Its value of a step.
    #[must_use]
    pub fn of(self, step: &StepCell) -> Cell {
        match self {
            Self::Length => Cell::Time(step.length),
            Self::ExposedComm => Cell::Time(step.exposed_comm),
            Self::Idle => Cell::Time(step.idle),
            Self::Hidden => Cell::Percent(Ratio::new(step.overlap, step.comm)),
        }
    }
}

impl StepGrid {
    /// What a device did in a step, by their places.
    #[must_use]
    pub fn get(&self, device: usize, step: usize) -> Option<&StepCell> {
        if step >= self.labels.len() {
            return None;
        }
        let at = device.checked_mul(self.labels.len())?.checked_add(step)?;
        self.cells.get(at)?.as_ref()
    }

    /// The least and the most of a figure over all steps that the capture did not cut; over all,
    /// where it cut every one. `None` where no step has a value.
    #[must_use]
    pub fn ends(&self, figure: GridFigure) -> Option<(Cell, Cell)> {
        let of = |with_partial: bool| {
            let all = self.cells.iter().flatten();
            let values = all
                .filter(|c| with_partial || !c.partial)
                .map(|c| figure.of(c))
                .filter_map(|cell| Some((cell.number()?, cell)));
            let mut ends: Option<(_, _)> = None;
            for value in values {
                let (least, most) = ends.get_or_insert_with(|| (value.clone(), value.clone()));
                if value.0 < least.0 {
                    *least = value;
                } else if value.0 > most.0 {
                    *most = value;
                }
            }
            ends.map(|(least, most)| (least.1, most.1))
        };
        of(false).or_else(|| of(true))
    }
}

/// Every device that the query asks for in every step: the first `most` of each. The selection of the
/// query does not matter: each step is its own window.
#[must_use]
pub fn step_grid(trace: &Trace, query: &Query, basis: Basis, most: usize) -> StepGrid {
    let mut devices: Vec<(&Rank, &Device)> = query.devices(trace).collect();
    let devices_left_out = devices.len().saturating_sub(most);
    devices.truncate(most);
    let lines: Vec<Vec<(StepLabel, StepCell)>> = devices
        .par_iter()
        .map(|(rank, device)| line(rank, device, basis, query.clip_suspicious))
        .collect();
    let mut labels: Vec<StepLabel> = lines.iter().flatten().map(|(label, _)| *label).collect();
    labels.sort_unstable();
    labels.dedup();
    let left_out = labels.len().saturating_sub(most);
    labels.truncate(most);
    let places: FxHashMap<StepLabel, usize> =
        labels.iter().enumerate().map(|(i, l)| (*l, i)).collect();
    let mut cells = Vec::with_capacity(lines.len().saturating_mul(labels.len()));
    for line in lines {
        let mut of_device = vec![None; labels.len()];
        for (label, cell) in line {
            let place = places.get(&label);
            if let Some(slot) = place.and_then(|at| of_device.get_mut(*at)) {
                *slot = Some(cell);
            }
        }
        cells.extend(of_device);
    }
    StepGrid {
        devices: devices.iter().map(|(r, d)| (r.id, d.id)).collect(),
        labels,
        left_out,
        devices_left_out,
        cells,
    }
}

fn line(rank: &Rank, device: &Device, basis: Basis, clip: bool) -> Vec<(StepLabel, StepCell)> {
    let steps = steps::of_device(rank, device, basis);
    let cells = steps
        .iter()
        .filter(|s| s.label != StepLabel::Before)
        .filter_map(|step| {
            let window = window::clip(rank, step.window).covered()?;
            let figures = summary(device.activity(clip), window);
            let cell = StepCell {
                partial: step.partial,
                length: figures.kernel_time,
                exposed_comm: figures.exposed_comm,
                idle: figures.idle_time,
                overlap: figures.overlap,
                comm: figures.comm,
            };
            Some((step.label, cell))
        });
    cells.collect()
}
