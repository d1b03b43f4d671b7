//! The columns of the tables of model FLOPs utilisation, of one trace and of two.

use super::super::definitions::mfu as text;
use super::super::{DevicePair, MfuDelta, MfuRow};
use super::diff::{OfPair, device_a, device_b, rank_a, rank_b};
use super::{
    Cell, Column, Unit, column, count, device, percent, rank, time, window_end, window_start, words,
};

/// Utilisation of each device: the columns in order.
pub const MFU_COLUMNS: [Column<MfuRow>; 17] = [
    rank(),
    device(),
    window_start(),
    window_end(),
    time("window_us", "Window", text::WINDOW, |r| {
        Cell::Time(r.window.len())
    }),
    column("source", "Source", Unit::None, text::SOURCE, |r| {
        words(Some(r.source.name()))
    }),
    column("flops", "FLOPs", Unit::Count, text::FLOPS, |r| {
        whole(r.flops)
    }),
    column(
        "flops_counted",
        "Counted",
        Unit::Count,
        text::COUNTED,
        |r| whole(Some(r.flops_counted)),
    ),
    column(
        "ops_counted",
        "Ops counted",
        Unit::Count,
        text::OPS_COUNTED,
        |r| count(Some(r.ops_counted)),
    ),
    column(
        "ops_not_counted",
        "Ops not counted",
        Unit::Count,
        text::OPS_NOT_COUNTED,
        |r| count(Some(r.ops_not_counted)),
    ),
    percent("coverage_percent", "Coverage", text::COVERAGE, |r| {
        Cell::Percent(r.coverage)
    }),
    column("steps", "Steps", Unit::Count, text::STEPS, |r| {
        count(Some(r.steps))
    }),
    column(
        "flops_per_step",
        "FLOPs per step",
        Unit::Count,
        text::PER_STEP,
        |r| whole(r.flops_per_step),
    ),
    tera("achieved_tflops", "Achieved", text::ACHIEVED, |r| {
        fixed(r.achieved_e3(), 3)
    }),
    tera("peak_tflops", "Peak", text::PEAK, |r| fixed(r.peak_e3(), 3)),
    percent("mfu_percent", "MFU", text::MFU, |r| {
        fixed(r.percent_e4(), 4)
    }),
    column("note", "Note", Unit::None, text::NOTE, |r| {
        words(Some(&r.note))
    }),
];

impl OfPair for MfuDelta {
    fn pair(&self) -> DevicePair {
        self.pair
    }
}

/// Utilisation of two runs and what the second gained: the columns in order.
pub const MFU_DELTA_COLUMNS: [Column<MfuDelta>; 15] = [
    rank_a(),
    device_a(),
    rank_b(),
    device_b(),
    time("window_a_us", "Window A", text::WINDOW_A, |r| {
        Cell::Time(r.a.window.len())
    }),
    time("window_b_us", "Window B", text::WINDOW_B, |r| {
        Cell::Time(r.b.window.len())
    }),
    time("net_gain_us", "Net gain", text::GAIN, |r| {
        Cell::Time(r.gain())
    }),
    column("steps_a", "Steps A", Unit::Count, text::STEPS_A, |r| {
        count(Some(r.a.steps))
    }),
    column("steps_b", "Steps B", Unit::Count, text::STEPS_B, |r| {
        count(Some(r.b.steps))
    }),
    time(
        "net_gain_per_step_us",
        "Net gain per step",
        text::GAIN_PER_STEP,
        |r| r.gain_per_step().map_or(Cell::Empty, Cell::Time),
    ),
    tera("achieved_a_tflops", "Achieved A", text::ACHIEVED_A, |r| {
        fixed(r.a.achieved_e3(), 3)
    }),
    tera("achieved_b_tflops", "Achieved B", text::ACHIEVED_B, |r| {
        fixed(r.b.achieved_e3(), 3)
    }),
    percent("mfu_a_percent", "MFU A", text::MFU_A, |r| {
        fixed(r.a.percent_e4(), 4)
    }),
    percent("mfu_b_percent", "MFU B", text::MFU_B, |r| {
        fixed(r.b.percent_e4(), 4)
    }),
    column("note", "Note", Unit::None, text::NOTE, |r| {
        words(Some(&r.note()))
    }),
];

const fn tera<R>(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    get: fn(&R) -> Cell,
) -> Column<R> {
    column(name, title, Unit::TeraflopsPerSecond, definition, get)
}

fn fixed(units: Option<i128>, places: u32) -> Cell {
    units.map_or(Cell::Empty, |units| Cell::Fixed(units, places))
}

fn whole(number: Option<u128>) -> Cell {
    let number = number.and_then(|n| i128::try_from(n).ok());
    number.map_or(Cell::Empty, Cell::Int)
}
