//! A chart under a line that says what it shows, with the button that saves it as a picture.

use super::super::controls::{icon_button, weak};
use super::super::icon::Icon;
use super::super::theme::Theme;
use crate::session::{Action, PictureArea};
use egui::{Align, Label, Layout, Rect, Ui, pos2, vec2};

/// Room for the button.
const BUTTON: f32 = 24.0;
const GAP: f32 = 4.0;

/// What a chart is called.
pub(super) struct Picture<'a> {
    /// What it shows, to read.
    pub(super) words: &'a str,
    /// Which chart the button saves, for its name.
    pub(super) name: &'a str,
    /// The name of the file without its extension.
    pub(super) stem: &'static str,
}

impl Picture<'_> {
    /// Draws the line and the chart; saves what the chart takes where that was asked for.
    pub(super) fn show<R>(
        &self,
        ui: &mut Ui,
        theme: &Theme,
        out: &mut Vec<Action>,
        chart: impl FnOnce(&mut Ui) -> R,
    ) -> R {
        let saves = self.caption(ui, theme);
        let top = ui.next_widget_position();
        let drawn = chart(ui);
        if saves {
            let end = pos2(ui.max_rect().right(), ui.min_rect().bottom());
            let area = on_screen(ui, Rect::from_min_max(top, end));
            let stem = self.stem;
            out.extend(area.map(|area| Action::SavePicture { area, stem }));
        }
        drawn
    }

    /// The words and the button; whether that was clicked.
    fn caption(&self, ui: &mut Ui, theme: &Theme) -> bool {
        let mut saves = false;
        ui.horizontal_top(|ui| {
            // Not a point too much, or the panel would grow with every frame.
            ui.spacing_mut().item_spacing.x = GAP;
            let room = (ui.available_width() - BUTTON - GAP).max(60.0);
            ui.allocate_ui_with_layout(vec2(room, 0.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(room);
                ui.add(Label::new(weak(theme, self.words).small()).wrap());
            });
            let name = format!("Save picture… ({})", self.name);
            saves = icon_button(ui, theme, Icon::Export, &name).clicked();
        });
        saves
    }
}

/// The part of an area that is on the screen.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn on_screen(ui: &Ui, area: Rect) -> Option<PictureArea> {
    let seen = area.intersect(ui.clip_rect());
    let (min, max) = (seen.min.floor(), seen.max.ceil());
    let area = PictureArea::new(min.x as i16, min.y as i16, max.x as i16, max.y as i16);
    seen.is_positive().then_some(area)
}
