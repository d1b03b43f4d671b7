//! Opening: what a load is started with, loading again, stopping.

use super::{Effect, Kept, Load, OpenWhat, PickWhat, Session, Tone};
use crate::ingest::LoadOptions;
use std::path::PathBuf;

impl Session {
    /// Starts a load; it replaces a running one, and the trace stays until the new one is there.
    pub(super) fn open(&mut self, paths: Vec<PathBuf>, options: LoadOptions) -> Vec<Effect> {
        if paths.is_empty() {
            return Vec::new();
        }
        self.last_load += 1;
        self.reload_keeps = None;
        self.path_box = None;
        self.message = None;
        self.load = Some(Load {
            generation: self.last_load,
            paths: paths.clone(),
            options: options.clone(),
            progress: None,
        });
        vec![Effect::StartLoad {
            generation: self.last_load,
            paths,
            options,
        }]
    }

    /// Loads what is open again. That its files were changed is forgotten once the new trace is
    /// there: this load may fail.
    pub(super) fn reload(&mut self) -> Vec<Effect> {
        self.load_again(self.options.clone())
    }

    fn load_again(&mut self, options: LoadOptions) -> Vec<Effect> {
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
        let effects = self.open(self.sources.clone(), options);
        self.reload_keeps = Some(kept);
        effects
    }

    /// Stops at once for the user; what the load still brings is dropped by its number.
    pub(super) fn cancel_load(&mut self) -> Vec<Effect> {
        if self.load.take().is_none() {
            return Vec::new();
        }
        self.reload_keeps = None;
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
}
