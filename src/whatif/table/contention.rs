//! Rows of contention.

#![expect(
    clippy::similar_names,
    reason = "k_comp and k_comm are what the two factors are called"
)]

use super::super::number::fixed;
use super::super::{Bandwidth, Contended, ContentionInput, Intensity, ModelError, contention};
use super::{InputRow, SOURCE, SPEED_UP, Source, factor, text, time, word};
use crate::metrics::report::{Cell, Column, Unit};
use crate::time::DurNs;

/// Points of each curve, and how far apart they are.
const POINTS: u32 = 40;
const APART: f64 = 0.05;

/// One way to look at both side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContentionRow {
    /// `serial`, `ideal`, `phases`, `bound`, `break_even_k_comp`, `break_even_k_comm`,
    /// `measured`, `sweep_k_comp` or `sweep_k_comm`.
    pub case: &'static str,
    /// How many times as long computation takes; `None` where there is no break-even.
    pub k_comp: Option<f64>,
    /// How many times as long communication takes; `None` where there is no break-even.
    pub k_comm: Option<f64>,
    /// What both take.
    pub total: Option<DurNs>,
    /// What overlap gains over serial; negative where it loses.
    pub saved: Option<DurNs>,
    /// How many times as fast as serial.
    pub speed_up: Option<f64>,
}

/// The columns in order.
pub const CONTENTION_COLUMNS: [Column<ContentionRow>; 7] = [
    Column::new(
        "case",
        "Case",
        Unit::None,
        "serial: one behind the other; ideal: side by side without slowing; phases: while both run each is slowed, what is left of the longer one runs at full speed; bound: as if slowed from start to end; break_even_k_comp, break_even_k_comm: the factor at which overlap gains nothing, the other being as it is (empty: there is none); measured: what ran; sweep_k_comp, sweep_k_comm: points of the curves.",
        |r| text(r.case),
    ),
    Column::new(
        "k_comp",
        "k comp",
        Unit::Factor,
        "How many times as long computation takes beside communication.",
        |r| factor(r.k_comp),
    ),
    Column::new(
        "k_comm",
        "k comm",
        Unit::Factor,
        "How many times as long communication takes beside computation.",
        |r| factor(r.k_comm),
    ),
    Column::new(
        "total_us",
        "Total",
        Unit::Microseconds,
        "From the first start to the last end.",
        |r| time(r.total),
    ),
    Column::new(
        "saved_us",
        "Saved",
        Unit::Microseconds,
        "Serial less total: what overlap gains; negative where it loses.",
        |r| time(r.saved),
    ),
    Column::new("speed_up", "Speed-up", Unit::Factor, SPEED_UP, |r| {
        factor(r.speed_up)
    }),
    Column::new("source", "Source", Unit::None, SOURCE, |r| {
        word(if r.case == "measured" {
            Source::Measured
        } else {
            Source::Modelled
        })
    }),
];

/// The rows of one pair of factors.
///
/// # Errors
/// As [`contention()`].
pub fn contention_rows(input: ContentionInput) -> Result<Vec<ContentionRow>, ModelError> {
    let got = contention(input)?;
    let at = |case, k_comp, k_comm, total| row(case, Some(k_comp), Some(k_comm), &got, total);
    let (k_comp, k_comm) = (input.k_comp, input.k_comm);
    Ok(vec![
        row("serial", None, None, &got, got.serial),
        at("ideal", 1.0, 1.0, got.ideal),
        at("phases", k_comp, k_comm, got.total),
        at("bound", k_comp, k_comm, got.bound),
        edge("break_even_k_comp", got.break_even_k_comp, Some(k_comm)),
        edge("break_even_k_comm", Some(k_comp), got.break_even_k_comm),
    ])
}

/// What ran, to stand beside the phases: computation, and what of the communication was exposed.
///
/// # Errors
/// As [`contention()`], and for less than nothing exposed.
pub fn contention_measured(
    input: ContentionInput,
    exposed: DurNs,
) -> Result<ContentionRow, ModelError> {
    let got = contention(input)?;
    super::super::number::not_negative(exposed, "the measured exposed time")?;
    let total = super::super::number::sum(input.computation, exposed, "the measured total")?;
    Ok(row("measured", None, None, &got, total))
}

/// Total by phases for each factor from 1 to 3, the other being as it is: the curves of a chart.
///
/// # Errors
/// As [`contention()`].
pub fn contention_curve(input: ContentionInput) -> Result<Vec<ContentionRow>, ModelError> {
    let mut rows = Vec::new();
    for case in ["sweep_k_comp", "sweep_k_comm"] {
        for point in 0..=POINTS {
            let k = 1.0 + APART * f64::from(point);
            let at = if case == "sweep_k_comp" {
                ContentionInput { k_comp: k, ..input }
            } else {
                ContentionInput { k_comm: k, ..input }
            };
            let got = contention(at)?;
            rows.push(row(case, Some(at.k_comp), Some(at.k_comm), &got, got.total));
        }
    }
    Ok(rows)
}

fn row(
    case: &'static str,
    k_comp: Option<f64>,
    k_comm: Option<f64>,
    got: &Contended,
    total: DurNs,
) -> ContentionRow {
    let whole = super::super::number::float(got.serial);
    ContentionRow {
        case,
        k_comp,
        k_comm,
        total: Some(total),
        saved: Some(got.serial - total),
        speed_up: Some(whole / super::super::number::float(total)),
    }
}

fn edge(case: &'static str, k_comp: Option<f64>, k_comm: Option<f64>) -> ContentionRow {
    ContentionRow {
        case,
        k_comp,
        k_comm,
        total: None,
        saved: None,
        speed_up: None,
    }
}

impl Intensity {
    /// What `k_comp` is estimated from, as rows.
    #[must_use]
    pub fn inputs(&self) -> Vec<InputRow> {
        let rate = |name, rate: Bandwidth| InputRow::typed(name, fixed(rate.gb_per_s(), 3));
        vec![
            InputRow::typed("gamma_flop_per_byte", fixed(self.gamma, 4)),
            InputRow::typed("intensity_flop_per_byte", fixed(self.intensity, 4)),
            rate("comm_memory_bandwidth_gb_per_s", self.comm),
            rate("peak_memory_bandwidth_gb_per_s", self.peak),
        ]
    }
}

impl ContentionInput {
    /// The inputs as rows; `k_comp` tells where that comes from.
    #[must_use]
    pub fn inputs(&self, k_comp: Source) -> Vec<InputRow> {
        vec![
            InputRow::typed("computation_us", Cell::Time(self.computation)),
            InputRow::typed("communication_us", Cell::Time(self.communication)),
            InputRow {
                name: "k_comp",
                value: factor(Some(self.k_comp)),
                source: k_comp,
            },
            InputRow::typed("k_comm", factor(Some(self.k_comm))),
        ]
    }
}
