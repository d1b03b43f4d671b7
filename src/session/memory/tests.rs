//! What the worker is asked of an allocator, and which answers are shown.

use super::*;
use crate::session::{Arrival, Settings};
use crate::time::DurNs;
use crate::trace::{
    Category, DeviceId, FileId, Health, Lane, RankBuilder, RawMemory, RawSlice, RowKey, SourceSpan,
};

const PLACES: [MemoryPlace; 2] = [MemoryPlace::Device(DeviceId(0)), MemoryPlace::Host];

/// One op at 0-100, in which both allocators hand out a block of 7 bytes at 10, and one of 5 at 60.
fn session() -> Session {
    let mut rank = RankBuilder::new(FileId(0));
    let lane = rank.lane(Lane::Thread(RowKey {
        pid: "5".to_owned(),
        tid: "1".to_owned(),
    }));
    let name = rank.names.intern("aten::empty");
    rank.push_slice(RawSlice {
        start: Ns(0),
        dur: DurNs(100),
        name,
        category: Category::CpuOp,
        class: None,
        lane,
        correlation: None,
        external: None,
        source: SourceSpan::default(),
    });
    for place in PLACES {
        for (at, bytes, allocated) in [(10, 7, 7), (60, 5, 12)] {
            rank.push_memory(RawMemory {
                at: Ns(at),
                place,
                device_type: 0,
                bytes,
                address: Some(at),
                allocated: Some(allocated),
                reserved: None,
                lane,
                source: SourceSpan::default(),
            });
        }
    }
    rank.survey();
    let parts = rank.finish(RankId(0), DurNs::ZERO, false);
    let trace = Trace::assemble(Vec::new(), vec![parts], Health::default());
    let mut session = Session {
        trace: Some(Arc::new(trace)),
        ..Session::new(Settings::default(), Arc::default())
    };
    session.closed_sections.remove(&Section::Memory);
    session
}

fn asked(session: &mut Session) -> Vec<Question> {
    let effects = session.refresh_memory();
    let questions = effects.into_iter().filter_map(|effect| match effect {
        Effect::Measure { question, .. } => Some(question),
        _ => None,
    });
    questions.collect()
}

fn answer(session: &mut Session, question: Question) {
    let trace = session.trace.clone().expect("a trace");
    let arrival = Arrival::Measured(question.answer(&trace));
    assert!(session.arrive(arrival).is_empty());
}

#[test]
fn every_step_is_looked_at_by_the_worker_once_an_allocator() {
    let mut session = session();
    session.closed_sections.insert(Section::Memory);
    assert!(asked(&mut session).is_empty(), "nobody looks");
    session.closed_sections.remove(&Section::Memory);
    let questions = asked(&mut session);
    let [question] = questions[..] else {
        panic!("{questions:?}")
    };
    let of = |place| MemoryKey {
        generation: 0,
        rank: RankId(0),
        place,
    };
    assert_eq!(question, Question::Memory(of(PLACES[0])));
    assert!(asked(&mut session).is_empty(), "one at a time");
    assert!(session.judged_memory().is_none());
    answer(&mut session, question);
    assert!(session.judged_memory().is_some());
    assert!(asked(&mut session).is_empty(), "once");
    // The judgement of one allocator does not stand under another.
    session.memory.chosen = Some(PLACES[1]);
    assert!(session.judged_memory().is_none());
    let questions = asked(&mut session);
    assert_eq!(questions, [Question::Memory(of(PLACES[1]))]);
    // A late answer of an older load is dropped, and what is wanted is asked for anew.
    session.generation = 7;
    answer(&mut session, questions[0]);
    assert!(session.judged_memory().is_none());
    assert_eq!(asked(&mut session).len(), 1);
}

#[test]
fn holders_of_another_window_are_shown_until_those_of_the_latest_are_there() {
    let mut session = session();
    let question = asked(&mut session)[0];
    answer(&mut session, question);
    assert!(asked(&mut session).is_empty(), "nobody opened them");
    session.memory.holders_open = true;
    assert!(session.shown_holders().is_none());
    let question = asked(&mut session)[0];
    answer(&mut session, question);
    let bytes = |session: &Session| {
        let shown = session.shown_holders()?;
        let all = shown.holders?.iter();
        Some((shown.is_current, all.map(|h| (h.bytes, h.blocks)).collect()))
    };
    let both: Vec<(i128, u64)> = vec![(12, 2)];
    assert_eq!(bytes(&session), Some((true, both.clone())));
    // Until 50 the peak is the first block alone.
    session.set_window(Window::new(Ns(0), Ns(50)));
    assert_eq!(bytes(&session), Some((false, both)), "dimmed");
    let question = asked(&mut session)[0];
    answer(&mut session, question);
    assert_eq!(bytes(&session), Some((true, vec![(7, 1)])));
    assert!(asked(&mut session).is_empty());
}
