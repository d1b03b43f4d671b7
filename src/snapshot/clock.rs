//! The times of a recording put in order: those that are missing, and those that jump.

use super::events::{Clock, Events};
use super::records::NO_TIME;
use super::{NoteKind, Notes};
use crate::time::Ns;

/// Gives every event of a device a time that is not before the one of the event before it.
pub(super) fn put_in_order(notes: &mut Notes, events: &mut Events, device: i64) {
    let times = events.times_mut();
    let without = times.iter().filter(|time| **time == NO_TIME).count();
    let is_any = without < times.len();
    let without = u64::try_from(without).unwrap_or(u64::MAX);
    notes.add(NoteKind::NoTimes, without, || format!("device {device}"));
    if !is_any {
        for (time, order) in times.iter_mut().zip(0..) {
            *time = Ns(order);
        }
        events.clock = Clock::Order;
        return;
    }
    let is_ordered = times.is_sorted() && without == 0;
    if is_ordered {
        return;
    }
    let kept = longest_in_order(times);
    let odd = times.iter().zip(&kept).enumerate();
    let mut odd = odd.filter(|(_, (time, kept))| !**kept && **time != NO_TIME);
    if let Some((place, _)) = odd.next() {
        let count = 1 + u64::try_from(odd.count()).unwrap_or(u64::MAX - 1);
        notes.add(NoteKind::TimesOutOfOrder, count, || {
            format!("event {place} of device {device}")
        });
    }
    // What comes before the first that is kept is put at its time.
    let first = times.iter().zip(&kept).find(|(_, kept)| **kept);
    let mut latest = first.map_or(Ns(0), |(time, _)| *time);
    for (time, kept) in times.iter_mut().zip(&kept) {
        if *kept {
            latest = *time;
        }
        *time = latest;
    }
}

/// The most times that are in order among themselves, so that one that jumps moves no other. Those that
/// are missing are never of them.
fn longest_in_order(times: &[Ns]) -> Vec<bool> {
    // The last place of the sequence of each length, and the place before each.
    let mut last: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; times.len()];
    let at = |place: usize| times.get(place).copied().unwrap_or(Ns::MAX);
    for (place, time) in times.iter().enumerate() {
        if *time == NO_TIME {
            continue;
        }
        let length = last.partition_point(|end| at(*end) <= *time);
        if let Some(of) = before.get_mut(place) {
            *of = length
                .checked_sub(1)
                .and_then(|shorter| last.get(shorter))
                .copied();
        }
        if let Some(end) = last.get_mut(length) {
            *end = place;
        } else {
            last.push(place);
        }
    }
    let mut kept = vec![false; times.len()];
    let mut next = last.last().copied();
    while let Some(place) = next {
        if let Some(is_kept) = kept.get_mut(place) {
            *is_kept = true;
        }
        next = before.get(place).copied().flatten();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(times: &[i64]) -> Vec<bool> {
        let times: Vec<Ns> = times.iter().copied().map(Ns).collect();
        longest_in_order(&times)
    }

    #[test]
    fn what_jumps_is_left_out() {
        assert_eq!(kept(&[1, 2, 99, 3, 4]), [true, true, false, true, true]);
        assert_eq!(kept(&[5, 6, 1, 7]), [true, true, false, true]);
        assert_eq!(kept(&[5, 5, 5]), [true, true, true]);
        assert_eq!(kept(&[NO_TIME.0, 3]), [false, true]);
    }

    #[test]
    fn the_most_are_kept_as_trying_all_finds() {
        // All sequences of six times from three.
        for code in 0..729_i64 {
            let times: Vec<i64> = (0..6).map(|at| code / 3_i64.pow(at) % 3).collect();
            let best = (0..64_u32)
                .filter(|set| {
                    let picked: Vec<i64> = (0..6)
                        .filter(|at| set >> at & 1 == 1)
                        .map(|at| times[at])
                        .collect();
                    picked.is_sorted()
                })
                .map(u32::count_ones)
                .max();
            let found = kept(&times);
            let count = found.iter().filter(|kept| **kept).count();
            assert_eq!(Some(u32::try_from(count).unwrap()), best, "{times:?}");
            let picked: Vec<i64> = times
                .iter()
                .zip(&found)
                .filter(|(_, kept)| **kept)
                .map(|(t, _)| *t)
                .collect();
            assert!(picked.is_sorted());
        }
    }
}
