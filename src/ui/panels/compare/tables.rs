//! Devices and steps of two traces that stand against each other.

use super::super::super::theme::Theme;
use super::super::rows::AIR;
use super::super::table::{LINE, lines};
use super::super::weak;
use super::section;
use crate::metrics::report::FIGURE_DELTA_COLUMNS;
use crate::metrics::{FigureDelta, figure_deltas};
use crate::session::{Action, CompareAction, CsvPanel, Section, Session, StepWindow};
use crate::trace::{DeviceId, RankId};
use crate::ui::controls::signed;
use egui::{Align, FontId, Label, Layout, RichText, Role, ScrollArea, Ui, WidgetInfo};
use egui_extras::Column as Width;

/// Figures that the tables show of each row: name, column of the table of figures, short title.
const FIGURES: [(&str, &str, &str); 5] = [
    ("kernel_time_us", "a", "A µs"),
    ("kernel_time_us", "b", "B µs"),
    ("kernel_time_us", "delta", "B − A µs"),
    ("idle_time_us", "delta", "idle µs"),
    ("exposed_comm_us", "delta", "exposed µs"),
];
const FIGURE: f32 = 74.0;

/// All devices that stand against each other, where there are several; a click puts a pair first.
pub(super) fn devices(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some((a, b, pairs)) = session.compared_devices() else {
        return;
    };
    if pairs.pairs.len() < 2 && pairs.only_a.is_empty() && pairs.only_b.is_empty() {
        return;
    }
    let key = (Section::Devices, CsvPanel::FigureDeltas);
    section(ui, session, theme, key, out, |ui, out| {
        let focused = session.compared().map(|c| c.pair);
        let row = |at: usize| {
            let pair = *pairs.pairs.get(at)?;
            let figures = figure_deltas(&a, &b, &[pair]);
            let name = device_name(pair.a);
            Some((name, figures, focused == Some(pair)))
        };
        let clicked = table(ui, theme, "device", pairs.pairs.len(), row);
        if let Some(pair) = clicked.and_then(|at| pairs.pairs.get(at)) {
            out.push(Action::Compare(CompareAction::Focus(*pair)));
        }
        for (side, only) in [("A", &pairs.only_a), ("B", &pairs.only_b)] {
            if !only.is_empty() {
                let names: Vec<String> = only.iter().map(|key| device_name(*key)).collect();
                let text = format!("Only in {side}: {}", names.join(", "));
                ui.add(Label::new(weak(theme, text).small()).wrap());
            }
        }
    });
}

fn device_name((RankId(rank), DeviceId(device)): (RankId, DeviceId)) -> String {
    format!("rank {rank} GPU {device}")
}

/// Steps that stand against each other; a click makes one the window of both.
pub(super) fn steps(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if (session.focused_rank()).is_none_or(|rank| rank.host_steps.is_empty()) {
        return;
    }
    let key = (Section::Steps, CsvPanel::FigureDeltas);
    section(ui, session, theme, key, out, |ui, out| {
        let pairs = session.paired_steps();
        let row = |at: usize| {
            let (a, b) = *pairs.get(at)?;
            let figures = b.map(|b| session.step_figures(a, b)).unwrap_or_default();
            Some((
                step_name(a, b),
                figures,
                session.current_step == Some(a.label),
            ))
        };
        let clicked = table(ui, theme, "step", pairs.len(), row);
        let focused = session.focused().map(|(rank, device)| (rank.id, device.id));
        if let (Some((step, _)), Some((rank, device))) =
            (clicked.and_then(|at| pairs.get(at)), focused)
        {
            out.push(Action::GoToStep {
                rank,
                device,
                label: step.label,
            });
        }
    });
}

/// `3`, `3 | 40` where the numbers differ, `3 | –` without a partner.
fn step_name(a: StepWindow, b: Option<StepWindow>) -> String {
    match b {
        Some(b) if b.label == a.label => a.label.to_string(),
        Some(b) => format!("{} | {}", a.label, b.label),
        None => format!("{}, only A", a.label),
    }
}

/// A table whose rows are measured only where they are in sight; returns the row that was clicked.
fn table(
    ui: &mut Ui,
    theme: &Theme,
    of: &str,
    count: usize,
    row: impl Fn(usize) -> Option<(String, Vec<FigureDelta>, bool)>,
) -> Option<usize> {
    let mut clicked = None;
    ScrollArea::horizontal().show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = AIR;
        let name = (ui.available_width() - 5.0 * (FIGURE + AIR)).clamp(70.0, 140.0);
        let mut builder = lines(ui).column(Width::exact(name).clip(true));
        for _ in FIGURES {
            builder = builder.column(Width::exact(FIGURE).clip(true));
        }
        builder
            .header(LINE, |mut header| {
                header.col(|ui| {
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        ui.label(RichText::new(of).size(11.0).color(theme.text_weak));
                    });
                });
                for (figure, column, title) in FIGURES {
                    header.col(|ui| {
                        let text = RichText::new(title).size(11.0).color(theme.text_weak);
                        ui.add(Label::new(text).truncate())
                            .on_hover_text(hover(figure, column));
                    });
                }
            })
            .body(|body| {
                body.rows(LINE, count, |mut line| {
                    let at = line.index();
                    let Some((name, figures, chosen)) = row(at) else {
                        return;
                    };
                    line.set_selected(chosen);
                    line.col(|ui| {
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            let text = RichText::new(&name).size(11.5).color(theme.text);
                            ui.add(Label::new(text).truncate().selectable(false));
                        });
                    });
                    let mut spoken = Vec::new();
                    for (figure, column, title) in FIGURES {
                        line.col(|ui| {
                            let (text, color) = cell(&figures, figure, column, theme);
                            let shown = RichText::new(&text).font(FontId::monospace(11.0));
                            ui.add(Label::new(shown.color(color)).selectable(false));
                            spoken.push(format!("{title} {text}"));
                        });
                    }
                    let response = line.response();
                    response.widget_info(|| {
                        let name = format!("Compare {of} {name}");
                        let mut info = WidgetInfo::selected(Role::Button, true, chosen, name);
                        info.current_text_value = Some(spoken.join(", "));
                        info
                    });
                    if response.clicked() {
                        clicked = Some(at);
                    }
                });
            });
    });
    clicked
}

fn hover(figure: &str, column: &str) -> String {
    let heads = crate::metrics::report::columns(crate::metrics::report::Table::Summary);
    let of = |name: &str| heads.iter().find(|c| c.head.name == name).map(|c| c.head);
    let what = FIGURE_DELTA_COLUMNS.iter().find(|c| c.head.name == column);
    let what = what.map_or("", |c| c.head.definition);
    let definition = of(figure).map_or("", |head| head.definition);
    format!("{definition}\n\n{what}")
}

fn cell(
    figures: &[FigureDelta],
    figure: &str,
    column: &str,
    theme: &Theme,
) -> (String, egui::Color32) {
    let row = figures.iter().find(|row| row.figure == figure);
    let get = FIGURE_DELTA_COLUMNS.iter().find(|c| c.head.name == column);
    let text = row.zip(get).and_then(|(row, column)| {
        let cell = (column.get)(row);
        cell.text().map(std::borrow::Cow::into_owned)
    });
    let Some(text) = text else {
        return ("n/a".to_owned(), theme.text_weak);
    };
    if column != "delta" {
        return (text, theme.text);
    }
    let color = match row.and_then(FigureDelta::is_better) {
        Some(true) => theme.good,
        Some(false) => theme.warning,
        None => theme.text,
    };
    (signed(&text), color)
}
