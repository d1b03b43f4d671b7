//! The five-way split of each step as stacked bars.

use super::super::breakdown::five_parts;
use super::super::picture::Picture;
use super::MAX_BARS;
use crate::metrics::Row;
use crate::session::{Action, Session};
use crate::ui::theme::Theme;
use egui::Ui;
use egui_plot::{AxisHints, Bar, BarChart, GridMark, Plot, PlotUi};

const HEIGHT: f32 = 120.0;
/// Room for the label of a step.
const LABEL_WIDTH: f64 = 44.0;

/// Draws the chart; returns the row that was clicked.
pub(super) fn ui<'r>(
    ui: &mut Ui,
    session: &Session,
    rows: &'r [Row],
    theme: &Theme,
    out: &mut Vec<Action>,
) -> Option<&'r Row> {
    let names = [
        "compute only",
        "overlap",
        "exposed communication",
        "exposed memory",
        "idle",
    ];
    let mut stacks: Vec<BarChart> = Vec::new();
    for (i, name) in names.into_iter().enumerate() {
        let bars = rows.iter().zip(0_u32..).filter_map(|(row, x)| {
            let part = five_parts(row.figures?.five_way(), theme)
                .into_iter()
                .nth(i)?;
            let bar = Bar::new(f64::from(x), milliseconds(part.time))
                .width(0.8)
                .fill(part.color);
            let title = row.step.clone().unwrap_or_default();
            Some(bar.name(format!("step {title}: {name}")))
        });
        let chart = BarChart::new(name, bars.collect())
            .element_formatter(Box::new(|bar, _| {
                format!("{}\n{:.3} ms", bar.name, bar.value)
            }))
            .stack_on(&stacks.iter().collect::<Vec<_>>());
        stacks.push(chart);
    }
    let current = session.current_step.map(|s| s.to_string());
    let every = labels_every(rows.len(), ui.available_width());
    let font = egui::FontId::monospace(10.5);
    let hints = |axis: AxisHints<'r>| {
        axis.tick_label_font(font.clone())
            .tick_label_color(theme.text_weak)
            .label_spacing(egui::Rangef::new(1.0, 2.0))
    };
    let x_axis = hints(AxisHints::new_x()).formatter(move |mark, _| {
        label_at(rows, mark.value).map_or_else(String::new, |text| {
            if Some(&text) == current.as_ref() {
                format!("[{text}]")
            } else {
                text
            }
        })
    });
    let y_axis = hints(AxisHints::new_y()).formatter(|mark, _| format!("{} ms", mark.value));
    let plot = Plot::new("steps")
        .height(HEIGHT)
        .show_background(false)
        .show_grid([false, true])
        .grid_color(theme.line)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .show_y(false)
        .x_grid_spacer(move |input| marks(input.bounds, every))
        .y_grid_spacer(|input| marks(input.bounds, nice_step(input.bounds.1 / 3.0)))
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis]);
    let picture = Picture {
        words: "From below: compute only, overlap, exposed communication, exposed memory, idle",
        name: "steps",
        stem: "overlane-steps",
    };
    let draw = |plot: &mut PlotUi<'_>| {
        for stack in stacks {
            plot.bar_chart(stack);
        }
        plot.pointer_coordinate().map(|p| p.x)
    };
    let response = picture.show(ui, theme, out, |ui| plot.show(ui, draw));
    response.response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "Five-way split by step")
    });
    let x = response.inner.filter(|_| response.response.clicked())?;
    rows.get(nearest(x)?)
}

/// Marks at the multiples of a step.
pub(in crate::ui::panels) fn marks(bounds: (f64, f64), step: f64) -> Vec<GridMark> {
    let first = (bounds.0.max(0.0) / step).ceil();
    (0..MAX_BARS)
        .zip(0_u32..)
        .map(|(_, i)| (first + f64::from(i)) * step)
        .take_while(|value| *value <= bounds.1)
        .map(|value| GridMark {
            value,
            step_size: step,
        })
        .collect()
}

/// How many bars share one label, so that labels do not touch.
#[expect(clippy::cast_precision_loss, reason = "a small number of bars")]
fn labels_every(bars: usize, width: f32) -> f64 {
    (bars as f64 * LABEL_WIDTH / f64::from(width.max(1.0)))
        .ceil()
        .max(1.0)
}

/// The next of 1, 2, 5 times a power of ten.
pub(in crate::ui::panels) fn nice_step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|step| *step >= least)
        .unwrap_or(10.0 * power)
}

fn label_at(rows: &[Row], x: f64) -> Option<String> {
    let index = nearest(x)?;
    // Grid lines between two bars have no label.
    let off = (x - x.round()).abs();
    rows.get(index).filter(|_| off < 0.01)?.step.clone()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "guarded: a small number of bars"
)]
fn nearest(x: f64) -> Option<usize> {
    (x.is_finite() && x > -0.5 && x < 1e6).then(|| x.round().max(0.0) as usize)
}

#[expect(clippy::cast_precision_loss, reason = "a height in pixels")]
fn milliseconds(time: crate::time::DurNs) -> f64 {
    time.0 as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_the_axis_are_round() {
        for (least, step) in [
            (0.9, 1.0),
            (1.1, 2.0),
            (4.0, 5.0),
            (7.0, 10.0),
            (0.03, 0.05),
        ] {
            assert!((nice_step(least) - step).abs() < 1e-9, "{least}");
        }
        assert_eq!(marks((-0.5, 4.5), 2.0).len(), 3);
    }
}
