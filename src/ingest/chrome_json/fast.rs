//! One forward pass over an event's text: the hot loop of loading.
//!
//! The scanner finds the raw values of an object's keys without building or validating what nobody
//! asks for. Whatever it is not sure of it refuses, and the caller falls back to the strict reader
//! in [`event`](super::event); what it accepts, it reads exactly as the strict reader would. Tests
//! compare the two on every real trace and on mutated events; `fuzz/` runs any bytes through both.
//!
//! The text is known to be UTF-8. Values are handed out as slices of it, strings with their quotes.

use super::event::{RawArgs, RawEvent};

/// The scanner is not sure; the strict reader must decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unsure;

type Step<T> = Result<T, Unsure>;

/// Reads the event that starts at `text[from]`, its args included; returns it with the position
/// behind it.
pub(super) fn event(text: &str, from: usize) -> Step<(RawEvent<'_>, usize)> {
    let mut event = RawEvent::default();
    let mut args = RawArgs::default();
    let end = object(
        text,
        from,
        |at| {
            // The one nested value that is looked into, in the same pass that finds its end.
            args = RawArgs::default();
            object(
                text,
                at,
                |at| value(text.as_bytes(), at),
                |key, value| args.set(key, value),
            )
        },
        |key, value| {
            let slot = match key {
                b"ph" => &mut event.ph,
                b"cat" => &mut event.cat,
                b"name" => &mut event.name,
                b"pid" => &mut event.pid,
                b"tid" => &mut event.tid,
                b"ts" => &mut event.ts,
                b"dur" => &mut event.dur,
                b"id" => &mut event.id,
                b"args" => &mut event.args,
                _ => return,
            };
            *slot = Some(value);
        },
    )?;
    // Of args that stand twice the last count, and they may be no object.
    if event.args.is_some_and(|a| a.starts_with('{')) {
        event.known_args = Some(args);
    }
    Ok((event, end))
}

/// Walks the object at `text[from]` and shows every key (between its quotes) with its raw value.
/// `args` passes the object behind a key of that name, from its position to the one behind it.
#[inline]
fn object<'a>(
    text: &'a str,
    from: usize,
    mut args: impl FnMut(usize) -> Step<usize>,
    mut see: impl FnMut(&[u8], &'a str),
) -> Step<usize> {
    let bytes = text.as_bytes();
    let mut at = expect(bytes, from, b'{')?;
    at = white(bytes, at);
    if bytes.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        let key_start = expect(bytes, at, b'"')?;
        let key_end = key(bytes, key_start)?;
        at = white(bytes, key_end + 1);
        at = white(bytes, expect(bytes, at, b':')?);
        let key = bytes.get(key_start..key_end).ok_or(Unsure)?;
        let end = if key == b"args" && bytes.get(at) == Some(&b'{') {
            args(at)?
        } else {
            value(bytes, at)?
        };
        see(key, text.get(at..end).ok_or(Unsure)?);
        at = white(bytes, end);
        match bytes.get(at) {
            Some(b',') => at = white(bytes, at + 1),
            Some(b'}') => return Ok(at + 1),
            _ => return Err(Unsure),
        }
    }
}

#[inline]
fn expect(bytes: &[u8], at: usize, wanted: u8) -> Step<usize> {
    if bytes.get(at) == Some(&wanted) {
        Ok(at + 1)
    } else {
        Err(Unsure)
    }
}

/// Eight bytes at once, the first one lowest; `None` near the end of the text.
#[inline]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..at + 8)?;
    Some(u64::from_le_bytes(word.try_into().ok()?))
}

/// The number of bytes before the first one that a mask of high bits marks.
#[inline]
fn before(mark: u64) -> usize {
    usize::try_from(mark.trailing_zeros() / 8).unwrap_or(0)
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The first position that is not white space: none, a space, or a line break and an indentation.
#[inline]
fn white(bytes: &[u8], mut at: usize) -> usize {
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

/// The position of a key's closing quote. Keys with escapes are left to the strict reader.
#[inline]
fn key(bytes: &[u8], from: usize) -> Step<usize> {
    let end = plain_text(bytes, from);
    if bytes.get(end) == Some(&b'"') {
        Ok(end)
    } else {
        Err(Unsure)
    }
}

/// The first position of a quote, a backslash or a control byte.
#[inline]
fn plain_text(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = word(bytes, at) {
        let special = specials(word);
        if special != 0 {
            return at + before(special);
        }
        at += 8;
    }
    // The tail of the text, shorter than a word.
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..0x20) {
            break;
        }
        at += 1;
    }
    at
}

/// The position behind the value at `from`.
#[inline]
fn value(bytes: &[u8], from: usize) -> Step<usize> {
    match bytes.get(from) {
        Some(b'"') => string(bytes, from + 1),
        Some(b'{' | b'[') => nested(bytes, from),
        Some(b'-' | b'0'..=b'9') => number(bytes, from),
        Some(b't') => literal(bytes, from, b"true"),
        Some(b'f') => literal(bytes, from, b"false"),
        Some(b'n') => literal(bytes, from, b"null"),
        _ => Err(Unsure),
    }
}

/// The position behind the closing quote of a string whose text starts at `from`.
///
/// A raw control byte or an escape that JSON does not have is for the strict reader to judge.
#[inline]
fn string(bytes: &[u8], from: usize) -> Step<usize> {
    let mut at = from;
    loop {
        at = plain_text(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = escape(bytes, at + 1)?,
            _ => return Err(Unsure),
        }
    }
}

/// The high bit of every byte that ends a run of plain text. Only the lowest one set is exact.
#[inline]
fn specials(word: u64) -> u64 {
    let is_zero = |w: u64| w.wrapping_sub(ONES) & !w & HIGHS;
    let quote = is_zero(word ^ (ONES * 0x22));
    let backslash = is_zero(word ^ (ONES * 0x5c));
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
    quote | backslash | control
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
        let value = word ^ (ONES * 0x30);
        let other = (value.wrapping_add(ONES * 0x76) | value) & HIGHS;
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

fn literal(bytes: &[u8], from: usize, word: &[u8]) -> Step<usize> {
    let end = from + word.len();
    if bytes.get(from..end) == Some(word) {
        Ok(end)
    } else {
        Err(Unsure)
    }
}

/// How deep values may nest here; the strict reader has a limit as well.
const MAX_DEPTH: u32 = 64;

/// The position behind the object or list at `from`, its inside checked as strictly as outside.
fn nested(bytes: &[u8], from: usize) -> Step<usize> {
    // One bit a level: set for an object. A level is a bracket that is still open.
    let mut kinds: u64 = 0;
    let mut depth: u32 = 0;
    let mut at = from;
    loop {
        // At a value.
        match bytes.get(at) {
            Some(open @ (b'{' | b'[')) => {
                if depth == MAX_DEPTH {
                    return Err(Unsure);
                }
                let is_object = *open == b'{';
                kinds = kinds << 1 | u64::from(is_object);
                depth += 1;
                at = white(bytes, at + 1);
                let close = if is_object { b'}' } else { b']' };
                if bytes.get(at) == Some(&close) {
                    kinds >>= 1;
                    depth -= 1;
                    at += 1;
                } else {
                    if is_object {
                        at = member(bytes, at)?;
                    }
                    continue;
                }
            }
            _ => at = value(bytes, at)?,
        }
        // Behind a value: close levels, or go on to the next value.
        loop {
            if depth == 0 {
                return Ok(at);
            }
            at = white(bytes, at);
            let in_object = kinds & 1 == 1;
            match (bytes.get(at), in_object) {
                (Some(b','), _) => {
                    at = white(bytes, at + 1);
                    if in_object {
                        at = member(bytes, at)?;
                    }
                    break;
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    kinds >>= 1;
                    depth -= 1;
                    at += 1;
                }
                _ => return Err(Unsure),
            }
        }
    }
}

/// The position of the value behind the `"key" :` at `at`.
#[inline]
fn member(bytes: &[u8], at: usize) -> Step<usize> {
    let start = expect(bytes, at, b'"')?;
    let end = string(bytes, start)?;
    let at = expect(bytes, white(bytes, end), b':')?;
    Ok(white(bytes, at))
}

#[cfg(test)]
mod tests;
