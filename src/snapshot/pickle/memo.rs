//! What a pickle stored for later: places that follow one another in a list, all others in a map,
//! so that a place far out costs no more than a near one.

use super::Value;
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Memo {
    dense: Vec<Value>,
    sparse: FxHashMap<u64, Value>,
}

impl Memo {
    /// How many values there are, which is the next place that MEMOIZE takes.
    pub(super) fn len(&self) -> usize {
        self.dense.len() + self.sparse.len()
    }

    pub(super) fn put(&mut self, index: u64, value: Value) {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        if place == self.dense.len() {
            self.dense.push(value);
            if !self.sparse.is_empty() {
                self.sparse.remove(&index);
            }
        } else if let Some(there) = self.dense.get_mut(place) {
            *there = value;
        } else {
            self.sparse.insert(index, value);
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
