//! Two traces on one axis: the headings over their lanes, with the shift between them.

use super::controls::{Weight, icon_button, text_button, weak};
use super::icon::Icon;
use super::plain;
use super::theme::{SMALL_GAP, Theme};
use crate::session::{Action, Alignment, Compare, CompareAction, Session, TraceSide};
use egui::{
    Align, Align2, FontId, Label, Layout, Popup, Rect, RichText, Role, Sense, TextEdit, Ui,
    UiBuilder, WidgetInfo, vec2,
};

/// Height of a heading.
const HEIGHT: f32 = 30.0;
/// From this width on there is room for a button for each way to align.
const ROOMY: f32 = 640.0;
/// Width of the field for the shift.
const FIELD: f32 = 104.0;

/// Draws a view of the second trace; what it asks for is asked of that one.
pub(super) fn of_other(out: &mut Vec<Action>, view: impl FnOnce(&mut Vec<Action>)) {
    let mut asked = Vec::new();
    view(&mut asked);
    let wrapped = |action| Action::Compare(CompareAction::Other(Box::new(action)));
    out.extend(asked.into_iter().map(wrapped));
}

/// The letter of a side on a plate.
pub(super) fn badge(ui: &mut Ui, theme: &Theme, side: TraceSide) -> egui::Response {
    badge_with(ui, theme, side, true)
}

/// The same; what is not meant at the moment is not filled.
pub(super) fn badge_with(
    ui: &mut Ui,
    theme: &Theme,
    side: TraceSide,
    is_meant: bool,
) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(vec2(17.0, 17.0), Sense::CLICK);
    let (fill, ink) = if is_meant {
        (theme.accent, theme.on_accent)
    } else {
        (theme.raised, theme.text_weak)
    };
    let painter = ui.painter();
    painter.rect_filled(rect, 3.0, fill);
    let font = FontId::proportional(11.5);
    painter.text(
        rect.center(),
        Align2::CENTER_CENTER,
        side.label(),
        font,
        ink,
    );
    response
}

/// The heading over the lanes of the first trace.
pub(super) fn heading_of_a(ui: &mut Ui, session: &Session, theme: &Theme) {
    bar(ui, theme, |ui| name(ui, session, theme, TraceSide::A));
}

/// The heading over the lanes of the second trace, with what moves it against the first.
pub(super) fn heading_of_b(
    ui: &mut Ui,
    session: &Session,
    compare: &Compare,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    bar(ui, theme, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = SMALL_GAP;
            let mut ask = |action| out.push(Action::Compare(action));
            if icon_button(ui, theme, Icon::Cross, "Stop comparing").clicked() {
                ask(CompareAction::Stop);
            }
            aligning(ui, session, theme, &mut ask);
            shift(ui, compare, theme, out);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                name(ui, &compare.other, theme, TraceSide::B);
                if let Some(trouble) = &compare.shift_trouble {
                    let text = RichText::new(trouble).small().color(theme.error);
                    ui.add(Label::new(text).truncate());
                }
            });
        });
    });
}

/// What can be put on each other: word, what it does, whether it can be done.
fn alignments(session: &Session) -> [(&'static str, &'static str, Alignment, bool); 4] {
    let can_select = session.selected_starts().is_some();
    [
        (
            "First steps",
            "Put the first steps of both on each other",
            Alignment::FirstSteps,
            true,
        ),
        (
            "Windows",
            "Put the start of B's window on that of A's: of the steps that are compared, or the first kernels",
            Alignment::Windows,
            true,
        ),
        (
            "Selected",
            "Put the start of the slice selected in B on that of the one selected in A",
            Alignment::Selected,
            can_select,
        ),
        (
            "Reset",
            "No shift: both traces begin in the same place",
            Alignment::Origins,
            true,
        ),
    ]
}

/// Buttons from right to left, or a menu where there is no room for them.
fn aligning(ui: &mut Ui, session: &Session, theme: &Theme, ask: &mut impl FnMut(CompareAction)) {
    if ui.available_width() < ROOMY {
        let button = text_button(ui, theme, None, "Align", Weight::Normal);
        Popup::menu(&button).show(|ui| {
            for (word, hover, alignment, is_enabled) in alignments(session) {
                let entry = ui.add_enabled(is_enabled, egui::Button::new(word));
                if entry.on_hover_text(hover).clicked() {
                    ask(CompareAction::Align(alignment));
                }
            }
        });
        return;
    }
    for (word, hover, alignment, is_enabled) in alignments(session).into_iter().rev() {
        ui.add_enabled_ui(is_enabled, |ui| {
            let button = text_button(ui, theme, None, word, Weight::Normal);
            if button.on_hover_text(hover).clicked() {
                ask(CompareAction::Align(alignment));
            }
        });
    }
    ui.label(weak(theme, "Align"));
}

/// The field for the shift.
fn shift(ui: &mut Ui, compare: &Compare, theme: &Theme, out: &mut Vec<Action>) {
    let mut text = compare.shift_text.clone();
    let color = match compare.shift_trouble {
        Some(_) => theme.error,
        None => theme.text,
    };
    let field = TextEdit::singleline(&mut text)
        .font(FontId::monospace(12.0))
        .text_color(color)
        .desired_width(FIELD)
        .margin(vec2(6.0, 3.0));
    let response = ui.add(field);
    response.widget_info(|| WidgetInfo {
        label: Some("Shift of B".to_owned()),
        current_text_value: Some(compare.shift_text.clone()),
        ..WidgetInfo::new(Role::TextInput)
    });
    if response.changed() {
        out.push(Action::Compare(CompareAction::EditShift(text)));
    }
    let hover = "Where A shows its 1 ms, B shows its 1 ms plus this, each counted from its own \
                 start. A number with a unit: ns, us, ms, s.";
    response.on_hover_text(hover);
    ui.label(weak(theme, "Shift")).on_hover_text(hover);
}

fn name(ui: &mut Ui, session: &Session, theme: &Theme, side: TraceSide) {
    badge(ui, theme, side);
    let name = session.trace_name().unwrap_or_default();
    let paths: Vec<String> = (session.sources.iter().take(12))
        .map(|p| p.display().to_string())
        .collect();
    let text = RichText::new(name).color(theme.text).size(12.5);
    ui.add(Label::new(text).truncate())
        .on_hover_text(paths.join("\n"));
}

fn bar(ui: &mut Ui, theme: &Theme, contents: impl FnOnce(&mut Ui)) {
    let size = vec2(ui.available_width(), HEIGHT);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    plain::fill(ui.painter(), rect, theme.panel);
    let line = egui::Stroke::new(1.0, theme.line);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, line);
    let inner = Rect::from_min_max(rect.min + vec2(8.0, 0.0), rect.max - vec2(6.0, 0.0));
    let builder = UiBuilder::new()
        .max_rect(inner)
        .layout(Layout::left_to_right(Align::Center));
    ui.scope_builder(builder, |ui| {
        ui.set_clip_rect(ui.clip_rect().intersect(rect));
        ui.spacing_mut().item_spacing.x = 8.0;
        contents(ui);
    });
}
