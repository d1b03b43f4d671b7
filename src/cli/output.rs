//! Where text goes: data to standard output or a file, everything else to standard error.

use super::CliError;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Says one sentence on standard error.
pub(super) fn note(sentence: &str) {
    // Where standard error is closed nobody is left to tell.
    let _ = writeln!(io::stderr().lock(), "overlane: {sentence}");
}

/// Writes a report to standard output. A reader that has seen enough (`| head`) is no error.
pub(super) fn to_stdout(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(reason) if reason.kind() != ErrorKind::BrokenPipe => Err(CliError::Output {
            place: "standard output".to_owned(),
            reason,
        }),
        _ => Ok(()),
    }
}

/// Writes a report to a file, wholly or not at all: beside it first, then renamed.
///
/// # Errors
/// [`CliError::WouldOverwriteInput`] where the file is one of the inputs, and
/// [`CliError::Output`] where it cannot be written.
pub(super) fn to_file<'a>(
    text: &str,
    path: &Path,
    mut inputs: impl Iterator<Item = &'a Path>,
) -> Result<(), CliError> {
    // The same file may be spelled in many ways, through links too.
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    };
    if inputs.any(|input| same(input, path)) {
        return Err(CliError::WouldOverwriteInput {
            path: path.to_owned(),
        });
    }
    let failed = |reason| CliError::Output {
        place: path.display().to_string(),
        reason,
    };
    if path.is_dir() {
        return Err(failed(io::Error::from(ErrorKind::IsADirectory)));
    }
    write_and_rename(text.as_bytes(), path).map_err(failed)
}

/// Writes a new file beside `path` and gives it that name; leaves nothing behind on failure.
pub(super) fn write_and_rename(bytes: &[u8], path: &Path) -> io::Result<()> {
    let (mut file, beside) = create_beside(path)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// A new file in the same folder, under a name that nobody has.
fn create_beside(path: &Path) -> io::Result<(std::fs::File, PathBuf)> {
    let name = path
        .file_name()
        .ok_or(ErrorKind::InvalidInput)?
        .to_string_lossy();
    let mut attempt = 0_u32;
    loop {
        let beside = path.with_file_name(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)
        {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
            opened => return Ok((opened?, beside)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_wholly_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.csv");
        std::fs::write(&path, "old").expect("written");
        to_file("new\n", &path, std::iter::empty()).expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "new\n");
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
    }

    #[test]
    fn an_input_is_never_overwritten_however_it_is_spelled() {
        let folder = tempfile::tempdir().expect("a folder");
        let input = folder.path().join("trace.json");
        std::fs::write(&input, "{}").expect("written");
        let spelled = folder.path().join(".").join("trace.json");
        let result = to_file("x", &spelled, std::iter::once(input.as_path()));
        assert!(matches!(result, Err(CliError::WouldOverwriteInput { .. })));
        assert_eq!(std::fs::read_to_string(&input).expect("read"), "{}");
    }
}
