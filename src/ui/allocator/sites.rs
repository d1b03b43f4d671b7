//! Who holds memory: merged stacks as a flame from the outermost function down, and call sites as a
//! table.

mod flame;

use super::super::controls::{counted, mono, weak};
use super::super::panels::csv_buttons;
use super::super::panels::rows::{self, Title};
use super::super::theme::Theme;
use super::site_lines;
use super::words::{exact, mib, percent};
use crate::session::{
    Action, CsvPanel, Held, HeldOf, Picked, Session, SiteSort, SnapshotAction, SnapshotTable,
    site_words,
};
use crate::snapshot::{GroupBy, Site};
use egui::{Align, Button, Label, Layout, RichText, Role, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder};

/// Height of a line.
const LINE: f32 = 19.0;

/// Shows both.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    toolbar(ui, session, theme, out);
    let Some((picked, held, is_current)) = session.shown_sites() else {
        ui.label(weak(theme, "Grouping allocations…"));
        return;
    };
    let faded = theme.faded();
    let theme = if is_current { theme } else { &faded };
    if held.count == 0 {
        let words = match session.snapshot.sites.of {
            HeldOf::Moment => "Nothing is allocated at this moment.",
            HeldOf::Window => "Nothing that began in the window is alive at its end.",
        };
        ui.label(weak(theme, words));
        return;
    }
    let height = (ui.available_height() * 0.42).clamp(60.0, 400.0);
    flame::ui(ui, session, theme, held, height, out);
    ui.add_space(4.0);
    let filter = &session.snapshot.sites.filter;
    if let Some(text) = rows::filter(ui, theme, "Filter call sites", filter) {
        out.push(Action::Snapshot(SnapshotAction::FilterSites(text)));
    }
    table(ui, session, theme, held, picked, out);
}

fn toolbar(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let sites = &session.snapshot.sites;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mut choose = |ui: &mut Ui, chosen: bool, name: &str, hover: &str, action| {
            let text = RichText::new(name).size(12.5);
            let response = ui.add(Button::selectable(chosen, text));
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, name));
            if response.on_hover_text(hover).clicked() {
                out.push(Action::Snapshot(action));
            }
        };
        let of = sites.of;
        choose(
            ui,
            of == HeldOf::Moment,
            "Alive at the moment",
            "Everything that the program held at the moment, as requested",
            SnapshotAction::HeldOf(HeldOf::Moment),
        );
        if session.snapshot_window().is_some() {
            choose(
                ui,
                of == HeldOf::Window,
                "Added by the window",
                "What was allocated in the window and is still alive at its end: what leaks shows here step after step",
                SnapshotAction::HeldOf(HeldOf::Window),
            );
        }
        ui.add_space(10.0);
        for (by, name, hover) in [
            (GroupBy::Site, "By call site", "By the innermost function of the program itself"),
            (GroupBy::Stack, "By stack", "By the whole stack"),
        ] {
            choose(ui, sites.by == by, name, hover, SnapshotAction::Group(by));
        }
        ui.add_space(10.0);
        let native = !sites.only_python;
        choose(
            ui,
            native,
            "Native frames",
            "Shows frames of C++ in the flame as well",
            SnapshotAction::OnlyPython(native),
        );
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let panel = CsvPanel::Snapshot(SnapshotTable::Sites);
            csv_buttons(ui, theme, "Call sites", panel, out);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if let Some((_, held, _)) = session.shown_sites() {
                    let words = format!(
                        "{} in {}",
                        mib(held.bytes),
                        counted(held.count, "allocation", "allocations")
                    );
                    ui.add(Label::new(weak(theme, words)).truncate())
                        .on_hover_text(format!("{}, as requested", exact(held.bytes)));
                }
            });
        });
    });
}

/// The columns: what sorts them, title, definition.
const COLUMNS: [(Option<SiteSort>, &str, &str); 5] = [
    (
        Some(SiteSort::Bytes),
        "bytes",
        "Bytes that the call site holds, as requested.",
    ),
    (None, "share", "Of all bytes that are listed."),
    (Some(SiteSort::Count), "count", "Number of allocations."),
    (Some(SiteSort::Largest), "largest", "The largest of them."),
    (
        Some(SiteSort::Site),
        "call site",
        "The innermost function of the program itself.",
    ),
];

fn table(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    held: &Held,
    picked: Picked<'_, Site>,
    out: &mut Vec<Action>,
) {
    let Some(open) = session.snapshot.open.as_deref() else {
        return;
    };
    if picked.is_empty() {
        ui.label(weak(theme, "No call site fits the filter."));
        return;
    }
    let sorting = session.snapshot.sites.sorting;
    ui.spacing_mut().item_spacing.x = 14.0;
    TableBuilder::new(ui)
        .id_salt("call sites")
        .striped(false)
        .auto_shrink([false, false])
        .cell_layout(Layout::right_to_left(Align::Center))
        .columns(Column::exact(88.0), 1)
        .columns(Column::exact(56.0), 2)
        .columns(Column::exact(88.0), 1)
        .column(Column::remainder().at_least(80.0))
        .header(LINE, |mut header| {
            for (by, text, hover) in COLUMNS {
                header.col(|ui| {
                    let title = Title {
                        of: "call sites",
                        text,
                        hover,
                        is_words: by == Some(SiteSort::Site),
                        order: by.filter(|by| *by == sorting.by).map(|_| sorting.order),
                    };
                    match by {
                        None => title.show_still(ui, theme),
                        Some(by) => {
                            if title.show(ui, theme).clicked() {
                                out.push(Action::Snapshot(SnapshotAction::SortSites(by)));
                            }
                        }
                    }
                });
            }
        })
        .body(|body| {
            body.rows(LINE, picked.len(), |mut line| {
                let Some(site) = picked.get(line.index()) else {
                    return;
                };
                let figures = [
                    mib(site.bytes),
                    percent(site.bytes, held.bytes),
                    super::super::controls::count(site.count),
                    mib(site.largest),
                ];
                for text in figures {
                    line.col(|ui| {
                        ui.label(mono(text).size(11.5).color(theme.text));
                    });
                }
                line.col(|ui| {
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        let words = site_words(open, site.frame);
                        let text = RichText::new(&words).size(12.0).color(theme.text);
                        let hover = std::iter::once(format!(
                            "{} in {}",
                            exact(site.bytes),
                            counted(site.count, "allocation", "allocations")
                        ))
                        .chain(std::iter::once("stack of the largest:".to_owned()))
                        .chain(site_lines(session, site.stack, 12));
                        let hover: Vec<String> = hover.collect();
                        ui.add(Label::new(text).truncate())
                            .on_hover_text(hover.join("\n"));
                    });
                });
            });
        });
}
