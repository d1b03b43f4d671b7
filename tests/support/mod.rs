//! Draws small traces for tests.
//!
//! [`TraceBuilder`] builds a trace in memory, without a file:
//!
//! ```text
//! stream 7    [gemm 0-80]
//! stream 20           [nccl 40-100]
//! ```
//! ```ignore
//! TraceBuilder::new()
//!     .rank(0)
//!     .stream(7).kernel("gemm", 0, 80)
//!     .stream(20).comm("nccl", 40, 100)
//!     .build()
//! ```
//! Times are nanoseconds from the trace's zero. Kernels state their class, so that these tests do
//! not depend on the rules. [`kineto`] writes the same kind of drawing as a profiler's file.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file uses its own part of this"
)]

pub mod kineto;

use overlane::time::{DurNs, Ns};
use overlane::trace::class::KernelClass;
use overlane::trace::{
    Category, DeviceId, FileId, Health, Lane, Message, RankBuilder, RankId, RankParts, RawSlice,
    RowKey, SourceFile, SourceSpan, StreamId, Trace,
};

/// A trace being drawn. Rank 0, device 0 and stream 7 are where the pen starts.
pub struct TraceBuilder {
    done: Vec<RankParts>,
    files: Vec<SourceFile>,
    rank: RankBuilder,
    id: RankId,
    device: i64,
    stream: i64,
    next_correlation: i64,
    epoch: bool,
}

/// What a drawn communication kernel says of its call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub collective: &'a str,
    pub group: &'a str,
    pub seq: Option<i64>,
    /// In and out.
    pub elements: [Option<u64>; 2],
    pub dtype: &'a str,
    pub group_size: Option<u32>,
}

impl Default for TraceBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TraceBuilder {
    pub fn new() -> Self {
        Self {
            done: Vec::new(),
            files: vec![file(0)],
            rank: RankBuilder::new(FileId(0)),
            id: RankId(0),
            device: 0,
            stream: 7,
            next_correlation: 1,
            epoch: false,
        }
    }

    /// The clocks of all ranks count from one instant.
    pub fn on_one_clock(mut self) -> Self {
        self.epoch = true;
        self
    }

    /// A communication kernel that says what its call sends.
    pub fn call(mut self, call: &Call<'_>, start: i64, end: i64) -> Self {
        self = self.comm("ncclDevKernel_Generic", start, end);
        let names = &mut self.rank.names;
        let message = Message {
            collective: Some(names.intern(call.collective)),
            dtype: Some(names.intern(call.dtype)),
            group: Some(names.intern(call.group)),
            in_elements: call.elements[0],
            out_elements: call.elements[1],
            group_size: call.group_size,
            seq: call.seq,
            ..Message::default()
        };
        self.rank.state_message(message);
        self
    }

    /// Goes on with another rank. The first call names the rank that is empty so far.
    pub fn rank(mut self, id: u32) -> Self {
        if self.rank.slice_count() > 0 {
            self.finish_rank();
        }
        self.id = RankId(id);
        (self.device, self.stream) = (0, 7);
        self
    }

    pub fn device(mut self, id: i64) -> Self {
        self.device = id;
        self
    }

    pub fn stream(mut self, id: i64) -> Self {
        self.stream = id;
        self
    }

    /// A computation kernel `[start, end)`.
    pub fn kernel(self, name: &str, start: i64, end: i64) -> Self {
        self.gpu(name, KernelClass::Computation, start, end, None)
    }

    /// A communication kernel.
    pub fn comm(self, name: &str, start: i64, end: i64) -> Self {
        self.gpu(name, KernelClass::Communication, start, end, None)
    }

    /// A copy.
    pub fn copy(self, name: &str, start: i64, end: i64) -> Self {
        self.gpu(name, KernelClass::Memory, start, end, None)
    }

    /// A computation kernel `[start, end)` with its launch call at `launch`.
    pub fn launched(self, name: &str, launch: i64, start: i64, end: i64) -> Self {
        self.launched_by(name, (launch, launch + 1), (start, end))
    }

    /// The same with a launch call of any length.
    pub fn launched_by(mut self, name: &str, call: (i64, i64), (start, end): (i64, i64)) -> Self {
        let correlation = self.next_correlation;
        self.next_correlation += 1;
        self.host(
            "cudaLaunchKernel",
            Category::Runtime,
            call.0,
            call.1,
            Some(correlation),
        );
        self.gpu(
            name,
            KernelClass::Computation,
            start,
            end,
            Some(correlation),
        )
    }

    /// A GPU slice of any class.
    pub fn gpu(
        mut self,
        name: &str,
        class: KernelClass,
        start: i64,
        end: i64,
        correlation: Option<i64>,
    ) -> Self {
        let lane = Lane::Stream {
            device: DeviceId(self.device),
            stream: StreamId(self.stream),
            key: key(&self.device.to_string(), &self.stream.to_string()),
        };
        self.push(
            lane,
            name,
            Category::Gpu,
            Some(class),
            start,
            end,
            correlation,
        );
        self
    }

    /// A host operator, which is never busy time but belongs to the capture.
    pub fn cpu(mut self, name: &str, start: i64, end: i64) -> Self {
        self.host(name, Category::CpuOp, start, end, None);
        self
    }

    /// A call of the runtime that launches nothing.
    pub fn runtime_call(mut self, name: &str, start: i64, end: i64) -> Self {
        self.host(name, Category::Runtime, start, end, None);
        self
    }

    /// A Python frame.
    pub fn python(mut self, name: &str, start: i64, end: i64) -> Self {
        self.host(name, Category::Python, start, end, None);
        self
    }

    /// A host annotation; `ProfilerStep#N` makes a step.
    pub fn annotation(mut self, name: &str, start: i64, end: i64) -> Self {
        self.host(name, Category::Annotation, start, end, None);
        self
    }

    /// A synchronisation record or projected annotation on the device.
    pub fn extra(mut self, name: &str, category: Category, start: i64, end: i64) -> Self {
        let lane = Lane::Extra {
            device: DeviceId(self.device),
            key: key(&self.device.to_string(), &self.stream.to_string()),
            category,
        };
        self.push(lane, name, category, None, start, end, None);
        self
    }

    /// The finished trace.
    pub fn build(mut self) -> Trace {
        self.finish_rank();
        Trace::assemble(self.files, self.done, Health::default())
    }

    fn host(
        &mut self,
        name: &str,
        category: Category,
        start: i64,
        end: i64,
        correlation: Option<i64>,
    ) {
        let lane = Lane::Thread(key("100", "101"));
        self.push(lane, name, category, None, start, end, correlation);
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one argument a column of a slice"
    )]
    fn push(
        &mut self,
        lane: Lane,
        name: &str,
        category: Category,
        class: Option<KernelClass>,
        start: i64,
        end: i64,
        correlation: Option<i64>,
    ) {
        let slice = RawSlice {
            start: Ns(start),
            dur: DurNs(end - start),
            name: self.rank.names.intern(name),
            category,
            class,
            lane: self.rank.lane(lane),
            correlation,
            external: None,
            source: SourceSpan::default(),
        };
        self.rank.push_slice(slice);
    }

    fn finish_rank(&mut self) {
        let next = u32::try_from(self.files.len()).expect("few files");
        let mut rank = std::mem::replace(&mut self.rank, RankBuilder::new(FileId(next)));
        self.files.push(file(next));
        rank.survey();
        self.done
            .push(rank.finish(self.id, DurNs::ZERO, self.epoch));
    }
}

fn key(pid: &str, tid: &str) -> RowKey {
    RowKey {
        pid: pid.to_owned(),
        tid: tid.to_owned(),
    }
}

fn file(number: u32) -> SourceFile {
    SourceFile {
        path: format!("drawn-{number}.json").into(),
        ..SourceFile::default()
    }
}
