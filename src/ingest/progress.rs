//! How far a load is, and the wish to stop it: plain atomics, no callbacks.

use super::pace::{Pace, Sample, Speed};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a load is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Looking which files there are.
    Listing,
    /// Reading once to learn where the trace begins, which a range counts from.
    Surveying,
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
            Self::Surveying => "looking for the range",
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
    text: AtomicU64,
    events: AtomicU64,
    pace: Mutex<Option<(Instant, Pace)>>,
}

impl Progress {
    /// What is being done.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.0.phase.load(Ordering::Relaxed) {
            0 => Phase::Listing,
            1 => Phase::Surveying,
            2 => Phase::Reading,
            3 => Phase::Indexing,
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
            Phase::Surveying => 1,
            Phase::Reading => 2,
            Phase::Indexing => 3,
            Phase::Done => 4,
        };
        self.0.phase.store(number, Ordering::Relaxed);
    }

    /// Bytes of decompressed text that were read.
    #[must_use]
    pub fn text_bytes(&self) -> u64 {
        self.0.text.load(Ordering::Relaxed)
    }

    /// Bytes of decompressed text to be read in all, as far as the part that was read tells.
    pub(super) fn expected_text_bytes(&self) -> u64 {
        let (done, total) = (self.done_bytes(), self.total_bytes());
        if done == 0 {
            return total;
        }
        let text = u128::from(self.text_bytes()) * u128::from(total) / u128::from(done);
        u64::try_from(text).unwrap_or(u64::MAX)
    }

    /// How fast reading goes; `None` in its first half second and outside of it. Whoever asks moves
    /// the smoothing on, a tenth of a second at a time at most.
    #[must_use]
    pub fn speed(&self) -> Option<Speed> {
        if !matches!(self.phase(), Phase::Surveying | Phase::Reading) {
            return None;
        }
        let mut pace = self.pace();
        let (began, pace) = pace.as_mut()?;
        pace.follow(Sample {
            at: began.elapsed(),
            done: self.done_bytes(),
            total: self.total_bytes(),
            text: self.text_bytes(),
            events: self.events(),
        })
    }

    fn pace(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Pace)>> {
        self.0.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a phase that passes over files of so many bytes on disk: counters, speed and time left
    /// are those of this pass.
    pub fn begin_pass(&self, phase: Phase, bytes: u64) {
        for counter in [&self.0.done, &self.0.text, &self.0.events] {
            counter.store(0, Ordering::Relaxed);
        }
        self.0.total.store(bytes, Ordering::Relaxed);
        *self.pace() = Some((Instant::now(), Pace::default()));
        self.set_phase(phase);
    }

    /// Adds bytes to the total.
    pub fn expect_bytes(&self, bytes: u64) {
        self.0.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were read.
    pub fn add_bytes(&self, bytes: u64) {
        self.0.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes of text that were decompressed.
    pub fn add_text(&self, bytes: u64) {
        self.0.text.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts events that were found.
    pub fn add_events(&self, events: u64) {
        self.0.events.fetch_add(events, Ordering::Relaxed);
    }
}

/// The wish to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    own: Arc<AtomicBool>,
    /// A wish that counts as well.
    wider: Option<Arc<AtomicBool>>,
}

impl Cancel {
    /// Asks whoever works to stop soon.
    pub fn cancel(&self) {
        self.own.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let wider = self.wider.as_ref();
        self.own.load(Ordering::Relaxed) || wider.is_some_and(|w| w.load(Ordering::Relaxed))
    }

    /// A wish of a part of the work: set where this one is, and by itself without setting this one.
    pub(super) fn part(&self) -> Self {
        Self {
            own: Arc::default(),
            wider: Some(Arc::clone(&self.own)),
        }
    }
}
