//! Where the settings lie on disk, and reading and writing them there.
//!
//! A broken file is renamed out of the way, not written over: somebody may want to look at it.

use crate::session::Settings;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Names the folder for settings in place of the platform's own.
pub const CONFIG_DIR_VARIABLE: &str = "OVERLANE_CONFIG_DIR";

/// The settings file: in the folder of the environment variable, else in the platform's.
#[must_use]
pub(super) fn path() -> Option<PathBuf> {
    let folder = std::env::var_os(CONFIG_DIR_VARIABLE)
        .filter(|v| !v.is_empty())
        .map(PathBuf::from)
        .or_else(|| {
            Some(
                directories::ProjectDirs::from("", "", "overlane")?
                    .config_dir()
                    .to_path_buf(),
            )
        })?;
    Some(folder.join("settings.json"))
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

/// Writes the whole file anew beside the old one and puts it in its place, so that a crash leaves
/// one or the other.
///
/// # Errors
/// What the system says.
pub(super) fn write(path: &Path, json: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let fresh = path.with_extension("json.new");
    let mut file = std::fs::File::create(&fresh)?;
    file.write_all(json.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)
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
