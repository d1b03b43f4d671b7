//! One figure of the verdict: title, value, where it comes from, and below these how sure it is, what
//! it means and an event to look at.

use super::super::super::controls::{count as count_of, grouped, mono, swatch};
use super::super::super::theme::Theme;
use super::super::table::right;
use crate::metrics::report::Cell;
use crate::metrics::{Evidence, FigureSource, OverlapFigure, Ratio};
use crate::session::Action;
use crate::trace::{RankId, SliceRef};
use crate::ui::lanes::short_name;
use egui::{
    Align2, Color32, CursorIcon, FontId, Label, Layout, RichText, Role, Sense, Ui, WidgetInfo,
};

/// Widths of the columns behind the title.
const VALUE: f32 = 102.0;
const BADGE: f32 = 62.0;
const AIR: f32 = 6.0;
/// How far what stands below a title is moved to the right.
const INDENT: f32 = 4.0;

/// What stands in the second line of a figure.
const HOW_SURE: &str = "Its interval, how many events it rests on, and which share of what it speaks \
                        of they cover";

/// How a figure is shown.
pub(super) struct Row<'a> {
    figure: &'a OverlapFigure,
    color: Option<Color32>,
    strong: bool,
}

impl<'a> Row<'a> {
    /// One of the main ones.
    pub(super) fn strong(figure: &'a OverlapFigure) -> Self {
        Self {
            figure,
            color: None,
            strong: true,
        }
    }

    /// One of many.
    pub(super) fn plain(figure: &'a OverlapFigure) -> Self {
        Self {
            strong: false,
            ..Self::strong(figure)
        }
    }

    /// A part of a whole, with its colour.
    pub(super) fn part(figure: &'a OverlapFigure, color: Color32) -> Self {
        Self {
            color: Some(color),
            ..Self::plain(figure)
        }
    }

    /// Draws it.
    pub(super) fn show(self, ui: &mut Ui, theme: &Theme, out: &mut Vec<Action>) {
        // Lines of words are as high as the words.
        ui.spacing_mut().interact_size.y = 12.0;
        self.first_line(ui, theme);
        let row = self.figure;
        let indented = |ui: &mut Ui, contents: &mut dyn FnMut(&mut Ui)| {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                ui.add_space(INDENT);
                ui.spacing_mut().item_spacing.x = AIR;
                contents(ui);
            });
        };
        let sure = how_sure(row);
        if !sure.is_empty() {
            indented(ui, &mut |ui| {
                let text = mono(&sure).size(10.5).color(theme.text_weak);
                ui.add(Label::new(text).truncate()).on_hover_text(HOW_SURE);
            });
        }
        let note = note(row);
        if !note.is_empty() {
            indented(ui, &mut |ui| {
                let text = RichText::new(&note).size(11.0).color(theme.text_weak);
                ui.add(Label::new(text).wrap());
            });
        }
        if let Some(event) = &row.evidence {
            indented(ui, &mut |ui| {
                evidence(ui, theme, (row.rank, event), &row.title, out);
            });
        }
        ui.add_space(2.0);
    }

    fn first_line(&self, ui: &mut Ui, theme: &Theme) {
        let row = self.figure;
        let color = if self.strong {
            theme.text
        } else {
            theme.text_weak
        };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = AIR;
            let room = (ui.available_width() - VALUE - BADGE - 2.0 * AIR).max(80.0);
            let top_down = Layout::top_down(egui::Align::Min);
            ui.allocate_ui_with_layout(egui::vec2(room, 0.0), top_down, |ui| {
                ui.set_width(room);
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = 0.0;
                    ui.add_space(INDENT);
                    ui.spacing_mut().item_spacing.x = AIR;
                    if let Some(color) = self.color {
                        ui.vertical(|ui| {
                            ui.set_width(9.0);
                            ui.add_space(3.0);
                            swatch(ui, color);
                        });
                    }
                    let title = RichText::new(&row.title).size(12.0).color(color);
                    ui.add(Label::new(title).wrap());
                });
            });
            let value = value(row);
            right(ui, VALUE, |ui| {
                let ink = if row.value.is_some() {
                    theme.text
                } else {
                    theme.text_weak
                };
                let font = FontId::monospace(12.0);
                let text = RichText::new(grouped(&value)).font(font).color(ink);
                let response = ui.add(Label::new(text).truncate());
                response.widget_info(|| {
                    let mut info = WidgetInfo::labeled(Role::Cell, true, &row.title);
                    info.current_text_value = Some(value.clone());
                    info
                });
            });
            right(ui, BADGE, |ui| badge(ui, theme, row.source));
        });
    }
}

/// The value with its unit.
pub(super) fn value(row: &OverlapFigure) -> String {
    let digits = |text: std::borrow::Cow<'_, str>| match unit(row.unit) {
        "" => text.into_owned(),
        unit => format!("{text} {unit}"),
    };
    row.value.text().map_or_else(|| "n/a".to_owned(), digits)
}

fn unit(unit: &str) -> &str {
    match unit {
        "us" => "µs",
        "x" => "×",
        other => other,
    }
}

/// What it means here; microseconds are written as everywhere on screen.
pub(super) fn note(row: &OverlapFigure) -> String {
    in_words(&row.note)
}

/// A text of the tables as it is written on screen.
pub(in crate::ui::panels) fn in_words(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').map(unit_in_words).collect();
    words.join(" ")
}

fn unit_in_words(word: &str) -> &str {
    if word == "us" { "µs" } else { word }
}

/// Interval, number of events and share, as far as there are any.
fn how_sure(row: &OverlapFigure) -> String {
    let mut parts = Vec::new();
    if let (Some(low), Some(high)) = (row.low.text(), row.high.text()) {
        let (low, high) = (grouped(&low), grouped(&high));
        parts.push(format!("{low} to {high} {}", unit(row.unit)));
    }
    // A count needs no second one beside it.
    let is_count = matches!(row.value, Cell::Int(_));
    if let Some(count) = row.count.filter(|_| !is_count) {
        parts.push(format!("n = {}", count_of(count)));
    }
    if let Some(share) = row.coverage.map(Ratio::percent4) {
        parts.push(format!("covers {share} %"));
    }
    parts.join(" · ")
}

/// A link to an event: what it is evidence for is told to those who do not see where it stands.
pub(in crate::ui::panels) fn evidence(
    ui: &mut Ui,
    theme: &Theme,
    (rank, evidence): (RankId, &Evidence),
    of: &str,
    out: &mut Vec<Action>,
) {
    ui.label(RichText::new("see").size(11.0).color(theme.text_weak));
    let name = short_name(&evidence.name);
    let text = RichText::new(name).size(11.0).color(theme.accent);
    let label = Label::new(text.underline()).truncate().selectable(false);
    let response = ui.add(label.sense(Sense::click()));
    response.widget_info(|| {
        let name = format!("See {name}, for: {of}");
        WidgetInfo::labeled(Role::Link, true, name)
    });
    let response = response
        .on_hover_cursor(CursorIcon::PointingHand)
        .on_hover_text(format!(
            "Select it and bring it into view\n{}",
            evidence.name
        ));
    if response.clicked() {
        out.push(Action::GoTo {
            slice: SliceRef {
                rank,
                slice: evidence.slice,
            },
        });
    }
}

/// Where a figure comes from, as a small plate.
pub(in crate::ui::panels) fn badge(ui: &mut Ui, theme: &Theme, source: FigureSource) {
    let (hover, ink) = match source {
        FigureSource::Measured => ("From the events of the trace alone", theme.text_weak),
        FigureSource::Modelled => (
            "Through an assumption that docs/overlap.md states",
            theme.text,
        ),
        FigureSource::Typed => ("You gave it", theme.text),
    };
    let font = FontId::proportional(10.0);
    let painter = ui.painter();
    let galley = painter.layout_no_wrap(source.name().to_owned(), font, ink);
    let size = galley.size() + egui::vec2(8.0, 2.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, 3.0, theme.raised);
    let at = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size());
    ui.painter().galley(at.min, galley, ink);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, source.name()));
    response.on_hover_text(hover);
}
