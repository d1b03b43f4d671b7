//! Entries of zip archives as streams.
//!
//! Zip readers lend from their archive, so only where an entry's bytes lie is asked of them: both
//! usual methods are streams. They also know an entry by its name alone, while an archive may hold
//! several of one name; its list of entries is then walked here.

use super::{BLOCK, Input, Metered, io_error};
use crate::ingest::{IngestError, sniff};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use zip::CompressionMethod;
use zip::result::ZipError;

/// One file of an archive.
struct Entry {
    /// Its name; of several with one name the later ones are numbered, as in `t.json (2)`.
    name: String,
    /// Packed size in bytes.
    packed: u64,
    method: CompressionMethod,
    encrypted: bool,
    /// Where its own header stands in the file.
    header: u64,
}

/// The names and packed sizes of an archive's files, by name.
pub(super) fn zip_entries(path: &Path) -> Result<Vec<(String, u64)>, IngestError> {
    let file = File::open(path).map_err(|e| io_error(path, &e))?;
    let mut entries: Vec<(String, u64)> = entries(BufReader::new(file))
        .map_err(|reason| IngestError::NotATrace {
            file: path.display().to_string(),
            what: format!("a zip archive that cannot be read ({reason})"),
            advice: "unpack it and open the files, or copy it again".to_owned(),
        })?
        .1
        .into_iter()
        .map(|e| (e.name, e.packed))
        .collect();
    entries.sort();
    Ok(entries)
}

/// The unpacked text of an entry.
pub(super) fn open_entry(
    file: BufReader<Metered>,
    input: &Input,
    name: &str,
) -> Result<Box<dyn BufRead + Send>, IngestError> {
    let path = &input.path;
    let bad = |e: ZipError| {
        let what = format!("the archive entry cannot be read ({e})");
        sniff::not_a_trace(&input.display_name(), &what, UNPACK)
    };
    let (mut file, entries) = entries(file).map_err(bad)?;
    let entry = entries.into_iter().find(|e| e.name == name);
    let entry = entry.ok_or(ZipError::FileNotFound).map_err(bad)?;
    if entry.encrypted {
        return Err(sniff::not_a_trace(
            &input.display_name(),
            "an encrypted archive entry",
            "unpack the archive with its password and open the files",
        ));
    }
    let start = data_start(&mut file, entry.header).map_err(|e| bad(e.into()))?;
    file.seek(SeekFrom::Start(start))
        .map_err(|e| io_error(path, &e))?;
    let bytes = file.take(entry.packed);
    match entry.method {
        CompressionMethod::Stored => Ok(Box::new(bytes)),
        CompressionMethod::Deflated => Ok(Box::new(BufReader::with_capacity(
            BLOCK,
            flate2::bufread::DeflateDecoder::new(bytes),
        ))),
        other => {
            let what = format!("the archive entry is packed with {other:?}");
            Err(sniff::not_a_trace(&input.display_name(), &what, UNPACK))
        }
    }
}

const UNPACK: &str = "unpack the archive and open the files";

/// The files of an archive that hold anything, in the order of its list.
fn entries<R: Read + Seek>(file: R) -> Result<(R, Vec<Entry>), ZipError> {
    let mut archive = zip::ZipArchive::new(file)?;
    if archive.has_duplicate_names() {
        let (list, offset) = (archive.central_directory_start(), archive.offset());
        let mut file = archive.into_inner();
        let entries = walk(&mut file, list, offset)?;
        return Ok((file, numbered(entries)));
    }
    let mut entries = Vec::new();
    for i in 0..archive.len() {
        let entry = archive.by_index_raw(i)?;
        if entry.is_file() && entry.size() > 0 {
            entries.push(Entry {
                name: entry.name()?.into_owned(),
                packed: entry.compressed_size(),
                method: entry.compression(),
                encrypted: entry.encrypted(),
                header: entry.header_start(),
            });
        }
    }
    Ok((archive.into_inner(), entries))
}

/// Walks the list of entries itself, which stands at `list`; where entries lie is counted from
/// `offset`, what stands before the archive in its file.
fn walk(file: &mut (impl Read + Seek), list: u64, offset: u64) -> Result<Vec<Entry>, ZipError> {
    file.seek(SeekFrom::Start(list))?;
    let mut entries = Vec::new();
    loop {
        let mut head = [0_u8; 46];
        // The list ends with another kind of record.
        if file.read_exact(&mut head).is_err() || !head.starts_with(b"PK\x01\x02") {
            return Ok(entries);
        }
        let mut name = vec![0; usize::from(u16_at(&head, 28))];
        file.read_exact(&mut name)?;
        let mut extra = vec![0; usize::from(u16_at(&head, 30))];
        file.read_exact(&mut extra)?;
        file.seek(SeekFrom::Current(i64::from(u16_at(&head, 32))))?;
        // Sizes of four gigabytes and more stand in the extra field, in this order.
        let mut large = large_sizes(&extra).into_iter();
        let mut size = |at: usize| match u32_at(&head, at) {
            u32::MAX => large.next().unwrap_or(u64::from(u32::MAX)),
            small => u64::from(small),
        };
        let (unpacked, packed, header) = (size(24), size(20), size(42));
        let name = String::from_utf8_lossy(&name).into_owned();
        if unpacked > 0 && !name.ends_with('/') {
            entries.push(Entry {
                name,
                packed,
                method: match u16_at(&head, 10) {
                    0 => CompressionMethod::Stored,
                    8 => CompressionMethod::Deflated,
                    _ => return Err(ZipError::UnsupportedArchive("unusual compression")),
                },
                encrypted: u16_at(&head, 8) & 1 == 1,
                header: header.saturating_add(offset),
            });
        }
    }
}

/// The 64-bit sizes of an extra field.
fn large_sizes(mut extra: &[u8]) -> Vec<u64> {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let (body, next) = rest
            .split_at_checked(usize::from(u16_at(head, 2)))
            .unwrap_or((rest, &[]));
        if u16_at(head, 0) == 1 {
            return body
                .chunks_exact(8)
                .map(|c| u64::from(u32_at(c, 0)) | u64::from(u32_at(c, 4)) << 32)
                .collect();
        }
        extra = next;
    }
    Vec::new()
}

/// Where an entry's bytes begin: behind its own header, whose length only itself tells.
fn data_start(file: &mut (impl Read + Seek), header: u64) -> io::Result<u64> {
    let mut head = [0_u8; 30];
    file.seek(SeekFrom::Start(header))?;
    file.read_exact(&mut head)?;
    if !head.starts_with(b"PK\x03\x04") {
        return Err(io::Error::other("its header is damaged"));
    }
    let rest = u64::from(u16_at(&head, 26)) + u64::from(u16_at(&head, 28));
    Ok(header + 30 + rest)
}

/// Gives entries of one name numbers, so that each can be told and found again.
fn numbered(mut entries: Vec<Entry>) -> Vec<Entry> {
    let mut taken: HashSet<String> = entries.iter().map(|e| e.name.clone()).collect();
    let mut seen = HashSet::new();
    for entry in &mut entries {
        if seen.insert(entry.name.clone()) {
            continue;
        }
        let plain = entry.name.clone();
        let free = (2..=u32::MAX)
            .map(|n| format!("{plain} ({n})"))
            .find(|name| !taken.contains(name));
        entry.name = free.unwrap_or(plain);
        taken.insert(entry.name.clone());
    }
    entries
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let found = bytes.get(at..at + 2).and_then(|b| b.try_into().ok());
    found.map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
    found.map_or(0, u32::from_le_bytes)
}
