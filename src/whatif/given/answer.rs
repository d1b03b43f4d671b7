//! From given inputs to a model's own input, and to its rows.

use super::super::table::{
    Answer, BUCKETS_COLUMNS, BucketRow, BucketsAsked, CHUNKS_COLUMNS, CONTENTION_COLUMNS, ChunkRow,
    ContentionRow, INPUT_COLUMNS, InputRow, PREFETCH_COLUMNS, PrefetchRow, STREAMS_COLUMNS, Source,
    StreamsRow, bucket_rows, chunk_rows, contention_measured, contention_rows, prefetch_rows,
    streams_measured, streams_rows,
};
use super::super::{
    Assumption, Bandwidth, BucketsInput, ChunksInput, ContentionInput, Gradients, Layer, Link,
    Memory, ModelError, Pass, PrefetchInput, StreamsInput,
};
use super::measured::{layers, ready, sequence};
use super::{Asked, Field, Model, Quantity};
use crate::metrics::report::Grid;
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// Inputs are wrong.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An input has a value of another dimension.
    #[error("{0} has no value of its kind")]
    Dimension(&'static str),
}

/// A model with all of its inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Filled {
    /// See [`StreamsInput`]; with what was exposed, where both times are measured.
    Streams(StreamsInput, Option<DurNs>),
    /// See [`BucketsInput`].
    Buckets(BucketsInput, BucketsAsked),
    /// See [`ChunksInput`]; with a number of chunks.
    Chunks(ChunksInput, u32),
    /// See [`PrefetchInput`]; with a depth, and what was exposed where that is measured.
    Prefetch(PrefetchInput, Option<Memory>, u32, Option<DurNs>),
    /// See [`ContentionInput`]; with what was exposed, where both times are measured.
    Contention(ContentionInput, Option<DurNs>),
}

/// The rows of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rows {
    Streams(Vec<StreamsRow>),
    Buckets(Vec<BucketRow>),
    Chunks(Vec<ChunkRow>),
    Prefetch(Vec<PrefetchRow>),
    Contention(Vec<ContentionRow>),
}

impl Asked<'_> {
    fn time(&self, field: Field) -> Result<DurNs, Unanswered> {
        match self.get(field).value {
            Quantity::Time(time) => Ok(time),
            _ => Err(Unanswered::Dimension(field.title())),
        }
    }

    fn size(&self, field: Field) -> Result<u64, Unanswered> {
        match self.get(field).value {
            Quantity::Size(bytes) => Ok(bytes),
            _ => Err(Unanswered::Dimension(field.title())),
        }
    }

    fn rate(&self, field: Field) -> Result<Bandwidth, Unanswered> {
        match self.get(field).value {
            Quantity::Rate(rate) => Ok(rate),
            _ => Err(Unanswered::Dimension(field.title())),
        }
    }

    fn factor(&self, field: Field) -> Result<f64, Unanswered> {
        match self.get(field).value {
            Quantity::Factor(factor) => Ok(factor),
            _ => Err(Unanswered::Dimension(field.title())),
        }
    }

    fn count(&self, field: Field) -> Result<u32, Unanswered> {
        match self.get(field).value {
            Quantity::Count(count) => Ok(count),
            _ => Err(Unanswered::Dimension(field.title())),
        }
    }

    /// Which collective sends the gradients: as measured, else an all-reduce.
    #[must_use]
    pub fn collective(&self) -> CollectiveKind {
        let buckets = self.prefill.and_then(|p| p.buckets.as_ref().ok());
        buckets.map_or(CollectiveKind::AllReduce, |found| found.value.kind)
    }

    /// What was exposed, as long as the times that it belongs to are the measured ones.
    #[must_use]
    pub fn exposed(&self) -> Option<DurNs> {
        let typed = [Field::Computation, Field::Communication].map(|field| self.is_typed(field));
        let prefill = self.prefill.filter(|_| typed == [false, false])?;
        let both = prefill.computation.is_ok() && prefill.communication.is_ok();
        both.then_some(prefill.exposed)
    }

    /// Buckets as they were, as long as the backward pass and the gradients are the measured ones.
    #[must_use]
    pub fn ready(&self) -> Vec<super::super::Ready> {
        let typed = [Field::Backward, Field::Size].map(|field| self.is_typed(field));
        let prefill = self.prefill.filter(|_| typed == [false, false]);
        prefill.map(ready).unwrap_or_default()
    }

    /// What was exposed behind the backward pass.
    #[must_use]
    pub fn exposed_buckets(&self) -> Option<DurNs> {
        let buckets = self.prefill?.buckets.as_ref().ok()?;
        Some(buckets.value.exposed)
    }

    /// Layers as they ran, with what was exposed, as long as none of their times is typed.
    #[must_use]
    pub fn sequence(&self) -> Option<(Vec<Layer>, DurNs)> {
        let times = [Field::Gather, Field::Compute, Field::Scatter, Field::Layers];
        if times.into_iter().any(|field| self.is_typed(field)) {
            return None;
        }
        let found = layers(self.prefill?, self.backward).as_ref().ok()?;
        Some((sequence(&found.value), found.value.exposed))
    }

    /// Whether gathers and reduce-scatters shared a stream.
    #[must_use]
    pub fn shared_stream(&self) -> bool {
        let found = self.prefill.map(|p| layers(p, self.backward));
        found.is_some_and(|found| found.as_ref().is_ok_and(|f| f.value.shared_stream))
    }

    /// A model with all of its inputs.
    ///
    /// # Errors
    /// [`Unanswered::Dimension`] for a typed value of another dimension.
    pub fn fill(&self, model: Model) -> Result<Filled, Unanswered> {
        match model {
            Model::Streams => {
                let input = StreamsInput {
                    computation: self.time(Field::Computation)?,
                    communication: self.time(Field::Communication)?,
                };
                Ok(Filled::Streams(input, self.exposed()))
            }
            Model::Buckets => self.fill_buckets(),
            Model::Chunks => {
                let input = ChunksInput {
                    gemm: self.time(Field::Gemm)?,
                    comm: self.time(Field::Comm)?,
                    alpha: self.time(Field::ChunkAlpha)?,
                    launch: self.time(Field::Launch)?,
                    ring: false,
                };
                Ok(Filled::Chunks(input, self.count(Field::Chunks)?))
            }
            Model::Prefetch => self.fill_prefetch(),
            Model::Contention => {
                let input = ContentionInput {
                    computation: self.time(Field::Computation)?,
                    communication: self.time(Field::Communication)?,
                    k_comp: self.factor(Field::KComp)?,
                    k_comm: self.factor(Field::KComm)?,
                };
                Ok(Filled::Contention(input, self.exposed()))
            }
        }
    }

    fn fill_buckets(&self) -> Result<Filled, Unanswered> {
        let input = BucketsInput {
            backward: self.time(Field::Backward)?,
            rest: self.time(Field::Rest)?,
            link: Link {
                alpha: self.time(Field::Alpha)?,
                bus: self.rate(Field::Bus)?,
                kind: self.collective(),
                ranks: self.count(Field::Ranks)?,
            },
            gradients: Gradients::Even(self.size(Field::Size)?),
            first_cap: None,
        };
        let asked = BucketsAsked {
            sizes: vec![self.size(Field::BucketSize)?],
            ready: self.ready(),
            measured_exposed: self.exposed_buckets(),
        };
        Ok(Filled::Buckets(input, asked))
    }

    fn fill_prefetch(&self) -> Result<Filled, Unanswered> {
        let pass = if self.backward {
            let shared_stream = self.shared_stream();
            Pass::Backward { shared_stream }
        } else {
            Pass::Forward
        };
        let measured = self.sequence();
        let exposed = measured.as_ref().map(|(_, exposed)| *exposed);
        let layers = if let Some((layers, _)) = measured {
            layers
        } else {
            let scatter = self.time(Field::Scatter)?;
            let layer = Layer {
                gather: self.time(Field::Gather)?,
                compute: self.time(Field::Compute)?,
                scatter: if self.backward { scatter } else { DurNs::ZERO },
            };
            let count = usize::try_from(self.count(Field::Layers)?).unwrap_or(usize::MAX);
            // One more than there may be is refused by the model without filling the memory.
            vec![layer; count.min(1_000_001)]
        };
        let sized =
            self.get(Field::LayerSize).source.is_some() && self.get(Field::Ranks).source.is_some();
        let memory = if sized {
            let layer = self.size(Field::LayerSize)?;
            Some(Memory {
                layer,
                gradient: layer,
                ranks: self.count(Field::Ranks)?,
            })
        } else {
            None
        };
        let input = PrefetchInput { layers, pass };
        Ok(Filled::Prefetch(
            input,
            memory,
            self.count(Field::Depth)?,
            exposed,
        ))
    }

    /// Gives the inputs of an answer the sources that they have.
    pub fn tag(&self, model: Model, inputs: &mut [InputRow]) {
        for row in inputs {
            let mut fields = model.fields().iter();
            if let Some(field) = fields.find(|field| field.name() == row.name) {
                row.source = self.get(*field).source.unwrap_or(Source::Typed);
            }
            let has_buckets = self.prefill.is_some_and(|p| p.buckets.is_ok());
            if row.name == "collective" && has_buckets
                || row.name == "shared_stream" && self.sequence().is_some()
            {
                row.source = Source::Measured;
            }
        }
    }
}

impl Filled {
    pub(crate) fn rows(&self) -> Result<Rows, ModelError> {
        Ok(match self {
            Self::Streams(input, exposed) => {
                let mut rows = streams_rows(*input)?;
                let measured = exposed.map(|exposed| streams_measured(*input, exposed));
                rows.extend(measured.transpose()?);
                Rows::Streams(rows)
            }
            Self::Buckets(input, asked) => Rows::Buckets(bucket_rows(input, asked)?),
            Self::Chunks(input, chunks) => Rows::Chunks(chunk_rows(*input, &[*chunks])?),
            Self::Prefetch(input, memory, depth, exposed) => {
                Rows::Prefetch(prefetch_rows(input, *memory, &[*depth], *exposed)?)
            }
            Self::Contention(input, exposed) => {
                let mut rows = contention_rows(*input)?;
                let measured = exposed.map(|exposed| contention_measured(*input, exposed));
                rows.extend(measured.transpose()?);
                Rows::Contention(rows)
            }
        })
    }

    /// The answer, with the same rows as the command line gives.
    ///
    /// # Errors
    /// What is wrong with an input.
    pub fn answer(&self, asked: &Asked<'_>) -> Result<Answer, ModelError> {
        let (model, assumption, mut inputs) = match self {
            Self::Streams(input, _) => (Model::Streams, Assumption::STREAMS, input.inputs()),
            Self::Buckets(input, _) => (
                Model::Buckets,
                Assumption::BUCKETS,
                input.inputs(Source::Typed),
            ),
            Self::Chunks(input, _) => (Model::Chunks, Assumption::CHUNKS, input.inputs()),
            Self::Prefetch(input, memory, ..) => {
                (Model::Prefetch, Assumption::PREFETCH, input.inputs(*memory))
            }
            Self::Contention(input, _) => (
                Model::Contention,
                Assumption::CONTENTION,
                input.inputs(Source::Typed),
            ),
        };
        asked.tag(model, &mut inputs);
        let rows = match self.rows()? {
            Rows::Streams(rows) => Grid::new(&STREAMS_COLUMNS, &rows),
            Rows::Buckets(rows) => Grid::new(&BUCKETS_COLUMNS, &rows),
            Rows::Chunks(rows) => Grid::new(&CHUNKS_COLUMNS, &rows),
            Rows::Prefetch(rows) => Grid::new(&PREFETCH_COLUMNS, &rows),
            Rows::Contention(rows) => Grid::new(&CONTENTION_COLUMNS, &rows),
        };
        Ok(Answer {
            model: assumption.model,
            assumes: assumption.assumes,
            inputs: Grid::new(&INPUT_COLUMNS, &inputs),
            rows,
        })
    }
}
