//! Passing the rest of an object that nobody asks for, 64 bytes at a time.
//!
//! Where the object ends is certain, as strings, escapes and brackets are all seen. What is in it
//! is checked with bit masks for what damages real files: bare words, values without a comma
//! between them, separators without a value, raw line breaks. What else may be wrong in there is
//! found when somebody looks at the event.
//!
//! Here a *word* is a run of bytes outside of strings that are no white space or punctuation: a
//! number, `true`, or something that JSON does not have.

use super::block::{self, Marks};
use super::scalar::scalar;
use super::{Step, Unsure, sure};

/// Where in an object the skipping starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Behind the opening brace.
    Brace,
    /// Behind the value of a member.
    Value,
}

/// The position behind the brace that closes an object, from within it.
///
/// Unsure where something is wrong, has escapes, or ends too soon: then it must be walked.
pub(super) fn rest_of_object(bytes: &[u8], from: usize, start: Start) -> Step<usize> {
    let mut carry = Carry::new(start);
    let mut depth = 1;
    let mut at = from;
    loop {
        let block = bytes
            .get(at..)
            .and_then(<[u8]>::first_chunk)
            .ok_or(Unsure)?;
        let marks = block::marks(block);
        let kinds = carry.kinds(&marks);
        let end = closing(&kinds, &mut depth);
        // What stands behind the end of the object is not its.
        let own = end.map_or(u64::MAX, |end| u64::MAX >> (63 - end));
        let wrong = carry.misplaced(&kinds) | kinds.raw_control | marks.backslash;
        sure(wrong & own == 0)?;
        check_words(bytes, at, kinds.words & !marks.digit & own)?;
        match end {
            Some(end) => {
                let end = at + place(end);
                sure(bytes.get(end) == Some(&b'}'))?;
                return Ok(end + 1);
            }
            None => at += block::LEN,
        }
    }
}

/// The bit of the bracket that closes the outermost level, if it is there.
#[inline]
fn closing(kinds: &Kinds, depth: &mut u32) -> Option<u32> {
    let mut rest = kinds.open | kinds.close;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        if bit & kinds.open != 0 {
            *depth += 1;
        } else {
            *depth -= 1;
            if *depth == 0 {
                return Some(bit.trailing_zeros());
            }
        }
    }
    None
}

/// The bytes of a block by what they are; all but the last outside of strings.
struct Kinds {
    separator: u64,
    open: u64,
    close: u64,
    white: u64,
    words: u64,
    opening_quote: u64,
    closing_quote: u64,
    /// Control bytes inside of strings.
    raw_control: u64,
}

/// Every bit becomes the parity of the bits up to and with it.
#[inline]
fn up_to(bits: u64) -> u64 {
    [1, 2, 4, 8, 16, 32]
        .into_iter()
        .fold(bits, |sum, by| sum ^ (sum << by))
}

/// What a block leaves to the next one; bit 0 each, but for `string`.
#[derive(Default)]
struct Carry {
    /// All ones inside of a string.
    string: u64,
    /// Within a word.
    word: u64,
    /// The next byte that is no white space stands behind the end of a value.
    ended: u64,
    /// It stands behind a comma, a colon or an opening bracket.
    begun: u64,
}

impl Carry {
    fn new(start: Start) -> Self {
        Self {
            ended: u64::from(start == Start::Value),
            begun: u64::from(start == Start::Brace),
            ..Self::default()
        }
    }

    #[inline]
    fn kinds(&mut self, marks: &Marks) -> Kinds {
        // From an opening quote up to before the closing one.
        let inside = up_to(marks.quote) ^ self.string;
        self.string = if inside >> 63 == 1 { u64::MAX } else { 0 };
        let outside = !(inside | marks.quote);
        let punctuation = marks.separator | marks.open | marks.close;
        Kinds {
            separator: marks.separator & outside,
            open: marks.open & outside,
            close: marks.close & outside,
            white: marks.white & outside,
            words: outside & !(punctuation | marks.white),
            opening_quote: marks.quote & inside,
            closing_quote: marks.quote & !inside,
            raw_control: marks.control & inside,
        }
    }

    /// Values right behind values, and separators that no value stands before.
    #[inline]
    fn misplaced(&mut self, kinds: &Kinds) -> u64 {
        let behind = |first: u64, carry: &mut u64| {
            let next = first | std::mem::take(carry);
            // Through white space: adding its first bit carries to the bit behind its last.
            let (through, beyond) = (next & kinds.white).overflowing_add(kinds.white);
            *carry = u64::from(beyond);
            (through | next) & !kinds.white
        };
        // A word that reaches the end of the block may go on in the next.
        let behind_word = ((kinds.words << 1) | self.word) & !kinds.words;
        self.word = kinds.words >> 63;
        let value_ends = kinds.close | kinds.closing_quote;
        let value_waits = kinds.separator | kinds.open;
        let ended = behind(behind_word | (value_ends << 1), &mut self.ended);
        let begun = behind(value_waits << 1, &mut self.begun);
        self.ended |= value_ends >> 63;
        self.begun |= value_waits >> 63;
        (ended & (kinds.opening_quote | kinds.open | kinds.words)) | (begun & kinds.separator)
    }
}

/// Reads every word that has one of these bytes.
#[inline]
fn check_words(bytes: &[u8], start: usize, mut others: u64) -> Step<()> {
    while others != 0 {
        let at = start + place(others.trailing_zeros());
        let before = bytes.get(..at).ok_or(Unsure)?;
        let head = before.iter().rev().take_while(|b| is_of_word(**b)).count();
        let end = scalar(bytes, at - head)?;
        sure(end > at && !bytes.get(end).is_some_and(|b| is_of_word(*b)))?;
        let passed = u32::try_from(end - start).unwrap_or(u32::MAX);
        others &= u64::MAX.checked_shl(passed).unwrap_or(0);
    }
    Ok(())
}

/// A bit's number as a distance.
#[inline]
fn place(bit: u32) -> usize {
    usize::try_from(bit).unwrap_or(block::LEN)
}

/// Whether a byte outside of strings belongs to a word.
fn is_of_word(byte: u8) -> bool {
    !matches!(
        byte,
        b'"' | b',' | b':' | b'{' | b'}' | b'[' | b']' | b' ' | b'\t' | b'\n' | b'\r'
    )
}
