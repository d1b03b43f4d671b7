//! When the panel is measured, and by whom.

use super::super::{Arrival, CsvPanel, Settings};
use super::*;
use crate::time::{Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Activity, Device, DeviceStep, Rank, StepLabel};
use std::sync::Arc;

/// Two ranks of so many steps of 10 ns, busy all the time.
fn session(steps: i64) -> Session {
    let end = Ns(10 * steps);
    let ranks = [0, 1].map(|id| {
        let step = |number: i64| DeviceStep {
            label: StepLabel::Number {
                number,
                occurrence: 1,
            },
            window: Window::new(Ns(10 * number), Ns(10 * number + 10)),
            basis: Basis::Device,
            partial: false,
            kernels_launched: None,
        };
        Rank {
            id: RankId(id),
            capture: Some(Window::new(Ns(0), end)),
            devices: vec![Device {
                extent: Window::new(Ns(0), end),
                activity: Activity::new(&[(Ns(0), end, KernelClass::Computation)]),
                steps: (0..steps).map(step).collect(),
                ..Device::default()
            }],
            ..Rank::default()
        }
    });
    Session {
        trace: Some(Arc::new(Trace {
            ranks: ranks.into(),
            ..Trace::default()
        })),
        ..Session::new(Settings::default(), Arc::default())
    }
}

/// What the worker is asked of the map.
fn asked(session: &mut Session) -> Option<StepGridKey> {
    let effects = session.refresh_tables();
    effects.into_iter().find_map(|effect| match effect {
        Effect::Measure {
            question: Question::StepGrid(key),
            ..
        } => Some(key),
        _ => None,
    })
}

fn answer(session: &mut Session, key: StepGridKey) {
    let trace = session.trace.clone().expect("a trace");
    let answer = Question::StepGrid(key).answer(&trace);
    assert!(session.arrive(Arrival::Measured(answer)).is_empty());
}

#[test]
fn little_is_measured_at_once_and_much_by_the_worker() {
    let mut few = session(3);
    assert_eq!(asked(&mut few), None);
    let steps = few.shown_step_grid().map(|(_, grid)| grid.labels.len());
    assert_eq!(steps, Some(3));
    assert_eq!(few.shown_ranks().len(), 2);
    let mut many = session(2_600);
    let key = asked(&mut many).expect("asked");
    assert!(many.shown_step_grid().is_none());
    assert_eq!(many.shown_ranks().len(), 2, "rows do not wait for the map");
    assert_eq!(asked(&mut many), None, "one at a time");
    answer(&mut many, key);
    let sizes = many
        .shown_step_grid()
        .map(|(_, grid)| (grid.labels.len(), grid.left_out));
    assert_eq!(sizes, Some((MOST_ON_MAP, 600)));
    // Another clipping is another map; what is of an older load is none.
    many.settings.clip_suspicious = true;
    let key = asked(&mut many).expect("asked again");
    many.generation += 1;
    answer(&mut many, key);
    assert!(many.shown_step_grid().is_none());
}

#[test]
fn a_closed_section_measures_nothing_and_is_exported_all_the_same() {
    let mut closed = session(3);
    closed.closed_sections.insert(Section::Ranks);
    assert!(closed.refresh_tables().is_empty());
    assert!(closed.shown_ranks().is_empty() && closed.shown_step_grid().is_none());
    let mut open = session(3);
    for session in [&mut open, &mut closed] {
        session.set_window(Window::new(Ns(5), Ns(25)));
        assert!(session.refresh_tables().is_empty());
    }
    let csv = open.csv(CsvPanel::Ranks);
    assert!(csv.contains(",5,25,"), "{csv}");
    assert_eq!(closed.csv(CsvPanel::Ranks), csv);
}

#[test]
fn rows_follow_the_window_and_keep_their_order() {
    let mut session = session(3);
    assert!(
        session
            .apply(Action::SortRanks { column: "rank" })
            .is_empty()
    );
    let order = |session: &Session| -> Vec<u32> {
        session.shown_ranks().iter().map(|r| r.rank.0).collect()
    };
    assert!(session.refresh_tables().is_empty());
    assert_eq!(order(&session), [1, 0], "the other way round");
    session.set_window(Window::new(Ns(0), Ns(10)));
    assert!(session.refresh_tables().is_empty());
    assert_eq!(order(&session), [1, 0]);
    let steps = session.shown_ranks().first().and_then(|r| r.totals);
    assert_eq!(steps.map(|t| t.steps), Some(1));
    let (rank, device) = (RankId(1), DeviceId(0));
    assert!(
        session
            .apply(Action::ShowDevice { rank, device })
            .is_empty()
    );
    assert_eq!(session.focus, Some((rank, device)));
    assert_eq!(session.reveal, Some(LaneKey::Device(rank, device)));
    assert!(session.lanes.is_open(LaneKey::Device(rank, device)));
}
