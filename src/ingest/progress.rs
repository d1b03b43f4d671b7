//! How far a load is, and the wish to stop it: plain atomics, no callbacks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// What a load is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Looking which files there are.
    Listing,
    /// Reading and parsing.
    Reading,
    /// Sorting, linking, building what figures need.
    Indexing,
    /// Over, well or not.
    Done,
}

impl Phase {
    /// Words for a progress bar.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Listing => "looking for files",
            Self::Reading => "reading",
            Self::Indexing => "building lanes",
            Self::Done => "done",
        }
    }
}

/// How far a load is. Clones share the same counters.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    phase: AtomicU8,
    total: AtomicU64,
    done: AtomicU64,
    events: AtomicU64,
}

impl Progress {
    /// What is being done.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.0.phase.load(Ordering::Relaxed) {
            0 => Phase::Listing,
            1 => Phase::Reading,
            2 => Phase::Indexing,
            _ => Phase::Done,
        }
    }

    /// Bytes on disk to be read in all; 0 while that is not known.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.0.total.load(Ordering::Relaxed)
    }

    /// Bytes on disk that were read.
    #[must_use]
    pub fn done_bytes(&self) -> u64 {
        self.0.done.load(Ordering::Relaxed)
    }

    /// Events found so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.0.events.load(Ordering::Relaxed)
    }

    /// Enters a phase.
    pub fn set_phase(&self, phase: Phase) {
        let number = match phase {
            Phase::Listing => 0,
            Phase::Reading => 1,
            Phase::Indexing => 2,
            Phase::Done => 3,
        };
        self.0.phase.store(number, Ordering::Relaxed);
    }

    /// Adds bytes to the total.
    pub fn expect_bytes(&self, bytes: u64) {
        self.0.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were read.
    pub fn add_bytes(&self, bytes: u64) {
        self.0.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts events that were found.
    pub fn add_events(&self, events: u64) {
        self.0.events.fetch_add(events, Ordering::Relaxed);
    }
}

/// The wish to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks whoever works to stop soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
