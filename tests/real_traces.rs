//! Real traces that nobody of this project wrote, against a brute-force second opinion.
//!
//! The traces are not part of the project. They are looked for in the folder that the environment
//! variable `OVERLANE_TRACES` names, else in `../shared/traces`; where there is none, every test
//! here says "skipped" and passes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/oracle.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod oracle;

use oracle::Figures;
use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::metrics::{
    KernelGrouping, KernelRow, Query, Selection, idle_rows, kernel_rows, summary, summary_rows,
};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::{
    Activity, Basis, Category, Device, Rank, SliceId, StepLabel, StreamId, Trace,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn folder() -> Option<PathBuf> {
    let path = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    if path.is_dir() {
        Some(path)
    } else {
        println!("skipped: no real traces at {}", path.display());
        None
    }
}

/// Every file below a folder, in a fixed order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_none_or(|e| e != "md") {
            found.push(path);
        }
    }
    found
}

fn open(path: &Path) -> Result<Trace, String> {
    let request = LoadRequest {
        paths: vec![path.to_owned()],
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    load(&request, &Progress::default(), &Cancel::default()).map_err(|e| e.to_string())
}

#[test]
fn every_real_file_opens_or_gets_one_sentence() {
    let Some(folder) = folder() else { return };
    for path in files(&folder) {
        let began = Instant::now();
        match open(&path) {
            Ok(trace) => assert!(trace.events > 0, "{}", path.display()),
            Err(sentence) => {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                assert!(sentence.contains(&name), "names the file: {sentence}");
                assert!(
                    sentence.contains("; ") && !sentence.contains('\n'),
                    "{sentence}"
                );
            }
        }
        let took = began.elapsed();
        assert!(
            took < Duration::from_secs(30),
            "{}: {took:?}",
            path.display()
        );
    }
}

#[test]
fn figures_agree_with_a_brute_force_count() {
    let Some(folder) = folder() else { return };
    let rules = Rules::builtin();
    let (mut devices, mut windows) = (0, 0);
    for path in files(&folder) {
        let Some(file) = oracle::read(&path, &rules) else {
            continue;
        };
        let Ok(trace) = open(&path) else { continue };
        let name = path.display();
        assert_eq!(trace.events, file.events as u64, "{name}: events");
        let rank = &trace.ranks[0];
        let ids: Vec<i64> = rank.devices.iter().map(|d| d.id.0).collect();
        assert_eq!(
            ids,
            file.devices.keys().copied().collect::<Vec<_>>(),
            "{name}: devices"
        );
        let capture = rank
            .capture
            .map(|c| (i128::from(c.start().0), i128::from(c.end().0)));
        // The second opinion does not pair begins with ends.
        if file.capture.is_some() {
            assert_eq!(capture, file.capture, "{name}: capture");
        }
        for (device, kernels) in rank.devices.iter().zip(file.devices.values()) {
            devices += 1;
            let first = kernels.iter().map(|k| k.start).min().unwrap();
            let last = kernels.iter().map(|k| k.end).max().unwrap();
            let seed = u64::try_from(first.rem_euclid(1 << 62)).unwrap();
            let mut random = Random(seed ^ 0x9e37_79b9_7f4a_7c15);
            let mut asked = vec![(first, last)];
            asked.extend((0..20).map(|_| random.window(first, last)));
            for (from, to) in asked {
                windows += 1;
                let want = oracle::count(kernels.iter(), from, to, last);
                assert_eq!(
                    figures(&device.activity, from, to),
                    want,
                    "{name} {from}..{to}"
                );
                for stream in &device.streams {
                    let mine = || kernels.iter().filter(|k| StreamId(k.stream) == stream.id);
                    let last = mine().map(|k| k.end).max().unwrap();
                    let want = oracle::count(mine(), from, to, last);
                    let got = figures(&stream.activity, from, to);
                    assert_eq!(got, want, "{name} stream {} {from}..{to}", stream.id.0);
                }
            }
        }
    }
    println!("{devices} devices, {windows} windows");
    assert!(devices > 0);
}

#[test]
fn steps_agree_with_the_definition() {
    let Some(folder) = folder() else { return };
    let rules = Rules::builtin();
    let mut compared = 0;
    for path in files(&folder) {
        let Some(file) = oracle::read(&path, &rules) else {
            continue;
        };
        let Ok(trace) = open(&path) else { continue };
        for (device, kernels) in trace.ranks[0].devices.iter().zip(file.devices.values()) {
            let want = oracle::device_steps(&file, kernels);
            if device.steps.iter().any(|s| s.basis == Basis::Host) {
                assert!(
                    want.is_empty(),
                    "{}: host windows despite launches",
                    path.display()
                );
                continue;
            }
            let got: Vec<_> = device
                .steps
                .iter()
                .map(|s| {
                    let number = match s.label {
                        StepLabel::Before => None,
                        StepLabel::Number { number, .. } => Some(number),
                    };
                    let (from, to) = (s.window.start().0, s.window.end().0);
                    (
                        number,
                        i128::from(from),
                        i128::from(to),
                        s.kernels_launched.unwrap(),
                    )
                })
                .collect();
            assert_eq!(got, want, "{}", path.display());
            compared += want.len();
        }
    }
    println!("{compared} steps");
    assert!(compared > 0);
}

#[test]
fn kernels_agree_with_a_brute_force_count() {
    let Some(folder) = folder() else { return };
    let rules = Rules::builtin();
    let (mut groups, mut ops) = (0, 0);
    for path in files(&folder) {
        let Some(file) = oracle::read(&path, &rules) else {
            continue;
        };
        let Ok(trace) = open(&path) else { continue };
        let rank = &trace.ranks[0];
        for (device, kernels) in rank.devices.iter().zip(file.devices.values()) {
            let first = kernels.iter().map(|k| k.start).min().unwrap();
            let last = kernels.iter().map(|k| k.end).max().unwrap();
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            let mut asked = vec![(first, last)];
            asked.extend((0..6).map(|_| random.window(first, last)));
            for (from, to) in asked {
                let at = |t: i128| Ns(i64::try_from(t).unwrap());
                let query = Query {
                    selection: Selection::Window(Window::new(at(from), at(to))),
                    device: Some(device.id),
                    ..Query::default()
                };
                let summary = summary_rows(&trace, &query)[0].figures;
                for grouping in KernelGrouping::ALL {
                    let rows = kernel_rows(&trace, &query, grouping);
                    let of = summary.unwrap_or_default();
                    let counted: u64 = rows.iter().map(|r| r.kernels).sum();
                    let total: i64 = rows.iter().map(|r| r.total.0).sum();
                    assert_eq!(
                        (counted, total),
                        (of.kernels, of.duration_sum.0),
                        "{} {grouping:?} {from}..{to}",
                        path.display()
                    );
                }
                let Some(window) = summary.map(|s| s.window) else {
                    continue;
                };
                let (from, to) = (window.start().0.into(), window.end().0.into());
                let want = oracle::by_name(kernels, from, to, last);
                let rows = kernel_rows(&trace, &query, KernelGrouping::Name);
                assert_eq!(rows.len(), want.len(), "{}", path.display());
                for row in &rows {
                    assert_row(row, &want[row.label.as_str()]);
                }
                groups += rows.len();
                ops += assert_ops(&trace, rank, device, &query, window);
            }
        }
    }
    println!("{groups} groups, {ops} launched kernels");
    assert!(groups > 0 && ops > 0);
}

fn assert_row(row: &KernelRow, (inside, lengths): &(i128, Vec<i128>)) {
    let n = lengths.len();
    let middle = (lengths[(n - 1) / 2] + lengths[n / 2] + 1).div_euclid(2);
    let mean = (2 * lengths.iter().sum::<i128>() + n as i128).div_euclid(2 * n as i128);
    assert_eq!(
        [row.total, row.mean, row.median, row.min, row.max].map(|d| i128::from(d.0)),
        [*inside, mean, middle, lengths[0], lengths[n - 1]],
        "{}",
        row.label
    );
    assert_eq!(row.kernels, n as u64, "{}", row.label);
}

/// Looks through the whole thread for the op of every kernel of a small window; how many kernels.
fn assert_ops(trace: &Trace, rank: &Rank, device: &Device, query: &Query, window: Window) -> usize {
    let ids = device.streams.iter().flat_map(|s| s.slices.clone());
    let inside: Vec<_> = ids
        .filter_map(|id| rank.slices.get(SliceId(id)))
        .filter(|k| k.dur() > DurNs(0) && k.start() < window.end() && k.end() > window.start())
        .collect();
    let is_whole = inside.len() as u64 == device.activity.kernels(window);
    if inside.len() > 300 || !is_whole {
        return 0;
    }
    let mut want: BTreeMap<String, u64> = BTreeMap::new();
    for kernel in &inside {
        let Some(launch) = rank.links.launch_of(kernel.id()) else {
            continue;
        };
        let t = rank.slices.get(launch).unwrap().start();
        let thread = rank.thread_of(launch).unwrap();
        let op = rank
            .slices
            .range(thread.slices.clone())
            .filter(|s| s.category() == Category::CpuOp && s.window().contains(t))
            .max_by_key(|s| (s.start(), Reverse(s.dur())));
        let label = op.map_or("(no op)", |op| trace.names.get(op.name()));
        *want.entry(label.to_owned()).or_default() += 1;
    }
    let rows = kernel_rows(trace, query, KernelGrouping::Op);
    let launched = rows.iter().filter(|r| r.label != "(no launch recorded)");
    let got: BTreeMap<String, u64> = launched.map(|r| (r.label.clone(), r.kernels)).collect();
    if rank.external_ops.is_empty() {
        assert_eq!(got, want);
        return inside.len();
    }
    0
}

fn figures(activity: &Activity, from: i128, to: i128) -> Figures {
    let at = |t: i128| Ns(i64::try_from(t).unwrap());
    let s = summary(activity, Window::new(at(from), at(to)));
    Figures {
        kernels: s.kernels,
        window: s.kernel_time.0.into(),
        run: s.kernel_run_time.0.into(),
        idle: s.idle_time.0.into(),
        compute: s.compute_time.0.into(),
        non_compute: s.non_compute_time.0.into(),
        comp: s.comp.0.into(),
        comm: s.comm.0.into(),
        memory: s.memory.0.into(),
        overlap: s.overlap.0.into(),
        compute_only: s.compute_only.0.into(),
        exposed_comm: s.exposed_comm.0.into(),
        exposed_memory: s.exposed_memory.0.into(),
        sum: s.duration_sum.0.into(),
    }
}

/// Xorshift: the same windows on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A window that may stick out of the extent; a third of them are short.
    fn window(&mut self, first: i128, last: i128) -> (i128, i128) {
        let span = (last - first).max(1);
        let at = |r: u64| first - span / 10 + i128::from(r) % (span * 12 / 10 + 1);
        let from = at(self.next());
        let to = if self.next().is_multiple_of(3) {
            from + i128::from(self.next() % 5_000)
        } else {
            at(self.next())
        };
        (from.min(to), from.max(to))
    }
}

#[test]
fn every_gap_has_one_cause_and_the_causes_sum_to_the_idle_time() {
    let Some(folder) = folder() else { return };
    for path in files(&folder) {
        let Ok(trace) = open(&path) else { continue };
        let whole = Query::default();
        let capture = trace.capture().map(|all| Query {
            selection: Selection::Window(all),
            ..Query::default()
        });
        for query in [Some(whole), capture].into_iter().flatten() {
            let idle: i64 = idle_rows(&trace, &query).iter().map(|r| r.total.0).sum();
            let summary = summary_rows(&trace, &query);
            let wanted: i64 = summary
                .iter()
                .filter_map(|r| r.figures.as_ref())
                .map(|s| s.idle_time.0)
                .sum();
            assert_eq!(idle, wanted, "{}", path.display());
        }
    }
}
