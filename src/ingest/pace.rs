//! [`Pace`]: how fast a load goes, and how long it will still take.

use std::time::Duration;

/// Nothing is said before: the first blocks come at any speed.
const SETTLE: Duration = Duration::from_millis(500);
/// Samples closer together say more of the clock than of the load.
const LEAST_STEP: Duration = Duration::from_millis(100);
/// How long a change of speed takes to be believed.
const MEMORY: Duration = Duration::from_secs(2);

/// How fast a load goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Bytes of text in a second.
    pub text_bytes: u64,
    /// Events in a second.
    pub events: u64,
    /// How long reading will still take; `None` in the first half second and where nothing moves.
    pub left: Option<Duration>,
}

impl Speed {
    /// `3 s left`, `6 min left`: rounded up, since a second too many annoys nobody.
    #[must_use]
    pub fn left_words(&self) -> Option<String> {
        let seconds = self.left?.as_millis().div_ceil(1_000).max(1);
        Some(match seconds {
            0..100 => format!("{seconds} s left"),
            _ => format!("{} min left", seconds.div_ceil(60)),
        })
    }
}

/// Counters of a load at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Since reading began.
    pub(super) at: Duration,
    pub(super) done: u64,
    pub(super) total: u64,
    pub(super) text: u64,
    pub(super) events: u64,
}

/// Follows the counters of a load and smooths its rates, so that the time left does not jump.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    last: Sample,
    /// Bytes on disk, bytes of text and events in a second.
    rates: Option<[f64; 3]>,
}

impl Pace {
    /// Takes a sample and tells the speed. Samples must not go back in time.
    pub(super) fn follow(&mut self, now: Sample) -> Option<Speed> {
        let step = now.at.saturating_sub(self.last.at);
        if now.at < SETTLE {
            return None;
        }
        if self.rates.is_none() || step >= LEAST_STEP {
            let seconds = step.as_secs_f64();
            let fresh = [
                rate(now.done, self.last.done, seconds),
                rate(now.text, self.last.text, seconds),
                rate(now.events, self.last.events, seconds),
            ];
            // The weight of what is new depends on how much time it stands for, so the result does
            // not depend on how often somebody looks.
            let weight = 1.0 - (-seconds / MEMORY.as_secs_f64()).exp();
            self.rates = Some(match self.rates {
                None => fresh,
                Some(mut rates) => {
                    for (rate, fresh) in rates.iter_mut().zip(fresh) {
                        *rate += weight * (fresh - *rate);
                    }
                    rates
                }
            });
            self.last = now;
        }
        let [done, text, events] = self.rates?;
        Some(Speed {
            text_bytes: whole(text),
            events: whole(events),
            left: left(now.total.saturating_sub(now.done), done),
        })
    }
}

fn left(missing: u64, rate: f64) -> Option<Duration> {
    let seconds = float(missing) / rate;
    Duration::try_from_secs_f64(seconds).ok()
}

fn rate(now: u64, before: u64, seconds: f64) -> f64 {
    float(now.saturating_sub(before)) / seconds.max(f64::MIN_POSITIVE)
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
fn float(count: u64) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate for people to read; the cast stops at the ends of the range"
)]
fn whole(rate: f64) -> u64 {
    rate.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load of 1,000 MB with so many MB done at so many milliseconds, twice as much text.
    fn at(ms: u64, mb: u64) -> Sample {
        Sample {
            at: Duration::from_millis(ms),
            done: mb * 1_000_000,
            total: 1_000_000_000,
            text: 2 * mb * 1_000_000,
            events: mb * 3_000,
        }
    }

    #[test]
    fn nothing_is_told_in_the_first_half_second() {
        let mut pace = Pace::default();
        assert_eq!(pace.follow(at(100, 10)), None);
        assert_eq!(pace.follow(at(499, 50)), None);
        let speed = pace.follow(at(500, 50)).unwrap();
        // 100 MB a second from the beginning on; 950 MB are missing.
        assert_eq!(speed.text_bytes, 200_000_000);
        assert_eq!(speed.events, 300_000);
        assert_eq!(speed.left, Some(Duration::from_millis(9_500)));
    }

    #[test]
    fn a_stutter_moves_the_time_left_only_a_little() {
        let mut pace = Pace::default();
        let mut before = pace.follow(at(500, 50)).unwrap().left.unwrap();
        // Every third tenth of a second brings nothing, the others 15 MB.
        let mut done = 50;
        for i in 1..60_u64 {
            done += if i % 3 == 0 { 0 } else { 15 };
            let left = pace.follow(at(500 + i * 100, done)).unwrap().left.unwrap();
            let moved = left.as_secs_f64() / before.as_secs_f64();
            assert!((0.9..1.06).contains(&moved), "{i}: {before:?} to {left:?}");
            before = left;
        }
    }

    #[test]
    fn a_lasting_change_of_speed_is_believed_in_time() {
        let mut pace = Pace::default();
        pace.follow(at(1_000, 500)).unwrap();
        let mut speed = Speed::default();
        for i in 1..=120_u64 {
            speed = pace.follow(at(1_000 + i * 100, 500 + i)).unwrap();
        }
        // 10 MB a second for twelve seconds: 380 MB will take 38 s, within a third.
        let left = speed.left.unwrap().as_secs();
        assert!((25..=38).contains(&left), "{left}");
    }

    #[test]
    fn the_time_left_is_told_in_words() {
        let words = |ms| {
            let left = Some(Duration::from_millis(ms));
            let speed = Speed {
                left,
                ..Speed::default()
            };
            speed.left_words().unwrap()
        };
        assert_eq!(words(0), "1 s left");
        assert_eq!(words(2_400), "3 s left");
        assert_eq!(words(99_000), "99 s left");
        assert_eq!(words(99_001), "2 min left");
        assert_eq!(words(328_000), "6 min left");
    }

    #[test]
    fn where_nothing_moves_no_time_is_told() {
        let mut pace = Pace::default();
        assert_eq!(pace.follow(at(600, 0)).unwrap().left, None);
    }
}
