//! Rows of numbers of chunks.

use super::super::{Chunked, ChunksInput, ModelError, chunks};
use super::{EXPOSED, InputRow, SOURCE, SPEED_UP, Source, TOTAL, factor, text, word};
use crate::metrics::report::{Cell, Column, Unit};
use crate::time::DurNs;

/// Chunks of the curve.
const CURVE: u32 = 64;

/// A number of chunks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkRow {
    /// `chunks`, `best` or `sweep`.
    pub case: &'static str,
    /// What it brings.
    pub chunked: Chunked,
}

/// The columns in order.
pub const CHUNKS_COLUMNS: [Column<ChunkRow>; 6] = [
    Column::new(
        "case",
        "Case",
        Unit::None,
        "chunks: a number that was asked for; best: the shortest total of 1 to 64 chunks, the fewest of equal ones; sweep: a point of the curve.",
        |r| text(r.case),
    ),
    Column::new(
        "chunks",
        "Chunks",
        Unit::Count,
        "Into how many chunks the product and its collective are cut.",
        |r| Cell::Int(r.chunked.chunks.into()),
    ),
    Column::new("total_us", "Total", Unit::Microseconds, TOTAL, |r| {
        Cell::Time(r.chunked.total)
    }),
    Column::new("exposed_us", "Exposed", Unit::Microseconds, EXPOSED, |r| {
        Cell::Time(r.chunked.exposed)
    }),
    Column::new("speed_up", "Speed-up", Unit::Factor, SPEED_UP, |r| {
        factor(Some(r.chunked.speed_up))
    }),
    Column::new("source", "Source", Unit::None, SOURCE, |_| {
        word(Source::Modelled)
    }),
];

/// A row for each number that was asked for, and for the best.
///
/// # Errors
/// As [`chunks()`].
pub fn chunk_rows(input: ChunksInput, asked: &[u32]) -> Result<Vec<ChunkRow>, ModelError> {
    let mut rows = Vec::new();
    for k in asked {
        let chunked = chunks(input, *k)?;
        rows.push(ChunkRow {
            case: "chunks",
            chunked,
        });
    }
    let best = chunk_curve(input)?
        .into_iter()
        .min_by_key(|row| row.chunked.total);
    rows.extend(best.map(|row| ChunkRow {
        case: "best",
        ..row
    }));
    Ok(rows)
}

/// 1 to 64 chunks: the curve of a chart.
///
/// # Errors
/// As [`chunks()`].
pub fn chunk_curve(input: ChunksInput) -> Result<Vec<ChunkRow>, ModelError> {
    (1..=CURVE)
        .map(|k| {
            let chunked = chunks(input, k)?;
            Ok(ChunkRow {
                case: "sweep",
                chunked,
            })
        })
        .collect()
}

impl ChunksInput {
    /// The inputs as rows; what is zero is left out.
    #[must_use]
    pub fn inputs(&self) -> Vec<InputRow> {
        let mut rows = vec![
            InputRow::typed("gemm_us", Cell::Time(self.gemm)),
            InputRow::typed("comm_us", Cell::Time(self.comm)),
        ];
        for (name, time) in [("alpha_us", self.alpha), ("launch_us", self.launch)] {
            if time != DurNs::ZERO {
                rows.push(InputRow::typed(name, Cell::Time(time)));
            }
        }
        rows.push(InputRow::typed("ring", Cell::Bool(self.ring)));
        rows
    }
}
