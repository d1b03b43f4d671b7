//! The path box: type a path, with suggestions, where there is no file dialog.
//!
//! `Tab` takes what the suggestions share or the highlighted one, the arrows move the highlight,
//! `Enter` takes the highlighted one or accepts, `Shift+Enter` puts the path on the list.

use super::controls::{Weight, icon_button, mono, text_button, weak};
use super::icon::Icon;
use super::theme::{GAP, SMALL_GAP, Theme};
use crate::session::{Action, PathBox, PathBoxMode, SaveAnswer, Session};
use egui::{
    Align, Event, Key, Layout, Modifiers, Response, ScrollArea, TextEdit, Ui, text::CCursor,
    text::CCursorRange,
};

const WIDTH: f32 = 620.0;
const EXISTS: &str = "This file exists. Press Replace to lose what is in it.";

/// Shows the box while it is open.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(path_box) = &session.path_box else {
        return;
    };
    let title = match path_box.mode {
        PathBoxMode::Open => "Open traces",
        PathBoxMode::Compare => "Compare with",
        PathBoxMode::Save { .. } => "Export CSV",
    };
    let close = super::dialog(ui, theme, title, WIDTH, |ui| {
        let hint = match path_box.mode {
            PathBoxMode::Open | PathBoxMode::Compare => {
                "A file, an archive or a folder. No file dialog answered, so type where it is."
            }
            PathBoxMode::Save { .. } => {
                "Where to write the file. No file dialog answered, so type where it goes."
            }
        };
        ui.label(weak(theme, hint));
        if path_box.mode == PathBoxMode::Open && !session.next_options.is_whole() {
            let words = session.next_options.words().join(", ");
            ui.label(egui::RichText::new(format!("Will be opened {words}.")).color(theme.accent));
        }
        ui.add_space(SMALL_GAP);
        listed(ui, path_box, theme, out);
        field(ui, path_box, out);
        ui.add_space(SMALL_GAP);
        suggestions(ui, path_box, theme, out);
        ui.add_space(GAP);
        answer(ui, path_box, theme);
        buttons(ui, path_box, theme, out);
    });
    if close {
        out.push(Action::ClosePathBox);
    }
}

fn listed(ui: &mut Ui, path_box: &PathBox, theme: &Theme, out: &mut Vec<Action>) {
    for (index, path) in path_box.listed.iter().enumerate() {
        ui.horizontal(|ui| {
            let name = format!("Take {} off the list", path.display());
            if icon_button(ui, theme, Icon::Cross, &name).clicked() {
                out.push(Action::RemovePath { index });
            }
            ui.add(egui::Label::new(mono(path.display().to_string())).truncate());
        });
    }
}

fn field(ui: &mut Ui, path_box: &PathBox, out: &mut Vec<Action>) {
    let id = ui.make_persistent_id("path");
    keys(ui, path_box, out);
    let mut text = path_box.text.clone();
    let output = TextEdit::singleline(&mut text)
        .id(id)
        .font(egui::TextStyle::Monospace)
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(8.0, 6.0))
        .lock_focus(true)
        .hint_text("/path/to/trace.json.gz")
        .show(ui);
    let response: Response = output.response.response;
    response.widget_info(|| egui::WidgetInfo {
        label: Some("Path".to_owned()),
        current_text_value: Some(path_box.text.clone()),
        ..egui::WidgetInfo::new(egui::Role::TextInput)
    });
    if response.changed() {
        out.push(Action::EditPath { text });
    }
    // A text that came from a suggestion is typed on at its end.
    let seen_id = id.with("replaced");
    let seen: u32 = ui.data(|d| d.get_temp(seen_id)).unwrap_or(0);
    if seen != path_box.replaced {
        response.request_focus();
        let mut state = output.state;
        let end = CCursor::new(path_box.text.chars().count());
        state.cursor.set_char_range(Some(CCursorRange::one(end)));
        state.store(ui.ctx(), id);
        ui.data_mut(|d| d.insert_temp(seen_id, path_box.replaced));
    }
}

/// Keys that the field itself must not see.
fn keys(ui: &Ui, path_box: &PathBox, out: &mut Vec<Action>) {
    ui.input_mut(|i| {
        if i.consume_key(Modifiers::SHIFT, Key::Enter) {
            out.push(Action::AddPath);
        } else if i.consume_key(Modifiers::NONE, Key::Enter) {
            out.push(match path_box.highlighted {
                Some(_) => Action::TakeSuggestion { text: None },
                None => Action::AcceptPath,
            });
        }
        if i.consume_key(Modifiers::NONE, Key::Tab) {
            out.push(Action::TakeSuggestion { text: None });
            // The field would type the tab.
            i.events
                .retain(|e| !matches!(e, Event::Text(t) if t == "\t"));
        }
        if i.consume_key(Modifiers::NONE, Key::ArrowDown) {
            out.push(Action::MoveSuggestion { by: 1 });
        }
        if i.consume_key(Modifiers::NONE, Key::ArrowUp) {
            out.push(Action::MoveSuggestion { by: -1 });
        }
    });
}

fn suggestions(ui: &mut Ui, path_box: &PathBox, theme: &Theme, out: &mut Vec<Action>) {
    ScrollArea::vertical()
        .max_height(220.0)
        .min_scrolled_height(220.0)
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            if path_box.suggestions.is_empty() {
                ui.label(weak(theme, "nothing here starts with this"));
            }
            for (i, full) in path_box.suggestions.iter().enumerate() {
                let chosen = path_box.highlighted == Some(i);
                let short = short_name(full);
                let row = ui.selectable_label(chosen, mono(short));
                if chosen {
                    row.scroll_to_me(None);
                }
                if row.clicked() {
                    out.push(Action::TakeSuggestion {
                        text: Some(full.clone()),
                    });
                }
            }
        });
}

/// The last part of a path, with its separator if it is a folder.
fn short_name(full: &str) -> &str {
    let body = full.trim_end_matches(['/', '\\']);
    let at = body.rfind(['/', '\\']).map_or(0, |i| i + 1);
    full.get(at..).unwrap_or(full)
}

/// Why the file was not written yet.
fn answer(ui: &mut Ui, path_box: &PathBox, theme: &Theme) {
    let (text, color) = match &path_box.answer {
        Some(SaveAnswer::Exists) => (EXISTS, theme.warning),
        Some(SaveAnswer::Refused(sentence)) => (sentence.as_str(), theme.error),
        None => return,
    };
    ui.label(egui::RichText::new(text).color(color));
    ui.add_space(SMALL_GAP);
}

fn buttons(ui: &mut Ui, path_box: &PathBox, theme: &Theme, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        if path_box.mode.is_to_read()
            && text_button(ui, theme, None, "Add to the list", Weight::Normal)
                .on_hover_text("Open several at once (Shift+Enter)")
                .clicked()
        {
            out.push(Action::AddPath);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let word = match path_box.mode {
                PathBoxMode::Open => "Open",
                PathBoxMode::Compare => "Compare",
                PathBoxMode::Save { .. } if path_box.answer == Some(SaveAnswer::Exists) => {
                    "Replace"
                }
                PathBoxMode::Save { .. } => "Write",
            };
            if text_button(ui, theme, None, word, Weight::Primary).clicked() {
                out.push(Action::AcceptPath);
            }
            if text_button(ui, theme, None, "Cancel", Weight::Normal).clicked() {
                out.push(Action::ClosePathBox);
            }
        });
    });
}
