//! Rows of bucket sizes.

use super::super::{
    Bucket, BucketPrediction, BucketsInput, Gradients, ModelError, Ready, advice, predict,
    predict_ready, schedule, sweep,
};
use super::{InputRow, SOURCE, Source, count, link_inputs, text, time, word};
use crate::metrics::report::{Cell, Column, Unit};
use crate::time::DurNs;

/// A bucket size, a bucket, or what was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BucketRow {
    /// `size`, `best`, `largest`, `flat_from`, `flat_to`, `measured`, `sweep` or `bucket`.
    pub case: &'static str,
    /// The cap, or the bytes of the bucket.
    pub bytes: Option<u64>,
    /// How many buckets there are.
    pub buckets: Option<u64>,
    /// Sum of the collectives.
    pub comm: Option<DurNs>,
    /// When the bucket is ready.
    pub ready: Option<DurNs>,
    /// When its collective starts.
    pub start: Option<DurNs>,
    /// When its collective, or the last one, ends.
    pub finish: Option<DurNs>,
    /// What of it the backward pass does not hide.
    pub exposed: Option<DurNs>,
    /// The whole step.
    pub step: Option<DurNs>,
    /// Whether the figures were measured and not modelled.
    pub measured: bool,
}

/// The columns in order.
pub const BUCKETS_COLUMNS: [Column<BucketRow>; 10] = [
    Column::new(
        "case",
        "Case",
        Unit::None,
        "size: one that was asked for; best: the shortest step of the sweep; largest: the largest size within 1 % of it; flat_from, flat_to: between them, through the best, every swept size is within 1 %; measured: what was measured; ready: buckets at known times; sweep: a point of the curve; bucket: one bucket of a schedule.",
        |r| text(r.case),
    ),
    Column::new(
        "bucket_size_bytes",
        "Bucket size",
        Unit::Bytes,
        "The cap at which a bucket closes; of a single bucket, its bytes.",
        |r| count(r.bytes),
    ),
    Column::new(
        "buckets",
        "Buckets",
        Unit::Count,
        "How many buckets there are.",
        |r| count(r.buckets),
    ),
    Column::new(
        "communication_us",
        "Communication",
        Unit::Microseconds,
        "Sum of the collectives: alpha + factor * size / bus bandwidth each.",
        |r| time(r.comm),
    ),
    Column::new(
        "ready_us",
        "Ready",
        Unit::Microseconds,
        "When the last gradient of the bucket is there, from the start of the backward pass.",
        |r| time(r.ready),
    ),
    Column::new(
        "start_us",
        "Start",
        Unit::Microseconds,
        "When its collective starts: ready, and the one before it done.",
        |r| time(r.start),
    ),
    Column::new(
        "finish_us",
        "Finish",
        Unit::Microseconds,
        "When the collective, or the last of all, ends, from the start of the backward pass; not before the end of that.",
        |r| time(r.finish),
    ),
    Column::new(
        "exposed_us",
        "Exposed",
        Unit::Microseconds,
        "What of the finish lies behind the backward pass.",
        |r| time(r.exposed),
    ),
    Column::new(
        "step_us",
        "Step",
        Unit::Microseconds,
        "Finish and the rest of the step.",
        |r| time(r.step),
    ),
    Column::new("source", "Source", Unit::None, SOURCE, |r| {
        word(if r.measured {
            Source::Measured
        } else {
            Source::Modelled
        })
    }),
];

/// What to answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketsAsked {
    /// Bucket sizes in bytes.
    pub sizes: Vec<u64>,
    /// Buckets as they are now, to be predicted beside what was measured.
    pub ready: Vec<Ready>,
    /// What is exposed now, measured.
    pub measured_exposed: Option<DurNs>,
}

/// A row for each size that was asked for, for the advice, and for what was measured.
///
/// # Errors
/// As [`predict`].
pub fn bucket_rows(
    input: &BucketsInput,
    asked: &BucketsAsked,
) -> Result<Vec<BucketRow>, ModelError> {
    let mut rows = Vec::new();
    for size in &asked.sizes {
        rows.push(row("size", &predict(input, *size)?));
    }
    if !asked.ready.is_empty() {
        rows.push(row("ready", &predict_ready(input, &asked.ready)?));
    }
    rows.extend(measured(asked)?);
    if let Some(told) = advice(&sweep(input, &asked.sizes)?) {
        rows.push(row("best", &told.best));
        rows.push(row("largest", &told.largest));
        rows.push(row("flat_from", &told.flat_from));
        rows.push(row("flat_to", &told.flat_to));
    }
    Ok(rows)
}

/// The rows of buckets at known times, which leave no choice of a size.
///
/// # Errors
/// As [`predict_ready`].
pub fn ready_rows(
    input: &BucketsInput,
    ready: &[Ready],
    asked: &BucketsAsked,
) -> Result<Vec<BucketRow>, ModelError> {
    let mut rows = vec![row("ready", &predict_ready(input, ready)?)];
    rows.extend(measured(asked)?);
    Ok(rows)
}

/// The sweep over bucket sizes: the curve of a chart.
///
/// # Errors
/// As [`predict`].
pub fn bucket_curve(input: &BucketsInput, sizes: &[u64]) -> Result<Vec<BucketRow>, ModelError> {
    let swept = sweep(input, sizes)?;
    Ok(swept.iter().map(|p| row("sweep", p)).collect())
}

/// The buckets of one size one by one.
///
/// # Errors
/// As [`predict`].
pub fn bucket_timeline(input: &BucketsInput, size: u64) -> Result<Vec<BucketRow>, ModelError> {
    let buckets = schedule(input, size)?;
    Ok(buckets.iter().map(of_bucket).collect())
}

fn of_bucket(bucket: &Bucket) -> BucketRow {
    BucketRow {
        case: "bucket",
        bytes: Some(bucket.bytes),
        comm: Some(bucket.end - bucket.start),
        ready: Some(bucket.ready),
        start: Some(bucket.start),
        finish: Some(bucket.end),
        ..BucketRow::default()
    }
}

fn row(case: &'static str, of: &BucketPrediction) -> BucketRow {
    BucketRow {
        case,
        bytes: of.cap,
        buckets: Some(of.buckets),
        comm: Some(of.comm),
        finish: Some(of.finish),
        exposed: Some(of.exposed),
        step: Some(of.step),
        ..BucketRow::default()
    }
}

/// The present configuration as it was measured, to stand beside the prediction.
fn measured(asked: &BucketsAsked) -> Result<Option<BucketRow>, ModelError> {
    let Some(exposed) = asked.measured_exposed else {
        return Ok(None);
    };
    super::super::number::not_negative(exposed, "the measured exposed time")?;
    Ok(Some(BucketRow {
        case: "measured",
        exposed: Some(exposed),
        measured: true,
        ..BucketRow::default()
    }))
}

impl BucketsInput {
    /// The inputs as rows; `link` tells where alpha and bandwidth come from.
    #[must_use]
    pub fn inputs(&self, link: Source) -> Vec<InputRow> {
        let mut rows = vec![InputRow::typed("backward_us", Cell::Time(self.backward))];
        if self.rest > DurNs::ZERO {
            rows.push(InputRow::typed("rest_us", Cell::Time(self.rest)));
        }
        rows.push(match &self.gradients {
            Gradients::Even(bytes) => InputRow::typed("size_bytes", count(Some(*bytes))),
            Gradients::Parameters(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
                InputRow::typed("parameters_bytes", text(&sizes.join(" ")))
            }
        });
        if let Some(first) = self.first_cap {
            rows.push(InputRow::typed("first_bucket_bytes", count(Some(first))));
        }
        rows.extend(link_inputs(&self.link, link));
        rows
    }
}
