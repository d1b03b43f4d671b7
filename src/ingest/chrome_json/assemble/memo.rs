//! [`Memo`]: what was found out about raw texts, worth keeping from one part of a text to the next.

use super::filter::is_needed;
use crate::classify::Rules;
use crate::ingest::chrome_json::category::{Meaning, meaning};
use crate::ingest::chrome_json::event::text;
use crate::trace::class::{GpuKind, KernelClass};
use rustc_hash::FxHashMap;

/// Answers by raw text.
#[derive(Default)]
pub(in crate::ingest::chrome_json) struct Memo {
    meanings: FxHashMap<Box<str>, Meaning>,
    /// Classes by raw name, one slot for each kind and whether a collective was stated.
    classes: FxHashMap<Box<str>, [Option<KernelClass>; 6]>,
    /// Whether figures need the operator of this raw name.
    needed: FxHashMap<Box<str>, bool>,
}

impl Memo {
    pub(super) fn meaning(&mut self, raw: &str) -> Meaning {
        if let Some(known) = self.meanings.get(raw) {
            return *known;
        }
        let found = meaning(&text(raw));
        self.meanings.insert(raw.into(), found);
        found
    }

    pub(super) fn is_needed(&mut self, raw: &str) -> bool {
        if let Some(known) = self.needed.get(raw) {
            return *known;
        }
        let found = is_needed(&text(raw));
        self.needed.insert(raw.into(), found);
        found
    }

    pub(super) fn class(
        &mut self,
        rules: &Rules,
        raw: &str,
        kind: GpuKind,
        collective: bool,
    ) -> KernelClass {
        let slot = 2 * kind as usize + usize::from(collective);
        let known = self.classes.get(raw).and_then(|c| *c.get(slot)?);
        known.unwrap_or_else(|| {
            let class = rules.classify(kind, &text(raw), collective).class;
            let slots = self.classes.entry(raw.into()).or_default();
            if let Some(slot) = slots.get_mut(slot) {
                *slot = Some(class);
            }
            class
        })
    }
}
