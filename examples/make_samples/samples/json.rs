//! Writing JSON objects as text, keys in the order they are given, so that the samples are the same byte for byte.

use std::fmt::Write as _;

/// A JSON object under construction, without its braces.
#[derive(Clone, Default)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A value that is JSON already.
    pub(crate) fn raw(mut self, key: &str, json: &str) -> Self {
        if !self.0.is_empty() {
            self.0.push_str(", ");
        }
        self.0.push_str(&quoted(key));
        self.0.push_str(": ");
        self.0.push_str(json);
        self
    }

    pub(crate) fn int(self, key: &str, value: i64) -> Self {
        self.raw(key, &value.to_string())
    }

    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        self.raw(key, &quoted(value))
    }

    /// Nanoseconds, written as the microseconds with three decimals that the profiler writes.
    pub(crate) fn us(self, key: &str, ns: i64) -> Self {
        self.raw(key, &fixed(ns, 1_000, 3))
    }

    pub(crate) fn ints(self, key: &str, values: &[i64]) -> Self {
        self.raw(key, &list(values))
    }

    /// `numerator / denominator` with six decimals, cut off.
    pub(crate) fn ratio(self, key: &str, numerator: i64, denominator: i64) -> Self {
        self.raw(
            key,
            &fixed(numerator * 1_000_000 / denominator, 1_000_000, 6),
        )
    }

    /// All pairs of `other` behind the ones that are here.
    pub(crate) fn extend(mut self, other: &Self) -> Self {
        if !self.0.is_empty() && !other.0.is_empty() {
            self.0.push_str(", ");
        }
        self.0.push_str(&other.0);
        self
    }

    pub(crate) fn object(self, key: &str, value: &Self) -> Self {
        self.raw(key, &value.json())
    }

    pub(crate) fn json(&self) -> String {
        format!("{{{}}}", self.0)
    }
}

/// `[0, 1]`, the form that the profiler uses for shapes and ranks.
pub(crate) fn list(values: &[i64]) -> String {
    let items: Vec<String> = values.iter().map(i64::to_string).collect();
    format!("[{}]", items.join(", "))
}

fn fixed(value: i64, scale: i64, decimals: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (whole, part) = (value.abs() / scale, value.abs() % scale);
    format!("{sign}{whole}.{part:0decimals$}")
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if u32::from(control) < 0x20 => {
                // Writing to a String cannot fail.
                let _always_ok = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
