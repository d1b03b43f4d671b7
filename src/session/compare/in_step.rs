//! Keeping B in step with A: the view and the window moved by the shift, and steps by their number.

use super::{Compare, Session};
use crate::session::{StepWindow, step_windows};
use crate::time::{DurNs, Ns, Window};
use crate::timeline::View;
use crate::trace::StepLabel;
use rustc_hash::FxHashMap;

/// Windows of two steps are shown together only while they are not farther apart than this many
/// times the longer one: else neither could be seen.
const FAR: i64 = 4;

/// The same view of a trace whose times are later by a length. Exact: the scale and the part of a
/// nanosecond stay as they are.
#[must_use]
pub(super) fn moved(view: View, by: DurNs) -> View {
    View {
        left: view.left + by,
        ..view
    }
}

/// The other way round.
#[must_use]
pub(super) fn back(by: DurNs) -> DurNs {
    DurNs::ZERO - by
}

/// Steps with those of the other trace that stand against them: of the same number, or, where the two
/// have no number in common, in the same place.
#[must_use]
pub(super) fn pair_steps(
    a: &[StepWindow],
    b: &[StepWindow],
) -> Vec<(StepWindow, Option<StepWindow>)> {
    let is_number = |s: &StepWindow| s.label != StepLabel::Before;
    let by_label: FxHashMap<StepLabel, StepWindow> = b.iter().map(|s| (s.label, *s)).collect();
    let mut numbered = a.iter().filter(|s| is_number(s));
    if numbered.any(|s| by_label.contains_key(&s.label)) {
        let partner = |s: &StepWindow| (*s, by_label.get(&s.label).copied());
        return a.iter().map(partner).collect();
    }
    let mut in_order = b.iter().filter(|s| is_number(s));
    a.iter()
        .map(|s| {
            let partner = match s.label {
                StepLabel::Before => by_label.get(&StepLabel::Before),
                StepLabel::Number { .. } => in_order.next(),
            };
            (*s, partner.copied())
        })
        .collect()
}

impl Session {
    /// The steps of the device in focus.
    #[must_use]
    pub fn focused_steps(&self) -> Vec<StepWindow> {
        self.focused().map_or_else(Vec::new, |(rank, device)| {
            step_windows(rank, device, self.settings.basis)
        })
    }

    /// Steps of A with those of B that stand against them, in A's order.
    #[must_use]
    pub fn paired_steps(&self) -> Vec<(StepWindow, Option<StepWindow>)> {
        let Some(other) = self.other() else {
            return Vec::new();
        };
        pair_steps(&self.focused_steps(), &other.focused_steps())
    }

    /// The step of B that stands against a step of A.
    pub(super) fn step_of_other(&self, label: StepLabel) -> Option<StepWindow> {
        let mut pairs = self.paired_steps().into_iter();
        pairs.find(|(a, _)| a.label == label)?.1
    }

    /// Makes B show what A shows. Called after whatever may change either.
    pub(in crate::session) fn keep_in_step(&mut self) {
        let shift = self.shift();
        let step = self
            .current_step
            .and_then(|label| self.step_of_other(label));
        let Some(compare) = self.compare.as_mut() else {
            return;
        };
        let b = &mut compare.other;
        b.view_width = self.view_width;
        if b.settings != self.settings {
            b.settings = self.settings.clone();
        }
        if b.closed_sections != self.closed_sections {
            b.closed_sections.clone_from(&self.closed_sections);
        }
        let Some(shift) = shift else {
            return;
        };
        b.view = self.view.map(|view| moved(view, shift));
        b.current_step = step.map(|s| s.label);
        b.window = match step {
            Some(step) => Some(step.window),
            None => self.window.map(|window| window.moved(shift)),
        };
    }

    /// All time that either trace has, on A's axis: as far as the view may go.
    #[must_use]
    pub fn reach(&self) -> Option<Window> {
        let own = self.capture()?;
        let of_other = || {
            let shift = back(self.shift()?);
            Some(self.other()?.capture()?.moved(shift))
        };
        Some(of_other().map_or(own, |other| own.hull(other)))
    }

    /// What of a step and its partner is to be seen, on A's axis.
    pub(in crate::session) fn with_partner(&self, label: StepLabel, window: Window) -> Window {
        let partner = || {
            let shift = back(self.shift()?);
            Some(self.step_of_other(label)?.window.moved(shift))
        };
        let Some(other) = partner() else {
            return window;
        };
        let both = window.hull(other);
        if both.len().0 / FAR <= window.len().0.max(other.len().0) {
            both
        } else {
            window
        }
    }

    /// Puts an instant of A and one of B on each other.
    pub(super) fn align(&mut self, a: Ns, b: Ns) {
        let Some(apart) = self.other().map(|other| self.origins_apart(other)) else {
            return;
        };
        if let Some(compare) = &mut self.compare {
            compare.set_offset((b - a) - apart);
        }
    }

    /// Where the first step of either begins, whatever its number.
    pub(super) fn first_steps(&self) -> Option<(Ns, Ns)> {
        let of = |session: &Session| {
            let mut steps = session.focused_steps().into_iter();
            let first = steps.find(|s| s.label != StepLabel::Before)?;
            Some(first.window.start())
        };
        Some((of(self)?, of(self.other()?)?))
    }

    /// Where the windows begin that figures are compared of: without a choice, the first kernels.
    pub(super) fn window_starts(&self) -> Option<(Ns, Ns)> {
        let of = |session: &Session| {
            let extent = || session.focused().map(|(_, device)| device.extent);
            let window = session.window.or_else(extent).or_else(|| session.capture());
            Some(window?.start())
        };
        Some((of(self)?, of(self.other()?)?))
    }

    /// Where the slices begin that are selected on both sides.
    #[must_use]
    pub fn selected_starts(&self) -> Option<(Ns, Ns)> {
        let of = |session: &Session| {
            let slice = session.trace.as_ref()?.slice(session.selection?)?;
            Some(slice.start())
        };
        Some((of(self)?, of(self.other()?)?))
    }

    /// Puts the starts on each other of the steps that are looked at, else of the first steps, else of
    /// the first kernels.
    pub(super) fn align_at_start(&mut self) {
        self.keep_in_step();
        let current = || {
            let (a, label) = (self.window?, self.current_step?);
            Some((a.start(), self.step_of_other(label)?.window.start()))
        };
        let starts = current().or_else(|| self.first_steps());
        if let Some((a, b)) = starts.or_else(|| self.window_starts()) {
            self.align(a, b);
        }
    }
}

impl Compare {
    pub(super) fn set_offset(&mut self, offset: DurNs) {
        self.offset = offset;
        self.shift_text = exact_words(offset);
        self.shift_trouble = None;
    }
}

/// A length as a number and a unit that give exactly it again.
#[must_use]
pub(super) fn exact_words(dur: DurNs) -> String {
    let sign = if dur.0 < 0 { "-" } else { "" };
    let abs = dur.0.unsigned_abs();
    // The largest unit of which three decimals are enough.
    let (unit, name) = match abs {
        0 => return "0 µs".to_owned(),
        1_000_000_000.. if abs.is_multiple_of(1_000_000) => (1_000_000_000_u64, "s"),
        1_000_000.. if abs.is_multiple_of(1_000) => (1_000_000, "ms"),
        1_000.. => (1_000, "µs"),
        _ => return format!("{sign}{abs} ns"),
    };
    let milli = abs / (unit / 1_000);
    format!("{sign}{}.{:03} {name}", milli / 1_000, milli % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::parse_quantity;
    use proptest::prelude::*;

    /// Times of any trace, epoch or not, and any shift between two.
    const FAR_NS: i64 = 1 << 61;

    fn step(number: i64, start: i64) -> StepWindow {
        StepWindow {
            label: StepLabel::Number {
                number,
                occurrence: 1,
            },
            window: Window::new(Ns(start), Ns(start + 10)),
            partial: false,
        }
    }

    proptest! {
        #[test]
        fn there_and_back_is_exact(
            start in -FAR_NS..FAR_NS,
            len in 0..FAR_NS / 2,
            by in -FAR_NS..FAR_NS,
            sub_ns in 0.0..1.0_f64,
            ns_per_px in 1e-3..1e9_f64,
        ) {
            let by = DurNs(by);
            let window = Window::new(Ns(start), Ns(start + len));
            prop_assert_eq!(window.moved(by).moved(back(by)), window);
            prop_assert_eq!(window.moved(by).len(), window.len());
            let view = View { left: Ns(start), sub_ns, ns_per_px };
            prop_assert_eq!(moved(moved(view, by), back(by)), view);
            // What lies in one place stays in one place.
            let there = moved(view, by);
            prop_assert_eq!(view.x_of(window.start()).to_bits(), there.x_of(window.moved(by).start()).to_bits());
            prop_assert_eq!(view.time_at(321.5) + by, there.time_at(321.5));
        }

        #[test]
        fn a_shift_is_shown_exactly(ns in -FAR_NS..FAR_NS) {
            prop_assert_eq!(parse_quantity(&exact_words(DurNs(ns))), Ok(DurNs(ns)));
        }
    }

    #[test]
    fn a_shift_is_shown_in_a_unit_that_suits_it() {
        for (ns, words) in [
            (0, "0 µs"),
            (-12, "-12 ns"),
            (12_345, "12.345 µs"),
            (-1_234_567, "-1234.567 µs"),
            (1_234_000, "1.234 ms"),
            (90_500_000_000, "90.500 s"),
        ] {
            assert_eq!(exact_words(DurNs(ns)), words);
        }
    }

    #[test]
    fn steps_stand_against_each_other_by_number_else_by_place() {
        let starts = |b: &[StepWindow]| -> Vec<Option<i64>> {
            let a = [step(3, 0), step(4, 10), step(5, 20)];
            let pairs = pair_steps(&a, b);
            pairs
                .iter()
                .map(|(_, b)| Some(b.as_ref()?.window.start().0))
                .collect()
        };
        assert_eq!(
            starts(&[step(4, 100), step(5, 200)]),
            [None, Some(100), Some(200)]
        );
        let later = [step(40, 100), step(41, 200)];
        assert_eq!(starts(&later), [Some(100), Some(200), None]);
        let before = StepWindow {
            label: StepLabel::Before,
            ..step(0, 50)
        };
        assert_eq!(starts(&[before, step(40, 100)]), [Some(100), None, None]);
        assert_eq!(starts(&[]), [None, None, None]);
    }
}
