//! [`Groups`]: what the user says that process groups are for. Findings and the table by group use it.

use super::{CollectiveRows, Session};
use crate::metrics::{Parallelism, Query, TypedGroups, comm_group_rows, label_comm_groups};
use crate::trace::Trace;

/// What the user says of process groups, by their names.
#[derive(Debug, Default)]
pub struct Groups {
    typed: TypedGroups,
    /// Another number for another state, for caches.
    revision: u64,
}

impl Groups {
    /// What was said.
    #[must_use]
    pub fn typed(&self) -> &TypedGroups {
        &self.typed
    }

    /// What findings follow from.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }
}

/// Rows by process group and kind, with what the trace tells of each group.
pub(super) fn labelled_groups(trace: &Trace, query: &Query) -> CollectiveRows {
    let mut rows = comm_group_rows(trace, query);
    label_comm_groups(trace, query, &mut rows);
    CollectiveRows::Groups(rows)
}

impl Session {
    /// Says what a group is for, or leaves that to the trace.
    pub(super) fn label_group(&mut self, name: String, parallelism: Option<Parallelism>) {
        let mut typed = self.groups.typed.clone();
        match parallelism {
            Some(said) => typed.insert(name, said),
            None => typed.remove(&name),
        };
        self.set_groups(typed);
    }

    pub(super) fn set_groups(&mut self, typed: TypedGroups) {
        if self.groups.typed != typed {
            self.groups.typed = typed;
            self.groups.revision += 1;
            self.collectives.type_groups(&self.groups.typed);
        }
    }
}
