//! Writes the bundled sample traces: `cargo run --example make_samples [OUTDIR]`.
//!
//! This file owns only the writing. What the traces hold is in `samples/`, one file a scenario, which the tests also
//! use to check that the committed files are exactly what the generator makes.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod samples;

fn main() -> ExitCode {
    let out_dir = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("sample_traces"), PathBuf::from);
    for sample in samples::all() {
        let path = out_dir.join(sample.path);
        if let Err(error) = write_file(&path, &sample.json) {
            // Nothing is left to do if standard error is closed too; the exit status still tells.
            let _closed = writeln!(
                std::io::stderr(),
                "cannot write {}: {error}; choose another folder: make_samples OUTDIR",
                path.display()
            );
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}
