//! One rank's trace under construction: from "this kernel ran then" to the events a profiler would have written about
//! it, which are the slice on the stream, the launch call, the two ends of the arrow between them, and the operators.
//!
//! Times are nanoseconds since the sample's own zero; scenarios write them as `us(…)`.

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Collective, Compute, Memory};
use super::json::{Object, list};

/// 2026-01-01 00:00:00 UTC. The profiler writes one base a job and times relative to it.
const BASE_NS: i64 = 1_767_225_600_000_000_000;
/// The sample's zero after the base: 1,000 s, so that `ts` 1000000100.000 is the schedule's 100 us.
const ZERO_NS: i64 = 1_000_000_000_000;
const MULTIPROCESSORS: i64 = 108;
/// How long one operator and one collective call keep the host busy before the next can start.
pub(crate) const OP_PITCH: i64 = us(30);
const COLLECTIVE_PITCH: i64 = us(50);

/// Microseconds as nanoseconds.
pub(crate) const fn us(value: i64) -> i64 {
    value * 1_000
}

/// A host thread of the rank.
#[derive(Clone, Copy)]
pub(crate) enum Thread {
    Main,
    Autograd,
}

/// A host thread at work: each operator it runs starts where the one before it ended.
pub(crate) struct Host {
    pub(crate) thread: Thread,
    pub(crate) now: i64,
}

/// When and on which stream a kernel ran.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) stream: i64,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

/// A slot from schedule microseconds, moved by `origin`.
pub(crate) const fn slot(stream: i64, origin: i64, start_us: i64, end_us: i64) -> Slot {
    Slot {
        stream,
        start: origin + us(start_us),
        end: origin + us(end_us),
    }
}

/// The autograd link of an operator.
#[derive(Clone, Copy)]
pub(crate) enum Autograd {
    None,
    /// A forward operator with this sequence number.
    Forward(i64),
    /// The backward operator of the forward one with this sequence number.
    Backward(i64),
}

/// A communicator of the job.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) ranks: &'static [i64],
}

/// A launch call: which, from where, and the id that ties it to its kernel.
struct Launch<'a> {
    call: &'a str,
    call_id: i64,
    at: i64,
    external_id: i64,
}

/// Everything one rank's file will hold.
pub(crate) struct RankTrace {
    rank: i64,
    world_size: i64,
    events: Vec<(i64, String)>,
    next_correlation: i64,
    next_external_id: i64,
    /// The number of the next call, by process group.
    next_collective: BTreeMap<&'static str, i64>,
    /// Communicators beside the one of all ranks.
    groups: Vec<Group>,
    /// First start and last end on each stream since the step began, for the step's bar on the stream.
    step_extents: BTreeMap<i64, (i64, i64)>,
    streams: BTreeSet<i64>,
    allocated_bytes: i64,
    has_autograd_thread: bool,
}

impl RankTrace {
    pub(crate) fn new(rank: i64, world_size: i64) -> Self {
        Self {
            rank,
            world_size,
            events: Vec::new(),
            next_correlation: 8_200,
            next_external_id: 1,
            next_collective: BTreeMap::new(),
            groups: Vec::new(),
            step_extents: BTreeMap::new(),
            streams: BTreeSet::new(),
            allocated_bytes: 536_870_912,
            has_autograd_thread: false,
        }
    }

    fn pid(&self) -> i64 {
        20_400 + self.rank
    }

    fn tid(&self, thread: Thread) -> i64 {
        match thread {
            Thread::Main => self.pid(),
            Thread::Autograd => self.pid() + 300,
        }
    }

    fn push(&mut self, at: i64, event: &Object) {
        self.events.push((at, event.json()));
    }

    /// A slice on a host thread.
    fn host_slice(
        &mut self,
        thread: Thread,
        category: &str,
        name: &str,
        span: (i64, i64),
        args: &Object,
    ) {
        if matches!(thread, Thread::Autograd) {
            self.has_autograd_thread = true;
        }
        let (start, end) = span;
        let event = Object::new()
            .text("ph", "X")
            .text("cat", category)
            .text("name", name)
            .int("pid", self.pid())
            .int("tid", self.tid(thread))
            .us("ts", ZERO_NS + start)
            .us("dur", end - start)
            .object("args", args);
        self.push(start, &event);
    }

    /// A slice on a stream of the GPU.
    fn gpu_slice(&mut self, category: &str, name: &str, slot: Slot, args: &Object) {
        let event = Object::new()
            .text("ph", "X")
            .text("cat", category)
            .text("name", name)
            .int("pid", self.rank)
            .int("tid", slot.stream)
            .us("ts", ZERO_NS + slot.start)
            .us("dur", slot.end - slot.start)
            .object("args", args);
        self.push(slot.start, &event);
    }

    fn flow(&mut self, phase: &str, category: &str, id: i64, track: (i64, i64), at: i64) {
        let mut event = Object::new()
            .text("ph", phase)
            .int("id", id)
            .int("pid", track.0)
            .int("tid", track.1)
            .us("ts", ZERO_NS + at)
            .text("cat", category)
            .text("name", category);
        if phase == "f" {
            event = event.text("bp", "e");
        }
        self.push(at, &event);
    }

    fn take_external_id(&mut self) -> i64 {
        self.next_external_id += 1;
        self.next_external_id - 1
    }

    /// A user's annotation on a host thread.
    pub(crate) fn annotate(&mut self, thread: Thread, name: &str, span: (i64, i64)) {
        let id = self.take_external_id();
        let args = Object::new().int("External id", id);
        self.host_slice(thread, "user_annotation", name, span, &args);
    }

    /// A user's annotation as it appears on a stream.
    pub(crate) fn annotate_gpu(&mut self, name: &str, slot: Slot) {
        let args = Object::new().int("External id", self.next_external_id - 1);
        self.gpu_slice("gpu_user_annotation", name, slot, &args);
    }

    /// The host annotation of step `number`, and its bars on the streams that worked for it since the last call.
    pub(crate) fn step(&mut self, number: i64, span: (i64, i64)) {
        let name = format!("ProfilerStep#{number}");
        self.annotate(Thread::Main, &name, span);
        for (stream, (start, end)) in std::mem::take(&mut self.step_extents) {
            self.annotate_gpu(&name, Slot { stream, start, end });
        }
    }

    /// Forget which streams worked: what ran so far belongs to no step.
    pub(crate) fn begin_steps(&mut self) {
        self.step_extents.clear();
    }

    /// An operator without GPU work.
    pub(crate) fn host_op(&mut self, thread: Thread, name: &str, span: (i64, i64)) {
        let id = self.take_external_id();
        let args = Object::new().int("External id", id);
        self.host_slice(thread, "cpu_op", name, span, &args);
    }

    /// An allocation (`bytes` > 0) or a release (`bytes` < 0) by the caching allocator.
    pub(crate) fn allocate(&mut self, host: &Host, address: i64, bytes: i64) {
        self.allocated_bytes += bytes;
        let args = Object::new()
            .int("Total Reserved", 1_073_741_824)
            .int("Total Allocated", self.allocated_bytes)
            .int("Bytes", bytes)
            .int("Addr", address)
            .int("Device Id", self.rank)
            .int("Device Type", 1);
        let event = Object::new()
            .text("ph", "i")
            .text("cat", "cpu_instant_event")
            .text("s", "t")
            .text("name", "[memory]")
            .int("pid", self.pid())
            .int("tid", self.tid(host.thread))
            .us("ts", ZERO_NS + host.now)
            .object("args", &args);
        self.push(host.now, &event);
    }

    /// The two operators around a launch; gives the id of the inner one.
    fn nested_ops(
        &mut self,
        host: &Host,
        names: (&str, &str),
        dims: &str,
        link: Autograd,
        length: i64,
    ) -> i64 {
        let (start, thread) = (host.now, host.thread);
        let track = (self.pid(), self.tid(thread));
        let mut args = Object::new().int("External id", self.take_external_id());
        match link {
            Autograd::None => {}
            Autograd::Forward(sequence) => {
                args = args
                    .int("Sequence number", sequence)
                    .int("Fwd thread id", 0);
                self.flow("s", "fwdbwd", sequence, track, start);
            }
            Autograd::Backward(sequence) => {
                args = args
                    .int("Sequence number", sequence)
                    .int("Fwd thread id", 1);
                self.flow("f", "fwdbwd", sequence, track, start);
            }
        }
        self.host_slice(thread, "cpu_op", names.0, (start, start + length), &args);
        let inner_id = self.take_external_id();
        let mut inner_args = Object::new().int("External id", inner_id);
        if !dims.is_empty() {
            // The launch names the inner operator, so that is where a reader looks for the shapes.
            inner_args = inner_args.raw("Input Dims", dims);
        }
        let inner_span = (start + us(2), start + length - us(2));
        self.host_slice(thread, "cpu_op", names.1, inner_span, &inner_args);
        inner_id
    }

    /// The launch call, the slice on the stream, and the arrow between them.
    fn launch(
        &mut self,
        host: &Host,
        launch: &Launch<'_>,
        slice: (&str, &str),
        slot: Slot,
        rest: &Object,
    ) {
        let correlation = self.next_correlation;
        // The profiler numbers every runtime call, also those that it does not write.
        self.next_correlation += 3;
        let call_args = Object::new()
            .int("External id", launch.external_id)
            .int("cbid", launch.call_id)
            .int("correlation", correlation);
        let call_span = (launch.at, launch.at + us(7));
        self.host_slice(
            host.thread,
            "cuda_runtime",
            launch.call,
            call_span,
            &call_args,
        );
        let call_track = (self.pid(), self.tid(host.thread));
        self.flow("s", "ac2g", correlation, call_track, launch.at);

        let args = Object::new()
            .int("External id", launch.external_id)
            .int("device", self.rank)
            .int("context", 1)
            .int("stream", slot.stream)
            .int("correlation", correlation)
            .extend(rest);
        self.gpu_slice(slice.0, slice.1, slot, &args);
        let stream_track = (self.rank, slot.stream);
        self.flow("f", "ac2g", correlation, stream_track, slot.start);

        self.streams.insert(slot.stream);
        let extent = self
            .step_extents
            .entry(slot.stream)
            .or_insert((slot.start, slot.end));
        *extent = (extent.0.min(slot.start), extent.1.max(slot.end));
    }

    /// Runs a computation kernel: its operators on `host`, its slice in `slot`.
    pub(crate) fn compute(
        &mut self,
        host: &mut Host,
        compute: &Compute,
        link: Autograd,
        slot: Slot,
    ) {
        let names = (compute.op, compute.inner);
        let length = OP_PITCH - us(3);
        let external_id = self.nested_ops(host, names, compute.dims, link, length);
        let launch = Launch {
            call: "cudaLaunchKernel",
            call_id: 211,
            at: host.now + us(10),
            external_id,
        };
        let args = launch_shape(
            compute.grid,
            compute.block,
            [compute.registers, compute.shared_bytes],
            compute.occupancy_percent,
        );
        self.launch(host, &launch, ("kernel", compute.kernel), slot, &args);
        host.now += OP_PITCH;
    }

    /// Runs a copy or a memset.
    pub(crate) fn memory(&mut self, host: &mut Host, memory: &Memory, slot: Slot) {
        let names = (memory.op, memory.inner);
        let length = OP_PITCH - us(3);
        let external_id = self.nested_ops(host, names, "", Autograd::None, length);
        let launch = Launch {
            call: memory.call,
            call_id: memory.call_id,
            at: host.now + us(10),
            external_id,
        };
        let args = Object::new().int("bytes", memory.bytes).ratio(
            "memory bandwidth (GB/s)",
            memory.bytes,
            slot.end - slot.start,
        );
        self.launch(host, &launch, (memory.category, memory.name), slot, &args);
        host.now += OP_PITCH;
    }

    /// Makes a communicator of some of the ranks known.
    pub(crate) fn add_group(&mut self, group: Group) {
        self.groups.push(group);
    }

    /// Calls a collective over all ranks of the job and runs its kernel.
    pub(crate) fn collective(&mut self, host: &mut Host, collective: &Collective, slot: Slot) {
        self.collective_in(None, host, collective, slot);
    }

    /// The same over the ranks of a communicator.
    pub(crate) fn collective_in(
        &mut self,
        group: Option<&Group>,
        host: &mut Host,
        collective: &Collective,
        slot: Slot,
    ) {
        let all: Vec<i64> = (0..self.world_size).collect();
        let (name, description, ranks) = match group {
            None => ("0", "default_pg", all.as_slice()),
            Some(group) => (group.name, group.description, group.ranks),
        };
        let next = self.next_collective.entry(name).or_insert(40);
        let sequence = *next;
        *next += 1;
        let call = Object::new()
            .text("Collective name", collective.name)
            .int("In msg nelems", collective.in_elements)
            .int("Out msg nelems", collective.out_elements)
            .int("Group size", i64::try_from(ranks.len()).unwrap_or(0))
            .text("dtype", collective.dtype)
            .text("In split size", "[]")
            .text("Out split size", "[]")
            .text("Process Group Name", name)
            .text("Process Group Description", description)
            .text("Process Group Ranks", &list(ranks))
            .int("Seq", sequence);

        let (start, thread) = (host.now, host.thread);
        self.host_op(
            thread,
            collective.op,
            (start, start + COLLECTIVE_PITCH - us(4)),
        );
        let external_id = self.take_external_id();
        let args = Object::new().int("External id", external_id).extend(&call);
        let comms_span = (start + us(3), start + COLLECTIVE_PITCH - us(6));
        self.host_slice(thread, "cpu_op", "record_param_comms", comms_span, &args);
        let annotation_span = (start + us(8), start + us(36));
        self.annotate(thread, collective.annotation, annotation_span);
        self.annotate_gpu(collective.annotation, slot);

        let launch = Launch {
            call: "cudaLaunchKernelExC",
            call_id: 430,
            at: start + us(20),
            external_id,
        };
        let shape = launch_shape([16, 1, 1], [512, 1, 1], [96, 82_240], 0);
        let args = shape.extend(&call);
        self.launch(host, &launch, ("kernel", collective.kernel), slot, &args);
        host.now += COLLECTIVE_PITCH;
    }

    /// Makes the host wait for a stream until `end`.
    pub(crate) fn synchronize(&mut self, host: &mut Host, stream: i64, end: i64) {
        let correlation = self.next_correlation;
        self.next_correlation += 3;
        let start = host.now;
        let args = Object::new()
            .int("cbid", 131)
            .int("correlation", correlation);
        self.host_slice(
            host.thread,
            "cuda_runtime",
            "cudaStreamSynchronize",
            (start, end),
            &args,
        );
        // The wait as the profiler shows it on the stream: never GPU work, although it lies there.
        let on_stream = Object::new()
            .int("stream", stream)
            .int("correlation", correlation)
            .int("device", self.rank)
            .int("context", 1);
        let wait = Slot { stream, start, end };
        self.gpu_slice("cuda_sync", "Stream Synchronize", wait, &on_stream);
        host.now = end;
    }

    /// The whole file; `capture` is the span of the profiler's recording.
    pub(crate) fn finish(mut self, capture: (i64, i64)) -> String {
        let names = self.metadata(capture.0);
        self.capture_events(capture);
        // By time, and as they were made within one instant: a reader of the file finds a step in one place.
        self.events.sort_by_key(|(at, _)| *at);

        let head: Vec<String> = self
            .header()
            .iter()
            .map(|(key, value)| format!("\"{key}\": {value},"))
            .collect();
        let lines: Vec<String> = names
            .iter()
            .map(Object::json)
            .chain(self.events.into_iter().map(|(_, event)| event))
            .collect();
        format!(
            "{{\n{}\n\"traceEvents\": [\n{}\n]\n}}\n",
            head.join("\n"),
            lines.join(",\n")
        )
    }

    fn header(&self) -> Vec<(&'static str, String)> {
        let devices: Vec<String> = (0..self.world_size)
            .map(|device| device_properties(device).json())
            .collect();
        let ranks: Vec<i64> = (0..self.world_size).collect();
        let group = |name: &str, description: &str, ranks: &[i64]| {
            Object::new()
                .text("pg_name", name)
                .text("pg_desc", description)
                .text("backend_config", "cuda:nccl")
                .int("pg_size", i64::try_from(ranks.len()).unwrap_or(0))
                .ints("ranks", ranks)
                .json()
        };
        let mut groups = vec![group("0", "default_pg", &ranks)];
        groups.extend(
            self.groups
                .iter()
                .map(|g| group(g.name, g.description, g.ranks)),
        );
        let job = Object::new()
            .text("backend", "nccl")
            .int("rank", self.rank)
            .int("world_size", self.world_size)
            .int("pg_count", i64::try_from(groups.len()).unwrap_or(0))
            .raw("pg_config", &format!("[{}]", groups.join(", ")))
            .text("nccl_version", "2.25.1");
        vec![
            ("schemaVersion", "1".into()),
            ("deviceProperties", format!("[{}]", devices.join(", "))),
            ("distributedInfo", job.json()),
            ("cuda_runtime_version", "12080".into()),
            ("record_shapes", "1".into()),
            ("profile_memory", "1".into()),
            ("displayTimeUnit", "\"ms\"".into()),
            ("baseTimeNanoseconds", BASE_NS.to_string()),
        ]
    }

    /// Names and order of processes and threads.
    fn metadata(&self, at: i64) -> Vec<Object> {
        let (pid, device) = (self.pid(), self.rank);
        let event = |name: &str, pid: i64, tid: i64, args: &Object| {
            Object::new()
                .text("name", name)
                .text("ph", "M")
                .us("ts", ZERO_NS + at)
                .int("pid", pid)
                .int("tid", tid)
                .object("args", args)
        };
        let text = |key: &str, value: &str| Object::new().text(key, value);
        let order = |value: i64| Object::new().int("sort_index", value);
        let mut out = vec![
            event("process_name", pid, 0, &text("name", "python3")),
            event("process_labels", pid, 0, &text("labels", "CPU")),
            event("process_sort_index", pid, 0, &order(pid)),
            event("process_name", device, 0, &text("name", "python3")),
            event(
                "process_labels",
                device,
                0,
                &text("labels", &format!("GPU {device}")),
            ),
            event("process_sort_index", device, 0, &order(5_000_000 + device)),
        ];
        let mut thread = |thread: Thread, name: &str| {
            let tid = self.tid(thread);
            let name = format!("thread {tid} ({name})");
            out.push(event("thread_name", pid, tid, &text("name", &name)));
            out.push(event("thread_sort_index", pid, tid, &order(tid)));
        };
        thread(Thread::Main, "python3");
        if self.has_autograd_thread {
            thread(Thread::Autograd, "pt_autograd_0");
        }
        for stream in &self.streams {
            // The space at the end is what the profiler writes.
            let name = format!("stream {stream} ");
            out.push(event("thread_name", device, *stream, &text("name", &name)));
            out.push(event("thread_sort_index", device, *stream, &order(*stream)));
        }
        out
    }

    fn capture_events(&mut self, capture: (i64, i64)) {
        let span = Object::new()
            .text("ph", "X")
            .text("cat", "Trace")
            .us("ts", ZERO_NS + capture.0)
            .us("dur", capture.1 - capture.0)
            .text("pid", "Spans")
            .text("tid", "PyTorch Profiler")
            .text("name", "PyTorch Profiler (0)")
            .object("args", &Object::new().int("Op count", 0));
        self.push(capture.0, &span);
        let end = Object::new()
            .text("name", "Record Window End")
            .text("ph", "i")
            .text("s", "g")
            .text("pid", "")
            .text("tid", "")
            .us("ts", ZERO_NS + capture.1);
        self.push(capture.1, &end);
    }
}

/// The launch shape of a kernel as its args; `resources` are registers a thread and shared bytes a block.
fn launch_shape(grid: [i64; 3], block: [i64; 3], resources: [i64; 2], occupancy: i64) -> Object {
    let blocks: i64 = grid.iter().product();
    let warps = (block.iter().product::<i64>() + 31) / 32;
    let [registers, shared_bytes] = resources;
    Object::new()
        .int("queued", 0)
        .int("registers per thread", registers)
        .int("shared memory", shared_bytes)
        .ratio("blocks per SM", blocks, MULTIPROCESSORS)
        .ratio("warps per SM", blocks * warps, MULTIPROCESSORS)
        .ints("grid", &grid)
        .ints("block", &block)
        .int("est. achieved occupancy %", occupancy)
}

fn device_properties(device: i64) -> Object {
    Object::new()
        .int("id", device)
        .text("name", "NVIDIA A100-SXM4-80GB")
        .int("totalGlobalMem", 85_097_971_712)
        .int("computeMajor", 8)
        .int("computeMinor", 0)
        .int("maxThreadsPerBlock", 1024)
        .int("maxThreadsPerMultiprocessor", 2048)
        .int("regsPerBlock", 65_536)
        .int("warpSize", 32)
        .int("sharedMemPerBlock", 49_152)
        .int("numSms", MULTIPROCESSORS)
        .int("regsPerMultiprocessor", 65_536)
        .int("sharedMemPerBlockOptin", 166_912)
        .int("sharedMemPerMultiprocessor", 167_936)
}
