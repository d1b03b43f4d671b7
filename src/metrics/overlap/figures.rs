//! The figures of an analysis, one a row, each with where it comes from and how much it covers.
//!
//! The panel, the table and the files walk this one list, so that a figure has the same words and
//! digits everywhere.

mod checks;

use super::OverlapAnalysis;
use super::verdict::Verdict;
use crate::metrics::grid::Cell;
use crate::metrics::{Ratio, Summary};
use crate::time::{DurNs, Ns, Window};
use crate::trace::{DeviceId, Rank, RankId, SliceId, Trace};
use std::borrow::Cow;

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureSource {
    /// From the events of the trace alone.
    Measured,
    /// Through an assumption that `docs/overlap.md` states.
    Modelled,
    /// The user gave it.
    Typed,
}

impl FigureSource {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Modelled => "modelled",
            Self::Typed => "typed",
        }
    }
}

/// One figure of an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlapFigure {
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// The window.
    pub window: Window,
    /// Which part of the analysis it belongs to.
    pub check: &'static str,
    /// Its name.
    pub figure: &'static str,
    /// What it is called on screen.
    pub title: String,
    /// Its value.
    pub value: Cell,
    /// The unit of the value: `us`, `%`, `x` or empty.
    pub unit: &'static str,
    /// Lower end of its interval.
    pub low: Cell,
    /// Upper end.
    pub high: Cell,
    /// Where it comes from.
    pub source: FigureSource,
    /// How many events it rests on.
    pub count: Option<u64>,
    /// The share of what it speaks of that it rests on.
    pub coverage: Option<Ratio>,
    /// What it means here, or why there is no value.
    pub note: Cow<'static, str>,
    /// An event to look at.
    pub evidence: Option<Evidence>,
}

/// An event that a figure rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The event.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// Its start.
    pub start: Ns,
}

impl Evidence {
    /// An event of a rank by its number.
    pub(in crate::metrics) fn of(trace: &Trace, rank: &Rank, slice: SliceId) -> Option<Self> {
        let slice = rank.slices.get(slice)?;
        Some(Self {
            slice: slice.id(),
            name: trace.names.get(slice.name()).to_owned(),
            start: slice.start(),
        })
    }
}

/// All figures of an analysis in order: the verdict, the account, then check by check.
#[must_use]
pub fn overlap_figures(trace: &Trace, of: &OverlapAnalysis) -> Vec<OverlapFigure> {
    let mut list = List {
        trace,
        of,
        rows: Vec::new(),
    };
    verdict(&mut list);
    account(&mut list);
    checks::add(&mut list);
    list.rows
}

struct List<'a> {
    trace: &'a Trace,
    of: &'a OverlapAnalysis,
    rows: Vec<OverlapFigure>,
}

impl List<'_> {
    /// Adds a figure; what differs from a plain measured one is set on the result.
    fn add(
        &mut self,
        (check, figure): (&'static str, &'static str),
        title: impl Into<String>,
        value: Cell,
        unit: &'static str,
    ) -> &mut OverlapFigure {
        let row = OverlapFigure {
            rank: self.of.rank,
            device: self.of.device,
            window: self.of.window,
            check,
            figure,
            title: title.into(),
            value,
            unit,
            low: Cell::Empty,
            high: Cell::Empty,
            source: FigureSource::Measured,
            count: None,
            coverage: None,
            note: Cow::Borrowed(""),
            evidence: None,
        };
        self.rows.push_mut(row)
    }

    fn evidence(&self, slice: Option<SliceId>) -> Option<Evidence> {
        Evidence::of(self.trace, self.trace.rank(self.of.rank)?, slice?)
    }

    fn time(
        &mut self,
        key: (&'static str, &'static str),
        title: impl Into<String>,
        time: DurNs,
    ) -> &mut OverlapFigure {
        self.add(key, title, Cell::Time(time), "us")
    }

    fn count(
        &mut self,
        key: (&'static str, &'static str),
        title: impl Into<String>,
        count: u64,
    ) -> &mut OverlapFigure {
        let row = self.add(key, title, Cell::Int(count.into()), "");
        row.count = Some(count);
        row
    }

    fn share(
        &mut self,
        key: (&'static str, &'static str),
        title: impl Into<String>,
        ratio: Option<Ratio>,
    ) -> &mut OverlapFigure {
        self.add(key, title, Cell::Percent(ratio), "%")
    }
}

fn time_of(ns: i128) -> Cell {
    i64::try_from(ns).map_or(Cell::Empty, |ns| Cell::Time(DurNs(ns)))
}

fn verdict(list: &mut List<'_>) {
    const CHECK: &str = "verdict";
    let bottom = list.of.bottom;
    let is_modelled = !list.of.computation.is_complete()
        || (!bottom.is_bound && !list.of.communication.is_complete());
    let source = if is_modelled {
        FigureSource::Modelled
    } else {
        FigureSource::Measured
    };
    let row = list.add(
        (CHECK, "verdict"),
        "Verdict",
        Cell::Text(bottom.verdict.name().to_owned()),
        "",
    );
    row.source = match bottom.verdict {
        Verdict::None(_) => FigureSource::Measured,
        _ => source,
    };
    row.note = bottom.verdict.sentence().into();
    let Some(net) = bottom.net else {
        return;
    };
    let (name, title) = if bottom.is_bound {
        ("net_at_most", "Net gain, at most")
    } else {
        ("net", "Net gain")
    };
    let row = list.add((CHECK, name), title, time_of(net.estimate), "us");
    (row.low, row.high, row.source) = (time_of(net.low), time_of(net.high), source);
    row.note = "time that both sides share, less what their kernels take longer for it".into();
    if bottom.is_bound {
        row.note = "time that both sides share, less what computation takes longer for it; as if communication were not slowed".into();
    }
    if let Some(factor) = bottom.break_even {
        let row = list.add(
            (CHECK, "break_even_k_comm"),
            "Pays while communication is slowed by less than",
            factor.cell(),
            "x",
        );
        row.source = FigureSource::Modelled;
    }
}

fn account(list: &mut List<'_>) {
    const CHECK: &str = "account";
    let s = list.of.summary;
    let (ideal, excess) = (list.of.ideal(), list.of.excess());
    list.time((CHECK, "window"), "Window", s.kernel_time);
    list.time((CHECK, "compute"), "Compute", s.comp);
    list.time(
        (CHECK, "exposed_comm"),
        "Exposed communication",
        s.exposed_comm,
    );
    list.time(
        (CHECK, "exposed_memory"),
        "Exposed memory",
        s.exposed_memory,
    );
    list.time((CHECK, "idle"), "Idle", s.idle_time);
    list.time((CHECK, "overlap"), "Overlap", s.overlap);
    let row = list.time((CHECK, "ideal"), "Ideal", ideal);
    row.source = FigureSource::Modelled;
    row.note = "the longer of computation and communication, the other wholly hidden".into();
    let row = list.time((CHECK, "excess"), "Beyond the ideal", excess);
    row.source = FigureSource::Modelled;
    row.note = excess_words(&s).into();
}

/// The parts that the excess consists of, the longest first.
fn excess_words(s: &Summary) -> String {
    let exposed = if s.comp >= s.comm {
        ("exposed communication", s.exposed_comm)
    } else {
        ("computation that nothing accompanies", s.compute_only)
    };
    let mut parts = [
        exposed,
        ("exposed memory", s.exposed_memory),
        ("idle", s.idle_time),
    ];
    parts.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let words = parts.iter().filter(|(_, time)| *time > DurNs::ZERO);
    let words: Vec<String> = words
        .map(|(word, t)| format!("{word} {} us", t.us3()))
        .collect();
    words.join(" + ")
}
