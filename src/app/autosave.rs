//! Keeping how a trace, or a snapshot alone, is looked at, a moment after it changed: in the program's own folder, one file
//! for what was opened together, never beside a trace.

use super::worker::Job;
use super::{App, settings_file};
use crate::session::{Arrival, KeptAs, OpenedSession, SessionAnswer, SessionFile};
use egui::Context;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// How long nothing must change before it is kept.
const REST: Duration = Duration::from_secs(1);
/// How long the end of the program waits for the worker to write.
const LAST: Duration = Duration::from_secs(2);

/// What was kept, and since when there is something newer.
#[derive(Debug, Default)]
pub(super) struct Autosave {
    /// The load that the text is of.
    of: Option<KeptAs>,
    /// What is on disk, or what was there when the trace was opened.
    kept: String,
    changed: Option<Instant>,
}

impl Autosave {
    /// Tells that something may have changed.
    pub(super) fn touch(&mut self) {
        self.changed = Some(Instant::now());
    }
}

/// What the worker does with sessions.
pub(super) enum SessionJob {
    /// Read the session that was kept for a load.
    Recall {
        /// The load.
        of: KeptAs,
        /// Where it would be.
        path: PathBuf,
    },
    /// Keep a session; silent when it works.
    Keep {
        /// Where.
        path: PathBuf,
        /// The session.
        json: String,
        /// Where it is told that it was written, or not.
        done: Option<Sender<()>>,
    },
    /// Read a session file that the user named.
    Open(PathBuf),
}

impl SessionJob {
    /// Does it.
    #[must_use]
    pub(super) fn run(self) -> Option<SessionAnswer> {
        match self {
            Self::Recall { of, path } => {
                let (session, trouble) = read(&path);
                Some(recalled(of, session, trouble))
            }
            Self::Keep { path, json, done } => {
                let written = settings_file::write(&path, &json);
                if let Some(done) = done {
                    // Nobody may wait for it any more.
                    let _is_awaited = done.send(()).is_ok();
                }
                let error = written.err()?;
                let text = format!("{}: the session cannot be kept: {error}", path.display());
                Some(SessionAnswer::NotKept(text))
            }
            Self::Open(path) => Some(SessionAnswer::Opened {
                answer: open(&path),
                path,
            }),
        }
    }
}

/// What tells that a session was read, or that there is none.
fn recalled(
    of: KeptAs,
    session: Option<Box<SessionFile>>,
    trouble: Option<String>,
) -> SessionAnswer {
    match of {
        KeptAs::Trace(generation) => SessionAnswer::Recalled {
            generation,
            session,
            trouble,
        },
        KeptAs::Snapshot(generation) => SessionAnswer::RecalledOfSnapshot {
            generation,
            session,
            trouble,
        },
    }
}

/// The file that keeps the session of some paths.
#[must_use]
fn path(folder: &Path, paths: &[PathBuf]) -> PathBuf {
    let absolute = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone());
    let mut all: Vec<PathBuf> = paths.iter().map(absolute).collect();
    all.sort_unstable();
    // FNV-1a: the same on every system and in every version.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for path in &all {
        for byte in path.as_os_str().as_encoded_bytes().iter().chain(&[0]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    folder.join("sessions").join(format!("{hash:016x}.json"))
}

/// The session that was kept in a file, and a sentence where it had to be dropped. Such a file is put
/// aside: notes may be in it.
#[must_use]
fn read(path: &Path) -> (Option<Box<SessionFile>>, Option<String>) {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (None, None),
        Err(error) => {
            let notice = format!("{}: cannot be read: {error}", path.display());
            return (None, Some(notice));
        }
    };
    match SessionFile::from_json(&text) {
        Ok(session) => (Some(Box::new(session)), None),
        Err(error) => {
            let aside = path.with_extension("json.broken");
            let rest = match std::fs::rename(path, &aside) {
                Ok(()) => format!("; it was kept as {}", aside.display()),
                Err(_) => String::new(),
            };
            let notice = format!("{}: {error}{rest}", path.display());
            (None, Some(notice))
        }
    }
}

/// The session in a file that the user named, and which of its paths are gone.
///
/// # Errors
/// The end of a sentence that begins with the path.
fn open(path: &Path) -> Result<Box<OpenedSession>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot be read: {e}"))?;
    let session = SessionFile::from_json(&text).map_err(|e| e.to_string())?;
    let is_gone = |path: &&PathBuf| !path.exists();
    let missing = session.paths.iter().filter(is_gone).cloned().collect();
    Ok(Box::new(OpenedSession { session, missing }))
}

impl App {
    /// Where the sessions' folder is; `None` keeps none.
    fn session_path(&self, paths: &[PathBuf]) -> Option<PathBuf> {
        Some(path(self.settings_path.as_deref()?.parent()?, paths))
    }

    /// Asks the worker for the session that was kept for some paths.
    pub(super) fn recall_session(&mut self, ctx: &Context, of: KeptAs, paths: &[PathBuf]) {
        if let Some(path) = self.session_path(paths) {
            let job = SessionJob::Recall { of, path };
            self.workers.queue(Job::Session(job));
            return;
        }
        self.arrive(ctx, Arrival::Session(recalled(of, None, None)));
    }

    /// Keeps the session once nothing changed for a moment. To be called in every frame.
    pub(super) fn autosave(&mut self, ctx: &Context) {
        let Some(changed) = self.autosave.changed else {
            return;
        };
        let rested = changed.elapsed();
        if rested < REST {
            ctx.request_repaint_after(REST.saturating_sub(rested));
        } else {
            self.keep_session_now();
        }
    }

    /// Takes down how what is kept looks right after it was opened: that alone is nothing to keep.
    pub(super) fn note_session(&mut self) {
        let of = self.session.kept_as();
        if of.is_some() && self.autosave.of != of {
            self.autosave = Autosave {
                of,
                kept: self.session.session_json().unwrap_or_default(),
                changed: None,
            };
        }
    }

    /// What is to be written, if it is not on disk; takes it for written.
    fn unsaved(&mut self) -> Option<(PathBuf, String)> {
        self.autosave.changed = None;
        let of = self.session.kept_as()?;
        if self.autosave.of != Some(of) {
            return None;
        }
        let json = self.session.session_json()?;
        let path = self.session_path(&self.session.kept_paths())?;
        (self.autosave.kept != json).then(|| {
            self.autosave.kept.clone_from(&json);
            (path, json)
        })
    }

    /// Keeps the session at once, such as before another trace takes its place.
    pub(super) fn keep_session_now(&mut self) {
        if let Some((path, json)) = self.unsaved() {
            let done = None;
            let job = SessionJob::Keep { path, json, done };
            self.workers.queue(Job::Session(job));
        }
    }

    /// Keeps the session before the program ends, behind all that was to be written before.
    pub(super) fn keep_session_at_exit(&mut self) {
        let Some((path, json)) = self.unsaved() else {
            return;
        };
        let (done, is_done) = channel();
        let done = Some(done);
        let job = SessionJob::Keep { path, json, done };
        self.workers.queue(Job::Session(job));
        // A worker that is busy for longer must not keep the window from closing.
        let _in_time = is_done.recv_timeout(LAST).is_ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_paths_in_any_order_and_by_no_others() {
        let folder = Path::new("/config");
        let of = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            path(folder, &paths)
        };
        assert_eq!(
            of(&["/t/a.json", "/t/b.json"]),
            of(&["/t/b.json", "/t/a.json"])
        );
        assert_ne!(of(&["/t/a.json"]), of(&["/t/b.json"]));
        assert_ne!(of(&["/t/ab"]), of(&["/t/a", "b"]));
        assert!(of(&["/t/a.json"]).starts_with("/config/sessions"));
    }

    #[test]
    fn a_damaged_session_is_put_aside_with_a_notice() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.json");
        assert_eq!(read(&path), (None, None));
        std::fs::write(&path, "{ \"schema\":").unwrap();
        let (session, notice) = read(&path);
        assert!(session.is_none());
        assert!(notice.unwrap().contains("s.json.broken"));
        assert!(!path.exists());
    }
}
