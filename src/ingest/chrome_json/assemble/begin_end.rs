//! `B` and `E` events: pairs by thread, put together once all are there.
//!
//! Files have them in any order, so they are sorted by time first; equal times keep the file's
//! order.

use super::Filter;
use crate::time::{DurNs, Ns};
use crate::trace::{
    Category, IssueKind, Message, Position, RankBuilder, RawSlice, Renumbered, RowKey,
};
use std::collections::HashMap;

/// Begins and ends of all threads.
#[derive(Default)]
pub(super) struct BeginEnd {
    rows: HashMap<RowKey, Vec<Edge>>,
    /// Rows in the order in which they first appeared, so that results do not depend on hashing.
    order: Vec<RowKey>,
}

struct Edge {
    at: Ns,
    kind: EdgeKind,
}

enum EdgeKind {
    Begin(Box<(RawSlice, Option<Message>)>),
    End { byte: u64 },
}

impl BeginEnd {
    pub(super) fn begin(&mut self, key: RowKey, slice: RawSlice, message: Option<Message>) {
        let at = slice.start;
        self.push(
            key,
            Edge {
                at,
                kind: EdgeKind::Begin(Box::new((slice, message))),
            },
        );
    }

    pub(super) fn end(&mut self, key: RowKey, at: Ns, byte: u64) {
        self.push(
            key,
            Edge {
                at,
                kind: EdgeKind::End { byte },
            },
        );
    }

    fn push(&mut self, key: RowKey, edge: Edge) {
        if let Some(edges) = self.rows.get_mut(&key) {
            edges.push(edge);
        } else {
            self.order.push(key.clone());
            self.rows.insert(key, vec![edge]);
        }
    }

    /// Takes over the edges of the part of the text that follows.
    pub(super) fn absorb(&mut self, mut next: Self, renumbered: &Renumbered) {
        for key in std::mem::take(&mut next.order) {
            for mut edge in next.rows.remove(&key).unwrap_or_default() {
                if let EdgeKind::Begin(begun) = &mut edge.kind {
                    let (slice, message) = &mut **begun;
                    slice.name = renumbered.name(slice.name);
                    slice.lane = renumbered.lane(slice.lane);
                    *message = message.map(|m| m.renamed(|n| renumbered.name(n)));
                }
                self.push(key.clone(), edge);
            }
        }
    }

    /// Pairs everything; begins without an end are left to the builder, which knows the last time
    /// of the rank once it knows what is astray.
    pub(super) fn close(&mut self, builder: &mut RankBuilder, filter: &Filter) {
        for key in &self.order {
            let mut edges = self.rows.remove(key).unwrap_or_default();
            edges.sort_by_key(|e| e.at);
            let mut open: Vec<(RawSlice, Option<Message>)> = Vec::new();
            for edge in edges {
                match edge.kind {
                    EdgeKind::Begin(begun) => open.push(*begun),
                    EdgeKind::End { byte } => {
                        match open.pop() {
                            Some((mut slice, message)) => {
                                slice.dur = edge.at - slice.start;
                                if leaves_out(builder, filter, &slice) {
                                    continue;
                                }
                                builder.push_slice(slice);
                                if let Some(message) = message {
                                    builder.state_message(message);
                                }
                            }
                            None => builder.health.note(IssueKind::OrphanEnd, builder.file, || {
                                Position {
                                    byte: Some(byte),
                                    what: format!("pid {} tid {}", key.pid, key.tid),
                                }
                            }),
                        }
                    }
                }
            }
            for (mut slice, message) in open {
                // It will run to the end of the rank, so only a range that ends before it starts
                // has nothing of it.
                slice.dur = filter.longest_from(slice.start);
                if leaves_out(builder, filter, &slice) {
                    continue;
                }
                slice.dur = DurNs::ZERO;
                let what = builder.names.get(slice.name).to_owned();
                builder
                    .health
                    .note(IssueKind::UnclosedBegin, builder.file, || Position {
                        byte: Some(slice.source.offset),
                        what,
                    });
                builder.push_unclosed(slice);
                if let Some(message) = message {
                    builder.state_message(message);
                }
            }
        }
    }
}

/// Whether a pair is left out by choice; if so, it is counted.
fn leaves_out(builder: &mut RankBuilder, filter: &Filter, slice: &RawSlice) -> bool {
    let Some(why) = filter.why_slice(slice, builder.names.get(slice.name)) else {
        return false;
    };
    let what = builder.names.get(slice.name).to_owned();
    builder.leave_out(why, slice.start, slice.dur, || Position {
        byte: Some(slice.source.offset),
        what,
    });
    if let (Category::Gpu, Some(id)) = (slice.category, slice.correlation) {
        builder.lose_kernel(id, slice.start);
    }
    true
}
