//! Bytes in words: powers of 1024, as PyTorch's own messages tell them.

/// Bytes with a unit and at most two decimals, rounded down; a unit as large as still gives a whole number of one or more.
#[must_use]
pub(super) fn mib(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_024 => return format!("{bytes} B"),
        1_024..1_048_576 => (1_u64 << 10, "KiB"),
        1_048_576..1_073_741_824 => (1 << 20, "MiB"),
        _ => (1 << 30, "GiB"),
    };
    let rest = u128::from(bytes % unit) * 100 / u128::from(unit);
    match rest {
        0 => format!("{} {name}", bytes / unit),
        rest if rest % 10 == 0 => format!("{}.{} {name}", bytes / unit, rest / 10),
        rest => format!("{}.{rest:02} {name}", bytes / unit),
    }
}

/// The same of a curve's value, which may be negative where a file contradicts itself.
#[must_use]
pub(super) fn mib_signed(bytes: i64) -> String {
    let sign = if bytes < 0 { "-" } else { "" };
    format!("{sign}{}", mib(bytes.unsigned_abs()))
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
