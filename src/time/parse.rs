//! Exact reading of decimal text: microseconds into nanoseconds, and integers.

use std::cmp::Ordering;

/// Why a text is not a number that can be placed in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Not a decimal number: `NaN`, `N/A`, an empty text, an object.
    #[error("not a decimal number")]
    NotANumber,
    /// A number, but beyond what 64 bits of nanoseconds can tell (about 292 years).
    #[error("beyond the range of 64-bit nanoseconds")]
    OutOfRange,
}

/// Reads decimal microseconds as exact nanoseconds.
///
/// Any JSON number form is understood (`12`, `-0.5`, `1.25e3`), with or without quotes and white
/// space around it. What lies below a nanosecond rounds half up (towards the later instant), so
/// `0.0005` is 1 ns and `-0.0005` is 0.
///
/// # Errors
/// [`NumberError`] where the text is no decimal number or the value does not fit 64 bits.
pub fn parse_us(text: &[u8]) -> Result<i64, NumberError> {
    if let Some(ns) = plain_us(text) {
        return Ok(ns);
    }
    Decimal::parse(trim(text))?.scaled(3)
}

/// The usual form, `digits` or `digits.digits` with three decimals. `None` leaves any other form to
/// the general reader.
#[inline]
fn plain_us(text: &[u8]) -> Option<i64> {
    match text {
        [whole @ .., b'.', a, b, c] => {
            let rest = [a, b, c].into_iter().try_fold(0, |n, digit| {
                digit
                    .is_ascii_digit()
                    .then(|| n * 10 + i64::from(digit - b'0'))
            })?;
            Some(plain_digits(whole)? * 1_000 + rest)
        }
        _ => Some(plain_digits(text)? * 1_000),
    }
}

/// Up to fifteen digits and nothing else: a thousand times that cannot overflow.
#[inline]
fn plain_digits(text: &[u8]) -> Option<i64> {
    let few = |digits: &[u8]| {
        digits.iter().try_fold(0, |n, digit| {
            digit
                .is_ascii_digit()
                .then(|| n * 10 + i64::from(digit - b'0'))
        })
    };
    match text.split_last_chunk() {
        Some((head, tail)) if head.len() < 8 => {
            Some(few(head)? * 100_000_000 + eight_digits(*tail)?)
        }
        Some(_) => None,
        None if text.is_empty() => None,
        None => few(text),
    }
}

/// Eight digits at once: neighbours are added up to pairs, pairs to fours, fours to the number.
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<i64> {
    let digits = u64::from_le_bytes(text) ^ 0x3030_3030_3030_3030;
    // Only 0 to 9 stay below 16 with and without 6 more.
    let above = digits | digits.wrapping_add(0x0606_0606_0606_0606);
    if above & 0xf0f0_f0f0_f0f0_f0f0 != 0 {
        return None;
    }
    // The first digit is the lowest byte and counts most.
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let whole = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    i64::try_from(whole).ok()
}

/// Reads an integer of any JSON number form; a fraction must be zero.
///
/// # Errors
/// [`NumberError`] where the text is no integer or does not fit 64 bits.
pub fn parse_i64(text: &[u8]) -> Result<i64, NumberError> {
    if !text.is_empty() && text.len() <= 18 && text.iter().all(u8::is_ascii_digit) {
        return Ok(text.iter().fold(0, |n, b| n * 10 + i64::from(b - b'0')));
    }
    let decimal = Decimal::parse(trim(text))?;
    if decimal.is_integral() {
        decimal.scaled(0)
    } else {
        Err(NumberError::NotANumber)
    }
}

fn trim(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    match text {
        [b'"', inner @ .., b'"'] => inner.trim_ascii(),
        _ => text,
    }
}

/// `±digits[..point] . digits[point..]`, with the exponent folded into `point`.
struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a [u8]) -> Result<Self, NumberError> {
        let (negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let (whole, rest) = split_digits(rest);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => split_digits(rest),
            _ => (&[][..], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(NumberError::NotANumber);
        }
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', rest @ ..] => parse_exponent(rest)?,
            _ => return Err(NumberError::NotANumber),
        };
        Ok(Self {
            negative,
            whole,
            fraction,
            exponent,
        })
    }

    fn digits(&self) -> impl Iterator<Item = u8> + '_ {
        self.whole.iter().chain(self.fraction).map(|b| b - b'0')
    }

    /// Whether no digit other than zero stands behind the point.
    fn is_integral(&self) -> bool {
        let point = self.point(0);
        self.digits()
            .enumerate()
            .all(|(i, d)| d == 0 || i64::try_from(i).is_ok_and(|i| i < point))
    }

    /// How many digits stand before the point once the value is multiplied by `10^shift`.
    fn point(&self, shift: i64) -> i64 {
        let whole = i64::try_from(self.whole.len()).unwrap_or(i64::MAX);
        whole.saturating_add(self.exponent).saturating_add(shift)
    }

    /// The value times `10^shift`, rounded half up, as an integer.
    fn scaled(&self, shift: i64) -> Result<i64, NumberError> {
        let point = self.point(shift);
        let mut magnitude: i128 = 0;
        let mut first_cut: Option<u8> = None;
        let mut more_cut = false;
        let mut seen: i64 = 0;
        for digit in self.digits() {
            match seen.cmp(&point) {
                Ordering::Less => {
                    magnitude = magnitude * 10 + i128::from(digit);
                    if magnitude > LIMIT {
                        return Err(NumberError::OutOfRange);
                    }
                }
                Ordering::Equal => first_cut = Some(digit),
                Ordering::Greater => more_cut |= digit != 0,
            }
            seen += 1;
        }
        // A point left of the first digit: the digit that decides is a zero that is not written.
        if point < 0 {
            first_cut = None;
        }
        while seen < point && magnitude != 0 {
            magnitude *= 10;
            if magnitude > LIMIT {
                return Err(NumberError::OutOfRange);
            }
            seen += 1;
        }
        let cut = first_cut.unwrap_or(0);
        // Half up means towards +infinity: a tie of a negative value stays at the smaller magnitude.
        let up = if self.negative {
            cut > 5 || (cut == 5 && more_cut)
        } else {
            cut >= 5
        };
        let magnitude = magnitude + i128::from(up);
        let value = if self.negative { -magnitude } else { magnitude };
        i64::try_from(value).ok().ok_or(NumberError::OutOfRange)
    }
}

const LIMIT: i128 = 1 << 64;

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
    text.split_at(n)
}

fn parse_exponent(text: &[u8]) -> Result<i64, NumberError> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (digits, rest) = split_digits(rest);
    if digits.is_empty() || !rest.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let mut value: i64 = 0;
    for b in digits {
        value = (value * 10 + i64::from(b - b'0')).min(1_000_000_000);
    }
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_become_exact_nanoseconds() {
        for (text, ns) in [
            ("0", 0),
            ("1682725898237042.123", 1_682_725_898_237_042_123),
            ("1420179707628.4", 1_420_179_707_628_400),
            ("5", 5_000),
            ("\"5\"", 5_000),
            (" \" 5.25 \" ", 5_250),
            ("-1.5", -1_500),
            ("0.0005", 1),
            ("0.00049999", 0),
            ("-0.0005", 0),
            ("-0.00051", -1),
            ("2.0015", 2_002),
            ("1e3", 1_000_000),
            ("1.25E-2", 13),
            ("1.24E-2", 12),
            ("5e-4", 1),
            ("5e-5", 0),
            ("9e-400", 0),
            ("0e999999999999", 0),
            (".5", 500),
            ("7.", 7_000),
            ("9223372036854775.807", i64::MAX),
            ("-9223372036854775.808", i64::MIN),
        ] {
            assert_eq!(parse_us(text.as_bytes()), Ok(ns), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_or_too_large_is_refused() {
        for text in [
            "", "NaN", "inf", "-", "N/A", "1.2.3", "1e", "0x10", "{}", "1 2", ".",
        ] {
            assert_eq!(
                parse_us(text.as_bytes()),
                Err(NumberError::NotANumber),
                "{text}"
            );
        }
        for text in [
            "9223372036854775.808",
            "1e30",
            "-1e400",
            "99999999999999999999999",
        ] {
            assert_eq!(
                parse_us(text.as_bytes()),
                Err(NumberError::OutOfRange),
                "{text}"
            );
        }
    }

    #[test]
    fn integers_accept_every_form_without_a_fraction() {
        assert_eq!(parse_i64(b"7"), Ok(7));
        assert_eq!(parse_i64(b"\"7\""), Ok(7));
        assert_eq!(parse_i64(b"7.0"), Ok(7));
        assert_eq!(parse_i64(b"1.5e1"), Ok(15));
        assert_eq!(parse_i64(b"7.5"), Err(NumberError::NotANumber));
        assert_eq!(parse_i64(b"stream 7"), Err(NumberError::NotANumber));
        assert_eq!(
            parse_i64(b"10159970886766084423"),
            Err(NumberError::OutOfRange)
        );
    }

    #[test]
    fn the_short_way_agrees_with_the_general_one() {
        for text in [
            "0",
            "7",
            "00",
            "1.5",
            "12.34",
            "0.123",
            "1420179707628.412",
            "168272589823704.12",
            "99999999999999999",
            "1.",
            ".5",
            "1.2.3",
            "1.2345",
            "",
            "-1",
            "1e3",
        ] {
            let general = Decimal::parse(trim(text.as_bytes())).and_then(|d| d.scaled(3));
            if let Some(ns) = plain_us(text.as_bytes()) {
                assert_eq!(general, Ok(ns), "{text}");
            }
            assert_eq!(parse_us(text.as_bytes()), general, "{text}");
        }
    }
}
