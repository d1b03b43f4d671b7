//! What has a thread of its own, since it may take as long as loading: searching and reading the
//! files again, aligning kernels, judging overlap. Reading an event must not wait for that.

use super::Workers;
use crate::ingest::{self, Cancel};
use crate::session::{Arrival, DeltaKey, OverlapTask, SearchAnswer, SearchKey, TraceHandle};
use crate::trace::{Hits, Trace};
use std::sync::Arc;

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
