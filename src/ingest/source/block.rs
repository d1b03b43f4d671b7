//! [`TextBlock`]: a buffer for text that is filled again and again.

/// Text in memory that was cleared once and never is again: what lies behind the text is old text.
#[derive(Debug, Default)]
pub(in crate::ingest) struct TextBlock {
    bytes: Vec<u8>,
    len: usize,
}

impl TextBlock {
    /// The text.
    pub(in crate::ingest) fn text(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }

    pub(in crate::ingest) fn clear(&mut self) {
        self.len = 0;
    }

    /// Forgets everything behind the first `len` bytes.
    pub(in crate::ingest) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends a copy of some text.
    pub(in crate::ingest) fn push(&mut self, text: &[u8]) {
        self.room(text.len()).copy_from_slice(text);
        self.len += text.len();
    }

    /// `size` bytes behind the text, for [`grow`](Self::grow).
    pub(in crate::ingest) fn room(&mut self, size: usize) -> &mut [u8] {
        let end = self.len + size;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes.get_mut(self.len..end).unwrap_or(&mut [])
    }

    /// Takes over the first `by` bytes of what was written behind the text.
    pub(in crate::ingest) fn grow(&mut self, by: usize) {
        self.len = (self.len + by).min(self.bytes.len());
    }

    /// The text from a position on.
    pub(in crate::ingest) fn into_rest(mut self, from: usize) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes.drain(..from.min(self.len));
        self.bytes
    }
}
