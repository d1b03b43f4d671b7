//! How typed inputs are written into a file: a key, and a number with its unit, without loss.

use super::{Field, Model, Quantity};
use crate::whatif::{Bandwidth, parse_size, parse_time};

impl Field {
    /// Its name in files; no two have the same.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Alpha => "alpha",
            Self::ChunkAlpha => "chunk_alpha",
            Self::Bus => "bus_bandwidth",
            other => {
                let name = other.name();
                let units = ["_us", "_bytes"];
                let mut bare = units.into_iter().filter_map(|unit| name.strip_suffix(unit));
                bare.next().unwrap_or(name)
            }
        }
    }

    /// The input of such a name.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        let mut all = Model::ALL.into_iter().flat_map(Model::fields);
        all.find(|field| field.key() == key).copied()
    }
}

impl Quantity {
    /// The number with its unit, with all of its digits.
    #[must_use]
    pub fn exact(self) -> String {
        match self {
            Self::Time(time) => format!("{}ns", time.0),
            Self::Size(bytes) => format!("{bytes}B"),
            Self::Rate(rate) => format!("{}GB/s", rate.gb_per_s()),
            Self::Factor(factor) => factor.to_string(),
            Self::Count(count) => count.to_string(),
        }
    }

    /// Reads such a text as a quantity of the same dimension; `None` for what no such one can be.
    #[must_use]
    pub fn of_exact(self, text: &str) -> Option<Self> {
        match self {
            Self::Time(_) => parse_time(text).ok().map(Self::Time),
            Self::Size(_) => parse_size(text).ok().map(Self::Size),
            Self::Rate(_) => {
                let rate = text.strip_suffix("GB/s")?.parse().ok()?;
                let is_one = (1e-9..=1e9).contains(&rate);
                is_one.then(|| Bandwidth::from_gb_per_s(rate).map(Self::Rate))?
            }
            Self::Factor(_) => {
                let factor: f64 = text.parse().ok()?;
                (factor.is_finite() && factor >= 1.0).then_some(Self::Factor(factor))
            }
            Self::Count(_) => text.parse().ok().map(Self::Count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DurNs;

    #[test]
    fn what_is_written_is_read_again_exactly() {
        let rate = |n| Quantity::Rate(Bandwidth::from_gb_per_s(n).unwrap());
        for value in [
            Quantity::Time(DurNs(0)),
            Quantity::Time(DurNs(9_007_199_254_740_993)),
            Quantity::Size(26_214_401),
            rate(41.943),
            rate(0.1 + 0.2),
            Quantity::Factor(1.0),
            Quantity::Factor(1.45),
            Quantity::Count(64),
        ] {
            assert_eq!(value.of_exact(&value.exact()), Some(value), "{value:?}");
        }
        for (of, text) in [
            (Quantity::Time(DurNs(0)), "-5ns"),
            (Quantity::Time(DurNs(0)), "5"),
            (Quantity::Size(1), "0B"),
            (rate(1.0), "0GB/s"),
            (rate(1.0), "NaNGB/s"),
            (rate(1.0), "60"),
            (Quantity::Factor(1.0), "0.5"),
            (Quantity::Factor(1.0), "inf"),
            (Quantity::Count(1), "1.5"),
        ] {
            assert_eq!(of.of_exact(text), None, "{text}");
        }
    }

    #[test]
    fn keys_are_of_one_field_each() {
        for field in Model::ALL.into_iter().flat_map(Model::fields) {
            assert_eq!(Field::of_key(field.key()), Some(*field));
        }
        assert_eq!(Field::of_key("later"), None);
    }
}
