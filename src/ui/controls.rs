//! Small controls that several views share: buttons with icons, section heads, rows of figures.
//!
//! They know the theme and egui, nothing of traces. Everything has an accessible name.

use super::icon::Icon;
use super::theme::{ROW, Theme};
pub(super) use crate::metrics::grouped as count;
use egui::{
    Align, Align2, Color32, FontId, Layout, Rect, Response, RichText, Role, Sense, TextStyle, Ui,
    WidgetInfo, pos2, vec2,
};

/// A square button that shows an icon; its name is its tooltip.
pub(super) fn icon_button(ui: &mut Ui, theme: &Theme, icon: Icon, name: &str) -> Response {
    icon_button_with(ui, theme, icon, name, theme.text_weak)
}

/// The same with a colour of its own.
pub(super) fn icon_button_with(
    ui: &mut Ui,
    theme: &Theme,
    icon: Icon,
    name: &str,
    color: Color32,
) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(24.0, 22.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let lit = ui.is_enabled() && (response.hovered() || response.has_focus());
    if lit {
        ui.painter().rect_filled(rect, 4.0, theme.hovered);
    }
    let color = if lit { theme.text } else { color };
    icon.paint(
        ui.painter(),
        Rect::from_center_size(rect.center(), vec2(14.0, 14.0)),
        color,
    );
    response.on_hover_text(name)
}

/// Strength of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// What the screen invites to do.
    Primary,
    /// Anything else.
    Normal,
}

/// A button with an icon and words.
pub(super) fn text_button(
    ui: &mut Ui,
    theme: &Theme,
    icon: Option<Icon>,
    name: &str,
    weight: Weight,
) -> Response {
    let font = TextStyle::Button.resolve(ui.style());
    let primary = weight == Weight::Primary;
    let color = if primary { theme.on_accent } else { theme.text };
    let galley = ui.painter().layout_no_wrap(name.to_owned(), font, color);
    let lead = if icon.is_some() { 20.0 } else { 0.0 };
    let size = vec2(galley.size().x + lead + 20.0, 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let lit = ui.is_enabled() && (response.hovered() || response.has_focus());
    let fill = match (primary, lit) {
        (true, false) => theme.accent,
        (true, true) => theme.emphasised(theme.accent),
        (false, false) => theme.raised,
        (false, true) => theme.hovered,
    };
    ui.painter().rect_filled(rect, 5.0, fill);
    let mut x = rect.left() + 10.0;
    if let Some(icon) = icon {
        let place = Rect::from_center_size(pos2(x + 7.0, rect.center().y), vec2(14.0, 14.0));
        icon.paint(ui.painter(), place, color);
        x += lead;
    }
    ui.painter().galley(
        pos2(x, rect.center().y - galley.size().y / 2.0),
        galley,
        color,
    );
    response
}

/// Secondary text.
pub(super) fn weak(theme: &Theme, text: impl Into<String>) -> RichText {
    RichText::new(text).color(theme.text_weak)
}

/// Figures: digits of one width.
pub(super) fn mono(text: impl Into<String>) -> RichText {
    RichText::new(text).monospace()
}

/// A small coloured square before a word.
pub(super) fn swatch(ui: &mut Ui, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
    ui.painter().rect_filled(rect, 2.0, color);
}

/// The head of a section: opens and closes it on a click, with controls at the right.
///
/// Returns whether it was clicked.
pub(super) fn section_head(
    ui: &mut Ui,
    theme: &Theme,
    open: bool,
    name: &str,
    controls: impl FnOnce(&mut Ui),
) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, open, name));
    let icon = if open { Icon::Down } else { Icon::Right };
    let color = if response.hovered() || response.has_focus() {
        theme.text
    } else {
        theme.text_weak
    };
    let place = Rect::from_center_size(pos2(rect.left() + 6.0, rect.center().y), vec2(11.0, 11.0));
    icon.paint(ui.painter(), place, color);
    let font = FontId::proportional(13.0);
    ui.painter().text(
        pos2(rect.left() + 18.0, rect.center().y),
        Align2::LEFT_CENTER,
        name,
        font,
        theme.text,
    );
    let mut right = ui.new_child(
        egui::UiBuilder::new()
            .max_rect(rect)
            .layout(Layout::right_to_left(Align::Center)),
    );
    right.spacing_mut().item_spacing.x = 2.0;
    controls(&mut right);
    response.clicked()
}

/// One figure as a row: word, value, share. The whole row has the name `word` and the value.
pub(super) struct Figure<'a> {
    /// Colour of the square before the word.
    pub color: Option<Color32>,
    /// How far the word is moved to the right: a part of the row above.
    pub indent: f32,
    /// What it is.
    pub word: &'a str,
    /// The figure with its unit.
    pub value: String,
    /// A second figure at the right, such as a share.
    pub share: String,
    /// Definition, and why there is no value.
    pub hover: String,
    /// Whether the row is one of the main ones.
    pub strong: bool,
}

/// Width of the second figure's column.
const SHARE_WIDTH: f32 = 84.0;

impl Figure<'_> {
    /// Draws the row.
    pub(super) fn show(self, ui: &mut Ui, theme: &Theme) -> Response {
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
        let spoken = [self.value.as_str(), self.share.as_str()]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        response.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::Cell, true, self.word);
            info.current_text_value = Some(spoken.clone());
            info
        });
        let painter = ui.painter();
        if response.hovered() {
            painter.rect_filled(rect, 3.0, theme.raised);
        }
        let y = rect.center().y;
        let mut x = rect.left() + 4.0 + self.indent;
        if let Some(color) = self.color {
            painter.rect_filled(
                Rect::from_center_size(pos2(x + 4.5, y), vec2(9.0, 9.0)),
                2.0,
                color,
            );
            x += 16.0;
        }
        let word_color = if self.strong {
            theme.text
        } else {
            theme.text_weak
        };
        let body = FontId::proportional(12.5);
        painter.text(pos2(x, y), Align2::LEFT_CENTER, self.word, body, word_color);
        let digits = FontId::monospace(12.0);
        let missing = [&self.value, &self.share]
            .iter()
            .any(|t| *t == "n/a" || *t == "no data");
        let value_color = if missing { theme.text_weak } else { theme.text };
        painter.text(
            pos2(rect.right() - SHARE_WIDTH, y),
            Align2::RIGHT_CENTER,
            grouped(&self.value),
            digits.clone(),
            value_color,
        );
        painter.text(
            pos2(rect.right() - 4.0, y),
            Align2::RIGHT_CENTER,
            &self.share,
            digits,
            // A share that stands alone is the figure.
            if self.value.is_empty() && self.strong && !missing {
                theme.text
            } else {
                theme.text_weak
            },
        );
        if self.hover.is_empty() {
            response
        } else {
            response.on_hover_text(self.hover)
        }
    }
}

/// A thin line between parts.
pub(super) fn rule(ui: &mut Ui, theme: &Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    ui.painter().rect_filled(rect, 0.0, theme.line);
}

/// The digits before the point in groups of three, as far as they lead the text.
#[must_use]
pub(super) fn grouped(figure: &str) -> String {
    let sign = usize::from(figure.starts_with(['-', '+']));
    let end = figure
        .char_indices()
        .find(|(i, c)| *i >= sign && !c.is_ascii_digit())
        .map_or(figure.len(), |(i, _)| i);
    let (lead, rest) = (figure.get(sign..end), figure.get(end..).unwrap_or(""));
    let Some(number) = lead.and_then(|d| d.parse::<u64>().ok()) else {
        return figure.to_owned();
    };
    let sign = figure.get(..sign).unwrap_or("");
    format!("{sign}{}{rest}", count(number))
}

/// A difference with its sign.
#[must_use]
pub(super) fn signed(figure: &str) -> String {
    let is_zero = figure.chars().all(|c| matches!(c, '0' | '.'));
    if is_zero || figure.starts_with('-') {
        figure.to_owned()
    } else {
        format!("+{figure}")
    }
}

/// A count with its word.
#[must_use]
pub(super) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A size with a unit, powers of 1000 as file managers show them.
#[must_use]
pub(super) fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1_000_u64, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenths = (bytes / (unit / 10)).max(10);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// Bytes with a unit, powers of 1024 as allocators count; exact below a KiB.
#[must_use]
pub(super) fn byte_size(bytes: i128) -> String {
    let sign = if bytes < 0 { "-" } else { "" };
    let size = bytes.unsigned_abs();
    let (unit, name) = match size {
        0..1_024 => return format!("{sign}{size} B"),
        1_024..1_048_576 => (1_024_u128, "KiB"),
        1_048_576..1_073_741_824 => (1_048_576, "MiB"),
        _ => (1_073_741_824, "GiB"),
    };
    // Cut, not rounded, so that no unit is overrun.
    let hundredths = size.saturating_mul(100) / unit;
    format!("{sign}{}.{:02} {name}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sizes_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!(grouped("1234567.890 µs"), "1 234 567.890 µs");
        assert_eq!(grouped("-1234 µs"), "-1 234 µs");
        assert_eq!(grouped("+1234.5"), "+1 234.5");
        assert_eq!(signed("0.000"), "0.000");
        assert_eq!(signed("1.5"), "+1.5");
        assert_eq!(signed("-1.5"), "-1.5");
        assert_eq!(grouped("n/a"), "n/a");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_000), "1.0 kB");
        assert_eq!(size(62_350_000), "62.3 MB");
        assert_eq!(counted(1, "file", "files"), "1 file");
    }
}
