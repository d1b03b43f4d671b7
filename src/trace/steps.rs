//! Steps: the host's `ProfilerStep#N` annotations and the device windows that follow from them.
//!
//! Device step N is `[boundary N, boundary N+1)`, the last one ending at the last kernel's end.
//! Boundary N is the first start on the device of a computation kernel that was launched in host
//! step N (of any kernel where there is none), so device steps tile the device's time and their
//! parts sum to the whole. What was launched before the first step is the step `before`.

use super::class::KernelClass;
use super::{Device, Links, SliceId, Slices};
use crate::time::{Ns, Window};
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
    found.sort_by_key(|(number, s)| (s.window.start(), *number, s.slice));
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

/// Where launches stand among the host steps.
pub(super) struct LaunchIndex<'a> {
    steps: &'a [HostStep],
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
            slices,
            links,
        }
    }

    /// The step in which a host instant lies: the latest one that began and has not ended.
    fn step_at(&self, at: Ns) -> Launched {
        let begun = self.steps.partition_point(|s| s.window.start() <= at);
        if begun == 0 {
            return Launched::Before;
        }
        // Steps rarely nest; look back over a few that may still be open.
        (begun.saturating_sub(8)..begun)
            .rev()
            .find(|&i| self.steps.get(i).is_some_and(|s| s.window.contains(at)))
            .map_or(Launched::Between, Launched::In)
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
            return self.on_host_windows(device);
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
        before: u64,
    ) -> Vec<DeviceStep> {
        // Overlapping host steps may give boundaries out of order; windows must still tile.
        boundaries.sort_by_key(|&(i, at)| (at, i));
        let mut rows = Vec::with_capacity(boundaries.len() + 1);
        let first = boundaries.first().map_or(device.extent.end(), |b| b.1);
        if first > device.extent.start() || before > 0 {
            rows.push(DeviceStep {
                label: StepLabel::Before,
                window: Window::new(device.extent.start(), first),
                basis: Basis::Device,
                partial: true,
                kernels_launched: Some(before),
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

    fn on_host_windows(&self, device: &Device) -> Vec<DeviceStep> {
        let first = self
            .steps
            .first()
            .map_or(device.extent.start(), |s| s.window.start());
        let before = (device.extent.start() < first).then(|| DeviceStep {
            label: StepLabel::Before,
            window: Window::new(device.extent.start(), first.min(device.extent.end())),
            basis: Basis::Host,
            partial: true,
            kernels_launched: None,
        });
        let steps = self.steps.iter().map(|step| DeviceStep {
            label: step.label,
            window: step.window,
            basis: Basis::Host,
            partial: step.partial,
            kernels_launched: None,
        });
        before.into_iter().chain(steps).collect()
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

fn earliest(slot: &mut Option<Ns>, at: Ns) {
    *slot = Some(slot.map_or(at, |t| t.min(at)));
}
