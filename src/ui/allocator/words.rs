//! Bytes in words: powers of 1024, as PyTorch's own messages tell them.

use super::super::controls::byte_size;

/// Bytes with a unit and at most two decimals, rounded down; a unit as large as still gives a whole number of one or more.
#[must_use]
pub(super) fn mib(bytes: u64) -> String {
    short(i128::from(bytes))
}

/// The same of a curve's value, which may be negative where a file contradicts itself.
#[must_use]
pub(in crate::ui) fn mib_signed(bytes: i64) -> String {
    short(i128::from(bytes))
}

/// Without the zeros at the end of the decimals.
fn short(bytes: i128) -> String {
    let words = byte_size(bytes);
    let parts = words
        .split_once('.')
        .and_then(|(whole, rest)| Some((whole, rest.split_once(' ')?)));
    let Some((whole, (decimals, unit))) = parts else {
        return words;
    };
    match decimals.trim_end_matches('0') {
        "" => format!("{whole} {unit}"),
        decimals => format!("{whole}.{decimals} {unit}"),
    }
}

/// Both: `61 MiB (63 963 136 B)`.
#[must_use]
pub(super) fn exact(bytes: u64) -> String {
    format!(
        "{} ({} B)",
        mib(bytes),
        super::super::controls::count(bytes)
    )
}

/// A share with one decimal; "n/a" of nothing.
#[must_use]
pub(super) fn percent(part: u64, whole: u64) -> String {
    let tenths = (u128::from(part) * 1_000 + u128::from(whole) / 2).checked_div(whole.into());
    tenths.map_or_else(
        || "n/a".to_owned(),
        |tenths| format!("{}.{} %", tenths / 10, tenths % 10),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_well() {
        assert_eq!(mib(0), "0 B");
        assert_eq!(mib(512), "512 B");
        assert_eq!(mib(1_536), "1.5 KiB");
        assert_eq!(mib(61 << 20), "61 MiB");
        assert_eq!(mib((5 << 30) / 4), "1.25 GiB");
        assert_eq!(mib(u64::MAX), "17179869183.99 GiB");
        assert_eq!(mib_signed(-1_536), "-1.5 KiB");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(1, 0), "n/a");
    }
}
