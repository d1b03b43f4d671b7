//! Sharded layers whose parameters are gathered ahead of their computation: how far ahead pays.

use super::ModelError;
use super::number::not_negative;
use crate::metrics::depth_to_hide;
use crate::time::DurNs;

/// The most layers that are walked through.
pub(super) const MOST_LAYERS: usize = 1_000_000;

/// What one layer takes, in the order in which layers run (backward: the last layer first).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// All-gather of its parameters.
    pub gather: DurNs,
    /// Its computation.
    pub compute: DurNs,
    /// Reduce-scatter of its gradients; only in a backward pass.
    pub scatter: DurNs,
}

/// Which pass, and where a backward pass sends its gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Gathers and computations.
    Forward,
    /// Gathers, computations and reduce-scatters.
    Backward {
        /// Gathers and reduce-scatters queue on one stream, as where one communicator carries both.
        shared_stream: bool,
    },
}

/// The layers of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefetchInput {
    /// In the order in which they run.
    pub layers: Vec<Layer>,
    /// Which pass.
    pub pass: Pass,
}

/// What a depth brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefetch {
    /// How many layers ahead are gathered while one computes.
    pub depth: u32,
    /// From the first gather's start to the last end.
    pub total: DurNs,
    /// Sum of the computations.
    pub compute: DurNs,
    /// `total - compute`: the first gather, every wait of a layer for its parameters, the tail.
    pub exposed: DurNs,
    /// The first gather, which nothing can hide.
    pub first_gather: DurNs,
    /// How long each layer but the first waits for its parameters, in the order of layers.
    pub waits: Vec<DurNs>,
    /// What of the reduce-scatters runs after the last computation.
    pub tail: DurNs,
    /// The sum of everything: no overlap at all.
    pub serial: DurNs,
}

/// Simulates a pass: gathers run one after another, and that of layer `i` may start once layer
/// `i - depth` computes, so that at most `depth` layers are held beside the one that computes.
///
/// With equal layers a wait is `max(0, gather - compute)` whatever the depth; more depth only lets
/// short gathers pay for long ones. On a shared stream a reduce-scatter stands in front of the
/// gathers that were queued behind it, and waits for its computation there.
///
/// # Errors
/// [`ModelError`] without layers, without a prefetch, for negative times, and for sums that cannot
/// be told.
pub fn prefetch(input: &PrefetchInput, depth: u32) -> Result<Prefetch, ModelError> {
    check(input)?;
    if depth == 0 {
        return Err(ModelError::NotPositive("the depth"));
    }
    let ahead = usize::try_from(depth).unwrap_or(usize::MAX);
    let (backward, shared) = match input.pass {
        Pass::Forward => (false, false),
        Pass::Backward { shared_stream } => (true, shared_stream),
    };
    let mut walk = Walk::default();
    for (i, layer) in input.layers.iter().enumerate() {
        if shared && let Some(done) = i.checked_sub(ahead.saturating_add(1)) {
            walk.scatter(&input.layers, done, true);
        }
        let may_start = i.checked_sub(ahead).and_then(|j| walk.started.get(j));
        walk.gathered = walk.gathered.max(may_start.copied().unwrap_or_default()) + layer.gather;
        let start = walk.computed.max(walk.gathered);
        walk.waits.push(start - walk.computed);
        walk.started.push(start);
        walk.computed = start + layer.compute;
        walk.ends.push(walk.computed);
    }
    if backward {
        let first = walk.scattered_layers;
        for done in first..input.layers.len() {
            walk.scatter(&input.layers, done, shared);
        }
    }
    let end = walk.computed.max(walk.scattered);
    let compute: DurNs = input.layers.iter().map(|l| l.compute).sum();
    let mut waits = walk.waits;
    let first_gather = if waits.is_empty() {
        DurNs::ZERO
    } else {
        waits.remove(0)
    };
    Ok(Prefetch {
        depth,
        total: end,
        compute,
        exposed: end - compute,
        first_gather,
        waits,
        tail: end - walk.computed,
        serial: input
            .layers
            .iter()
            .map(|l| l.gather + l.compute + l.scatter)
            .sum(),
    })
}

/// Where each engine stands. Sums were checked to fit before.
#[derive(Default)]
struct Walk {
    /// End of the last gather; with a shared stream, of the last that the stream ran.
    gathered: DurNs,
    /// End of the last computation.
    computed: DurNs,
    /// End of the last reduce-scatter.
    scattered: DurNs,
    scattered_layers: usize,
    started: Vec<DurNs>,
    ends: Vec<DurNs>,
    waits: Vec<DurNs>,
}

impl Walk {
    fn scatter(&mut self, layers: &[Layer], layer: usize, shared: bool) {
        let ready = self.ends.get(layer).copied().unwrap_or_default();
        let takes = layers.get(layer).map(|l| l.scatter).unwrap_or_default();
        let free = if shared {
            self.gathered
        } else {
            self.scattered
        };
        self.scattered = free.max(ready) + takes;
        if shared {
            self.gathered = self.scattered;
        }
        self.scattered_layers = layer + 1;
    }
}

fn check(input: &PrefetchInput) -> Result<(), ModelError> {
    if input.layers.is_empty() {
        return Err(ModelError::Nothing("the sequence of layers"));
    }
    if input.layers.len() > MOST_LAYERS {
        return Err(ModelError::TooMany {
            what: "layers",
            limit: 1_000_000,
            advice: "take one pass of the model",
        });
    }
    let mut sum = 0_i64;
    let mut compute = 0_i64;
    for layer in &input.layers {
        for (time, what) in [
            (layer.gather, "a gather time"),
            (layer.compute, "a compute time"),
            (layer.scatter, "a reduce-scatter time"),
        ] {
            not_negative(time, what)?;
            // No schedule takes longer than all of it in a row.
            sum = sum
                .checked_add(time.0)
                .ok_or(ModelError::OutOfRange("the sum of all times"))?;
        }
        compute = compute.max(layer.compute.0);
    }
    if compute == 0 {
        return Err(ModelError::NotPositive("the compute time"));
    }
    Ok(())
}

/// `D = ceil(T_comm / T_comp)` of the mean times: how many computations a gather would need to hide
/// behind. With equal layers it promises too much: gathers queue, so where a gather takes longer
/// than a computation every layer waits, however deep.
///
/// # Errors
/// As [`prefetch()`].
pub fn rule_of_thumb(input: &PrefetchInput) -> Result<u64, ModelError> {
    check(input)?;
    let gather: DurNs = input.layers.iter().map(|l| l.gather).sum();
    let compute: DurNs = input.layers.iter().map(|l| l.compute).sum();
    depth_to_hide(gather, compute).ok_or(ModelError::NotPositive("the compute time"))
}

/// What a layer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Unsharded parameters of a layer, in bytes; of unequal layers the largest.
    pub layer: u64,
    /// Unsharded gradients of a layer, in bytes.
    pub gradient: u64,
    /// Ranks over which they are sharded; at least 2.
    pub ranks: u32,
}

/// Memory in bytes that a depth takes more than no prefetch: `D (1 - 1/P) S`, since each rank holds
/// its `1/P` anyway; in a backward pass also the unsharded gradients of a layer.
///
/// # Errors
/// [`ModelError`] for less than 2 ranks, no depth or size, or more than 2^53 bytes.
pub fn extra_memory(memory: Memory, pass: Pass, depth: u32) -> Result<u64, ModelError> {
    if memory.ranks < 2 {
        return Err(ModelError::TooFewRanks);
    }
    if depth == 0 {
        return Err(ModelError::NotPositive("the depth"));
    }
    if memory.layer == 0 {
        return Err(ModelError::NotPositive("the size of a layer"));
    }
    let ranks = u128::from(memory.ranks);
    let parameters = u128::from(depth) * u128::from(memory.layer) * (ranks - 1) / ranks;
    let gradient = match pass {
        Pass::Forward => 0,
        Pass::Backward { .. } => u128::from(memory.gradient),
    };
    u64::try_from(parameters + gradient)
        .ok()
        .filter(|bytes| *bytes < super::number::EXACT)
        .ok_or(ModelError::OutOfRange("the extra memory"))
}

#[cfg(test)]
mod tests;
