//! Collectives of real traces that nobody of this project wrote, against a plain reading of the same
//! files. Where the traces are not there, every test here says "skipped" and passes; see
//! `real_traces.rs` for where they are looked for.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "support/oracle.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod oracle;

use oracle::Kernel;
use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::metrics::{
    CollectiveRow, Query, Rate, Selection, collective_rows, comm_group_rows, summary_rows,
};
use overlane::time::{Ns, Window};
use overlane::trace::Trace;
use overlane::trace::class::KernelClass;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> Option<PathBuf> {
    let path = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no real traces at {}", path.display());
    None
}

/// The Kineto files of the folder that have communication kernels at all, and some that have none.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for part in [
        "kineto",
        "multi_rank/dlrm_8rank",
        "multi_rank/hta_sampled_2of128",
    ] {
        let Ok(entries) = std::fs::read_dir(folder.join(part)) else {
            continue;
        };
        found.extend(entries.map(|e| e.unwrap().path()));
    }
    found.sort();
    found
}

fn open(paths: Vec<PathBuf>) -> Option<Trace> {
    let request = LoadRequest {
        paths,
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    load(&request, &Progress::default(), &Cancel::default()).ok()
}

/// How much of `[from, to)` computation covers, counted over all edges in it.
fn covered(kernels: &[Kernel], from: i128, to: i128) -> i128 {
    let mut spans: Vec<(i128, i128)> = kernels
        .iter()
        .filter(|k| k.class == KernelClass::Computation)
        .map(|k| (k.start.max(from), k.end.min(to)))
        .filter(|(a, b)| a < b)
        .collect();
    spans.sort_unstable();
    let (mut sum, mut at) = (0, from);
    for (start, end) in spans {
        sum += (end - start.max(at)).max(0);
        at = at.max(end);
    }
    sum
}

/// Bytes of the full buffer by the args of a call, worked out again.
fn bytes(call: &std::collections::HashMap<String, String>) -> Option<u64> {
    let size = match call.get("dtype")?.as_str() {
        "Byte" | "Char" | "Bool" => 1,
        "Half" | "BFloat16" => 2,
        "Float" | "Int" => 4,
        "Long" | "Double" => 8,
        _ => return None,
    };
    let gathers = call["Collective name"].contains("gather");
    let key = if gathers {
        "Out msg nelems"
    } else {
        "In msg nelems"
    };
    Some(size * call.get(key)?.parse::<u64>().ok()?)
}

#[test]
fn single_collectives_are_those_of_a_plain_reading() {
    let Some(folder) = folder() else { return };
    let rules = Rules::builtin();
    let (mut seen, mut said) = (0, 0);
    for path in files(&folder) {
        let (Some(trace), Some(file)) = (open(vec![path.clone()]), oracle::read(&path, &rules))
        else {
            continue;
        };
        let [rank] = trace.ranks.as_slice() else {
            continue;
        };
        if rank.slices.is_empty() || !rank.astray.is_empty() {
            continue;
        }
        for (device, kernels) in &file.devices {
            let first = kernels.iter().map(|k| k.start).min().unwrap();
            let last = kernels.iter().map(|k| k.end).max().unwrap();
            let span = last - first;
            for (from, to) in [(first, last), (first + span / 3, first + span / 2)] {
                let at = |t: i128| Ns(i64::try_from(t).unwrap());
                let query = Query {
                    selection: Selection::Window(Window::new(at(from), at(to))),
                    ..Query::default()
                };
                let mut want: Vec<&Kernel> = kernels
                    .iter()
                    .filter(|k| k.class == KernelClass::Communication)
                    .filter(|k| k.start < to && k.end > from && k.start < k.end)
                    .collect();
                want.sort_by_key(|k| (k.start, k.stream));
                let mut rows: Vec<CollectiveRow> = collective_rows(&trace, &query);
                rows.retain(|r| r.device.0 == *device && r.duration.0 > 0);
                rows.sort_by_key(|r| (r.start, r.stream));
                assert_eq!(rows.len(), want.len(), "{}", path.display());
                for (row, kernel) in rows.iter().zip(want) {
                    let name = format!("{} {row:?}", path.display());
                    let (a, b) = (kernel.start.max(from), kernel.end.min(to));
                    let hidden = covered(kernels, a, b);
                    assert_eq!(i128::from(row.start.0), kernel.start, "{name}");
                    assert_eq!(
                        i128::from(row.duration.0),
                        kernel.end - kernel.start,
                        "{name}"
                    );
                    assert_eq!(i128::from(row.hidden.0), hidden, "{name}");
                    assert_eq!(i128::from(row.exposed.0), b - a - hidden, "{name}");
                    assert_eq!(&*row.kernel, kernel.name, "{name}");
                    seen += 1;
                    if kernel.call.is_empty() {
                        continue;
                    }
                    said += 1;
                    let told = |key: &str| kernel.call.get(key).map(String::as_str);
                    assert_eq!(row.group.as_deref(), told("Process Group Name"), "{name}");
                    assert_eq!(
                        row.description.as_deref(),
                        told("Process Group Description")
                    );
                    assert_eq!(row.dtype.as_deref(), told("dtype"), "{name}");
                    let size = row.group_size.map(|n| n.to_string());
                    assert_eq!(size.as_deref(), told("Group size"), "{name}");
                    assert_eq!(row.bytes, bytes(&kernel.call), "{name}");
                    // Whole thousandths of a GB/s, half of one added before the cut.
                    let rate = row.algorithm_bandwidth().map(Rate::gb_per_s_e3);
                    let dur = i128::from(row.duration.0);
                    let plain = bytes(&kernel.call)
                        .map(|b| (i128::from(b) * 1_000 + dur / 2).div_euclid(dur));
                    assert_eq!(rate, plain, "{name}");
                }
            }
        }
    }
    println!("{seen} collectives, {said} of them with args");
    assert!(seen > 100 && said > 30);
}

#[test]
fn groups_of_real_traces_sum_to_the_single_ones() {
    let Some(folder) = folder() else { return };
    let mut groups = 0;
    for path in files(&folder) {
        let Some(trace) = open(vec![path.clone()]) else {
            continue;
        };
        let rows = comm_group_rows(&trace, &Query::default());
        let each = collective_rows(&trace, &Query::default());
        let count: u64 = rows.iter().map(|r| r.collectives).sum();
        assert_eq!(count, each.len() as u64, "{}", path.display());
        let bytes: u64 = rows.iter().filter_map(|r| r.bytes).sum();
        assert_eq!(bytes, each.iter().filter_map(|r| r.bytes).sum::<u64>());
        for row in &rows {
            let parts = row.hidden_by_comp + row.hidden_by_comm + row.exposed;
            assert_eq!(parts, row.merged, "{}", path.display());
            assert!(row.merged <= row.total);
        }
        // With one group and kind, its times are those of the device.
        for summary in summary_rows(&trace, &Query::default()) {
            let own: Vec<_> = rows
                .iter()
                .filter(|r| (r.rank, r.device) == (summary.rank, summary.device))
                .collect();
            if let ([only], Some(figures)) = (own.as_slice(), summary.figures) {
                assert_eq!(only.merged, figures.comm, "{}", path.display());
                assert_eq!(only.exposed, figures.exposed_comm);
                assert_eq!(only.hidden_by_comp, figures.overlap);
            }
        }
        groups += rows.len();
    }
    println!("{groups} groups");
    assert!(groups > 10);
}

#[test]
fn ranks_without_process_groups_are_not_compared() {
    let Some(folder) = folder() else { return };
    let ranks = folder.join("multi_rank/dlrm_8rank");
    let Some(trace) = open(vec![ranks]) else {
        return;
    };
    assert_eq!(trace.ranks.len(), 8);
    let rows = collective_rows(&trace, &Query::default());
    assert!(rows.len() >= 8 * 8);
    assert!(
        rows.iter()
            .all(|r| r.across.ranks == 1 && r.across.known().is_none())
    );
    // What the launching operator tells is told, though the kernels' names say otherwise.
    let exchanges = rows
        .iter()
        .filter(|r| r.kind_label() == "all-to-all")
        .count();
    assert!(exchanges > 0);
}
