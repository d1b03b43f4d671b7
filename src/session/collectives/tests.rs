//! When the panel is measured, and by whom.

use super::super::{Arrival, CsvPanel, Settings};
use super::*;
use crate::time::{DurNs, Ns};
use crate::trace::class::KernelClass;
use crate::trace::{
    Category, DeviceId, FileId, Health, Lane, RankBuilder, RankId, RawSlice, RowKey, SourceSpan,
    StreamId, Trace,
};
use std::sync::Arc;

/// More than are measured between two frames, each for itself or by group.
const MANY: usize = MOST_AT_ONCE / 5 + 1;

/// So many communication kernels of 10 ns side by side, each 20 ns behind the one before.
fn session(kernels: usize) -> Session {
    let mut rank = RankBuilder::new(FileId(0));
    let lane = rank.lane(Lane::Stream {
        device: DeviceId(0),
        stream: StreamId(20),
        key: RowKey {
            pid: "0".to_owned(),
            tid: "20".to_owned(),
        },
    });
    let name = rank.names.intern("ncclDevKernel_AllReduce");
    for start in (0..).step_by(20).take(kernels) {
        rank.push_slice(RawSlice {
            start: Ns(start),
            dur: DurNs(10),
            name,
            category: Category::Gpu,
            class: Some(KernelClass::Communication),
            lane,
            correlation: None,
            external: None,
            source: SourceSpan::default(),
        });
    }
    rank.survey();
    let parts = rank.finish(RankId(0), DurNs::ZERO, false);
    let trace = Trace::assemble(Vec::new(), vec![parts], Health::default());
    Session {
        trace: Some(Arc::new(trace)),
        ..Session::new(Settings::default(), Arc::default())
    }
}

fn is_current(session: &Session) -> Option<bool> {
    session.shown_collectives().map(|shown| shown.is_current)
}

/// What the worker is asked of collectives.
fn asked(session: &mut Session) -> Option<CollectiveKey> {
    let effects = session.refresh_tables();
    effects.into_iter().find_map(|effect| match effect {
        Effect::Measure {
            question: Question::Collectives(key),
            ..
        } => Some(key),
        _ => None,
    })
}

fn answer(session: &mut Session, key: CollectiveKey) {
    let trace = session.trace.clone().expect("a trace");
    let answer = Question::Collectives(key).answer(&trace);
    assert!(session.arrive(Arrival::Measured(answer)).is_empty());
}

#[test]
fn few_are_measured_at_once_and_a_window_of_many_may_hold_few() {
    let mut few = session(3);
    assert_eq!(is_current(&few), None);
    assert_eq!(asked(&mut few), None);
    assert_eq!(is_current(&few), Some(true));
    let mut many = session(MANY);
    many.set_window(Window::new(Ns(5), Ns(500)));
    assert_eq!(asked(&mut many), None);
    assert_eq!(is_current(&many), Some(true));
}

#[test]
fn many_are_measured_by_the_worker_and_older_ones_never_pass_for_current() {
    let mut session = session(MANY);
    let first = asked(&mut session).expect("asked");
    assert_eq!(asked(&mut session), None, "one at a time");
    let last = i64::try_from(MANY).unwrap_or(0) * 20;
    session.set_window(Window::new(Ns(1), Ns(last)));
    answer(&mut session, first);
    assert_eq!(is_current(&session), Some(false), "dimmed");
    let second = asked(&mut session).expect("asked for the latest window");
    assert_ne!(first, second);
    // Rows of the other table are not shown at all.
    let grouping = CollectiveGrouping::Group;
    let effects = session.apply(Action::GroupCollectives { grouping });
    assert!(effects.is_empty());
    assert_eq!(is_current(&session), None);
    answer(&mut session, second);
    assert_eq!(is_current(&session), None);
    let third = asked(&mut session).expect("asked for the groups");
    answer(&mut session, third);
    assert_eq!(is_current(&session), Some(true));
    // Nor are those of an older load.
    session.generation += 1;
    answer(&mut session, third);
    assert_eq!(is_current(&session), None);
}

#[test]
fn a_closed_section_measures_nothing() {
    let mut session = session(3);
    session.closed_sections.insert(Section::Collectives);
    assert_eq!(asked(&mut session), None);
    assert_eq!(is_current(&session), None);
}

/// What is exported of a closed section is of the current window all the same, of any panel.
#[test]
fn a_closed_section_is_exported_as_it_would_be_shown() {
    for (panel, section) in [
        (CsvPanel::Collectives, Section::Collectives),
        (CsvPanel::Kernels, Section::Kernels),
    ] {
        let mut open = session(3);
        let mut closed = session(3);
        assert!(closed.refresh_tables().is_empty());
        closed.closed_sections.insert(section);
        let window = Window::new(Ns(5), Ns(35));
        for session in [&mut open, &mut closed] {
            session.set_window(window);
            assert!(session.refresh_tables().is_empty());
        }
        let csv = open.csv(panel);
        assert!(csv.contains(",5,35,"), "{csv}");
        assert_eq!(closed.csv(panel), csv);
    }
}
