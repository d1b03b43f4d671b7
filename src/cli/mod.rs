//! The command line: arguments in, text and an exit status out.
//!
//! It owns the words of the command line, which stream gets what, and the exit statuses; it
//! computes no figure. Standard output carries data only, everything else goes to standard error.
//! Status 0 is success, 1 a failed `check`, 2 wrong usage or input that cannot be read. Opening
//! the window is not done here: [`start`] hands a [`WindowRequest`] back to `main`.

mod args;
mod check;
mod demo;
mod diff;
mod error;
mod memory;
mod mfu;
mod output;
mod overlap;
mod progress;
mod report;
mod require;
mod row_args;
mod rows;
mod rules;
mod samples;
mod select;
mod snapshot;
mod suggest;
mod whatif;
mod whatif_args;
mod whatif_from;

pub use args::Renderer;
pub use error::CliError;

use crate::classify::Rules;
use crate::ingest::LoadOptions;
use args::{Arguments, Command};
use clap::Parser as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// What `main` is to do.
#[derive(Debug)]
pub enum Start {
    /// Open the window.
    Window(Box<WindowRequest>),
    /// Leave with this status; everything was said.
    Exit(ExitCode),
}

/// The window that the user asked for.
#[derive(Clone, Debug)]
pub struct WindowRequest {
    /// What to open at once; the sample's files for `--demo`. May be empty.
    pub paths: Vec<PathBuf>,
    /// What to compare it with; may be empty.
    pub compare: Vec<PathBuf>,
    /// Whether it is the bundled sample.
    pub demo: bool,
    /// What of it is loaded.
    pub options: LoadOptions,
    /// How kernels are classified: the built-in rules and the user's.
    pub rules: Arc<Rules>,
    /// What to draw with; `None` lets the program choose.
    pub renderer: Option<Renderer>,
    /// Where to write how long the frames took.
    pub frame_stats: Option<PathBuf>,
}

/// How a command ended that did not meet an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    CheckFailed,
}

/// Reads the arguments of the process and does what they ask, but for the window.
#[must_use]
pub fn start() -> Start {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return Start::Exit(args::explain(&error)),
    };
    match dispatch(arguments) {
        Ok(start) => start,
        Err(error) => Start::Exit(fail(&error)),
    }
}

fn dispatch(arguments: Arguments) -> Result<Start, CliError> {
    let rules = Arc::new(rules::load(arguments.rules.as_deref())?);
    let outcome = match arguments.command {
        None => return window(arguments, rules),
        Some(_) if arguments.demo || !arguments.paths.is_empty() => {
            return Err(CliError::MixedWithCommand);
        }
        Some(_) if arguments.load.options()? != LoadOptions::default() => {
            return Err(CliError::OptionsBeforeCommand);
        }
        Some(_) if !arguments.compare.is_empty() => {
            return Err(CliError::CompareBeforeCommand);
        }
        Some(_) if arguments.frame_stats.is_some() => {
            return Err(CliError::FrameStatsWithCommand);
        }
        Some(Command::Report(asked)) => report::run(&asked, &rules, arguments.rules.as_deref())?,
        Some(Command::Check(asked)) => check::run(&asked, rules)?,
        Some(Command::Diff(asked)) => diff::run(&asked, &rules, arguments.rules.as_deref())?,
        Some(Command::Whatif(asked)) => whatif::run(asked, &rules)?,
        Some(Command::Snapshot(asked)) => snapshot::run(&asked)?,
    };
    Ok(Start::Exit(match outcome {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::CheckFailed => ExitCode::from(1),
    }))
}

fn window(arguments: Arguments, rules: Arc<Rules>) -> Result<Start, CliError> {
    let demo = arguments.demo;
    let options = arguments.load.options()?;
    if demo && !arguments.paths.is_empty() {
        return Err(CliError::DemoWithPaths);
    }
    let compare = arguments.compare;
    if !compare.is_empty() && !demo && arguments.paths.is_empty() {
        return Err(CliError::CompareWithNothing);
    }
    let paths = if demo {
        demo::paths()?
    } else {
        arguments.paths
    };
    let renderer = arguments.renderer;
    let frame_stats = arguments.frame_stats;
    if let Some(path) = &frame_stats {
        // Before the window opens, not after hours of looking.
        cannot_write(path, std::fs::write(path, ""))?;
    }
    Ok(Start::Window(Box::new(WindowRequest {
        paths,
        compare,
        demo,
        options,
        rules,
        renderer,
        frame_stats,
    })))
}

/// What is left to do where no window can be opened: the sample's report for `--demo`, else a
/// sentence that points to `overlane report`.
#[must_use]
pub fn without_display(request: &WindowRequest, reason: &str) -> ExitCode {
    if !request.demo {
        return fail(&CliError::NoDisplay {
            reason: reason.to_owned(),
        });
    }
    output::note(&format!(
        "no window can be opened ({reason}), so here is the report of the sample instead"
    ));
    match demo::report(request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// The bundled sample's files, laid out on disk for the window.
///
/// # Errors
/// [`CliError::Sample`] where they cannot be written.
pub fn sample_paths() -> Result<Vec<PathBuf>, CliError> {
    demo::paths()
}

fn cannot_write(path: &Path, result: std::io::Result<()>) -> Result<(), CliError> {
    result.map_err(|reason| CliError::Output {
        place: path.display().to_string(),
        reason,
    })
}

/// Says that the times of the frames could not be written after all.
#[must_use]
pub fn without_frame_stats(path: &Path, reason: String) -> ExitCode {
    match cannot_write(path, Err(std::io::Error::other(reason))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &CliError) -> ExitCode {
    output::note(&error.to_string());
    ExitCode::from(2)
}
