//! The search bar over the timeline, and the list of hits below it.

use super::controls::{counted, icon_button, mono, weak};
use super::icon::Icon;
use super::plain;
use super::theme::{SMALL_GAP, Theme};
use crate::session::{Action, SearchAction, Session, ShownHits};
use crate::time::{Ns, human_duration};
use crate::timeline::lanes::{lane_label, lane_of};
use crate::trace::{SliceRef, Trace};
use egui::{
    Align, Button, Frame, Key, Layout, Margin, Modifiers, Panel, Role, ScrollArea, TextEdit, Ui,
    WidgetInfo,
};

/// Height of a line of the list.
const LINE: f32 = 20.0;
/// Height of the list.
const LIST: f32 = 168.0;

/// Shows the bar while it is open.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if !session.search.is_open {
        return;
    }
    let frame = Frame::NONE.inner_margin(Margin::symmetric(8, 4));
    Panel::top("search")
        .resizable(false)
        .show_separator_line(true)
        .frame(frame)
        .show(ui, |ui| {
            plain::fill(ui.painter(), ui.clip_rect(), theme.panel);
            let shown = session.shown_hits();
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = SMALL_GAP;
                field(ui, session, theme, out);
                choices(ui, session, out);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.spacing_mut().item_spacing.x = 2.0;
                    walk(ui, session, theme, shown.as_ref(), out);
                });
            });
            if let Some(trouble) = &session.search.trouble {
                let text = format!("{trouble}; hits are those of the last good one");
                ui.colored_label(theme.error, text);
            }
            if let (true, Some(shown), Some(trace)) =
                (session.search.is_listed, &shown, session.trace.as_deref())
            {
                list(ui, session, trace, theme, shown, out);
            }
        });
}

fn search(action: SearchAction) -> Action {
    Action::Search(action)
}

fn field(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let mut text = session.search.text.clone();
    let (enter, back) = (
        |ui: &mut Ui| ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter)),
        |ui: &mut Ui| ui.input_mut(|i| i.consume_key(Modifiers::SHIFT, Key::Enter)),
    );
    let id = ui.scope_id().with("search field");
    let has_focus = ui.memory(|m| m.has_focus(id));
    // Before the field, which would give up the focus on Enter.
    let (previous, next) = (has_focus && back(ui), has_focus && enter(ui));
    let color = if session.search.trouble.is_some() {
        theme.error
    } else {
        theme.text
    };
    let response = ui.add(
        TextEdit::singleline(&mut text)
            .id(id)
            .hint_text("find slices by name")
            .text_color(color)
            .desired_width(260.0)
            .margin(egui::vec2(8.0, 3.0)),
    );
    response.widget_info(|| WidgetInfo {
        label: Some("Find slices".to_owned()),
        current_text_value: Some(session.search.text.clone()),
        ..WidgetInfo::new(Role::TextInput)
    });
    if session.search.wants_focus && !has_focus {
        response.request_focus();
    }
    if response.changed() {
        out.push(search(SearchAction::Edit(text)));
    }
    if previous {
        out.push(search(SearchAction::Previous));
    } else if next {
        out.push(search(SearchAction::Next));
    }
}

fn choices(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    let now = &session.search;
    for (is_on, word, hover, action) in [
        (
            now.is_regex,
            "Regex",
            "The text is a regular expression",
            SearchAction::SetRegex(!now.is_regex),
        ),
        (
            now.in_args,
            "Args",
            "Look into the args of the events as well: reads the files once more, in the background",
            SearchAction::SetArgs(!now.in_args),
        ),
        (
            now.only,
            "Only hits",
            "Show only lanes with hits",
            SearchAction::SetOnly(!now.only),
        ),
    ] {
        if ui
            .selectable_label(is_on, word)
            .on_hover_text(hover)
            .clicked()
        {
            out.push(search(action));
        }
    }
}

/// Count, previous, next, list and close; from right to left.
fn walk(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    shown: Option<&ShownHits>,
    out: &mut Vec<Action>,
) {
    if icon_button(ui, theme, Icon::Cross, "Close the search (Esc)").clicked() {
        out.push(search(SearchAction::Close));
    }
    let has_hits = shown.is_some_and(|s| !s.hits.is_empty());
    ui.add_enabled_ui(has_hits, |ui| {
        for (icon, name, action) in [
            (Icon::List, "List of hits", SearchAction::ToggleList),
            (Icon::Down, "Next hit (Enter)", SearchAction::Next),
            (
                Icon::Up,
                "Previous hit (Shift+Enter)",
                SearchAction::Previous,
            ),
        ] {
            if icon_button(ui, theme, icon, name).clicked() {
                out.push(search(action));
            }
        }
    });
    ui.label(weak(theme, how_many(session, shown)));
}

fn how_many(session: &Session, shown: Option<&ShownHits>) -> String {
    let (Some(shown), Some(trace)) = (shown, session.trace.as_deref()) else {
        return String::new();
    };
    let count = u64::try_from(shown.hits.len()).unwrap_or(u64::MAX);
    let words = counted(count, "hit", "hits");
    let number = session
        .selection
        .and_then(|at| shown.hits.number(trace, at));
    let words = match number.and_then(|n| u64::try_from(n).ok()) {
        Some(n) => format!("{} of {words}", super::controls::count(n + 1)),
        None => words,
    };
    match (shown.is_current, shown.is_reading) {
        (false, _) => format!("{words} before the last change"),
        (true, true) => format!("{words} so far, reading args"),
        (true, false) => words,
    }
}

fn list(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    theme: &Theme,
    shown: &ShownHits,
    out: &mut Vec<Action>,
) {
    let origin = session.origin().unwrap_or_default();
    ui.add_space(SMALL_GAP);
    ScrollArea::vertical()
        .id_salt("hits")
        .max_height(LIST)
        .auto_shrink([false, true])
        .show_rows(ui, LINE, shown.hits.len(), |ui, range| {
            for at in range.filter_map(|i| shown.hits.get(i)) {
                line(ui, session, trace, theme, (at, origin), out);
            }
        });
}

fn line(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    theme: &Theme,
    (at, origin): (SliceRef, Ns),
    out: &mut Vec<Action>,
) {
    let Some(slice) = trace.slice(at) else { return };
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let when = format!(
                "{:>12}  {:>12}",
                human_duration(slice.start() - origin),
                human_duration(slice.dur())
            );
            ui.label(mono(when).small().color(theme.text_weak));
            let place = lane_of(trace, at).map_or_else(String::new, |lane| lane_label(trace, lane));
            ui.label(weak(theme, super::ellipsis(&place, 36)).small());
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let name = trace.names.get(slice.name());
                let chosen = session.selection == Some(at);
                let button = Button::selectable(chosen, (name, egui::Atom::grow())).truncate();
                let button = button.min_size(egui::vec2(ui.available_width(), LINE));
                if ui.add(button).clicked() {
                    out.push(search(SearchAction::GoTo(at)));
                }
            });
        });
    });
}
