//! Values that hold no others, and the white space between them.

use super::block::{self, SHORT};
use super::{Step, Unsure, sure};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Eight bytes at once, the first one lowest; `None` near the end of the text.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

/// The number of bytes before the first one that a mask of high bits marks.
#[inline]
fn before(mark: u64) -> usize {
    usize::try_from(mark.trailing_zeros() / 8).unwrap_or(0)
}

/// The first position that is not white space. Mostly there is none, or one space.
#[inline]
pub(super) fn white(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b' ') if bytes.get(at + 1).is_some_and(|b| *b > b' ') => at + 1,
        Some(0..=b' ') => long_white(bytes, at),
        _ => at,
    }
}

/// The same where there is more, such as a line break and an indentation.
fn long_white(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ') => match word(bytes, at + 1).map(|w| w ^ (ONES * 0x20)) {
                Some(0) => at += 9,
                Some(other) => at += 1 + before(other),
                None => at += 1,
            },
            Some(b'\n' | b'\t' | b'\r') => at += 1,
            _ => return at,
        }
    }
}

/// The position behind the number or word at `from`.
#[inline]
pub(super) fn scalar(bytes: &[u8], from: usize) -> Step<usize> {
    match bytes.get(from) {
        Some(b'-' | b'0'..=b'9') => number(bytes, from),
        Some(b't') => literal(bytes, from, b"true"),
        Some(b'f') => literal(bytes, from, b"false"),
        Some(b'n') => literal(bytes, from, b"null"),
        _ => Err(Unsure),
    }
}

/// The first position of a quote, a backslash or a control byte.
#[inline]
pub(super) fn plain_text(bytes: &[u8], mut at: usize) -> usize {
    while let Some(part) = bytes.get(at..).and_then(<[u8]>::first_chunk::<SHORT>) {
        let special = block::specials(part);
        if special != 0 {
            return at + usize::try_from(special.trailing_zeros()).unwrap_or(SHORT);
        }
        at += SHORT;
    }
    // The tail of the text, shorter than a block.
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..0x20) {
            break;
        }
        at += 1;
    }
    at
}

/// The position behind the closing quote of a string whose text starts at `from`.
#[inline]
pub(super) fn string(bytes: &[u8], from: usize) -> Step<usize> {
    let end = plain_text(bytes, from);
    match bytes.get(end) {
        Some(b'"') => Ok(end + 1),
        _ => escaped_string(bytes, end),
    }
}

/// The same where something else than the closing quote stands at `at`.
///
/// A raw control byte or an escape that JSON does not have is for the strict reader to judge.
#[cold]
fn escaped_string(bytes: &[u8], mut at: usize) -> Step<usize> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = plain_text(bytes, escape(bytes, at + 1)?),
            _ => return Err(Unsure),
        }
    }
}

/// The position behind an escape whose backslash stands before `at`.
fn escape(bytes: &[u8], at: usize) -> Step<usize> {
    match bytes.get(at) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 1),
        Some(b'u') => {
            let digits = bytes.get(at + 1..at + 5).ok_or(Unsure)?;
            if digits.iter().all(u8::is_ascii_hexdigit) {
                Ok(at + 5)
            } else {
                Err(Unsure)
            }
        }
        _ => Err(Unsure),
    }
}

/// JSON's number grammar.
#[inline]
fn number(bytes: &[u8], from: usize) -> Step<usize> {
    // Up to seven digits, and what ends them, lie in one word.
    if let Some(word) = word(bytes, from) {
        let [first, ..] = word.to_le_bytes();
        let len = before(not_digits(word));
        let end = (word >> (8 * (len & 7))) & 0xff;
        let whole = end != u64::from(b'.') && end | 0x20 != u64::from(b'e');
        if whole && matches!((first, len), (b'1'..=b'9', 1..=7) | (b'0', 1)) {
            return Ok(from + len);
        }
    }
    long_number(bytes, from)
}

/// The same for longer numbers, negative ones and fractions.
#[inline(never)]
fn long_number(bytes: &[u8], from: usize) -> Step<usize> {
    let mut at = from;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    match bytes.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = digits(bytes, at),
        _ => return Err(Unsure),
    }
    if bytes.get(at) == Some(&b'.') {
        let end = digits(bytes, at + 1);
        if end == at + 1 {
            return Err(Unsure);
        }
        at = end;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        let end = digits(bytes, at);
        if end == at {
            return Err(Unsure);
        }
        at = end;
    }
    Ok(at)
}

/// The first position that is no digit.
#[inline]
fn digits(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = word(bytes, at) {
        let other = not_digits(word);
        if other != 0 {
            return at + before(other);
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// The high bit of every byte that is no digit; only the lowest one set is exact.
#[inline]
fn not_digits(word: u64) -> u64 {
    // Digits become 0 to 9, and only they stay below 0x80 when 0x76 is added.
    let value = word ^ (ONES * 0x30);
    (value.wrapping_add(ONES * 0x76) | value) & HIGHS
}

fn literal(bytes: &[u8], from: usize, word: &[u8]) -> Step<usize> {
    let end = from + word.len();
    sure(bytes.get(from..end) == Some(word))?;
    Ok(end)
}
