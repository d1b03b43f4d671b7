//! The worked examples of the definitions, and the figures that users report as wrong elsewhere.
//!
//! Every value here was worked out by hand from the drawing above it; one character of a drawing is
//! five nanoseconds unless it says otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::metrics::report::{Cell, Grid, Table, columns};
use overlane::metrics::{
    Query, Row, Selection, Summary, annotation_rows, run_totals, step_labels, step_rows,
    stream_rows, summary_rows,
};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::{Basis, Category, StepLabel, Trace};
use support::TraceBuilder;

fn w(a: i64, b: i64) -> Window {
    Window::new(Ns(a), Ns(b))
}

fn within(a: i64, b: i64) -> Query {
    Query {
        selection: Selection::Window(w(a, b)),
        ..Query::default()
    }
}

fn only(rows: &[Row]) -> Summary {
    assert_eq!(rows.len(), 1);
    rows[0].figures.expect("figures")
}

fn whole(trace: &Trace) -> Summary {
    only(&summary_rows(trace, &Query::default()))
}

fn percent2(ratio: Option<overlane::metrics::Ratio>) -> Option<String> {
    ratio.map(overlane::metrics::Ratio::percent2)
}

#[test]
fn overlap_is_swept_over_all_pairs() {
    // compute       ##   ##
    // communication  ###
    let trace = TraceBuilder::new()
        .kernel("a", 0, 10)
        .kernel("b", 15, 25)
        .stream(20)
        .comm("c", 5, 20)
        .build();
    assert_eq!(whole(&trace).overlap, DurNs(10));
}

#[test]
fn the_two_overlap_ratios_have_their_own_denominators() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 100)
        .stream(20)
        .comm("c", 80, 120)
        .build();
    let s = whole(&trace);
    assert_eq!(s.overlap, DurNs(20));
    assert_eq!(percent2(s.overlap_of_union()).as_deref(), Some("16.67"));
    assert_eq!(percent2(s.comm_hidden_by_comp()).as_deref(), Some("50.00"));
}

#[test]
fn idle_is_what_the_union_leaves() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 4)
        .kernel("b", 3, 7)
        .kernel("c", 9, 10)
        .build();
    let s = only(&summary_rows(&trace, &within(0, 10)));
    assert_eq!((s.kernel_run_time, s.idle_time), (DurNs(8), DurNs(2)));
    assert_eq!(percent2(s.busy_share()).as_deref(), Some("80.00"));
    assert_eq!(
        percent2(s.duty_split().computation).as_deref(),
        Some("80.00")
    );
}

// N1
#[test]
fn the_breakdown_of_two_streams_adds_up() {
    // compute       ######## #######
    // communication   ######## ###
    let first = TraceBuilder::new()
        .kernel("a", 0, 40)
        .kernel("b", 45, 80)
        .stream(20)
        .comm("c", 10, 50)
        .comm("d", 55, 70)
        .build();
    let s = whole(&first);
    assert_eq!(s.kernel_run_time, DurNs(80));
    assert_eq!(s.idle_time, DurNs(0));
    assert_eq!(s.compute_time, DurNs(75));
    assert_eq!(s.non_compute_time, DurNs(5));
    assert_eq!(s.overlap, DurNs(50));
    assert_eq!(s.comp, s.compute_time);

    // compute       ########   #####
    // communication   ######## ###
    let second = TraceBuilder::new()
        .kernel("a", 0, 40)
        .kernel("b", 55, 80)
        .stream(20)
        .comm("c", 10, 50)
        .comm("d", 55, 70)
        .build();
    let s = whole(&second);
    assert_eq!(s.kernel_run_time, DurNs(75));
    assert_eq!(s.idle_time, DurNs(5));
    assert_eq!(s.compute_time, DurNs(65));
    assert_eq!(s.non_compute_time, DurNs(10));
    assert_eq!(s.overlap, DurNs(45));
}

#[test]
fn overlapping_kernels_of_one_stream_are_busy_once() {
    // A 10-14.5 and B 13-16, in tenths
    let trace = TraceBuilder::new()
        .kernel("A", 100, 145)
        .kernel("B", 130, 160)
        .build();
    let s = whole(&trace);
    assert_eq!(s.kernel_run_time, DurNs(60));
    assert_eq!(s.duration_sum, DurNs(75));
    assert_eq!(s.kernels, 2);
}

// N2
#[test]
fn busy_never_exceeds_the_window() {
    // stream 7      ################
    // stream 20             ############
    let trace = TraceBuilder::new()
        .kernel("gemm", 0, 80)
        .stream(20)
        .comm("nccl", 40, 100)
        .build();
    let s = whole(&trace);
    assert_eq!(s.kernel_run_time, DurNs(100));
    assert_eq!(s.duration_sum, DurNs(140));
    assert_eq!(percent2(s.busy_share()).as_deref(), Some("100.00"));
}

// N3
#[test]
fn a_device_is_idle_only_where_all_its_streams_are() {
    let trace = TraceBuilder::new()
        .kernel("long", 0, 100)
        .stream(20)
        .kernel("short", 0, 10)
        .build();
    assert_eq!(whole(&trace).idle_time, DurNs(0));
    let streams = stream_rows(&trace, &Query::default());
    let idle: Vec<_> = streams
        .iter()
        .map(|r| r.figures.expect("figures").idle_time)
        .collect();
    // Both streams are measured in the device's window.
    assert_eq!(idle, [DurNs(0), DurNs(90)]);
}

// N4
#[test]
fn idle_is_never_united_over_ranks() {
    let trace = TraceBuilder::new()
        .rank(0)
        .kernel("a", 0, 50)
        .cpu("op", 0, 100)
        .rank(1)
        .kernel("a", 50, 100)
        .cpu("op", 0, 100)
        .build();
    let idle: Vec<_> = summary_rows(&trace, &within(0, 100))
        .iter()
        .map(|r| r.figures.expect("figures").idle_time)
        .collect();
    assert_eq!(idle, [DurNs(50), DurNs(50)]);
}

// N5
#[test]
fn a_kernel_over_an_edge_counts_its_inside_part() {
    let trace = TraceBuilder::new().kernel("a", 0, 100).build();
    let s = only(&summary_rows(&trace, &within(50, 60)));
    assert_eq!(
        (s.kernels, s.kernel_run_time, s.duration_sum),
        (1, DurNs(10), DurNs(10))
    );
}

// N7
#[test]
fn synchronisation_annotations_and_host_rows_are_never_busy() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 10)
        .extra("Stream Sync", Category::Sync, 10, 50)
        .extra("ProfilerStep#1", Category::GpuAnnotation, 0, 60)
        .annotation("nccl:all_reduce", 0, 100)
        .cpu("aten::mm", 0, 100)
        .build();
    let s = only(&summary_rows(&trace, &within(0, 100)));
    assert_eq!(
        (s.kernels, s.kernel_run_time, s.idle_time),
        (1, DurNs(10), DurNs(90))
    );
}

// N8
#[test]
fn a_copy_between_kernels_is_exposed_memory() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 40)
        .copy("Memcpy HtoD", 40, 65)
        .kernel("b", 65, 100)
        .build();
    let s = whole(&trace);
    assert_eq!(
        (s.idle_time, s.exposed_memory, s.compute_time),
        (DurNs(0), DurNs(25), DurNs(75))
    );
    assert_eq!(
        s.five_way(),
        [DurNs(75), DurNs(0), DurNs(0), DurNs(25), DurNs(0)]
    );
}

// N12
#[test]
fn what_has_no_denominator_is_not_available() {
    let trace = TraceBuilder::new().kernel("a", 0, 10).build();
    let s = whole(&trace);
    assert_eq!(s.comm_hidden_by_comp(), None);
    assert_eq!(percent2(s.overlap_of_union()).as_deref(), Some("0.00"));
    let empty = only(&summary_rows(&trace, &within(5, 5)));
    assert_eq!(empty.kernel_time, DurNs(0));
    assert_eq!((empty.busy_share(), empty.overlap_of_union()), (None, None));
    let copies = TraceBuilder::new().copy("m", 0, 10).build();
    assert_eq!(whole(&copies).overlap_of_union(), None);
}

#[test]
fn outside_the_capture_is_no_data_and_a_gap_is_idle() {
    let trace = TraceBuilder::new()
        .kernel("a", 100, 110)
        .cpu("op", 0, 200)
        .build();
    let gap = only(&summary_rows(&trace, &within(20, 60)));
    assert_eq!((gap.kernels, gap.idle_time), (0, DurNs(40)));
    let outside = summary_rows(&trace, &within(300, 400));
    assert_eq!(outside[0].figures, None);
    assert_eq!(outside[0].window, Some(w(300, 400)));
    let edge = summary_rows(&trace, &within(150, 400));
    assert_eq!(edge[0].window, Some(w(150, 200)));
    let grid = Grid::new(&columns(Table::Summary), &outside);
    assert_eq!(grid.cell(0, "idle_time_us"), Some(&Cell::Empty));
    assert_eq!(grid.cell(0, "window_end_ns"), Some(&Cell::Int(400)));
}

#[test]
fn a_kernel_without_length_counts_and_holds_no_time() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 10)
        .kernel("tick", 4, 4)
        .kernel("last", 10, 10)
        .build();
    let s = whole(&trace);
    assert_eq!((s.kernels, s.kernel_run_time), (3, DurNs(10)));
    assert_eq!(only(&summary_rows(&trace, &within(0, 4))).kernels, 1);
}

/// Two steps: kernels of a step run after the host has left it.
fn two_steps() -> Trace {
    // host    [before][ step 1      ][ step 2      ]
    // device    ##       ####    ####    ####  ##
    TraceBuilder::new()
        .annotation("ProfilerStep#1", 100, 200)
        .annotation("ProfilerStep#2", 200, 300)
        .launched("warm", 10, 20, 60)
        .launched("a", 110, 120, 180)
        .launched("b", 150, 190, 230)
        .launched("c", 210, 240, 280)
        .launched("d", 290, 310, 330)
        .build()
}

// N11
#[test]
fn device_steps_tile_the_extent_and_count_by_launch() {
    let trace = two_steps();
    let rows = step_rows(&trace, &Query::default(), Basis::Device);
    let labels: Vec<_> = rows
        .iter()
        .map(|r| r.step.as_deref().expect("a label"))
        .collect();
    assert_eq!(labels, ["before", "1", "2"]);
    let windows: Vec<_> = rows.iter().map(|r| r.window.expect("a window")).collect();
    assert_eq!(windows, [w(20, 120), w(120, 240), w(240, 330)]);
    let busy: Vec<_> = rows
        .iter()
        .map(|r| r.figures.expect("figures").kernel_run_time)
        .collect();
    assert_eq!(busy, [DurNs(40), DurNs(100), DurNs(60)]);
    let launched: Vec<_> = rows
        .iter()
        .map(|r| r.columns.expect("step columns").kernels_launched)
        .collect();
    assert_eq!(launched, [Some(1), Some(2), Some(2)]);
    assert_eq!(
        busy.into_iter().sum::<DurNs>(),
        whole(&trace).kernel_run_time
    );
}

// N11
#[test]
fn host_steps_use_the_annotations_and_a_row_before_them() {
    let trace = two_steps();
    let rows = step_rows(&trace, &Query::default(), Basis::Host);
    let seen: Vec<_> = rows
        .iter()
        .map(|r| {
            let (figures, columns) = (r.figures.expect("figures"), r.columns.expect("columns"));
            (
                r.step.clone().expect("a label"),
                figures.window,
                figures.kernel_run_time,
                columns.kernels_launched,
                columns.basis,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (
                "before".to_owned(),
                w(20, 100),
                DurNs(40),
                Some(1),
                Basis::Host
            ),
            // a wholly, 10 of b
            ("1".to_owned(), w(100, 200), DurNs(70), Some(2), Basis::Host),
            // 30 of b, c wholly
            ("2".to_owned(), w(200, 300), DurNs(70), Some(2), Basis::Host),
        ]
    );
}

#[test]
fn host_windows_are_the_same_rows_by_choice_and_for_want_of_launches() {
    // All kernels end before the first step begins, so `before` ends with the device.
    let trace = TraceBuilder::new()
        .kernel("a", 20, 60)
        .annotation("ProfilerStep#1", 100, 200)
        .annotation("ProfilerStep#2", 200, 300)
        .build();
    let chosen = step_rows(&trace, &Query::default(), Basis::Host);
    assert_eq!(step_rows(&trace, &Query::default(), Basis::Device), chosen);
    let windows: Vec<_> = chosen.iter().map(|r| r.window).collect();
    assert_eq!(
        windows,
        [Some(w(20, 60)), Some(w(100, 200)), Some(w(200, 300))]
    );
}

#[test]
fn a_step_recorded_as_operator_and_as_annotation_is_one_step() {
    let trace = TraceBuilder::new()
        .cpu("ProfilerStep#3", 100, 200)
        .annotation("ProfilerStep#3", 100, 200)
        .annotation("ProfilerStep#3", 300, 400)
        .launched("a", 110, 120, 180)
        .launched("b", 310, 320, 380)
        .build();
    for basis in [Basis::Device, Basis::Host] {
        let rows = step_rows(&trace, &Query::default(), basis);
        let steps: Vec<_> = rows
            .iter()
            .map(|r| {
                (
                    r.step.as_deref(),
                    r.columns.and_then(|c| c.kernels_launched),
                )
            })
            .collect();
        assert_eq!(
            steps,
            [(Some("3"), Some(1)), (Some("3#2"), Some(1))],
            "{basis:?}"
        );
    }
}

// N6; the half of it that the screen shows is in tests/gui_figures.rs
#[test]
fn every_table_of_a_query_has_the_same_window() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 40)
        .stream(20)
        .comm("c", 30, 100)
        .build();
    for (query, window) in [
        (Query::default(), w(0, 100)),
        (within(20, 60), w(20, 60)),
        (within(20, 600), w(20, 100)),
    ] {
        let rows: Vec<Row> = summary_rows(&trace, &query)
            .into_iter()
            .chain(stream_rows(&trace, &query))
            .collect();
        assert_eq!(rows.len(), 3);
        for row in rows {
            assert_eq!(row.window, Some(window));
            assert_eq!(row.figures.expect("figures").window, window);
        }
    }
}

#[test]
fn many_steps_on_the_host_are_no_square_of_work() {
    let mut drawn = TraceBuilder::new();
    for i in 0..120_000 {
        let at = i * 100;
        drawn = drawn
            .annotation(&format!("ProfilerStep#{i}"), at, at + 100)
            .launched("a", at + 10, at + 20, at + 80);
    }
    let trace = drawn.build();
    let began = std::time::Instant::now();
    let rows = step_rows(&trace, &Query::default(), Basis::Host);
    let took = began.elapsed();
    assert_eq!(rows.len(), 120_000);
    // Looking for each among all takes over ten seconds.
    assert!(took.as_secs() < 4, "{took:?}");
}

#[test]
fn a_step_can_be_the_window_of_a_summary() {
    let trace = two_steps();
    let step = |number, basis| Query {
        selection: Selection::Step {
            label: StepLabel::Number {
                number,
                occurrence: 1,
            },
            basis,
        },
        ..Query::default()
    };
    let rows = summary_rows(&trace, &step(2, Basis::Device));
    assert_eq!(
        (rows[0].window, rows[0].step.as_deref()),
        (Some(w(240, 330)), None)
    );
    assert_eq!(
        summary_rows(&trace, &step(2, Basis::Host))[0].window,
        Some(w(200, 300))
    );
    let missing = summary_rows(&trace, &step(9, Basis::Host));
    assert_eq!((missing[0].window, missing[0].figures), (None, None));
    let labels = step_labels(&trace, &Query::default(), Basis::Host);
    assert_eq!(labels.len(), 3);
}

#[test]
fn a_window_picks_the_steps_that_share_time_with_it() {
    let trace = two_steps();
    let rows = step_rows(&trace, &within(200, 240), Basis::Device);
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0].step.as_deref(), rows[0].window),
        (Some("1"), Some(w(120, 240)))
    );
}

#[test]
fn annotations_can_be_windows() {
    let trace = TraceBuilder::new()
        .kernel("a", 0, 40)
        .kernel("b", 50, 90)
        .annotation("forward", 0, 45)
        .annotation("backward", 45, 100)
        .annotation("forward", 100, 120)
        .build();
    let rows = annotation_rows(&trace, &Query::default(), &|name| name == "forward");
    let seen: Vec<_> = rows
        .iter()
        .map(|r| {
            (
                r.step.as_deref(),
                r.window,
                r.figures.expect("figures").idle_time,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (Some("forward"), Some(w(0, 45)), DurNs(5)),
            (Some("forward"), Some(w(100, 120)), DurNs(20)),
        ]
    );
}

#[test]
fn both_totals_of_a_suspicious_kernel_can_be_told() {
    // One kernel of 10,000 over twenty of 10, each 20 apart, on one stream.
    let mut drawn = TraceBuilder::new();
    for i in 0..20 {
        drawn = drawn.kernel("usual", 100 + i * 20, 110 + i * 20);
    }
    let trace = drawn.kernel("broken", 50, 10_050).build();
    let (_, device) = trace.devices().next().expect("a device");
    let totals = run_totals(device, device.extent).expect("a suspicious kernel");
    assert_eq!(totals.as_recorded, DurNs(10_000));
    // Cut at 100, the next start: 50 of its own, and the twenty others.
    assert_eq!(totals.clipped, DurNs(250));
    let clipped = Query {
        clip_suspicious: true,
        ..Query::default()
    };
    // The window ends with the last of the usual ones: 50 to 490.
    let s = only(&summary_rows(&trace, &clipped));
    assert_eq!((s.window, s.kernel_run_time), (w(50, 490), DurNs(250)));
    assert_eq!((s.kernel_time, s.idle_time), (DurNs(440), DurNs(190)));
    let streams = stream_rows(&trace, &clipped);
    assert_eq!(streams[0].window, Some(w(50, 490)));
    let recorded = whole(&trace);
    assert_eq!(
        (recorded.window, recorded.idle_time),
        (w(50, 10_050), DurNs(0))
    );
    let usual = TraceBuilder::new().kernel("a", 0, 10).build();
    let (_, device) = usual.devices().next().expect("a device");
    assert_eq!(run_totals(device, device.extent), None);
}

#[test]
fn rank_and_device_narrow_the_rows() {
    let trace = TraceBuilder::new()
        .rank(0)
        .kernel("a", 0, 10)
        .device(1)
        .kernel("b", 0, 10)
        .rank(3)
        .kernel("c", 0, 10)
        .build();
    let all = summary_rows(&trace, &Query::default());
    let keys: Vec<_> = all.iter().map(|r| (r.rank.0, r.device.0)).collect();
    assert_eq!(keys, [(0, 0), (0, 1), (3, 0)]);
    let query = Query {
        rank: Some(overlane::trace::RankId(0)),
        device: Some(overlane::trace::DeviceId(1)),
        ..Query::default()
    };
    assert_eq!(summary_rows(&trace, &query).len(), 1);
}

#[test]
fn the_columns_are_the_contract() {
    let names = |table| -> Vec<&str> { columns(table).iter().map(|c| c.head.name).collect() };
    let summary = "rank device step window_start_ns window_end_ns kernels kernel_time_us \
        kernel_run_time_us compute_time_us non_compute_time_us idle_time_us compute_percent \
        non_compute_percent idle_percent comp_time_us comm_time_us memory_time_us overlap_time_us \
        compute_only_us exposed_comm_us exposed_memory_us overlap_ratio_of_union_percent \
        comm_hidden_by_comp_percent";
    let expected: Vec<&str> = summary.split_whitespace().collect();
    assert_eq!(names(Table::Summary), expected);
    let steps: Vec<&str> = expected
        .into_iter()
        .chain(["basis", "partial", "kernels_launched"])
        .collect();
    assert_eq!(names(Table::Steps), steps);
    for table in [Table::Summary, Table::Steps, Table::Streams] {
        let mut seen = names(table);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(
            seen.len(),
            columns(table).len(),
            "a name twice in {table:?}"
        );
        assert!(
            columns(table)
                .iter()
                .all(|c| c.head.definition.ends_with('.'))
        );
    }
}

mod against_a_model {
    //! Every figure against a model that looks at each nanosecond by itself.

    use super::*;
    use overlane::metrics::summary;
    use overlane::trace::Activity;
    use overlane::trace::class::KernelClass;
    use proptest::prelude::*;

    const SPAN: i64 = 120;

    fn kernels() -> impl Strategy<Value = Vec<(Ns, Ns, KernelClass)>> {
        let kernel = (0..SPAN, 0_i64..40, 0_usize..3)
            .prop_map(|(start, dur, class)| (Ns(start), Ns(start + dur), KernelClass::ALL[class]));
        prop::collection::vec(kernel, 0..40)
    }

    proptest! {
        // N1, and the half of N13 that is about figures: busy time is never exaggerated
        #[test]
        fn the_parts_sum_to_the_window(kernels in kernels(), a in -20..SPAN + 60, b in -20..SPAN + 60) {
            let window = w(a, b);
            let s = summary(&Activity::new(&kernels), window);
            let mut five = [0_i64; 5];
            let (mut comp, mut comm, mut memory) = (0, 0, 0);
            for at in window.start().0..window.end().0 {
                let runs = |class| {
                    kernels.iter().any(|k| k.2 == class && k.0.0 <= at && at < k.1.0)
                };
                let (c, m, y) = (
                    runs(KernelClass::Computation),
                    runs(KernelClass::Communication),
                    runs(KernelClass::Memory),
                );
                comp += i64::from(c);
                comm += i64::from(m);
                memory += i64::from(y);
                let part = match (c, m, y) {
                    (true, false, _) => 0,
                    (true, true, _) => 1,
                    (false, true, _) => 2,
                    (false, false, true) => 3,
                    (false, false, false) => 4,
                };
                five[part] += 1;
            }
            prop_assert_eq!(s.five_way().map(|d| d.0), five);
            prop_assert_eq!((s.comp.0, s.comm.0, s.memory.0), (comp, comm, memory));
            prop_assert_eq!(s.five_way().into_iter().sum::<DurNs>(), window.len());
            prop_assert_eq!(s.compute_time + s.non_compute_time + s.idle_time, s.kernel_time);
            prop_assert_eq!(s.compute_time, s.comp);
            prop_assert_eq!(s.kernel_run_time, s.compute_time + s.non_compute_time);
            prop_assert!(s.kernel_run_time <= s.kernel_time);
            prop_assert!(s.duration_sum >= s.kernel_run_time);
        }

        #[test]
        fn two_halves_are_the_whole(kernels in kernels(), a in 0..SPAN, b in 0..SPAN, c in 0..SPAN) {
            let mut cuts = [a, b, c];
            cuts.sort_unstable();
            let activity = Activity::new(&kernels);
            let of = |a, b| summary(&activity, w(a, b)).five_way().map(|d| d.0);
            let (left, right, all) = (of(cuts[0], cuts[1]), of(cuts[1], cuts[2]), of(cuts[0], cuts[2]));
            for part in 0..5 {
                prop_assert_eq!(left[part] + right[part], all[part]);
            }
        }
    }
}
