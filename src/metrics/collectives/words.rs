//! What process groups are called, each looked up once for all of its kernels.

use crate::trace::{Message, NameId, Rank, Trace};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A process group in words.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) name: Option<Arc<str>>,
    pub(super) description: Option<Arc<str>>,
    pub(super) ranks: Option<Arc<str>>,
    /// How many ranks are listed.
    pub(super) size: Option<u32>,
}

type Key = [Option<NameId>; 3];

/// The process groups of one rank.
pub(super) struct Words<'t> {
    trace: &'t Trace,
    rank: &'t Rank,
    known: FxHashMap<Key, Group>,
}

impl<'t> Words<'t> {
    pub(super) fn new(trace: &'t Trace, rank: &'t Rank) -> Self {
        Self {
            trace,
            rank,
            known: FxHashMap::default(),
        }
    }

    /// The group of a message: what it says itself, else what its file lists under the name.
    pub(super) fn group(&mut self, message: &Message) -> Group {
        let key = [message.group, message.description, message.ranks];
        if let Some(group) = self.known.get(&key) {
            return group.clone();
        }
        let names = &self.trace.names;
        let text = |id: Option<NameId>| id.map(|id| names.shared(id));
        let listed = message
            .group
            .and_then(|n| self.rank.process_group(names.get(n)));
        let listed_text = listed
            .map(|g| g.description.as_str())
            .filter(|d| !d.is_empty());
        let members = message.group_ranks(self.rank, names);
        let list = members.as_ref().map(|members| {
            let words: Vec<String> = members.iter().map(u32::to_string).collect();
            Arc::from(format!("[{}]", words.join(", ")))
        });
        let group = Group {
            name: text(message.group),
            description: text(message.description).or_else(|| listed_text.map(Arc::from)),
            ranks: list.or_else(|| text(message.ranks)),
            size: members.and_then(|m| u32::try_from(m.len()).ok()),
        };
        self.known.insert(key, group.clone());
        group
    }
}
