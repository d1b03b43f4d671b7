//! [`Feed`]: the stretch of text being looked at, refilled in blocks.

use super::scan;
use crate::ingest::source::{BLOCK, TextBlock, TextReader};

/// Text in which no cut was found by then is left to the element-by-element reader.
const LONGEST_CHUNK: usize = 32 << 20;

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

    /// Passes white space as far as the text was read; the byte behind it, or `None` where more
    /// has to be read to know it.
    pub(super) fn skip_white(&mut self) -> Option<u8> {
        self.pos = scan::skip_white(&self.buf, self.pos);
        self.buf.get(self.pos).copied()
    }

    /// Moves the next stretch of whole events into `out`: about `size` bytes, cut before the last
    /// thing that looks like the start of an event. Returns where it starts; `None` where nothing
    /// is left, or no place to cut is found within reason.
    pub(super) fn take_chunk(
        &mut self,
        out: &mut TextBlock,
        size: usize,
    ) -> Result<Option<u64>, String> {
        let offset = self.offset();
        // Text that was put back is given out again piece by piece, not as one large chunk.
        let ready = self.rest().get(..size).and_then(scan::last_event_start);
        if let Some(cut) = ready.filter(|cut| *cut > 0) {
            out.push(self.rest().get(..cut).unwrap_or(&[]));
            self.advance(cut);
            return Ok(Some(offset));
        }
        out.push(self.rest());
        self.buf.clear();
        (self.pos, self.base) = (0, offset);
        let mut cut = None;
        while !self.eof && out.text().len() < LONGEST_CHUNK {
            let missing = size.saturating_sub(out.text().len()).max(size / 4);
            let read = self.reader.read_into(out.room(missing))?;
            out.grow(read);
            self.eof = read < missing;
            cut = scan::last_event_start(out.text());
            if cut.is_some() {
                break;
            }
        }
        let cut = if self.eof {
            Some(out.text().len())
        } else {
            cut
        };
        let taken = cut.unwrap_or(0);
        let rest = out.text().get(taken..).unwrap_or(&[]);
        self.buf.extend_from_slice(rest);
        out.truncate(taken);
        self.base += u64::try_from(taken).unwrap_or(0);
        Ok((taken > 0).then_some(offset))
    }

    /// Puts text back in front of what was not taken yet.
    pub(super) fn unread(&mut self, offset: u64, first: Vec<u8>, later: &[TextBlock]) {
        let mut text = first;
        for part in later {
            text.extend_from_slice(part.text());
        }
        text.extend_from_slice(self.rest());
        self.buf = text;
        (self.pos, self.base) = (0, offset);
    }

    pub(super) fn reader(&self) -> &TextReader {
        &self.reader
    }
}
