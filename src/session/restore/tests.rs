//! What is kept of a session and brought back, in which order whatever arrives.

use super::*;
use crate::session::{Action, Arrival};
use crate::time::Ns;
use crate::trace::Rank;
use std::sync::Arc;
use std::time::Duration;

fn loaded(session: &mut Session) {
    let rank = Rank {
        capture: Some(Window::new(Ns(0), Ns(1_000))),
        ..Rank::default()
    };
    let arrival = Arrival::Loaded {
        generation: session.load.as_ref().map_or(0, |l| l.generation),
        trace: Arc::new(Trace {
            ranks: vec![rank],
            ..Trace::default()
        }),
        took: Duration::ZERO,
    };
    let _effects = session.arrive(arrival);
}

fn recalled(session: &mut Session, generation: u64, window: (i64, i64)) {
    let file = SessionFile {
        window: Some(Window::new(Ns(window.0), Ns(window.1)).into()),
        ..SessionFile::new()
    };
    let answer = SessionAnswer::Recalled {
        generation,
        session: Some(Box::new(file)),
        trouble: None,
    };
    let _effects = session.arrive(Arrival::Session(answer));
}

fn open(session: &mut Session) -> u64 {
    let paths = vec![PathBuf::from("a.json")];
    let effects = session.apply(Action::Open { paths });
    assert!(matches!(effects[0], Effect::RecallSession { .. }));
    session.load.as_ref().unwrap().generation
}

#[test]
fn nothing_is_kept_before_the_answer_is_there_whichever_comes_first() {
    let inside = Window::new(Ns(100), Ns(200));
    let mut session = Session::default();
    let generation = open(&mut session);
    recalled(&mut session, generation, (100, 200));
    loaded(&mut session);
    assert_eq!(session.window, Some(inside));
    assert!(session.kept_as().is_some());
    let mut session = Session::default();
    let generation = open(&mut session);
    loaded(&mut session);
    assert!(session.kept_as().is_none());
    // Those of other loads are none of this one's.
    recalled(&mut session, generation + 1, (1, 2));
    assert!(session.kept_as().is_none());
    recalled(&mut session, generation, (100, 200));
    assert_eq!(session.window, Some(inside));
    assert!(session.kept_as().is_some());
}

#[test]
fn a_reload_keeps_what_is_on_screen_and_what_lies_outside_is_dropped() {
    let mut session = Session::default();
    let generation = open(&mut session);
    recalled(&mut session, generation, (5_000, 6_000));
    loaded(&mut session);
    assert_eq!(session.window, None);
    let window = Window::new(Ns(300), Ns(400));
    let _effects = session.apply(Action::SetWindow { window });
    let effects = session.apply(Action::Reload);
    assert!(matches!(effects.as_slice(), [Effect::StartLoad { .. }]));
    let generation = session.load.as_ref().unwrap().generation;
    recalled(&mut session, generation, (100, 200));
    loaded(&mut session);
    assert_eq!(session.window, Some(window));
    assert!(session.kept_as().is_some());
}
