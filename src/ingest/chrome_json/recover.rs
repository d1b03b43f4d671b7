//! Finding the event list again behind a damaged header.

use super::assemble::Assembler;
use super::document::Document;
use crate::ingest::IngestError;
use crate::trace::IssueKind;

/// What stands before the event list. Without the quote before it: damage may have taken that for
/// the end of a string.
pub(super) const EVENTS_MARK: &[u8] = b"traceEvents\"";

impl Document<'_> {
    /// The same, where an object that ended without a list need not be damaged at all.
    pub(super) fn finds_events(&mut self, out: &mut Assembler<'_>) -> Result<bool, IngestError> {
        match self.recover_to_events(out) {
            Err(IngestError::Malformed { .. }) => Ok(false),
            found => found,
        }
    }

    /// Jumps to the event list behind a damaged header; `false` where there is none.
    pub(super) fn recover_to_events(
        &mut self,
        out: &mut Assembler<'_>,
    ) -> Result<bool, IngestError> {
        if self.header_only {
            return Ok(false);
        }
        let offset = self.feed.offset();
        loop {
            let rest = self.feed.rest();
            if let Some(at) = memchr::memmem::find(rest, EVENTS_MARK) {
                self.feed.advance(at + EVENTS_MARK.len());
                if self.token()? == Some(b':') {
                    self.feed.advance(1);
                    if self.token()? == Some(b'[') {
                        out.note(
                            IssueKind::RepairedJson,
                            offset,
                            "the header before traceEvents",
                        );
                        return Ok(true);
                    }
                }
                continue;
            }
            let keep = rest.len().min(EVENTS_MARK.len());
            self.feed.advance(rest.len() - keep);
            if !self.fill()? {
                self.feed.advance(keep);
                if self.events > 0 {
                    out.note(
                        IssueKind::TrailingBytes,
                        offset,
                        "text behind the events is no JSON",
                    );
                    return Ok(false);
                }
                return Err(IngestError::Malformed {
                    file: self.name.to_owned(),
                    what: "the JSON cannot be followed and no traceEvents list was found"
                        .to_owned(),
                    byte: offset,
                    advice: "check that the file is a complete profiler trace".to_owned(),
                });
            }
        }
    }
}
