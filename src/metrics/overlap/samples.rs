//! The kernels of a device in a window, by what makes them the same, alone or beside.

use super::dilation::{Beside, Identity, Sampled, Samples};
use crate::metrics::walk::{Found, Walk};
use crate::metrics::{BandwidthOf, CollectiveRow};
use crate::time::{DurNs, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Busy, Device, LaunchShape, NameId, Rank, RankLaunches, SliceId, Stream, Trace};
use std::collections::BTreeMap;

/// A device of a trace, as the samples are taken from it.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) trace: &'t Trace,
    pub(super) rank: &'t Rank,
    pub(super) device: &'t Device,
    pub(super) launches: Option<&'t RankLaunches>,
    pub(super) window: Window,
    pub(super) clip: bool,
}

/// The same before its names are looked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'t> {
    name: NameId,
    shape: Option<&'t LaunchShape>,
    call: Option<NameId>,
    op: Option<NameId>,
    dims: Option<&'t str>,
}

impl<'t> Source<'t> {
    /// The launch shape of a kernel: its own, else that of its launch call; and the name of the
    /// call where shapes of different calls mean different things.
    pub(super) fn shape(&self, kernel: SliceId) -> (Option<&'t LaunchShape>, Option<NameId>) {
        let launch = self.rank.links.launch_of(kernel);
        let call = launch
            .and_then(|id| self.rank.slices.get(id))
            .map(|s| s.name());
        let call = call.filter(|name| self.trace.names.get(*name).starts_with("hip"));
        let told = |id: SliceId| self.launches?.shape(id);
        let shape = told(kernel).or_else(|| launch.and_then(told));
        (shape, call)
    }

    fn key(&self, kernel: &Found<'t>) -> Key<'t> {
        let (shape, call) = self.shape(kernel.id);
        let op = self.rank.launching_op(kernel.id);
        let dims = op.and_then(|op| self.launches?.input_dims(op));
        let op = op.and_then(|op| self.rank.slices.get(op));
        Key {
            name: kernel.name,
            shape,
            call,
            op: op.map(|op| op.name()),
            dims: dims.map(AsRef::as_ref),
        }
    }

    fn named(&self, key: &Key<'t>) -> Identity<'t> {
        let word = |name: NameId| self.trace.names.get(name);
        Identity {
            name: word(key.name),
            shape: key.shape,
            call: key.call.map(word),
            op: key.op.map(word),
            dims: key.dims,
            bytes: None,
            group: None,
        }
    }

    /// Computation kernels.
    pub(super) fn computation(&self) -> Sampled<'t> {
        let walk = Walk::new(self.rank, self.device, self.window, self.clip);
        let streams = Streams(self.device);
        let found = walk.fold(
            BTreeMap::<Key<'t>, Samples>::new,
            |mut sum, kernel| {
                if kernel.class == KernelClass::Computation && kernel.length > DurNs::ZERO {
                    self.add(&mut sum, &streams, kernel);
                }
                sum
            },
            |mut sum, other| {
                for (key, mut samples) in other {
                    let all = sum.entry(key).or_default();
                    all.alone.append(&mut samples.alone);
                    all.beside.append(&mut samples.beside);
                    all.beside_time += samples.beside_time;
                }
                sum
            },
        );
        let mut sampled = Sampled::new();
        for (key, samples) in found {
            sampled.insert(self.named(&key), samples);
        }
        for samples in sampled.values_mut() {
            // Parts come in any order.
            samples.alone.sort_unstable();
            samples.beside.sort_unstable_by_key(|b| b.slice);
        }
        sampled
    }

    fn add(&self, sum: &mut BTreeMap<Key<'t>, Samples>, streams: &Streams<'t>, kernel: &Found<'t>) {
        let whole = Window::new(kernel.start, kernel.start.saturating_add(kernel.length));
        let activity = self.device.activity(self.clip);
        let measure = activity.measure_all(whole);
        let inside = whole.clip(self.window).unwrap_or_default();
        let with_comm = |w: Window| activity.measure(w).sum(|mask| mask & Busy::M != 0);
        let beside = with_comm(inside);
        let samples = sum.entry(self.key(kernel)).or_default();
        samples.beside_time += i128::from(beside.0);
        if kernel.is_cut {
            return;
        }
        if beside > DurNs::ZERO {
            samples.beside.push(Beside {
                slice: kernel.id,
                time: kernel.length,
                shared: beside,
            });
            return;
        }
        let own = streams.of(kernel.id);
        let own = own.map(|s| s.activity(self.clip).measure_all(whole).sum);
        if own == Some(measure.sum) {
            samples.alone.push((kernel.id, kernel.length));
        }
    }

    /// Collectives whose transfer is known apart from waiting: the time from the last arrival to the
    /// last end, alone where no computation shares any of it.
    pub(super) fn transfers(&self, rows: &'t [CollectiveRow]) -> Sampled<'t> {
        let mut sampled = Sampled::new();
        for row in rows {
            let timing = row.across.known().and_then(|t| t.moved.ok());
            let is_whole = row.bandwidth_of() == BandwidthOf::Transfer;
            let Some(moved) = timing.filter(|_| is_whole) else {
                continue;
            };
            let start = row.start.saturating_add(moved.wait);
            let transfer = Window::new(start, start.saturating_add(moved.transfer));
            let Some(inside) = transfer.clip(self.window).filter(|w| !w.is_empty()) else {
                continue;
            };
            let activity = self.device.activity(self.clip);
            let parts = activity.measure(inside);
            let shared = parts.sum(|mask| mask & Busy::C != 0);
            let (shape, call) = self.shape(row.slice.slice);
            let identity = Identity {
                name: &row.kernel,
                shape,
                call: call.map(|name| self.trace.names.get(name)),
                op: Some(row.kind_label()),
                dims: row.dtype.as_deref(),
                bytes: row.bytes,
                group: row.description.as_deref().or(row.group.as_deref()),
            };
            let own = sampled.entry(identity).or_default();
            own.beside_time += i128::from(shared.0);
            if inside != transfer {
                continue;
            }
            if shared > DurNs::ZERO {
                own.beside.push(Beside {
                    slice: row.slice.slice,
                    time: transfer.len(),
                    shared,
                });
            } else {
                own.alone.push((row.slice.slice, transfer.len()));
            }
        }
        sampled
    }
}

/// Finds the stream of a kernel: ranges of streams do not overlap.
struct Streams<'t>(&'t Device);

impl<'t> Streams<'t> {
    fn of(&self, kernel: SliceId) -> Option<&'t Stream> {
        self.0.streams.iter().find(|s| s.slices.contains(&kernel.0))
    }
}

/// Coarser clocks than this are not known; where all times of a trace are multiples of more, that is
/// its making.
const COARSEST_TICK: u64 = 1_000;

/// The step of the clock that kernels of a rank are measured by, in ns: the largest number that
/// divides all their lengths and the distances of their starts, a microsecond at most.
pub(super) fn tick(rank: &Rank) -> i64 {
    let mut common = 0_u64;
    let mut first = None;
    for stream in rank.devices.iter().flat_map(|d| &d.streams) {
        for kernel in rank.slices.range(stream.slices.clone()) {
            let from = *first.get_or_insert(kernel.start());
            for part in [
                (kernel.start() - from).0.unsigned_abs(),
                kernel.dur().0.unsigned_abs(),
            ] {
                common = gcd(common, part);
            }
            if common == 1 {
                return 1;
            }
        }
    }
    i64::try_from(common.min(COARSEST_TICK)).unwrap_or(1).max(1)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
