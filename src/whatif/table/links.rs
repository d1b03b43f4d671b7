//! Rows of the links of a trace: what each fit says, and the sizes behind it.

use super::super::LinkFit;
use super::{SOURCE, Source, count, text, time, word};
use crate::metrics::report::{Cell, Column, Unit};
use crate::time::DurNs;
use crate::whatif::number::{fixed, real};

/// A link, or a size of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRow {
    /// Process group.
    pub group: Option<String>,
    /// The collective.
    pub kind: &'static str,
    /// Ranks of the group.
    pub ranks: u32,
    /// `fit`, `refused` or `size`.
    pub case: &'static str,
    /// Bytes of the full buffer.
    pub bytes: Option<u64>,
    /// How many transfers there are.
    pub samples: Option<u64>,
    /// How many sizes there are.
    pub sizes: Option<u64>,
    /// The largest size over the smallest.
    pub span: Option<f64>,
    /// The shortest time of the size.
    pub time: Option<DurNs>,
    /// What the fit says of it.
    pub fitted: Option<DurNs>,
    /// Latency.
    pub alpha: Option<DurNs>,
    /// Bus bandwidth in GB/s.
    pub bus: Option<f64>,
    /// The farthest that a size lies from the line, in percent.
    pub worst_percent: Option<f64>,
    /// Why there is no fit.
    pub note: String,
}

/// The columns in order.
pub const LINK_COLUMNS: [Column<LinkRow>; 15] = [
    Column::new(
        "group",
        "Group",
        Unit::None,
        "Name of the process group.",
        |r| r.group.clone().map_or(Cell::Empty, Cell::Text),
    ),
    Column::new("kind", "Kind", Unit::None, "Which collective.", |r| {
        text(r.kind)
    }),
    Column::new("ranks", "Ranks", Unit::Count, "Ranks of the group.", |r| {
        Cell::Int(r.ranks.into())
    }),
    Column::new(
        "case",
        "Case",
        Unit::None,
        "fit: alpha and bus bandwidth of the link; refused: why there are none; size: one size of it.",
        |r| text(r.case),
    ),
    Column::new(
        "size_bytes",
        "Size",
        Unit::Bytes,
        "Bytes of the full buffer.",
        |r| count(r.bytes),
    ),
    Column::new(
        "samples",
        "Samples",
        Unit::Count,
        "How many transfers without waiting there are.",
        |r| count(r.samples),
    ),
    Column::new(
        "sizes",
        "Sizes",
        Unit::Count,
        "How many different sizes there are; at least 3 are needed.",
        |r| count(r.sizes),
    ),
    Column::new(
        "span",
        "Span",
        Unit::None,
        "The largest size over the smallest; at least 8 is needed.",
        |r| r.span.map_or(Cell::Empty, |span| fixed(span, 2)),
    ),
    Column::new(
        "time_us",
        "Time",
        Unit::Microseconds,
        "The shortest measured time of the size.",
        |r| time(r.time),
    ),
    Column::new(
        "fitted_us",
        "Fitted",
        Unit::Microseconds,
        "What the fitted link says of the size.",
        |r| time(r.fitted),
    ),
    Column::new(
        "alpha_us",
        "Alpha",
        Unit::Microseconds,
        "What every collective takes whatever its size.",
        |r| time(r.alpha),
    ),
    Column::new(
        "bus_bandwidth_gb_per_s",
        "Bus bandwidth",
        Unit::GigabytesPerSecond,
        "Bus bandwidth as nccl-tests defines it, 10^9 bytes a second.",
        |r| r.bus.map_or(Cell::Empty, |bus| fixed(bus, 3)),
    ),
    Column::new(
        "worst_error_percent",
        "Worst error",
        Unit::Percent,
        "The farthest that the shortest time of a size lies from the line, as a percentage of it.",
        |r| r.worst_percent.map_or(Cell::Empty, |worst| fixed(worst, 4)),
    ),
    Column::new("source", "Source", Unit::None, SOURCE, |r| {
        word(if r.case == "fit" {
            Source::Modelled
        } else {
            Source::Measured
        })
    }),
    Column::new(
        "note",
        "Note",
        Unit::None,
        "Why there is no fit.",
        |r| match r.note.as_str() {
            "" => Cell::Empty,
            note => text(note),
        },
    ),
];

/// Each link, then its sizes.
#[must_use]
pub fn link_rows(links: &[LinkFit]) -> Vec<LinkRow> {
    links.iter().flat_map(rows).collect()
}

fn rows(link: &LinkFit) -> Vec<LinkRow> {
    let fit = link.fit.as_ref().ok();
    let blank = LinkRow {
        group: link.group.as_deref().map(str::to_owned),
        kind: link.kind.label(),
        ranks: link.ranks,
        case: "size",
        bytes: None,
        samples: None,
        sizes: None,
        span: None,
        time: None,
        fitted: None,
        alpha: None,
        bus: None,
        worst_percent: None,
        note: String::new(),
    };
    let head = LinkRow {
        case: if fit.is_some() { "fit" } else { "refused" },
        samples: u64::try_from(link.samples).ok(),
        sizes: u64::try_from(link.points.len()).ok(),
        span: link.span(),
        alpha: fit.map(|fit| fit.alpha),
        bus: fit.map(|fit| fit.bus.gb_per_s()),
        worst_percent: fit.map(|fit| fit.worst * 100.0),
        note: link.fit.as_ref().err().cloned().unwrap_or_default(),
        ..blank.clone()
    };
    let size = |point: &crate::whatif::FitPoint| LinkRow {
        bytes: Some(point.bytes),
        samples: u64::try_from(point.samples).ok(),
        time: Some(point.measured),
        fitted: fit.map(|_| point.fitted),
        ..blank.clone()
    };
    let sizes = link.points.iter().map(size);
    std::iter::once(head).chain(sizes).collect()
}

impl LinkFit {
    /// The largest size over the smallest.
    #[must_use]
    pub fn span(&self) -> Option<f64> {
        let (smallest, largest) = self.sizes()?;
        Some(real(largest) / real(smallest))
    }
}
