//! Strips of texels: what the pixel columns of one sub-row look like, kept while the view moves.
//!
//! A [`Strip`] is a ring: column `c` of the grid lies at `c` modulo the width, so a view that moves
//! by some pixels overwrites only the columns that went out with those that came in. Which colours
//! there are is told by a [`Shade`]; nothing here knows one.

use super::draw::Split;
use super::lanes::Derived;
use super::rows::Shares;
use std::ops::Range;

/// A colour: red, green, blue, multiplied by the alpha that follows.
pub type Texel = [u8; 4];

/// Rows of texels of a sub-row of slices and of a derived lane: upper edge, body, lower edge.
pub const LINES: usize = 3;

/// Gives columns their colours.
pub trait Shade: Sync {
    /// Tells one set of colours from another; columns of another set are not used again.
    fn id(&self) -> u64;

    /// A column of narrow slices, by the shares of its time and the share that is exposed
    /// communication of the device.
    fn slices(&self, shares: &Shares, exposed: f32) -> [Texel; LINES];

    /// A column of a derived lane, by the share of its time that holds; `exposed` is zero on all but
    /// the communication lane.
    fn derived(&self, derived: Derived, share: f32, exposed: f32) -> [Texel; LINES];

    /// Computation and communication at once, behind the lanes of a device, by the share of a column.
    fn band(&self, share: f32) -> Texel;

    /// A column of a device as a whole, from top to bottom.
    fn split(&self, split: &Split, column: &mut [Texel]);
}

/// Leaves everything transparent, where only the draw lists are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Colourless;

impl Shade for Colourless {
    fn id(&self) -> u64 {
        u64::MAX
    }

    fn slices(&self, _: &Shares, _: f32) -> [Texel; LINES] {
        [[0; 4]; LINES]
    }

    fn derived(&self, _: Derived, _: f32, _: f32) -> [Texel; LINES] {
        [[0; 4]; LINES]
    }

    fn band(&self, _: f32) -> Texel {
        [0; 4]
    }

    fn split(&self, _: &Split, _: &mut [Texel]) {}
}

/// Where the columns of a view lie in a ring.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ring {
    width: usize,
    /// The column at the beginning of the ring, at or before the view.
    first: i64,
}

impl Ring {
    /// The ring of so many columns, of which the view's first is `from`.
    pub(super) fn new(width: usize, from: i64) -> Self {
        let turn = i64::try_from(width.max(1)).unwrap_or(i64::MAX);
        let first = from - from.rem_euclid(turn);
        Self { width, first }
    }

    /// The place of a column of the view.
    pub(super) fn place(&self, column: i64) -> usize {
        let at = usize::try_from(column - self.first).unwrap_or(usize::MAX);
        // Without a division: a hundred thousand columns may come in at once.
        if at >= self.width {
            at - self.width
        } else {
            at
        }
    }

    /// The places of columns next to each other, in two parts where they go over the end.
    pub(super) fn places(&self, columns: &Range<i64>) -> [Range<usize>; 2] {
        let count = usize::try_from(columns.end - columns.start).unwrap_or(0);
        let from = self.place(columns.start).min(self.width);
        let end = (from + count).min(self.width);
        [
            from..end,
            0..(from + count).saturating_sub(self.width).min(from),
        ]
    }
}

/// What of some wanted columns is not among those that are there: before them and after them.
#[must_use]
pub fn missing(there: &Range<i64>, wanted: &Range<i64>) -> [Range<i64>; 2] {
    let none = wanted.end..wanted.end;
    if there.is_empty() || there.start >= wanted.end || there.end <= wanted.start {
        return [wanted.clone(), none];
    }
    [
        wanted.start..there.start.max(wanted.start),
        there.end.min(wanted.end)..wanted.end,
    ]
}

/// The texels of one sub-row.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    width: usize,
    lines: usize,
    /// Line by line.
    texels: Vec<Texel>,
    there: Range<i64>,
    ring: Ring,
    is_painted: bool,
}

impl Strip {
    /// Forgets everything, and takes another size.
    pub(super) fn reset(&mut self, width: usize, lines: usize) {
        (self.width, self.lines) = (width, lines);
        self.texels.clear();
        self.texels.resize(width * lines, [0; 4]);
        self.there = 0..0;
        self.is_painted = false;
    }

    /// Makes room for the columns of a view and says which are to be painted.
    pub(super) fn advance(&mut self, wanted: &Range<i64>) -> [Range<i64>; 2] {
        let missing = missing(&self.there, wanted);
        self.there = wanted.clone();
        self.ring = Ring::new(self.width, wanted.start);
        if self.is_painted {
            for places in missing.iter().flat_map(|m| self.ring.places(m)) {
                for line in self.texels.chunks_exact_mut(self.width.max(1)) {
                    line.get_mut(places.clone())
                        .unwrap_or_default()
                        .fill([0; 4]);
                }
            }
        }
        missing
    }

    /// Paints a column of the view that was transparent, from top to bottom.
    pub(super) fn put(&mut self, column: i64, colors: &[Texel]) {
        self.is_painted = true;
        let at = self.ring.place(column);
        if at >= self.width {
            return;
        }
        for (line, color) in colors.iter().enumerate().take(self.lines) {
            if let Some(texel) = self.texels.get_mut(line * self.width + at) {
                *texel = *color;
            }
        }
    }

    /// Whether a column of the view is painted from top to bottom.
    pub(super) fn is_full(&self, column: i64) -> bool {
        let at = self.ring.place(column);
        self.is_painted
            && self.there.contains(&column)
            && self
                .lines()
                .all(|line| line.get(at).is_some_and(|[.., alpha]| *alpha > 0))
    }

    /// Whether anything was painted since it was made.
    #[must_use]
    pub fn is_painted(&self) -> bool {
        self.is_painted
    }

    /// The rows of texels from top to bottom, each as long as the view is wide.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = &[Texel]> {
        self.texels.chunks_exact(self.width.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_in_is_missing() {
        let cases: [(_, _, [&[i64]; 2]); 6] = [
            (0..0, 3..5, [&[3, 4], &[]]),
            (0..5, 2..7, [&[], &[5, 6]]),
            (0..5, -2..3, [&[-2, -1], &[]]),
            (1..3, 0..4, [&[0], &[3]]),
            (0..5, 5..6, [&[5], &[]]),
            (0..5, 1..4, [&[], &[]]),
        ];
        for (there, wanted, expected) in cases {
            let found = missing(&there, &wanted).map(Iterator::collect::<Vec<i64>>);
            assert_eq!(found, expected, "{there:?} {wanted:?}");
        }
    }

    #[test]
    fn a_strip_is_a_ring() {
        let mut strip = Strip::default();
        strip.reset(3, 1);
        for column in strip.advance(&(-1..2)).into_iter().flatten() {
            strip.put(column, &[[u8::try_from(column + 5).unwrap(); 4]]);
        }
        assert_eq!(strip.lines().next().unwrap(), [[5; 4], [6; 4], [4; 4]]);
        let missing = strip.advance(&(0..3));
        assert_eq!(missing, [0..0, 2..3]);
        assert_eq!(strip.lines().next().unwrap(), [[5; 4], [6; 4], [0; 4]]);
    }
}
