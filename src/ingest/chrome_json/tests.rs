//! Texts that come from no file: longer than four gigabytes, or stopped in the middle.

use super::{Filter, ReadRank, Reading};
use crate::classify::Rules;
use crate::ingest::budget::Budget;
use crate::ingest::source::TextReader;
use crate::ingest::{Cancel, IngestError, Progress};
use crate::time::DurNs;
use crate::trace::{FileId, Rank, RankId};
use std::io::{BufRead, BufReader, Cursor, Read, repeat};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

/// Four gigabytes and a bit, which no 32-bit offset can tell.
const PADDING: u64 = (1 << 32) + 12_345;

const EVENT: &str =
    r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"stream":7}}"#;

fn read(
    text: impl BufRead + Send + 'static,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<ReadRank, IngestError> {
    static RULES: LazyLock<Rules> = LazyLock::new(Rules::builtin);
    let reading = Reading {
        rules: &RULES,
        progress,
        cancel,
        budget: &Budget::new(None, progress, cancel),
    };
    let reader = TextReader::over(text, progress);
    reading.read("t.json", FileId(0), reader, Filter::default())
}

/// A text whose part in the middle is spaces.
fn padded(head: &str, tail: &str) -> impl BufRead + Send + 'static {
    let (head, tail) = (head.to_owned().into_bytes(), tail.to_owned().into_bytes());
    Cursor::new(head)
        .chain(BufReader::with_capacity(
            1 << 20,
            repeat(b' ').take(PADDING),
        ))
        .chain(Cursor::new(tail))
}

fn offsets(rank: &Rank) -> Vec<u64> {
    rank.slices.iter().map(|s| s.source().offset).collect()
}

fn finish(mut read: ReadRank) -> Rank {
    assert!(read.builder.survey().is_some());
    read.builder.finish(RankId(0), DurNs::ZERO, false).rank
}

#[test]
fn offsets_beyond_four_gigabytes_are_right() {
    // Between two events, where chunks are cut, and before the list, where nothing is parallel.
    for before_list in [false, true] {
        let (head, tail) = if before_list {
            (
                "{\"traceEvents\":".to_owned(),
                format!("[{EVENT},{EVENT}]}}"),
            )
        } else {
            (format!("[{EVENT},"), format!("{EVENT}]"))
        };
        let progress = Progress::default();
        let all = u64::try_from(head.len() + tail.len()).unwrap() + PADDING;
        let behind = u64::try_from(head.len()).unwrap() + PADDING;
        let one = u64::try_from(EVENT.len()).unwrap();
        let read = read(padded(&head, &tail), &progress, &Cancel::default()).unwrap();
        assert_eq!((read.events, read.text_bytes), (2, all));
        assert_eq!(progress.text_bytes(), all);
        let wanted = if before_list {
            [behind + 1, behind + 2 + one]
        } else {
            [1, behind]
        };
        assert_eq!(offsets(&finish(read)), wanted);
    }
}

/// Spaces without an end that count how much of them was read, and wish to stop at some point.
struct Endless {
    given: Arc<AtomicU64>,
    cancel: Cancel,
    stop_at: u64,
}

impl Read for Endless {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        buf.fill(b' ');
        let more = u64::try_from(buf.len()).unwrap();
        if self.given.fetch_add(more, Ordering::Relaxed) + more >= self.stop_at {
            self.cancel.cancel();
        }
        Ok(buf.len())
    }
}

#[test]
fn a_cancelled_load_reads_hardly_on_wherever_it_stands() {
    const STOP_AT: u64 = 100 << 20;
    // Before the document, in the header, between events, in a string that never ends, and behind.
    for head in [
        "",
        "{ \"traceEvents\": ",
        &format!("[{EVENT},"),
        "{\"schemaVersion\": \"",
        &format!("[{EVENT},{{\"name\": \""),
        &format!("[{EVENT}]"),
        &format!("[{EVENT}] x"),
    ] {
        let (given, cancel) = (Arc::new(AtomicU64::new(0)), Cancel::default());
        let endless = Endless {
            given: Arc::clone(&given),
            cancel: cancel.clone(),
            stop_at: STOP_AT,
        };
        let text = Cursor::new(head.to_owned().into_bytes())
            .chain(BufReader::with_capacity(1 << 20, endless));
        let result = read(text, &Progress::default(), &cancel);
        assert!(
            matches!(result, Err(IngestError::Cancelled)),
            "{head}: {:?}",
            result.err()
        );
        let over = given.load(Ordering::Relaxed) - STOP_AT;
        assert!(over <= 64 << 20, "{head}: {over} bytes more");
    }
}
