//! The panel of collectives: figures, filter, order, groups, and a click that shows one and what
//! hides it.
//!
//! The figures are those of `sample_traces/README.md`, worked out by hand there.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod gui_support;
mod support;

use egui::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use gui_support::{Start, Window, sample_in};
use overlane::metrics::{CollectiveRow, CollectiveSort, CommGroupRow, Parallelism};
use overlane::session::{Action, CsvPanel, PickedCollectives, Session};
use overlane::time::{DurNs, Window as TimeWindow};
use std::path::{Path, PathBuf};
use support::kineto::{Run, program};

const REDUCE: &str = "all-reduce 40 of group 0";
const SCATTER: &str = "reduce-scatter 40 of group 1";
const GATHER: &str = "all-gather 41 of group 1";
const CAST: &str = "broadcast 41 of group 0";

fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample_traces")
        .join(name)
}

/// A window with only the section of collectives open, so that it is on screen.
fn opened(paths: Vec<PathBuf>, settings: &str, size: [f32; 2]) -> Window {
    let mut window = Start {
        paths,
        settings: Some(settings.to_owned()),
        size,
        ..Start::default()
    }
    .open();
    window.until_loaded();
    for section in [
        "Breakdown",
        "Overlap",
        "Streams",
        "Idle",
        "All devices",
        "Ranks",
        "Steps",
        "Kernels",
    ] {
        let found = window
            .harness
            .query_by_role_and_label(Role::Button, section);
        if let Some(button) = found {
            button.click();
            window.settle();
        }
    }
    window
}

fn sample() -> Window {
    opened(vec![bundled("staggered_groups")], "{}", [1280.0, 800.0])
}

fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

fn row(window: &Window, name: &str) -> Option<String> {
    let node = window.harness.query_by_role_and_label(Role::Button, name);
    node.map(|n| n.value().unwrap_or_default())
}

fn click(window: &mut Window, name: &str) {
    window
        .harness
        .get_by_role_and_label(Role::Button, name)
        .click();
    window.settle();
}

fn act(window: &mut Window, action: Action) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().act(&ctx, action);
    window.settle();
}

fn says(window: &Window, part: &str) -> bool {
    window.harness.query_by_label_contains(part).is_some()
}

/// The kinds from top to bottom.
fn order(window: &Window) -> Vec<&'static str> {
    match session(window).shown_collectives().unwrap().rows {
        PickedCollectives::Each(rows, _) => rows.iter().map(CollectiveRow::kind_label).collect(),
        PickedCollectives::Groups(rows) => rows.iter().map(CommGroupRow::kind_label).collect(),
    }
}

/// A window in µs behind the zero of the sample, at which its capture begins.
fn brush(window: &mut Window, from: i64, to: i64) {
    let zero = session(window).capture().unwrap().start();
    let at = |us: i64| zero + DurNs(us * 1_000);
    let asked = TimeWindow::new(at(from), at(to));
    act(window, Action::SetWindow { window: asked });
}

#[test]
fn rows_have_the_figures_of_the_window_and_follow_it() {
    let mut window = sample();
    window.picture("collectives_dark");
    for (name, value) in [
        (
            REDUCE,
            "600.000 µs, 450.000 µs exposed, 3 of 4 ranks, 30.000 GB/s over transfer, may include \
             wait, waits 200.000 µs",
        ),
        (
            SCATTER,
            "200.000 µs, 150.000 µs exposed, 2 of 2 ranks, 5.000 GB/s over transfer, waits 0.000 µs",
        ),
        (
            GATHER,
            "100.000 µs, 60.000 µs exposed, 2 of 2 ranks, 12.500 GB/s over transfer, waits 20.000 µs",
        ),
        (
            CAST,
            "50.000 µs, 50.000 µs exposed, 3 of 4 ranks, 20.000 GB/s over duration, includes wait",
        ),
    ] {
        assert_eq!(row(&window, name).as_deref(), Some(value), "{name}");
    }
    assert!(says(&window, "4 collectives, 710.000 µs exposed"));
    assert!(says(&window, "so does the bandwidth of 1 collective"));
    // The window cuts what is hidden and exposed, not the length.
    brush(&mut window, 1_050, 1_420);
    let cut = row(&window, REDUCE).unwrap();
    assert!(cut.starts_with("600.000 µs, 300.000 µs exposed"), "{cut}");
    let cut = row(&window, SCATTER).unwrap();
    assert!(cut.starts_with("200.000 µs, 100.000 µs exposed"), "{cut}");
    assert_eq!(row(&window, GATHER), None);
    let csv = session(&window).csv(CsvPanel::Collectives);
    assert_eq!(csv.lines().count(), 3);
    assert!(
        csv.contains(",600.000,70.000,300.000,18.9189,20.000,30.000,"),
        "{csv}"
    );
}

#[test]
fn rows_are_filtered_and_sorted() {
    let mut window = sample();
    let filter = |window: &mut Window, text: &str| {
        let text = text.to_owned();
        act(window, Action::FilterCollectives { text });
    };
    filter(&mut window, "mesh_tp");
    assert_eq!(order(&window), ["reduce-scatter", "all-gather"]);
    filter(&mut window, "mesh(");
    assert!(says(&window, "not a regular expression"));
    assert_eq!(order(&window).len(), 2);
    filter(&mut window, "no such thing");
    assert!(says(&window, "No collective matches the filter."));
    filter(&mut window, "");
    let field = window
        .harness
        .get_by_role_and_label(Role::TextInput, "Filter collectives");
    assert_eq!(field.value().as_deref(), Some(""));
    click(&mut window, "Sort collectives by exposed µs");
    let (reduce, scatter) = ("all-reduce", "reduce-scatter");
    let (gather, cast) = ("all-gather", "broadcast");
    assert_eq!(order(&window), [reduce, scatter, gather, cast]);
    click(&mut window, "Sort collectives by exposed µs");
    assert_eq!(order(&window), [cast, gather, scatter, reduce]);
    let title = window
        .harness
        .get_by_role_and_label(Role::Button, "Sort collectives by exposed µs");
    assert_eq!(title.value().as_deref(), Some("ascending"));
    click(&mut window, "Sort collectives by kind");
    assert_eq!(order(&window), [gather, reduce, cast, scatter]);
    act(
        &mut window,
        Action::SortCollectives {
            by: CollectiveSort::Start,
        },
    );
    assert_eq!(order(&window), [reduce, scatter, gather, cast]);
}

#[test]
fn a_click_shows_the_collective_and_what_hides_it() {
    let mut window = sample();
    assert!(says(&window, "Click a collective to see it in the lanes"));
    // The middle of a line lies where only scrolling shows it.
    let line = window.harness.get_by_role_and_label(Role::Button, REDUCE);
    line.click_accesskit();
    window.settle();
    let s = session(&window);
    let selected = s.selection.unwrap();
    let slice = s.trace.as_ref().unwrap().slice(selected).unwrap();
    assert_eq!(slice.dur(), DurNs(600_000));
    let shown = s.view.unwrap().visible(s.view_width);
    assert_eq!(shown.clip(slice.window()), Some(slice.window()));
    assert_eq!(s.reveal, None, "the lane was scrolled to");
    let hiding = s.shown_hiding().unwrap();
    let times: Vec<String> = hiding
        .kernels
        .unwrap()
        .iter()
        .map(|k| k.total.us3())
        .collect();
    assert_eq!(times, ["100.000", "50.000"]);
    window.picture("collectives_chosen");
    assert!(says(&window, "Hidden by"));
    let chosen = window.harness.get_by_role_and_label(Role::Button, REDUCE);
    assert_eq!(
        chosen.accesskit_node().toggled(),
        Some(egui::accesskit::Toggled::True)
    );
    // It follows the window.
    brush(&mut window, 1_420, 1_600);
    let hiding = session(&window).shown_hiding().unwrap();
    let times: Vec<String> = hiding
        .kernels
        .unwrap()
        .iter()
        .map(|k| k.total.us3())
        .collect();
    assert_eq!(times, ["30.000"]);
    brush(&mut window, 1_500, 1_600);
    assert!(says(
        &window,
        "No computation hides the selected collective here."
    ));
}

#[test]
fn groups_have_merged_time() {
    let mut window = opened(
        vec![bundled("staggered_groups")],
        r#"{"theme":"light"}"#,
        [1280.0, 800.0],
    );
    click(&mut window, "By process group");
    window.picture("collectives_light");
    assert_eq!(
        order(&window),
        ["all-reduce", "reduce-scatter", "all-gather", "broadcast"]
    );
    for (name, value) in [
        (
            "all-reduce of group 0",
            "1 collective, 600.000 µs, 300.000 µs exposed, unknown",
        ),
        (
            "reduce-scatter of group 1",
            "1 collective, 200.000 µs, 0.000 µs exposed, TP",
        ),
    ] {
        assert_eq!(row(&window, name).as_deref(), Some(value), "{name}");
    }
    let csv = session(&window).csv(CsvPanel::Collectives);
    assert!(
        csv.contains(",600.000,600.000,150.000,150.000,300.000,25.0000"),
        "{csv}"
    );
}

/// The table by group as the command line writes it, of rank 0.
fn by_group(more: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let path = bundled("staggered_groups");
    let run: Run = program(home.path())
        .args(["report", path.to_str().unwrap(), "--table", "collectives"])
        .args(["--by", "group", "--rank", "0", "--format", "csv"])
        .args(more)
        .output()
        .unwrap()
        .into();
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.stdout
}

#[test]
fn what_a_group_is_for_can_be_said_and_is_kept() {
    let config = tempfile::tempdir().unwrap();
    let open = |settings: &str| {
        let mut window = Start {
            paths: vec![bundled("staggered_groups")],
            config: Some(config.path().to_owned()),
            settings: Some(settings.to_owned()),
            size: [1280.0, 1400.0],
            ..Start::default()
        }
        .open();
        window.until_loaded();
        window
    };
    let mut window = open("{}");
    let only = |window: &mut Window| {
        for section in ["Breakdown", "Overlap", "Idle", "Ranks", "Kernels"] {
            let head = window
                .harness
                .query_by_role_and_label(Role::Button, section);
            if let Some(head) = head {
                head.click();
                window.settle();
            }
        }
        click(window, "By process group");
    };
    only(&mut window);
    let combo = |window: &Window, group: &str| {
        let name = format!("What group {group} is for");
        let node = window.harness.get_by_role_and_label(Role::ComboBox, &name);
        node.value().unwrap_or_default()
    };
    assert_eq!(combo(&window, "0"), "unknown");
    assert_eq!(combo(&window, "1"), "TP");
    assert!(says(&window, "behind other chunks of the same layer"));
    window.picture("collectives_groups_dark");
    assert_eq!(session(&window).csv(CsvPanel::Collectives), by_group(&[]));
    // The menu says otherwise; figures and files follow.
    window
        .harness
        .get_by_role_and_label(Role::ComboBox, "What group 0 is for")
        .click();
    window.settle();
    window.picture("collectives_groups_menu_dark");
    click(&mut window, "FSDP");
    assert_eq!(combo(&window, "0"), "FSDP (typed)");
    assert!(
        row(&window, "all-reduce of group 0")
            .unwrap()
            .ends_with("exposed, FSDP")
    );
    let typed = session(&window).groups.typed().clone();
    assert_eq!(typed.get("0"), Some(&Parallelism::Sharded));
    let csv = session(&window).csv(CsvPanel::Collectives);
    assert!(csv.contains(",FSDP,given by the user,"), "{csv}");
    assert_eq!(csv, by_group(&["--group", "0=FSDP"]));
    let kept = session(&window).session_json().unwrap();
    assert!(kept.contains("\"0\": \"FSDP\""), "{kept}");
    // The same paths again: it is there, also while the section is closed.
    let sessions = config.path().join("sessions");
    // An earlier state may have been written before.
    let is_kept = |_: &Window| {
        let entries = std::fs::read_dir(&sessions).into_iter().flatten();
        let mut texts = entries.filter_map(|e| std::fs::read_to_string(e.ok()?.path()).ok());
        texts.any(|text| text.contains("\"FSDP\""))
    };
    window.until("it is kept", is_kept);
    drop(window);
    let mut window = open(r#"{"theme":"light"}"#);
    window.until("it is back", |w| !session(w).groups.typed().is_empty());
    click(&mut window, "By process group");
    assert_eq!(combo(&window, "0"), "FSDP (typed)");
    window.picture("collectives_groups_light");
    assert_eq!(session(&window).csv(CsvPanel::Collectives), csv);
    let (group, said) = ("0".to_owned(), None);
    act(&mut window, Action::LabelGroup { group, said });
    assert_eq!(combo(&window, "0"), "unknown");
    assert_eq!(session(&window).csv(CsvPanel::Collectives), by_group(&[]));
}

#[test]
fn what_is_not_there_gets_one_sentence() {
    let mut window = sample();
    brush(&mut window, 100, 200);
    assert!(says(
        &window,
        "No communication kernel runs in this window."
    ));
    brush(&mut window, -900, -800);
    assert!(says(
        &window,
        "No data: the rank recorded nothing in this window."
    ));
    // One rank without any process group: bandwidths are not known, lengths include wait.
    let dir = tempfile::tempdir().unwrap();
    let window = opened(vec![sample_in(dir.path())], "{}", [1280.0, 800.0]);
    assert!(says(&window, "lengths and bandwidths include wait"));
    let value = row(&window, "all-gather of group unknown").unwrap();
    assert_eq!(value, "80.000 µs, 50.000 µs exposed, 1 rank");
}

#[test]
fn a_large_screen_shows_all_columns() {
    let mut window = opened(vec![bundled("bucketed_ddp")], "{}", [2560.0, 1440.0]);
    window.picture("collectives_large");
    assert_eq!(order(&window).len(), 16);
    let first = row(&window, "all-reduce 40 of group 0").unwrap();
    assert!(first.ends_with("waits 100.000 µs"), "{first}");
}
