//! One rank's file: what stands before, in and after `traceEvents`.

use std::io::{self, Write};

use crate::catalogue::Catalogue;
use crate::schedule::{Machine, STREAMS};
use crate::text::Text;

/// Kineto counts from the start of a quarter: the trace lies some weeks after its base.
const BASE_NS: u64 = 1_751_410_836_000_000_000;
const FIRST_NS: u64 = 1_419_116_104_507_840;

/// Events of a step; the last few steps share out what is left over.
const STEP_EVENTS: u64 = 10_000;

/// GPUs of a machine.
pub(crate) const LOCAL: u64 = 8;

const GPU_NAME: &str = "NVIDIA H100 80GB HBM3";

/// Kineto writes the events in this order, so the schedule is run once for each and only these are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// Nothing is written; the schedule is only timed.
    Plan,
    Ops,
    Memory,
    Python,
    Device,
}

/// What all ranks have in common: who takes part and when each step begins.
pub(crate) struct Job {
    events: u64,
    ranks: u64,
    pub(crate) world: u64,
    pub(crate) group_ranks: String,
    absolute: bool,
    /// Start of each step and, last, the end of the job, from the start of the trace in nanoseconds.
    pub(crate) starts: Vec<u64>,
}

impl Job {
    /// Runs the schedule once without a rank's jitter. The ranks then begin their steps together, as real ones do
    /// because each step ends in a collective; without that their clocks would drift apart over a long trace.
    pub(crate) fn plan(
        events: u64,
        ranks: u64,
        absolute: bool,
        names: &Catalogue,
    ) -> io::Result<Self> {
        // A single file is one rank of a larger job, or it would have no collectives.
        let world = if ranks == 1 { LOCAL } else { ranks };
        let list = (0..world)
            .map(|rank| rank.to_string())
            .collect::<Vec<_>>()
            .join(", ");
        let steps = (events / ranks).div_ceil(STEP_EVENTS);
        let mut job = Self {
            events,
            ranks,
            world,
            group_ranks: format!("[{list}]"),
            absolute,
            starts: Vec::new(),
        };
        let mut machine = Machine::new(Section::Plan, &job, names, None, Text::new(io::sink()));
        let (mut at, mut starts) = (600_000, Vec::new());
        for step in 0..steps {
            starts.push(at);
            let end = machine.step(step, at, None, job.step_target(step, steps, None))?;
            // Room for the ranks to differ in.
            at = end + (end - at) / 12 + 200_000;
        }
        starts.push(at);
        job.starts = starts;
        Ok(job)
    }

    pub(crate) fn steps(&self) -> u64 {
        self.starts.len().saturating_sub(1) as u64
    }

    fn rank_events(&self, rank: u64) -> u64 {
        self.events / self.ranks + u64::from(rank < self.events % self.ranks)
    }

    /// Events up to the end of a step. All ranks have the same steps; what does not divide evenly goes into the last.
    fn step_target(&self, step: u64, steps: u64, rank: Option<u64>) -> u64 {
        let common = self.events / self.ranks - tail(self, 0).1;
        match rank {
            Some(rank) if step + 1 == steps => self.rank_events(rank) - tail(self, rank).1,
            _ => common * (step + 1) / steps,
        }
    }

    /// The time as the file has it.
    pub(crate) fn stamp(&self, ns: u64) -> u64 {
        ns + FIRST_NS + if self.absolute { BASE_NS } else { 0 }
    }
}

/// Process ids differ between the ranks, as they do on one machine.
pub(crate) fn pid(rank: u64) -> u64 {
    21_587 + 131 * rank
}

/// Writes a whole file.
pub(crate) fn write_rank(
    out: &mut impl Write,
    job: &Job,
    names: &Catalogue,
    rank: u64,
) -> io::Result<()> {
    head(out, job, rank)?;
    let mut text = Text::new(&mut *out);
    let mut count = 0;
    for section in [
        Section::Ops,
        Section::Memory,
        Section::Python,
        Section::Device,
    ] {
        let mut machine = Machine::new(section, job, names, Some(rank), text);
        for (step, bounds) in (0..).zip(job.starts.windows(2)) {
            if let &[start, next] = bounds {
                machine.step(
                    step,
                    start,
                    Some(next),
                    job.step_target(step, job.steps(), Some(rank)),
                )?;
            }
        }
        (count, text) = machine.finish();
    }
    text.hand_on()?;
    drop(text);
    let (end, tail_events) = tail(job, rank);
    if count + tail_events != job.rank_events(rank) {
        return Err(io::Error::other(format!(
            "rank {rank} came to {} events instead of {}",
            count + tail_events,
            job.rank_events(rank)
        )));
    }
    out.write_all(&end)
}

fn head(out: &mut impl Write, job: &Job, rank: u64) -> io::Result<()> {
    write!(
        out,
        "{{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": ["
    )?;
    for id in 0..LOCAL {
        let comma = if id == 0 { "" } else { "," };
        write!(
            out,
            "{comma}\n    {{\n      \"id\": {id}, \"name\": \"{GPU_NAME}\", \"totalGlobalMem\": 85018279936,\n      \"computeMajor\": 9, \"computeMinor\": 0,\n      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": 65536, \"warpSize\": 32,\n      \"sharedMemPerBlock\": 49152, \"numSms\": 132\n    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, \"sharedMemPerMultiprocessor\": 233472\n    }}"
        )?;
    }
    let (world, ranks) = (job.world, &job.group_ranks);
    write!(
        out,
        "\n  ],\n  \"cupti_version\": 22,\n  \"cuda_runtime_version\": 12040,\n  \"cuda_driver_version\": 12090,\n  \"with_stack\": 1,\n  \"record_shapes\": 1,\n  \"profile_memory\": 1,\n  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": {world}, \"pg_count\": 1, \"pg_config\": [{{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": {world}, \"ranks\": {ranks}}}], \"nccl_version\": \"2.21.5\"}},\n  \"trace_id\": \"E14F216B9FD7478997D5E6C8CCEC{rank:04X}\",\n  \"traceEvents\": [\n"
    )
}

/// Metadata events and everything after them, with the number of events. The number is the same for every rank.
fn tail(job: &Job, rank: u64) -> (Vec<u8>, u64) {
    let pid = pid(rank);
    let end = job.starts.last().copied().unwrap_or(0);
    let mut count = 0;
    let mut text = Text::new(io::sink());
    // There are events before these.
    text.s(",\n");
    let (begin, window) = (job.stamp(0), job.stamp(end + 400_000));
    let mut meta = |text: &mut Text<_>, kind: &str, pid: u64, tid: u64, arg: &str| {
        count += 1;
        text.event()
            .s("\"name\": \"")
            .s(kind)
            .s("\", \"ph\": \"M\", \"ts\": ")
            .us(begin)
            .s(", \"pid\": ")
            .n(pid)
            .s(", \"tid\": ")
            .n(tid);
        text.s(",\n    \"args\": {\n      ")
            .s(arg)
            .s("\n    }\n  }");
    };
    for device in 0..LOCAL {
        meta(
            &mut text,
            "process_name",
            device,
            0,
            "\"name\": \"python3\"",
        );
        meta(
            &mut text,
            "process_labels",
            device,
            0,
            &format!("\"labels\": \"GPU {device}\""),
        );
        meta(
            &mut text,
            "process_sort_index",
            device,
            0,
            &format!("\"sort_index\": {}", 5_000_000 + device),
        );
    }
    meta(&mut text, "process_name", pid, 0, "\"name\": \"python3\"");
    meta(&mut text, "process_labels", pid, 0, "\"labels\": \"CPU\"");
    meta(
        &mut text,
        "process_sort_index",
        pid,
        0,
        &format!("\"sort_index\": {pid}"),
    );
    for stream in STREAMS {
        meta(
            &mut text,
            "thread_name",
            rank % LOCAL,
            stream,
            &format!("\"name\": \"stream {stream} \""),
        );
        meta(
            &mut text,
            "thread_sort_index",
            rank % LOCAL,
            stream,
            &format!("\"sort_index\": {stream}"),
        );
    }
    for (tid, name) in [(pid, "python3"), (pid + 112, "pt_autograd_0")] {
        meta(
            &mut text,
            "thread_name",
            pid,
            tid,
            &format!("\"name\": \"thread {tid} ({name})\""),
        );
        meta(
            &mut text,
            "thread_sort_index",
            pid,
            tid,
            &format!("\"sort_index\": {tid}"),
        );
    }
    text.event()
        .s("\"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ")
        .us(begin)
        .s(", \"dur\": ")
        .us(end);
    text.s(",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }\n  }");
    text.event()
        .s("\"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": ")
        .us(begin);
    text.s(",\n    \"pid\": \"Spans\", \"tid\": 0,\n    \"args\": {\n      \"sort_index\": 536870912\n    }\n  }");
    text.event().s("\"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ").us(begin).s("\n  }");
    text.event().s("\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", \"ts\": ").us(window).s("\n  }");
    text.s("\n  ],\n  \"traceName\": \"/tmp/traces/rank-")
        .n(rank)
        .s(".json\",\n  \"displayTimeUnit\": \"ms\"");
    if !job.absolute {
        text.s(",\n  \"baseTimeNanoseconds\": ").n(BASE_NS);
    }
    text.s("\n}\n");
    (text.into_bytes(), count + 4)
}
