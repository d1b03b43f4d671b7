//! [`GradientBuckets`]: what a backward pass sent, how large each was and when it was ready.

use super::serving::{Ran, ServingStep, launch};
use super::{BackwardPass, Found, FoundOrWhy};
use crate::metrics::CollectiveRow;
use crate::time::{DurNs, Ns, Window};
use crate::trace::Rank;
use crate::trace::class::CollectiveKind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One bucket as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GradientBucket {
    /// Bytes of the full buffer.
    pub bytes: u64,
    /// When it was ready, from the start of the backward pass.
    pub ready: DurNs,
    /// When its collective started.
    pub start: Ns,
    /// When that ended.
    pub end: Ns,
}

/// The buckets of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradientBuckets {
    /// By start.
    pub buckets: Vec<GradientBucket>,
    /// The collective.
    pub kind: CollectiveKind,
    /// Ranks of the group, where they are known.
    pub ranks: Option<u32>,
    /// Name of the process group.
    pub group: Option<Arc<str>>,
    /// What no computation hides, from the start of the backward pass to the end of the last bucket.
    pub exposed: DurNs,
    /// What of the step is neither backward pass nor exposed behind it.
    pub rest: DurNs,
}

impl GradientBuckets {
    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = self.buckets.iter().map(|bucket| bucket.bytes);
        bytes.fold(0, u64::saturating_add)
    }
}

type Key = (Option<Arc<str>>, CollectiveKind, Option<u32>);

/// Looks for the buckets of a step: of the all-reduces and reduce-scatters of the backward pass those
/// of the process group that sends most.
pub(super) fn find(
    rank: &Rank,
    pass: Option<&BackwardPass>,
    step: &ServingStep,
    kernels: &[Ran],
    collectives: &[CollectiveRow],
    exposed_in: &dyn Fn(Window) -> DurNs,
) -> FoundOrWhy<GradientBuckets> {
    let Some(pass) = pass else {
        return Err(
            "without a backward pass it is not known which collectives send gradients".to_owned(),
        );
    };
    let mut without_bytes = 0_usize;
    let mut groups: BTreeMap<Key, (u64, Vec<&CollectiveRow>)> = BTreeMap::new();
    for row in collectives {
        let sends = |kind: &CollectiveKind| {
            matches!(
                kind,
                CollectiveKind::AllReduce | CollectiveKind::ReduceScatter
            )
        };
        let Some(kind) = row.kind.filter(sends) else {
            continue;
        };
        if !pass.holds(rank, launch(rank, row.slice.slice), row.start) {
            continue;
        }
        let Some(bytes) = row.bytes.filter(|bytes| *bytes > 0) else {
            without_bytes += 1;
            continue;
        };
        let key = (row.group.clone(), kind, row.group_size);
        let entry = groups.entry(key).or_default();
        entry.0 = entry.0.saturating_add(bytes);
        entry.1.push(row);
    }
    let others = groups.len().saturating_sub(1);
    let most = groups.into_iter().max_by_key(|(_, (bytes, _))| *bytes);
    let Some(((group, kind, ranks), (_, mut rows))) = most else {
        return Err(match without_bytes {
            0 => format!("no all-reduce or reduce-scatter belongs to the backward pass of {step}"),
            n => format!(
                "{n} collectives of the backward pass of {step} do not say how many bytes they send"
            ),
        });
    };
    rows.sort_by_key(|row| (row.start, row.slice));
    let ready = Readiness::of(kernels);
    let buckets: Vec<GradientBucket> = rows
        .iter()
        .map(|row| {
            let call = launch(rank, row.slice.slice);
            let at = call.and_then(|(_, at)| ready.at(at)).unwrap_or(row.start);
            let at = at.min(row.start).max(pass.window.start());
            GradientBucket {
                bytes: row.bytes.unwrap_or(0),
                ready: at - pass.window.start(),
                start: row.start,
                end: row.start.saturating_add(row.duration),
            }
        })
        .collect();
    let last = buckets.iter().map(|bucket| bucket.end).max();
    let end = last.unwrap_or(pass.window.end()).max(pass.window.end());
    let exposed = exposed_in(Window::new(pass.window.start(), end));
    let behind = end - pass.window.end();
    let rest = (step.window.len() - pass.len() - behind).max(DurNs::ZERO);
    let more = match (others, without_bytes) {
        (0, 0) => String::new(),
        (0, n) => format!("; {n} without bytes are left out"),
        (n, _) => format!("; {n} other process groups or kinds that send less are left out"),
    };
    Ok(Found {
        how: format!(
            "{} {} kernels of the backward pass of {step}, by their start, ready when the computation launched before them ended{more}",
            buckets.len(),
            kind.label(),
        ),
        value: GradientBuckets {
            buckets,
            kind,
            ranks,
            group,
            exposed,
            rest,
        },
    })
}

/// When everything that was launched before an instant had ended.
struct Readiness(Vec<(Ns, Ns)>);

impl Readiness {
    fn of(kernels: &[Ran]) -> Self {
        let launched = kernels.iter().filter_map(|k| Some((k.launch?.1, k.end)));
        let mut by_launch: Vec<(Ns, Ns)> = launched.collect();
        by_launch.sort_unstable();
        let mut last = None;
        for (_, end) in &mut by_launch {
            *end = last.map_or(*end, |last: Ns| last.max(*end));
            last = Some(*end);
        }
        Self(by_launch)
    }

    fn at(&self, launch: Ns) -> Option<Ns> {
        let before = self.0.partition_point(|(at, _)| *at < launch);
        self.0.get(before.checked_sub(1)?).map(|(_, end)| *end)
    }
}
