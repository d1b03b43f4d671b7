//! Where text goes: data to standard output or a file, everything else to standard error.

use super::CliError;
use crate::export::{self, WriteError};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// Says one sentence on standard error.
pub(super) fn note(sentence: &str) {
    // Where standard error is closed nobody is left to tell.
    writeln!(io::stderr().lock(), "overlane: {sentence}").ok();
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

/// Writes a report to a file, wholly or not at all.
///
/// # Errors
/// [`CliError::WouldOverwriteInput`] where the file is one of the inputs, and
/// [`CliError::Output`] where it cannot be written.
pub(super) fn to_file<'a>(
    text: &str,
    path: &Path,
    inputs: impl Iterator<Item = &'a Path>,
) -> Result<(), CliError> {
    export::write_output(path, text.as_bytes(), inputs).map_err(|error| match error {
        WriteError::IsInput => CliError::WouldOverwriteInput {
            path: path.to_owned(),
        },
        WriteError::Io(reason) => CliError::Output {
            place: path.display().to_string(),
            reason,
        },
    })
}
