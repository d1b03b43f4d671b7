//! Collectives of the focused device, each or by process group; a click shows one in the lanes, and
//! what hides it.

mod chart;
mod groups;
mod table;

use super::super::controls::{counted, swatch};
use super::super::theme::{SMALL_GAP, Theme};
use super::rows;
use super::{Figures, window_line};
use crate::metrics::report::{COLLECTIVE_COLUMNS, COMM_GROUP_COLUMNS};
use crate::metrics::{
    Apart, CollectiveGrouping, CollectiveRow, CollectiveSort, CollectiveTotals, CommGroupRow,
    Parallelism,
};
use crate::session::{Action, PickedCollectives, Session};
use crate::time::Window;
use crate::trace::class::KernelClass;
use egui::{Label, RichText, Ui};
use table::{Choice, Table};

const EACH: [Choice; 15] = [
    ("kind", "kind", Some(CollectiveSort::Kind), 104.0),
    (
        "duration_us",
        "length µs",
        Some(CollectiveSort::Total),
        78.0,
    ),
    (
        "exposed_us",
        "exposed µs",
        Some(CollectiveSort::Exposed),
        78.0,
    ),
    (
        "busbw_gb_per_s",
        "bus GB/s",
        Some(CollectiveSort::Bandwidth),
        60.0,
    ),
    ("wait_us", "wait µs", Some(CollectiveSort::Wait), 72.0),
    (
        "transfer_us",
        "transfer µs",
        Some(CollectiveSort::Transfer),
        78.0,
    ),
    ("skew_us", "skew µs", Some(CollectiveSort::Skew), 72.0),
    ("last_rank", "last", None, 36.0),
    ("matched", "ranks", None, 92.0),
    ("hidden_us", "hidden µs", Some(CollectiveSort::Hidden), 78.0),
    ("bytes", "bytes", Some(CollectiveSort::Bytes), 78.0),
    ("group", "group", Some(CollectiveSort::Group), 60.0),
    ("seq", "number", None, 60.0),
    ("dtype", "type", None, 96.0),
    ("start_ns", "start ns", Some(CollectiveSort::Start), 140.0),
];

const GROUPS: [Choice; 9] = [
    ("kind", "kind", Some(CollectiveSort::Kind), 104.0),
    ("collectives", "count", Some(CollectiveSort::Count), 46.0),
    ("total_us", "total µs", Some(CollectiveSort::Total), 84.0),
    (
        "exposed_us",
        "exposed µs",
        Some(CollectiveSort::Exposed),
        84.0,
    ),
    (
        "hidden_by_comp_us",
        "by comp. µs",
        Some(CollectiveSort::Hidden),
        84.0,
    ),
    ("hidden_by_comm_us", "by comm. µs", None, 84.0),
    ("bytes", "bytes", Some(CollectiveSort::Bytes), 92.0),
    ("group", "group", Some(CollectiveSort::Group), 150.0),
    ("parallelism", "for", None, 64.0),
];

/// Shows the section.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    grouping_choice(ui, session, out);
    let state = &session.collectives;
    if let Some(text) = rows::filter(ui, theme, "Filter collectives", &state.filter) {
        out.push(Action::FilterCollectives { text });
    }
    let Some(shown) = session.shown_collectives() else {
        ui.label(super::weak(
            theme,
            "Measuring the collectives of the window…",
        ));
        return;
    };
    let is_current = shown.is_current;
    match shown.rows {
        PickedCollectives::Each(rows, totals) => {
            let of = rows.get(0).map(|r| r.window);
            head(ui, session, figures, theme, is_current, of);
            if is_empty(ui, figures, theme, is_current, rows.all(), rows.len()) {
                return;
            }
            note(ui, theme, &totals);
            if is_current {
                chart::ui(ui, theme, rows, out);
            }
            let table = Table {
                columns: &COLLECTIVE_COLUMNS,
                choices: &EACH,
                is_current,
            };
            let chosen = session.selection;
            table.show(ui, session, theme, rows, out, |row| {
                let is_chosen = chosen == Some(row.slice);
                let click = Action::GoTo { slice: row.slice };
                (is_chosen, spoken(row), Some(click))
            });
            hiding(ui, session, theme);
        }
        PickedCollectives::Groups(rows) => {
            let of = rows.get(0).map(|r| r.window);
            head(ui, session, figures, theme, is_current, of);
            if is_empty(ui, figures, theme, is_current, rows.all(), rows.len()) {
                return;
            }
            let table = Table {
                columns: &COMM_GROUP_COLUMNS,
                choices: &GROUPS,
                is_current,
            };
            table.show(ui, session, theme, rows, out, |row| {
                (false, spoken_group(row), None)
            });
            groups::ui(ui, theme, rows, out);
        }
    }
}

fn grouping_choice(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        for grouping in CollectiveGrouping::ALL {
            let (word, hover) = match grouping {
                CollectiveGrouping::Each => ("Each collective", "A row for each kernel"),
                CollectiveGrouping::Group => (
                    "By process group",
                    "By process group and kind, over merged time",
                ),
            };
            let chosen = session.collectives.grouping == grouping;
            let response = ui.selectable_label(chosen, word).on_hover_text(hover);
            if response.clicked() && !chosen {
                out.push(Action::GroupCollectives { grouping });
            }
        }
    });
}

/// Of which window the rows are.
fn head(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    is_current: bool,
    of: Option<Window>,
) {
    if is_current {
        window_line(ui, figures, theme);
    } else {
        rows::older_window(ui, session, theme, of);
    }
}

/// One sentence where there is no row.
fn is_empty(
    ui: &mut Ui,
    figures: &Figures<'_>,
    theme: &Theme,
    is_current: bool,
    all: usize,
    shown: usize,
) -> bool {
    if shown > 0 {
        return false;
    }
    let sentence = if is_current && figures.row.figures.is_none() {
        "No data: the rank recorded nothing in this window."
    } else if all == 0 {
        "No communication kernel runs in this window."
    } else {
        "No collective matches the filter."
    };
    ui.label(super::weak(theme, sentence));
    true
}

/// How many there are, what lengths include, and why ranks are not compared.
fn note(ui: &mut Ui, theme: &Theme, totals: &CollectiveTotals) {
    let words = format!(
        "{}, {} µs exposed",
        counted(totals.collectives, "collective", "collectives"),
        totals.exposed.us3()
    );
    ui.label(super::mono(words).small().color(theme.text))
        .on_hover_text(
            "The sum of what of each lies in the window and no computation hides; collectives \
             side by side count each for themselves.",
        );
    if totals.with_wait > 0 {
        let which = if totals.with_wait == totals.collectives {
            "lengths and bandwidths include wait".to_owned()
        } else {
            let some = counted(totals.with_wait, "collective", "collectives");
            format!("lengths include wait; so does the bandwidth of {some}")
        };
        let why = totals.why.map_or("", Apart::sentence);
        ui.label(super::weak(theme, &which).small())
            .on_hover_text(format!(
                "A kernel that came early waits for the last rank. Where all ranks are compared \
                 the bandwidth is of the transfer time alone. First reason here: {why}."
            ));
    }
    ui.add_space(SMALL_GAP);
}

/// A collective in words: what it is called, and its figures as the value.
fn spoken(row: &CollectiveRow) -> (String, String) {
    let seq = row.seq.map_or_else(String::new, |n| format!(" {n}"));
    let group = row.group.as_deref().unwrap_or("unknown");
    let name = format!("{}{seq} of group {group}", row.kind_label());
    let mut parts = vec![
        format!("{} µs", row.duration.us3()),
        format!("{} µs exposed", row.exposed.us3()),
        row.across.words(row.group_size),
    ];
    if let Some(bus) = row.bus_bandwidth() {
        let of = row.bandwidth_of().label();
        parts.push(format!("{} GB/s over {of}", bus.gb_per_s3()));
    }
    if let Some(wait) = row.across.wait() {
        parts.push(format!("waits {} µs", wait.us3()));
    }
    (name, parts.join(", "))
}

fn spoken_group(row: &CommGroupRow) -> (String, String) {
    let group = row.group.as_deref().unwrap_or("unknown");
    let name = format!("{} of group {group}", row.kind_label());
    let value = format!(
        "{}, {} µs, {} µs exposed, {}",
        counted(row.collectives, "collective", "collectives"),
        row.total.us3(),
        row.exposed.us3(),
        row.parallelism().map_or("unknown", Parallelism::name)
    );
    (name, value)
}

/// What hides the selected collective.
fn hiding(ui: &mut Ui, session: &Session, theme: &Theme) {
    let Some(shown) = session.shown_hiding() else {
        let words = "Click a collective to see it in the lanes, and what hides it.";
        ui.label(super::weak(theme, words).small());
        return;
    };
    ui.add_space(SMALL_GAP);
    let Some(kernels) = shown.kernels else {
        ui.label(super::weak(theme, "Measuring what hides the selected collective…").small());
        return;
    };
    if kernels.is_empty() {
        ui.label(super::weak(theme, "No computation hides the selected collective here.").small());
        return;
    }
    ui.label(super::weak(theme, "Hidden by").small()).on_hover_text(
        "The computation kernels that run beside the selected collective in the window, by name: \
         the sum of what of them lies within it.",
    );
    for row in kernels {
        ui.horizontal(|ui| {
            swatch(ui, theme.class_color(KernelClass::Computation));
            let time = format!("{} µs", row.total.us3());
            ui.label(super::mono(time).small());
            let times = counted(row.kernels, "kernel", "kernels");
            let text = RichText::new(format!("{} ({times})", row.label)).size(11.5);
            ui.add(Label::new(text).truncate());
        });
    }
}
