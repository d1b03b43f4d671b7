//! [`BackwardPass`]: from the first to the last kernel that autograd launched.

use super::serving::{Ran, ServingStep};
use super::{Found, FoundOrWhy};
use crate::time::{DurNs, Ns, Window};
use crate::trace::{NameId, Rank, SliceId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// What PyTorch calls the op around everything that one node of the graph launches.
const AUTOGRAD: &str = "autograd::engine::evaluate_function";
/// What annotations of a backward pass have in their names.
const WORD: &str = "backward";

/// A backward pass on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackwardPass {
    /// From its first kernel's start to its last one's end.
    pub window: Window,
    /// How many computation kernels it has.
    pub kernels: usize,
    /// Its first launch.
    pub(super) first_launch: Ns,
    /// Where threads begin in the columns that launched nothing else in the step.
    pub(super) threads: FxHashSet<u32>,
}

impl BackwardPass {
    /// How long it takes.
    #[must_use]
    pub fn len(&self) -> DurNs {
        self.window.len()
    }

    /// Whether it has no length.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// Whether a kernel that is launched by `call` at an instant, and starts at another one, belongs
    /// to the pass: it starts while the pass runs, or a thread that does nothing else launched it.
    pub(super) fn holds(&self, rank: &Rank, call: Option<(SliceId, Ns)>, start: Ns) -> bool {
        let by_thread = call.is_some_and(|(call, _)| {
            rank.thread_of(call)
                .is_some_and(|thread| self.threads.contains(&thread.slices.start))
        });
        by_thread || self.window.contains(start)
    }
}

/// Looks for the backward pass of a step.
pub(super) fn find(
    trace: &Trace,
    rank: &Rank,
    step: &ServingStep,
    kernels: &[Ran],
) -> FoundOrWhy<BackwardPass> {
    if kernels.is_empty() {
        return Err(format!("no computation was found in {step}"));
    }
    if kernels.iter().all(|kernel| kernel.launch.is_none()) {
        return Err(
            "the kernels have no launch records, so none is known to be of the backward pass"
                .to_owned(),
        );
    }
    let mut ops = Ops::of(trace, rank);
    if let Some(value) = pass(rank, kernels, |call, _| ops.is_autograd(call)) {
        return Ok(Found {
            how: format!(
                "first to last of {} computation kernels launched under {AUTOGRAD} in {step}",
                value.kernels
            ),
            value,
        });
    }
    let named: Vec<Window> = rank
        .annotations()
        .filter(|note| {
            trace
                .names
                .get(note.name())
                .to_ascii_lowercase()
                .contains(WORD)
        })
        .map(|note| note.window())
        .collect();
    let value = pass(rank, kernels, |_, at| named.iter().any(|w| w.contains(at)));
    let value = value.ok_or_else(|| {
        format!("neither an op named {AUTOGRAD} nor an annotation with \"{WORD}\" in its name launched a kernel of {step}")
    })?;
    Ok(Found {
        how: format!(
            "first to last of {} computation kernels launched inside annotations with \"{WORD}\" in their names in {step}",
            value.kernels
        ),
        value,
    })
}

fn pass(
    rank: &Rank,
    kernels: &[Ran],
    mut belongs: impl FnMut(SliceId, Ns) -> bool,
) -> Option<BackwardPass> {
    let mut found: Option<BackwardPass> = None;
    let mut others = FxHashSet::default();
    for kernel in kernels {
        let Some((call, at)) = kernel.launch else {
            continue;
        };
        let thread = rank.thread_of(call).map(|thread| thread.slices.start);
        if !belongs(call, at) {
            others.extend(thread);
            continue;
        }
        let own = Window::new(kernel.start, kernel.end);
        let pass = found.get_or_insert_with(|| BackwardPass {
            window: own,
            kernels: 0,
            first_launch: at,
            threads: FxHashSet::default(),
        });
        pass.window = pass.window.hull(own);
        pass.kernels += 1;
        pass.first_launch = pass.first_launch.min(at);
        pass.threads.extend(thread);
    }
    let mut found = found.filter(|pass| !pass.window.is_empty())?;
    found.threads.retain(|thread| !others.contains(thread));
    Some(found)
}

/// Which ops of a rank are autograd's.
struct Ops<'t> {
    rank: &'t Rank,
    names: FxHashSet<NameId>,
    known: FxHashMap<SliceId, bool>,
}

impl<'t> Ops<'t> {
    fn of(trace: &Trace, rank: &'t Rank) -> Self {
        let names = trace.names.iter();
        Self {
            rank,
            names: names
                .filter(|(_, name)| name.starts_with(AUTOGRAD))
                .map(|(id, _)| id)
                .collect(),
            known: FxHashMap::default(),
        }
    }

    /// Whether a call was made under one of them, at any depth.
    fn is_autograd(&mut self, call: SliceId) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let mut path = vec![call];
        let mut at = call;
        let found = loop {
            let Some(op) = self.rank.op_around(at) else {
                break false;
            };
            if let Some(known) = self.known.get(&op) {
                break *known;
            }
            path.push(op);
            let name = self.rank.slices.get(op).map(|slice| slice.name());
            if name.is_some_and(|name| self.names.contains(&name)) {
                break true;
            }
            at = op;
        };
        self.known.extend(path.into_iter().map(|op| (op, found)));
        found
    }
}
