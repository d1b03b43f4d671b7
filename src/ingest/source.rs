//! Where text comes from: plain files, gzip, zstd and entries of zip archives, read in blocks.
//!
//! What a file is, is decided by its first bytes, never by its name. A [`TextReader`] gives the
//! decompressed text as a stream; damage of the compression ends the text early and is told by
//! [`TextReader::damage`], while everything before it is kept.

mod block;
mod gunzip;
mod list;
mod zip;

pub(super) use block::TextBlock;
pub(super) use list::{Input, find_inputs};

use self::zip::open_entry;
use super::sniff::{self, Container};
use super::{IngestError, Progress};
use gunzip::Gunzip;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// How much of a file is read at once.
pub(super) const BLOCK: usize = 1 << 20;
/// How often a compressed file may hold a compressed file.
const MAX_LAYERS: usize = 4;
/// How many bytes decide what a file is.
pub(super) const HEAD: usize = 1 << 16;

/// What went wrong below the text, shared by all layers of a reader.
#[derive(Clone, Debug, Default)]
pub(super) struct Trouble(Arc<Mutex<TroubleState>>);

#[derive(Debug, Default)]
struct TroubleState {
    io: Option<String>,
    damage: Option<String>,
    trailing: Option<u64>,
}

impl Trouble {
    fn with<T>(&self, f: impl FnOnce(&mut TroubleState) -> T) -> T {
        // A poisoned lock only means that another reader died; the state is plain data.
        f(&mut self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// What is wrong with the compressed data, if anything was met so far.
    pub(super) fn damage(&self) -> Option<String> {
        self.with(|t| t.damage.clone())
    }

    /// Bytes behind the last gzip member.
    pub(super) fn note_trailing(&self, bytes: u64) {
        self.with(|t| t.trailing = Some(bytes));
    }
}

/// Decompressed text as a stream.
pub(super) struct TextReader {
    inner: Box<dyn BufRead + Send>,
    trouble: Trouble,
    progress: Progress,
}

impl TextReader {
    /// Opens an input and unwraps every layer of compression.
    pub(super) fn open(input: &Input, progress: &Progress) -> Result<Self, IngestError> {
        let trouble = Trouble::default();
        let mut reader: Box<dyn BufRead + Send> = match &input.entry {
            None => Box::new(open_file(&input.path, progress, &trouble)?),
            Some(entry) => open_entry(open_file(&input.path, progress, &trouble)?, input, entry)?,
        };
        for layer in 0..MAX_LAYERS {
            let head = peek(&mut reader, &trouble).map_err(|e| unreadable(input, &trouble, &e))?;
            reader = Box::new(Cursor::new(head.clone()).chain(reader));
            reader = match sniff::container(&head) {
                Container::Gzip => Box::new(BufReader::with_capacity(
                    BLOCK,
                    Gunzip::new(reader, trouble.clone()),
                )),
                Container::Zstd => {
                    let decoder = zstd::stream::read::Decoder::with_buffer(reader)
                        .map_err(|e| io_error(&input.path, &e))?;
                    Box::new(BufReader::with_capacity(BLOCK, decoder))
                }
                Container::Zip if layer > 0 || input.entry.is_some() => {
                    return Err(sniff::nested_archive(&input.display_name()));
                }
                // An archive's entries were listed before; only an empty list leads here.
                Container::Plain | Container::Zip => break,
            };
        }
        Ok(Self {
            inner: reader,
            trouble,
            progress: progress.clone(),
        })
    }

    /// A text that comes from elsewhere than a file.
    #[cfg(test)]
    pub(super) fn over(text: impl BufRead + Send + 'static, progress: &Progress) -> Self {
        Self {
            inner: Box::new(text),
            trouble: Trouble::default(),
            progress: progress.clone(),
        }
    }

    /// Appends up to a block of text; `Ok(0)` at the end, also where damage ends the text early.
    ///
    /// # Errors
    /// Only where the file itself cannot be read any more.
    pub(super) fn read_block(&mut self, out: &mut Vec<u8>, size: usize) -> Result<usize, String> {
        let before = out.len();
        out.resize(before + size, 0);
        let read = self.read_into(out.get_mut(before..).unwrap_or(&mut []));
        out.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Fills `free` as far as there is text; `Ok(0)` as for [`read_block`](Self::read_block).
    ///
    /// # Errors
    /// As for [`read_block`](Self::read_block).
    pub(super) fn read_into(&mut self, free: &mut [u8]) -> Result<usize, String> {
        let mut end = 0;
        while let Some(free) = free.get_mut(end..).filter(|f| !f.is_empty()) {
            match self.inner.read(free) {
                Ok(0) => break,
                Ok(n) => end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    if let Some(reason) = self.trouble.with(|t| t.io.clone()) {
                        return Err(reason);
                    }
                    self.trouble.with(|t| {
                        t.damage.get_or_insert_with(|| error.to_string());
                    });
                    break;
                }
            }
        }
        self.progress.add_text(u64::try_from(end).unwrap_or(0));
        Ok(end)
    }

    /// What is wrong with the compressed data, if anything was met so far.
    pub(super) fn damage(&self) -> Option<String> {
        self.trouble.damage()
    }

    /// What goes wrong from now on as well.
    pub(super) fn trouble(&self) -> Trouble {
        self.trouble.clone()
    }

    /// Number of bytes behind the compressed data.
    pub(super) fn trailing(&self) -> Option<u64> {
        self.trouble.with(|t| t.trailing)
    }
}

/// Reads ahead without losing what was read. Damage that comes behind good text is remembered: a
/// decoder need not tell it twice.
fn peek(reader: &mut impl Read, trouble: &Trouble) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let size = u64::try_from(HEAD).unwrap_or(u64::MAX);
    match reader.take(size).read_to_end(&mut head) {
        Err(error) if head.is_empty() => Err(error),
        Err(error) => {
            trouble.with(|t| {
                t.damage.get_or_insert_with(|| error.to_string());
            });
            Ok(head)
        }
        Ok(_) => Ok(head),
    }
}

/// Nothing could be read: because of the file, or because of what is in it.
fn unreadable(input: &Input, trouble: &Trouble, error: &io::Error) -> IngestError {
    if trouble.with(|t| t.io.is_some()) {
        return io_error(&input.path, error);
    }
    sniff::not_a_trace(
        &input.display_name(),
        &format!("compressed data that cannot be read ({error})"),
        "copy the file again",
    )
}

fn open_file(
    path: &Path,
    progress: &Progress,
    trouble: &Trouble,
) -> Result<BufReader<Metered>, IngestError> {
    let file = File::open(path).map_err(|e| io_error(path, &e))?;
    let metered = Metered {
        file,
        progress: progress.clone(),
        trouble: trouble.clone(),
    };
    Ok(BufReader::with_capacity(BLOCK, metered))
}

/// A file that counts what is read and tells its own errors from those of a decoder above it.
struct Metered {
    file: File,
    progress: Progress,
    trouble: Trouble,
}

impl Read for Metered {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf);
        match &read {
            Ok(n) => self.progress.add_bytes(u64::try_from(*n).unwrap_or(0)),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => self.trouble.with(|t| t.io = Some(e.to_string())),
        }
        read
    }
}

impl io::Seek for Metered {
    fn seek(&mut self, pos: io::SeekFrom) -> io::Result<u64> {
        self.file.seek(pos)
    }
}

pub(super) fn io_error(path: &Path, error: &io::Error) -> IngestError {
    IngestError::Io {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}
