//! Writes small profiler files, the way PyTorch's profiler writes them, and runs the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A profiler file being drawn. Times are microseconds, as text, so that every digit is the test's.
#[derive(Default)]
pub struct Kineto {
    events: Vec<String>,
    rank: Option<u32>,
    world: u32,
}

impl Kineto {
    pub fn new() -> Self {
        Self::default()
    }

    /// States the rank, as distributed jobs do.
    pub fn rank(mut self, rank: u32, world: u32) -> Self {
        self.rank = Some(rank);
        self.world = world;
        self
    }

    /// Work on stream `stream` of device 0.
    pub fn gpu(self, stream: u32, name: &str, ts: &str, dur: &str) -> Self {
        self.event(
            name,
            "kernel",
            ts,
            dur,
            &format!(
                r#""pid": 0, "tid": {stream}, "args": {{"device": 0, "stream": {stream}, "correlation": 0}}"#
            ),
        )
    }

    /// A copy on a stream of device 0.
    pub fn copy(self, stream: u32, ts: &str, dur: &str) -> Self {
        self.event(
            "Memcpy HtoD (Pinned -> Device)",
            "gpu_memcpy",
            ts,
            dur,
            &format!(
                r#""pid": 0, "tid": {stream}, "args": {{"device": 0, "stream": {stream}, "correlation": 0}}"#
            ),
        )
    }

    /// A kernel with the host call that launched it.
    pub fn launched(
        self,
        correlation: u32,
        launch: &str,
        stream: u32,
        ts: &str,
        dur: &str,
    ) -> Self {
        self.event(
            "cudaLaunchKernel",
            "cuda_runtime",
            launch,
            "1",
            &format!(r#""pid": 100, "tid": 101, "args": {{"correlation": {correlation}}}"#),
        )
        .event(
            "ampere_sgemm_128x64_nn",
            "kernel",
            ts,
            dur,
            &format!(
                r#""pid": 0, "tid": {stream}, "args": {{"device": 0, "stream": {stream}, "correlation": {correlation}}}"#
            ),
        )
    }

    /// A host annotation.
    pub fn annotation(self, name: &str, ts: &str, dur: &str) -> Self {
        self.event(
            name,
            "user_annotation",
            ts,
            dur,
            r#""pid": 100, "tid": 101"#,
        )
    }

    /// A host operator.
    pub fn cpu(self, name: &str, ts: &str, dur: &str) -> Self {
        self.event(name, "cpu_op", ts, dur, r#""pid": 100, "tid": 101"#)
    }

    fn event(mut self, name: &str, cat: &str, ts: &str, dur: &str, rest: &str) -> Self {
        self.events.push(format!(
            r#"{{"ph": "X", "cat": "{cat}", "name": "{name}", "ts": {ts}, "dur": {dur}, {rest}}}"#
        ));
        self
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut text = String::from("{\n  \"schemaVersion\": 1,\n");
        if let Some(rank) = self.rank {
            writeln!(
                text,
                "  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": {}}},",
                self.world
            ).ok();
        }
        write!(
            text,
            "  \"traceEvents\": [\n    {}\n  ]\n}}\n",
            self.events.join(",\n    ")
        )
        .ok();
        text
    }

    /// Writes the file and returns its path.
    pub fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, self.text()).expect("the test's folder can be written");
        path
    }
}

/// What a run of the program gave.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The program, shielded from the display and the settings of whoever runs the tests.
pub fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overlane"));
    command
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .env("HOME", home)
        .env("OVERLANE_CONFIG_DIR", home.join("config"));
    command
}

/// Runs the program with arguments; paths are given as they are.
pub fn run<S: AsRef<std::ffi::OsStr>>(home: &Path, args: &[S]) -> Run {
    program(home)
        .args(args)
        .output()
        .expect("the program starts")
        .into()
}

/// The cells of a CSV without quotes, by line.
pub fn csv(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

/// The cell of a column in a data row (0 is the first behind the header).
pub fn cell(text: &str, row: usize, column: &str) -> String {
    let lines = csv(text);
    let at = lines[0]
        .iter()
        .position(|c| c == column)
        .unwrap_or_else(|| panic!("no column {column} in {:?}", lines[0]));
    lines[row + 1][at].clone()
}
