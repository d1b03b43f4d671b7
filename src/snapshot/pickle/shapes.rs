//! Dictionaries whose keys recur: events, blocks and frames name the same keys, as the same
//! references in the same order, over and over.

use super::memo::Memo;
use super::{Value, opcode as op, runs};

/// So many shapes are known at once; a snapshot has about four.
const MOST_SHAPES: usize = 8;
/// Dictionaries with more keys are read one opcode after the other.
pub(super) const MOST_KEYS: usize = 32;
/// What is looked at of the bytes ahead: more than any value here that is no text.
const SIGHT: usize = 16;

/// A key as it stands in the file, to be compared at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    /// Its bytes, the first one lowest, and ones where they count.
    bytes: u64,
    mask: u64,
    length: usize,
}

impl Reference {
    /// A reference at the beginning of some bytes, and the place in the memo that it names.
    fn read(sight: &[u8; SIGHT]) -> Option<(Self, u64)> {
        let [code, a, b, c, d, ..] = *sight;
        let (length, index) = match code {
            op::BINGET => (2, u64::from(a)),
            op::LONG_BINGET => (5, u64::from(u32::from_le_bytes([a, b, c, d]))),
            _ => return None,
        };
        let mask = (1_u64 << (8 * length)) - 1;
        let bytes = first_eight(sight) & mask;
        let of = Self {
            bytes,
            mask,
            length,
        };
        Some((of, index))
    }

    /// How many bytes it has, where it stands at the beginning of these.
    #[inline]
    pub(super) fn length_in(&self, sight: &[u8; SIGHT]) -> Option<usize> {
        (first_eight(sight) & self.mask == self.bytes).then_some(self.length)
    }
}

fn first_eight(sight: &[u8; SIGHT]) -> u64 {
    let eight = sight.first_chunk();
    eight.map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// The keys of a dictionary that may come again.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) references: Vec<Reference>,
    /// The keys that they name.
    pub(super) keys: Vec<Value>,
    /// What the builder calls such dictionaries.
    pub(super) plan: u32,
}

/// The shapes seen so far.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    known: Vec<Shape>,
    /// Where the one is that came last.
    last: usize,
    /// Where the next one goes once there are many.
    next: usize,
}

impl Shapes {
    /// Whether there is one whose first key stands at the beginning of these bytes, which is the last one
    /// then.
    #[inline]
    pub(super) fn has(&mut self, sight: &[u8; SIGHT]) -> bool {
        let is_it = |shape: &Shape| {
            let first = shape.references.first();
            first.is_some_and(|key| key.length_in(sight).is_some())
        };
        if self.last().is_some_and(is_it) {
            return true;
        }
        let found = self.known.iter().position(is_it);
        self.last = found.unwrap_or(self.last);
        found.is_some()
    }

    /// The shape that came last.
    #[inline]
    pub(super) fn last(&self) -> Option<&Shape> {
        self.known.get(self.last)
    }

    pub(super) fn put(&mut self, shape: Shape) {
        if let Some(place) = self.known.get_mut(self.next) {
            *place = shape;
        } else {
            self.known.push(shape);
        }
        self.last = self.next;
        self.next = (self.next + 1) % MOST_SHAPES;
    }

    /// Forgets all: what references mean has changed.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.next = 0;
    }
}

/// The keys of a dictionary whose items stand at the beginning of these bytes, passing its values; `None` where a key or value is not written as most are.
pub(super) fn outline(bytes: &[u8], memo: &Memo) -> Option<Shape> {
    let mut shape = Shape {
        references: Vec::new(),
        keys: Vec::new(),
        plan: 0,
    };
    let mut at = 0;
    while *bytes.get(at)? != op::SETITEMS {
        let (reference, index) = Reference::read(sight(bytes, at)?)?;
        if shape.keys.len() == MOST_KEYS {
            return None;
        }
        at += reference.length;
        shape.references.push(reference);
        shape.keys.push(memo.get(index)?);
        at += value_length(bytes.get(at..)?)?;
    }
    (!shape.keys.is_empty()).then_some(shape)
}

/// The bytes from a place on, where there are enough.
#[inline]
pub(super) fn sight(bytes: &[u8], at: usize) -> Option<&[u8; SIGHT]> {
    bytes.get(at..)?.first_chunk()
}

/// How many bytes a value has, with what stores it for later.
fn value_length(bytes: &[u8]) -> Option<usize> {
    let [code, a, ..] = *bytes.first_chunk::<2>()?;
    let plain = match code {
        op::NONE | op::NEWTRUE | op::NEWFALSE | op::EMPTY_LIST => 1,
        op::BINGET | op::BININT1 => 2,
        op::BININT2 => 3,
        op::LONG_BINGET | op::BININT => 5,
        op::LONG1 | op::SHORT_BINUNICODE => 2 + usize::from(a),
        _ => return None,
    };
    let stored = match *bytes.get(plain)? {
        op::MEMOIZE => 1,
        op::BINPUT => 2,
        op::LONG_BINPUT => 5,
        _ => 0,
    };
    let run = match (code, bytes.get(plain + stored)?) {
        (op::EMPTY_LIST, &op::MARK) => 1 + runs::length(bytes.get(plain + stored + 1..)?)?,
        _ => 0,
    };
    Some(plain + stored + run)
}
