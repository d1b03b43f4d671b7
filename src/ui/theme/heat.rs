//! The scale of colours for numbers on a map: one direction, dark to light, from blue to yellow.

use super::{Theme, rgb};
use egui::Color32;

/// Stops of the cividis scale (Nuñez, Anderton, Renslow 2018), which reads the same with every common
/// form of colour blindness, and in grey.
const STOPS: [Color32; 6] = [
    rgb(0x0000_224e),
    rgb(0x0035_456c),
    rgb(0x0066_6970),
    rgb(0x0094_8e77),
    rgb(0x00c8_b866),
    rgb(0x00fe_e838),
];

impl Theme {
    /// The colour of a number from 0 (the least) to 1 (the most). The same in both appearances, so
    /// that pictures can be compared.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the number of stops"
    )]
    pub fn heat(&self, share: f32) -> Color32 {
        let at = share.clamp(0.0, 1.0) * 5.0;
        let below = at.floor().min(4.0);
        let stop = |at: f32| STOPS.get(at as usize).copied().unwrap_or(self.idle);
        stop(below).lerp_to_gamma(stop(below + 1.0), at - below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_lighter_all_the_way() {
        let theme = Theme::dark();
        let grey = |c: Color32| {
            0.2126 * f32::from(c.r()) + 0.7152 * f32::from(c.g()) + 0.0722 * f32::from(c.b())
        };
        let shades: Vec<f32> = (0_u8..=20)
            .map(|i| grey(theme.heat(f32::from(i) / 20.0)))
            .collect();
        assert!(shades.is_sorted_by(|a, b| b - a > 5.0), "{shades:?}");
        assert_eq!(theme.heat(-1.0), theme.heat(0.0));
        assert_eq!(theme.heat(7.0), theme.heat(1.0));
        assert_eq!(theme.heat(0.0), STOPS[0]);
    }
}
