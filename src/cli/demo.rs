//! The bundled sample: two ranks of a data-parallel job whose gradients are reduced in buckets.
//!
//! Its files are part of the program, so that `--demo` works wherever the binary is. They are read
//! from files all the same, since there is one way to load and details are read again later: they
//! are laid out in the user's own cache folder, where nobody else can put anything in their place,
//! and only when they are not there yet. Without such a folder a new private one is made.

use super::{CliError, WindowRequest, output, progress, report, select};
use crate::export;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name and content of the sample's files.
const FILES: [(&str, &[u8]); 2] = [
    (
        "rank-0.json",
        include_bytes!("../../sample_traces/bucketed_ddp/rank-0.json"),
    ),
    (
        "rank-1.json",
        include_bytes!("../../sample_traces/bucketed_ddp/rank-1.json"),
    ),
];

/// The sample's files on disk.
///
/// # Errors
/// [`CliError::Sample`] where they cannot be written.
pub(super) fn paths() -> Result<Vec<PathBuf>, CliError> {
    let folder = folder()?;
    FILES
        .iter()
        .map(|(name, content)| {
            let path = folder.join(name);
            lay_out(&path, content).map_err(|reason| CliError::Sample {
                path: path.clone(),
                reason,
            })?;
            Ok(path)
        })
        .collect()
}

/// Prints the sample's report.
pub(super) fn report(request: &WindowRequest) -> Result<(), CliError> {
    let rules = Arc::clone(&request.rules);
    let trace = progress::load(&request.paths, rules, request.options.clone())?;
    select::bad_files(&trace);
    select::left_out(&trace);
    output::to_stdout(&report::summary_of(&trace))
}

/// Writes a file unless it holds the content already, so that two programs do not disturb each
/// other and times of change stay.
fn lay_out(path: &Path, content: &[u8]) -> io::Result<()> {
    match std::fs::read(path) {
        Ok(present) if present == content => Ok(()),
        _ => export::write_file(path, content),
    }
}

fn folder() -> Result<PathBuf, CliError> {
    match export::cache_folder().map(|folder| folder.join("sample")) {
        Some(folder) if std::fs::create_dir_all(&folder).is_ok() => Ok(folder),
        _ => private_folder(),
    }
}

/// A new folder that only this user may enter, for systems without a home folder.
fn private_folder() -> Result<PathBuf, CliError> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut attempt = 0_u32;
    loop {
        let name = format!("overlane-sample-{}-{attempt}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // Fails where the name is taken: a folder that somebody else made is never used.
        match builder.create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 1000 => {
                attempt += 1;
            }
            Err(reason) => return Err(CliError::Sample { path, reason }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_private_folder_is_a_new_one() {
        let folders = [private_folder(), private_folder()].map(|f| f.expect("a folder"));
        assert_ne!(folders[0], folders[1]);
        for folder in folders {
            // Only an empty one can be removed.
            std::fs::remove_dir(folder).expect("new, so empty");
        }
    }

    #[test]
    fn a_file_is_written_once_and_mended_when_it_differs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rank-0.json");
        lay_out(&path, b"one").expect("written");
        let first = std::fs::metadata(&path)
            .expect("there")
            .modified()
            .expect("a time");
        lay_out(&path, b"one").expect("left alone");
        let second = std::fs::metadata(&path)
            .expect("there")
            .modified()
            .expect("a time");
        assert_eq!(first, second);
        lay_out(&path, b"two").expect("mended");
        assert_eq!(std::fs::read(&path).expect("read"), b"two");
    }
}
