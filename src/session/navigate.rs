//! Moving through time: window, view and steps.

use super::{Effect, Session};
use crate::time::{DurNs, Ns, Window};
use crate::timeline::lanes::lane_of;
use crate::timeline::{Limits, View};
use crate::trace::{Basis, Device, DeviceId, DeviceStep, Rank, RankId, SliceRef, StepLabel};

/// A window that is a smaller part of the screen than one in so many is too small to look at.
const TOO_SMALL: i64 = 50;

/// A step as a window that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepWindow {
    /// What it is called.
    pub label: StepLabel,
    /// Where it lies.
    pub window: Window,
    /// Whether the capture cut it.
    pub partial: bool,
}

/// The steps of a device by start, with the windows of a basis: those of the table of steps.
#[must_use]
pub fn step_windows(rank: &Rank, device: &Device, basis: Basis) -> Vec<StepWindow> {
    let of = |steps: &[DeviceStep]| {
        let window = |s: &DeviceStep| StepWindow {
            label: s.label,
            window: s.window,
            partial: s.partial,
        };
        steps.iter().map(window).collect()
    };
    match basis {
        Basis::Device => of(&device.steps),
        Basis::Host => of(&rank.steps_on_host(device)),
    }
}

impl Session {
    /// Selects a slice and brings it into view, its lane too.
    pub(super) fn go_to(&mut self, at: SliceRef) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        if let Some(slice) = trace.slice(at) {
            self.bring_into_view(slice.window());
        }
        if let Some(lane) = lane_of(&trace, at) {
            self.lanes.reveal(lane);
            self.reveal = Some(lane);
        }
        self.select(at)
    }

    /// The same, or says why nothing can be gone to; nothing where nothing is selected.
    pub(super) fn go_to_some(&mut self, at: Option<SliceRef>, why: &str) -> Vec<Effect> {
        match at {
            Some(at) => self.go_to(at),
            None if self.selection.is_some() => {
                self.say(super::Tone::Notice, why);
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// What a slice is linked to: the launch call of a kernel, the first kernel of a launch call.
    #[must_use]
    pub fn linked(&self) -> Option<SliceRef> {
        let at = self.selection?;
        let rank = self.trace.as_ref()?.rank(at.rank)?;
        let slice = rank.slices.get(at.slice)?;
        let linked = match slice.class() {
            Some(_) => rank.links.launch_of(at.slice),
            None => rank.launched_inside(at.slice).next().map(|(_, k)| k.id()),
        };
        linked.map(|slice| SliceRef { slice, ..at })
    }

    /// The CPU op around the selected slice, or the one that launched it.
    #[must_use]
    pub fn op_of_selection(&self) -> Option<SliceRef> {
        let at = self.selection?;
        let rank = self.trace.as_ref()?.rank(at.rank)?;
        let is_gpu = rank.slices.get(at.slice)?.class().is_some();
        let op = if is_gpu {
            rank.launching_op(at.slice)
        } else {
            rank.op_around(at.slice)
        };
        op.map(|slice| SliceRef { slice, ..at })
    }

    /// The whole trace as a window, if it has any time.
    #[must_use]
    pub fn capture(&self) -> Option<Window> {
        self.trace.as_ref()?.capture()
    }

    /// The instant from which relative times count.
    #[must_use]
    pub fn origin(&self) -> Option<Ns> {
        self.trace.as_ref()?.origin()
    }

    pub(super) fn set_window(&mut self, window: Window) {
        self.window = Some(window);
        self.current_step = None;
    }

    pub(super) fn clear_window(&mut self) {
        self.window = None;
        self.current_step = None;
    }

    pub(super) fn set_width(&mut self, px: f64) {
        if !(px.is_finite() && px >= 1.0) || (px - self.view_width).abs() < 0.5 {
            return;
        }
        // The time on screen stays when the window of the program grows or shrinks.
        let shown = self.view.map(|v| v.visible(self.view_width));
        self.view_width = px;
        self.view = shown.map(|w| View::fit(w, px));
        self.show_all_if_no_view();
    }

    pub(super) fn show_all_if_no_view(&mut self) {
        if self.view.is_none() {
            self.fit_all();
        }
    }

    pub(super) fn fit_all(&mut self) {
        if let Some(reach) = self.reach() {
            self.fit(reach);
        }
    }

    pub(super) fn fit_window(&mut self) {
        match self.window.or_else(|| self.selected_window()) {
            Some(window) => self.fit(window),
            None => self.fit_all(),
        }
    }

    /// Shows a part of time with a little room at both sides.
    fn fit(&mut self, window: Window) {
        if self.view_width >= 1.0 {
            self.history.jump();
            self.view = Some(self.held(View::fit_with_margin(window, self.view_width)));
        }
    }

    /// Shows a window: moves the view where it is not wholly on screen, and zooms only where it
    /// does not fit or would be too small to see.
    pub(super) fn bring_into_view(&mut self, window: Window) {
        let Some(view) = self.view else {
            self.fit(window);
            return;
        };
        let shown = view.visible(self.view_width);
        let (wide, narrow) = (shown.len().0, window.len().0);
        if narrow > wide || narrow < wide / TOO_SMALL {
            self.fit(window);
        } else if shown.clip(window) != Some(window) {
            let start = window.start() - DurNs((wide - narrow) / 2);
            let moved = View::fit(Window::new(start, start + shown.len()), self.view_width);
            self.history.jump();
            self.view = Some(self.held(moved));
        }
    }

    /// Puts an instant into the middle of the screen, as wide as now.
    pub(super) fn center(&mut self, at: Ns) {
        let Some(shown) = self.view.map(|v| v.visible(self.view_width)) else {
            return;
        };
        let start = at - DurNs(shown.len().0 / 2);
        let moved = View::fit(Window::new(start, start + shown.len()), self.view_width);
        self.history.jump();
        self.view = Some(self.held(moved));
    }

    /// The step of the focused device with exactly this window.
    pub(super) fn step_of(&self, window: Window) -> Option<StepLabel> {
        let (rank, device) = self.focused()?;
        let steps = step_windows(rank, device, self.settings.basis);
        steps.iter().find(|s| s.window == window).map(|s| s.label)
    }

    fn limits(&self) -> Option<Limits> {
        Some(Limits {
            capture: self.reach()?,
            width_px: self.view_width,
        })
    }

    /// Keeps a view near the capture.
    pub(super) fn held(&self, view: View) -> View {
        self.limits().map_or(view, |limits| view.within(limits))
    }

    pub(super) fn zoom(&mut self, factor: f64, at_px: f64) {
        if let (Some(view), Some(limits)) = (self.view, self.limits()) {
            self.view = Some(view.zoom(factor, at_px, limits));
        }
    }

    pub(super) fn pan(&mut self, px: f64) {
        if let (Some(view), Some(limits)) = (self.view, self.limits()) {
            // By whole pixels what was on screen stays as it is and need not be measured again.
            let wanted = self.pan_rest + px;
            let whole = wanted.round();
            self.pan_rest = if wanted.is_finite() {
                wanted - whole
            } else {
                0.0
            };
            self.view = Some(view.pan(whole, limits));
        }
    }

    pub(super) fn go_to_step(&mut self, rank: RankId, device: DeviceId, label: StepLabel) {
        let found = self.trace.as_ref().and_then(|trace| {
            let rank = trace.rank(rank)?;
            step_windows(rank, rank.device(device)?, self.settings.basis)
                .into_iter()
                .find(|s| s.label == label)
        });
        if let Some(step) = found {
            self.focus = Some((rank, device));
            self.set_window(step.window);
            self.current_step = Some(label);
            self.bring_into_view(self.with_partner(label, step.window));
        }
    }

    /// Goes to a step near the current one; without a current step, to the first or last one that
    /// the window touches.
    pub(super) fn move_step(&mut self, by: isize) {
        let Some((rank, device)) = self.focused() else {
            return;
        };
        let steps = step_windows(rank, device, self.settings.basis);
        let (rank, device) = (rank.id, device.id);
        let current = self
            .current_step
            .and_then(|label| steps.iter().position(|s| s.label == label));
        let target = match (current, self.window) {
            (Some(i), _) => i.checked_add_signed(by),
            (None, Some(window)) if by > 0 => {
                steps.iter().position(|s| s.window.start() > window.start())
            }
            (None, Some(window)) => steps
                .iter()
                .rposition(|s| s.window.start() < window.start()),
            (None, None) if by > 0 => Some(0),
            (None, None) => steps.len().checked_sub(1),
        };
        if let Some(step) = target.and_then(|i| steps.get(i)) {
            self.go_to_step(rank, device, step.label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Query, step_rows};
    use crate::time::Ns;
    use crate::trace::class::KernelClass;
    use crate::trace::{Activity, HostStep, SliceId, Trace};
    use std::sync::Arc;

    /// Busy from 20; the host's steps are `[100, 200)` and `[200, 300)`.
    fn session(basis: Basis) -> Session {
        let w = |a, b| Window::new(Ns(a), Ns(b));
        let label = |number| StepLabel::Number {
            number,
            occurrence: 1,
        };
        let host = |number, window| HostStep {
            label: label(number),
            slice: SliceId(0),
            window,
            partial: false,
        };
        let rank = Rank {
            capture: Some(w(0, 400)),
            devices: vec![Device {
                extent: w(20, 330),
                activity: Activity::new(&[(Ns(20), Ns(330), KernelClass::Computation)]),
                ..Device::default()
            }],
            host_steps: vec![host(1, w(100, 200)), host(2, w(200, 300))],
            ..Rank::default()
        };
        let mut session = Session {
            trace: Some(Arc::new(Trace {
                ranks: vec![rank],
                ..Trace::default()
            })),
            ..Session::default()
        };
        session.settings.basis = basis;
        session
    }

    #[test]
    fn parts_of_pixels_add_up() {
        let mut session = session(Basis::Host);
        session.view_width = 100.0;
        session.view = Some(View::fit(Window::new(Ns(100), Ns(200)), 100.0));
        for _ in 0..10 {
            session.pan(0.37);
        }
        session.pan(f64::NAN);
        session.pan(0.31);
        assert_eq!(session.view.unwrap().left, Ns(104));
    }

    #[test]
    fn keys_and_clicks_choose_the_windows_of_the_table() {
        let mut session = session(Basis::Host);
        let rows = step_rows(
            session.trace.as_ref().unwrap(),
            &Query::default(),
            Basis::Host,
        );
        let table: Vec<_> = rows.iter().map(|r| r.window).collect();
        assert_eq!(table.len(), 3);
        for (i, row) in rows.iter().enumerate() {
            session.move_step(1);
            assert_eq!(session.window, table[i]);
            assert_eq!(
                session.current_step.map(|s| s.to_string()),
                row.step.clone()
            );
        }
        session.go_to_step(RankId(0), DeviceId(0), StepLabel::Before);
        assert_eq!(session.window, Some(Window::new(Ns(20), Ns(100))));
    }
}
