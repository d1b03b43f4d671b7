//! How the user arranged lanes: hidden, pinned to the top, moved, renamed. [`Arranged`] knows lanes
//! by their keys, so an arrangement outlives a reload; what a trace does not have is passed over.

use super::layout::natural_children;
use super::{Known, LaneKey, LaneState};
use crate::trace::{DeviceId, RankId, StreamId};
use std::collections::{BTreeMap, BTreeSet};

/// What differs from the usual arrangement.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Arranged {
    /// Lanes that are not shown, each with all that is in it.
    pub hidden: BTreeSet<LaneKey>,
    /// Lanes at the top, in their order there; not shown a second time below.
    pub pinned: Vec<LaneKey>,
    /// The order of what is in a group, by the group; `None` for the ranks.
    pub order: BTreeMap<Option<LaneKey>, Vec<LaneKey>>,
    /// Streams that share lanes, by their device.
    pub packs: BTreeMap<(RankId, DeviceId), Vec<Vec<StreamId>>>,
    /// Names that the user gave.
    pub names: BTreeMap<LaneKey, String>,
}

impl Arranged {
    /// Whether a lane is pinned to the top.
    #[must_use]
    pub fn is_pinned(&self, lane: LaneKey) -> bool {
        self.pinned.contains(&lane)
    }

    /// Whether anything about a lane is not as usual.
    #[must_use]
    pub fn is_touched(&self, lane: LaneKey) -> bool {
        let moved = self.order.get(&lane.parent());
        self.is_pinned(lane)
            || self.names.contains_key(&lane)
            || moved.is_some_and(|list| list.contains(&lane))
    }

    /// What is in a group, in the user's order.
    #[must_use]
    pub(super) fn children(&self, known: Known<'_>, group: Option<LaneKey>) -> Vec<LaneKey> {
        let natural = natural_children(known, group);
        let Some(wanted) = self.order.get(&group) else {
            return natural;
        };
        let mut list: Vec<LaneKey> = wanted.clone();
        list.retain(|lane| natural.contains(lane));
        for lane in &natural {
            if !list.contains(lane) {
                put_back(&mut list, *lane, &natural);
            }
        }
        list
    }

    /// Shows or does not show a lane.
    pub fn hide(&mut self, lane: LaneKey) {
        self.hidden.insert(lane);
    }

    /// Pins a lane below those that are pinned, or lets it go back.
    pub fn toggle_pin(&mut self, lane: LaneKey) {
        if self.is_pinned(lane) {
            self.pinned.retain(|l| *l != lane);
        } else {
            self.pinned.push(lane);
        }
    }

    /// Gives a lane a name; an empty one gives it back its own.
    pub fn rename(&mut self, lane: LaneKey, name: &str) {
        if name.trim().is_empty() {
            self.names.remove(&lane);
        } else {
            self.names.insert(lane, name.to_owned());
        }
    }

    /// The list that a lane stands in, its place and the place of its shown neighbour.
    fn neighbour(
        &self,
        known: Known<'_>,
        lane: LaneKey,
        down: bool,
    ) -> Option<(Vec<LaneKey>, usize, usize)> {
        let pinned = self.is_pinned(lane);
        let list = if pinned {
            self.pinned.clone()
        } else {
            self.children(known, lane.parent())
        };
        let at = list.iter().position(|l| *l == lane)?;
        let is_shown = |l: &LaneKey| !self.hidden.contains(l) && (pinned || !self.is_pinned(*l));
        let to = if down {
            let below = list.get(at + 1..)?;
            at + 1 + below.iter().position(is_shown)?
        } else {
            list.get(..at)?.iter().rposition(is_shown)?
        };
        Some((list, at, to))
    }

    /// Whether a lane has a neighbour to change places with.
    #[must_use]
    pub fn can_move(&self, known: Known<'_>, lane: LaneKey, down: bool) -> bool {
        self.neighbour(known, lane, down).is_some()
    }

    /// Moves a lane over its shown neighbour, among the pinned ones where it is pinned.
    pub fn shift(&mut self, known: Known<'_>, lane: LaneKey, down: bool) {
        let Some((mut list, at, to)) = self.neighbour(known, lane, down) else {
            return;
        };
        list.remove(at);
        list.insert(to, lane);
        if self.is_pinned(lane) {
            self.pinned = list;
        } else {
            self.keep_order(known, lane.parent(), list);
        }
    }

    fn keep_order(&mut self, known: Known<'_>, group: Option<LaneKey>, list: Vec<LaneKey>) {
        if list == natural_children(known, group) {
            self.order.remove(&group);
        } else {
            self.order.insert(group, list);
        }
    }

    /// Gives a lane its own name and its own place back.
    pub fn reset(&mut self, known: Known<'_>, lane: LaneKey) {
        self.names.remove(&lane);
        self.pinned.retain(|l| *l != lane);
        let group = lane.parent();
        if self.order.contains_key(&group) {
            let mut list = self.children(known, group);
            list.retain(|l| *l != lane);
            put_back(&mut list, lane, &natural_children(known, group));
            self.keep_order(known, group, list);
        }
    }
}

/// Puts a lane behind the nearest one that usually stands before it.
fn put_back(list: &mut Vec<LaneKey>, lane: LaneKey, natural: &[LaneKey]) {
    let before = natural.iter().take_while(|l| **l != lane);
    let place = before
        .filter_map(|lane| list.iter().position(|l| l == lane))
        .last();
    list.insert(place.map_or(0, |at| at + 1), lane);
}

impl LaneState {
    /// Whether a lane is laid out at all, going by itself alone.
    pub(super) fn shows(&self, lane: LaneKey) -> bool {
        !self.arranged.hidden.contains(&lane)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Derived, Shared, rows};
    use super::*;
    use crate::trace::{Device, Rank, Stream, Trace};

    const RANK: RankId = RankId(0);
    const GPU: DeviceId = DeviceId(0);

    fn trace() -> Trace {
        let stream = |id| Stream {
            id: StreamId(id),
            ..Stream::default()
        };
        let device = Device {
            id: GPU,
            streams: vec![stream(7), stream(20), stream(21)],
            ..Device::default()
        };
        Trace {
            ranks: vec![Rank {
                id: RANK,
                devices: vec![device],
                ..Rank::default()
            }],
            ..Trace::default()
        }
    }

    fn stream(id: i64) -> LaneKey {
        LaneKey::Stream(RANK, GPU, StreamId(id))
    }

    fn labels(trace: &Trace, state: &LaneState) -> Vec<String> {
        let rows = rows(trace, state);
        // Whatever the order, lanes stand one below the other.
        assert!(rows.is_sorted_by(|a, b| a.bottom() < b.top));
        rows.into_iter()
            .filter(|row| !matches!(row.key, LaneKey::Derived(..)))
            .map(|row| row.label)
            .collect()
    }

    #[test]
    fn a_pinned_lane_stands_at_the_top_and_not_below_as_well() {
        let (trace, mut state) = (trace(), LaneState::default());
        state.arranged.toggle_pin(stream(20));
        state.arranged.toggle_pin(stream(21));
        let expected = ["Stream 20", "Stream 21", "Rank 0", "GPU 0", "Stream 7"];
        assert_eq!(labels(&trace, &state), expected);
        assert!(rows(&trace, &state)[0].pinned && !rows(&trace, &state)[2].pinned);
        state.arranged.shift((&trace).into(), stream(21), false);
        assert_eq!(labels(&trace, &state)[..2], ["Stream 21", "Stream 20"]);
        assert!(!state.arranged.can_move((&trace).into(), stream(21), false));
        // Its group may be hidden or closed.
        state.arranged.hide(LaneKey::Rank(RANK));
        assert_eq!(labels(&trace, &state), ["Stream 21", "Stream 20"]);
        // What the trace does not have is passed over.
        state.arranged.toggle_pin(stream(99));
        assert_eq!(labels(&trace, &state), ["Stream 21", "Stream 20"]);
    }

    #[test]
    fn lanes_are_hidden_moved_over_shown_ones_renamed_and_reset() {
        let (trace, mut state) = (trace(), LaneState::default());
        state.arranged.hide(stream(20));
        state.arranged.shift((&trace).into(), stream(21), false);
        assert_eq!(labels(&trace, &state)[2..], ["Stream 21", "Stream 7"]);
        state.arranged.hidden.clear();
        assert_eq!(
            labels(&trace, &state)[2..],
            ["Stream 21", "Stream 7", "Stream 20"]
        );
        state.arranged.rename(stream(21), "copies");
        assert_eq!(labels(&trace, &state)[2], "copies");
        assert!(state.arranged.is_touched(stream(21)));
        state.arranged.reset((&trace).into(), stream(21));
        assert_eq!(state.arranged, Arranged::default());
        // Streams may stand above what is derived of the device.
        for _ in 0..5 {
            state.arranged.shift((&trace).into(), stream(7), false);
        }
        let first = rows(&trace, &state)[2].key;
        assert_eq!(first, stream(7));
        assert_eq!(
            rows(&trace, &state)[3].key,
            LaneKey::Derived(RANK, GPU, Derived::Computation)
        );
    }

    #[test]
    fn lanes_that_are_new_stand_where_they_usually_do() {
        let (trace, mut state) = (trace(), LaneState::default());
        let group = Some(LaneKey::Device(RANK, GPU));
        // As kept from a trace that had streams 20 and 3 alone.
        let kept = vec![stream(3), stream(20)];
        state.arranged.order.insert(group, kept);
        let found = state.arranged.children((&trace).into(), group);
        assert_eq!(found.len(), 8);
        assert_eq!(found[5..], [stream(7), stream(20), stream(21)]);
    }

    #[test]
    fn streams_that_share_a_lane_stand_in_one_place() {
        let (trace, mut state) = (trace(), LaneState::default());
        let pack = [20, 7, 99].map(StreamId).to_vec();
        state.arranged.packs.insert((RANK, GPU), vec![pack]);
        let all = rows(&trace, &state);
        let row = |id| all.iter().find(|r| r.key == stream(id)).unwrap();
        assert_eq!(row(7).top.to_bits(), row(20).top.to_bits());
        assert!(row(21).top > row(20).bottom());
        assert_eq!(row(7).shared, Shared::First(2));
        assert_eq!(row(7).label, "Streams 7…20 (2)");
        assert_eq!(row(20).shared, Shared::Behind);
        assert!(all.is_sorted_by(|a, b| a.bottom() <= b.bottom() && a.top <= b.top));
        // One that is pinned or hidden has no part in it, and one alone is a lane like others.
        state.arranged.toggle_pin(stream(20));
        let all = rows(&trace, &state);
        let row = |id| all.iter().find(|r| r.key == stream(id)).unwrap();
        assert_eq!((row(7).shared, row(20).shared), (Shared::No, Shared::No));
        assert_eq!(row(7).label, "Stream 7");
    }

    #[test]
    fn what_is_gone_to_is_shown() {
        let (trace, mut state) = (trace(), LaneState::default());
        state.arranged.hide(stream(20));
        state.arranged.hide(LaneKey::Rank(RANK));
        state.reveal(stream(20));
        assert!(labels(&trace, &state).contains(&"Stream 20".to_owned()));
    }
}
