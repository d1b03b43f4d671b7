//! Single values of an event: times, rows, ids.

use super::MAX_TIME;
use crate::ingest::chrome_json::event::{RawArgs, RawEvent, Wanted, text};
use crate::time::{NumberError, parse_i64, parse_us};
use crate::trace::{IssueKind, RowKey};

/// A time in nanoseconds, or why there is none.
pub(super) fn time(raw: Option<&str>) -> Result<i64, IssueKind> {
    let raw = raw.filter(|r| *r != "null").ok_or(IssueKind::MissingTime)?;
    match parse_us(raw.as_bytes()) {
        Ok(ns) if ns.unsigned_abs() <= MAX_TIME.unsigned_abs() => Ok(ns),
        Ok(_) | Err(NumberError::OutOfRange) => Err(IssueKind::TimeOutOfRange),
        Err(NumberError::NotANumber) => Err(IssueKind::BadTime),
    }
}

pub(super) fn row_key(event: &RawEvent<'_>) -> RowKey {
    RowKey {
        pid: event.pid.map(text).unwrap_or_default().into_owned(),
        tid: event.tid.map(text).unwrap_or_default().into_owned(),
    }
}

/// `7`, `"7"` or `"stream 7"`.
pub(super) fn stream_of_tid(raw: &str) -> Option<i64> {
    let decoded = text(raw);
    let lower = decoded.trim().to_ascii_lowercase();
    let number = lower.strip_prefix("stream").unwrap_or(&lower);
    parse_i64(number.trim().as_bytes()).ok()
}

/// A flow's id as a number: itself where it is one, else a hash of its text.
pub(super) fn flow_id(raw: &str) -> u64 {
    let decoded = text(raw);
    decoded.trim().parse().unwrap_or_else(|_| {
        // FNV-1a: stable over runs, which the standard hasher does not promise.
        decoded.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    })
}

/// The args that figures use.
pub(super) fn args_of<'a>(event: &RawEvent<'a>) -> RawArgs<'a> {
    let args = event
        .known_args
        .unwrap_or_else(|| RawArgs::parse(event.args));
    // Whoever read the event, it has the same.
    match event.wanted_args() {
        Wanted::All => args,
        // What else an operator calls by these names is not its row.
        Wanted::Message | Wanted::External => RawArgs {
            external: args.external,
            ..RawArgs::default()
        },
        Wanted::Memory | Wanted::Nothing => RawArgs::default(),
    }
}

/// A short raw text as a number, so that it is compared and hashed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Word {
    /// Up to eight bytes: their number, and the bytes with zeros behind them.
    Short(u8, u64),
    /// The number of a longer text.
    Long(u64),
}

impl Word {
    /// `None` for a text of more than eight bytes.
    #[inline]
    pub(super) fn of(raw: &str) -> Option<Self> {
        let bytes = raw.as_bytes();
        let len = u8::try_from(bytes.len()).ok().filter(|len| *len <= 8)?;
        // Two loads that overlap need no loop.
        let value = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(first), Some(last)) => {
                let last = u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
                u64::from(u32::from_le_bytes(*first)) | last
            }
            _ => bytes
                .iter()
                .rev()
                .fold(0, |word, b| word << 8 | u64::from(*b)),
        };
        Some(Self::Short(len, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_bytes_of_short_texts() {
        for text in [
            "", "0", "12", "123", "1234", "12345", "\"a b\"", "1234567", "12345678",
        ] {
            let mut padded = [0; 8];
            padded[..text.len()].copy_from_slice(text.as_bytes());
            let len = u8::try_from(text.len()).unwrap();
            let expected = Word::Short(len, u64::from_le_bytes(padded));
            assert_eq!(Word::of(text), Some(expected), "{text}");
        }
        assert_eq!(Word::of("123456789"), None);
    }
}
