//! [`Filter`]: which events are left out by choice, decided before anything of them is stored.

use super::Assembler;
use super::values::{args_of, time};
use crate::ingest::chrome_json::category::Meaning;
use crate::ingest::chrome_json::event::{RawEvent, text};
use crate::time::{DurNs, Ns, Window, parse_i64};
use crate::trace::class::CollectiveKind;
use crate::trace::{Category, IssueKind, Position, RankBuilder, RawSlice, SourceSpan, shares_time};

/// Arrows between operators, which go with them.
const BETWEEN_OPS: &str = "\"fwdbwd\"";

/// Which events of one text are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ingest) struct Filter {
    /// Python frames.
    pub(in crate::ingest) no_python: bool,
    /// Operators, Python frames and overhead.
    pub(in crate::ingest) no_cpu_rows: bool,
    /// Everything outside this range of the file's own time.
    pub(in crate::ingest) range: Option<Window>,
    /// Everything: only how far the text reaches is asked for.
    pub(in crate::ingest) everything: bool,
}

impl Filter {
    /// Whether nothing is left out.
    fn takes_all(&self) -> bool {
        !(self.no_python || self.no_cpu_rows || self.everything) && self.range.is_none()
    }

    /// Tells the builder what it cannot know from the events.
    pub(super) fn tell(&self, builder: &mut RankBuilder) {
        if let Some(range) = self.range {
            builder.set_range(range);
        }
    }

    /// Why a slice is left out. Figures need some slices wherever they lie: `is_needed` tells of
    /// operators and annotations whether they name a step or a collective, `launches` of calls
    /// whether they may have launched GPU work.
    fn why(
        &self,
        category: Category,
        (start, dur): (Ns, DurNs),
        mut is_needed: impl FnMut() -> bool,
        launches: impl FnOnce() -> bool,
    ) -> Option<IssueKind> {
        match category {
            Category::Python if self.no_python || self.no_cpu_rows => {
                return Some(IssueKind::PythonLeftOut);
            }
            Category::Overhead if self.no_cpu_rows => return Some(IssueKind::CpuRowsLeftOut),
            Category::CpuOp if self.no_cpu_rows && !is_needed() => {
                return Some(IssueKind::CpuRowsLeftOut);
            }
            _ => {}
        }
        let range = self.range?;
        let stays = shares_time(range, start, dur)
            || match category {
                Category::Runtime => launches(),
                Category::Annotation | Category::CpuOp => is_needed(),
                _ => false,
            };
        (!stays).then_some(IssueKind::OutsideRange)
    }

    /// A length that reaches into the range from a start before it, for slices without an end.
    pub(super) fn longest_from(&self, start: Ns) -> DurNs {
        let end = self.range.map_or(start, |range| range.end().max(start));
        end - start
    }

    /// Why a slice is left out that was put together from its begin and its end.
    pub(super) fn why_slice(&self, slice: &RawSlice, name: &str) -> Option<IssueKind> {
        self.why(
            slice.category,
            (slice.start, slice.dur),
            || is_needed(name),
            || slice.correlation.is_some(),
        )
    }
}

/// Whether figures need the operator of this name.
pub(super) fn is_needed(name: &str) -> bool {
    name.starts_with("ProfilerStep#")
        || name == "record_param_comms"
        || CollectiveKind::parse(name).is_some_and(|k| k != CollectiveKind::Other)
}

impl Assembler<'_> {
    /// Whether a complete event is left out; if so, it is counted.
    pub(super) fn leaves_out(
        &mut self,
        event: &RawEvent<'_>,
        start: Ns,
        dur: DurNs,
        span: SourceSpan,
    ) -> bool {
        if self.filter.takes_all() {
            return false;
        }
        let name = event.name.unwrap_or("\"\"");
        let category = match self.memo.meaning(event.cat.unwrap_or("\"\"")) {
            Meaning::Gpu(_) => Category::Gpu,
            Meaning::Host(category) => category,
        };
        let why = if self.filter.everything {
            Some(IssueKind::OutsideRange)
        } else {
            let memo = &mut self.memo;
            self.filter.why(
                category,
                (start, dur),
                || memo.is_needed(name),
                || args_of(event).correlation.is_some(),
            )
        };
        let Some(why) = why else {
            return false;
        };
        self.builder
            .leave_out(why, start, dur, || position(event, span));
        if category == Category::Gpu {
            let correlation = args_of(event).correlation;
            if let Some(id) = correlation.and_then(|c| parse_i64(c.as_bytes()).ok()) {
                self.builder.lose_kernel(id, start);
            }
        }
        true
    }

    /// Whether an event without a duration is left out; if so, it is counted.
    pub(super) fn leaves_out_at(&mut self, event: &RawEvent<'_>, span: SourceSpan) -> bool {
        let filter = self.filter;
        if filter.takes_all() {
            return false;
        }
        let why = if filter.no_cpu_rows && event.cat == Some(BETWEEN_OPS) {
            Some(IssueKind::CpuRowsLeftOut)
        } else {
            let at = filter
                .range
                .and_then(|range| Some((range, time(event.ts).ok()?)));
            let outside = at.is_some_and(|(range, at)| !shares_time(range, Ns(at), DurNs::ZERO));
            (outside || filter.everything).then_some(IssueKind::OutsideRange)
        };
        let Some(why) = why else {
            return false;
        };
        let file = self.builder.file;
        self.builder
            .health
            .note(why, file, || position(event, span));
        true
    }

    /// Tells the meter how much memory is held.
    pub(super) fn weigh(&mut self) {
        if let Some(meter) = &mut self.meter {
            meter.holds(self.builder.heap_bytes());
        }
    }
}

fn position(event: &RawEvent<'_>, span: SourceSpan) -> Position {
    Position {
        byte: Some(span.offset),
        what: event.name.map(text).unwrap_or_default().into_owned(),
    }
}
