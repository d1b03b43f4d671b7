//! The help window: keys and gestures.

use super::controls::{mono, weak};
use super::shortcuts::{COMMANDS, GESTURES, Group};
use super::theme::{GAP, Theme};
use crate::session::{Action, Overlay, Session};
use egui::{Grid, RichText, ScrollArea, Ui};

/// Shows the window while it is open.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if session.overlay != Some(Overlay::Help) {
        return;
    }
    let modal = super::dialog(ui, theme, "Keys", 780.0, |ui| {
        let room = (ui.ctx().content_rect().height() * 0.92 - 80.0).max(100.0);
        ScrollArea::vertical().max_height(room).show(ui, |ui| {
            ui.columns_const(|[left, right]| {
                for group in [Group::Move, Group::Choose] {
                    keys(left, theme, group);
                }
                for group in [Group::Program, Group::Allocator] {
                    keys(right, theme, group);
                }
                heading(right, "Mouse");
                table(right, theme, "Mouse", GESTURES.iter().copied());
            });
        });
    });
    if modal {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::Help,
        });
    }
}

fn keys(ui: &mut Ui, theme: &Theme, group: Group) {
    heading(ui, group.label());
    let rows = COMMANDS
        .iter()
        .filter(|c| c.group == group)
        .map(|c| (c.keys, c.what));
    table(ui, theme, group.label(), rows);
}

fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(GAP / 2.0);
    ui.label(RichText::new(text).strong());
    ui.add_space(2.0);
}

fn table<'a>(ui: &mut Ui, theme: &Theme, id: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    Grid::new(id)
        .num_columns(2)
        .min_col_width(74.0)
        .spacing([10.0, 6.0])
        .show(ui, |ui| {
            for (keys, what) in rows {
                ui.label(mono(keys).background_color(theme.raised));
                ui.add(egui::Label::new(weak(theme, what)).wrap());
                ui.end_row();
            }
        });
}
