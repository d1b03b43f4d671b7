//! One requirement of `overlane check`: a column, an operator and a decimal number.
//!
//! What is compared is the number as the column prints it, as integers of its last decimal: what a
//! user reads in the CSV and what the gate decides on can never differ.

use super::{CliError, suggest};
use crate::metrics::report::{Cell, Head, Unit};
use std::cmp::Ordering;
use std::fmt;

/// `column operator number`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    /// Place of the column in the table.
    pub(super) column: usize,
    /// Its name.
    pub(super) name: &'static str,
    operator: Operator,
    number: Decimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
    Unequal,
}

/// The longer ones first: `>=` begins with `>`.
const OPERATORS: [(&str, Operator); 6] = [
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    (">", Operator::Above),
    ("<", Operator::Below),
];

/// How many digits a number may have: with the most decimals of a column, all comparisons fit.
const DIGITS: usize = 18;

/// A decimal number, exact: `mantissa / 10^decimals`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    mantissa: i128,
    decimals: u32,
    /// As it was written.
    text: String,
}

impl Requirement {
    /// Understands a requirement on a table with these columns.
    pub(super) fn parse(text: &str, heads: &[Head]) -> Result<Self, CliError> {
        let wrong = |reason: String| CliError::Requirement {
            text: text.to_owned(),
            reason,
        };
        let at = text.find(['<', '>', '=', '!']).ok_or_else(|| {
            wrong(
                "there is no operator; use one of >= <= > < == !=, as in 'idle_percent<5'"
                    .to_owned(),
            )
        })?;
        let (name, rest) = text.split_at(at);
        let (sign, operator) = OPERATORS
            .into_iter()
            .find(|(sign, _)| rest.starts_with(sign))
            .ok_or_else(|| wrong("the operators are >= <= > < == and !=".to_owned()))?;
        let name = name.trim();
        let column = heads.iter().position(|h| h.name == name);
        let (column, head) = column
            .and_then(|i| Some((i, heads.get(i)?)))
            .ok_or_else(|| {
                let hint = suggest::hint(name, heads.iter().map(|h| h.name));
                let all: Vec<&str> = heads.iter().map(|h| h.name).collect();
                wrong(format!(
                    "there is no column '{name}'{hint}; the columns are {}",
                    all.join(", ")
                ))
            })?;
        if head.unit == Unit::None {
            return Err(wrong(format!(
                "column {name} holds no figure that could be compared"
            )));
        }
        let number = rest.strip_prefix(sign).unwrap_or_default().trim();
        let number = Decimal::parse(number).ok_or_else(|| {
            wrong(format!(
                "'{number}' is not a decimal number of at most {DIGITS} digits, such as 80 or 12.5"
            ))
        })?;
        Ok(Self {
            column,
            name: head.name,
            operator,
            number,
        })
    }

    /// Whether a cell meets it; `None` where the cell has no number.
    pub(super) fn holds(&self, cell: &Cell) -> Option<bool> {
        let (mantissa, decimals) = cell.number()?;
        let order = self.number.compare_to(mantissa, decimals)?.reverse();
        Some(match self.operator {
            Operator::AtLeast => order != Ordering::Less,
            Operator::AtMost => order != Ordering::Greater,
            Operator::Above => order == Ordering::Greater,
            Operator::Below => order == Ordering::Less,
            Operator::Equal => order == Ordering::Equal,
            Operator::Unequal => order != Ordering::Equal,
        })
    }
}

/// The condition alone, as in `>= 80`.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = OPERATORS
            .iter()
            .find(|(_, o)| *o == self.operator)
            .map_or("", |(sign, _)| sign);
        write!(f, "{sign} {}", self.number.text)
    }
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{whole}{fraction}");
        let is_number =
            !all.is_empty() && all.len() <= DIGITS && all.bytes().all(|b| b.is_ascii_digit());
        let magnitude: i128 = is_number.then(|| all.parse().ok())??;
        Some(Self {
            mantissa: if negative { -magnitude } else { magnitude },
            decimals: u32::try_from(fraction.len()).ok()?,
            text: text.to_owned(),
        })
    }

    /// Compares with `mantissa / 10^decimals`.
    fn compare_to(&self, mantissa: i128, decimals: u32) -> Option<Ordering> {
        let mine = self.mantissa.checked_mul(10_i128.checked_pow(decimals)?)?;
        let other = mantissa.checked_mul(10_i128.checked_pow(self.decimals)?)?;
        Some(mine.cmp(&other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Ratio;
    use crate::metrics::report::{Table, columns};
    use crate::time::DurNs;

    fn heads() -> Vec<Head> {
        columns(Table::Steps).iter().map(|c| c.head).collect()
    }

    fn holds(text: &str, cell: &Cell) -> Option<bool> {
        Requirement::parse(text, &heads()).expect(text).holds(cell)
    }

    #[test]
    fn numbers_are_compared_as_they_are_printed() {
        let half = Cell::Percent(Ratio::new(DurNs(1), DurNs(2)));
        for (operator, verdict) in [
            (">=50", true),
            (">=50.0001", false),
            (">49.9999", true),
            (">50", false),
            ("<=50.00000", true),
            ("<50", false),
            ("==50.0", true),
            ("!=50", false),
            ("!=-50", true),
        ] {
            assert_eq!(
                holds(&format!("idle_percent {operator}"), &half),
                Some(verdict),
                "{operator}"
            );
        }
        let sixth = Cell::Percent(Ratio::new(DurNs(1), DurNs(6)));
        assert_eq!(holds("idle_percent == 16.6667", &sixth), Some(true));
        let time = Cell::Time(DurNs(1_234_567));
        assert_eq!(holds("idle_time_us==1234.567", &time), Some(true));
        assert_eq!(holds("idle_time_us>1234.5669999", &time), Some(true));
        assert_eq!(holds("kernels<=7", &Cell::Int(7)), Some(true));
        let large = Cell::Time(DurNs(i64::MAX));
        assert_eq!(
            holds("idle_time_us>0.00000000000000001", &large),
            Some(true)
        );
    }

    #[test]
    fn what_is_not_available_meets_nothing() {
        for operator in [">=0", "<=0", ">0", "<0", "==0", "!=0"] {
            let text = format!("comm_hidden_by_comp_percent{operator}");
            assert_eq!(holds(&text, &Cell::Percent(None)), None);
            assert_eq!(holds(&text, &Cell::Empty), None);
        }
    }

    #[test]
    fn trouble_says_what_is_wrong() {
        for (text, part) in [
            ("idle_percent", "there is no operator"),
            ("idle_percent=5", "the operators are"),
            (
                "idle_percnt<5",
                "there is no column 'idle_percnt'; did you mean 'idle_percent'",
            ),
            ("idle_percent<five", "'five' is not a decimal number"),
            ("idle_percent<", "'' is not a decimal number"),
            ("idle_percent<5%", "'5%' is not a decimal number"),
            ("idle_percent<.", "'.' is not a decimal number"),
            ("idle_percent<1e3", "'1e3' is not a decimal number"),
            ("basis==1", "column basis holds no figure"),
        ] {
            let error = Requirement::parse(text, &heads())
                .expect_err(text)
                .to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_condition_reads_as_it_was_written() {
        let requirement = Requirement::parse("idle_percent <5.0", &heads()).expect("parses");
        assert_eq!(requirement.to_string(), "< 5.0");
    }
}
