//! The menu of a lane: hide, pin, move, rename, reset. Opened by a right click on the lane's name, or
//! by the button beside it, which the keyboard and screen readers reach as well.

use super::Frame;
use crate::session::{Action, LaneAction, Session};
use crate::timeline::{LaneKey, LaneRow, Shared};
use crate::ui::icon::Icon;
use egui::{
    Button, Popup, PopupCloseBehavior, Rect, Response, Role, Sense, TextEdit, Ui, WidgetInfo, pos2,
    vec2,
};

/// Width of the button beside a name.
pub(super) const BUTTON: f32 = 20.0;
/// Height of the foot of the gutter, while it tells of hidden lanes.
const FOOT: f32 = 20.0;

/// How much further lanes are scrolled, so that the foot covers no name for good.
pub(super) fn foot(session: &Session) -> f32 {
    if session.lanes.arranged.hidden.is_empty() {
        0.0
    } else {
        FOOT
    }
}

/// Shows the button and, while it is open, the menu. `named` is where the lane's name stands.
pub(super) fn ui(
    ui: &Ui,
    frame: &Frame<'_>,
    lane: &LaneRow,
    (label, named, name): (&Response, Rect, &str),
    out: &mut Vec<Action>,
) {
    let right = frame.gutter.right() - 2.0;
    let rect = Rect::from_min_max(
        pos2(right - BUTTON, named.top()),
        pos2(right, named.bottom()),
    );
    // Typing a name must not close it.
    let stays = PopupCloseBehavior::CloseOnClickOutside;
    Popup::context_menu(label)
        .close_behavior(stays)
        .show(|ui| contents(ui, frame, lane, out));
    let visible = rect.intersect(frame.gutter);
    // Of a high lane the name may be scrolled away.
    if !visible.is_positive() {
        return;
    }
    let id = ui.scope_id().with(("lane menu", lane.key));
    let button = ui.interact(visible, id, Sense::click());
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Lane menu: {name}")));
    let is_open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(&button));
    let lit = button.hovered() || button.has_focus() || is_open;
    if lit || label.hovered() {
        let painter = ui.painter().with_clip_rect(frame.gutter);
        if lit {
            painter.rect_filled(rect, 3.0, frame.theme.hovered);
        }
        let side = rect.height().min(14.0);
        let place = Rect::from_center_size(rect.center(), vec2(side, side));
        Icon::More.paint(&painter, place, frame.theme.text);
    }
    Popup::menu(&button)
        .close_behavior(stays)
        .show(|ui| contents(ui, frame, lane, out));
}

fn contents(ui: &mut Ui, frame: &Frame<'_>, lane: &LaneRow, out: &mut Vec<Action>) {
    let (key, lanes) = (lane.key, &frame.session.lanes.arranged);
    ui.set_min_width(190.0);
    // What is done to one of the streams in a place would be done to the first alone.
    if lane.shared == Shared::No {
        for_one(ui, frame, lane, out);
    }
    if let Some(device) = key.device()
        && (lane.shared != Shared::No || matches!(key, LaneKey::Device(..)))
    {
        let is_packed = lanes.packs.contains_key(&(key.rank(), device));
        let words = if is_packed {
            "A lane for each graph stream"
        } else {
            "Pack streams of graphs"
        };
        let toggle = LaneAction::TogglePacks(key.rank(), device);
        entry(ui, words, true, toggle, out);
    }
    ui.separator();
    let hidden = lanes.hidden.len();
    let show = format!("Show hidden lanes ({hidden})");
    entry(ui, &show, hidden > 0, LaneAction::ShowHidden, out);
    let is_usual = *lanes == crate::timeline::Arranged::default();
    entry(ui, "Reset all lanes", !is_usual, LaneAction::ResetAll, out);
}

/// What can be done to a lane that has a place of its own.
fn for_one(ui: &mut Ui, frame: &Frame<'_>, lane: &LaneRow, out: &mut Vec<Action>) {
    let (key, lanes) = (lane.key, &frame.session.lanes.arranged);
    rename(ui, frame, lane, out);
    ui.separator();
    let pin = if lanes.is_pinned(key) {
        "Unpin"
    } else {
        "Pin to the top"
    };
    let known = frame.session.lanes.known(frame.trace);
    let may = |down| lanes.can_move(known, key, down);
    for (words, enabled, action) in [
        (pin, true, LaneAction::TogglePin(key)),
        ("Move up", may(false), LaneAction::MoveUp(key)),
        ("Move down", may(true), LaneAction::MoveDown(key)),
        ("Hide", true, LaneAction::Hide(key)),
        (
            "Reset this lane",
            lanes.is_touched(key),
            LaneAction::Reset(key),
        ),
    ] {
        entry(ui, words, enabled, action, out);
    }
}

fn entry(ui: &mut Ui, words: &str, enabled: bool, action: LaneAction, out: &mut Vec<Action>) {
    if ui.add_enabled(enabled, Button::new(words)).clicked() {
        out.push(Action::Lane(action));
        ui.close();
    }
}

fn rename(ui: &mut Ui, frame: &Frame<'_>, lane: &LaneRow, out: &mut Vec<Action>) {
    let given = frame.session.lanes.arranged.names.get(&lane.key);
    let mut text = given.cloned().unwrap_or_default();
    let hint = if given.is_some() { "" } else { &lane.label };
    let field = ui.add(
        TextEdit::singleline(&mut text)
            .id(ui.scope_id().with(("lane name", lane.key)))
            .hint_text(hint)
            .desired_width(176.0)
            .margin(vec2(6.0, 3.0)),
    );
    field.widget_info(|| WidgetInfo {
        label: Some("Name of the lane".to_owned()),
        current_text_value: given.cloned(),
        ..WidgetInfo::new(Role::TextInput)
    });
    if field.changed() {
        out.push(Action::Lane(LaneAction::Rename(lane.key, text)));
    }
    if field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter)) {
        ui.close();
    }
}

/// The number of hidden lanes at the foot of the gutter, to show them again by a click.
pub(super) fn hidden(ui: &Ui, frame: &Frame<'_>, out: &mut Vec<Action>) {
    let count = frame.session.lanes.arranged.hidden.len();
    if count == 0 {
        return;
    }
    let gutter = frame.gutter;
    let top = (gutter.bottom() - FOOT).max(gutter.top());
    let rect = Rect::from_min_max(pos2(gutter.left(), top), gutter.right_bottom());
    let response = ui.interact(rect, ui.scope_id().with("hidden lanes"), Sense::click());
    let words = format!("Show hidden lanes ({count})");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &words));
    let lit = response.hovered() || response.has_focus();
    let theme = frame.theme;
    let painter = ui.painter().with_clip_rect(gutter);
    let fill = if lit { theme.hovered } else { theme.raised };
    painter.rect_filled(rect, 0.0, fill);
    let font = egui::FontId::proportional(11.5);
    let at = rect.left_center() + vec2(8.0, 0.0);
    painter.text(at, egui::Align2::LEFT_CENTER, words, font, theme.text);
    if response.clicked() {
        out.push(Action::Lane(LaneAction::ShowHidden));
    }
}
