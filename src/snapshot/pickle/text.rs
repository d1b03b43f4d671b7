//! Texts of the old, readable opcodes: quotes and escapes.

use std::borrow::Cow;

/// The inside of the quotes that Python 2 writes around a text.
pub(super) fn unquoted(line: &[u8]) -> &[u8] {
    match line.trim_ascii() {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        other => other,
    }
}

/// The text of Python's `raw-unicode-escape`, as UTF-8: bytes are characters up to 255, and all others
/// stand as `\u` with four or `\U` with eight digits. What is no such escape stays as it is.
pub(super) fn raw_unicode(line: &[u8]) -> Cow<'_, [u8]> {
    if line.is_ascii() && !line.contains(&b'\\') {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let [first, behind @ ..] = rest {
        rest = behind;
        let digits = match (first, behind) {
            (b'\\', [b'u', digits @ ..]) => digits.get(..4).map(|d| (d, digits.get(4..))),
            (b'\\', [b'U', digits @ ..]) => digits.get(..8).map(|d| (d, digits.get(8..))),
            // Two backslashes are two, whatever follows them.
            (b'\\', [b'\\', behind @ ..]) => {
                text.push_str("\\\\");
                rest = behind;
                continue;
            }
            _ => None,
        };
        let escaped = digits.and_then(|(digits, behind)| {
            let all_hex = digits.iter().all(u8::is_ascii_hexdigit);
            let digits = std::str::from_utf8(digits).ok().filter(|_| all_hex)?;
            Some((u32::from_str_radix(digits, 16).ok()?, behind.unwrap_or(&[])))
        });
        match escaped {
            Some((number, behind)) => {
                text.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = behind;
            }
            None => text.push(char::from(*first)),
        }
    }
    Cow::Owned(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_python() {
        for (line, text) in [
            (&b"plain"[..], "plain"),
            (b"a\\u20acb", "a\u{20ac}b"),
            (b"\\U0001f600", "\u{1f600}"),
            (b"\\u005cu20ac", "\\u20ac"),
            (b"\\\\u20ac", "\\\\u20ac"),
            (b"\xe9", "\u{e9}"),
            (b"\\u20", "\\u20"),
            (b"\\x", "\\x"),
            (b"\\ud800", "\u{fffd}"),
        ] {
            assert_eq!(raw_unicode(line), text.as_bytes(), "{text}");
        }
    }
}
