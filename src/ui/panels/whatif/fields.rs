//! One line an input: its name, a slider, the value with its unit, where it comes from, and the way
//! back to what was measured.

use super::super::super::controls::{icon_button, weak};
use super::super::super::icon::Icon;
use super::super::super::theme::Theme;
use super::super::table::right;
use super::tag;
use crate::session::{Action, Session, WhatIfAction};
use crate::time::{DurNs, human_duration};
use crate::whatif::{Field, Given, Quantity, parse_bandwidth, parse_size, parse_time};
use egui::{DragValue, Label, Layout, RichText, Slider, Ui, WidgetInfo, vec2};

const LINE: f32 = 22.0;
const NAME: f32 = 92.0;
const VALUE: f32 = 80.0;
const TAG: f32 = 54.0;
const BACK: f32 = 24.0;

/// Shows the inputs.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    inputs: &[(Field, Given)],
    out: &mut Vec<Action>,
) {
    let is_current = session.what_if_is_current();
    for (field, given) in inputs {
        ui.scope(|ui| {
            if !is_current {
                ui.set_opacity(0.6);
            }
            line(ui, session, theme, *field, given, out);
        });
    }
    let any = inputs
        .iter()
        .any(|(field, _)| session.what_if.is_typed(*field));
    if any && ui.link("Back to what was measured").clicked() {
        out.push(Action::WhatIf(WhatIfAction::ResetAll));
    }
}

fn line(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    field: Field,
    given: &Given,
    out: &mut Vec<Action>,
) {
    let width = ui.available_width();
    let size = vec2(width, LINE);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(egui::Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.allocate_ui_with_layout(
            vec2(NAME, LINE),
            Layout::left_to_right(egui::Align::Center),
            |ui| {
                ui.set_min_width(NAME);
                let text = RichText::new(field.title()).size(12.0);
                ui.add(Label::new(text).truncate())
                    .on_hover_text(&given.how);
            },
        );
        let rest = width - NAME - VALUE - TAG - BACK - 5.0 * 4.0;
        slider(ui, field, given, rest.max(40.0), out);
        value(ui, field, given, out);
        let (word, color) = tag(theme, given.source);
        right(ui, TAG, |ui| {
            ui.label(RichText::new(word).size(11.0).color(color))
                .on_hover_text(&given.how);
        });
        if session.what_if.is_typed(field) {
            let name = format!("Reset {}", field.title());
            if icon_button(ui, theme, Icon::Reload, &name).clicked() {
                out.push(Action::WhatIf(WhatIfAction::Reset(field)));
            }
        }
    });
}

/// Drags a value over the range that makes sense for it.
fn slider(ui: &mut Ui, field: Field, given: &Given, width: f32, out: &mut Vec<Action>) {
    let mut number = given.value.number();
    let (low, high, logarithmic) = range(field, given.value);
    ui.spacing_mut().slider_width = width;
    let mut slider = Slider::new(&mut number, low..=high.max(given.value.number()))
        .show_value(false)
        .logarithmic(logarithmic)
        .smallest_positive(high / 1e5);
    if matches!(given.value, Quantity::Count(_)) {
        slider = slider.integer();
    }
    let response = ui.add(slider);
    let shown = words(given.value);
    response.widget_info(|| {
        let mut info = WidgetInfo::slider(true, number, format!("{} slider", field.title()));
        info.current_text_value = Some(shown.clone());
        info
    });
    if response.changed() {
        set(field, given.value, round(number), out);
    }
}

/// Shows the value with its unit; a click types another one.
fn value(ui: &mut Ui, field: Field, given: &Given, out: &mut Vec<Action>) {
    let mut number = given.value.number();
    let (of, kind) = (given.value, given.value);
    let speed = (number.abs() / 200.0).max(1e-3);
    let drag = DragValue::new(&mut number)
        .speed(speed)
        .custom_formatter(move |number, _| of.with_number(number).map(words).unwrap_or_default())
        .custom_parser(move |text| parse(kind, text).map(Quantity::number));
    let response = ui.add_sized(vec2(VALUE, 18.0), drag);
    let shown = words(given.value);
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(egui::Role::SpinButton, true, field.title());
        info.current_text_value = Some(shown.clone());
        info
    });
    let changed = response.changed();
    response.on_hover_text(format!("{}\n\n{}", exact(given.value), given.how));
    if changed {
        set(field, given.value, number, out);
    }
}

/// What reads the same was not typed.
fn set(field: Field, before: Quantity, number: f64, out: &mut Vec<Action>) {
    let Some(value) = before.with_number(number) else {
        return;
    };
    if words(value) != words(before) {
        out.push(Action::WhatIf(WhatIfAction::Set(field, value)));
    }
}

/// The lowest and the highest value of a slider, and whether it is logarithmic.
fn range(field: Field, value: Quantity) -> (f64, f64, bool) {
    let (starter, _) = field.starter();
    let number = value.number();
    match value {
        Quantity::Factor(_) => (1.0, 3.0, false),
        Quantity::Count(_) => match field {
            Field::Depth => (1.0, 16.0, false),
            Field::Chunks => (1.0, 64.0, false),
            _ => (1.0, 1024.0, true),
        },
        Quantity::Size(_) => (1e5, 1e10, true),
        Quantity::Rate(_) => (1.0, 2_000.0, true),
        Quantity::Time(_) => {
            let high = match field {
                Field::Alpha | Field::ChunkAlpha | Field::Launch => 1e6,
                _ => 10.0 * starter.number().max(1e7),
            };
            (0.0, high.max(number), true)
        }
    }
}

/// Three digits: a slider is not more exact than the hand.
fn round(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let unit = 10_f64.powf(number.abs().log10().floor() - 2.0);
    (number / unit).round() * unit
}

/// A value with its unit.
pub(super) fn words(value: Quantity) -> String {
    match value {
        Quantity::Time(DurNs(0)) => "0 µs".to_owned(),
        Quantity::Time(time) => human_duration(time),
        Quantity::Size(bytes) => super::super::super::controls::size(bytes),
        Quantity::Rate(rate) => format!("{:.2} GB/s", rate.gb_per_s()),
        Quantity::Factor(factor) => format!("{factor:.3}"),
        Quantity::Count(count) => count.to_string(),
    }
}

/// All of its digits.
fn exact(value: Quantity) -> String {
    match value {
        Quantity::Time(time) => format!("{} µs", time.us3()),
        Quantity::Size(bytes) => format!("{bytes} B"),
        Quantity::Rate(_) | Quantity::Factor(_) | Quantity::Count(_) => words(value),
    }
}

/// A typed value; a number without a unit has the one that it stands in for.
fn parse(of: Quantity, text: &str) -> Option<Quantity> {
    let text = text.trim();
    let shown = words(of);
    let unit = shown.split_once(' ').map_or("", |(_, unit)| unit);
    let with_unit = format!("{text}{unit}");
    let both = [text, with_unit.as_str()];
    let mut both = both.into_iter();
    match of {
        Quantity::Time(_) => both.find_map(|t| parse_time(t).ok()).map(Quantity::Time),
        Quantity::Size(_) => both.find_map(|t| parse_size(t).ok()).map(Quantity::Size),
        Quantity::Rate(_) => both
            .find_map(|t| parse_bandwidth(t).ok())
            .map(Quantity::Rate),
        Quantity::Factor(_) | Quantity::Count(_) => of.with_number(text.parse().ok()?),
    }
}

/// What stands beside a chart or a table where there is nothing to say.
pub(super) fn nothing(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(weak(theme, text).small());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read_with_or_without_its_unit() {
        let ms = Quantity::Time(DurNs(2_460_000));
        assert_eq!(words(ms), "2.460 ms");
        for (text, ns) in [("3", 3_000_000), ("30us", 30_000), ("0.5 s", 500_000_000)] {
            assert_eq!(parse(ms, text), Some(Quantity::Time(DurNs(ns))), "{text}");
        }
        assert_eq!(parse(ms, "soon"), None);
        let size = Quantity::Size(12_599_296);
        assert_eq!(parse(size, "25MiB"), Some(Quantity::Size(26_214_400)));
        assert_eq!(parse(size, "30"), Some(Quantity::Size(30_000_000)));
        // A k below 1 is no slowing at all.
        let k = Quantity::Factor(1.2);
        assert_eq!(parse(k, "0.8"), Some(Quantity::Factor(1.0)));
    }

    #[test]
    fn sliders_give_three_digits() {
        for (number, rounded) in [(123_456.0, 123_000.0), (0.0, 0.0), (7.0, 7.0)] {
            assert!((round(number) - rounded).abs() < 1e-6, "{number}");
        }
    }
}
