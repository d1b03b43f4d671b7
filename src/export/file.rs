//! Writing a file where the user wants one: wholly or not at all, and never over an input.
//!
//! Links are followed, so what they point at is replaced and not the link. Pipes and devices are
//! written into, since they cannot be replaced by a file without breaking them.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// As many links in a row as systems follow.
const MAX_LINKS: usize = 40;

/// Why a file was not written. The file is named by whoever tells it.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// It is one of the inputs.
    #[error("is one of the files being read and is not overwritten")]
    IsInput,
    /// The system refused.
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// Writes a file unless it is one of the inputs.
///
/// # Errors
/// [`WriteError`]; an existing file is then as it was.
pub fn write_output<P: AsRef<Path>>(
    path: &Path,
    bytes: &[u8],
    inputs: impl IntoIterator<Item = P>,
) -> Result<(), WriteError> {
    if is_input(path, inputs) {
        return Err(WriteError::IsInput);
    }
    Ok(write_file(path, bytes)?)
}

/// Whether writing to `path` would change one of the inputs, however they are spelled. Pipes and
/// devices do not count: nothing in them is lost.
#[must_use]
pub fn is_input<P: AsRef<Path>>(path: &Path, inputs: impl IntoIterator<Item = P>) -> bool {
    match std::fs::metadata(path) {
        Ok(there) => there.is_file() && inputs.into_iter().any(|i| is_same(path, &there, &i)),
        Err(_) => inputs.into_iter().any(|i| i.as_ref() == path),
    }
}

fn is_same<P: AsRef<Path>>(path: &Path, there: &Metadata, input: &P) -> bool {
    let input = input.as_ref();
    let same_path = match (path.canonicalize(), input.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => path == input,
    };
    same_path || std::fs::metadata(input).is_ok_and(|input| is_same_file(there, &input))
}

/// Whether two names are one file, as hard links are.
#[cfg(unix)]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Writes a file: beside it first, then renamed, so that a crash leaves the old one or the new one.
/// An existing file keeps its mode; one that may not be written stays.
///
/// # Errors
/// What the system says.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let there = match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        there => Some(there?),
    };
    match there {
        Some(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Some(there) if !there.is_file() => {
            let mut pipe = OpenOptions::new().write(true).open(path)?;
            pipe.write_all(bytes).and_then(|()| pipe.flush())
        }
        there => {
            let target = followed(path);
            if there.is_some() {
                // A rename asks the folder for permission, not the file.
                drop(OpenOptions::new().write(true).open(&target)?);
            }
            write_and_rename(&target, bytes, there.as_ref())
        }
    }
}

/// Where the links at the end of a path lead, also to a file that is not there yet.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(to) = std::fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(to);
    }
    path
}

fn write_and_rename(target: &Path, bytes: &[u8], there: Option<&Metadata>) -> io::Result<()> {
    let (mut file, beside) = create_beside(target)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| there.map_or(Ok(()), |old| file.set_permissions(old.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&beside, target));
    if written.is_err() {
        // The first error is the one to tell.
        std::fs::remove_file(&beside).ok();
    }
    written
}

/// A new file in the same folder, under a name that nobody has.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    if path.file_name().is_none() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut attempt = 0_u32;
    loop {
        // Without the file's own name, which may be as long as a name can be.
        let beside = path.with_file_name(format!(".overlane-{}-{attempt}.tmp", std::process::id()));
        match OpenOptions::new()
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

    const NONE: [&Path; 0] = [];

    #[test]
    fn a_file_is_replaced_wholly_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.csv");
        std::fs::write(&path, "older and longer").expect("written");
        write_output(&path, b"new\n", NONE).expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "new\n");
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
        let folder_itself = write_output(folder.path(), b"x", NONE);
        assert!(matches!(folder_itself, Err(WriteError::Io(_))));
    }

    #[test]
    fn an_input_is_never_overwritten_however_it_is_spelled() {
        let folder = tempfile::tempdir().expect("a folder");
        let input = folder.path().join("trace.json");
        std::fs::write(&input, "{}").expect("written");
        let spelled = folder.path().join(".").join("trace.json");
        let hard = folder.path().join("hard.json");
        std::fs::hard_link(&input, &hard).expect("linked");
        for other in [spelled, hard] {
            let result = write_output(&other, b"x", [&input]);
            assert!(
                matches!(result, Err(WriteError::IsInput)),
                "{}",
                other.display()
            );
        }
        assert_eq!(std::fs::read_to_string(&input).expect("read"), "{}");
    }

    #[cfg(unix)]
    mod on_unix {
        use super::*;
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
        use std::process::{Command, Stdio};

        #[test]
        fn a_link_stays_and_its_target_keeps_its_mode() {
            let folder = tempfile::tempdir().expect("a folder");
            let below = folder.path().join("below");
            std::fs::create_dir(&below).expect("a folder");
            let target = below.join("target.csv");
            std::fs::write(&target, "old").expect("written");
            let mode = std::fs::Permissions::from_mode(0o640);
            std::fs::set_permissions(&target, mode).expect("set");
            let link = folder.path().join("link.csv");
            symlink("below/target.csv", &link).expect("linked");
            write_output(&link, b"new", NONE).expect("written");
            assert!(link.is_symlink());
            assert_eq!(std::fs::read_to_string(&target).expect("read"), "new");
            let mode = std::fs::metadata(&target).expect("there").permissions();
            assert_eq!(mode.mode() & 0o777, 0o640);
            // A link to what is not there yet makes it there.
            std::fs::remove_file(&target).expect("removed");
            write_output(&link, b"again", NONE).expect("written");
            assert!(link.is_symlink());
            assert_eq!(std::fs::read_to_string(&target).expect("read"), "again");
            let result = write_output(&link, b"x", [&target]);
            assert!(matches!(result, Err(WriteError::IsInput)));
        }

        #[test]
        fn a_pipe_is_written_into_and_stays_a_pipe() {
            let folder = tempfile::tempdir().expect("a folder");
            let pipe = folder.path().join("pipe");
            let made = Command::new("mkfifo").arg(&pipe).status();
            if !made.is_ok_and(|status| status.success()) {
                eprintln!("skipped: mkfifo is needed to make a pipe");
                return;
            }
            let link = folder.path().join("link");
            symlink(&pipe, &link).expect("linked");
            for name in [pipe.clone(), link.clone()] {
                let reader = Command::new("cat")
                    .arg(&pipe)
                    .stdout(Stdio::piped())
                    .spawn()
                    .expect("a reader");
                // An input that is a pipe too loses nothing.
                write_output(&name, b"through", [&pipe]).expect("written");
                let read = reader.wait_with_output().expect("it ends");
                assert_eq!(read.stdout, b"through");
            }
            let kind = std::fs::symlink_metadata(&pipe).expect("there").file_type();
            assert!(kind.is_fifo() && link.is_symlink());
        }
    }
}
