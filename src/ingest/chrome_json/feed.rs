//! [`Feed`]: the stretch of text being looked at, refilled in blocks.

use crate::ingest::source::{BLOCK, TextReader};

/// A buffer over a text stream that keeps everything from `pos` on.
pub(super) struct Feed {
    reader: TextReader,
    buf: Vec<u8>,
    pos: usize,
    /// Offset of `buf[0]` in the text.
    base: u64,
    eof: bool,
}

impl Feed {
    pub(super) fn new(reader: TextReader) -> Self {
        Self {
            reader,
            buf: Vec::new(),
            pos: 0,
            base: 0,
            eof: false,
        }
    }

    /// The text from the current position on, as far as it was read.
    pub(super) fn rest(&self) -> &[u8] {
        self.buf.get(self.pos..).unwrap_or(&[])
    }

    /// Offset of the current position in the text.
    pub(super) fn offset(&self) -> u64 {
        self.base + u64::try_from(self.pos).unwrap_or(0)
    }

    /// Whether nothing more will come.
    pub(super) fn at_end(&self) -> bool {
        self.eof
    }

    /// Moves on within what was read.
    pub(super) fn advance(&mut self, by: usize) {
        self.pos = (self.pos + by).min(self.buf.len());
    }

    /// Reads more behind what is there; grows with what is kept, so that a huge value is not
    /// copied once a block. Returns whether anything came.
    pub(super) fn fill(&mut self) -> Result<bool, String> {
        if self.eof {
            return Ok(false);
        }
        if self.pos > 0 {
            self.buf.drain(..self.pos);
            self.base += u64::try_from(self.pos).unwrap_or(0);
            self.pos = 0;
        }
        let size = BLOCK.max(self.buf.len());
        let n = self.reader.read_block(&mut self.buf, size)?;
        self.eof = n < size;
        Ok(n > 0)
    }

    /// The next byte that is not white space, without passing it; `None` at the end.
    pub(super) fn peek_token(&mut self) -> Result<Option<u8>, String> {
        loop {
            let white = self
                .rest()
                .iter()
                .take_while(|b| b.is_ascii_whitespace())
                .count();
            self.advance(white);
            if let Some(byte) = self.rest().first() {
                return Ok(Some(*byte));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    pub(super) fn reader(&self) -> &TextReader {
        &self.reader
    }
}
