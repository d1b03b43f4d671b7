//! Steps: the host's `ProfilerStep#N` annotations and the device windows that follow from them.
//!
//! Device step N is `[boundary N, boundary N+1)`, the last one ending at the last kernel's end.
//! Boundary N is the first start on the device of a computation kernel that was launched in host
//! step N (of any kernel where there is none), so device steps tile the device's time and their
//! parts sum to the whole. What was launched before the first step is the step `before`. Steps end
//! where kernels were recorded to end, whether figures clip suspicious ones or not.

use super::class::KernelClass;
use super::{Device, Links, Rank, SliceId, Slices};
use crate::time::{Ns, Window};
use std::collections::BinaryHeap;
use std::fmt;

/// Whose windows a table of steps uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The annotation on the host.
    Host,
    /// From the first kernel of the step to the first of the next.
    Device,
}

impl Basis {
    /// The word on the command line and in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
        }
    }
}

/// How a step is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepLabel {
    /// Everything before the first step.
    Before,
    /// `ProfilerStep#number`, the `occurrence`-th of that number (from 1).
    Number {
        /// The number in the name.
        number: i64,
        /// 1 for the first step of that number in the rank.
        occurrence: u32,
    },
}

impl fmt::Display for StepLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before => f.write_str("before"),
            Self::Number {
                number,
                occurrence: 1,
            } => write!(f, "{number}"),
            Self::Number { number, occurrence } => write!(f, "{number}#{occurrence}"),
        }
    }
}

/// A step on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostStep {
    /// Its label.
    pub label: StepLabel,
    /// Its annotation.
    pub slice: SliceId,
    /// `[start, end)` of the annotation.
    pub window: Window,
    /// Whether the capture cut it.
    pub partial: bool,
}

/// A step on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceStep {
    /// Its label.
    pub label: StepLabel,
    /// Where it lies on the device.
    pub window: Window,
    /// [`Basis::Host`] where no launch information was there and the host's window is used.
    pub basis: Basis,
    /// Whether the capture cut it.
    pub partial: bool,
    /// GPU work that was launched in it; `None` without launch information.
    pub kernels_launched: Option<u64>,
}

/// Finds the host steps among annotations given as `(slice, name, window, closed)`.
pub(super) fn host_steps<'a>(
    annotations: impl Iterator<Item = (SliceId, &'a str, Window, bool)>,
) -> Vec<HostStep> {
    let mut found: Vec<(i64, HostStep)> = annotations
        .filter_map(|(slice, name, window, closed)| {
            let number = name.strip_prefix("ProfilerStep#")?.trim().parse().ok()?;
            let label = StepLabel::Number {
                number,
                occurrence: 1,
            };
            Some((
                number,
                HostStep {
                    label,
                    slice,
                    window,
                    partial: !closed,
                },
            ))
        })
        .collect();
    found.sort_by_key(|(number, s)| (s.window.start(), *number, s.window.end(), s.slice));
    // Some profilers record a step as an operator and again as an annotation.
    found.dedup_by(|later, kept| {
        let same = (later.0, later.1.window) == (kept.0, kept.1.window);
        kept.1.partial &= !same || later.1.partial;
        same
    });
    let mut seen = std::collections::HashMap::new();
    found
        .into_iter()
        .map(|(number, mut step)| {
            let occurrence = seen.entry(number).or_insert(0_u32);
            *occurrence += 1;
            step.label = StepLabel::Number {
                number,
                occurrence: *occurrence,
            };
            step
        })
        .collect()
}

/// The part of a device's time before its first step; `None` where it did nothing until then.
fn before(device: &Device, first_start: Ns) -> Option<Window> {
    let extent = device.extent;
    (extent.start() < first_start)
        .then(|| Window::new(extent.start(), first_start.min(extent.end())))
}

/// The host's steps as steps of a device, led by `before`; without counts by launch.
fn on_host(steps: &[HostStep], device: &Device) -> Vec<DeviceStep> {
    let step = |label, window, partial| DeviceStep {
        label,
        window,
        basis: Basis::Host,
        partial,
        kernels_launched: None,
    };
    let first = steps
        .first()
        .and_then(|s| before(device, s.window.start()))
        .map(|window| step(StepLabel::Before, window, true));
    let all = steps.iter().map(|s| step(s.label, s.window, s.partial));
    first.into_iter().chain(all).collect()
}

impl Rank {
    /// The steps of one of its devices on the host's windows, by start: the annotations, led by
    /// `before` where the device was busy earlier. Counts by launch are left out.
    #[must_use]
    pub fn steps_on_host(&self, device: &Device) -> Vec<DeviceStep> {
        on_host(&self.host_steps, device)
    }
}

/// Where launches stand among the host steps.
pub(super) struct LaunchIndex<'a> {
    steps: &'a [HostStep],
    /// Which step holds the time from each edge to the next.
    holds: Vec<(Ns, Option<usize>)>,
    slices: &'a Slices,
    links: &'a Links,
}

/// Which step launched a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launched {
    Unknown,
    Before,
    In(usize),
    Between,
}

impl<'a> LaunchIndex<'a> {
    pub(super) fn new(steps: &'a [HostStep], slices: &'a Slices, links: &'a Links) -> Self {
        Self {
            steps,
            holds: holders(steps),
            slices,
            links,
        }
    }

    /// The step in which a host instant lies: the latest one that began and has not ended.
    fn step_at(&self, at: Ns) -> Launched {
        let edges = self.holds.partition_point(|(edge, _)| *edge <= at);
        match edges.checked_sub(1).and_then(|i| self.holds.get(i)) {
            None => Launched::Before,
            Some((_, holder)) => holder.map_or(Launched::Between, Launched::In),
        }
    }

    /// The label of the step in which a host instant lies.
    pub(super) fn label_at(&self, at: Ns) -> Option<StepLabel> {
        match self.step_at(at) {
            Launched::Before => Some(StepLabel::Before),
            Launched::In(i) => self.steps.get(i).map(|s| s.label),
            Launched::Between | Launched::Unknown => None,
        }
    }

    fn launched(&self, kernel: SliceId) -> Launched {
        self.links
            .launch_of(kernel)
            .and_then(|id| self.slices.get(id))
            .map_or(Launched::Unknown, |launch| self.step_at(launch.start()))
    }

    /// The steps of one device.
    pub(super) fn device_steps(&self, device: &Device) -> Vec<DeviceStep> {
        if self.steps.is_empty() {
            return Vec::new();
        }
        let mut first_any: Vec<Option<Ns>> = vec![None; self.steps.len()];
        let mut first_compute = first_any.clone();
        let mut launched = vec![0_u64; self.steps.len()];
        let (mut before, mut linked) = (0_u64, false);
        for stream in &device.streams {
            for kernel in self.slices.range(stream.slices.clone()) {
                match self.launched(kernel.id()) {
                    Launched::Unknown => continue,
                    Launched::Before => before += 1,
                    Launched::Between => {}
                    Launched::In(i) => {
                        if let (Some(any), Some(compute), Some(n)) = (
                            first_any.get_mut(i),
                            first_compute.get_mut(i),
                            launched.get_mut(i),
                        ) {
                            *n += 1;
                            earliest(any, kernel.start());
                            if kernel.class() == Some(KernelClass::Computation) {
                                earliest(compute, kernel.start());
                            }
                        }
                    }
                }
                linked = true;
            }
        }
        if !linked {
            return on_host(self.steps, device);
        }
        let boundaries: Vec<(usize, Ns)> = first_compute
            .into_iter()
            .zip(first_any)
            .map(|(compute, any)| compute.or(any))
            .enumerate()
            .filter_map(|(i, at)| Some((i, at?)))
            .collect();
        self.tile(device, boundaries, &launched, before)
    }

    fn tile(
        &self,
        device: &Device,
        mut boundaries: Vec<(usize, Ns)>,
        launched: &[u64],
        launched_before: u64,
    ) -> Vec<DeviceStep> {
        // Overlapping host steps may give boundaries out of order; windows must still tile.
        boundaries.sort_by_key(|&(i, at)| (at, i));
        let mut rows = Vec::with_capacity(boundaries.len() + 1);
        let first = boundaries.first().map_or(device.extent.end(), |b| b.1);
        // What was launched before the first step may yet run in it.
        let none = (launched_before > 0)
            .then(|| Window::new(device.extent.start(), device.extent.start()));
        if let Some(window) = before(device, first).or(none) {
            rows.push(DeviceStep {
                label: StepLabel::Before,
                window,
                basis: Basis::Device,
                partial: true,
                kernels_launched: Some(launched_before),
            });
        }
        for (k, &(i, start)) in boundaries.iter().enumerate() {
            let end = boundaries.get(k + 1).map_or(device.extent.end(), |b| b.1);
            if let Some(step) = self.steps.get(i) {
                rows.push(DeviceStep {
                    label: step.label,
                    window: Window::new(start, end),
                    basis: Basis::Device,
                    partial: step.partial,
                    kernels_launched: launched.get(i).copied(),
                });
            }
        }
        rows
    }

    /// Marks steps whose launches have no GPU record: the capture ended before they ran.
    ///
    /// Only the last step can be cut that way, and only where the file links launches at all.
    pub(super) fn cut_by_capture(&self, is_launch_call: impl Fn(SliceId) -> bool) -> Option<usize> {
        let last = self.steps.len().checked_sub(1)?;
        let window = self.steps.get(last)?.window;
        let in_step = |id: SliceId| {
            let launch = self.slices.get(id);
            launch.is_some_and(|s| window.contains(s.start()))
        };
        let mut unmatched = self.links.unmatched().iter();
        let cut = self.links.is_linked() && unmatched.any(|&id| in_step(id) && is_launch_call(id));
        cut.then_some(last)
    }
}

/// For the edges of all steps in order: the latest step to begin that is open from there on.
fn holders(steps: &[HostStep]) -> Vec<(Ns, Option<usize>)> {
    let mut edges: Vec<Ns> = steps
        .iter()
        .flat_map(|s| [s.window.start(), s.window.end()])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let ended = |i: usize, at: Ns| steps.get(i).is_none_or(|s| s.window.end() <= at);
    let mut begun = BinaryHeap::new();
    let mut coming = steps.iter().enumerate().peekable();
    edges
        .into_iter()
        .map(|at| {
            while let Some((i, _)) = coming.next_if(|(_, s)| s.window.start() <= at) {
                begun.push(i);
            }
            while begun.peek().is_some_and(|&i| ended(i, at)) {
                begun.pop();
            }
            (at, begun.peek().copied())
        })
        .collect()
}

fn earliest(slot: &mut Option<Ns>, at: Ns) {
    *slot = Some(slot.map_or(at, |t| t.min(at)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(windows: &[(i64, i64)]) -> Vec<HostStep> {
        let named = windows.iter().zip(0_u32..).map(|(&(start, end), i)| {
            let window = Window::new(Ns(start), Ns(end));
            (SliceId(i), "ProfilerStep#3", window, true)
        });
        host_steps(named)
    }

    #[test]
    fn a_launch_belongs_to_the_latest_step_that_is_open() {
        // One long step around many short ones, with a gap of 2 after each.
        let mut windows = vec![(0, 1000)];
        windows.extend((0..90).map(|i| (10 + i * 10, 18 + i * 10)));
        windows.extend([(1100, 1200), (1100, 1100)]);
        let steps = host(&windows);
        let (slices, links) = (Slices::default(), Links::default());
        let index = LaunchIndex::new(&steps, &slices, &links);
        for at in -5..1250 {
            let wanted = match steps.iter().rposition(|s| s.window.contains(Ns(at))) {
                Some(i) => Launched::In(i),
                None if at < 0 => Launched::Before,
                None => Launched::Between,
            };
            assert_eq!(index.step_at(Ns(at)), wanted, "{at}");
        }
    }

    #[test]
    fn a_step_that_is_recorded_twice_counts_once() {
        let labels = |windows: &[(i64, i64)]| -> Vec<String> {
            host(windows).iter().map(|s| s.label.to_string()).collect()
        };
        assert_eq!(labels(&[(0, 10), (20, 30), (0, 10)]), ["3", "3#2"]);
        assert_eq!(labels(&[(0, 10), (0, 9), (0, 10)]), ["3", "3#2"]);
    }

    #[test]
    fn before_ends_with_the_first_step_or_with_the_device() {
        let device = Device {
            extent: Window::new(Ns(10), Ns(50)),
            ..Device::default()
        };
        let ends = |first| before(&device, Ns(first)).map(|w| (w.start().0, w.end().0));
        assert_eq!(ends(30), Some((10, 30)));
        assert_eq!(ends(90), Some((10, 50)));
        assert_eq!(ends(10), None);
    }
}
