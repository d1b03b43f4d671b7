//! What allocators held in windows and steps, and whether they leak, with answers worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/memory.rs"]
mod support;

use overlane::ingest::LoadOptions;
use overlane::metrics::{
    LeakVerdict, Query, Selection, leak_rows, memory_place, memory_rows, memory_step_rows,
};
use overlane::time::{Ns, Window};
use overlane::trace::{DeviceId, MemoryPlace, Trace};
use proptest::prelude::*;
use support::{BASE, MIB, bare, file, gpu, of_device, open_with, sample};

#[test]
fn figures_of_a_window_are_those_worked_out_by_hand() {
    let trace = sample("memory_leak.json");
    let zero = trace.ranks[0].host_steps[0].window.start();
    let at = |us: i64| Ns(zero.0 + us * 1000);
    let of = |from: i64, to: i64| {
        let query = Query {
            selection: Selection::Window(Window::new(at(from), at(to))),
            ..Query::default()
        };
        memory_rows(&trace, &query).remove(0).figures.unwrap()
    };
    // Step 2 begins with one block of step 1; its workspace is freed before the window begins.
    let figures = of(1_600, 2_510);
    assert_eq!(
        (figures.start, figures.end),
        (BASE + 10 * MIB, BASE + 10 * MIB)
    );
    assert_eq!(
        (figures.min, figures.peak),
        (BASE + 2 * MIB, BASE + 10 * MIB)
    );
    // As much as it begins with is not reached anew.
    assert_eq!((figures.peak_at, figures.peak_event), (at(1_600), None));
    assert_eq!((figures.sums.allocations, figures.sums.frees), (1, 1));
    let figures = of(1_600, 2_511);
    assert_eq!(
        (figures.peak, figures.peak_at),
        (BASE + 11 * MIB, at(2_510))
    );
    assert_eq!(figures.peak_op.as_deref(), Some("aten::cat"));
    assert_eq!(figures.growth(), i128::from(MIB));
    assert_eq!(figures.reserved_end, Some(1 << 30));
    assert_eq!(
        figures.cached_free_end(),
        Some(1024 * MIB - BASE - 11 * MIB)
    );
    // What a window ends with, the next begins with.
    assert_eq!(of(0, 1_600).end, of(1_600, 2_511).start);
}

#[test]
fn steps_are_those_on_the_host() {
    let trace = sample("memory_level.json");
    let rows = memory_step_rows(&trace, &Query::default());
    assert_eq!(rows.len(), 8);
    for row in &rows {
        let figures = row.figures.as_ref().unwrap();
        assert_eq!((figures.start, figures.end), (BASE, BASE));
        assert_eq!(figures.peak, BASE + 9 * MIB);
        assert_eq!((figures.sums.allocations, figures.sums.frees), (2, 2));
    }
}

/// A kernel at 0-1000 µs, and the peak behind it.
#[test]
fn memory_is_told_as_far_as_its_own_events_reach() {
    let (_dir, path) = file(&[
        gpu("500", 10, 1, 110, 500),
        gpu("1000", 20, 2, 130, 500),
        gpu("1500", 70, 3, 200, 500),
    ]);
    let trace = open_with(&path, LoadOptions::default());
    let of = |selection| {
        let query = Query {
            selection,
            ..Query::default()
        };
        memory_rows(&trace, &query).remove(0)
    };
    let us = |from: i64, to: i64| Window::new(Ns(from * 1000), Ns(to * 1000));
    let row = of(Selection::None);
    let figures = row.figures.unwrap();
    assert_eq!(row.window, Some(us(0, 1_500)));
    assert_eq!((figures.start, figures.end), (100, 200));
    assert_eq!((figures.peak, figures.peak_at), (200, Ns(1_500_000)));
    // A brushed window ends where the recording does; the last event counts, that at 1000 µs does
    // not, since it is behind the window and not at the end of all.
    let row = of(Selection::Window(us(400, 9_000)));
    assert_eq!(row.window, Some(us(400, 1_500)));
    assert_eq!(row.figures.unwrap().end, 200);
    assert_eq!(
        of(Selection::Window(us(0, 1_000))).figures.unwrap().end,
        110
    );
    let row = of(Selection::Window(us(1_600, 1_700)));
    assert!(row.figures.is_none());
}

#[test]
fn a_file_of_allocator_events_alone_has_figures() {
    let (_dir, path) = bare(&[gpu("10", 10, 1, 10, 50), gpu("30", -4, 1, 6, 50)]);
    let trace = open_with(&path, LoadOptions::default());
    let row = memory_rows(&trace, &Query::default()).remove(0);
    assert_eq!(row.window, Some(Window::new(Ns(10_000), Ns(30_000))));
    let figures = row.figures.unwrap();
    assert_eq!((figures.start, figures.peak, figures.end), (0, 10, 6));
}

/// Ten events of a byte each, 100 µs apart; ranges that meet count each once.
#[test]
fn ranges_that_meet_count_every_event_once() {
    let events: Vec<String> = (0..10)
        .map(|i| gpu(&(i * 100).to_string(), 1, i, 1 + i, 500))
        .collect();
    let (_dir, path) = file(&events);
    let counts: Vec<u64> = ["0us..300us", "300us..600us", "600us..1000us"]
        .map(|range| {
            let options = LoadOptions {
                range: Some(range.parse().unwrap()),
                ..LoadOptions::default()
            };
            let trace = open_with(&path, options);
            let row = memory_rows(&trace, &Query::default()).remove(0);
            row.figures.unwrap().sums.allocations
        })
        .to_vec();
    assert_eq!(counts, [3, 3, 4]);
}

#[test]
fn an_allocator_goes_with_a_gpu_only_where_that_is_known() {
    let gpu = |id: i64| MemoryPlace::Device(DeviceId(id));
    let place = |devices: &[(i64, i64)], asked: Option<i64>| {
        let events: Vec<String> = devices
            .iter()
            .map(|of| of_device("10", *of, 1, 1))
            .collect();
        let (_dir, path) = file(&events);
        let trace = open_with(&path, LoadOptions::default());
        memory_place(&trace.ranks[0], asked.map(DeviceId))
    };
    let two = [(1, 0), (1, 1), (0, -1)];
    assert_eq!(place(&two, Some(1)), Some(gpu(1)));
    assert_eq!(place(&two, Some(3)), None);
    assert_eq!(place(&two, None), Some(gpu(0)));
    assert_eq!(place(&[(1, 0), (0, -1)], Some(3)), Some(gpu(0)));
    assert_eq!(place(&[(0, -1)], Some(3)), Some(MemoryPlace::Host));
    assert_eq!(place(&[], Some(0)), None);
}

#[test]
fn a_leak_is_suspected_in_one_sample_and_not_in_its_twin() {
    let trace = sample("memory_leak.json");
    let leak = leak_rows(&trace, &Query::default()).remove(0);
    assert_eq!((leak.verdict, leak.judged), (LeakVerdict::Suspected, 6));
    let slope = leak.slope.unwrap();
    let mib = i128::from(MIB);
    assert_eq!(
        (slope.low, slope.bytes_per_step, slope.high),
        (mib, mib, mib)
    );
    let growers = leak.growers.unwrap();
    assert_eq!(growers.len(), 1);
    assert_eq!(
        (growers[0].name(), growers[0].bytes),
        ("aten::cat", 5 * mib)
    );
    let trace = sample("memory_level.json");
    let leak = leak_rows(&trace, &Query::default()).remove(0);
    assert_eq!((leak.verdict, leak.judged), (LeakVerdict::Level, 6));
    assert_eq!((leak.ends_rising, leak.mins_rising), (0, 0));
}

/// One step each 1000 µs, and what is in use at the end of each.
fn steps_with(ends: &[i64]) -> Trace {
    let mut events = Vec::new();
    let mut held = 1_000;
    for (i, end) in ends.iter().enumerate() {
        let at = 1_000 * i;
        let number = i + 1;
        events.push(format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{number}","ts":{at},"dur":1000,"pid":5,"tid":1}}"#
        ));
        events.push(gpu(&(at + 500).to_string(), end - held, 7, *end, 1 << 40));
        held = *end;
    }
    let (_dir, path) = file(&events);
    open_with(&path, LoadOptions::default())
}

#[test]
fn a_verdict_needs_steps_that_all_rise() {
    let verdict = |ends: &[i64]| {
        let trace = steps_with(ends);
        leak_rows(&trace, &Query::default()).remove(0).verdict
    };
    let rising: Vec<i64> = (1..9).map(|i| 1_000 * i).collect();
    assert_eq!(verdict(&rising), LeakVerdict::Suspected);
    // Two of warm-up and four behind them.
    assert_eq!(verdict(&rising[..6]), LeakVerdict::CannotTell);
    // High, but level: that much is held, and nothing says that it is lost.
    assert_eq!(verdict(&[1 << 39; 9]), LeakVerdict::Level);
    let mut uneven: Vec<i64> = (1..20).map(|i| 1_000 * i).collect();
    uneven[12] = uneven[11];
    assert_eq!(verdict(&uneven), LeakVerdict::Uneven);
    let falling: Vec<i64> = rising.iter().rev().copied().collect();
    assert_eq!(verdict(&falling), LeakVerdict::Level);
}

/// Of the ends 0 100 90 200 300 MiB the slopes are 100 45 66.7 75 -10 50 66.7 110 105 100: sorted
/// -10 45 50 66.7 66.7 75 100 100 105 110, in the middle (66.7 + 75) / 2 = 70.8 MiB a step.
#[test]
fn ends_that_rise_are_not_level_however_wide_the_interval() {
    let of = |ends: [i64; 5]| {
        let ends: Vec<i64> = [0, 0]
            .into_iter()
            .chain(ends)
            .map(|end| end * MIB)
            .collect();
        let trace = steps_with(&ends);
        leak_rows(&trace, &Query::default()).remove(0)
    };
    let leak = of([0, 100, 90, 200, 300]);
    assert_eq!(leak.verdict, LeakVerdict::Uneven);
    assert_eq!((leak.judged, leak.ends_rising), (5, 3));
    let slope = leak.slope.unwrap();
    assert_eq!(slope.low, -10 * i128::from(MIB));
    // 425 / 6 MiB.
    assert_eq!(slope.bytes_per_step, 74_274_133);
    assert!(leak.reason().contains("step ends rise 3 times of 4"));
    // Up and down: the median is 0.
    assert_eq!(of([0, 100, 0, 100, 0]).verdict, LeakVerdict::Level);
    assert_eq!(of([300, 200, 90, 100, 0]).verdict, LeakVerdict::Level);
}

/// Eight steps; `keep` allocates 10 bytes in each, `pause` 5 in each but the sixth. Blocks of `keep`
/// grow over all of the six judged steps, by 5 times 10 from the first of them to the last.
#[test]
fn only_ops_that_grow_in_every_step_own_the_growth() {
    let mut events = Vec::new();
    let mut held = 0;
    for step in 0..8_i64 {
        let at = 1_000 * step;
        let slice = |cat: &str, name: &str, from: i64, dur: i64| {
            let from = at + from;
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","ts":{from},"dur":{dur},"pid":5,"tid":1}}"#
            )
        };
        let name = format!("ProfilerStep#{step}");
        events.push(slice("user_annotation", &name, 0, 1_000));
        events.push(slice("cpu_op", "keep", 300, 50));
        events.push(slice("cpu_op", "pause", 400, 50));
        held += 10;
        events.push(gpu(
            &(at + 310).to_string(),
            10,
            1_000 + step,
            held,
            1 << 40,
        ));
        if step != 5 {
            held += 5;
            events.push(gpu(&(at + 410).to_string(), 5, 2_000 + step, held, 1 << 40));
        }
    }
    let (_dir, path) = file(&events);
    let trace = open_with(&path, LoadOptions::default());
    let leak = leak_rows(&trace, &Query::default()).remove(0);
    assert_eq!((leak.verdict, leak.judged), (LeakVerdict::Suspected, 6));
    let growers = leak.growers.unwrap();
    let growers: Vec<(&str, i128)> = growers.iter().map(|g| (g.name(), g.bytes)).collect();
    assert_eq!(growers, [("keep", 50)]);
}

proptest! {
    /// Figures of any window against a walk over every event.
    #[test]
    fn figures_are_those_of_every_event_looked_at(
        steps in prop::collection::vec((0_i64..3, -40_i64..40), 1..150),
        from in 0_i64..300,
        len in 1_i64..300,
    ) {
        let mut at = 0;
        let mut held = 5_000;
        let mut all: Vec<(i64, i64, i64)> = Vec::new();
        for (step, bytes) in steps {
            at += step;
            held += bytes;
            all.push((at, bytes, held));
        }
        let events: Vec<String> = all
            .iter()
            .map(|(at, bytes, held)| gpu(&at.to_string(), *bytes, 1, *held, 1 << 40))
            .collect();
        let (_dir, path) = file(&events);
        let trace = open_with(&path, LoadOptions::default());
        let to = (from + len).min(1000);
        let window = Window::new(Ns(from * 1000), Ns(to * 1000));
        let query = Query { selection: Selection::Window(window), ..Query::default() };
        let row = memory_rows(&trace, &query).remove(0);
        let figures = row.figures.unwrap();
        let before = all.iter().rfind(|e| e.0 < from).map_or(5_000, |e| e.2);
        let inside: Vec<&(i64, i64, i64)> = all.iter().filter(|e| e.0 >= from && e.0 < to).collect();
        let levels = || inside.iter().map(|e| e.2).chain([before]);
        prop_assert_eq!(figures.start, before);
        prop_assert_eq!(figures.end, inside.last().map_or(before, |e| e.2));
        prop_assert_eq!(figures.peak, levels().max().unwrap());
        prop_assert_eq!(figures.min, levels().min().unwrap());
        let allocated: i64 = inside.iter().map(|e| e.1.max(0)).sum();
        prop_assert_eq!(figures.sums.allocated, i128::from(allocated));
        let frees = inside.iter().filter(|e| e.1 < 0).count();
        prop_assert_eq!(figures.sums.frees, u64::try_from(frees).unwrap());
    }
}
