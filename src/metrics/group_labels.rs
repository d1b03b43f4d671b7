//! What a process group is for: data, sharded data, tensor, pipeline or expert parallelism.
//!
//! Told by the user, else by the words of its description, else by its kinds of collectives, their sizes
//! and what host events name. Where these do not decide, it is unknown: a wrong label misleads.

use super::{CollectiveRow, CommGroupRow, OfDevice as _, Query, collective_rows};
use crate::trace::class::CollectiveKind;
use crate::trace::{DeviceId, RankId, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Fewer collectives than this tell nothing by their kinds.
const LEAST_OF_A_GROUP: usize = 4;
/// All-reduces of one size that are at least this many, ...
const LEAST_ALIKE: usize = 8;
/// ... and at least this many percent of their group, are of activations.
const ALIKE_PERCENT: usize = 80;

/// The evidence of what the user says.
pub(super) const GIVEN: &str = "given by the user";

/// How work is divided over the ranks of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parallelism {
    /// Each rank has the whole model and a part of the batch.
    Data,
    /// The same, and parameters are sharded.
    Sharded,
    /// Each rank has a part of every layer.
    Tensor,
    /// Each rank has some of the layers.
    Pipeline,
    /// Each rank has some of the experts.
    Expert,
    /// Nothing tells.
    Unknown,
}

impl Parallelism {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Data,
        Self::Sharded,
        Self::Tensor,
        Self::Pipeline,
        Self::Expert,
        Self::Unknown,
    ];

    /// The word in tables and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "DP",
            Self::Sharded => "FSDP",
            Self::Tensor => "TP",
            Self::Pipeline => "PP",
            Self::Expert => "EP",
            Self::Unknown => "unknown",
        }
    }

    /// What its communication is expected to hide behind, in words; empty for [`Self::Unknown`].
    #[must_use]
    pub fn hides_behind(self) -> &'static str {
        match self {
            Self::Data => "the rest of the backward pass; the last bucket behind nothing",
            Self::Sharded => {
                "the layer before, forward and backward; the first gather and the last scatter behind nothing"
            }
            Self::Tensor => "other chunks of the same layer's products, if they are cut",
            Self::Pipeline => "other micro-batches of the stage",
            Self::Expert => "shared experts or another micro-batch",
            Self::Unknown => "",
        }
    }

    /// Understands such a word, in any case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|p| p.name().eq_ignore_ascii_case(word))
    }
}

/// What a process group of one device is for, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupLabel {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// Name of the group; `None` for communication that names none.
    pub group: Option<Arc<str>>,
    /// What it is for.
    pub parallelism: Parallelism,
    /// Why, in words.
    pub evidence: String,
}

/// What the user says of groups, by their names.
pub type TypedGroups = BTreeMap<String, Parallelism>;

/// One label for each process group of each device.
#[must_use]
pub fn group_labels(trace: &Trace, query: &Query, typed: &TypedGroups) -> Vec<GroupLabel> {
    group_labels_of(trace, &collective_rows(trace, query), typed)
}

/// The same where the collectives were listed before.
#[must_use]
pub fn group_labels_of(
    trace: &Trace,
    rows: &[CollectiveRow],
    typed: &TypedGroups,
) -> Vec<GroupLabel> {
    type Key = (RankId, DeviceId, Option<Arc<str>>);
    let hints = Hints::of(trace);
    let mut groups: BTreeMap<Key, Vec<&CollectiveRow>> = BTreeMap::new();
    for row in rows {
        let key = (row.slice.rank, row.device, row.group.clone());
        groups.entry(key).or_default().push(row);
    }
    let label = |((rank, device, group), rows): (Key, Vec<&CollectiveRow>)| {
        let told = group.as_deref().and_then(|name| typed.get(name));
        let (parallelism, evidence) = match told {
            Some(told) => (*told, GIVEN.to_owned()),
            None => by_description(&rows).unwrap_or_else(|| by_kinds(&rows, hints)),
        };
        GroupLabel {
            rank,
            device,
            group,
            parallelism,
            evidence,
        }
    };
    groups.into_iter().map(label).collect()
}

/// Sets what the trace tells of each row's process group.
pub fn label_comm_groups(trace: &Trace, query: &Query, rows: &mut [CommGroupRow]) {
    let labels = group_labels(trace, query, &TypedGroups::new());
    for row in rows {
        let is_own = |l: &&GroupLabel| (l.rank, l.device) == row.device() && l.group == row.group;
        row.told = labels.iter().find(is_own).cloned();
    }
}

/// Sets what the user says of them.
pub fn type_comm_groups(rows: &mut [CommGroupRow], typed: &TypedGroups) {
    for row in rows {
        row.typed = row
            .group
            .as_deref()
            .and_then(|name| typed.get(name))
            .copied();
    }
}

/// Words of descriptions, as frameworks write them. What is sharded counts before what is data.
const WORDS: [(&str, Parallelism); 12] = [
    ("fsdp", Parallelism::Sharded),
    ("shard", Parallelism::Sharded),
    ("zero", Parallelism::Sharded),
    ("tp", Parallelism::Tensor),
    ("tensor", Parallelism::Tensor),
    ("pp", Parallelism::Pipeline),
    ("pipeline", Parallelism::Pipeline),
    ("ep", Parallelism::Expert),
    ("expert", Parallelism::Expert),
    ("dp", Parallelism::Data),
    ("ddp", Parallelism::Data),
    ("data", Parallelism::Data),
];

fn by_description(rows: &[&CollectiveRow]) -> Option<(Parallelism, String)> {
    let text = rows.iter().find_map(|r| r.description.as_deref())?;
    let of = described(text)?;
    Some((of, format!("its description is {text}")))
}

/// What a description says, where it says one thing.
fn described(text: &str) -> Option<Parallelism> {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let meaning = |word| WORDS.iter().find(|(known, _)| *known == word).map(|w| w.1);
    let mut said: BTreeSet<Parallelism> = words.filter_map(meaning).collect();
    if said.contains(&Parallelism::Sharded) {
        said.remove(&Parallelism::Data);
    }
    let first = said.first().copied();
    first.filter(|_| said.len() == 1)
}

/// What names of the trace tell.
#[derive(Clone, Copy, Default)]
struct Hints {
    shards: bool,
    replicates: bool,
    experts: bool,
}

impl Hints {
    fn of(trace: &Trace) -> Self {
        let mut hints = Self::default();
        for (_, name) in trace.names.iter() {
            let name = name.to_ascii_lowercase();
            let has = |pieces: &[&str]| pieces.iter().any(|piece| name.contains(piece));
            hints.shards |= has(&["fsdp", "fullysharded", "fully_shard", "zero3"]);
            hints.replicates |= has(&["distributeddataparallel", "torch::distributed::reducer"]);
            hints.experts |= has(&["fused_moe", "moe_", "_moe", "experts", "deep_ep"]);
        }
        hints
    }
}

fn by_kinds(rows: &[&CollectiveRow], hints: Hints) -> (Parallelism, String) {
    use CollectiveKind as K;
    let unknown = |why: &str| (Parallelism::Unknown, why.to_owned());
    let is = |kinds: &'static [K]| {
        move |r: &&&CollectiveRow| r.kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let count = |kinds: &'static [K]| rows.iter().filter(is(kinds)).count();
    if rows.iter().any(|r| r.kernel.contains("deep_ep")) {
        return (Parallelism::Expert, "kernels of DeepEP".to_owned());
    }
    if rows.len() < LEAST_OF_A_GROUP {
        return unknown("fewer than 4 collectives");
    }
    let gathers = count(&[K::AllGather]);
    let scatters = count(&[K::ReduceScatter]);
    if count(&[K::Send, K::Recv]) == rows.len() {
        return (
            Parallelism::Pipeline,
            "only sends and receives between two ranks".to_owned(),
        );
    }
    if count(&[K::AllToAll]) * 2 >= rows.len() {
        return if hints.experts {
            (
                Parallelism::Expert,
                "mostly all-to-alls, and names speak of experts".to_owned(),
            )
        } else {
            unknown("mostly all-to-alls, but no name speaks of experts")
        };
    }
    if gathers > 0 && (gathers + scatters) * 2 >= rows.len() {
        return if hints.shards {
            (
                Parallelism::Sharded,
                format!(
                    "{gathers} all-gathers and {scatters} reduce-scatters, and names speak of sharding"
                ),
            )
        } else {
            unknown("all-gathers: of sharded parameters, or of activations")
        };
    }
    if count(&[K::AllReduce]) * 2 >= rows.len() {
        return by_all_reduces(rows, hints);
    }
    unknown("its kinds of collectives do not tell")
}

/// Gradients come in a few large buckets of several sizes, activations often and in one size.
fn by_all_reduces(rows: &[&CollectiveRow], hints: Hints) -> (Parallelism, String) {
    let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
    let reduces = rows
        .iter()
        .filter(|r| r.kind == Some(CollectiveKind::AllReduce));
    for bytes in reduces.filter_map(|r| r.bytes) {
        *sizes.entry(bytes).or_default() += 1;
    }
    let most = sizes.iter().max_by_key(|(_, n)| **n);
    let alike = most.filter(|(_, n)| **n >= LEAST_ALIKE && **n * 100 >= rows.len() * ALIKE_PERCENT);
    match alike {
        Some((bytes, n)) if !hints.replicates => (
            Parallelism::Tensor,
            format!("{n} all-reduces of {bytes} bytes, as of activations"),
        ),
        None if hints.replicates => (
            Parallelism::Data,
            "all-reduces of several sizes, and names speak of DistributedDataParallel".to_owned(),
        ),
        _ => (
            Parallelism::Unknown,
            "all-reduces: of gradients or of activations".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_say_one_thing_or_nothing() {
        for (text, said) in [
            ("mesh_tp", Some(Parallelism::Tensor)),
            ("TENSOR_MODEL_PARALLEL_GROUP", Some(Parallelism::Tensor)),
            ("mesh_dp_shard", Some(Parallelism::Sharded)),
            ("DATA_PARALLEL_GROUP", Some(Parallelism::Data)),
            ("PIPELINE_MODEL_PARALLEL_GROUP", Some(Parallelism::Pipeline)),
            ("EXPERT_MODEL_PARALLEL_GROUP", Some(Parallelism::Expert)),
            ("EXPERT_DATA_PARALLEL_GROUP", None),
            ("default_pg", None),
            ("http", None),
            ("", None),
        ] {
            assert_eq!(described(text), said, "{text}");
        }
    }

    #[test]
    fn words_are_understood_in_any_case() {
        for known in Parallelism::ALL {
            let lower = known.name().to_ascii_lowercase();
            assert_eq!(Parallelism::parse(&lower), Some(known));
        }
        assert_eq!(Parallelism::parse("XP"), None);
    }
}
