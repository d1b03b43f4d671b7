//! Whole events by the megabyte: the list is cut into chunks that threads parse side by side.
//!
//! Nobody scans ahead to find exact cuts. A chunk ends before the last thing in it that *looks*
//! like the start of an event; whether it is one is proven when the chunk before it, itself proven,
//! turns out to end exactly there, behind a comma. Text inside a string that imitates an event
//! makes that proof fail, and then nothing of the wrongly cut chunks is used. Chunks are joined in
//! the order of the file, so the result does not depend on the number of threads.
//!
//! A stretch ends at the first element that is not a strict object (damage, the end of the list).
//! The element-by-element reader of [`event_list`](super::event_list) takes over there.

use super::assemble::{Assembler, Memo};
use super::document::Document;
use super::event::RawEvent;
use super::event_list::span;
use super::fast::Scanner;
use super::feed::Feed;
use super::scan::{self, Scan, skip_white};
use crate::ingest::source::TextBlock;
use crate::ingest::{Cancel, IngestError, Progress};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How much text one task parses. Large enough that joining costs nothing, small enough for the
/// caches and for an answer to a cancel within a few milliseconds.
const CHUNK: usize = 2 << 20;
/// How many parsed chunks may wait for one before them, per thread.
const WAITING: usize = 4;

/// What a stretch read.
pub(super) struct Stretch {
    /// Number of events.
    pub(super) events: u64,
    /// Whether the text now goes on behind the comma that follows the last event.
    pub(super) behind_comma: bool,
}

impl Document<'_> {
    /// Reads whole events from here (at the brace of one) for as long as they are strict.
    pub(super) fn stretch(&mut self, out: &mut Assembler<'_>) -> Result<Stretch, IngestError> {
        let threads = rayon::current_num_threads();
        let template = out.fresh(Memo::default());
        let joint = Joint {
            source: Mutex::new(Source {
                feed: &mut self.feed,
                next: 0,
                free: Vec::new(),
                ended: false,
                error: None,
            }),
            join: Mutex::new(Join {
                out,
                next: 0,
                parsed: BTreeMap::new(),
                events: 0,
                stop: None,
                died: false,
            }),
            moved: Condvar::new(),
            progress: self.progress,
            cancel: self.cancel,
            waiting: WAITING * threads,
        };
        rayon::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| joint.work(&template));
            }
        });
        let Joint { source, join, .. } = joint;
        let source = into_inner(source);
        let error = source.error;
        let join = into_inner(join);
        let events = join.events;
        let behind_comma = match join.stop {
            Some(stop) => {
                // Whatever was parsed behind the stop was cut on a wrong guess, or stands behind
                // damage: its text goes back and is read again.
                let later: Vec<TextBlock> = join.parsed.into_values().map(|p| p.text).collect();
                self.feed.unread(stop.offset, stop.rest, &later);
                stop.behind_comma
            }
            None => true,
        };
        self.add_events(events);
        if self.cancel.is_cancelled() {
            return Err(IngestError::Cancelled);
        }
        match error {
            Some(reason) => Err(self.io(reason)),
            None => Ok(Stretch {
                events,
                behind_comma: behind_comma && events > 0,
            }),
        }
    }
}

/// What the tasks of one stretch share.
struct Joint<'a, 'r, 'f> {
    source: Mutex<Source<'f>>,
    join: Mutex<Join<'a, 'r>>,
    /// Told whenever chunks were joined.
    moved: Condvar,
    progress: &'a Progress,
    cancel: &'a Cancel,
    waiting: usize,
}

/// Where chunks come from, one task at a time: reading and inflating happen under this lock, while
/// other tasks parse.
struct Source<'f> {
    feed: &'f mut Feed,
    next: usize,
    /// Buffers of chunks that were joined: fresh memory costs more than parsing into it.
    free: Vec<TextBlock>,
    ended: bool,
    error: Option<String>,
}

/// Where chunks go, in order.
struct Join<'a, 'r> {
    out: &'a mut Assembler<'r>,
    next: usize,
    parsed: BTreeMap<usize, Parsed<'r>>,
    events: u64,
    stop: Option<Stop>,
    /// A task panicked: nobody must wait for its chunk.
    died: bool,
}

/// Where a stretch ended before its text did.
struct Stop {
    offset: u64,
    rest: Vec<u8>,
    behind_comma: bool,
}

/// A chunk after parsing.
struct Parsed<'r> {
    text: TextBlock,
    offset: u64,
    events: Assembler<'r>,
    count: u64,
    /// Position behind the last whole event.
    consumed: usize,
    /// Whether the chunk ended exactly behind a comma, which proves the cut.
    clean: bool,
}

impl<'r> Joint<'_, 'r, '_> {
    /// Parses chunks until there are no more.
    fn work(&self, template: &Assembler<'r>) {
        let _alarm = Alarm(self);
        let mut memo = Memo::default();
        loop {
            let Some((index, offset, text)) = self.next_chunk() else {
                return;
            };
            let mut parsed = parse(text, offset, template.fresh(memo));
            memo = parsed.events.take_memo();
            self.progress.add_events(parsed.count);
            let mut join = lock(&self.join);
            join.parsed.insert(index, parsed);
            let free = join.join_ready();
            {
                let mut source = lock(&self.source);
                source.free.extend(free);
                source.ended |= join.stop.is_some() || self.cancel.is_cancelled();
            }
            self.moved.notify_all();
            // A task far ahead waits, so that memory does not grow while another is held up.
            while join.parsed.len() >= self.waiting && join.stop.is_none() && !join.died {
                join = self
                    .moved
                    .wait(join)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn next_chunk(&self) -> Option<(usize, u64, TextBlock)> {
        let mut source = lock(&self.source);
        if source.ended || self.cancel.is_cancelled() {
            return None;
        }
        let mut text = source.free.pop().unwrap_or_default();
        text.clear();
        match source.feed.take_chunk(&mut text, CHUNK) {
            Ok(Some(offset)) => {
                let index = source.next;
                source.next += 1;
                Some((index, offset, text))
            }
            Ok(None) => {
                source.ended = true;
                None
            }
            Err(reason) => {
                source.ended = true;
                source.error = Some(reason);
                None
            }
        }
    }
}

/// Wakes the other tasks when one dies, so that the scope can end and pass the panic on.
struct Alarm<'j, 'a, 'r, 'f>(&'j Joint<'a, 'r, 'f>);

impl Drop for Alarm<'_, '_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.join).died = true;
            self.0.moved.notify_all();
        }
    }
}

impl Join<'_, '_> {
    /// Joins every chunk whose turn it is; returns their buffers.
    fn join_ready(&mut self) -> Vec<TextBlock> {
        let mut free = Vec::new();
        while self.stop.is_none() {
            let Some(parsed) = self.parsed.remove(&self.next) else {
                break;
            };
            let first = self.next == 0;
            self.next += 1;
            self.events += parsed.count;
            let empty = parsed.count == 0;
            self.out.absorb(parsed.events);
            if parsed.clean {
                free.push(parsed.text);
            } else {
                let rest = parsed.text.into_rest(parsed.consumed);
                self.stop = Some(Stop {
                    offset: parsed.offset + u64::try_from(parsed.consumed).unwrap_or(0),
                    rest,
                    behind_comma: empty && !first,
                });
            }
        }
        free
    }
}

/// Parses the events of a chunk as far as they are strict objects with one comma between them.
fn parse(text: TextBlock, offset: u64, mut events: Assembler<'_>) -> Parsed<'_> {
    let valid = match std::str::from_utf8(text.text()) {
        Ok(valid) => valid,
        // The event with the bad bytes is the element-by-element reader's.
        Err(error) => text
            .text()
            .get(..error.valid_up_to())
            .and_then(|t| std::str::from_utf8(t).ok())
            .unwrap_or(""),
    };
    let bytes = valid.as_bytes();
    let mut scanner = Scanner::default();
    let (mut at, mut consumed, mut count) = (0, 0, 0);
    let mut clean = false;
    while bytes.get(at) == Some(&b'{') {
        let mut event = RawEvent::default();
        let found = scanner.event(valid, at, &mut event).ok();
        let Some(end) = found.or_else(|| strictly(valid, at, &mut event)) else {
            break;
        };
        events.event(
            &event,
            span(offset + u64::try_from(at).unwrap_or(0), end - at),
        );
        count += 1;
        consumed = end;
        let comma = skip_white(bytes, end);
        if bytes.get(comma) != Some(&b',') {
            break;
        }
        at = skip_white(bytes, comma + 1);
        clean = at == text.text().len();
    }
    Parsed {
        text,
        offset,
        events,
        count,
        consumed,
        clean,
    }
}

/// The strict reader's opinion of an event that the fast one was not sure of.
fn strictly<'a>(text: &'a str, at: usize, event: &mut RawEvent<'a>) -> Option<usize> {
    let rest = text.get(at..)?;
    let Scan::Complete(len) = scan::value(rest.as_bytes()) else {
        return None;
    };
    *event = RawEvent::parse(rest.get(..len)?.as_bytes()).ok()?;
    Some(at + len)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
