//! Numbers as pickles write them: little-endian two's complement of any length, and decimal text.

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Small(i64),
    Wide(i128),
    /// Beyond 128 bits.
    Huge,
}

impl Whole {
    fn new(number: i128) -> Self {
        i64::try_from(number).map_or(Self::Wide(number), Self::Small)
    }
}

/// A number of any length, lowest byte first; nothing is zero.
pub(super) fn little_endian(bytes: &[u8]) -> Whole {
    let fill = match bytes.last() {
        Some(last) if last & 0x80 != 0 => 0xff,
        _ => 0,
    };
    let mut wide = [fill; 16];
    let mut rest = bytes.iter();
    for (to, from) in wide.iter_mut().zip(rest.by_ref().take(16)) {
        *to = *from;
    }
    let number = i128::from_le_bytes(wide);
    // Bytes that only repeat the sign say nothing new.
    let sign_kept = (number < 0) == (fill == 0xff);
    if rest.all(|b| *b == fill) && sign_kept {
        Whole::new(number)
    } else {
        Whole::Huge
    }
}

/// Decimal text, with the `L` that old Python put behind long numbers.
pub(super) fn decimal(text: &[u8]) -> Option<Whole> {
    let text = text.trim_ascii();
    let text = text.strip_suffix(b"L").unwrap_or(text);
    let digits = text
        .strip_prefix(b"-")
        .or_else(|| text.strip_prefix(b"+"))
        .unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    Some(text.parse().map_or(Whole::Huge, Whole::new))
}

/// A floating point number as text, in which Python also writes `inf` and `nan`.
pub(super) fn float(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
}
