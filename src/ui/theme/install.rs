//! Putting a theme into egui: colours, sizes of text, distances.

use super::{Theme, see_through};
use crate::session::ThemeChoice;
use egui::epaint::Shadow;
use egui::style::WidgetVisuals;
use egui::{Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle, Visuals, vec2};

impl Theme {
    fn egui_theme(&self) -> egui::Theme {
        match self.choice {
            ThemeChoice::Dark => egui::Theme::Dark,
            ThemeChoice::Light => egui::Theme::Light,
        }
    }

    /// Whether egui uses this theme.
    #[must_use]
    pub fn is_installed(&self, ctx: &egui::Context) -> bool {
        ctx.theme() == self.egui_theme()
    }

    /// Puts colours, sizes and distances into egui.
    pub fn install(&self, ctx: &egui::Context) {
        let theme = self.egui_theme();
        ctx.set_theme(theme);
        let visuals = self.visuals();
        ctx.style_mut_of(theme, |style| {
            style.visuals = visuals;
            style.text_styles = [
                (
                    TextStyle::Heading,
                    FontId::new(15.0, FontFamily::Proportional),
                ),
                (TextStyle::Body, FontId::new(12.5, FontFamily::Proportional)),
                (
                    TextStyle::Button,
                    FontId::new(12.5, FontFamily::Proportional),
                ),
                (
                    TextStyle::Small,
                    FontId::new(11.0, FontFamily::Proportional),
                ),
                (
                    TextStyle::Monospace,
                    FontId::new(12.0, FontFamily::Monospace),
                ),
            ]
            .into();
            let spacing = &mut style.spacing;
            spacing.item_spacing = vec2(8.0, 4.0);
            spacing.button_padding = vec2(9.0, 4.0);
            spacing.interact_size = vec2(24.0, 22.0);
            spacing.combo_width = 60.0;
            spacing.icon_width = 14.0;
            spacing.icon_width_inner = 8.0;
            spacing.tooltip_width = 340.0;
            spacing.menu_margin = egui::Margin::same(6);
            spacing.scroll = egui::style::ScrollStyle {
                bar_width: 8.0,
                ..egui::style::ScrollStyle::thin()
            };
            style.interaction.tooltip_delay = 0.35;
            style.interaction.selectable_labels = false;
            style.animation_time = 0.08;
        });
    }

    fn visuals(&self) -> Visuals {
        let mut v = match self.choice {
            ThemeChoice::Dark => Visuals::dark(),
            ThemeChoice::Light => Visuals::light(),
        };
        let corner = CornerRadius::same(4);
        let widget = |fill: Color32, stroke: Color32, text: Color32| WidgetVisuals {
            bg_fill: fill,
            weak_bg_fill: fill,
            bg_stroke: Stroke::new(1.0, stroke),
            corner_radius: corner,
            fg_stroke: Stroke::new(1.0, text),
            expansion: 0.0,
        };
        v.widgets.noninteractive = widget(self.panel, self.line, self.text);
        v.widgets.inactive = widget(self.raised, self.line_strong, self.text);
        v.widgets.hovered = widget(self.hovered, self.line_strong, self.text);
        v.widgets.active = widget(self.hovered, self.accent, self.text);
        v.widgets.open = widget(self.hovered, self.line_strong, self.text);
        v.override_text_color = None;
        v.weak_text_color = Some(self.text_weak);
        v.selection.bg_fill = self.panel.lerp_to_gamma(self.accent, 0.35);
        v.selection.stroke = Stroke::new(1.0, self.window_edge);
        v.hyperlink_color = self.accent;
        v.faint_bg_color = self.lane_bg_alt;
        v.extreme_bg_color = self.canvas;
        v.text_edit_bg_color = Some(self.canvas);
        v.code_bg_color = self.raised;
        v.warn_fg_color = self.warning;
        v.error_fg_color = self.error;
        v.window_fill = self.panel;
        v.panel_fill = self.panel;
        v.window_stroke = Stroke::new(1.0, self.line_strong);
        v.window_corner_radius = CornerRadius::same(8);
        v.menu_corner_radius = CornerRadius::same(6);
        let shadow = Shadow {
            offset: [0, 6],
            blur: 18,
            spread: 0,
            color: see_through(
                0,
                if self.choice == ThemeChoice::Dark {
                    110
                } else {
                    45
                },
            ),
        };
        v.window_shadow = shadow;
        v.popup_shadow = shadow;
        v.striped = false;
        v.slider_trailing_fill = true;
        v.indent_has_left_vline = false;
        v
    }
}
