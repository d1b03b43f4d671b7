//! Keeping what was looked at and how, and bringing it back: from the program's own folder when the
//! same paths are opened again, and from a session file that the user names.

mod kept;

pub use kept::KeptAs;

use super::file::{SessionFile, StoredGroups, StoredLanes, StoredMark, StoredSearch, StoredWhatIf};
use super::{Effect, OpenForm, Section, Session, Tone, file_name};
use crate::ingest::LoadOptions;
use crate::time::Window;
use crate::timeline::View;
use crate::trace::{DeviceId, RankId, Trace};
use std::path::{Path, PathBuf};

/// What is known of the session that was kept for a load.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Recall {
    /// It is being looked for.
    #[default]
    Asked,
    /// There is none, or it is not wanted.
    None,
    /// Here it is.
    Found(Box<SessionFile>),
}

/// A session file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedSession {
    /// The session.
    pub session: SessionFile,
    /// Which of its paths are gone.
    pub missing: Vec<PathBuf>,
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionAnswer {
    /// How what is being loaded was looked at the last time.
    Recalled {
        /// Number of the load.
        generation: u64,
        /// The session, if one was kept.
        session: Option<Box<SessionFile>>,
        /// One sentence where it had to be dropped.
        trouble: Option<String>,
    },
    /// The same for a snapshot that is opened alone.
    RecalledOfSnapshot {
        /// Number of the load.
        generation: u64,
        /// The session, if one was kept.
        session: Option<Box<SessionFile>>,
        /// One sentence where it had to be dropped.
        trouble: Option<String>,
    },
    /// The session could not be kept: one sentence.
    NotKept(String),
    /// A session file was read, or not.
    Opened {
        /// The file.
        path: PathBuf,
        /// The session, or why not, as the end of a sentence that begins with the path.
        answer: Result<Box<OpenedSession>, String>,
    },
}

impl Session {
    pub(super) fn session_arrives(&mut self, answer: SessionAnswer) -> Vec<Effect> {
        match answer {
            SessionAnswer::Recalled {
                generation,
                session,
                trouble,
            } => {
                self.recall(generation, session);
                if let Some(trouble) = trouble {
                    self.tell_of_session(trouble);
                }
                Vec::new()
            }
            SessionAnswer::RecalledOfSnapshot {
                generation,
                session,
                trouble,
            } => {
                self.recall_snapshot(generation, session);
                if let Some(trouble) = trouble {
                    self.tell_of_session(trouble);
                }
                Vec::new()
            }
            SessionAnswer::NotKept(sentence) => {
                self.tell_of_session(sentence);
                Vec::new()
            }
            SessionAnswer::Opened { path, answer } => self.open_session(&path, answer),
        }
    }

    /// What is open and how it is looked at, as the text of a session file; `None` where nothing is.
    #[must_use]
    pub fn session_json(&self) -> Option<String> {
        let snapshot = self.stored_snapshot();
        let files = match &self.trace {
            Some(trace) => trace.files.as_slice(),
            None => snapshot.is_some().then_some(&[][..])?,
        };
        let absolute = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone());
        let mut files: Vec<PathBuf> = files.iter().map(|f| absolute(&f.path)).collect();
        files.dedup();
        let titles = |closed: bool| -> Vec<String> {
            let chosen = |s: &Section| self.closed_sections.contains(s) == closed;
            let sections = Section::ALL.into_iter().filter(chosen);
            sections.map(|s| s.title().to_owned()).collect()
        };
        SessionFile {
            paths: self.sources.iter().map(absolute).collect(),
            files,
            options: OpenForm::of(&self.options).into(),
            window: self.window.map(Into::into),
            view: self.view.map(|v| v.visible(self.view_width).into()),
            scroll: self.scroll_y,
            focus: self.focus.map(|(rank, device)| (rank.0, device.0)),
            closed_sections: titles(true),
            open_sections: titles(false),
            lanes: StoredLanes::of(self.lanes.toggled().iter(), &self.lanes.arranged),
            bookmarks: self.bookmarks.list.iter().map(StoredMark::of).collect(),
            last_bookmark: self.bookmarks.last,
            search: StoredSearch {
                text: self.search.text.clone(),
                is_regex: self.search.is_regex,
            },
            what_if: StoredWhatIf::of(&self.what_if),
            groups: StoredGroups::of(self.groups.typed()),
            compare: self.comparison(),
            snapshot,
            ..SessionFile::new()
        }
        .to_json()
    }

    /// Says what is wrong with keeping the session, behind what a load says.
    fn tell_of_session(&mut self, sentence: String) {
        match &mut self.load {
            Some(load) => load.notice = Some(sentence),
            None => self.say(Tone::Notice, sentence),
        }
    }

    /// Takes in the session that was kept for a load.
    fn recall(&mut self, generation: u64, found: Option<Box<SessionFile>>) {
        if let Some(load) = self.load.as_mut().filter(|l| l.generation == generation) {
            if load.recall == Recall::Asked {
                load.recall = found.map_or(Recall::None, Recall::Found);
            }
        } else if generation == self.generation && self.recalled != generation {
            // The load was faster.
            self.take_back(found.map_or(Recall::None, Recall::Found));
        }
    }

    /// Brings back how the trace that was just loaded was looked at.
    pub(super) fn take_back(&mut self, recall: Recall) {
        match recall {
            Recall::Asked => return,
            Recall::None => {}
            Recall::Found(file) => self.bring_back(&file),
        }
        self.recalled = self.generation;
    }

    fn bring_back(&mut self, file: &SessionFile) {
        let Some(trace) = self.trace.clone() else {
            return;
        };
        self.closed_sections = file.closed().collect();
        for lane in file.lanes.toggled() {
            self.lanes.toggle(lane);
        }
        self.lanes.arranged = file.lanes.arranged();
        self.bookmarks = file.marks();
        self.search.text.clone_from(&file.search.text);
        self.search.is_regex = file.search.is_regex;
        self.search.understand();
        self.scroll_y = file.scroll.max(0.0);
        let focus = file.focus.map(|(r, d)| (RankId(r), DeviceId(d)));
        self.focus = focus.filter(|(r, d)| trace.rank(*r).is_some_and(|r| r.device(*d).is_some()));
        // A window is there already only if the load was faster and the user as well.
        if let Some(capture) = trace.capture().filter(|_| self.window.is_none()) {
            let fits = |w: &Window| w.clip(capture).is_some_and(|c| !c.is_empty());
            if let Some(window) = file.window.map(Window::from).filter(fits) {
                self.set_window(window);
                self.current_step = self.step_of(window);
            }
            if let Some(shown) = file.view.map(Window::from).filter(fits) {
                // Without a width yet, the time is kept, and the width comes with the first frame.
                let width = self.view_width.max(1.0);
                self.view_width = width;
                self.view = Some(self.held(View::fit(shown, width)));
            }
        }
        self.say_what_is_gone(&trace, file);
        self.take_choices(file);
        self.snapshot.next.clone_from(&file.snapshot);
        // What is on screen or was asked for is newer.
        if self.compare.is_none() && self.compare_next.is_none() {
            self.compare_next = file.compared();
        }
    }

    /// Brings back what was typed; one sentence says what of it is not understood.
    fn take_choices(&mut self, file: &SessionFile) {
        let mut dropped = file.what_if.restore(&mut self.what_if);
        let (groups, not_understood) = file.groups.typed();
        self.set_groups(groups);
        dropped.extend(not_understood);
        if dropped.is_empty() {
            return;
        }
        let words = format!(
            "of the session, not understood and left out: {}",
            dropped.join(", ")
        );
        match &mut self.message {
            Some(message) => message.text = format!("{}; {words}", message.text),
            None => self.say(Tone::Notice, words),
        }
    }

    /// Files of the last time that are not there any more; those that were not asked for are not gone.
    fn say_what_is_gone(&mut self, trace: &Trace, file: &SessionFile) {
        if self.options.ranks.is_some() || self.message.is_some() {
            return;
        }
        let is_there = |path: &PathBuf| {
            let mut files = trace.files.iter();
            files.any(|f| std::path::absolute(&f.path).is_ok_and(|p| p == *path))
        };
        let gone: Vec<&Path> = (file.files.iter())
            .filter(|path| !is_there(path))
            .map(PathBuf::as_path)
            .collect();
        if !gone.is_empty() {
            let text = format!("gone since the last time: {}", names(&gone));
            self.say(Tone::Notice, text);
        }
    }

    /// Opens what a session file names, as far as it is still there.
    fn open_session(
        &mut self,
        path: &Path,
        answer: Result<Box<OpenedSession>, String>,
    ) -> Vec<Effect> {
        let OpenedSession { session, missing } = match answer {
            Ok(opened) => *opened,
            Err(why) => {
                self.say(Tone::Error, format!("{}: {why}", path.display()));
                return Vec::new();
            }
        };
        let snapshot = session.snapshot.clone();
        let mut paths = session.paths.clone();
        if let Some(stored) = snapshot.as_ref().filter(|_| paths.is_empty()) {
            self.close_snapshot();
            return self.reopen_snapshot(stored);
        }
        paths.retain(|p| !missing.contains(p));
        let gone: Vec<&Path> = missing.iter().map(PathBuf::as_path).collect();
        if paths.is_empty() {
            let text = if missing.is_empty() {
                format!("{}: the session names nothing to open", path.display())
            } else {
                format!(
                    "{}: nothing of the session is there any more: {}",
                    path.display(),
                    names(&gone)
                )
            };
            self.say(Tone::Error, text);
            return Vec::new();
        }
        let form = OpenForm::from(session.options.clone());
        let Ok(mut options) = form.options() else {
            let text = format!("{}: its load options are not understood", path.display());
            self.say(Tone::Error, text);
            return Vec::new();
        };
        // What the command line says of options is meant for now.
        if self.next_options != LoadOptions::default() {
            options = std::mem::take(&mut self.next_options);
        }
        let compared = session.compared();
        let gone = (!gone.is_empty()).then(|| format!("gone: {}", names(&gone)));
        let mut effects = self.open(paths, options);
        effects.retain(|e| !matches!(e, Effect::RecallSession { .. }));
        // What the command line compares with is meant for now.
        if self.compare_next.is_none() {
            self.compare_next = compared;
        }
        if let Some(load) = &mut self.load {
            load.recall = Recall::Found(Box::new(session));
            load.notice = gone;
        }
        effects
    }
}

/// The first few names, and how many more there are.
fn names(paths: &[&Path]) -> String {
    const MOST: usize = 3;
    let shown: Vec<String> = paths.iter().take(MOST).map(|p| file_name(p)).collect();
    match paths.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests;
