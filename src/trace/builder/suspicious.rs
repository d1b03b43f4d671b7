//! Kernels whose recorded duration cannot be true.
//!
//! A kernel that runs over at least eight later starts of its own stream and is over a hundred
//! times the median of its name (or of the stream, for a name seen once) is suspicious. It is only
//! reported here; whether figures clip it is the user's choice.

use super::super::NameId;
use super::super::rank::{Rank, Stream, Suspicious};
use super::to_usize;
use crate::time::DurNs;
use rustc_hash::FxHashMap;

const LATER_STARTS: usize = 8;
const TIMES_MEDIAN: i64 = 100;

/// All suspicious kernels of a rank, by slice.
pub(super) fn find(rank: &Rank) -> Vec<Suspicious> {
    let mut usual = Usual::default();
    let mut found = Vec::new();
    for stream in rank.devices.iter().flat_map(|d| &d.streams) {
        let mut of_stream = None;
        for candidate in candidates(rank, stream) {
            let Some(kernel) = rank.slices.get(candidate.slice) else {
                continue;
            };
            let median = usual.of_name(rank, kernel.name()).or_else(|| {
                *of_stream.get_or_insert_with(|| {
                    median(
                        rank.slices
                            .range(stream.slices.clone())
                            .map(|s| s.dur())
                            .collect(),
                    )
                })
            });
            if median.is_some_and(|m| kernel.dur().0 > m.0.saturating_mul(TIMES_MEDIAN)) {
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
    let mut found = Vec::new();
    // From behind, so that the next later start (equal ones are not later) is known at once.
    let mut later = starts.len();
    let kernels = rank.slices.range(stream.slices.clone()).enumerate();
    for (i, kernel) in kernels.rev() {
        if starts.get(i + 1).is_some_and(|next| *next > kernel.start()) {
            later = i + 1;
        }
        // Sorted starts: whether the eighth later one lies inside answers it.
        let (Some(next), Some(eighth)) = (starts.get(later), starts.get(later + LATER_STARTS - 1))
        else {
            continue;
        };
        if *eighth < kernel.end() {
            found.push(Suspicious {
                slice: kernel.id(),
                clipped_end: *next,
                at_stake: kernel.end() - *next,
            });
        }
    }
    found.reverse();
    found
}

/// Usual durations by name, gathered once something looks wrong at all.
#[derive(Default)]
struct Usual {
    by_name: Option<FxHashMap<NameId, Vec<DurNs>>>,
    medians: FxHashMap<NameId, Option<DurNs>>,
}

impl Usual {
    /// The median of a name; `None` for a name seen once.
    fn of_name(&mut self, rank: &Rank, name: NameId) -> Option<DurNs> {
        let by_name = self.by_name.get_or_insert_with(|| durations_by_name(rank));
        *self.medians.entry(name).or_insert_with(|| {
            let durations = by_name.remove(&name).filter(|d| d.len() > 1)?;
            median(durations)
        })
    }
}

fn durations_by_name(rank: &Rank) -> FxHashMap<NameId, Vec<DurNs>> {
    let mut by_name: FxHashMap<NameId, Vec<DurNs>> = FxHashMap::default();
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
