//! What is drawn, as text.

mod coarse;
mod model;

use super::lanes::{self, Derived, LaneKey, LaneRow, LaneState};
use super::rows::{self, RowIndex};
use super::snap::Snap;
use super::{LaneDraw, View, What, hit, lod, spans};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass::{self, Communication as M, Computation as C, Memory as Y};
use crate::trace::{
    Category, DeviceId, FileId, Health, Lane, RankBuilder, RankId, RawSlice, RowKey, SliceId,
    SliceRef, SourceSpan, StreamId, Trace,
};

const EPOCH: i64 = 1_760_000_000_000_000_000;

/// One slice of a drawing: lane, start, end.
#[derive(Clone, Copy, Debug)]
enum On {
    Stream(i64, KernelClass),
    Thread,
}

fn trace(slices: &[(On, i64, i64)]) -> Trace {
    let mut b = RankBuilder::new(FileId(0));
    let key = RowKey {
        pid: "0".into(),
        tid: "7".into(),
    };
    for &(on, start, end) in slices {
        let (lane, category, class) = match on {
            On::Stream(stream, class) => {
                let lane = Lane::Stream {
                    device: DeviceId(0),
                    stream: StreamId(stream),
                    key: key.clone(),
                };
                (lane, Category::Gpu, Some(class))
            }
            On::Thread => (Lane::Thread(key.clone()), Category::CpuOp, None),
        };
        let lane = b.lane(lane);
        let name = b.names.intern("kernel");
        b.push_slice(RawSlice {
            start: Ns(EPOCH + start),
            dur: DurNs(end - start),
            name,
            category,
            class,
            lane,
            correlation: None,
            external: None,
            source: SourceSpan::default(),
        });
    }
    let survey = b.survey();
    assert!(survey.is_some() || slices.is_empty());
    Trace::assemble(
        Vec::new(),
        vec![b.finish(RankId(0), DurNs(0), true)],
        Health::default(),
    )
}

fn view(from: i64, to: i64, width: u16) -> View {
    View::fit(
        Window::new(Ns(EPOCH + from), Ns(EPOCH + to)),
        f64::from(width),
    )
}

fn open_all(trace: &Trace) -> Vec<LaneRow> {
    let mut state = LaneState::for_trace(trace);
    for i in 0..4 {
        state.toggle(LaneKey::Thread(RankId(0), i));
    }
    state.toggle(LaneKey::Threads(RankId(0)));
    lanes::rows(trace, &state)
}

fn lane(trace: &Trace, wanted: impl Fn(LaneKey) -> bool) -> LaneRow {
    open_all(trace)
        .into_iter()
        .find(|l| wanted(l.key))
        .expect("the lane exists")
}

fn stream(trace: &Trace) -> LaneRow {
    lane(trace, |k| matches!(k, LaneKey::Stream(..)))
}

fn thread(trace: &Trace) -> LaneRow {
    lane(trace, |k| matches!(k, LaneKey::Thread(..)))
}

fn index_of(trace: &Trace, lane: &LaneRow) -> Option<RowIndex> {
    rows::needs_index(lane)
        .then(|| RowIndex::new(&trace.ranks[0].slices, lane.slices.clone(), lane.all_rows))
}

fn draw(trace: &Trace, lane: &LaneRow, view: &View, width: u16) -> LaneDraw {
    let [walked, measured] = draws(trace, lane, view, width);
    assert_eq!(
        walked.text(width, lane.sub_rows),
        measured.text(width, lane.sub_rows)
    );
    walked
}

/// Drawn by going from slice to slice, and by measuring columns.
fn draws(trace: &Trace, lane: &LaneRow, view: &View, width: u16) -> [LaneDraw; 2] {
    [usize::MAX, 0].map(|walked| draw_with(trace, lane, view, width, walked))
}

fn draw_with(trace: &Trace, lane: &LaneRow, view: &View, width: u16, walked: usize) -> LaneDraw {
    let index = index_of(trace, lane);
    let screen = (view, f64::from(width));
    lod::draw(&trace.ranks[0], lane, index.as_ref(), screen, walked)
}

fn derived(trace: &Trace, view: &View, width: u16) -> spans::DeviceSpans {
    let device = &trace.ranks[0].devices[0];
    spans::device(&device.activity, device.extent, view, f64::from(width))
}

#[test]
fn wide_slices_are_drawn_by_themselves() {
    // 0    5    10   15   20        one pixel a ns
    // CCCCC  MMMM     YY
    let t = trace(&[
        (On::Stream(7, C), 0, 5),
        (On::Stream(7, M), 7, 11),
        (On::Stream(7, Y), 16, 18),
    ]);
    let text = draw(&t, &stream(&t), &view(0, 20, 20), 20).text(20, 1);
    assert_eq!(text, "C====..M===.....Y=..");
}

#[test]
fn narrow_slices_fold_to_columns_that_mix_by_time() {
    // ten ns a pixel: three kernels in the first pixel, one that reaches into the third
    let t = trace(&[
        (On::Stream(7, C), 0, 2),
        (On::Stream(7, M), 2, 7),
        (On::Stream(7, C), 8, 9),
        (On::Stream(7, Y), 18, 22),
        (On::Stream(7, C), 50, 90),
    ]);
    let drawn = draw(&t, &stream(&t), &view(0, 100, 10), 10);
    assert_eq!(drawn.text(10, 1), "myy..C===.");
    let What::Folded(shares) = drawn.quads[0].what else {
        panic!("{drawn:?}")
    };
    assert_eq!(
        (shares.computation, shares.communication, shares.memory),
        (0.3, 0.5, 0.0)
    );
    assert!((shares.total() - 0.8).abs() < 1e-6);
}

#[test]
fn overlapping_kernels_of_one_stream_are_both_drawn() {
    // A 10-14.5, B 13-16 (in tenths)
    let t = trace(&[(On::Stream(7, C), 100, 145), (On::Stream(7, C), 130, 160)]);
    let lane = stream(&t);
    assert_eq!(lane.sub_rows, 2);
    let text = draw(&t, &lane, &view(100, 160, 12), 12).text(12, 2);
    assert_eq!(text, "C========...\n......C=====");
}

#[test]
fn nested_calls_get_a_row_a_depth_and_a_closed_thread_shows_the_outermost() {
    let t = trace(&[
        (On::Thread, 0, 10),
        (On::Thread, 2, 6),
        (On::Thread, 3, 5),
        (On::Thread, 7, 9),
    ]);
    let lane = thread(&t);
    let text = draw(&t, &lane, &view(0, 10, 10), 10).text(10, 3);
    assert_eq!(text, "H=========\n..H===.H=.\n...H=.....");
    let mut state = LaneState::for_trace(&t);
    state.toggle(LaneKey::Threads(RankId(0)));
    let closed = lanes::rows(&t, &state);
    assert_eq!(
        closed.last().map(|l| (l.sub_rows, l.open)),
        Some((1, Some(false)))
    );
}

#[test]
fn a_kernel_without_length_is_a_tick() {
    let t = trace(&[(On::Stream(7, C), 3, 3), (On::Stream(7, C), 6, 9)]);
    assert_eq!(
        draw(&t, &stream(&t), &view(0, 10, 10), 10).text(10, 1),
        "...|..C==."
    );
}

#[test]
fn an_isolated_microsecond_is_visible_at_any_zoom() {
    let hour = 3_600_000_000_000;
    let t = trace(&[
        (On::Stream(7, C), 0, 1_000),
        (On::Stream(7, M), hour / 2, hour / 2 + 1_000),
        (On::Stream(7, C), hour - 1_000, hour),
    ]);
    let text = draw(&t, &stream(&t), &view(0, hour, 40), 40).text(40, 1);
    assert_eq!(text, format!("c{}m{}c", ".".repeat(19), ".".repeat(18)));
}

#[test]
fn derived_lanes_follow_the_activity() {
    // compute   #### ####       communication   ####
    let t = trace(&[
        (On::Stream(7, C), 0, 10),
        (On::Stream(7, C), 15, 25),
        (On::Stream(20, M), 5, 20),
        (On::Stream(20, Y), 30, 40),
    ]);
    let spans = derived(&t, &view(0, 50, 10), 10);
    let text = |d| spans.lane(d).text(10, 1);
    assert_eq!(text(Derived::Computation), "##.##.....");
    // Exposed communication lies on top of communication; both are whole here.
    assert_eq!(text(Derived::Communication), ".###......");
    assert_eq!(
        spans
            .exposed
            .iter()
            .map(|s| (s.x0, s.x1))
            .collect::<Vec<_>>(),
        [(2.0, 3.0)]
    );
    assert_eq!(text(Derived::Overlap), ".#.#......");
    assert_eq!(text(Derived::Memory), "......##..");
    assert_eq!(text(Derived::Idle), ".....#....");
}

#[test]
fn both_scales_of_derived_lanes_agree() {
    let t = trace(&[
        (On::Stream(7, C), 2, 8),
        (On::Stream(20, M), 5, 12),
        (On::Stream(20, Y), 15, 16),
    ]);
    let coarse = derived(&t, &view(0, 20, 20), 20);
    let fine = derived(&t, &view(0, 20, 200), 200);
    for kind in Derived::ALL {
        let wide: String = coarse
            .lane(kind)
            .text(20, 1)
            .chars()
            .flat_map(|c| [c; 10])
            .collect();
        assert_eq!(fine.lane(kind).text(200, 1), wide, "{kind:?}");
    }
}

#[test]
fn the_stretch_around_an_instant_is_found_without_a_walk() {
    let t = trace(&[
        (On::Stream(7, C), 0, 10),
        (On::Stream(20, M), 5, 20),
        (On::Stream(7, C), 30, 40),
    ]);
    let device = &t.ranks[0].devices[0];
    let find = |at: i64, kind| {
        spans::around(&device.activity, device.extent, Ns(EPOCH + at), |m| {
            spans::holds(kind, m)
        })
        .map(|w| ((w.start() - Ns(EPOCH)).0, (w.end() - Ns(EPOCH)).0))
    };
    assert_eq!(find(7, Derived::Overlap), Some((5, 10)));
    assert_eq!(find(25, Derived::Idle), Some((20, 30)));
    assert_eq!(find(25, Derived::Overlap), None);
    assert_eq!(find(45, Derived::Idle), None);
}

#[test]
fn the_slice_under_the_pointer_is_found() {
    let t = trace(&[
        (On::Stream(7, C), 100, 145),
        (On::Stream(7, C), 130, 160),
        (On::Stream(7, C), 400, 401),
    ]);
    let lane = stream(&t);
    let index = index_of(&t, &lane);
    let view = view(0, 1000, 100);
    let at = |x: f64, y: f32| {
        hit::slice_at(&t.ranks[0], &lane, index.as_ref(), &view, x, y).map(|s| s.slice.0)
    };
    assert_eq!(at(13.5, 1.0), Some(0));
    assert_eq!(at(13.5, lane.row_height() + 1.0), Some(1));
    assert_eq!(at(42.0, 1.0), Some(2), "a few pixels beside a narrow slice");
    assert_eq!(at(60.0, 1.0), None);
}

#[test]
fn edges_snap_to_starts_and_ends() {
    let t = trace(&[
        (On::Stream(7, C), 100, 145),
        (On::Stream(7, C), 130, 160),
        (On::Stream(7, C), 400, 500),
    ]);
    let lane = stream(&t);
    let index = index_of(&t, &lane);
    let near = |at: i64| {
        let mut snap = Snap::new(Ns(EPOCH + at), DurNs(10));
        snap.offer_lane(&t.ranks[0], &lane, index.as_ref());
        snap.found().map(|t| (t - Ns(EPOCH)).0)
    };
    assert_eq!(near(148), Some(145));
    assert_eq!(near(126), Some(130));
    assert_eq!(near(395), Some(400));
    assert_eq!(near(508), Some(500));
    assert_eq!(near(300), None);
}

#[test]
fn lanes_stand_by_rank_and_device() {
    let t = trace(&[
        (On::Stream(7, C), 0, 5),
        (On::Stream(20, M), 0, 5),
        (On::Thread, 0, 9),
    ]);
    let labels: Vec<String> = lanes::rows(&t, &LaneState::for_trace(&t))
        .into_iter()
        .map(|l| l.label)
        .collect();
    let expected = [
        "Rank 0",
        "GPU 0",
        "Computation",
        "Communication",
        "Memory",
        "Overlap",
        "Idle",
        "Stream 7",
        "Stream 20",
        "CPU threads (1)",
    ];
    assert_eq!(labels, expected);
}

#[test]
fn a_slice_reveals_its_lane() {
    let t = trace(&[(On::Stream(7, C), 0, 5), (On::Thread, 0, 9)]);
    let mut state = LaneState::for_trace(&t);
    let on_thread = SliceRef {
        rank: RankId(0),
        slice: SliceId(1),
    };
    let key = lanes::lane_of(&t, on_thread).expect("it has a lane");
    assert!(!lanes::rows(&t, &state).iter().any(|l| l.key == key));
    state.reveal(key);
    assert!(lanes::rows(&t, &state).iter().any(|l| l.key == key));
}
