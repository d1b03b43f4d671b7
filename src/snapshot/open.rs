//! From a file to a [`Snapshot`].

use super::pickle::{Input, PickleError, read_ahead, run};
use super::records::Records;
use super::{NoteKind, Snapshot, SnapshotError, assemble, kind};
use crate::ingest::{Cancel, IngestError, MemoryLimit, Phase, Progress, Unpacked};
use std::io::{self, Read};
use std::path::Path;

/// How many bytes decide what a file is.
const HEAD: u64 = 4_096;

/// Reads a snapshot, also where gzip, zstd or a zip archive with one entry packs it.
///
/// # Errors
/// [`SnapshotError`] where the file cannot be read or is no snapshot, or the user cancelled.
pub fn open(path: &Path, progress: &Progress, cancel: &Cancel) -> Result<Snapshot, SnapshotError> {
    open_within(path, MemoryLimit::System, progress, cancel)
}

/// The same with so much memory.
///
/// # Errors
/// As for [`open()`], and where the memory is not enough.
pub fn open_within(
    path: &Path,
    memory: MemoryLimit,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Snapshot, SnapshotError> {
    let file = path.display().to_string();
    let mut text = Unpacked::open(path, progress)?;
    let damage = text.damage_watch();
    let snapshot = read_within(&file, &mut text, memory, cancel);
    progress.set_phase(Phase::Done);
    match (snapshot, damage.damage()) {
        (Err(SnapshotError::Pickle { .. }), Some(damage)) => Err(IngestError::NotATrace {
            file,
            what: format!("the compressed data is damaged ({damage})"),
            advice: "copy the file again".to_owned(),
        }
        .into()),
        (result, _) => result,
    }
}

/// Reads a snapshot from anything that gives its bytes; `file` is what errors call it.
///
/// # Errors
/// As for [`open()`].
pub fn read(
    file: &str,
    text: impl Read + Send,
    cancel: &Cancel,
) -> Result<Snapshot, SnapshotError> {
    read_within(file, text, MemoryLimit::System, cancel)
}

/// The same with so much memory.
///
/// # Errors
/// As for [`open_within`].
pub fn read_within(
    file: &str,
    mut text: impl Read + Send,
    memory: MemoryLimit,
    cancel: &Cancel,
) -> Result<Snapshot, SnapshotError> {
    let failed = |reason| SnapshotError::Pickle {
        file: file.to_owned(),
        reason,
    };
    let mut head = Vec::new();
    (&mut text).take(HEAD).read_to_end(&mut head).map_err(|e| {
        failed(PickleError::Io {
            byte: 0,
            reason: e.to_string(),
        })
    })?;
    kind::check(file, &head)?;
    let source = Stoppable {
        source: io::Cursor::new(head).chain(text),
        cancel,
    };
    let mut records = Records::new();
    let root = read_ahead(source, |blocks| {
        let mut input = Input::new(blocks);
        let root = run(&mut input, &mut records, memory.bytes())?;
        let end = input.position();
        if !input.is_at_end()? {
            records
                .notes
                .add(NoteKind::Trailing, 1, || format!("at byte {end}"));
        }
        Ok(root)
    });
    if cancel.is_cancelled() {
        return Err(IngestError::Cancelled.into());
    }
    let root = root.map_err(failed)?;
    let snapshot = assemble::assemble(records, root, cancel);
    if cancel.is_cancelled() {
        return Err(IngestError::Cancelled.into());
    }
    snapshot.ok_or_else(|| SnapshotError::NotASnapshot {
        file: file.to_owned(),
        what: "a pickle, but no memory snapshot (neither a dictionary with \"segments\" nor a list of segments)",
        advice: "dump it with torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")",
    })
}

/// Bytes that end with an error once the user wants no more of them.
struct Stoppable<'a, R> {
    source: R,
    cancel: &'a Cancel,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.source.read(buf)
    }
}
