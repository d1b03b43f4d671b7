//! [`Transfers`]: collectives that nobody waited in, by process group and kind.

use super::{Found, FoundOrWhy};
use crate::metrics::{BandwidthOf, CollectiveTotals, Query, collective_rows};
use crate::time::DurNs;
use crate::trace::class::CollectiveKind;
use crate::trace::{Device, Rank, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Transfers of one process group and one kind, the waiting taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfers {
    /// Name of the process group.
    pub group: Option<Arc<str>>,
    /// The collective.
    pub kind: CollectiveKind,
    /// Ranks of the group.
    pub ranks: u32,
    /// Bytes of the full buffer, and the time from the last rank's arrival to the common end.
    pub samples: Vec<(u64, DurNs)>,
}

type Key = (Option<Arc<str>>, CollectiveKind, u32);

/// Transfers of a device's whole capture: a link does not change with the window.
pub(super) fn find(
    trace: &Trace,
    rank: &Rank,
    device: &Device,
    clip_suspicious: bool,
) -> FoundOrWhy<Vec<Transfers>> {
    let query = Query {
        rank: Some(rank.id),
        device: Some(device.id),
        clip_suspicious,
        ..Query::default()
    };
    let rows = collective_rows(trace, &query);
    let mut groups: BTreeMap<Key, Vec<(u64, DurNs)>> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|row| row.bandwidth_of() == BandwidthOf::Transfer)
    {
        let (Some(kind), Some(ranks), Some(bytes), Some(time)) =
            (row.kind, row.group_size, row.bytes, row.across.transfer())
        else {
            continue;
        };
        if bytes > 0 && time > DurNs::ZERO {
            let key = (row.group.clone(), kind, ranks);
            groups.entry(key).or_default().push((bytes, time));
        }
    }
    if groups.is_empty() {
        let totals = CollectiveTotals::of(rows.iter());
        return Err(match (totals.collectives, totals.why) {
            (0, _) => "the device has no collectives".to_owned(),
            (_, Some(why)) => format!("no time is without waiting: {}", why.sentence()),
            (_, None) => "no time is known to be without waiting: not all ranks of a group are open, or sizes are missing".to_owned(),
        });
    }
    let value: Vec<Transfers> = groups
        .into_iter()
        .map(|((group, kind, ranks), samples)| Transfers {
            group,
            kind,
            ranks,
            samples,
        })
        .collect();
    let count: usize = value.iter().map(|transfers| transfers.samples.len()).sum();
    Ok(Found {
        value,
        how: format!(
            "{count} transfers of the whole capture, from the last rank's arrival to the common end"
        ),
    })
}
