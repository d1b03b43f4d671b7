//! `overlane whatif MODEL --from PATH`: what is not typed is measured in a trace.

use super::whatif_args::{
    BucketsArguments, ChunksArguments, ContentionArguments, FitArguments, ModelArguments,
    PassArgument, PrefetchArguments, StreamsArguments,
};
use super::{CliError, output, overlap, progress, select};
use crate::classify::Rules;
use crate::ingest::LoadOptions;
use crate::metrics::{self, Observed, Prefill, Query};
use crate::time::DurNs;
use crate::trace::Trace;
use crate::whatif::table::{InputRow, Source};
use crate::whatif::{
    Asked, Bandwidth, Field, FitInput, Model, Quantity, Ready, Slowing, measured_samples,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What a trace shows, beside what was typed.
pub(super) struct Measured {
    prefill: Prefill,
    slowing: Option<Slowing>,
    typed: BTreeMap<Field, Quantity>,
    backward: bool,
}

impl Measured {
    /// Measures, where there is something to measure in.
    pub(super) fn of(model: &ModelArguments, rules: &Arc<Rules>) -> Result<Option<Self>, CliError> {
        let asked = model.from();
        if asked.from.is_empty() {
            return Ok(None);
        }
        let trace = progress::load(&asked.from, Arc::clone(rules), LoadOptions::default())?;
        select::bad_files(&trace);
        select::left_out(&trace);
        let query = select::query(&asked.selectors(), &trace)?;
        let device = query.devices(&trace).next();
        let prefill =
            device.and_then(|(rank, device)| metrics::prefill(&trace, rank, device, &query));
        let prefill = prefill.ok_or(CliError::NothingMeasured)?;
        output::note(&format!(
            "measured on device {} of rank {}",
            prefill.device.0, prefill.rank.0
        ));
        let slowing = match model {
            ModelArguments::Contention(contention) if contention.lacks_factors() => {
                slowing(&contention.baseline, rules, &trace, &query, &prefill)?
            }
            _ => None,
        };
        Ok(Some(Self {
            prefill,
            slowing,
            typed: BTreeMap::new(),
            backward: matches!(model, ModelArguments::Prefetch(asked) if is_backward(asked)),
        }))
    }

    fn asked(&self) -> Asked<'_> {
        Asked {
            typed: &self.typed,
            prefill: Some(&self.prefill),
            slowing: self.slowing,
            backward: self.backward,
        }
    }

    /// Fills what was not typed.
    fn fill<T: Copy>(
        &mut self,
        slot: &mut Option<T>,
        field: Field,
        wrap: impl Fn(T) -> Quantity,
        unwrap: impl Fn(Quantity) -> Option<T>,
    ) -> Result<(), CliError> {
        if let Some(value) = slot {
            self.typed.insert(field, wrap(*value));
            return Ok(());
        }
        let given = self.asked().get(field);
        if given.source.is_none() {
            return Err(CliError::NotMeasured {
                flag: field.flag(),
                how: format!("{} is {}", field.name(), given.how),
            });
        }
        if given.source != Some(Source::Typed) {
            output::note(&format!("{}: {}", field.name(), given.how));
        }
        *slot = unwrap(given.value);
        Ok(())
    }

    fn time(&mut self, slot: &mut Option<DurNs>, field: Field) -> Result<(), CliError> {
        self.fill(slot, field, Quantity::Time, |value| match value {
            Quantity::Time(time) => Some(time),
            _ => None,
        })
    }

    fn size(&mut self, slot: &mut Option<u64>, field: Field) -> Result<(), CliError> {
        self.fill(slot, field, Quantity::Size, |value| match value {
            Quantity::Size(bytes) => Some(bytes),
            _ => None,
        })
    }

    fn count(&mut self, slot: &mut Option<u32>, field: Field) -> Result<(), CliError> {
        self.fill(slot, field, Quantity::Count, |value| match value {
            Quantity::Count(count) => Some(count),
            _ => None,
        })
    }

    fn rate(&mut self, slot: &mut Option<Bandwidth>) -> Result<(), CliError> {
        self.fill(slot, Field::Bus, Quantity::Rate, |value| match value {
            Quantity::Rate(rate) => Some(rate),
            _ => None,
        })
    }

    pub(super) fn streams(&mut self, asked: &mut StreamsArguments) -> Result<(), CliError> {
        self.time(&mut asked.computation, Field::Computation)?;
        self.time(&mut asked.communication, Field::Communication)
    }

    pub(super) fn contention(&mut self, asked: &mut ContentionArguments) -> Result<(), CliError> {
        self.time(&mut asked.computation, Field::Computation)?;
        self.time(&mut asked.communication, Field::Communication)?;
        if asked.gamma.is_none() {
            self.factor(&mut asked.k_comp, Field::KComp)?;
        }
        self.factor(&mut asked.k_comm, Field::KComm)
    }

    /// Fills a factor; no slowing is not taken for granted where none was measured.
    fn factor(&mut self, slot: &mut Option<f64>, field: Field) -> Result<(), CliError> {
        let given = self.asked().get(field);
        if slot.is_none() && given.source != Some(Source::Measured) {
            return Err(CliError::NotMeasured {
                flag: field.flag(),
                how: format!("{} is {}", field.name(), given.how),
            });
        }
        self.fill(slot, field, Quantity::Factor, |value| match value {
            Quantity::Factor(factor) => Some(factor),
            _ => None,
        })
    }

    pub(super) fn chunks(&mut self, asked: &mut ChunksArguments) -> Result<(), CliError> {
        self.time(&mut asked.gemm, Field::Gemm)?;
        self.time(&mut asked.comm, Field::Comm)
    }

    pub(super) fn buckets(&mut self, asked: &mut BucketsArguments) -> Result<(), CliError> {
        self.time(&mut asked.backward, Field::Backward)?;
        self.time(&mut asked.rest, Field::Rest)?;
        if asked.parameters.is_empty() && asked.ready.is_none() {
            self.size(&mut asked.size, Field::Size)?;
            if asked.bucket_size.is_empty() {
                let mut cap = None;
                self.size(&mut cap, Field::BucketSize)?;
                asked.bucket_size.extend(cap);
            }
        } else {
            // Buckets as they were do not go with other gradients.
            self.typed.insert(Field::Size, Quantity::Size(0));
        }
        if asked.samples.is_none() {
            self.time(&mut asked.alpha, Field::Alpha)?;
            self.rate(&mut asked.bus_bandwidth)?;
        }
        self.count(&mut asked.ranks, Field::Ranks)?;
        asked.measured_exposed = asked.measured_exposed.or(self.asked().exposed_buckets());
        Ok(())
    }

    pub(super) fn prefetch(&mut self, asked: &mut PrefetchArguments) -> Result<(), CliError> {
        let is_typed =
            asked.gather.is_some() || !asked.sequence.is_empty() || asked.layer_times.is_some();
        if is_typed {
            for field in [Field::Gather, Field::Compute, Field::Scatter, Field::Layers] {
                self.typed.insert(field, Quantity::Count(0));
            }
        } else {
            let given = self.asked().get(Field::Layers);
            let Some((layers, exposed)) = self.asked().sequence() else {
                return Err(CliError::NotMeasured {
                    flag: "--sequence, or --gather, --compute and --layers",
                    how: format!("the layers are {}", given.how),
                });
            };
            output::note(&format!("layers: {}", given.how));
            asked.sequence = layers;
            asked.measured_exposed = asked.measured_exposed.or(Some(exposed));
            asked.shared_stream |= self.asked().shared_stream();
        }
        // Without these two there are only no figures of memory.
        self.size(&mut asked.layer_size, Field::LayerSize).ok();
        self.count(&mut asked.ranks, Field::Ranks).ok();
        Ok(())
    }

    pub(super) fn fit(&self, asked: &FitArguments) -> Result<FitInput, CliError> {
        let (mut input, how) =
            measured_samples(&self.prefill).map_err(|how| CliError::NotMeasured {
                flag: "--samples",
                how: format!("the samples are not measured: {how}"),
            })?;
        output::note(&format!("samples: {how}"));
        input.kind = asked.collective.map_or(input.kind, Into::into);
        input.ranks = asked.ranks.unwrap_or(input.ranks);
        Ok(input)
    }

    /// Buckets as they were sent.
    pub(super) fn ready(&self) -> Vec<Ready> {
        self.asked().ready()
    }

    /// What was exposed of the window.
    pub(super) fn exposed(&self) -> Option<DurNs> {
        self.asked().exposed()
    }

    /// Which collective sends the gradients.
    pub(super) fn collective(&self) -> crate::trace::class::CollectiveKind {
        self.asked().collective()
    }

    /// Gives inputs the sources that they have; what was fitted from a file of samples keeps its own.
    pub(super) fn tag(&self, model: Model, inputs: &mut [InputRow]) {
        let fitted: Vec<InputRow> = inputs
            .iter()
            .filter(|row| row.source == Source::Modelled)
            .cloned()
            .collect();
        self.asked().tag(model, inputs);
        for row in inputs {
            if fitted.iter().any(|fitted| fitted.name == row.name) {
                row.source = Source::Modelled;
            }
        }
    }
}

/// How much both sides slow each other, where the trace tells it; a trace of the run without overlap
/// helps.
fn slowing(
    baseline: &[PathBuf],
    rules: &Arc<Rules>,
    trace: &Trace,
    query: &Query,
    of: &Prefill,
) -> Result<Option<Slowing>, CliError> {
    let observed = Observed {
        trace,
        launches: &overlap::launches(trace),
        query: Query {
            rank: Some(of.rank),
            device: Some(of.device),
            ..*query
        },
    };
    let found = overlap::beside(&observed, baseline, rules, LoadOptions::default())?;
    Ok(found.first().map(Slowing::of))
}

/// Whether the backward pass is meant.
fn is_backward(asked: &PrefetchArguments) -> bool {
    asked.pass == PassArgument::Backward
}
