//! Writes allocator snapshots: the bundled ones, or one of any size for the benchmarks.
//!
//! ```text
//! cargo run --example make_snapshots [OUTDIR]
//! cargo run --release --example make_snapshots -- OUTDIR --events 5000000
//! ```
//!
//! The same arguments give the same bytes on every machine. It uses nothing of the viewer: a writer that shared code with
//! the reader could not show the reader's mistakes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "it writes what it makes up itself"
)]

mod snapshots;

use clap::Parser;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// Writes allocator snapshots.
#[derive(Parser)]
#[command(name = "make_snapshots")]
struct Options {
    /// The folder to write to
    #[arg(default_value = "sample_traces")]
    out: PathBuf,
    /// Write big.pickle with at least so many events instead of the bundled snapshots
    #[arg(long)]
    events: Option<usize>,
}

fn main() -> io::Result<()> {
    let options = Options::parse();
    std::fs::create_dir_all(&options.out)?;
    let scenarios = match options.events {
        Some(events) => vec![snapshots::big(events)],
        None => snapshots::bundled(),
    };
    for scenario in scenarios {
        let file = File::create(options.out.join(scenario.file))?;
        let mut out = BufWriter::with_capacity(4 << 20, file);
        snapshots::write(&mut out, &scenario)?;
        out.flush()?;
    }
    Ok(())
}
