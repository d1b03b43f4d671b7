//! What has a thread of its own, since it may take as long as loading: searching and reading the
//! files again, aligning kernels, judging overlap. Reading an event must not wait for that.

use super::Workers;
use crate::ingest::{self, Cancel, Progress};
use crate::session::{
    Arrival, DeltaKey, OpenSnapshot, OverlapTask, SearchAnswer, SearchKey, SnapshotArrival,
    SnapshotHandle, SnapshotQuestion, TraceHandle,
};
use crate::snapshot;
use crate::trace::{Hits, Trace};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

impl Workers {
    /// Looks for a text in the files.
    pub(in crate::app) fn search_args(
        &self,
        trace: Arc<Trace>,
        key: SearchKey,
        names: Arc<Hits>,
        cancel: Cancel,
    ) {
        self.apart("search", move || {
            let wanted = regex::bytes::Regex::new(&key.pattern).ok()?;
            let searched = ingest::search_events(&trace, &wanted, &cancel);
            let answer = || Arrival::Search(SearchAnswer::of_args(key, &names, searched));
            (!cancel.is_cancelled()).then(answer)
        });
    }

    /// Aligns kernels of two traces: sequences that have little in common may take seconds.
    pub(in crate::app) fn align_kernels(&self, a: TraceHandle, b: TraceHandle, key: DeltaKey) {
        self.apart("align", move || {
            Some(Arrival::Aligned(key, key.align(&a, &b)))
        });
    }

    /// Reads how GPU work was launched; what is of a cancelled load is not told.
    pub(in crate::app) fn read_launches(
        &self,
        generation: u64,
        trace: TraceHandle,
        cancel: Cancel,
        is_other: bool,
    ) {
        self.apart("launches", move || {
            let launches = Arc::new(ingest::read_launches(&trace.0, &cancel));
            let arrival = Arrival::Launches {
                generation,
                launches,
            };
            (!cancel.is_cancelled()).then(|| of_side(arrival, is_other))
        });
    }

    /// Comes to a verdict on overlap.
    pub(in crate::app) fn judge_overlap(&self, task: Box<OverlapTask>, is_other: bool) {
        self.apart("overlap", move || {
            let judged = Arc::new(task.judge());
            Some(of_side(Arrival::Judged(task.key, judged), is_other))
        });
    }

    /// Reads a snapshot and follows its recordings; what was cancelled is not told.
    pub(in crate::app) fn open_snapshot(
        &self,
        generation: u64,
        path: PathBuf,
        progress: Progress,
        cancel: Cancel,
    ) {
        self.apart("snapshot", move || {
            let begin = Instant::now();
            // Before it is read: what changes meanwhile is a change.
            let meta = std::fs::metadata(&path).ok();
            let on_disk = meta.map(|meta| (meta.len(), meta.modified().ok()));
            let read = std::panic::AssertUnwindSafe(|| {
                let snapshot = snapshot::open(&path, &progress, &cancel)?;
                Ok::<_, snapshot::SnapshotError>(OpenSnapshot {
                    on_disk,
                    ..OpenSnapshot::new(path.clone(), snapshot)
                })
            });
            // A reader that fails in a way nobody foresaw must not leave a load that never ends.
            let result = match std::panic::catch_unwind(read) {
                Ok(Ok(open)) => Ok(SnapshotHandle(Arc::new(open))),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!(
                    "{}: the reader stopped on something unforeseen; please report it with the version of PyTorch",
                    path.display()
                )),
            };
            let arrival = SnapshotArrival::Opened {
                generation,
                result,
                took: begin.elapsed(),
            };
            (!cancel.is_cancelled()).then_some(Arrival::Snapshot(arrival))
        });
    }

    /// Finds something out of a snapshot.
    pub(in crate::app) fn ask_snapshot(&self, open: SnapshotHandle, question: SnapshotQuestion) {
        self.apart("allocator", move || {
            let answer = SnapshotArrival::Measured(question.answer(&open.0));
            Some(Arrival::Snapshot(answer))
        });
    }

    fn apart(&self, name: &'static str, work: impl FnOnce() -> Option<Arrival> + Send + 'static) {
        let back = self.back();
        let started = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                if let Some(arrival) = work() {
                    back.give(arrival);
                }
            });
        if let Err(error) = started {
            self.notice(format!("no thread could be started for {name}: {error}"));
        }
    }
}

/// What is brought for the trace itself, or for the one that it is compared with.
fn of_side(arrival: Arrival, is_other: bool) -> Arrival {
    if is_other {
        Arrival::Other(Box::new(arrival))
    } else {
        arrival
    }
}
