//! One process of a job: its slices, its GPUs and streams, its threads, steps and side records.

use super::collectives::Collective;
use super::comms::Comm;
use super::moved::Moved;
use super::{
    Activity, Category, DeviceId, DeviceStep, FileId, HostStep, LaneRows, Links, MemoryTrack,
    NameId, RankId, Slice, SliceId, Slices, SourceSpan, StreamId,
};
use crate::time::{DurNs, Ns, Window};
use std::ops::Range;

/// One process of a job.
#[derive(Debug, Default)]
pub struct Rank {
    /// Its number, unique in the trace.
    pub id: RankId,
    /// The file it was read from.
    pub file: FileId,
    /// The number that its file states, where another file has that number already.
    pub claimed: Option<RankId>,
    /// Number of ranks in the job, where the file says.
    pub world_size: Option<u32>,
    /// Communicators that the file lists.
    pub process_groups: Vec<ProcessGroup>,
    /// What the profiler recorded beside the events.
    pub recorded_with: RecordedWith,
    /// The GPUs that the file lists.
    pub device_facts: Vec<DeviceFacts>,
    /// First start to last end over all valid slices, those included that were left out by choice;
    /// inside the range where only a range was loaded. `None` without any.
    pub capture: Option<Window>,
    /// The same of the whole file, whatever range was loaded.
    pub recorded: Option<Window>,
    /// How its times were placed on the common axis.
    pub alignment: Alignment,
    /// Every slice.
    pub slices: Slices,
    /// Slices that are left out of extents and figures, at the end of the columns.
    pub astray: Range<u32>,
    /// GPUs with work, by number.
    pub devices: Vec<Device>,
    /// Host threads.
    pub threads: Vec<Thread>,
    /// Host steps by start.
    pub host_steps: Vec<HostStep>,
    /// Launches and the kernels they started.
    pub links: Links,
    /// What is known of each communication kernel, by slice.
    pub comms: Vec<Comm>,
    /// The CPU op with the external id of each kernel that has no launch call, by slice.
    pub external_ops: Vec<(SliceId, SliceId)>,
    /// Kernels whose duration cannot be trusted, by slice.
    pub suspicious: Vec<Suspicious>,
    /// Instants by time.
    pub instants: Vec<Instant>,
    /// What its allocators held, devices first; empty where that was not recorded.
    pub memory: Vec<MemoryTrack>,
    /// First to last event of these, inside the range that was loaded; they may reach beyond slices.
    pub memory_extent: Option<Window>,
    /// Counter tracks.
    pub counters: Vec<Counter>,
    /// Flow ends by time.
    pub flows: Vec<Flow>,
    /// The sub-rows of its lanes, once something was drawn.
    pub rows: LaneRows,
}

impl Rank {
    /// The device with this number.
    #[must_use]
    pub fn device(&self, id: DeviceId) -> Option<&Device> {
        self.devices.iter().find(|d| d.id == id)
    }

    /// The collective of a communication kernel.
    #[must_use]
    pub fn collective(&self, slice: SliceId) -> Option<Collective> {
        self.comm(slice)?.collective
    }

    /// The CPU op with the external id of a kernel; only kept for kernels without a launch call.
    #[must_use]
    pub fn external_op(&self, kernel: SliceId) -> Option<SliceId> {
        let ops = &self.external_ops;
        let at = ops.binary_search_by_key(&kernel, |o| o.0).ok()?;
        ops.get(at).map(|o| o.1)
    }

    /// Where a slice ends: as recorded, or with suspicious kernels clipped.
    #[must_use]
    pub fn end_of(&self, slice: Slice<'_>, clip_suspicious: bool) -> Ns {
        let cut = || {
            let all = &self.suspicious;
            let at = all.binary_search_by_key(&slice.id(), |s| s.slice).ok()?;
            all.get(at).map(|s| s.clipped_end)
        };
        let clipped = clip_suspicious.then(cut).flatten();
        clipped.unwrap_or_else(|| slice.end())
    }

    /// The device and stream that a slice ran on, for GPU work.
    #[must_use]
    pub fn stream_of(&self, slice: SliceId) -> Option<(&Device, &Stream)> {
        self.devices.iter().find_map(|d| {
            let stream = d.streams.iter().find(|s| s.slices.contains(&slice.0))?;
            Some((d, stream))
        })
    }

    /// The host thread that a slice stands on.
    #[must_use]
    pub fn thread_of(&self, slice: SliceId) -> Option<&Thread> {
        // Threads stand in the order of their ranges.
        let after = self.threads.partition_point(|t| t.slices.start <= slice.0);
        let thread = self.threads.get(after.checked_sub(1)?)?;
        thread.slices.contains(&slice.0).then_some(thread)
    }

    /// Host annotations in column order: steps, user ranges, NVTX.
    pub fn annotations(&self) -> impl Iterator<Item = Slice<'_>> {
        self.threads
            .iter()
            .flat_map(|t| self.slices.range(t.slices.clone()))
            .filter(|s| s.category() == Category::Annotation)
    }

    /// Heap memory in bytes, near enough to report.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let streams = self.devices.iter().flat_map(|d| &d.streams);
        self.slices.heap_bytes()
            + self.instants.capacity() * size_of::<Instant>()
            + self.flows.capacity() * size_of::<Flow>()
            + self
                .memory
                .iter()
                .map(MemoryTrack::heap_bytes)
                .sum::<usize>()
            + self.external_ops.capacity() * size_of::<(SliceId, SliceId)>()
            + self.comms.capacity() * size_of::<Comm>()
            + self.links.heap_bytes()
            + self.rows.heap_bytes()
            + self
                .devices
                .iter()
                .map(|d| d.activity.heap_bytes())
                .sum::<usize>()
            + streams.map(|s| s.activity.heap_bytes()).sum::<usize>()
    }
}

/// One GPU of a rank.
#[derive(Debug, Default)]
pub struct Device {
    /// Its number within the rank.
    pub id: DeviceId,
    /// Its model, where the file says.
    pub name: Option<String>,
    /// Number of its multiprocessors (compute units), where the file says.
    pub sms: Option<u32>,
    /// First kernel start to last kernel end, as recorded.
    pub extent: Window,
    /// The same of the clipped kernels; `None` where no kernel is suspicious.
    pub clipped_extent: Option<Window>,
    /// Its streams by number.
    pub streams: Vec<Stream>,
    /// Lanes on the GPU that are no GPU work: projected annotations and synchronisation records.
    pub extras: Vec<Thread>,
    /// All its streams together.
    pub activity: Activity,
    /// The same with suspicious kernels cut at the next start of their stream; `None` without any.
    pub clipped: Option<Activity>,
    /// Its steps in time order, the part before the first step included.
    pub steps: Vec<DeviceStep>,
}

impl Device {
    /// First kernel start to last kernel end, as recorded or with suspicious kernels clipped: the
    /// window of figures when nothing is selected.
    #[must_use]
    pub fn extent(&self, clip_suspicious: bool) -> Window {
        match self.clipped_extent {
            Some(clipped) if clip_suspicious => clipped,
            _ => self.extent,
        }
    }

    /// The activity that figures are to use: as recorded, or with suspicious kernels clipped.
    #[must_use]
    pub fn activity(&self, clip_suspicious: bool) -> &Activity {
        match &self.clipped {
            Some(clipped) if clip_suspicious => clipped,
            _ => &self.activity,
        }
    }
}

/// A GPU as a file lists it, whether it was used or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Its number.
    pub id: DeviceId,
    /// Its model.
    pub name: Option<String>,
    /// Number of its multiprocessors (compute units).
    pub sms: Option<u32>,
}

/// One CUDA or HIP queue of a device.
#[derive(Debug, Default)]
pub struct Stream {
    /// Its number on the device.
    pub id: StreamId,
    /// The name that the file gives it.
    pub name: Option<String>,
    /// Its slices in the rank's columns, sorted by start.
    pub slices: Range<u32>,
    /// Number of sub-rows: more than one where kernels of the stream overlap.
    pub rows: u16,
    /// Its own busy time.
    pub activity: Activity,
    /// The same with suspicious kernels cut; `None` without any on this stream.
    pub clipped: Option<Activity>,
}

impl Stream {
    /// The activity that figures are to use.
    #[must_use]
    pub fn activity(&self, clip_suspicious: bool) -> &Activity {
        match &self.clipped {
            Some(clipped) if clip_suspicious => clipped,
            _ => &self.activity,
        }
    }
}

/// One host thread, or another row that is no GPU work.
#[derive(Debug, Default)]
pub struct Thread {
    /// Process, as the file writes it.
    pub pid: String,
    /// Thread, as the file writes it.
    pub tid: String,
    /// The name that the file gives it.
    pub name: Option<String>,
    /// Name of its process, where the file gives one.
    pub process: Option<String>,
    /// Its slices in the rank's columns, sorted by start, longer first.
    pub slices: Range<u32>,
    /// Depth of nesting.
    pub rows: u16,
}

/// A communicator of the job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessGroup {
    /// Its name, unique in the job.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its backend, such as `nccl`.
    pub backend: String,
    /// The ranks in it.
    pub ranks: Vec<u32>,
}

/// Options of the profiler that a file states. Each of them slows the host down while it records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedWith {
    /// `record_shapes`.
    pub shapes: bool,
    /// `with_stack`.
    pub stacks: bool,
    /// `profile_memory`.
    pub memory: bool,
}

impl RecordedWith {
    /// The options that were on, in words; `None` where none was.
    #[must_use]
    pub fn slows_the_host(self) -> Option<&'static str> {
        match (self.shapes, self.stacks, self.memory) {
            (false, false, false) => None,
            (true, false, false) => Some("shapes"),
            (false, true, false) => Some("stacks"),
            (false, false, true) => Some("memory"),
            (true, true, false) => Some("shapes, stacks"),
            (true, false, true) => Some("shapes, memory"),
            (false, true, true) => Some("stacks, memory"),
            (true, true, true) => Some("shapes, stacks, memory"),
        }
    }
}

/// How a rank's times were placed on the axis that all ranks share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// `baseTimeNanoseconds` of the file, which was added to every time.
    pub base: Option<DurNs>,
    /// Shift that aligned a file of relative times at its start; zero elsewhere.
    pub shift: DurNs,
    /// Whether the times are real epoch times.
    pub epoch: bool,
    /// How far the rank was moved beyond that because it was asked for; `None` where it was not.
    pub moved: Option<Moved>,
}

/// A kernel whose duration runs over many later kernels of its own stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspicious {
    /// The kernel.
    pub slice: SliceId,
    /// Where it ends when clipped: the next start on its stream.
    pub clipped_end: Ns,
    /// What clipping takes away.
    pub at_stake: DurNs,
}

/// An event without a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// When.
    pub at: Ns,
    /// Its name.
    pub name: NameId,
    /// Where the event stands in its file's text.
    pub source: SourceSpan,
}

/// A counter track: named series over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// Process, as the file writes it.
    pub pid: String,
    /// Name of the counter.
    pub name: NameId,
    /// Name of the series within it.
    pub series: NameId,
    /// Its samples by time.
    pub samples: Vec<CounterSample>,
}

/// One value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterSample {
    /// When it took this value.
    pub at: Ns,
    /// The value, in whatever unit the file means.
    pub value: f64,
}

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowPhase {
    /// Where it starts.
    Start,
    /// Where it passes through.
    Step,
    /// Where it ends.
    End,
}

/// One end of a flow arrow. Orphans are kept; they have no partner to draw to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// When.
    pub at: Ns,
    /// Its id within its category.
    pub id: u64,
    /// Its category, such as `ac2g`.
    pub category: NameId,
    /// Which end.
    pub phase: FlowPhase,
}
