//! The columns of the table of kernels.

use super::super::KernelRow;
use super::super::definitions as text;
use super::{
    Cell, Column, Unit, column, count, device, percent, rank, time, window_end, window_start, words,
};

/// The columns of the table of kernels in order.
pub const KERNEL_COLUMNS: [Column<KernelRow>; 15] = [
    rank(),
    device(),
    column("by", "By", Unit::None, text::KERNEL_BY, |r| {
        words(Some(r.grouping.label()))
    }),
    column("group", "Group", Unit::None, text::KERNEL_GROUP, |r| {
        words(Some(&r.label))
    }),
    column("class", "Class", Unit::None, text::KERNEL_CLASS, |r| {
        words(r.class.map(crate::trace::class::KernelClass::label))
    }),
    window_start(),
    window_end(),
    column("kernels", "Count", Unit::Count, text::KERNELS, |r| {
        count(Some(r.kernels))
    }),
    time("total_us", "Total", text::KERNEL_TOTAL, |r| {
        Cell::Time(r.total)
    }),
    percent("share_percent", "Share", text::KERNEL_SHARE, |r| {
        Cell::Percent(r.share())
    }),
    time("mean_us", "Mean", text::KERNEL_MEAN, |r| Cell::Time(r.mean)),
    time("median_us", "Median", text::KERNEL_MEDIAN, |r| {
        Cell::Time(r.median)
    }),
    time("min_us", "Minimum", text::KERNEL_MIN, |r| Cell::Time(r.min)),
    time("max_us", "Maximum", text::KERNEL_MAX, |r| Cell::Time(r.max)),
    column("cut", "Cut", Unit::Count, text::KERNEL_CUT, |r| {
        count(Some(r.cut))
    }),
];
