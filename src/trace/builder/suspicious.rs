//! Kernels whose recorded duration cannot be true.
//!
//! A kernel that runs over at least eight later starts of its own stream and is over a hundred
//! times the median of its name (or of the stream, for a name seen once) is suspicious. It is only
//! reported here; whether figures clip it is the user's choice.

use super::super::NameId;
use super::super::rank::{Rank, Stream, Suspicious};
use super::to_usize;
use crate::time::DurNs;
use std::collections::HashMap;

const LATER_STARTS: usize = 8;
const TIMES_MEDIAN: i64 = 100;

/// All suspicious kernels of a rank, by slice.
pub(super) fn find(rank: &Rank) -> Vec<Suspicious> {
    let mut by_name: Option<HashMap<NameId, Vec<DurNs>>> = None;
    let mut found = Vec::new();
    for stream in rank.devices.iter().flat_map(|d| &d.streams) {
        for candidate in candidates(rank, stream) {
            let Some(kernel) = rank.slices.get(candidate.slice) else {
                continue;
            };
            // Durations by name are only gathered once something looks wrong at all.
            let by_name = by_name.get_or_insert_with(|| durations_by_name(rank));
            let of_name = by_name.get(&kernel.name()).filter(|d| d.len() > 1);
            let usual = of_name.and_then(|d| median(d.clone())).or_else(|| {
                median(
                    rank.slices
                        .range(stream.slices.clone())
                        .map(|s| s.dur())
                        .collect(),
                )
            });
            if usual.is_some_and(|m| kernel.dur().0 > m.0.saturating_mul(TIMES_MEDIAN)) {
                found.push(candidate);
            }
        }
    }
    found
}

/// Kernels that run over enough later starts of their stream.
fn candidates(rank: &Rank, stream: &Stream) -> Vec<Suspicious> {
    let range = to_usize(stream.slices.start)..to_usize(stream.slices.end);
    let starts = rank.slices.starts().get(range).unwrap_or(&[]);
    rank.slices
        .range(stream.slices.clone())
        .enumerate()
        .filter_map(|(i, kernel)| {
            // Sorted starts: whether the eighth later one lies inside answers it at once. Equal
            // starts are not later.
            let later = i
                + 1
                + starts
                    .get(i + 1..)?
                    .iter()
                    .take_while(|s| **s == kernel.start())
                    .count();
            let eighth = starts.get(later + LATER_STARTS - 1)?;
            let next = *starts.get(later)?;
            (*eighth < kernel.end()).then(|| Suspicious {
                slice: kernel.id(),
                clipped_end: next,
                at_stake: kernel.end() - next,
            })
        })
        .collect()
}

fn durations_by_name(rank: &Rank) -> HashMap<NameId, Vec<DurNs>> {
    let mut by_name: HashMap<NameId, Vec<DurNs>> = HashMap::new();
    for stream in rank.devices.iter().flat_map(|d| &d.streams) {
        for kernel in rank.slices.range(stream.slices.clone()) {
            by_name.entry(kernel.name()).or_default().push(kernel.dur());
        }
    }
    by_name
}

/// The lower median.
fn median(mut durations: Vec<DurNs>) -> Option<DurNs> {
    let middle = durations.len().checked_sub(1)? / 2;
    let (_, median, _) = durations.select_nth_unstable(middle);
    Some(*median)
}
