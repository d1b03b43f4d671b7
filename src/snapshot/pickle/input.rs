//! The bytes of a pickle, a block at a time. A length that the file states is believed only as far as
//! there are bytes.

use super::PickleError;
use super::blocks::{Block, Blocks};

/// The longest text.
const MAX_TEXT: usize = 1 << 26;
/// The longest line of the old text opcodes.
const MAX_LINE: usize = 1 << 24;

/// A reader that knows where it is.
pub(in crate::snapshot) struct Input {
    source: Blocks,
    block: Block,
    /// The next byte in the block.
    at: usize,
    /// Place in the file of the block's first byte.
    base: u64,
}

impl Input {
    pub(in crate::snapshot) fn new(source: Blocks) -> Self {
        Self {
            source,
            block: Block::default(),
            at: 0,
            base: 0,
        }
    }

    /// Where the next byte stands.
    #[inline]
    pub(in crate::snapshot) fn position(&self) -> u64 {
        self.base + u64::try_from(self.at).unwrap_or(u64::MAX)
    }

    /// Whether there is nothing more.
    pub(in crate::snapshot) fn is_at_end(&mut self) -> Result<bool, PickleError> {
        Ok(self.ahead().is_empty() && !self.more()?)
    }

    /// Gets another block behind what is there; `false` at the end of the file.
    fn more(&mut self) -> Result<bool, PickleError> {
        let next = self.source.next().map_err(|e| PickleError::Io {
            byte: self.end(),
            reason: e.to_string(),
        })?;
        let Some(next) = next else {
            return Ok(false);
        };
        self.base = self.position();
        let (block, free) = std::mem::take(&mut self.block).join(self.at, next);
        (self.block, self.at) = (block, 0);
        self.source.take_back(free);
        Ok(true)
    }

    /// Where what was read so far ends.
    fn end(&self) -> u64 {
        let left = u64::try_from(self.ahead().len());
        self.position() + left.unwrap_or(0)
    }

    fn truncated(&self) -> PickleError {
        PickleError::Truncated { byte: self.end() }
    }

    /// What was read ahead; may be less than there is.
    #[inline]
    pub(super) fn ahead(&self) -> &[u8] {
        self.block.bytes().get(self.at..).unwrap_or(&[])
    }

    /// Passes bytes that were read ahead.
    #[inline]
    pub(super) fn pass(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.block.bytes().len());
    }

    /// The next byte.
    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, PickleError> {
        loop {
            if let Some(byte) = self.block.bytes().get(self.at) {
                self.at += 1;
                return Ok(*byte);
            }
            if !self.more()? {
                return Err(self.truncated());
            }
        }
    }

    /// The next `N` bytes.
    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], PickleError> {
        loop {
            let rest = self.ahead();
            if let Some(array) = rest.first_chunk() {
                let array = *array;
                self.at += N;
                return Ok(array);
            }
            if !self.more()? {
                return Err(self.truncated());
            }
        }
    }

    /// The next `length` bytes. The buffer grows with what was read, never with what was promised.
    #[inline]
    pub(super) fn slice(&mut self, length: u64) -> Result<&[u8], PickleError> {
        let Ok(length) = usize::try_from(length) else {
            return Err(self.truncated());
        };
        while self.ahead().len() < length {
            if self.ahead().len() > MAX_TEXT {
                return Err(PickleError::LongText {
                    byte: self.position(),
                    limit: MAX_TEXT,
                });
            }
            if !self.more()? {
                return Err(self.truncated());
            }
        }
        let from = self.at;
        self.at += length;
        Ok(self.block.bytes().get(from..self.at).unwrap_or(&[]))
    }

    /// What stands up to the end of the line, without it.
    pub(super) fn line(&mut self) -> Result<&[u8], PickleError> {
        let mut seen = 0;
        let length = loop {
            let rest = self.block.bytes().get(self.at + seen..).unwrap_or(&[]);
            if let Some(found) = memchr::memchr(b'\n', rest) {
                break seen + found;
            }
            seen += rest.len();
            if seen > MAX_LINE || !self.more()? {
                return Err(self.truncated());
            }
        };
        let from = self.at;
        self.at += length + 1;
        let line = self.block.bytes().get(from..from + length).unwrap_or(&[]);
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
