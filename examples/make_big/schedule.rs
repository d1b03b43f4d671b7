//! What happens when: a training loop of forward, backward and optimizer on two host threads and four streams.
//!
//! Two sources of chance: `shape` is the same on all ranks and decides what runs, so that the collectives of the ranks
//! match; `jitter` is the rank's own and only stretches times. `shape` starts anew with every step.

mod emit;

use std::io::{self, Write};

use crate::catalogue::{
    BACKWARD, BATCH, COLLECTIVES, Catalogue, Collective, FORWARD, Family, Group, OPTIMIZER,
    SIDE_CALLS,
};
use crate::rank::{Job, LOCAL, Section, pid};
use crate::text::{Rng, Text};

const COMPUTE: u64 = 7;
const COPY: u64 = 16;
const SIDE: u64 = 20;
const NCCL: u64 = 24;

/// The streams in use.
pub(crate) const STREAMS: [u64; 4] = [COMPUTE, COPY, SIDE, NCCL];

/// More events than any group, layer or collective needs at once.
const MOST_AT_ONCE: u64 = 24;

/// Operators of the largest group.
const MOST_ITEMS: usize = 8;

/// Groups that one Python module call covers.
const LAYER_GROUPS: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Forward,
    Backward,
    Optimizer,
}

/// A rank's clocks and counters, and where its text goes.
pub(crate) struct Machine<'a, W> {
    section: Section,
    job: &'a Job,
    names: &'a Catalogue,
    text: Text<W>,
    shape: Rng,
    jitter: Rng,
    /// Durations of kernels on this rank in per mille.
    pace: u64,
    pid: u64,
    device: u64,
    count: u64,
    /// The host threads take turns, so one clock is enough.
    now: u64,
    /// When each of `STREAMS` is free.
    free: [u64; 4],
    /// First kernel of the step.
    first_kernel: Option<u64>,
    external: u64,
    correlation: u64,
    sequence: u64,
    index: u64,
    python: u64,
    allocated: u64,
    live: Vec<(u64, u64)>,
}

impl<'a, W: Write> Machine<'a, W> {
    pub(crate) fn new(
        section: Section,
        job: &'a Job,
        names: &'a Catalogue,
        rank: Option<u64>,
        text: Text<W>,
    ) -> Self {
        let id = rank.unwrap_or(0);
        Self {
            section,
            job,
            names,
            text,
            shape: Rng::new(1),
            jitter: Rng::new(rank.map_or(999_983, |rank| 1000 + rank)),
            // The last rank of several is the slow one.
            pace: if rank.is_some_and(|rank| rank > 0 && rank + 1 == job.world) {
                1040
            } else {
                1000
            },
            pid: pid(id),
            device: id % LOCAL,
            count: 0,
            now: 0,
            free: [0; 4],
            first_kernel: None,
            external: 1,
            correlation: 524_000,
            sequence: 1,
            index: 0,
            python: 0,
            allocated: 2_147_483_648,
            live: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> (u64, Text<W>) {
        (self.count, self.text)
    }

    /// Runs a step up to the given number of events and returns when it was over. `next` is when the following step
    /// begins, if that is known already.
    pub(crate) fn step(
        &mut self,
        step: u64,
        start: u64,
        next: Option<u64>,
        target: u64,
    ) -> io::Result<u64> {
        self.shape = Rng::new(1_000_003 + step);
        self.now = self.now.max(start + self.jitter.below(20_000)) + 1000;
        self.first_kernel = None;
        let begin = self.now;
        let name = format!("ProfilerStep#{}", step + 5);
        // All ranks know from the plan how long the step is.
        let end = next.map_or(begin, |next| next - 20_000);
        let annotation = self.external;
        self.annotation(&name, self.pid, begin, end)?;
        self.now += 2_000;
        let first = self.count;
        let span = target.saturating_sub(first);
        self.run_forward(first + span * 36 / 100, step)?;
        self.run_backward(first + span * 86 / 100)?;
        self.run_optimizer(target)?;
        // The sync at the end, so that no step's kernels reach into the next one.
        let idle = self.free.iter().copied().max().unwrap_or(0);
        let from = self.now + 800;
        let until = (idle + 4_000).max(from + 5_000);
        self.runtime(
            "cudaDeviceSynchronize",
            165,
            self.pid,
            from,
            until,
            annotation,
        )?;
        self.now = until + 500;
        let from = self.first_kernel.unwrap_or(begin);
        self.gpu_annotation(&name, from, idle.max(from + 1), annotation)?;
        Ok(self.now + 1_000)
    }

    fn run_forward(&mut self, until: u64, step: u64) -> io::Result<()> {
        self.python_call(
            1,
            "torch/utils/data/dataloader.py(701): __next__",
            Phase::Forward,
            &[&BATCH],
        )?;
        let names = self.names;
        let mut modules = names
            .modules
            .iter()
            .cycle()
            .skip(usize::try_from(step).unwrap_or(0) % 3);
        let mut layer = 0_u64;
        while self.count + MOST_AT_ONCE < until {
            let groups = [FORWARD; LAYER_GROUPS].map(|all| self.shape.pick_skewed(all));
            let module = modules.next().map_or("", String::as_str);
            if layer % 3 == 1 {
                self.collective(Phase::Forward)?;
            }
            self.python_call(4, module, Phase::Forward, &groups)?;
            layer += 1;
        }
        Ok(())
    }

    fn run_backward(&mut self, until: u64) -> io::Result<()> {
        let start = self.now;
        self.now += 40_000;
        let mut n = 0;
        while self.count + MOST_AT_ONCE < until {
            let group = self.shape.pick_skewed(BACKWARD);
            self.group(group, Phase::Backward)?;
            n += 1;
            if n % 26 == 0 {
                self.collective(Phase::Backward)?;
            }
        }
        // The last bucket of gradients has nothing left to hide behind.
        self.collective(Phase::Backward)?;
        self.now += 3_000;
        self.python_function("torch/_tensor.py(574): backward", start, self.now, None)?;
        self.now += 2_000;
        // The optimizer needs the reduced gradients: its stream waits for the collectives, and that is seen as exposed
        // communication.
        self.wait_for_collectives();
        Ok(())
    }

    fn wait_for_collectives(&mut self) {
        let [compute, _, _, nccl] = &mut self.free;
        *compute = (*compute).max(*nccl);
    }

    fn run_optimizer(&mut self, target: u64) -> io::Result<()> {
        let start = self.now;
        self.now += 6_000;
        // Kept back: the Python call around this, the sync and the annotation on the GPU.
        let until = target - 3;
        while self.count + MOST_AT_ONCE < until {
            let group = self.shape.pick(OPTIMIZER);
            self.group(group, Phase::Optimizer)?;
        }
        while self.count < until {
            let at = self.now + 1_000;
            self.op("aten::detach", 1, self.pid, at, at + 900, None)?;
            self.now = at + 1_200;
        }
        self.now += 2_000;
        self.python_function(
            "torch/optim/optimizer.py(465): wrapper",
            start,
            self.now,
            None,
        )?;
        self.now += 1_000;
        Ok(())
    }

    /// A Python call of `depth` frames around groups, each of which has a call of its own.
    fn python_call(
        &mut self,
        depth: u64,
        name: &str,
        phase: Phase,
        groups: &[&Group],
    ) -> io::Result<()> {
        let start = self.now;
        let outer = self.python + 1;
        // Their numbers are given before their ends are known.
        self.python += depth;
        let inner = self.python;
        self.now += 3_000 * depth;
        let mut calls = [(0, 0, ""); LAYER_GROUPS];
        for (call, group) in calls.iter_mut().zip(groups) {
            let from = self.now;
            self.now += 1_500;
            self.group(group, phase)?;
            self.now += 900;
            *call = (from, self.now, group.python);
            self.now += 700;
        }
        self.now += 1_500 * depth;
        let end = self.now;
        self.now += 1_000;
        for frame in 0..depth {
            let name = match frame {
                0 => name,
                1 => "torch/nn/modules/module.py(1739): _wrapped_call_impl",
                2 => "torch/nn/modules/module.py(1755): _call_impl",
                _ => "model/transformer.py(214): forward",
            };
            self.python_function(
                name,
                start + 1_000 * frame,
                end - 600 * frame,
                Some(outer + frame),
            )?;
        }
        for (from, to, name) in calls.into_iter().filter(|&(_, to, _)| to > 0) {
            self.python += 1;
            self.python_frame(name, from, to, inner, self.python)?;
        }
        Ok(())
    }

    fn group(&mut self, group: &Group, phase: Phase) -> io::Result<()> {
        let tid = if phase == Phase::Backward {
            self.pid + 112
        } else {
            self.pid
        };
        let mut spans = [(0_u64, 0_u64); MOST_ITEMS];
        let mut t = self.now;
        for (at, &(depth, _, _)) in group.items.iter().enumerate() {
            t = close(&mut spans, group, at, depth, t);
            t += 700 + self.jitter.skewed(0, 4_200);
            if let Some((start, _)) = spans.get_mut(at) {
                *start = t;
            }
        }
        let launcher_depth = group.items.get(group.launcher).map_or(0, |item| item.0);
        t = close(&mut spans, group, group.items.len(), launcher_depth + 1, t);
        let external = self.external + group.launcher as u64;
        if self.shape.percent(38) {
            t += 600;
            self.memory(tid, t, phase)?;
        }
        if self.shape.percent(52) {
            let &(name, cbid) = self.shape.pick_skewed(SIDE_CALLS);
            let until = t + 500 + self.jitter.skewed(0, 2_500);
            self.runtime(name, cbid, tid, t + 200, until, external)?;
            t = until;
        }
        t = self.launch(group.family, phase, tid, t + 400, external)?;
        t = close(&mut spans, group, group.items.len(), 0, t);
        let sequence = match phase {
            Phase::Forward => {
                self.sequence += 1;
                Some((self.sequence, 0))
            }
            // Counts down through what the forward pass numbered.
            Phase::Backward => Some((
                self.sequence.saturating_sub(self.shape.below(400)).max(1),
                1,
            )),
            Phase::Optimizer => None,
        };
        for (&(depth, name, tensors), (start, end)) in group.items.iter().zip(spans) {
            self.op(
                name,
                tensors,
                tid,
                start,
                end,
                sequence.filter(|_| depth < 2),
            )?;
        }
        self.now = t + 300;
        Ok(())
    }

    /// A launch and what it runs. Returns when the call was over.
    fn launch(
        &mut self,
        family: Family,
        phase: Phase,
        tid: u64,
        at: u64,
        external: u64,
    ) -> io::Result<u64> {
        let until = at + 2_600 + self.jitter.skewed(0, 6_000);
        let nominal = |machine: &mut Self, low, high| {
            machine.shape.skewed(low, high) * (machine.pace * 32 + machine.jitter.below(64 * 30))
                / 32_000
        };
        let correlation = self.correlation + 1;
        let names = self.names;
        if let Some((kernels, low, high)) = names.kernels(family) {
            let kernel = self.shape.pick_skewed(kernels);
            let dur = nominal(self, low, high);
            let side = phase == Phase::Backward && self.shape.percent(5);
            let blocks = 1 + self.shape.skewed(0, 12_000);
            let (stream, start) = self.occupy(if side { SIDE } else { COMPUTE }, until, dur);
            if self.begin(Section::Device) {
                self.device_event("kernel", &kernel.name, stream, start, dur);
                self.text
                    .s("\"External id\": ")
                    .n(external)
                    .s(",      \"queued\": 0, ");
                self.device_args(stream, correlation);
                let sms = 132;
                self.text
                    .s(",      \"registers per thread\": ")
                    .n(kernel.registers)
                    .s(",      \"shared memory\": ")
                    .n(kernel.shared);
                self.text
                    .s(",      \"blocks per SM\": ")
                    .ratio(blocks, sms)
                    .s(",      \"warps per SM\": ")
                    .ratio(blocks * kernel.block / 32, sms);
                self.text
                    .s(",      \"grid\": [")
                    .n(blocks)
                    .s(", 1, 1],      \"block\": [")
                    .n(kernel.block);
                self.text
                    .s(", 1, 1],      \"est. achieved occupancy %\": ")
                    .n(kernel.occupancy)
                    .s("\n    }")
                    .end()?;
            }
            self.flow_and_call(
                "cudaLaunchKernel",
                211,
                tid,
                (at, until),
                stream,
                start,
                external,
            )?;
        } else {
            let bytes = self.shape.skewed(4, 40_000_000);
            let dur = nominal(self, 900, 26_000);
            let (category, name, call, cbid) = match family {
                Family::CopyIn => (
                    "gpu_memcpy",
                    "Memcpy HtoD (Pinned -> Device)",
                    "cudaMemcpyAsync",
                    41,
                ),
                Family::CopyDevice => (
                    "gpu_memcpy",
                    "Memcpy DtoD (Device -> Device)",
                    "cudaMemcpyAsync",
                    41,
                ),
                _ => ("gpu_memset", "Memset (Device)", "cudaMemsetAsync", 51),
            };
            let (stream, start) = self.occupy(
                if family == Family::CopyIn {
                    COPY
                } else {
                    COMPUTE
                },
                until,
                dur,
            );
            if self.begin(Section::Device) {
                self.device_event(category, name, stream, start, dur);
                self.text.s("\"External id\": ").n(external).s(",      ");
                self.device_args(stream, correlation);
                // Bytes a nanosecond are gigabytes a second.
                self.text
                    .s(",      \"bytes\": ")
                    .n(bytes)
                    .s(", \"memory bandwidth (GB/s)\": ")
                    .ratio(bytes, dur)
                    .s("\n    }")
                    .end()?;
            }
            self.flow_and_call(call, cbid, tid, (at, until), stream, start, external)?;
        }
        Ok(until)
    }

    fn collective(&mut self, phase: Phase) -> io::Result<()> {
        let tid = if phase == Phase::Backward {
            self.pid + 112
        } else {
            self.pid
        };
        let backward = phase == Phase::Backward;
        let choice = self.shape.below(4);
        let &(annotation, operator, kernel, called, _): &Collective = COLLECTIVES
            .iter()
            .find(|c| c.4 == backward && (!backward || choice > 0 || c.3 == "_reduce_scatter_base"))
            .unwrap_or(&BLANK);
        let nelems = 1024 * (1 + self.shape.skewed(200, 40_000));
        let start = self.now + 500;
        let external = self.external + 1;
        let at = start + 9_000 + self.jitter.below(4_000);
        let until = at + 4_000 + self.jitter.skewed(0, 3_000);
        self.op(operator, 2, tid, start, until + 6_000, None)?;
        self.op(
            "record_param_comms",
            1,
            tid,
            start + 2_000,
            until + 5_000,
            None,
        )?;
        self.annotation(annotation, tid, start + 3_000, until + 4_000)?;
        self.runtime(
            "cudaEventRecord",
            135,
            tid,
            start + 4_000,
            start + 5_200,
            external,
        )?;
        self.runtime(
            "cudaStreamWaitEvent",
            147,
            tid,
            start + 5_600,
            start + 6_400,
            external,
        )?;
        // It waits for the kernels launched so far, whose results it sends; those launched after run beside it.
        let [compute, ..] = self.free;
        let dur = (60_000 + nelems / 30 + self.shape.skewed(0, 500_000))
            * (1000 + self.jitter.below(120))
            / 1000;
        let correlation = self.correlation + 1;
        let (stream, begin) = self.occupy(NCCL, until.max(compute), dur);
        if self.begin(Section::Device) {
            self.device_event("kernel", kernel, stream, begin, dur);
            self.text
                .s("\"External id\": ")
                .n(external)
                .s(",      \"queued\": 0, ");
            self.device_args(stream, correlation);
            self.text.s(",      \"registers per thread\": 96,      \"shared memory\": 87568,      \"blocks per SM\": ").ratio(24, 132);
            self.text.s(",      \"warps per SM\": ").ratio(24 * 17, 132).s(",      \"grid\": [24, 1, 1],      \"block\": [544, 1, 1],      \"est. achieved occupancy %\": 0,      \"Collective name\": \"");
            let world = self.job.world;
            // A gather gives everyone the parts of all, a scatter the reverse.
            let (sent, received) = match called {
                "_allgather_base" => (nelems, nelems * world),
                "_reduce_scatter_base" => (nelems * world, nelems),
                _ => (nelems, nelems),
            };
            self.text
                .s(called)
                .s("\", \"In msg nelems\": ")
                .n(sent)
                .s(", \"Out msg nelems\": ")
                .n(received)
                .s(", \"Group size\": ")
                .n(world);
            self.text.s(", \"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process Group Name\": \"0\", \"Process Group Description\": \"default_pg\", \"Process Group Ranks\": \"");
            self.text.s(&self.job.group_ranks).s("\"\n    }").end()?;
        }
        self.flow_and_call(
            "cudaLaunchKernelExC",
            430,
            tid,
            (at, until),
            stream,
            begin,
            external,
        )?;
        // Some gathers bring the parameters that the very next kernel needs.
        if !backward && choice == 0 {
            self.wait_for_collectives();
        }
        self.now = until + 7_000;
        Ok(())
    }

    /// Takes a stream from the earliest possible moment; the start returned is never before the end of what ran there.
    fn occupy(&mut self, stream: u64, launched: u64, dur: u64) -> (u64, u64) {
        let gap = 600 + self.jitter.skewed(0, 2_400);
        let latency = 2_000 + self.jitter.skewed(0, 3_000);
        let mut start = launched + latency;
        for (free, _) in self
            .free
            .iter_mut()
            .zip(STREAMS)
            .filter(|&(_, s)| s == stream)
        {
            start = start.max(*free + gap);
            *free = start + dur;
        }
        if stream == COMPUTE {
            self.first_kernel.get_or_insert(start);
        }
        (stream, start)
    }
}

/// Stands for a missing table entry; the tables have one for every phase.
const BLANK: Collective = ("", "", "", "", false);

/// Ends the open operators before `upto` that are at least as deep, the deepest first. Returns the time after them.
fn close(spans: &mut [(u64, u64)], group: &Group, upto: usize, depth: u8, mut t: u64) -> u64 {
    for ((_, end), item) in spans.iter_mut().zip(group.items).take(upto).rev() {
        if *end == 0 && item.0 >= depth {
            t += 250;
            *end = t;
        }
    }
    t
}
