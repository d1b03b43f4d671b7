//! What workers bring for B, and what follows of it for A.

use super::TraceSide;
use super::act::of_other;
use super::in_step::{back, moved};
use crate::session::{Arrival, Effect, Session};
use crate::timeline::View;

impl Session {
    /// Takes in what a worker brings for the second trace.
    pub(in crate::session) fn arrive_for_other(&mut self, arrival: Arrival) -> Vec<Effect> {
        let is_load = matches!(arrival, Arrival::Loaded { .. });
        let before = self.compare.as_ref().map(|c| c.other.generation);
        let mut effects = self.with_other(|other| other.arrive(arrival));
        self.drop_if_empty();
        let after = self.compare.as_ref().map(|c| c.other.generation);
        if is_load && before != after {
            effects.extend(self.other_is_there());
        }
        effects
    }

    /// Does something to B. Where that moved its view or its window, A's move as well, and what B says
    /// is said of B.
    pub(super) fn with_other(
        &mut self,
        act: impl FnOnce(&mut Session) -> Vec<Effect>,
    ) -> Vec<Effect> {
        let Some(mut compare) = self.compare.take() else {
            return Vec::new();
        };
        let other = &mut compare.other;
        let before = (other.generation, other.view, other.window);
        let effects = act(other);
        let is_same_trace = other.generation == before.0;
        let (view, window) = (other.view, other.window);
        self.other_loads = other.last_load;
        if let Some(mut message) = other.message.take() {
            message.text = format!("B: {}", message.text);
            self.message = Some(message);
        }
        self.compare = Some(compare);
        let Some(shift) = self.shift().filter(|_| is_same_trace) else {
            return of_other(effects);
        };
        if window != before.2 {
            match window {
                Some(window) => self.set_window(window.moved(back(shift))),
                None => self.clear_window(),
            }
        }
        if let Some(view) = view.filter(|_| view != before.1) {
            self.history.jump();
            self.view = Some(self.held(moved(view, back(shift))));
        }
        of_other(effects)
    }

    /// Without a trace and without a load there is nothing to compare with.
    pub(super) fn drop_if_empty(&mut self) {
        let is_empty = |c: &super::Compare| c.other.trace.is_none() && c.other.load.is_none();
        if self.compare.as_deref().is_some_and(is_empty) {
            self.compare = None;
        }
    }

    /// B was loaded: puts it beside A, as it was the last time or by the first steps.
    fn other_is_there(&mut self) -> Vec<Effect> {
        let stored = self.compare.as_mut().and_then(|c| c.as_before.take());
        // Nobody chose a device yet: the first one that both have.
        let pairs = self.compared_devices().map(|found| found.2);
        if let Some(pair) = pairs.and_then(|found| found.pairs.first().copied())
            && self.focus.is_none()
        {
            self.focus = Some(pair.a);
        }
        let focus = self.focused().map(|(rank, device)| (rank.id, device.id));
        let whole = self
            .capture()
            .map(|c| View::fit_with_margin(c, self.view_width));
        let is_whole = self.view.is_some() && self.view == whole.map(|view| self.held(view));
        let offset = stored.as_ref().and_then(super::StoredCompare::offset);
        let mut effects = Vec::new();
        if let Some(compare) = &mut self.compare {
            compare.other.focus_same(focus);
            compare.last = TraceSide::A;
            compare.set_offset(offset.unwrap_or_default());
            if let Some(stored) = &stored {
                stored.restore(&mut compare.other);
            }
            self.settings.remember(&compare.other.sources);
            effects.push(Effect::SaveSettings);
        }
        if offset.is_none() {
            self.align_at_start();
        }
        // Whoever looks at the whole of A is shown the whole of both.
        if is_whole {
            self.fit_all();
        }
        effects
    }

    /// A was loaded anew: B stays beside it, and is aligned again unless it is the same trace.
    pub(in crate::session) fn first_is_there(&mut self, is_again: bool) {
        if self.other().is_none() {
            return;
        }
        let focus = self.focused().map(|(rank, device)| (rank.id, device.id));
        if let Some(compare) = &mut self.compare {
            compare.other.focus_same(focus);
        }
        if !is_again {
            self.align_at_start();
        }
    }

    /// Puts the same device first as in another trace, where there is one.
    pub(super) fn focus_same(
        &mut self,
        device: Option<(crate::trace::RankId, crate::trace::DeviceId)>,
    ) {
        let is_here = |(rank, device)| {
            let rank = self.trace.as_ref().and_then(|t| t.rank(rank));
            rank.is_some_and(|r| r.device(device).is_some())
        };
        if let Some(device) = device.filter(|d| is_here(*d)) {
            self.focus = Some(device);
        }
    }

    /// What followed an action of A's for the choice of devices and sides.
    pub(in crate::session) fn follow_choice(
        &mut self,
        selection: Option<crate::trace::SliceRef>,
        focus: Option<(crate::trace::RankId, crate::trace::DeviceId)>,
    ) {
        let (now, device) = (self.selection, self.focus);
        let Some(compare) = &mut self.compare else {
            return;
        };
        if now != selection && now.is_some() {
            compare.last = TraceSide::A;
        }
        if device != focus {
            compare.other.focus_same(device);
        }
    }
}
