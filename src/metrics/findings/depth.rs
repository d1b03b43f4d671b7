//! Parameters that are gathered further ahead than hides their gathers: memory is held, no time is won.

use super::Held;
use super::case::{Case, Draft, Part, number, share_of};
use super::kind::FindingKind;
use crate::interval::IntervalSet;
use crate::metrics::prefill::{GatherUse, depth_to_hide, gather_uses};
use crate::metrics::{CollectiveRow, Parallelism};
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fewer gathers whose use is known than this have no median to rely on.
const LEAST_USES: usize = 5;

/// Gathers of a group that are over long before their use, with more others over by then than are needed.
pub(super) fn deeper_than_useful(case: &mut Case<'_>) {
    let mut groups: BTreeMap<Option<Arc<str>>, Vec<&CollectiveRow>> = BTreeMap::new();
    for row in case.collectives {
        if case.label(row) == Parallelism::Sharded {
            groups.entry(row.group.clone()).or_default().push(row);
        }
    }
    let steps = match case.steps.as_slice() {
        [] => vec![case.window],
        steps => steps.to_vec(),
    };
    let own = &case.analysis.streams.compute_streams;
    for (group, rows) in groups {
        let of_step = |step: &_| {
            let of = (case.rank, case.device);
            gather_uses(case.trace, of, *step, &rows, (own, case.clip))
        };
        let uses: Vec<GatherUse> = steps.iter().flat_map(of_step).collect();
        let gathers = rows.iter();
        let gathers = gathers.filter(|r| r.kind == Some(CollectiveKind::AllGather));
        if let Some(draft) = judged(group.as_deref(), &uses, gathers.count()) {
            case.list(draft);
        }
    }
}

fn judged(group: Option<&str>, uses: &[GatherUse], gathers: usize) -> Option<Draft> {
    if uses.len() < LEAST_USES {
        return None;
    }
    let sum = |of: fn(&GatherUse) -> DurNs| -> DurNs { uses.iter().map(of).sum() };
    let needed = depth_to_hide(sum(|u| u.gather), sum(|u| u.compute))?;
    let depth = median(uses.iter().map(|u| u.depth))?;
    let beyond = depth.checked_sub(needed).filter(|beyond| *beyond > 0)?;
    let waits = median(uses.iter().map(|u| u.waits))?;
    let sizes: Option<Vec<u64>> = uses.iter().map(|u| u.bytes).collect();
    let size = sizes.and_then(|sizes| median(sizes.into_iter()));
    let name = group.map(|name| format!(" (group {name})"));
    let mut draft = Draft::new(
        FindingKind::DeepPrefetch,
        format!(
            "Parameters are gathered further ahead than is useful{}",
            name.unwrap_or_default()
        ),
        Part::Overlap,
        IntervalSet::empty(),
        number(uses.len()),
    );
    draft.held = Some(Held {
        waits,
        bytes: size.and_then(|size| size.checked_mul(beyond)),
    });
    draft.coverage = share_of(uses.len(), gathers);
    let longest = uses
        .iter()
        .max_by_key(|u| (u.waits, std::cmp::Reverse(u.slice)));
    draft.evidence = longest.map(|u| u.slice);
    draft.source = super::FigureSource::Modelled;
    draft.note = format!(
        "costs memory, no time: when a computation starts, {depth} later gathers are over, in the median; {needed} would hide a gather"
    )
    .into();
    Some(draft)
}

/// The middle one; of two the lower, so that more than half are at least that.
fn median<T: Ord>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    let middle = values.len().checked_sub(1)? / 2;
    values.into_iter().nth(middle)
}
