//! What a session is kept of by itself, and by which paths: a trace, or a snapshot that is open alone.

use crate::session::Session;
use std::path::PathBuf;

/// What a session is kept of, with the number of its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAs {
    /// A trace, with the snapshot beside it.
    Trace(u64),
    /// A snapshot that is open alone.
    Snapshot(u64),
}

impl Session {
    /// What is to be kept by itself: not the sample, and not before what was kept the last time is
    /// back. A snapshot beside a trace is a part of the trace's session.
    #[must_use]
    pub fn kept_as(&self) -> Option<KeptAs> {
        let keeps_trace = self.trace.is_some()
            && self.recalled == self.generation
            && self.sources != self.demo_paths
            && !self.sources.is_empty();
        if keeps_trace {
            return Some(KeptAs::Trace(self.generation));
        }
        let generation = self.snapshot.generation;
        self.keeps_snapshot()
            .then_some(KeptAs::Snapshot(generation))
    }

    /// The paths by which it is kept.
    #[must_use]
    pub fn kept_paths(&self) -> Vec<PathBuf> {
        let snapshot = self.snapshot.open.iter().map(|open| open.path.clone());
        match self.trace {
            Some(_) => self.sources.clone(),
            None => snapshot.collect(),
        }
    }
}
