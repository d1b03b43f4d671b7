//! `START..END` as it is typed: times relative to the trace's start, or absolute ones.

use super::{DurNs, Ns, NumberError, Window, parse_i64, parse_quantity, parse_us};
use std::fmt;
use std::str::FromStr;

/// A window as the user typed it, before the trace's start is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeRange {
    text: String,
    start: Edge,
    end: Edge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// From the first valid event over all ranks of a trace.
    Relative(DurNs),
    /// Nanoseconds as `window_start_ns` has them.
    Absolute(Ns),
}

/// Why a text is no window.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeRangeError {
    /// One time, or something else.
    #[error("there is no '..' between start and end; write it like 5ms..7ms")]
    NoDots,
    /// An end that is left open.
    #[error("the {side} is missing; write both, like 5ms..7ms")]
    Missing {
        /// Start or end.
        side: &'static str,
    },
    /// A bare number.
    #[error("the {side} '{text}' has no unit; add ns, us, ms or s, like {text}ms")]
    NoUnit {
        /// Start or end.
        side: &'static str,
        /// As it was written.
        text: String,
    },
    /// Something that is no number with a unit.
    #[error(
        "the {side} '{text}' is no time; write a number with ns, us, ms or s, like 5ms, or @ and absolute nanoseconds"
    )]
    NoTime {
        /// Start or end.
        side: &'static str,
        /// As it was written.
        text: String,
    },
    /// A time that does not fit.
    #[error("the {side} '{text}' is beyond 64-bit nanoseconds")]
    OutOfRange {
        /// Start or end.
        side: &'static str,
        /// As it was written.
        text: String,
    },
    /// An end before its start, told once both are known.
    #[error("the window {text} ends before it starts; swap its ends")]
    Backwards {
        /// As it was written.
        text: String,
    },
}

impl TimeRange {
    /// Whether the range can be one in any trace.
    ///
    /// # Errors
    /// [`TimeRangeError::Backwards`] where both ends count from the same instant and run backwards.
    pub fn check(&self) -> Result<(), TimeRangeError> {
        match (self.start, self.end) {
            (Edge::Relative(_), Edge::Relative(_)) | (Edge::Absolute(_), Edge::Absolute(_)) => {
                self.resolve(Ns(0)).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The window in a trace that starts at `origin`.
    ///
    /// # Errors
    /// [`TimeRangeError::Backwards`] where the end lies before the start.
    pub fn resolve(&self, origin: Ns) -> Result<Window, TimeRangeError> {
        let at = |edge| match edge {
            Edge::Relative(dur) => origin.saturating_add(dur),
            Edge::Absolute(at) => at,
        };
        let (start, end) = (at(self.start), at(self.end));
        if end < start {
            return Err(TimeRangeError::Backwards {
                text: self.text.clone(),
            });
        }
        Ok(Window::new(start, end))
    }
}

impl fmt::Display for TimeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for TimeRange {
    type Err = TimeRangeError;

    fn from_str(text: &str) -> Result<Self, TimeRangeError> {
        let (start, end) = text.split_once("..").ok_or(TimeRangeError::NoDots)?;
        let range = Self {
            text: text.trim().to_owned(),
            start: edge("start", start.trim())?,
            end: edge("end", end.trim())?,
        };
        Ok(range)
    }
}

fn edge(side: &'static str, text: &str) -> Result<Edge, TimeRangeError> {
    if text.is_empty() {
        return Err(TimeRangeError::Missing { side });
    }
    let parsed = match text.strip_prefix('@') {
        Some(ns) => parse_i64(ns.as_bytes()).map(|ns| Edge::Absolute(Ns(ns))),
        None => parse_quantity(text).map(Edge::Relative),
    };
    let is_number = parse_us(text.as_bytes()).is_ok();
    let text = text.to_owned();
    parsed.map_err(|error| match error {
        NumberError::OutOfRange => TimeRangeError::OutOfRange { side, text },
        NumberError::NotANumber if is_number => TimeRangeError::NoUnit { side, text },
        NumberError::NotANumber => TimeRangeError::NoTime { side, text },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> Option<(i64, i64)> {
        let window = text.parse::<TimeRange>().ok()?.resolve(Ns(1_000)).ok()?;
        Some((window.start().0, window.end().0))
    }

    #[test]
    fn ends_are_relative_to_the_trace_or_absolute() {
        for (text, window) in [
            ("0ns..5us", (1_000, 6_000)),
            ("0.5us .. 1.5us", (1_500, 2_500)),
            ("-1us..1ms", (0, 1_001_000)),
            ("@7..@9", (7, 9)),
            (
                "@1682725898237042123..@1682725898237042124",
                (1_682_725_898_237_042_123, 1_682_725_898_237_042_124),
            ),
            ("0s..@2000", (1_000, 2_000)),
            ("1us..1us", (2_000, 2_000)),
        ] {
            assert_eq!(resolve(text), Some(window), "{text}");
        }
    }

    #[test]
    fn trouble_says_what_is_wrong() {
        for (text, part) in [
            ("5ms", "no '..'"),
            ("..5ms", "the start is missing"),
            ("5ms..", "the end is missing"),
            ("5..7ms", "the start '5' has no unit"),
            ("5ms..7.5", "the end '7.5' has no unit"),
            ("5ms..7parsecs", "the end '7parsecs' is no time"),
            ("@x..@7", "the start '@x' is no time"),
            ("0s..99999999999999s", "beyond 64-bit"),
        ] {
            let error = text.parse::<TimeRange>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let backwards = "7ms..5ms".parse::<TimeRange>().expect("parses");
        let error = backwards.resolve(Ns(0)).expect_err("backwards").to_string();
        assert_eq!(
            error,
            "the window 7ms..5ms ends before it starts; swap its ends"
        );
    }
}
