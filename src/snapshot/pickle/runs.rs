//! Runs of references that fill a list, each told apart once.
//!
//! A recording names the frames of a stack for every event anew, as references to what was stored:
//! most of its bytes, and byte for byte the same for the same stack. So a list is filled from its
//! run's bytes as a whole where a list before it had the same ones.

use super::Value;
use super::opcode as op;
use foldhash::quality::RandomState;
use std::collections::HashMap;

/// A list may be filled further after so many items: writers put this many into one opcode.
const BATCH: usize = 1_000;
/// Longer runs are not kept.
const MAX_BYTES: usize = 5 * BATCH;

/// The runs seen so far, and what a builder calls the lists that they fill.
#[derive(Debug, Default)]
pub(super) struct Runs {
    // A hasher with a secret of its own: the bytes are the file's to choose.
    known: HashMap<Box<[u8]>, Value, RandomState>,
    bytes: usize,
}

impl Runs {
    /// What a list that these bytes fill was before.
    pub(super) fn get(&self, run: &[u8]) -> Option<Value> {
        self.known.get(run).copied()
    }

    pub(super) fn put(&mut self, run: Box<[u8]>, list: Value) {
        self.bytes += run.len() + 48;
        self.known.insert(run, list);
    }

    /// Forgets all: what references mean has changed.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.bytes = 0;
    }

    /// About how many bytes are held.
    pub(super) fn held(&self) -> u64 {
        u64::try_from(self.bytes).unwrap_or(u64::MAX)
    }
}

/// How many bytes at the beginning are references and the opcode that appends them to a list;
/// `None` where something else is among them, or where the list might be filled further.
#[inline]
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut items) = skip_long(bytes);
    while at < MAX_BYTES && items < BATCH {
        match *bytes.get(at)? {
            op::LONG_BINGET => at += 5,
            op::BINGET => at += 2,
            op::APPENDS if items > 0 => return Some(at + 1),
            _ => return None,
        }
        items += 1;
    }
    None
}

/// Passes references of five bytes by eights, as nearly all are; how many bytes and items they are.
#[inline]
fn skip_long(bytes: &[u8]) -> (usize, usize) {
    let eights = bytes.as_chunks::<40>().0.iter().take(BATCH / 8 - 1);
    // Counted, and not up to the first that is none: one branch for eight.
    let is_whole = |eight: &&[u8; 40]| {
        let codes = eight.iter().step_by(5);
        codes.filter(|code| **code == op::LONG_BINGET).count() == 8
    };
    let passed = eights.take_while(is_whole).count();
    (40 * passed, 8 * passed)
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn a_run_is_references_up_to_the_opcode_that_appends() {
        let cases: [(&[u8], Option<usize>); 6] = [
            (b"h\x01j\x02\0\0\0h\x03e.", Some(10)),
            (b"h\x01K\x05e", None),
            (b"e", None),
            (b"h\x01", None),
            (b"h\x01h", None),
            (b"j\x65\x65\x65\x65e", Some(6)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(length(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_whole_batch_may_go_on_in_the_next_one() {
        let mut bytes = b"h\x01".repeat(999);
        bytes.push(b'e');
        assert_eq!(length(&bytes), Some(1999));
        let mut bytes = b"h\x01".repeat(1000);
        bytes.push(b'e');
        assert_eq!(length(&bytes), None);
    }
}
