//! Two traces in one session: who follows whom, and what becomes of loads.

use super::*;
use crate::session::{Action, Arrival, StepWindow};
use crate::time::{Ns, Window};
use crate::timeline::View;
use crate::trace::class::KernelClass;
use crate::trace::{Activity, Device, DeviceId, HostStep, Rank, RankId, SliceId, StepLabel, Trace};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;

fn w(a: i64, b: i64) -> Window {
    Window::new(Ns(a), Ns(b))
}

fn label(number: i64) -> StepLabel {
    StepLabel::Number {
        number,
        occurrence: 1,
    }
}

/// A trace of one device from an instant on, with steps of a length.
fn trace(from: i64, numbers: std::ops::Range<i64>, len: i64) -> Arc<Trace> {
    let first = numbers.start;
    let step = |number| {
        let start = from + 100 + (number - first) * len;
        HostStep {
            label: label(number),
            slice: SliceId(0),
            window: w(start, start + len),
            partial: false,
        }
    };
    let host_steps: Vec<HostStep> = numbers.map(step).collect();
    let end = host_steps.last().map_or(from + 1_000, |s| s.window.end().0);
    let rank = Rank {
        capture: Some(w(from, end + 100)),
        devices: vec![Device {
            extent: w(from + 50, end),
            activity: Activity::new(&[(Ns(from + 50), Ns(end), KernelClass::Computation)]),
            ..Device::default()
        }],
        host_steps,
        ..Rank::default()
    };
    Arc::new(Trace {
        ranks: vec![rank],
        ..Trace::default()
    })
}

fn act(session: &mut Session, action: Action) -> Vec<Effect> {
    session.apply(action)
}

fn of_b(session: &mut Session, action: Action) -> Vec<Effect> {
    act(
        session,
        Action::Compare(CompareAction::Other(Box::new(action))),
    )
}

fn loaded(generation: u64, trace: Arc<Trace>) -> Arrival {
    Arrival::Loaded {
        generation,
        trace,
        took: Duration::ZERO,
    }
}

fn other(arrival: Arrival) -> Arrival {
    Arrival::Other(Box::new(arrival))
}

/// A with steps 1 to 4 of 100, B 1_000_000 later with steps of 130.
fn comparing() -> Session {
    let mut session = Session::default();
    session.settings.basis = crate::trace::Basis::Host;
    open(&mut session, "a.json");
    let asked = CompareAction::With(vec![PathBuf::from("b.json")]);
    assert!(
        act(&mut session, Action::Compare(asked)).is_empty(),
        "it waits for A"
    );
    let effects = session.arrive(loaded(1, trace(0, 1..5, 100)));
    let starts = effects
        .iter()
        .any(|e| matches!(e, Effect::Other(e) if matches!(&**e, Effect::StartLoad { .. })));
    assert!(starts, "{effects:?}");
    let effects = session.arrive(other(loaded(1, trace(1_000_000, 1..5, 130))));
    assert_eq!(effects, [Effect::SaveSettings]);
    act(&mut session, Action::ViewWidth { px: 1_000.0 });
    session
}

fn open(session: &mut Session, path: &str) {
    let paths = vec![PathBuf::from(path)];
    let effects = act(session, Action::Open { paths });
    assert_eq!(effects.len(), 2);
}

fn shown(session: &Session) -> Window {
    session.view.unwrap().visible(session.view_width)
}

#[test]
fn the_first_steps_stand_on_each_other_and_views_move_together() {
    let mut session = comparing();
    assert_eq!(session.side(), Some(TraceSide::A));
    assert_eq!(session.other().unwrap().side(), Some(TraceSide::B));
    assert_eq!(session.shift(), Some(DurNs(1_000_000)));
    // The whole of both: B is the longer one.
    assert_eq!(session.reach(), Some(w(0, 720)));
    let apart = |s: &Session| shown(s.other().unwrap()).start() - shown(s).start();
    for action in [
        Action::Pan { px: 37.0 },
        Action::ZoomAt {
            factor: 3.0,
            at_px: 200.0,
        },
    ] {
        act(&mut session, action.clone());
        let before = session.view;
        assert_eq!(apart(&session), DurNs(1_000_000));
        of_b(&mut session, action);
        assert_ne!(session.view, before);
        assert_eq!(apart(&session), DurNs(1_000_000));
    }
    // A view that B goes to is A's too.
    let view = View::fit(w(1_000_400, 1_000_500), 1_000.0);
    of_b(&mut session, Action::SetView { view });
    assert_eq!(shown(&session), w(400, 500));
    assert_eq!(session.other().unwrap().view, Some(view));
    act(&mut session, Action::ViewBack);
    assert_eq!(apart(&session), DurNs(1_000_000));
}

#[test]
fn a_window_of_either_is_the_window_of_both_and_steps_are_whole() {
    let mut session = comparing();
    let both = |s: &Session| (s.window, s.other().unwrap().window);
    act(
        &mut session,
        Action::SetWindow {
            window: w(120, 180),
        },
    );
    assert_eq!(
        both(&session),
        (Some(w(120, 180)), Some(w(1_000_120, 1_000_180)))
    );
    let window = w(1_000_300, 1_000_350);
    of_b(&mut session, Action::SetWindow { window });
    assert_eq!(both(&session), (Some(w(300, 350)), Some(window)));
    // Step 2 of both, each as long as it is.
    act(
        &mut session,
        Action::GoToStep {
            rank: RankId(0),
            device: DeviceId(0),
            label: label(2),
        },
    );
    assert_eq!(
        both(&session),
        (Some(w(200, 300)), Some(w(1_000_230, 1_000_360)))
    );
    act(&mut session, Action::NextStep);
    assert_eq!(
        both(&session),
        (Some(w(300, 400)), Some(w(1_000_360, 1_000_490)))
    );
    assert_eq!(session.other().unwrap().current_step, Some(label(3)));
    act(
        &mut session,
        Action::Compare(CompareAction::Align(Alignment::Windows)),
    );
    assert_eq!(session.shift(), Some(DurNs(1_000_060)));
    // From B's side.
    of_b(
        &mut session,
        Action::GoToStep {
            rank: RankId(0),
            device: DeviceId(0),
            label: label(1),
        },
    );
    assert_eq!(
        both(&session),
        (Some(w(100, 200)), Some(w(1_000_100, 1_000_230)))
    );
    act(&mut session, Action::ClearWindow);
    assert_eq!(both(&session), (None, None));
}

#[test]
fn a_shift_is_typed_and_taken_back() {
    let mut session = comparing();
    let edit = |session: &mut Session, text: &str| {
        act(
            session,
            Action::Compare(CompareAction::EditShift(text.to_owned())),
        );
        let compare = session.compare.as_ref().unwrap();
        (compare.offset.0, compare.shift_trouble.is_some())
    };
    assert_eq!(edit(&mut session, "-1.5 us"), (-1_500, false));
    assert_eq!(session.shift(), Some(DurNs(998_500)));
    assert_eq!(edit(&mut session, "-1.5"), (-1_500, true));
    assert_eq!(edit(&mut session, "0"), (0, false));
    assert_eq!(edit(&mut session, "9999999999 s"), (0, true));
    let align = Action::Compare(CompareAction::Align(Alignment::FirstSteps));
    edit(&mut session, "3 us");
    act(&mut session, align);
    assert_eq!(session.shift(), Some(DurNs(1_000_000)));
    let nothing = Action::Compare(CompareAction::Align(Alignment::Selected));
    act(&mut session, nothing);
    assert!(
        session
            .message
            .take()
            .unwrap()
            .text
            .contains("select a slice in A")
    );
}

#[test]
fn a_failed_load_of_b_leaves_a_as_it_was() {
    let mut session = Session::default();
    open(&mut session, "a.json");
    let _effects = session.arrive(loaded(1, trace(0, 1..5, 100)));
    act(
        &mut session,
        Action::SetWindow {
            window: w(120, 180),
        },
    );
    let with = |session: &mut Session| {
        let asked = CompareAction::With(vec![PathBuf::from("b.json")]);
        act(session, Action::Compare(asked))
    };
    assert_eq!(with(&mut session).len(), 1);
    let failed = |generation| {
        other(Arrival::LoadFailed {
            generation,
            sentence: "b.json: is no trace".to_owned(),
        })
    };
    let _effects = session.arrive(failed(1));
    assert!(session.compare.is_none());
    assert_eq!(
        session.message.take().unwrap().text,
        "B: b.json: is no trace"
    );
    assert_eq!(session.window, Some(w(120, 180)));
    // Numbers of loads go on, so that nothing of the first B is taken for the second one's.
    with(&mut session);
    let _effects = session.arrive(other(loaded(1, trace(0, 1..5, 100))));
    assert!(session.other().is_none());
    let _effects = session.arrive(other(loaded(2, trace(0, 1..5, 100))));
    assert!(session.other().is_some());
    // One that is there stays until another one is.
    with(&mut session);
    let _effects = session.arrive(failed(3));
    assert!(session.other().is_some());
    let effects = act(&mut session, Action::Compare(CompareAction::Stop));
    assert_eq!(effects, [Effect::Other(Box::new(Effect::CancelLoad))]);
    assert!(session.compare.is_none() && session.side().is_none());
    assert_eq!(session.window, Some(w(120, 180)));
}

#[test]
fn another_first_trace_is_compared_with_the_same_second_one() {
    let mut session = comparing();
    open(&mut session, "c.json");
    let _effects = session.arrive(loaded(2, trace(500, 1..5, 100)));
    assert_eq!(session.shift(), Some(DurNs(999_500)));
    // A reload keeps the shift.
    act(
        &mut session,
        Action::Compare(CompareAction::EditShift("7 us".to_owned())),
    );
    act(&mut session, Action::Reload);
    let _effects = session.arrive(loaded(3, trace(500, 1..5, 100)));
    assert_eq!(session.compare.as_ref().unwrap().offset, DurNs(7_000));
}

#[test]
fn a_kept_session_brings_b_and_the_shift_back() {
    let mut session = comparing();
    act(
        &mut session,
        Action::Compare(CompareAction::EditShift("7 us".to_owned())),
    );
    let json = session.session_json().unwrap();
    let file = crate::session::SessionFile::from_json(&json).unwrap();
    let mut again = Session::default();
    open(&mut again, "a.json");
    let answer = crate::session::SessionAnswer::Recalled {
        generation: 1,
        session: Some(Box::new(file)),
        trouble: None,
    };
    let _effects = again.arrive(Arrival::Session(answer));
    let effects = again.arrive(loaded(1, trace(0, 1..5, 100)));
    assert!(
        effects.iter().any(|e| matches!(e, Effect::Other(_))),
        "{effects:?}"
    );
    // What is written before B is there still names it and its shift.
    let kept: serde_json::Value = serde_json::from_str(&again.session_json().unwrap()).unwrap();
    assert_eq!(kept["compare"]["shift_ns"], 7_000);
    let _effects = again.arrive(other(loaded(1, trace(1_000_000, 1..5, 130))));
    assert_eq!(again.compare.as_ref().unwrap().offset, DurNs(7_000));
    let kept: serde_json::Value = serde_json::from_str(&again.session_json().unwrap()).unwrap();
    let before: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(kept["compare"], before["compare"]);
}

proptest! {
    /// Whatever is done on either side, both show the same place and the same window.
    #[test]
    fn both_stay_in_step(acts in prop::collection::vec((any::<bool>(), 0..6_u8, -500.0..500.0_f64), 1..40)) {
        let mut session = comparing();
        for (on_b, kind, x) in acts {
            #[expect(clippy::cast_possible_truncation, reason = "a small number")]
            let at = x as i64;
            let base = if on_b { 1_000_000 } else { 0 };
            let action = match kind {
                0 => Action::Pan { px: x },
                1 => Action::ZoomAt { factor: 1.0 + x.abs() / 300.0, at_px: x.abs() },
                2 => Action::ZoomAt { factor: 1.0 / (1.0 + x.abs() / 300.0), at_px: x.abs() },
                3 => Action::SetWindow { window: w(base + at, base + at + 77) },
                4 => Action::Compare(CompareAction::EditShift(format!("{at} ns"))),
                _ => Action::FitView,
            };
            if on_b && kind != 4 {
                of_b(&mut session, action);
            } else {
                act(&mut session, action);
            }
            let shift = session.shift().unwrap();
            let b = session.other().unwrap();
            let (va, vb) = (session.view.unwrap(), b.view.unwrap());
            prop_assert_eq!(vb.left - va.left, shift);
            prop_assert_eq!((va.sub_ns, va.ns_per_px), (vb.sub_ns, vb.ns_per_px));
            prop_assert_eq!(session.window.map(|w| w.moved(shift)), b.window);
            prop_assert_eq!(b.window.map(|w| w.moved(DurNs(-shift.0))), session.window);
        }
    }
}

#[test]
fn steps_are_paired_once_for_all() {
    let session = comparing();
    let pairs = session.paired_steps();
    let lens = |s: &StepWindow| s.window.len().0;
    let of: Vec<(i64, i64)> = pairs
        .iter()
        .filter(|(a, _)| a.label != StepLabel::Before)
        .map(|(a, b)| (lens(a), b.as_ref().map_or(0, lens)))
        .collect();
    assert_eq!(of, [(100, 130); 4]);
}
