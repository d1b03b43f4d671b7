//! Buckets of gradients, step by step: too large, too late, or as good as they get.

use super::case::{Case, Draft, Part, number};
use super::collectives::{Key, key, whole, words};
use super::kind::FindingKind;
use crate::interval::{Interval, IntervalSet};
use crate::metrics::overlap::FigureSource;
use crate::metrics::{CollectiveRow, Parallelism};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::{CollectiveKind, KernelClass};
use crate::trace::{Category, SliceId};
use std::collections::BTreeMap;

/// A bucket with at least this many percent of a step's bytes is the only one that matters.
pub(super) const GIANT_PERCENT: u128 = 80;
/// Smaller ones than two default buckets (25 MiB each) are no giants.
pub(super) const LEAST_GIANT_BYTES: u64 = 2 * 25 * 1024 * 1024;
/// It is exposed for at least one part in this many of its length.
pub(super) const GIANT_EXPOSED_PART: i64 = 2;
/// Fewer buckets than this have no first and last.
pub(super) const LEAST_BUCKETS: usize = 3;
/// The first bucket is late after one part in this many of the backward pass.
pub(super) const LATE_PART: i64 = 2;
/// Buckets follow each other closely if one runs in at least this many percent of the time from the first to the last.
pub(super) const CLOSE_PERCENT: i64 = 90;
/// All buckets but the last are hidden if at most one part in this many of their time is exposed.
pub(super) const HIDDEN_PART: i64 = 20;
/// The op under which the backward pass launches.
const BACKWARD: &str = "autograd::engine::evaluate_function";

/// What one group and kind shows, over the steps.
#[derive(Default)]
struct Seen {
    steps: usize,
    giant: Told,
    late: Told,
    tail: Told,
}

/// What one rule has found, over the steps.
#[derive(Default)]
struct Told {
    steps: usize,
    parts: Vec<Interval>,
    at_most: DurNs,
    worst: Option<(DurNs, SliceId)>,
    bytes: u64,
}

impl Told {
    fn add(&mut self, parts: impl Iterator<Item = Interval>, at_most: DurNs, row: &CollectiveRow) {
        self.steps += 1;
        self.parts.extend(parts);
        self.at_most = self.at_most.saturating_add(at_most);
        self.bytes = self.bytes.max(row.bytes.unwrap_or(0));
        if self.worst.is_none_or(|(most, _)| most < row.exposed) {
            self.worst = Some((row.exposed, row.slice.slice));
        }
    }
}

/// Looks at the all-reduces and reduce-scatters of each whole step. A rule must hold in most steps.
pub(super) fn all(case: &mut Case<'_>) {
    let mut seen: BTreeMap<Key, Seen> = BTreeMap::new();
    let mut backward = None;
    for step in case.steps.clone() {
        let mut by_key: BTreeMap<Key, Vec<&CollectiveRow>> = BTreeMap::new();
        let from = case.collectives.partition_point(|r| r.start < step.start());
        let rows = case.collectives.iter().skip(from);
        for row in rows.take_while(|r| r.start < step.end()) {
            let reduces = matches!(
                row.kind,
                Some(CollectiveKind::AllReduce | CollectiveKind::ReduceScatter)
            );
            let of_gradients = matches!(
                case.label(row),
                Parallelism::Data | Parallelism::Sharded | Parallelism::Unknown
            );
            if reduces && of_gradients && row.bytes.is_some_and(|b| b > 0) {
                by_key.entry(key(row)).or_default().push(row);
            }
        }
        for (key, rows) in by_key {
            let seen = seen.entry(key).or_default();
            seen.steps += 1;
            if let Some(giant) = giant(&rows) {
                seen.giant
                    .add(std::iter::once(whole(giant)), giant.exposed, giant);
            } else if rows.len() >= LEAST_BUCKETS {
                let kernels = backward.get_or_insert_with(|| backward_kernels(case));
                if let Some((first, most)) = late(&rows, backward_of(kernels, step)) {
                    seen.late.add(rows.iter().map(|r| whole(r)), most, first);
                } else if let Some(tail) = tail(&rows) {
                    seen.tail
                        .add(std::iter::once(whole(tail)), tail.exposed, tail);
                }
            }
        }
    }
    for (key, seen) in seen {
        report(case, &key, seen);
    }
}

fn report(case: &mut Case<'_>, key: &Key, seen: Seen) {
    let bucket = words(key);
    let size = seen.giant.bytes;
    for (told, kind, title, note) in [
        (
            seen.giant,
            FindingKind::GiantBucket,
            format!("One bucket has nearly all bytes of a step: {bucket}"),
            format!(
                "{size} bytes; sent in parts, all but the last could run beside the backward pass"
            ),
        ),
        (
            seen.late,
            FindingKind::FirstBucketLate,
            format!("The first bucket comes late in the backward pass: {bucket}"),
            "buckets follow each other closely, so an earlier first one would end all earlier"
                .to_owned(),
        ),
        (
            seen.tail,
            FindingKind::TailBucket,
            format!("Only the last bucket is exposed: {bucket}"),
            "nothing is left to compute when the last bucket is full".to_owned(),
        ),
    ] {
        // Where a rule holds in some steps only, the trace does not tell.
        if told.steps * 2 <= seen.steps {
            continue;
        }
        let wanted = IntervalSet::merge(told.parts);
        let mut draft = Draft::new(kind, title, Part::Exposed, wanted, number(told.steps));
        draft.at_most = Some(told.at_most);
        draft.coverage = super::case::share_of(told.steps, seen.steps);
        draft.evidence = told.worst.map(|(_, id)| id);
        draft.note = note.into();
        if kind != FindingKind::TailBucket {
            draft.source = FigureSource::Modelled;
        }
        case.report(draft);
    }
}

/// The bucket that has nearly all bytes, where it is large and mostly exposed.
fn giant<'r>(rows: &[&'r CollectiveRow]) -> Option<&'r CollectiveRow> {
    let bytes = |row: &CollectiveRow| u128::from(row.bytes.unwrap_or(0));
    let all: u128 = rows.iter().map(|r| bytes(r)).sum();
    let most = rows.iter().max_by_key(|r| bytes(r))?;
    let is_giant = bytes(most) * 100 >= all * GIANT_PERCENT
        && bytes(most) >= u128::from(LEAST_GIANT_BYTES)
        && most.exposed.0.saturating_mul(GIANT_EXPOSED_PART) >= most.duration.0;
    is_giant.then_some(*most)
}

/// The first bucket, where it starts late, and how much earlier all could end.
fn late<'r>(
    rows: &[&'r CollectiveRow],
    backward: Option<Window>,
) -> Option<(&'r CollectiveRow, DurNs)> {
    let backward = backward?;
    let first = rows.first()?;
    let since = first.start - backward.start();
    let merged = IntervalSet::merge(rows.iter().map(|r| whole(r)).collect());
    let extent = merged.extent()?.len();
    let is_close = merged.total().0.saturating_mul(100) >= extent.0.saturating_mul(CLOSE_PERCENT);
    let is_late = since.0.saturating_mul(LATE_PART) > backward.len().0;
    // At the best it is full after its share of the backward pass.
    let ready = backward.len().0 / i64::try_from(rows.len()).ok()?;
    let exposed: DurNs = rows.iter().map(|r| r.exposed).sum();
    let most = exposed.min(DurNs(since.0.saturating_sub(ready)));
    (is_late && is_close && most > DurNs::ZERO && since.0 <= backward.len().0)
        .then_some((*first, most))
}

/// The last bucket, where all others are hidden.
fn tail<'r>(rows: &[&'r CollectiveRow]) -> Option<&'r CollectiveRow> {
    let (last, others) = rows.split_last()?;
    let exposed: DurNs = others.iter().map(|r| r.exposed).sum();
    let time: DurNs = others.iter().map(|r| r.duration).sum();
    let are_hidden = exposed.0.saturating_mul(HIDDEN_PART) <= time.0;
    (are_hidden && last.exposed > DurNs::ZERO && exposed < last.exposed).then_some(*last)
}

/// Computation kernels that the backward pass launched, by start.
fn backward_kernels(case: &Case<'_>) -> Vec<(Ns, Ns)> {
    let rank = case.rank;
    let mut found = Vec::new();
    for thread in &rank.threads {
        let mut known = BTreeMap::new();
        for op in rank.slices.range(thread.slices.clone()) {
            let is_backward = op.category() == Category::CpuOp
                && *known
                    .entry(op.name())
                    .or_insert_with(|| case.trace.names.get(op.name()).starts_with(BACKWARD));
            if !is_backward {
                continue;
            }
            let kernels = rank.launched_inside(op.id()).map(|(_, kernel)| kernel);
            let kernels = kernels.filter(|k| k.class() == Some(KernelClass::Computation));
            let own = |k: &crate::trace::Slice<'_>| {
                let device = rank.stream_of(k.id()).map(|(device, _)| device.id);
                device == Some(case.device.id)
            };
            found.extend(
                kernels
                    .filter(own)
                    .map(|k| (k.start(), rank.end_of(k, case.clip))),
            );
        }
    }
    found.sort_unstable();
    found
}

/// From the first to the last of those that start in a step.
fn backward_of(kernels: &[(Ns, Ns)], step: Window) -> Option<Window> {
    let from = kernels.partition_point(|k| k.0 < step.start());
    let to = kernels.partition_point(|k| k.0 < step.end());
    let own = kernels.get(from..to)?;
    let end = own.iter().map(|k| k.1).max()?;
    Some(Window::new(own.first()?.0, end))
}
