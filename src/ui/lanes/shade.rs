//! The colours of pixel columns: [`Palette`] mixes those of the theme by shares of time.

use super::marks::{self, Mark};
use crate::timeline::draw::Split;
use crate::timeline::picture::LINES;
use crate::timeline::{Derived, Shade, Shares, Texel};
use crate::trace::Category;
use crate::ui::theme::Theme;
use egui::Color32;

/// A part of a pixel is painted at least this strongly, so that one kernel is visible at any zoom.
pub(super) const LEAST_STRENGTH: f32 = 0.42;
/// The same for idle time.
pub(super) const LEAST_IDLE: f32 = 0.12;

/// A colour ready for mixing.
type Mix = [f32; 4];

/// The colours of a theme, unpacked: a picture of all lanes mixes a hundred thousand of them.
pub(super) struct Palette {
    id: u64,
    canvas: Mix,
    /// Computation, communication, exposed communication, memory, host.
    parts: [Mix; 5],
    /// What has no length has no share, but is there.
    point: Mix,
    dark: Mix,
    overlap: Mix,
    band: Mix,
    idle: Mix,
}

impl Palette {
    pub(super) fn new(theme: &Theme) -> Self {
        let parts = [
            theme.computation,
            theme.communication,
            theme.exposed_comm,
            theme.memory,
            theme.slice_color(None, Category::Other),
        ];
        Self {
            id: u64::from(u32::from_be_bytes(theme.canvas.to_array())),
            canvas: mix(theme.canvas),
            parts: parts.map(mix),
            point: mix(theme.text_weak),
            dark: mix(marks::dark(theme)),
            overlap: mix(theme.overlap),
            band: mix(theme.overlap_band),
            idle: mix(theme.idle),
        }
    }

    /// A colour on the canvas, at a strength from 0 to 1.
    fn on_canvas(&self, color: Mix, strength: f32) -> Mix {
        lerp(self.canvas, color, strength)
    }

    /// Upper edge, body and lower edge with the bar of a kind of time.
    fn marked(&self, body: Mix, mark: Option<Mark>) -> [Texel; LINES] {
        let plain = pack(body);
        match mark {
            Some(Mark::Communication) => [pack(over(body, self.dark)), plain, plain],
            Some(Mark::Memory) => [plain, plain, pack(over(body, self.dark))],
            _ => [plain; LINES],
        }
    }
}

impl Shade for Palette {
    fn id(&self) -> u64 {
        self.id
    }

    fn slices(&self, shares: &Shares, exposed: f32) -> [Texel; LINES] {
        let exposed = exposed.min(shares.communication);
        let weights = [
            shares.computation,
            shares.communication - exposed,
            exposed,
            shares.memory,
            shares.other,
        ];
        let sum: f32 = weights.iter().sum();
        let strength = at_least(LEAST_STRENGTH, sum);
        let mut body = self.on_canvas(self.point, strength);
        if sum > 0.0 {
            let whole = strength * sum.recip();
            body = self.canvas.map(|channel| channel * (1.0 - strength));
            for (weight, color) in weights.iter().zip(&self.parts) {
                // Mostly no more than two classes share a column.
                if *weight > 0.0 {
                    let weight = weight * whole;
                    for (channel, part) in body.iter_mut().zip(color) {
                        *channel += part * weight;
                    }
                }
            }
        }
        let mark = shares.dominant().map(Mark::from);
        self.marked(body, mark)
    }

    fn derived(&self, derived: Derived, share: f32, exposed: f32) -> [Texel; LINES] {
        let [computation, communication, exposed_color, memory, _] = self.parts;
        let (color, least) = match derived {
            Derived::Computation => (computation, LEAST_STRENGTH),
            Derived::Communication => (communication, LEAST_STRENGTH),
            Derived::Memory => (memory, LEAST_STRENGTH),
            Derived::Overlap => (self.overlap, LEAST_STRENGTH),
            // Between kernels there is nearly always a little idle time; it must not look like much.
            Derived::Idle => (self.idle, LEAST_IDLE),
        };
        let is_there = share > 0.0;
        let mut body = [0.0; 4];
        if is_there {
            body = self.on_canvas(color, at_least(least, share));
        }
        if exposed <= 0.0 {
            let mark = Some(Mark::from(derived)).filter(|_| is_there);
            return self.marked(body, mark);
        }
        // Exposed communication lies over the bar of communication as well.
        let strength = at_least(LEAST_STRENGTH, exposed);
        let exposed_color = exposed_color.map(|c| c * strength);
        let has_bar = is_there && derived == Derived::Communication;
        let edge = if has_bar { over(body, self.dark) } else { body };
        [edge, body, body].map(|under| pack(over(under, exposed_color)))
    }

    fn band(&self, share: f32) -> Texel {
        pack(self.band.map(|c| c * share.max(LEAST_STRENGTH)))
    }

    fn split(&self, split: &Split, column: &mut [Texel]) {
        let [computation, _, exposed, memory, _] = self.parts;
        let parts = [
            (split.compute, computation),
            (split.overlap, self.overlap),
            (split.exposed, exposed),
            (split.memory, memory),
        ];
        column.fill([0; 4]);
        let height = f32::from(u16::try_from(column.len()).unwrap_or(u16::MAX));
        let mut bottom = height;
        for (share, color) in parts.into_iter().filter(|p| p.0 > 0.0) {
            let top = (bottom - share * height).max(0.0);
            // As a rasteriser does it: a texel belongs to the part in which its middle lies.
            for (line, texel) in (0_u16..).zip(column.iter_mut()) {
                let middle = f32::from(line) + 0.5;
                if top <= middle && middle < bottom {
                    *texel = pack(color);
                }
            }
            bottom = top;
        }
    }
}

/// A share as a strength that can be seen.
pub(super) fn at_least(least: f32, share: f32) -> f32 {
    least + (1.0 - least) * share.clamp(0.0, 1.0)
}

fn mix(color: Color32) -> Mix {
    color.to_array().map(f32::from)
}

fn lerp(from: Mix, to: Mix, share: f32) -> Mix {
    let mut out = from;
    for (channel, to) in out.iter_mut().zip(to) {
        *channel += (to - *channel) * share;
    }
    out
}

/// A colour over another one.
fn over(under: Mix, color: Mix) -> Mix {
    let [.., alpha] = color;
    let through = 1.0 - alpha / 255.0;
    let mut out = color;
    for (channel, under) in out.iter_mut().zip(under) {
        *channel += under * through;
    }
    out
}

/// The nearest texel.
fn pack(color: Mix) -> Texel {
    // With this added, the last digits of a number are its whole part; a cast would take four
    // instructions a channel and a comparison each, a hundred thousand times a frame.
    let digits = color.map(|channel| (channel.clamp(0.0, 255.0) + 8_388_608.0).to_bits());
    digits.map(|channel| {
        let [last, ..] = channel.to_le_bytes();
        last
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::ThemeChoice;

    #[test]
    fn a_whole_column_has_the_colour_of_its_class() {
        let theme = Theme::of(ThemeChoice::Dark);
        let palette = Palette::new(&theme);
        let computation = Shares {
            computation: 1.0,
            ..Shares::default()
        };
        let expected = theme.computation.to_array();
        assert_eq!(palette.slices(&computation, 1.0), [expected; LINES]);
        assert_eq!(
            palette.derived(Derived::Computation, 1.0, 0.0),
            [expected; LINES]
        );
        let [upper, body, lower] = palette.derived(Derived::Communication, 1.0, 0.0);
        assert_eq!(body, theme.communication.to_array());
        assert_eq!(lower, body);
        assert_ne!(upper, body);
        let exposed = palette.derived(Derived::Communication, 1.0, 1.0);
        assert_eq!(exposed, [theme.exposed_comm.to_array(); LINES]);
    }

    #[test]
    fn a_trace_of_time_is_seen_and_none_is_not() {
        let theme = Theme::of(ThemeChoice::Light);
        let palette = Palette::new(&theme);
        let [_, body, _] = palette.slices(&Shares::default(), 0.0);
        assert_ne!(body, theme.canvas.to_array());
        assert_eq!(palette.derived(Derived::Memory, 0.0, 0.0), [[0; 4]; LINES]);
    }

    #[test]
    fn the_split_stands_on_the_ground() {
        let theme = Theme::of(ThemeChoice::Dark);
        let palette = Palette::new(&theme);
        let mut column = [[9; 4]; 4];
        let split = Split {
            compute: 0.5,
            memory: 0.25,
            ..Split::default()
        };
        palette.split(&split, &mut column);
        let compute = theme.computation.to_array();
        assert_eq!(column, [[0; 4], theme.memory.to_array(), compute, compute]);
    }
}
