//! Writes big Kineto-shaped traces for the benchmarks.
//!
//! ```text
//! cargo run --release --example make_big -- --events 10000000 --ranks 8 [--out DIR] [--gzip] [--absolute]
//! ```
//!
//! The same options give the same bytes on every machine. One file a rank; the events asked for (everything in
//! `traceEvents`, metadata included) are shared out evenly over the ranks. It deliberately uses nothing of the viewer:
//! a generator that shared code with the reader could not show the reader's mistakes.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool that reports what it wrote"
)]
#![allow(
    clippy::too_many_lines,
    reason = "functions that write one text after another are long but not deep"
)]

mod catalogue;
mod rank;
mod schedule;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

use crate::catalogue::Catalogue;
use crate::rank::{Job, write_rank};

/// Below this a rank has no room for one step of all phases beside its metadata.
const MIN_EVENTS_PER_RANK: u64 = 2_000;

/// Large enough that a 5 GB file needs about a thousand system calls.
const BUFFER: usize = 4 << 20;

/// Writes big Kineto-shaped traces for the benchmarks.
#[derive(Parser)]
#[command(name = "make_big")]
struct Options {
    /// Events over all ranks
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// Ranks; one file each
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=4096))]
    ranks: u64,
    /// Folder for rank-N.json
    #[arg(long, default_value = "big_traces")]
    out: PathBuf,
    /// Write rank-N.json.gz
    #[arg(long)]
    gzip: bool,
    /// Absolute microseconds since 1970 instead of baseTimeNanoseconds and relative ones
    #[arg(long)]
    absolute: bool,
}

/// Counts the text before compression.
struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(buf)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes one rank's file and returns the bytes of its text.
fn write_file(path: &Path, gzip: bool, job: &Job, names: &Catalogue, rank: u64) -> io::Result<u64> {
    let file = BufWriter::with_capacity(BUFFER, File::create(path)?);
    if gzip {
        let mut out = Counted {
            inner: GzEncoder::new(file, Compression::default()),
            bytes: 0,
        };
        write_rank(&mut out, job, names, rank)?;
        out.inner.finish()?.flush()?;
        Ok(out.bytes)
    } else {
        let mut out = Counted {
            inner: file,
            bytes: 0,
        };
        write_rank(&mut out, job, names, rank)?;
        out.flush()?;
        Ok(out.bytes)
    }
}

fn run(options: &Options) -> io::Result<String> {
    if options.events / options.ranks < MIN_EVENTS_PER_RANK {
        return Err(io::Error::other(format!(
            "{} events over {} ranks: a rank needs at least {MIN_EVENTS_PER_RANK}",
            options.events, options.ranks
        )));
    }
    let started = Instant::now();
    std::fs::create_dir_all(&options.out)?;
    let names = Catalogue::new();
    let job = Job::plan(options.events, options.ranks, options.absolute, &names)?;
    let suffix = if options.gzip { "json.gz" } else { "json" };
    let path = |rank: u64| options.out.join(format!("rank-{rank}.{suffix}"));
    let text = (0..options.ranks)
        .into_par_iter()
        .map(|rank| write_file(&path(rank), options.gzip, &job, &names, rank))
        .collect::<io::Result<Vec<u64>>>()?
        .iter()
        .sum::<u64>();
    let mut on_disk = 0;
    for rank in 0..options.ranks {
        on_disk += std::fs::metadata(path(rank))?.len();
    }
    let paths = if options.ranks == 1 {
        path(0).display().to_string()
    } else {
        format!(
            "{} .. {}",
            path(0).display(),
            path(options.ranks - 1).display()
        )
    };
    let micros = started.elapsed().as_micros().max(1);
    // Bytes a microsecond are megabytes a second.
    let rate = u128::from(text) / micros;
    let tenths = text * 10 / options.events;
    Ok(format!(
        "{paths}: {} events, {} steps, {text} bytes of text ({}.{} an event), {on_disk} bytes on disk, {}.{:02} s, {rate} MB/s",
        options.events,
        job.steps(),
        tenths / 10,
        tenths % 10,
        micros / 1_000_000,
        micros / 10_000 % 100,
    ))
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("make_big: {error}");
            ExitCode::FAILURE
        }
    }
}
