//! Two traces against each other: figures of the same device side by side, and kernels by name.
//!
//! Kernels are paired by aligning the sequences of names of one stream with each other, step by
//! step where both traces have steps: not by position, so that one more kernel at the front does
//! not shift all others. What has no partner is told apart. By construction the difference of two
//! totals is what the pairs differ by, plus what only the second has, less what only the first has.

mod pairing;
mod sort;

use super::order::SortOrder;
use super::summary::Summary;
use super::window::scope;
use super::{Query, Ratio};
use crate::time::{DurNs, Window};
use crate::trace::class::KernelClass;
use crate::trace::{Device, DeviceId, Rank, RankId, Trace};
use pairing::{Item, Pairing};
use std::collections::BTreeMap;

pub use sort::{KernelDeltaSort, sort_kernel_deltas};

/// One of the two traces, and what of it is compared.
#[derive(Clone, Copy, Debug)]
pub struct Side<'t> {
    /// The trace.
    pub trace: &'t Trace,
    /// Window, ranks and devices.
    pub query: Query,
}

/// Two devices that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DevicePair {
    /// The one in the first trace.
    pub a: (RankId, DeviceId),
    /// The one in the second.
    pub b: (RankId, DeviceId),
}

/// Which devices stand against each other, and which have no partner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DevicePairs {
    /// Pairs by rank and device.
    pub pairs: Vec<DevicePair>,
    /// Only in the first trace.
    pub only_a: Vec<(RankId, DeviceId)>,
    /// Only in the second.
    pub only_b: Vec<(RankId, DeviceId)>,
}

/// Pairs devices of the same rank and number; where both sides ask for a single device, these two.
#[must_use]
pub fn pair_devices(a: &Side<'_>, b: &Side<'_>) -> DevicePairs {
    let keys = |side: &Side<'_>| -> Vec<(RankId, DeviceId)> {
        let devices = side.query.devices(side.trace);
        devices.map(|(rank, device)| (rank.id, device.id)).collect()
    };
    let (of_a, of_b) = (keys(a), keys(b));
    if let ([a], [b]) = (of_a.as_slice(), of_b.as_slice()) {
        return DevicePairs {
            pairs: vec![DevicePair { a: *a, b: *b }],
            ..DevicePairs::default()
        };
    }
    let without = |all: &[(RankId, DeviceId)], other: &[(RankId, DeviceId)]| {
        all.iter().filter(|k| !other.contains(k)).copied().collect()
    };
    let both = of_a.iter().filter(|key| of_b.contains(key));
    DevicePairs {
        pairs: both.map(|key| DevicePair { a: *key, b: *key }).collect(),
        only_a: without(&of_a, &of_b),
        only_b: without(&of_b, &of_a),
    }
}

/// A figure of two devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureDelta {
    /// The devices.
    pub pair: DevicePair,
    /// The name of its column in the summary.
    pub figure: &'static str,
    /// In the first trace; `None` where there is no figure.
    pub a: Option<FigureValue>,
    /// In the second.
    pub b: Option<FigureValue>,
}

/// The value of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureValue {
    /// A number of things.
    Count(u64),
    /// A length of time.
    Time(DurNs),
    /// A share.
    Share(Ratio),
}

impl FigureValue {
    /// What is added to this to come to another of the same kind: a whole number of the smallest
    /// unit that is printed (one, ns, 0.0001 %).
    #[must_use]
    pub fn to(self, other: Self) -> i128 {
        other.units() - self.units()
    }

    fn units(self) -> i128 {
        match self {
            Self::Count(n) => n.into(),
            Self::Time(time) => time.0.into(),
            Self::Share(ratio) => ratio.percent_e4(),
        }
    }
}

impl FigureDelta {
    /// Second less first, in the smallest printed unit.
    #[must_use]
    pub fn delta(&self) -> Option<i128> {
        Some(self.a?.to(self.b?))
    }

    /// The same as a part of the first; `None` for shares, whose difference is in points already.
    #[must_use]
    pub fn relative(&self) -> Option<Ratio> {
        let (FigureValue::Time(_) | FigureValue::Count(_)) = self.a? else {
            return None;
        };
        let part = i64::try_from(self.delta()?).ok()?;
        let whole = i64::try_from(self.a?.units()).ok()?;
        Ratio::new(DurNs(part), DurNs(whole))
    }

    /// Whether the second is better: `None` where they are alike, and for every figure of which neither
    /// more nor less is better by itself. Less idle time and less exposed communication are.
    #[must_use]
    pub fn is_better(&self) -> Option<bool> {
        let less_is_better = ["idle_time_us", "idle_percent", "exposed_comm_us"];
        let delta = self.delta().filter(|d| *d != 0)?;
        less_is_better.contains(&self.figure).then_some(delta < 0)
    }
}

type Getter = fn(&Summary) -> Option<FigureValue>;

/// The compared figures by the names of their columns.
const FIGURES: [(&str, Getter); 15] = [
    ("kernels", |s| Some(FigureValue::Count(s.kernels))),
    ("kernel_time_us", |s| time(s.kernel_time)),
    ("kernel_run_time_us", |s| time(s.kernel_run_time)),
    ("idle_time_us", |s| time(s.idle_time)),
    ("idle_percent", |s| share(s.share(s.idle_time))),
    ("comp_time_us", |s| time(s.comp)),
    ("comm_time_us", |s| time(s.comm)),
    ("memory_time_us", |s| time(s.memory)),
    ("overlap_time_us", |s| time(s.overlap)),
    ("compute_only_us", |s| time(s.compute_only)),
    ("exposed_comm_us", |s| time(s.exposed_comm)),
    ("exposed_memory_us", |s| time(s.exposed_memory)),
    ("duration_sum_us", |s| time(s.duration_sum)),
    ("overlap_ratio_of_union_percent", |s| {
        share(s.overlap_of_union())
    }),
    ("comm_hidden_by_comp_percent", |s| {
        share(s.comm_hidden_by_comp())
    }),
];

#[expect(
    clippy::unnecessary_wraps,
    reason = "one type with figures that may be missing"
)]
fn time(time: DurNs) -> Option<FigureValue> {
    Some(FigureValue::Time(time))
}

fn share(ratio: Option<Ratio>) -> Option<FigureValue> {
    ratio.map(FigureValue::Share)
}

/// One row for each (pair of devices, figure) in that order.
#[must_use]
pub fn figure_deltas(a: &Side<'_>, b: &Side<'_>, pairs: &[DevicePair]) -> Vec<FigureDelta> {
    let mut rows = Vec::new();
    for pair in pairs {
        let of_a = summary_of(a, pair.a);
        let of_b = summary_of(b, pair.b);
        rows.extend(FIGURES.iter().map(|(figure, get)| FigureDelta {
            pair: *pair,
            figure,
            a: of_a.as_ref().and_then(get),
            b: of_b.as_ref().and_then(get),
        }));
    }
    rows
}

fn summary_of(side: &Side<'_>, key: (RankId, DeviceId)) -> Option<Summary> {
    let (rank, device) = device_of(side, key)?;
    super::device_row(
        rank,
        device,
        side.query.selection,
        side.query.clip_suspicious,
    )
    .figures
}

fn device_of<'t>(
    side: &Side<'t>,
    (rank, device): (RankId, DeviceId),
) -> Option<(&'t Rank, &'t Device)> {
    let rank = side.trace.rank(rank)?;
    Some((rank, rank.device(device)?))
}

/// Kernels of one name on two devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDelta {
    /// The devices.
    pub pair: DevicePair,
    /// The name.
    pub name: String,
    /// Class in the first trace that has it.
    pub class: KernelClass,
    /// How many in the first trace's window.
    pub count_a: u64,
    /// How many in the second's.
    pub count_b: u64,
    /// What of them lies in the first window.
    pub total_a: DurNs,
    /// What of them lies in the second.
    pub total_b: DurNs,
    /// How many have a partner in the other trace.
    pub paired: u64,
    /// What the second of each pair takes longer, summed up.
    pub paired_delta: DurNs,
    /// Those of the first trace without a partner, and their time.
    pub only_a: (u64, DurNs),
    /// Those of the second.
    pub only_b: (u64, DurNs),
    /// Whether some of them were paired by their number within the name, since the sequences were
    /// too long to be aligned.
    pub by_number: bool,
}

impl KernelDelta {
    /// Second total less first.
    #[must_use]
    pub fn delta(&self) -> DurNs {
        self.total_b - self.total_a
    }
}

/// One row for each (pair of devices, kernel name), the largest difference in time first.
///
/// O(n + m) plus the alignment, for which sequences are cut at steps.
#[must_use]
pub fn kernel_deltas(a: &Side<'_>, b: &Side<'_>, pairs: &[DevicePair]) -> Vec<KernelDelta> {
    let mut rows = Vec::new();
    for pair in pairs {
        let devices = device_of(a, pair.a).zip(device_of(b, pair.b));
        if let Some((of_a, of_b)) = devices {
            rows.extend(of_pair(*pair, (a, of_a), (b, of_b)));
        }
    }
    sort_kernel_deltas(&mut rows, KernelDeltaSort::Delta, SortOrder::Descending);
    rows
}

type DeviceOf<'s, 't> = (&'s Side<'t>, (&'t Rank, &'t Device));

fn of_pair<'t>(pair: DevicePair, a: DeviceOf<'_, 't>, b: DeviceOf<'_, 't>) -> Vec<KernelDelta> {
    let mut rows: BTreeMap<&'t str, KernelDelta> = BTreeMap::new();
    let streams_a = sequences(a);
    let mut streams_b = sequences(b);
    let mut paired = |of_a: &[Item<'t>], of_b: &[Item<'t>]| {
        let pairing = Pairing::of(of_a, of_b);
        let by_number = pairing.by_number;
        pairing.each(of_a, of_b, |x, y| {
            let Some(known) = x.or(y) else { return };
            let row = rows.entry(known.name).or_insert_with(|| KernelDelta {
                pair,
                name: known.name.to_owned(),
                class: known.class,
                count_a: 0,
                count_b: 0,
                total_a: DurNs::ZERO,
                total_b: DurNs::ZERO,
                paired: 0,
                paired_delta: DurNs::ZERO,
                only_a: (0, DurNs::ZERO),
                only_b: (0, DurNs::ZERO),
                by_number: false,
            });
            row.by_number |= by_number;
            if let Some(x) = x {
                row.count_a += 1;
                row.total_a = row.total_a + x.time;
            }
            if let Some(y) = y {
                row.count_b += 1;
                row.total_b = row.total_b + y.time;
            }
            match (x, y) {
                (Some(x), Some(y)) => {
                    row.paired += 1;
                    row.paired_delta = row.paired_delta + (y.time - x.time);
                }
                (Some(x), None) => row.only_a = (row.only_a.0 + 1, row.only_a.1 + x.time),
                (None, Some(y)) => row.only_b = (row.only_b.0 + 1, row.only_b.1 + y.time),
                (None, None) => {}
            }
        });
    };
    for (key, of_a) in &streams_a {
        let of_b = streams_b.remove(key).unwrap_or_default();
        paired(of_a, &of_b);
    }
    for of_b in streams_b.values() {
        paired(&[], of_b);
    }
    rows.into_values().collect()
}

/// The kernels of a window by stream and by the number of the step that holds their start, each in
/// order of start. Steps are counted from the first one of the window, so that step 10 of one run
/// stands against step 40 of another.
fn sequences<'t>(
    (side, (rank, device)): DeviceOf<'_, 't>,
) -> BTreeMap<(i64, usize), Vec<Item<'t>>> {
    let mut all: BTreeMap<(i64, usize), Vec<Item<'t>>> = BTreeMap::new();
    let clip = side.query.clip_suspicious;
    let Some(window) = scope(rank, device, side.query.selection, clip).covered() else {
        return all;
    };
    let begun = |at| device.steps.partition_point(|s| s.window.start() <= at);
    let first = begun(window.start());
    for stream in &device.streams {
        for slice in rank.slices.range(stream.slices.clone()) {
            let (Some(class), Some(time)) = (slice.class(), inside(slice.window(), window)) else {
                continue;
            };
            let step = begun(slice.start()).saturating_sub(first);
            all.entry((stream.id.0, step)).or_default().push(Item {
                name: side.trace.names.get(slice.name()),
                class,
                time,
            });
        }
    }
    all
}

/// What of a kernel lies inside a window; zero for one without length that starts inside.
fn inside(kernel: Window, window: Window) -> Option<DurNs> {
    let part = kernel.clip(window)?;
    let counts = !part.is_empty() || (kernel.is_empty() && window.contains(kernel.start()));
    counts.then(|| part.len())
}
