//! The event list: element by element, whole or damaged.
//!
//! An element that is strict JSON goes to the assembler as it stands. One that is not is cut out at
//! the next place that looks like an event, mended, and read again, so that damage costs at most
//! the event it is in.

use super::assemble::Assembler;
use super::document::Document;
use super::event::RawEvent;
use super::repair::{self, Repaired};
use super::scan;
use crate::ingest::IngestError;
use crate::trace::{IssueKind, SourceSpan};

/// A value that is longer than this without closing is damaged, or at least suspect.
const LONG_VALUE: usize = 16 << 20;
/// The same right behind damage, so that a file damaged in every event is not read many times.
const LONG_VALUE_AFTER_DAMAGE: usize = 16 << 10;
/// No event is longer; one that seems to be is damaged, and is not kept in memory.
const LONGEST_EVENT: usize = 64 << 20;

/// A stretch of this many events paid for itself.
const LONG_STRETCH: u64 = 1 << 13;

impl Document<'_> {
    /// `[ event, event, … ]`
    pub(super) fn event_list(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        self.feed.advance(1);
        self.events_from_here(out)
    }

    /// The elements of the list from here to its end.
    pub(super) fn events_from_here(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        let mut commas = 0_u32;
        let mut first = true;
        loop {
            let Some(byte) = self.token()? else {
                self.note_truncated(out, "the event list is not closed");
                return Ok(());
            };
            match byte {
                b',' => {
                    commas += 1;
                    self.feed.advance(1);
                    continue;
                }
                b']' => {
                    if commas > 0 {
                        out.note(
                            IssueKind::Separator,
                            self.feed.offset(),
                            "a comma before the end of the list",
                        );
                    }
                    self.feed.advance(1);
                    return Ok(());
                }
                _ => {}
            }
            if commas != u32::from(!first) {
                self.slow_down();
                out.note(
                    IssueKind::Separator,
                    self.feed.offset(),
                    "between two events",
                );
            }
            (first, commas) = (false, 0);
            if byte == b'{' && self.may_stretch() {
                let stretch = self.stretch(out)?;
                if stretch.events > LONG_STRETCH {
                    self.trust();
                } else {
                    self.slow_down();
                }
                if stretch.events > 0 {
                    commas = u32::from(stretch.behind_comma);
                    continue;
                }
            }
            if byte == b'{' {
                self.event(out)?;
            } else {
                self.slow_down();
                self.other_element(out)?;
            }
            self.count_event()?;
        }
    }

    fn count_event(&mut self) -> Result<(), IngestError> {
        self.events += 1;
        if self.events.is_multiple_of(1 << 12) {
            self.report_progress();
            if self.cancel.is_cancelled() {
                return Err(IngestError::Cancelled);
            }
        }
        Ok(())
    }

    /// One event, whole or damaged.
    fn event(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        let limit = if self.wary > 0 {
            LONG_VALUE_AFTER_DAMAGE
        } else {
            LONG_VALUE
        };
        if let Some(len) = self.value_len(limit)? {
            let text = self.feed.rest().get(..len).unwrap_or(&[]);
            if let Ok(event) = RawEvent::parse(text) {
                out.event(&event, span(self.feed.offset(), len));
                self.feed.advance(len);
                self.calm_down();
                return Ok(());
            }
            // Balanced but not strict: bare words and bad bytes keep the brackets in step, and then
            // the event ends where they close, whatever its args look like inside.
            if self.in_step(len) || !self.holds_boundary(len) {
                self.slow_down();
                self.mend(len, len, out);
                return Ok(());
            }
        }
        self.wary = 1 << 10;
        match self.find_boundary()? {
            Some(found) => self.mend(found.text_end, found.resume, out),
            None => self.cut_off(out),
        }
        Ok(())
    }

    /// Whether the first `len` bytes are an object but for bare words and bad bytes.
    fn in_step(&self, len: usize) -> bool {
        let text = self.feed.rest().get(..len).unwrap_or(&[]);
        repair::repair(text).is_some_and(|r| !r.mended)
    }

    /// Whether another event seems to start inside the first `len` bytes.
    fn holds_boundary(&self, len: usize) -> bool {
        let text = self.feed.rest().get(..len).unwrap_or(&[]);
        scan::boundary(text, false).is_some()
    }

    fn mend(&mut self, text_end: usize, resume: usize, out: &mut Assembler<'_>) {
        let offset = self.feed.offset();
        let text = self.feed.rest().get(..text_end).unwrap_or(&[]);
        match repair::repair(text) {
            Some(repaired) if out.mended_event(&repaired, span(offset, text_end)) => {
                note_repairs(&repaired, offset, out);
            }
            _ => out.note(IssueKind::UnreadableEvent, offset, &excerpt(text)),
        }
        self.feed.advance(resume.max(1));
    }

    /// The text ends inside an event.
    fn cut_off(&mut self, out: &mut Assembler<'_>) {
        let shown = excerpt(self.feed.rest());
        self.note_truncated(out, &shown);
        self.feed.advance(self.feed.rest().len());
    }

    fn find_boundary(&mut self) -> Result<Option<scan::Boundary>, IngestError> {
        let mut searched = 0;
        // The start of the event was let go: nothing can be mended any more.
        let mut lost = false;
        let whole = |found: scan::Boundary, lost: bool| scan::Boundary {
            text_end: if lost { 0 } else { found.text_end },
            ..found
        };
        loop {
            let at_end = self.feed.at_end();
            // Text that was searched in vain is not searched again, but for what a block's end cut.
            let from = searched.min(self.feed.rest().len());
            let rest = self.feed.rest().get(from..).unwrap_or(&[]);
            if let Some(found) = scan::boundary(rest, at_end) {
                if from == 0 {
                    return Ok(Some(whole(found, lost)));
                }
                // The text before may end in white space and a comma that lie before `from`.
                if let Some(found) = scan::boundary(self.feed.rest(), at_end) {
                    return Ok(Some(whole(found, lost)));
                }
            }
            searched = self.feed.rest().len().saturating_sub(1 << 12);
            if self.feed.rest().len() > LONGEST_EVENT {
                self.feed.advance(searched);
                searched = 0;
                lost = true;
            }
            if !self.fill()? && at_end {
                return Ok(None);
            }
        }
    }

    /// An element that is no object.
    fn other_element(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        let offset = self.feed.offset();
        let Some(len) = self.value_len(LONG_VALUE)? else {
            match self.find_boundary()? {
                Some(found) => {
                    out.note(
                        IssueKind::UnreadableEvent,
                        offset,
                        &excerpt(self.feed.rest()),
                    );
                    self.feed.advance(found.resume.max(1));
                }
                None => self.cut_off(out),
            }
            return Ok(());
        };
        let text = self.feed.rest().get(..len).unwrap_or(&[]);
        let is_json = serde_json::from_slice::<&serde_json::value::RawValue>(text).is_ok();
        if is_json {
            out.note(IssueKind::NotAnObject, offset, &excerpt(text));
            self.feed.advance(len.max(1));
            return Ok(());
        }
        out.note(IssueKind::UnreadableEvent, offset, &excerpt(text));
        match self.find_boundary()? {
            Some(found) => self.feed.advance(found.resume.max(1)),
            None => self.feed.advance(len.max(1)),
        }
        Ok(())
    }
}

fn note_repairs(repaired: &Repaired, offset: u64, out: &mut Assembler<'_>) {
    let kinds = [
        (repaired.mended, IssueKind::RepairedJson),
        (repaired.replaced_bytes, IssueKind::InvalidUtf8),
        (repaired.bare_words, IssueKind::BareWord),
    ];
    for (_, kind) in kinds.into_iter().filter(|(found, _)| *found) {
        out.note(kind, offset, &excerpt(repaired.json.as_bytes()));
    }
}

pub(super) fn span(offset: u64, len: usize) -> SourceSpan {
    SourceSpan {
        offset,
        len: u32::try_from(len).unwrap_or(u32::MAX),
    }
}

/// The start of a text, for messages.
fn excerpt(text: &[u8]) -> String {
    const SHOWN: usize = 60;
    let head = text.get(..SHOWN).unwrap_or(text);
    let mut shown = String::from_utf8_lossy(head).replace(|c: char| c.is_control(), " ");
    if text.len() > SHOWN {
        shown.push('…');
    }
    shown
}
