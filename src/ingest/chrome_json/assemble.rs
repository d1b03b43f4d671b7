//! From single events to a [`RankBuilder`]: phases, times, rows, names, classes.

mod begin_end;
mod filter;
mod header;
mod lane;
mod memo;
mod memory;
mod message;
mod values;

use super::category::Meaning;
use super::event::{RawArgs, RawEvent, each_key, text};
use super::repair::Repaired;
use crate::classify::Rules;
use crate::ingest::budget::Meter;
use crate::time::{DurNs, Ns, parse_i64};
use crate::trace::{
    Category, CounterSample, FileId, Flow, FlowPhase, Instant, IssueKind, Message, NameId,
    Position, RankBuilder, RawSlice, SourceSpan,
};
use begin_end::BeginEnd;
pub(in crate::ingest) use filter::Filter;
use header::Header;
use lane::LaneQuery;
pub(super) use memo::Memo;
use rustc_hash::FxHashMap;
use values::{args_of, flow_id, row_key, stream_of_tid, time};

/// Times farther from zero than this are refused, so that no later sum can overflow.
const MAX_TIME: i64 = i64::MAX / 2;

/// Turns the events of one text into a rank.
pub(super) struct Assembler<'r> {
    builder: RankBuilder,
    rules: &'r Rules,
    header: Header,
    begin_end: BeginEnd,
    /// Decoded names by their raw text, so that each distinct one is decoded once.
    names: FxHashMap<Box<str>, NameId>,
    memo: Memo,
    /// Numbers of raw texts that are too long for a `Word`.
    long_words: FxHashMap<Box<str>, u64>,
    lanes: FxHashMap<LaneQuery, u32>,
    filter: Filter,
    /// Watches the memory that the whole text takes; parts of it have none.
    meter: Option<Meter>,
}

impl<'r> Assembler<'r> {
    pub(super) fn new(file: FileId, rules: &'r Rules, filter: Filter) -> Self {
        let mut builder = RankBuilder::new(file);
        filter.tell(&mut builder);
        Self {
            builder,
            rules,
            header: Header::default(),
            begin_end: BeginEnd::default(),
            names: FxHashMap::default(),
            memo: Memo::default(),
            long_words: FxHashMap::default(),
            lanes: FxHashMap::default(),
            filter,
            meter: None,
        }
    }

    /// Has the memory watched that this one and what it absorbs takes.
    pub(super) fn watched_by(mut self, meter: Meter) -> Self {
        self.meter = Some(meter);
        self
    }

    /// An empty one for another part of the same text.
    pub(super) fn fresh(&self, memo: Memo) -> Self {
        Self {
            memo,
            ..Self::new(self.builder.file, self.rules, self.filter)
        }
    }

    /// Hands over what was found out about raw texts.
    pub(super) fn take_memo(&mut self) -> Memo {
        std::mem::take(&mut self.memo)
    }

    /// Takes over the events of the part of the text that follows.
    pub(super) fn absorb(&mut self, next: Self) {
        let renumbered = self.builder.absorb(next.builder);
        self.begin_end.absorb(next.begin_end, &renumbered);
        self.weigh();
    }

    /// Counts an oddity.
    pub(super) fn note(&mut self, kind: IssueKind, byte: u64, what: &str) {
        self.builder
            .health
            .note(kind, self.builder.file, || Position {
                byte: Some(byte),
                what: what.to_owned(),
            });
    }

    /// A top-level value beside the events.
    pub(super) fn header(&mut self, key: &str, value: &str) {
        self.header.take(key, value);
    }

    /// An event whose text was mended; `false` where the mended text is still no event.
    pub(super) fn mended_event(&mut self, repaired: &Repaired, span: SourceSpan) -> bool {
        match RawEvent::parse(repaired.json.as_bytes()) {
            Ok(event) => {
                self.event(&event, span);
                true
            }
            Err(_) => false,
        }
    }

    /// One event.
    pub(super) fn event(&mut self, event: &RawEvent<'_>, span: SourceSpan) {
        if event.ph == Some("\"X\"") {
            self.complete(event, span);
            return;
        }
        let phase = event.ph.map(text).unwrap_or_default();
        match &*phase {
            // Written with an escape.
            "X" => self.complete(event, span),
            "B" | "E" => self.begin_or_end(event, span, &phase == "B"),
            "i" | "I" | "R" => self.instant(event, span),
            "C" => self.counter(event, span),
            "M" => self.metadata(event),
            "s" => self.flow(event, span, FlowPhase::Start),
            "t" => self.flow(event, span, FlowPhase::Step),
            "f" => self.flow(event, span, FlowPhase::End),
            other => {
                let what = format!("ph {other:?}");
                self.note(IssueKind::UnknownPhase, span.offset, &what);
            }
        }
    }

    fn complete(&mut self, event: &RawEvent<'_>, span: SourceSpan) {
        let times = time(event.ts).and_then(|start| Ok((start, time(event.dur)?)));
        let (start, dur) = match times {
            Ok(times) => times,
            Err(why) => {
                let name = event.name.map(text).unwrap_or_default().into_owned();
                self.note(why, span.offset, &name);
                return;
            }
        };
        if dur >= 0 && self.leaves_out(event, Ns(start), DurNs(dur), span) {
            return;
        }
        let (slice, message) = self.slice(event, Ns(start), span);
        if dur < 0 {
            let name = self.builder.names.get(slice.name).to_owned();
            self.note(IssueKind::NegativeDuration, span.offset, &name);
            return;
        }
        self.builder.push_slice(RawSlice {
            dur: DurNs(dur),
            ..slice
        });
        if let Some(message) = message {
            self.builder.state_message(message);
        }
        // Events that are read one by one are in no part that is absorbed.
        if self.builder.slice_count().is_multiple_of(1 << 14) {
            self.weigh();
        }
    }

    /// Everything of a slice but its length, and what its args tell of a collective call.
    fn slice(
        &mut self,
        event: &RawEvent<'_>,
        start: Ns,
        span: SourceSpan,
    ) -> (RawSlice, Option<Message>) {
        let name = self.name(event.name.unwrap_or("\"\""));
        let meaning = self.memo.meaning(event.cat.unwrap_or("\"\""));
        let wants_args = !matches!(
            meaning,
            Meaning::Host(Category::Python | Category::Overhead | Category::ProfilerSpan)
        );
        let args = if wants_args {
            args_of(event)
        } else {
            RawArgs::default()
        };
        let number = |raw: Option<&str>| raw.and_then(|r| parse_i64(r.as_bytes()).ok());
        let device = number(args.device);
        let mut stream = number(args.stream);
        let (mut class, mut message) = (None, None);
        let mut category = match meaning {
            Meaning::Gpu(_) => Category::Gpu,
            Meaning::Host(category) => category,
        };
        if let Meaning::Gpu(kind) = meaning {
            stream = stream.or_else(|| event.tid.and_then(stream_of_tid));
            if stream.is_some_and(|s| s >= 0) {
                // A blank name states nothing.
                let stated = args.collective.filter(|c| !text(c).trim().is_empty());
                message = stated.map(|_| self.message(event.args));
                class = Some(self.memo.class(
                    self.rules,
                    event.name.unwrap_or("\"\""),
                    kind,
                    stated.is_some(),
                ));
            } else {
                category = Category::Other;
                let what = self.builder.names.get(name).to_owned();
                self.note(IssueKind::NoStream, span.offset, &what);
            }
        }
        if category == Category::CpuOp && event.records_call() {
            message = Some(self.message(event.args)).filter(|m| !m.is_empty());
        }
        let lane = self.lane(event, category, device, stream);
        let slice = RawSlice {
            start,
            dur: DurNs::ZERO,
            name,
            category,
            class,
            lane,
            correlation: number(args.correlation),
            external: number(args.external),
            source: span,
        };
        (slice, message)
    }

    fn begin_or_end(&mut self, event: &RawEvent<'_>, span: SourceSpan, begins: bool) {
        let at = match time(event.ts) {
            Ok(at) => Ns(at),
            Err(why) => {
                let name = event.name.map(text).unwrap_or_default().into_owned();
                self.note(why, span.offset, &name);
                return;
            }
        };
        let key = row_key(event);
        if begins {
            let (slice, message) = self.slice(event, at, span);
            self.begin_end.begin(key, slice, message);
        } else {
            self.begin_end.end(key, at, span.offset);
        }
    }

    fn instant(&mut self, event: &RawEvent<'_>, span: SourceSpan) {
        if event.tells_of_memory() {
            self.memory(event, span);
            return;
        }
        if self.leaves_out_at(event, span) {
            return;
        }
        let name = self.name(event.name.unwrap_or("\"\""));
        match time(event.ts) {
            Ok(at) => self.builder.push_instant(Instant {
                at: Ns(at),
                name,
                source: span,
            }),
            Err(why) => self.note(why, span.offset, "an instant"),
        }
    }

    fn counter(&mut self, event: &RawEvent<'_>, span: SourceSpan) {
        if self.leaves_out_at(event, span) {
            return;
        }
        let at = match time(event.ts) {
            Ok(at) => Ns(at),
            Err(why) => {
                self.note(why, span.offset, "a counter");
                return;
            }
        };
        let pid = event.pid.map(text).unwrap_or_default().into_owned();
        let mut label = event.name.map(text).unwrap_or_default().into_owned();
        if let Some(id) = event.id.map(text) {
            label = format!("{label} [{id}]");
        }
        let name = self.builder.names.intern(&label);
        let mut samples = Vec::new();
        each_key(event.args, |series, raw| {
            // A value that is no number is empty: the track simply has no sample there.
            let value = text(raw).trim().parse::<f64>().ok();
            if let Some(value) = value.filter(|v| v.is_finite()) {
                samples.push((series.to_owned(), value));
            }
        });
        for (series, value) in samples {
            let series = self.builder.names.intern(&series);
            self.builder
                .push_counter(&pid, name, series, CounterSample { at, value });
        }
    }

    fn metadata(&mut self, event: &RawEvent<'_>) {
        let args = args_of(event);
        let (Some(kind), Some(name)) = (event.name, args.name) else {
            return;
        };
        let key = row_key(event);
        match &*text(kind) {
            "thread_name" => self.builder.name_thread(key, &text(name)),
            "process_name" => self.builder.name_process(&key.pid, &text(name)),
            _ => {}
        }
    }

    fn flow(&mut self, event: &RawEvent<'_>, span: SourceSpan, phase: FlowPhase) {
        if self.leaves_out_at(event, span) {
            return;
        }
        let category = self.name(event.cat.unwrap_or("\"\""));
        match time(event.ts) {
            Ok(at) => self.builder.push_flow(Flow {
                at: Ns(at),
                id: flow_id(event.id.unwrap_or("0")),
                category,
                phase,
            }),
            Err(why) => self.note(why, span.offset, "a flow"),
        }
    }

    /// The interned name of a raw value.
    fn name(&mut self, raw: &str) -> NameId {
        if let Some(id) = self.names.get(raw) {
            return *id;
        }
        let id = self.builder.names.intern(&text(raw));
        self.names.insert(raw.into(), id);
        id
    }

    /// Closes what is open and hands over the rank with the number that the file states.
    pub(super) fn finish(mut self) -> (RankBuilder, Option<u32>) {
        self.begin_end.close(&mut self.builder, &self.filter);
        let rank = self.header.apply(&mut self.builder);
        (self.builder, rank)
    }
}
