//! Opening: what a load is started with, loading again, stopping.

use super::{
    Effect, Kept, Load, OpenWhat, PathBox, PathBoxMode, PickWhat, Recall, SESSION_EXTENSION,
    Session, Tone, file_name,
};
use crate::ingest::LoadOptions;
use std::path::PathBuf;

impl Session {
    /// Starts a load; it replaces a running one, and the trace stays until the new one is there.
    /// A snapshot among the paths is opened beside the trace.
    pub(super) fn open(&mut self, mut paths: Vec<PathBuf>, options: LoadOptions) -> Vec<Effect> {
        let mut effects = self.open_snapshots_of(&mut paths);
        if paths.is_empty() {
            return effects;
        }
        if let [path] = paths.as_slice()
            && path.extension().is_some_and(|e| e == SESSION_EXTENSION)
        {
            self.path_box = None;
            self.next_options = options;
            let path = path.clone();
            return vec![Effect::OpenSession { path }];
        }
        self.last_load += 1;
        if !effects.is_empty() {
            self.snapshot.with_trace = Some(self.last_load);
        }
        self.reload_keeps = None;
        self.path_box = None;
        self.message = None;
        self.load = Some(Load {
            generation: self.last_load,
            paths: paths.clone(),
            options: options.clone(),
            progress: None,
            recall: Recall::Asked,
            notice: None,
        });
        let generation = self.last_load;
        let recall = Effect::RecallSession {
            generation,
            paths: paths.clone(),
        };
        let start = Effect::StartLoad {
            generation,
            paths,
            options,
        };
        effects.extend([recall, start]);
        effects
    }

    /// Loads what is open again. That its files were changed is forgotten once the new trace is
    /// there: this load may fail.
    pub(super) fn reload(&mut self) -> Vec<Effect> {
        self.load_again(self.options.clone())
    }

    pub(super) fn load_again(&mut self, options: LoadOptions) -> Vec<Effect> {
        if self.trace.is_none() {
            return Vec::new();
        }
        let kept = Kept {
            window: self.window,
            view: self.view,
            focus: self.focus,
            lanes: self.lanes.clone(),
            scroll_y: self.scroll_y,
        };
        let mut effects = self.open(self.sources.clone(), options);
        self.reload_keeps = Some(kept);
        // What is on screen is newer than what was kept.
        effects.retain(|e| !matches!(e, Effect::RecallSession { .. }));
        if let Some(load) = &mut self.load {
            load.recall = Recall::None;
        }
        effects
    }

    /// Stops at once for the user; what the load still brings is dropped by its number.
    pub(super) fn cancel_load(&mut self) -> Vec<Effect> {
        if self.load.take().is_none() {
            return Vec::new();
        }
        (self.reload_keeps, self.compare_next) = (None, None);
        self.say(Tone::Notice, "loading was cancelled");
        vec![Effect::CancelLoad]
    }

    pub(super) fn pick(&mut self, what: PickWhat, options: LoadOptions) -> Vec<Effect> {
        // A second dialog over the first would hide it on some systems.
        if self.dialog_open {
            return Vec::new();
        }
        self.dialog_open = true;
        self.next_options = options;
        vec![Effect::PickOpen { what }]
    }

    /// Writes what is open and how it is looked at to a file that the user names.
    pub(super) fn save_session(&mut self) -> Vec<Effect> {
        if self.dialog_open || self.trace.is_none() && self.snapshot.open.is_none() {
            return Vec::new();
        }
        let Some(contents) = self.session_json() else {
            self.say(
                Tone::Error,
                "the name of what is open is no text, so no session can name it; rename it",
            );
            return Vec::new();
        };
        self.dialog_open = true;
        let snapshot = self.snapshot.open.as_ref().map(|open| &open.path);
        let first = self.sources.first().or(snapshot).map(|p| file_name(p));
        let name = first.unwrap_or_else(|| "session".to_owned());
        let name = name.split('.').next().unwrap_or("session");
        vec![Effect::PickSave {
            suggested: format!("{name}.{SESSION_EXTENSION}"),
            contents,
        }]
    }

    pub(super) fn find_sample(&mut self, options: LoadOptions) -> Vec<Effect> {
        self.next_options = options;
        vec![Effect::FindSample]
    }

    /// Opens as the dialog says; one that cannot be understood says why and stays.
    pub(super) fn open_with(&mut self, what: OpenWhat) -> Vec<Effect> {
        let Ok(options) = self.open_form.options() else {
            return Vec::new();
        };
        self.overlay = None;
        match what {
            OpenWhat::Chosen(what) => self.pick(what, options),
            OpenWhat::Same => self.load_again(options),
            OpenWhat::Sample => self.find_sample(options),
        }
    }

    pub(super) fn show_path_box(&mut self, mode: PathBoxMode, text: String) -> Vec<Effect> {
        let path_box = PathBox::new(mode, text);
        let effect = path_box.complete();
        self.path_box = Some(path_box);
        self.overlay = None;
        vec![effect]
    }

    /// The folder of what is open, else of what was opened last, else the current one.
    pub(super) fn start_folder(&self) -> String {
        let known = self
            .sources
            .first()
            .or_else(|| self.settings.recent.first()?.first());
        let parent = known
            .and_then(|p| p.parent())
            .filter(|p| !p.as_os_str().is_empty());
        let folder = parent.map_or_else(
            || std::env::current_dir().unwrap_or_default(),
            PathBuf::from,
        );
        let mut text = folder.display().to_string();
        if !text.ends_with(std::path::MAIN_SEPARATOR) {
            text.push(std::path::MAIN_SEPARATOR);
        }
        text
    }
}
