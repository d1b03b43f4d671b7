//! Quantities as people type them: a number with its unit, since a bare number has misled too many.

use super::number::{EXACT, real};
use crate::time::{DurNs, parse_quantity};

/// Why a text is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// A bare number.
    #[error("'{text}' has no unit; write it with {units}, like {text}{example}")]
    NoUnit {
        /// As it was written.
        text: String,
        /// The units there are.
        units: &'static str,
        /// One of them.
        example: &'static str,
    },
    /// Something that is no number with a unit.
    #[error("'{text}' is no {what}; write a number with {units}, like 5{example}")]
    NotOne {
        /// As it was written.
        text: String,
        /// What it was to be.
        what: &'static str,
        /// The units there are.
        units: &'static str,
        /// One of them.
        example: &'static str,
    },
    /// Less than zero, or more than can be reckoned with.
    #[error("'{text}' is out of range for a {what}")]
    OutOfRange {
        /// As it was written.
        text: String,
        /// What it was to be.
        what: &'static str,
    },
}

/// A rate of data, always greater than zero. A gigabyte is 10^9 bytes.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Bandwidth(f64);

impl Bandwidth {
    /// A rate in GB/s, which is bytes in a nanosecond; `None` unless it is more than zero and finite.
    #[must_use]
    pub fn from_gb_per_s(rate: f64) -> Option<Self> {
        (rate.is_finite() && rate > 0.0).then_some(Self(rate))
    }

    /// The rate in GB/s, which is bytes in a nanosecond.
    #[must_use]
    pub fn gb_per_s(self) -> f64 {
        self.0
    }
}

/// How a quantity is written.
struct Kind {
    what: &'static str,
    units: &'static str,
    example: &'static str,
}

const TIME: Kind = Kind {
    what: "time",
    units: "ns, us, ms or s",
    example: "ms",
};
const SIZE: Kind = Kind {
    what: "size",
    units: "B, KB, MB, GB, KiB, MiB or GiB",
    example: "MB",
};
const BANDWIDTH: Kind = Kind {
    what: "bandwidth",
    units: "MB/s, GB/s, TB/s, MiB/s or GiB/s",
    example: "GB/s",
};
const INTENSITY: Kind = Kind {
    what: "ratio of work to bytes",
    units: "FLOP/byte",
    example: "FLOP/byte",
};

/// Units of size in bytes. Case matters: a small b would be a bit.
const SIZES: [(&str, f64); 10] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

impl Kind {
    /// The number, and the text of its unit.
    fn split<'a>(&self, text: &'a str) -> Result<(f64, &'a str), QuantityError> {
        let trimmed = text.trim();
        let at = trimmed
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+'))
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(at);
        let parsed: f64 = number.parse().map_err(|_no_number| self.not_one(text))?;
        if unit.trim().is_empty() {
            return Err(QuantityError::NoUnit {
                text: trimmed.to_owned(),
                units: self.units,
                example: self.example,
            });
        }
        Ok((parsed, unit.trim()))
    }

    fn not_one(&self, text: &str) -> QuantityError {
        QuantityError::NotOne {
            text: text.trim().to_owned(),
            what: self.what,
            units: self.units,
            example: self.example,
        }
    }

    fn out_of_range(&self, text: &str) -> QuantityError {
        QuantityError::OutOfRange {
            text: text.trim().to_owned(),
            what: self.what,
        }
    }
}

/// Reads a length of time of zero or more, exact to the ns: `100ms`, `1.5us`.
///
/// # Errors
/// [`QuantityError`], one sentence that says what to write.
pub fn parse_time(text: &str) -> Result<DurNs, QuantityError> {
    let (_, unit) = TIME.split(text)?;
    if !["ns", "us", "µs", "μs", "ms", "s"].contains(&unit) {
        return Err(TIME.not_one(text));
    }
    match parse_quantity(text) {
        Ok(time) if time >= DurNs::ZERO => Ok(time),
        _ => Err(TIME.out_of_range(text)),
    }
}

/// Reads a number of bytes of at least one, rounded to the byte: `500MB` is 5·10^8, `25MiB` 25·2^20.
///
/// # Errors
/// [`QuantityError`]; sizes beyond 2^53 bytes (9 petabytes) are out of range.
pub fn parse_size(text: &str) -> Result<u64, QuantityError> {
    let (number, unit) = SIZE.split(text)?;
    let (_, bytes) = SIZES
        .iter()
        .find(|(name, _)| *name == unit)
        .ok_or_else(|| SIZE.not_one(text))?;
    let bytes = (number * bytes).round();
    if bytes < 1.0 || bytes >= real(EXACT) {
        return Err(SIZE.out_of_range(text));
    }
    super::number::whole(bytes, "the size").map_err(|_checked| SIZE.out_of_range(text))
}

/// Reads a rate of data of more than zero: `60GB/s`.
///
/// # Errors
/// [`QuantityError`]; bits a second are refused, since bus bandwidth is told in bytes.
pub fn parse_bandwidth(text: &str) -> Result<Bandwidth, QuantityError> {
    let (number, unit) = BANDWIDTH.split(text)?;
    let (_, bytes) = unit
        .strip_suffix("/s")
        .and_then(|size| SIZES.iter().find(|(name, _)| *name == size))
        .ok_or_else(|| BANDWIDTH.not_one(text))?;
    // Bytes in a nanosecond are GB/s.
    let rate = number * bytes / 1e9;
    // Outside of this lies no link that was ever built, and reckoning stays far from overflow.
    if !(1e-9..=1e9).contains(&rate) {
        return Err(BANDWIDTH.out_of_range(text));
    }
    Bandwidth::from_gb_per_s(rate).ok_or_else(|| BANDWIDTH.out_of_range(text))
}

/// Reads an arithmetic intensity, or what is lost for a byte, in FLOP/byte of more than zero.
///
/// # Errors
/// [`QuantityError`].
pub fn parse_intensity(text: &str) -> Result<f64, QuantityError> {
    let (number, unit) = INTENSITY.split(text)?;
    if !["FLOP/byte", "FLOP/B"].contains(&unit) {
        return Err(INTENSITY.not_one(text));
    }
    if !(1e-9..=1e9).contains(&number) {
        return Err(INTENSITY.out_of_range(text));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_exactly() {
        assert_eq!(parse_time("100ms"), Ok(DurNs(100_000_000)));
        assert_eq!(parse_time("0us"), Ok(DurNs(0)));
        for (text, bytes) in [
            ("500MB", 500_000_000),
            ("25 MiB", 26_214_400),
            ("0.1MB", 100_000),
            ("1.5GiB", 1_610_612_736),
            ("1B", 1),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        let rate = |text| parse_bandwidth(text).map(Bandwidth::gb_per_s);
        assert_eq!(rate("60GB/s"), Ok(60.0));
        assert_eq!(rate("500MB/s"), Ok(0.5));
        assert_eq!(parse_intensity("12.5FLOP/byte"), Ok(12.5));
    }

    #[test]
    fn trouble_is_one_sentence_that_says_what_to_write() {
        let time = |text| parse_time(text).expect_err(text).to_string();
        assert_eq!(
            time("100"),
            "'100' has no unit; write it with ns, us, ms or s, like 100ms"
        );
        assert_eq!(
            time("5 parsecs"),
            "'5 parsecs' is no time; write a number with ns, us, ms or s, like 5ms"
        );
        assert_eq!(time("-5ms"), "'-5ms' is out of range for a time");
        for text in ["1e3ms", "ms", "", "99999999999999s", "1.2.3ms", "NaNms"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        let size = |text| parse_size(text).expect_err(text).to_string();
        assert!(size("500").contains("has no unit"));
        for text in ["5mb", "0MB", "-1MB", "99999999TB", "1e9B", "infMB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        for text in ["60", "60Gb/s", "60GB", "0GB/s", "480Gbps", "1e400GB/s"] {
            assert!(parse_bandwidth(text).is_err(), "{text}");
        }
        for text in ["3", "0FLOP/byte", "3FLOPS"] {
            assert!(parse_intensity(text).is_err(), "{text}");
        }
    }
}
