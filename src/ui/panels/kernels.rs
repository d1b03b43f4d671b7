//! Kernels of the focused device by name, class or launching op; a click goes to the next one.

use super::super::controls::{count, counted, swatch};
use super::super::theme::{SMALL_GAP, Theme};
use super::rows::{self, AIR, Title, ink};
use super::table::{LINE, lines};
use super::{Figures, window_line};
use crate::metrics::report::{Column, KERNEL_COLUMNS, Unit};
use crate::metrics::{KernelGrouping, KernelRow, KernelSort};
use crate::session::{Action, Session, ShownKernels};
use crate::time::DurNs;
use egui::{Align, FontId, Label, Layout, RichText, Role, Ui, WidgetInfo};
use egui_extras::{Column as Width, TableRow};

/// A column to show: its name in the table of kernels, its short title, how it sorts.
type Choice = (&'static str, &'static str, KernelSort);

const COLUMNS: [Choice; 8] = [
    ("group", "", KernelSort::Group),
    ("kernels", "count", KernelSort::Count),
    ("total_us", "total µs", KernelSort::Total),
    ("share_percent", "share %", KernelSort::Total),
    ("mean_us", "mean µs", KernelSort::Mean),
    ("median_us", "median µs", KernelSort::Median),
    ("min_us", "min µs", KernelSort::Min),
    ("max_us", "max µs", KernelSort::Max),
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
    if let Some(text) = rows::filter(ui, theme, "Filter kernels", &session.kernels.filter) {
        out.push(Action::FilterKernels { text });
    }
    let Some(shown) = session.shown_kernels() else {
        ui.label(super::weak(theme, "Measuring the kernels of the window…"));
        return;
    };
    head(ui, session, figures, theme, &shown);
    if shown.rows.is_empty() {
        let sentence = if shown.is_current && figures.row.figures.is_none() {
            "No data: the rank recorded nothing in this window."
        } else if shown.all == 0 {
            "No kernel runs in this window."
        } else {
            "No group matches the filter."
        };
        ui.label(super::weak(theme, sentence));
        return;
    }
    table(ui, session, theme, &shown, out);
}

fn grouping_choice(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        for grouping in KernelGrouping::ALL {
            let (word, hover) = match grouping {
                KernelGrouping::Name => ("By name", "The name of the kernel"),
                KernelGrouping::Class => ("By class", "Computation, communication, memory"),
                KernelGrouping::Op => (
                    "By op",
                    "The innermost CPU op around the start of the launch call, on its thread",
                ),
            };
            let chosen = session.kernels.grouping == grouping;
            let response = ui.selectable_label(chosen, word).on_hover_text(hover);
            if response.clicked() && !chosen {
                out.push(Action::GroupKernels { grouping });
            }
        }
    });
}

/// How many kernels and how long, of which window.
fn head(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    shown: &ShownKernels<'_>,
) {
    if shown.is_current {
        window_line(ui, figures, theme);
    } else {
        let of = shown.rows.first().map(|row| row.window);
        rows::older_window(ui, session, theme, of);
    }
    let kernels = shown.rows.iter().map(|r| r.kernels).sum();
    let total = DurNs(shown.rows.iter().map(|r| r.total.0).sum());
    let hidden = shown.all.saturating_sub(shown.rows.len());
    let groups = u64::try_from(shown.rows.len()).unwrap_or(u64::MAX);
    let words = format!(
        "{} in {}, {} µs in all",
        counted(kernels, "kernel", "kernels"),
        counted(groups, "group", "groups"),
        total.us3()
    );
    let words = match u64::try_from(hidden).unwrap_or(u64::MAX) {
        0 => words,
        n => format!("{words}; the filter hides {}", count(n)),
    };
    let color = ink(theme, shown.is_current, theme.text);
    ui.label(super::mono(words).small().color(color)).on_hover_text(
        "The sum of what of the kernels lies in the window; kernels side by side count each for \
         themselves, so it may exceed the window.",
    );
    ui.add_space(SMALL_GAP);
}

fn table(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    shown: &ShownKernels<'_>,
    out: &mut Vec<Action>,
) {
    let columns: Vec<(&Column<KernelRow>, Choice)> = COLUMNS
        .iter()
        .filter_map(|c| Some((KERNEL_COLUMNS.iter().find(|k| k.head.name == c.0)?, *c)))
        .collect();
    let chosen = session.kernels.chosen;
    let name = name_width(ui);
    egui::ScrollArea::horizontal().show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = AIR;
        let mut builder = lines(ui);
        for (column, _) in &columns {
            builder = builder.column(Width::exact(width_of(column).unwrap_or(name)).clip(true));
        }
        builder
            .header(LINE, |mut header| {
                for (column, choice) in &columns {
                    header.col(|ui| sort_button(ui, session, theme, column, *choice, out));
                }
            })
            .body(|body| {
                body.rows(LINE, shown.rows.len(), |mut line| {
                    let Some(row) = shown.rows.get(line.index()) else {
                        return;
                    };
                    let is_chosen = chosen == Some((session.generation, row.group));
                    line.set_selected(is_chosen);
                    cells(&mut line, theme, shown, row, &columns);
                    let response = line.response();
                    response.widget_info(|| spoken(row, is_chosen));
                    if response.clicked() {
                        out.push(Action::NextKernel { group: row.group });
                    }
                });
            });
    });
}

/// The title of a column; a click sorts by it.
fn sort_button(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    column: &Column<KernelRow>,
    (_, title, by): Choice,
    out: &mut Vec<Action>,
) {
    let state = &session.kernels;
    let is_text = by == KernelSort::Group;
    // The share has the order of the total, whose title shows the arrow.
    let is_sorted = state.sorting.by == by && column.head.name != "share_percent";
    let title = Title {
        of: "kernels",
        text: if is_text {
            state.grouping.label()
        } else {
            title
        },
        hover: column.head.definition,
        is_words: is_text,
        order: is_sorted.then_some(state.sorting.order),
    };
    if title.show(ui, theme).clicked() {
        out.push(Action::SortKernels { by });
    }
}

fn cells(
    line: &mut TableRow<'_, '_>,
    theme: &Theme,
    shown: &ShownKernels<'_>,
    row: &KernelRow,
    columns: &[(&Column<KernelRow>, Choice)],
) {
    for (column, choice) in columns {
        let cell = (column.get)(row);
        let text = cell.text().unwrap_or("n/a".into());
        let color = ink(theme, shown.is_current, theme.text);
        line.col(|ui| {
            if choice.2 == KernelSort::Group {
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let class = row.class.map_or(theme.host, |c| theme.class_color(c));
                    swatch(ui, ink(theme, shown.is_current, class));
                    let text = RichText::new(text.as_ref()).size(11.5).color(color);
                    ui.add(Label::new(text).truncate().selectable(false));
                });
            } else {
                let font = FontId::monospace(11.0);
                ui.add(Label::new(RichText::new(text).font(font).color(color)).selectable(false));
            }
        });
    }
}

/// The row in words: its name, and its figures as the value.
fn spoken(row: &KernelRow, is_chosen: bool) -> WidgetInfo {
    let mut info = WidgetInfo::selected(Role::Button, true, is_chosen, &row.label);
    let share = row
        .share()
        .map_or("n/a".to_owned(), |s| format!("{} %", s.percent4()));
    let kernels = counted(row.kernels, "kernel", "kernels");
    info.current_text_value = Some(format!("{kernels}, {} µs, {share}", row.total.us3()));
    info
}

/// Width of a column of figures; `None` for the names.
fn width_of(column: &Column<KernelRow>) -> Option<f32> {
    match column.head.unit {
        Unit::None => None,
        Unit::Count => Some(46.0),
        Unit::Percent | Unit::GigabytesPerSecond | Unit::TeraflopsPerSecond | Unit::Factor => {
            Some(60.0)
        }
        Unit::Microseconds | Unit::Nanoseconds | Unit::Bytes => Some(84.0),
    }
}

/// Width of the names: what count, total and share leave, so that these three are always in sight.
fn name_width(ui: &Ui) -> f32 {
    let figures = 46.0 + 84.0 + 60.0 + 4.0 * AIR;
    (ui.available_width() - figures).clamp(100.0, 360.0)
}
