//! What stands in a few bytes of text, as bit masks: the first byte is the lowest bit.
//!
//! Vector instructions do it where every machine of the architecture has them.

/// How much text [`marks`] looks at.
pub(super) const LEN: usize = 64;
/// How much text [`specials`] looks at.
pub(super) const SHORT: usize = 16;

/// Which bytes of a block are of what kind, inside of strings and outside alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// `"`
    pub(super) quote: u64,
    /// `\`
    pub(super) backslash: u64,
    /// Bytes below a space.
    pub(super) control: u64,
    /// A space, a tab or the end of a line.
    pub(super) white: u64,
    /// `,` and `:`
    pub(super) separator: u64,
    /// `{` and `[`
    pub(super) open: u64,
    /// `}` and `]`
    pub(super) close: u64,
    /// `0` to `9`
    pub(super) digit: u64,
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{marks, specials};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use words::{marks, specials};

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "vector instructions; SSE2 is part of every x86-64"
)]
mod x86 {
    use super::{LEN, Marks, SHORT};
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8, _mm_sub_epi8,
    };

    /// The marks of a block.
    #[inline]
    pub(in super::super) fn marks(block: &[u8; LEN]) -> Marks {
        // SAFETY: the function needs SSE2 and nothing else, and the architecture includes it.
        unsafe { marks_sse2(block) }
    }

    /// The bytes that end a run of plain text: quotes, backslashes, control bytes.
    #[inline]
    pub(in super::super) fn specials(part: &[u8; SHORT]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let text = load(part);
            let ends = _mm_or_si128(is(text, b'"'), is(text, b'\\'));
            bits(_mm_or_si128(ends, at_most(text, 0x1f)))
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn marks_sse2(block: &[u8; LEN]) -> Marks {
        let mut out = Marks::default();
        let (parts, _) = block.as_chunks::<SHORT>();
        for (part, shift) in parts.iter().zip([0, 16, 32, 48]) {
            let text = load(part);
            // Brackets and braces differ in the one bit that letters differ in by case.
            let folded = _mm_or_si128(text, _mm_set1_epi8(0x20));
            let lines = _mm_or_si128(is(text, b'\n'), is(text, b'\r'));
            let spaces = _mm_or_si128(is(text, b' '), is(text, b'\t'));
            let from_zero = _mm_sub_epi8(text, _mm_set1_epi8(b'0'.cast_signed()));
            out.quote |= bits(is(text, b'"')) << shift;
            out.backslash |= bits(is(text, b'\\')) << shift;
            out.control |= bits(at_most(text, 0x1f)) << shift;
            out.white |= bits(_mm_or_si128(lines, spaces)) << shift;
            out.separator |= bits(_mm_or_si128(is(text, b','), is(text, b':'))) << shift;
            out.open |= bits(is(folded, b'{')) << shift;
            out.close |= bits(is(folded, b'}')) << shift;
            out.digit |= bits(at_most(from_zero, 9)) << shift;
        }
        out
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn is(text: __m128i, byte: u8) -> __m128i {
        _mm_cmpeq_epi8(text, _mm_set1_epi8(byte.cast_signed()))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn at_most(text: __m128i, byte: u8) -> __m128i {
        _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(byte.cast_signed())), text)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(part: &[u8; SHORT]) -> __m128i {
        let (low, high) = part.split_at(8);
        let half = |bytes: &[u8]| bytes.try_into().map_or(0, i64::from_le_bytes);
        _mm_set_epi64x(half(high), half(low))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn bits(mask: __m128i) -> u64 {
        u64::from(_mm_movemask_epi8(mask).cast_unsigned())
    }
}

/// The same with plain words, eight bytes at a time.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    use super::{LEN, Marks, SHORT};

    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOWS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const HIGHS: u64 = 0x8080_8080_8080_8080;

    /// The marks of a block.
    pub(in super::super) fn marks(block: &[u8; LEN]) -> Marks {
        let mut out = Marks::default();
        let (parts, _) = block.as_chunks::<8>();
        for (part, shift) in parts.iter().zip((0..64).step_by(8)) {
            let text = u64::from_le_bytes(*part);
            let folded = text | (ONES * 0x20);
            let lines = is(text, b'\n') | is(text, b'\r');
            let digit = below(text, b'9' + 1) & !below(text, b'0');
            out.quote |= bits(is(text, b'"')) << shift;
            out.backslash |= bits(is(text, b'\\')) << shift;
            out.control |= bits(below(text, 0x20)) << shift;
            out.white |= bits(lines | is(text, b' ') | is(text, b'\t')) << shift;
            out.separator |= bits(is(text, b',') | is(text, b':')) << shift;
            out.open |= bits(is(folded, b'{')) << shift;
            out.close |= bits(is(folded, b'}')) << shift;
            out.digit |= bits(digit) << shift;
        }
        out
    }

    /// The bytes that end a run of plain text: quotes, backslashes, control bytes.
    pub(in super::super) fn specials(part: &[u8; SHORT]) -> u64 {
        let (parts, _) = part.as_chunks::<8>();
        parts.iter().zip([0, 8]).fold(0, |found, (part, shift)| {
            let text = u64::from_le_bytes(*part);
            let ends = is(text, b'"') | is(text, b'\\') | below(text, 0x20);
            found | bits(ends) << shift
        })
    }

    /// The high bit of every byte that is this one; exact, as nothing is carried between bytes.
    fn is(word: u64, byte: u8) -> u64 {
        let other = word ^ (ONES * u64::from(byte));
        !(((other & LOWS) + LOWS) | other | LOWS)
    }

    /// The high bit of every byte below this one, which must be ASCII and not zero.
    fn below(word: u64, byte: u8) -> u64 {
        let reach = ONES * u64::from(0x80 - byte);
        !((word & LOWS) + reach) & !word & HIGHS
    }

    /// The eight high bits side by side.
    fn bits(highs: u64) -> u64 {
        (highs >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_in_every_place_is_marked_as_what_it_is() {
        for byte in 0..=255_u8 {
            for (place, filler) in (0..LEN).zip([b'a', 0xff, 0x7f, b'%'].into_iter().cycle()) {
                let mut block = [filler; LEN];
                block[place] = byte;
                let if_any = |kind: bool| if kind { 1_u64 << place } else { 0 };
                let expected = Marks {
                    quote: if_any(byte == b'"'),
                    backslash: if_any(byte == b'\\'),
                    control: if_any(byte < 0x20),
                    white: if_any(b" \t\n\r".contains(&byte)),
                    separator: if_any(b",:".contains(&byte)),
                    open: if_any(b"{[".contains(&byte)),
                    close: if_any(b"}]".contains(&byte)),
                    digit: if_any(byte.is_ascii_digit()),
                };
                assert_eq!(marks(&block), expected, "{byte:#x} at {place}");
                assert_eq!(words::marks(&block), expected, "{byte:#x} at {place}");
                let part = block.first_chunk().unwrap();
                let ends = (expected.quote | expected.backslash | expected.control) & 0xffff;
                assert_eq!(specials(part), ends, "{byte:#x} at {place}");
                assert_eq!(words::specials(part), ends, "{byte:#x} at {place}");
            }
        }
    }
}
