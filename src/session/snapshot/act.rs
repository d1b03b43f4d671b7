//! What a view may ask of the snapshot, and what follows.

use super::{FitForm, HeldOf, InkBy, SiteSort, SnapshotEffect, SnapshotTab};
use crate::session::{Action, Effect, Session, Tone};
use crate::snapshot::strips::StripView;
use crate::snapshot::{FrameId, GroupBy};
use crate::time::{Ns, Window};
use crate::timeline::{Limits, View};

/// What a view may ask of the snapshot.
#[derive(Clone, Debug, PartialEq)]
pub enum SnapshotAction {
    /// Forgets the snapshot.
    Close,
    /// Stops reading one.
    CancelLoad,
    /// Reads the file again and looks at it as now.
    Reload,
    /// Keeps what was read although the file changed.
    DismissReload,
    /// Looks at the next time that memory ran out, behind the last one at the first.
    NextOom,
    /// Looks at the time before that memory ran out.
    PrevOom,
    /// Looks at the moment when most was allocated, in the window where there is one.
    Peak,
    /// Shows the allocator in front, or the timeline.
    Front(bool),
    /// Shows another part below the history.
    Tab(SnapshotTab),
    /// Looks at another device, by its place.
    Device(usize),
    /// Looks at a moment; `None` is the end of the recording.
    Moment(Option<Ns>),
    /// Makes a window the current one.
    SetWindow(Window),
    /// Goes back to no window.
    ClearWindow,
    /// Tells how wide the history is drawn.
    Width(f64),
    /// Zooms the history; above 1 shows less time.
    Zoom {
        /// How much larger everything becomes.
        factor: f64,
        /// The point that stays, in pixels from the left edge.
        at_px: f64,
    },
    /// Moves the history to later times for positive pixels.
    Pan(f64),
    /// Shows the whole recording.
    FitView,
    /// Selects the block at an address, or none.
    Select(Option<u64>),
    /// The same, and shows it among the strips.
    Show(u64),
    /// The strips have scrolled to the selected block.
    Revealed,
    /// Colours blocks by something else.
    Ink(InkBy),
    /// Shows another part of the segments; `None` is all of their width.
    Strips(Option<StripView>),
    /// Lists what is alive at the moment, or what the window added.
    HeldOf(HeldOf),
    /// Groups allocations by site or by whole stack.
    Group(GroupBy),
    /// Leaves frames of native code out of the flame.
    OnlyPython(bool),
    /// Shows what is below these frames, from the outermost one.
    Flame(Vec<Option<FrameId>>),
    /// Sorts call sites by a column, or the other way round.
    SortSites(SiteSort),
    /// The text of the filter of call sites changed.
    FilterSites(String),
    /// What is asked to fit changed.
    Fit(FitForm),
}

impl Session {
    pub(in crate::session) fn apply_to_snapshot(&mut self, action: SnapshotAction) -> Vec<Effect> {
        match action {
            SnapshotAction::CancelLoad => {
                if self.snapshot.load.take().is_some() {
                    self.snapshot.as_before = None;
                    self.say(Tone::Notice, "loading was cancelled");
                    return vec![Effect::Snapshot(SnapshotEffect::Cancel)];
                }
            }
            SnapshotAction::Close => self.close_snapshot(),
            SnapshotAction::Reload => return self.reload_snapshot(),
            SnapshotAction::DismissReload => self.snapshot.changed_on_disk = false,
            SnapshotAction::NextOom => self.go_to_oom(true),
            SnapshotAction::PrevOom => self.go_to_oom(false),
            SnapshotAction::Peak => self.go_to_peak(),
            SnapshotAction::Front(front) => {
                // A snapshot alone has no timeline behind it.
                let front = front || self.trace.is_none();
                self.snapshot.is_in_front = front && self.snapshot.open.is_some();
            }
            SnapshotAction::SetWindow(window) => self.set_snapshot_window(Some(window)),
            SnapshotAction::ClearWindow => self.set_snapshot_window(None),
            SnapshotAction::Device(place) => self.look_at_device(place),
            SnapshotAction::Width(px) => self.set_history_width(px),
            SnapshotAction::Zoom { factor, at_px } => {
                self.move_history(|view, limits| view.zoom(factor, at_px, limits));
            }
            SnapshotAction::Pan(px) => {
                self.move_history(|view, limits| view.pan(px.round(), limits));
            }
            SnapshotAction::FitView => {
                self.snapshot.view = None;
                self.fit_history();
            }
            SnapshotAction::HeldOf(of) => {
                self.snapshot.sites.of = of;
                self.snapshot.sites.flame.clear();
            }
            SnapshotAction::Group(by) => self.snapshot.sites.by = by,
            SnapshotAction::OnlyPython(only) => {
                self.snapshot.sites.only_python = only;
                self.snapshot.sites.flame.clear();
            }
            SnapshotAction::Flame(path) => self.snapshot.sites.flame = path,
            SnapshotAction::SortSites(by) => self.snapshot.sites.sort_by(by),
            SnapshotAction::FilterSites(text) => self.snapshot.sites.set_filter(text),
            SnapshotAction::Fit(form) => self.snapshot.fit = form.understood(),
            other => self.look_at(&other),
        }
        Vec::new()
    }

    fn look_at(&mut self, action: &SnapshotAction) {
        let allocator = &mut self.snapshot;
        match action {
            SnapshotAction::Tab(tab) => allocator.tab = *tab,
            SnapshotAction::Moment(moment) => allocator.moment = *moment,
            SnapshotAction::Select(address) => allocator.selected = *address,
            SnapshotAction::Show(address) => {
                allocator.selected = Some(*address);
                (allocator.tab, allocator.strips) = (SnapshotTab::Blocks, None);
                allocator.reveal = true;
            }
            SnapshotAction::Revealed => allocator.reveal = false,
            SnapshotAction::Ink(ink) => allocator.ink = *ink,
            SnapshotAction::Strips(view) => allocator.strips = *view,
            _ => {}
        }
    }

    /// Keys that move the timeline move the history while that is in front; what is left is for the
    /// timeline.
    pub(in crate::session) fn take_for_allocator(&mut self, action: Action) -> Option<Action> {
        if !self.shows_allocator() {
            return Some(action);
        }
        let (shown, wide) = (self.view_width, self.snapshot.view_width);
        let share = if shown >= 1.0 { wide / shown } else { 0.5 };
        match action {
            Action::ZoomAt { factor, at_px } => {
                let at_px = if shown >= 1.0 {
                    at_px * share
                } else {
                    wide / 2.0
                };
                self.move_history(|view, limits| view.zoom(factor, at_px, limits));
            }
            Action::Pan { px } => {
                self.move_history(|view, limits| view.pan((px * share).round(), limits));
            }
            Action::FitView => {
                self.snapshot.view = None;
                self.fit_history();
            }
            Action::FitWindow => {
                let window = self.snapshot_window().or_else(|| self.snapshot.extent());
                let width = self.snapshot.view_width;
                self.snapshot.view = window.map(|w| View::fit_with_margin(w, width));
                self.move_history(|view, limits| view.within(limits));
            }
            other => return Some(other),
        }
        None
    }

    /// What `Esc` does to the allocator's view: the selected block, the window, the moment.
    pub(in crate::session) fn clears_in_snapshot(&mut self) -> bool {
        if !self.shows_allocator() {
            return false;
        }
        if self.snapshot.selected.take().is_none() {
            if self.snapshot_window().is_some() {
                self.set_snapshot_window(None);
            } else {
                self.snapshot.moment = None;
            }
        }
        true
    }

    /// The window that the snapshot is looked at in: that of the trace where both share it.
    #[must_use]
    pub fn snapshot_window(&self) -> Option<Window> {
        if self.together().is_shared() {
            self.window
        } else {
            self.snapshot.own_window
        }
    }

    pub(super) fn set_snapshot_window(&mut self, window: Option<Window>) {
        if self.together().is_shared() {
            match window {
                Some(window) => self.set_window(window),
                None => self.clear_window(),
            }
        } else {
            self.snapshot.own_window = window;
        }
        if window.is_none() {
            self.snapshot.sites.of = HeldOf::Moment;
        }
    }

    fn look_at_device(&mut self, place: usize) {
        let allocator = &mut self.snapshot;
        if place == allocator.device {
            return;
        }
        allocator.device = place;
        allocator.view = None;
        allocator.selected = None;
        allocator.strips = None;
        allocator.sites.flame.clear();
        self.fit_history();
    }

    fn set_history_width(&mut self, px: f64) {
        let allocator = &mut self.snapshot;
        let is_new = (px - allocator.view_width).abs() >= 0.5;
        if !px.is_finite() || px < 1.0 || !is_new && allocator.view.is_some() {
            return;
        }
        let shown = allocator.view.map(|v| v.visible(allocator.view_width));
        allocator.view_width = px;
        allocator.view = shown.map(|w| View::fit(w, px));
        self.fit_history();
    }

    pub(super) fn fit_history(&mut self) {
        let allocator = &mut self.snapshot;
        if allocator.view.is_none() && allocator.view_width >= 1.0 {
            let extent = allocator.extent();
            let width = allocator.view_width;
            allocator.view = extent.map(|w| View::fit_with_margin(w, width));
        }
    }

    pub(super) fn move_history(&mut self, change: impl FnOnce(View, Limits) -> View) {
        let allocator = &mut self.snapshot;
        if let Some((view, capture)) = allocator.view.zip(allocator.extent()) {
            let limits = Limits {
                capture,
                width_px: allocator.view_width,
            };
            allocator.view = Some(change(view, limits));
        }
    }
}
