//! Joining builders of neighbouring parts of one text, as if one had read all of it.

use super::lanes::Lane;
use super::{RankBuilder, to_u32, to_usize};
use crate::trace::NameId;

/// The numbers that names and lanes of an absorbed builder have in the one that absorbed it.
#[derive(Debug, Default)]
pub struct Renumbered {
    names: Vec<NameId>,
    lanes: Vec<u32>,
}

impl Renumbered {
    /// The new number of a name.
    #[must_use]
    pub fn name(&self, old: NameId) -> NameId {
        self.names.get(to_usize(old.0)).copied().unwrap_or(old)
    }

    /// The new number of a lane.
    #[must_use]
    pub fn lane(&self, old: u32) -> u32 {
        self.lanes.get(to_usize(old)).copied().unwrap_or(old)
    }
}

impl RankBuilder {
    /// Takes over everything that a builder of the part of the text right behind this one holds.
    ///
    /// Names and lanes are numbered in the order in which the whole text has them, so the result
    /// does not depend on where the text was cut.
    pub fn absorb(&mut self, next: Self) -> Renumbered {
        let map = Renumbered {
            names: next
                .names
                .iter()
                .map(|(_, text)| self.names.intern(text))
                .collect(),
            lanes: next
                .lanes
                .lanes()
                .iter()
                .map(|lane: &Lane| self.lane(lane.clone()))
                .collect(),
        };
        let before = to_u32(self.columns.len());
        self.columns.append(next.columns, &map);
        self.lanes.absorb_names(next.lanes);
        self.unclosed
            .extend(next.unclosed.iter().map(|i| i + before));
        let messages = next.messages.into_iter();
        self.messages
            .extend(messages.map(|(i, m)| (i + before, m.renamed(|n| map.name(n)))));
        self.instants
            .extend(next.instants.into_iter().map(|mut instant| {
                instant.name = map.name(instant.name);
                instant
            }));
        self.memory.extend(next.memory.into_iter().map(|mut event| {
            event.lane = map.lane(event.lane);
            event
        }));
        self.flows.extend(next.flows.into_iter().map(|mut flow| {
            flow.category = map.name(flow.category);
            flow
        }));
        #[expect(
            clippy::iter_over_hash_type,
            reason = "each series is appended to its own; their order among each other is sorted later"
        )]
        for ((pid, name, series), samples) in next.counters {
            self.counters
                .entry((pid, map.name(name), map.name(series)))
                .or_default()
                .extend(samples);
        }
        self.health.absorb(next.health);
        self.absorb_left_out(next.partial);
        map
    }
}
