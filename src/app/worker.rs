//! What must not hold up the screen: reading an event's words, writing files, listing folders,
//! waiting for a dialog, looking whether files changed.
//!
//! One named thread does the jobs in order; every dialog has a thread of its own, since it may stay
//! open for minutes, and so has what may take as long as loading (`apart`). Answers
//! come back as [`Arrival`]s, and the wake callback repaints the screen.

mod apart;

use super::autosave::SessionJob;
use super::picker::{PickFuture, outcome};
use super::{SampleSource, complete, settings_file};
use crate::metrics::{KernelGroup, launched_by, next_kernel};
use crate::session::{
    Arrival, KernelKey, OpenSnapshot, Packs, PickOutcome, Question, SearchAnswer, SearchKey,
    SnapshotArrival,
};
use crate::timeline::lanes::graph_packs;
use crate::trace::{DeviceId, Hits, RankId, SliceRef, Trace};
use crate::{export, ingest};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime};

/// How often the files of the trace are looked at.
const WATCH_EVERY: Duration = Duration::from_secs(3);

/// Wakes the screen.
pub(super) type Wake = Arc<dyn Fn() + Send + Sync>;

/// One thing to do off the UI thread.
pub(super) enum Job {
    /// Read an event's own words.
    ReadEvent(Arc<Trace>, SliceRef),
    /// Measure what takes longer than a frame may.
    Measure(Arc<Trace>, Question),
    /// Find out which streams of a device can share lanes.
    PackStreams(u64, Arc<Trace>, RankId, DeviceId),
    /// Look for names.
    FindHits(Arc<Trace>, SearchKey),
    /// Look for the next kernel of a group behind a slice.
    FindKernel(Arc<Trace>, KernelKey, KernelGroup, Option<SliceRef>),
    /// Write a text and say so, but never over an input.
    Write {
        /// Where.
        path: PathBuf,
        /// What.
        contents: String,
        /// Whether an existing file may be replaced.
        replace: bool,
        /// What must stay as it is.
        inputs: Vec<PathBuf>,
    },
    /// List what a typed path could become.
    Complete(String),
    /// Lay out the bundled sample.
    FindSample(SampleSource),
    /// Keep the settings; silent when it works.
    SaveSettings(PathBuf, String),
    /// Read or keep a session.
    Session(SessionJob),
    /// The same for what the trace is compared with.
    Other(Box<Job>),
    /// Look at these files from now on.
    Watch(Watched),
}

/// Files as they were when they were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    /// Whether they are the snapshot's.
    pub is_snapshot: bool,
    /// Number of the load.
    pub generation: u64,
    /// Path, size, time of the last change.
    pub files: Vec<(PathBuf, u64, Option<SystemTime>)>,
}

impl Watched {
    /// The files of a trace.
    #[must_use]
    pub(super) fn of(generation: u64, trace: &Trace) -> Self {
        let mut files: Vec<_> = trace
            .files
            .iter()
            .filter(|f| f.error.is_none())
            .map(|f| (f.path.clone(), f.bytes, f.modified))
            .collect();
        files.dedup();
        Self {
            is_snapshot: false,
            generation,
            files,
        }
    }

    /// The file of a snapshot.
    #[must_use]
    pub(super) fn of_snapshot(generation: u64, open: &OpenSnapshot) -> Self {
        let files = open.on_disk.iter();
        let files = files.map(|(bytes, modified)| (open.path.clone(), *bytes, *modified));
        Self {
            is_snapshot: true,
            generation,
            files: files.collect(),
        }
    }

    /// What tells that they changed.
    fn arrival(&self) -> Arrival {
        let generation = self.generation;
        if self.is_snapshot {
            Arrival::Snapshot(SnapshotArrival::ChangedOnDisk { generation })
        } else {
            Arrival::ChangedOnDisk { generation }
        }
    }

    /// Whether any file is not what it was. A file that is gone is not "changed": there is nothing
    /// to load again.
    fn changed(&self) -> bool {
        self.files.iter().any(|(path, bytes, modified)| {
            std::fs::metadata(path).is_ok_and(|now| {
                now.len() != *bytes
                    || modified.is_some_and(|then| now.modified().is_ok_and(|t| t != then))
            })
        })
    }
}

/// The worker thread and the way back from it.
pub(super) struct Workers {
    jobs: Sender<Job>,
    answers: Sender<Arrival>,
    arrivals: Receiver<Arrival>,
    wake: Wake,
}

impl Workers {
    /// Starts the worker.
    #[must_use]
    pub(super) fn start(wake: Wake) -> Self {
        let (jobs, todo) = channel();
        let (answers, arrivals) = channel();
        let back = Answers {
            send: answers.clone(),
            wake: Arc::clone(&wake),
        };
        let started = std::thread::Builder::new()
            .name("worker".to_owned())
            .spawn(move || work(&todo, &back));
        let workers = Self {
            jobs,
            answers,
            arrivals,
            wake,
        };
        if let Err(error) = started {
            workers.notice(format!("no worker thread could be started: {error}"));
        }
        workers
    }

    /// Queues a job.
    pub(super) fn queue(&self, job: Job) {
        if self.jobs.send(job).is_err() {
            self.notice("the worker thread is gone; restart the program".to_owned());
        }
    }

    /// Waits for a dialog on a thread of its own.
    pub(super) fn await_dialog(
        &self,
        dialog: PickFuture,
        answer: impl FnOnce(PickOutcome) -> Arrival + Send + 'static,
    ) {
        let back = self.back();
        let started = std::thread::Builder::new()
            .name("dialog".to_owned())
            .spawn(move || {
                let begin = Instant::now();
                let chosen = block_on(dialog);
                back.give(answer(outcome(chosen, begin.elapsed())));
            });
        if let Err(error) = started {
            self.notice(format!("no thread could be started for a dialog: {error}"));
        }
    }

    /// What arrived since the last call.
    pub(super) fn drain(&self) -> impl Iterator<Item = Arrival> + '_ {
        self.arrivals.try_iter()
    }

    /// The way back for a thread of its own.
    pub(super) fn back(&self) -> Answers {
        Answers {
            send: self.answers.clone(),
            wake: Arc::clone(&self.wake),
        }
    }

    pub(super) fn notice(&self, text: String) {
        // The receiver is a field of self, so this cannot fail.
        let _sent = self.answers.send(Arrival::Notice(text));
    }
}

pub(super) struct Answers {
    send: Sender<Arrival>,
    wake: Wake,
}

impl Answers {
    pub(super) fn give(&self, arrival: Arrival) {
        // Nobody listens any more once the window is closed.
        if self.send.send(arrival).is_ok() {
            (self.wake)();
        }
    }
}

fn work(todo: &Receiver<Job>, back: &Answers) {
    // Of the trace and of the snapshot.
    let mut watched = [Watched::default(), Watched::default()];
    let mut looked = Instant::now();
    loop {
        let job = match todo.recv_timeout(WATCH_EVERY) {
            Ok(job) => Some(job),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        match job {
            Some(Job::Watch(files)) => {
                let [of_trace, of_snapshot] = &mut watched;
                let slot = if files.is_snapshot {
                    of_snapshot
                } else {
                    of_trace
                };
                *slot = files;
            }
            Some(job) => {
                if let Some(arrival) = run(job) {
                    back.give(arrival);
                }
            }
            None => {}
        }
        if looked.elapsed() >= WATCH_EVERY {
            looked = Instant::now();
            for files in watched.iter_mut().filter(|files| files.changed()) {
                back.give(files.arrival());
                // Said once; a reload starts a new watch.
                *files = Watched::default();
            }
        }
    }
}

fn run(job: Job) -> Option<Arrival> {
    match job {
        Job::ReadEvent(trace, slice) => Some(Arrival::EventRead {
            slice,
            launched: trace
                .rank(slice.rank)
                .and_then(|rank| launched_by(rank, slice.slice)),
            text: ingest::event_text(&trace, slice).map_err(|e| e.to_string()),
        }),
        Job::Measure(trace, question) => Some(Arrival::Measured(question.answer(&trace))),
        Job::FindKernel(trace, key, group, after) => {
            let found = next_kernel(&trace, &key.query, group, after);
            found.map(|slice| Arrival::KernelFound {
                generation: key.generation,
                slice,
            })
        }
        Job::PackStreams(generation, trace, rank, device) => {
            let found = trace.rank(rank).and_then(|r| Some((r, r.device(device)?)));
            let lanes = found.map(|(rank, device)| graph_packs(&trace, rank, device));
            Some(Arrival::Packs(Packs {
                generation,
                rank,
                device,
                lanes: lanes.unwrap_or_default(),
            }))
        }
        Job::FindHits(trace, key) => Some(Arrival::Search(find_hits(&trace, key))),
        Job::Write {
            path,
            contents,
            replace,
            inputs,
        } => {
            // An input is refused at once, without asking first.
            if !replace && path.is_file() && !export::is_input(&path, &inputs) {
                return Some(Arrival::WouldReplace { path });
            }
            let written = export::write_output(&path, contents.as_bytes(), &inputs);
            let error = written.err().map(|e| e.to_string());
            Some(Arrival::Written { path, error })
        }
        Job::Complete(text) => Some(Arrival::Completions {
            candidates: complete::candidates(&text),
            text,
        }),
        Job::FindSample(source) => Some(Arrival::Sample(source())),
        Job::SaveSettings(path, json) => settings_file::write(&path, &json).err().map(|e| {
            Arrival::Notice(format!(
                "{}: the settings cannot be kept: {e}",
                path.display()
            ))
        }),
        Job::Session(job) => job.run().map(Arrival::Session),
        Job::Other(job) => run(*job).map(|arrival| Arrival::Other(Box::new(arrival))),
        Job::Watch(_) => None,
    }
}

fn find_hits(trace: &Trace, key: SearchKey) -> SearchAnswer {
    // The pattern was understood before it became a key.
    let hits = regex::Regex::new(&key.pattern).map_or_else(
        |_| Hits::default(),
        |wanted| Hits::by_name(trace, &|name| wanted.is_match(name)),
    );
    SearchAnswer::Names(key, Arc::new(hits))
}

/// Waits for a future on this thread.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_future_that_is_woken_later_is_awaited() {
        let mut polled = 0;
        let value = block_on(std::future::poll_fn(|cx| {
            polled += 1;
            if polled < 3 {
                let waker = cx.waker().clone();
                std::thread::spawn(move || waker.wake());
                Poll::Pending
            } else {
                Poll::Ready(7)
            }
        }));
        assert_eq!(value, 7);
    }

    #[test]
    fn a_grown_file_is_changed_and_a_missing_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.json");
        std::fs::write(&path, "[]").unwrap();
        let watched = |path: &std::path::Path, bytes| Watched {
            is_snapshot: false,
            generation: 1,
            files: vec![(path.to_path_buf(), bytes, None)],
        };
        assert!(!watched(&path, 2).changed());
        assert!(watched(&path, 1).changed());
        assert!(!watched(&dir.path().join("gone"), 1).changed());
    }
}
