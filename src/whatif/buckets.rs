//! Gradients in buckets: a bucket is sent once its last gradient is there, one after another.
//!
//! Small buckets pay the latency often, large ones come late; what is sent after the backward pass
//! is exposed.

mod advice;
mod cap;

pub use advice::{Advice, advice, sweep};
pub use cap::{RecognisedCap, recognise_cap};

use super::link::Cost;
use super::number::{float, nanoseconds, not_negative, positive, real};
use super::{Link, ModelError};
use crate::time::DurNs;

/// The most buckets or parameters that a prediction walks through.
const MOST: u64 = 1_000_000;

/// Where the bytes come from, in the order in which they become ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gradients {
    /// So many bytes at a constant rate over the backward pass; a bucket can end anywhere.
    Even(u64),
    /// Parameters of so many bytes. None is split: a bucket closes once its sum reaches the cap.
    Parameters(Vec<u64>),
}

/// A backward pass and the link that its gradients go over.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketsInput {
    /// Length of the backward pass.
    pub backward: DurNs,
    /// What of the step is neither the backward pass nor exposed: the forward pass, the optimizer.
    pub rest: DurNs,
    /// What a collective costs.
    pub link: Link,
    /// What is sent.
    pub gradients: Gradients,
    /// A cap of its own for the first bucket, in bytes, as frameworks have it to start early.
    pub first_cap: Option<u64>,
}

/// A bucket that the trace shows: when it was ready, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// From the start of the backward pass.
    pub at: DurNs,
    /// Bytes of the full buffer.
    pub bytes: u64,
}

/// One bucket of a schedule; times from the start of the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Its bytes.
    pub bytes: u64,
    /// When its last gradient is there.
    pub ready: DurNs,
    /// When its collective starts: ready, and the one before it done.
    pub start: DurNs,
    /// When its collective ends.
    pub end: DurNs,
}

/// What a bucket size brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketPrediction {
    /// The cap in bytes; `None` for buckets that were given.
    pub cap: Option<u64>,
    /// How many buckets there are.
    pub buckets: u64,
    /// Sum of the collectives.
    pub comm: DurNs,
    /// End of the last collective, or of the backward pass, from its start.
    pub finish: DurNs,
    /// `finish - backward`.
    pub exposed: DurNs,
    /// `finish + rest`.
    pub step: DurNs,
}

/// Predicts the step for buckets of so many bytes.
///
/// # Errors
/// [`ModelError`] for what is not more than zero, for more than a million buckets or parameters, and
/// for times that cannot be told.
pub fn predict(input: &BucketsInput, cap: u64) -> Result<BucketPrediction, ModelError> {
    let times = Walk::new(input)?.run(input, cap, |_| Ok(()))?;
    times.prediction(Some(cap), input.backward, input.rest)
}

/// The buckets one by one, as a timeline draws them.
///
/// # Errors
/// As [`predict`].
pub fn schedule(input: &BucketsInput, cap: u64) -> Result<Vec<Bucket>, ModelError> {
    let mut buckets = Vec::new();
    Walk::new(input)?.run(input, cap, |sent| {
        buckets.push(sent.bucket()?);
        Ok(())
    })?;
    Ok(buckets)
}

/// Predicts the step for buckets that are ready at known times, in the order in which they are sent.
/// Of the input only the backward pass, the rest and the link count.
///
/// # Errors
/// As [`predict`].
pub fn predict_ready(
    input: &BucketsInput,
    ready: &[Ready],
) -> Result<BucketPrediction, ModelError> {
    let walk = Walk::new(input)?.run_ready(ready, |_| Ok(()))?;
    walk.prediction(None, input.backward, input.rest)
}

/// The same buckets one by one.
///
/// # Errors
/// As [`predict`].
pub fn schedule_ready(input: &BucketsInput, ready: &[Ready]) -> Result<Vec<Bucket>, ModelError> {
    let mut buckets = Vec::new();
    Walk::new(input)?.run_ready(ready, |sent| {
        buckets.push(sent.bucket()?);
        Ok(())
    })?;
    Ok(buckets)
}

/// Collectives one after another, in ns.
struct Walk {
    cost: Cost,
    buckets: u64,
    comm: f64,
    end: f64,
}

/// A bucket before its times are rounded.
struct Sent {
    bytes: u64,
    ready: f64,
    start: f64,
    end: f64,
}

impl Sent {
    fn bucket(&self) -> Result<Bucket, ModelError> {
        Ok(Bucket {
            bytes: self.bytes,
            ready: nanoseconds(self.ready, "the time of a bucket")?,
            start: nanoseconds(self.start, "the time of a bucket")?,
            end: nanoseconds(self.end, "the time of a bucket")?,
        })
    }
}

impl Walk {
    fn new(input: &BucketsInput) -> Result<Self, ModelError> {
        positive(input.backward, "the backward time")?;
        not_negative(input.rest, "the rest of the step")?;
        Ok(Self {
            cost: input.link.cost()?,
            buckets: 0,
            comm: 0.0,
            end: 0.0,
        })
    }

    fn run(
        mut self,
        input: &BucketsInput,
        cap: u64,
        mut each: impl FnMut(Sent) -> Result<(), ModelError>,
    ) -> Result<Self, ModelError> {
        let first = input.first_cap.unwrap_or(cap);
        if cap == 0 || first == 0 {
            return Err(ModelError::NotPositive("the bucket size"));
        }
        let backward = float(input.backward);
        match &input.gradients {
            Gradients::Even(bytes) => {
                if *bytes == 0 {
                    return Err(ModelError::NotPositive("the size of the gradients"));
                }
                limit(bytes.saturating_sub(first) / cap, "buckets")?;
                let mut sent = 0;
                while sent < *bytes {
                    let size = if sent == 0 { first } else { cap }.min(bytes - sent);
                    sent += size;
                    each(self.send(size, backward * (real(sent) / real(*bytes))))?;
                }
            }
            Gradients::Parameters(sizes) => {
                limit(u64::try_from(sizes.len()).unwrap_or(u64::MAX), "parameters")?;
                let total = total(sizes)?;
                let (mut open, mut ready) = (0, 0);
                for (i, size) in sizes.iter().enumerate() {
                    open += size;
                    ready += size;
                    let full = open >= if self.buckets == 0 { first } else { cap };
                    if full || i + 1 == sizes.len() {
                        each(self.send(open, backward * (real(ready) / real(total))))?;
                        open = 0;
                    }
                }
            }
        }
        Ok(self)
    }

    fn run_ready(
        mut self,
        ready: &[Ready],
        mut each: impl FnMut(Sent) -> Result<(), ModelError>,
    ) -> Result<Self, ModelError> {
        if ready.is_empty() {
            return Err(ModelError::Nothing("the list of buckets"));
        }
        limit(u64::try_from(ready.len()).unwrap_or(u64::MAX), "buckets")?;
        for bucket in ready {
            not_negative(bucket.at, "a ready time")?;
            if bucket.bytes == 0 {
                return Err(ModelError::NotPositive("the size of a bucket"));
            }
            each(self.send(bucket.bytes, float(bucket.at)))?;
        }
        Ok(self)
    }

    fn send(&mut self, bytes: u64, ready: f64) -> Sent {
        let takes = self.cost.of(bytes);
        let start = self.end.max(ready);
        self.end = start + takes;
        self.comm += takes;
        self.buckets += 1;
        Sent {
            bytes,
            ready,
            start,
            end: self.end,
        }
    }

    fn prediction(
        &self,
        cap: Option<u64>,
        backward: DurNs,
        rest: DurNs,
    ) -> Result<BucketPrediction, ModelError> {
        let finish = self.end.max(float(backward));
        // Of the difference and not of rounded times: ends of large times lose nanoseconds.
        let exposed = nanoseconds(finish - float(backward), "the exposed time")?;
        let finish = super::number::sum(backward, exposed, "the finish")?;
        Ok(BucketPrediction {
            cap,
            buckets: self.buckets,
            comm: nanoseconds(self.comm, "the communication time")?,
            finish,
            exposed,
            step: super::number::sum(finish, rest, "the step")?,
        })
    }
}

/// The sum of parameters that are all more than nothing.
fn total(sizes: &[u64]) -> Result<u64, ModelError> {
    if sizes.is_empty() {
        return Err(ModelError::Nothing("the list of parameters"));
    }
    sizes.iter().try_fold(0_u64, |sum, size| {
        if *size == 0 {
            return Err(ModelError::NotPositive("the size of a parameter"));
        }
        let sum = sum.checked_add(*size);
        sum.ok_or(ModelError::OutOfRange("the sum of the parameters"))
    })
}

fn limit(count: u64, what: &'static str) -> Result<(), ModelError> {
    if count <= MOST {
        return Ok(());
    }
    Err(ModelError::TooMany {
        what,
        limit: MOST,
        advice: "choose larger buckets, or parameters of one model",
    })
}

impl Gradients {
    /// All bytes.
    ///
    /// # Errors
    /// [`ModelError`] for nothing, or for a sum that cannot be told.
    pub fn bytes(&self) -> Result<u64, ModelError> {
        match self {
            Self::Even(0) => Err(ModelError::NotPositive("the size of the gradients")),
            Self::Even(bytes) => Ok(*bytes),
            Self::Parameters(sizes) => total(sizes),
        }
    }
}

#[cfg(test)]
mod tests;
