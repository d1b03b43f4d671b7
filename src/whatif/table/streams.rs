//! Rows of the three ways to use streams.

use super::super::number::float;
use super::super::{ModelError, StreamsInput, Way, streams};
use super::{EXPOSED, InputRow, SOURCE, SPEED_UP, Source, TOTAL, factor, text, word};
use crate::metrics::report::{Cell, Column, Unit};
use crate::time::DurNs;

/// One way to run computation and communication.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamsRow {
    /// `serial`, `synchronised`, `overlapped` or `measured`.
    pub case: &'static str,
    /// What was asked for.
    pub input: StreamsInput,
    /// What it brings.
    pub way: Way,
    /// Whether the figures were measured and not modelled.
    pub measured: bool,
}

/// The columns in order.
pub const STREAMS_COLUMNS: [Column<StreamsRow>; 7] = [
    Column::new(
        "case",
        "Case",
        Unit::None,
        "The way: serial (one stream), synchronised (two streams, but one waits for the other) or overlapped (side by side, neither slowing the other); measured: what ran.",
        |r| text(r.case),
    ),
    Column::new(
        "computation_us",
        "Computation",
        Unit::Microseconds,
        "Computation alone.",
        |r| Cell::Time(r.input.computation),
    ),
    Column::new(
        "communication_us",
        "Communication",
        Unit::Microseconds,
        "Communication alone.",
        |r| Cell::Time(r.input.communication),
    ),
    Column::new("total_us", "Total", Unit::Microseconds, TOTAL, |r| {
        Cell::Time(r.way.total)
    }),
    Column::new("exposed_us", "Exposed", Unit::Microseconds, EXPOSED, |r| {
        Cell::Time(r.way.exposed)
    }),
    Column::new("speed_up", "Speed-up", Unit::Factor, SPEED_UP, |r| {
        factor(Some(r.way.speed_up))
    }),
    Column::new("source", "Source", Unit::None, SOURCE, |r| {
        word(if r.measured {
            Source::Measured
        } else {
            Source::Modelled
        })
    }),
];

/// A row for each way.
///
/// # Errors
/// As [`streams()`].
pub fn streams_rows(input: StreamsInput) -> Result<Vec<StreamsRow>, ModelError> {
    let all = streams(input)?;
    let row = |case, way| StreamsRow {
        case,
        input,
        way,
        measured: false,
    };
    Ok(vec![
        row("serial", all.serial),
        row("synchronised", all.synchronised),
        row("overlapped", all.overlapped),
    ])
}

/// What ran, to stand beside the ways: all of `input`, of which so much was exposed.
///
/// # Errors
/// As [`streams()`], and for more exposed communication than there is.
pub fn streams_measured(input: StreamsInput, exposed: DurNs) -> Result<StreamsRow, ModelError> {
    let serial = streams(input)?.serial.total;
    super::super::number::not_negative(exposed, "the measured exposed time")?;
    if exposed > input.communication {
        return Err(ModelError::PartOfWhole {
            part: "the measured exposed time",
            whole: "the communication time",
        });
    }
    let total = input.computation + exposed;
    Ok(StreamsRow {
        case: "measured",
        input,
        way: Way {
            total,
            exposed,
            speed_up: float(serial) / float(total),
        },
        measured: true,
    })
}

/// The ways for communication from a 20th of twice the longer time to all of it: the curve of a chart.
///
/// # Errors
/// As [`streams()`].
pub fn streams_curve(input: StreamsInput) -> Result<Vec<StreamsRow>, ModelError> {
    streams(input)?;
    let longest = input.computation.max(input.communication).0;
    let mut rows = Vec::new();
    for point in 1..=20_i64 {
        let communication = longest
            .checked_mul(point)
            .map(|time| DurNs((time / 10).max(1)))
            .ok_or(ModelError::OutOfRange("the communication time"))?;
        rows.extend(streams_rows(StreamsInput {
            communication,
            ..input
        })?);
    }
    Ok(rows)
}

impl StreamsInput {
    /// The inputs as rows.
    #[must_use]
    pub fn inputs(&self) -> Vec<InputRow> {
        vec![
            InputRow::typed("computation_us", Cell::Time(self.computation)),
            InputRow::typed("communication_us", Cell::Time(self.communication)),
        ]
    }
}
