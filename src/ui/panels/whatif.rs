//! What a change would bring: a model, its inputs with sliders, its figures and its curve. Every value
//! says whether it was measured, modelled or typed.

mod chart;
mod fields;
mod figures;
mod links;

use super::super::controls::weak;
use super::super::theme::{SMALL_GAP, Theme};
use super::{Figures, window_line};
use crate::session::{Action, Session, WhatIfAction};
use crate::whatif::table::Source;
use crate::whatif::{Field, Given, Model};
use egui::{Color32, Label, Ui};

/// Shows the section.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    window_line(ui, figures, theme);
    models(ui, session, out);
    ui.add_space(4.0);
    if !session.what_if_is_current() {
        ui.label(weak(theme, "Measuring the inputs of this window…").small());
    }
    let is_of_step = matches!(session.what_if.model, Model::Buckets | Model::Prefetch);
    if let Some(prefill) = session.what_if.prefill().filter(|_| is_of_step) {
        ui.label(weak(theme, format!("Measured in {}", prefill.step)).small());
    }
    let inputs = session.what_if.inputs();
    fields::ui(ui, session, theme, &inputs, out);
    to_be_set(ui, theme, &inputs);
    links::ui(ui, session, theme, out);
    ui.add_space(SMALL_GAP);
    match session.what_if.shown() {
        None => {}
        Some(Err(why)) => {
            let text = egui::RichText::new(format!("No answer: {why}.")).color(theme.error);
            ui.add(Label::new(text).wrap());
        }
        Some(Ok(shown)) => {
            figures::ui(ui, theme, session.what_if.model, &shown.answer);
            chart::ui(ui, theme, session.what_if.model, &shown.curve, out);
            let text = format!("It assumes: {}.", shown.answer.assumes);
            ui.add(Label::new(weak(theme, text).small()).wrap());
        }
    }
}

fn models(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for model in Model::ALL {
            let chosen = session.what_if.model == model;
            let label = ui.selectable_label(chosen, model.name());
            if label.on_hover_text(about(model)).clicked() {
                out.push(Action::WhatIf(WhatIfAction::Ask(model)));
            }
        }
    });
    if session.what_if.model == Model::Prefetch {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for (backward, name) in [(false, "forward pass"), (true, "backward pass")] {
                let chosen = session.what_if.backward == backward;
                if ui.selectable_label(chosen, name).clicked() {
                    out.push(Action::WhatIf(WhatIfAction::Backward(backward)));
                }
            }
        });
    }
}

/// What a model answers.
fn about(model: Model) -> &'static str {
    match model {
        Model::Streams => "One computation and one communication: serial, synchronised, overlapped",
        Model::Buckets => "Gradients in buckets: which bucket size exposes least",
        Model::Chunks => "A matrix product and its collective in chunks",
        Model::Prefetch => "Sharded layers gathered ahead of their computation",
        Model::Contention => "Computation and communication that slow each other",
    }
}

/// Which inputs nobody gave, so that no figure is taken for more than it is.
fn to_be_set(ui: &mut Ui, theme: &Theme, inputs: &[(Field, Given)]) {
    let missing: Vec<&(Field, Given)> = inputs
        .iter()
        .filter(|(_, given)| given.source.is_none())
        .collect();
    let Some((_, first)) = missing.first() else {
        return;
    };
    let names: Vec<&str> = missing.iter().map(|(field, _)| field.title()).collect();
    let text = format!(
        "To be set by you: {}. Until then the figures rest on a mere example.",
        names.join(", ")
    );
    let text = egui::RichText::new(text).small().color(theme.warning);
    ui.add(Label::new(text).wrap()).on_hover_text(&first.how);
    ui.add(Label::new(weak(theme, capital(&first.how)).small()).wrap());
}

/// A part of a sentence as a whole one.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), chars.as_str())
}

/// The word for where a value comes from, and its colour.
fn tag(theme: &Theme, source: Option<Source>) -> (&'static str, Color32) {
    match source {
        Some(Source::Measured) => ("measured", theme.good),
        Some(Source::Modelled) => ("modelled", theme.text_weak),
        Some(Source::Typed) => ("typed", theme.accent),
        None => ("set it", theme.warning),
    }
}
