//! Every colour and every distance of the screen: [`Theme`].
//!
//! No other file makes a colour. The class colours follow the Okabe-Ito set, which stays apart in
//! every common form of colour blindness; lightness differs as well, so that grey prints read too.
//! Class is never told by colour alone: lanes, legends and rows carry words.

mod heat;
mod install;
mod memory;

use crate::session::ThemeChoice;
use crate::trace::class::KernelClass;
use crate::trace::{Category, Severity};
use egui::Color32;

/// The tint of a texture that is to be shown as it is.
pub const UNTINTED: Color32 = Color32::WHITE;

/// The colours of one appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Which appearance it is.
    pub choice: ThemeChoice,
    /// Behind everything.
    pub canvas: Color32,
    /// Bars, panels.
    pub panel: Color32,
    /// Raised parts of a panel: headers, fields.
    pub raised: Color32,
    /// Under the pointer.
    pub hovered: Color32,
    /// Lines between parts.
    pub line: Color32,
    /// Stronger lines: frames of popups, ticks.
    pub line_strong: Color32,
    /// Text.
    pub text: Color32,
    /// Secondary text: units, labels, hints.
    pub text_weak: Color32,
    /// Text on a slice.
    pub text_on_slice: Color32,
    /// What can be clicked, what has the focus.
    pub accent: Color32,
    /// Text and icons on the accent.
    pub on_accent: Color32,
    /// Computation.
    pub computation: Color32,
    /// Communication.
    pub communication: Color32,
    /// Copies and memsets.
    pub memory: Color32,
    /// Memory that somebody uses.
    pub allocated: Color32,
    /// Memory that an allocator took from the driver.
    pub reserved: Color32,
    /// What of that nobody uses.
    pub cached: Color32,
    /// Communication that runs beside computation.
    pub overlap: Color32,
    /// The same as a see-through band through a device's lanes.
    pub overlap_band: Color32,
    /// Communication that nothing hides.
    pub exposed_comm: Color32,
    /// Nothing runs.
    pub idle: Color32,
    /// The selected slice's frame.
    pub selection: Color32,
    /// What was searched for.
    pub found: Color32,
    /// Inside of the current window.
    pub window_fill: Color32,
    /// What lies outside of the current window.
    pub window_shade: Color32,
    /// Edges of the current window.
    pub window_edge: Color32,
    /// Behind a lane.
    pub lane_bg: Color32,
    /// Behind every other lane.
    pub lane_bg_alt: Color32,
    /// Behind the heading of a rank or device.
    pub group_bg: Color32,
    /// Slices of the host.
    pub host: Color32,
    /// Host annotations and steps.
    pub annotation: Color32,
    /// Good news.
    pub good: Color32,
    /// Worth a look.
    pub warning: Color32,
    /// Something failed or is missing.
    pub error: Color32,
}

/// Distance between unrelated parts, in points.
pub const GAP: f32 = 12.0;
/// Distance between related parts.
pub const SMALL_GAP: f32 = 6.0;
/// Height of the top bar.
pub const TOP_BAR: f32 = 38.0;
/// Height of the status bar.
pub const STATUS_BAR: f32 = 24.0;
/// Height of a row of figures.
pub const ROW: f32 = 20.0;

/// A colour that was mixed from those of a theme.
#[must_use]
pub fn texel([r, g, b, a]: [u8; 4]) -> Color32 {
    Color32::from_rgba_premultiplied(r, g, b, a)
}

const fn rgb(hex: u32) -> Color32 {
    let [_, r, g, b] = hex.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

fn see_through(hex: u32, alpha: u8) -> Color32 {
    let [_, r, g, b] = hex.to_be_bytes();
    Color32::from_rgba_unmultiplied(r, g, b, alpha)
}

impl Theme {
    /// The theme of a choice.
    #[must_use]
    pub fn of(choice: ThemeChoice) -> Self {
        match choice {
            ThemeChoice::Dark => Self::dark(),
            ThemeChoice::Light => Self::light(),
        }
    }

    /// Light on dark.
    #[must_use]
    pub fn dark() -> Self {
        Self {
            choice: ThemeChoice::Dark,
            canvas: rgb(0x0014_171c),
            panel: rgb(0x001b_1f26),
            raised: rgb(0x0026_2b34),
            hovered: rgb(0x0030_3742),
            line: rgb(0x002a_303a),
            line_strong: rgb(0x0040_4956),
            text: rgb(0x00dd_e3ea),
            text_weak: rgb(0x0093_9eab),
            text_on_slice: rgb(0x000d_1015),
            accent: rgb(0x004c_a3e8),
            on_accent: rgb(0x000b_1016),
            computation: rgb(0x0056_a8de),
            communication: rgb(0x00e8_9c2c),
            memory: rgb(0x0027_b389),
            allocated: rgb(0x00d1_708f),
            reserved: rgb(0x00f5_bfcd),
            cached: see_through(0x00d1_708f, 48),
            overlap: rgb(0x00b9_8bd9),
            overlap_band: see_through(0x00b9_8bd9, 34),
            exposed_comm: rgb(0x00ef_5a2a),
            idle: rgb(0x0046_4e5a),
            selection: rgb(0x00ff_ffff),
            found: rgb(0x00ff_d60a),
            window_fill: see_through(0x004c_a3e8, 20),
            window_shade: see_through(0x0008_0a0d, 120),
            window_edge: rgb(0x0086_c5f4),
            lane_bg: rgb(0x0014_171c),
            lane_bg_alt: rgb(0x0017_1b21),
            group_bg: rgb(0x0020_252d),
            host: rgb(0x006d_7a8c),
            annotation: rgb(0x008d_9bb0),
            good: rgb(0x003f_c08f),
            warning: rgb(0x00f0_c541),
            error: rgb(0x00ff_7b6b),
        }
    }

    /// Dark on light.
    #[must_use]
    pub fn light() -> Self {
        Self {
            choice: ThemeChoice::Light,
            canvas: rgb(0x00ff_ffff),
            panel: rgb(0x00f5_f6f8),
            raised: rgb(0x00e9_ecf0),
            hovered: rgb(0x00dd_e2e8),
            line: rgb(0x00dd_e1e6),
            line_strong: rgb(0x00b9_c1cb),
            text: rgb(0x001b_2129),
            text_weak: rgb(0x005a_6572),
            text_on_slice: rgb(0x000d_1015),
            accent: rgb(0x0000_6bb3),
            on_accent: rgb(0x00ff_ffff),
            computation: rgb(0x004a_9fd8),
            communication: rgb(0x00e6_9f00),
            memory: rgb(0x001a_a87c),
            allocated: rgb(0x00c2_577a),
            reserved: rgb(0x0076_2a45),
            cached: see_through(0x00c2_577a, 48),
            overlap: rgb(0x009a_63c4),
            overlap_band: see_through(0x009a_63c4, 34),
            exposed_comm: rgb(0x00d5_4400),
            idle: rgb(0x00c9_d0d8),
            selection: rgb(0x0011_1519),
            found: rgb(0x00b5_007a),
            window_fill: see_through(0x0000_6bb3, 20),
            window_shade: see_through(0x0050_5a66, 44),
            window_edge: rgb(0x0000_6bb3),
            lane_bg: rgb(0x00ff_ffff),
            lane_bg_alt: rgb(0x00fa_fbfc),
            group_bg: rgb(0x00ee_f1f4),
            host: rgb(0x00a9_b4c0),
            annotation: rgb(0x008c_99aa),
            good: rgb(0x0000_7d58),
            warning: rgb(0x0094_6500),
            error: rgb(0x00b8_2a1a),
        }
    }

    /// The colour of a class of GPU work.
    #[must_use]
    pub fn class_color(&self, class: KernelClass) -> Color32 {
        match class {
            KernelClass::Computation => self.computation,
            KernelClass::Communication => self.communication,
            KernelClass::Memory => self.memory,
        }
    }

    /// The colour of any slice.
    #[must_use]
    pub fn slice_color(&self, class: Option<KernelClass>, category: Category) -> Color32 {
        match (class, category) {
            (Some(class), _) => self.class_color(class),
            (None, Category::Annotation | Category::GpuAnnotation | Category::ProfilerSpan) => {
                self.annotation
            }
            (None, _) => self.host,
        }
    }

    /// The colour of a severity of the health list; `None` is "nothing found".
    #[must_use]
    pub fn severity_color(&self, severity: Option<Severity>) -> Color32 {
        match severity {
            None => self.good,
            Some(Severity::Info) => self.text_weak,
            Some(Severity::ByChoice) => self.accent,
            Some(Severity::Repaired) => self.warning,
            Some(Severity::DataLoss) => self.error,
        }
    }

    /// A colour under the pointer: the same, nearer to the text.
    #[must_use]
    pub fn emphasised(&self, color: Color32) -> Color32 {
        color.lerp_to_gamma(self.text, 0.22)
    }

    /// A colour for what is out of date or out of the window: the same, nearer to the background.
    #[must_use]
    pub fn dimmed(&self, color: Color32) -> Color32 {
        color.lerp_to_gamma(self.canvas, 0.55)
    }

    /// The same appearance with all that figures are drawn in dimmed, for those of another window.
    #[must_use]
    pub fn faded(&self) -> Self {
        let dim = |color| self.dimmed(color);
        Self {
            text: dim(self.text),
            text_weak: dim(self.text_weak),
            accent: dim(self.accent),
            computation: dim(self.computation),
            communication: dim(self.communication),
            memory: dim(self.memory),
            allocated: dim(self.allocated),
            reserved: dim(self.reserved),
            overlap: dim(self.overlap),
            exposed_comm: dim(self.exposed_comm),
            idle: dim(self.idle),
            ..self.clone()
        }
    }

    /// A colour at a strength from 0 (canvas) to 1 (itself), for parts of a pixel.
    #[must_use]
    pub fn blended(&self, color: Color32, strength: f32) -> Color32 {
        self.canvas.lerp_to_gamma(color, strength.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of WCAG.
    fn luminance(c: Color32) -> f32 {
        let part = |v: u8| {
            let v = f32::from(v) / 255.0;
            if v <= 0.040_45 {
                v / 12.92
            } else {
                ((v + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(c.r()) + 0.7152 * part(c.g()) + 0.0722 * part(c.b())
    }

    fn contrast(a: Color32, b: Color32) -> f32 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_is_readable_on_every_ground() {
        for t in [Theme::dark(), Theme::light()] {
            for ground in [t.canvas, t.panel, t.raised, t.group_bg] {
                assert!(contrast(t.text, ground) >= 7.0, "{:?}", t.choice);
                assert!(
                    contrast(t.text_weak, ground) >= 4.5,
                    "{:?} {}",
                    t.choice,
                    contrast(t.text_weak, ground)
                );
            }
            for slice in [t.computation, t.communication, t.memory, t.annotation] {
                assert!(contrast(t.text_on_slice, slice) >= 4.5, "{:?}", t.choice);
            }
            for word in [t.good, t.warning, t.error, t.accent] {
                assert!(
                    contrast(word, t.panel) >= 4.5,
                    "{:?} {}",
                    t.choice,
                    contrast(word, t.panel)
                );
            }
        }
    }

    #[test]
    fn class_colours_are_far_apart() {
        for t in [Theme::dark(), Theme::light()] {
            let all = [
                t.computation,
                t.communication,
                t.memory,
                t.allocated,
                t.exposed_comm,
                t.idle,
                t.overlap,
            ];
            for (i, a) in all.iter().enumerate() {
                for b in all.iter().skip(i + 1) {
                    let d = |x: u8, y: u8| (f32::from(x) - f32::from(y)).powi(2);
                    let far = (d(a.r(), b.r()) + d(a.g(), b.g()) + d(a.b(), b.b())).sqrt();
                    assert!(far > 55.0, "{a:?} {b:?}");
                }
            }
        }
    }
}
