//! Computation and communication side by side, each slowing the other.

#![expect(
    clippy::similar_names,
    reason = "k_comp and k_comm are what the two factors are called"
)]

use super::number::{float, nanoseconds, positive, sum};
use super::{Bandwidth, ModelError};
use crate::time::DurNs;

/// How long each takes alone, and how many times as long beside the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContentionInput {
    /// Computation alone.
    pub computation: DurNs,
    /// Communication alone.
    pub communication: DurNs,
    /// How many times as long computation takes while communication runs; 1 to 1000.
    pub k_comp: f64,
    /// How many times as long communication takes while computation runs; 1 to 1000.
    pub k_comm: f64,
}

/// What they take together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contended {
    /// One behind the other.
    pub serial: DurNs,
    /// Side by side without any slowing: the longer one.
    pub ideal: DurNs,
    /// By phases: while both run each is slowed, what is left of the longer one runs at full speed.
    pub total: DurNs,
    /// As if each were slowed from start to end: never less than `total`, and far off where one is
    /// much shorter.
    pub bound: DurNs,
    /// How long both run at once.
    pub together: DurNs,
    /// How many times as fast as serial.
    pub speed_up: f64,
    /// The `k_comp` at which overlap gains nothing, `k_comm` being as it is; `None` where there is
    /// none since communication is not slowed at all.
    pub break_even_k_comp: Option<f64>,
    /// The `k_comm` at which overlap gains nothing, `k_comp` being as it is.
    pub break_even_k_comm: Option<f64>,
}

/// Both side by side, by phases.
///
/// With `C = k_comp T_comp` and `M = k_comm T_comm`: if `M <= C`, communication ends first, at `M`;
/// by then `M / k_comp` of the computation is done and the rest runs alone, so
/// `T = M + T_comp - M / k_comp`; else the same with the roles swapped. Overlap gains while
/// `1 / k_comp + 1 / k_comm > 1`: what is done in a nanosecond of both is more than one nanosecond's
/// worth, whatever the two times are. So the break-even of one is `k / (k - 1)` of the other.
///
/// # Errors
/// [`ModelError`] unless both times are more than zero and both factors lie in 1 to 1000.
pub fn contention(input: ContentionInput) -> Result<Contended, ModelError> {
    positive(input.computation, "the computation time")?;
    positive(input.communication, "the communication time")?;
    for (k, what) in [(input.k_comp, "k_comp"), (input.k_comm, "k_comm")] {
        if !(1.0..=1000.0).contains(&k) {
            return Err(ModelError::Factor(what));
        }
    }
    let serial = sum(input.computation, input.communication, "the serial time")?;
    let (comp, comm) = (float(input.computation), float(input.communication));
    let (c, m) = (input.k_comp * comp, input.k_comm * comm);
    let total = if m <= c {
        m + comp - m / input.k_comp
    } else {
        c + comm - c / input.k_comm
    };
    Ok(Contended {
        serial,
        ideal: input.computation.max(input.communication),
        total: nanoseconds(total, "the total time")?,
        bound: nanoseconds(c.max(m), "the bound")?,
        together: nanoseconds(c.min(m), "the time of both")?,
        speed_up: float(serial) / total,
        break_even_k_comp: break_even(input.k_comm),
        break_even_k_comm: break_even(input.k_comp),
    })
}

/// `1 / k + 1 / other = 1` solved for the other.
fn break_even(k: f64) -> Option<f64> {
    (k > 1.0).then(|| k / (k - 1.0)).filter(|k| k.is_finite())
}

/// What `k_comp` is estimated from where it was not measured. All four are typed: a trace has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intensity {
    /// How much the computation loses for a byte of memory bandwidth taken from it, in FLOP/byte.
    pub gamma: f64,
    /// Arithmetic intensity of the computation, in FLOP/byte.
    pub intensity: f64,
    /// Memory bandwidth that communication takes.
    pub comm: Bandwidth,
    /// Memory bandwidth of the device.
    pub peak: Bandwidth,
}

/// `k_comp = 1 + gamma (BW_comm / BW_peak) / AI`: the lower the intensity, the more a kernel suffers
/// from bandwidth taken away.
///
/// # Errors
/// [`ModelError`] unless gamma and intensity are more than zero and the result is at most 1000.
pub fn k_comp_from_bandwidth(input: Intensity) -> Result<f64, ModelError> {
    for (number, what) in [
        (input.gamma, "gamma"),
        (input.intensity, "the arithmetic intensity"),
    ] {
        if !(number.is_finite() && number > 0.0) {
            return Err(ModelError::NotPositive(what));
        }
    }
    let share = input.comm.gb_per_s() / input.peak.gb_per_s();
    let k = 1.0 + input.gamma * share / input.intensity;
    if (1.0..=1000.0).contains(&k) {
        Ok(k)
    } else {
        Err(ModelError::Factor("k_comp"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(comp: i64, comm: i64, k_comp: f64, k_comm: f64) -> Contended {
        contention(ContentionInput {
            computation: DurNs(comp * 1_000_000),
            communication: DurNs(comm * 1_000_000),
            k_comp,
            k_comm,
        })
        .expect("an answer")
    }

    /// Rounded to a hundredth of a ms.
    fn ms2(time: DurNs) -> String {
        format!("{:.2}", float(time) / 1e6)
    }

    #[test]
    fn the_bound_and_the_phases() {
        let mild = of(50, 40, 1.05, 1.05);
        assert_eq!((mild.bound.0, mild.total.0), (52_500_000, 52_000_000));
        let hard = of(50, 40, 1.45, 1.40);
        assert_eq!(
            (hard.bound.0, ms2(hard.total)),
            (72_500_000, "67.38".to_owned())
        );
        let short = of(100, 5, 1.45, 1.40);
        assert_eq!(
            (short.bound.0, ms2(short.total)),
            (145_000_000, "102.17".to_owned())
        );
        // The bound says more than serial where overlap still pays.
        assert!(short.bound > short.serial && short.total < short.serial);
    }

    #[test]
    fn at_the_break_even_nothing_is_gained() {
        for (comp, comm) in [(50, 40), (40, 50), (100, 5), (5, 100)] {
            let k = of(comp, comm, 1.45, 1.40);
            let k_comp = k.break_even_k_comp.expect("there is one");
            let k_comm = k.break_even_k_comm.expect("there is one");
            assert!((k_comp - 3.5).abs() < 1e-9 && (k_comm - 1.45 / 0.45).abs() < 1e-9);
            for at in [of(comp, comm, k_comp, 1.40), of(comp, comm, 1.45, k_comm)] {
                assert!(at.total.abs_diff(at.serial) <= 1);
            }
            assert!(of(comp, comm, k_comp + 0.01, 1.40).total > k.serial);
            assert!(of(comp, comm, k_comp - 0.01, 1.40).total < k.serial);
        }
        let free = of(50, 40, 1.5, 1.0);
        assert_eq!(free.break_even_k_comp, None);
        assert!(
            free.break_even_k_comm
                .is_some_and(|k| (k - 3.0).abs() < 1e-9)
        );
    }

    #[test]
    fn k_from_bandwidth() {
        let rate = |r| Bandwidth::from_gb_per_s(r).expect("more than zero");
        let typed = Intensity {
            gamma: 100.0,
            intensity: 50.0,
            comm: rate(300.0),
            peak: rate(3_000.0),
        };
        let k = k_comp_from_bandwidth(typed).expect("an answer");
        assert!((k - 1.2).abs() < 1e-12);
        for bad in [
            Intensity {
                gamma: 0.0,
                ..typed
            },
            Intensity {
                intensity: f64::NAN,
                ..typed
            },
            Intensity {
                gamma: 1e9,
                ..typed
            },
        ] {
            assert!(k_comp_from_bandwidth(bad).is_err());
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let with = |comp, k_comp| {
            contention(ContentionInput {
                computation: DurNs(comp),
                communication: DurNs(5),
                k_comp,
                k_comm: 1.0,
            })
        };
        assert!(matches!(with(0, 1.0), Err(ModelError::NotPositive(_))));
        for k in [0.0, 0.99, -1.0, f64::NAN, f64::INFINITY, 1001.0] {
            assert_eq!(with(5, k), Err(ModelError::Factor("k_comp")));
        }
        assert!(matches!(
            with(i64::MAX, 1.0),
            Err(ModelError::OutOfRange(_))
        ));
        assert!(matches!(
            with(i64::MAX - 5, 2.0),
            Err(ModelError::OutOfRange(_))
        ));
    }

    proptest! {
        /// Work done in small ticks of time, each at the speed of the moment.
        #[test]
        fn the_phases_are_what_a_clock_shows(
            comp in 1..1000_u32, comm in 1..1000_u32, k_comp in 1.0..4.0_f64, k_comm in 1.0..4.0_f64,
        ) {
            let scale = 1_000;
            let model = contention(ContentionInput {
                computation: DurNs(i64::from(comp) * scale),
                communication: DurNs(i64::from(comm) * scale),
                k_comp,
                k_comm,
            }).expect("an answer");
            let (mut left_comp, mut left_comm, mut clock) = (f64::from(comp), f64::from(comm), 0.0);
            let tick = 0.05;
            while left_comp > 0.0 || left_comm > 0.0 {
                let both = left_comp > 0.0 && left_comm > 0.0;
                left_comp -= if both { tick / k_comp } else { tick };
                left_comm -= if both { tick / k_comm } else { tick };
                clock += tick;
            }
            prop_assert!((float(model.total) / 1e3 - clock).abs() < 3.0 * tick);
            prop_assert!(model.total <= model.bound + DurNs(1) && model.ideal <= model.total + DurNs(1));
            let pays = 1.0 / k_comp + 1.0 / k_comm > 1.0;
            prop_assert!(model.total.abs_diff(model.serial) <= 1 || (model.total < model.serial) == pays);
        }
    }
}
