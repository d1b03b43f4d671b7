//! The bytes of a pickle, read in blocks. A length that the file states is believed only as far as
//! there are bytes.

use super::PickleError;
use std::io::{ErrorKind, Read};

/// How much is read at once.
const BLOCK: usize = 1 << 20;
/// The longest line of the old text opcodes.
const MAX_LINE: usize = 1 << 24;

/// A reader that knows where it is.
pub(in crate::snapshot) struct Input<R> {
    source: R,
    buffer: Vec<u8>,
    /// The next byte in the buffer.
    at: usize,
    /// Place in the file of the buffer's first byte.
    base: u64,
}

impl<R: Read> Input<R> {
    pub(in crate::snapshot) fn new(source: R) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            at: 0,
            base: 0,
        }
    }

    /// Where the next byte stands.
    pub(in crate::snapshot) fn position(&self) -> u64 {
        self.base + u64::try_from(self.at).unwrap_or(u64::MAX)
    }

    /// Whether there is nothing more.
    pub(in crate::snapshot) fn is_at_end(&mut self) -> Result<bool, PickleError> {
        Ok(self.at == self.buffer.len() && !self.more()?)
    }

    /// Reads another block behind what is there; `false` at the end of the file.
    fn more(&mut self) -> Result<bool, PickleError> {
        if self.at > 0 {
            self.base = self.position();
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        let before = self.buffer.len();
        self.buffer.resize(before + BLOCK, 0);
        let mut end = before;
        while let Some(free) = self.buffer.get_mut(end..).filter(|f| !f.is_empty()) {
            match self.source.read(free) {
                Ok(0) => break,
                Ok(read) => end += read,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    return Err(PickleError::Io {
                        byte: self.base + u64::try_from(end).unwrap_or(u64::MAX),
                        reason: e.to_string(),
                    });
                }
            }
        }
        self.buffer.truncate(end);
        Ok(end > before)
    }

    fn truncated(&self) -> PickleError {
        let left = self.buffer.len().saturating_sub(self.at);
        PickleError::Truncated {
            byte: self.position() + u64::try_from(left).unwrap_or(0),
        }
    }

    /// The next byte.
    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, PickleError> {
        loop {
            if let Some(byte) = self.buffer.get(self.at) {
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
            let rest = self.buffer.get(self.at..).unwrap_or(&[]);
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
        while self.buffer.len() - self.at < length {
            if !self.more()? {
                return Err(self.truncated());
            }
        }
        let from = self.at;
        self.at += length;
        Ok(self.buffer.get(from..self.at).unwrap_or(&[]))
    }

    /// What stands up to the end of the line, without it.
    pub(super) fn line(&mut self) -> Result<&[u8], PickleError> {
        let mut seen = 0;
        let length = loop {
            let rest = self.buffer.get(self.at + seen..).unwrap_or(&[]);
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
        let line = self.buffer.get(from..from + length).unwrap_or(&[]);
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
