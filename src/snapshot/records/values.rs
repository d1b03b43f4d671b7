//! Looking at what was read: fields of plain dictionaries, items of lists and tuples, numbers.

use super::super::NoteKind;
use super::super::keys::Key;
use super::super::pickle::Value;
use super::super::tables::TextId;
use super::{Dict, Items, List, Records, slot, slot_mut};
use crate::time::Ns;

/// A record has fewer keys than this; so much of a dictionary is looked at, however large it is.
pub(super) const MOST_KEYS: usize = 256;

impl Records {
    /// What a dictionary has become. A plain one is looked at again, since it may have been put to
    /// use before it was full.
    pub(in crate::snapshot) fn dict_of(&mut self, value: Value) -> Option<Dict> {
        let Value::Dict(number) = value else {
            return None;
        };
        if let Some(Dict::Plain(body)) = slot(&self.dicts, number).copied() {
            self.look(number, body);
        }
        self.seal(value);
        slot(&self.dicts, number).copied()
    }

    /// The keys and values of a plain dictionary.
    pub(in crate::snapshot) fn pairs(&self, value: Value) -> &[(Value, Value)] {
        let Value::Dict(number) = value else {
            return &[];
        };
        match slot(&self.dicts, number) {
            Some(Dict::Open(body) | Dict::Plain(body)) => {
                slot(&self.pairs, *body).map_or(&[], |pairs| pairs)
            }
            _ => &[],
        }
    }

    /// The value of a key in a plain dictionary; the last of several.
    pub(in crate::snapshot) fn field(&self, dict: Value, key: Key) -> Option<Value> {
        let mut pairs = self.pairs(dict).iter().rev().take(MOST_KEYS);
        pairs
            .find(|(k, _)| matches!(k, Value::Text(text) if Key::of(*text) == Some(key)))
            .map(|(_, value)| *value)
    }

    /// The items of a list, which is empty afterwards: a list that is used twice costs no more.
    pub(in crate::snapshot) fn take_items(&mut self, value: Value) -> Option<Items> {
        let Value::List(number) = value else {
            return None;
        };
        match slot(&self.lists, number) {
            Some(List::Open(body)) => slot_mut(&mut self.items, *body).map(std::mem::take),
            Some(_) => Some(Items::default()),
            None => None,
        }
    }

    pub(in crate::snapshot) fn tuple_items(&self, value: Value) -> &[Value] {
        let Value::Tuple(number) = value else {
            return &[];
        };
        slot(&self.tuples, number)
            .and_then(|(from, to)| self.tuple_items.get(*from..*to))
            .unwrap_or(&[])
    }

    /// A number that is not negative; anything else is noted.
    pub(in crate::snapshot) fn unsigned(&mut self, value: Value) -> Option<u64> {
        let number = match value {
            Value::Int(number) => u64::try_from(number).ok(),
            Value::Wide(wide) => slot(&self.wide, wide).and_then(|n| u64::try_from(*n).ok()),
            _ => None,
        };
        self.or_note(number)
    }

    /// A number of 64 bits with a sign; anything else is noted.
    pub(in crate::snapshot) fn signed(&mut self, value: Value) -> Option<i64> {
        let number = match value {
            Value::Int(number) => Some(number),
            Value::Bool(yes) => Some(i64::from(yes)),
            // Handles of streams may use the highest bit.
            Value::Wide(wide) => slot(&self.wide, wide)
                .and_then(|n| u64::try_from(*n).ok())
                .map(u64::cast_signed),
            _ => None,
        };
        self.or_note(number)
    }

    fn or_note<T>(&mut self, number: Option<T>) -> Option<T> {
        if number.is_none() {
            let events = self.events.len();
            self.notes
                .add(NoteKind::BadNumber, 1, || format!("behind {events} events"));
        }
        number
    }

    /// Microseconds of the file as an instant.
    pub(in crate::snapshot) fn instant(&mut self, value: Value) -> Option<Ns> {
        let us = self.signed(value)?;
        let ns = us.checked_mul(1_000).filter(|ns| *ns != i64::MIN);
        self.or_note(ns.map(Ns))
    }

    pub(in crate::snapshot) fn text_of(value: Value) -> Option<TextId> {
        match value {
            Value::Text(text) => Some(TextId(text)),
            _ => None,
        }
    }
}
