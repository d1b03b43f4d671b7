//! Is the overlap real, and does it pay? A verdict for a device in a window, with its evidence.
//!
//! Two bars side by side prove no gain: what runs side by side may slow each other down, and what is
//! not hidden has a reason. Four checks look for both: which streams there are and what was queued
//! (`streams`), what waited for what (`waits`), how much kernels are slowed (`dilation`), and
//! how much of the device communication occupies (`channels`). The bottom line (`verdict`) adds up
//! what is gained and lost. Rules, thresholds and their sources: `docs/overlap.md`.
//!
//! All of it is linear in the kernels of the window, so a window asks a worker.

mod channels;
mod dilation;
mod figures;
mod robust;
mod samples;
mod streams;
mod verdict;
mod waits;

pub use channels::ChannelCheck;
pub use dilation::{BaseFrom, NotComparable};
pub use figures::{Evidence, FigureSource, OverlapFigure, overlap_figures};
pub use robust::{Estimate, Factor, Robust};
pub use streams::StreamCheck;
pub(super) use verdict::HIGH_CONTENTION;
pub use verdict::{BottomLine, FactorUnknown, NoOverlap, SideFactor, Unclear, Verdict};
pub use waits::{HostBlock, Possible, WaitCheck, WaitEdge};

use super::walk::Walk;
use super::window::scope;
use super::{CollectiveRow, IdleGaps, Query, Summary, collective_rows, summary};
use crate::interval::{Interval, IntervalSet};
use crate::time::{DurNs, Window};
use crate::trace::class::KernelClass;
use crate::trace::{
    Device, DeviceId, HostWait, LaunchDetails, LaunchShape, Rank, RankId, SliceId, Thread, Trace,
    host_wait,
};
use dilation::{Dilation, Sampled, compare};
use rustc_hash::FxHashMap;
use samples::{Source, tick};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A trace, what its files tell of its launches, and what of it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'t> {
    /// The trace.
    pub trace: &'t Trace,
    /// What its files tell.
    pub launches: &'t LaunchDetails,
    /// Window, ranks and devices.
    pub query: Query,
}

/// Kernels of one identity, alone and beside, on one device in one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DilationRow {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The window.
    pub window: Window,
    /// Computation, or communication (transfers).
    pub class: KernelClass,
    /// The kernel's name.
    pub name: Arc<str>,
    /// The op that launched it; of a collective its kind.
    pub op: Option<Arc<str>>,
    /// Shapes of the op's inputs; of a collective the type of an element.
    pub dims: Option<Arc<str>>,
    /// The launch shape.
    pub shape: Option<LaunchShape>,
    /// Bytes of the full buffer, of a collective.
    pub bytes: Option<u64>,
    /// Lengths of those that ran alone.
    pub alone: Option<Robust>,
    /// Where those are from.
    pub base_from: BaseFrom,
    /// Lengths of those that ran beside.
    pub beside: Option<Robust>,
    /// Their time beside, inside the window.
    pub beside_time: DurNs,
    /// How much longer they take beside, or why that cannot be told.
    pub factor: Result<Estimate<Factor>, NotComparable>,
    /// What the ones beside took longer, summed up.
    pub lost: DurNs,
    /// The one beside that took longest.
    pub worst: Option<SliceId>,
}

/// What was found out about one device in one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlapAnalysis {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The window.
    pub window: Window,
    /// The figures that are accounted for.
    pub summary: Summary,
    /// Check a.
    pub streams: StreamCheck,
    /// Check b.
    pub waits: WaitCheck,
    /// Check c: computation beside communication.
    pub computation: SideFactor,
    /// Check c: transfers beside computation.
    pub communication: SideFactor,
    /// The kernels behind both factors, those that lost most first.
    pub dilations: Vec<DilationRow>,
    /// Check d.
    pub channels: ChannelCheck,
    /// Does it pay?
    pub bottom: BottomLine,
    /// All gaps of the device, whatever the window: another window of it need not judge them again.
    pub gaps: Arc<IdleGaps>,
    /// Communication of the window, by start.
    pub collectives: Vec<CollectiveRow>,
}

impl OverlapAnalysis {
    /// What the window would take if the shorter side were wholly hidden and nothing else cost any
    /// time: `max(|C|, |M|)`.
    #[must_use]
    pub fn ideal(&self) -> DurNs {
        self.summary.comp.max(self.summary.comm)
    }

    /// What the window takes beyond that.
    #[must_use]
    pub fn excess(&self) -> DurNs {
        self.summary.kernel_time - self.ideal()
    }
}

/// One analysis for each device that the query asks for and has data; `baseline` is a run without
/// overlap, whose kernels count as alone where too few of this one do.
#[must_use]
pub fn overlap_analyses(
    observed: &Observed<'_>,
    baseline: Option<&Observed<'_>>,
) -> Vec<OverlapAnalysis> {
    let devices = observed.query.devices(observed.trace);
    let of = |(rank, device)| overlap_analysis(observed, baseline, (rank, device), None);
    devices.filter_map(of).collect()
}

fn source<'t>(observed: &Observed<'t>, rank: &'t Rank, device: &'t Device) -> Option<Source<'t>> {
    let query = observed.query;
    let clip = query.clip_suspicious;
    Some(Source {
        trace: observed.trace,
        rank,
        device,
        launches: observed.launches.rank(rank.id),
        window: scope(rank, device, query.selection, clip).covered()?,
        clip,
    })
}

/// The analysis of one device, with its gaps where they were judged before; `None` where the rank
/// recorded nothing of the window.
#[must_use]
pub fn overlap_analysis(
    observed: &Observed<'_>,
    baseline: Option<&Observed<'_>>,
    (rank, device): (&Rank, &Device),
    gaps: Option<Arc<IdleGaps>>,
) -> Option<OverlapAnalysis> {
    let source = source(observed, rank, device)?;
    let of_one = Query {
        rank: Some(rank.id),
        device: Some(device.id),
        ..observed.query
    };
    let collectives = collective_rows(observed.trace, &of_one);
    let figures = summary(device.activity(source.clip), source.window);
    let judge = || Arc::new(IdleGaps::of(observed.trace, rank, device, source.clip));
    let gaps = gaps.unwrap_or_else(judge);
    let streams = streams::check(&source);
    let waits = waits::check(&source, &gaps);
    let base = baseline.and_then(|b| {
        let rank = b.trace.rank(rank.id)?;
        let source = self::source(b, rank, rank.device(device.id)?)?;
        let query = Query {
            rank: Some(rank.id),
            device: Some(device.id),
            ..b.query
        };
        Some((source, collective_rows(b.trace, &query)))
    });
    let (base_kernels, base_transfers) = match &base {
        Some((source, rows)) => (source.computation(), source.transfers(rows)),
        None => (Sampled::new(), Sampled::new()),
    };
    let tick = tick(rank);
    let kernels = compare(source.computation(), &base_kernels, tick);
    let transfers = compare(source.transfers(&collectives), &base_transfers, tick);
    let shared = figures.overlap;
    let of_kernels = SideFactor::of(&kernels, shared, FactorUnknown::NothingBeside);
    let untold = if collectives.is_empty() {
        FactorUnknown::NothingBeside
    } else {
        FactorUnknown::Waiting
    };
    let of_transfers = SideFactor::of(&transfers, shared, untold);
    let blocked = synchronised(&source);
    let bottom = verdict::judge(
        figures.comp,
        shared,
        &of_kernels,
        &of_transfers,
        &streams,
        &waits,
        blocked,
    );
    let row = |class| move |d| dilation_row(&source, class, d);
    let rows = kernels.iter().map(row(KernelClass::Computation));
    let mut rows: Vec<DilationRow> = rows
        .chain(transfers.iter().map(row(KernelClass::Communication)))
        .collect();
    rows.sort_by(|a, b| {
        let key = |r: &DilationRow| std::cmp::Reverse((r.factor.is_ok(), r.lost, r.beside_time));
        key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
    });
    Some(OverlapAnalysis {
        rank: rank.id,
        device: device.id,
        window: source.window,
        summary: figures,
        streams,
        waits,
        computation: of_kernels,
        communication: of_transfers,
        dilations: rows,
        channels: channels::check(&source),
        bottom,
        gaps,
        collectives,
    })
}

fn dilation_row(source: &Source<'_>, class: KernelClass, found: &Dilation<'_>) -> DilationRow {
    let narrow = |n: i128| DurNs(i64::try_from(n).unwrap_or(i64::MAX));
    let identity = found.identity;
    DilationRow {
        rank: source.rank.id,
        device: source.device.id,
        window: source.window,
        class,
        name: Arc::from(identity.name),
        op: identity.op.map(Arc::from),
        dims: identity.dims.map(Arc::from),
        shape: identity.shape.cloned(),
        bytes: identity.bytes,
        alone: found.alone,
        base_from: found.base_from,
        beside: found.beside,
        beside_time: narrow(found.beside_time),
        factor: found.factor,
        lost: narrow(found.lost.estimate),
        worst: found.worst,
    }
}

/// Time of communication that no computation hides, during which a launching thread was blocked in a
/// synchronisation.
fn synchronised(source: &Source<'_>) -> DurNs {
    let Source {
        trace,
        rank,
        window,
        ..
    } = *source;
    let mut known = FxHashMap::default();
    let mut blocked = Vec::new();
    for thread in launching_threads(source) {
        let slices = rank.slices.range(thread.slices.clone());
        for call in slices.take_while(|s| s.start() < window.end()) {
            if call.end() <= window.start() {
                continue;
            }
            let key = (call.category(), call.name());
            let wait = *known
                .entry(key)
                .or_insert_with(|| host_wait(key.0, trace.names.get(key.1)));
            if wait == Some(HostWait::Sync) {
                blocked.push(Interval {
                    start: call.start(),
                    end: call.end(),
                });
            }
        }
    }
    let exposed = streams::set(source, |mask| {
        mask & crate::trace::Busy::M != 0 && mask & crate::trace::Busy::C == 0
    });
    IntervalSet::merge(blocked).intersect(&exposed).total()
}

/// The host threads that launched kernels of the window.
fn launching_threads<'t>(source: &Source<'t>) -> impl Iterator<Item = &'t Thread> {
    let rank = source.rank;
    let walk = Walk::new(rank, source.device, source.window, source.clip);
    let firsts = walk.fold(
        BTreeSet::new,
        |mut found, kernel| {
            let launch = rank.links.launch_of(kernel.id);
            let thread = launch.and_then(|id| rank.thread_of(id));
            found.extend(thread.map(|t| t.slices.start));
            found
        },
        |mut a, mut b| {
            a.append(&mut b);
            a
        },
    );
    let threads = rank.threads.iter();
    threads.filter(move |t| firsts.contains(&t.slices.start))
}
