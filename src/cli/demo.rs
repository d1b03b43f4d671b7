//! The bundled sample: two ranks of a data-parallel job whose gradients are reduced in buckets.
//!
//! Its files are part of the program, so that `--demo` works wherever the binary is. They are read
//! from files all the same, since there is one way to load and details are read again later: they
//! are laid out in the user's own cache folder, where nobody else can put anything in their place,
//! and only when they are not there yet. Without such a folder a new private one is made.

use super::{CliError, WindowRequest, output, progress, report, select};
use directories::ProjectDirs;
use std::io;
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
    let trace = progress::load(&request.paths, Arc::clone(&request.rules))?;
    select::bad_files(&trace);
    output::to_stdout(&report::summary_of(&trace))
}

/// Writes a file unless it holds the content already, so that two programs do not disturb each
/// other and times of change stay.
fn lay_out(path: &Path, content: &[u8]) -> io::Result<()> {
    match std::fs::read(path) {
        Ok(present) if present == content => Ok(()),
        _ => output::write_and_rename(content, path),
    }
}

fn folder() -> Result<PathBuf, CliError> {
    let cached = ProjectDirs::from("", "", "overlane").map(|d| d.cache_dir().join("sample"));
    match cached {
        Some(folder) if std::fs::create_dir_all(&folder).is_ok() => Ok(folder),
        _ => private_folder(),
    }
}

/// A new folder that only this user may enter, for systems without a home folder.
fn private_folder() -> Result<PathBuf, CliError> {
    let path = std::env::temp_dir().join(format!("overlane-sample-{}", std::process::id()));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // Fails where the name is taken: a folder that somebody else made is never used.
    builder.create(&path).map_err(|reason| CliError::Sample {
        path: path.clone(),
        reason,
    })?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

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
