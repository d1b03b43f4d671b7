//! What the trace says of alpha and bus bandwidth, for each process group and kind: the fit with what it rests
//! on, or why there is none; a chart of times over sizes; a button that takes the two numbers.

use super::super::super::controls::{counted, size, weak};
use super::super::super::theme::Theme;
use super::super::csv_buttons;
use super::super::picture::Picture;
use super::chart::{decade, decades, number};
use crate::session::{Action, CsvPanel, Session, WhatIfAction};
use crate::time::DurNs;
use crate::whatif::{Field, Fit, LinkFit, Model, Quantity};
use egui::{
    Align, CollapsingHeader, Color32, FontId, Label, Layout, Rangef, RichText, Role, Ui, WidgetInfo,
};
use egui_plot::{
    AxisHints, GridMark, HoverPosition, Line, MarkerShape, Plot, PlotPoints, PlotUi, Points,
};

const HEIGHT: f32 = 140.0;

/// Shows the block, closed at first: its title says how many links are fitted.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(links) = session.what_if.links() else {
        return;
    };
    let state = match links {
        Err(_) => "no transfers".to_owned(),
        Ok(links) => {
            let fitted = links.iter().filter(|link| link.fit.is_ok()).count();
            format!("{fitted} of {} fitted", links.len())
        }
    };
    let title = format!("Alpha and bus bandwidth of links: {state}");
    CollapsingHeader::new(RichText::new(title).size(12.0))
        .id_salt("links")
        .show(ui, |ui| match links {
            Err(why) => {
                let words = format!("Nothing to fit: {why}.");
                ui.add(Label::new(weak(theme, words).small()).wrap());
            }
            Ok(links) => opened(ui, session, theme, links, out),
        });
}

fn opened(ui: &mut Ui, session: &Session, theme: &Theme, links: &[LinkFit], out: &mut Vec<Action>) {
    let id = ui.scope_id().with("chosen link");
    let mut at: usize = ui.data(|data| data.get_temp(id)).unwrap_or(0);
    ui.horizontal(|ui| {
        ui.label(weak(theme, "Of the whole capture").small()).on_hover_text(
            "Transfers that nobody waited in, from the last rank's arrival to the common end; the shortest of \
             each size counts. A link does not change with the window.",
        );
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            csv_buttons(ui, theme, "Links", CsvPanel::Links, out);
        });
    });
    for (i, link) in links.iter().enumerate() {
        let text = RichText::new(short(link)).size(12.0);
        if ui.selectable_label(i == at, text).clicked() {
            at = i;
            ui.data_mut(|data| data.insert_temp(id, i));
        }
    }
    let Some(link) = links.get(at).or_else(|| links.first()) else {
        return;
    };
    ui.add_space(4.0);
    about(ui, session, theme, link, out);
    chart(ui, theme, link, out);
}

/// A link and its numbers in one line.
fn short(link: &LinkFit) -> String {
    let name = link.name();
    match &link.fit {
        Ok(fit) => format!("{name}: {}", numbers(fit)),
        Err(_) => format!("{name}: no fit"),
    }
}

fn numbers(fit: &Fit) -> String {
    format!("{} µs, {:.2} GB/s", fit.alpha.us3(), fit.bus.gb_per_s())
}

/// What the fit rests on, or why there is none, and the button.
fn about(ui: &mut Ui, session: &Session, theme: &Theme, link: &LinkFit, out: &mut Vec<Action>) {
    let mut parts = vec![
        many(link.samples, "transfer", "transfers"),
        many(link.points.len(), "size", "sizes"),
    ];
    if let (Some((smallest, largest)), Some(span)) = (link.sizes(), link.span()) {
        parts.push(format!("{} to {}", size(smallest), size(largest)));
        parts.push(format!("span {}", number(span)));
    }
    parts.push(counted(link.ranks.into(), "rank", "ranks"));
    if let Ok(fit) = &link.fit {
        parts.push(format!("worst error {} %", number(fit.worst * 100.0)));
    }
    ui.add(Label::new(weak(theme, parts.join(" · ")).small()).wrap());
    match &link.fit {
        Err(why) => {
            let text = RichText::new(format!("No fit: {why}.")).small();
            ui.add(Label::new(text.color(theme.warning)).wrap());
        }
        Ok(fit) => {
            if fit.worst > 0.1 {
                let words =
                    "More than 10 % off: one alpha and one bandwidth do not describe this link.";
                let text = RichText::new(words).small().color(theme.warning);
                ui.add(Label::new(text).wrap());
            }
            let button = ui.button("Use these").on_hover_text(
                "Types alpha and bus bandwidth into buckets; in chunks, alpha alone",
            );
            if button.clicked() {
                out.extend(take(session.what_if.model, fit).map(Action::WhatIf));
            }
        }
    }
}

fn many(n: usize, one: &str, many: &str) -> String {
    counted(u64::try_from(n).unwrap_or(u64::MAX), one, many)
}

/// What fills the sliders of the model; one without such sliders gives way to *buckets*.
fn take(model: Model, fit: &Fit) -> impl Iterator<Item = WhatIfAction> + use<> {
    let alpha = Quantity::Time(fit.alpha);
    let actions = if model == Model::Chunks {
        vec![WhatIfAction::Set(Field::ChunkAlpha, alpha)]
    } else {
        vec![
            WhatIfAction::Ask(Model::Buckets),
            WhatIfAction::Set(Field::Alpha, alpha),
            WhatIfAction::Set(Field::Bus, Quantity::Rate(fit.bus)),
        ]
    };
    actions.into_iter()
}

/// Times over sizes, both on logarithmic axes, with the line where there is one.
fn chart(ui: &mut Ui, theme: &Theme, link: &LinkFit, out: &mut Vec<Action>) {
    let at = |bytes: u64, time: DurNs| [log(megabytes(bytes)), log(microseconds(time))];
    let points = link.points.iter();
    let measured: Vec<[f64; 2]> = points.map(|p| at(p.bytes, p.measured)).collect();
    // Straight on straight axes is bent on these.
    let drawn: Vec<[f64; 2]> = match (&link.fit, link.sizes()) {
        (Ok(fit), Some((smallest, largest))) => curve(fit, smallest, largest),
        _ => Vec::new(),
    };
    let axis = |axis: AxisHints<'static>| {
        axis.tick_label_font(FontId::monospace(10.5))
            .tick_label_color(theme.text_weak)
            .label_spacing(Rangef::new(2.0, 6.0))
            .formatter(|mark, range| {
                // Within two powers of ten all lines have their label.
                if range.end() - range.start() > 2.0 {
                    decade(mark)
                } else {
                    number(10_f64.powf(mark.value))
                }
            })
    };
    let plot = Plot::new("link")
        .height(HEIGHT)
        .show_background(false)
        .grid_color(theme.line)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .show_y(false)
        .set_margin_fraction(egui::vec2(0.08, 0.15))
        .x_grid_spacer(|input| grid(input.bounds))
        .y_grid_spacer(|input| grid(input.bounds))
        .custom_x_axes(vec![axis(AxisHints::new_x())])
        .custom_y_axes(vec![axis(AxisHints::new_y())])
        .label_formatter(|near| match near {
            HoverPosition::NearDataPoint {
                plot_name,
                position,
                ..
            } => {
                let (x, y) = (10_f64.powf(position.x), 10_f64.powf(position.y));
                Some(format!("{plot_name}\n{} MB · {} µs", number(x), number(y)))
            }
            HoverPosition::Elsewhere { .. } => None,
        });
    let draw = |plot: &mut PlotUi<'_>| {
        if !drawn.is_empty() {
            let fitted = Line::new("fitted", PlotPoints::new(drawn));
            plot.line(fitted.color(theme.communication).width(1.5));
        }
        let color: Color32 = theme.good;
        plot.points(
            Points::new("shortest measured", measured)
                .color(color)
                .shape(MarkerShape::Diamond)
                .radius(4.0),
        );
    };
    let words = match link.fit {
        Ok(_) => "shortest time, µs, over size, MB, with the fitted line",
        Err(_) => "shortest time, µs, over size, MB; no line can be told",
    };
    let picture = Picture {
        words,
        name: "link",
        stem: "overlane-link",
    };
    let response = picture.show(ui, theme, out, |ui| plot.show(ui, draw));
    response.response.widget_info(|| {
        let name = format!("Times of {} over sizes", link.name());
        let mut info = WidgetInfo::labeled(Role::Image, true, name);
        info.current_text_value = Some(many(link.points.len(), "size", "sizes"));
        info
    });
}

/// Lines of a logarithmic axis; more of them where it spans less than a power of ten.
fn grid(bounds: (f64, f64)) -> Vec<GridMark> {
    const NARROW: [f64; 13] = [
        1.0, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
    ];
    if bounds.1 - bounds.0 > 1.0 {
        return decades(bounds);
    }
    let step_size = 0.15;
    let of = |power: i32| {
        NARROW.map(|times| GridMark {
            value: f64::from(power) + times.log10(),
            step_size,
        })
    };
    let marks = (-6..7_i32).flat_map(of);
    marks
        .filter(|mark| mark.value >= bounds.0 && mark.value <= bounds.1)
        .collect()
}

/// The fitted line between two sizes, in even steps of the axis.
fn curve(fit: &Fit, smallest: u64, largest: u64) -> Vec<[f64; 2]> {
    const STEPS: u32 = 48;
    let (Some(first), Some(last)) = (fit.points.first(), fit.points.last()) else {
        return Vec::new();
    };
    // Through its own two ends, so that nothing is reckoned anew here.
    let (x0, x1) = (megabytes(smallest), megabytes(largest));
    let (y0, y1) = (microseconds(first.fitted), microseconds(last.fitted));
    let steps = 0..=STEPS;
    let points = steps.map(|i| {
        let part = f64::from(i) / f64::from(STEPS);
        let x = x0 * (x1 / x0).powf(part);
        let y = y0 + (y1 - y0) * (x - x0) / (x1 - x0);
        [log(x), log(y)]
    });
    points.collect()
}

fn log(value: f64) -> f64 {
    value.max(1e-9).log10()
}

#[expect(clippy::cast_precision_loss, reason = "a place in a chart")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a place in a chart")]
fn microseconds(time: DurNs) -> f64 {
    time.0 as f64 / 1e3
}
