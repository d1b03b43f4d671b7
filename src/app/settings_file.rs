//! Where the settings lie on disk, and reading and writing them there.
//!
//! A broken file is renamed out of the way, not written over: somebody may want to look at it.

use crate::export;
use crate::session::Settings;
use std::io;
use std::path::{Path, PathBuf};

/// The settings file in the program's configuration folder.
#[must_use]
pub(super) fn path() -> Option<PathBuf> {
    Some(export::config_folder()?.join("settings.json"))
}

/// The settings in a file, and a sentence where they had to be dropped. No file is no trouble.
#[must_use]
pub(super) fn read(path: &Path) -> (Settings, Option<String>) {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return (Settings::default(), None);
        }
        Err(error) => {
            let notice = format!(
                "{}: the settings cannot be read: {error}; defaults are used",
                path.display()
            );
            return (Settings::default(), Some(notice));
        }
    };
    match Settings::from_json(&text) {
        Ok(settings) => (settings, None),
        Err(error) => {
            let aside = path.with_extension("json.broken");
            let moved = std::fs::rename(path, &aside).is_ok();
            let rest = if moved {
                format!("; it was kept as {}", aside.display())
            } else {
                String::new()
            };
            (Settings::default(), Some(format!("{error}{rest}")))
        }
    }
}

/// Writes the whole file, and its folder where it is missing.
///
/// # Errors
/// What the system says.
pub(super) fn write(path: &Path, json: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    export::write_file(path, json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_is_put_aside_with_a_notice() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/settings.json");
        assert_eq!(read(&path), (Settings::default(), None));
        write(&path, "{ nonsense").unwrap();
        let (settings, notice) = read(&path);
        assert_eq!(settings, Settings::default());
        assert!(notice.unwrap().contains("settings.json.broken"));
        assert!(!path.exists());
        write(&path, &Settings::default().to_json()).unwrap();
        assert_eq!(read(&path).1, None);
    }
}
