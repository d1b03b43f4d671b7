//! Single values of an event: times, rows, ids.

use super::MAX_TIME;
use crate::ingest::chrome_json::event::{RawArgs, RawEvent, text};
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
    event
        .known_args
        .unwrap_or_else(|| RawArgs::parse(event.args))
}
