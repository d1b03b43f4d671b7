//! [`ServingStep`]: the one step of a window that stands for the others, and what ran in it.

use super::super::Selection;
use crate::time::{Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Device, DeviceStep, Rank, SliceId, StepLabel, StreamId};
use std::fmt;

/// The step that stands for the others of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServingStep {
    /// Its label; `None` where the window has no whole step and is taken as one itself.
    pub label: Option<StepLabel>,
    /// Where it lies on the device.
    pub window: Window,
    /// Where it lies on the host, which is where its kernels were launched.
    pub host: Option<Window>,
    /// How many whole steps the window has.
    pub steps: usize,
}

impl fmt::Display for ServingStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.label, self.steps) {
            (None, _) => f.write_str("the window, taken as one step"),
            (Some(label), 0 | 1) => write!(f, "step {label}"),
            (Some(label), n) => write!(f, "step {label} (the median of {n} by length)"),
        }
    }
}

impl ServingStep {
    /// The step that was asked for; else of the whole steps in the window the one of median length;
    /// else the window itself.
    pub(super) fn of(rank: &Rank, device: &Device, asked: Selection, window: Window) -> Self {
        let mut whole: Vec<&DeviceStep> = device
            .steps
            .iter()
            .filter(|step| step.label != StepLabel::Before && !step.window.is_empty())
            .filter(|step| match asked {
                Selection::Step { label, .. } => step.label == label,
                _ => window.start() <= step.window.start() && step.window.end() <= window.end(),
            })
            .collect();
        if whole.iter().any(|step| !step.partial) {
            whole.retain(|step| !step.partial);
        }
        let steps = whole.len();
        whole.sort_by_key(|step| (step.window.len(), step.window.start()));
        let Some(step) = whole.get(steps.saturating_sub(1) / 2) else {
            return Self {
                label: None,
                window,
                host: None,
                steps,
            };
        };
        let host = rank.host_steps.iter().find(|host| host.label == step.label);
        Self {
            label: Some(step.label),
            window: step.window,
            host: host.map(|host| host.window),
            steps,
        }
    }

    /// Whether a kernel is of the step: launched in it or, without a launch record, started in it.
    pub(super) fn owns(&self, rank: &Rank, kernel: SliceId, start: Ns) -> bool {
        match (self.host, launch(rank, kernel)) {
            (Some(host), Some((_, at))) => host.contains(at),
            _ => self.window.contains(start),
        }
    }

    /// Everything of the step starts in here.
    pub(super) fn reach(&self) -> Window {
        self.host.map_or(self.window, |host| self.window.hull(host))
    }
}

/// The call that launched a kernel, and when.
pub(super) fn launch(rank: &Rank, kernel: SliceId) -> Option<(SliceId, Ns)> {
    let call = rank.links.launch_of(kernel)?;
    Some((call, rank.slices.get(call)?.start()))
}

/// A computation kernel of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ran {
    pub(super) stream: StreamId,
    pub(super) start: Ns,
    pub(super) end: Ns,
    /// Its launch call, and when that was.
    pub(super) launch: Option<(SliceId, Ns)>,
}

impl Ran {
    /// When it was asked for: by its launch, else by its start.
    pub(super) fn asked(&self) -> Ns {
        self.launch.map_or(self.start, |(_, at)| at)
    }
}

/// The computation kernels of the step by start.
pub(super) fn computations(
    rank: &Rank,
    device: &Device,
    step: &ServingStep,
    clip_suspicious: bool,
) -> Vec<Ran> {
    let reach = step.reach();
    let mut ran = Vec::new();
    for stream in &device.streams {
        let (first, last) = (stream.slices.start, stream.slices.end);
        let starts = |id: u32| rank.slices.get(SliceId(id)).map(|slice| slice.start());
        // Slices of a stream are sorted by start.
        let (mut low, mut high) = (first, last);
        while low < high {
            let middle = low + (high - low) / 2;
            if starts(middle) < Some(reach.start()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let inside = rank.slices.range(low..last);
        for slice in inside.take_while(|slice| slice.start() <= reach.end()) {
            let is_computation = slice.class() == Some(KernelClass::Computation);
            if is_computation && step.owns(rank, slice.id(), slice.start()) {
                ran.push(Ran {
                    stream: stream.id,
                    start: slice.start(),
                    end: rank.end_of(slice, clip_suspicious),
                    launch: launch(rank, slice.id()),
                });
            }
        }
    }
    ran.sort_by_key(|kernel| (kernel.start, kernel.end));
    ran
}
