//! What panels of many rows share: rows that a worker may bring later, a filter, an order.

use super::{Effect, Section, Session};
use crate::metrics::SortOrder;
use regex::Regex;

/// What follows from a key: what is there, and what the worker is at.
#[derive(Debug)]
pub(super) struct Measured<K, T> {
    here: Option<(K, T)>,
    asked: Option<K>,
}

impl<K, T> Default for Measured<K, T> {
    fn default() -> Self {
        Self {
            here: None,
            asked: None,
        }
    }
}

impl<K: Copy + PartialEq, T> Measured<K, T> {
    /// What is there, and what it follows from.
    pub(super) fn here(&self) -> Option<(&K, &T)> {
        self.here.as_ref().map(|(key, found)| (key, found))
    }

    /// The same, to be put into another order.
    pub(super) fn here_mut(&mut self) -> Option<&mut T> {
        self.here.as_mut().map(|(_, found)| found)
    }

    /// Whether what is there follows from this key.
    pub(super) fn is_of(&self, key: K) -> bool {
        self.here.as_ref().is_some_and(|(of, _)| *of == key)
    }

    /// Whether the worker is to be asked now. One thing at a time: it is done with a window before
    /// it is given the latest one.
    pub(super) fn ask(&mut self, key: K) -> bool {
        let is_free = self.asked.is_none();
        if is_free {
            self.asked = Some(key);
        }
        is_free
    }

    /// The worker is done.
    pub(super) fn is_answered(&mut self) {
        self.asked = None;
    }

    /// Takes what was measured.
    pub(super) fn take(&mut self, key: K, found: T) {
        self.here = Some((key, found));
    }
}

/// What a panel of many rows shows.
#[derive(Clone, Debug)]
pub struct Shown<'s, K, R> {
    /// What the rows follow from.
    pub key: K,
    /// Whether they are of the current window; others are dimmed.
    pub is_current: bool,
    /// Number of rows, filtered out ones included.
    pub all: usize,
    /// The rows that the filter leaves, in order.
    pub rows: Vec<&'s R>,
}

/// Rows that a filter left, in order. The choice was made before, so that a frame costs what it
/// shows.
#[derive(Debug)]
pub struct Picked<'s, R> {
    rows: &'s [R],
    kept: &'s [usize],
}

// Two references, whatever a row is.
impl<R> Clone for Picked<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Picked<'_, R> {}

impl<'s, R> Picked<'s, R> {
    pub(super) fn new(rows: &'s [R], kept: &'s [usize]) -> Self {
        Self { rows, kept }
    }

    /// How many the filter left.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether it left none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many there are with those that it hides.
    #[must_use]
    pub fn all(&self) -> usize {
        self.rows.len()
    }

    /// One of them by its place from the top.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&'s R> {
        self.rows.get(*self.kept.get(place)?)
    }

    /// All of them from top to bottom.
    pub fn iter(&self) -> impl Iterator<Item = &'s R> + use<'s, R> {
        let rows = self.rows;
        self.kept.iter().filter_map(move |at| rows.get(*at))
    }
}

/// A regular expression that is being typed.
#[derive(Debug, Default)]
pub struct Filter {
    /// The text as it is typed.
    pub text: String,
    /// What is wrong with it; the last good one is used meanwhile.
    pub trouble: Option<String>,
    /// The one that holds.
    regex: Option<Regex>,
}

impl Filter {
    /// Whether a text is wanted.
    #[must_use]
    pub fn wants(&self, text: &str) -> bool {
        self.regex.as_ref().is_none_or(|r| r.is_match(text))
    }

    pub(super) fn set(&mut self, text: String) {
        match Regex::new(&text) {
            Ok(regex) => {
                self.regex = (!text.is_empty()).then_some(regex);
                self.trouble = None;
            }
            Err(error) => {
                let what = super::regex_trouble(&error);
                self.trouble = Some(format!("{what}; rows are those of the last good filter"));
            }
        }
        self.text = text;
    }
}

/// What rows are sorted by, and which end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting<S> {
    /// The column.
    pub by: S,
    /// Which end comes first.
    pub order: SortOrder,
}

impl<S: PartialEq + Copy> Sorting<S> {
    /// Sorts by another column, or by the same one the other way round.
    pub(super) fn choose(&mut self, by: S, first: SortOrder) {
        self.order = if self.by == by {
            self.order.reversed()
        } else {
            first
        };
        self.by = by;
    }
}

impl Session {
    /// Measures what panels of many rows show of the current window where it is little, and asks
    /// the worker where it is much. To be called before the views of a frame.
    #[must_use]
    pub fn refresh_tables(&mut self) -> Vec<Effect> {
        let mut effects = self.refresh_kernels();
        if !self.is_closed(Section::Collectives) {
            effects.extend(self.refresh_collectives());
            effects.extend(self.refresh_hiding());
        }
        effects.extend(self.refresh_idle());
        effects.extend(self.refresh_memory());
        effects.extend(self.refresh_overlap());
        effects.extend(self.refresh_compat());
        effects.extend(self.refresh_ranks());
        effects.extend(self.refresh_what_if());
        effects.extend(self.refresh_compare());
        effects
    }

    /// Whether a section shows nothing.
    pub(super) fn is_closed(&self, section: Section) -> bool {
        self.closed_sections.contains(&section)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_filter_is_told_and_the_last_good_one_holds() {
        let mut filter = Filter::default();
        filter.set("^nccl".to_owned());
        filter.set("^nccl(".to_owned());
        let trouble = filter.trouble.clone().unwrap_or_default();
        assert!(trouble.contains("unclosed group"), "{trouble}");
        assert!(filter.wants("nccl") && !filter.wants("gemm"));
        filter.set(String::new());
        assert!(filter.trouble.is_none() && filter.wants("gemm"));
    }

    #[test]
    fn a_second_click_turns_the_order_round() {
        let (up, down) = (SortOrder::Ascending, SortOrder::Descending);
        let mut sorting = Sorting {
            by: 'a',
            order: down,
        };
        let mut orders = Vec::new();
        for (by, first) in [('a', down), ('a', down), ('b', up), ('a', down)] {
            sorting.choose(by, first);
            orders.push(sorting.order);
        }
        assert_eq!(orders, [up, down, up, down]);
    }
}
