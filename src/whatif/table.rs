//! Results as rows: one ordered table of columns a model, every figure of a row from one [`Source`].
//!
//! A row's key columns (a size, a number of chunks, a factor) are what its figures are for; `source`
//! tells where the figures come from. The inputs are a table of their own with a source each.

mod buckets;
mod chunks;
mod contention;
mod fit;
mod links;
mod prefetch;
mod streams;

pub use buckets::{
    BUCKETS_COLUMNS, BucketRow, BucketsAsked, bucket_curve, bucket_rows, bucket_timeline,
    ready_rows,
};
pub use chunks::{CHUNKS_COLUMNS, ChunkRow, chunk_curve, chunk_rows};
pub use contention::{
    CONTENTION_COLUMNS, ContentionRow, contention_curve, contention_measured, contention_rows,
};
pub use fit::{FIT_COLUMNS, FitRow, fit_curve, fit_rows};
pub use links::{LINK_COLUMNS, LinkRow, link_rows};
pub use prefetch::{PREFETCH_COLUMNS, PrefetchRow, prefetch_curve, prefetch_rows};
pub use streams::{STREAMS_COLUMNS, StreamsRow, streams_curve, streams_measured, streams_rows};

use super::Link;
use super::number::fixed;
use crate::metrics::report::{Cell, Column, Grid, Unit};
use crate::time::DurNs;

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From a trace, or from times that somebody took.
    Measured,
    /// By a model, so it is no better than its assumptions.
    Modelled,
    /// Set by the user.
    Typed,
}

impl Source {
    /// The word in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Modelled => "modelled",
            Self::Typed => "typed",
        }
    }
}

/// One input of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRow {
    /// Its name, with the unit as its suffix.
    pub name: &'static str,
    /// Its value.
    pub value: Cell,
    /// Where it comes from.
    pub source: Source,
}

impl InputRow {
    /// An input that was typed.
    #[must_use]
    pub fn typed(name: &'static str, value: Cell) -> Self {
        Self {
            name,
            value,
            source: Source::Typed,
        }
    }
}

/// The inputs: the columns in order.
pub const INPUT_COLUMNS: [Column<InputRow>; 3] = [
    Column::new(
        "input",
        "Input",
        Unit::None,
        "Name of the input; its suffix tells the unit.",
        |r| Cell::Text(r.name.to_owned()),
    ),
    Column::new(
        "value",
        "Value",
        Unit::Factor,
        "What the model was asked with.",
        |r| r.value.clone(),
    ),
    Column::new("source", "Source", Unit::None, SOURCE, |r| word(r.source)),
];

/// What a model answers, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Name of the model.
    pub model: &'static str,
    /// What it takes for granted, in a sentence.
    pub assumes: &'static str,
    /// The inputs.
    pub inputs: Grid,
    /// The figures.
    pub rows: Grid,
}

const SOURCE: &str = "Where the figures of the row come from: measured, modelled or typed. A modelled one is an estimate.";
const TOTAL: &str = "From the first start to the last end.";
const EXPOSED: &str = "What of the total no computation hides.";
const SPEED_UP: &str = "How many times as fast as one behind the other.";

fn word(source: Source) -> Cell {
    Cell::Text(source.label().to_owned())
}

fn text(words: &str) -> Cell {
    Cell::Text(words.to_owned())
}

fn time(time: Option<DurNs>) -> Cell {
    time.map_or(Cell::Empty, Cell::Time)
}

fn count(number: Option<u64>) -> Cell {
    number.map_or(Cell::Empty, |n| Cell::Int(n.into()))
}

fn factor(number: Option<f64>) -> Cell {
    number.map_or(Cell::Empty, |n| fixed(n, 4))
}

/// The inputs of a link, of which alpha and bandwidth may be fitted.
fn link_inputs(link: &Link, source: Source) -> Vec<InputRow> {
    let given = |name, value| InputRow {
        name,
        value,
        source,
    };
    vec![
        given("alpha_us", Cell::Time(link.alpha)),
        given("bus_bandwidth_gb_per_s", fixed(link.bus.gb_per_s(), 3)),
        InputRow::typed("collective", text(link.kind.label())),
        InputRow::typed("ranks", Cell::Int(link.ranks.into())),
    ]
}
