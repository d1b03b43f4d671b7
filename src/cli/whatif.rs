//! `overlane whatif MODEL`: what a change would bring, from typed or measured numbers.

use super::args::Format;
use super::whatif_args::{
    BucketsArguments, ChunksArguments, ContentionArguments, FitArguments, ModelArguments,
    OutputArguments, PassArgument, PrefetchArguments, StreamsArguments, WhatifArguments,
};
use super::{CliError, Outcome, output, samples};
use crate::export;
use crate::metrics::report::{Cell, Column, Grid};
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;
use crate::whatif::table::{
    Answer, BUCKETS_COLUMNS, BucketsAsked, CHUNKS_COLUMNS, CONTENTION_COLUMNS, FIT_COLUMNS,
    INPUT_COLUMNS, InputRow, PREFETCH_COLUMNS, STREAMS_COLUMNS, Source, bucket_curve, bucket_rows,
    bucket_timeline, chunk_curve, chunk_rows, contention_curve, contention_rows, fit_curve,
    fit_rows, prefetch_curve, prefetch_rows, ready_rows, streams_curve, streams_rows,
};
use crate::whatif::{
    Assumption, BucketsInput, ChunksInput, ContentionInput, FitInput, Gradients, Intensity, Layer,
    Link, Memory, ModelError, Pass, PrefetchInput, StreamsInput, fit, k_comp_from_bandwidth,
};
use std::path::Path;

/// Asks the model and writes what it answers.
pub(super) fn run(asked: &WhatifArguments) -> Result<Outcome, CliError> {
    let (answer, output, inputs) = match &asked.model {
        ModelArguments::Streams(asked) => (streams(asked)?, &asked.output, [None, None]),
        ModelArguments::Buckets(asked) => {
            let inputs = [asked.samples.as_deref(), asked.ready.as_deref()];
            (buckets(asked)?, &asked.output, inputs)
        }
        ModelArguments::Chunks(asked) => (chunks(asked)?, &asked.output, [None, None]),
        ModelArguments::Prefetch(asked) => {
            let inputs = [asked.layer_times.as_deref(), None];
            (prefetch(asked)?, &asked.output, inputs)
        }
        ModelArguments::Contention(asked) => (contention(asked)?, &asked.output, [None, None]),
        ModelArguments::Fit(asked) => {
            let inputs = [Some(asked.samples.as_path()), None];
            (fitted(asked)?, &asked.output, inputs)
        }
    };
    write(&answer, output, &inputs)?;
    Ok(Outcome::Done)
}

fn write(
    answer: &Answer,
    asked: &OutputArguments,
    inputs: &[Option<&Path>],
) -> Result<(), CliError> {
    let text = match asked.format {
        Format::Text => export::whatif_text(answer),
        Format::Csv => export::csv(&answer.rows),
        Format::Markdown => export::markdown(&answer.rows),
        Format::Json => export::whatif_json(answer)?,
    };
    match &asked.out {
        None => output::to_stdout(&text),
        Some(path) => output::to_file(&text, path, inputs.iter().copied().flatten()),
    }
}

fn answer<R>(model: Assumption, inputs: &[InputRow], columns: &[Column<R>], rows: &[R]) -> Answer {
    Answer {
        model: model.model,
        assumes: model.assumes,
        inputs: Grid::new(&INPUT_COLUMNS, inputs),
        rows: Grid::new(columns, rows),
    }
}

fn streams(asked: &StreamsArguments) -> Result<Answer, CliError> {
    let input = StreamsInput {
        computation: asked.computation,
        communication: asked.communication,
    };
    let rows = if asked.output.sweep {
        streams_curve(input)?
    } else {
        streams_rows(input)?
    };
    Ok(answer(
        Assumption::STREAMS,
        &input.inputs(),
        &STREAMS_COLUMNS,
        &rows,
    ))
}

fn buckets(asked: &BucketsArguments) -> Result<Answer, CliError> {
    let kind = asked.collective.into();
    let (link, source) = match (asked.alpha, asked.bus_bandwidth, &asked.samples) {
        (_, _, Some(path)) => (fitted_link(path, kind, asked.ranks)?, Source::Modelled),
        (Some(alpha), Some(bus), None) => {
            let ranks = asked.ranks;
            (
                Link {
                    alpha,
                    bus,
                    kind,
                    ranks,
                },
                Source::Typed,
            )
        }
        // The argument parser asks for both.
        _ => return Err(ModelError::Nothing("alpha and bus bandwidth").into()),
    };
    let ready = asked.ready.as_deref().map(samples::ready).transpose()?;
    let input = BucketsInput {
        backward: asked.backward,
        rest: asked.rest,
        link,
        gradients: match (asked.size, &ready) {
            (Some(bytes), _) => Gradients::Even(bytes),
            (None, Some(ready)) => {
                Gradients::Parameters(ready.iter().map(|bucket| bucket.bytes).collect())
            }
            (None, None) => Gradients::Parameters(asked.parameters.clone()),
        },
        first_cap: asked.first_bucket,
    };
    let more = BucketsAsked {
        sizes: asked.bucket_size.clone(),
        ready: Vec::new(),
        measured_exposed: asked.measured_exposed,
    };
    let rows = match (&ready, asked.bucket_size.as_slice()) {
        (Some(ready), _) => ready_rows(&input, ready, &more)?,
        (None, [size]) if asked.timeline => bucket_timeline(&input, *size)?,
        (None, _) if asked.timeline => return Err(CliError::OneBucketSize),
        (None, sizes) if asked.output.sweep => bucket_curve(&input, sizes)?,
        (None, _) => bucket_rows(&input, &more)?,
    };
    let mut inputs = input.inputs(source);
    if let Some(ready) = &ready {
        inputs.retain(|row| row.name != "parameters_bytes");
        inputs.push(InputRow {
            name: "ready_buckets",
            value: Cell::Int(i128::try_from(ready.len()).unwrap_or(i128::MAX)),
            source: Source::Measured,
        });
    }
    Ok(answer(
        Assumption::BUCKETS,
        &inputs,
        &BUCKETS_COLUMNS,
        &rows,
    ))
}

fn fitted_link(path: &Path, kind: CollectiveKind, ranks: u32) -> Result<Link, CliError> {
    let samples = samples::samples(path)?;
    let fit = fit(&FitInput {
        samples,
        kind,
        ranks,
    })?;
    Ok(Link {
        alpha: fit.alpha,
        bus: fit.bus,
        kind,
        ranks,
    })
}

fn chunks(asked: &ChunksArguments) -> Result<Answer, CliError> {
    let input = ChunksInput {
        gemm: asked.gemm,
        comm: asked.comm,
        alpha: asked.alpha,
        launch: asked.launch,
        ring: asked.ring,
    };
    let rows = if asked.output.sweep {
        chunk_curve(input)?
    } else {
        chunk_rows(input, &asked.chunks)?
    };
    Ok(answer(
        Assumption::CHUNKS,
        &input.inputs(),
        &CHUNKS_COLUMNS,
        &rows,
    ))
}

fn prefetch(asked: &PrefetchArguments) -> Result<Answer, CliError> {
    let layers = match (&asked.layer_times, asked.gather) {
        (Some(path), _) => samples::layers(path)?,
        (None, Some(gather)) => {
            let layer = Layer {
                gather,
                compute: asked.compute.unwrap_or(DurNs::ZERO),
                scatter: asked.reduce_scatter.unwrap_or(DurNs::ZERO),
            };
            let count = usize::try_from(asked.layers.unwrap_or(0)).unwrap_or(usize::MAX);
            // One more than there may be is refused by the model without filling the memory.
            vec![layer; count.min(1_000_001)]
        }
        (None, None) => asked.sequence.clone(),
    };
    let backward = asked.pass == PassArgument::Backward;
    if !backward && (asked.shared_stream || layers.iter().any(|l| l.scatter > DurNs::ZERO)) {
        return Err(CliError::OnlyBackward);
    }
    let pass = if backward {
        let shared_stream = asked.shared_stream;
        Pass::Backward { shared_stream }
    } else {
        Pass::Forward
    };
    let memory = match (asked.layer_size, asked.ranks) {
        (Some(layer), Some(ranks)) => Some(Memory {
            layer,
            gradient: asked.gradient_size.unwrap_or(layer),
            ranks,
        }),
        _ => None,
    };
    let input = PrefetchInput { layers, pass };
    let rows = if asked.output.sweep {
        prefetch_curve(&input, memory)?
    } else {
        prefetch_rows(&input, memory, &asked.depth, asked.measured_exposed)?
    };
    Ok(answer(
        Assumption::PREFETCH,
        &input.inputs(memory),
        &PREFETCH_COLUMNS,
        &rows,
    ))
}

fn contention(asked: &ContentionArguments) -> Result<Answer, CliError> {
    let typed = (
        asked.gamma,
        asked.intensity,
        asked.comm_memory_bandwidth,
        asked.peak_memory_bandwidth,
    );
    let (k_comp, intensity) = match (asked.k_comp, typed) {
        (Some(k), _) => (k, None),
        (None, (Some(gamma), Some(intensity), Some(comm), Some(peak))) => {
            let typed = Intensity {
                gamma,
                intensity,
                comm,
                peak,
            };
            (k_comp_from_bandwidth(typed)?, Some(typed))
        }
        // The argument parser asks for the one or the other.
        _ => return Err(ModelError::Nothing("k_comp").into()),
    };
    let input = ContentionInput {
        computation: asked.computation,
        communication: asked.communication,
        k_comp,
        k_comm: asked.k_comm,
    };
    let rows = if asked.output.sweep {
        contention_curve(input)?
    } else {
        contention_rows(input)?
    };
    let source = if intensity.is_some() {
        Source::Modelled
    } else {
        Source::Typed
    };
    let mut inputs = input.inputs(source);
    inputs.extend(intensity.iter().flat_map(Intensity::inputs));
    Ok(answer(
        Assumption::CONTENTION,
        &inputs,
        &CONTENTION_COLUMNS,
        &rows,
    ))
}

fn fitted(asked: &FitArguments) -> Result<Answer, CliError> {
    let input = FitInput {
        samples: samples::samples(&asked.samples)?,
        kind: asked.collective.into(),
        ranks: asked.ranks,
    };
    let rows = if asked.output.sweep {
        fit_curve(&input)?
    } else {
        fit_rows(&input)?
    };
    Ok(answer(
        Assumption::FIT,
        &input.inputs(),
        &FIT_COLUMNS,
        &rows,
    ))
}
