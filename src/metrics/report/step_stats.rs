//! The columns of the statistics over steps.

use super::super::StepStats;
use super::super::definitions as text;
use super::{Cell, Column, Unit, column, count, device, rank, time, words};

/// Statistics over steps: the columns in order.
pub const STEP_STATS_COLUMNS: [Column<StepStats>; 9] = [
    rank(),
    device(),
    column("figure", "Figure", Unit::None, text::STATS_FIGURE, |r| {
        words(Some(r.figure.column()))
    }),
    column("steps", "Steps", Unit::Count, text::STATS_STEPS, |r| {
        count(Some(r.steps))
    }),
    time("mean_us", "Mean", text::STATS_MEAN, |r| Cell::Time(r.mean)),
    time("min_us", "Minimum", text::STATS_MIN, |r| Cell::Time(r.min)),
    time("p95_us", "95 %", text::STATS_P95, |r| Cell::Time(r.p95)),
    time("max_us", "Maximum", text::STATS_MAX, |r| Cell::Time(r.max)),
    column("worst", "Worst", Unit::None, text::STATS_WORST, |r| {
        words(Some(&r.worst))
    }),
];
