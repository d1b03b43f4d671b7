//! Rows of prefetch depths.

use super::super::{
    Layer, Memory, ModelError, Pass, Prefetch, PrefetchInput, extra_memory, prefetch, rule_of_thumb,
};
use super::{InputRow, SOURCE, Source, TOTAL, count, text, time, word};
use crate::metrics::report::{Cell, Column, Unit};
use crate::time::DurNs;

/// Depths of the curve.
const CURVE: u32 = 16;

/// A depth, or no prefetch at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefetchRow {
    /// `serial`, `depth`, `rule_of_thumb`, `sweep` or `measured`.
    pub case: &'static str,
    /// How many layers ahead are gathered; 0 for none.
    pub depth: Option<u64>,
    /// From the first start to the last end.
    pub total: Option<DurNs>,
    /// What of it no computation hides.
    pub exposed: Option<DurNs>,
    /// The first gather.
    pub first_gather: Option<DurNs>,
    /// The longest wait of a layer but the first.
    pub longest_wait: Option<DurNs>,
    /// What runs after the last computation.
    pub tail: Option<DurNs>,
    /// Memory more than without a prefetch, in bytes.
    pub extra_memory: Option<u64>,
    /// Whether the figures were measured and not modelled.
    pub measured: bool,
}

/// The columns in order.
pub const PREFETCH_COLUMNS: [Column<PrefetchRow>; 9] = [
    Column::new(
        "case",
        "Case",
        Unit::None,
        "serial: nothing overlaps; depth: one that was asked for; rule_of_thumb: ceil(T_comm / T_comp) of the mean times, which promises too much where gathers queue; measured: what was measured; sweep: a point of the curve.",
        |r| text(r.case),
    ),
    Column::new(
        "depth",
        "Depth",
        Unit::Count,
        "How many layers ahead are gathered while one computes.",
        |r| count(r.depth),
    ),
    Column::new("total_us", "Total", Unit::Microseconds, TOTAL, |r| {
        time(r.total)
    }),
    Column::new(
        "exposed_us",
        "Exposed",
        Unit::Microseconds,
        "Total less all computation: the first gather, every wait, the tail.",
        |r| time(r.exposed),
    ),
    Column::new(
        "first_gather_us",
        "First gather",
        Unit::Microseconds,
        "The first gather, which nothing can hide.",
        |r| time(r.first_gather),
    ),
    Column::new(
        "longest_wait_us",
        "Longest wait",
        Unit::Microseconds,
        "The longest that a layer but the first waits for its parameters; with equal layers that of each.",
        |r| time(r.longest_wait),
    ),
    Column::new(
        "tail_us",
        "Tail",
        Unit::Microseconds,
        "What of the reduce-scatters runs after the last computation.",
        |r| time(r.tail),
    ),
    Column::new(
        "extra_memory_bytes",
        "Extra memory",
        Unit::Bytes,
        "What the depth holds more than no prefetch: D (1 - 1/P) S, in a backward pass also the unsharded gradients of a layer.",
        |r| count(r.extra_memory),
    ),
    Column::new("source", "Source", Unit::None, SOURCE, |r| {
        word(if r.measured {
            Source::Measured
        } else {
            Source::Modelled
        })
    }),
];

/// A row for no overlap, for each depth that was asked for, for the rule of thumb, and for what was
/// measured.
///
/// # Errors
/// As [`prefetch()`] and [`extra_memory`].
pub fn prefetch_rows(
    input: &PrefetchInput,
    memory: Option<Memory>,
    depths: &[u32],
    measured_exposed: Option<DurNs>,
) -> Result<Vec<PrefetchRow>, ModelError> {
    let mut rows = Vec::new();
    let serial = prefetch(input, 1)?;
    rows.push(PrefetchRow {
        case: "serial",
        depth: Some(0),
        total: Some(serial.serial),
        exposed: Some(serial.serial - serial.compute),
        ..none()
    });
    for depth in depths {
        rows.push(row("depth", input, memory, *depth)?);
    }
    let rule = u32::try_from(rule_of_thumb(input)?);
    let rule = rule.map_err(|_too_large| ModelError::OutOfRange("the depth"))?;
    rows.push(row("rule_of_thumb", input, memory, rule)?);
    if let Some(exposed) = measured_exposed {
        super::super::number::not_negative(exposed, "the measured exposed time")?;
        rows.push(PrefetchRow {
            case: "measured",
            exposed: Some(exposed),
            measured: true,
            ..none()
        });
    }
    Ok(rows)
}

/// Depths of 1 to 16: the curve of a chart.
///
/// # Errors
/// As [`prefetch()`] and [`extra_memory`].
pub fn prefetch_curve(
    input: &PrefetchInput,
    memory: Option<Memory>,
) -> Result<Vec<PrefetchRow>, ModelError> {
    (1..=CURVE)
        .map(|depth| row("sweep", input, memory, depth))
        .collect()
}

fn none() -> PrefetchRow {
    PrefetchRow {
        case: "",
        depth: None,
        total: None,
        exposed: None,
        first_gather: None,
        longest_wait: None,
        tail: None,
        extra_memory: None,
        measured: false,
    }
}

fn row(
    case: &'static str,
    input: &PrefetchInput,
    memory: Option<Memory>,
    depth: u32,
) -> Result<PrefetchRow, ModelError> {
    let Prefetch {
        total,
        exposed,
        first_gather,
        waits,
        tail,
        ..
    } = prefetch(input, depth)?;
    let memory = memory.map(|memory| extra_memory(memory, input.pass, depth));
    Ok(PrefetchRow {
        case,
        depth: Some(depth.into()),
        total: Some(total),
        exposed: Some(exposed),
        first_gather: Some(first_gather),
        longest_wait: waits.into_iter().max(),
        tail: Some(tail),
        extra_memory: memory.transpose()?,
        measured: false,
    })
}

impl PrefetchInput {
    /// The inputs as rows.
    #[must_use]
    pub fn inputs(&self, memory: Option<Memory>) -> Vec<InputRow> {
        let (pass, shared) = match self.pass {
            Pass::Forward => ("forward", None),
            Pass::Backward { shared_stream } => ("backward", Some(shared_stream)),
        };
        let layers = u64::try_from(self.layers.len()).unwrap_or(u64::MAX);
        let mut rows = vec![
            InputRow::typed("pass", text(pass)),
            InputRow::typed("layers", count(Some(layers))),
        ];
        let each: [(_, TimeOf); 3] = [
            ("gather_us", |l| l.gather),
            ("compute_us", |l| l.compute),
            ("reduce_scatter_us", |l| l.scatter),
        ];
        for (name, get) in each {
            let scatters = self.layers.iter().any(|l| l.scatter > DurNs::ZERO);
            if name != "reduce_scatter_us" || scatters {
                rows.push(InputRow::typed(name, series(&self.layers, get)));
            }
        }
        if let Some(shared) = shared {
            rows.push(InputRow::typed("shared_stream", Cell::Bool(shared)));
        }
        if let Some(memory) = memory {
            rows.push(InputRow::typed(
                "layer_size_bytes",
                count(Some(memory.layer)),
            ));
            if matches!(self.pass, Pass::Backward { .. }) {
                rows.push(InputRow::typed(
                    "gradient_size_bytes",
                    count(Some(memory.gradient)),
                ));
            }
            rows.push(InputRow::typed("ranks", Cell::Int(memory.ranks.into())));
        }
        rows
    }
}

/// One of the times of a layer.
type TimeOf = fn(&Layer) -> DurNs;

/// One time where all layers have the same, else all of them in a row.
fn series(layers: &[Layer], get: TimeOf) -> Cell {
    let times: Vec<DurNs> = layers.iter().map(get).collect();
    match times.first() {
        Some(first) if times.iter().all(|t| t == first) => Cell::Time(*first),
        _ => {
            let times: Vec<String> = times.iter().map(|t| t.us3()).collect();
            text(&times.join(" "))
        }
    }
}
