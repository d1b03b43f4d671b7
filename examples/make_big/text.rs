//! Random numbers and text: the two things that must be fast and the same everywhere.

use std::io::{self, Write};

/// SplitMix64: small, good enough for durations, and its bytes are pinned by this file and not by a crate's version.
#[derive(Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Self(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x6A09_E667_F3BC_C908);
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((self.next() >> 32) * n) >> 32
    }

    /// A number in `lo..hi`, small ones far more often: durations and the use of names have long tails.
    pub(crate) fn skewed(&mut self, lo: u64, hi: u64) -> u64 {
        let span = hi - lo;
        lo + span * self.below(1024) * self.below(1024) / (1 << 20)
    }

    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// One of a slice that is not empty.
    #[allow(
        clippy::indexing_slicing,
        reason = "below() stays under the length; the tables are never empty"
    )]
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap_or(0)]
    }

    /// As `pick`, with the first entries far more often.
    #[allow(
        clippy::indexing_slicing,
        reason = "skewed() stays under the length; the tables are never empty"
    )]
    pub(crate) fn pick_skewed<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.skewed(0, from.len() as u64)).unwrap_or(0)]
    }
}

/// Text gathered in memory and handed on in pieces, so that a compressor behind it is not called for every number.
pub(crate) struct Text<W> {
    buf: Vec<u8>,
    out: W,
    first: bool,
}

/// A piece handed on; stays within the second-level cache.
const PIECE: usize = 128 << 10;

impl<W: Write> Text<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            buf: Vec::with_capacity(PIECE + (16 << 10)),
            out,
            first: true,
        }
    }

    pub(crate) fn s(&mut self, s: &str) -> &mut Self {
        self.buf.extend_from_slice(s.as_bytes());
        self
    }

    #[allow(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "twenty digits hold every u64; a digit fits a byte"
    )]
    pub(crate) fn n(&mut self, mut n: u64) -> &mut Self {
        let mut digits = [0_u8; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.buf.extend_from_slice(&digits[at..]);
        self
    }

    pub(crate) fn signed(&mut self, n: i64) -> &mut Self {
        if n < 0 {
            self.s("-");
        }
        self.n(n.unsigned_abs())
    }

    /// Nanoseconds as Kineto writes them: microseconds with three decimals.
    pub(crate) fn us(&mut self, ns: u64) -> &mut Self {
        let rest = ns % 1000;
        let zeros = if rest < 10 {
            ".00"
        } else if rest < 100 {
            ".0"
        } else {
            "."
        };
        self.n(ns / 1000).s(zeros).n(rest)
    }

    /// A ratio with six decimals, as the launch figures of a kernel have them.
    pub(crate) fn ratio(&mut self, a: u64, b: u64) -> &mut Self {
        let millionths = 1_000_000 + a * 1_000_000 / b % 1_000_000;
        let at = self.buf.len();
        self.n(millionths);
        // The leading one kept the zeros; it becomes the point.
        if let Some(byte) = self.buf.get_mut(at) {
            *byte = b'.';
        }
        let decimals = self.buf.split_off(at);
        self.n(a / b);
        self.buf.extend_from_slice(&decimals);
        self
    }

    /// Begins an event, with the comma that closes the one before.
    pub(crate) fn event(&mut self) -> &mut Self {
        let open = if self.first {
            "  {\n    "
        } else {
            ",\n  {\n    "
        };
        self.first = false;
        self.s(open)
    }

    /// Ends an event; hands the text on when there is enough of it.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.s("\n  }");
        if self.buf.len() >= PIECE {
            self.hand_on()
        } else {
            Ok(())
        }
    }

    /// What has not been handed on.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.buf
    }

    pub(crate) fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buf)?;
        self.buf.clear();
        Ok(())
    }
}
