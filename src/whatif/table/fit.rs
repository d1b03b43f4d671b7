//! Rows of a fitted link.

use super::super::{Fit, FitInput, ModelError, fit};
use super::{InputRow, SOURCE, Source, count, text, time, word};
use crate::metrics::report::{Cell, Column, Unit};
use crate::time::DurNs;
use crate::whatif::number::fixed;

/// The fit, or a size of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitRow {
    /// `fit` or `size`.
    pub case: &'static str,
    /// Bytes of the full buffer.
    pub bytes: Option<u64>,
    /// How many samples there are.
    pub samples: Option<u64>,
    /// How many sizes there are.
    pub sizes: Option<u64>,
    /// Time of the size, measured or fitted.
    pub time: Option<DurNs>,
    /// Latency.
    pub alpha: Option<DurNs>,
    /// Bus bandwidth in GB/s.
    pub bus: Option<f64>,
    /// The farthest that a size lies from the line, in percent.
    pub worst_percent: Option<f64>,
    /// Whether the figures were measured and not modelled.
    pub measured: bool,
}

/// The columns in order.
pub const FIT_COLUMNS: [Column<FitRow>; 9] = [
    Column::new(
        "case",
        "Case",
        Unit::None,
        "fit: the link; size: a size, with the shortest measured time or the fitted one.",
        |r| text(r.case),
    ),
    Column::new(
        "size_bytes",
        "Size",
        Unit::Bytes,
        "Bytes of the full buffer.",
        |r| count(r.bytes),
    ),
    Column::new(
        "samples",
        "Samples",
        Unit::Count,
        "How many samples there are.",
        |r| count(r.samples),
    ),
    Column::new(
        "sizes",
        "Sizes",
        Unit::Count,
        "How many different sizes there are.",
        |r| count(r.sizes),
    ),
    Column::new(
        "time_us",
        "Time",
        Unit::Microseconds,
        "The shortest measured time of the size, or what the fitted link says.",
        |r| time(r.time),
    ),
    Column::new(
        "alpha_us",
        "Alpha",
        Unit::Microseconds,
        "What every collective takes whatever its size.",
        |r| time(r.alpha),
    ),
    Column::new(
        "bus_bandwidth_gb_per_s",
        "Bus bandwidth",
        Unit::GigabytesPerSecond,
        "Bus bandwidth as nccl-tests defines it, 10^9 bytes a second.",
        |r| r.bus.map_or(Cell::Empty, |bus| fixed(bus, 3)),
    ),
    Column::new(
        "worst_error_percent",
        "Worst error",
        Unit::Percent,
        "The farthest that the shortest time of a size lies from the line, as a percentage of it.",
        |r| r.worst_percent.map_or(Cell::Empty, |worst| fixed(worst, 4)),
    ),
    Column::new("source", "Source", Unit::None, SOURCE, |r| {
        word(if r.measured {
            Source::Measured
        } else {
            Source::Modelled
        })
    }),
];

const NONE: FitRow = FitRow {
    case: "",
    bytes: None,
    samples: None,
    sizes: None,
    time: None,
    alpha: None,
    bus: None,
    worst_percent: None,
    measured: false,
};

/// The link as one row.
///
/// # Errors
/// As [`fit()`].
pub fn fit_rows(input: &FitInput) -> Result<Vec<FitRow>, ModelError> {
    let got = fit(input)?;
    Ok(vec![FitRow {
        case: "fit",
        samples: u64::try_from(input.samples.len()).ok(),
        sizes: u64::try_from(got.points.len()).ok(),
        alpha: Some(got.alpha),
        bus: Some(got.bus.gb_per_s()),
        worst_percent: Some(got.worst * 100.0),
        ..NONE
    }])
}

/// Each size with its shortest measured and its fitted time: the points and the line of a chart.
///
/// # Errors
/// As [`fit()`].
pub fn fit_curve(input: &FitInput) -> Result<Vec<FitRow>, ModelError> {
    let Fit { points, .. } = fit(input)?;
    let rows = points.iter().flat_map(|point| {
        let at = |time, measured| FitRow {
            case: "size",
            bytes: Some(point.bytes),
            samples: u64::try_from(point.samples).ok().filter(|_| measured),
            time: Some(time),
            measured,
            ..NONE
        };
        [at(point.measured, true), at(point.fitted, false)]
    });
    Ok(rows.collect())
}

impl FitInput {
    /// The inputs as rows.
    #[must_use]
    pub fn inputs(&self) -> Vec<InputRow> {
        vec![
            InputRow {
                name: "samples",
                value: count(u64::try_from(self.samples.len()).ok()),
                source: Source::Measured,
            },
            InputRow::typed("collective", text(self.kind.label())),
            InputRow::typed("ranks", Cell::Int(self.ranks.into())),
        ]
    }
}
