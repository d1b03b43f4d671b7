//! The screen: views that read a [`Session`] and push [`Action`]s, one file a view.
//!
//! [`screen`] lays the views out; no view changes anything or computes a figure. Colours and sizes
//! come from [`theme`]. egui is used here and in `app`, nowhere else.

mod allocator;
mod annotations;
mod bookmarks;
mod compare;
mod controls;
mod details;
mod empty;
mod health;
mod help;
mod icon;
pub mod lanes;
mod open_options;
mod overview;
mod palette;
mod panels;
mod path_box;
mod plain;
mod progress;
mod ruler;
mod search;
pub mod shortcuts;
mod status_bar;
mod step_strip;
pub mod theme;
mod top_bar;

use crate::session::{Action, Session};
use egui::{Align, CentralPanel, Frame, Id, Layout, Margin, Modal, Panel, RichText, Stroke, Ui};
use theme::{SMALL_GAP, Theme};

/// The least room for the lanes of either of two traces.
const LEAST_LANES: f32 = 90.0;

/// What views keep from frame to frame for speed; keyed by values, so it never goes stale.
#[derive(Default)]
pub struct Caches {
    /// Pictures of the lanes, and the drag over them.
    pub lanes: lanes::LaneCache,
    /// The same of the trace that it is compared with.
    pub other: lanes::LaneCache,
}

/// Draws everything and returns what the user asked for.
pub fn screen(ui: &mut Ui, session: &Session, theme: &Theme, caches: &mut Caches) -> Vec<Action> {
    let mut out = Vec::new();
    shortcuts::read(ui.ctx(), session, &mut out);
    top_bar::ui(ui, session, theme, &mut out);
    status_bar::ui(ui, session, theme, &mut out);
    allocator::tabs(ui, session, theme, &mut out);
    if session.shows_allocator() {
        allocator::ui(ui, session, theme, &mut out);
    } else if session.trace.is_some() {
        panels::ui(ui, session, theme, &mut out);
        details::ui(ui, session, theme, &mut out);
        timeline(ui, session, theme, caches, &mut out);
    } else {
        empty::ui(ui, session, theme, &mut out);
    }
    progress::ui(ui, session, theme, &mut out);
    help::ui(ui, session, theme, &mut out);
    health::ui(ui, session, theme, &mut out);
    if let Some(other) = session.other() {
        compare::of_other(&mut out, |out| health::ui(ui, other, theme, out));
    }
    annotations::ui(ui, session, theme, &mut out);
    bookmarks::list(ui, session, theme, &mut out);
    open_options::ui(ui, session, theme, &mut out);
    palette::ui(ui, session, theme, &mut out);
    path_box::ui(ui, session, theme, &mut out);
    empty::drop_hint(ui, theme);
    out
}

fn timeline(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    caches: &mut Caches,
    out: &mut Vec<Action>,
) {
    CentralPanel::no_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        search::ui(ui, session, theme, out);
        step_strip::ui(ui, session, theme, out);
        overview::ui(ui, session, theme, &mut caches.lanes, out);
        ruler::ui(ui, session, theme, &mut caches.lanes, out);
        let compared = session.compare.as_ref().zip(session.other());
        let Some((compare, other)) = compared else {
            // Nothing of a second trace is kept.
            if caches.other.is_used() {
                caches.other = lanes::LaneCache::default();
            }
            lanes::ui(ui, session, theme, &mut caches.lanes, out);
            return;
        };
        let height = ui.available_height();
        Panel::bottom("compared lanes")
            .resizable(true)
            .default_size((height / 2.0).round())
            .size_range(LEAST_LANES..=(height - LEAST_LANES).max(LEAST_LANES))
            .frame(Frame::NONE)
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                compare::heading_of_b(ui, session, compare, theme, out);
                compare::of_other(out, |out| {
                    lanes::ui(ui, other, theme, &mut caches.other, out);
                });
            });
        compare::heading_of_a(ui, session, theme);
        lanes::without_legend(ui, session, theme, &mut caches.lanes, out);
    });
}

/// A window over the others with a title; returns whether the user wants it closed.
fn dialog(ui: &Ui, theme: &Theme, title: &str, width: f32, contents: impl FnOnce(&mut Ui)) -> bool {
    let frame = Frame::NONE
        .fill(theme.panel)
        .stroke(Stroke::new(1.0, theme.line_strong))
        .corner_radius(8.0)
        .shadow(ui.visuals().window_shadow)
        .inner_margin(Margin::same(16));
    let response = Modal::new(Id::unique(("dialog", title)))
        .frame(frame)
        .show(ui.ctx(), |ui| {
            let room = ui.ctx().content_rect().size() * 0.92;
            ui.set_width(width.min(room.x));
            ui.set_max_height(room.y - 40.0);
            let mut close = false;
            ui.horizontal(|ui| {
                ui.label(RichText::new(title).heading().color(theme.text));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    close = controls::icon_button(ui, theme, icon::Icon::Cross, "Close").clicked();
                });
            });
            ui.add_space(SMALL_GAP);
            contents(ui);
            close
        });
    response.inner || response.should_close()
}

/// A text cut to a number of characters, with an ellipsis where something is missing.
fn ellipsis(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}
