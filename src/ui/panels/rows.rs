//! What panels of many rows share: the filter, titles that sort, and rows of another window.

use super::super::icon::Icon;
use super::super::theme::Theme;
use crate::metrics::SortOrder;
use crate::session::{Filter, Session};
use crate::time::{Window, human_duration};
use egui::{
    Align, Color32, Label, Layout, Response, RichText, Role, Sense, TextEdit, Ui, WidgetInfo,
};

/// Air between columns.
pub(in crate::ui) const AIR: f32 = 5.0;

/// The field of a filter, and what is wrong with it; returns the text where it changed.
pub(in crate::ui) fn filter(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    filter: &Filter,
) -> Option<String> {
    let mut text = filter.text.clone();
    let field = TextEdit::singleline(&mut text)
        .hint_text("filter: a regular expression")
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(8.0, 3.0));
    let response = ui.add(field);
    response.widget_info(|| WidgetInfo {
        label: Some(name.to_owned()),
        current_text_value: Some(filter.text.clone()),
        ..WidgetInfo::new(Role::TextInput)
    });
    if let Some(trouble) = &filter.trouble {
        let text = RichText::new(trouble).small().color(theme.error);
        ui.add(Label::new(text).wrap());
    }
    response.changed().then_some(text)
}

/// Of which window the rows are that stay until those of the current one are there.
pub(in crate::ui) fn older_window(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    of: Option<Window>,
) {
    let origin = session.origin().unwrap_or_default();
    let of = of.map_or_else(String::new, |window| {
        let (start, end) = (window.start() - origin, window.end() - origin);
        format!("of {} to {}; ", human_duration(start), human_duration(end))
    });
    let words = format!("{of}measuring the current window…");
    ui.label(super::mono(words).small().color(theme.text_weak));
}

/// A colour, dimmed where the rows are of another window than the current one.
pub(in crate::ui) fn ink(theme: &Theme, is_current: bool, color: Color32) -> Color32 {
    if is_current {
        color
    } else {
        theme.dimmed(color)
    }
}

/// The title of a column; a click sorts by it.
pub(in crate::ui) struct Title<'a> {
    /// What is sorted, in the accessible name.
    pub(in crate::ui) of: &'a str,
    /// The title.
    pub(in crate::ui) text: &'a str,
    /// What the column means.
    pub(in crate::ui) hover: &'a str,
    /// Whether the column holds words, which stand at its left.
    pub(in crate::ui) is_words: bool,
    /// Which end comes first, where rows are sorted by this column.
    pub(in crate::ui) order: Option<SortOrder>,
}

impl Title<'_> {
    /// Shows the title of a column that rows are not sorted by.
    pub(in crate::ui) fn show_still(&self, ui: &mut Ui, theme: &Theme) {
        let text = RichText::new(self.text).size(11.0).color(theme.text_weak);
        ui.with_layout(self.layout(), |ui| {
            let label = Label::new(text).selectable(false);
            ui.add(label).on_hover_text(self.hover);
        });
    }

    fn layout(&self) -> Layout {
        if self.is_words {
            Layout::left_to_right(Align::Center)
        } else {
            Layout::right_to_left(Align::Center)
        }
    }

    /// Shows it.
    pub(in crate::ui) fn show(&self, ui: &mut Ui, theme: &Theme) -> Response {
        let color = if self.order.is_some() {
            theme.text
        } else {
            theme.text_weak
        };
        let shown = ui.with_layout(self.layout(), |ui| {
            if let Some(order) = self.order.filter(|_| !self.is_words) {
                arrow(ui, theme, order);
            }
            let text = RichText::new(self.text).size(11.0).color(color);
            let label = Label::new(text).selectable(false).sense(Sense::click());
            let response = ui.add(label).on_hover_text(self.hover);
            response.widget_info(|| {
                let name = format!("Sort {} by {}", self.of, self.text);
                let mut info = WidgetInfo::labeled(Role::Button, true, name);
                info.current_text_value = self.order.map(|order| match order {
                    SortOrder::Ascending => "ascending".to_owned(),
                    SortOrder::Descending => "descending".to_owned(),
                });
                info
            });
            if let Some(order) = self.order.filter(|_| self.is_words) {
                arrow(ui, theme, order);
            }
            response
        });
        shown.inner
    }
}

/// Shows which way a column is sorted.
fn arrow(ui: &mut Ui, theme: &Theme, order: SortOrder) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(9.0, 9.0), Sense::hover());
    let icon = match order {
        SortOrder::Ascending => Icon::Up,
        SortOrder::Descending => Icon::Down,
    };
    icon.paint(ui.painter(), rect, theme.text);
}
