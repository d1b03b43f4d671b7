//! [`Budget`]: how much memory a load holds, against how much it may take.
//!
//! A machine that swaps is of no use to anybody, so a load that will not fit ends with a sentence
//! that says so in numbers: before reading where the size of the text tells, and while reading as
//! soon as what is held makes it certain, or the part that was read makes it hopeless.

use super::{Cancel, IngestError, Progress};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Memory that a load takes at its peak for every thousand bytes of text; measured on generated and
/// real traces.
const PER_THOUSAND: u64 = 270;
/// Sorting and what figures need come on top of what is held when the last event was read: so many
/// hundredths of that are the peak.
const PEAK_PERCENT: u64 = 130;
/// A guess from the part that was read counts only when it is this many times what is available.
const HOPELESS: u64 = 2;
/// And only from this part of the text on: one in so many.
const LEAST_SHARE: u64 = 20;

/// How much memory a load holds, over all its files. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Budget(Arc<State>);

#[derive(Debug)]
struct State {
    /// `None` where nothing is to be checked.
    limit: Option<u64>,
    held: AtomicU64,
    progress: Progress,
    stop: Cancel,
    /// What would have been needed, once it is known to be too much.
    needed: OnceLock<u64>,
}

/// The share of one file in a budget.
#[derive(Debug)]
pub(super) struct Meter {
    budget: Budget,
    told: u64,
}

impl Budget {
    /// A budget of `limit` bytes for the load of this progress; `stop` is set once it is exceeded.
    pub(super) fn new(limit: Option<u64>, progress: &Progress, stop: &Cancel) -> Self {
        Self(Arc::new(State {
            limit,
            held: AtomicU64::new(0),
            progress: progress.clone(),
            stop: stop.clone(),
            needed: OnceLock::new(),
        }))
    }

    /// Checks before reading: whether so many bytes of plain text fit.
    pub(super) fn check_text(&self, text_bytes: u64) -> Result<(), IngestError> {
        let need = per_cent(text_bytes / 10, PER_THOUSAND);
        match self.0.limit {
            Some(limit) if need > limit => Err(IngestError::TooLarge {
                text: text_bytes,
                exact: true,
                need,
                limit,
            }),
            _ => Ok(()),
        }
    }

    /// Tells that everything that was held so far was let go.
    pub(super) fn release(&self) {
        self.0.held.store(0, Ordering::Relaxed);
    }

    /// The meter of one file.
    pub(super) fn meter(&self) -> Meter {
        Meter {
            budget: self.clone(),
            told: 0,
        }
    }

    /// The sentence for a load that was stopped because it does not fit; `None` for any other.
    pub(super) fn exceeded(&self) -> Option<IngestError> {
        let need = *self.0.needed.get()?;
        Some(IngestError::TooLarge {
            text: self.0.progress.expected_text_bytes(),
            exact: false,
            need,
            limit: self.0.limit.unwrap_or(0),
        })
    }

    fn check(&self, held: u64) {
        let Some(limit) = self.0.limit else {
            return;
        };
        let peak = per_cent(held, PEAK_PERCENT);
        let (done, total) = (self.0.progress.done_bytes(), self.0.progress.total_bytes());
        let guess = scaled(peak, total, done);
        let hopeless = done > total / LEAST_SHARE && guess > limit.saturating_mul(HOPELESS);
        if peak > limit || hopeless {
            // Only the first one is told.
            self.0.needed.get_or_init(|| guess.max(peak));
            self.0.stop.cancel();
        }
    }
}

impl Meter {
    /// Tells how many bytes the file's events take by now.
    pub(super) fn holds(&mut self, bytes: usize) {
        let now = u64::try_from(bytes).unwrap_or(u64::MAX);
        let held = &self.budget.0.held;
        let more = now.saturating_sub(self.told);
        let before = held.fetch_add(more, Ordering::Relaxed);
        self.told = self.told.max(now);
        if more > 0 {
            self.budget.check(before.saturating_add(more));
        }
    }
}

fn per_cent(of: u64, percent: u64) -> u64 {
    scaled(of, percent, 100)
}

/// `of * times / parts`, as far as it fits; `of` where there are no parts.
fn scaled(of: u64, times: u64, parts: u64) -> u64 {
    if parts == 0 {
        return of;
    }
    let product = u128::from(of) * u128::from(times) / u128::from(parts);
    u64::try_from(product).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: u64) -> (Budget, Progress, Cancel) {
        let (progress, stop) = (Progress::default(), Cancel::default());
        (Budget::new(Some(limit), &progress, &stop), progress, stop)
    }

    #[test]
    fn text_that_cannot_fit_is_refused_before_it_is_read() {
        let (budget, ..) = budget(1_000_000_000);
        assert!(budget.check_text(3_700_000_000).is_ok());
        let error = budget.check_text(5_000_000_000).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "5.0 GB of text need about 1.4 GB of memory, but only 1.0 GB is available; "
            ),
            "{error}"
        );
    }

    #[test]
    fn what_is_held_by_all_files_counts() {
        let (budget, progress, stop) = budget(1_000);
        progress.expect_bytes(2_000);
        let (mut a, mut b) = (budget.meter(), budget.meter());
        progress.add_bytes(1_900);
        a.holds(400);
        b.holds(300);
        assert!(!stop.is_cancelled() && budget.exceeded().is_none());
        // 1.3 times 770 is over 1,000.
        b.holds(370);
        assert!(stop.is_cancelled());
        assert!(matches!(
            budget.exceeded(),
            Some(IngestError::TooLarge {
                need: 1_053,
                limit: 1_000,
                ..
            })
        ));
    }

    #[test]
    fn a_hopeless_load_stops_early_and_a_doubtful_one_goes_on() {
        let (budget, progress, stop) = budget(1_000);
        progress.expect_bytes(1_000);
        let mut meter = budget.meter();
        // A hundredth is too little to tell.
        progress.add_bytes(10);
        meter.holds(100);
        assert!(!stop.is_cancelled());
        // A tenth: 145 * 1.3 * 10 is less than twice what is there.
        progress.add_bytes(90);
        meter.holds(145);
        assert!(!stop.is_cancelled());
        meter.holds(160);
        assert!(stop.is_cancelled());
    }

    #[test]
    fn without_a_limit_nothing_is_checked() {
        let (progress, stop) = (Progress::default(), Cancel::default());
        let budget = Budget::new(None, &progress, &stop);
        assert!(budget.check_text(u64::MAX).is_ok());
        budget.meter().holds(usize::MAX);
        assert!(!stop.is_cancelled());
    }
}
