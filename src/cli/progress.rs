//! Loading with a progress line on standard error, where that is a terminal.

use crate::classify::Rules;
use crate::ingest::{self, Cancel, IngestError, LoadOptions, LoadRequest, Phase, Progress, Speed};
use crate::snapshot::{self, Snapshot, SnapshotError};
use crate::trace::Trace;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(100);
/// Longer than any line, to wipe the one before.
const WIDTH: usize = 98;

/// Loads the paths into one trace.
pub(super) fn load(
    paths: &[PathBuf],
    rules: Arc<Rules>,
    options: LoadOptions,
) -> Result<Trace, IngestError> {
    let request = LoadRequest {
        paths: paths.to_vec(),
        rules,
        options,
    };
    shown(|progress, cancel| ingest::load(&request, progress, cancel))
}

/// Loads a memory snapshot.
pub(super) fn snapshot(path: &Path) -> Result<Snapshot, SnapshotError> {
    shown(|progress, cancel| snapshot::open(path, progress, cancel))
}

/// Does something that tells its progress.
fn shown<T>(load: impl FnOnce(&Progress, &Cancel) -> T) -> T {
    let (progress, cancel) = (Progress::default(), Cancel::default());
    if !io::stderr().is_terminal() {
        return load(&progress, &cancel);
    }
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let shown = progress.clone();
        // A load without a progress line is still a load, so a thread that does not start is no error.
        std::thread::Builder::new()
            .name("progress".to_owned())
            .spawn_scoped(scope, move || show(&shown, &is_done))
            .ok();
        let result = load(&progress, &cancel);
        drop(done);
        result
    })
}

/// Redraws the line until the other end of the channel is gone, then wipes it.
fn show(progress: &Progress, is_done: &Receiver<()>) {
    while is_done.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        draw(&line(progress));
    }
    draw("");
}

fn draw(line: &str) {
    let mut err = io::stderr().lock();
    // A terminal that went away is no reason to stop loading.
    write!(err, "\r{line:<WIDTH$}\r{line}").ok();
    err.flush().ok();
}

fn line(progress: &Progress) -> String {
    let (done, total) = (progress.done_bytes(), progress.total_bytes());
    let phase = progress.phase().label();
    match (progress.phase(), total) {
        (Phase::Surveying | Phase::Reading, 1..) => {
            let percent = u128::from(done) * 100 / u128::from(total);
            let speed = progress.speed().map(|s| speed_words(&s));
            format!(
                "{phase} {percent:>3} % of {} MB, {} events{}",
                total.div_ceil(1_000_000),
                progress.events(),
                speed.unwrap_or_default()
            )
        }
        _ => phase.to_owned(),
    }
}

/// `, 812 MB/s, 2.4 M events/s, 3 s left`
fn speed_words(speed: &Speed) -> String {
    let left = speed.left_words();
    let left = left.map_or_else(String::new, |left| format!(", {left}"));
    let tenths = speed.events / 100_000;
    format!(
        ", {} MB/s, {}.{} M events/s{left}",
        speed.text_bytes / 1_000_000,
        tenths / 10,
        tenths % 10
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_phase_share_and_events() {
        let progress = Progress::default();
        assert_eq!(line(&progress), "looking for files");
        progress.expect_bytes(4_000_000_000);
        progress.add_bytes(1_000_000_000);
        progress.add_events(12_345);
        progress.set_phase(Phase::Reading);
        assert_eq!(line(&progress), "reading  25 % of 4000 MB, 12345 events");
    }

    #[test]
    fn the_speed_is_told_in_few_words() {
        let mut speed = Speed {
            text_bytes: 812_345_678,
            events: 2_430_000,
            left: Some(Duration::from_millis(2_400)),
        };
        assert_eq!(speed_words(&speed), ", 812 MB/s, 2.4 M events/s, 3 s left");
        speed.left = None;
        assert_eq!(speed_words(&speed), ", 812 MB/s, 2.4 M events/s");
    }
}
