//! What a change would bring: models of overlap, as pure functions from plain input to plain result.
//!
//! One file a model: [`streams`](streams()), [`buckets`](predict), [`chunks`](chunks()),
//! [`prefetch`](prefetch()), [`contention`](contention()) and [`fit`](fit()), which tells the two
//! numbers of a [`Link`] from measured times. Models are estimates, so they reckon in `f64` inside;
//! times enter and leave as [`DurNs`](crate::time::DurNs), rounded to the nearest nanosecond, and
//! what cannot be told is a [`ModelError`], never NaN and never a wrapped number. [`table`] makes
//! rows of the results, each figure tagged measured, modelled or typed. Rules, assumptions and
//! sources stand in `docs/overlap.md`.
//!
//! ```text
//! serial        |ccccccccc|mmmmmm|
//! synchronised  |ccccccccc|mmmmmm|      another stream, but the host waits in between
//! overlapped    |ccccccccc|
//!               |mmmmmm|                what a model starts from; contention takes its share
//! ```

mod assumption;
mod buckets;
mod chunks;
mod contention;
mod curve;
mod error;
mod fit;
mod given;
mod link;
mod number;
mod prefetch;
mod quantity;
mod streams;
pub mod table;

pub use assumption::Assumption;
pub use buckets::{
    Advice, Bucket, BucketPrediction, BucketsInput, Gradients, Ready, RecognisedCap, advice,
    predict, predict_ready, recognise_cap, schedule, schedule_ready, sweep,
};
pub use chunks::{Chunked, ChunksInput, chunks};
pub use contention::{Contended, ContentionInput, Intensity, contention, k_comp_from_bandwidth};
pub use curve::{Curve, Line, Mark};
pub use error::ModelError;
pub use fit::{Fit, FitError, FitInput, FitPoint, Sample, fit, shortest};
pub use given::{
    Asked, Field, Filled, Given, LinkFit, Model, Quantity, Slowing, Unanswered, link_fits,
    measured, measured_samples,
};
pub use link::Link;
pub use prefetch::{
    Layer, Memory, Pass, Prefetch, PrefetchInput, extra_memory, prefetch, rule_of_thumb,
};
pub use quantity::{
    Bandwidth, QuantityError, parse_bandwidth, parse_intensity, parse_size, parse_time,
};
pub use streams::{Streams, StreamsInput, Way, streams};
