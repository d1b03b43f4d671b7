//! What a file is that is no pickle, told from its first bytes.

use super::SnapshotError;

/// `Err` with a sentence where the text cannot be a pickle.
pub(super) fn check(file: &str, head: &[u8]) -> Result<(), SnapshotError> {
    const DUMP: &str = "dump it with torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")";
    let text = head.trim_ascii_start();
    let (what, advice) = match text {
        [] => ("the file is empty", "dump the snapshot again"),
        [0x80, ..] => return Ok(()),
        _ if head.starts_with(b"SQLite format 3\0") => (
            "an SQLite database; memory snapshots in SQLite are not read",
            DUMP,
        ),
        // A raw memory timeline: [[time, action, bytes, category], …].
        [b'[', b'[', b'0'..=b'9' | b'-' | b'[', ..] => (
            "a PyTorch memory timeline (export_memory_timeline), which is no allocator snapshot and is not read",
            DUMP,
        ),
        [b'{', b'"' | b'\n' | b'\r' | b' ', ..] | [b'[', b'{' | b'\n' | b'\r' | b' ', ..] => (
            "JSON, not a memory snapshot",
            "open a trace with overlane report, or dump a snapshot with torch.cuda.memory._dump_snapshot",
        ),
        [b'<', ..] => (
            "an HTML or XML page, not a memory snapshot",
            "memory pages of PyTorch hold a snapshot, but only the pickle can be opened",
        ),
        // Pickles of protocols 0 and 1 begin with their first value.
        [b'(' | b']' | b'}', ..] => return Ok(()),
        _ => ("not a pickle, so not a memory snapshot", DUMP),
    };
    Err(SnapshotError::NotASnapshot {
        file: file.to_owned(),
        what,
        advice,
    })
}
