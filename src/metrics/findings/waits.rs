//! What the device waits for: other ranks, a host that is blocked, copies that nothing hides.

use super::case::{Case, Draft, Part, number, share_of};
use super::kind::FindingKind;
use crate::interval::{Interval, IntervalSet};
use crate::metrics::walk::Walk;
use crate::metrics::{CollectiveRow, IdleCause};
use crate::time::DurNs;
use crate::trace::class::KernelClass;
use crate::trace::{Category, RankId, SliceId};
use std::collections::BTreeMap;

/// All ranks leave a collective at nearly the same time. How far their ends are apart tells how far
/// their clocks may be, and a wait counts from this many times that on.
pub(super) const WAIT_BY_END_SPREAD: i64 = 2;

/// Ops that read a value of the device; copies that they wait for are synchronisation.
const READS_A_VALUE: [&str; 5] = [
    "aten::item",
    "aten::_local_scalar_dense",
    "aten::is_nonzero",
    "aten::equal",
    "aten::nonzero",
];

/// Exposed communication in which the last rank was not there yet.
pub(super) fn stragglers(case: &mut Case<'_>) {
    let waits = |row: &CollectiveRow| -> Option<(DurNs, RankId)> {
        let timing = row.across.known()?;
        let wait = timing.moved.ok()?.wait;
        let spread = timing.end_spread.0.saturating_mul(WAIT_BY_END_SPREAD);
        let is_sure = wait > DurNs::ZERO && wait.0 >= spread;
        is_sure.then_some((wait, timing.last?))
    };
    let mut parts = Vec::new();
    let mut by_rank: BTreeMap<RankId, i64> = BTreeMap::new();
    let mut longest: Option<(DurNs, SliceId)> = None;
    let mut known = 0;
    for row in case.collectives {
        known += usize::from(row.across.known().is_some_and(|t| t.moved.is_ok()));
        let Some((wait, last)) = waits(row) else {
            continue;
        };
        let end = row.start.saturating_add(wait.min(row.duration));
        parts.push(Interval {
            start: row.start,
            end,
        });
        let sum = by_rank.entry(last).or_default();
        *sum = sum.saturating_add(wait.0);
        if longest.is_none_or(|(most, _)| most < wait) {
            longest = Some((wait, row.slice.slice));
        }
    }
    let most = by_rank
        .iter()
        .max_by_key(|(rank, wait)| (**wait, std::cmp::Reverse(**rank)));
    let Some((latest, _)) = most else {
        return;
    };
    let count = number(parts.len());
    let mut draft = Draft::new(
        FindingKind::StragglerWait,
        format!(
            "Communication waits for other ranks, most for rank {}",
            latest.0
        ),
        Part::Exposed,
        IntervalSet::merge(parts),
        count,
    );
    draft.coverage = share_of(known, case.collectives.len());
    draft.evidence = longest.map(|(_, id)| id);
    draft.note = "from this rank's start to the start of the last rank that is open, where no computation hides it".into();
    case.report(draft);
}

/// One call, in one op, that blocked the host.
#[derive(Default)]
struct Blocked {
    parts: Vec<Interval>,
    worst: Option<(DurNs, SliceId)>,
}

/// Idle time because the host was blocked in a synchronisation, a barrier or a copy.
pub(super) fn blocked_host(case: &mut Case<'_>) {
    type Key<'t> = (FindingKind, &'t str, Option<&'t str>);
    let mut found: BTreeMap<Key<'_>, Blocked> = BTreeMap::new();
    for (gap, inside) in case.gaps() {
        let blamed = gap.blamed.and_then(|id| case.slice(id));
        let Some(call) = blamed.filter(|c| case.is_in_step(c.start())) else {
            continue;
        };
        let op = case.rank.op_around(call.id()).and_then(|op| case.name(op));
        let reads = op.is_some_and(|op| READS_A_VALUE.contains(&op));
        let kind = match gap.cause {
            IdleCause::HostSync if call.category() == Category::Runtime => {
                FindingKind::ImplicitSync
            }
            IdleCause::HostSync => FindingKind::HostBarrier,
            IdleCause::HostCopy if reads => FindingKind::ImplicitSync,
            IdleCause::HostCopy => FindingKind::BlockingCopy,
            _ => continue,
        };
        let part = Interval {
            start: inside.start().max(call.start().min(inside.end())),
            end: inside.end(),
        };
        let Some(name) = case.name(call.id()).filter(|_| !part.is_empty()) else {
            continue;
        };
        let blocked = found.entry((kind, name, op)).or_default();
        if blocked.worst.is_none_or(|(most, _)| most < part.len()) {
            blocked.worst = Some((part.len(), call.id()));
        }
        blocked.parts.push(part);
    }
    for ((kind, call, op), blocked) in found {
        let place = op.map_or_else(|| call.to_owned(), |op| format!("{op} ({call})"));
        let title = match kind {
            FindingKind::BlockingCopy => format!("The host waits for a copy in {place}"),
            FindingKind::HostBarrier => format!("The host waits for other ranks in {place}"),
            _ => format!("The host waits for the GPU in {place}"),
        };
        let count = number(blocked.parts.len());
        let mut draft = Draft::new(
            kind,
            title,
            Part::Idle,
            IntervalSet::merge(blocked.parts),
            count,
        );
        draft.evidence = blocked.worst.map(|(_, id)| id);
        draft.note = "idle time from the start of each call to the next kernel".into();
        case.report(draft);
    }
}

/// Exposed copies from or to memory that is not pinned.
pub(super) fn unpinned_copies(case: &mut Case<'_>) {
    let names = &case.trace.names;
    let walk = Walk::new(case.rank, case.device, case.window, case.clip);
    let mut copies = walk.fold(
        Vec::new,
        |mut list, kernel| {
            if kernel.class == KernelClass::Memory && names.get(kernel.name).contains("Pageable") {
                let end = kernel.start.saturating_add(kernel.length);
                list.push((kernel.id, kernel.start, end));
            }
            list
        },
        |mut a, mut b| {
            a.append(&mut b);
            a
        },
    );
    copies.sort_unstable();
    let longest = copies
        .iter()
        .max_by_key(|(id, start, end)| (*end - *start, std::cmp::Reverse(*id)));
    let evidence = longest.map(|c| c.0);
    let parts = copies.iter().map(|(_, start, end)| Interval {
        start: *start,
        end: *end,
    });
    let mut draft = Draft::new(
        FindingKind::UnpinnedCopy,
        "Copies from or to memory that is not pinned",
        Part::Memory,
        IntervalSet::merge(parts.collect()),
        number(copies.len()),
    );
    draft.evidence = evidence;
    draft.note = "their time that no computation or communication hides".into();
    case.report(draft);
}
