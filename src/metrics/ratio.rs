//! [`Ratio`]: a share of time kept as two integers and formatted late.

use crate::time::DurNs;

/// A part and the whole it is a part of, in ns. The whole is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    part: DurNs,
    whole: DurNs,
}

impl Ratio {
    /// The ratio, or `None` where the whole is zero: "n/a" on screen, never NaN and never 0.
    #[must_use]
    pub fn new(part: DurNs, whole: DurNs) -> Option<Self> {
        (whole != DurNs::ZERO).then_some(Self { part, whole })
    }

    /// The part, in ns.
    #[must_use]
    pub fn part(self) -> DurNs {
        self.part
    }

    /// The whole, in ns; never zero.
    #[must_use]
    pub fn whole(self) -> DurNs {
        self.whole
    }

    /// The percentage in units of 0.0001 %, rounded half away from zero from the integers.
    #[must_use]
    pub fn percent_e4(self) -> i128 {
        self.scaled(1_000_000)
    }

    /// The percentage with exactly four decimals and no sign: `"16.6667"`.
    #[must_use]
    pub fn percent4(self) -> String {
        decimals(self.percent_e4(), 4)
    }

    /// The percentage for people, with exactly two decimals and no sign: `"16.67"`.
    #[must_use]
    pub fn percent2(self) -> String {
        decimals(self.scaled(10_000), 2)
    }

    /// The part as a number of `cells` equal cells of the whole, rounded half away from zero.
    #[must_use]
    pub fn cells(self, cells: u32) -> usize {
        usize::try_from(self.scaled(i128::from(cells)).max(0)).unwrap_or(0)
    }

    /// `part * factor / whole`, rounded half away from zero.
    fn scaled(self, factor: i128) -> i128 {
        rounded(i128::from(self.part.0) * factor, i128::from(self.whole.0))
    }
}

/// A number of bytes in a length of time, kept as two integers and formatted late. Bytes in a
/// nanosecond are gigabytes in a second, a gigabyte being 10^9 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    bytes: i128,
    time: i128,
}

impl Rate {
    /// The rate, or `None` where the time is not positive.
    #[must_use]
    pub fn new(bytes: u64, time: DurNs) -> Option<Self> {
        (time > DurNs::ZERO).then(|| Self {
            bytes: bytes.into(),
            time: time.0.into(),
        })
    }

    /// The same, times a factor of two whole numbers; `None` where the second is zero.
    #[must_use]
    pub fn times(self, (part, whole): (u64, u64)) -> Option<Self> {
        (whole != 0).then(|| Self {
            bytes: self.bytes * i128::from(part),
            time: self.time * i128::from(whole),
        })
    }

    /// The rate in units of 0.001 GB/s, rounded half away from zero from the integers.
    #[must_use]
    pub fn gb_per_s_e3(self) -> i128 {
        rounded(self.bytes * 1_000, self.time)
    }

    /// The rate in GB/s with exactly three decimals and no sign: `"123.457"`.
    #[must_use]
    pub fn gb_per_s3(self) -> String {
        decimals(self.gb_per_s_e3(), 3)
    }
}

/// `part / whole` rounded half away from zero; `whole` is not zero.
pub(super) fn rounded(part: i128, whole: i128) -> i128 {
    let magnitude = (2 * part.abs() + whole.abs()) / (2 * whole.abs());
    if (part < 0) == (whole < 0) {
        magnitude
    } else {
        -magnitude
    }
}

/// An integer of units of `10^-places` as decimal text.
pub(super) fn decimals(value: i128, places: u32) -> String {
    let unit = 10_u128.pow(places);
    let sign = if value < 0 { "-" } else { "" };
    let abs = value.unsigned_abs();
    let width = usize::try_from(places).unwrap_or(0);
    format!("{sign}{}.{:0width$}", abs / unit, abs % unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent4(part: i64, whole: i64) -> Option<String> {
        Ratio::new(DurNs(part), DurNs(whole)).map(Ratio::percent4)
    }

    #[test]
    fn percents_have_four_decimals_rounded_half_away_from_zero() {
        for (part, whole, text) in [
            (20, 120, "16.6667"),
            (1, 2, "50.0000"),
            (0, 7, "0.0000"),
            (7, 7, "100.0000"),
            (1, 3, "33.3333"),
            (1, 2_000_000, "0.0001"),
            (49, 100_000_000, "0.0000"),
            (-1, 2_000_000, "-0.0001"),
            (1, -2_000_000, "-0.0001"),
            (i64::MAX, i64::MAX, "100.0000"),
            (i64::MAX - 1, i64::MAX, "100.0000"),
        ] {
            assert_eq!(
                percent4(part, whole).as_deref(),
                Some(text),
                "{part}/{whole}"
            );
        }
    }

    #[test]
    fn nothing_of_nothing_is_no_number() {
        assert_eq!(percent4(0, 0), None);
        assert_eq!(percent4(5, 0), None);
    }

    #[test]
    fn rates_are_bytes_in_a_nanosecond() {
        let rate = |bytes, ns| Rate::new(bytes, DurNs(ns)).map(Rate::gb_per_s3);
        assert_eq!(rate(123_456_789, 1_000_000).as_deref(), Some("123.457"));
        assert_eq!(rate(1, 2_000).as_deref(), Some("0.001"));
        assert_eq!(rate(0, 5).as_deref(), Some("0.000"));
        assert_eq!(rate(5, 0), None);
        assert_eq!(
            rate(u64::MAX, 1).as_deref(),
            Some("18446744073709551615.000")
        );
        let bus = Rate::new(1_000, DurNs(10)).and_then(|r| r.times((14, 8)));
        assert_eq!(bus.map(Rate::gb_per_s3).as_deref(), Some("175.000"));
        assert_eq!(bus.and_then(|r| r.times((1, 0))), None);
    }

    #[test]
    fn two_decimals_are_rounded_from_the_integers_and_not_from_four() {
        let ratio = Ratio::new(DurNs(1_234_499), DurNs(10_000_000));
        assert_eq!(ratio.map(Ratio::percent2).as_deref(), Some("12.34"));
    }
}
