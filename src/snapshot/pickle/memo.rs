//! What a pickle stored for later: places that follow one another in a list, all others in a map,
//! so that a place far out costs no more than a near one.
//!
//! Writers store every container, and use hardly any of them again: most of what a large recording
//! holds while it is read. So a place has eight bytes, and what does not fit stands aside.

use super::Value;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Memo {
    dense: Vec<Stored>,
    sparse: HashMap<u64, Value>,
    /// What stands aside, by its place in the list.
    aside: HashMap<usize, Value>,
}

/// A value in eight bytes.
#[derive(Clone, Copy, Debug)]
enum Stored {
    None,
    Bool(bool),
    Huge,
    Wide(u32),
    Text(u32),
    List(u32),
    Dict(u32),
    Tuple(u32),
    /// Whole numbers and others, which no writer stores.
    Aside,
}

impl Memo {
    /// How many values there are, which is the next place that MEMOIZE takes.
    pub(super) fn len(&self) -> usize {
        self.dense.len() + self.sparse.len()
    }

    /// About how many bytes are held.
    pub(super) fn held(&self) -> u64 {
        let bytes = |count: usize, each: u64| u64::try_from(count).unwrap_or(0) * each;
        let maps = self.sparse.capacity() + self.aside.capacity();
        bytes(self.dense.capacity(), 8) + bytes(maps, 28)
    }

    /// Stores a value; `true` where the place held another one before.
    #[inline]
    pub(super) fn put(&mut self, index: u64, value: Value) -> bool {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        if place > self.dense.len() {
            return self.sparse.insert(index, value).is_some();
        }
        let stored = match value {
            Value::None => Stored::None,
            Value::Bool(yes) => Stored::Bool(yes),
            Value::Huge => Stored::Huge,
            Value::Wide(number) => Stored::Wide(number),
            Value::Text(number) => Stored::Text(number),
            Value::List(number) => Stored::List(number),
            Value::Dict(number) => Stored::Dict(number),
            Value::Tuple(number) => Stored::Tuple(number),
            Value::Int(_) | Value::Float(_) => {
                self.aside.insert(place, value);
                Stored::Aside
            }
        };
        if let Some(there) = self.dense.get_mut(place) {
            *there = stored;
            true
        } else {
            self.dense.push(stored);
            !self.sparse.is_empty() && self.sparse.remove(&index).is_some()
        }
    }

    #[inline]
    pub(super) fn get(&self, index: u64) -> Option<Value> {
        let place = usize::try_from(index).ok()?;
        Some(match self.dense.get(place) {
            Some(Stored::None) => Value::None,
            Some(Stored::Bool(yes)) => Value::Bool(*yes),
            Some(Stored::Huge) => Value::Huge,
            Some(Stored::Wide(number)) => Value::Wide(*number),
            Some(Stored::Text(number)) => Value::Text(*number),
            Some(Stored::List(number)) => Value::List(*number),
            Some(Stored::Dict(number)) => Value::Dict(*number),
            Some(Stored::Tuple(number)) => Value::Tuple(*number),
            Some(Stored::Aside) => *self.aside.get(&place)?,
            None => *self.sparse.get(&index)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_eight_bytes_and_gives_back_what_was_put() {
        assert_eq!(size_of::<Stored>(), 8);
        let values = [
            Value::None,
            Value::Bool(true),
            Value::Int(i64::MIN),
            Value::Wide(1),
            Value::Huge,
            Value::Float(1.5),
            Value::Text(u32::MAX),
            Value::List(3),
            Value::Dict(4),
            Value::Tuple(5),
        ];
        // In order, from far out downwards, and each over another one.
        for (place, value) in (0_u64..).zip(values) {
            let mut memo = Memo::default();
            for index in [0, 1, 7, 2, 7, 1] {
                let is_again = memo.get(index).is_some();
                assert_eq!(memo.put(index, value), is_again);
                assert_eq!(memo.get(index), Some(value), "{place} at {index}");
            }
            assert_eq!(memo.len(), 4);
            assert!(!memo.put(1 << 40, value), "far out");
            assert!(memo.put(1, Value::Text(9)), "another one");
            assert_eq!(memo.get(1), Some(Value::Text(9)));
            assert_eq!(memo.get(3), None);
        }
    }
}
