//! `overlane whatif MODEL`: what a change would bring, from typed or measured numbers.

use super::args::Format;
use super::whatif_args::{
    BucketsArguments, ChunksArguments, ContentionArguments, FitArguments, ModelArguments,
    OutputArguments, PassArgument, PrefetchArguments, StreamsArguments, WhatifArguments,
};
use super::whatif_from::Measured;
use super::{CliError, Outcome, output, samples};
use crate::classify::Rules;
use crate::export;
use crate::metrics::report::{Cell, Column, Grid};
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;
use crate::whatif::table::{
    Answer, BUCKETS_COLUMNS, BucketsAsked, CHUNKS_COLUMNS, CONTENTION_COLUMNS, FIT_COLUMNS,
    INPUT_COLUMNS, InputRow, PREFETCH_COLUMNS, STREAMS_COLUMNS, Source, bucket_curve, bucket_rows,
    bucket_timeline, chunk_curve, chunk_rows, contention_curve, contention_measured,
    contention_rows, fit_curve, fit_rows, prefetch_curve, prefetch_rows, ready_rows, streams_curve,
    streams_measured, streams_rows,
};
use crate::whatif::{
    Assumption, BucketsInput, ChunksInput, ContentionInput, FitInput, Gradients, Intensity, Layer,
    Link, Memory, Model, ModelError, Pass, PrefetchInput, StreamsInput, fit, k_comp_from_bandwidth,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Asks the model and writes what it answers.
pub(super) fn run(mut asked: WhatifArguments, rules: &Arc<Rules>) -> Result<Outcome, CliError> {
    let measured = Measured::of(&asked.model, rules)?;
    let of_trace = asked.model.traces();
    let (answer, output, inputs) = match &mut asked.model {
        ModelArguments::Streams(asked) => (streams(asked, measured)?, &asked.output, [None, None]),
        ModelArguments::Buckets(asked) => {
            let answer = buckets(asked, measured)?;
            let inputs = [asked.samples.as_deref(), asked.ready.as_deref()];
            (answer, &asked.output, inputs)
        }
        ModelArguments::Chunks(asked) => (chunks(asked, measured)?, &asked.output, [None, None]),
        ModelArguments::Prefetch(asked) => {
            let answer = prefetch(asked, measured)?;
            let inputs = [asked.layer_times.as_deref(), None];
            (answer, &asked.output, inputs)
        }
        ModelArguments::Contention(asked) => {
            (contention(asked, measured)?, &asked.output, [None, None])
        }
        ModelArguments::Fit(asked) => {
            let answer = fitted(asked, measured.as_ref())?;
            (answer, &asked.output, [asked.samples.as_deref(), None])
        }
    };
    let inputs = inputs.into_iter().flatten();
    let inputs: Vec<&Path> = inputs
        .chain(of_trace.iter().map(PathBuf::as_path))
        .collect();
    write(&answer, output, &inputs)?;
    Ok(Outcome::Done)
}

/// What the argument parser or the trace made sure of.
fn there<T: Copy>(slot: Option<T>, what: &'static str) -> Result<T, CliError> {
    slot.ok_or_else(|| ModelError::Nothing(what).into())
}

fn write(answer: &Answer, asked: &OutputArguments, inputs: &[&Path]) -> Result<(), CliError> {
    let text = match asked.format {
        Format::Text => export::whatif_text(answer),
        Format::Csv => export::csv(&answer.rows),
        Format::Markdown => export::markdown(&answer.rows),
        Format::Json => export::whatif_json(answer)?,
    };
    match &asked.out {
        None => output::to_stdout(&text),
        Some(path) => output::to_file(&text, path, inputs.iter().copied()),
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

fn streams(
    asked: &mut StreamsArguments,
    mut measured: Option<Measured>,
) -> Result<Answer, CliError> {
    if let Some(measured) = &mut measured {
        measured.streams(asked)?;
    }
    let input = StreamsInput {
        computation: there(asked.computation, "the computation time")?,
        communication: there(asked.communication, "the communication time")?,
    };
    let mut rows = if asked.output.sweep {
        streams_curve(input)?
    } else {
        streams_rows(input)?
    };
    let exposed = measured.as_ref().and_then(Measured::exposed);
    if let Some(exposed) = exposed.filter(|_| !asked.output.sweep) {
        rows.push(streams_measured(input, exposed)?);
    }
    let mut inputs = input.inputs();
    if let Some(measured) = &measured {
        measured.tag(Model::Streams, &mut inputs);
    }
    Ok(answer(
        Assumption::STREAMS,
        &inputs,
        &STREAMS_COLUMNS,
        &rows,
    ))
}

fn buckets(
    asked: &mut BucketsArguments,
    mut measured: Option<Measured>,
) -> Result<Answer, CliError> {
    if let Some(measured) = &mut measured {
        measured.buckets(asked)?;
    }
    let (link, source) = link(asked, measured.as_ref())?;
    let ready = asked.ready.as_deref().map(samples::ready).transpose()?;
    let input = BucketsInput {
        backward: there(asked.backward, "the backward time")?,
        rest: asked.rest.unwrap_or(DurNs::ZERO),
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
        ready: measured.as_ref().map_or_else(Vec::new, Measured::ready),
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
    if let Some(measured) = &measured {
        measured.tag(Model::Buckets, &mut inputs);
        let typed = asked.collective.is_some();
        for row in inputs.iter_mut().filter(|row| row.name == "collective") {
            row.source = if typed { Source::Typed } else { row.source };
        }
    }
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

/// The link, and whether it was typed or fitted.
fn link(asked: &BucketsArguments, measured: Option<&Measured>) -> Result<(Link, Source), CliError> {
    let measured = measured.map_or(CollectiveKind::AllReduce, Measured::collective);
    let kind = asked.collective.map_or(measured, Into::into);
    let ranks = there(asked.ranks, "the number of ranks")?;
    if let Some(path) = &asked.samples {
        return Ok((fitted_link(path, kind, ranks)?, Source::Modelled));
    }
    let link = Link {
        alpha: there(asked.alpha, "alpha")?,
        bus: there(asked.bus_bandwidth, "bus bandwidth")?,
        kind,
        ranks,
    };
    Ok((link, Source::Typed))
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

fn chunks(asked: &mut ChunksArguments, mut measured: Option<Measured>) -> Result<Answer, CliError> {
    if let Some(measured) = &mut measured {
        measured.chunks(asked)?;
    }
    let input = ChunksInput {
        gemm: there(asked.gemm, "the product's time")?,
        comm: there(asked.comm, "the collective's time")?,
        alpha: asked.alpha,
        launch: asked.launch,
        ring: asked.ring,
    };
    let rows = if asked.output.sweep {
        chunk_curve(input)?
    } else {
        chunk_rows(input, &asked.chunks)?
    };
    let mut inputs = input.inputs();
    if let Some(measured) = &measured {
        measured.tag(Model::Chunks, &mut inputs);
    }
    Ok(answer(Assumption::CHUNKS, &inputs, &CHUNKS_COLUMNS, &rows))
}

fn prefetch(
    asked: &mut PrefetchArguments,
    mut measured: Option<Measured>,
) -> Result<Answer, CliError> {
    if let Some(measured) = &mut measured {
        measured.prefetch(asked)?;
    }
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
    let mut inputs = input.inputs(memory);
    if let Some(measured) = &measured {
        measured.tag(Model::Prefetch, &mut inputs);
    }
    Ok(answer(
        Assumption::PREFETCH,
        &inputs,
        &PREFETCH_COLUMNS,
        &rows,
    ))
}

fn contention(
    asked: &mut ContentionArguments,
    mut measured: Option<Measured>,
) -> Result<Answer, CliError> {
    if let Some(measured) = &mut measured {
        measured.contention(asked)?;
    }
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
        computation: there(asked.computation, "the computation time")?,
        communication: there(asked.communication, "the communication time")?,
        k_comp,
        k_comm: there(asked.k_comm, "k_comm")?,
    };
    let mut rows = if asked.output.sweep {
        contention_curve(input)?
    } else {
        contention_rows(input)?
    };
    let exposed = measured.as_ref().and_then(Measured::exposed);
    if let Some(exposed) = exposed.filter(|_| !asked.output.sweep) {
        rows.push(contention_measured(input, exposed)?);
    }
    let source = if intensity.is_some() {
        Source::Modelled
    } else {
        Source::Typed
    };
    let mut inputs = input.inputs(source);
    if let Some(measured) = &measured {
        measured.tag(Model::Contention, &mut inputs);
    }
    inputs.extend(intensity.iter().flat_map(Intensity::inputs));
    Ok(answer(
        Assumption::CONTENTION,
        &inputs,
        &CONTENTION_COLUMNS,
        &rows,
    ))
}

fn fitted(asked: &FitArguments, measured: Option<&Measured>) -> Result<Answer, CliError> {
    let input = match (&asked.samples, measured) {
        (None, Some(measured)) => measured.fit(asked)?,
        (path, _) => FitInput {
            samples: match path {
                Some(path) => samples::samples(path)?,
                None => Vec::new(),
            },
            kind: asked
                .collective
                .map_or(CollectiveKind::AllReduce, Into::into),
            ranks: there(asked.ranks, "the number of ranks")?,
        },
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
