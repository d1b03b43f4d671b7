//! Cells, columns and [`Grid`]: a table as every writer and the screen understand it.
//!
//! A cell keeps its exact value; digits are made here and only here, so that CSV, JSON and `check`
//! speak of the same ones. What the columns are is the matter of [`report`](super::report).

use super::ratio::decimals;
use super::{Rate, Ratio};
use crate::time::DurNs;
use std::borrow::Cow;

/// What a column's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Text, or a number that counts nothing (a rank, a byte's place).
    None,
    /// A number of things.
    Count,
    /// Microseconds with exactly three decimals.
    Microseconds,
    /// Absolute nanoseconds.
    Nanoseconds,
    /// Percent with exactly four decimals.
    Percent,
    /// A number of bytes.
    Bytes,
    /// 10^9 bytes a second, with exactly three decimals.
    GigabytesPerSecond,
    /// 10^12 floating-point operations a second, with exactly three decimals.
    TeraflopsPerSecond,
    /// How many times as much: a factor without a unit.
    Factor,
}

impl Unit {
    /// The sign or word behind a number; empty for [`Unit::None`], [`Unit::Count`] and
    /// [`Unit::Factor`].
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::None | Self::Count | Self::Factor => "",
            Self::Microseconds => "µs",
            Self::Nanoseconds => "ns",
            Self::Percent => "%",
            Self::Bytes => "B",
            Self::GigabytesPerSecond => "GB/s",
            Self::TeraflopsPerSecond => "TFLOP/s",
        }
    }
}

/// One value of a table, not yet formatted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A whole number.
    Int(i128),
    /// A length of time, printed in µs.
    Time(DurNs),
    /// A share, printed in percent; `None` is "n/a".
    Percent(Option<Ratio>),
    /// A number of units of `10^-places`, printed with that many decimals.
    Fixed(i128, u32),
    /// Bytes in time, printed in GB/s; `None` is "n/a".
    Rate(Option<Rate>),
    /// Yes or no.
    Bool(bool),
    /// Nothing to say: "n/a" where a number was expected.
    Empty,
}

impl Cell {
    /// The exact text that CSV and JSON share; `None` for "n/a".
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Int(number) => Some(Cow::Owned(number.to_string())),
            Self::Time(time) => Some(Cow::Owned(time.us3())),
            Self::Percent(ratio) => ratio.map(|r| Cow::Owned(r.percent4())),
            Self::Fixed(units, places) => Some(Cow::Owned(decimals(*units, *places))),
            Self::Rate(rate) => rate.map(|r| Cow::Owned(r.gb_per_s3())),
            Self::Bool(yes) => Some(Cow::Borrowed(if *yes { "true" } else { "false" })),
            Self::Empty => None,
        }
    }

    /// The number as `(mantissa, decimals)`: what is printed, without a point. `None` for "n/a",
    /// words and yes or no.
    #[must_use]
    pub fn number(&self) -> Option<(i128, u32)> {
        match self {
            Self::Int(number) => Some((*number, 0)),
            Self::Time(time) => Some((i128::from(time.0), 3)),
            Self::Percent(ratio) => ratio.map(|r| (r.percent_e4(), 4)),
            Self::Fixed(units, places) => Some((*units, *places)),
            Self::Rate(rate) => rate.map(|r| (r.gb_per_s_e3(), 3)),
            Self::Text(_) | Self::Bool(_) | Self::Empty => None,
        }
    }

    /// Whether there is a value.
    #[must_use]
    pub fn is_some(&self) -> bool {
        !matches!(self, Self::Empty | Self::Percent(None) | Self::Rate(None))
    }
}

/// What a column is called and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Name in CSV and JSON, with the unit as its suffix.
    pub name: &'static str,
    /// Title on screen, without the unit.
    pub title: &'static str,
    /// What its numbers are.
    pub unit: Unit,
    /// What it means, in one paragraph.
    pub definition: &'static str,
}

/// One column of a table with rows of type `R`.
#[derive(Clone, Copy, Debug)]
pub struct Column<R> {
    /// What it is called and what it means.
    pub head: Head,
    /// Its value in a row.
    pub get: fn(&R) -> Cell,
}

impl<R> Column<R> {
    /// A column by its parts, in the order in which a table of columns reads best.
    #[must_use]
    pub const fn new(
        name: &'static str,
        title: &'static str,
        unit: Unit,
        definition: &'static str,
        get: fn(&R) -> Cell,
    ) -> Self {
        Self {
            head: Head {
                name,
                title,
                unit,
                definition,
            },
            get,
        }
    }
}

/// A table whose cells were taken out of its rows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Grid {
    /// The columns in order.
    pub heads: Vec<Head>,
    /// One cell a column in each row.
    pub rows: Vec<Vec<Cell>>,
}

impl Grid {
    /// Takes the cells out of rows.
    #[must_use]
    pub fn new<R>(columns: &[Column<R>], rows: &[R]) -> Self {
        Self {
            heads: columns.iter().map(|c| c.head).collect(),
            rows: rows
                .iter()
                .map(|row| columns.iter().map(|c| (c.get)(row)).collect())
                .collect(),
        }
    }

    /// The cell of a row in the column of this name.
    #[must_use]
    pub fn cell(&self, row: usize, name: &str) -> Option<&Cell> {
        let column = self.heads.iter().position(|h| h.name == name)?;
        self.rows.get(row)?.get(column)
    }
}
