//! Interned text: every distinct name once, told by a small number.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Handle of an interned name within its [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NameId(pub u32);

/// The dictionary of all names of a trace. Grows while a trace is built, then only read.
#[derive(Debug, Default)]
pub struct Names {
    by_text: FxHashMap<Arc<str>, NameId>,
    texts: Vec<Arc<str>>,
    bytes: usize,
}

impl Names {
    /// The handle of a text, made if it is new.
    pub fn intern(&mut self, text: &str) -> NameId {
        if let Some(id) = self.by_text.get(text) {
            return *id;
        }
        let id = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let shared: Arc<str> = Arc::from(text);
        self.bytes += text.len();
        self.texts.push(Arc::clone(&shared));
        self.by_text.insert(shared, id);
        id
    }

    /// The text of a handle; empty for a handle of another dictionary.
    #[must_use]
    pub fn get(&self, id: NameId) -> &str {
        usize::try_from(id.0)
            .ok()
            .and_then(|i| self.texts.get(i))
            .map_or("", |t| t)
    }

    /// The text of a handle, to be kept by others; empty for a handle of another dictionary.
    #[must_use]
    pub fn shared(&self, id: NameId) -> Arc<str> {
        let place = usize::try_from(id.0).ok();
        let text = place.and_then(|i| self.texts.get(i));
        text.map_or_else(|| Arc::from(""), Arc::clone)
    }

    /// The handle of a text that is known already.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.by_text.get(text).copied()
    }

    /// Every name with its handle, in the order in which they first appeared.
    pub fn iter(&self) -> impl Iterator<Item = (NameId, &str)> {
        (0_u32..).map(NameId).zip(self.texts.iter().map(|t| &**t))
    }

    /// Number of distinct names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether no name is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Heap memory in bytes, near enough to report.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.bytes + self.texts.capacity() * 64
    }
}
