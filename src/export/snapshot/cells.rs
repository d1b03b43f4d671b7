//! Cells that several tables of a snapshot share.

use crate::metrics::report::Cell;
use crate::snapshot::{PoolId, PoolSize};

pub(super) fn int(number: impl Into<i128>) -> Cell {
    Cell::Int(number.into())
}

pub(super) fn count(number: usize) -> Cell {
    Cell::Int(i128::try_from(number).unwrap_or(i128::MAX))
}

pub(super) fn some(number: Option<u64>) -> Cell {
    number.map_or(Cell::Empty, int)
}

pub(super) fn words(text: &str) -> Cell {
    if text.is_empty() {
        Cell::Empty
    } else {
        Cell::Text(text.to_owned())
    }
}

pub(super) fn size_word(size: PoolSize) -> Cell {
    words(match size {
        PoolSize::Small => "small",
        PoolSize::Large => "large",
    })
}

pub(super) fn pool_words(id: PoolId) -> Cell {
    if id.is_private() {
        Cell::Text(format!("{}.{}", id.0, id.1))
    } else {
        Cell::Empty
    }
}
