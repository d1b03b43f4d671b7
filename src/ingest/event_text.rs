//! One event's own words, read again from its file when somebody looks at it.
//!
//! Args that no figure uses are not kept in memory. A compressed file is decompressed again up to
//! the event: a second or so for a gigabyte, off the UI thread, instead of the whole text held.

use super::chrome_json;
use super::source::{BLOCK, Input, TextReader, io_error};
use super::{EventText, IngestError, Progress};
use crate::trace::{SliceRef, SourceFile, SourceSpan, Trace};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// See [`super::event_text()`].
pub(super) fn read(trace: &Trace, at: SliceRef) -> Result<EventText, IngestError> {
    let rank = trace.rank(at.rank).ok_or(IngestError::NoSuchSlice)?;
    let slice = rank.slices.get(at.slice).ok_or(IngestError::NoSuchSlice)?;
    let file = usize::try_from(rank.file.0)
        .ok()
        .and_then(|i| trace.files.get(i))
        .ok_or(IngestError::NoSuchSlice)?;
    check_unchanged(file)?;
    let span = slice.source();
    // A plain file has the text's own bytes: the lengths tell it apart from a packed one.
    let bytes = if file.entry.is_none() && is_plain(file)? {
        read_plain(file, span)?
    } else {
        read_stream(file, span)?
    };
    Ok(chrome_json::text_of(&bytes))
}

/// The file as something that can be opened.
pub(super) fn input_of(file: &SourceFile) -> Input {
    Input {
        path: file.path.clone(),
        entry: file.entry.clone(),
        bytes: file.bytes,
        is_plain: false,
        error: None,
    }
}

/// Refuses a file that is not what was read.
pub(super) fn check_unchanged(file: &SourceFile) -> Result<(), IngestError> {
    let meta = std::fs::metadata(&file.path).map_err(|e| io_error(&file.path, &e))?;
    let same_time = match (meta.modified().ok(), file.modified) {
        (Some(now), Some(then)) => now == then,
        _ => true,
    };
    let same_size = file.entry.is_some() || meta.len() == file.bytes;
    if same_time && same_size {
        Ok(())
    } else {
        Err(IngestError::Changed {
            path: file.path.clone(),
        })
    }
}

fn is_plain(file: &SourceFile) -> Result<bool, IngestError> {
    let mut head = [0_u8; 4];
    let mut source = File::open(&file.path).map_err(|e| io_error(&file.path, &e))?;
    let n = source
        .read(&mut head)
        .map_err(|e| io_error(&file.path, &e))?;
    let head = head.get(..n).unwrap_or(&[]);
    Ok(super::sniff::container(head) == super::sniff::Container::Plain)
}

fn read_plain(file: &SourceFile, span: SourceSpan) -> Result<Vec<u8>, IngestError> {
    let fail = |e: std::io::Error| io_error(&file.path, &e);
    let mut source = File::open(&file.path).map_err(fail)?;
    source.seek(SeekFrom::Start(span.offset)).map_err(fail)?;
    let mut bytes = Vec::new();
    source
        .take(u64::from(span.len))
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    Ok(bytes)
}

fn read_stream(file: &SourceFile, span: SourceSpan) -> Result<Vec<u8>, IngestError> {
    let mut reader = TextReader::open(&input_of(file), &Progress::default())?;
    let fail = |reason: String| IngestError::Io {
        path: file.path.clone(),
        reason,
    };
    let mut block = Vec::new();
    let mut skip = span.offset;
    while skip > 0 {
        block.clear();
        let size = usize::try_from(skip).unwrap_or(BLOCK).min(BLOCK);
        let n = reader.read_block(&mut block, size).map_err(fail)?;
        if n == 0 {
            return Err(IngestError::Changed {
                path: file.path.clone(),
            });
        }
        skip -= u64::try_from(n).unwrap_or(skip);
    }
    let mut bytes = Vec::new();
    let want = usize::try_from(span.len).unwrap_or(usize::MAX);
    while bytes.len() < want {
        let missing = want - bytes.len();
        if reader.read_block(&mut bytes, missing).map_err(fail)? == 0 {
            break;
        }
    }
    Ok(bytes)
}
