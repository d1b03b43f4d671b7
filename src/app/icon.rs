//! The window's icon, drawn pixel by pixel: the same picture as `assets/overlane.svg`.

use crate::ui::theme::Theme;
use egui::{Color32, IconData};

/// Edge of the icon in pixels; the drawing is made on a grid of this size.
const SIZE: u8 = 64;

/// The icon.
#[must_use]
pub(super) fn icon() -> IconData {
    let theme = Theme::dark();
    let band = theme.panel.lerp_to_gamma(theme.overlap, 0.35);
    // From back to front: left, top, width, height, radius, colour.
    let shapes = [
        ([0.0, 0.0, 64.0, 64.0, 14.0], theme.panel),
        ([26.0, 10.0, 18.0, 44.0, 3.0], band),
        ([9.0, 17.0, 35.0, 12.0, 3.0], theme.computation),
        ([26.0, 35.0, 18.0, 12.0, 3.0], theme.communication),
        ([45.0, 35.0, 10.0, 12.0, 3.0], theme.exposed_comm),
    ];
    let mut rgba = Vec::with_capacity(usize::from(SIZE) * usize::from(SIZE) * 4);
    for y in 0..SIZE {
        for x in 0..SIZE {
            let at = (f32::from(x) + 0.5, f32::from(y) + 0.5);
            let top = shapes.iter().rev().find(|(shape, _)| is_inside(shape, at));
            let color = top.map_or(Color32::TRANSPARENT, |(_, color)| *color);
            rgba.extend(color.to_array());
        }
    }
    IconData {
        rgba,
        width: u32::from(SIZE),
        height: u32::from(SIZE),
    }
}

/// Whether a point lies inside a rectangle with rounded corners.
fn is_inside([left, top, width, height, radius]: &[f32; 5], (x, y): (f32, f32)) -> bool {
    let dx = (left + radius - x)
        .max(x - (left + width - radius))
        .max(0.0);
    let dy = (top + radius - y).max(y - (top + height - radius)).max(0.0);
    dx * dx + dy * dy <= radius * radius
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_icon_is_whole_and_has_round_corners() {
        let icon = icon();
        assert_eq!(icon.rgba.len(), 64 * 64 * 4);
        assert_eq!(icon.rgba[3], 0);
        assert_eq!(icon.rgba[(32 * 64 + 32) * 4 + 3], 255);
    }
}
