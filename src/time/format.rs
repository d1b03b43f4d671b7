//! Exact printing of times, and reading of quantities that a user types.

use super::{DurNs, NumberError, parse_us};

impl DurNs {
    /// Microseconds with exactly three decimals, exact: `1234567` ns is `"1234.567"`.
    #[must_use]
    pub fn us3(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let abs = self.0.unsigned_abs();
        format!("{sign}{}.{:03}", abs / 1000, abs % 1000)
    }
}

/// A length for people: three to six digits and the unit that suits it.
///
/// The digits are cut from the exact integer (rounded half up), so two equal lengths always read
/// the same: `12_345` ns is `"12.345 µs"`, `1_234_567` ns is `"1.235 ms"`.
#[must_use]
pub fn human_duration(dur: DurNs) -> String {
    let sign = if dur.0 < 0 { "-" } else { "" };
    let abs = dur.0.unsigned_abs();
    let (unit, name) = match abs {
        0..1_000 => return format!("{sign}{abs} ns"),
        1_000..1_000_000 => (1_000_u64, "µs"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    // Three decimals of the unit, rounded half up in integers.
    let milli = (abs / (unit / 1_000).max(1))
        + u64::from((abs % (unit / 1_000).max(1)) * 2 >= (unit / 1_000).max(2));
    format!("{sign}{}.{:03} {name}", milli / 1_000, milli % 1_000)
}

/// Reads a length that a user typed: a decimal number with a unit of `ns`, `us` (or `µs`), `ms`, `s`.
///
/// # Errors
/// [`NumberError`] where the number is no number, the unit is missing or unknown, or it does not fit.
pub fn parse_quantity(text: &str) -> Result<DurNs, NumberError> {
    let text = text.trim();
    let at = text
        .find(|c: char| c.is_alphabetic() && c != 'e' && c != 'E')
        .ok_or(NumberError::NotANumber)?;
    let (number, unit) = text.split_at(at);
    // One exact reader serves all units: shift the decimal point through the exponent.
    let shift = match unit {
        "ns" => "e-3",
        "us" | "µs" | "μs" => "e0",
        "ms" => "e3",
        "s" => "e6",
        _ => return Err(NumberError::NotANumber),
    };
    let number = number.trim();
    if number.contains(['e', 'E', '"']) {
        return Err(NumberError::NotANumber);
    }
    parse_us(format!("{number}{shift}").as_bytes()).map(DurNs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_have_exactly_three_decimals() {
        assert_eq!(DurNs(0).us3(), "0.000");
        assert_eq!(DurNs(1_234_567).us3(), "1234.567");
        assert_eq!(DurNs(-5).us3(), "-0.005");
        assert_eq!(DurNs(i64::MIN).us3(), "-9223372036854775.808");
    }

    #[test]
    fn lengths_read_well() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.000 µs"),
            (12_345, "12.345 µs"),
            (1_234_567, "1.235 ms"),
            (-2_500_000_000, "-2.500 s"),
        ] {
            assert_eq!(human_duration(DurNs(ns)), text);
        }
    }

    #[test]
    fn typed_quantities_are_exact() {
        for (text, ns) in [
            ("1.5us", 1_500),
            ("2 ms", 2_000_000),
            ("3ns", 3),
            ("0.1s", 100_000_000),
            ("-4µs", -4_000),
        ] {
            assert_eq!(parse_quantity(text), Ok(DurNs(ns)), "{text}");
        }
        for text in ["", "5", "ms", "1e3ms", "5 parsecs", "x5us"] {
            assert!(parse_quantity(text).is_err(), "{text}");
        }
    }
}
