//! Ticks of the time ruler: where they stand and what they say.
//!
//! Steps are 1, 2 or 5 times a power of ten. Labels are made from integers, relative to the
//! trace's first event. Where many digits would only repeat from tick to tick, the ruler says once
//! where it is, and the ticks say how far past that they are.

use super::scale::draw_px;
use super::view::View;
use crate::time::{DurNs, Ns};

/// Least distance of labelled ticks.
const LABEL_PX: f64 = 96.0;
/// Number of digits past the point from which labels become relative.
const MAX_DECIMALS: usize = 4;

/// One tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it stands.
    pub x: f32,
    /// What it says; `None` for the small ticks between.
    pub label: Option<String>,
}

/// All ticks of a view.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Ruler {
    /// From left to right.
    pub ticks: Vec<Tick>,
    /// What `+` in the labels is relative to, if they are.
    pub base: Option<String>,
}

const UNITS: [(i64, &str, usize); 4] = [
    (1_000_000_000, "s", 9),
    (1_000_000, "ms", 6),
    (1_000, "µs", 3),
    (1, "ns", 0),
];

/// The ticks of a view; `origin` is the instant that reads 0.
#[must_use]
pub fn ticks(view: &View, width_px: f64, origin: Ns) -> Ruler {
    let step = nice(view.length_of(LABEL_PX).0.max(1));
    let minor = (step / 5).max(1);
    let shown = view.visible(width_px);
    let (from, to) = ((shown.start() - origin).0, (shown.end() - origin).0);
    let most = from.unsigned_abs().max(to.unsigned_abs());
    let unit = UNITS
        .into_iter()
        .find(|u| most >= u.0.unsigned_abs())
        .unwrap_or((1, "ns", 0));
    let decimals = decimals(step, unit);
    let mut out = Ruler::default();
    // One base for all labels: a round number of steps at or before the left edge.
    let base = (decimals > MAX_DECIMALS).then(|| {
        let round = nice(step.saturating_mul(10));
        from.div_euclid(round).saturating_mul(round)
    });
    let relative = UNITS
        .into_iter()
        .find(|u| step.saturating_mul(5) >= u.0)
        .unwrap_or((1, "ns", 0));
    if let Some(base) = base {
        out.base = Some(format!("{} +", exact(base, unit)));
    }
    let mut at = from.div_euclid(minor).saturating_mul(minor);
    while at <= to {
        let label = (at.rem_euclid(step) == 0).then(|| match base {
            Some(base) => format!(
                "+{}",
                fixed(at - base, relative, self::decimals(step, relative))
            ),
            None => fixed(at, unit, decimals),
        });
        let x = draw_px(view.x_of(origin + DurNs(at)), width_px);
        out.ticks.push(Tick { x, label });
        let Some(next) = at.checked_add(minor) else {
            break;
        };
        at = next;
    }
    out
}

/// The smallest 1, 2 or 5 times a power of ten that is no less.
fn nice(least: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for times in [1, 2, 5] {
            match power.checked_mul(times) {
                Some(step) if step >= least => return step,
                Some(_) => {}
                None => return power,
            }
        }
        match power.checked_mul(10) {
            Some(next) => power = next,
            None => return power,
        }
    }
}

/// How many digits past the point tell two ticks apart.
fn decimals(step: i64, (_, _, digits): (i64, &str, usize)) -> usize {
    let zeros = (0..digits)
        .scan(step, |rest, _| {
            let is_round = *rest % 10 == 0 && *rest != 0;
            *rest /= 10;
            is_round.then_some(())
        })
        .count();
    digits - zeros
}

fn fixed(ns: i64, (unit, name, digits): (i64, &str, usize), decimals: usize) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let abs = ns.unsigned_abs();
    let (whole, rest) = (abs / unit.unsigned_abs(), abs % unit.unsigned_abs());
    if decimals == 0 {
        return format!("{sign}{whole} {name}");
    }
    let rest = format!("{rest:0digits$}");
    format!(
        "{sign}{whole}.{} {name}",
        rest.get(..decimals).unwrap_or(&rest)
    )
}

/// A time with all digits that are not zero.
fn exact(ns: i64, unit: (i64, &str, usize)) -> String {
    fixed(ns, unit, decimals(if ns == 0 { unit.0 } else { ns }, unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Window;

    const EPOCH: i64 = 1_760_000_000_000_000_000;

    fn labels(from: i64, to: i64, width: f64) -> (Vec<String>, Option<String>) {
        let view = View::fit(Window::new(Ns(EPOCH + from), Ns(EPOCH + to)), width);
        let ruler = ticks(&view, width, Ns(EPOCH));
        (
            ruler.ticks.into_iter().filter_map(|t| t.label).collect(),
            ruler.base,
        )
    }

    #[test]
    fn labels_have_as_many_digits_as_the_step_needs() {
        assert_eq!(labels(0, 10_000_000, 400.0).0, ["0 ms", "5 ms", "10 ms"]);
        assert_eq!(
            labels(12_000_000, 14_000_000, 400.0).0,
            ["12.0 ms", "12.5 ms", "13.0 ms", "13.5 ms", "14.0 ms"]
        );
        assert_eq!(labels(0, 900, 400.0).0, ["0 ns", "500 ns"]);
    }

    #[test]
    fn times_before_the_first_event_are_negative() {
        assert_eq!(
            labels(-1_000, 1_000, 400.0).0,
            ["-1.0 µs", "-0.5 µs", "0.0 µs", "0.5 µs", "1.0 µs"]
        );
    }

    #[test]
    fn deep_inside_the_labels_are_relative_to_one_place() {
        let (labels, base) = labels(12_345_678_000, 12_345_678_100, 800.0);
        assert_eq!(base.as_deref(), Some("12.345678 s +"));
        assert_eq!(
            labels,
            ["+0 ns", "+20 ns", "+40 ns", "+60 ns", "+80 ns", "+100 ns"]
        );
    }

    #[test]
    fn ticks_are_round_and_far_enough_apart() {
        for least in [1, 2, 3, 7, 99, 1_001, i64::MAX] {
            let step = nice(least);
            assert!(step >= least || step > i64::MAX / 10, "{least}");
            let text = step.to_string();
            assert!(
                ["1", "2", "5"]
                    .iter()
                    .any(|d| text.trim_end_matches('0') == *d),
                "{text}"
            );
        }
    }
}
