//! Asking the user for files: [`FilePicker`], and the system's own dialogs behind it.
//!
//! A dialog is created on the UI thread (macOS insists) and awaited on another one. Where the
//! system has no dialog to show, rfd answers `None` at once, which is also what "cancelled" looks
//! like; only the time tells them apart, see [`outcome`].

use crate::session::{PickOutcome, PickWhat, SESSION_EXTENSION};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

/// A dialog that is open; gives what was chosen.
pub type PickFuture = Pin<Box<dyn Future<Output = Option<Vec<PathBuf>>> + Send>>;

/// No person closes a dialog that fast.
const NO_DIALOG: Duration = Duration::from_millis(50);

/// Where files are chosen.
pub trait FilePicker {
    /// Opens a dialog for what to open.
    fn open(&self, what: PickWhat, folder: Option<&Path>) -> PickFuture;
    /// Opens a dialog for where to write.
    fn save(&self, suggested: &str, folder: Option<&Path>) -> PickFuture;
}

/// What an answer means, given how long it took.
#[must_use]
pub fn outcome(answer: Option<Vec<PathBuf>>, took: Duration) -> PickOutcome {
    match answer {
        Some(paths) if !paths.is_empty() => PickOutcome::Chosen(paths),
        _ if took < NO_DIALOG => PickOutcome::Unavailable,
        _ => PickOutcome::Dismissed,
    }
}

/// The system's dialogs.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemPicker;

const EXTENSIONS: &[&str] = &[
    "json", "gz", "zst", "zip", "trace", "pftrace", "sqlite", "pickle", "pkl",
];

impl SystemPicker {
    fn dialog(title: &str, folder: Option<&Path>) -> rfd::AsyncFileDialog {
        let dialog = rfd::AsyncFileDialog::new().set_title(title);
        match folder {
            Some(folder) => dialog.set_directory(folder),
            None => dialog,
        }
    }
}

impl FilePicker for SystemPicker {
    fn open(&self, what: PickWhat, folder: Option<&Path>) -> PickFuture {
        let paths = |handles: Vec<rfd::FileHandle>| {
            handles.iter().map(|h| h.path().to_path_buf()).collect()
        };
        let title = match what {
            PickWhat::Files => "Open traces",
            PickWhat::Folder => "Open a folder of traces",
            PickWhat::Session => "Open a session",
            PickWhat::CompareFiles => "Compare with traces",
            PickWhat::CompareFolder => "Compare with a folder of traces",
        };
        match what {
            PickWhat::Files | PickWhat::CompareFiles => {
                let dialog = Self::dialog(title, folder)
                    .add_filter("Traces and snapshots", EXTENSIONS)
                    .add_filter("All files", &["*"])
                    .pick_files();
                Box::pin(async move { dialog.await.map(paths) })
            }
            PickWhat::Session => {
                let dialog = Self::dialog(title, folder)
                    .add_filter("Sessions", &[SESSION_EXTENSION])
                    .add_filter("All files", &["*"])
                    .pick_file();
                Box::pin(async move { dialog.await.map(|h| vec![h.path().to_path_buf()]) })
            }
            PickWhat::Folder | PickWhat::CompareFolder => {
                let dialog = Self::dialog(title, folder).pick_folder();
                Box::pin(async move { dialog.await.map(|h| vec![h.path().to_path_buf()]) })
            }
        }
    }

    fn save(&self, suggested: &str, folder: Option<&Path>) -> PickFuture {
        let is_session = Path::new(suggested)
            .extension()
            .is_some_and(|e| e == SESSION_EXTENSION);
        let (title, kind, extension) = if is_session {
            ("Save the session", "Sessions", SESSION_EXTENSION)
        } else {
            ("Export CSV", "CSV", "csv")
        };
        let dialog = Self::dialog(title, folder)
            .set_file_name(suggested)
            .add_filter(kind, &[extension])
            .save_file();
        Box::pin(async move { dialog.await.map(|h| vec![h.path().to_path_buf()]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_no_means_that_there_is_no_dialog() {
        let slow = Duration::from_millis(400);
        assert_eq!(
            outcome(None, Duration::from_millis(7)),
            PickOutcome::Unavailable
        );
        assert_eq!(outcome(None, slow), PickOutcome::Dismissed);
        assert_eq!(outcome(Some(Vec::new()), slow), PickOutcome::Dismissed);
        let chosen = vec![PathBuf::from("/t/a.json")];
        assert_eq!(
            outcome(Some(chosen.clone()), Duration::ZERO),
            PickOutcome::Chosen(chosen)
        );
    }
}
