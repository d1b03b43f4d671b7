//! Why the focused device was idle: causes, the length of gaps, and the longest of them; a click
//! makes a gap the window and selects the kernel that ended it.

use super::super::controls::{count, mono, swatch};
use super::super::theme::{SMALL_GAP, Theme};
use super::bar::{self, Part};
use super::table::right;
use super::{Figures, window_line};
use crate::metrics::report::{Cell, IDLE_COLUMNS, IDLE_LENGTH_COLUMNS, QUEUE_COLUMNS};
use crate::metrics::{IdleCause, IdleGapRow, IdleRow};
use crate::session::{Action, IdleView, Session};
use crate::time::{DurNs, Ns, human_duration};
use crate::trace::SliceRef;
use egui::{Align, Button, Color32, FontId, Grid, Label, Layout, RichText, ScrollArea, Ui};

/// Height of a line.
const LINE: f32 = 19.0;
/// Height of the list of gaps.
const LIST: f32 = 10.0 * LINE;

/// Shows the section.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    window_line(ui, figures, theme);
    let Some(view) = session.shown_idle() else {
        let words = if session.is_judging_gaps() {
            "Finding the cause of every gap…"
        } else {
            "The rank recorded nothing of this window."
        };
        ui.label(super::weak(theme, words));
        return;
    };
    let idle = view.causes.first().map_or(DurNs::ZERO, |row| row.idle);
    let parts: Vec<Part> = view
        .causes
        .iter()
        .map(|row| Part {
            name: row.cause.label(),
            color: color(theme, row.cause),
            time: row.total,
        })
        .collect();
    bar::ui(ui, theme, "Idle time by cause", idle, &parts);
    if idle == DurNs::ZERO {
        ui.label(super::weak(
            theme,
            "The device was never idle in this window.",
        ));
        return;
    }
    causes(ui, theme, &view.causes);
    lengths(ui, theme, view);
    queues(ui, theme, view);
    longest(ui, session, figures, theme, view, out);
}

/// A colour a cause; words stand beside it everywhere.
fn color(theme: &Theme, cause: IdleCause) -> Color32 {
    match cause {
        IdleCause::HostSync => theme.exposed_comm,
        IdleCause::HostCopy => theme.memory,
        IdleCause::Queued => theme.computation,
        IdleCause::Launch => theme.overlap,
        IdleCause::HostLate => theme.communication,
        IdleCause::HostIdle => theme.annotation,
        IdleCause::Unknown => theme.line_strong,
    }
}

fn hover_of(name: &str) -> &'static str {
    let by_cause = IDLE_COLUMNS.iter().map(|c| c.head);
    let by_length = IDLE_LENGTH_COLUMNS.iter().map(|c| c.head);
    let by_stream = QUEUE_COLUMNS.iter().map(|c| c.head);
    let mut all = by_cause.chain(by_length).chain(by_stream);
    all.find(|head| head.name == name)
        .map_or("", |head| head.definition)
}

fn causes(ui: &mut Ui, theme: &Theme, rows: &[IdleRow]) {
    let width = words_width(ui);
    Grid::new("causes of idle time")
        .num_columns(4)
        .spacing([AIR, 2.0])
        .show(ui, |ui| {
            let titles = [
                ("cause", "cause"),
                ("gaps", "gaps"),
                ("total_us", "µs"),
                ("share_of_idle_percent", "of idle %"),
            ];
            head(ui, theme, width, titles);
            for row in rows.iter().filter(|row| row.gaps > 0) {
                ui.horizontal(|ui| {
                    ui.set_width(width);
                    swatch(ui, color(theme, row.cause));
                    let text = RichText::new(row.cause.short_label()).size(12.0);
                    let hover = format!("{}\n\n{}", row.cause.label(), row.cause.advice());
                    ui.add(Label::new(text).truncate()).on_hover_text(hover);
                });
                let share = row.share_of_idle().map(crate::metrics::Ratio::percent4);
                let figures = [count(row.gaps), row.total.us3(), share.unwrap_or_default()];
                figures_of(ui, theme, figures);
            }
        });
    let late = rows
        .iter()
        .find(|row| row.gaps > 0 && row.inflated_by.is_some());
    if let Some(by) = late.and_then(|row| row.inflated_by) {
        let text = format!("“host late” is inflated by the profiler: {by} were recorded");
        ui.add(Label::new(RichText::new(text).small().color(theme.warning)).wrap())
            .on_hover_text(hover_of("inflated_by"));
    }
    ui.add_space(SMALL_GAP);
}

/// Widths of the columns with figures.
const WIDTHS: [f32; 3] = [48.0, 86.0, 62.0];
/// Air between columns.
const AIR: f32 = 6.0;

/// What the figures leave for the words at the left.
fn words_width(ui: &Ui) -> f32 {
    let figures: f32 = WIDTHS.iter().map(|width| width + AIR).sum();
    (ui.available_width() - figures).max(60.0)
}

/// Titles by the names of their columns; the first stands over words.
fn head(ui: &mut Ui, theme: &Theme, words: f32, columns: [(&str, &str); 4]) {
    let [first, rest @ ..] = columns;
    let title = |ui: &mut Ui, (name, title): (&str, &str)| {
        let text = RichText::new(title).size(11.0).color(theme.text_weak);
        ui.label(text).on_hover_text(hover_of(name));
    };
    ui.horizontal(|ui| {
        ui.set_min_width(words);
        title(ui, first);
    });
    for (column, width) in rest.into_iter().zip(WIDTHS) {
        right(ui, width, |ui| title(ui, column));
    }
    ui.end_row();
}

fn figures_of(ui: &mut Ui, theme: &Theme, figures: [String; 3]) {
    for (text, width) in figures.into_iter().zip(WIDTHS) {
        right(ui, width, |ui| {
            let font = FontId::monospace(11.0);
            ui.label(RichText::new(text).font(font).color(theme.text));
        });
    }
    ui.end_row();
}

/// How long gaps are: many short ones and few long ones want different remedies.
fn lengths(ui: &mut Ui, theme: &Theme, view: &IdleView) {
    let width = words_width(ui);
    Grid::new("lengths of gaps")
        .num_columns(4)
        .spacing([AIR, 2.0])
        .show(ui, |ui| {
            let titles = [
                ("from_us", "length"),
                ("gaps", "gaps"),
                ("total_us", "µs"),
                ("share_of_idle_percent", "of idle %"),
            ];
            head(ui, theme, width, titles);
            for row in view.lengths.iter().filter(|row| row.gaps > 0) {
                let words = match row.below {
                    Some(below) if row.from == DurNs::ZERO => format!("below {}", short(below)),
                    Some(below) => format!("{} to {}", short(row.from), short(below)),
                    None => format!("{} and more", short(row.from)),
                };
                ui.horizontal(|ui| {
                    ui.set_width(width);
                    ui.label(RichText::new(words).size(12.0));
                });
                let share = row.share_of_idle().map(crate::metrics::Ratio::percent4);
                let figures = [count(row.gaps), row.total.us3(), share.unwrap_or_default()];
                figures_of(ui, theme, figures);
            }
        });
    ui.add_space(SMALL_GAP);
}

/// How many launched kernels waited on each stream: an empty queue leaves the GPU to the host's speed.
fn queues(ui: &mut Ui, theme: &Theme, view: &IdleView) {
    if view.queues.iter().all(|row| row.linked == 0) {
        return;
    }
    let width = words_width(ui);
    Grid::new("queues of streams")
        .num_columns(4)
        .spacing([AIR, 2.0])
        .show(ui, |ui| {
            let titles = [
                ("mean_queue", "queue of stream"),
                ("max_queue", "most"),
                ("mean_queue", "mean"),
                ("empty_percent", "empty %"),
            ];
            head(ui, theme, width, titles);
            for row in view.queues.iter().filter(|row| row.linked > 0) {
                ui.horizontal(|ui| {
                    ui.set_width(width);
                    let words = format!("stream {}", row.stream.0);
                    ui.label(RichText::new(words).size(12.0));
                });
                let digits = |name: &str| {
                    let column = QUEUE_COLUMNS.iter().find(|c| c.head.name == name);
                    let cell = column.map(|c| (c.get)(row));
                    let text = cell.as_ref().and_then(Cell::text);
                    text.map_or_else(String::new, std::borrow::Cow::into_owned)
                };
                let figures = ["max_queue", "mean_queue", "empty_percent"].map(digits);
                figures_of(ui, theme, figures);
            }
        });
    ui.add_space(SMALL_GAP);
}

/// A round length without decimals.
fn short(len: DurNs) -> String {
    match len.0 {
        ns if ns >= 1_000_000 => format!("{} ms", ns / 1_000_000),
        ns => format!("{} µs", ns / 1_000),
    }
}

fn longest(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    view: &IdleView,
    out: &mut Vec<Action>,
) {
    ui.label(super::weak(theme, "Longest gaps").small());
    let origin = session.origin().unwrap_or_default();
    ScrollArea::vertical()
        .id_salt("longest gaps")
        .max_height(LIST)
        .auto_shrink([false, true])
        .show_rows(ui, LINE, view.longest.len(), |ui, range| {
            for row in view.longest.get(range).unwrap_or(&[]) {
                if gap(ui, session, theme, origin, row) {
                    out.push(Action::ShowWindow {
                        window: row.gap.window,
                    });
                    out.extend(row.gap.next.map(|slice| Action::Select {
                        slice: SliceRef {
                            rank: figures.rank.id,
                            slice,
                        },
                    }));
                }
            }
        });
}

/// One line; whether it was clicked.
fn gap(ui: &mut Ui, session: &Session, theme: &Theme, origin: Ns, row: &IdleGapRow) -> bool {
    let words = if row.what.is_empty() {
        row.gap.cause.label().to_owned()
    } else {
        format!("{}: {}", row.gap.cause.label(), row.what)
    };
    let hover = format!(
        "{words}\nat {}\nended by {}\nlaunched by thread {}\n\n{}",
        human_duration(row.inside.start() - origin),
        row.next.as_deref().unwrap_or("nothing"),
        row.thread.as_deref().unwrap_or("that is not known"),
        row.gap.cause.advice(),
    );
    let chosen = session.window == Some(row.gap.window);
    let mut clicked = false;
    ui.horizontal(|ui| {
        swatch(ui, color(theme, row.gap.cause));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(mono(human_duration(row.inside.len())).small());
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let text = RichText::new(words).size(11.5);
                let button = Button::selectable(chosen, (text, egui::Atom::grow())).truncate();
                let button = button.min_size(egui::vec2(ui.available_width(), LINE - 2.0));
                clicked = ui.add(button).on_hover_text(hover).clicked();
            });
        });
    });
    clicked
}
