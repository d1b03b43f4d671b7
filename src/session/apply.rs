//! Applying actions.

use super::{
    Action, CsvPanel, Details, Effect, Palette, PathBox, PathBoxMode, PickWhat, SaveAnswer,
    Section, Session, Tone, TraceHandle,
};
use crate::ingest::LoadOptions;
use crate::trace::SliceRef;

impl Session {
    /// Changes the state as an action asks, and returns what must be done outside of it.
    #[must_use]
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        let before = self.place();
        let (selection, focus) = (self.selection, self.focus);
        let effects = self.apply_one(action);
        self.follow_choice(selection, focus);
        self.keep_in_step();
        self.place_snapshot_lane();
        self.note_view(before);
        effects
    }

    pub(super) fn apply_one(&mut self, action: Action) -> Vec<Effect> {
        let Some(action) = self.take_for_allocator(action) else {
            return Vec::new();
        };
        match action {
            Action::ViewBack => self.view_back(),
            Action::ViewForward => self.view_forward(),
            Action::SetWindow { window } => self.set_window(window),
            Action::ShowWindow { window } => {
                self.set_window(window);
                self.bring_into_view(window);
            }
            Action::ClearWindow => self.clear_window(),
            Action::SetView { view } => self.view = Some(self.held(view)),
            Action::FitView => self.fit_all(),
            Action::FitWindow => self.fit_window(),
            Action::ZoomAt { factor, at_px } => self.zoom(factor, at_px),
            Action::Pan { px } => self.pan(px),
            Action::GoTo { slice } => return self.go_to(slice),
            Action::GoToLinked | Action::GoToOp | Action::MeasureFromLast
                if self.other_is_selected() =>
            {
                return self.apply_to_other(action);
            }
            Action::GoToLinked => {
                return self.go_to_some(self.linked(), "nothing is linked to the selected slice");
            }
            Action::GoToOp => {
                return self.go_to_some(
                    self.op_of_selection(),
                    "no CPU op is around the selected slice or its launch",
                );
            }
            Action::ClearSelection => self.clear_selection(),
            Action::Escape => return self.escape(),
            Action::GoToStep {
                rank,
                device,
                label,
            } => self.go_to_step(rank, device, label),
            Action::NextStep => self.move_step(1),
            Action::PrevStep => self.move_step(-1),
            Action::ToggleLane { lane } => self.lanes.toggle(lane),
            Action::ScrollLanes { y } => {
                self.scroll_y = y.max(0.0);
                self.reveal = None;
            }
            Action::ViewWidth { px } => self.set_width(px),
            Action::FocusDevice { rank, device } => self.focus = Some((rank, device)),
            Action::SetBasis { basis } => {
                self.settings.basis = basis;
                return vec![Effect::SaveSettings];
            }
            Action::SetClip { clip } => self.settings.clip_suspicious = clip,
            Action::SetSnap { snap } => {
                self.settings.snap = snap;
                return vec![Effect::SaveSettings];
            }
            Action::SetTheme { theme } => {
                self.settings.theme = theme;
                return vec![Effect::SaveSettings];
            }
            Action::DismissReload => self.changed_on_disk = false,
            Action::DismissMessage => self.message = None,
            Action::ToggleOverlay { overlay } => {
                self.overlay = (self.overlay != Some(overlay)).then_some(overlay);
                // The palette begins anew whenever it is opened.
                self.palette = Palette::default();
            }
            Action::FilterAnnotations { text } => self.annotation_filter = text,
            Action::Compare(action) => return self.apply_to_compare(action),
            Action::CompareWith { tool } => self.compat.tool = tool,
            Action::MeasureTo { slice } => return self.measure_to(slice),
            Action::MeasureFromLast => self.measure_from_last(),
            Action::Lane(action) => return self.arrange_lanes(action),
            Action::Bookmark(action) => return self.apply_to_bookmarks(action),
            Action::Palette(action) => self.palette.apply(action),
            Action::Search(action) => return self.apply_search(action),
            Action::ToggleSection { section } => self.toggle_section(section),
            other => return self.apply_more(other),
        }
        Vec::new()
    }

    fn apply_more(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Select { slice } => return self.select(slice),
            Action::WhatIf(action) => self.what_if.apply(action),
            Action::Snapshot(action) => return self.apply_to_snapshot(action),
            other => return self.apply_to_ranks(other),
        }
        Vec::new()
    }

    /// Actions that end in files, dialogs or the clipboard.
    pub(super) fn apply_outward(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Open { paths } => self.open(paths, LoadOptions::default()),
            Action::OpenPaths { paths, options } => self.open(paths, options),
            Action::EditOpenForm { form } => {
                self.open_form = form;
                Vec::new()
            }
            Action::OpenWith { what } => self.open_with(what),
            Action::OpenDialog => self.pick(PickWhat::Files, LoadOptions::default()),
            Action::OpenSessionDialog => self.pick(PickWhat::Session, LoadOptions::default()),
            Action::SaveSession => self.save_session(),
            Action::OpenFolderDialog => self.pick(PickWhat::Folder, LoadOptions::default()),
            Action::OpenDemo => self.find_sample(LoadOptions::default()),
            Action::CancelLoad => self.cancel_load(),
            // What is looked at is loaded again.
            Action::Reload if self.shows_allocator() => self.reload_snapshot(),
            Action::Reload => self.reload(),
            Action::ClearRecent => {
                self.settings.recent.clear();
                vec![Effect::SaveSettings]
            }
            Action::ExportCsv { panel } => self.export(panel),
            Action::CopyPanel { panel } if self.must_judge_first(panel) => Vec::new(),
            Action::CopyPanel { panel } => {
                let text = self.csv(panel);
                self.copy(text, "the table was copied as CSV")
            }
            Action::SavePicture { area, stem } => vec![Effect::SavePicture {
                area,
                suggested: format!("{stem}.png"),
            }],
            Action::CopyText { text } => self.copy(text, "copied"),
            other => self.apply_to_path_box(other),
        }
    }

    fn apply_to_path_box(&mut self, action: Action) -> Vec<Effect> {
        if let Action::ShowPathBox { mode } = action {
            let start = self.start_folder();
            self.next_options = LoadOptions::default();
            return self.show_path_box(mode, start);
        }
        let Some(path_box) = &mut self.path_box else {
            return Vec::new();
        };
        match action {
            Action::EditPath { text } => vec![path_box.edit(text)],
            Action::MoveSuggestion { by } => {
                path_box.move_highlight(by);
                Vec::new()
            }
            Action::TakeSuggestion { text } => path_box.take(text).into_iter().collect(),
            Action::AddPath => path_box.add().into_iter().collect(),
            Action::RemovePath { index } => {
                if index < path_box.listed.len() {
                    path_box.listed.remove(index);
                }
                Vec::new()
            }
            Action::AcceptPath => self.accept_path(),
            Action::ClosePathBox => {
                self.path_box = None;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn accept_path(&mut self) -> Vec<Effect> {
        let Some(path_box) = self.path_box.take() else {
            return Vec::new();
        };
        let paths = path_box.all();
        match path_box.mode {
            _ if paths.is_empty() => Vec::new(),
            PathBoxMode::Open => self.open(paths, self.next_options.clone()),
            PathBoxMode::Compare => self.ask_to_compare(paths),
            PathBoxMode::Save { .. } => self.write_to_typed(path_box),
        }
    }

    /// The box stays until the file is written: it may have to ask, or to tell what went wrong.
    fn write_to_typed(&mut self, path_box: PathBox) -> Vec<Effect> {
        let effect = match (&path_box.mode, path_box.typed()) {
            (PathBoxMode::Save { contents }, Some(path)) => Some(Effect::WriteFile {
                path,
                contents: contents.clone(),
                replace: path_box.answer == Some(SaveAnswer::Exists),
            }),
            _ => None,
        };
        self.path_box = Some(path_box);
        effect.into_iter().collect()
    }

    fn export(&mut self, panel: CsvPanel) -> Vec<Effect> {
        if self.dialog_open || !self.has_table(panel) || self.must_judge_first(panel) {
            return Vec::new();
        }
        self.dialog_open = true;
        vec![Effect::PickSave {
            suggested: format!("{}.csv", panel.file_stem()),
            contents: self.csv(panel),
        }]
    }

    pub(super) fn copy(&mut self, text: String, done: &str) -> Vec<Effect> {
        self.say(Tone::Notice, done);
        vec![Effect::CopyText(text)]
    }

    pub(super) fn select(&mut self, slice: SliceRef) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        if self.selection == Some(slice) || trace.slice(slice).is_none() {
            return Vec::new();
        }
        self.selected_before = self.selection.or(self.selected_before);
        // One of the two that are measured between may be looked at.
        self.measure = self.measure.filter(|m| m.from == slice || m.to == slice);
        self.selection = Some(slice);
        self.details = Details::Reading(slice);
        self.launched = None;
        if let Some((device, _)) = trace
            .rank(slice.rank)
            .and_then(|r| r.stream_of(slice.slice))
        {
            self.focus = Some((slice.rank, device.id));
        }
        vec![Effect::ReadEvent {
            trace: TraceHandle(trace),
            slice,
        }]
    }

    pub(super) fn clear_selection(&mut self) {
        self.selection = None;
        self.measure = None;
        self.details = Details::None;
    }

    /// One thing at a time, from the top of the screen to the bottom.
    fn escape(&mut self) -> Vec<Effect> {
        if self.path_box.take().is_some()
            || self.overlay.take().is_some()
            || self.message.take().is_some()
        {
            return Vec::new();
        }
        if self.search.is_open {
            return self.close_search();
        }
        if self.clears_in_snapshot() || self.clears_other() || self.measure.take().is_some() {
            return Vec::new();
        }
        if self.selection.is_some() {
            self.clear_selection();
        } else {
            self.clear_window();
        }
        Vec::new()
    }

    fn toggle_section(&mut self, section: Section) {
        if !self.closed_sections.remove(&section) {
            self.closed_sections.insert(section);
        }
    }
}

impl CsvPanel {
    /// File name without extension that a save dialog starts from.
    #[must_use]
    pub fn file_stem(self) -> &'static str {
        match self {
            Self::Breakdown => "overlane-breakdown",
            Self::Overlap => "overlane-overlap",
            Self::Verdict => "overlane-verdict",
            Self::Dilation => "overlane-dilation",
            Self::Findings => "overlane-findings",
            Self::Streams => "overlane-streams",
            Self::Steps => "overlane-steps",
            Self::Kernels => "overlane-kernels",
            Self::Collectives => "overlane-collectives",
            Self::Idle => "overlane-idle",
            Self::Memory => "overlane-memory",
            Self::MemorySteps => "overlane-memory-steps",
            Self::WhatIf => "overlane-whatif",
            Self::Links => "overlane-links",
            Self::Ranks => "overlane-ranks",
            Self::Health => "overlane-health",
            Self::Snapshot(table) => table.file_stem(),
            Self::FigureDeltas => "overlane-compare",
            Self::KernelDeltas => "overlane-compare-kernels",
        }
    }
}
