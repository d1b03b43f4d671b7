//! One forward pass over an event's text: the hot loop of loading.
//!
//! The scanner finds the raw values of an object's keys without building or validating what nobody
//! asks for. Whatever it is not sure of it refuses, and the caller falls back to the strict reader
//! in [`event`](super::event); what it accepts, it reads exactly as the strict reader would. Tests
//! compare the two on every real trace and on mutated events; `fuzz/` runs any bytes through both.
//!
//! Most of a trace is the args of operators, of which figures use the first. The rest of those is
//! passed by [`skip`], many bytes at once.
//!
//! The text is known to be UTF-8. Values are handed out as slices of it, strings with their quotes.

#[cfg(any(test, fuzzing))]
pub(super) mod agree;
mod block;
mod scalar;
mod skip;
mod slot;

use super::event::{RawArgs, RawEvent, Wanted};
use scalar::{plain_text, scalar, string, white, word};
use skip::Start;
use slot::{Slot, head};

/// The scanner is not sure; the strict reader must decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unsure;

type Step<T> = Result<T, Unsure>;

/// How deep values may nest here; the strict reader has a limit as well.
const MAX_DEPTH: u32 = 64;

/// Reads events. Remembers which key followed which, as writers keep to one order.
#[derive(Clone, Debug, Default)]
pub(super) struct Scanner {
    /// For every [`Slot`], the one that came behind it last; for none, the first of an event.
    after: [Option<Slot>; Slot::COUNT + 1],
}

impl Scanner {
    /// Reads the event that starts at `text[from]`, its args included, into an empty one; returns
    /// the position behind it.
    #[inline]
    pub(super) fn event<'a>(
        &mut self,
        text: &'a str,
        from: usize,
        event: &mut RawEvent<'a>,
    ) -> Step<usize> {
        let bytes = text.as_bytes();
        let mut before = None;
        let mut read = Wanted::All;
        let mut next = first_member(bytes, from)?;
        while let Member::Key(start) = next {
            let (slot, from) = self.key(bytes, start, before)?;
            let end = if slot == Some(Slot::Args) {
                // The one nested value that is looked into, in the same pass that finds its end.
                // Of args that stand twice the last count, and they may be no object.
                event.known_args = None;
                if bytes.get(from) == Some(&b'{') {
                    read = event.wanted_args();
                    args(
                        text,
                        from,
                        read,
                        event.known_args.insert(RawArgs::default()),
                    )?
                } else {
                    value(bytes, from)?
                }
            } else {
                value(bytes, from)?
            };
            if let Some(slot) = slot {
                *slot.of(event) = Some(text.get(from..end).ok_or(Unsure)?);
                before = Some(slot);
            }
            next = next_member(bytes, end)?;
        }
        // A phase or a category that stands twice may want more.
        sure(read == Wanted::All || read == event.wanted_args())?;
        Ok(next.position())
    }

    /// Whose key starts at `start`, and where its value starts.
    #[inline]
    fn key(
        &mut self,
        bytes: &[u8],
        start: usize,
        before: Option<Slot>,
    ) -> Step<(Option<Slot>, usize)> {
        let after = self.after.get_mut(Slot::index(before)).ok_or(Unsure)?;
        if let (Some(guess), Some(word)) = (*after, word(bytes, start))
            && let Some(from) = guess.value_behind(word, start)
            && bytes.get(from).is_some_and(|b| *b > b' ')
        {
            return Ok((*after, from));
        }
        let key = Key::read(bytes, start)?;
        let slot = if key.is_short() {
            Slot::with(key.head)
        } else {
            None
        };
        if slot.is_some() {
            *after = slot;
        }
        Ok((slot, key.value(bytes)?))
    }
}

/// Reads the args object at `text[from]`; returns the position behind it.
#[inline]
fn args<'a>(text: &'a str, from: usize, wanted: Wanted, known: &mut RawArgs<'a>) -> Step<usize> {
    let bytes = text.as_bytes();
    if wanted == Wanted::Nothing
        && let Ok(end) = skip::rest_of_object(bytes, from + 1, Start::Brace)
    {
        return Ok(end);
    }
    // Tried once: args that cannot be passed at once are not searched to their end at every key.
    let mut may_skip = wanted == Wanted::External;
    let mut next = first_member(bytes, from)?;
    while let Member::Key(start) = next {
        let key = Key::read(bytes, start)?;
        let from = key.value(bytes)?;
        let end = value(bytes, from)?;
        if RawArgs::HEADS.contains(&key.head) {
            let name = bytes.get(start..key.end).ok_or(Unsure)?;
            known.set(name, text.get(from..end).ok_or(Unsure)?);
            if may_skip && known.external.is_some() {
                may_skip = false;
                if let Ok(end) = skip::rest_of_object(bytes, end, Start::Value) {
                    return Ok(end);
                }
            }
        }
        next = next_member(bytes, end)?;
    }
    Ok(next.position())
}

/// Gives every member of an object that was read before: its key, and its value as written. Unsure
/// where a key has escapes; some may have been given until then.
pub(super) fn members<'a>(
    text: &'a str,
    mut see: impl FnMut(&'a [u8], &'a str),
) -> Result<(), Unsure> {
    let bytes = text.as_bytes();
    let mut next = first_member(bytes, 0)?;
    while let Member::Key(start) = next {
        let key = Key::read(bytes, start)?;
        let from = key.value(bytes)?;
        let end = value(bytes, from)?;
        let name = bytes.get(start..key.end).ok_or(Unsure)?;
        see(name, text.get(from..end).ok_or(Unsure)?);
        next = next_member(bytes, end)?;
    }
    Ok(())
}

/// The first member of the object at `from`.
#[inline]
fn first_member(bytes: &[u8], from: usize) -> Step<Member> {
    sure(bytes.get(from) == Some(&b'{'))?;
    let at = white(bytes, from + 1);
    match bytes.get(at) {
        Some(b'"') => Ok(Member::Key(at + 1)),
        Some(b'}') => Ok(Member::End(at + 1)),
        _ => Err(Unsure),
    }
}

/// The member behind a value that ends at `at`.
#[inline]
fn next_member(bytes: &[u8], at: usize) -> Step<Member> {
    if let Some(word) = word(bytes, at) {
        if word & 0xff_ffff == head(b", \"") {
            return Ok(Member::Key(at + 3));
        }
        if word & (u64::MAX >> 8) == head(b",\n    \"") {
            return Ok(Member::Key(at + 7));
        }
    }
    let at = white(bytes, at);
    match bytes.get(at) {
        Some(b',') => {
            let at = white(bytes, at + 1);
            sure(bytes.get(at) == Some(&b'"'))?;
            Ok(Member::Key(at + 1))
        }
        Some(b'}') => Ok(Member::End(at + 1)),
        _ => Err(Unsure),
    }
}

/// The position behind the value at `from`.
#[inline]
fn value(bytes: &[u8], from: usize) -> Step<usize> {
    match bytes.get(from) {
        Some(b'"') => string(bytes, from + 1),
        Some(b'{' | b'[') => nested(bytes, from),
        _ => scalar(bytes, from),
    }
}

/// The position behind the object or list at `from`, its inside checked as strictly as outside.
fn nested(bytes: &[u8], from: usize) -> Step<usize> {
    // One bit a level: set for an object. A level is a bracket that is still open.
    let mut kinds: u64 = 0;
    let mut depth: u32 = 0;
    let mut at = from;
    loop {
        // At a value.
        match bytes.get(at) {
            Some(bracket @ (b'{' | b'[')) => {
                sure(depth < MAX_DEPTH)?;
                let is_object = *bracket == b'{';
                kinds = kinds << 1 | u64::from(is_object);
                depth += 1;
                at = white(bytes, at + 1);
                let close = if is_object { b'}' } else { b']' };
                // The loop below closes what is empty.
                if bytes.get(at) != Some(&close) {
                    if is_object {
                        at = member(bytes, at)?;
                    }
                    continue;
                }
            }
            Some(b'"') => at = string(bytes, at + 1)?,
            _ => at = scalar(bytes, at)?,
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
    sure(bytes.get(at) == Some(&b'"'))?;
    let colon = white(bytes, string(bytes, at + 1)?);
    sure(bytes.get(colon) == Some(&b':'))?;
    Ok(white(bytes, colon + 1))
}

#[inline]
fn sure(condition: bool) -> Step<()> {
    if condition { Ok(()) } else { Err(Unsure) }
}

/// What stands behind an opening brace or behind a value.
#[derive(Clone, Copy)]
enum Member {
    /// A key, whose text starts here.
    Key(usize),
    /// Nothing: the object ends before this position.
    End(usize),
}

impl Member {
    #[inline]
    fn position(self) -> usize {
        match self {
            Self::Key(at) | Self::End(at) => at,
        }
    }
}

/// A key without escapes.
struct Key {
    /// Its [`head`].
    head: u64,
    /// Position of its first byte.
    start: usize,
    /// Position of its closing quote.
    end: usize,
}

impl Key {
    /// The key behind the quote before `start`. One with escapes is left to the strict reader.
    #[inline]
    fn read(bytes: &[u8], start: usize) -> Step<Self> {
        let end = plain_text(bytes, start);
        sure(bytes.get(end) == Some(&b'"'))?;
        let head = match (word(bytes, start), end - start) {
            (Some(word), 8..) => word,
            (Some(word), len) => word & !(u64::MAX << (8 * len)),
            (None, _) => head(bytes.get(start..end).ok_or(Unsure)?),
        };
        Ok(Self { head, start, end })
    }

    /// Whether its head is all of it.
    #[inline]
    fn is_short(&self) -> bool {
        self.end - self.start <= 8
    }

    /// The position of its value, behind the colon.
    #[inline]
    fn value(&self, bytes: &[u8]) -> Step<usize> {
        let colon = white(bytes, self.end + 1);
        sure(bytes.get(colon) == Some(&b':'))?;
        Ok(white(bytes, colon + 1))
    }
}

impl RawArgs<'_> {
    /// The [`head`]s of the keys that are used: most keys are told apart by these alone.
    const HEADS: [u64; 7] = [
        head(b"stream"),
        head(b"device"),
        head(b"correlation"),
        head(b"External id"),
        head(b"external id"),
        head(b"Collective name"),
        head(b"name"),
    ];
}

#[cfg(test)]
mod tests;
