//! [`RankBuilder`]: from events in file order to an immutable [`Rank`].
//!
//! A reader pushes slices, instants, counters and flows in the order of the file, with the file's
//! own times. [`RankBuilder::survey`] then tells where the rank lies, so that the caller can align
//! ranks with each other, and [`RankBuilder::finish`] sorts, splits lanes into sub-rows, links
//! launches, builds activities and steps. The result is the same for the same input, always.

mod absorb;
mod activities;
mod columns;
mod lanes;
mod memory;
mod partial;
mod report;
mod rows;
mod stepping;
mod suspicious;
#[cfg(test)]
mod tests;
mod timed;

pub use absorb::Renumbered;
pub use lanes::{Lane, RowKey};
pub use memory::RawMemory;
pub use partial::{Stop, shares_time};

use super::class::KernelClass;
use super::rank::{
    Alignment, CounterSample, DeviceFacts, Flow, Instant, ProcessGroup, Rank, RecordedWith,
};
use super::slices::{Category, Slices};
use super::{
    FileId, Health, IssueKind, Links, Message, Moved, NameId, Names, RankId, SourceSpan, comms,
};
use crate::time::{DurNs, Ns};
use columns::Columns;
use lanes::LaneTable;
use partial::Partial;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use stepping::{device_steps, host_steps};
use timed::shifted;

/// A slice as a reader found it, in the file's own time.
#[derive(Clone, Copy, Debug)]
pub struct RawSlice {
    /// Start without base or shift.
    pub start: Ns,
    /// Length, never negative.
    pub dur: DurNs,
    /// Interned name.
    pub name: NameId,
    /// What kind of row it belongs to.
    pub category: Category,
    /// Class of GPU work.
    pub class: Option<KernelClass>,
    /// Lane number from [`RankBuilder::lane`].
    pub lane: u32,
    /// `args.correlation`.
    pub correlation: Option<i64>,
    /// `args["External id"]`.
    pub external: Option<i64>,
    /// Where the event's text stands.
    pub source: SourceSpan,
}

/// Where a rank lies in time before alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survey {
    /// First start of a valid slice, base included.
    pub first: Ns,
    /// Whether the times are epoch times, base included.
    pub epoch: bool,
}

/// A finished rank with the dictionary that its names refer to.
#[derive(Debug, Default)]
pub struct RankParts {
    /// The rank.
    pub rank: Rank,
    /// Its names, to be merged into the trace's.
    pub names: Names,
    /// What was found odd.
    pub health: Health,
}

/// 1 January 2000: no trace of a GPU job is older, and no machine has been up for so long.
const FIRST_EPOCH: Ns = Ns(946_684_800_000_000_000);

/// Collects one rank's events in file order. See the module's text.
#[derive(Debug, Default)]
pub struct RankBuilder {
    /// Dictionary of the rank.
    pub names: Names,
    /// What was found odd so far.
    pub health: Health,
    /// The file being read.
    pub file: FileId,
    /// The number that the file states, where another file has that number already.
    pub claimed: Option<RankId>,
    /// Number of ranks in the job, where the file says.
    pub world_size: Option<u32>,
    /// What the profiler recorded beside the events.
    pub recorded_with: RecordedWith,
    /// Communicators that the file lists.
    pub process_groups: Vec<ProcessGroup>,
    /// Names of the GPUs that the file lists.
    pub device_facts: Vec<DeviceFacts>,
    /// `baseTimeNanoseconds`.
    pub base: Option<DurNs>,
    /// How far the rank is moved beyond its place on the common axis, where that was asked for.
    pub moved: Option<Moved>,
    lanes: LaneTable,
    columns: Columns,
    /// Flags of slices whose end was not in the file.
    unclosed: Vec<u32>,
    /// What args tell of collective calls, by slice.
    messages: HashMap<u32, Message>,
    instants: Vec<Instant>,
    memory: Vec<RawMemory>,
    counters: HashMap<(String, NameId, NameId), Vec<CounterSample>>,
    flows: Vec<Flow>,
    astray: Vec<bool>,
    partial: Partial,
}

impl RankBuilder {
    /// An empty rank of a file.
    #[must_use]
    pub fn new(file: FileId) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// The number of a lane, made if it is new.
    pub fn lane(&mut self, lane: Lane) -> u32 {
        self.lanes.intern(lane)
    }

    /// Names a thread, as metadata events do. GPU streams pick theirs up by the same key.
    pub fn name_thread(&mut self, key: RowKey, name: &str) {
        self.lanes.name_thread(key, name);
    }

    /// Names a process.
    pub fn name_process(&mut self, pid: &str, name: &str) {
        self.lanes.name_process(pid, name);
    }

    /// Adds a slice.
    pub fn push_slice(&mut self, slice: RawSlice) {
        self.columns.push(slice);
    }

    /// Adds a slice whose end is not in the file: it will run to the last end of the rank, or to
    /// the last start if that is later.
    pub fn push_unclosed(&mut self, slice: RawSlice) {
        self.unclosed.push(to_u32(self.columns.len()));
        self.columns.push(slice);
    }

    /// Remembers what the args of the slice that was pushed last tell of a collective call.
    pub fn state_message(&mut self, message: Message) {
        if let Some(last) = self.columns.len().checked_sub(1) {
            self.messages.insert(to_u32(last), message);
        }
    }

    /// Adds an event without a duration.
    pub fn push_instant(&mut self, instant: Instant) {
        self.instants.push(instant);
    }

    /// Adds one value of a counter series.
    pub fn push_counter(&mut self, pid: &str, name: NameId, series: NameId, sample: CounterSample) {
        self.counters
            .entry((pid.to_owned(), name, series))
            .or_default()
            .push(sample);
    }

    /// Adds one end of a flow.
    pub fn push_flow(&mut self, flow: Flow) {
        self.flows.push(flow);
    }

    /// Number of slices so far.
    #[must_use]
    pub fn slice_count(&self) -> usize {
        self.columns.len()
    }

    /// Finds astray slices and tells where the rest lies. `None` without any valid slice.
    pub fn survey(&mut self) -> Option<Survey> {
        self.astray = self.partial.find_astray(&self.columns);
        for (i, _) in self.astray.iter().enumerate().filter(|(_, lost)| **lost) {
            let (names, columns) = (&self.names, &self.columns);
            self.health
                .note(IssueKind::Astray, self.file, || columns.position(i, names));
        }
        self.close_open_slices();
        let base = self.base.unwrap_or_default();
        let kept = || {
            let starts = self.columns.start.iter().zip(&self.astray);
            starts.filter_map(|(start, lost)| (!lost).then_some(*start + base))
        };
        // What was left out by choice counts as if it were there.
        let left_out = || self.partial.starts(base);
        let first = kept().chain(left_out().map(|c| c.0)).min()?;
        let last = kept().chain(left_out().map(|c| c.1)).max()?;
        // The median decides; it need not be looked for where all are on one side.
        let epoch = if (first >= FIRST_EPOCH) == (last >= FIRST_EPOCH) {
            first >= FIRST_EPOCH
        } else {
            let later = kept().filter(|start| *start >= FIRST_EPOCH).count();
            let (later_out, all_out) = self.partial.counts_from(FIRST_EPOCH, base);
            2 * (later + later_out) >= kept().count() + all_out
        };
        Some(Survey { first, epoch })
    }

    /// Ends every slice without an end where the rank's valid slices end.
    fn close_open_slices(&mut self) {
        if self.unclosed.is_empty() {
            return;
        }
        let last = self.columns.last_end(&self.astray);
        let Some(last) = last.max(self.partial.last_end()) else {
            return;
        };
        for i in &self.unclosed {
            let i = to_usize(*i);
            let start = self.columns.start.get(i).copied();
            if let (Some(start), Some(dur)) = (start, self.columns.dur.get_mut(i)) {
                *dur = DurNs((last - start).0.max(0));
            }
        }
    }

    /// Builds the rank, every time moved by the base, by `shift` and by what was asked for.
    ///
    /// Call [`Self::survey`] first: it decides what is astray.
    #[must_use]
    pub fn finish(self, id: RankId, shift: DurNs, epoch: bool) -> RankParts {
        self.finish_unless(id, shift, epoch, &|| false)
            .unwrap_or_default()
    }

    /// The same, but gives up with `None` soon after `stop` says so: it is asked between the parts
    /// of the work and before every lane.
    #[must_use]
    pub fn finish_unless(
        mut self,
        id: RankId,
        shift: DurNs,
        epoch: bool,
        stop: Stop<'_>,
    ) -> Option<RankParts> {
        let alignment = Alignment::of(&self, shift, epoch);
        let offset = alignment.offset();
        self.astray.resize(self.columns.len(), false);
        self.drop_launches_of_nothing();
        self.note_order(self.columns.out_of_order());
        let (columns, lanes, astray) = (self.columns, &self.lanes, &self.astray);
        let (instants, counters, flows) = (self.instants, self.counters, self.flows);
        let (built, (instants, counters, flows)) = rayon::join(
            || {
                let plan = lanes.plan(&columns, astray, stop)?;
                let (slices, externals) = columns.into_slices(&plan, offset, stop)?;
                Some((plan, slices, externals))
            },
            || {
                (
                    shifted(instants, offset),
                    timed::counters(counters, offset),
                    shifted(flows, offset),
                )
            },
        );
        let (plan, slices, externals) = built?;
        // The old numbers are only asked for by these two.
        let new_id = if self.messages.is_empty() && self.unclosed.is_empty() {
            Vec::new()
        } else {
            plan.new_ids()
        };
        let messages = renumbered(&self.messages, &new_id);
        let unclosed: HashSet<u32> = self
            .unclosed
            .iter()
            .filter_map(|old| new_id.get(to_usize(*old)).copied())
            .collect();
        let mut rank = Rank {
            id,
            file: self.file,
            claimed: self.claimed,
            world_size: self.world_size,
            recorded_with: self.recorded_with,
            process_groups: self.process_groups,
            device_facts: self.device_facts,
            alignment,
            astray: plan.astray_range(),
            instants,
            counters,
            flows,
            slices,
            ..Rank::default()
        };
        self.partial.tell_extents(&mut rank, offset);
        lanes::place(&mut rank, &self.lanes, &plan, stop)?;
        let range = self.partial.range(offset);
        rank.memory = memory::tracks(self.memory, &self.lanes, &rank, range, &mut self.health);
        rank.memory_extent = memory::extent(&rank.memory, range);
        rank.suspicious = suspicious::find(&rank);
        partial::go_on(stop)?;
        let gpu = gpu_range(&rank);
        let (slices, suspicious) = (&rank.slices, &rank.suspicious);
        let devices = &mut rank.devices;
        let (links, activities) = rayon::join(
            || links(slices, gpu),
            || activities::build(devices, slices, suspicious, stop),
        );
        activities?;
        rank.links = links;
        self.partial.clip_extents(&mut rank, offset);
        let mut health = self.health;
        rank.host_steps = host_steps(&rank, &self.names, &unclosed);
        device_steps(&mut rank, &self.names);
        partial::go_on(stop)?;
        self.partial.mark_cut_steps(&mut rank, offset);
        rank.comms = comms::table(&rank, &self.names, &messages, |k| externals.op_of(k));
        rank.external_ops = externals.without_launch(&rank);
        report::note_oddities(&rank, &self.names, &mut health);
        partial::go_on(stop)?;
        Some(RankParts {
            rank,
            names: self.names,
            health,
        })
    }

    fn note_order(&mut self, unsorted: Option<(u64, usize)>) {
        if let Some((count, first)) = unsorted {
            let (names, columns) = (&self.names, &self.columns);
            self.health
                .note_many(IssueKind::OutOfOrder, self.file, count, || {
                    columns.position(first, names)
                });
        }
    }
}

/// Messages by the final numbers of their slices.
fn renumbered(messages: &HashMap<u32, Message>, new_id: &[u32]) -> HashMap<u32, Message> {
    let new = |old: u32| new_id.get(to_usize(old)).copied();
    let all = messages.iter();
    all.filter_map(|(old, message)| Some((new(*old)?, *message)))
        .collect()
}

/// The slices of all streams.
fn gpu_range(rank: &Rank) -> Range<u32> {
    let streams = || rank.devices.iter().flat_map(|d| &d.streams);
    let first = streams().map(|s| s.slices.start).min().unwrap_or(0);
    let end = streams().map(|s| s.slices.end).max().unwrap_or(0);
    first..end
}

fn links(slices: &Slices, gpu: Range<u32>) -> Links {
    let (mut launches, mut kernels) = (Vec::new(), Vec::new());
    for slice in slices.iter() {
        let Some(correlation) = slice.correlation() else {
            continue;
        };
        match slice.category() {
            Category::Gpu => kernels.push((correlation, slice.id())),
            Category::Runtime => launches.push((correlation, slice.id())),
            _ => {}
        }
    }
    Links::new(launches, kernels, gpu)
}

pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn to_usize(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
