//! Ranks that are moved: by hand, by the ends of their collectives, with and without a range. What is
//! moved must be what a file with other times would have been, down to the last field.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::classify::Rules;
use overlane::ingest::{
    AlignBy, Cancel, IngestError, LoadOptions, LoadRequest, Progress, RankShifts, load,
};
use overlane::metrics::{
    Query, Selection, collective_rows, moved_details, moved_phrases, step_rows, summary_rows,
};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::{
    Alignment, Basis, IssueKind, MovedBy, Rank, RankId, StepLabel, Trace, clock_shifts,
};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use support::kineto::{Run, cell, run};

/// All files begin here: 1.7e15 µs, so that moving a file does not change how long its text is.
const ZERO: i64 = 1_700_000_000_000_000_000;
const STEPS: i64 = 6;

/// A rank of four in ns behind `ZERO`, one step every 3,000,000, and all of it `ahead`:
///
/// ```text
/// stream 7    [gemm 100,000 ................ 1,100,000)  [copy at 2,100,000)  [point 2,200,000]
/// stream 20          [reduce 1,000,000 + 10,000 · rank ....... 2,000,000 + late[step])
/// ```
/// Beside that whatever else has a time: steps, calls, operators, Python, instants, counters, flows,
/// a projected annotation, one kernel astray and one whose duration cannot be trusted.
fn text(rank: u32, ahead: i64, late: &[i64]) -> String {
    let mut pen = Pen {
        ahead,
        events: Vec::new(),
    };
    for (step, late) in (0..STEPS).zip(late.iter().chain(std::iter::repeat(&0))) {
        pen.host(3_000_000 * step, step);
        pen.gpu(rank, 3_000_000 * step, step, *late);
    }
    for n in 0..12 {
        let dur = if n == 0 { 17_000_000 } else { 2_000 };
        let args = r#""pid":0,"tid":33,"args":{"device":1,"stream":33}"#;
        pen.slice("kernel", "tiny", (50_000 * n, 50_000 * n + dur), args);
    }
    let args = r#""pid":0,"tid":7,"args":{"device":2,"stream":7}"#;
    pen.slice("kernel", "endless", (0, 900_000_000_000_000), args);
    let events = pen.events.join(",");
    format!(r#"{{"distributedInfo":{{"rank":{rank},"world_size":4}},"traceEvents":[{events}]}}"#)
}

const HOST: &str = r#""pid":77,"tid":1"#;

struct Pen {
    ahead: i64,
    events: Vec<String>,
}

impl Pen {
    fn point(&mut self, ph: &str, name: &str, at: i64, rest: &str) {
        let ns = ZERO + at + self.ahead;
        let ts = format!("{}.{:03}", ns / 1000, ns % 1000);
        self.events.push(format!(
            r#"{{"ph":"{ph}","name":"{name}","ts":{ts},{rest}}}"#
        ));
    }

    fn slice(&mut self, cat: &str, name: &str, (from, to): (i64, i64), rest: &str) {
        let (whole, part) = ((to - from) / 1000, (to - from) % 1000);
        let rest = format!(r#""cat":"{cat}","dur":{whole}.{part:03},{rest}"#);
        self.point("X", name, from, &rest);
    }

    fn host(&mut self, at: i64, step: i64) {
        let name = format!("ProfilerStep#{step}");
        self.slice("user_annotation", &name, (at, at + 2_900_000), HOST);
        self.slice("cpu_op", "aten::mm", (at + 5_000, at + 30_000), HOST);
        let frame = (at + 1_000, at + 2_000_000);
        self.slice("python_function", "train.py(3): step", frame, HOST);
        let gpu = r#""pid":0,"tid":7"#;
        let projected = (at + 100_000, at + 2_000_000);
        self.slice("gpu_user_annotation", &name, projected, gpu);
        self.point("i", "mark", at + 7_000, &format!(r#"{HOST},"s":"t""#));
        let total = 1000 + step;
        let args = format!(
            r#"{HOST},"s":"t","args":{{"Bytes":1,"Addr":{step},"Device Id":0,"Device Type":1,"Total Allocated":{total},"Total Reserved":{}}}"#,
            2 * total
        );
        self.point("i", "[memory]", at + 6_000, &args);
        let bytes = r#""pid":77,"args":{"bytes":12}"#;
        self.point("C", "memory", at + 8_000, bytes);
        let flow = r#""cat":"ac2g","id":4"#;
        self.point("s", "ac2g", at + 10_000, &format!("{HOST},{flow}"));
        let end = format!(r#"{gpu},{flow},"bp":"e""#);
        self.point("f", "ac2g", at + 100_000, &end);
    }

    fn gpu(&mut self, rank: u32, at: i64, step: i64, late: i64) {
        let call = format!(
            r#","Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1, 2, 3]","In msg nelems":64,"Out msg nelems":64,"dtype":"Float","Seq":{step}"#
        );
        let from = 1_000_000 + 10_000 * i64::from(rank);
        let reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
        for (n, stream, cat, name, from, to, more) in [
            (0, 7, "kernel", "gemm", 100_000, 1_100_000, ""),
            (1, 20, "kernel", reduce, from, 2_000_000 + late, &call),
            (2, 7, "gpu_memcpy", "Memcpy HtoD", 2_100_000, 2_150_000, ""),
            (3, 7, "kernel", "point", 2_200_000, 2_200_000, ""),
        ] {
            let correlation = 4 * step + n + 1;
            let launch = format!(r#"{HOST},"args":{{"correlation":{correlation}}}"#);
            let when = (at + 10_000 + n, at + 10_001 + n);
            self.slice("cuda_runtime", "cudaLaunchKernel", when, &launch);
            let args = format!(
                r#""pid":0,"tid":{stream},"args":{{"device":0,"stream":{stream},"correlation":{correlation}{more}}}"#
            );
            self.slice(cat, name, (at + from, at + to), &args);
        }
    }
}

/// A folder of ranks that are ahead so much.
fn ranks(ahead: &[i64], late: &[&[i64]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for ((rank, ahead), late) in (0..)
        .zip(ahead)
        .zip(late.iter().chain(std::iter::repeat(&&[][..])))
    {
        let path = folder.path().join(format!("rank-{rank}.json"));
        std::fs::write(path, text(rank, *ahead, late)).unwrap();
    }
    folder
}

fn open(folder: &Path, options: LoadOptions) -> Result<Trace, IngestError> {
    let request = LoadRequest {
        paths: vec![folder.to_owned()],
        rules: Arc::new(Rules::builtin()),
        options,
    };
    load(&request, &Progress::default(), &Cancel::default())
}

fn by_hand(shifts: &str) -> LoadOptions {
    LoadOptions {
        shifts: shifts.parse().unwrap(),
        ..LoadOptions::default()
    }
}

fn by_collectives() -> LoadOptions {
    LoadOptions {
        align: AlignBy::Collectives,
        ..LoadOptions::default()
    }
}

/// Everything that a rank is, but how it came to its place.
fn all_of(rank: &mut Rank) -> String {
    rank.alignment = Alignment::default();
    rank.list_rows();
    format!("{rank:#?}")
}

/// The first line that differs says more than two long texts.
fn assert_same(mut a: Trace, mut b: Trace) {
    assert_eq!(a.ranks.len(), b.ranks.len());
    for (a, b) in a.ranks.iter_mut().zip(&mut b.ranks) {
        let (a, b) = (all_of(a), all_of(b));
        for (at, (a, b)) in a.lines().zip(b.lines()).enumerate() {
            assert_eq!(a, b, "line {at}");
        }
        assert_eq!(a.len(), b.len());
    }
    assert_eq!(format!("{:?}", a.matches), format!("{:?}", b.matches));
}

fn applied(trace: &Trace) -> Vec<Option<i64>> {
    let ranks = trace.ranks.iter();
    ranks.map(|r| Some(r.alignment.moved?.by.0)).collect()
}

/// Rank 1 is 250 µs ahead and leaves the six collectives 0, 400, -400, 0, 0, 100 ns later besides:
/// sorted -400 0 0 0 100 400, so the median is 0, and that of the distances 0 0 0 100 400 400 is 50.
/// Rank 2 is 7 µs and 1 ns behind.
#[test]
fn ends_of_collectives_move_ranks_to_the_clock_of_the_first() {
    let folder = ranks(&[0, 250_000, -7_001], &[&[], &[0, 400, -400, 0, 0, 100]]);
    let plain = open(folder.path(), LoadOptions::default()).unwrap();
    assert_eq!(applied(&plain), [None, None, None]);
    assert!(moved_phrases(&plain).is_empty());
    let trace = open(folder.path(), by_collectives()).unwrap();
    assert_eq!(applied(&trace), [None, Some(-250_000), Some(7_001)]);
    assert_eq!(
        moved_details(&trace),
        [
            "rank 1: moved by -250.000 µs, ends of 6 collectives with rank 0 agree within 0.050 µs",
            "rank 2: moved by 7.001 µs, ends of 6 collectives with rank 0 agree within 0.000 µs",
        ]
    );
    assert_eq!(moved_phrases(&trace), ["ranks 1-2 aligned by collectives"]);
    // Rank 2 was the first to begin; now nobody is.
    assert_eq!(plain.origin().unwrap().0, ZERO - 7_001);
    assert_eq!(trace.origin().unwrap().0, ZERO);
    let starts: Vec<i64> = (trace.ranks.iter())
        .map(|r| r.capture.unwrap().start().0 - ZERO)
        .collect();
    assert_eq!(starts, [0, 0, 0]);
    let rank = trace.rank(RankId(1)).unwrap();
    assert!(matches!(
        rank.alignment.moved.unwrap().why,
        MovedBy::Collectives(told) if (told.with, told.residual, told.matches) == (RankId(0), DurNs(50), 6)
    ));
}

#[test]
fn what_shares_too_little_stays_and_that_is_said() {
    let folder = ranks(&[0, 250_000], &[]);
    // Four steps are four collectives.
    let path = folder.path().join("rank-2.json");
    let cut = text(2, 9_000, &[]).replace(r#""Seq":4"#, r#""Seq":44"#);
    std::fs::write(&path, cut.replace(r#""Seq":5"#, r#""Seq":55"#)).unwrap();
    let trace = open(folder.path(), by_collectives()).unwrap();
    assert_eq!(applied(&trace), [None, Some(-250_000), None]);
    assert_eq!(
        moved_phrases(&trace),
        [
            "rank 1 aligned by collectives",
            "rank 2 not aligned by collectives"
        ]
    );
    assert!(moved_details(&trace)[1].starts_with("rank 2: stays, since it shares fewer than 5"));
    assert_eq!(trace.health.count(IssueKind::RankNotAligned), 1);
    let alone = open(&path, by_collectives()).unwrap();
    assert_eq!(moved_phrases(&alone), ["rank 2 not aligned by collectives"]);
}

#[test]
fn what_is_moved_by_hand_is_moved_by_nothing_else_and_the_others_follow_the_first() {
    let folder = ranks(&[0, 250_000, 100], &[]);
    let both = |shifts: &str| LoadOptions {
        align: AlignBy::Collectives,
        ..by_hand(shifts)
    };
    let trace = open(folder.path(), both("1=5us")).unwrap();
    assert_eq!(applied(&trace), [None, Some(5_000), Some(-100)]);
    assert_eq!(
        moved_details(&trace)[0],
        "rank 1: moved by 5.000 µs, as asked for"
    );
    // What is left of its clock is still told.
    let left: Vec<i64> = clock_shifts(&trace).iter().map(|c| c.shift.0).collect();
    assert_eq!(left, [0, 255_000, 0]);
    let trace = open(folder.path(), both("0=1ms,1=0ns")).unwrap();
    assert_eq!(applied(&trace), [Some(1_000_000), Some(0), Some(999_900)]);
    assert_eq!(
        moved_phrases(&trace),
        [
            "rank 2 aligned by collectives",
            "ranks 0-1 moved as asked for"
        ]
    );
}

#[test]
fn a_shift_of_a_rank_that_is_not_there_is_refused_unless_it_may_be_in_a_bad_file() {
    let folder = ranks(&[0, 250_000], &[]);
    let error = open(folder.path(), by_hand("1=2us,7=1us")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no rank 7 to be moved; there are the ranks 0, 1"
    );
    // A rank that is left out by choice is there.
    let one = LoadOptions {
        ranks: Some("0".parse().unwrap()),
        ..by_hand("1=2us")
    };
    assert_eq!(applied(&open(folder.path(), one).unwrap()), [None]);
    std::fs::write(folder.path().join("rank-7.json"), "no trace").unwrap();
    let trace = open(folder.path(), by_hand("1=2us,7=1us")).unwrap();
    assert_eq!(applied(&trace), [None, Some(2_000)]);
    let told = "not there to be moved: rank 7; there are the ranks 0, 1";
    assert_eq!(moved_phrases(&trace)[1], told);
}

#[test]
fn relative_files_are_moved_on_top_of_being_aligned_at_their_start() {
    let folder = ranks(&[0, 250_000], &[]);
    for rank in 0..2 {
        let path = folder.path().join(format!("rank-{rank}.json"));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace(":1700000000", ":1")).unwrap();
    }
    let trace = open(folder.path(), by_hand("1=3us")).unwrap();
    let first = trace.rank(RankId(0)).unwrap().capture.unwrap().start();
    let second = trace.rank(RankId(1)).unwrap().capture.unwrap().start();
    assert_eq!(second - first, DurNs(3_000));
}

/// The figures of windows are those of the whole load, where the range is counted from the same start.
#[test]
fn a_range_counts_from_the_start_after_alignment() {
    let folder = ranks(&[0, 250_000, -7_001], &[&[], &[0, 400, -400, 0, 0, 100]]);
    for (align, shifts) in [
        (AlignBy::Collectives, RankShifts::default()),
        (AlignBy::Base, "1=-2ms,2=10us".parse().unwrap()),
        (AlignBy::Collectives, "2=-40us".parse().unwrap()),
    ] {
        let options = LoadOptions {
            align,
            shifts,
            ..LoadOptions::default()
        };
        let whole = open(folder.path(), options.clone()).unwrap();
        let part = open(
            folder.path(),
            LoadOptions {
                range: Some("1ms..7.5ms".parse().unwrap()),
                ..options.clone()
            },
        )
        .unwrap();
        assert_eq!(applied(&whole), applied(&part), "{options:?}");
        assert_eq!(moved_details(&whole), moved_details(&part));
        assert_eq!(whole.origin(), part.origin());
        let from = whole.origin().unwrap();
        assert_eq!(part.capture().unwrap().start(), from + DurNs(1_000_000));
        for (a, b) in [(1_000, 7_500), (1_100, 2_300), (3_000, 7_000)] {
            let window = Window::new(from + DurNs(a * 1_000), from + DurNs(b * 1_000));
            let query = Query {
                selection: Selection::Window(window),
                ..Query::default()
            };
            // How runs of kernels compare hangs on medians of what is loaded.
            let figures = |trace: &Trace| {
                let rows = summary_rows(trace, &query).into_iter();
                rows.map(|r| (r.rank, r.device, r.figures))
                    .collect::<Vec<_>>()
            };
            assert_eq!(figures(&whole), figures(&part));
        }
    }
}

#[test]
fn one_thread_and_many_move_alike() {
    let folder = ranks(&[0, 250_000, -7_001, 5], &[&[], &[0, 400, -400, 0, 0, 100]]);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| open(folder.path(), by_collectives()).unwrap())
    };
    let (one, many) = (with(1), with(4));
    assert_eq!(applied(&one), applied(&many));
    assert_eq!(one.health, many.health);
    assert_same(one, many);
}

/// The figures of a rank by steps and in a window that moves with it.
fn figures(trace: &Trace, rank: u32, by: i64) -> String {
    let mut out = String::new();
    let start = ZERO + by;
    for selection in [
        Selection::None,
        Selection::Window(Window::new(Ns(start + 1_050_000), Ns(start + 8_000_000))),
    ] {
        let query = Query {
            selection,
            rank: Some(RankId(rank)),
            ..Query::default()
        };
        let mut rows = summary_rows(trace, &query);
        rows.extend(step_rows(trace, &query, Basis::Device));
        for row in rows {
            let mut figures = row.figures;
            if let Some(figures) = &mut figures {
                let w = figures.window;
                let back = DurNs(-by);
                figures.window = Window::new(w.start() + back, w.end() + back);
            }
            writeln!(
                out,
                "{} {} {:?} {figures:?}",
                row.rank.0, row.device.0, row.step
            )
            .unwrap();
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A shift by hand makes the trace that a file with other times makes.
    #[test]
    fn a_shift_is_a_file_whose_times_were_all_moved(by in -3_000_000_000_i64..3_000_000_000) {
        let recorded = ranks(&[0, 0], &[]);
        let moved = ranks(&[0, by], &[]);
        let by_option = open(recorded.path(), by_hand(&format!("1={by}ns"))).unwrap();
        let by_file = open(moved.path(), LoadOptions::default()).unwrap();
        let plain = open(recorded.path(), LoadOptions::default()).unwrap();
        prop_assert_eq!(figures(&by_option, 1, by), figures(&plain, 1, 0));
        let query = Query::default();
        prop_assert_eq!(
            format!("{:?}", collective_rows(&by_option, &query)),
            format!("{:?}", collective_rows(&by_file, &query))
        );
        assert_same(by_option, by_file);
    }

    /// What collectives move is what a shift by hand moves, in every field. After it nothing is left
    /// of the estimate, and how far to trust it stays.
    #[test]
    fn aligning_leaves_no_difference_and_the_same_doubt(
        ahead in prop::collection::vec(-3_000_000_000_i64..3_000_000_000, 2..4),
        late in prop::collection::vec(prop::collection::vec(-9_000_i64..9_000, 6), 4),
    ) {
        let late: Vec<&[i64]> = late.iter().map(Vec::as_slice).collect();
        let folder = ranks(&ahead, &late);
        let plain = open(folder.path(), LoadOptions::default()).unwrap();
        let aligned = open(folder.path(), by_collectives()).unwrap();
        let (before, after) = (clock_shifts(&plain), clock_shifts(&aligned));
        let hand: Vec<String> = before
            .iter()
            .map(|c| format!("{}={}ns", c.rank.0, -c.shift.0))
            .collect();
        for (before, after) in before.iter().zip(&after) {
            prop_assert_eq!(after.shift, DurNs::ZERO);
            prop_assert_eq!((after.rank, after.against), (before.rank, before.against));
        }
        let hand = open(folder.path(), by_hand(&hand.join(","))).unwrap();
        assert_same(aligned, hand);
    }
}

#[test]
fn the_sample_has_whatever_has_a_time() {
    let folder = ranks(&[0], &[]);
    let trace = open(folder.path(), LoadOptions::default()).unwrap();
    let rank = &trace.ranks[0];
    assert!(rank.memory[0].allocated.len() == 6 && rank.memory[0].reserved.is_some());
    assert!(!rank.instants.is_empty() && !rank.counters.is_empty() && !rank.flows.is_empty());
    assert!(!rank.suspicious.is_empty() && !rank.astray.is_empty() && !rank.comms.is_empty());
    assert!(
        rank.devices
            .iter()
            .any(|d| d.clipped_extent.is_some() && d.clipped.is_some())
    );
    assert!(rank.devices.iter().any(|d| !d.extras.is_empty()));
    let labels = || rank.devices[0].steps.iter().map(|s| s.label);
    assert!(labels().any(|l| l != StepLabel::Before));
    assert_eq!(rank.host_steps.len(), 6);
}

fn report(folder: &Path, more: &[&str]) -> Run {
    let home = tempfile::tempdir().unwrap();
    run(
        home.path(),
        &[&["report", folder.to_str().unwrap()], more].concat(),
    )
}

#[test]
fn the_command_line_moves_ranks_and_says_so() {
    let folder = ranks(&[0, 250_000, -7_001], &[&[], &[0, 400, -400, 0, 0, 100]]);
    let csv = ["--table", "ranks", "--format", "csv"];
    let out = report(
        folder.path(),
        &[&csv[..], &["--align", "collectives", "--shift", "2=-1.5ms"]].concat(),
    );
    assert_eq!(out.status, 0, "{}", out.stderr);
    let column = |name: &str| [0, 1, 2].map(|row| cell(&out.stdout, row, name));
    assert_eq!(
        column("applied_shift_us"),
        ["0.000", "-250.000", "-1500.000"]
    );
    assert_eq!(column("shift_source"), ["", "collectives", "as asked for"]);
    assert_eq!(column("clock_shift_us"), ["0.000", "0.000", "-1507.001"]);
    assert_eq!(column("clock_residual_us"), ["", "0.050", "0.000"]);
    let note = "rank 1 aligned by collectives; rank 2 moved as asked for; --table health says more";
    assert!(out.stderr.contains(note), "{}", out.stderr);
    let out = report(folder.path(), &csv);
    assert_eq!(
        [0, 1, 2].map(|row| cell(&out.stdout, row, "shift_source")),
        ["", "", ""]
    );
    assert!(!out.stderr.contains("moved"), "{}", out.stderr);
    // Relative windows count from the start after the shift: rank 2 begins 1.507001 ms before zero.
    let window = ["--window", "1.5ms..2ms", "--rank", "2", "--format", "csv"];
    let out = report(
        folder.path(),
        &[&window[..], &["--shift", "2=-1.5ms"]].concat(),
    );
    let start = (ZERO - 7_001).to_string();
    assert_eq!(cell(&out.stdout, 0, "window_start_ns"), start);
    let out = report(
        folder.path(),
        &[
            "--table", "health", "--shift", "1=12.5us", "--format", "json",
        ],
    );
    assert!(
        out.stdout
            .contains("rank 1: moved by 12.500 µs, as asked for"),
        "{}",
        out.stdout
    );
}

#[test]
fn wrong_shifts_are_one_sentence() {
    let folder = ranks(&[0, 0], &[]);
    for (args, part) in [
        (
            &["--shift", "1=2us", "--shift", "1=3us"][..],
            "rank 1 is moved twice; give one shift for each rank",
        ),
        (
            &["--shift", "9=2us"],
            "there is no rank 9 to be moved; there are the ranks 0, 1",
        ),
        (
            &["--shift", "1=2"],
            "the shift '2' has no unit; add ns, us, ms or s, like 2us",
        ),
        (&["--shift", "fast"], "'fast' is no shift; write the rank"),
        (&["--align", "clocks"], "possible values: base, collectives"),
    ] {
        let out = report(folder.path(), args);
        assert_eq!(
            (out.status, out.stderr.trim().lines().count()),
            (2, 1),
            "{}",
            out.stderr
        );
        assert!(out.stderr.contains(part), "{}", out.stderr);
    }
    let home = tempfile::tempdir().unwrap();
    let out = run(home.path(), &["--align", "collectives", "report", "x.json"]);
    assert!(
        out.stderr.contains("put them behind the command"),
        "{}",
        out.stderr
    );
    let path = folder.path().to_str().unwrap();
    for command in [
        &["check", path, "--require", "kernels>0"][..],
        &["diff", path, path],
    ] {
        let moves = ["--align", "collectives", "--shift", "1=-4us"];
        let out = run(home.path(), &[command, &moves].concat());
        assert_eq!(out.status, 0, "{}", out.stderr);
        assert!(
            out.stderr.contains("rank 1 moved as asked for"),
            "{}",
            out.stderr
        );
    }
}
