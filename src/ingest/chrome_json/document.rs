//! The top level of a trace's text: an array of events, or an object with `traceEvents`.
//!
//! [`Document`] hands every event's text to the assembler, strict or mended, keeps the small
//! top-level values that say something of the job, and goes on behind damage.

use super::assemble::Assembler;
use super::feed::Feed;
use super::recover::EVENTS_MARK;
use super::scan::{self, Scan};
use crate::ingest::source::{HEAD, TextReader};
use crate::ingest::{Cancel, IngestError, Progress, sniff};
use crate::trace::IssueKind;

/// Top-level values longer than this say nothing that is used here.
const LONG_HEADER: usize = 64 << 20;

/// How many events are read one by one after damage that stands alone, and at the most.
const LEAST_PATIENCE: u32 = 64;
const MOST_PATIENCE: u32 = 1 << 14;

/// Walks one text from front to back.
pub(super) struct Document<'a> {
    pub(super) name: &'a str,
    pub(super) feed: Feed,
    pub(super) progress: &'a Progress,
    pub(super) cancel: &'a Cancel,
    pub(super) events: u64,
    reported: u64,
    /// Events left for which damage is to be expected.
    pub(super) wary: u32,
    /// Events left to be read one by one before the next stretch is tried.
    slow: u32,
    /// How many events the next damage holds back a stretch.
    patience: u32,
    truncated: bool,
    /// Whether to stop at the event list.
    pub(super) header_only: bool,
}

impl<'a> Document<'a> {
    pub(super) fn new(
        name: &'a str,
        reader: TextReader,
        progress: &'a Progress,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            name,
            feed: Feed::new(reader),
            progress,
            cancel,
            events: 0,
            reported: 0,
            wary: 0,
            slow: 0,
            patience: LEAST_PATIENCE,
            truncated: false,
            header_only: false,
        }
    }

    pub(super) fn text_bytes(&self) -> u64 {
        self.feed.offset()
    }

    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// Reads what stands before the event list.
    pub(super) fn read_header(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        self.header_only = true;
        self.start()?;
        match self.token()? {
            Some(b'{') => self.object(out),
            _ => Ok(()),
        }
    }

    /// Reads everything.
    pub(super) fn read(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        self.start()?;
        match self.token()? {
            Some(b'[') => self.event_list(out)?,
            _ => self.object(out)?,
        }
        self.end(out)
    }

    /// Passes what may stand before the document, and refuses what is none.
    fn start(&mut self) -> Result<(), IngestError> {
        while self.feed.rest().len() < HEAD && self.fill()? {}
        if self.feed.rest().starts_with(b"\xef\xbb\xbf") {
            self.feed.advance(3);
        }
        // Some binary forms begin with a line break, so it is only passed where nothing follows.
        if self.feed.rest().trim_ascii().is_empty() {
            self.token()?;
            while self.feed.rest().len() < HEAD && self.fill()? {}
        }
        sniff::check_text(self.name, self.feed.rest())
    }

    fn end(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        // A stray bracket may have ended the list, and one text may follow another.
        loop {
            match self.token()? {
                Some(b',' | b']' | b'}') => self.feed.advance(1),
                Some(b'{') if self.goes_on() => self.go_on(out)?,
                _ => break,
            }
        }
        if let Some(byte) = self.token()? {
            let at = self.feed.offset();
            out.note(IssueKind::TrailingBytes, at, &printable(byte));
            while !self.feed.rest().is_empty() {
                self.feed.advance(self.feed.rest().len());
                self.fill()?;
            }
        }
        let at = self.feed.offset();
        if let Some(damage) = self.feed.reader().damage() {
            out.note(IssueKind::DamagedCompression, at, &damage);
        }
        if let Some(bytes) = self.feed.reader().trailing() {
            out.note(
                IssueKind::TrailingBytes,
                at,
                &format!("{bytes} bytes behind the compressed data"),
            );
        }
        self.report_progress();
        Ok(())
    }

    /// Whether an event stands here.
    fn goes_on(&self) -> bool {
        scan::starts_event(self.feed.rest())
    }

    /// Reads on with the event here, though the list has ended.
    fn go_on(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        let at = self.feed.offset();
        out.note(
            IssueKind::Separator,
            at,
            "the event list goes on behind its end",
        );
        self.slow_down();
        self.events_from_here(out)
    }

    /// Tells once that the text ends early.
    pub(super) fn note_truncated(&mut self, out: &mut Assembler<'_>, what: &str) {
        if !self.truncated {
            out.note(IssueKind::Truncated, self.feed.offset(), what);
        }
        self.truncated = true;
    }

    /// `{ "key": value, … }` with `traceEvents` among the keys.
    fn object(&mut self, out: &mut Assembler<'_>) -> Result<(), IngestError> {
        self.feed.advance(1);
        let mut found_events = false;
        loop {
            match self.token()? {
                None => {
                    self.note_truncated(out, "the closing brace is missing");
                    break;
                }
                Some(b'}') => {
                    self.feed.advance(1);
                    // Damage in the header may have closed the object before its events.
                    if found_events || !self.finds_events(out)? {
                        break;
                    }
                    found_events = true;
                    self.event_list(out)?;
                }
                Some(b'{') if found_events && self.goes_on() => {
                    self.go_on(out)?;
                }
                Some(b',') => self.feed.advance(1),
                Some(b'"') => {
                    let Some(key) = self.key()? else {
                        if !self.recover_to_events(out)? {
                            break;
                        }
                        found_events = true;
                        self.event_list(out)?;
                        continue;
                    };
                    if key == "traceEvents" && self.token()? == Some(b'[') {
                        if self.header_only {
                            return Ok(());
                        }
                        found_events = true;
                        self.event_list(out)?;
                    } else if !self.header_value(&key, out)? {
                        if !self.recover_to_events(out)? {
                            break;
                        }
                        found_events = true;
                        self.event_list(out)?;
                    }
                }
                Some(_) => {
                    if !self.recover_to_events(out)? {
                        break;
                    }
                    found_events = true;
                    self.event_list(out)?;
                }
            }
        }
        if found_events {
            Ok(())
        } else {
            Err(sniff::not_a_trace(
                self.name,
                "a JSON object without a traceEvents list, so not a Chrome trace",
                "record with the PyTorch profiler (export_chrome_trace)",
            ))
        }
    }

    /// A key and its colon; `None` where the text is something else.
    fn key(&mut self) -> Result<Option<String>, IngestError> {
        let Some(len) = self.value_len(LONG_HEADER)? else {
            return Ok(None);
        };
        let raw = self.feed.rest().get(..len).unwrap_or(&[]).to_vec();
        let Ok(key) = serde_json::from_slice::<String>(&raw) else {
            return Ok(None);
        };
        self.feed.advance(len);
        if self.token()? != Some(b':') {
            return Ok(None);
        }
        self.feed.advance(1);
        Ok(Some(key))
    }

    /// A top-level value beside the events; `false` where it is damaged so that it may have taken
    /// the event list with it, and the list must be looked for.
    fn header_value(&mut self, key: &str, out: &mut Assembler<'_>) -> Result<bool, IngestError> {
        self.token()?;
        let offset = self.feed.offset();
        let Some(len) = self.value_len(LONG_HEADER)? else {
            return Ok(false);
        };
        let value = self.feed.rest().get(..len).unwrap_or(&[]);
        let text = String::from_utf8_lossy(value);
        let is_json = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        if is_json {
            out.header(key, &text);
        } else {
            out.note(
                IssueKind::RepairedJson,
                offset,
                &format!("the value of {key} is no JSON"),
            );
            if memchr::memmem::find(value, EVENTS_MARK).is_some() {
                return Ok(false);
            }
        }
        // At least a byte, or damage here would hold the loop for ever.
        self.feed.advance(len.max(1));
        Ok(true)
    }

    pub(super) fn report_progress(&mut self) {
        self.progress.add_events(self.events - self.reported);
        self.reported = self.events;
    }

    /// Length of the value here, reading on as needed; `None` where it does not end within `limit`
    /// or within the text.
    pub(super) fn value_len(&mut self, limit: usize) -> Result<Option<usize>, IngestError> {
        loop {
            let rest = self.feed.rest();
            let looked_at = rest.get(..limit).unwrap_or(rest);
            match scan::value(looked_at) {
                Scan::Complete(len) => return Ok(Some(len)),
                Scan::Incomplete if self.feed.at_end() || rest.len() > limit => {
                    return Ok(None);
                }
                Scan::Incomplete => {
                    self.fill()?;
                }
            }
        }
    }

    /// The next byte that is not white space, without passing it; `None` at the end.
    pub(super) fn token(&mut self) -> Result<Option<u8>, IngestError> {
        loop {
            if let Some(byte) = self.feed.skip_white() {
                return Ok(Some(byte));
            }
            // Here and not in the feed, so that a cancel is answered in the longest white space.
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    pub(super) fn fill(&mut self) -> Result<bool, IngestError> {
        if self.cancel.is_cancelled() {
            return Err(IngestError::Cancelled);
        }
        self.feed.fill().map_err(|e| self.io(e))
    }

    /// Whether a stretch is worth trying here. It costs several chunks of text, which a file that
    /// is damaged in every other event would pay for every other event.
    pub(super) fn may_stretch(&self) -> bool {
        self.wary == 0 && self.slow == 0
    }

    /// Something was not as it should be: the next events are read one by one, the more of them the
    /// more often this happens.
    pub(super) fn slow_down(&mut self) {
        self.slow = self.patience;
        self.patience = (self.patience * 2).min(MOST_PATIENCE);
    }

    /// A whole event was read on its own.
    pub(super) fn calm_down(&mut self) {
        self.slow = self.slow.saturating_sub(1);
        self.wary = self.wary.saturating_sub(1);
    }

    /// A long stretch went well.
    pub(super) fn trust(&mut self) {
        self.patience = LEAST_PATIENCE;
    }

    /// Counts events that were told to the progress already.
    pub(super) fn add_events(&mut self, events: u64) {
        self.events += events;
        self.reported += events;
    }

    pub(super) fn io(&self, reason: String) -> IngestError {
        IngestError::Io {
            path: self.name.into(),
            reason,
        }
    }
}

fn printable(byte: u8) -> String {
    format!("begins with {:?}", char::from(byte))
}
