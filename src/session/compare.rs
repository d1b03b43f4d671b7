//! Comparing with a second trace: B beside A, with one shift between their axes.
//!
//! The session itself is A. B is a session of its own within it, with lanes, selection and devices of
//! its own; what both share (view, window, step, settings) belongs to A, and B follows after every
//! action and arrival, see `in_step`. So there is one place to pan, zoom and brush, and whatever is
//! done over B's lanes is done to A, moved by the shift.

mod act;
mod arrive;
mod deltas;
mod in_step;

pub use act::{Alignment, CompareAction};
pub use deltas::{DeltaKey, Deltas, ShownDeltas};

use super::file::StoredCompare;
use super::{Effect, Session, StepWindow};
use crate::ingest::{LoadOptions, RankShifts};
use crate::metrics::{self, DevicePair, DevicePairs, FigureDelta, Query, Selection, figure_deltas};
use crate::time::DurNs;
use std::path::PathBuf;

/// Which of two traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TraceSide {
    /// The one that was opened.
    #[default]
    A,
    /// The one that it is compared with.
    B,
}

impl TraceSide {
    /// Its name on the screen.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}

/// Whose figures the panel at the right shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PanelOf {
    /// Both, with differences.
    #[default]
    Both,
    /// One of them, as if nothing was compared.
    One(TraceSide),
}

/// What a trace is to be compared with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareWith {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// How it was looked at, where it is brought back.
    pub(super) as_before: Option<StoredCompare>,
}

impl CompareWith {
    /// These paths, looked at for the first time.
    #[must_use]
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            as_before: None,
        }
    }
}

/// A comparison: B, and how it stands to A.
#[derive(Debug, Default)]
pub struct Compare {
    /// The second trace. Its view, window and settings follow those of the first.
    pub other: Session,
    /// What is added to a time of A, told from A's origin, to come to the time of B, told from B's
    /// origin, that stands in the same place.
    pub offset: DurNs,
    /// The offset as the user types it.
    pub shift_text: String,
    /// What is wrong with that; the last good one holds.
    pub shift_trouble: Option<String>,
    /// Whose figures are shown.
    pub panel: PanelOf,
    /// Where a slice was selected last.
    pub last: TraceSide,
    /// The table of kernels.
    pub deltas: Deltas,
    /// How B is to be looked at once it is there.
    as_before: Option<StoredCompare>,
}

/// What is compared: a device of either trace, each with its window.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'t> {
    /// The first trace, and what of it.
    pub a: metrics::Side<'t>,
    /// The second.
    pub b: metrics::Side<'t>,
    /// The devices in focus.
    pub pair: DevicePair,
}

impl Compared<'_> {
    /// Figures of the two devices side by side.
    #[must_use]
    pub fn figures(&self) -> Vec<FigureDelta> {
        figure_deltas(&self.a, &self.b, &[self.pair])
    }
}

impl Session {
    /// The second trace, once it is there.
    #[must_use]
    pub fn other(&self) -> Option<&Session> {
        let other = &self.compare.as_ref()?.other;
        other.trace.is_some().then_some(other)
    }

    /// Which of two traces this is; `None` where nothing is compared.
    #[must_use]
    pub fn side(&self) -> Option<TraceSide> {
        if self.is_other {
            return Some(TraceSide::B);
        }
        self.other().map(|_| TraceSide::A)
    }

    /// What is added to a time of A to come to the time of B in the same place.
    #[must_use]
    pub fn shift(&self) -> Option<DurNs> {
        let other = self.other()?;
        let offset = self.compare.as_ref()?.offset;
        Some(self.origins_apart(other) + offset)
    }

    /// How far B's origin lies behind A's.
    fn origins_apart(&self, other: &Session) -> DurNs {
        other.origin().unwrap_or_default() - self.origin().unwrap_or_default()
    }

    /// The devices in focus on either side, each with its window.
    #[must_use]
    pub fn compared(&self) -> Option<Compared<'_>> {
        let (a, b) = (self, self.other()?);
        let (of_a, of_b) = (a.focused()?, b.focused()?);
        let key =
            |(rank, device): (&crate::trace::Rank, &crate::trace::Device)| (rank.id, device.id);
        let pair = DevicePair {
            a: key(of_a),
            b: key(of_b),
        };
        Some(Compared {
            a: a.compared_side(pair.a)?,
            b: b.compared_side(pair.b)?,
            pair,
        })
    }

    /// Figures of two steps side by side, each in its own window.
    #[must_use]
    pub fn step_figures(&self, a: StepWindow, b: StepWindow) -> Vec<FigureDelta> {
        let Some(mut compared) = self.compared() else {
            return Vec::new();
        };
        compared.a.query.selection = Selection::Window(a.window);
        compared.b.query.selection = Selection::Window(b.window);
        compared.figures()
    }

    fn compared_side(
        &self,
        (rank, device): (crate::trace::RankId, crate::trace::DeviceId),
    ) -> Option<metrics::Side<'_>> {
        let mut side = side_of(self)?;
        side.query = Query {
            rank: Some(rank),
            device: Some(device),
            ..side.query
        };
        Some(side)
    }

    /// All devices that stand against each other, and the two sides with all their devices.
    #[must_use]
    pub fn compared_devices(&self) -> Option<(metrics::Side<'_>, metrics::Side<'_>, DevicePairs)> {
        let (a, b) = (side_of(self)?, side_of(self.other()?)?);
        let pairs = metrics::pair_devices(&a, &b);
        Some((a, b, pairs))
    }

    /// What is being compared or is about to be, to be kept.
    pub(super) fn comparison(&self) -> Option<StoredCompare> {
        let absolute = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone());
        let all = |paths: &[PathBuf]| paths.iter().map(absolute).collect();
        let waiting = |paths: &[PathBuf], as_before: &Option<StoredCompare>| {
            as_before.clone().unwrap_or_default().with_paths(all(paths))
        };
        if let Some(with) = &self.compare_next {
            return Some(waiting(&with.paths, &with.as_before));
        }
        let compare = self.compare.as_ref()?;
        let other = &compare.other;
        Some(match &other.load {
            Some(load) if other.trace.is_none() => waiting(&load.paths, &compare.as_before),
            _ => StoredCompare::of(all(&other.sources), compare.offset, other),
        })
    }

    /// Names of both traces, for a title.
    #[must_use]
    pub fn compared_name(&self) -> Option<String> {
        let a = self.trace_name()?;
        Some(match self.other().and_then(Session::trace_name) {
            Some(b) => format!("{a} and {b}"),
            None => a,
        })
    }

    /// Begins to load what the trace is compared with; an older one stays until it is there.
    pub(super) fn compare_with(&mut self, with: CompareWith) -> Vec<Effect> {
        let mut compare = self.compare.take().unwrap_or_else(|| {
            let mut other = Session::new(self.settings.clone(), self.rules.clone());
            // Numbers of loads are not used twice, so that nothing of an older B is taken for this one's.
            other.last_load = self.other_loads;
            other.is_other = true;
            Box::new(Compare {
                other,
                ..Compare::default()
            })
        });
        compare.as_before = with.as_before;
        let options = LoadOptions {
            // By how much ranks are moved by hand is a matter of one trace's clocks.
            shifts: RankShifts::default(),
            ..self.options.clone()
        };
        let effects = compare.other.open(with.paths, options);
        self.other_loads = compare.other.last_load;
        self.compare = Some(compare);
        self.message = None;
        act::of_other(effects)
    }

    /// Begins what was asked for while the first trace was not there yet.
    pub(super) fn compare_waiting(&mut self) -> Vec<Effect> {
        if self.trace.is_none() || self.load.is_some() {
            return Vec::new();
        }
        let next = self.compare_next.take();
        next.map_or_else(Vec::new, |with| self.compare_with(with))
    }

    /// Forgets the second trace.
    pub(super) fn stop_comparing(&mut self) -> Vec<Effect> {
        self.compare_next = None;
        match self.compare.take() {
            Some(_) => act::of_other(vec![Effect::CancelLoad]),
            None => Vec::new(),
        }
    }
}

fn side_of(session: &Session) -> Option<metrics::Side<'_>> {
    Some(metrics::Side {
        trace: session.trace.as_deref()?,
        query: session.query(),
    })
}

#[cfg(test)]
mod tests;
