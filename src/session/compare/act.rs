//! What the user may ask of a comparison, and whose an action over B's lanes is.

use super::in_step::{back, moved};
use super::{CompareWith, PanelOf, TraceSide};
use crate::ingest::LoadOptions;
use crate::metrics::{DevicePair, KernelDeltaSort};
use crate::session::{
    Action, CsvPanel, Effect, Overlay, PickWhat, SESSION_EXTENSION, Session, Tone,
};
use crate::time::{DurNs, Window, parse_quantity};
use crate::trace::{DeviceId, RankId, StepLabel};
use std::path::PathBuf;

/// Shifts beyond this cannot lie between two traces.
const MOST_SHIFT: i64 = i64::MAX / 2;

const NO_TRACE: &str = "open a trace before comparing it with another";

/// What a view may ask of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    /// Compares with these files and folders.
    With(Vec<PathBuf>),
    /// Asks the user which files to compare with.
    Dialog,
    /// Asks the user which folder to compare with.
    FolderDialog,
    /// Forgets the second trace.
    Stop,
    /// Stops loading the second trace.
    CancelLoad,
    /// Something that is done to the second trace.
    Other(Box<Action>),
    /// The text of the shift changed.
    EditShift(String),
    /// Shifts so that two instants stand on each other.
    Align(Alignment),
    /// Shows whose figures.
    Panel(PanelOf),
    /// Shows the selected slice of one side.
    Side(TraceSide),
    /// Puts two devices first.
    Focus(DevicePair),
    /// Sorts kernels by a column, or the other way round where they are sorted by it.
    SortKernels(KernelDeltaSort),
    /// The text of the filter of kernels changed.
    FilterKernels(String),
    /// Goes to the first kernel of a name, in A if there is one.
    GoToKernel(String),
}

/// What can be put on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// The first steps that stand against each other.
    FirstSteps,
    /// The windows that are compared.
    Windows,
    /// The selected slices.
    Selected,
    /// Where both traces begin: no shift.
    Origins,
}

/// Effects of B; those that are A's alone are left out.
pub(super) fn of_other(effects: Vec<Effect>) -> Vec<Effect> {
    let mut kept = Vec::new();
    for effect in effects {
        match effect {
            Effect::StartLoad { .. }
            | Effect::CancelLoad
            | Effect::ReadEvent { .. }
            | Effect::Measure { .. }
            | Effect::ReadLaunches { .. }
            | Effect::JudgeOverlap(_)
            | Effect::FindKernel { .. }
            | Effect::PackStreams { .. } => kept.push(Effect::Other(Box::new(effect))),
            Effect::CopyText(_) | Effect::SavePicture { .. } => kept.push(effect),
            // B has no settings, session, dialogs or search of its own.
            _ => {}
        }
    }
    kept
}

impl Session {
    pub(in crate::session) fn apply_to_compare(&mut self, action: CompareAction) -> Vec<Effect> {
        match action {
            CompareAction::With(paths) => return self.ask_to_compare(paths),
            CompareAction::Dialog => return self.pick_to_compare(false),
            CompareAction::FolderDialog => return self.pick_to_compare(true),
            CompareAction::Stop => return self.stop_comparing(),
            CompareAction::CancelLoad => {
                let effects = self.with_other(Session::cancel_load);
                self.drop_if_empty();
                return effects;
            }
            CompareAction::Other(action) => return self.apply_to_other(*action),
            CompareAction::EditShift(text) => self.edit_shift(text),
            CompareAction::Align(alignment) => self.align_by(alignment),
            CompareAction::Focus(pair) => {
                self.focus = Some(pair.a);
                if let Some(compare) = &mut self.compare {
                    compare.other.focus = Some(pair.b);
                }
            }
            CompareAction::GoToKernel(name) => return self.go_to_delta(&name),
            CompareAction::Panel(panel) => self.change(|c| c.panel = panel),
            CompareAction::Side(side) => self.change(|c| c.last = side),
            CompareAction::SortKernels(by) => self.change(|c| c.deltas.sort_by(by)),
            CompareAction::FilterKernels(text) => self.change(|c| c.deltas.set_filter(text)),
        }
        Vec::new()
    }

    fn change(&mut self, change: impl FnOnce(&mut super::Compare)) {
        if let Some(compare) = &mut self.compare {
            change(compare);
        }
    }

    /// Compares at once, or as soon as the trace is there that is loading.
    pub(in crate::session) fn ask_to_compare(&mut self, paths: Vec<PathBuf>) -> Vec<Effect> {
        self.path_box = None;
        if paths.is_empty() {
            return Vec::new();
        }
        let is_session = |p: &PathBuf| p.extension().is_some_and(|e| e == SESSION_EXTENSION);
        if let Some(path) = paths.iter().find(|p| is_session(p)) {
            let text = format!(
                "{}: a session cannot be compared with; name the files of its trace",
                path.display()
            );
            self.say(Tone::Error, text);
            return Vec::new();
        }
        let with = CompareWith::new(paths);
        if self.trace.is_some() {
            return self.compare_with(with);
        }
        self.compare_next = Some(with);
        Vec::new()
    }

    fn pick_to_compare(&mut self, folder: bool) -> Vec<Effect> {
        if self.trace.is_none() {
            self.say(Tone::Notice, NO_TRACE);
            return Vec::new();
        }
        let what = if folder {
            PickWhat::CompareFolder
        } else {
            PickWhat::CompareFiles
        };
        self.pick(what, LoadOptions::default())
    }

    /// Closes what is open of B, else clears what is selected or measured in it, where that was done
    /// last.
    pub(in crate::session) fn clears_other(&mut self) -> bool {
        let open = (self.compare.as_mut()).and_then(|c| c.other.overlay.take());
        if open.is_some() {
            return true;
        }
        if !self.other_is_selected() {
            return false;
        }
        self.change(|c| {
            if c.other.measure.take().is_none() {
                c.other.clear_selection();
                c.last = TraceSide::A;
            }
        });
        true
    }

    /// The selected slice on A's axis, where one is selected last.
    pub(in crate::session) fn selected_window(&self) -> Option<Window> {
        let of = |session: &Session| {
            let slice = session.trace.as_ref()?.slice(session.selection?)?;
            Some(slice.window())
        };
        if self.other_is_selected() {
            return Some(of(self.other()?)?.moved(back(self.shift()?)));
        }
        of(self)
    }

    fn edit_shift(&mut self, text: String) {
        let offset = parse_quantity(&text)
            .ok()
            .filter(|d| d.0.unsigned_abs() <= MOST_SHIFT.unsigned_abs());
        let Some(compare) = &mut self.compare else {
            return;
        };
        compare.shift_trouble = None;
        match offset {
            Some(offset) => compare.offset = offset,
            None if text.trim() == "0" => compare.offset = DurNs::ZERO,
            None => {
                let trouble = "a number and a unit: -12.5 us";
                compare.shift_trouble = Some(trouble.to_owned());
            }
        }
        compare.shift_text = text;
    }

    fn align_by(&mut self, alignment: Alignment) {
        let starts = match alignment {
            Alignment::FirstSteps => self.first_steps(),
            Alignment::Windows => self.window_starts(),
            Alignment::Selected => self.selected_starts(),
            Alignment::Origins => {
                self.change(|c| c.set_offset(DurNs::ZERO));
                return;
            }
        };
        if let Some((a, b)) = starts {
            self.align(a, b);
            return;
        }
        let why = match alignment {
            Alignment::FirstSteps => "one of the traces has no steps",
            Alignment::Selected => "select a slice in A and one in B to put them on each other",
            Alignment::Windows | Alignment::Origins => "there is nothing to put on each other",
        };
        self.say(Tone::Notice, why);
    }

    /// Whether the selected slice that details are shown of, and that keys mean, is one of B.
    #[must_use]
    pub fn other_is_selected(&self) -> bool {
        let last = self.compare.as_ref().map(|c| c.last);
        let is_meant = last == Some(TraceSide::B) || self.selection.is_none();
        is_meant && self.other().is_some_and(|other| other.selection.is_some())
    }

    /// An action over B's lanes or in its panel: its own lanes and selection are B's, everything that
    /// both share is A's.
    pub(in crate::session) fn apply_to_other(&mut self, action: Action) -> Vec<Effect> {
        let Some(shift) = self.shift() else {
            return Vec::new();
        };
        match action {
            Action::SetWindow { window } => {
                let window = window.moved(back(shift));
                self.apply_one(Action::SetWindow { window })
            }
            Action::ShowWindow { window } => {
                let window = window.moved(back(shift));
                self.apply_one(Action::ShowWindow { window })
            }
            Action::SetView { view } => {
                let view = moved(view, back(shift));
                self.apply_one(Action::SetView { view })
            }
            Action::GoToStep {
                rank,
                device,
                label,
            } => self.go_to_step_of_other(rank, device, label),
            Action::ExportCsv { panel } => self.export_of_other(panel),
            Action::CopyPanel { panel } => {
                let text = self.other().map(|other| other.csv(panel));
                self.copy(text.unwrap_or_default(), "the table of B was copied as CSV")
            }
            // Both are of one width.
            Action::ViewWidth { .. } => Vec::new(),
            Action::Select { .. }
            | Action::GoTo { .. }
            | Action::GoToLinked
            | Action::GoToOp
            | Action::MeasureTo { .. }
            | Action::MeasureFromLast
            | Action::NextKernel { .. } => {
                self.change(|c| c.last = TraceSide::B);
                self.with_other(|other| other.apply(action))
            }
            Action::ClearSelection
            | Action::ToggleLane { .. }
            | Action::ScrollLanes { .. }
            | Action::FocusDevice { .. }
            | Action::ShowDevice { .. }
            | Action::Lane(_)
            | Action::GroupKernels { .. }
            | Action::SortKernels { .. }
            | Action::FilterKernels { .. }
            | Action::GroupCollectives { .. }
            | Action::SortCollectives { .. }
            | Action::FilterCollectives { .. }
            | Action::LabelGroup { .. }
            | Action::CompareWith { .. }
            | Action::SortRanks { .. }
            | Action::MapSteps { .. }
            | Action::ShowMemory { .. }
            | Action::GoToMemory { .. }
            | Action::ToggleOverlay {
                overlay: Overlay::Health,
            }
            | Action::Reload => self.with_other(|other| other.apply(action)),
            other => self.apply_one(other),
        }
    }

    /// The step of A that stands against a step of B; where there is none, B's window alone.
    fn go_to_step_of_other(
        &mut self,
        rank: RankId,
        device: DeviceId,
        label: StepLabel,
    ) -> Vec<Effect> {
        self.change(|c| c.other.focus = Some((rank, device)));
        let pairs = self.paired_steps();
        let found = pairs
            .iter()
            .find(|(_, b)| b.is_some_and(|b| b.label == label));
        let of_a = self.focused().map(|(rank, device)| (rank.id, device.id));
        if let (Some((step, _)), Some((rank, device))) = (found, of_a) {
            self.go_to_step(rank, device, step.label);
            return Vec::new();
        }
        let steps = self.other().map(Session::focused_steps).unwrap_or_default();
        match steps.iter().find(|s| s.label == label) {
            Some(step) => self.apply_to_other(Action::ShowWindow {
                window: step.window,
            }),
            None => Vec::new(),
        }
    }

    fn export_of_other(&mut self, panel: CsvPanel) -> Vec<Effect> {
        let contents = self.other().map(|other| other.csv(panel));
        let Some(contents) = contents.filter(|_| !self.dialog_open) else {
            return Vec::new();
        };
        self.dialog_open = true;
        vec![Effect::PickSave {
            suggested: format!("{}-b.csv", panel.file_stem()),
            contents,
        }]
    }
}
