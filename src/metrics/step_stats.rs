//! Steps of a device against each other: mean, least, most, the 95th percentile, and the worst.
//!
//! Only whole steps count: what was before the first step, and steps that the capture cut, would
//! make a run look better or worse than it is.

use super::rows::{Query, Row};
use super::summary::Summary;
use crate::time::DurNs;
use crate::trace::{Basis, DeviceId, RankId, Trace};

/// A figure that steps are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepFigure {
    /// Length of the step.
    Length,
    /// Time with computation and no communication.
    ComputeOnly,
    /// Communication that computation hides.
    Overlap,
    /// Communication that nothing hides.
    ExposedComm,
    /// Copies and fills that nothing hides.
    ExposedMemory,
    /// Nothing runs.
    Idle,
}

impl StepFigure {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::Length,
        Self::ComputeOnly,
        Self::Overlap,
        Self::ExposedComm,
        Self::ExposedMemory,
        Self::Idle,
    ];

    /// The name of its column in the table of steps.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Length => "kernel_time_us",
            Self::ComputeOnly => "compute_only_us",
            Self::Overlap => "overlap_time_us",
            Self::ExposedComm => "exposed_comm_us",
            Self::ExposedMemory => "exposed_memory_us",
            Self::Idle => "idle_time_us",
        }
    }

    fn of(self, summary: &Summary) -> DurNs {
        match self {
            Self::Length => summary.kernel_time,
            Self::ComputeOnly => summary.compute_only,
            Self::Overlap => summary.overlap,
            Self::ExposedComm => summary.exposed_comm,
            Self::ExposedMemory => summary.exposed_memory,
            Self::Idle => summary.idle_time,
        }
    }
}

/// One figure over the whole steps of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepStats {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// What is compared.
    pub figure: StepFigure,
    /// Number of whole steps; never zero.
    pub steps: u64,
    /// Mean, rounded half up to the ns.
    pub mean: DurNs,
    /// Least.
    pub min: DurNs,
    /// Most.
    pub max: DurNs,
    /// The least value that at least 95 of 100 steps do not exceed (nearest rank).
    pub p95: DurNs,
    /// The step with the most, the first of equal ones.
    pub worst: String,
}

/// One row for each (rank, device, figure) that has whole steps, in that order.
#[must_use]
pub fn step_stats(trace: &Trace, query: &Query, basis: Basis) -> Vec<StepStats> {
    let rows = super::step_rows(trace, query, basis);
    let mut stats = Vec::new();
    for of_device in rows.chunk_by(|a, b| (a.rank, a.device) == (b.rank, b.device)) {
        stats.extend(stats_of(of_device));
    }
    stats
}

/// The statistics of the rows of one device.
#[must_use]
pub fn stats_of(rows: &[Row]) -> Vec<StepStats> {
    let is_whole = |row: &&Row| {
        let cut = row.columns.is_some_and(|c| c.partial);
        !cut && row.step.as_deref() != Some("before") && row.figures.is_some()
    };
    let whole: Vec<&Row> = rows.iter().filter(is_whole).collect();
    StepFigure::ALL
        .into_iter()
        .filter_map(|figure| of_figure(&whole, figure))
        .collect()
}

fn of_figure(rows: &[&Row], figure: StepFigure) -> Option<StepStats> {
    let value = |row: &Row| row.figures.as_ref().map(|s| figure.of(s));
    let mut values: Vec<DurNs> = rows.iter().filter_map(|row| value(row)).collect();
    values.sort_unstable();
    let (first, min, max) = (*rows.first()?, *values.first()?, *values.last()?);
    let worst = rows.iter().find(|row| value(row) == Some(max))?;
    let count = i128::try_from(values.len()).ok()?;
    let sum: i128 = values.iter().map(|v| i128::from(v.0)).sum();
    let mean = (2 * sum + count).div_euclid(2 * count);
    // The nearest rank: the place ceil(0.95 n), counted from one.
    let place = (values.len() * 95).div_ceil(100);
    Some(StepStats {
        rank: first.rank,
        device: first.device,
        figure,
        steps: u64::try_from(values.len()).ok()?,
        mean: DurNs(i64::try_from(mean).ok()?),
        min,
        max,
        p95: *values.get(place.checked_sub(1)?)?,
        worst: worst.step.clone().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::StepColumns;

    fn row(step: &str, idle: i64, partial: bool) -> Row {
        Row {
            step: Some(step.to_owned()),
            figures: Some(Summary {
                idle_time: DurNs(idle),
                kernel_time: DurNs(100),
                ..Summary::default()
            }),
            columns: Some(StepColumns {
                basis: Basis::Device,
                partial,
                kernels_launched: None,
            }),
            ..Row::default()
        }
    }

    fn idle(rows: &[Row]) -> StepStats {
        let stats = stats_of(rows);
        stats
            .into_iter()
            .find(|s| s.figure == StepFigure::Idle)
            .unwrap()
    }

    #[test]
    fn only_whole_steps_count() {
        let rows = [
            row("before", 900, false),
            row("1", 10, false),
            row("2", 30, false),
            row("3", 25, false),
            row("4", 30, false),
            row("5", 700, true),
        ];
        let stats = idle(&rows);
        // 95 / 4 = 23.75
        assert_eq!((stats.steps, stats.mean), (4, DurNs(24)));
        assert_eq!(
            (stats.min, stats.max, stats.p95),
            (DurNs(10), DurNs(30), DurNs(30))
        );
        assert_eq!(stats.worst, "2");
    }

    #[test]
    fn the_percentile_is_the_nearest_rank() {
        // 1 to 40: ceil(38.0) = 38; 1 to 41: ceil(38.95) = 39.
        for (count, p95) in [(1, 1), (19, 19), (20, 19), (40, 38), (41, 39)] {
            let rows: Vec<Row> = (1..=count).map(|i| row(&i.to_string(), i, false)).collect();
            assert_eq!(idle(&rows).p95, DurNs(p95), "{count}");
        }
    }

    #[test]
    fn no_whole_step_no_statistics() {
        assert!(stats_of(&[]).is_empty());
        assert!(stats_of(&[row("before", 5, false), row("1", 5, true)]).is_empty());
    }
}
