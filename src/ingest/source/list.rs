//! Which inputs a list of paths means: files, the entries of archives, the traces of folders.

use super::zip::zip_entries;
use super::{HEAD, io_error};
use crate::ingest::IngestError;
use crate::ingest::sniff::{self, Container};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One text to be read: a file or an entry of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ingest) struct Input {
    /// The file on disk.
    pub(in crate::ingest) path: PathBuf,
    /// The entry inside it.
    pub(in crate::ingest) entry: Option<String>,
    /// Bytes on disk.
    pub(in crate::ingest) bytes: u64,
    /// Whether the file is the text itself, so that its size is that of the text.
    pub(in crate::ingest) is_plain: bool,
    /// Why it cannot be an input; such inputs are reported, not read.
    pub(in crate::ingest) error: Option<String>,
}

impl Input {
    /// File name, with the archive entry where there is one.
    pub(in crate::ingest) fn display_name(&self) -> String {
        match &self.entry {
            Some(entry) => format!("{}:{entry}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }

    /// The last part of the entry's name, or of the path where there is no entry.
    pub(in crate::ingest) fn short_name(&self) -> String {
        let name = match &self.entry {
            Some(entry) => Path::new(entry).file_name(),
            None => self.path.file_name(),
        };
        name.map_or_else(String::new, |n| n.to_string_lossy().into_owned())
    }
}

/// File name endings that a folder is searched for. A file that the user names may have any.
const ENDINGS: [&str; 5] = [".json", ".json.gz", ".json.zst", ".gz", ".zip"];

/// Expands paths in the order given; folders in the order of their file names, numbers by value.
pub(in crate::ingest) fn find_inputs(paths: &[PathBuf]) -> Result<Vec<Input>, IngestError> {
    let mut inputs = Vec::new();
    for path in paths {
        let meta = match std::fs::metadata(path) {
            Ok(meta) => meta,
            Err(e) if paths.len() == 1 => return Err(io_error(path, &e)),
            Err(e) => {
                inputs.push(bad(path, io_error(path, &e).to_string()));
                continue;
            }
        };
        if !meta.is_dir() && !meta.is_file() {
            let refused = special_file(path);
            if paths.len() == 1 {
                return Err(IngestError::Unusable(refused));
            }
            inputs.push(bad(path, refused));
        } else if meta.is_dir() {
            let before = inputs.len();
            for file in files_of(path)? {
                add_file(&mut inputs, &file);
            }
            if inputs.len() == before {
                let empty = IngestError::EmptyFolder { path: path.clone() };
                if paths.len() == 1 {
                    return Err(empty);
                }
                inputs.push(bad(path, empty.to_string()));
            }
        } else {
            add_file(&mut inputs, path);
        }
    }
    let mut seen = std::collections::HashSet::new();
    inputs.retain(|i| seen.insert((i.path.clone(), i.entry.clone())));
    Ok(inputs)
}

/// Reading a pipe or a device might never end.
fn special_file(path: &Path) -> String {
    format!(
        "{}: not a regular file; write the trace to a file and open that",
        path.display()
    )
}

fn bad(path: &Path, sentence: String) -> Input {
    Input {
        path: path.to_owned(),
        entry: None,
        bytes: 0,
        is_plain: false,
        error: Some(sentence),
    }
}

fn add_file(inputs: &mut Vec<Input>, path: &Path) {
    if !path.is_file() {
        inputs.push(bad(path, special_file(path)));
        return;
    }
    let bytes = std::fs::metadata(path).map_or(0, |m| m.len());
    let head = match read_head(path) {
        Ok(head) => head,
        Err(e) => {
            inputs.push(bad(path, io_error(path, &e).to_string()));
            return;
        }
    };
    let container = sniff::container(&head);
    if container != Container::Zip {
        inputs.push(Input {
            path: path.to_owned(),
            entry: None,
            bytes,
            is_plain: container == Container::Plain,
            error: None,
        });
        return;
    }
    match zip_entries(path) {
        Ok(entries) if entries.is_empty() => inputs.push(bad(
            path,
            format!("{}: an empty zip archive; nothing to load", path.display()),
        )),
        Ok(entries) => inputs.extend(entries.into_iter().map(|(entry, bytes)| Input {
            path: path.to_owned(),
            entry: Some(entry),
            bytes,
            is_plain: false,
            error: None,
        })),
        Err(e) => inputs.push(bad(path, e.to_string())),
    }
}

fn read_head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?
        .take(u64::try_from(HEAD).unwrap_or(u64::MAX))
        .read_to_end(&mut head)?;
    Ok(head)
}

/// Files of a folder that could be traces; sub-folders are looked into when it has none itself.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, IngestError> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    let entries = std::fs::read_dir(folder).map_err(|e| io_error(folder, &e))?;
    for entry in entries {
        let path = entry.map_err(|e| io_error(folder, &e))?.path();
        let name = path
            .file_name()
            .map(|n| n.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            folders.push(path);
        } else if ENDINGS.iter().any(|e| name.ends_with(e)) {
            files.push(path);
        }
    }
    if files.is_empty() {
        // One level down only: a folder per rank is usual, a whole disk is not meant.
        for folder in folders {
            let entries = std::fs::read_dir(&folder).map_err(|e| io_error(&folder, &e))?;
            for path in entries.filter_map(Result::ok).map(|e| e.path()) {
                let name = path.to_string_lossy().to_lowercase();
                if path.is_file() && ENDINGS.iter().any(|e| name.ends_with(e)) {
                    files.push(path);
                }
            }
        }
    }
    files.sort_by_cached_key(|p| natural_key(&p.to_string_lossy()));
    Ok(files)
}

/// Sorts `rank-10` behind `rank-2`.
fn natural_key(text: &str) -> Vec<(bool, u64, String)> {
    let mut key: Vec<(bool, u64, String)> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (head, tail) = if digits > 0 {
            rest.split_at(digits)
        } else {
            rest.split_at(
                rest.find(|c: char| c.is_ascii_digit())
                    .unwrap_or(rest.len()),
            )
        };
        key.push((digits > 0, head.parse().unwrap_or(0), head.to_owned()));
        rest = tail;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::natural_key;

    #[test]
    fn numbers_sort_by_value() {
        let mut names = ["rank-10.json", "rank-2.json", "rank-1.json"];
        names.sort_by_key(|n| natural_key(n));
        assert_eq!(names, ["rank-1.json", "rank-2.json", "rank-10.json"]);
    }
}
