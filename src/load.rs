//! Loading on a thread of its own: [`LoadJob`].
//!
//! Owns the thread around [`ingest::load`], its progress and its cancel flag, and the channel that
//! brings the result. It knows nothing of egui: whoever starts a job gives a callback that wakes
//! the screen. A job that is dropped is cancelled; nobody waits for its thread.

use crate::ingest::{self, Cancel, IngestError, LoadRequest, Progress};
use crate::trace::Trace;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// What a load ended with.
#[derive(Debug)]
pub enum LoadEnd {
    /// A trace, and how long it took.
    Loaded(Arc<Trace>, Duration),
    /// The user stopped it.
    Cancelled,
    /// Nothing could be loaded: one sentence.
    Failed(String),
    /// The one file is a pickle, so it may be a snapshot of the allocator.
    IsPickle,
}

/// A load that runs on its own thread.
#[derive(Debug)]
pub struct LoadJob {
    generation: u64,
    progress: Progress,
    cancel: Cancel,
    end: Receiver<LoadEnd>,
}

/// How a trace comes from a request. [`ingest::load`] everywhere but in tests, which hold a load
/// back to look at it.
pub type Loader =
    Arc<dyn Fn(&LoadRequest, &Progress, &Cancel) -> Result<Trace, IngestError> + Send + Sync>;

/// The loader of the program.
#[must_use]
pub fn ingest_loader() -> Loader {
    Arc::new(ingest::load)
}

impl LoadJob {
    /// Starts a load. `wake` is called once the result can be taken.
    #[must_use]
    pub fn start(
        generation: u64,
        request: LoadRequest,
        loader: Loader,
        wake: impl FnOnce() + Send + 'static,
    ) -> Self {
        let (progress, cancel) = (Progress::default(), Cancel::default());
        let (send, end) = channel();
        let job = (progress.clone(), cancel.clone());
        let failed = send.clone();
        let started = std::thread::Builder::new()
            .name("load".to_owned())
            .spawn(move || {
                let (progress, cancel) = job;
                let begin = Instant::now();
                // A reader that fails in a way nobody foresaw must not leave a load that never ends.
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    loader(&request, &progress, &cancel)
                }));
                let end = match result {
                    Ok(Ok(_)) if cancel.is_cancelled() => LoadEnd::Cancelled,
                    Ok(Ok(trace)) => LoadEnd::Loaded(Arc::new(trace), begin.elapsed()),
                    Ok(Err(IngestError::Cancelled)) => LoadEnd::Cancelled,
                    Ok(Err(error)) if error.is_pickle() && request.paths.len() == 1 => LoadEnd::IsPickle,
                    Ok(Err(error)) => LoadEnd::Failed(error.to_string()),
                    Err(_) => LoadEnd::Failed(
                        "the reader stopped on something unforeseen in this file; please report it with the file's \
                         producer and version"
                            .to_owned(),
                    ),
                };
                // Nobody listens any more when a newer load took over.
                if send.send(end).is_ok() {
                    wake();
                }
            });
        if let Err(error) = started {
            // The receiver is held right here, so this cannot fail.
            let _sent = failed.send(LoadEnd::Failed(format!(
                "no thread could be started for loading: {error}"
            )));
        }
        Self {
            generation,
            progress,
            cancel,
            end,
        }
    }

    /// Number of the load.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The result, once it is there. Never waits.
    #[must_use]
    pub fn poll(&self) -> Option<LoadEnd> {
        match self.end.try_recv() {
            Ok(end) => Some(end),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(LoadEnd::Failed(
                "the load ended without a result".to_owned(),
            )),
        }
    }
}

impl Drop for LoadJob {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::Rules;
    use std::sync::mpsc;

    fn request() -> LoadRequest {
        LoadRequest {
            paths: Vec::new(),
            rules: Arc::new(Rules::default()),
            options: crate::ingest::LoadOptions::default(),
        }
    }

    fn run(loader: Loader) -> LoadEnd {
        let (send, woken) = mpsc::channel();
        let job = LoadJob::start(1, request(), loader, move || send.send(()).unwrap());
        woken.recv_timeout(Duration::from_secs(10)).unwrap();
        job.poll().unwrap()
    }

    #[test]
    fn a_result_wakes_and_can_be_taken() {
        assert!(matches!(
            run(Arc::new(|_, _, _| Ok(Trace::default()))),
            LoadEnd::Loaded(..)
        ));
    }

    #[test]
    fn an_error_is_one_sentence() {
        let end = run(Arc::new(|_, _, _| Err(IngestError::NothingGiven)));
        assert!(matches!(end, LoadEnd::Failed(s) if s.starts_with("no file was given")));
    }

    #[test]
    fn a_panic_of_a_reader_is_a_failed_load() {
        assert!(matches!(
            run(Arc::new(|_, _, _| panic!("boom"))),
            LoadEnd::Failed(_)
        ));
    }

    #[test]
    fn dropping_a_job_cancels_it() {
        let (send, ended) = mpsc::channel();
        let loader: Loader = Arc::new(move |_, _, cancel: &Cancel| {
            while !cancel.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            send.send(()).unwrap();
            Err(IngestError::Cancelled)
        });
        drop(LoadJob::start(1, request(), loader, || {}));
        ended.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}
