//! Bookmarks: flags in the ruler, and the list in which they are noted on, gone to and deleted.

use super::controls::{icon_button, mono, weak};
use super::icon::Icon;
use super::lanes::Frame;
use super::theme::{SMALL_GAP, Theme};
use super::{ellipsis, plain};
use crate::session::{Action, Bookmark, BookmarkAction, Overlay, Session};
use crate::time::{Ns, human_duration};
use egui::{
    Align, FontId, Layout, Rangef, Rect, Role, ScrollArea, Sense, Stroke, TextEdit, Ui, WidgetInfo,
    pos2, vec2,
};

const FLAG: f32 = 14.0;
const FONT_PX: f32 = 10.5;
const ROW: f32 = 26.0;
/// Width of what was marked, in the list.
const TITLE: f32 = 190.0;

fn act(action: BookmarkAction) -> Action {
    Action::Bookmark(action)
}

/// Draws a flag with the number of every mark that begins on the screen, and a bar for its length.
pub(super) fn flags(ui: &Ui, frame: &Frame<'_>, out: &mut Vec<Action>) {
    let (theme, tracks) = (frame.theme, frame.tracks);
    let painter = ui.painter().with_clip_rect(tracks);
    for mark in &frame.session.bookmarks.list {
        let xs = frame.span(mark.window);
        if xs.max > xs.min && xs.max >= tracks.left() && xs.min <= tracks.right() {
            let ys = Rangef::new(tracks.top(), tracks.top() + 2.0);
            plain::fill(&painter, Rect::from_x_y_ranges(xs, ys), theme.accent);
        }
        if xs.min < tracks.left() || xs.min > tracks.right() {
            continue;
        }
        let font = FontId::proportional(FONT_PX);
        let galley = painter.layout_no_wrap(mark.number.to_string(), font, theme.on_accent);
        let width = galley.size().x + 8.0;
        // One that would hang over the right end stands to the left of its instant.
        let left = xs.min.min(tracks.right() - width);
        let flag = Rect::from_min_size(pos2(left.round(), tracks.top()), vec2(width, FLAG));
        let name = match mark.note.as_str() {
            "" => format!("Bookmark {}: {}", mark.number, mark.title()),
            note => format!("Bookmark {}: {note}", mark.number),
        };
        let id = ui.scope_id().with(("bookmark", mark.number));
        let response = ui.interact(flag, id, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        let lit = response.hovered() || response.has_focus();
        let fill = if lit {
            theme.emphasised(theme.accent)
        } else {
            theme.accent
        };
        painter.rect_filled(flag, 2.0, fill);
        let pole = Rangef::new(tracks.top(), tracks.bottom());
        painter.vline(xs.min, pole, Stroke::new(1.0, fill));
        let at = flag.center() - galley.size() / 2.0;
        painter.galley(at, galley, theme.on_accent);
        if response.clicked() {
            out.push(act(BookmarkAction::GoTo(mark.number)));
        }
        response.on_hover_ui(|ui| {
            ui.label(ellipsis(&mark.title(), 80));
            if !mark.note.is_empty() {
                ui.label(&mark.note);
            }
            ui.weak("Click to go there");
        });
    }
}

/// Shows the list while it is open.
pub(super) fn list(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if session.trace.is_none() || session.overlay != Some(Overlay::Bookmarks) {
        return;
    }
    let close = super::dialog(ui, theme, "Bookmarks", 700.0, |ui| {
        if session.bookmarks.list.is_empty() {
            ui.label(weak(
                theme,
                "Nothing is marked. M marks the window, else the selected slice, else the middle of the view.",
            ));
            return;
        }
        ui.label(weak(
            theme,
            "A click on a mark goes there. Notes are kept with what is open, never in its files.",
        ));
        ui.add_space(SMALL_GAP);
        let origin = session.origin().unwrap_or_default();
        let marks = &session.bookmarks.list;
        ScrollArea::vertical()
            .max_height(380.0)
            .auto_shrink([false, true])
            .show_rows(ui, ROW, marks.len(), |ui, range| {
                for mark in marks.get(range).unwrap_or(&[]) {
                    row(ui, theme, mark, origin, out);
                }
            });
    });
    if close {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::Bookmarks,
        });
    }
}

fn row(ui: &mut Ui, theme: &Theme, mark: &Bookmark, origin: Ns, out: &mut Vec<Action>) {
    let number = mark.number;
    ui.horizontal(|ui| {
        ui.set_height(ROW - 4.0);
        let title = mark.title();
        let text = format!("{number}  {title}");
        let go = egui::Button::selectable(false, (text, egui::Atom::grow())).truncate();
        let go = ui.add_sized(vec2(TITLE, ROW - 4.0), go);
        go.widget_info(|| {
            WidgetInfo::labeled(Role::Button, true, format!("Go to bookmark {number}"))
        });
        if go.on_hover_text(ellipsis(&title, 200)).clicked() {
            out.push(Action::ToggleOverlay {
                overlay: Overlay::Bookmarks,
            });
            out.push(act(BookmarkAction::GoTo(number)));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let delete = format!("Delete bookmark {number}");
            if icon_button(ui, theme, Icon::Cross, &delete).clicked() {
                out.push(act(BookmarkAction::Delete(number)));
            }
            // A moment has no length.
            let length = (!mark.window.is_empty()).then(|| human_duration(mark.window.len()));
            let when = format!(
                "{:>12}  {:>11}",
                human_duration(mark.window.start() - origin),
                length.unwrap_or_default()
            );
            ui.label(mono(when).size(11.0).color(theme.text_weak));
            note(ui, mark, out);
        });
    });
}

fn note(ui: &mut Ui, mark: &Bookmark, out: &mut Vec<Action>) {
    let mut text = mark.note.clone();
    let response = ui.add(
        TextEdit::singleline(&mut text)
            .id(ui.scope_id().with(("note", mark.number)))
            .hint_text("note")
            .desired_width(f32::INFINITY)
            .margin(vec2(6.0, 3.0)),
    );
    response.widget_info(|| WidgetInfo {
        label: Some(format!("Note of bookmark {}", mark.number)),
        current_text_value: Some(mark.note.clone()),
        ..WidgetInfo::new(Role::TextInput)
    });
    if response.changed() {
        out.push(act(BookmarkAction::Edit(mark.number, text)));
    }
}
