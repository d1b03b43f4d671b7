//! What loading costs in process, against reading the bytes and against plain serde.
//!
//! ```text
//! cargo bench --bench ingest -- FILE…        # files of `make_big`, of several sizes
//! ```
//!
//! `read` reads the file in blocks and counts its lines: nothing that looks at every byte is
//! faster. `serde` reads every event of a plain file with serde_json into borrowed pieces and keeps
//! nothing. Loading ends with a trace that is ready to draw.
//!
//! The table goes to standard output, separated by tabs, under one line of headings; what is said
//! about it goes to standard error.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a measurement for people"
)]

mod serde_events;

use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Measurements of each; the fastest counts, as others only had more of the machine's other work.
const ROUNDS: u32 = 5;
/// Plain files beyond this are not read by serde, which needs them in memory.
const SERDE_LIMIT: u64 = 1 << 30;

fn main() {
    let files: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .map(PathBuf::from)
        .collect();
    if files.is_empty() {
        eprintln!("name files to load: cargo bench --bench ingest -- FILE…");
        return;
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    eprintln!(
        "{} threads; load average {}",
        rayon::current_num_threads(),
        load.trim()
    );
    println!(
        "bench\tfile\tevents\ttext_mb\tload_s\tmb_per_s\tns_per_event\tread_s\tserde_s\tratio"
    );
    for file in &files {
        row(file);
    }
}

fn row(file: &Path) {
    let request = LoadRequest {
        paths: vec![file.to_owned()],
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    let mut size = (0, 0);
    let loaded = fastest(
        || match load(&request, &Progress::default(), &Cancel::default()) {
            Ok(trace) => {
                let all = trace.files.iter();
                size = all.fold((0, 0), |s, f| (s.0 + f.events, s.1 + f.text_bytes));
            }
            Err(error) => eprintln!("{error}"),
        },
    );
    let (events, text) = size;
    let read = fastest(|| {
        if let Err(error) = count_lines(file) {
            eprintln!("{error}");
        }
    });
    let packed = std::fs::metadata(file).is_ok_and(|m| m.len() < text);
    let serde = (!packed && text < SERDE_LIMIT).then(|| {
        fastest(|| match std::fs::read(file) {
            Ok(text) => eprintln!("serde: {} events", serde_events::count(&text)),
            Err(error) => eprintln!("{error}"),
        })
    });
    let name = file.file_name().unwrap_or_default().display();
    println!(
        "ingest\t{name}\t{events}\t{:.0}\t{loaded:.3}\t{:.0}\t{:.0}\t{read:.3}\t{}\t{}",
        text as f64 / 1e6,
        text as f64 / 1e6 / loaded,
        loaded * 1e9 / events as f64,
        serde.map_or_else(|| "-".to_owned(), |s| format!("{s:.3}")),
        serde.map_or_else(|| "-".to_owned(), |s| format!("{:.1}", s / loaded)),
    );
}

fn fastest(mut work: impl FnMut()) -> f64 {
    let runs = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        work();
        begin.elapsed().as_secs_f64()
    });
    runs.fold(f64::INFINITY, f64::min)
}

fn count_lines(file: &Path) -> std::io::Result<usize> {
    let mut file = File::open(file)?;
    let mut block = vec![0; 4 << 20];
    let mut lines = 0;
    loop {
        let n = file.read(&mut block)?;
        if n == 0 {
            return Ok(lines);
        }
        lines += memchr::memchr_iter(b'\n', block.get(..n).unwrap_or(&[])).count();
    }
}
