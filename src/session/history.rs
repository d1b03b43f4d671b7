//! Back and forward through the parts of time that were looked at: [`ViewHistory`].
//!
//! A jump is an entry at once; what is panned and zoomed becomes one when it has gone a screen or a
//! factor of four away from the last entry, so that a way back has few stops.

use super::Session;
use crate::time::Window;
use crate::timeline::View;

/// How many entries are kept each way.
const MOST: usize = 200;
/// A view whose scale is this many times another one's is another place.
const FAR_ZOOM: i64 = 4;

/// A view, and the width that it was drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    view: View,
    width: f64,
}

impl Place {
    fn shown(self) -> Window {
        self.view.visible(self.width)
    }

    /// The same time on a screen of another width; exactly the same view on one of the same.
    fn at_width(self, width: f64) -> View {
        if (width - self.width).abs() < 0.5 {
            self.view
        } else {
            View::fit(self.shown(), width)
        }
    }
}

/// Where the view was, and where it was before the way back was gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewHistory {
    past: Vec<Place>,
    future: Vec<Place>,
    /// Where the last entry would lead if the view went on from here.
    last: Option<Place>,
    /// Whether the action that is being applied jumps.
    jumps: bool,
}

impl ViewHistory {
    /// Whether there is a way back.
    #[must_use]
    pub fn has_past(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether a way back was gone that can be gone forward again.
    #[must_use]
    pub fn has_future(&self) -> bool {
        !self.future.is_empty()
    }

    /// The history of a trace that was just opened.
    pub(super) fn from(place: Option<Place>) -> Self {
        Self {
            last: place,
            ..Self::default()
        }
    }

    /// Tells that the view is not moved but put somewhere.
    pub(super) fn jump(&mut self) {
        self.jumps = true;
    }

    /// Takes in what an action did to the view.
    fn note(&mut self, before: Option<Place>, after: Option<Place>) {
        let jumped = std::mem::take(&mut self.jumps);
        let Some(after) = after.filter(|after| before != Some(*after)) else {
            return;
        };
        match (before, self.last) {
            (Some(before), _) if jumped => self.push(before, after),
            (_, Some(last)) if is_far(last.shown(), after.shown()) => self.push(last, after),
            (_, Some(_)) => {}
            (_, None) => self.last = Some(before.unwrap_or(after)),
        }
    }

    fn push(&mut self, left: Place, now: Place) {
        self.past.push(left);
        if self.past.len() > MOST {
            self.past.remove(0);
        }
        self.future.clear();
        self.last = Some(now);
    }

    fn back(&mut self, now: Place) -> Option<Place> {
        let to = self.past.pop()?;
        self.future.push(now);
        self.last = Some(to);
        Some(to)
    }

    fn forward(&mut self, now: Place) -> Option<Place> {
        let to = self.future.pop()?;
        self.past.push(now);
        self.last = Some(to);
        Some(to)
    }
}

/// Whether two parts of time are a screen or a factor apart. The smaller of the two is the screen.
fn is_far(a: Window, b: Window) -> bool {
    let (wide, narrow) = (a.len().max(b.len()).0, a.len().min(b.len()).0);
    let middle = |w: Window| w.start().0.saturating_add(w.len().0 / 2);
    wide / FAR_ZOOM >= narrow.max(1) || middle(a).saturating_sub(middle(b)).abs() > narrow
}

impl Session {
    /// Where the view is.
    pub(super) fn place(&self) -> Option<Place> {
        self.view.map(|view| Place {
            view,
            width: self.view_width,
        })
    }

    /// To be called after everything that may have moved the view, with the place before.
    pub(super) fn note_view(&mut self, before: Option<Place>) {
        let after = self.place();
        self.history.note(before, after);
    }

    pub(super) fn view_back(&mut self) {
        self.travel(ViewHistory::back);
    }

    pub(super) fn view_forward(&mut self) {
        self.travel(ViewHistory::forward);
    }

    fn travel(&mut self, step: fn(&mut ViewHistory, Place) -> Option<Place>) {
        let Some(now) = self.place() else {
            return;
        };
        if let Some(to) = step(&mut self.history, now) {
            self.view = Some(self.held(to.at_width(self.view_width)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Action;
    use crate::time::Ns;
    use crate::trace::{Rank, Trace};
    use std::sync::Arc;

    fn session() -> Session {
        let rank = Rank {
            capture: Some(Window::new(Ns(0), Ns(1_000_000))),
            ..Rank::default()
        };
        let mut session = Session {
            trace: Some(Arc::new(Trace {
                ranks: vec![rank],
                ..Trace::default()
            })),
            ..Session::default()
        };
        act(&mut session, Action::ViewWidth { px: 1_000.0 });
        session
    }

    fn act(session: &mut Session, action: Action) {
        let _effects = session.apply(action);
    }

    fn shown(session: &Session) -> (i64, i64) {
        let window = session.view.unwrap().visible(session.view_width);
        (window.start().0, window.end().0)
    }

    fn show(session: &mut Session, from: i64, to: i64) {
        let window = Window::new(Ns(from), Ns(to));
        act(session, Action::ShowWindow { window });
    }

    #[test]
    fn jumps_are_gone_back_and_forward_exactly() {
        let mut session = session();
        assert!(!session.history.has_past());
        let whole = shown(&session);
        show(&mut session, 10_000, 20_000);
        let first = shown(&session);
        // A little to the side belongs to the same place; the way leads back to where it was left.
        act(&mut session, Action::Pan { px: 100.0 });
        let aside = shown(&session);
        assert_ne!(aside, first);
        show(&mut session, 500_000, 510_000);
        let second = shown(&session);
        act(&mut session, Action::ViewBack);
        assert_eq!(shown(&session), aside);
        act(&mut session, Action::ViewBack);
        assert_eq!(shown(&session), whole);
        act(&mut session, Action::ViewBack);
        assert_eq!(shown(&session), whole);
        act(&mut session, Action::ViewForward);
        act(&mut session, Action::ViewForward);
        assert_eq!(shown(&session), second);
        assert!(!session.history.has_future());
    }

    #[test]
    fn a_pan_is_an_entry_once_it_went_a_screen_and_a_zoom_from_a_factor_of_four() {
        let mut session = session();
        show(&mut session, 400_000, 410_000);
        let entries = session.history.past.len();
        for _ in 0..9 {
            act(&mut session, Action::Pan { px: 100.0 });
        }
        assert_eq!(session.history.past.len(), entries);
        for _ in 0..3 {
            act(&mut session, Action::Pan { px: 100.0 });
        }
        assert_eq!(session.history.past.len(), entries + 1);
        let zoom = Action::ZoomAt {
            factor: 1.9,
            at_px: 500.0,
        };
        act(&mut session, zoom.clone());
        act(&mut session, zoom.clone());
        assert_eq!(session.history.past.len(), entries + 1);
        act(&mut session, zoom);
        assert_eq!(session.history.past.len(), entries + 2);
    }

    #[test]
    fn another_way_forgets_the_way_forward_and_a_jump_to_the_same_place_is_none() {
        let mut session = session();
        act(&mut session, Action::FitView);
        assert!(!session.history.has_past());
        show(&mut session, 10_000, 20_000);
        act(&mut session, Action::ViewBack);
        assert!(session.history.has_future());
        show(&mut session, 30_000, 40_000);
        assert!(!session.history.has_future());
        // Another width shows the same time.
        act(&mut session, Action::ViewWidth { px: 500.0 });
        let entries = session.history.past.len();
        act(&mut session, Action::ViewBack);
        assert_eq!(entries, session.history.past.len() + 1);
        let (from, to) = shown(&session);
        assert!(from <= 0 && to >= 1_000_000);
    }
}
