//! The curve of a model, with the present configuration and what was measured marked on it.

use super::super::super::controls::swatch;
use super::super::super::theme::Theme;
use super::super::picture::Picture;
use crate::session::Action;
use crate::whatif::table::Source;
use crate::whatif::{Curve, Mark, Model};
use egui::{Color32, RichText, Ui};
use egui_plot::{
    AxisHints, GridMark, HLine, HoverPosition, Line, LineStyle, MarkerShape, Plot, PlotPoints,
    PlotUi, Points, VLine,
};

const HEIGHT: f32 = 150.0;

/// Draws the chart with its legend.
pub(super) fn ui(ui: &mut Ui, theme: &Theme, model: Model, curve: &Curve, out: &mut Vec<Action>) {
    ui.add_space(4.0);
    let log = curve.log_x;
    let across = move |x: f64| if log { x.max(1e-9).log10() } else { x };
    let font = egui::FontId::monospace(10.5);
    let hints = |axis: AxisHints<'static>| {
        axis.tick_label_font(font.clone())
            .tick_label_color(theme.text_weak)
            .label_spacing(egui::Rangef::new(2.0, 6.0))
    };
    let x_axis = hints(AxisHints::new_x()).formatter(move |mark, _| {
        if log {
            decade(mark)
        } else {
            number(mark.value)
        }
    });
    let y_axis = hints(AxisHints::new_y()).formatter(|mark, _| number(mark.value));
    let mut plot = Plot::new(("model", model.name()))
        .height(HEIGHT)
        .show_background(false)
        .grid_color(theme.line)
        .include_y(0.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .show_y(false)
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis])
        .label_formatter(move |near| match near {
            HoverPosition::NearDataPoint {
                plot_name,
                position,
                ..
            } => {
                let x = if log {
                    10_f64.powf(position.x)
                } else {
                    position.x
                };
                Some(format!(
                    "{plot_name}\n{} · {}",
                    number(x),
                    number(position.y)
                ))
            }
            HoverPosition::Elsewhere { .. } => None,
        });
    if log {
        plot = plot.x_grid_spacer(|input| decades(input.bounds));
    }
    let draw = |plot: &mut PlotUi<'_>| {
        for (i, line) in curve.lines.iter().enumerate() {
            let points: Vec<[f64; 2]> = line.points.iter().map(|(x, y)| [across(*x), *y]).collect();
            plot.line(
                Line::new(line.name, PlotPoints::new(points))
                    .color(line_color(theme, i))
                    .width(1.5),
            );
        }
        marks(plot, theme, curve, &across);
    };
    let picture = Picture {
        words: &format!("{} over {}", curve.y, curve.x),
        name: model.name(),
        stem: stem(model),
    };
    let response = picture.show(ui, theme, out, |ui| {
        let shown = plot.show(ui, draw);
        legend(ui, theme, curve);
        shown
    });
    response.response.widget_info(|| {
        let name = format!("Curve of the model {}", model.name());
        egui::WidgetInfo::labeled(egui::Role::Image, true, name)
    });
}

/// The name of the picture.
fn stem(model: Model) -> &'static str {
    match model {
        Model::Streams => "overlane-whatif-streams",
        Model::Buckets => "overlane-whatif-buckets",
        Model::Chunks => "overlane-whatif-chunks",
        Model::Prefetch => "overlane-whatif-prefetch",
        Model::Contention => "overlane-whatif-contention",
    }
}

fn marks(plot: &mut PlotUi<'_>, theme: &Theme, curve: &Curve, across: &impl Fn(f64) -> f64) {
    for (i, mark) in curve.marks.iter().enumerate() {
        let color = mark_color(theme, i, mark);
        match (mark.x, mark.y) {
            (Some(x), Some(y)) => {
                let shape = match mark.source {
                    Source::Measured => MarkerShape::Diamond,
                    _ => MarkerShape::Circle,
                };
                plot.points(
                    Points::new(mark.name, vec![[across(x), y]])
                        .color(color)
                        .shape(shape)
                        .radius(5.0),
                );
            }
            (None, Some(y)) => plot.hline(
                HLine::new(mark.name, y)
                    .color(color)
                    .style(LineStyle::dashed_loose()),
            ),
            (Some(x), None) => {
                // Far away it would squeeze the curve.
                let last = curve.lines.iter().filter_map(|line| line.points.last());
                if last.into_iter().any(|(end, _)| x <= *end) {
                    plot.vline(
                        VLine::new(mark.name, across(x))
                            .color(color)
                            .style(LineStyle::dashed_loose()),
                    );
                }
            }
            (None, None) => {}
        }
    }
}

fn legend(ui: &mut Ui, theme: &Theme, curve: &Curve) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let lines = curve.lines.iter().enumerate();
        let lines = lines.map(|(i, line)| (line_color(theme, i), line.name.to_owned()));
        let marks = curve.marks.iter().enumerate().map(|(i, mark)| {
            let where_ = match (mark.x, mark.y) {
                (Some(x), None) => format!("{} {}", mark.name, number(x)),
                (_, Some(y)) => format!("{} {}", mark.name, number(y)),
                (None, None) => mark.name.to_owned(),
            };
            (mark_color(theme, i, mark), where_)
        });
        for (color, words) in lines.chain(marks) {
            swatch(ui, color);
            ui.label(RichText::new(words).size(11.0).color(theme.text));
            ui.add_space(6.0);
        }
    });
}

fn line_color(theme: &Theme, i: usize) -> Color32 {
    if i == 0 {
        theme.communication
    } else {
        theme.computation
    }
}

fn mark_color(theme: &Theme, i: usize, mark: &Mark) -> Color32 {
    match (mark.source, i) {
        (Source::Measured, _) => theme.good,
        (_, 0) => theme.accent,
        (_, 1) => theme.overlap,
        (_, 2) => theme.exposed_comm,
        _ => theme.annotation,
    }
}

/// Lines at 1, 2 and 5 times the powers of ten.
pub(super) fn decades(bounds: (f64, f64)) -> Vec<GridMark> {
    let steps = [(1.0_f64, 1.0), (2.0, 0.3), (5.0, 0.3)];
    (-6..7_i32)
        .flat_map(|power| {
            steps.map(|(times, step_size)| GridMark {
                value: f64::from(power) + times.log10(),
                step_size,
            })
        })
        .filter(|mark| mark.value >= bounds.0 && mark.value <= bounds.1)
        .collect()
}

/// The label of a power of ten; other lines have none.
pub(super) fn decade(mark: GridMark) -> String {
    let is_power = (mark.value - mark.value.round()).abs() < 1e-6;
    if is_power {
        number(10_f64.powf(mark.value))
    } else {
        String::new()
    }
}

/// A number with as many decimals as it needs to be told from its neighbours.
pub(super) fn number(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return if text == "-0" {
            "0".to_owned()
        } else {
            text.to_owned()
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.4, "0.4"),
            (1234.5, "1234"),
            (25.19, "25.2"),
            (-0.0001, "0"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(decades((-1.0, 1.0)).len(), 7);
    }
}
