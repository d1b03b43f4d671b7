//! Kernels of both devices by name: paired by the sequence of names on each stream, the largest
//! difference first; a click goes to the first one.

use super::super::super::controls::{count, counted, signed, swatch};
use super::super::super::theme::{SMALL_GAP, Theme};
use super::super::rows::{self, AIR, Title, ink};
use super::super::table::{LINE, lines};
use super::super::{mono, weak};
use super::Both;
use crate::metrics::report::{Column, KERNEL_DELTA_COLUMNS, Unit};
use crate::metrics::{KernelDelta, KernelDeltaSort, Selection};
use crate::session::{Action, CompareAction, Deltas, Session, ShownDeltas};
use crate::time::{DurNs, human_duration};
use egui::{Align, FontId, Label, Layout, RichText, Role, ScrollArea, Ui, WidgetInfo};
use egui_extras::{Column as Width, TableRow};

/// A column to show: its name in the table of kernels, its short title, how it sorts.
type Choice = (&'static str, &'static str, KernelDeltaSort);

const COLUMNS: [Choice; 9] = [
    ("name", "name", KernelDeltaSort::Name),
    ("delta_us", "B − A µs", KernelDeltaSort::Delta),
    ("total_a_us", "A µs", KernelDeltaSort::TotalA),
    ("total_b_us", "B µs", KernelDeltaSort::TotalB),
    ("count_a", "A", KernelDeltaSort::CountA),
    ("count_b", "B", KernelDeltaSort::CountB),
    ("paired", "paired", KernelDeltaSort::Paired),
    ("only_a", "only A", KernelDeltaSort::OnlyA),
    ("only_b", "only B", KernelDeltaSort::OnlyB),
];

const FIGURE: f32 = 80.0;
const COUNT: f32 = 46.0;
/// Where a table that goes on at the right fades.
const FADE: f32 = 22.0;

/// Shows the section.
pub(super) fn ui(ui: &mut Ui, both: &Both<'_>, theme: &Theme, out: &mut Vec<Action>) {
    let Some(deltas) = both.session.compare.as_ref().map(|c| &c.deltas) else {
        return;
    };
    if let Some(text) = rows::filter(ui, theme, "Filter kernels of both", &deltas.filter) {
        out.push(Action::Compare(CompareAction::FilterKernels(text)));
    }
    let Some(shown) = both.session.shown_deltas() else {
        ui.label(weak(theme, "Aligning the kernels of both windows…"));
        return;
    };
    head(ui, both, theme, &shown);
    if shown.rows.is_empty() {
        let sentence = if shown.rows.all() > 0 {
            "No name matches the filter."
        } else if both.a.figures.is_none() && both.b.figures.is_none() {
            "No data: neither trace recorded anything in these windows."
        } else {
            "No kernel runs in either window."
        };
        ui.label(weak(theme, sentence));
        return;
    }
    table(ui, deltas, theme, shown, out);
}

/// How many names and their difference, and of which windows where these are not the current ones.
fn head(ui: &mut Ui, both: &Both<'_>, theme: &Theme, shown: &ShownDeltas<'_>) {
    if !shown.is_current {
        let of = |session: &Session, selection| match selection {
            Selection::Window(window) => {
                let origin = session.origin().unwrap_or_default();
                let (start, end) = (window.start() - origin, window.end() - origin);
                format!("{} to {}", human_duration(start), human_duration(end))
            }
            _ => "whole".to_owned(),
        };
        let words = format!(
            "of A {}, B {}; aligning the current windows…",
            of(both.session, shown.key.a.1.selection),
            of(both.other, shown.key.b.1.selection)
        );
        ui.add(Label::new(mono(words).small().color(theme.text_weak)).wrap());
    }
    let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let rows = || shown.rows.iter();
    let delta = DurNs(rows().map(|row| row.delta().0).sum());
    let mut words = format!(
        "{}, {} µs in all",
        counted(number(shown.rows.len()), "name", "names"),
        signed(&delta.us3())
    );
    for (side, alone) in [
        ("A", rows().filter(|r| r.count_b == 0).count()),
        ("B", rows().filter(|r| r.count_a == 0).count()),
    ] {
        if alone > 0 {
            words = format!("{words}, {} only in {side}", count(number(alone)));
        }
    }
    let hidden = shown.rows.all().saturating_sub(shown.rows.len());
    if hidden > 0 {
        words = format!("{words}; the filter hides {}", count(number(hidden)));
    }
    let color = ink(theme, shown.is_current, theme.text);
    ui.add(Label::new(mono(words).small().color(color)).wrap())
        .on_hover_text(
            "Kernels are paired by aligning the sequences of names of each stream, step by step. The \
             difference of the totals is what pairs differ by, plus what only B has, less what only A has.",
        );
    if rows().any(|row| row.by_number) {
        let text = "Some sequences are too long to be aligned; there the n-th kernel of a name stands \
                    against the n-th.";
        ui.add(Label::new(weak(theme, text).small()).wrap());
    }
    ui.add_space(SMALL_GAP);
}

fn table(
    ui: &mut Ui,
    deltas: &Deltas,
    theme: &Theme,
    shown: ShownDeltas<'_>,
    out: &mut Vec<Action>,
) {
    let columns: Vec<(&Column<KernelDelta>, Choice)> = COLUMNS
        .iter()
        .filter_map(|c| {
            let column = KERNEL_DELTA_COLUMNS.iter().find(|k| k.head.name == c.0)?;
            Some((column, *c))
        })
        .collect();
    let name = (ui.available_width() - 3.0 * (FIGURE + AIR) - FADE).clamp(110.0, 420.0);
    ScrollArea::horizontal().show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = AIR;
        let mut builder = lines(ui);
        for (column, choice) in &columns {
            let width = match column.head.unit {
                _ if choice.2 == KernelDeltaSort::Name => name,
                Unit::Count => COUNT,
                _ => FIGURE,
            };
            builder = builder.column(Width::exact(width).clip(true));
        }
        builder
            .header(LINE, |mut header| {
                for (column, choice) in &columns {
                    header.col(|ui| title(ui, deltas, theme, column, *choice, out));
                }
            })
            .body(|body| {
                body.rows(LINE, shown.rows.len(), |mut line| {
                    let Some(row) = shown.rows.get(line.index()) else {
                        return;
                    };
                    let chosen = deltas.chosen.as_deref() == Some(row.name.as_str());
                    line.set_selected(chosen);
                    cells(&mut line, theme, shown.is_current, row, &columns);
                    let response = line.response().on_hover_text(&row.name);
                    response.widget_info(|| spoken(row, chosen));
                    if response.clicked() {
                        let name = row.name.clone();
                        out.push(Action::Compare(CompareAction::GoToKernel(name)));
                    }
                });
            });
    });
}

fn title(
    ui: &mut Ui,
    deltas: &Deltas,
    theme: &Theme,
    column: &Column<KernelDelta>,
    (_, text, by): Choice,
    out: &mut Vec<Action>,
) {
    let title = Title {
        of: "kernels of both",
        text,
        hover: column.head.definition,
        is_words: by == KernelDeltaSort::Name,
        order: (deltas.sorting.by == by).then_some(deltas.sorting.order),
    };
    if title.show(ui, theme).clicked() {
        out.push(Action::Compare(CompareAction::SortKernels(by)));
    }
}

fn cells(
    line: &mut TableRow<'_, '_>,
    theme: &Theme,
    is_current: bool,
    row: &KernelDelta,
    columns: &[(&Column<KernelDelta>, Choice)],
) {
    for (column, choice) in columns {
        let cell = (column.get)(row);
        let text = cell.text().unwrap_or("n/a".into());
        let color = ink(theme, is_current, theme.text);
        line.col(|ui| {
            if choice.2 == KernelDeltaSort::Name {
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    swatch(ui, ink(theme, is_current, theme.class_color(row.class)));
                    if let Some(side) = alone(row) {
                        let text = RichText::new(side).size(10.5);
                        let color = ink(theme, is_current, theme.accent);
                        ui.add(Label::new(text.color(color)).selectable(false));
                    }
                    let text = RichText::new(text.as_ref()).size(11.5).color(color);
                    ui.add(Label::new(text).truncate().selectable(false));
                });
                return;
            }
            let is_without = matches!(choice.0, "only_a" | "only_b") && text != "0";
            let color = match choice.0 {
                _ if is_without => ink(theme, is_current, theme.accent),
                "only_a" | "only_b" => ink(theme, is_current, theme.text_weak),
                _ => color,
            };
            let text = match choice.0 {
                "delta_us" => signed(&text),
                _ => text.into_owned(),
            };
            let font = FontId::monospace(11.0);
            ui.add(Label::new(RichText::new(text).font(font).color(color)).selectable(false));
        });
    }
}

/// What stands before the name of kernels that only one trace has.
fn alone(row: &KernelDelta) -> Option<&'static str> {
    match (row.count_a, row.count_b) {
        (0, _) => Some("only B"),
        (_, 0) => Some("only A"),
        _ => None,
    }
}

/// The row in words: its name, and its figures as the value.
fn spoken(row: &KernelDelta, is_chosen: bool) -> WidgetInfo {
    let mut info = WidgetInfo::selected(Role::Button, true, is_chosen, &row.name);
    info.current_text_value = Some(format!(
        "A {} in {}, B {} in {}, {} µs, {} paired, {} only A, {} only B",
        row.total_a.us3(),
        row.count_a,
        row.total_b.us3(),
        row.count_b,
        signed(&row.delta().us3()),
        row.paired,
        row.only_a.0,
        row.only_b.0
    ));
    info
}
