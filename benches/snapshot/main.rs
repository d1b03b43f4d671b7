//! What opening an allocator snapshot costs against reading its bytes, and what its questions cost against walking all
//! events.
//!
//! ```text
//! cargo run --release --example make_snapshots -- FOLDER --events 5000000
//! cargo bench --bench snapshot -- FOLDER/big.pickle
//! ```
//!
//! `read` reads the file in blocks and counts the bytes that close a dictionary's items: nothing that looks at every byte
//! is faster. `open` ends with a snapshot, `history` with curves and lives. `alive` asks who holds memory at moments
//! anywhere in the recording, `extremes` for the peak of windows of any length; their baselines walk all events.
//!
//! The table goes to standard output, separated by tabs, under one line of headings; what is said about it goes to
//! standard error.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a measurement for people"
)]

mod naive;

use overlane::ingest::{Cancel, Progress};
use overlane::snapshot::{Device, History, Snapshot, State, open};
use overlane::time::{Ns, Window};
use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Measurements of what takes long; the fastest counts, as others only had more of the machine's other work.
const ROUNDS: u32 = 3;
/// Questions of one measurement.
const QUESTIONS: u32 = 200;
/// Baseline questions: each walks everything.
const NAIVE: u32 = 5;

/// The same numbers on every machine.
struct Dice(u64);

impl Dice {
    /// A moment of a window.
    fn moment(&mut self, within: Window) -> Ns {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let roll = i64::try_from(self.0 >> 1).unwrap_or(0);
        Ns(within.start().0 + roll % within.len().0.max(1))
    }
}

fn main() {
    let files: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .map(PathBuf::from)
        .collect();
    if files.is_empty() {
        eprintln!("name snapshots to open: cargo bench --bench snapshot -- FILE…");
        return;
    }
    println!("bench\tfile\tevents\twhat\tmeasured_us\tbaseline\tbaseline_us\tratio");
    for file in &files {
        if let Err(error) = measure(file) {
            eprintln!("{error}");
        }
    }
}

fn measure(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let read = fastest(|| drop(black_box(count_items(file))));
    let mut opened = None;
    let open = fastest(|| opened = Some(open(file, &Progress::default(), &Cancel::default())));
    let snapshot = opened.ok_or("nothing was opened")??;
    let device = snapshot.devices.first().ok_or("no device")?;
    let table = Table {
        file: file.file_name().unwrap_or_default().display().to_string(),
        events: device.events.len(),
    };
    // A ratio above one is slower than the bytes alone.
    table.row("open, to the bytes read", open, "read", read, open / read);
    let mut history = None;
    let made = fastest(|| history = Some(History::new(&snapshot, device)));
    table.row(
        "history, to the bytes read",
        made,
        "read",
        read,
        made / read,
    );
    let history = history.ok_or("no history")?;
    questions(&table, &snapshot, device, &history);
    Ok(())
}

fn questions(table: &Table, snapshot: &Snapshot, device: &Device, history: &History) {
    let Some(whole) = history.extent else {
        return;
    };
    let mut dice = Dice(0x9e37_79b9);
    let alive = mean(QUESTIONS, || {
        black_box(history.alive_after(device.events.until(dice.moment(whole))));
    });
    let walked = mean(NAIVE, || {
        black_box(naive::alive_at(device, dice.moment(whole)));
    });
    table.row("alive at a moment", alive, "walk", walked, walked / alive);
    let state = mean(QUESTIONS, || {
        let events = device.events.until(dice.moment(whole));
        black_box(State::after(snapshot, device, history, events));
    });
    table.row("state at a moment", state, "walk", walked, walked / state);
    let peak = mean(QUESTIONS * 100, || {
        let window = Window::new(dice.moment(whole), dice.moment(whole));
        black_box(history.requested.extremes(window));
    });
    let walked = mean(NAIVE, || {
        let window = Window::new(dice.moment(whole), dice.moment(whole));
        black_box(naive::peak(&history.requested, window));
    });
    table.row("peak of a window", peak, "walk", walked, walked / peak);
}

/// Prints lines of one file.
struct Table {
    file: String,
    events: usize,
}

impl Table {
    fn row(&self, what: &str, seconds: f64, baseline: &str, its_seconds: f64, ratio: f64) {
        println!(
            "snapshot\t{}\t{}\t{what}\t{:.1}\t{baseline}\t{:.1}\t{ratio:.1}",
            self.file,
            self.events,
            seconds * 1e6,
            its_seconds * 1e6
        );
    }
}

fn fastest(mut work: impl FnMut()) -> f64 {
    let runs = (0..ROUNDS).map(|_| mean(1, &mut work));
    runs.fold(f64::INFINITY, f64::min)
}

/// Seconds of one of so many calls.
fn mean(calls: u32, mut work: impl FnMut()) -> f64 {
    let begin = Instant::now();
    for _ in 0..calls {
        work();
    }
    begin.elapsed().as_secs_f64() / f64::from(calls)
}

fn count_items(file: &Path) -> std::io::Result<usize> {
    let mut file = File::open(file)?;
    let mut block = vec![0; 4 << 20];
    let mut items = 0;
    loop {
        let n = file.read(&mut block)?;
        if n == 0 {
            return Ok(items);
        }
        items += memchr::memchr_iter(b'u', block.get(..n).unwrap_or(&[])).count();
    }
}
