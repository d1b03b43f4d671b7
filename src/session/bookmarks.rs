//! Places that the user marked, each with a number and a note: [`Bookmarks`].

use super::{Effect, Session, Tone};
use crate::time::Window;
use crate::timeline::LaneKey;
use crate::timeline::lanes::{lane_of, same_slice};

/// What was marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marked {
    /// The window; its step's name, if it was one.
    Window(Option<String>),
    /// A slice of a lane, by its name.
    Slice(LaneKey, String),
    /// The middle of the view.
    Moment,
}

/// A place that the user marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// Its number, which no other one gets.
    pub number: u32,
    /// Where it is; empty for a moment.
    pub window: Window,
    /// What was marked.
    pub what: Marked,
    /// What the user wrote.
    pub note: String,
}

impl Bookmark {
    /// What was marked, in a few words.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.what {
            Marked::Window(Some(step)) => format!("step {step}"),
            Marked::Window(None) => "window".to_owned(),
            Marked::Slice(_, name) => name.clone(),
            Marked::Moment => "moment".to_owned(),
        }
    }
}

/// All marks, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bookmarks {
    /// The marks in the order in which they were made.
    pub list: Vec<Bookmark>,
    /// The highest number that was given, so that a deleted one does not come back as another.
    pub last: u32,
}

/// What a view may ask of the bookmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookmarkAction {
    /// Marks the window, else the selected slice, else the middle of the view.
    Add,
    /// Shows a mark, and makes its window the current one where it was one.
    GoTo(u32),
    /// The note of a mark changed.
    Edit(u32, String),
    /// Takes a mark away.
    Delete(u32),
}

impl Session {
    pub(super) fn apply_to_bookmarks(&mut self, action: BookmarkAction) -> Vec<Effect> {
        match action {
            BookmarkAction::Add => self.bookmark(),
            BookmarkAction::GoTo(number) => return self.go_to_bookmark(number),
            BookmarkAction::Edit(number, note) => {
                let marks = &mut self.bookmarks.list;
                if let Some(mark) = marks.iter_mut().find(|m| m.number == number) {
                    mark.note = note;
                }
            }
            BookmarkAction::Delete(number) => {
                self.bookmarks.list.retain(|m| m.number != number);
            }
        }
        Vec::new()
    }

    fn bookmark(&mut self) {
        let Some((window, what)) = self.to_mark() else {
            return;
        };
        let number = self.bookmarks.last.saturating_add(1);
        self.bookmarks.last = number;
        let mark = Bookmark {
            number,
            window,
            what,
            note: String::new(),
        };
        let said = format!("bookmark {number}: {} (B lists them)", mark.title());
        self.bookmarks.list.push(mark);
        self.say(Tone::Notice, said);
    }

    fn to_mark(&self) -> Option<(Window, Marked)> {
        let trace = self.trace.as_ref()?;
        if let Some(window) = self.window {
            let step = self.current_step.map(|step| step.to_string());
            return Some((window, Marked::Window(step)));
        }
        let selected = self.selection.and_then(|at| {
            let slice = trace.slice(at)?;
            let name = trace.names.get(slice.name()).to_owned();
            Some((slice.window(), Marked::Slice(lane_of(trace, at)?, name)))
        });
        selected.or_else(|| {
            let middle = self.view?.nearest_time(self.view_width / 2.0);
            Some((Window::new(middle, middle), Marked::Moment))
        })
    }

    fn go_to_bookmark(&mut self, number: u32) -> Vec<Effect> {
        let mut marks = self.bookmarks.list.iter();
        let Some(mark) = marks.find(|m| m.number == number).cloned() else {
            return Vec::new();
        };
        match mark.what {
            Marked::Window(_) => {
                self.set_window(mark.window);
                self.current_step = self.step_of(mark.window);
                self.bring_into_view(mark.window);
            }
            Marked::Slice(lane, name) => {
                let trace = self.trace.as_ref();
                let found = trace.and_then(|t| same_slice(t, lane, mark.window, &name));
                if let Some(slice) = found {
                    return self.go_to(slice);
                }
                self.bring_into_view(mark.window);
                self.say(
                    Tone::Notice,
                    format!("the slice of bookmark {number} is not in what is loaded now"),
                );
            }
            Marked::Moment => self.center(mark.window.start()),
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Action;
    use crate::time::Ns;
    use crate::trace::{Rank, Trace};
    use std::sync::Arc;

    fn act(session: &mut Session, action: BookmarkAction) {
        let _effects = session.apply(Action::Bookmark(action));
    }

    #[test]
    fn marks_keep_their_numbers_and_lead_back() {
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
        act(&mut session, BookmarkAction::Add);
        assert!(session.bookmarks.list.is_empty(), "nothing is shown yet");
        let _effects = session.apply(Action::ViewWidth { px: 1_000.0 });
        act(&mut session, BookmarkAction::Add);
        let window = Window::new(Ns(1_000), Ns(2_000));
        let _effects = session.apply(Action::ShowWindow { window });
        act(&mut session, BookmarkAction::Add);
        assert_eq!(session.bookmarks.list[0].what, Marked::Moment);
        assert_eq!(session.bookmarks.list[1].what, Marked::Window(None));
        act(&mut session, BookmarkAction::Edit(1, "here".into()));
        act(&mut session, BookmarkAction::Delete(2));
        act(&mut session, BookmarkAction::Add);
        let numbers: Vec<u32> = session.bookmarks.list.iter().map(|m| m.number).collect();
        assert_eq!(numbers, [1, 3]);
        let _effects = session.apply(Action::ClearWindow);
        act(&mut session, BookmarkAction::GoTo(1));
        assert_eq!(session.window, None);
        let middle = session.view.unwrap().nearest_time(500.0);
        assert!((middle.0 - 500_000).abs() < 10, "{middle:?}");
        act(&mut session, BookmarkAction::GoTo(3));
        assert_eq!(session.window, Some(window));
    }
}
