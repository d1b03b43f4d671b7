//! What exposes communication: its stream, its size, and when it starts.

use super::case::{Case, Draft, Part, number, share_of};
use super::kind::FindingKind;
use crate::interval::{Interval, IntervalSet};
use crate::metrics::{BandwidthOf, CollectiveRow, Parallelism};
use crate::time::{DurNs, Ns};
use crate::trace::class::CollectiveKind;
use crate::trace::{Busy, SliceId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Less than one part in this many of communication on compute streams is no habit.
pub(super) const SAME_STREAM_PART: i64 = 10;
/// Sizes of a group and kind that latency can be told from.
pub(super) const LEAST_SIZES: usize = 3;
/// By what factor those span at least.
pub(super) const LEAST_SPAN: u64 = 8;
/// A size is bound by latency if this many times the bytes ...
pub(super) const LARGER: u64 = 4;
/// ... take at most this many tenths of its time.
pub(super) const ALIKE_TENTHS: i128 = 15;
/// Fewer collectives of a size than this have no shortest time to rely on.
pub(super) const LEAST_OF_A_SIZE: usize = 3;
/// Fewer small collectives than this cannot be put together to any use.
pub(super) const LEAST_SMALL: usize = 5;
/// Fewer gathers than this are no layers.
pub(super) const LEAST_GATHERS: usize = 4;
/// Of the window: below this part in so many the rest of exposed communication is no finding.
pub(super) const REST_PART: i64 = 20;
/// This many collectives of one kind, group and size, with little between, are a chain of chunks.
pub(super) const LEAST_CHUNKS: usize = 4;
/// At most this many kernels run from the end of one chunk's collective to the start of the next.
pub(super) const MOST_BETWEEN_CHUNKS: u64 = 4;

/// The group and kind of a row.
pub(super) type Key = (Option<Arc<str>>, Option<CollectiveKind>);

pub(super) fn key(row: &CollectiveRow) -> Key {
    (row.group.clone(), row.kind)
}

/// "all-reduce of group 0".
pub(super) fn words((group, kind): &Key) -> String {
    let kind = kind.map_or("communication", CollectiveKind::label);
    match group {
        Some(group) => format!("{kind} of group {group}"),
        None => kind.to_owned(),
    }
}

pub(super) fn whole(row: &CollectiveRow) -> Interval {
    Interval {
        start: row.start,
        end: row.start.saturating_add(row.duration),
    }
}

/// The row that exposes most.
pub(super) fn most_exposed<'r>(rows: impl Iterator<Item = &'r CollectiveRow>) -> Option<SliceId> {
    let most = rows.max_by_key(|r| (r.exposed, std::cmp::Reverse(r.slice.slice)));
    most.map(|r| r.slice.slice)
}

/// Exposed communication on a stream that computes.
pub(super) fn no_independent_stream(case: &mut Case<'_>) {
    let found = &case.analysis.streams;
    if found.comm_on_them.0.saturating_mul(SAME_STREAM_PART) < found.comm.0 {
        return;
    }
    let computes = |id| found.compute_streams.contains(&id);
    let streams = case.device.streams.iter().filter(|s| computes(s.id));
    let parts = streams.flat_map(|s| {
        let activity = s.activity(case.clip);
        activity.intervals(case.window, |mask| mask & Busy::M != 0)
    });
    let wanted = IntervalSet::merge(parts.collect());
    let rows: Vec<&CollectiveRow> = case
        .collectives
        .iter()
        .filter(|r| computes(r.stream))
        .collect();
    let names: Vec<String> = found
        .compute_streams
        .iter()
        .map(|s| s.0.to_string())
        .collect();
    let mut draft = Draft::new(
        FindingKind::NoIndependentStream,
        format!(
            "Communication on a stream that computes (stream {})",
            names.join(", ")
        ),
        Part::Exposed,
        wanted,
        number(rows.len()),
    );
    // No more can be hidden than there is computation without communication.
    draft.at_most = Some(case.analysis.summary.compute_only);
    draft.coverage = share_of(rows.len(), case.collectives.len());
    draft.evidence = most_exposed(rows.into_iter());
    draft.note = "at most: what the next kernel needs cannot run beside it".into();
    case.report(draft);
}

/// What is known of the collectives of one size.
struct OfSize {
    shortest: DurNs,
    rows: Vec<usize>,
}

/// Exposed collectives that several times the bytes would hardly make longer.
pub(super) fn small(case: &mut Case<'_>) {
    let mut by_key: BTreeMap<Key, BTreeMap<u64, OfSize>> = BTreeMap::new();
    for (at, row) in case.collectives.iter().enumerate() {
        // Waiting would pass for latency.
        let transfer = row.across.transfer();
        let transfer = transfer.filter(|_| row.bandwidth_of() == BandwidthOf::Transfer);
        let (Some(bytes), Some(time)) = (row.bytes.filter(|b| *b > 0), transfer) else {
            continue;
        };
        let sizes = by_key.entry(key(row)).or_default();
        let size = sizes.entry(bytes).or_insert(OfSize {
            shortest: time,
            rows: Vec::new(),
        });
        size.shortest = size.shortest.min(time);
        size.rows.push(at);
    }
    for (key, sizes) in by_key {
        let ends = sizes.keys().next().zip(sizes.keys().next_back());
        let spans = ends.is_some_and(|(least, most)| *most / LEAST_SPAN >= *least);
        if sizes.len() < LEAST_SIZES || !spans {
            continue;
        }
        let is_small = |bytes: u64, of: &OfSize| {
            let larger = sizes.range(bytes.saturating_mul(LARGER)..);
            let mut larger = larger.filter(|(_, other)| other.rows.len() >= LEAST_OF_A_SIZE);
            of.rows.len() >= LEAST_OF_A_SIZE
                && larger.any(|(_, other)| {
                    let alike = i128::from(of.shortest.0) * ALIKE_TENTHS;
                    i128::from(other.shortest.0) * 10 <= alike
                })
        };
        let small: Vec<_> = sizes
            .iter()
            .filter(|(bytes, of)| is_small(**bytes, of))
            .collect();
        let rows = small.iter().flat_map(|(_, of)| &of.rows);
        let rows: Vec<&CollectiveRow> = rows.filter_map(|at| case.collectives.get(*at)).collect();
        let Some((largest, _)) = small.last().filter(|_| rows.len() >= LEAST_SMALL) else {
            continue;
        };
        let transfer = |row: &&CollectiveRow| {
            let wait = row.across.wait().unwrap_or_default();
            Interval {
                start: row.start.saturating_add(wait),
                end: whole(row).end,
            }
        };
        let mut draft = Draft::new(
            FindingKind::SmallCollectives,
            format!(
                "Latency is all that small collectives cost: {}",
                words(&key)
            ),
            Part::Exposed,
            IntervalSet::merge(rows.iter().map(transfer).collect()),
            number(rows.len()),
        );
        let alike = case
            .collectives
            .iter()
            .filter(|r| self::key(r) == key)
            .count();
        draft.coverage = share_of(rows.len(), alike);
        draft.evidence = most_exposed(rows.into_iter());
        draft.note = format!(
            "up to {largest} bytes: {LARGER} times as many take at most 1.5 times as long, by transfer times without waiting"
        ).into();
        case.report(draft);
    }
}

/// Gathers of parameters that start when the computation before them is over, and that the next waits for.
pub(super) fn no_prefetch(case: &mut Case<'_>) {
    let gathers = |case: &Case<'_>| -> Vec<CollectiveRow> {
        let rows = case.collectives.iter();
        let rows = rows.filter(|r| r.kind == Some(CollectiveKind::AllGather));
        // Gathers of activations cannot come early.
        let rows = rows.filter(|r| case.label(r) == Parallelism::Sharded);
        rows.cloned().collect()
    };
    let rows = gathers(case);
    if rows.len() < LEAST_GATHERS {
        return;
    }
    let mut late = Vec::new();
    let mut could = DurNs::ZERO;
    let mut before = case.window.start();
    for (at, row) in rows.iter().enumerate() {
        let Interval { start, end } = whole(row);
        let next = rows.get(at + 1).map_or(case.window.end(), |r| r.start);
        let from: Ns = before;
        before = before.max(end);
        let computed = case.computing(from, start);
        let hidden = case.computing(start, end);
        let follows = case.computing(end, next.max(end));
        if hidden == DurNs::ZERO && computed > DurNs::ZERO && follows > DurNs::ZERO {
            could = could.saturating_add(row.exposed.min(computed));
            late.push(row);
        }
    }
    if late.len() < LEAST_GATHERS || late.len() * 2 < rows.len() {
        return;
    }
    let mut draft = Draft::new(
        FindingKind::NoPrefetch,
        "Parameters are gathered only when the computation before is over",
        Part::Exposed,
        IntervalSet::merge(late.iter().map(|r| whole(r)).collect()),
        number(late.len()),
    );
    draft.at_most = Some(could);
    draft.coverage = share_of(late.len(), rows.len());
    draft.evidence = most_exposed(late.into_iter());
    draft.note = "what of each gather would fit beside the computation before it".into();
    case.report(draft);
}

/// What nobody explained of exposed communication.
pub(super) fn rest(case: &mut Case<'_>) {
    let left = case.free(Part::Exposed).clone();
    if left.total().0.saturating_mul(REST_PART) < case.window.len().0 {
        return;
    }
    let duty = case.analysis.summary.duty_split();
    let percent = |share: Option<crate::metrics::Ratio>| {
        share.map_or_else(|| "n/a".to_owned(), |r| format!("{} %", r.percent2()))
    };
    let rows = case.collectives.iter().filter(|r| r.exposed > DurNs::ZERO);
    let count = rows.clone().count();
    let evidence = most_exposed(rows);
    let mut draft = Draft::new(
        FindingKind::OnlyCommunication,
        "The GPU is busy only with communication",
        Part::Exposed,
        left,
        number(count),
    );
    draft.evidence = evidence;
    draft.note = format!(
        "duty of the window: computation {}, communication only {}, memory only {}; waiting counts as busy",
        percent(duty.computation),
        percent(duty.communication_only),
        percent(duty.memory_only)
    ).into();
    case.report(draft);
}

/// Chains of chunks: collectives of one kind, group and size with a few kernels between.
pub(super) fn chunk_chains(case: &Case<'_>) -> IntervalSet {
    let mut by_size: BTreeMap<(Key, u64), Vec<Interval>> = BTreeMap::new();
    for row in case.collectives {
        if let Some(bytes) = row.bytes.filter(|b| *b > 0) {
            let rows = by_size.entry((key(row), bytes)).or_default();
            rows.push(whole(row));
        }
    }
    let few_between = |a: &Interval, b: &Interval| {
        let between = crate::time::Window::new(a.end.min(b.start), b.start);
        let activity = case.device.activity(case.clip);
        let count = activity.kernels(between);
        (1..=MOST_BETWEEN_CHUNKS).contains(&count)
    };
    let mut chains = Vec::new();
    for rows in by_size.values() {
        for chain in rows.chunk_by(few_between) {
            if let (Some(first), Some(last)) = (chain.first(), chain.last()) {
                let is_long = chain.len() >= LEAST_CHUNKS;
                chains.extend(is_long.then_some(Interval {
                    start: first.start,
                    end: last.end,
                }));
            }
        }
    }
    IntervalSet::merge(chains)
}
