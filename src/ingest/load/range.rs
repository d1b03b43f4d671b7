//! Where a range of time lies in every file.
//!
//! A range counts from the first valid event over all ranks once they are aligned. Files are not in
//! order of time, a base may stand behind the events, and what is astray is only known at the end;
//! so the files are read once for nothing but their extents, and then again with the range known in
//! each file's own time. That costs a second pass and holds only what lies in the range.

use super::choose::{Choice, read_ranks};
use super::{Job, align};
use crate::ingest::chrome_json::Filter;
use crate::ingest::{IngestError, Phase};
use crate::time::{DurNs, Ns, TimeRange, Window};

impl Job<'_> {
    /// Puts the range into the filter of every file.
    pub(super) fn place_range(
        &self,
        range: &TimeRange,
        chosen: &[Choice],
        filters: &mut [Filter],
    ) -> Result<(), IngestError> {
        let nothing = Filter {
            everything: true,
            ..Filter::default()
        };
        let first = vec![nothing; self.inputs.len()];
        let outcomes = self.pass(Phase::Surveying, chosen, &first);
        self.go_on()?;
        let mut found = Vec::new();
        let mut bases = Vec::new();
        for (at, read) in read_ranks(outcomes).enumerate() {
            if let Some(mut read) = read {
                found.push((read.builder.survey(), read.builder.base.is_some()));
                bases.push((at, read.builder.base.unwrap_or_default()));
            }
        }
        let window = range.resolve(align::origin(&found).unwrap_or_default())?;
        for ((at, base), shift) in bases.into_iter().zip(align::shifts(&found)) {
            if let Some(filter) = filters.get_mut(at) {
                let offset = base + shift.moved.unwrap_or_default();
                filter.range = Some(moved_back(window, offset));
            }
        }
        Ok(())
    }
}

fn moved_back(window: Window, offset: DurNs) -> Window {
    let back = |at: Ns| at.saturating_sub(offset);
    Window::new(back(window.start()), back(window.end()))
}
