//! What a pickle stored for later: places that follow one another in a list, all others in a map,
//! so that a place far out costs no more than a near one.

use super::Value;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Memo {
    dense: Vec<Value>,
    sparse: HashMap<u64, Value>,
}

impl Memo {
    /// How many values there are, which is the next place that MEMOIZE takes.
    pub(super) fn len(&self) -> usize {
        self.dense.len() + self.sparse.len()
    }

    /// About how many bytes are held.
    pub(super) fn held(&self) -> u64 {
        let bytes = |count: usize, each: u64| u64::try_from(count).unwrap_or(0) * each;
        bytes(self.dense.capacity(), 16) + bytes(self.sparse.capacity(), 28)
    }

    /// Stores a value; `true` where the place held another one before.
    pub(super) fn put(&mut self, index: u64, value: Value) -> bool {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        if place == self.dense.len() {
            self.dense.push(value);
            !self.sparse.is_empty() && self.sparse.remove(&index).is_some()
        } else if let Some(there) = self.dense.get_mut(place) {
            *there = value;
            true
        } else {
            self.sparse.insert(index, value).is_some()
        }
    }

    pub(super) fn get(&self, index: u64) -> Option<Value> {
        usize::try_from(index)
            .ok()
            .and_then(|place| self.dense.get(place))
            .or_else(|| self.sparse.get(&index))
            .copied()
    }
}
