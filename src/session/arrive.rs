//! What workers bring into the session.

use super::{
    Arrival, Bookmarks, Details, Effect, Kept, Load, PathBox, PathBoxMode, PickOutcome, PickWhat,
    SaveAnswer, Session, Tone, ViewHistory,
};
use crate::metrics::TypedGroups;
use crate::timeline::LaneState;
use crate::trace::Trace;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

impl Session {
    /// Takes in what a worker brings. Results of a load that is not the current one are dropped.
    #[must_use]
    pub fn arrive(&mut self, arrival: Arrival) -> Vec<Effect> {
        let before = self.place();
        let mut effects = self.take_in(arrival);
        effects.extend(self.compare_waiting());
        effects.extend(self.snapshot_waiting());
        self.keep_in_step();
        self.place_snapshot_lane();
        self.note_view(before);
        effects
    }

    fn take_in(&mut self, arrival: Arrival) -> Vec<Effect> {
        match arrival {
            Arrival::LoadStarted {
                generation,
                progress,
            } => {
                if let Some(load) = self.load.as_mut().filter(|l| l.generation == generation) {
                    load.progress = Some(progress);
                }
            }
            Arrival::Loaded {
                generation,
                trace,
                took,
            } => {
                return self
                    .take_load(generation)
                    .map_or_else(Vec::new, |load| self.accept(load, trace, took));
            }
            Arrival::LoadFailed {
                generation,
                sentence,
            } => {
                if self.take_load(generation).is_some() {
                    (self.reload_keeps, self.compare_next) = (None, None);
                    self.say(Tone::Error, sentence);
                }
            }
            Arrival::LoadCancelled { generation } => {
                if self.take_load(generation).is_some() {
                    (self.reload_keeps, self.compare_next) = (None, None);
                    self.say(Tone::Notice, "loading was cancelled");
                }
            }
            Arrival::Packs(packs) => self.packs_arrive(packs),
            Arrival::Session(answer) => return self.session_arrives(answer),
            Arrival::Picked { what, outcome } => return self.picked(what, outcome),
            Arrival::PickedSave {
                suggested,
                contents,
                outcome,
            } => return self.picked_save(&suggested, contents, outcome),
            Arrival::Written { path, error } => self.written(&path, error.as_deref()),
            Arrival::WouldReplace { path } => {
                if let Some(path_box) = self.saving_to(&path) {
                    path_box.answer = Some(SaveAnswer::Exists);
                }
            }
            Arrival::EventRead {
                slice,
                text,
                launched,
            } => self.event_read(slice, text, launched),
            Arrival::Completions { text, candidates } => {
                if let Some(path_box) = &mut self.path_box {
                    path_box.suggest(&text, candidates);
                }
            }
            Arrival::Search(answer) => return self.search_arrives(answer),
            Arrival::Measured(answer) => self.answered(answer),
            Arrival::Aligned(key, rows) => self.deltas_arrive(key, rows),
            Arrival::Launches {
                generation,
                launches,
            } => self.launches_arrive(generation, launches),
            Arrival::Judged(key, judged) => self.overlap_arrives(key, judged),
            Arrival::Snapshot(arrival) => return self.snapshot_arrives(arrival),
            Arrival::Other(arrival) => return self.arrive_for_other(*arrival),
            Arrival::KernelFound { generation, slice } => return self.found(generation, slice),
            Arrival::ChangedOnDisk { generation } => {
                // A running load may yet fail or be cancelled; one that succeeds takes this back.
                self.changed_on_disk |= generation == self.generation;
            }
            Arrival::Sample(Ok(paths)) => {
                self.demo_paths.clone_from(&paths);
                return self.open(paths, self.next_options.clone());
            }
            Arrival::Sample(Err(sentence)) => self.say(Tone::Error, sentence),
            Arrival::Notice(text) => self.say(Tone::Notice, text),
        }
        Vec::new()
    }

    /// The path box, where it is open to write to this path.
    fn saving_to(&mut self, path: &Path) -> Option<&mut PathBox> {
        self.path_box
            .as_mut()
            .filter(|b| !b.mode.is_to_read() && b.typed().as_deref() == Some(path))
    }

    /// Closes the path box, or tells in it why the file was not written; without one it is said.
    fn written(&mut self, path: &Path, error: Option<&str>) {
        let Some(why) = error else {
            if self.saving_to(path).is_some() {
                self.path_box = None;
            }
            return self.say(Tone::Notice, format!("written to {}", path.display()));
        };
        let sentence = format!("{}: {why}; choose another place", path.display());
        match self.saving_to(path) {
            Some(path_box) => path_box.answer = Some(SaveAnswer::Refused(sentence)),
            None => self.say(Tone::Error, sentence),
        }
    }

    fn take_load(&mut self, generation: u64) -> Option<Load> {
        self.load.take_if(|l| l.generation == generation)
    }

    fn accept(&mut self, load: Load, trace: Arc<Trace>, took: Duration) -> Vec<Effect> {
        let kept = self.reload_keeps.take();
        self.say_what_is_missing(&trace);
        self.generation = load.generation;
        self.trace = Some(trace);
        self.load_time = Some(took);
        self.sources = load.paths;
        self.options = load.options;
        self.changed_on_disk = false;
        self.forget_launches();
        self.selection = None;
        (self.selected_before, self.measure) = (None, None);
        self.details = Details::None;
        self.window = None;
        self.view = None;
        self.current_step = None;
        self.focus = None;
        self.scroll_y = 0.0;
        self.lanes = self
            .trace
            .as_ref()
            .map(|t| LaneState::for_trace(t))
            .unwrap_or_default();
        // Clipping is a choice for this trace: a reload keeps it, unless nothing is left to clip.
        let can_clip = |t: &Trace| t.ranks.iter().any(|r| !r.suspicious.is_empty());
        self.settings.clip_suspicious &=
            kept.is_some() && self.trace.as_deref().is_some_and(can_clip);
        self.annotation_filter.clear();
        if kept.is_none() {
            self.bookmarks = Bookmarks::default();
            // What was typed was typed for the trace before.
            self.set_groups(TypedGroups::new());
            self.what_if.forget_typed();
        }
        let is_again = kept.is_some();
        if let Some(kept) = kept {
            self.restore(kept);
        }
        self.take_back(load.recall);
        if self.message.is_none()
            && let Some(notice) = load.notice
        {
            self.say(Tone::Notice, notice);
        }
        self.show_all_if_no_view();
        self.first_is_there(is_again);
        if !is_again {
            self.history = ViewHistory::from(self.place());
        }
        if self.sources == self.demo_paths {
            return Vec::new();
        }
        self.settings.remember(&self.sources);
        vec![Effect::SaveSettings]
    }

    /// Brings back what was on screen before a reload, where it still lies in the capture.
    fn restore(&mut self, kept: Kept) {
        self.lanes = kept.lanes;
        self.scroll_y = kept.scroll_y;
        self.focus = kept.focus;
        let Some(capture) = self.trace.as_ref().and_then(|t| t.capture()) else {
            return;
        };
        let fits = |w: crate::time::Window| w.clip(capture).is_some_and(|c| !c.is_empty());
        self.window = kept.window.filter(|w| fits(*w));
        let width = self.view_width;
        self.view = kept.view.filter(|v| fits(v.visible(width)));
    }

    fn say_what_is_missing(&mut self, trace: &Trace) {
        let bad: Vec<&str> = trace
            .files
            .iter()
            .filter_map(|f| f.error.as_deref())
            .collect();
        if let Some(first) = bad.first() {
            self.say(
                Tone::Error,
                format!(
                    "{} of {} files could not be read; the first: {first}",
                    bad.len(),
                    trace.files.len()
                ),
            );
        } else if trace.capture().is_none() && trace.origin().is_some() {
            self.say(
                Tone::Notice,
                "nothing of the trace lies in the range that was asked for; open it with another range",
            );
        } else if trace.capture().is_none() {
            self.say(
                Tone::Notice,
                "the file holds no event with a duration; there is nothing to draw",
            );
        } else if !trace.has_gpu_work() && trace.is_range() {
            self.say(
                Tone::Notice,
                "no GPU work lies in the range that was asked for; open the trace with another range",
            );
        } else if !trace.has_gpu_work() {
            self.say(
                Tone::Notice,
                "the trace has no GPU work; record with the profiler's CUDA or HIP activity to see figures",
            );
        } else {
            self.message = None;
        }
    }

    fn picked(&mut self, what: PickWhat, outcome: PickOutcome) -> Vec<Effect> {
        self.dialog_open = false;
        match (outcome, what) {
            (PickOutcome::Chosen(paths), PickWhat::Session) => (paths.into_iter().take(1))
                .map(|path| Effect::OpenSession { path })
                .collect(),
            (PickOutcome::Chosen(paths), PickWhat::CompareFiles | PickWhat::CompareFolder) => {
                self.ask_to_compare(paths)
            }
            (PickOutcome::Chosen(paths), _) => self.open(paths, self.next_options.clone()),
            (PickOutcome::Dismissed, _) => Vec::new(),
            (PickOutcome::Unavailable, what) => {
                let start = self.start_folder();
                let mode = match what {
                    PickWhat::CompareFiles | PickWhat::CompareFolder => PathBoxMode::Compare,
                    PickWhat::Files | PickWhat::Folder | PickWhat::Session => PathBoxMode::Open,
                };
                self.show_path_box(mode, start)
            }
        }
    }

    fn picked_save(
        &mut self,
        suggested: &str,
        contents: String,
        outcome: PickOutcome,
    ) -> Vec<Effect> {
        self.dialog_open = false;
        match outcome {
            PickOutcome::Chosen(paths) => paths
                .into_iter()
                .take(1)
                .map(|path| Effect::WriteFile {
                    path,
                    contents: contents.clone(),
                    // The dialog asked.
                    replace: true,
                })
                .collect(),
            PickOutcome::Dismissed => Vec::new(),
            PickOutcome::Unavailable => {
                let start = format!("{}{suggested}", self.start_folder());
                self.show_path_box(PathBoxMode::Save { contents }, start)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Action;
    use crate::time::{DurNs, Ns};
    use crate::trace::{Rank, SliceId, Suspicious};
    use std::path::PathBuf;

    fn trace(is_suspicious: bool) -> Arc<Trace> {
        let suspicious = is_suspicious.then_some(Suspicious {
            slice: SliceId(0),
            clipped_end: Ns(10),
            at_stake: DurNs(1000),
        });
        let rank = Rank {
            suspicious: suspicious.into_iter().collect(),
            ..Rank::default()
        };
        Arc::new(Trace {
            ranks: vec![rank],
            ..Trace::default()
        })
    }

    fn act(session: &mut Session, action: Action) {
        let _effects = session.apply(action);
    }

    fn bring(session: &mut Session, arrival: Arrival) {
        let _effects = session.arrive(arrival);
    }

    fn load(session: &mut Session, trace: Arc<Trace>) {
        let loaded = Arrival::Loaded {
            generation: session.load.as_ref().map_or(0, |l| l.generation),
            trace,
            took: Duration::ZERO,
        };
        bring(session, loaded);
    }

    fn opened() -> Session {
        let mut session = Session::default();
        let paths = vec![PathBuf::from("a.json")];
        act(&mut session, Action::Open { paths });
        load(&mut session, trace(true));
        act(&mut session, Action::SetClip { clip: true });
        session
    }

    #[test]
    fn a_reload_keeps_clipping_while_there_is_something_to_clip() {
        let mut session = opened();
        act(&mut session, Action::Reload);
        load(&mut session, trace(true));
        assert!(session.settings.clip_suspicious);
        act(&mut session, Action::Reload);
        load(&mut session, trace(false));
        assert!(!session.settings.clip_suspicious);
        let mut session = opened();
        let paths = vec![PathBuf::from("other.json")];
        act(&mut session, Action::Open { paths });
        load(&mut session, trace(true));
        assert!(!session.settings.clip_suspicious);
    }

    #[test]
    fn a_change_on_disk_during_a_load_is_told_if_the_trace_stays() {
        let mut session = opened();
        let generation = session.generation;
        let paths = vec![PathBuf::from("other.json")];
        act(&mut session, Action::Open { paths });
        bring(&mut session, Arrival::ChangedOnDisk { generation });
        act(&mut session, Action::CancelLoad);
        assert!(session.changed_on_disk);
        act(&mut session, Action::Reload);
        bring(&mut session, Arrival::ChangedOnDisk { generation });
        load(&mut session, trace(true));
        assert!(!session.changed_on_disk);
    }
}
