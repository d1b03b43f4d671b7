//! Three ways to run one stretch of computation and one of communication: what streams can bring.

use super::ModelError;
use super::number::{float, positive, sum};
use crate::time::DurNs;

/// How long each takes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamsInput {
    /// Computation alone.
    pub computation: DurNs,
    /// Communication alone.
    pub communication: DurNs,
}

/// One way to run them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// From the first start to the last end.
    pub total: DurNs,
    /// Communication that no computation hides.
    pub exposed: DurNs,
    /// How many times as fast as serial.
    pub speed_up: f64,
}

/// The three ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streams {
    /// One behind the other on one stream.
    pub serial: Way,
    /// On two streams, but something waits for one before the other is launched: as slow as serial.
    pub synchronised: Way,
    /// Side by side, neither slowing the other: the longer one decides. An upper bound of the gain.
    pub overlapped: Way,
}

/// What each way takes: `c + m`, `c + m`, `max(c, m)`.
///
/// # Errors
/// [`ModelError`] unless both times are more than zero and their sum can be told.
pub fn streams(input: StreamsInput) -> Result<Streams, ModelError> {
    let (c, m) = (input.computation, input.communication);
    positive(c, "the computation time")?;
    positive(m, "the communication time")?;
    let serial = sum(c, m, "the serial time")?;
    let way = |total: DurNs| Way {
        total,
        exposed: total - c,
        speed_up: float(serial) / float(total),
    };
    Ok(Streams {
        serial: way(serial),
        synchronised: way(serial),
        overlapped: way(c.max(m)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: i64 = 1_000_000;

    fn of(c: i64, m: i64) -> Result<Streams, ModelError> {
        streams(StreamsInput {
            computation: DurNs(c),
            communication: DurNs(m),
        })
    }

    #[test]
    fn forty_and_thirty() {
        let s = of(40 * MS, 30 * MS).expect("an answer");
        let ways = [s.serial, s.synchronised, s.overlapped];
        assert_eq!(ways.map(|w| w.total.0 / MS), [70, 70, 40]);
        assert_eq!(ways.map(|w| w.exposed.0 / MS), [30, 30, 0]);
        assert_eq!(
            ways.map(|w| format!("{:.2}", w.speed_up)),
            ["1.00", "1.00", "1.75"]
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(matches!(of(0, 5), Err(ModelError::NotPositive(_))));
        assert!(matches!(of(5, -1), Err(ModelError::NotPositive(_))));
        assert!(matches!(of(i64::MAX, 1), Err(ModelError::OutOfRange(_))));
    }

    proptest! {
        /// Every nanosecond of a short timeline, one by one.
        #[test]
        fn overlap_counted_by_the_nanosecond(c in 1..300_i64, m in 1..300_i64) {
            let s = of(c, m).expect("an answer");
            let ticks = 0..c + m;
            let exposed = |start: i64| ticks.clone().filter(|t| (start..start + m).contains(t) && *t >= c).count();
            let end = |start: i64| c.max(start + m);
            prop_assert_eq!(s.overlapped.exposed.0, i64::try_from(exposed(0)).expect("few"));
            prop_assert_eq!(s.serial.exposed.0, i64::try_from(exposed(c)).expect("few"));
            prop_assert_eq!((s.serial.total.0, s.overlapped.total.0), (end(c), end(0)));
        }
    }
}
