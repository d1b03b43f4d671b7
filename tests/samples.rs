//! The bundled samples: the committed files are what the generator makes, and the program's own report gives the figures
//! that were worked out by hand in `sample_traces/README.md` and stand as data in `sample_traces/expected.csv`.

#![allow(
    clippy::panic,
    reason = "a test stops at the first thing that is not as expected"
)]

#[path = "../examples/make_samples/samples/mod.rs"]
mod samples;
#[path = "../examples/make_snapshots/snapshots/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "the generator as it stands, which writes what it makes up itself"
)]
mod snapshots;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Columns of `expected.csv` that say which row is meant; all others are figures.
const KEYS: [&str; 5] = ["path", "rank", "device", "step", "basis"];

type Row = BTreeMap<String, String>;

fn sample_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sample_traces")
}

/// Rows by column name. No cell of these tables holds a comma or a quote, so splitting is enough.
fn rows(csv: &str) -> Vec<Row> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(
                cells.len(),
                names.len(),
                "cells do not fit the header: {line}"
            );
            let pairs = names.iter().zip(cells);
            pairs
                .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()))
                .collect()
        })
        .collect()
}

fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    row.get(column)
        .unwrap_or_else(|| panic!("no column {column} in {row:?}"))
}

fn expected() -> Vec<Row> {
    let path = sample_folder().join("expected.csv");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    rows(&text)
}

/// What the program reports for the table that holds `row`.
fn report(row: &Row) -> Vec<Row> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overlane"));
    command
        .arg("report")
        .arg(sample_folder().join(cell(row, "path")))
        .args(["--format", "csv"])
        .env("OVERLANE_CONFIG_DIR", env!("CARGO_TARGET_TMPDIR"));
    if !cell(row, "step").is_empty() {
        command.args(["--table", "steps", "--basis", cell(row, "basis")]);
    }
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    rows(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn committed_samples_are_what_the_generator_makes() {
    for sample in samples::all() {
        let path = sample_folder().join(sample.path);
        let committed = std::fs::read(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        // Not assert_eq: the difference of two traces would fill the screen.
        assert!(
            committed == sample.json.as_bytes(),
            "{} differs from the generator; run `cargo run --example make_samples`",
            sample.path
        );
    }
}

#[test]
fn committed_snapshots_are_what_the_generator_makes() {
    for scenario in snapshots::bundled() {
        let mut made = Vec::new();
        snapshots::write(&mut made, &scenario).unwrap_or_else(|error| panic!("{error}"));
        let path = sample_folder().join(scenario.file);
        let committed = std::fs::read(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        assert!(
            committed == made,
            "{} differs from the generator; run `cargo run --example make_snapshots`",
            scenario.file
        );
    }
}

#[test]
fn samples_are_valid_json() {
    for sample in samples::all() {
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(&sample.json);
        assert!(parsed.is_ok(), "{}: {:?}", sample.path, parsed.err());
    }
}

#[test]
fn every_sample_has_expected_figures_for_its_whole_extent() {
    let expected = expected();
    for sample in samples::all() {
        let has_row = expected.iter().any(|row| {
            // A folder of ranks is one path.
            let folder_or_file = cell(row, "path");
            cell(row, "step").is_empty() && sample.path.starts_with(folder_or_file)
        });
        assert!(has_row, "no whole-trace row for {}", sample.path);
    }
}

#[test]
fn reports_give_the_figures_worked_out_by_hand() {
    let mut differences = Vec::new();
    for row in expected() {
        let same = |reported: &Row| {
            ["rank", "device", "step"]
                .iter()
                .all(|key| cell(reported, key) == cell(&row, key))
        };
        let key: Vec<&str> = KEYS.iter().map(|key| cell(&row, key)).collect();
        let all = report(&row);
        let found: Vec<&Row> = all.iter().filter(|reported| same(reported)).collect();
        let [reported] = found.as_slice() else {
            differences.push(format!("{key:?}: {} rows instead of one", found.len()));
            continue;
        };
        if !cell(&row, "step").is_empty() && cell(reported, "basis") != cell(&row, "basis") {
            differences.push(format!("{key:?}: basis is {}", cell(reported, "basis")));
        }
        for (column, figure) in &row {
            if KEYS.contains(&column.as_str()) {
                continue;
            }
            let reported_figure = cell(reported, column);
            if reported_figure != figure {
                differences.push(format!(
                    "{key:?} {column}: {reported_figure}, by hand {figure}"
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
