//! The top bar: open, recent, the current window, theme and help; and the message under it.

use super::controls::{Weight, icon_button, icon_button_with, mono, text_button, weak};
use super::icon::Icon;
use super::plain;
use super::theme::{GAP, SMALL_GAP, TOP_BAR, Theme};
use crate::session::{
    Action, CompareAction, Overlay, SearchAction, Session, SnapshotAction, ThemeChoice, Tone,
    file_name,
};
use crate::time::{DurNs, Ns, Window, human_duration};
use egui::{Align, Frame, Layout, Margin, Panel, Popup, Ui};
use std::path::PathBuf;

/// Shows the bar and, while there is one, the message.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let frame = Frame::NONE.inner_margin(Margin::symmetric(8, 0));
    Panel::top("top bar")
        .exact_size(TOP_BAR)
        .resizable(false)
        .show_separator_line(true)
        .frame(frame)
        .show(ui, |ui| {
            plain::fill(ui.painter(), ui.clip_rect(), theme.panel);
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = SMALL_GAP;
                open_controls(ui, session, theme, out);
                ui.add_space(GAP);
                read_out(ui, session, theme, out);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.spacing_mut().item_spacing.x = 2.0;
                    program_controls(ui, session, theme, out);
                });
            });
        });
    message(ui, session, theme, out);
    changed(ui, session, theme, out);
}

fn is_open(session: &Session) -> bool {
    session.trace.is_some() || session.snapshot.open.is_some()
}

fn open_controls(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let open = text_button(ui, theme, Some(Icon::Folder), "Open…", Weight::Normal);
    if open.on_hover_text("Open trace files (Ctrl+O)").clicked() {
        out.push(Action::OpenDialog);
    }
    let recent = icon_button(ui, theme, Icon::Clock, "Recent and other ways to open");
    Popup::menu(&recent).show(|ui| open_menu(ui, session, theme, out));
    if is_open(session) && icon_button(ui, theme, Icon::Reload, "Reload (Ctrl+R)").clicked() {
        out.push(Action::Reload);
    }
}

/// Other ways to open, and what was opened before.
fn open_menu(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    ui.set_min_width(300.0);
    if ui.button("Open a folder…").clicked() {
        out.push(Action::OpenFolderDialog);
    }
    if ui.button("Open with options…").clicked() {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::OpenOptions,
        });
    }
    if ui.button("Type a path…").clicked() {
        out.push(Action::ShowPathBox {
            mode: crate::session::PathBoxMode::Open,
        });
    }
    if ui.button("Open the sample").clicked() {
        out.push(Action::OpenDemo);
    }
    if session.trace.is_some() {
        ui.separator();
        compare_menu(ui, session, out);
    }
    if session.snapshot.open.is_some() {
        ui.separator();
        if ui.button("Reload the snapshot").clicked() {
            out.push(Action::Snapshot(SnapshotAction::Reload));
        }
        if ui.button("Close the snapshot").clicked() {
            out.push(Action::Snapshot(SnapshotAction::Close));
        }
    }
    ui.separator();
    if ui.button("Open session…").clicked() {
        out.push(Action::OpenSessionDialog);
    }
    let save = egui::Button::new("Save session…");
    if ui
        .add_enabled(is_open(session), save)
        .on_hover_text("Keeps what is open, the view, lanes, bookmarks and notes in a file")
        .clicked()
    {
        out.push(Action::SaveSession);
    }
    ui.separator();
    if session.settings.recent.is_empty() {
        ui.label(weak(theme, "Nothing was opened yet"));
        return;
    }
    recent_list(ui, session, theme, out);
    ui.separator();
    if ui.button("Forget these").clicked() {
        out.push(Action::ClearRecent);
    }
}

/// What a trace can be compared with.
fn compare_menu(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    if ui.button("Compare with…").clicked() {
        out.push(Action::Compare(CompareAction::Dialog));
    }
    if ui.button("Compare with a folder…").clicked() {
        out.push(Action::Compare(CompareAction::FolderDialog));
    }
    if session.compare.is_some() && ui.button("Stop comparing").clicked() {
        out.push(Action::Compare(CompareAction::Stop));
    }
}

/// Recent entries as buttons: name, and the folder in weak text.
pub(super) fn recent_list(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    for paths in &session.settings.recent {
        let (name, folder) = entry_words(paths);
        let button = egui::Button::new((name.clone(), weak(theme, folder).small()))
            .frame_when_inactive(false);
        if ui
            .add(button.truncate())
            .on_hover_text(all_paths(paths))
            .clicked()
        {
            out.push(Action::Open {
                paths: paths.clone(),
            });
        }
    }
}

fn entry_words(paths: &[PathBuf]) -> (String, String) {
    let Some(first) = paths.first() else {
        return (String::new(), String::new());
    };
    let name = match paths.len() {
        1 => file_name(first),
        n => format!("{} and {} more", file_name(first), n - 1),
    };
    let folder = first
        .parent()
        .map(|p| p.display().to_string())
        .unwrap_or_default();
    (name, folder)
}

fn all_paths(paths: &[PathBuf]) -> String {
    let lines: Vec<String> = paths
        .iter()
        .take(12)
        .map(|p| p.display().to_string())
        .collect();
    lines.join("\n")
}

fn read_out(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(capture) = session.capture() else {
        return;
    };
    let (rect, _) = ui.allocate_exact_size(egui::vec2(14.0, 14.0), egui::Sense::hover());
    Icon::Range.paint(ui.painter(), rect, theme.text_weak);
    match session.window {
        None => {
            ui.label(weak(theme, "Whole trace"))
                .on_hover_text("No window is chosen: figures are of each device's own extent. Drag on the lanes to choose one.");
        }
        Some(window) => {
            let origin = session.origin().unwrap_or(capture.start());
            let text = window_words(window, origin);
            ui.label(mono(text)).on_hover_text(exact_words(window));
            if let Some(step) = session.current_step {
                ui.label(weak(theme, format!("step {step}")));
            }
            if icon_button(ui, theme, Icon::Cross, "Clear the window (Esc)").clicked() {
                out.push(Action::ClearWindow);
            }
        }
    }
}

/// A window relative to the start of the capture, with its length.
pub(super) fn window_words(window: Window, origin: Ns) -> String {
    format!(
        "{} – {}  ({})",
        human_duration(window.start() - origin),
        human_duration(window.end() - origin),
        human_duration(window.len())
    )
}

fn exact_words(window: Window) -> String {
    format!(
        "start @{} ns\nend @{} ns\nlength {} µs",
        window.start().0,
        window.end().0,
        DurNs(window.len().0).us3()
    )
}

fn program_controls(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if icon_button(ui, theme, Icon::Question, "Keys (?)").clicked() {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::Help,
        });
    }
    let (icon, name) = match session.settings.theme {
        ThemeChoice::Dark => (Icon::Sun, "Light theme"),
        ThemeChoice::Light => (Icon::Moon, "Dark theme"),
    };
    if icon_button(ui, theme, icon, name).clicked() {
        out.push(Action::SetTheme {
            theme: session.settings.theme.other(),
        });
    }
    if session.trace.is_some() {
        ui.add_space(SMALL_GAP);
        let find = text_button(ui, theme, Some(Icon::Search), "Find", Weight::Normal);
        if find
            .on_hover_text("Find slices by name or args (/)")
            .clicked()
        {
            out.push(Action::Search(SearchAction::Open));
        }
        let annotations = text_button(ui, theme, Some(Icon::Tag), "Annotations", Weight::Normal);
        if annotations
            .on_hover_text("Choose an annotation as the window (N)")
            .clicked()
        {
            out.push(Action::ToggleOverlay {
                overlay: Overlay::Annotations,
            });
        }
    }
}

fn message(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(message) = &session.message else {
        return;
    };
    let (icon, color) = match message.tone {
        Tone::Notice => (Icon::Info, theme.accent),
        Tone::Error => (Icon::Warning, theme.error),
    };
    bar(ui, theme, "message", icon, color, &message.text, |ui| {
        if icon_button_with(ui, theme, Icon::Cross, "Dismiss", theme.text_weak).clicked() {
            out.push(Action::DismissMessage);
        }
    });
}

/// What changed on disk: the trace, the snapshot, or both.
fn changed(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    // A load that succeeds takes the notice back; one that fails brings it up again.
    if session.changed_on_disk && session.load.is_none() {
        let text = "The trace was changed on disk after it was loaded.";
        let keep = ("Keep what is loaded", Action::DismissReload);
        let again = ("Reload", Action::Reload);
        out.extend(keep_or_reload(
            ui,
            theme,
            "changed on disk",
            text,
            [keep, again],
        ));
    }
    if session.snapshot.changed_on_disk && session.snapshot.load.is_none() {
        let text = "The snapshot was changed on disk after it was loaded.";
        let of = Action::Snapshot;
        let keep = (
            "Keep the snapshot that is loaded",
            of(SnapshotAction::DismissReload),
        );
        let again = ("Reload the snapshot", of(SnapshotAction::Reload));
        out.extend(keep_or_reload(
            ui,
            theme,
            "snapshot changed",
            text,
            [keep, again],
        ));
    }
}

/// A bar with a choice: what to do is what was clicked.
fn keep_or_reload(
    ui: &mut Ui,
    theme: &Theme,
    id: &str,
    text: &str,
    [keep, again]: [(&str, Action); 2],
) -> Option<Action> {
    let mut clicked = None;
    bar(ui, theme, id, Icon::Reload, theme.warning, text, |ui| {
        if icon_button_with(ui, theme, Icon::Cross, keep.0, theme.text_weak).clicked() {
            clicked = Some(keep.1);
        }
        if text_button(ui, theme, Some(Icon::Reload), again.0, Weight::Normal).clicked() {
            clicked = Some(again.1);
        }
    });
    clicked
}

fn bar(
    ui: &mut Ui,
    theme: &Theme,
    id: &str,
    icon: Icon,
    color: egui::Color32,
    text: &str,
    controls: impl FnOnce(&mut Ui),
) {
    let frame = Frame::NONE
        .fill(theme.raised)
        .inner_margin(Margin::symmetric(10, 5));
    Panel::top(id.to_owned())
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                let (rect, _) =
                    ui.allocate_exact_size(egui::vec2(16.0, 22.0), egui::Sense::hover());
                let place = egui::Rect::from_center_size(rect.center(), egui::vec2(15.0, 15.0));
                icon.paint(ui.painter(), place, color);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    controls(ui);
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        ui.add(egui::Label::new(text).wrap().selectable(true));
                    });
                });
            });
        });
}
