//! Where a range of time lies in every file.
//!
//! A range counts from the first valid event over all ranks once they are aligned. Files are not in
//! order of time, a base may stand behind the events, and what is astray is only known at the end;
//! so the files are read once for nothing but their extents, and then again with the range known in
//! each file's own time. That costs a second pass and holds only what lies in the range.

use super::Job;
use super::choose::Choice;
use super::refine::Placed;
use crate::ingest::chrome_json::Filter;
use crate::ingest::{AlignBy, IngestError, Phase};
use crate::time::{DurNs, Ns, TimeRange, Window};

impl Job<'_> {
    /// Puts the range into the filter of every file, and tells where the ranks lie.
    ///
    /// What collectives tell of clocks is told by those of the whole files, so with them the first
    /// pass keeps all that a collective is known by; without, nothing but extents.
    pub(super) fn place_range(
        &self,
        range: &TimeRange,
        chosen: &[Choice],
        filters: &mut [Filter],
    ) -> Result<Placed, IngestError> {
        let by_collectives = self.options.align == AlignBy::Collectives;
        let first = Filter {
            no_cpu_rows: by_collectives,
            everything: !by_collectives,
            ..Filter::default()
        };
        let outcomes = self.pass(Phase::Surveying, chosen, &vec![first; self.inputs.len()]);
        self.go_on()?;
        let whole = self.assemble(outcomes, None)?;
        self.reading.budget.release();
        let window = range.resolve(whole.origin().unwrap_or_default())?;
        // What turns out to be of a rank that nobody asked for is not read again.
        for filter in &mut *filters {
            filter.everything = true;
        }
        for rank in &whole.ranks {
            let at = usize::try_from(rank.file.0).ok();
            if let Some(filter) = at.and_then(|at| filters.get_mut(at)) {
                filter.everything = false;
                filter.range = Some(moved_back(window, rank.alignment.offset()));
            }
        }
        Ok(Placed::of(&whole))
    }
}

fn moved_back(window: Window, offset: DurNs) -> Window {
    let back = |at: Ns| at.saturating_sub(offset);
    Window::new(back(window.start()), back(window.end()))
}
