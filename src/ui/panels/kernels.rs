//! Kernels of the focused device by name, class or launching op; a click goes to the next one.

use super::super::controls::{count, counted, swatch};
use super::super::icon::Icon;
use super::super::theme::{SMALL_GAP, Theme};
use super::table::{LINE, lines};
use super::{Figures, window_line};
use crate::metrics::report::{Column, KERNEL_COLUMNS, Unit};
use crate::metrics::{KernelGrouping, KernelRow, KernelSort};
use crate::session::{Action, Session, ShownKernels};
use crate::time::{DurNs, human_duration};
use egui::{
    Align, Color32, FontId, Label, Layout, RichText, Role, Sense, TextEdit, Ui, WidgetInfo,
};
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

/// Air between columns.
const AIR: f32 = 5.0;

/// Shows the section.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    grouping_choice(ui, session, out);
    filter(ui, session, theme, out);
    let Some(shown) = session.shown_kernels() else {
        ui.label(super::weak(theme, "Measuring the kernels of the window…"));
        return;
    };
    head(ui, session, figures, theme, &shown);
    if shown.rows.is_empty() {
        let sentence = if shown.is_current && figures.row.figures.is_none() {
            "No data: the rank recorded nothing in this window."
        } else if shown.groups == 0 {
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

fn filter(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let mut text = session.kernels.filter.clone();
    let field = TextEdit::singleline(&mut text)
        .hint_text("filter: a regular expression")
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(8.0, 3.0));
    let response = ui.add(field);
    response.widget_info(|| WidgetInfo {
        label: Some("Filter kernels".to_owned()),
        current_text_value: Some(session.kernels.filter.clone()),
        ..WidgetInfo::new(Role::TextInput)
    });
    if response.changed() {
        out.push(Action::FilterKernels { text });
    }
    if let Some(trouble) = &session.kernels.filter_trouble {
        let text = RichText::new(trouble).small().color(theme.error);
        ui.add(Label::new(text).wrap());
    }
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
        older_window(ui, session, theme, shown);
    }
    let kernels = shown.rows.iter().map(|r| r.kernels).sum();
    let total = DurNs(shown.rows.iter().map(|r| r.total.0).sum());
    let hidden = shown.groups.saturating_sub(shown.rows.len());
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
    let color = ink(theme, shown, theme.text);
    ui.label(super::mono(words).small().color(color)).on_hover_text(
        "The sum of what of the kernels lies in the window; kernels side by side count each for \
         themselves, so it may exceed the window.",
    );
    ui.add_space(SMALL_GAP);
}

/// Of which window the rows are that stay until those of the current one are there.
fn older_window(ui: &mut Ui, session: &Session, theme: &Theme, shown: &ShownKernels<'_>) {
    let origin = session.origin().unwrap_or_default();
    let of = shown.rows.first().map_or_else(String::new, |row| {
        let (start, end) = (row.window.start() - origin, row.window.end() - origin);
        format!("of {} to {}; ", human_duration(start), human_duration(end))
    });
    let words = format!("{of}measuring the current window…");
    ui.label(super::mono(words).small().color(theme.text_weak));
}

/// A colour, dimmed where the rows are of another window than the current one.
fn ink(theme: &Theme, shown: &ShownKernels<'_>, color: Color32) -> Color32 {
    if shown.is_current {
        color
    } else {
        theme.dimmed(color)
    }
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
    let title = if is_text {
        state.grouping.label()
    } else {
        title
    };
    // The share has the order of the total, whose title shows the arrow.
    let is_sorted = state.sort == by && column.head.name != "share_percent";
    let is_up = state.order == crate::metrics::SortOrder::Ascending;
    let color = if is_sorted {
        theme.text
    } else {
        theme.text_weak
    };
    let layout = if is_text {
        Layout::left_to_right(Align::Center)
    } else {
        Layout::right_to_left(Align::Center)
    };
    ui.with_layout(layout, |ui| {
        if is_sorted && !is_text {
            arrow(ui, theme, is_up);
        }
        let text = RichText::new(title).size(11.0).color(color);
        let label = Label::new(text).selectable(false).sense(Sense::click());
        let response = ui.add(label).on_hover_text(column.head.definition);
        response.widget_info(|| {
            let name = format!("Sort kernels by {title}");
            let mut info = WidgetInfo::labeled(Role::Button, true, name);
            let order = if is_up { "ascending" } else { "descending" };
            info.current_text_value = is_sorted.then(|| order.to_owned());
            info
        });
        if response.clicked() {
            out.push(Action::SortKernels { by });
        }
        if is_sorted && is_text {
            arrow(ui, theme, is_up);
        }
    });
}

/// Shows which way a column is sorted.
fn arrow(ui: &mut Ui, theme: &Theme, is_up: bool) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(9.0, 9.0), Sense::hover());
    let icon = if is_up { Icon::Up } else { Icon::Down };
    icon.paint(ui.painter(), rect, theme.text);
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
        let color = ink(theme, shown, theme.text);
        line.col(|ui| {
            if choice.2 == KernelSort::Group {
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let class = row.class.map_or(theme.host, |c| theme.class_color(c));
                    swatch(ui, ink(theme, shown, class));
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
        Unit::Percent => Some(60.0),
        Unit::Microseconds | Unit::Nanoseconds => Some(84.0),
    }
}

/// Width of the names: what count, total and share leave, so that these three are always in sight.
fn name_width(ui: &Ui) -> f32 {
    let figures = 46.0 + 84.0 + 60.0 + 4.0 * AIR;
    (ui.available_width() - figures).clamp(100.0, 360.0)
}
