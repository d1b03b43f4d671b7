//! Where ranks lie in time: the switch for aligning them, the shift of the one in focus, and what was
//! moved.

use super::super::super::controls::{Weight, mono, text_button, weak};
use super::super::super::theme::{SMALL_GAP, Theme};
use crate::metrics::{moved_details, moved_phrases};
use crate::session::{Action, Session};
use crate::trace::RankId;
use egui::{Key, Label, RichText, Role, TextEdit, Ui, WidgetInfo};

const FIELD: f32 = 96.0;
/// Height of the button beside it.
const HEIGHT: f32 = 26.0;
const ALIGN: &str = "Moves ranks until the ends of the collectives that make them wait agree with those of the lowest rank. Ranks that share too few stay where they are. The trace is loaded again.";
const SHIFT: &str = "How much later everything of the rank is to happen: a number with ns, us, ms or s, negative for earlier. Nothing else moves it then; leave it empty to take that back. The trace is loaded again.";

/// Shows the controls.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let mut on = session.aligns_by_collectives();
    let switch = ui.checkbox(&mut on, "Align by collectives");
    if switch.on_hover_text(ALIGN).changed() {
        out.push(Action::AlignByCollectives { on });
    }
    if let Some(rank) = session.focused_rank() {
        shift(ui, session, theme, rank.id, out);
    }
    if let Some(trace) = &session.trace {
        let phrases = moved_phrases(trace);
        if !phrases.is_empty() {
            let text = RichText::new(phrases.join(" · "))
                .small()
                .color(theme.accent);
            let details = moved_details(trace);
            ui.add(Label::new(text).wrap())
                .on_hover_text(details.join("\n"));
        }
    }
    ui.add_space(SMALL_GAP);
}

/// The field for one rank.
fn shift(ui: &mut Ui, session: &Session, theme: &Theme, rank: RankId, out: &mut Vec<Action>) {
    let asked = session.shift_asked(rank);
    ui.horizontal(|ui| {
        // Known from the start, so that what is lower stands in the middle.
        ui.set_min_height(HEIGHT);
        ui.label(format!("Move rank {} by", rank.0))
            .on_hover_text(SHIFT);
        let mut text = session.shift_text(rank);
        let was = text.clone();
        let field = TextEdit::singleline(&mut text)
            .font(egui::TextStyle::Monospace)
            .desired_width(FIELD)
            .hint_text(mono("12.5us"));
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo {
            label: Some("Shift of the rank".to_owned()),
            current_text_value: Some(was.clone()),
            ..WidgetInfo::new(Role::TextInput)
        });
        if text != was {
            out.push(Action::EditShift { rank, text });
        }
        let entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        let response = response.on_hover_text(SHIFT);
        let usable = matches!(asked, Ok(Some(_)));
        let pressed = ui.add_enabled_ui(usable, |ui| {
            text_button(ui, theme, None, "Move", Weight::Normal).clicked()
        });
        if usable && (pressed.inner || entered) {
            out.push(Action::MoveRank { rank });
            response.surrender_focus();
        }
    });
    match asked {
        Err(sentence) => {
            let text = RichText::new(sentence).small().color(theme.error);
            ui.add(Label::new(text).wrap());
        }
        Ok(_) => {
            ui.label(
                weak(
                    theme,
                    "later, or earlier with a minus; a click on a row chooses the rank",
                )
                .small(),
            );
        }
    }
}
