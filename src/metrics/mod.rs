//! Figures: pure functions from a trace and a window to plain results in integer nanoseconds.
//!
//! It owns every number that a user sees: the [`Summary`] of a device or stream ([`summary()`]), the
//! windows that figures apply to ([`Selection`], [`Scope`]), the rows of each table and, in
//! [`report`], the one ordered list of columns that screen, CSV, JSON, `check` and hover all walk.
//! It adds no time by itself: [`interval`](crate::interval) does, and what is here are names for
//! sums of its parts. It knows nothing of pixels, files or arguments.
//!
//! ```text
//! compute         ####    ####            compute only  C \ M
//! communication     ######                overlap       C & M
//! copy                        ##          exposed       M \ C, Y \ (C | M)
//!                 |cc|oo|ee|cccc|yy|..|   every ns in exactly one of five parts
//! ```

mod between;
mod collectives;
mod compat;
mod definitions;
mod diff;
mod files;
mod findings;
mod grid;
mod group_labels;
mod health;
mod idle;
mod kernels;
mod launched;
mod left_out;
mod memory;
mod mfu;
mod moved;
mod order;
mod overlap;
mod prefill;
mod queue;
mod ranks;
mod ratio;
pub mod report;
mod rows;
mod step_grid;
mod step_stats;
mod steps;
mod summary;
mod walk;
mod window;

pub use between::{Between, between};
pub use collectives::{
    Across, Apart, BandwidthOf, CollectiveGrouping, CollectiveRow, CollectiveSort,
    CollectiveTotals, CommGroupRow, Moved, Timing, bus_factor, collective_rows, comm_group_rows,
    hiding_kernels, most_collectives, sort_collectives, sort_comm_groups,
};
pub use compat::{CompatRow, Tool, compat_rows};
pub use diff::{
    DevicePair, DevicePairs, FigureDelta, FigureValue, KernelDelta, KernelDeltaSort, Side,
    figure_deltas, kernel_deltas, pair_devices, sort_kernel_deltas,
};
pub use files::{FileRow, file_rows};
pub use findings::{Finding, FindingKind, Held, Severity as FindingSeverity, findings};
pub use group_labels::{
    GroupLabel, Parallelism, TypedGroups, group_labels, group_labels_of, label_comm_groups,
    type_comm_groups,
};
pub use health::{HealthRow, health_rows};
pub use idle::{
    IdleCause, IdleDoubt, IdleGap, IdleGapRow, IdleGaps, IdleLengthRow, IdleRow, idle_rows,
    longest_gaps, rows_by_cause, rows_by_length,
};
pub use kernels::{
    KernelGroup, KernelGrouping, KernelRow, KernelSort, kernel_rows, next_kernel, sort_kernels,
};
pub use launched::{Launched, launched_by};
pub use left_out::{LeftOutPart, grouped, left_out_parts};
pub use memory::{
    Grower, Holding, LEAST_STEPS, Leak, LeakVerdict, MemoryFigures, MemoryRow, NOT_RECORDED,
    ProfilePiece, Slope, StepBaseline, WARM_UP, holdings, leak, leak_rows, memory_devices,
    memory_place, memory_profile, memory_row, memory_rows, memory_scope, memory_step_labels,
    memory_step_rows,
};
pub use mfu::{Flops, MfuDelta, MfuRow, TypedFlops, flops, mfu_deltas, mfu_rows};
pub use moved::{moved_details, moved_phrases};
pub use order::{OfDevice, OfEvidence, OfWindow, SortOrder, keep_top};
pub use overlap::{
    BaseFrom, BottomLine, ChannelCheck, DilationRow, Estimate, Evidence, Factor, FactorUnknown,
    FigureSource, HostBlock, NoOverlap, NotComparable, Observed, OverlapAnalysis, OverlapFigure,
    Possible, Robust, SideFactor, StreamCheck, Unclear, Verdict, WaitCheck, WaitEdge,
    overlap_analyses, overlap_analysis, overlap_figures,
};
pub use prefill::{
    BackwardPass, Found, FoundOrWhy, GradientBucket, GradientBuckets, LayerTimes, PassLayers,
    Prefill, ServingStep, Transfers, depth_to_hide, prefill,
};
pub use queue::{Queue, QueueRow, queue_row, queue_rows};
pub use ranks::{
    ClockShift, ExposedMark, RankRow, RankTotals, clock_shifts, rank_notes, rank_rows, sort_ranks,
};
pub use ratio::{Rate, Ratio};
pub use rows::{Query, Row, StepColumns, annotation_rows, device_row, stream_rows, summary_rows};
pub use step_grid::{GridFigure, StepCell, StepGrid, step_grid};
pub use step_stats::{StepFigure, StepStats, stats_of, step_stats};
pub use steps::{step_labels, step_rows};
pub use summary::{DutySplit, RunTotals, Summary, run_totals, summary};
pub use window::{Scope, Selection, scope};
