//! `--frame-stats`: how long frames took, as a table of three rows that is written at the end.
//!
//! `cpu` is what a frame cost from the views to the commands for the renderer; `interval` is the
//! time from one frame to the next, without the rests in which there was nothing to draw and without
//! the frames of a load, which come at the pace of its progress. `first` is one frame: the time from
//! the start of the program until it was painted.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// After this long without a frame there was nothing to draw.
const REST: Duration = Duration::from_secs(1);
/// More frames than this are not kept: five hours at 60 a second.
const MOST: usize = 1 << 20;
/// Upper ends of the classes of the histogram, in milliseconds; the last class has none.
const CLASSES_MS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.7, 33.3, 66.7, 100.0, 250.0];

/// The frames of one run.
#[derive(Debug)]
pub(super) struct FrameStats {
    started: Instant,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    last: Option<Instant>,
    first_ms: Vec<f64>,
    cpu_ms: Vec<f64>,
    interval_ms: Vec<f64>,
}

impl FrameStats {
    /// No frames yet of a program that started at an instant.
    pub(super) fn new(started: Instant) -> Self {
        Self {
            started,
            kept: Mutex::default(),
        }
    }

    /// Takes in a frame that begins now; `cpu_s` is what the one before it cost, and `is_paced` says
    /// that it had to wait for its turn.
    pub(super) fn frame(&self, now: Instant, cpu_s: Option<f32>, is_paced: bool) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(seconds), Some(begin), true) = (cpu_s, kept.last, kept.first_ms.is_empty()) {
            let begin = begin.saturating_duration_since(self.started);
            kept.first_ms
                .push((begin.as_secs_f64() + f64::from(seconds)) * 1e3);
        }
        if let Some(seconds) = cpu_s.filter(|_| kept.cpu_ms.len() < MOST) {
            kept.cpu_ms.push(f64::from(seconds) * 1e3);
        }
        let since = kept.last.map(|last| now.saturating_duration_since(last));
        let is_counted = !is_paced && kept.interval_ms.len() < MOST;
        if let Some(since) = since.filter(|s| *s < REST && is_counted) {
            kept.interval_ms.push(since.as_secs_f64() * 1e3);
        }
        kept.last = Some(now);
    }

    /// Writes the table.
    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::fs::write(path, table(&kept))
    }
}

fn table(kept: &Kept) -> String {
    let mut out = "figure,count,median_ms,p90_ms,p99_ms,max_ms".to_owned();
    for end in CLASSES_MS {
        // Writing to a string cannot fail.
        write!(out, ",up_to_{end}_ms").ok();
    }
    out.push_str(",longer\n");
    for (name, times) in [
        ("cpu", &kept.cpu_ms),
        ("interval", &kept.interval_ms),
        ("first", &kept.first_ms),
    ] {
        let mut sorted = times.clone();
        sorted.sort_by(f64::total_cmp);
        write!(out, "{name},{}", sorted.len()).ok();
        for percent in [50, 90, 99, 100] {
            let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
            match sorted.get(at) {
                Some(ms) => write!(out, ",{ms:.3}").ok(),
                None => write!(out, ",").ok(),
            };
        }
        let mut before = 0;
        for end in CLASSES_MS {
            let until = sorted.partition_point(|ms| *ms <= end);
            write!(out, ",{}", until - before).ok();
            before = until;
        }
        writeln!(out, ",{}", sorted.len() - before).ok();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_become_rows_without_the_rests() {
        let begin = Instant::now();
        let stats = FrameStats::new(begin);
        for (ms, cpu) in [
            (7, None),
            (17, Some(0.001)),
            (37, Some(0.003)),
            (5_000, Some(0.5)),
        ] {
            stats.frame(begin + Duration::from_millis(ms), cpu, false);
        }
        stats.frame(begin + Duration::from_millis(5_100), None, true);
        let kept = stats.kept.lock().unwrap();
        let rows: Vec<String> = table(&kept).lines().map(str::to_owned).collect();
        assert!(
            rows[1].starts_with("cpu,3,3.000,500.000,500.000,500.000,"),
            "{}",
            rows[1]
        );
        assert!(rows[1].ends_with(",1"), "{}", rows[1]);
        assert_eq!(
            rows[2],
            "interval,2,20.000,20.000,20.000,20.000,0,0,0,0,1,1,0,0,0,0"
        );
        assert!(rows[3].starts_with("first,1,8.000,"), "{}", rows[3]);
    }
}
