//! Level of detail for what is derived of a device: overlap, idle time, the five-way split.
//!
//! Zoomed out, every pixel column is measured on the device's activity, which is exact and costs one
//! short search a column whatever happened inside; columns of the same share join to one span. Below one
//! nanosecond a pixel the pieces themselves are drawn, since no more than a screenful of
//! nanoseconds can then be on the screen.

use super::device::DeviceColumn;
use super::draw::{LaneDraw, Quad, Span, Split, What};
use super::lanes::Derived;
use super::lod::Columns;
use super::scale::{column_px, draw_px, share};
use super::view::View;
use crate::interval::Parts;
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Activity, Busy, Trace};
use rayon::prelude::*;

/// Above this scale every pixel holds at least one whole nanosecond.
pub(super) const MEASURED_NS_PER_PX: f64 = 1.0;

/// Everything that is derived of one device in one view.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeviceSpans {
    /// In the order of [`Derived::ALL`].
    derived: [Vec<Span>; 5],
    /// Communication that no computation hides.
    pub exposed: Vec<Span>,
    /// The five-way split by stretch of pixels.
    pub split: Vec<(f32, f32, Split)>,
}

impl Derived {
    /// What is its of five things in the order of [`ALL`](Self::ALL).
    pub(super) fn of<T>(self, all: [T; 5]) -> T {
        let [computation, communication, memory, overlap, idle] = all;
        match self {
            Self::Computation => computation,
            Self::Communication => communication,
            Self::Memory => memory,
            Self::Overlap => overlap,
            Self::Idle => idle,
        }
    }
}

impl DeviceSpans {
    /// Where a derived set holds.
    #[must_use]
    pub fn of(&self, derived: Derived) -> &[Span] {
        derived.of(self.derived.each_ref().map(Vec::as_slice))
    }

    /// The draw list of a derived lane.
    #[must_use]
    pub fn lane(&self, derived: Derived) -> LaneDraw {
        let mut out = LaneDraw::default();
        self.fill(derived, &mut out);
        out
    }

    /// Adds the draw list of a derived lane to another.
    pub fn fill(&self, derived: Derived, out: &mut LaneDraw) {
        let quad = |span: &Span, what: What| Quad {
            x0: span.x0,
            x1: span.x1,
            row: 0,
            what,
        };
        let spans = self.of(derived).iter();
        let quads = &mut out.quads;
        quads.extend(spans.map(|s| quad(s, What::Derived(derived, s.share))));
        if derived == Derived::Communication {
            quads.extend(self.exposed.iter().map(|s| quad(s, What::Exposed(s.share))));
        }
    }

    /// The draw list of the device as a whole, in a given sub-row.
    pub fn summary(&self, row: u16) -> impl Iterator<Item = Quad> + '_ {
        self.split.iter().map(move |&(x0, x1, split)| Quad {
            x0,
            x1,
            row,
            what: What::Split(split),
        })
    }
}

/// Whether a set of active classes belongs to a derived lane.
#[must_use]
pub fn holds(derived: Derived, mask: u8) -> bool {
    match derived {
        Derived::Computation => mask & Busy::C != 0,
        Derived::Communication => mask & Busy::M != 0,
        Derived::Memory => mask & Busy::Y != 0,
        Derived::Overlap => mask & Busy::C != 0 && mask & Busy::M != 0,
        Derived::Idle => mask == 0,
    }
}

fn is_exposed(mask: u8) -> bool {
    mask & Busy::M != 0 && mask & Busy::C == 0
}

/// The busy parts of the five-way split, in the order of [`Split`].
const PARTS: [fn(u8) -> bool; 4] = [
    |m| m & Busy::C != 0 && m & Busy::M == 0,
    |m| m & Busy::C != 0 && m & Busy::M != 0,
    is_exposed,
    |m| m == Busy::Y,
];

/// Derives everything of one device in one view. Idle time is only told inside `extent`.
#[must_use]
pub fn device(activity: &Activity, extent: Window, view: &View, width_px: f64) -> DeviceSpans {
    if view.ns_per_px >= MEASURED_NS_PER_PX {
        measured(activity, extent, view, width_px)
    } else {
        pieces(activity, extent, view, width_px)
    }
}

fn measured(activity: &Activity, extent: Window, view: &View, width_px: f64) -> DeviceSpans {
    let mut out = DeviceSpans::default();
    let edges = view.edges(width_px);
    let all = Columns {
        range: 0..View::columns(width_px),
        edges: &edges,
    };
    columns(activity, extent, &all, |at, column| {
        let (x0, x1) = (column_px(at), column_px(at + 1));
        for (share, spans) in column.derived.into_iter().zip(&mut out.derived) {
            extend(spans, x0, x1, share);
        }
        extend(&mut out.exposed, x0, x1, column.exposed);
        if column.split.total() <= 0.0 {
            return;
        }
        match out.split.last_mut() {
            Some((_, end, last)) if *end >= x0 && *last == column.split => *end = x1,
            _ => out.split.push((x0, x1, column.split)),
        }
    });
    out
}

/// Measures columns of a device; those outside of its extent are not told.
pub(super) fn columns(
    activity: &Activity,
    extent: Window,
    columns: &Columns<'_>,
    mut found: impl FnMut(i64, DeviceColumn),
) {
    let inside = |at: &Ns| (*at).max(extent.start()).min(extent.end());
    let clipped: Vec<Ns> = columns.edges.iter().map(inside).collect();
    let mut wholes = columns.range.clone().zip(columns.edges.windows(2));
    activity.measure_columns(&clipped, |inside, parts| {
        let Some((at, [start, end])) = wholes.next() else {
            return;
        };
        if !inside.is_empty() {
            found(at, column(&parts, *end - *start));
        }
    });
}

/// The same as by [`holds`] and [`PARTS`], mask by mask: a picture measures thousands of columns.
fn column(parts: &Parts, whole: DurNs) -> DeviceColumn {
    let of = |mask: u8| parts.exactly(mask);
    let alone = of(Busy::C) + of(Busy::C | Busy::Y);
    let overlap = of(Busy::C | Busy::M) + of(Busy::C | Busy::M | Busy::Y);
    let exposed = of(Busy::M) + of(Busy::M | Busy::Y);
    let memory = of(Busy::Y);
    let with_memory =
        of(Busy::C | Busy::Y) + of(Busy::M | Busy::Y) + of(Busy::C | Busy::M | Busy::Y);
    let derived = [
        alone + overlap,
        exposed + overlap,
        memory + with_memory,
        overlap,
        of(0),
    ];
    DeviceColumn {
        derived: derived.map(|time| share(time, whole)),
        exposed: share(exposed, whole),
        split: Split::of([alone, overlap, exposed, memory].map(|time| share(time, whole))),
    }
}

pub(super) fn extend(spans: &mut Vec<Span>, x0: f32, x1: f32, share: f32) {
    if share <= 0.0 {
        return;
    }
    match spans.last_mut() {
        // The same share over and over is one stretch, whole or not.
        Some(last) if last.x1 >= x0 && last.share.to_bits() == share.to_bits() => last.x1 = x1,
        _ => spans.push(Span { x0, x1, share }),
    }
}

pub(super) fn pieces(
    activity: &Activity,
    extent: Window,
    view: &View,
    width_px: f64,
) -> DeviceSpans {
    let mut out = DeviceSpans::default();
    let Some(shown) = view.visible(width_px).clip(extent) else {
        return out;
    };
    let px = |t| draw_px(view.x_of(t), width_px);
    let spans_of = |accepts: &dyn Fn(u8) -> bool| -> Vec<Span> {
        let found = activity.intervals(shown, accepts);
        found
            .map(|i| Span {
                x0: px(i.start),
                x1: px(i.end),
                share: 1.0,
            })
            .collect()
    };
    // Before the first and after the last kernel nothing is a piece; the extent has no such time.
    for (derived, spans) in Derived::ALL.into_iter().zip(&mut out.derived) {
        *spans = spans_of(&|m| holds(derived, m));
    }
    out.exposed = spans_of(&is_exposed);
    for mask in 1..8_u8 {
        let split = Split::of(PARTS.map(|accepts| f32::from(u8::from(accepts(mask)))));
        for span in spans_of(&|m| m == mask) {
            out.split.push((span.x0, span.x1, split));
        }
    }
    out.split.sort_by(|a, b| a.0.total_cmp(&b.0));
    out
}

/// The stretch around an instant in which a set of active classes keeps holding; `None` where it
/// does not hold. Found by doubling and halving on measures, so it costs no walk over pieces.
#[must_use]
pub fn around(
    activity: &Activity,
    extent: Window,
    at: Ns,
    accepts: impl Fn(u8) -> bool,
) -> Option<Window> {
    let whole = |window: Window| activity.measure(window).sum(&accepts) == window.len();
    if !extent.contains(at) || !whole(Window::new(at, at + DurNs(1))) {
        return None;
    }
    // The largest length that still holds throughout, up to a limit.
    let reach = |limit: i64, window: &dyn Fn(i64) -> Window| {
        let (mut low, mut high) = (0_i64, limit);
        while low < high {
            let middle = low + (high - low + 1) / 2;
            if whole(window(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    };
    let right = reach((extent.end() - at).0, &|n| Window::new(at, at + DurNs(n)));
    let left = reach((at - extent.start()).0, &|n| Window::new(at - DurNs(n), at));
    Some(Window::new(at - DurNs(left), at + DurNs(right)))
}

/// The five-way split of all devices together, on a fixed number of columns of a window. Devices
/// count alike; a device outside its own extent is idle.
#[must_use]
pub fn overview(trace: &Trace, window: Window, columns: u16, clip: bool) -> Vec<Split> {
    let view = View::fit(window, f64::from(columns));
    let edges = view.edges(f64::from(columns));
    let devices: Vec<&Activity> = trace.devices().map(|(_, d)| d.activity(clip)).collect();
    let Ok(count) = i64::try_from(devices.len().max(1)) else {
        return Vec::new();
    };
    let add = |mut sums: Vec<[i64; 4]>, more: Vec<[i64; 4]>| {
        for (sum, more) in sums.iter_mut().flatten().zip(more.iter().flatten()) {
            *sum = sum.saturating_add(*more);
        }
        sums
    };
    let sums = devices.into_par_iter().map(|activity| {
        let mut times = Vec::with_capacity(usize::from(columns));
        activity.measure_columns(&edges, |_, parts| {
            times.push(PARTS.map(|accepts| parts.sum(accepts).0));
        });
        times
    });
    let sums = sums.reduce(|| vec![[0; 4]; usize::from(columns)], add);
    let wholes = edges.windows(2).map(|pair| match pair {
        [start, end] => DurNs((*end - *start).0.saturating_mul(count)),
        _ => DurNs::ZERO,
    });
    let shares = sums.into_iter().zip(wholes);
    shares
        .map(|(sum, whole)| Split::of(sum.map(|ns| share(DurNs(ns), whole))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::class::KernelClass::{Communication, Computation, Memory};

    #[test]
    fn a_column_is_what_the_sets_say() {
        // Every mask for another length.
        let mut kernels = Vec::new();
        for mask in 0..8_u8 {
            let start = i64::from(mask) * 1_000;
            let end = Ns(start + (1 << mask));
            for class in [Computation, Communication, Memory] {
                if mask & Busy::bit(class) != 0 {
                    kernels.push((Ns(start), end, class));
                }
            }
        }
        let activity = Activity::new(&kernels);
        let window = Window::new(Ns(0), Ns(10_000));
        let parts = activity.measure(window);
        let found = column(&parts, window.len());
        let share_of = |accepts: &dyn Fn(u8) -> bool| share(parts.sum(accepts), window.len());
        let expected = DeviceColumn {
            derived: Derived::ALL.map(|kind| share_of(&|m| holds(kind, m))),
            exposed: share_of(&is_exposed),
            split: Split::of(PARTS.map(|accepts| share_of(&accepts))),
        };
        assert_eq!(found, expected);
    }
}
