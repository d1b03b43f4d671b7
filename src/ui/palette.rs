//! The command palette: every command, found by a few of its letters.
//!
//! It walks the table of keys and the entries below, which stand for what the menus and panels offer.

mod snapshot;

use super::controls::{mono, weak};
use super::shortcuts::COMMANDS;
use super::theme::{SMALL_GAP, Theme};
use crate::session::{
    Action, Alignment, CompareAction, CsvPanel, LaneAction, Overlay, PaletteAction, PathBoxMode,
    Section, Session, ThemeChoice, fuzzy,
};
use crate::trace::Basis;
use egui::{
    Align, Atom, Button, Key, Layout, Modifiers, Role, ScrollArea, TextEdit, Ui, WidgetInfo, vec2,
};

const ROW: f32 = 24.0;
const LIST: f32 = 330.0;

/// One command as it is listed.
struct Entry {
    what: String,
    keys: &'static str,
    action: Action,
}

/// Shows the palette while it is open.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if session.overlay != Some(Overlay::Palette) {
        return;
    }
    let found = matching(session);
    let most = found.len().saturating_sub(1);
    let at = session.palette.highlighted.min(most);
    let close = super::dialog(ui, theme, "Commands", 620.0, |ui| {
        let run = field(ui, session, (at, most), out);
        ui.add_space(SMALL_GAP);
        if found.is_empty() {
            ui.label(weak(theme, "No command has these letters."));
        }
        let clicked = list(ui, theme, &found, at);
        if let Some(entry) = clicked.or(run.then_some(at)).and_then(|i| found.get(i)) {
            out.push(toggle(Overlay::Palette));
            out.push(entry.action.clone());
        }
    });
    // Running a command has closed it already.
    if close && !out.contains(&toggle(Overlay::Palette)) {
        out.push(toggle(Overlay::Palette));
    }
}

fn toggle(overlay: Overlay) -> Action {
    Action::ToggleOverlay { overlay }
}

/// The field; returns whether the highlighted command is to be run.
fn field(
    ui: &mut Ui,
    session: &Session,
    (at, most): (usize, usize),
    out: &mut Vec<Action>,
) -> bool {
    let press = |ui: &Ui, key| ui.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    // Before the field, which would take them.
    let run = press(ui, Key::Enter);
    let moves = [
        (Key::ArrowDown, if at >= most { 0 } else { at + 1 }),
        (Key::ArrowUp, at.checked_sub(1).unwrap_or(most)),
        (Key::PageDown, (at + 10).min(most)),
        (Key::PageUp, at.saturating_sub(10)),
    ];
    for (key, to) in moves {
        if press(ui, key) {
            out.push(Action::Palette(PaletteAction::Highlight(to)));
        }
    }
    let mut text = session.palette.text.clone();
    let response = ui.add(
        TextEdit::singleline(&mut text)
            .id(ui.scope_id().with("command field"))
            .hint_text("a few letters of a command")
            .desired_width(f32::INFINITY)
            .margin(vec2(8.0, 5.0)),
    );
    response.widget_info(|| WidgetInfo {
        label: Some("Find command".to_owned()),
        current_text_value: Some(session.palette.text.clone()),
        ..WidgetInfo::new(Role::TextInput)
    });
    if !response.has_focus() {
        response.request_focus();
    }
    if response.changed() {
        out.push(Action::Palette(PaletteAction::Edit(text)));
    }
    run
}

/// The list; returns the place of the command that was clicked.
fn list(ui: &mut Ui, theme: &Theme, found: &[Entry], at: usize) -> Option<usize> {
    let mut clicked = None;
    ScrollArea::vertical()
        .max_height(LIST)
        .min_scrolled_height(LIST)
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            for (i, entry) in found.iter().enumerate() {
                ui.horizontal(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        // The scroll bar floats over the right edge.
                        ui.add_space(SMALL_GAP);
                        if !entry.keys.is_empty() {
                            ui.label(mono(entry.keys).background_color(theme.raised));
                        }
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            let button =
                                Button::selectable(i == at, (entry.what.as_str(), Atom::grow()))
                                    .truncate()
                                    .min_size(vec2(ui.available_width(), ROW));
                            let row = ui.add(button);
                            row.widget_info(|| {
                                WidgetInfo::selected(Role::Button, true, i == at, &entry.what)
                            });
                            if i == at {
                                row.scroll_to_me(None);
                            }
                            if row.clicked() {
                                clicked = Some(i);
                            }
                        });
                    });
                });
            }
        });
    clicked
}

/// The commands that have the typed letters, the best first.
fn matching(session: &Session) -> Vec<Entry> {
    let mut found: Vec<(usize, Entry)> = entries(session)
        .into_iter()
        .filter_map(|entry| Some((fuzzy(&session.palette.text, &entry.what)?, entry)))
        .collect();
    // Those that match alike stay in the order of the table.
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, entry)| entry).collect()
}

fn entries(session: &Session) -> Vec<Entry> {
    let is_open = session.trace.is_some();
    let mut all: Vec<Entry> = COMMANDS
        .iter()
        .map(|command| Entry {
            what: command.what.to_owned(),
            keys: command.keys,
            action: command.action(session),
        })
        // It is open.
        .filter(|entry| entry.action != toggle(Overlay::Palette))
        .collect();
    let mut add = |what: String, action: Action| {
        all.push(Entry {
            what,
            keys: "",
            action,
        });
    };
    for (what, action) in files(session) {
        add(what.to_owned(), action);
    }
    let theme = session.settings.theme.other();
    let name = match theme {
        ThemeChoice::Dark => "Dark theme",
        ThemeChoice::Light => "Light theme",
    };
    add(name.to_owned(), Action::SetTheme { theme });
    for (what, action) in snapshot::commands(session) {
        add(what.to_owned(), action);
    }
    if !is_open {
        return all;
    }
    for (what, action) in choices(session) {
        add(what.to_owned(), action);
    }
    if let Some((rank, device)) = session.focused() {
        let packs = &session.lanes.arranged.packs;
        let what = if packs.contains_key(&(rank.id, device.id)) {
            "A lane for each graph stream"
        } else {
            "Pack streams of graphs"
        };
        let what = format!("{what}: rank {} GPU {}", rank.id.0, device.id.0);
        let toggle = LaneAction::TogglePacks(rank.id, device.id);
        add(what, Action::Lane(toggle));
    }
    let hidden = session.lanes.arranged.hidden.len();
    if hidden > 0 {
        let what = format!("Show hidden lanes ({hidden})");
        add(what, Action::Lane(LaneAction::ShowHidden));
    }
    for section in Section::ALL {
        let title = section.title();
        let is_closed = session.closed_sections.contains(&section);
        let verb = if is_closed { "Open" } else { "Close" };
        let fold = Action::ToggleSection { section };
        add(format!("{verb} the panel {title}"), fold);
        let panel = section.csv();
        add(
            format!("Export {title} as CSV"),
            Action::ExportCsv { panel },
        );
        add(format!("Copy {title} as CSV"), Action::CopyPanel { panel });
    }
    let mut tables = vec![
        ("the health list", CsvPanel::Health),
        ("kernels alone and beside", CsvPanel::Dilation),
        ("the fitted links", CsvPanel::Links),
    ];
    if session.other().is_some() {
        tables.push(("the figures of A and B", CsvPanel::FigureDeltas));
        tables.push(("the kernels of A and B", CsvPanel::KernelDeltas));
    }
    for (name, panel) in tables {
        let what = format!("Export {name} as CSV");
        add(what, Action::ExportCsv { panel });
    }
    all
}

/// What the menu of files offers.
fn files(session: &Session) -> Vec<(&'static str, Action)> {
    let mode = PathBoxMode::Open;
    let mut list = vec![
        ("Open a folder of traces", Action::OpenFolderDialog),
        ("Open an allocator snapshot", Action::OpenDialog),
        ("Type a path to open", Action::ShowPathBox { mode }),
        ("Open the sample", Action::OpenDemo),
        ("Open a session", Action::OpenSessionDialog),
    ];
    if session.trace.is_some() {
        list.extend(compare(session));
    }
    if session.trace.is_some() || session.snapshot.open.is_some() {
        list.push(("Save the session", Action::SaveSession));
    }
    if !session.settings.recent.is_empty() {
        list.push(("Forget recent files", Action::ClearRecent));
    }
    if session.load.is_some() {
        list.push(("Stop loading", Action::CancelLoad));
    }
    list
}

/// What comparing offers.
fn compare(session: &Session) -> Vec<(&'static str, Action)> {
    let mode = PathBoxMode::Compare;
    let path = ("Type a path to compare with", Action::ShowPathBox { mode });
    let mut asked = vec![
        ("Compare with a trace", CompareAction::Dialog),
        (
            "Compare with a folder of traces",
            CompareAction::FolderDialog,
        ),
    ];
    if session.other().is_some() {
        let align = CompareAction::Align;
        asked.extend([
            ("Stop comparing", CompareAction::Stop),
            (
                "Align the first steps of A and B",
                align(Alignment::FirstSteps),
            ),
            ("Align the windows of A and B", align(Alignment::Windows)),
            (
                "Align the slices selected in A and B",
                align(Alignment::Selected),
            ),
            ("Reset the shift of B", align(Alignment::Origins)),
            (
                "Load the second trace again",
                CompareAction::Other(Box::new(Action::Reload)),
            ),
        ]);
    }
    let wrapped = |(what, action)| (what, Action::Compare(action));
    std::iter::once(path)
        .chain(asked.into_iter().map(wrapped))
        .collect()
}

/// What the panels and bars offer to switch.
fn choices(session: &Session) -> Vec<(&'static str, Action)> {
    let settings = &session.settings;
    let snap = if settings.snap {
        "Do not snap the edges of a window to slices"
    } else {
        "Snap the edges of a window to slices"
    };
    let (steps, basis) = match settings.basis {
        Basis::Device => ("Use the host's windows for steps", Basis::Host),
        Basis::Host => ("Use the device's windows for steps", Basis::Device),
    };
    let clip = if settings.clip_suspicious {
        "Use suspicious kernels as recorded"
    } else {
        "Clip suspicious kernels"
    };
    vec![
        ("Clear the window", Action::ClearWindow),
        ("Show the health list", toggle(Overlay::Health)),
        (
            snap,
            Action::SetSnap {
                snap: !settings.snap,
            },
        ),
        (steps, Action::SetBasis { basis }),
        (
            clip,
            Action::SetClip {
                clip: !settings.clip_suspicious,
            },
        ),
        ("Reset all lanes", Action::Lane(LaneAction::ResetAll)),
    ]
}
