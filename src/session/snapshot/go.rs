//! Going to moments of the recording: the times that memory ran out, the peak. Reading the file again.

use super::{AsBefore, SnapshotEffect};
use crate::session::{Effect, Recall, Session, Tone};
use crate::time::{DurNs, Ns, Window};

impl Session {
    /// Looks at the next time that memory ran out, or at the one before; round about at the ends.
    pub(super) fn go_to_oom(&mut self, later: bool) {
        let Some((_, _, recorded)) = self.snapshot.focused() else {
            return self.say_no_snapshot();
        };
        let mut times = recorded.ooms.iter().map(|oom| oom.time);
        let mut back = recorded.ooms.iter().rev().map(|oom| oom.time);
        let (first, last) = (times.clone().next(), back.clone().next());
        // Without a moment the end is looked at.
        let found = match (self.snapshot.moment, later) {
            (Some(at), true) => times.find(|time| *time > at),
            (Some(at), false) => back.find(|time| *time < at),
            (None, _) => None,
        };
        match found.or(if later { first } else { last }) {
            Some(at) => self.go_to_moment(at),
            None => self.say(Tone::Notice, "memory never ran out in this recording"),
        }
    }

    /// Looks at the moment when most was allocated.
    pub(super) fn go_to_peak(&mut self) {
        let Some((_, _, recorded)) = self.snapshot.focused() else {
            return self.say_no_snapshot();
        };
        let history = &recorded.history;
        let window = history.extent.and_then(|extent| {
            let chosen = self.snapshot_window();
            chosen.map_or(Some(extent), |window| window.clip(extent))
        });
        // The last event stands at the end, which a window leaves out.
        let window = window.map(|w| Window::new(w.start(), w.end().max(w.start() + DurNs(1))));
        let peak = window.and_then(|window| history.requested.extremes(window));
        match peak {
            Some(peak) => self.go_to_moment(peak.max.at),
            None => self.say(Tone::Notice, "nothing was recorded there"),
        }
    }

    fn say_no_snapshot(&mut self) {
        self.say(Tone::Notice, "no allocator snapshot is open");
    }

    /// Looks at a moment in the allocator's view, and brings it onto the screen.
    fn go_to_moment(&mut self, at: Ns) {
        self.snapshot.moment = Some(at);
        self.snapshot.is_in_front = true;
        self.move_history(|view, limits| {
            let x = view.x_of(at);
            if (0.0..=limits.width_px).contains(&x) {
                return view;
            }
            view.pan((x - limits.width_px / 2.0).round(), limits)
        });
    }

    /// Reads the file again; how it is looked at stays where it still fits.
    pub(in crate::session) fn reload_snapshot(&mut self) -> Vec<Effect> {
        let Some(path) = self.snapshot.open.as_ref().map(|open| open.path.clone()) else {
            return Vec::new();
        };
        let stored = self.stored_snapshot();
        let mut effects = self.open_snapshot(path);
        // What is on screen is newer than what was kept.
        effects.retain(|e| !matches!(e, Effect::Snapshot(SnapshotEffect::Recall { .. })));
        let allocator = &mut self.snapshot;
        if let Some(load) = &mut allocator.load {
            load.recall = Recall::None;
        }
        let is_reload = true;
        allocator.as_before = stored.map(|stored| AsBefore { stored, is_reload });
        effects
    }
}
