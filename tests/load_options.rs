//! Loading a part of the input: figures stay those of the whole, what is missing is counted and
//! named, and what does not fit is refused in one sentence with numbers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::classify::Rules;
use overlane::ingest::{
    Cancel, IngestError, LoadOptions, LoadRequest, MemoryLimit, Phase, Progress, load,
};
use overlane::metrics::{
    Query, Row, Selection, left_out_parts, step_rows, stream_rows, summary_rows,
};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::{Basis, Category, IssueKind, Rank, SliceId, Trace};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::kineto::{Kineto, csv, run};

fn open_with(paths: &[PathBuf], options: LoadOptions) -> Result<Trace, IngestError> {
    let request = LoadRequest {
        paths: paths.to_vec(),
        rules: Arc::new(Rules::builtin()),
        options,
    };
    load(&request, &Progress::default(), &Cancel::default())
}

fn no_python() -> LoadOptions {
    LoadOptions {
        no_python: true,
        ..LoadOptions::default()
    }
}

fn no_cpu_rows() -> LoadOptions {
    LoadOptions {
        no_cpu_rows: true,
        ..LoadOptions::default()
    }
}

fn only_range(text: &str) -> LoadOptions {
    LoadOptions {
        range: Some(text.parse().unwrap()),
        ..LoadOptions::default()
    }
}

fn only_ranks(text: &str) -> LoadOptions {
    LoadOptions {
        ranks: Some(text.parse().unwrap()),
        ..LoadOptions::default()
    }
}

/// The sample traces: a folder of ranks counts as one.
fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_traces");
    let found = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path());
    let mut found: Vec<PathBuf> = found
        .filter(|p| p.is_dir() || p.extension().is_some_and(|e| e == "json"))
        .collect();
    found.sort();
    assert!(found.len() >= 5);
    found
}

/// Real traces of others, where there are any.
fn real() -> Vec<PathBuf> {
    let folder = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    let mut found = Vec::new();
    for part in ["kineto", "inference", "large", "edge", "multi_rank"] {
        let Ok(entries) = std::fs::read_dir(folder.join(part)) else {
            continue;
        };
        found.extend(entries.map(|e| e.unwrap().path()));
    }
    found.sort();
    if found.is_empty() {
        println!("skipped: no real traces at {}", folder.display());
    }
    found
}

/// Every figure of every table, and what they stand on.
fn tables(trace: &Trace) -> Vec<Vec<Row>> {
    let query = Query::default();
    let clipped = Query {
        clip_suspicious: true,
        ..query
    };
    vec![
        summary_rows(trace, &query),
        summary_rows(trace, &clipped),
        stream_rows(trace, &query),
        step_rows(trace, &query, Basis::Device),
        step_rows(trace, &query, Basis::Host),
    ]
}

/// What is known of a communication kernel, its names as text: loads number them differently.
fn told_of(trace: &Trace, rank: &Rank, slice: SliceId) -> String {
    let Some(comm) = rank.comm(slice) else {
        return String::new();
    };
    let m = comm.message;
    let names = [m.collective, m.dtype, m.group, m.description, m.ranks];
    let names = names.map(|n| n.map(|n| trace.names.get(n)));
    let numbers = (m.in_elements, m.out_elements, m.group_size, m.seq);
    format!("{:?} {names:?} {numbers:?}", comm.collective)
}

/// What each GPU slice is linked to and which collective it is, by where its text stands.
fn links(trace: &Trace) -> Vec<(u64, Option<u64>, String)> {
    let mut found = Vec::new();
    for rank in &trace.ranks {
        for slice in rank.slices.iter().filter(|s| s.category() == Category::Gpu) {
            let launch = rank.links.launch_of(slice.id());
            let launch = launch.and_then(|id| rank.slices.get(id));
            found.push((
                slice.source().offset,
                launch.map(|s| s.source().offset),
                told_of(trace, rank, slice.id()),
            ));
        }
    }
    found
}

fn same_but_for_rows(path: &Path) {
    let paths = [path.to_owned()];
    let Ok(whole) = open_with(&paths, LoadOptions::default()) else {
        return;
    };
    let of = |trace: &Trace, wanted: &[Category]| -> usize {
        let slices = trace.ranks.iter().flat_map(|r| r.slices.iter());
        slices.filter(|s| wanted.contains(&s.category())).count()
    };
    for options in [no_python(), no_cpu_rows()] {
        let part = open_with(&paths, options.clone()).unwrap();
        let name = format!("{} {:?}", path.display(), options.words());
        assert_eq!(part.capture(), whole.capture(), "{name}");
        assert_eq!(part.origin(), whole.origin(), "{name}");
        assert_eq!(part.events, whole.events, "{name}");
        assert!(tables(&part) == tables(&whole), "{name}");
        assert!(links(&part) == links(&whole), "{name}");
        for (a, b) in part.ranks.iter().zip(&whole.ranks) {
            assert_eq!(a.alignment, b.alignment, "{name}");
            assert_eq!(a.annotations().count(), b.annotations().count(), "{name}");
            assert_eq!(a.suspicious.len(), b.suspicious.len(), "{name}");
        }
        // What is missing is counted: nothing is gone that was not told of.
        let python = part.health.count(IssueKind::PythonLeftOut);
        let gone = of(&whole, &[Category::Python]) - of(&part, &[Category::Python]);
        assert_eq!(python, u64::try_from(gone).unwrap(), "{name}");
        assert_eq!(of(&part, &[Category::Python]), 0, "{name}");
        let cpu = [Category::CpuOp, Category::Overhead];
        let gone = of(&whole, &cpu) - of(&part, &cpu);
        let flows = |t: &Trace| t.ranks.iter().map(|r| r.flows.len()).sum::<usize>();
        let gone = gone + flows(&whole) - flows(&part);
        let told = part.health.count(IssueKind::CpuRowsLeftOut);
        assert_eq!(told, u64::try_from(gone).unwrap(), "{name}");
        let rest: Vec<Category> = Category::ALL
            .into_iter()
            .filter(|c| !cpu.contains(c) && *c != Category::Python)
            .collect();
        assert_eq!(of(&part, &rest), of(&whole, &rest), "{name}");
        assert!(part.heap_bytes() <= whole.heap_bytes(), "{name}");
    }
}

#[test]
fn leaving_rows_out_changes_no_figure_of_the_samples() {
    for path in samples() {
        same_but_for_rows(&path);
    }
}

#[test]
fn leaving_rows_out_changes_no_figure_of_real_traces() {
    for path in real() {
        same_but_for_rows(&path);
    }
}

/// `[start, end)` in thousandths of a window.
fn part_of(window: Window, from: i64, to: i64) -> Window {
    let at = |thousandth: i64| Ns(window.start().0 + window.len().0 / 1_000 * thousandth);
    Window::new(at(from), at(to))
}

fn in_window(trace: &Trace, window: Window, clip_suspicious: bool) -> Vec<Row> {
    let query = Query {
        selection: Selection::Window(window),
        clip_suspicious,
        ..Query::default()
    };
    summary_rows(trace, &query)
}

/// For several ranges, told in thousandths of the capture.
fn same_inside(path: &Path, ranges: &[(i64, i64)]) {
    let paths = [path.to_owned()];
    let Ok(whole) = open_with(&paths, LoadOptions::default()) else {
        return;
    };
    let Some(capture) = whole.capture() else {
        return;
    };
    for &(from, to) in ranges {
        let range = part_of(capture, from, to);
        let relative = format!(
            "{}ns..{}ns",
            (range.start() - capture.start()).0,
            (range.end() - capture.start()).0
        );
        let part = open_with(&paths, only_range(&relative)).unwrap();
        let absolute = format!("@{}..@{}", range.start().0, range.end().0);
        let again = open_with(&paths, only_range(&absolute)).unwrap();
        assert!(tables(&part) == tables(&again), "{relative}");
        assert_eq!(part.origin(), whole.origin());
        // What launched a kernel, and what its collective sends, may lie outside of the range.
        let all: HashSet<_> = links(&whole).into_iter().collect();
        for told in links(&part) {
            assert!(
                all.contains(&told),
                "{} {relative} {told:?}",
                path.display()
            );
        }
        for rank in &part.ranks {
            let inside = rank.capture.is_none_or(|c| c.clip(range) == Some(c));
            assert!(inside, "{} {relative}", path.display());
        }
        for (a, b) in [(0, 1_000), (0, 500), (250, 750), (333, 334), (999, 1_000)] {
            let window = part_of(range, a, b);
            let expected = in_window(&whole, window, false);
            let found = in_window(&part, window, false);
            for row in expected {
                let key = |r: &Row| (r.rank, r.device);
                let name = format!("{} {relative} {window:?} {:?}", path.display(), key(&row));
                match found.iter().find(|f| key(f) == key(&row)) {
                    Some(same) => assert_eq!(same.figures, row.figures, "{name}"),
                    // A device without work in the range is not there.
                    None => assert!(row.figures.is_none_or(|f| f.kernels == 0), "{name}"),
                }
            }
        }
        // Steps that are told to be whole are those of the whole trace.
        let steps = step_rows(&whole, &Query::default(), Basis::Device);
        for row in step_rows(&part, &Query::default(), Basis::Device) {
            if row
                .columns
                .is_some_and(|c| !c.partial && c.basis == Basis::Device)
            {
                let key = |r: &Row| (r.rank, r.device, r.step.clone());
                let same = steps.iter().find(|s| key(s) == key(&row)).unwrap();
                assert_eq!(same.figures, row.figures, "{} {relative}", path.display());
                assert_eq!(same.window, row.window, "{} {relative}", path.display());
            }
        }
    }
}

#[test]
fn a_range_has_the_figures_of_the_whole_inside_it() {
    for path in samples() {
        same_inside(&path, &[(300, 700), (0, 100), (900, 1_000), (450, 451)]);
    }
    for path in real() {
        same_inside(&path, &[(300, 700), (450, 451)]);
    }
}

/// Two steps with a kernel each; the launches run 400 µs ahead of the GPU.
///
/// ```text
/// host    |1000 step 1 1400|1400 step 2 1800|
/// launch   1010  1020        1410
/// op       [1005   1300]
/// GPU                              [1410 1500][1600 1700]  [1850 1950]
/// ```
fn ahead() -> Kineto {
    Kineto::new()
        .annotation("ProfilerStep#1", "1000", "400")
        .annotation("ProfilerStep#2", "1400", "400")
        .cpu("aten::mm", "1005", "295")
        .launched(1, "1010", 7, "1410", "90")
        .launched(2, "1020", 7, "1600", "100")
        .launched(3, "1410", 7, "1850", "100")
}

#[test]
fn a_range_keeps_the_launches_of_its_kernels_and_lets_go_of_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let path = ahead().write(dir.path(), "t.json");
    // 550 to 750 µs from the start: the second kernel alone, 50 µs of it before the middle.
    let trace = open_with(&[path], only_range("550us..750us")).unwrap();
    let rank = &trace.ranks[0];
    let names = |category: Category| -> Vec<String> {
        let slices = rank.slices.iter().filter(|s| s.category() == category);
        slices
            .map(|s| trace.names.get(s.name()).to_owned())
            .collect()
    };
    assert_eq!(names(Category::Gpu).len(), 1);
    assert_eq!(names(Category::Runtime).len(), 1);
    assert_eq!(names(Category::CpuOp).len(), 0);
    // Both steps are there, for the numbers of steps, but only the second is in the range.
    assert_eq!(names(Category::Annotation).len(), 2);
    assert_eq!(rank.host_steps.len(), 1);
    let kernel = rank
        .slices
        .iter()
        .find(|s| s.category() == Category::Gpu)
        .unwrap();
    assert!(rank.links.launch_of(kernel.id()).is_some());
    let step = &rank.devices[0].steps[0];
    assert_eq!(step.label.to_string(), "1");
    assert!(step.partial);
    // Two kernels, two launches, one operator.
    assert_eq!(trace.health.count(IssueKind::OutsideRange), 5);
    assert_eq!(trace.origin(), Some(Ns(1_000_000)));
    assert_eq!(
        trace.capture(),
        Some(Window::new(Ns(1_550_000), Ns(1_750_000)))
    );
    assert_eq!(
        rank.recorded,
        Some(Window::new(Ns(1_000_000), Ns(1_950_000)))
    );
}

#[test]
fn a_range_leaves_out_instants_flows_counters_and_pairs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    let events = [10, 100, 190]
        .map(|ts| {
            format!(
                r#"{{"ph":"i","name":"mark","ts":{ts},"pid":1,"tid":1}},
                {{"ph":"s","cat":"ac2g","name":"f","id":1,"ts":{ts},"pid":1,"tid":1}},
                {{"ph":"C","name":"mem","ts":{ts},"pid":1,"args":{{"a":1}}}},
                {{"ph":"B","cat":"cpu_op","name":"pair","ts":{ts},"pid":1,"tid":2}},
                {{"ph":"E","ts":{},"pid":1,"tid":2}},"#,
                ts + 5
            )
        })
        .concat();
    let meta = r#"{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}}"#;
    let first = r#"{"ph":"X","cat":"cpu_op","name":"first","ts":0,"dur":1,"pid":1,"tid":2},"#;
    std::fs::write(&path, format!("[{first}{events}{meta}]")).unwrap();
    let trace = open_with(&[path], only_range("50us..150us")).unwrap();
    let rank = &trace.ranks[0];
    assert_eq!(
        (
            rank.instants.len(),
            rank.flows.len(),
            rank.counters[0].samples.len()
        ),
        (1, 1, 1)
    );
    assert_eq!(rank.slices.iter().count(), 1);
    assert_eq!(rank.threads[0].name.as_deref(), Some("worker"));
    // Two of each kind, and the first.
    assert_eq!(trace.health.count(IssueKind::OutsideRange), 9);
}

#[test]
fn a_range_counts_from_the_earliest_rank_and_uses_a_base_behind_the_events() {
    let dir = tempfile::tempdir().unwrap();
    let rank = |number: u32, ts: i64, base: &str| {
        let event = |ts: i64| {
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"k","ts":{ts},"dur":10,"pid":0,"tid":7,"args":{{"stream":7}}}}"#
            )
        };
        let path = dir.path().join(format!("rank{number}.json"));
        let text = format!(
            r#"{{"traceEvents":[{},{}]{base}}}"#,
            event(ts),
            event(ts + 100)
        );
        std::fs::write(&path, text).unwrap();
        path
    };
    let base = r#","baseTimeNanoseconds":1700000000000000000"#;
    let paths = [rank(0, 50, base), rank(1, 80, base)];
    // From rank 0's first start on: its second kernel begins at 100, rank 1's first at 30.
    let trace = open_with(&paths, only_range("25us..95us")).unwrap();
    let kernels: Vec<usize> = trace
        .ranks
        .iter()
        .map(|r| r.slices.iter().count())
        .collect();
    assert_eq!(kernels, [0, 1]);
    let kernel = trace.ranks[1].slices.iter().next().unwrap();
    assert_eq!(kernel.start(), Ns(1_700_000_000_000_080_000));
    assert_eq!(kernel.dur(), DurNs(10_000));
}

#[test]
fn a_range_with_nothing_in_it_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = ahead().write(dir.path(), "t.json");
    let path = path.to_str().unwrap();
    // Outside are three kernels and the calls at 10 and 410 µs; then all calls and the operator.
    let none = "overlane: no GPU work lies in the range, so there is nothing to measure\n";
    for (range, lost) in [("20us..30us", 5), ("5s..6s", 7)] {
        let run = report(dir.path(), &[path, "--range", range, "--format", "csv"]);
        assert_eq!(run.status, 0);
        let left_out = format!(
            "overlane: what lies outside the range left out ({lost} events); figures hold inside it\n"
        );
        assert_eq!(run.stderr, format!("{left_out}{none}"), "{range}");
        let trace = open_with(&[PathBuf::from(path)], only_range(range)).unwrap();
        // The file has both, only not here.
        assert_eq!(trace.health.count(IssueKind::NoGpuWork), 0);
        assert_eq!(trace.health.count(IssueKind::NoSteps), 0);
        assert_eq!(trace.capture().is_none(), range == "5s..6s");
    }
}

fn four_ranks(folder: &Path) {
    // Rank 5 is stated, rank 2 is in the name, the others go by their places.
    Kineto::new()
        .rank(5, 8)
        .gpu(7, "a", "1000", "10")
        .write(folder, "a.json");
    Kineto::new()
        .gpu(7, "b", "1000", "20")
        .write(folder, "b_rank2.json");
    Kineto::new()
        .gpu(7, "c", "1000", "30")
        .write(folder, "c.json");
    Kineto::new()
        .gpu(7, "d", "1000", "40")
        .write(folder, "d.json");
}

fn ranks_of(folder: &Path, pattern: &str) -> Vec<u32> {
    let trace = open_with(&[folder.to_owned()], only_ranks(pattern)).unwrap();
    trace.ranks.iter().map(|r| r.id.0).collect()
}

#[test]
fn ranks_are_chosen_by_the_numbers_that_the_whole_trace_shows() {
    let dir = tempfile::tempdir().unwrap();
    four_ranks(dir.path());
    let whole = open_with(&[dir.path().to_owned()], LoadOptions::default()).unwrap();
    let numbers: Vec<u32> = whole.ranks.iter().map(|r| r.id.0).collect();
    // c stands third, where rank 2 is taken by b, so it gets the next; d its place, taken by c.
    assert_eq!(numbers, [2, 3, 4, 5]);
    for (pattern, ranks) in [
        ("5", vec![5]),
        ("2-3", vec![2, 3]),
        ("0-4", vec![2, 3, 4]),
        ("d*", vec![4]),
        ("5,?.json", vec![3, 4, 5]),
    ] {
        assert_eq!(ranks_of(dir.path(), pattern), ranks, "{pattern}");
    }
    let error = open_with(&[dir.path().to_owned()], only_ranks("7")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "none of the files is of the ranks 7; there are the ranks 2, 3, 4, 5"
    );
}

#[test]
fn a_rank_that_is_left_out_is_named_and_not_read() {
    let dir = tempfile::tempdir().unwrap();
    four_ranks(dir.path());
    // Damage behind the header would be told by whoever reads it.
    let path = dir.path().join("a.json");
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\"dur\"", "dur");
    std::fs::write(&path, text).unwrap();
    let trace = open_with(&[dir.path().to_owned()], only_ranks("2,4")).unwrap();
    assert_eq!(trace.files.len(), 4);
    assert_eq!(trace.files[0].events, 0);
    assert_eq!(trace.health.count(IssueKind::RepairedJson), 0);
    let parts = left_out_parts(&trace);
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].sentence(), "2 files left out (rank 5, rank 3)");
}

#[test]
fn a_rank_stated_behind_the_events_is_found_out_late() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    let text = r#"{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"pid":0,"tid":7}],"distributedInfo":{"rank":3}}"#;
    std::fs::write(&path, text).unwrap();
    Kineto::new()
        .rank(1, 8)
        .gpu(7, "a", "1000", "10")
        .write(dir.path(), "u.json");
    // By its place it could be rank 0, so it is read; it is none.
    let folder = [dir.path().to_owned()];
    let trace = open_with(&folder, only_ranks("0,1")).unwrap();
    assert_eq!(trace.ranks.len(), 1);
    assert_eq!(trace.ranks[0].id.0, 1);
    assert_eq!(trace.health.count(IssueKind::RankLeftOut), 1);
}

#[test]
fn what_does_not_fit_is_refused_with_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    let event = |i: usize| {
        format!(
            "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":{i},\"dur\":1,\"pid\":0,\"tid\":7}}"
        )
    };
    let events: Vec<String> = (0..100_000).map(event).collect();
    std::fs::write(&path, format!("[{}]", events.join(","))).unwrap();
    let limited = |limit: u64, options: LoadOptions| {
        let options = LoadOptions {
            memory: MemoryLimit::Bytes(limit),
            ..options
        };
        open_with(std::slice::from_ref(&path), options)
    };
    // About 7 MB of text and 100,000 slices of 54 bytes while they are read.
    let size = std::fs::metadata(&path).unwrap().len();
    let error = limited(1_000_000, LoadOptions::default()).unwrap_err();
    assert!(
        matches!(error, IngestError::TooLarge { text, need, limit: 1_000_000, exact: true }
            if text == size && need == size / 10 * 270 / 100),
        "{error}"
    );
    // The size alone tells nothing where events are left out, so it is found out on the way.
    let error = limited(1_000_000, no_python()).unwrap_err();
    let IngestError::TooLarge { need, limit, .. } = error else {
        panic!("{error}");
    };
    assert!(limit == 1_000_000 && need > limit, "{need}");
    assert!(limited(1_000_000, only_range("0us..1us")).is_ok());
    assert!(limited(100_000_000, LoadOptions::default()).is_ok());
    let no_limit = LoadOptions {
        memory: MemoryLimit::None,
        ..LoadOptions::default()
    };
    assert!(open_with(&[path], no_limit).is_ok());
}

fn report(folder: &Path, args: &[&str]) -> support::kineto::Run {
    let mut all = vec!["report"];
    all.extend(args);
    run(folder, &all)
}

#[test]
fn the_command_line_says_what_was_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = ahead().write(dir.path(), "t.json");
    let path = path.to_str().unwrap();
    for table in ["summary", "steps", "streams"] {
        let whole = report(dir.path(), &[path, "--table", table, "--format", "csv"]);
        assert_eq!(whole.stderr, "");
        let args = [path, "--table", table, "--format", "csv", "--no-cpu-rows"];
        let part = report(dir.path(), &args);
        assert_eq!(part.status, 0, "{}", part.stderr);
        assert_eq!(part.stdout, whole.stdout);
        assert_eq!(part.stderr, "overlane: CPU rows left out (1 event)\n");
    }
    let args = [path, "--range", "550us..750us", "--format", "csv"];
    let part = report(dir.path(), &args);
    assert_eq!(
        part.stderr,
        "overlane: what lies outside the range left out (5 events); figures hold inside it\n"
    );
    // The same window counts from the same instant, with and without a range.
    let window = ["--window", "600us..700us", "--format", "csv"];
    let whole = report(dir.path(), &[&[path], &window[..]].concat());
    let part = report(
        dir.path(),
        &[&[path, "--range", "550us..750us"], &window[..]].concat(),
    );
    assert_eq!(part.stdout, whole.stdout);
    let health = report(
        dir.path(),
        &[
            path,
            "--no-cpu-rows",
            "--table",
            "health",
            "--format",
            "csv",
        ],
    );
    let lines = csv(&health.stdout);
    assert!(
        lines
            .iter()
            .any(|l| l[0] == "cpu-rows-left-out" && l.contains(&"by choice".into()))
    );
}

#[test]
fn the_gate_takes_the_options_and_trouble_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let path = ahead().write(dir.path(), "t.json");
    let path = path.to_str().unwrap();
    let args = ["check", path, "--no-python", "--require", "kernels==3"];
    assert_eq!(run(dir.path(), &args).status, 0);
    for (args, sentence) in [
        (
            ["--range", "7ms..5ms"],
            "overlane: the window 7ms..5ms ends before it starts; swap its ends\n",
        ),
        (
            ["--ranks", "9"],
            "overlane: none of the files is of the ranks 9; there are the ranks 0\n",
        ),
        (
            ["--memory-limit", "much"],
            "overlane: invalid value 'much' for '--memory-limit <SIZE>': 'much' is no amount of \
             memory; write a number with a unit, like 4GiB or 500MB, or none; see --help\n",
        ),
    ] {
        let run = report(dir.path(), &[path, args[0], args[1]]);
        assert_eq!((run.status, run.stderr.as_str()), (2, sentence));
    }
    let run = report(dir.path(), &[path, "--memory-limit", "200B"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains(" of text need about "),
        "{}",
        run.stderr
    );
    let mixed = support::kineto::run(dir.path(), &["--no-python", "report", path]);
    assert_eq!(mixed.status, 2);
    assert!(
        mixed.stderr.contains("put them behind the command"),
        "{}",
        mixed.stderr
    );
}

/// How long a load works on after it was cancelled at many moments. By hand, with a large file:
/// `OVERLANE_BIG=rank-0.json cargo test --release --test load_options -- --ignored --nocapture`.
#[test]
#[ignore = "measures time on a large file that is not part of the project"]
fn a_cancel_is_answered_soon_in_every_phase() {
    let path = PathBuf::from(std::env::var_os("OVERLANE_BIG").expect("a large file"));
    let request = LoadRequest {
        paths: vec![path],
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    let began = Instant::now();
    load(&request, &Progress::default(), &Cancel::default()).unwrap();
    let whole = began.elapsed();
    let mut worst = Duration::ZERO;
    // All over the load, then close together from where lanes begin to be built.
    for moment in 0..40_u32 {
        let (progress, cancel) = (Progress::default(), Cancel::default());
        let (asked, phase) = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                if moment < 20 {
                    std::thread::sleep(whole * moment / 20);
                } else {
                    while progress.phase() != Phase::Indexing {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    std::thread::sleep(whole / 200 * (moment - 20));
                }
                cancel.cancel();
                (Instant::now(), progress.phase())
            });
            let ended = load(&request, &progress, &cancel).is_err();
            let done = Instant::now();
            let (asked, phase) = waiting.join().unwrap();
            (done.checked_duration_since(asked).filter(|_| ended), phase)
        });
        let Some(took) = asked else { continue };
        println!("{phase:?} {moment}: {took:?}");
        worst = worst.max(took);
    }
    println!("a load of {whole:?}; the slowest answer {worst:?}");
    assert!(worst < Duration::from_millis(100), "{worst:?}");
}
