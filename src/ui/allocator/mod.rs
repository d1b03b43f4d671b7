//! The allocator's view: a snapshot's figures, its history, and below it blocks, call sites, what would
//! fit and when memory ran out. The two tabs that choose between it and the timeline.

mod blocks;
mod fit;
mod header;
mod history;
mod oom;
mod sites;
mod words;

pub(super) use history::{oom_words, value_lines};
pub(super) use words::mib_signed;

use super::plain;
use super::theme::{SMALL_GAP, Theme};
use crate::session::{Action, Session, SnapshotAction, SnapshotTab};
use crate::snapshot::{FrameId, StackId};
use crate::time::{Ns, Window, human_duration};
use egui::{Button, CentralPanel, Frame, Margin, Panel, RichText, Role, Ui, WidgetInfo};

/// Height of a row of tabs.
const TABS: f32 = 28.0;

/// Shows the choice between timeline and allocator, where there are both.
pub(super) fn tabs(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if session.snapshot.open.is_none() || session.trace.is_none() {
        return;
    }
    let frame = Frame::NONE.inner_margin(Margin::symmetric(8, 0));
    Panel::top("views")
        .exact_size(TABS)
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| {
            plain::fill(ui.painter(), ui.clip_rect(), theme.panel);
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                let in_front = session.shows_allocator();
                for (front, name) in [(false, "Timeline"), (true, "Allocator")] {
                    if tab(ui, theme, in_front == front, name) {
                        out.push(Action::Snapshot(SnapshotAction::Front(front)));
                    }
                }
            });
        });
}

/// One tab; whether it was clicked.
fn tab(ui: &mut Ui, theme: &Theme, chosen: bool, name: &str) -> bool {
    let color = if chosen { theme.text } else { theme.text_weak };
    let text = RichText::new(name).size(13.0).color(color);
    let response = ui.add(Button::selectable(chosen, text));
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, chosen, name));
    response.clicked()
}

/// Shows the view.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    CentralPanel::no_frame().show(ui, |ui| {
        plain::ground(ui, theme.canvas, |ui| {
            Frame::NONE
                .inner_margin(Margin::symmetric(12, 8))
                .show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 4.0;
                    header::ui(ui, session, theme, out);
                    ui.add_space(SMALL_GAP);
                    let height = (ui.available_height() * 0.3).clamp(90.0, 300.0);
                    history::ui(ui, session, theme, height, out);
                    parts(ui, session, theme, out);
                });
        });
    });
}

/// What is below the history: one of several parts.
fn parts(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let chosen = session.snapshot.tab;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for part in SnapshotTab::ALL {
            if tab(ui, theme, part == chosen, part.title()) {
                out.push(Action::Snapshot(SnapshotAction::Tab(part)));
            }
        }
    });
    super::controls::rule(ui, theme);
    match chosen {
        SnapshotTab::Blocks => blocks::ui(ui, session, theme, out),
        SnapshotTab::Sites => sites::ui(ui, session, theme, out),
        SnapshotTab::Fit => fit::ui(ui, session, theme, out),
        SnapshotTab::Oom => oom::ui(ui, session, theme, out),
    }
}

/// The innermost frames of a stack that are worth telling: those of the program, else from its call site on.
fn site_lines(session: &Session, stack: StackId, most: usize) -> Vec<String> {
    let Some(open) = session.snapshot.open.as_deref() else {
        return Vec::new();
    };
    let snapshot = &open.snapshot;
    let frames = snapshot.stacks.get(stack);
    let words = |frame: &FrameId| Some(snapshot.frame_words(snapshot.frames.get(*frame)?));
    let own = frames.iter().filter(|f| open.sites.is_of_program(**f));
    let own: Vec<String> = own.filter_map(words).take(most).collect();
    if !own.is_empty() {
        return own;
    }
    // Without Python of the program: from the call site on, past what allocators and unwinders add.
    let site = open.sites.get(stack);
    let from = frames.iter().position(|frame| Some(*frame) == site);
    let all = frames.iter().skip(from.unwrap_or(0));
    all.filter_map(words).take(most).collect()
}

/// A moment, told from the start of the recording.
pub(super) fn moment_words(session: &Session, at: Ns) -> String {
    let start = session.snapshot.extent().map_or(at, Window::start);
    if session
        .snapshot
        .focused()
        .is_some_and(|(_, device, _)| device.events.clock == crate::snapshot::Clock::Order)
    {
        return format!("event {}", super::controls::count(at.0.unsigned_abs()));
    }
    human_duration(at - start)
}
