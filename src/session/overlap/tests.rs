//! When launch details are read, when a window is judged, and what is dropped.

use super::*;
use crate::session::{Action, Arrival};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Activity, Device, Rank, Trace};

/// One device with a kernel from 20 to 330.
fn session() -> Session {
    let kernels = [(Ns(20), Ns(330), KernelClass::Computation)];
    let rank = Rank {
        capture: Some(Window::new(Ns(0), Ns(400))),
        devices: vec![Device {
            extent: Window::new(Ns(20), Ns(330)),
            activity: Activity::new(&kernels),
            ..Device::default()
        }],
        ..Rank::default()
    };
    let trace = Trace {
        ranks: vec![rank],
        ..Trace::default()
    };
    Session {
        trace: Some(Arc::new(trace)),
        ..Session::default()
    }
}

fn asked(session: &mut Session) -> Option<u64> {
    match session.refresh_overlap().as_slice() {
        [Effect::ReadLaunches { generation, .. }] => Some(*generation),
        _ => None,
    }
}

fn read(session: &mut Session, generation: u64) {
    let launches = Arc::default();
    let arrival = Arrival::Launches {
        generation,
        launches,
    };
    assert!(session.arrive(arrival).is_empty());
}

fn shown(session: &Session) -> Option<(bool, DurNs)> {
    match session.shown_overlap() {
        OverlapState::Shown(shown) => {
            let analysis = shown.judged.analysis.as_ref()?;
            Some((shown.is_current, analysis.window.len()))
        }
        _ => None,
    }
}

#[test]
fn files_are_read_once_a_load_and_only_for_an_open_panel() {
    let mut session = session();
    let closed = [Section::Verdict, Section::Findings];
    session.closed_sections.extend(closed);
    assert_eq!(asked(&mut session), None);
    session.closed_sections.clear();
    assert_eq!(asked(&mut session), Some(0));
    assert_eq!(asked(&mut session), None, "once");
    assert!(matches!(session.shown_overlap(), OverlapState::Reading));
    read(&mut session, 0);
    assert_eq!(shown(&session), None);
    assert_eq!(asked(&mut session), None);
    assert_eq!(shown(&session), Some((true, DurNs(310))));
    // Another load: what was read for the old one is of no use.
    session.generation = 7;
    assert_eq!(shown(&session), None);
    assert_eq!(asked(&mut session), Some(7));
    read(&mut session, 0);
    assert!(matches!(session.shown_overlap(), OverlapState::Reading));
}

#[test]
fn a_verdict_of_another_window_never_passes_for_current() {
    let mut session = session();
    assert_eq!(asked(&mut session), Some(0));
    read(&mut session, 0);
    assert_eq!(asked(&mut session), None);
    session.set_window(Window::new(Ns(50), Ns(60)));
    assert_eq!(shown(&session), Some((false, DurNs(310))), "dimmed");
    assert_eq!(asked(&mut session), None);
    assert_eq!(shown(&session), Some((true, DurNs(10))));
    // A late answer of an older load changes nothing.
    let mut late = session.overlap_key().expect("a device");
    late.of.0 = 9;
    assert!(
        session
            .arrive(Arrival::Judged(late, Arc::default()))
            .is_empty()
    );
    assert_eq!(shown(&session), Some((true, DurNs(10))));
}

#[test]
fn gaps_are_judged_once_whatever_the_window() {
    let gaps = |session: &Session| match session.shown_overlap() {
        OverlapState::Shown(shown) => shown.judged.analysis.as_ref().map(|a| a.gaps.clone()),
        _ => None,
    };
    let mut session = session();
    asked(&mut session);
    read(&mut session, 0);
    asked(&mut session);
    let first = gaps(&session).expect("a verdict");
    session.set_window(Window::new(Ns(50), Ns(60)));
    asked(&mut session);
    assert_eq!(shown(&session), Some((true, DurNs(10))));
    assert!(Arc::ptr_eq(
        &first,
        &gaps(&session).expect("another verdict")
    ));
    // Clipped kernels leave other gaps.
    session.settings.clip_suspicious = true;
    asked(&mut session);
    assert!(!Arc::ptr_eq(&first, &gaps(&session).expect("a third")));
}

#[test]
fn a_table_that_is_not_there_yet_is_not_written() {
    let mut session = session();
    session
        .closed_sections
        .extend([Section::Verdict, Section::Findings]);
    let panel = CsvPanel::Dilation;
    assert!(session.apply(Action::ExportCsv { panel }).is_empty());
    assert!(session.message.is_some() && !session.is_closed(Section::Verdict));
    assert_eq!(asked(&mut session), Some(0));
    read(&mut session, 0);
    assert_eq!(asked(&mut session), None);
    assert_eq!(session.apply(Action::ExportCsv { panel }).len(), 1);
}
