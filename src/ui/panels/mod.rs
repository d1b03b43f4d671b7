//! The panel at the right: figures of the focused device and of all devices.
//!
//! Every figure is asked from `metrics` in each frame, for the window of that frame, and shown by
//! the name, title and definition of `metrics::report`, so that a drag moves all of them at once
//! and the digits are those of the exported tables.

mod bar;
mod breakdown;
mod collectives;
mod compare;
mod compat;
mod devices;
mod findings;
mod idle;
mod kernels;
mod memory;
mod overlap;
mod picture;
mod ranks;
pub(super) mod rows;
mod steps;
mod streams;
pub(super) mod table;
mod verdict;
mod whatif;

use super::controls::{Figure, icon_button, mono, section_head, weak};
use super::icon::Icon;
use super::plain;
use super::theme::{SMALL_GAP, Theme};
use super::top_bar::window_words;
use crate::metrics::report::{self, Cell, Column, Head, Table, Unit};
use crate::metrics::{self, Row};
use crate::session::{Action, CsvPanel, Section, Session};
use crate::time::Ns;
use crate::trace::{Device, Rank};
use egui::{ComboBox, Frame, Margin, Panel, ScrollArea, Ui};

/// What a section needs to show figures of one device.
struct Figures<'a> {
    rank: &'a Rank,
    device: &'a Device,
    row: Row,
    columns: Vec<Column<Row>>,
    origin: Ns,
}

impl Figures<'_> {
    fn column(&self, name: &str) -> Option<(Head, Cell)> {
        let column = self.columns.iter().find(|c| c.head.name == name)?;
        Some((column.head, (column.get)(&self.row)))
    }
}

/// Shows the panel.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some((compare, other)) = session.compare.as_ref().zip(session.other()) else {
        let width = (ui.available_width() * 0.29).clamp(320.0, 520.0);
        return panel(ui, theme, "figures", width, |ui| {
            sections(ui, session, theme, out);
        });
    };
    // Two columns and their difference take more room.
    let width = (ui.available_width() * 0.39).clamp(400.0, 640.0);
    panel(ui, theme, "compared figures", width, |ui| {
        compare::ui(ui, session, other, compare.panel, theme, out);
    });
}

fn panel(ui: &mut Ui, theme: &Theme, id: &str, width: f32, contents: impl FnOnce(&mut Ui)) {
    Panel::right(id.to_owned())
        .resizable(true)
        .default_size(width)
        .size_range(280.0..=760.0)
        .frame(Frame::NONE)
        .show(ui, |ui| {
            plain::ground(ui, theme.panel, |ui| {
                ScrollArea::vertical()
                    .auto_shrink([false, false])
                    .show(ui, |ui| {
                        Frame::NONE
                            .inner_margin(Margin::symmetric(12, 6))
                            .show(ui, |ui| {
                                ui.spacing_mut().item_spacing.y = 2.0;
                                contents(ui);
                            });
                    });
            });
        });
}

fn sections(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some((rank, device)) = session.focused() else {
        ui.add_space(SMALL_GAP);
        ui.label("No GPU work");
        ui.add(
            egui::Label::new(weak(
                theme,
                "This trace has no kernels, copies or fills, so there are no figures.",
            ))
            .wrap(),
        );
        if session.shown_memory().is_some() {
            memory::section_of(ui, session, theme, out);
        }
        return;
    };
    let query = session.query();
    let figures = Figures {
        rank,
        device,
        row: metrics::device_row(rank, device, query.selection, query.clip_suspicious),
        columns: report::columns(Table::Summary),
        origin: session.origin().unwrap_or_default(),
    };
    ui.add_space(4.0);
    device_choice(ui, session, rank, device, "Device", out);
    section(ui, session, theme, Section::Breakdown, out, |ui, out| {
        breakdown::ui(ui, session, &figures, theme, out);
    });
    section(ui, session, theme, Section::Overlap, out, |ui, _| {
        overlap::ui(ui, &figures, theme);
    });
    section(ui, session, theme, Section::Streams, out, |ui, _| {
        streams::ui(ui, session, &figures, theme);
    });
    findings::section(ui, session, theme, out);
    verdict::section(ui, session, theme, out);
    if session
        .trace
        .as_ref()
        .is_some_and(|t| t.devices().nth(1).is_some())
    {
        section(ui, session, theme, Section::Devices, out, |ui, out| {
            devices::ui(ui, session, theme, out);
        });
    }
    if session.has_several_ranks() {
        section(ui, session, theme, Section::Ranks, out, |ui, out| {
            ranks::ui(ui, session, theme, out);
        });
    }
    if !rank.host_steps.is_empty() {
        section(ui, session, theme, Section::Steps, out, |ui, out| {
            steps::ui(ui, session, &figures, theme, out);
        });
    }
    section(ui, session, theme, Section::Idle, out, |ui, out| {
        idle::ui(ui, session, &figures, theme, out);
    });
    section(ui, session, theme, Section::Kernels, out, |ui, out| {
        kernels::ui(ui, session, &figures, theme, out);
    });
    section(ui, session, theme, Section::Collectives, out, |ui, out| {
        collectives::ui(ui, session, &figures, theme, out);
    });
    memory::section_of(ui, session, theme, out);
    section(ui, session, theme, Section::WhatIf, out, |ui, out| {
        whatif::ui(ui, session, &figures, theme, out);
    });
    ui.add_space(SMALL_GAP);
}

fn section(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    section: Section,
    out: &mut Vec<Action>,
    body: impl FnOnce(&mut Ui, &mut Vec<Action>),
) {
    let (name, panel) = (section.title(), section.csv());
    section_with(ui, session, theme, section, out, body, |ui, out| {
        csv_buttons(ui, theme, name, panel, out);
    });
}

/// The same with other buttons in its head.
fn section_with(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    section: Section,
    out: &mut Vec<Action>,
    body: impl FnOnce(&mut Ui, &mut Vec<Action>),
    buttons: impl FnOnce(&mut Ui, &mut Vec<Action>),
) {
    let open = !session.closed_sections.contains(&section);
    let name = section.title();
    ui.add_space(4.0);
    let clicked = section_head(ui, theme, open, name, |ui| buttons(ui, out));
    if clicked {
        out.push(Action::ToggleSection { section });
    }
    if open {
        ui.push_id(name, |ui| body(ui, out));
        ui.add_space(SMALL_GAP);
    }
    super::controls::rule(ui, theme);
}

/// "Export CSV…" and "Copy", from right to left.
pub(super) fn csv_buttons(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    panel: CsvPanel,
    out: &mut Vec<Action>,
) {
    if icon_button(ui, theme, Icon::Export, &format!("Export CSV… ({name})")).clicked() {
        out.push(Action::ExportCsv { panel });
    }
    if icon_button(ui, theme, Icon::Copy, &format!("Copy ({name})")).clicked() {
        out.push(Action::CopyPanel { panel });
    }
}

/// Which device the figures are of.
fn device_choice(
    ui: &mut Ui,
    session: &Session,
    rank: &Rank,
    device: &Device,
    name: &str,
    out: &mut Vec<Action>,
) {
    let Some(trace) = &session.trace else {
        return;
    };
    let combo = ComboBox::from_id_salt(name)
        .selected_text(device_words(rank, device))
        .width(ui.available_width())
        .truncate()
        .show_ui(ui, |ui| {
            for (r, d) in trace.devices() {
                let chosen = (r.id, d.id) == (rank.id, device.id);
                if ui.selectable_label(chosen, device_words(r, d)).clicked() {
                    out.push(Action::FocusDevice {
                        rank: r.id,
                        device: d.id,
                    });
                }
            }
        });
    combo.response.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(egui::Role::ComboBox, true, name);
        info.current_text_value = Some(device_words(rank, device));
        info
    });
}

fn device_words(rank: &Rank, device: &Device) -> String {
    let name = device
        .name
        .as_deref()
        .map(|n| format!(" · {n}"))
        .unwrap_or_default();
    format!("Rank {} · GPU {}{name}", rank.id.0, device.id.0)
}

/// The window that a section's figures are of.
fn window_line(ui: &mut Ui, figures: &Figures<'_>, theme: &Theme) {
    let text = match figures.row.window {
        Some(window) => format!("of {}", window_words(window, figures.origin)),
        None => "of no window".to_owned(),
    };
    let hover = figures
        .row
        .window
        .map(|w| format!("@{} to @{} ns", w.start().0, w.end().0))
        .unwrap_or_default();
    ui.label(mono(text).small().color(theme.text_weak))
        .on_hover_text(hover);
    ui.add_space(2.0);
}

/// How a figure is shown.
struct Shown {
    /// Column of the table.
    name: &'static str,
    /// Column whose value stands at the right: a share of the first.
    share: Option<&'static str>,
    color: Option<egui::Color32>,
    indent: f32,
    strong: bool,
}

impl Shown {
    fn main(name: &'static str) -> Self {
        Self {
            name,
            share: None,
            color: None,
            indent: 0.0,
            strong: true,
        }
    }

    fn part(name: &'static str, color: egui::Color32) -> Self {
        Self {
            color: Some(color),
            indent: 14.0,
            strong: false,
            ..Self::main(name)
        }
    }

    fn with_share(self, share: &'static str) -> Self {
        Self {
            share: Some(share),
            ..self
        }
    }
}

/// One figure by the name of its column: title, digits, unit and definition of the table.
fn figure(ui: &mut Ui, figures: &Figures<'_>, theme: &Theme, shown: &Shown) {
    let Some((head, cell)) = figures.column(shown.name) else {
        return;
    };
    let share = shown
        .share
        .and_then(|name| figures.column(name))
        .and_then(|(head, cell)| Some(with_unit(&cell.text()?, head.unit)))
        .unwrap_or_default();
    let (value, reason) = match cell.text() {
        Some(text) => (with_unit(&text, head.unit), String::new()),
        None => missing(figures),
    };
    let (value, share) = match head.unit {
        // A percentage alone stands where percentages stand.
        Unit::Percent if share.is_empty() => (String::new(), value),
        _ => (value, share),
    };
    Figure {
        color: shown.color,
        indent: shown.indent,
        word: head.title,
        value,
        share,
        hover: format!("{}{reason}", head.definition),
        strong: shown.strong,
    }
    .show(ui, theme);
}

/// What stands where a figure has no value, and why.
fn missing(figures: &Figures<'_>) -> (String, String) {
    if figures.row.figures.is_some() {
        let reason = "\n\nn/a: what it is a share of is zero in this window.";
        ("n/a".to_owned(), reason.to_owned())
    } else {
        let reason = "\n\nno data: the rank recorded nothing in this window.";
        ("no data".to_owned(), reason.to_owned())
    }
}

fn with_unit(text: &str, unit: Unit) -> String {
    match unit.label() {
        "" => text.to_owned(),
        label => format!("{text} {label}"),
    }
}
