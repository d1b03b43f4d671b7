//! Kernels as dots: how long alone to the right, how long beside upwards. What lies over the line takes
//! longer beside. Both axes are logarithmic, so the same factor is the same distance from the line.

use super::super::picture::Picture;
use super::table;
use crate::metrics::DilationRow;
use crate::session::Action;
use crate::trace::class::KernelClass;
use crate::ui::controls::weak;
use crate::ui::lanes::short_name;
use crate::ui::theme::Theme;
use egui::{Align2, Color32, CursorIcon, FontId, Label, Pos2, RichText, Role, Ui, WidgetInfo};
use egui_plot::{
    AxisHints, GridInput, GridMark, Line, LineStyle, MarkerShape, Plot, PlotBounds, PlotPoint,
    PlotUi, Points, Text,
};

const HEIGHT: f32 = 190.0;
/// Dots that are drawn at most: those that lost most.
const MOST_DOTS: usize = 2_000;
/// How many are named.
const NAMED: usize = 3;
/// How near the pointer must be, in points.
const NEAR: f32 = 10.0;
/// Decades that an axis shows at least.
const LEAST_SPAN: f64 = 0.5;

/// A kernel with its place.
struct Dot<'r> {
    row: &'r DilationRow,
    at: [f64; 2],
}

/// Draws the plot.
pub(super) fn ui(ui: &mut Ui, theme: &Theme, rows: &[DilationRow], out: &mut Vec<Action>) {
    let dots: Vec<Dot<'_>> = rows.iter().filter_map(dot).take(MOST_DOTS).collect();
    let Some((low, high)) = range(&dots) else {
        let words = "No kernel ran both alone and beside, so there is nothing to plot.";
        ui.add(Label::new(weak(theme, words).small()).wrap());
        return;
    };
    let picture = Picture {
        words: "Median beside (upwards) against alone: over the line kernels take longer beside",
        name: "alone against beside",
        stem: "overlane-dilation",
    };
    let draw = |plot: &mut PlotUi<'_>| {
        plot.set_plot_bounds(PlotBounds::from_min_max([low, low], [high, high]));
        let line = Line::new("as long as alone", vec![[low, low], [high, high]]);
        let line = line
            .color(theme.line_strong)
            .style(LineStyle::dashed_loose());
        plot.line(line.allow_hover(false));
        for (class, is_compared) in [
            (KernelClass::Computation, false),
            (KernelClass::Communication, false),
            (KernelClass::Computation, true),
            (KernelClass::Communication, true),
        ] {
            let chosen = dots
                .iter()
                .filter(|d| d.row.class == class && d.row.factor.is_ok() == is_compared);
            let places: Vec<[f64; 2]> = chosen.map(|d| d.at).collect();
            plot.points(marker(theme, class, is_compared, places));
        }
        for dot in named(&dots) {
            plot.text(label(theme, dot, (low, high)));
        }
    };
    let shown = picture.show(ui, theme, out, |ui| still_plot(theme).show(ui, draw));
    let place = |dot: &Dot<'_>| {
        let [x, y] = dot.at;
        shown.transform.position_from_point(&PlotPoint::new(x, y))
    };
    let response = shown.response;
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Image, true, "Kernels alone against beside");
        let names: Vec<&str> = named(&dots).map(|d| short_name(&d.row.name)).collect();
        info.current_text_value = Some(format!("{} dots; {}", dots.len(), names.join(", ")));
        info
    });
    let near = response
        .hover_pos()
        .and_then(|pointer| nearest(&dots, pointer, place));
    if let Some(dot) = near {
        if response.clicked() {
            let slice = table::worst(dot.row);
            out.extend(slice.map(|slice| Action::GoTo { slice }));
        }
        response
            .on_hover_cursor(CursorIcon::PointingHand)
            .on_hover_text_at_pointer(table::hover(dot.row));
    }
}

/// Axes of lengths; nothing moves.
fn still_plot(theme: &Theme) -> Plot<'static> {
    let font = FontId::monospace(10.0);
    let hints = |axis: AxisHints<'static>| {
        axis.tick_label_font(font.clone())
            .tick_label_color(theme.text_weak)
            .label_spacing(egui::Rangef::new(1.0, 2.0))
            .formatter(|mark, _| length(mark.value))
    };
    Plot::new("alone against beside")
        .height(HEIGHT)
        .show_background(false)
        .grid_color(theme.line)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .show_x(false)
        .show_y(false)
        .x_grid_spacer(|input| marks(&input))
        .y_grid_spacer(|input| marks(&input))
        .custom_x_axes(vec![hints(AxisHints::new_x())])
        .custom_y_axes(vec![hints(AxisHints::new_y())])
}

fn marker(
    theme: &Theme,
    class: KernelClass,
    is_compared: bool,
    places: Vec<[f64; 2]>,
) -> Points<'static> {
    let (shape, name) = match class {
        KernelClass::Communication => (MarkerShape::Diamond, "communication"),
        _ => (MarkerShape::Circle, "computation"),
    };
    let color: Color32 = if is_compared {
        theme.class_color(class)
    } else {
        theme.dimmed(theme.class_color(class))
    };
    Points::new(format!("{name} {is_compared}"), places)
        .shape(shape)
        .color(color)
        .filled(is_compared)
        .radius(if is_compared { 4.5 } else { 3.5 })
        .allow_hover(false)
}

/// The name of a dot, on the side where there is room.
fn label(theme: &Theme, dot: &Dot<'_>, (low, high): (f64, f64)) -> Text {
    let [x, y] = dot.at;
    let is_right = x > f64::midpoint(low, high);
    let (anchor, lead, tail) = if is_right {
        (Align2::RIGHT_CENTER, "", "   ")
    } else {
        (Align2::LEFT_CENTER, "   ", "")
    };
    let full = short_name(&dot.row.name);
    let mut name: String = full.chars().take(MOST_LETTERS).collect();
    if name.len() < full.len() {
        name.push('…');
    }
    let text = RichText::new(format!("{lead}{name}{tail}"))
        .size(10.5)
        .color(theme.text);
    Text::new(name, PlotPoint::new(x, y), text)
        .anchor(anchor)
        .color(theme.text)
        .allow_hover(false)
}

/// Letters of a name beside a dot.
const MOST_LETTERS: usize = 26;

/// Those that lost most: the rows come in that order.
fn named<'d, 'r>(dots: &'d [Dot<'r>]) -> impl Iterator<Item = &'d Dot<'r>> {
    let lost = |d: &&Dot<'_>| d.row.factor.is_ok() && d.row.lost.0 > 0;
    dots.iter().filter(lost).take(NAMED)
}

fn dot(row: &DilationRow) -> Option<Dot<'_>> {
    let alone = decades(row.alone?.median)?;
    let beside = decades(row.beside?.median)?;
    Some(Dot {
        row,
        at: [alone, beside],
    })
}

/// The logarithm of a length in microseconds.
#[expect(clippy::cast_precision_loss, reason = "a place on the screen")]
fn decades(ns: i64) -> Option<f64> {
    (ns > 0).then(|| (ns as f64 / 1e3).log10())
}

/// What both axes show, with some air.
fn range(dots: &[Dot<'_>]) -> Option<(f64, f64)> {
    let all = dots.iter().flat_map(|d| d.at);
    let low = all.clone().reduce(f64::min)?;
    let high = all.reduce(f64::max)?;
    let air = ((high - low) * 0.12).max((LEAST_SPAN - (high - low)) / 2.0);
    Some((low - air, high + air))
}

fn nearest<'d, 'r>(
    dots: &'d [Dot<'r>],
    pointer: Pos2,
    place: impl Fn(&Dot<'r>) -> Pos2,
) -> Option<&'d Dot<'r>> {
    let with_distance = dots.iter().map(|d| (place(d).distance(pointer), d));
    let near = with_distance.filter(|(distance, _)| *distance <= NEAR);
    near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, dot)| dot)
}

/// Marks at 1, 2 and 5 of every decade, at 1 alone where there are many.
fn marks(input: &GridInput) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let span = high - low;
    let steps: &[f64] = if span > 2.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let mut found = Vec::new();
    let mut decade = low.floor();
    // A trace cannot have more: from a nanosecond to centuries.
    while decade <= high && found.len() < 64 {
        let values = steps.iter().map(|m| decade + m.log10());
        let inside = values.filter(|v| (low..=high).contains(v));
        found.extend(inside.map(|value| GridMark {
            value,
            step_size: span / 6.0,
        }));
        decade += 1.0;
    }
    found
}

/// A length from the logarithm of its microseconds.
fn length(decades: f64) -> String {
    let us = 10_f64.powf(decades);
    let (by, unit) = match us {
        us if us >= 0.999_5e6 => (1e-6, "s"),
        us if us >= 0.999_5e3 => (1e-3, "ms"),
        us if us >= 0.999_5 => (1.0, "µs"),
        _ => (1e3, "ns"),
    };
    let rounded = (us * by * 100.0).round() / 100.0;
    format!("{rounded} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_on_an_axis_are_round() {
        for (us, words) in [
            (1.0_f64, "1 µs"),
            (0.02, "20 ns"),
            (500.0, "500 µs"),
            (1e3, "1 ms"),
            (2e6, "2 s"),
        ] {
            assert_eq!(length(us.log10()), words);
        }
    }

    #[test]
    fn marks_lie_inside_and_are_few() {
        let at = |low: f64, high: f64| {
            let found = marks(&GridInput {
                bounds: (low, high),
                base_step_size: 1.0,
            });
            let words: Vec<String> = found.iter().map(|m| length(m.value)).collect();
            words.join(" ")
        };
        assert_eq!(at(1.5, 2.4), "50 µs 100 µs 200 µs");
        assert_eq!(at(-0.5, 3.2), "1 µs 10 µs 100 µs 1 ms");
    }
}
