//! Steps of the focused device as a stacked chart: the five-way split of each; a click goes there.

use super::super::theme::Theme;
use super::Figures;
use super::breakdown::five_parts;
use crate::metrics::{self, Query, Row, Selection};
use crate::session::{Action, Session, step_windows};
use crate::trace::{Basis, DeviceId, RankId};
use egui::Ui;
use egui_plot::{AxisHints, Bar, BarChart, GridMark, Plot};
use std::sync::Arc;

/// More bars than this cannot be told apart.
const MAX_BARS: usize = 400;
const HEIGHT: f32 = 120.0;
/// Room for the label of a step.
const LABEL_WIDTH: f64 = 44.0;

/// What the rows follow from. The window is not among it: each step has figures of its own.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    generation: u64,
    rank: RankId,
    device: DeviceId,
    basis: Basis,
    clip: bool,
}

/// Shows the section.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let Some(trace) = &session.trace else {
        return;
    };
    basis_choice(ui, session, out);
    let query = Query {
        selection: Selection::None,
        rank: Some(figures.rank.id),
        device: Some(figures.device.id),
        clip_suspicious: session.settings.clip_suspicious,
    };
    let basis = session.settings.basis;
    let key = Key {
        generation: session.generation,
        rank: figures.rank.id,
        device: figures.device.id,
        basis,
        clip: query.clip_suspicious,
    };
    let rows = cached(ui.ctx(), key, || metrics::step_rows(trace, &query, basis));
    if rows.len() > MAX_BARS {
        ui.label(super::weak(
            theme,
            format!("The first {MAX_BARS} of {} steps", rows.len()),
        ));
    }
    let shown = rows.get(..rows.len().min(MAX_BARS)).unwrap_or(&rows);
    if let Some(row) = chart(ui, session, shown, theme)
        && let Some(step) = step_windows(figures.rank, figures.device, basis)
            .iter()
            .find(|s| Some(s.label.to_string()) == row.step)
    {
        out.push(Action::GoToStep {
            rank: row.rank,
            device: row.device,
            label: step.label,
        });
    }
}

/// The rows of a key: those of the frame before, or made anew.
fn cached(ctx: &egui::Context, key: Key, make: impl FnOnce() -> Vec<Row>) -> Arc<[Row]> {
    let id = egui::Id::unique("rows of the steps");
    let last = ctx.data(|d| d.get_temp::<(Key, Arc<[Row]>)>(id));
    if let Some((_, rows)) = last.filter(|(of, _)| *of == key) {
        return rows;
    }
    let rows: Arc<[Row]> = make().into();
    ctx.data_mut(|d| d.insert_temp(id, (key, Arc::clone(&rows))));
    rows
}

fn basis_choice(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        for (basis, word, hover) in [
            (
                Basis::Device,
                "On the device",
                "From the first computation kernel of the step to that of the next",
            ),
            (
                Basis::Host,
                "On the host",
                "The step's annotation on the CPU",
            ),
        ] {
            let chosen = session.settings.basis == basis;
            if ui
                .selectable_label(chosen, word)
                .on_hover_text(hover)
                .clicked()
                && !chosen
            {
                out.push(Action::SetBasis { basis });
            }
        }
    });
}

/// Draws the chart; returns the row that was clicked.
fn chart<'r>(ui: &mut Ui, session: &Session, rows: &'r [Row], theme: &Theme) -> Option<&'r Row> {
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
    let response = plot.show(ui, |plot| {
        for stack in stacks {
            plot.bar_chart(stack);
        }
        plot.pointer_coordinate().map(|p| p.x)
    });
    response.response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "Five-way split by step")
    });
    let x = response.inner.filter(|_| response.response.clicked())?;
    rows.get(nearest(x)?)
}

/// Marks at the multiples of a step.
fn marks(bounds: (f64, f64), step: f64) -> Vec<GridMark> {
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
fn nice_step(least: f64) -> f64 {
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
    fn rows_are_made_anew_only_for_another_key() {
        let ctx = egui::Context::default();
        let key = Key {
            generation: 1,
            rank: RankId(0),
            device: DeviceId(0),
            basis: Basis::Device,
            clip: false,
        };
        let other = |change: fn(&mut Key)| {
            let mut other = key;
            change(&mut other);
            other
        };
        let keys = [
            key,
            key,
            other(|k| k.generation = 2),
            other(|k| k.rank = RankId(1)),
            other(|k| k.device = DeviceId(1)),
            other(|k| k.basis = Basis::Host),
            other(|k| k.clip = true),
            other(|k| k.clip = true),
        ];
        let mut made = 0;
        for key in keys {
            let _rows = cached(&ctx, key, || {
                made += 1;
                Vec::new()
            });
        }
        assert_eq!(made, 6);
    }

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
